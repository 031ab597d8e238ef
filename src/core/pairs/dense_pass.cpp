#include "pairs/dense_pass.h"

#include <algorithm>
#include <cmath>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/scatter.h"
#include "data/indicators.h"
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
  Index stride = 0;  ///< doubles of one cell of a table
  FixedWeights weights = {};
  std::vector<double> units = {};      ///< limbs x stride: the weight of 1 in that limb
  std::vector<Pack> row_packs = {};    ///< the rows are sorted by the codes of one of these
  bool is_complete = false;            ///< whether all rows count in every pair
  std::vector<Index> first_cell = {};  ///< of each item, in a run of all levels that enter

  /// First level of an item that enters, as a digit: a missing cell may not count.
  Index first_digit(Index item) const {
    return data.has_missing[item] && missing == MissingCells::kIgnore ? 1 : 0;
  }
};

/// A tile's items above the first one of a row pack, and the blocks of their columns.
struct Part {
  const IndicatorTile& tile;
  Index first_item = 0;
  Index first_block = 0;
  Index n_blocks = 0;

  Index n_columns() const { return n_blocks * columns_of_block; }
};

/// What one thread works with.
struct Workspace {
  int worker = 0;
  RowStretches rows;  ///< of the row pack
  StretchBuffers buffers;
  std::vector<double> all_rows;     ///< targets x weights: of all rows; and room for a cell
  AlignedArray<std::int32_t> sums;  ///< of one block of rows; see TargetSums
  std::vector<double> totals;       ///< of all blocks, where there are several
  AlignedDoubles level;             ///< the sums of one level; see Meeting::unpack()
  AlignedDoubles cells;             ///< levels of one item x cells of the others; and their sums
  AlignedDoubles terms;    ///< sum of x log x over the cells of a column, less that of the column
  AlignedDoubles margins;  ///< (levels + 1) x pairs: row sums of the table of each pair, its weight
  AlignedDoubles row_terms;  ///< x log x of a table's weight, less that of its row sums
  AlignedDoubles dependence;
  std::vector<double> df;
  AlignedDoubles column_logs;        ///< x log x of the columns' sums
  std::vector<double> free_columns;  ///< of each other item, the levels that carry weight, less one
};

Pass plan_pass(const CodedData& data, const RowMatrix& row_weights, const PassOptions& options) {
  Pass pass{data, indicators_of(data), options.missing};
  pass.stride = padded_columns(row_weights.cols());
  pass.weights = fix_weights(row_weights, options.precision);
  for (int limb = 0; limb < pass.weights.n_limbs; ++limb) {
    for (Index k = 0; k < pass.stride; ++k) {
      const double unit = k < row_weights.cols() ? pass.weights.unit[k] : 0.0;
      pass.units.push_back(std::ldexp(unit, limb * bits_of_limb));
    }
  }
  pass.is_complete =
      options.missing == MissingCells::kFrozen ||
      std::none_of(data.has_missing.begin(), data.has_missing.end(), [](bool any) { return any; });
  const Index n_levels = least_levels_of_row_pack + data.n_obs / rows_per_level;
  pass.row_packs = pack_items(data, all_items(data), std::min(n_levels, most_levels_of_row_pack));
  pass.first_cell.assign(1, 0);
  for (Index item = 0; item < data.n_items; ++item) {
    const Index n_cells = n_digits(data, item) - pass.first_digit(item);
    pass.first_cell.push_back(pass.first_cell.back() + n_cells);
  }
  return pass;
}

// Sums over rows ----------------------------------------------------------------------------------

/// Makes the sums of the first levels of a row pack's items, where they enter.
/// @param sums targets x size.
template <class Sum>
void add_first_levels(const Pass& pass, const Pack& pack, Sum* sums, Index n_targets, Index size) {
  Eigen::Map<Eigen::Matrix<Sum, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(
      sums, n_targets, size);
  Index first = 0;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index n = n_digits(pass.data, item);
    if (pass.first_digit(item) == 0) {
      rows.row(first) = rows.row(n_targets - 1);
      for (Index digit = 1; digit < n; ++digit) rows.row(first) -= rows.row(first + digit);
    }
    first += n;
  }
}

