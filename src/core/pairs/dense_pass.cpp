#include "pairs/dense_pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/scatter.h"
#include "data/indicators.h"
#include "data/packed_items.h"
#include "pairs/dependence.h"
#include "pairs/row_stretches.h"
#include "pairs/subset_sums.h"

namespace mdpd {

namespace {

/// Rows of a level of a row pack that are worth one more item in it, levels of one at least and at
/// most: measured from 100 to 200,000 rows.
constexpr Index rows_per_level = 20;
constexpr Index least_levels_of_row_pack = 8;
constexpr Index most_levels_of_row_pack = 1024;
/// Elementary operations in which the subset of a quad in a block of columns is looked up and added.
constexpr double operations_per_step = 12.0;

/// What all threads read.
struct Pass {
  const CodedData& data;
  const Indicators& indicators;
  MissingCells missing;
  Instructions instructions;
  Index stride = 0;  ///< doubles of one cell of a table
  FixedWeights weights = {};
  std::vector<double> units = {};    ///< limbs x stride: the weight of 1 in that limb
  std::vector<Pack> row_packs = {};  ///< the rows are sorted by the codes of one of these
  bool is_complete = false;          ///< whether all rows count in every pair
  /// Of each tile the first output cell of each item, and their number.
  std::vector<std::vector<Index>> first_output = {};
};

/// Levels of an item that enter.
inline Index n_outputs(const Pass& pass, Index item) {
  return n_digits(pass.data, item) - first_digit(pass.data, item, pass.missing);
}

// Planning ----------------------------------------------------------------------------------------

/// A tile's items above the first one of a row pack, and the blocks of their columns.
struct Part {
  bool is_empty = true;  ///< whether there are no such items
  Index first_block = 0;
  Index n_blocks = 0;
};

Part part_for(const Pack& pack, const IndicatorTile& tile) {
  Part part;
  const Index first_item = std::max(pack.first_item + 1, tile.first_item);
  if (first_item >= tile.last_item) return part;
  part.is_empty = false;
  part.first_block = tile.first_column[first_item - tile.first_item] / columns_of_block;
  part.n_blocks = (tile.n_columns + columns_of_block - 1) / columns_of_block - part.first_block;
  return part;
}

Pass plan_pass(const CodedData& data, const RowMatrix& row_weights, const PassOptions& options) {
  Pass pass{data, indicators_of(data), options.missing, options.instructions};
  pass.stride = padded_columns(row_weights.cols());
  pass.weights = fix_weights(row_weights, options.precision);
  for (int limb = 0; limb < pass.weights.n_limbs; ++limb) {
    for (Index k = 0; k < pass.stride; ++k) {
      const bool is_padding = k >= row_weights.cols();
      const double unit = is_padding ? 0.0 : pass.weights.unit[k];
      pass.units.push_back(std::ldexp(unit, limb * bits_of_limb));
    }
  }
  pass.is_complete = is_complete(data, options.missing);
  const Index n_levels = least_levels_of_row_pack + data.n_obs / rows_per_level;
  pass.row_packs = pack_items(data, std::min(n_levels, most_levels_of_row_pack));
  for (const IndicatorTile& tile : pass.indicators.tiles) {
    std::vector<Index> first(1, 0);
    for (Index item = tile.first_item; item < tile.last_item; ++item) {
      first.push_back(first.back() + n_outputs(pass, item));
    }
    pass.first_output.push_back(std::move(first));
  }
  return pass;
}

// One pack of rows --------------------------------------------------------------------------------

/// What one thread works with.
struct Workspace {
  int worker = 0;
  RowStretches rows;  ///< of the row pack
  StretchBuffers buffers;
  std::vector<std::int64_t> row_sums;  ///< of all rows of each target: see TargetSums
  AlignedArray<std::int32_t> sums;     ///< of one block of rows; see BlockSums
  std::vector<std::int64_t> totals;    ///< of all blocks, where there are several
  AlignedDoubles level;                ///< the sums of one level; see unpack_level()
  AlignedDoubles all_rows;             ///< limbs x stride: the weights of the level's rows
  AlignedDoubles outputs;              ///< levels of one item x output cells
  AlignedDoubles columns;              ///< sums over the item's levels of the above
  AlignedDoubles terms;    ///< sum of x log x over the cells of a column, less that of the column
  AlignedDoubles margins;  ///< (levels + 1) x pairs: row sums of the table of each pair, its weight
  AlignedDoubles dependence;
  AlignedDoubles row_terms;  ///< of each pair, or of all
  std::vector<double> df;
  // Of the columns of the later items, where they are the same for all items of a pack:
  Index first_met = -1;              ///< the first of these items; -1 if there is nothing yet
  Index first_logged = 0;            ///< its first output cell
  AlignedDoubles logs;               ///< x log x of the columns' sums
  std::vector<double> free_columns;  ///< of each item, the levels that carry weight, less one
};

/// Sums of one level of a row pack's item.
Index size_of_level_in(const Pass& pass, const Part& part) {
  return part.n_blocks * pass.weights.limbs_of_row() * columns_of_block;
}

/// Sums of all levels of the row pack's items over a part of the columns of one tile.
void sum_part(const Pass& pass, const PackTargets& targets, const IndicatorTile& tile,
              const Part& part, Workspace& work) {
  const Index size_of_level = size_of_level_in(pass, part);
  const std::size_t size = targets.n_targets() * size_of_level;
  const bool has_totals = pass.data.n_obs > rows_per_block;
  const RowTable table = {pass.indicators.bits.data() + tile.start, tile.n_bytes,
                          pass.weights.limbs.data(), pass.weights.limbs_of_row(),
                          pass.weights.stride};
  const bool is_first_tile = work.row_sums.empty();
  work.row_sums.resize(targets.n_targets() * table.n_weights, 0);
  work.totals.assign(has_totals ? size : 0, 0);
  work.sums.grow_to(size);
  std::fill_n(work.sums.data(), size, 0);
  const TargetSums to = {part.first_block, part.n_blocks, work.sums.data(),
                         is_first_tile ? work.row_sums.data() : nullptr};
  for (std::size_t at = 0; at < work.rows.size(); ++at) {
    add_stretch(table, work.rows[at], to, work.buffers, pass.instructions);
    if (!has_totals || !work.rows.ends_block(at)) continue;
    for (std::size_t i = 0; i < size; ++i) work.totals[i] += work.sums.data()[i];
    std::fill_n(work.sums.data(), size, 0);
  }
  if (is_first_tile) targets.add_first_levels(work.row_sums.data(), table.n_weights);
  if (has_totals)
    targets.add_first_levels(work.totals.data(), size_of_level);
  else
    targets.add_first_levels(work.sums.data(), size_of_level);
}

/// Column that a block keeps in each place.
constexpr std::array<int, columns_of_block> column_at_place() {
  std::array<int, columns_of_block> columns = {};
  for (int column = 0; column < columns_of_block; ++column) {
    columns[place_in_block[column]] = column;
  }
  return columns;
}

using Sums = std::int32_t __attribute__((vector_size(n_lanes * sizeof(std::int32_t))));

/// Picks four of eight numbers.
template <int... places>
[[gnu::always_inline]] inline Sums pick(const Sums& a, const Sums& b) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, places...);
#else
  return __builtin_shuffle(a, b, Sums{places...});
#endif
}

