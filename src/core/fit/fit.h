#pragma once

#include "base/monitor.h"
#include "fit/options.h"
#include "fit/problem.h"
#include "fit/result.h"

namespace mdpd {

/// The whole method, and the only door to it: what R calls once a fit, and what a user of the core
/// in plain C++ calls.
///
/// Growth: the stages of `stagewise_em()`; refinement; polish and smoothing. By evidence two more
/// starts are tried where they are worth their time, and the better end stays: the majority vote of
/// a crowd of which a split was by chance, and growth from one component by the best of all splits.
/// With several numbers of components each is fitted both from one component and by splitting the
/// fit before it. Last, known rows are held where there is one component a label.
///
/// The coded data are built once. Nothing depends on the number of threads or the order of the rows.
/// @throws DimensionError if the parts of the problem do not fit together.
FitOutcome fit_mixture(Problem problem, const FitOptions& options, Monitor& monitor);

}  // namespace mdpd