/// Sums over a part of the columns of one tile, for all targets of the row pack.
void sum_part(const Pass& pass, const Pack& pack, const Part& part, Workspace& work) {
  const RowStretches& rows = work.rows;
  const FixedWeights& weights = pass.weights;
  const RowTable table = {pass.indicators.bits.data() + part.tile.start, part.tile.n_bytes,
                          weights.limbs.data(), weights.limbs_of_row(), weights.stride};
  const bool is_first_tile = work.all_rows.empty();
  work.all_rows.resize(rows.n_targets() * table.n_weights + pass.stride, 0.0);
  const Index size_of_target = table.n_weights * part.n_columns();
  const Index size = rows.n_targets() * size_of_target;
  const bool has_totals = pass.data.n_obs > rows_per_block;
  work.totals.assign(has_totals ? size : 0, 0.0);
  work.sums.grow_to(size);
  std::int32_t* sums = work.sums.data();
  std::fill_n(sums, size, 0);
  const TargetSums to = {part.first_block, part.n_blocks, sums,
                         is_first_tile ? work.all_rows.data() : nullptr};
  for (Index at = 0; at < rows.size(); ++at) {
    add_stretch(table, rows[at], to, work.buffers, pass.data.instructions);
    if (!has_totals || !rows[at].ends_block) continue;
    for (Index i = 0; i < size; ++i) work.totals[i] += sums[i];
    std::fill_n(sums, size, 0);
  }
  if (is_first_tile) {
    add_first_levels(pass, pack, work.all_rows.data(), rows.n_targets(), table.n_weights);
  }
  if (has_totals)
    add_first_levels(pass, pack, work.totals.data(), rows.n_targets(), size_of_target);
  else
    add_first_levels(pass, pack, sums, rows.n_targets(), size_of_target);
}

using Sums = std::int32_t __attribute__((vector_size(n_lanes * sizeof(std::int32_t))));

using mdpd::load;
[[gnu::always_inline]] inline void load(const std::int32_t* from, Lanes& to) {
  Sums sums;
  std::memcpy(&sums, from, sizeof sums);
  to = __builtin_convertvector(sums, Lanes);
}

/// Picks four of eight numbers.
template <int... places>
[[gnu::always_inline]] inline void pick(const Lanes& a, const Lanes& b, Lanes& out) {
#ifdef __clang__
  out = __builtin_shufflevector(a, b, places...);
#else
  out = __builtin_shuffle(a, b, LaneBits{places...});
#endif
}

/// Writes the sums of four weights over a block's columns side by side.
template <class Sum>
[[gnu::always_inline]] inline void unpack_block(const Sum* const* sums, Index stride, double* out) {
  for (Index place = 0; place < columns_of_block; place += n_lanes) {
    Lanes weight[n_lanes];
    for (int k = 0; k < n_lanes; ++k) load(sums[k] + place, weight[k]);
    Lanes even_01;
    Lanes even_23;
    Lanes odd_01;
    Lanes odd_23;
    pick<0, 4, 2, 6>(weight[0], weight[1], even_01);
    pick<0, 4, 2, 6>(weight[2], weight[3], even_23);
    pick<1, 5, 3, 7>(weight[0], weight[1], odd_01);
    pick<1, 5, 3, 7>(weight[2], weight[3], odd_23);
    Lanes at[n_lanes];
    pick<0, 1, 4, 5>(even_01, even_23, at[0]);
    pick<0, 1, 4, 5>(odd_01, odd_23, at[1]);
    pick<2, 3, 6, 7>(even_01, even_23, at[2]);
    pick<2, 3, 6, 7>(odd_01, odd_23, at[3]);
    for (int i = 0; i < n_lanes; ++i) store(at[i], out + column_at_place[place + i] * stride);
  }
}

// Tables ------------------------------------------------------------------------------------------

