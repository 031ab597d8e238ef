#pragma once

#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

/// Turns `n` rows of log-joint probabilities (n x n_components, row-major) into posteriors in place,
/// and gives the logarithm of what they were divided by. Of a row only its own numbers count, to the
/// last bit. At least one number of a row is finite; others may be -infinity.
void normalise_log_rows(double* rows, Index n, Index n_components, double* row_loglik,
                        Instructions instructions = widest_instructions());

}  // namespace mdpd
