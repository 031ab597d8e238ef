#pragma once

#include "data/make_data.h"
#include "model/evidence.h"
#include "model/parameters.h"

namespace mdpd {

/// Where EM begins.
struct FitStart {
  RowMatrix posterior = {};        ///< n_obs x n_components, rows sum to 1; empty where
  MixtureParameters params = {};   ///< these give it, by all items
  ItemSet informative = {};        ///< in it, in the order they joined; for a sparse refinement
  std::vector<Index> labels = {};  ///< of a crowd, of each component, which are more than labels
  ItemPrior item_prior = {};       ///< by evidence, to go on with; but for rows in blocks without
                                   ///< pseudo-counts
  /// Of each item the levels it was estimated from, the first; empty: all. Others have no difference
  /// between components.
  std::vector<Index> n_levels = {};
  bool is_vote = false;  ///< by evidence, instead: the vote of a crowd alike, see `crowd_start()`
};

/// What a problem has wherever its rows come from.
struct ProblemParts {
  Index n_labels = 0;           ///< of a crowd: every item's first levels are these labels, and
                                ///< component i of as many stands for label i; else 0
  RowMatrix prior_counts = {};  ///< see MStepOptions
  std::vector<FitStart> starts = {};  ///< none: growth from one component
  int n_threads = 1;
};

/// What is to be fitted. Codes that are dense belong to the caller.
struct Problem : ProblemParts {
  Cells cells = {};
  Vector case_weights = {};       ///< n_obs, >= 0
  std::vector<Index> known = {};  ///< empty, or n_obs: see CodedData. Growth holds these rows once
                                  ///< it has come to one component a label
};

}  // namespace mdpd
