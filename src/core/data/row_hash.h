#pragma once

#include "data/make_data.h"
#include "data/shard_file.h"

namespace mdpd {

/// One number of 64 bits for all rows: their answers, case weights and known components. It is the
/// same in any order of the rows and for dense and sparse cells, and those of parts add up (modulo
/// 2^64) to that of the whole. A row counts as often as it is there. Zobrist (1970) hashes positions
/// of games in this way: a number for each cell, and their sum.
///
/// @param known  the component that each row is known to belong to, -1 where it is not; or none.
/// @param absent per item a code that stands for a missing cell, 0 where there is none; or none.
/// @throws DimensionError if sizes disagree.
std::uint64_t hash_rows(const Cells& cells, const Vector& case_weights,
                        const std::vector<Index>& known = {}, const std::vector<Code>& absent = {});

/// Of the rows of a shard; labels that are known count as components of their number.
std::uint64_t hash_rows(Shard shard);

}  // namespace mdpd
