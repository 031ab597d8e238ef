#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// What the bound that EM climbs gains, all parameters refitted, when a row is moved to a component
/// (n_obs x n_components, nats). EM counts a row where it is, so that a component in which one of
/// its answers is rare or new looks worse than it would be with the row in it: where counts are
/// small, rows stick. Cost O(answers to the informative items * n_components).
RowMatrix row_move_gains(const CodedData& data, const RowMatrix& posterior,
                         const ItemSet& informative);

}  // namespace mdpd
