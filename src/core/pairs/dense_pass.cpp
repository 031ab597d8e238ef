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
#include "pairs/row_stretches.h"
#include "pairs/subset_sums.h"

namespace mdpd {

namespace {

/// Levels of a row pack that are worth a try.
constexpr Index most_levels_of_row_pack = 1024;
/// Costs in the time of looking up one quad's subset of one weight for a block of columns, measured
/// at 10,000 rows.
constexpr double code_cost = 6.5;      ///< of going on to the next code
constexpr double target_cost = 6.0;    ///< of what a stretch gives to one target
constexpr double table_cost = 3.0;     ///< of the table of a quad
constexpr double pattern_cost = 19.0;  ///< of a quad's patterns in 256 columns
constexpr double sort_cost = 20.0;     ///< of sorting four rows
constexpr double steps_per_operation = 8.0;

/// What all threads read.
struct Pass {
  Pass(const CodedData& data_in, MissingCells missing_in, Instructions instructions_in)
      : data(data_in), missing(missing_in), instructions(instructions_in) {}

  const CodedData& data;
  MissingCells missing;
  Instructions instructions;
  Index stride = 0;  ///< doubles of one cell of a table
  FixedWeights weights;
  std::vector<double> error;    ///< stride: of the weights
  std::vector<double> units;    ///< n_digits x stride: the weight of 1 in that digit
  std::vector<Pack> row_packs;  ///< the rows are sorted by the codes of one of these
  bool is_complete = false;     ///< whether all rows count in every pair
  double cost = 0.0;            ///< estimated, in steps of the kernel
  /// Of each tile the first output cell of each item, and their number.
  std::vector<std::vector<Index>> first_output;
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

/// Estimated cost of a pass in steps of the kernel, for these row packs.
double planned_cost(const Pass& pass, const std::vector<Pack>& row_packs) {
  const double n_obs = static_cast<double>(pass.data.n_obs);
  const double n_row_blocks = std::ceil(n_obs / rows_per_block);
  const double n_weights = static_cast<double>(pass.weights.n_numbers());
  double cost = 0.0;
  for (const Pack& pack : row_packs) {
    const double n_codes = std::min(n_obs, n_row_blocks * static_cast<double>(pack.n_levels));
    // The last quad of a code is half empty.
    const double n_quads = n_obs / rows_of_quad + 0.4 * n_codes;
    const double n_stretches = std::ceil(n_quads / quads_of_stretch);
    double n_targets = 1.0;
    for (Index i = 0; i < pack.n_items; ++i) {
      n_targets += static_cast<double>(n_digits(pass.data, pack.first_item + i) - 1);
    }
    const double sums = n_quads + n_codes * code_cost + n_stretches * n_targets * target_cost;
    cost += n_quads * sort_cost;
    for (const IndicatorTile& tile : pass.data.indicators.tiles) {
      const double n_blocks = static_cast<double>(part_for(pack, tile).n_blocks);
      if (!(n_blocks > 0.0)) continue;
      cost += n_weights * n_blocks * sums + n_quads * n_weights * table_cost +
              n_quads * pattern_cost * static_cast<double>(tile.n_bytes / bytes_of_row);
    }
  }
  return cost;
}

void choose_row_packs(Pass& pass) {
  pass.cost = std::numeric_limits<double>::infinity();
  for (Index most_levels = 2; most_levels <= most_levels_of_row_pack; most_levels *= 2) {
    std::vector<Pack> packs = pack_items(pass.data, most_levels);
    const double cost = planned_cost(pass, packs);
    if (!(cost < pass.cost)) continue;
    pass.cost = cost;
    pass.row_packs = std::move(packs);
  }
}

Pass plan_pass(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
               Precision precision, Instructions instructions) {
  Pass pass(data, missing, instructions);
  pass.stride = padded_columns(row_weights.cols());
  pass.weights = fix_weights(row_weights, precision, instructions);
  pass.error.assign(pass.stride, 0.0);
  std::copy_n(pass.weights.error.data(), row_weights.cols(), pass.error.begin());
  for (int digit = 0; digit < pass.weights.n_digits; ++digit) {
    for (Index k = 0; k < pass.stride; ++k) {
      const bool is_padding = k >= row_weights.cols();
      const double unit = is_padding ? 0.0 : pass.weights.unit[k];
      pass.units.push_back(std::ldexp(unit, digit * bits_of_digit));
    }
  }
  pass.is_complete = is_complete(data, missing);
  choose_row_packs(pass);
  for (const IndicatorTile& tile : data.indicators.tiles) {
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
  AlignedDoubles all_rows;             ///< digits x stride: the weights of the level's rows
  AlignedDoubles outputs;              ///< levels of one item x output cells
  AlignedDoubles columns;              ///< sums over the item's levels of the above
  AlignedDoubles terms;    ///< sum of x log x over the cells of a column, less that of the column
  AlignedDoubles margins;  ///< (levels + 1) x pairs: row sums of the table of each pair, its weight
  AlignedDoubles dependence;
  AlignedDoubles weight;
  AlignedDoubles row_terms;  ///< of all pairs of an item
  std::vector<double> df;
  // Of the columns of the later items, where they are the same for all items of a pack:
  Index first_met = -1;              ///< the first of these items; -1 if there is nothing yet
  Index first_logged = 0;            ///< its first output cell
  AlignedDoubles logs;               ///< x log x of the columns' sums
  std::vector<double> free_columns;  ///< of each item, the levels that carry weight, less one
};

/// Sums of one level of a row pack's item.
Index size_of_level_in(const Pass& pass, const Part& part) {
  return part.n_blocks * pass.weights.n_numbers() * columns_of_block;
}

/// Sums of all levels of the row pack's items over a part of the columns of one tile.
void sum_part(const Pass& pass, const PackTargets& targets, const IndicatorTile& tile,
              const Part& part, Workspace& work) {
  const Index size_of_level = size_of_level_in(pass, part);
  const std::size_t size = targets.n_targets() * size_of_level;
  const bool has_totals = pass.data.n_obs > rows_per_block;
  const RowTable table = {pass.data.indicators.bits.data() + tile.start, tile.n_bytes,
                          pass.weights.digits.data(), pass.weights.n_numbers(),
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

/// Writes the sums of four weights over a block's columns side by side.
[[gnu::always_inline]] inline void unpack_block(const std::int32_t* const* sums, Index stride,
                                                double* out) {
  using Sums = std::int32_t __attribute__((vector_size(n_lanes * sizeof(std::int32_t))));
  constexpr std::array<int, columns_of_block> columns = column_at_place();
  for (Index place = 0; place < columns_of_block; place += n_lanes) {
    Sums row[n_lanes];
    for (int k = 0; k < n_lanes; ++k) std::memcpy(&row[k], sums[k] + place, sizeof row[k]);
    const Sums low_01 = __builtin_shuffle(row[0], row[1], Sums{0, 4, 1, 5});
    const Sums low_23 = __builtin_shuffle(row[2], row[3], Sums{0, 4, 1, 5});
    const Sums high_01 = __builtin_shuffle(row[0], row[1], Sums{2, 6, 3, 7});
    const Sums high_23 = __builtin_shuffle(row[2], row[3], Sums{2, 6, 3, 7});
    const Sums at[n_lanes] = {__builtin_shuffle(low_01, low_23, Sums{0, 1, 4, 5}),
                              __builtin_shuffle(low_01, low_23, Sums{2, 3, 6, 7}),
                              __builtin_shuffle(high_01, high_23, Sums{0, 1, 4, 5}),
                              __builtin_shuffle(high_01, high_23, Sums{2, 3, 6, 7})};
    for (int i = 0; i < n_lanes; ++i) {
      store(__builtin_convertvector(at[i], Lanes), out + columns[place + i] * stride);
    }
  }
}

/// Unpacks the sums of one level of a row pack's item: digits x columns x stride doubles, without
/// those columns that come before the part's blocks.
[[gnu::always_inline]] inline void unpack_level(const Pass& pass, const Part& part,
                                                const std::int32_t* sums, double* out) {
  alignas(32) static constexpr std::int32_t none[columns_of_block] = {};
  const FixedWeights& weights = pass.weights;
  const Index n_columns = part.n_blocks * columns_of_block;
  for (Index block = 0; block < part.n_blocks; ++block) {
    const std::int32_t* of_block = sums + block * weights.n_numbers() * columns_of_block;
    for (Index digit = 0; digit < weights.n_digits; ++digit) {
      double* to = out + (digit * n_columns + block * columns_of_block) * pass.stride;
      for (Index k = 0; k < pass.stride; k += n_lanes) {
        const std::int32_t* of_weight[n_lanes];
        for (Index i = 0; i < n_lanes; ++i) {
          const Index number = (k + i) * weights.n_digits + digit;
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
      for (Index digit = 0; digit < weights.n_digits; ++digit, sums += columns_of_block) {
        double* to = to_block + digit * n_columns * pass.stride + k;
        for (Index column = 0; column < columns_of_block; ++column) {
          to[column * pass.stride] = static_cast<double>(sums[place_in_block[column]]);
        }
      }
    }
  }
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

/// Weights of one level of a row pack's item with all levels of a tile's later items.
/// @param sums what `unpack_level()` gives.
/// @param all_rows digits x stride: the weights of all the level's rows.
template <int stride>
[[gnu::always_inline]] inline void fill_outputs(const Pass& pass, const IndicatorTile& tile,
                                                const Part& part, Index first_item,
                                                const double* sums, const double* all_rows,
                                                double* outputs) {
  using Weights = typename CellSums<stride>::Weights;
  const Index step = stride > 0 ? stride : pass.stride;
  const Index first_column = part.first_block * columns_of_block;
  const Index n_columns_in_all = part.n_blocks * columns_of_block;
  for (Index item = first_item; item < tile.last_item; ++item) {
    const Index n_columns = n_digits(pass.data, item) - 1;
    const bool has_first = first_digit(pass.data, item, pass.missing) == 0;
    const Index column = tile.first_column[item - tile.first_item] - first_column;
    for (int digit = 0; digit < pass.weights.n_digits; ++digit) {
      const double* of_digit = sums + (digit * n_columns_in_all + column) * step;
      for (Index v = 0; v < step; v += CellSums<stride>::width) {
        Weights unit;
        Weights left;
        std::memcpy(&unit, pass.units.data() + digit * step + v, sizeof unit);
        // Of each digit the difference is exact: a level without weight has none.
        std::memcpy(&left, all_rows + digit * step + v, sizeof left);
        double* to = outputs + (has_first ? step : 0) + v;
        for (Index c = 0; c < n_columns; ++c, to += step) {
          Weights sum;
          std::memcpy(&sum, of_digit + c * step + v, sizeof sum);
          left -= sum;
          set_or_add(digit == 0, unit * sum, to);
        }
        if (has_first) set_or_add(digit == 0, unit * left, outputs + v);
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
[[gnu::always_inline]] inline void column_terms(const double* outputs, Index n_rows, Index width,
                                                bool has_logs, double* logs, double* columns,
                                                double* terms) {
  for (Index at = 0; at < width; at += n_lanes) {
    Lanes column{};
    Lanes term{};
    for (Index r = 0; r < n_rows; ++r) {
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
    store(column, columns + at);
    store(term, terms + at);
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

/// Adds the x log x of the weight of each pair less that of the row sums of its table.
[[gnu::always_inline]] inline void add_row_terms(const double* margins, Index n_rows, Index width,
                                                 double* dependence) {
  for (Index at = 0; at < width; at += n_lanes) {
    Lanes sum;
    load(dependence + at, sum);
    for (Index r = 0; r <= n_rows; ++r) {
      Lanes margin;
      Lanes value;
      load(margins + r * width + at, margin);
      x_log_x(margin, value);
      if (r < n_rows)
        sum -= value;
      else
        sum += value;
    }
    store(sum, dependence + at);
  }
}

/// An item of the row pack, and the later ones of a tile.
struct Meeting {
  const IndicatorTile& tile;
  Index item = 0;
  Index n_rows = 0;                     ///< levels of the item
  Index first_other = 0;                ///< of the tile's items
  Index n_others = 0;                   ///< the last ones of the tile
  const Index* first_output = nullptr;  ///< n_others + 1
  Index width = 0;                      ///< doubles of the output cells at one level of the item
  Index margin_width = 0;               ///< doubles of the pairs
};

Meeting meet(const Pass& pass, Index at_tile, Index item) {
  const IndicatorTile& tile = pass.data.indicators.tiles[at_tile];
  Meeting out{tile, item, n_outputs(pass, item), std::max(item + 1, tile.first_item)};
  out.n_others = tile.last_item - out.first_other;
  if (out.n_others <= 0) return out;
  out.first_output = pass.first_output[at_tile].data() + (out.first_other - tile.first_item);
  const Index n_cells = out.first_output[out.n_others] - out.first_output[0];
  out.width = round_up_to_lanes(n_cells * pass.stride);
  out.margin_width = round_up_to_lanes(out.n_others * pass.stride);
  return out;
}

void make_room(const Pass& pass, const Meeting& at, const Part& part, Workspace& work) {
  const Index n_columns = part.n_blocks * columns_of_block;
  work.level.grow_to(pass.weights.n_digits * n_columns * pass.stride);
  work.all_rows.grow_to(pass.weights.n_digits * pass.stride);
  work.outputs.grow_to(at.n_rows * at.width);
  work.columns.grow_to(at.width);
  work.terms.grow_to(at.width);
  work.margins.grow_to((at.n_rows + 1) * at.margin_width);
  work.dependence.grow_to(at.margin_width);
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
  const std::int64_t* all_rows = work.row_sums.data() + target * weights.n_numbers();
  for (Index k = 0; k < weights.n_columns; ++k) {
    for (Index digit = 0; digit < weights.n_digits; ++digit) {
      work.all_rows.data()[digit * pass.stride + k] = static_cast<double>(*all_rows++);
    }
  }
}

/// Weights of all levels of an item with those of the others.
template <int stride>
[[gnu::always_inline]] inline void fill_all_outputs(const Pass& pass, const Meeting& at,
                                                    const Part& part, Index first_level,
                                                    Workspace& work) {
  double* outputs = work.outputs.data();
  const Index n_doubles = (at.first_output[at.n_others] - at.first_output[0]) * pass.stride;
  for (Index r = 0; r < at.n_rows; ++r) {
    std::fill(outputs + r * at.width + n_doubles, outputs + (r + 1) * at.width, 0.0);
    unpack_target(pass, part, first_level + r, work);
    fill_outputs<stride>(pass, at.tile, part, at.first_other, work.level.data(),
                         work.all_rows.data(), outputs + r * at.width);
  }
}

/// The terms of the columns' cells, summed up to pairs; and the row sums of the first `n` pairs'
/// tables with their weights.
template <int stride>
[[gnu::always_inline]] inline void sum_pairs(const Meeting& at, Index n, Index n_doubles,
                                             Index margin_width, Workspace& work) {
  double* margins = work.margins.data();
  double* dependence = work.dependence.data();
  std::fill_n(margins, (at.n_rows + 1) * margin_width, 0.0);
  std::fill_n(dependence, at.margin_width, 0.0);
  for (Index j = 0; j < at.n_others; ++j) {
    const Index from = (at.first_output[j] - at.first_output[0]) * n_doubles;
    const Index n_cols = at.first_output[j + 1] - at.first_output[j];
    const Index to = j * n_doubles;
    add_cells<stride>(work.terms.data() + from, n_cols, n_doubles, dependence + to);
    if (j >= n) continue;
    for (Index r = 0; r < at.n_rows; ++r) {
      add_cells<stride>(work.outputs.data() + r * at.width + from, n_cols, n_doubles,
                        margins + r * margin_width + to);
    }
    add_cells<stride>(work.columns.data() + from, n_cols, n_doubles,
                      margins + at.n_rows * margin_width + to);
  }
}

/// Degrees of freedom of all pairs.
/// @param free_columns of each other item, which are counted if not there.
void count_df(const Meeting& at, bool is_complete, bool has_free_columns, Index n_doubles,
              Index margin_width, double* free_columns, Workspace& work) {
  if (!has_free_columns) {
    for (Index j = 0; j < at.n_others; ++j) {
      const Index from = (at.first_output[j] - at.first_output[0]) * n_doubles;
      const Index n_cols = at.first_output[j + 1] - at.first_output[j];
      free_columns[j] = free_levels(work.columns.data() + from, n_cols, n_doubles, n_doubles);
    }
  }
  double free_rows = 0.0;
  for (Index j = 0; j < at.n_others; ++j) {
    if (j == 0 || !is_complete) {
      free_rows =
          free_levels(work.margins.data() + j * n_doubles, at.n_rows, margin_width, n_doubles);
    }
    work.df[j] = free_rows * free_columns[j];
  }
}

/// Gives all pairs the row terms and the weight of the first.
template <int stride>
[[gnu::always_inline]] inline void share_row_terms(const Meeting& at, Index n_doubles,
                                                   Index margin_width, Workspace& work) {
  using Weights = typename CellSums<stride>::Weights;
  const Index step = stride > 0 ? stride : n_doubles;
  const double* of_first = work.margins.data() + at.n_rows * margin_width;
  work.weight.grow_to(at.margin_width);
  for (Index v = 0; v < step; v += CellSums<stride>::width) {
    Weights row_terms;
    Weights weight;
    std::memcpy(&row_terms, work.row_terms.data() + v, sizeof row_terms);
    std::memcpy(&weight, of_first + v, sizeof weight);
    for (Index at_pair = v; at_pair < at.n_others * step; at_pair += step) {
      add_to_cell(row_terms, work.dependence.data() + at_pair);
      std::memcpy(work.weight.data() + at_pair, &weight, sizeof weight);
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
  const Index n_doubles = stride > 0 ? stride : pass.stride;
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
  column_terms(work.outputs.data(), at.n_rows, at.width, has_columns,
               work.logs.data() + (at.first_output[0] - work.first_logged) * n_doubles,
               work.columns.data(), work.terms.data());
  const Index n = pass.is_complete ? 1 : at.n_others;
  const Index margin_width = round_up_to_lanes(n * n_doubles);
  sum_pairs<stride>(at, n, n_doubles, margin_width, work);
  count_df(at, pass.is_complete, has_columns, n_doubles, margin_width,
           work.free_columns.data() + (at.first_other - work.first_met), work);
  const double* weight = work.margins.data() + at.n_rows * margin_width;
  if (pass.is_complete) {
    work.row_terms.grow_to(margin_width);
    std::fill_n(work.row_terms.data(), margin_width, 0.0);
    add_row_terms(work.margins.data(), at.n_rows, margin_width, work.row_terms.data());
    share_row_terms<stride>(at, n_doubles, margin_width, work);
    weight = work.weight.data();
  } else {
    add_row_terms(work.margins.data(), at.n_rows, margin_width, work.dependence.data());
  }
  visit(work.worker, {at.item, at.first_other, at.tile.last_item, n_doubles, work.dependence.data(),
                      weight, work.df.data(), pass.error.data()});
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
    with_avx2_fma(pass.instructions, all);
  });
}

}  // namespace

void for_each_dense_pair_block(const CodedData& data, const RowMatrix& row_weights,
                               MissingCells missing, Precision precision, Monitor& monitor,
                               const PairVisitor& visit, Instructions instructions,
                               Index n_leading) {
  const Pass pass = plan_pass(data, row_weights, missing, precision, instructions);
  std::vector<Workspace> workspaces(data.n_threads);
  for (int worker = 0; worker < data.n_threads; ++worker) workspaces[worker].worker = worker;
  monitor.on_work();  // with several threads the caller's own may get no job
  const Index n_packs = std::count_if(pass.row_packs.begin(), pass.row_packs.end(),
                                      [&](const Pack& p) { return p.first_item < n_leading; });
  const double share = static_cast<double>(n_packs) / static_cast<double>(pass.row_packs.size());
  const int n_threads = useful_threads(data.n_threads, steps_per_operation * pass.cost * share);
  for_each_job(n_packs, n_threads, [&](Index job, int worker) {
    Workspace& work = workspaces[worker];
    const Pack& pack = pass.row_packs[job];
    const PackTargets targets(data, pack, missing);
    work.rows.cut(data, pack, targets);
    work.row_sums.clear();
    for (std::size_t tile = 0; tile < data.indicators.tiles.size(); ++tile) {
      const Part part = part_for(pack, data.indicators.tiles[tile]);
      if (part.is_empty) continue;
      sum_part(pass, targets, data.indicators.tiles[tile], part, work);
      visit_pack(pass, pack, static_cast<Index>(tile), part, work, visit);
      if (worker == 0) monitor.on_work();
    }
  });
}

}  // namespace mdpd
