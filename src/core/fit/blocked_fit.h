#pragma once

#include <optional>

#include "data/blocked_rows.h"
#include "fit/decisions.h"
#include "fit/fit.h"
#include "model/row_task.h"
#include "model/standing_sums.h"

namespace mdpd {

/// What is to be fitted to more rows than memory holds. It has one start at most, of parameters.
struct BlockedProblem : ProblemParts {
  std::vector<Index> n_levels = {};  ///< per item
  Index most_search_rows = 131072;   ///< see `fit_blocks()`
  /// Of rows that are in no block, with a start: EM goes on with these sums as they are.
  std::optional<StandingSums> standing = {};
  Index most_listed = 0;  ///< rows of another class than at the start that are listed
  /// Of a crowd with one component a label: see `BlockedRows::held()`. Growth brings component i to
  /// label i.
  std::vector<Index> held = {};
  Vector known_weight = {};  ///< likewise of each label, of all rows that are known to have it
  std::map<Index, Index> known_before = {};  ///< rows in blocks that were held at the start, by
                                             ///< number, with their labels
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
  Index n_search_rows = 0;              ///< rows, or kinds of them, that the search had
  std::vector<StandingSums> sums = {};  ///< of all rows, at each fit
  ChangedRows changed = {};             ///< of the rows in blocks, where there was a start
};

/// EM in this process.
class EngineHere : public RowEngine {
 public:
  EngineHere(const BlockedRows& rows, Monitor& monitor) : rows_(rows), monitor_(monitor) {}
  RowSums answer(const RowTask& task) override;

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
/// Known labels are held from where the search ended, in EM over all rows, or by `fit_mixture()`.
///
/// From a start EM goes over the rows in blocks, with the sums of the rows that stand: then the
/// log-likelihood counts these by its lower bound, and so do evidence and penalised log-likelihood.
///
/// Evidence, log-likelihood, parameters and inclusion are of all rows, without the posterior of any.
/// The results do not depend on how the rows are cut into blocks, nor on the engine, and with
/// `most_search_rows` rows or less they are those of `fit_mixture()`.
///
/// @param rows from there on they hold what is known.
/// @throws DimensionError if the parts of the problem do not fit together.
BlockedOutcome fit_blocks(BlockedRows& rows, const BlockedProblem& problem,
                          const FitOptions& options, RowEngine& engine, Monitor& monitor);

/// The posterior of all rows at the fits of them, for rows that are in memory after all.
void add_posterior(const BlockedRows& rows, BlockedOutcome& outcome);

/// The sums of all rows at a point, for EM that goes on without them.
/// @param relied items whose reliance is asked for.
/// @param by how it goes on: without a prior rare levels count.
StandingSums sums_of_rows(const BlockedRows& rows, const RowPoint& at, const ItemSet& relied,
                          Refinement by, RowEngine& engine);

/// By how much the log-likelihood of some rows at a point is above its bound by their sums: what going
/// over them once would gain at once (nats, >= 0).
double gain_of_round(const BlockedRows& rows, const StandingSums& sums, const RowPoint& at,
                     RowEngine& engine);

}  // namespace mdpd
