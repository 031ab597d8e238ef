#pragma once

#include "data/make_data.h"
#include "data/shard_file.h"

namespace mdpd {

// Rows of which nothing is known, neither an answer nor the component, are in no component. They weigh
// nothing: no sum over the rows counts them, nor does the number of rows in a criterion.

/// @param known of each row its component or no_component; or empty.
void weigh_no_empty_rows(const Cells& cells, const std::vector<Index>& known, Vector& case_weights);

void weigh_no_empty_rows(Shard& shard);

}  // namespace mdpd
