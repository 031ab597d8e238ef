#pragma once

#include "growth/split_problem.h"

namespace mdpd {

/// The rows that count for a split, by their cell in the two-way table of the pair: what
/// the search for a length reads again and again.
struct SplitRows {
  Index n_rows = 0;  ///< cells of the table, with the missing level in front
  Index n_cols = 0;
  std::vector<std::size_t> first_quad;  ///< n_rows x n_cols + 1: where a cell's rows begin
  /// Quads of rows: of each its total weight, then its weight in every component. The last quad of a
  /// cell may have rows without weight.
  std::vector<double> quads;
};

/// Cost O(n_obs * n_components), and as much memory.
SplitRows sort_rows(const SplitProblem& problem);

/// The exact objective after the two copies have moved by +d and -d, see `split_objective()`.
double objective_of_rows(const SplitProblem& problem, const SplitRows& rows, const Vector& d);

}  // namespace mdpd
