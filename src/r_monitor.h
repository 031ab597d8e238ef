#pragma once

#include <Rcpp.h>

#include "core/base/monitor.h"

namespace mdpd {

/// Throws when the user interrupts or the time is up that `setTimeLimit()` gave. R goes on with what
/// it was, an interrupt or an error; `Rcpp::checkUserInterrupt()` makes an interrupt of both.
void check_interrupt();

/// Lets R's user interrupt the core, and draws cli's progress bar when asked to. cli shows the bar
/// only after it has lasted a while, so short fits print nothing.
class RMonitor : public Monitor {
 public:
  explicit RMonitor(bool verbose);
  ~RMonitor() override;
  RMonitor(const RMonitor&) = delete;
  RMonitor& operator=(const RMonitor&) = delete;

  void on_stage(Index stage, Index n_components, Index n_informative) override;
  void on_iteration(Index iteration, double objective) override;
  void on_work() override;

 private:
  void show(const std::string& what);
  SEXP bar_;
};

}  // namespace mdpd
