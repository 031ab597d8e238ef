#pragma once

#include "growth/polish.h"

namespace mdpd {

/// How a fit ended; the first that holds.
enum class FitStatus {
  kFewerComponents,  ///< than asked for
  kConverged,
  kIterationLimit,  ///< of the refinement
  kStageLimit       ///< there was no refinement, and the stages did all they may
};

/// A fit of all rows, with how it came about.
struct FitResult {
  MixtureFit fit;
  Trace trace;
  FitStatus status = FitStatus::kConverged;
  double smoothing = 0.0;        ///< pseudo-count of an item in a component in the last estimate
  std::vector<Index> born = {};  ///< of each component its number in the trace; empty: the same
  bool holds_known = false;      ///< were known rows held?
  double loglik_of_one = 0.0;    ///< log-likelihood of one component (nats)
  double n_free_parameters = 0.0;
  Vector item_evidence = {};  ///< see `item_evidence()`
};

/// One run of EM from a start.
struct StartRecord {
  double loglik = 0.0;
  Index n_iterations = 0;
  FitStatus status = FitStatus::kConverged;
};

/// How often the dear things were done, and what took how long.
struct WorkDone {
  Index n_builds = 0;       ///< of the coded data
  Index n_full_passes = 0;  ///< of the stages over all pairs of items; see StagewiseResult
  Index n_partial_passes = 0;
  double stage_seconds = 0.0;
  double growth_seconds = 0.0;  ///< from fits with one component less
  double refinement_seconds = 0.0;
  double polish_seconds = 0.0;  ///< with smoothing
};

struct FitOutcome {
  std::vector<FitResult> fits;      ///< one for each number of components asked for
  std::vector<StartRecord> starts;  ///< of plain EM, one for each start
  WorkDone work;
};

}  // namespace mdpd
