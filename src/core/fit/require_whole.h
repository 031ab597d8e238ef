#pragma once

#include "fit/problem.h"
#include "growth/options.h"

namespace mdpd {

/// @throws DimensionError as below.
void require_parts(const std::vector<Index>& n_levels, const ProblemParts& parts,
                   const FitOptions& options);

/// What can be told of a problem before its cells are coded.
/// @throws DimensionError if the parts of the problem do not fit together, or a number is none that
///   it can be.
void require_whole(const Problem& problem, const FitOptions& options);

/// @throws DimensionError if no row with a weight answers an item: nothing can be estimated of it.
void require_answers(const CodedData& data);

}  // namespace mdpd