/// Levels that carry weight, less one.
double free_levels(const double* weights, Index n_levels, Index distance, Index n_doubles) {
  Index n = 0;
  for (Index level = 0; level < n_levels; ++level) {
    const double* from = weights + level * distance;
    n += std::any_of(from, from + n_doubles, [](double weight) { return weight > 0.0; });
  }
  return static_cast<double>(std::max<Index>(0, n - 1));
}

/// The tables of an item of the row pack with the later ones of a tile. Where every cell counts, all
/// of them have the same row sums, and a column's sum is the same for all items of the pack.
/// Vectors of each cell's weights are worked on as a whole, or in parts.
template <int fixed_stride>
class Meeting {
 public:
  /// @param first_target of the item's digits.
  Meeting(const Pass& pass, const Part& part, Index item, Index first_target, Workspace& work)
      : pass_(pass),
        part_(part),
        work_(work),
        item_(item),
        n_rows_(n_cells(item)),
        first_target_(first_target + pass.first_digit(item)),
        first_other_(std::max(item + 1, part.tile.first_item)),
        n_others_(part.tile.last_item - first_other_),
        n_margins_(pass.is_complete ? 1 : n_others_),
        stride_(fixed_stride > 0 ? fixed_stride : pass.stride),
        width_(round_up_to_lanes(first_cell(n_others_) * stride_)),
        pair_width_(round_up_to_lanes(n_others_ * stride_)) {
    work.level.grow_to(pass.weights.n_limbs * part.n_columns() * level_stride());
    work.cells.grow_to((n_rows_ + 1) * width_);
    work.terms.grow_to(width_);
    work.margins.grow_to((n_rows_ + 1) * pair_width_);
    work.row_terms.grow_to(pair_width_);
    work.dependence.grow_to(pair_width_);
    work.df.resize(n_others_);
  }

  /// @param has_columns whether those of the pack's first item, which meets all that its others do,
  /// serve this one as well.
  [[gnu::always_inline]] void visit(bool has_columns, const PairVisitor& visit) {
    fill_cells();
    if (!has_columns) {
      work_.column_logs.grow_to(width_ + n_lanes);
      work_.free_columns.resize(n_others_);
    }
    add_up_columns(has_columns);
    sum_pairs();
    count_df(has_columns);
    add_row_terms();
    visit(work_.worker, {item_, first_other_, part_.tile.last_item, stride_,
                         work_.dependence.data(), work_.df.data(), pass_.weights.error.data()});
  }

 private:
  using Weights = typename Cell<fixed_stride>::Type;
  static constexpr Index width_of_weights = sizeof(Weights) / sizeof(double);

  Index n_cells(Index item) const { return pass_.first_cell[item + 1] - pass_.first_cell[item]; }
  /// Of the other in a place.
  Index first_cell(Index other) const {
    return pass_.first_cell[first_other_ + other] - pass_.first_cell[first_other_];
  }
  Index level_stride() const { return round_up_to_lanes(pass_.weights.n_columns); }

  /// Weights of all levels of the item with those of the others.
  [[gnu::always_inline]] void fill_cells() {
    const Index n_weights = pass_.weights.limbs_of_row();
    const Index size = n_weights * part_.n_columns();
    for (Index r = 0; r < n_rows_; ++r) {
      const Index target = first_target_ + r;
      if (work_.totals.empty())
        unpack(work_.sums.data() + target * size);
      else
        unpack(work_.totals.data() + target * size);
      double* to = work_.cells.data() + r * width_;
      for (Index other = first_other_; other < part_.tile.last_item; ++other) {
        fill_cells_of(other, work_.all_rows.data() + target * n_weights, to);
        to += n_cells(other) * stride_;
      }
    }
  }