/// Writes the sums of four weights over a block's columns side by side.
[[gnu::always_inline]] inline void unpack_block(const std::int32_t* const* sums, Index stride,
                                                double* out) {
  constexpr std::array<int, columns_of_block> columns = column_at_place();
  for (Index place = 0; place < columns_of_block; place += n_lanes) {
    Sums row[n_lanes];
    for (int k = 0; k < n_lanes; ++k) std::memcpy(&row[k], sums[k] + place, sizeof row[k]);
    const Sums low_01 = pick<0, 4, 1, 5>(row[0], row[1]);
    const Sums low_23 = pick<0, 4, 1, 5>(row[2], row[3]);
    const Sums high_01 = pick<2, 6, 3, 7>(row[0], row[1]);
    const Sums high_23 = pick<2, 6, 3, 7>(row[2], row[3]);
    const Sums at[n_lanes] = {pick<0, 1, 4, 5>(low_01, low_23), pick<2, 3, 6, 7>(low_01, low_23),
                              pick<0, 1, 4, 5>(high_01, high_23),
                              pick<2, 3, 6, 7>(high_01, high_23)};
    for (int i = 0; i < n_lanes; ++i) {
      store(__builtin_convertvector(at[i], Lanes), out + columns[place + i] * stride);
    }
  }
}

