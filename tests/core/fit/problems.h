#pragma once

// Problems for the tests of a fit.

#include "by_bic.h"
#include "fit/fit.h"
#include "random_data.h"

namespace mdpd {

/// What a table asks to be fitted, from one component; it must not outlive the table.
inline Problem problem_of(const Table& table) {
  Problem problem;
  problem.cells.n_obs = table.data.n_obs;
  problem.cells.n_levels = table.data.n_levels;
  problem.cells.codes = table.codes.data();
  problem.case_weights = table.data.case_weights;
  return problem;
}

/// The same with only the answers given: equal rows are computed with one by one.
inline Problem sparse_problem_of(const Table& table) {
  Problem problem = problem_of(table);
  const CodedData copy = sparse_copy(table.data);
  const SparseCodes& sparse = std::get<SparseCodes>(copy.codes);
  problem.cells.codes = nullptr;
  static_cast<RowAnswers&>(problem.cells) = sparse;
  return problem;
}

/// 400 rows of four items, of which at most 36 are different, some in cells that are missing.
inline Table repeating_table(std::uint64_t seed, bool weighted) {
  Random random(seed);
  const std::vector<Index> n_levels = {2, 3, 2, 3};
  const MixtureParameters truth = planted_mixture(random, n_levels, 4, 0.8);
  return draw_table(random, truth, {400, n_levels, 0.05, weighted});
}

/// Known components of every `step`-th row, the others unknown.
inline std::vector<Index> every(Index step, std::vector<Index> components) {
  for (std::size_t n = 0; n < components.size(); ++n) {
    if (static_cast<Index>(n) % step != 0) components[n] = no_component;
  }
  return components;
}

inline FitOptions robust_fit_of(std::vector<Index> n_components) {
  FitOptions options = by_bic();
  options.n_components = std::move(n_components);
  return options;
}

/// Plain EM from the starts of a problem.
inline FitOptions em() {
  FitOptions options = paper_fit();
  options.task = Task::kEm;
  options.refine.type = Refinement::kFull;
  return options;
}

inline FitOutcome fit_all(const Problem& problem, const FitOptions& options) {
  Monitor monitor;
  return fit_mixture(problem, options, monitor);
}

inline FitResult fit_one(const Problem& problem, const FitOptions& options) {
  return fit_all(problem, options).fits.front();
}

}  // namespace mdpd