  /// Unpacks the sums of one level: limbs x columns x level_stride() doubles, without those columns
  /// that come before the part's blocks.
  template <class Sum>
  [[gnu::always_inline]] void unpack(const Sum* sums) {
    alignas(32) static constexpr Sum none[columns_of_block] = {};
    const Index n_columns = pass_.weights.n_columns;
    double* out = work_.level.data();
    for (int limb = 0; limb < pass_.weights.n_limbs; ++limb) {
      for (Index block = 0; block < part_.n_blocks; ++block) {
        const Index first = block * pass_.weights.limbs_of_row() + limb * n_columns;
        for (Index k = 0; k < n_columns; k += n_lanes) {
          const Sum* of_weight[n_lanes];
          for (Index i = 0; i < n_lanes; ++i) {
            of_weight[i] = k + i < n_columns ? sums + (first + k + i) * columns_of_block : none;
          }
          unpack_block(of_weight, level_stride(), out + k);
        }
        out += columns_of_block * level_stride();
      }
    }
  }

  /// Weights of one level of the item with all levels of another, from what was unpacked.
  [[gnu::always_inline]] void fill_cells_of(Index other, const double* all_rows, double* cells) {
    const IndicatorTile& tile = part_.tile;
    const Index n_columns = n_digits(pass_.data, other) - 1;
    const Index n_first = n_cells(other) - n_columns;
    const Index column =
        tile.first_column[other - tile.first_item] - part_.first_block * columns_of_block;
    for (int limb = 0; limb < pass_.weights.n_limbs; ++limb) {
      const double* from =
          work_.level.data() + (limb * part_.n_columns() + column) * level_stride();
      for (Index v = 0; v < stride_; v += width_of_weights) {
        Weights unit;
        Weights left;
        std::memcpy(&unit, pass_.units.data() + limb * stride_ + v, sizeof unit);
        // Of each limb the difference is exact: a level without weight has none.
        std::memcpy(&left, all_rows + limb * pass_.weights.n_columns + v, sizeof left);
        const auto put = [&](const Weights& sum, double* to) __attribute__((always_inline)) {
          const Weights weights = unit * sum;
          if (limb == 0)
            std::memcpy(to, &weights, sizeof weights);
          else
            add_to_cell(weights, to);
        };
        for (Index c = 0; c < n_columns; ++c) {
          Weights sum;
          std::memcpy(&sum, from + c * level_stride() + v, sizeof sum);
          left -= sum;
          put(sum, cells + (n_first + c) * stride_ + v);
        }
        if (n_first > 0) put(left, cells + v);
      }
    }
  }

  /// The sum of every column of the tables, and the x log x of its cells less that of the sum.
  [[gnu::always_inline]] void add_up_columns(bool has_logs) {
    const double* cells = work_.cells.data();
    double* sums = work_.cells.data() + n_rows_ * width_;
    double* logs = work_.column_logs.data();
    if (has_logs) {
      logs += (pass_.first_cell[first_other_] - pass_.first_cell[part_.first_item]) * stride_;
    }
    for (Index at = 0; at < width_; at += n_lanes) {
      Lanes column{};
      Lanes term{};
      Lanes value;
      for (Index r = 0; r < n_rows_; ++r) {
        Lanes cell;
        load(cells + r * width_ + at, cell);
        x_log_x(cell, value);
        column += cell;
        term += value;
      }
      if (has_logs) {
        load(logs + at, value);
      } else {
        x_log_x(column, value);
        store(value, logs + at);
      }
      term -= value;
      store(column, sums + at);
      store(term, work_.terms.data() + at);
    }
  }

  /// Adds up the cells of each of the first pairs.
  [[gnu::always_inline]] void sum_cells(const double* cells, Index n_pairs, double* sums) {
    for (Index j = 0; j < n_pairs; ++j) {
      for (Index v = 0; v < stride_; v += width_of_weights) {
        Weights sum{};
        for (Index cell = first_cell(j); cell < first_cell(j + 1); ++cell) {
          Weights in;
          std::memcpy(&in, cells + cell * stride_ + v, sizeof in);
          sum += in;
        }
        std::memcpy(sums + j * stride_ + v, &sum, sizeof sum);
      }
    }
  }

  /// The terms of the columns, and the row sums of the tables with their weights.
  [[gnu::always_inline]] void sum_pairs() {
    sum_cells(work_.terms.data(), n_others_, work_.dependence.data());
    for (Index r = 0; r <= n_rows_; ++r) {
      sum_cells(work_.cells.data() + r * width_, n_margins_,
                work_.margins.data() + r * pair_width_);
    }
  }