/// Unpacks the sums of one level of a row pack's item: limbs x columns x stride doubles, without
/// those columns that come before the part's blocks.
[[gnu::always_inline]] inline void unpack_level(const Pass& pass, const Part& part,
                                                const std::int32_t* sums, double* out) {
  alignas(32) static constexpr std::int32_t none[columns_of_block] = {};
  const FixedWeights& weights = pass.weights;
  const Index n_columns = part.n_blocks * columns_of_block;
  for (Index block = 0; block < part.n_blocks; ++block) {
    const std::int32_t* of_block = sums + block * weights.limbs_of_row() * columns_of_block;
    for (Index limb = 0; limb < weights.n_limbs; ++limb) {
      double* to = out + (limb * n_columns + block * columns_of_block) * pass.stride;
      for (Index k = 0; k < pass.stride; k += n_lanes) {
        const std::int32_t* of_weight[n_lanes];
        for (Index i = 0; i < n_lanes; ++i) {
          const Index number = (k + i) * weights.n_limbs + limb;
          of_weight[i] = k + i < weights.n_columns ? of_block + number * columns_of_block : none;
        }
        unpack_block(of_weight, pass.stride, to + k);
      }
    }
  }
}

/// The same number by number, for any stride and kind of number.
template <class Sum>
void unpack_level_plainly(const Pass& pass, const Part& part, const Sum* sums, double* out) {
  const FixedWeights& weights = pass.weights;
  const Index n_columns = part.n_blocks * columns_of_block;
  for (Index block = 0; block < part.n_blocks; ++block) {
    double* to_block = out + block * columns_of_block * pass.stride;
    for (Index k = 0; k < weights.n_columns; ++k) {
      for (Index limb = 0; limb < weights.n_limbs; ++limb, sums += columns_of_block) {
        double* to = to_block + limb * n_columns * pass.stride + k;
        for (Index column = 0; column < columns_of_block; ++column) {
          to[column * pass.stride] = static_cast<double>(sums[place_in_block[column]]);
        }
      }
    }
  }
}

/// An item of the row pack, and the later ones of a tile.
struct Meeting {
  const IndicatorTile& tile;
  Index item = 0;
  Index n_rows = 0;                     ///< levels of the item
  Index first_other = 0;                ///< of the tile's items
  Index n_others = 0;                   ///< the last ones of the tile
  Index stride = 0;                     ///< doubles of an output cell
  const Index* first_output = nullptr;  ///< n_others + 1
  Index width = 0;                      ///< doubles of the output cells at one level of the item
  Index pair_width = 0;                 ///< doubles of the pairs
  Index n_margins = 0;     ///< tables of which the row sums differ: where all rows count, one
  Index margin_width = 0;  ///< doubles of these

  Index first_cell(Index other) const { return first_output[other] - first_output[0]; }
  Index n_cells(Index other) const { return first_output[other + 1] - first_output[other]; }
};

Meeting meet(const Pass& pass, Index at_tile, Index item) {
  const IndicatorTile& tile = pass.indicators.tiles[at_tile];
  Meeting out{tile, item, n_outputs(pass, item), std::max(item + 1, tile.first_item)};
  out.n_others = tile.last_item - out.first_other;
  if (out.n_others <= 0) return out;
  out.stride = pass.stride;
  out.first_output = pass.first_output[at_tile].data() + (out.first_other - tile.first_item);
  out.width = round_up_to_lanes(out.first_cell(out.n_others) * pass.stride);
  out.pair_width = round_up_to_lanes(out.n_others * pass.stride);
  out.n_margins = pass.is_complete ? 1 : out.n_others;
  out.margin_width = round_up_to_lanes(out.n_margins * pass.stride);
  return out;
}

/// The vector of one weight of each column, or part of it: Cell<stride>::Type at a time.
template <int stride>
struct CellSums {
  using Weights = typename Cell<stride>::Type;
  static constexpr Index width = sizeof(Weights) / sizeof(double);
};

template <class Weights>
[[gnu::always_inline]] inline void set_or_add(bool is_first, const Weights& weights, double* to) {
  if (is_first)
    std::memcpy(to, &weights, sizeof weights);
  else
    add_to_cell(weights, to);
}

