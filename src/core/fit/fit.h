#pragma once

#include "base/monitor.h"
#include "fit/fit_result.h"
#include "fit/problem.h"
#include "fit/work_done.h"
#include "growth/options.h"

namespace mdpd {

/// One run of EM from a start.
struct StartRecord {
  double loglik = 0.0;
  double evidence = TraceRow::not_known;  ///< by evidence
  Index n_iterations = 0;
  Status status = Status::kConverged;
};

struct FitOutcome {
  std::vector<FitResult> fits;      ///< one for each number of components asked for
  std::vector<StartRecord> starts;  ///< one for each start
  WorkDone work;
};

/// The whole method, and the only door to it: what R calls once a fit, and what a user of the core
/// in plain C++ calls.
///
/// Growth: the stages of `stagewise_em()`; refinement; polish and smoothing. Where they are worth
/// their time other starts are tried, and the better end stays: the majority vote of a crowd, by BIC
/// where a split was by chance; by evidence clusters of the rows; and growth from one component by
/// the best of all splits. Where a path is fitted, each number of components is fitted both from one
/// component and by splitting the fit before it. By evidence, more components than a crowd has labels
/// are kinds of the items of a label: they are split off the fit with one component a label. Last,
/// known rows are held where there is one component a label.
///
/// The coded data are built once. Nothing depends on the number of threads or the order of the rows.
/// @throws DimensionError if the parts of the problem do not fit together.
FitOutcome fit_mixture(Problem problem, const FitOptions& options, Monitor& monitor);

}  // namespace mdpd
