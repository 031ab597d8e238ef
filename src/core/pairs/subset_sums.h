#pragma once

#include "base/aligned_array.h"
#include "base/lanes.h"
#include "data/indicators.h"
#include "pairs/fixed_point.h"

namespace mdpd {

inline constexpr Index rows_of_quad = 4;
/// Quads of a stretch at most: sums of as many bytes fit into 16 bits. Not 256: what is kept for
/// each of several blocks or weights would begin at the same place in every page, which the
/// first-level cache keeps few of.
inline constexpr Index quads_of_stretch = 254;
/// Quads whose rows are fetched before they are read.
inline constexpr Index quads_ahead = 8;

/// Where a target's rows end or begin: after `n_quads` more quads, what was added up since the
/// start of the stretch is added to the next `n_closed` targets, and taken from the `n_opened` after
/// them.
struct SumStep {
  std::int32_t n_quads = 0;
  std::int32_t n_closed = 0;
  std::int32_t n_opened = 0;
};

/// Rows of which some are to be added to one target, some to another, in runs of whole quads.
/// A target that is closed without having been opened has all rows from the start.
struct RowStretch {
  const std::uint32_t* rows = nullptr;  ///< (n_quads + quads_ahead) x rows_of_quad
  Index n_quads = 0;                    ///< 1 to quads_of_stretch
  std::vector<SumStep> steps;
  std::vector<std::int32_t> changes;  ///< of all steps: places in `targets`
  std::vector<std::int32_t> targets;  ///< the number of each, see TargetSums
  bool ends_block = false;            ///< whether the next rows are of another block, if any
};

/// What there is of each row.
struct RowTable {
  const std::uint8_t* bits = nullptr;      ///< of a tile, row by row
  Index n_bytes = 0;                       ///< of a row
  const std::uint16_t* weights = nullptr;  ///< rows x weight_stride, below 2^14
  Index n_weights = 0;
  Index weight_stride = 0;  ///< a multiple of limbs_of_vector
};

/// Sums of weights over rows for blocks of a tile's columns.
struct TargetSums {
  Index first_block = 0;
  Index n_blocks = 0;
  /// Targets x blocks x weights x columns_of_block, see column_at_place.
  std::int32_t* sums = nullptr;
  double* all_rows = nullptr;  ///< targets x weights: of a column of ones; null if not wanted
};

/// Column whose sum a block keeps in each place: as wide registers unpack bytes.
inline constexpr int column_at_place[columns_of_block] = {
    0, 2, 4, 6, 16, 18, 20, 22, 8, 10, 12, 14, 24, 26, 28, 30,
    1, 3, 5, 7, 17, 19, 21, 23, 9, 11, 13, 15, 25, 27, 29, 31};

/// What one thread works with.
struct StretchBuffers {
  AlignedArray<std::uint8_t> patterns;  ///< blocks x quads x columns: which rows have the column
  AlignedArray<std::uint8_t> tables;    ///< weights x quads: the sums of all subsets of the rows
  AlignedArray<std::uint8_t> got;       ///< targets: what a stretch gives to each
  AlignedArray<std::int32_t> running;  ///< quads x weight_stride: sums of all rows up to the quad's
};

/// Adds the weights of a stretch's rows to the sums of each column that the row has, in each of the
/// targets that the row belongs to: the method of the four Russians. Four rows have 16 subsets; the
/// sums of their weights make a small table, and a column looks up the one of its four bits. With
/// wide registers a table is two of them, low bytes and high, and an instruction looks up 32
/// columns. One sum runs through the stretch, and a target takes the difference of it between two
/// places: rows sorted by the code of several items change few targets from one code to the next.
/// Cost O(n_quads * blocks * n_weights) steps of 32 columns, and as many of each change.
void add_stretch(const RowTable& table, const RowStretch& stretch, const TargetSums& to,
                 StretchBuffers& buffers, Instructions instructions);

}  // namespace mdpd
