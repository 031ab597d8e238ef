// Hands `fit_blocks()` problems made of the fuzzer's bytes, with their rows in blocks. Either a door
// says DimensionError, or the fit is one, the same however the rows are cut and, where the search has
// all of them, that of `fit_mixture()`. Built and run by tools/fuzz-core.

#include "data/rows_in_memory.h"
#include "fit/blocked_fit.h"
#include "problems.h"

namespace mdpd {

namespace {

BlockedOutcome fit_cut(const Problem& problem, const FitOptions& options, Index most_search_rows,
                       Index rows_of_block) {
  const RowsInMemory source(problem.cells, problem.case_weights, problem.known, rows_of_block);
  BlockedRows rows(source, problem.cells.n_levels, 1, 0.0);
  BlockedProblem blocked;
  blocked.n_levels = problem.cells.n_levels;
  blocked.n_labels = problem.n_labels;
  blocked.prior_counts = problem.prior_counts;
  blocked.starts = problem.starts;
  blocked.most_search_rows = most_search_rows;
  if (!problem.known.empty()) {
    for (Index label = 0; label < problem.n_labels; ++label) blocked.held.push_back(label);
    blocked.known_weight = Vector::Ones(problem.n_labels);
  }
  Monitor monitor;
  EngineHere engine(rows, monitor);
  BlockedOutcome outcome = fit_blocks(rows, blocked, options, engine, monitor);
  add_posterior(rows, outcome);
  return outcome;
}

void try_blocks(Input in) {
  std::vector<Code> codes;
  const Index k = 1 + in.below(4);
  FitOptions options = options_of(in, k);
  Problem problem = problem_of(in, codes, k);
  const bool goes_on = in.below(4) == 0;
  options.task = goes_on ? Task::kContinue : Task::kGrow;
  if (goes_on) problem.starts.push_back(start_of(in, problem.cells, k, problem.n_labels));
  const Index most_search_rows = in.flag() ? 1 + in.below(12) : 100;
  const Index rows_of_block = 1 + in.below(12);
  BlockedOutcome outcome;
  try {
    outcome = fit_cut(problem, options, most_search_rows, rows_of_block);
  } catch (const DimensionError&) {
    return;
  }
  for (const FitResult& result : outcome.fits) must_be_fit(result, problem);
  must_be_same(outcome, fit_cut(problem, options, most_search_rows, 100), "cuts do not matter");
  // Prior counts are of EM over all rows, which a search in blocks does not have.
  const bool has_others = !problem.known.empty() || problem.prior_counts.size() > 0;
  if (goes_on || has_others || most_search_rows < problem.cells.n_obs) return;
  Monitor monitor;
  must_be_same(outcome, fit_mixture(problem, options, monitor), "blocks have the fit of all rows");
}

}  // namespace

}  // namespace mdpd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
  mdpd::try_blocks({bytes, n});
  return 0;
}
