#include "convert.h"
#include "core/base/jobs.h"
#include "core/growth/grow.h"
#include "core/growth/polish.h"
#include "core/growth/stagewise.h"
#include "r_monitor.h"

using Rcpp::_;

namespace {

Rcpp::List options_to_r(const mdpd::StagewiseOptions& options) {
  const mdpd::RefineOptions refine;
  const bool robust = options.selection == mdpd::Selection::kEvidence;
  return Rcpp::List::create(
      _["polish"] = robust, _["max_stages"] = static_cast<double>(options.max_stages),
      _["em_steps"] = static_cast<double>(options.em_steps), _["alpha"] = options.alpha,
      _["split_step"] = options.split_step, _["floor"] = options.m_step.floor,
      _["smoothing"] = options.m_step.smoothing,
      _["smoothing_loss"] = robust ? mdpd::default_smoothing_loss : 0.0, _["tol"] = refine.tol,
      _["max_iter"] = static_cast<double>(refine.max_iter), _["threads"] = mdpd::default_threads);
}

mdpd::StagewiseOptions as_stagewise_options(const Rcpp::List& control, const std::string& method,
                                            int n_components, bool missing_level) {
  mdpd::StagewiseOptions options =
      method == "paper" ? mdpd::paper_options() : mdpd::robust_options();
  options.n_components = n_components;
  options.missing = mdpd::as_missing_cells(missing_level);
  options.max_stages = static_cast<mdpd::Index>(Rcpp::as<double>(control["max_stages"]));
  options.em_steps = static_cast<mdpd::Index>(Rcpp::as<double>(control["em_steps"]));
  options.alpha = Rcpp::as<double>(control["alpha"]);
  options.split_step = Rcpp::as<double>(control["split_step"]);
  options.m_step = mdpd::as_m_step_options(control);
  // For tests: not an argument of stagewise_control().
  if (control.containsElementNamed("screening")) {
    const std::string screening = control["screening"];
    options.screening = screening == "never" ? mdpd::Screening::kNever : mdpd::Screening::kAlways;
  }
  return options;
}

const char* stage_status_to_r(mdpd::StageStatus status) {
  return status == mdpd::StageStatus::kExplained ? "explained" : "stage_limit";
}

Rcpp::List stages_to_r(const std::vector<mdpd::StageRecord>& trace) {
  const std::size_t n = trace.size();
  Rcpp::IntegerVector k(n), item_1(n), item_2(n), component(n), n_informative(n);
  Rcpp::NumericVector information(n), p_value(n), loglik(n), loglik_all(n), penalised(n), length(n);
  for (std::size_t i = 0; i < n; ++i) {
    const mdpd::StageRecord& stage = trace[i];
    k[i] = static_cast<int>(stage.n_components);
    item_1[i] = stage.pair.found ? static_cast<int>(stage.pair.item_1) + 1 : NA_INTEGER;
    item_2[i] = stage.pair.found ? static_cast<int>(stage.pair.item_2) + 1 : NA_INTEGER;
    component[i] = stage.pair.found ? static_cast<int>(stage.pair.component) + 1 : NA_INTEGER;
    information[i] = stage.largest_information;
    p_value[i] = stage.pair.found ? std::exp(stage.pair.log_p_value) : NA_REAL;
    n_informative[i] = static_cast<int>(stage.n_informative);
    loglik[i] = stage.loglik;
    loglik_all[i] = stage.loglik_all;
    penalised[i] = stage.penalised_loglik;
    length[i] = stage.split_length > 0.0 ? stage.split_length : NA_REAL;
  }
  return Rcpp::List::create(_["k"] = k, _["item_1"] = item_1, _["item_2"] = item_2,
                            _["component"] = component, _["information"] = information,
                            _["p_value"] = p_value, _["n_informative"] = n_informative,
                            _["loglik"] = loglik, _["loglik_all"] = loglik_all,
                            _["penalised_loglik"] = penalised, _["split_length"] = length);
}

mdpd::Refinement as_refinement(const std::string& type) {
  return type == "full" ? mdpd::Refinement::kFull : mdpd::Refinement::kSparse;
}

/// NA where a move has no pair and no components.
int index_to_r(const mdpd::PolishRecord& move, mdpd::Index index) {
  const bool of_components =
      move.kind == mdpd::MoveKind::kSplitMerge || move.kind == mdpd::MoveKind::kMergeSplit;
  return of_components ? static_cast<int>(index) + 1 : NA_INTEGER;
}

const char* move_to_r(mdpd::MoveKind kind) {
  switch (kind) {
    case mdpd::MoveKind::kSplitMerge: return "split-merge";
    case mdpd::MoveKind::kMergeSplit: return "merge-split";
    case mdpd::MoveKind::kItems: return "items";
    case mdpd::MoveKind::kRow: return "row";
  }
  return "unknown";
}

Rcpp::List moves_to_r(const std::vector<mdpd::PolishRecord>& trace) {
  const std::size_t n = trace.size();
  Rcpp::CharacterVector kind(n);
  Rcpp::IntegerVector component(n), item_1(n), item_2(n), merged_1(n), merged_2(n),
      n_informative(n);
  Rcpp::NumericVector loglik(n), penalised(n);
  for (std::size_t i = 0; i < n; ++i) {
    const mdpd::PolishRecord& move = trace[i];
    kind[i] = move_to_r(move.kind);
    component[i] = index_to_r(move, move.component);
    item_1[i] = index_to_r(move, move.item_1);
    item_2[i] = index_to_r(move, move.item_2);
    merged_1[i] = index_to_r(move, move.merged_1);
    merged_2[i] = index_to_r(move, move.merged_2);
    n_informative[i] = static_cast<int>(move.n_informative);
    loglik[i] = move.loglik;
    penalised[i] = move.penalised_loglik;
  }
  return Rcpp::List::create(_["move"] = kind, _["component"] = component, _["item_1"] = item_1,
                            _["item_2"] = item_2, _["merged_1"] = merged_1,
                            _["merged_2"] = merged_2, _["n_informative"] = n_informative,
                            _["loglik"] = loglik, _["penalised_loglik"] = penalised);
}

mdpd::PolishOptions as_polish_options(const Rcpp::List& coded, const std::string& type,
                                      const Rcpp::List& control) {
  mdpd::PolishOptions options;
  options.refinement = as_refinement(type);
  options.refine = mdpd::as_refine_options(control);
  options.missing = mdpd::as_missing_cells(Rcpp::as<std::string>(coded["missing"]) == "frozen");
  return options;
}

/// The core's fit from what `fit_to_r()` made of it.
mdpd::MixtureFit fit_from_r(const mdpd::CodedData& data, const Rcpp::List& fit) {
  return mdpd::finish_fit(
      data,
      mdpd::as_parameters(data, Rcpp::as<mdpd::Vector>(fit["mixing_weights"]), fit["item_probs"]),
      mdpd::as_item_set(fit["informative"]));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_defaults(const std::string& method) {
  return options_to_r(method == "paper" ? mdpd::paper_options() : mdpd::robust_options());
}

// [[Rcpp::export]]
Rcpp::List core_stagewise(const Rcpp::List& coded, int n_components, const std::string& method,
                          bool missing_level, const Rcpp::List& control, bool verbose) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(verbose);
  const mdpd::StagewiseResult result = mdpd::stagewise_em(
      data, as_stagewise_options(control, method, n_components, missing_level), monitor);
  return Rcpp::List::create(
      _["fit"] = mdpd::fit_to_r(data, result.fit), _["status"] = stage_status_to_r(result.status),
      _["trace"] = stages_to_r(result.trace), _["loglik_of_one"] = data.marginal_loglik.sum(),
      _["n_full_passes"] = static_cast<double>(result.n_full_passes),
      _["n_partial_passes"] = static_cast<double>(result.n_partial_passes),
      _["leading"] = mdpd::item_set_to_r(result.leading));
}

// [[Rcpp::export]]
Rcpp::List core_refine(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                       const Rcpp::IntegerVector& informative, const std::string& type,
                       const Rcpp::List& control, bool verbose) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  const mdpd::RowMatrix start = Rcpp::as<mdpd::Matrix>(posterior);
  mdpd::RMonitor monitor(verbose);
  const mdpd::RefineResult result =
      mdpd::refine(data, start, mdpd::as_item_set(informative), as_refinement(type),
                   mdpd::as_refine_options(control), monitor);
  return Rcpp::List::create(_["fit"] = mdpd::fit_to_r(data, result.fit),
                            _["status"] = mdpd::status_to_r(result.status),
                            _["trace"] = mdpd::iterations_to_r(result.trace));
}

