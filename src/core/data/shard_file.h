#pragma once

#include <cstdint>
#include <string>

#include "data/coded_data.h"

namespace mdpd {

/// Some rows of a table of codes, as a file holds them: what `Cells` and case weights are of all.
/// Dense rows have no list of answers.
struct Shard : RowAnswers {
  Index n_obs = 0;
  Index n_items = 0;
  bool is_dense = true;
  std::vector<Code> codes = {};  ///< dense: n_obs x n_items, column-major; 0 = missing
  Vector case_weights = {};      ///< n_obs, finite and >= 0
  std::vector<Code> known = {};  ///< of a crowd: empty, or n_obs: the label, from 1, that a row is
                                 ///< known to have; 0 where that is not known
};

/// Answers of rows to items that they have answered already.
Index n_repeats(const Shard& shard);

/// Answers in all; of dense rows the cells that are not missing.
std::size_t n_answers(const Shard& shard);

/// Rows whose label is known.
Index n_known(const Shard& shard);

/// Of each row the label that is known, as a number from 0, or no_component; empty where none is.
std::vector<Index> known_labels(const Shard& shard);

/// A file of rows, as messages are, see base/bytes.h:
///
///     bytes  what
///     8      "MDPDROWS"
///     4      version of the format, 1
///     4      flags: 1 sparse, 2 case weights, 4 a row answers an item more than once, 8 labels
///            that are known
///     8      n_obs
///     8      n_items
///     8      number of answers
///            dense:   n_obs x n_items codes of a byte, column by column; 0 is missing
///            sparse:  per row its number of answers (4 bytes each), then the item of each answer
///                     (4 bytes, from 0, ascending in a row), then the code of each (1 byte)
///            weights: n_obs doubles; not there where all are 1
///            known:   n_obs codes of a byte; not there where no label is known
///     8      checksum of all bytes before
///
/// @return the checksum.
/// @throws DimensionError if sizes disagree; UnwritableFile.
std::uint64_t write_shard(const std::string& path, const Shard& shard);

/// Reads such a file and checks all of it. Sizes are compared with what is left of the file before
/// memory is asked for. Rows that were written before some items came have no answer to these.
///
/// @param n_levels          per item the levels that its codes may have.
/// @param expected_checksum what `write_shard()` returned.
/// @throws DamagedShard, whatever is wrong.
Shard read_shard(const std::string& path, const std::vector<Index>& n_levels,
                 std::uint64_t expected_checksum);

/// Of any file.
/// @throws DamagedShard if it cannot be read.
std::uint64_t checksum_of_file(const std::string& path);

}  // namespace mdpd
