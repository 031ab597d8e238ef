#include "pair_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "errors.h"
#include "jobs.h"
#include "lanes.h"
#include "packed_items.h"
#include "scatter.h"
#include "sparse_pass.h"

namespace mdpd {

namespace {

/// Rows whose codes and weights stay in the second-level cache while they are visited in the order
/// of a pack's code.
constexpr Index rows_per_block = 16384;
/// The order of a pack's code jumps between rows: the hardware does not see the next one coming.
constexpr std::uint32_t rows_ahead = 4;
/// Levels of a row pack that are worth a try.
constexpr Index most_levels_of_row_pack = 256;
/// Of adding eight doubles of a tile's table to the sums, in additions of one row's weights.
constexpr double flush_cost = 0.7;

/// How the cells of a tile's packs add up to the levels of its items.
struct TileOutputs {
  std::vector<Index> item_start;       ///< items + 1: first output cell of each item
  std::vector<Index> source_start;     ///< output cells + 1: where its sources begin
  std::vector<std::uint16_t> sources;  ///< the tile's cells that add up to an output cell

  Index n_cells() const { return item_start.back(); }
};

/// What all threads read.
struct Pass {
  Pass(const CodedData& data_in, MissingCells missing_in) : data(data_in), missing(missing_in) {}

  const CodedData& data;
  MissingCells missing;
  Index stride = 0;                  ///< doubles of one row's weights
  std::vector<Pack> row_packs;       ///< the rows are sorted by the codes of one of these
  std::vector<TileOutputs> outputs;  ///< of each of data.packed.tiles
  AlignedDoubles weights;            ///< n_obs x stride
};

/// First level of an item that enters, as a digit: a missing cell may not count.
Index first_digit(const Pass& pass, Index item) {
  return pass.data.has_missing[item] && pass.missing == MissingCells::kIgnore ? 1 : 0;
}

Index n_outputs(const Pass& pass, Index item) {
  return n_digits(pass.data, item) - first_digit(pass, item);
}

// Planning ----------------------------------------------------------------------------------------

/// Estimated cost of a pass in additions of one vector, for these row packs.
double planned_cost(const CodedData& data, Index stride, const std::vector<Pack>& row_packs) {
  const std::vector<Pack>& packs = data.packed.packs;
  const double width = static_cast<double>(stride) / n_lanes;
  const double n_obs = static_cast<double>(data.n_obs);
  const double n_blocks = std::ceil(n_obs / rows_per_block);
  double n_later = 0.0;  // packs and cells that hold items above the row pack's first
  double cells = 0.0;
  double cost = 0.0;
  Index at = static_cast<Index>(packs.size());
  for (Index a = static_cast<Index>(row_packs.size()) - 1; a >= 0; --a) {
    const Pack& pack = row_packs[a];
    while (at > 0 && packs[at - 1].first_item + packs[at - 1].n_items > pack.first_item) {
      n_later += 1.0;
      cells += static_cast<double>(packs[--at].n_levels);
    }
    const double groups = n_blocks * static_cast<double>(pack.n_levels);
    const double flushes = groups * static_cast<double>(pack.n_items + 1);
    cost += n_obs * n_later * std::max(1.0, width) + flush_cost * flushes * cells * width;
  }
  return cost;
}

void choose_row_packs(Pass& pass) {
  double least = std::numeric_limits<double>::infinity();
  for (Index most_levels = 2; most_levels <= most_levels_of_row_pack; most_levels *= 2) {
    std::vector<Pack> packs = pack_items(pass.data, most_levels);
    const double cost = planned_cost(pass.data, pass.stride, packs);
    if (!(cost < least)) continue;
    least = cost;
    pass.row_packs = std::move(packs);
  }
}

/// Lists for every level of every item of the tile the cells of the packs that add up to it.
TileOutputs list_outputs(const Pass& pass, const Tile& tile) {
  TileOutputs out;
  out.item_start.assign(1, 0);
  out.source_start.assign(1, 0);
  Index base = 0;
  for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
    const Pack& pack = pass.data.packed.packs[p];
    for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
      for (Index digit = first_digit(pass, item); digit < n_digits(pass.data, item); ++digit) {
        for (Index code = 0; code < pack.n_levels; ++code) {
          if (digit_of(pass.data, pack, item, code) != digit) continue;
          out.sources.push_back(static_cast<std::uint16_t>(base + code));
        }
        out.source_start.push_back(static_cast<Index>(out.sources.size()));
      }
      out.item_start.push_back(out.item_start.back() + n_outputs(pass, item));
    }
    base += pack.n_levels;
  }
  return out;
}

