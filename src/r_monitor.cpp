#include "r_monitor.h"

#include <cli/progress.h>

#include <string>

namespace mdpd {

namespace {

/// Calls what may end in an error of R, which so passes through C++ as an exception.
template <class Call>
void in_r(const Call& call) {
  Rcpp::unwindProtect([&] {
    call();
    return R_NilValue;
  });
}

}  // namespace

void check_interrupt() { in_r(R_CheckUserInterrupt); }

RMonitor::RMonitor(bool verbose) : bar_(R_NilValue) {
  if (!verbose) return;
  // The number of stages is not known beforehand: a bar without a total.
  bar_ = PROTECT(cli_progress_bar(NA_REAL, nullptr));
  R_PreserveObject(bar_);
  UNPROTECT(1);
  cli_progress_set_format(bar_, "{cli::pb_spin} Fitting: {cli::pb_status} [{cli::pb_elapsed}]");
}

RMonitor::~RMonitor() {
  if (bar_ == R_NilValue) return;
  cli_progress_done(bar_);
  R_ReleaseObject(bar_);
}

void RMonitor::show(const std::string& what) {
  if (bar_ == R_NilValue) return;
  in_r([&] {
    cli_progress_set_status(bar_, what.c_str());
    cli_progress_add(bar_, 1);
  });
}

void RMonitor::on_stage(Index stage, Index n_components, Index n_informative) {
  check_interrupt();
  show("stage " + std::to_string(stage + 1) + ": " + std::to_string(n_components) +
       (n_components == 1 ? " component, " : " components, ") + std::to_string(n_informative) +
       " informative items");
}

void RMonitor::on_iteration(Index iteration, double objective) {
  check_interrupt();
  show("EM iteration " + std::to_string(iteration + 1) + ": objective " +
       std::to_string(objective));
}

void RMonitor::on_work() { check_interrupt(); }

}  // namespace mdpd