  /// Degrees of freedom of all pairs.
  void count_df(bool has_columns) {
    double* free_columns = work_.free_columns.data();
    if (has_columns) free_columns += first_other_ - part_.first_item;
    const double* columns = work_.cells.data() + n_rows_ * width_;
    double free_rows = 0.0;
    for (Index j = 0; j < n_others_; ++j) {
      if (!has_columns) {
        free_columns[j] = free_levels(columns + first_cell(j) * stride_, n_cells(first_other_ + j),
                                      stride_, stride_);
      }
      if (j < n_margins_) {
        free_rows = free_levels(work_.margins.data() + j * stride_, n_rows_, pair_width_, stride_);
      }
      work_.df[j] = free_rows * free_columns[j];
    }
  }

  /// Adds the row terms, and leaves out what is but rounding.
  [[gnu::always_inline]] void add_row_terms() {
    const double* margins = work_.margins.data();
    double* weights = work_.margins.data() + n_rows_ * pair_width_;
    double* terms = work_.row_terms.data();
    double* dependence = work_.dependence.data();
    for (Index at = 0; at < n_margins_ * stride_; at += n_lanes) {
      Lanes margin;
      Lanes value;
      Lanes term;
      load(weights + at, margin);
      x_log_x(margin, term);
      for (Index r = 0; r < n_rows_; ++r) {
        load(margins + r * pair_width_ + at, margin);
        x_log_x(margin, value);
        term -= value;
      }
      store(term, terms + at);
    }
    for (Index at = n_margins_ * stride_; at < n_others_ * stride_; ++at) {
      terms[at] = terms[at - stride_];
      weights[at] = weights[at - stride_];
    }
    for (Index at = 0; at < pair_width_; at += n_lanes) {
      Lanes sum;
      Lanes term;
      Lanes weight;
      load(dependence + at, sum);
      load(terms + at, term);
      load(weights + at, weight);
      sum += term;
      sum = sum > rounding_of_dependence * weight ? sum : Lanes{};
      store(sum, dependence + at);
    }
  }

  const Pass& pass_;
  const Part& part_;
  Workspace& work_;
  Index item_;
  Index n_rows_;        ///< levels of the item
  Index first_target_;  ///< of these
  Index first_other_;
  Index n_others_;   ///< the last ones of the tile
  Index n_margins_;  ///< tables of which the row sums differ
  Index stride_;     ///< doubles of a cell
  Index width_;      ///< doubles of the cells at one level of the item
  Index pair_width_;
};

/// All pairs of a row pack's items with those of a tile's items that meet them, the sums being
/// there.
void visit_pack(const Pass& pass, const Pack& pack, const Part& part, Workspace& work,
                const PairVisitor& visit) {
  with_constant<1, 2, 4, 8>(pass.stride, [&](auto size) {
    constexpr int stride = size;
    const auto visit_all = [&]() __attribute__((always_inline)) {
      Index first_target = 0;
      const Index end = std::min(pack.first_item + pack.n_items, part.tile.last_item - 1);
      for (Index item = pack.first_item; item < end; ++item) {
        const bool has_columns = pass.is_complete && item > pack.first_item;
        Meeting<stride>(pass, part, item, first_target, work).visit(has_columns, visit);
        first_target += n_digits(pass.data, item);
      }
    };
    with_avx2(pass.data.instructions, visit_all);
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
    work.rows.cut(data, pack);
    work.all_rows.clear();
    for (const IndicatorTile& tile : pass.indicators.tiles) {
      const Index first_item = std::max(pack.first_item + 1, tile.first_item);
      if (first_item >= tile.last_item) continue;
      const Index first_block = tile.first_column[first_item - tile.first_item] / columns_of_block;
      const Index end = (tile.n_columns + columns_of_block - 1) / columns_of_block;
      const Part part = {tile, first_item, first_block, end - first_block};
      sum_part(pass, pack, part, work);
      visit_pack(pass, pack, part, work, visit);
      if (worker == 0) monitor.on_work();
    }
  });
}

}  // namespace mdpd