Pass plan_pass(const CodedData& data, const RowMatrix& row_weights, MissingCells missing) {
  Pass pass(data, missing);
  pass.stride = padded_columns(row_weights.cols());
  choose_row_packs(pass);
  for (const Tile& tile : data.packed.tiles) pass.outputs.push_back(list_outputs(pass, tile));
  pass.weights.grow_to(data.n_obs * pass.stride);
  double* weights = pass.weights.data();
  for (Index n = 0; n < data.n_obs; ++n) {
    std::copy_n(row_weights.row(n).data(), row_weights.cols(), weights + n * pass.stride);
  }
  return pass;
}

// One pack of rows --------------------------------------------------------------------------------

/// What one thread works with.
struct Workspace {
  int worker = 0;
  std::vector<std::uint16_t> codes;        ///< n_obs: code of the row pack
  std::vector<std::uint32_t> order;        ///< n_obs: rows of each block by their code
  std::vector<std::uint32_t> group_start;  ///< blocks x (levels + 1)
  std::vector<std::uint32_t> next;         ///< levels: where the sort puts the next row
  AlignedDoubles table;                    ///< one tile at one code of the row pack
  AlignedDoubles sums;                     ///< levels of the row pack's items x tile cells
  AlignedDoubles outputs;                  ///< levels of one item x output cells
  AlignedDoubles columns;                  ///< sums over the item's levels of the above
  AlignedDoubles terms;    ///< sum of x log x over the cells of a column, less that of the column
  AlignedDoubles margins;  ///< (levels + 1) x pairs: row sums of the table of each pair, its weight
  AlignedDoubles dependence;
  std::vector<double> df;
};

Index n_blocks_of(const CodedData& data) {
  return (data.n_obs + rows_per_block - 1) / rows_per_block;
}

/// Rows of each block by their code, rows of one code in their order (a counting sort).
void sort_rows(const CodedData& data, const Pack& pack, Workspace& work) {
  work.codes.resize(data.n_obs);
  pack_rows(data, pack, work.codes.data());
  work.order.resize(data.n_obs);
  work.group_start.assign(n_blocks_of(data) * (pack.n_levels + 1), 0);
  for (Index block = 0; block < n_blocks_of(data); ++block) {
    const Index from = block * rows_per_block;
    const Index to = std::min(data.n_obs, from + rows_per_block);
    std::uint32_t* start = work.group_start.data() + block * (pack.n_levels + 1);
    for (Index n = from; n < to; ++n) ++start[work.codes[n] + 1];
    start[0] = static_cast<std::uint32_t>(from);
    std::partial_sum(start, start + pack.n_levels + 1, start);
    work.next.assign(start, start + pack.n_levels);
    for (Index n = from; n < to; ++n) {
      work.order[work.next[work.codes[n]]++] = static_cast<std::uint32_t>(n);
    }
  }
}

/// Adds a tile's table, which holds the rows of one code of the row pack, to the sums of that code's
/// levels, and clears it.
[[gnu::always_inline]] inline void flush_table(const Pass& pass, const Pack& pack, Index code,
                                               Index n_table, double* table, double* sums) {
  Index first_level = 0;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index digit = digit_of(pass.data, pack, item, code) - first_digit(pass, item);
    double* to = sums + (first_level + digit) * n_table;
    for (Index at = 0; digit >= 0 && at < n_table; at += n_lanes) {
      Lanes in;
      load(table + at, in);
      add_to_cell(in, to + at);
    }
    first_level += n_outputs(pass, item);
  }
  std::fill_n(table, n_table, 0.0);
}

/// Sums of all levels of the row pack's items over the cells of one tile.
template <int stride>
[[gnu::always_inline]] inline void sum_tile(const Pass& pass, const Pack& pack, const Tile& tile,
                                            double* weights, Workspace& work) {
  const Index n_doubles = stride > 0 ? stride : pass.stride;
  const Index n_table = round_up_to_lanes(tile.n_cells * n_doubles);
  Index n_sums = 0;
  for (Index i = 0; i < pack.n_items; ++i) n_sums += n_outputs(pass, pack.first_item + i);
  work.table.grow_to(n_table);
  work.sums.grow_to(n_sums * n_table);
  double* table = work.table.data();
  double* sums = work.sums.data();
  std::fill_n(table, n_table, 0.0);
  std::fill_n(sums, n_sums * n_table, 0.0);
  const Index n_all_packs = static_cast<Index>(pass.data.packed.packs.size());
  const Index n_packs = tile.last_pack - tile.first_pack;
  const std::uint16_t* cells = pass.data.packed.cells.data() + tile.first_pack;
  for (Index block = 0; block < n_blocks_of(pass.data); ++block) {
    const std::uint32_t* start = work.group_start.data() + block * (pack.n_levels + 1);
    for (Index code = 0; code < pack.n_levels; ++code) {
      if (start[code] == start[code + 1]) continue;
      for (std::uint32_t at = start[code]; at < start[code + 1]; ++at) {
        const std::uint32_t ahead = std::min(at + rows_ahead, start[pack.n_levels] - 1);
        __builtin_prefetch(weights + work.order[ahead] * n_doubles);
        __builtin_prefetch(cells + work.order[ahead] * n_all_packs);
        const Index row = work.order[at];
        add_row<stride>(weights + row * n_doubles, cells + row * n_all_packs, n_packs, table,
                        n_doubles);
      }
      flush_table(pass, pack, code, n_table, table, sums);
    }
  }
}