/// Weights of one level of a row pack's item with all levels of a tile's later items, from what
/// `unpack_target()` gives.
template <int stride>
[[gnu::always_inline]] inline void fill_outputs(const Pass& pass, const Meeting& at,
                                                const Part& part, const Workspace& work,
                                                double* outputs) {
  using Weights = typename CellSums<stride>::Weights;
  const Index step = stride > 0 ? stride : pass.stride;
  const Index first_column = part.first_block * columns_of_block;
  const Index n_columns_in_all = part.n_blocks * columns_of_block;
  for (Index item = at.first_other; item < at.tile.last_item; ++item) {
    const Index n_columns = n_digits(pass.data, item) - 1;
    const bool has_first = first_digit(pass.data, item, pass.missing) == 0;
    const Index column = at.tile.first_column[item - at.tile.first_item] - first_column;
    for (int limb = 0; limb < pass.weights.n_limbs; ++limb) {
      const double* of_limb = work.level.data() + (limb * n_columns_in_all + column) * step;
      for (Index v = 0; v < step; v += CellSums<stride>::width) {
        Weights unit;
        Weights left;
        std::memcpy(&unit, pass.units.data() + limb * step + v, sizeof unit);
        // Of each limb the difference is exact: a level without weight has none.
        std::memcpy(&left, work.all_rows.data() + limb * step + v, sizeof left);
        double* to = outputs + (has_first ? step : 0) + v;
        for (Index c = 0; c < n_columns; ++c, to += step) {
          Weights sum;
          std::memcpy(&sum, of_limb + c * step + v, sizeof sum);
          left -= sum;
          set_or_add(limb == 0, unit * sum, to);
        }
        if (has_first) set_or_add(limb == 0, unit * left, outputs + v);
      }
    }
    outputs += n_outputs(pass, item) * step;
  }
}

/// Adds up neighbouring cells, each of all weights.
template <int stride>
[[gnu::always_inline]] inline void add_cells(const double* from, Index n_cells, Index n_doubles,
                                             double* to) {
  using Weights = typename CellSums<stride>::Weights;
  const Index step = stride > 0 ? stride : n_doubles;
  for (Index v = 0; v < step; v += CellSums<stride>::width) {
    Weights sum{};
    for (Index cell = 0; cell < n_cells; ++cell) {
      Weights in;
      std::memcpy(&in, from + cell * step + v, sizeof in);
      sum += in;
    }
    add_to_cell(sum, to + v);
  }
}

/// Of every column of the tables, cell by cell: the sum over the item's levels, and the x log x of
/// the cells less that of their sum.
/// @param logs x log x of the sums, which are made if not there.
[[gnu::always_inline]] inline void column_terms(const Meeting& meeting, bool has_logs, double* logs,
                                                Workspace& work) {
  const double* outputs = work.outputs.data();
  const Index width = meeting.width;
  for (Index at = 0; at < width; at += n_lanes) {
    Lanes column{};
    Lanes term{};
    for (Index r = 0; r < meeting.n_rows; ++r) {
      Lanes cell;
      Lanes value;
      load(outputs + r * width + at, cell);
      x_log_x(cell, value);
      column += cell;
      term += value;
    }
    Lanes value;
    if (has_logs) {
      load(logs + at, value);
    } else {
      x_log_x(column, value);
      store(value, logs + at);
    }
    term -= value;
    store(column, work.columns.data() + at);
    store(term, work.terms.data() + at);
  }
}

/// Levels that carry weight, less one.
double free_levels(const double* weights, Index n_levels, Index distance, Index n_doubles) {
  Index n = 0;
  for (Index level = 0; level < n_levels; ++level) {
    const double* from = weights + level * distance;
    n += std::any_of(from, from + n_doubles, [](double weight) { return weight > 0.0; });
  }
  return static_cast<double>(std::max<Index>(0, n - 1));
}

/// Of each table whose row sums differ, x log x of its weight less that of the row sums.
[[gnu::always_inline]] inline void row_terms(const Meeting& meeting, Workspace& work) {
  const double* margins = work.margins.data();
  const Index width = meeting.margin_width;
  for (Index at = 0; at < width; at += n_lanes) {
    Lanes margin;
    Lanes sum;
    load(margins + meeting.n_rows * width + at, margin);
    x_log_x(margin, sum);
    for (Index r = 0; r < meeting.n_rows; ++r) {
      Lanes value;
      load(margins + r * width + at, margin);
      x_log_x(margin, value);
      sum -= value;
    }
    store(sum, work.row_terms.data() + at);
  }
}

void make_room(const Pass& pass, const Meeting& at, const Part& part, Workspace& work) {
  const Index n_columns = part.n_blocks * columns_of_block;
  work.level.grow_to(pass.weights.n_limbs * n_columns * pass.stride);
  work.all_rows.grow_to(pass.weights.n_limbs * pass.stride);
  work.outputs.grow_to(at.n_rows * at.width);
  work.columns.grow_to(at.width);
  work.terms.grow_to(at.width);
  work.margins.grow_to((at.n_rows + 1) * at.margin_width);
  work.row_terms.grow_to(at.margin_width);
  work.dependence.grow_to(at.pair_width);
  work.df.resize(at.n_others);
}

