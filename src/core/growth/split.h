#pragma once

#include "growth/split_objective.h"
#include "model/refine.h"
#include "pairs/search.h"

namespace mdpd {

/// Hessian of the objective in d at d = 0, (levels of i + levels of j) square, by one pass over the
/// rows (the closed form of vignette("method"), checked there against numerical derivatives).
Matrix split_hessian(const SplitProblem& problem);

struct SplitDirection {
  Vector d;                ///< unit vector; both blocks sum to zero
  double curvature = 0.0;  ///< smallest eigenvalue; splitting helps only where it is negative
};

/// Eigenvector of the smallest eigenvalue on the subspace where both blocks sum to zero, in an
/// orthonormal basis of it, so that the result does not depend on how levels are coded.
SplitDirection split_direction(const SplitProblem& problem);

/// Length of the longest move along d that keeps both copies at or above 0 in every level.
double longest_step(const SplitProblem& problem, const Vector& d);

/// The length in (0, longest] with the smallest exact objective: a grid, then golden section.
double best_step(const SplitProblem& problem, const Vector& d, double longest);

/// Duplicates the component (the copy comes last, both at half the weight) and moves the copies
/// apart by +d and -d.
MixtureParameters split_component(const MixtureParameters& params, const SplitProblem& problem,
                                  const Vector& d);

struct Split {
  MixtureParameters params;  ///< one component more, the copy last; when length is 0 no more, but
                             ///< kept away from zero
  double length = 0.0;       ///< Euclidean length of the move d; 0: the Hessian has no negative
                             ///< eigenvalue, there is nothing to gain
};

/// The whole split: direction, length and the new parameters, with probabilities kept away from
/// zero before (the split divides by them) and after (EM could not leave the edge of the simplex
/// again).
/// @param informative the items of the posterior, both items of the pair among them.
/// @param step Euclidean length of the move on each of the two items; 0: by search.
Split split_at_pair(const CodedData& data, MixtureParameters params, const ItemSet& informative,
                    const PairChoice& pair, double step, MissingCells missing);

/// The items, and those of the pair.
ItemSet with_pair(ItemSet items, const PairChoice& pair);

/// Splits the pair's component of a model whose informative items are `informative`, as a start of
/// EM; its posterior is empty when nothing can be split.
MixtureFit split_start(const CodedData& data, const MixtureParameters& params,
                       const ItemSet& informative, const PairChoice& pair, MissingCells missing);

}  // namespace mdpd