/// Sums the packs' cells down to the levels of their items, for one level of the other item.
template <int stride>
[[gnu::always_inline]] inline void sum_outputs(const TileOutputs& tile, Index n_doubles,
                                               Index first, const double* sums, double* outputs) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const Index step = stride > 0 ? stride : n_doubles;
  for (Index out = first; out < tile.n_cells(); ++out) {
    for (Index v = 0; v < step; v += width) {
      Weights sum{};
      for (Index at = tile.source_start[out]; at < tile.source_start[out + 1]; ++at) {
        Weights in;
        std::memcpy(&in, sums + tile.sources[at] * step + v, sizeof in);
        sum += in;
      }
      std::memcpy(outputs + (out - first) * step + v, &sum, sizeof sum);
    }
  }
}

/// Of every column of the tables, cell by cell: the sum over the item's levels, and the x log x of
/// the cells less that of their sum.
[[gnu::always_inline]] inline void column_terms(const double* outputs, Index n_rows, Index width,
                                                double* columns, double* terms) {
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
    x_log_x(column, value);
    term -= value;
    store(column, columns + at);
    store(term, terms + at);
  }
}

/// Levels that carry weight, less one.
Index free_levels(const double* weights, Index n_levels, Index distance, Index n_doubles) {
  Index n = 0;
  for (Index level = 0; level < n_levels; ++level) {
    const double* from = weights + level * distance;
    n += std::any_of(from, from + n_doubles, [](double weight) { return weight > 0.0; });
  }
  return std::max<Index>(0, n - 1);
}

/// dependence = terms of the cells - x log x of the row sums + x log x of the weight.
[[gnu::always_inline]] inline void finish_dependence(const double* margins, Index n_rows,
                                                     Index width, double* dependence) {
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

/// Hands over the pairs of one item of the row pack with the tile's items above it.
template <int stride>
[[gnu::always_inline]] inline void visit_item(const Pass& pass, const Tile& tile,
                                              const TileOutputs& levels, Index item,
                                              const double* sums, Workspace& work,
                                              const PairVisitor& visit) {
  const Index n_doubles = stride > 0 ? stride : pass.stride;
  const Index n_table = round_up_to_lanes(tile.n_cells * n_doubles);
  const Index n_rows = n_outputs(pass, item);
  const Index first_other = std::max(item + 1, tile.first_item);
  const Index* item_start = levels.item_start.data() + (first_other - tile.first_item);
  const Index n_others = tile.last_item - first_other;
  const Index width = round_up_to_lanes((levels.n_cells() - item_start[0]) * n_doubles);
  const Index margin_width = round_up_to_lanes(n_others * n_doubles);
  work.outputs.grow_to(n_rows * width);
  work.columns.grow_to(width);
  work.terms.grow_to(width);
  work.margins.grow_to((n_rows + 1) * margin_width);
  work.dependence.grow_to(margin_width);
  work.df.resize(n_others);
  double* outputs = work.outputs.data();
  double* margins = work.margins.data();
  double* dependence = work.dependence.data();
  for (Index r = 0; r < n_rows; ++r) {
    double* row = outputs + r * width;
    sum_outputs<stride>(levels, n_doubles, item_start[0], sums + r * n_table, row);
    std::fill(row + (levels.n_cells() - item_start[0]) * n_doubles, row + width, 0.0);
  }
  column_terms(outputs, n_rows, width, work.columns.data(), work.terms.data());
  std::fill_n(margins, (n_rows + 1) * margin_width, 0.0);
  std::fill_n(dependence, margin_width, 0.0);
  for (Index j = 0; j < n_others; ++j) {
    const Index from = item_start[j] - item_start[0];
    const Index n_cols = item_start[j + 1] - item_start[j];
    for (Index s = from; s < from + n_cols; ++s) {
      for (Index c = 0; c < n_doubles; ++c) {
        dependence[j * n_doubles + c] += work.terms.data()[s * n_doubles + c];
        margins[n_rows * margin_width + j * n_doubles + c] +=
            work.columns.data()[s * n_doubles + c];
      }
      for (Index r = 0; r < n_rows; ++r) {
        for (Index c = 0; c < n_doubles; ++c) {
          margins[r * margin_width + j * n_doubles + c] += outputs[r * width + s * n_doubles + c];
        }
      }
    }
    work.df[j] = static_cast<double>(
        free_levels(margins + j * n_doubles, n_rows, margin_width, n_doubles) *
        free_levels(work.columns.data() + from * n_doubles, n_cols, n_doubles, n_doubles));
  }
  finish_dependence(margins, n_rows, margin_width, dependence);
  visit(work.worker, {item, first_other, tile.last_item, n_doubles, dependence,
                      margins + n_rows * margin_width, work.df.data()});
}

/// All pairs of a row pack's items with later items of one tile.
template <int stride>
[[gnu::always_inline]] inline void visit_tile(const Pass& pass, const Pack& pack, Index at_tile,
                                              double* weights, Workspace& work,
                                              const PairVisitor& visit) {
  const Tile& tile = pass.data.packed.tiles[at_tile];
  const TileOutputs& levels = pass.outputs[at_tile];
  sum_tile<stride>(pass, pack, tile, weights, work);
  const Index n_doubles = stride > 0 ? stride : pass.stride;
  const Index n_table = round_up_to_lanes(tile.n_cells * n_doubles);
  const double* sums = work.sums.data();
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    if (item + 1 < tile.last_item) visit_item<stride>(pass, tile, levels, item, sums, work, visit);
    sums += n_outputs(pass, item) * n_table;
  }
}

