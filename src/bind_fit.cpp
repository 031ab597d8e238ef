#include <algorithm>
#include <limits>

#include "convert.h"
#include "core/base/jobs.h"
#include "core/data/rows_in_memory.h"
#include "core/fit/blocked_fit.h"
#include "core/fit/known_rows.h"
#include "engine_in_r.h"
#include "r_monitor.h"
#include "shard_rows.h"

using Rcpp::_;

namespace {

std::string text(const Rcpp::List& list, const char* name) {
  return Rcpp::as<std::string>(list[name]);
}

double number(const Rcpp::List& list, const char* name) {
  const double value = Rcpp::as<double>(list[name]);
  mdpd::require(value >= 0.0, name);
  return value;
}

mdpd::Index count(const Rcpp::List& list, const char* name) {
  return mdpd::as_index(number(list, name), 1.0, name);
}

// What goes in --------------------------------------------------------------------------------------

mdpd::FitOptions defaults_of(const std::string& method) {
  return method == "paper" ? mdpd::paper_fit() : mdpd::FitOptions();
}

mdpd::Task as_task(const std::string& task) {
  if (task == "grow") return mdpd::Task::kGrow;
  return task == "continue" ? mdpd::Task::kContinue : mdpd::Task::kEm;
}

/// From R lists made by `new_settings()` and `new_problem()`.
mdpd::FitOptions as_options(const Rcpp::List& settings, const Rcpp::List& problem) {
  const Rcpp::List control = settings["control"];
  mdpd::FitOptions options = defaults_of(text(settings, "method"));
  options.task = as_task(text(settings, "task"));
  options.n_components.clear();
  for (const double k : Rcpp::NumericVector(settings["k"])) {
    options.n_components.push_back(mdpd::as_index(k, 1.0, "k is at least 1"));
  }
  options.missing = mdpd::as_missing_cells(Rcpp::List(problem["coded"]));
  options.max_stages = count(control, "max_stages");
  options.em_steps = count(control, "em_steps");
  options.alpha = number(control, "alpha");
  options.split_step = number(control, "split_step");
  options.floor = number(control, "floor");
  const std::string refine = text(settings, "refine");
  options.refines = refine != "none";
  if (refine == "full") options.refine.type = mdpd::Refinement::kFull;
  if (refine == "sparse") {
    const bool is_by_bic = text(control, "criterion") == "bic";
    options.refine.type = is_by_bic ? mdpd::Refinement::kSparse : mdpd::Refinement::kEvidence;
  }
  // The floor protects the split of a young component; kept in EM it would stop the likelihood
  // short.
  options.refine.m_step.smoothing = number(control, "smoothing");
  options.refine.tol = number(control, "tol");
  options.refine.max_iter = count(control, "max_iter");
  options.polish = Rcpp::as<bool>(control["polish"]);
  options.smoothing_loss = number(control, "smoothing_loss");
  return options;
}

/// A posterior, or the parameters that give it.
mdpd::FitStart as_start(const Rcpp::List& start, const std::vector<mdpd::Index>& n_levels,
                        mdpd::Index n_labels) {
  const auto n_items = static_cast<mdpd::Index>(n_levels.size());
  mdpd::FitStart out;
  if (start.containsElementNamed("vote")) {
    out.is_vote = true;
  } else if (start.containsElementNamed("posterior")) {
    out.posterior = Rcpp::as<mdpd::Matrix>(start["posterior"]);
  } else {
    out.params = mdpd::as_parameters(n_levels, Rcpp::as<mdpd::Vector>(start["mixing_weights"]),
                                     start["item_probs"]);
  }
  if (start.containsElementNamed("informative")) {
    out.informative = mdpd::as_item_set(start["informative"], n_items);
  }
  if (start.containsElementNamed("item_prior")) {
    out.item_prior.weights = Rcpp::as<mdpd::Vector>(start["item_prior"]);
  }
  if (start.containsElementNamed("crowd_probs")) {
    out.item_prior.crowd = Rcpp::as<mdpd::Matrix>(start["crowd_probs"]);
  }
  if (start.containsElementNamed("pseudo_counts")) {
    out.item_prior.pseudo_counts = Rcpp::as<mdpd::Matrix>(start["pseudo_counts"]);
  }
  if (start.containsElementNamed("labels")) {
    out.labels = mdpd::as_item_set(start["labels"], n_labels);
  }
  if (start.containsElementNamed("n_levels")) {
    for (const int n : Rcpp::as<std::vector<int>>(start["n_levels"])) out.n_levels.push_back(n);
    mdpd::require(static_cast<mdpd::Index>(out.n_levels.size()) == n_items,
                  "a number of levels for each item");
  }
  return out;
}

/// From an R list made by `new_problem()`, what rows in memory and in shards have. Whether it fits
/// together require_parts() says.
void add_parts(const Rcpp::List& problem, const std::vector<mdpd::Index>& n_levels,
               mdpd::ProblemParts& out) {
  out.n_labels = Rf_xlength(problem["labels"]);
  if (!Rf_isNull(problem["prior_counts"])) {
    out.prior_counts = Rcpp::as<mdpd::Matrix>(problem["prior_counts"]);
  }
  for (const SEXP start : Rcpp::List(problem["starts"])) {
    out.starts.push_back(as_start(Rcpp::List(start), n_levels, out.n_labels));
  }
}

mdpd::Problem as_problem(const Rcpp::List& problem, double threads) {
  const Rcpp::List coded = problem["coded"];
  mdpd::Problem out;
  out.cells = mdpd::as_cells(coded);
  out.case_weights = mdpd::as_weights(coded);
  out.known = mdpd::as_known(problem["known"]);
  add_parts(problem, out.cells.n_levels, out);
  out.n_threads = mdpd::as_threads(threads);
  return out;
}

// What comes out ------------------------------------------------------------------------------------

const char* status_to_r(mdpd::Status status) {
  switch (status) {
    case mdpd::Status::kFewerComponents: return "fewer_components";
    case mdpd::Status::kConverged: return "converged";
    case mdpd::Status::kIterationLimit: return "iteration_limit";
    case mdpd::Status::kStageLimit: return "stage_limit";
  }
  return "unknown";
}

/// A search that was cut had come to a fit that converged.
const char* status_of(const mdpd::FitResult& result) {
  const bool has_converged = result.status == mdpd::Status::kConverged;
  return has_converged && result.search_was_cut ? "search_limit" : status_to_r(result.status);
}

const char* phase_to_r(mdpd::Phase phase) {
  switch (phase) {
    case mdpd::Phase::kStage: return "stage";
    case mdpd::Phase::kGrow: return "grow";
    case mdpd::Phase::kRefine: return "refine";
    case mdpd::Phase::kPolish: return "polish";
  }
  return "unknown";
}

Rcpp::String move_to_r(mdpd::Move move) {
  switch (move) {
    case mdpd::Move::kNone: return NA_STRING;
    case mdpd::Move::kSplit: return "split";
    case mdpd::Move::kSplitMerge: return "split-merge";
    case mdpd::Move::kMergeSplit: return "merge-split";
    case mdpd::Move::kItems: return "items";
    case mdpd::Move::kRow: return "row";
    case mdpd::Move::kSmoothing: return "smoothing";
    case mdpd::Move::kVote: return "vote";
    case mdpd::Move::kMajorities: return "majorities";
    case mdpd::Move::kPenalised: return "penalised";
    case mdpd::Move::kCorrespondence: return "correspondence";
    case mdpd::Move::kScattered: return "scattered";
  }
  return NA_STRING;
}

/// A column of a table.
template <class Column, class Rows, class Get>
Column column_of(const Rows& rows, Get get) {
  Column out(rows.size());
  std::transform(rows.begin(), rows.end(), out.begin(), get);
  return out;
}

Rcpp::List trace_to_r(const mdpd::Trace& trace) {
  using Row = mdpd::TraceRow;
  const auto counts = [&](mdpd::Index Row::*field) {
    return column_of<Rcpp::IntegerVector>(
        trace, [=](const Row& row) { return static_cast<int>(row.*field); });
  };
  const auto positions = [&](mdpd::Index Row::*field) {
    return column_of<Rcpp::IntegerVector>(
        trace, [=](const Row& row) { return mdpd::position_to_r(row.*field); });
  };
  const auto numbers = [&](double Row::*field) {
    return column_of<Rcpp::NumericVector>(
        trace, [=](const Row& row) { return std::isnan(row.*field) ? NA_REAL : row.*field; });
  };
  return Rcpp::List::create(
      _["phase"] = column_of<Rcpp::CharacterVector>(
          trace, [](const Row& row) { return phase_to_r(row.phase); }),
      _["move"] = column_of<Rcpp::CharacterVector>(
          trace, [](const Row& row) { return move_to_r(row.move); }),
      _["k"] = counts(&Row::n_components), _["item_1"] = positions(&Row::item_1),
      _["item_2"] = positions(&Row::item_2), _["component"] = positions(&Row::component),
      _["information"] = numbers(&Row::information), _["p_value"] = numbers(&Row::p_value),
      _["n_informative"] = counts(&Row::n_informative), _["loglik"] = numbers(&Row::loglik),
      _["loglik_all"] = numbers(&Row::loglik_all),
      _["penalised_loglik"] = numbers(&Row::penalised_loglik),
      _["evidence"] = numbers(&Row::evidence), _["split_length"] = numbers(&Row::split_length),
      _["merged_1"] = positions(&Row::merged_1), _["merged_2"] = positions(&Row::merged_2));
}

Rcpp::List result_to_r(const std::vector<mdpd::Index>& n_levels, const mdpd::FitResult& result) {
  const mdpd::MixtureFit& fit = result.fit;
  Rcpp::NumericVector concentrations(mdpd::n_concentrations);
  for (mdpd::Index at = 0; at < mdpd::n_concentrations; ++at) {
    concentrations[at] = mdpd::concentration(at);
  }
  // A list is created with at most 20 elements.
  Rcpp::List out = Rcpp::List::create(
      _["mixing_weights"] = fit.params.mixing_weights,
      _["item_probs"] = mdpd::item_probs_to_r(n_levels, fit.params),
      _["informative"] = mdpd::item_set_to_r(fit.informative),
      _["posterior"] = mdpd::Matrix(fit.e_step.posterior), _["loglik"] = fit.loglik,
      _["penalised_loglik"] = fit.penalised_loglik, _["evidence"] = fit.evidence,
      _["inclusion"] = result.inclusion, _["item_prior"] = fit.item_prior.weights,
      _["crowd_probs"] = mdpd::Matrix(fit.item_prior.crowd),
      _["item_shares"] = mdpd::Matrix(fit.item_evidence.shares),
      _["concentrations"] = concentrations, _["df"] = result.n_free_parameters,
      _["item_evidence"] = result.item_evidence, _["loglik_of_one"] = result.loglik_of_one,
      _["trace"] = trace_to_r(result.trace), _["status"] = status_of(result),
      _["smoothing"] = result.smoothing, _["born"] = mdpd::item_set_to_r(result.born),
      _["holds_known"] = result.holds_known);
  out["log_prob_of_known"] = result.log_prob_of_known;
  out["nobs"] = result.total_weight;
  out["entropy"] = result.entropy;
  out["modal"] = result.modal;
  out["pseudo_counts"] = mdpd::Matrix(fit.item_prior.pseudo_counts);
  out["labels"] = mdpd::item_set_to_r(result.labels);
  out["label_agreement"] = result.label_agreement;
  return out;
}

Rcpp::List starts_to_r(const std::vector<mdpd::StartRecord>& starts) {
  using Start = mdpd::StartRecord;
  return Rcpp::List::create(
      _["loglik"] =
          column_of<Rcpp::NumericVector>(starts, [](const Start& start) { return start.loglik; }),
      _["evidence"] =
          column_of<Rcpp::NumericVector>(starts, [](const Start& start) { return start.evidence; }),
      _["iterations"] = column_of<Rcpp::IntegerVector>(
          starts, [](const Start& start) { return static_cast<int>(start.n_iterations); }),
      _["status"] = column_of<Rcpp::CharacterVector>(
          starts, [](const Start& start) { return status_to_r(start.status); }));
}

Rcpp::List outcome_to_r(const std::vector<mdpd::Index>& n_levels, const mdpd::FitOutcome& outcome) {
  Rcpp::List fits(outcome.fits.size());
  for (std::size_t at = 0; at < outcome.fits.size(); ++at) {
    fits[at] = result_to_r(n_levels, outcome.fits[at]);
  }
  const mdpd::WorkDone& work = outcome.work;
  return Rcpp::List::create(
      _["fits"] = fits, _["starts"] = starts_to_r(outcome.starts),
      _["n_full_passes"] = static_cast<double>(work.n_full_passes),
      _["n_partial_passes"] = static_cast<double>(work.n_partial_passes),
      _["n_search_passes"] = static_cast<double>(work.n_search_passes),
      _["seconds"] = Rcpp::NumericVector::create(
          _["stages"] = work.stage_seconds, _["growth"] = work.growth_seconds,
          _["refinement"] = work.refinement_seconds, _["polish"] = work.polish_seconds));
}

// Of rows in a store ---------------------------------------------------------------------------------

const char* reading_to_r(mdpd::Reading reading) {
  switch (reading) {
    case mdpd::Reading::kWhole: return "whole";
    case mdpd::Reading::kKinds: return "kinds";
    case mdpd::Reading::kSample: return "sample";
    case mdpd::Reading::kNone: return "none";
  }
  return "unknown";
}

/// From an R list of the numbers of `row` and `label`.
std::map<mdpd::Index, mdpd::Index> known_before_of(const Rcpp::List& problem,
                                                   mdpd::Index n_labels) {
  std::map<mdpd::Index, mdpd::Index> out;
  if (Rf_isNull(problem["known_before"])) return out;
  const Rcpp::List known = problem["known_before"];
  const Rcpp::NumericVector row = known["row"];
  const mdpd::ItemSet label = mdpd::as_item_set(known["label"], n_labels);
  mdpd::require(row.size() == static_cast<R_xlen_t>(label.size()), "a label of each row");
  for (R_xlen_t at = 0; at < row.size(); ++at) {
    out[mdpd::as_index(row[at], 1.0, "a row is counted from 1") - 1] = label[at];
  }
  return out;
}

/// Rows of another class than before that are listed.
constexpr mdpd::Index most_listed = 10000;

/// Rows and classes are counted from 1.
Rcpp::List changed_to_r(const mdpd::ChangedRows& changed) {
  using Row = mdpd::ChangedRow;
  return Rcpp::List::create(
      _["n"] = static_cast<double>(changed.n),
      _["row"] = column_of<Rcpp::NumericVector>(
          changed.rows, [](const Row& row) { return static_cast<double>(row.row) + 1.0; }),
      _["from"] = column_of<Rcpp::IntegerVector>(
          changed.rows, [](const Row& row) { return mdpd::position_to_r(row.from); }),
      _["to"] = column_of<Rcpp::IntegerVector>(
          changed.rows, [](const Row& row) { return mdpd::position_to_r(row.to); }));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_defaults(const std::string& method) {
  const mdpd::FitOptions options = defaults_of(method);
  return Rcpp::List::create(
      _["criterion"] = options.refine.type == mdpd::Refinement::kEvidence ? "evidence" : "bic",
      _["polish"] = options.polish, _["max_stages"] = static_cast<double>(options.max_stages),
      _["em_steps"] = static_cast<double>(options.em_steps), _["alpha"] = options.alpha,
      _["split_step"] = options.split_step, _["floor"] = options.floor,
      _["smoothing"] = options.refine.m_step.smoothing,
      _["smoothing_loss"] = options.smoothing_loss, _["tol"] = options.refine.tol,
      _["max_iter"] = static_cast<double>(options.refine.max_iter),
      _["threads"] = mdpd::default_threads);
}

// The whole method: `problem` and `settings` are made by new_problem() and new_settings().
// [[Rcpp::export]]
Rcpp::List core_fit(const Rcpp::List& problem, const Rcpp::List& settings) {
  const mdpd::FitOptions options = as_options(settings, problem);
  const Rcpp::List control = settings["control"];
  mdpd::Problem in = as_problem(problem, number(control, "threads"));
  const std::vector<mdpd::Index> n_levels = in.cells.n_levels;
  mdpd::RMonitor monitor(Rcpp::as<bool>(settings["verbose"]));
  const mdpd::FitOutcome outcome = mdpd::fit_mixture(std::move(in), options, monitor);
  return outcome_to_r(n_levels, outcome);
}

// As core_fit(), but that the search has a sample of about `search_rows` rows, as that of rows in shards
// has.
// [[Rcpp::export]]
Rcpp::List core_fit_by_sample(const Rcpp::List& problem, const Rcpp::List& settings,
                              double search_rows) {
  const mdpd::FitOptions options = as_options(settings, problem);
  mdpd::Problem whole = as_problem(problem, number(Rcpp::List(settings["control"]), "threads"));
  mdpd::BlockedProblem in;
  in.n_levels = whole.cells.n_levels;
  in.n_labels = whole.n_labels;
  in.prior_counts = whole.prior_counts;
  in.n_threads = whole.n_threads;
  in.most_search_rows = static_cast<mdpd::Index>(search_rows);
  if (!whole.known.empty()) {
    in.held = mdpd::numbers_below(in.n_labels);
    in.known_weight = mdpd::known_weight(whole.known, whole.case_weights, in.n_labels);
  }
  mdpd::RMonitor monitor(Rcpp::as<bool>(settings["verbose"]));
  const mdpd::RowsInMemory source(whole.cells, whole.case_weights, std::move(whole.known));
  mdpd::BlockedRows rows(source, in.n_levels, in.n_threads,
                         std::numeric_limits<double>::infinity());
  mdpd::EngineHere engine(rows, monitor);
  mdpd::BlockedOutcome outcome = mdpd::fit_blocks(rows, in, options, engine, monitor);
  mdpd::add_posterior(rows, outcome);
  Rcpp::List out = outcome_to_r(in.n_levels, outcome);
  out["reading"] = reading_to_r(outcome.reading);
  out["n_search_rows"] = static_cast<double>(outcome.n_search_rows);
  return out;
}

// The method for rows in shards: `problem$coded` has the levels only, `files` the `path` and the
// `checksum` of each shard, `memory` the bytes of shards to keep; `ask` NULL: EM goes over the rows in
// this process, else see EngineInR. `problem$standing`: sums of rows that are in no shard of these, or
// NULL; `problem$held`: see held_of(); `problem$known_before`: rows held at the start, or NULL.
// [[Rcpp::export]]
Rcpp::List core_fit_shards(const Rcpp::List& problem, const Rcpp::List& settings,
                           const Rcpp::List& files, double search_rows, double memory,
                           Rcpp::Nullable<Rcpp::Function> ask) {
  const mdpd::FitOptions options = as_options(settings, problem);
  const Rcpp::List control = settings["control"];
  mdpd::BlockedProblem in;
  in.n_levels = mdpd::n_levels_of(problem["coded"]);
  add_parts(problem, in.n_levels, in);
  mdpd::RowTotals before;
  if (!Rf_isNull(problem["standing"])) {
    in.standing = mdpd::as_standing_sums(problem["standing"]);
    before = in.standing->rows;
    mdpd::require(before.level_weight.size() ==
                      std::accumulate(in.n_levels.begin(), in.n_levels.end(), mdpd::Index{0}),
                  "sums of the levels of the store");
  }
  in.held = mdpd::held_of(problem);
  if (!in.held.empty()) {
    in.known_weight = mdpd::amounts(Rcpp::as<mdpd::Vector>(problem["known_weight"]),
                                    "weights of known rows are finite and not negative");
  }
  in.known_before = known_before_of(problem, in.n_labels);
  in.most_listed = most_listed;
  in.n_threads = mdpd::as_threads(number(control, "threads"));
  in.most_search_rows = static_cast<mdpd::Index>(search_rows);
  mdpd::RMonitor monitor(Rcpp::as<bool>(settings["verbose"]));
  const mdpd::ShardFiles source(files, in.n_levels);
  mdpd::BlockedRows rows(source, in.n_levels, in.n_threads, memory, before);
  std::unique_ptr<mdpd::RowEngine> engine = std::make_unique<mdpd::EngineHere>(rows, monitor);
  if (ask.isNotNull()) {
    engine = std::make_unique<mdpd::EngineInR>(rows, Rcpp::Function(ask));
  }
  const mdpd::BlockedOutcome outcome = mdpd::fit_blocks(rows, in, options, *engine, monitor);
  Rcpp::List out = outcome_to_r(in.n_levels, outcome);
  out["reading"] = reading_to_r(outcome.reading);
  out["n_search_rows"] = static_cast<double>(outcome.n_search_rows);
  out["changed"] = changed_to_r(outcome.changed);
  Rcpp::List fits = out["fits"];
  for (std::size_t at = 0; at < outcome.sums.size(); ++at) {
    Rcpp::List fit = fits[at];
    fit["standing"] = mdpd::standing_sums_to_r(outcome.sums[at]);
    fits[at] = fit;
  }
  return out;
}
