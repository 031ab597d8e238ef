#pragma once

#include <optional>

#include "fit/result.h"

namespace mdpd {

/// Everything a refinement is made with.
struct RefinementPlan {
  TrialOptions trials;
  bool polish = true;
  double smoothing_loss = 0.0;
};

/// A fit on its way: the result, but for what is said of all rows.
struct Refined {
  FitResult result;
  std::optional<MixtureFit> optimum;  ///< at which a polish ended, before it was smoothed
};

/// @param n_asked components that EM began with.
FitStatus status_of(Status status, Index n_asked);

void append(const Trace& more, Trace& trace);

/// Refinement alone. Of one component no item is informative, whatever the type.
/// @param informative the items that are so in the posterior.
Refined refine_from(const CodedData& data, const RowMatrix& posterior, const ItemSet& informative,
                    const RefinementPlan& plan, Monitor& monitor);

/// Polish and smoothing of what was refined, if there is anything to polish: it converged with two
/// components or more, and no row is held.
void polish_further(const CodedData& data, const RefinementPlan& plan, Monitor& monitor,
                    Refined& refined);

/// Is the second so much more than the first that it is not the same optimum?
bool is_better(const FitResult& second, const FitResult& first);

/// Did EM come to the same optimum twice? Of one it stops within a few times its tolerance of the
/// penalised log-likelihood, at the same items and, but for the order of the components, at the
/// same rows in each.
bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     double tol);

}  // namespace mdpd