// The same code for each instruction set ----------------------------------------------------------

using TileKernel = void (*)(const Pass&, const Pack&, Index, double*, Workspace&,
                            const PairVisitor&);

template <int stride>
void visit_tile_portable(const Pass& pass, const Pack& pack, Index tile, double* weights,
                         Workspace& work, const PairVisitor& visit) {
  visit_tile<stride>(pass, pack, tile, weights, work, visit);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <int stride>
[[gnu::target("avx2,fma")]] void visit_tile_avx2(const Pass& pass, const Pack& pack, Index tile,
                                                 double* weights, Workspace& work,
                                                 const PairVisitor& visit) {
  visit_tile<stride>(pass, pack, tile, weights, work, visit);
}
#endif

template <int stride>
TileKernel kernel_for(Instructions instructions) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (instructions == Instructions::kAvx2) return visit_tile_avx2<stride>;
#endif
  return visit_tile_portable<stride>;
}

TileKernel choose_kernel(Index stride, Instructions instructions) {
  switch (stride) {
    case 1: return kernel_for<1>(instructions);
    case 2: return kernel_for<2>(instructions);
    case 4: return kernel_for<4>(instructions);
    case 8: return kernel_for<8>(instructions);
    default: return kernel_for<0>(instructions);
  }
}

}  // namespace

void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
                         Monitor& monitor, const PairVisitor& visit, Instructions instructions) {
  if (data.n_items < 2 || data.n_obs == 0) return;
  if (data.is_sparse()) {
    if (missing == MissingCells::kLevel) throw DimensionError("sparse data have no missing level");
    for_each_sparse_pair(data, row_weights, monitor, visit);
    return;
  }
  Pass pass = plan_pass(data, row_weights, missing);
  const TileKernel kernel = choose_kernel(pass.stride, instructions);
  std::vector<Workspace> workspaces(data.n_threads);
  for (int worker = 0; worker < data.n_threads; ++worker) workspaces[worker].worker = worker;
  double* weights = pass.weights.data();
  monitor.on_work();  // with several threads the caller's own may get no job
  const Index n_packs = static_cast<Index>(pass.row_packs.size());
  const double n_operations =
      0.5 * static_cast<double>(n_packs) * static_cast<double>(data.packed.cells.size());
  for_each_job(n_packs, useful_threads(data.n_threads, n_operations), [&](Index job, int worker) {
    Workspace& work = workspaces[worker];
    const Pack& pack = pass.row_packs[job];
    sort_rows(data, pack, work);
    for (std::size_t tile = 0; tile < data.packed.tiles.size(); ++tile) {
      if (data.packed.tiles[tile].last_item <= pack.first_item + 1) continue;
      kernel(pass, pack, static_cast<Index>(tile), weights, work, visit);
      if (worker == 0) monitor.on_work();
    }
  });
}

}  // namespace mdpd
