#pragma once

#include "data/blocked_rows.h"
#include "fit/fit.h"
#include "model/row_pass.h"

namespace mdpd {

/// What is to be fitted to more rows than memory holds.
struct BlockedProblem {
  std::vector<Index> n_levels;        ///< per item
  Index n_labels = 0;                 ///< see Problem
  RowMatrix prior_counts = {};        ///< likewise
  std::vector<FitStart> starts = {};  ///< parameters to go on from, at most one; none: growth
  Index most_search_rows = 131072;    ///< see `fit_blocks()`
  int n_threads = 1;
};

/// How the rows came in.
enum class Reading {
  kWhole,   ///< all of them
  kKinds,   ///< one of each kind, with the weight of all
  kSample,  ///< the search had a sample of them; EM all
  kNone     ///< there was no search
};

struct BlockedOutcome : FitOutcome {
  Reading reading = Reading::kWhole;
  Index n_search_rows = 0;  ///< rows, or kinds of them, that the search had
};

/// EM in this process.
class EngineHere : public RowEngine {
 public:
  EngineHere(const BlockedRows& rows, Monitor& monitor) : rows_(rows), monitor_(monitor) {}
  RowPass pass(const RowPoint& at, int depth) override;
  std::vector<ExactSum> reliance(const RowPoint& at, const ItemSet& items) override;

 private:
  const BlockedRows& rows_;
  Monitor& monitor_;
};

/// The method for rows that come in blocks.
///
/// Where they are few, or at most half of them and few are different, all of them, or one of each
/// kind, are taken into memory for `fit_mixture()`: few are `most_search_rows`. Else the number of
/// components and where EM starts are searched for in a sample of about as many rows, by
/// `fit_mixture()` as well; then EM goes over all rows, whose sums are all that is kept of them. Which
/// rows are in the sample depends on their places only.
///
/// Evidence, log-likelihood, parameters and inclusion are of all rows, without the posterior of any.
/// The results do not depend on how the rows are cut into blocks, nor on the engine, and with
/// `most_search_rows` rows or less they are those of `fit_mixture()`.
/// @throws DimensionError if the parts of the problem do not fit together.
BlockedOutcome fit_blocks(const BlockedRows& rows, const BlockedProblem& problem,
                          const FitOptions& options, RowEngine& engine, Monitor& monitor);

}  // namespace mdpd
