#pragma once

#include "fixed_point.h"
#include "indicators.h"
#include "lanes.h"

namespace mdpd {

inline constexpr Index rows_of_quad = 4;
/// Rows of a run at most: 128 quads, of which sums of bytes stay below 2^15.
inline constexpr Index rows_of_run = 512;

/// A few rows of which the same is to be added to several sums.
struct RowRun {
  const std::uint32_t* rows = nullptr;
  Index n_rows = 0;                        ///< 1 to rows_of_run
  const std::uint8_t* bits = nullptr;      ///< of a tile, row by row
  Index n_bytes = 0;                       ///< of a row
  const std::uint16_t* weights = nullptr;  ///< rows x weight_stride, below 2^14
  Index n_weights = 0;
  Index weight_stride = 0;  ///< a multiple of digits_of_vector
};

/// 32-bit sums of weights over rows for blocks of a tile's columns.
struct BlockSums {
  Index first_block = 0;
  Index n_blocks = 0;
  /// Targets x blocks x weights x columns_of_block, see place_in_block.
  std::int32_t* sums = nullptr;
};

/// Where a block keeps the sum of each of its columns: as wide registers unpack bytes.
inline constexpr int place_in_block[columns_of_block] = {0,  16, 1,  17, 2,  18, 3,  19, 8,  24, 9,
                                                         25, 10, 26, 11, 27, 4,  20, 5,  21, 6,  22,
                                                         7,  23, 12, 28, 13, 29, 14, 30, 15, 31};

/// What one thread works with.
struct RunBuffers {
  std::vector<std::uint8_t> patterns;  ///< blocks x quads x columns: which rows of the quad have it
  std::vector<std::uint8_t> tables;    ///< weights x quads: the sums of all subsets of the rows
  std::vector<std::uint32_t> rows;     ///< whole quads, the last of which may repeat rows
};

/// Adds the weights of the run's rows to the sums of each column that the row has, in each of the
/// targets, which are given by where in `to.sums` they begin: the method of the four Russians. Four
/// rows have 16 subsets; the sums of their weights make a small table, and a column looks up the
/// one of its four bits. With wide registers a table is two of them, low bytes and high, and an
/// instruction looks up 32 columns.
/// Cost O(n_rows / 4 * blocks * n_weights) steps of 32 columns.
void add_run(const RowRun& run, const BlockSums& to, const Index* targets, Index n_targets,
             RunBuffers& buffers, Instructions instructions);

}  // namespace mdpd