/// Of one level of a row pack's item: what `fill_outputs()` reads.
[[gnu::always_inline]] inline void unpack_target(const Pass& pass, const Part& part, Index target,
                                                 Workspace& work) {
  const FixedWeights& weights = pass.weights;
  const Index start = target * size_of_level_in(pass, part);
  if (!work.totals.empty())
    unpack_level_plainly(pass, part, work.totals.data() + start, work.level.data());
  else if (pass.stride % n_lanes == 0)
    unpack_level(pass, part, work.sums.data() + start, work.level.data());
  else
    unpack_level_plainly(pass, part, work.sums.data() + start, work.level.data());
  const std::int64_t* all_rows = work.row_sums.data() + target * weights.limbs_of_row();
  for (Index k = 0; k < weights.n_columns; ++k) {
    for (Index limb = 0; limb < weights.n_limbs; ++limb) {
      work.all_rows.data()[limb * pass.stride + k] = static_cast<double>(*all_rows++);
    }
  }
}

/// Weights of all levels of an item with those of the others.
template <int stride>
[[gnu::always_inline]] inline void fill_all_outputs(const Pass& pass, const Meeting& at,
                                                    const Part& part, Index first_level,
                                                    Workspace& work) {
  double* outputs = work.outputs.data();
  const Index n_doubles = at.first_cell(at.n_others) * pass.stride;
  for (Index r = 0; r < at.n_rows; ++r) {
    std::fill(outputs + r * at.width + n_doubles, outputs + (r + 1) * at.width, 0.0);
    unpack_target(pass, part, first_level + r, work);
    fill_outputs<stride>(pass, at, part, work, outputs + r * at.width);
  }
}

/// The terms of the columns' cells, summed up to pairs; and the row sums of the tables with their
/// weights.
template <int stride>
[[gnu::always_inline]] inline void sum_pairs(const Meeting& at, Workspace& work) {
  const Index step = stride > 0 ? stride : at.stride;
  double* margins = work.margins.data();
  std::fill_n(margins, (at.n_rows + 1) * at.margin_width, 0.0);
  std::fill_n(work.dependence.data(), at.pair_width, 0.0);
  for (Index j = 0; j < at.n_others; ++j) {
    const Index from = at.first_cell(j) * step;
    const Index n_cells = at.n_cells(j);
    const Index to = j * step;
    add_cells<stride>(work.terms.data() + from, n_cells, step, work.dependence.data() + to);
    if (j >= at.n_margins) continue;
    for (Index r = 0; r < at.n_rows; ++r) {
      add_cells<stride>(work.outputs.data() + r * at.width + from, n_cells, step,
                        margins + r * at.margin_width + to);
    }
    add_cells<stride>(work.columns.data() + from, n_cells, step,
                      margins + at.n_rows * at.margin_width + to);
  }
}

/// Degrees of freedom of all pairs.
/// @param free_columns of each other item, which are counted if not there.
void count_df(const Meeting& at, bool has_free_columns, double* free_columns, Workspace& work) {
  if (!has_free_columns) {
    for (Index j = 0; j < at.n_others; ++j) {
      free_columns[j] = free_levels(work.columns.data() + at.first_cell(j) * at.stride,
                                    at.n_cells(j), at.stride, at.stride);
    }
  }
  double free_rows = 0.0;
  for (Index j = 0; j < at.n_others; ++j) {
    if (j < at.n_margins) {
      free_rows =
          free_levels(work.margins.data() + j * at.stride, at.n_rows, at.margin_width, at.stride);
    }
    work.df[j] = free_rows * free_columns[j];
  }
}

/// Adds the row terms, and leaves out what is but rounding.
template <int stride>
[[gnu::always_inline]] inline void add_row_terms(const Meeting& at, Workspace& work) {
  using Weights = typename CellSums<stride>::Weights;
  const Index step = stride > 0 ? stride : at.stride;
  const double* in_table = work.margins.data() + at.n_rows * at.margin_width;
  for (Index j = 0; j < at.n_others; ++j) {
    for (Index v = 0; v < step; v += CellSums<stride>::width) {
      double* to = work.dependence.data() + j * step + v;
      const Index of_rows = (at.n_margins == 1 ? 0 : j * step) + v;
      Weights sum;
      Weights terms;
      Weights weight;
      std::memcpy(&sum, to, sizeof sum);
      std::memcpy(&terms, work.row_terms.data() + of_rows, sizeof terms);
      std::memcpy(&weight, in_table + of_rows, sizeof weight);
      sum += terms;
      sum = sum > rounding_of_dependence * weight ? sum : Weights{};
      std::memcpy(to, &sum, sizeof sum);
    }
  }
}