// [[Rcpp::export]]
Rcpp::List core_polish(const Rcpp::List& coded, const Rcpp::List& fit, const std::string& type,
                       const Rcpp::List& control, bool verbose) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(verbose);
  const mdpd::PolishResult result =
      mdpd::polish(data, fit_from_r(data, fit), as_polish_options(coded, type, control), monitor);
  return Rcpp::List::create(_["fit"] = mdpd::fit_to_r(data, result.fit),
                            _["status"] = mdpd::status_to_r(result.status),
                            _["trace"] = moves_to_r(result.trace));
}

// [[Rcpp::export]]
Rcpp::List core_smooth(const Rcpp::List& coded, const Rcpp::List& fit, const Rcpp::List& control,
                       bool verbose) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(verbose);
  const mdpd::SmoothedFit smoothed =
      mdpd::smooth(data, fit_from_r(data, fit), Rcpp::as<double>(control["smoothing_loss"]),
                   mdpd::as_refine_options(control), monitor);
  return Rcpp::List::create(_["fit"] = mdpd::fit_to_r(data, smoothed.fit),
                            _["smoothing"] = smoothed.smoothing);
}

// [[Rcpp::export]]
Rcpp::List core_grow(const Rcpp::List& coded, const Rcpp::List& fit, const std::string& type,
                     const Rcpp::List& control, const Rcpp::IntegerVector& leading, bool verbose) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(verbose);
  const mdpd::MixtureFit grown =
      mdpd::grow(data, fit_from_r(data, fit), as_polish_options(coded, type, control),
                 {mdpd::as_item_set(leading), Rcpp::as<double>(control["alpha"])}, monitor);
  if (grown.params.n_components() == 0) return Rcpp::List::create();
  return mdpd::fit_to_r(data, grown);
}