/// Hands over the pairs of one item of the row pack with the tile's items above it.
/// Where every cell counts, all tables of an item have the same row sums, and a column's sum is the
/// same for all items of the pack, of which the first meets every column that the others do.
template <int stride>
[[gnu::always_inline]] inline void visit_item(const Pass& pass, const Meeting& at, const Part& part,
                                              Index first_level, Workspace& work,
                                              const PairVisitor& visit) {
  make_room(pass, at, part, work);
  fill_all_outputs<stride>(pass, at, part, first_level, work);
  const bool has_columns = pass.is_complete && work.first_met >= 0;
  if (!has_columns) {
    work.first_met = at.first_other;
    work.first_logged = at.first_output[0];
    work.free_columns.resize(at.n_others);
    work.logs.grow_to(at.width + n_lanes);
    std::fill_n(work.logs.data() + at.width, n_lanes, 0.0);
  }
  column_terms(at, has_columns,
               work.logs.data() + (at.first_output[0] - work.first_logged) * at.stride, work);
  sum_pairs<stride>(at, work);
  count_df(at, has_columns, work.free_columns.data() + (at.first_other - work.first_met), work);
  row_terms(at, work);
  add_row_terms<stride>(at, work);
  visit(work.worker, {at.item, at.first_other, at.tile.last_item, at.stride, work.dependence.data(),
                      work.df.data(), pass.weights.error.data()});
}

/// All pairs of a row pack's items with those of a tile's items that meet them, the sums being
/// there.
template <int stride>
[[gnu::always_inline]] inline void visit_all_items(const Pass& pass, const Pack& pack,
                                                   Index at_tile, const Part& part, Workspace& work,
                                                   const PairVisitor& visit) {
  Index first_level = 0;
  work.first_met = -1;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Meeting at = meet(pass, at_tile, item);
    if (at.n_others > 0) visit_item<stride>(pass, at, part, first_level, work, visit);
    first_level += at.n_rows;
  }
}

void visit_pack(const Pass& pass, const Pack& pack, Index at_tile, const Part& part,
                Workspace& work, const PairVisitor& visit) {
  with_constant<1, 2, 4, 8>(pass.stride, [&](auto size) {
    constexpr int stride = size;
    const auto all = [&]() __attribute__((always_inline)) {
      visit_all_items<stride>(pass, pack, at_tile, part, work, visit);
    };
    with_avx2(pass.instructions, all);
  });
}

}  // namespace

void for_each_dense_pair_block(const CodedData& data, const RowMatrix& row_weights,
                               const PassOptions& options, Monitor& monitor,
                               const PairVisitor& visit) {
  const Pass pass = plan_pass(data, row_weights, options);
  std::vector<Workspace> workspaces(data.n_threads);
  for (int worker = 0; worker < data.n_threads; ++worker) workspaces[worker].worker = worker;
  monitor.on_work();  // with several threads the caller's own may get no job
  const Index n_packs =
      std::count_if(pass.row_packs.begin(), pass.row_packs.end(),
                    [&](const Pack& p) { return p.first_item < options.n_leading; });
  const double n_steps = static_cast<double>(data.n_obs / rows_of_quad * n_packs) *
                         static_cast<double>(pass.weights.limbs_of_row()) *
                         static_cast<double>(data.n_total_levels() / columns_of_block);
  const int n_threads = useful_threads(data.n_threads, operations_per_step * n_steps);
  for_each_job(n_packs, n_threads, [&](Index job, int worker) {
    Workspace& work = workspaces[worker];
    const Pack& pack = pass.row_packs[job];
    const PackTargets targets(data, pack, options.missing);
    work.rows.cut(data, pack, targets);
    work.row_sums.clear();
    for (std::size_t tile = 0; tile < pass.indicators.tiles.size(); ++tile) {
      const Part part = part_for(pack, pass.indicators.tiles[tile]);
      if (part.is_empty) continue;
      sum_part(pass, targets, pass.indicators.tiles[tile], part, work);
      visit_pack(pass, pack, static_cast<Index>(tile), part, work, visit);
      if (worker == 0) monitor.on_work();
    }
  });
}

}  // namespace mdpd
