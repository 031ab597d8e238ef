#include "model/m_step.h"

#include <algorithm>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/numerics.h"
#include "base/scatter.h"
#include "data/packed_items.h"

namespace mdpd {

namespace {

/// Adds rows of a posterior, times their case weights, to the tables of one tile.
struct CountJob {
  const double* posterior;  ///< n_rows x n_components, and n_doubles to read from the last row on
  const double* case_weights;
  const std::uint16_t* cells;
  Index n_rows;
  Index n_components;
  Index n_all_packs;
  Index n_packs;
  Index n_doubles;
  double* row;  ///< room for the weights of one row
  double* table;
};

/// A row is read as if it were padded: what comes from the next row is added where nobody looks.
template <int stride>
[[gnu::always_inline]] inline void count_rows(const CountJob& job) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const Index step = stride > 0 ? stride : job.n_doubles;
  for (Index n = 0; n < job.n_rows; ++n) {
    for (Index v = 0; v < step; v += width) {
      Weights in;
      std::memcpy(&in, job.posterior + n * job.n_components + v, sizeof in);
      in *= job.case_weights[n];
      std::memcpy(job.row + v, &in, sizeof in);
    }
    add_row<stride>(job.row, job.cells + n * job.n_all_packs, job.n_packs, job.table, step);
  }
}

void add_rows(const CountJob& job) {
  with_constant<1, 2, 4, 8>(job.n_doubles, [&](auto size) {
    constexpr int stride = size;
    const auto work = [&]() __attribute__((always_inline)) { count_rows<stride>(job); };
    with_avx2(widest_instructions(), work);
  });
}

/// Sums the cells of a pack down to the levels of one of its items: those of a level lie in runs of
/// `n_inner` cells.
template <int stride>
void sum_to_levels(const CodedData& data, Index item, Index n_cells, Index n_inner,
                   const double* table, Index n_doubles, RowMatrix& counts) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const Index step = stride > 0 ? stride : n_doubles;
  const Index lowest = data.has_missing[item] ? 1 : 0;
  const Index n_outer = n_digits(data, item) * n_inner;
  for (Index level = 0; level < data.n_levels[item]; ++level) {
    double* to = counts.row(data.offset[item] + level).data();
    for (Index v = 0; v < counts.cols(); v += width) {
      Weights sum{};
      for (Index run = (level + lowest) * n_inner; run < n_cells; run += n_outer) {
        for (Index cell = run; cell < run + n_inner; ++cell) {
          Weights at;
          std::memcpy(&at, table + cell * step + v, sizeof at);
          sum += at;
        }
      }
      const Index n_used = std::min(width, counts.cols() - v);
      std::memcpy(to + v, &sum, static_cast<std::size_t>(n_used) * sizeof(double));
    }
  }
}

template <int stride>
void sum_tile(const CodedData& data, const Tile& tile, const double* table, Index n_doubles,
              RowMatrix& counts) {
  for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
    const Pack& pack = data.packed.packs[p];
    Index n_inner = pack.n_levels;
    for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
      n_inner /= n_digits(data, item);
      sum_to_levels<stride>(data, item, pack.n_levels, n_inner, table, n_doubles, counts);
    }
    table += pack.n_levels * n_doubles;
  }
}

/// Case-weighted counts of the items of one tile.
void count_tile(const CodedData& data, const RowMatrix& posterior, const Tile& tile,
                RowMatrix& counts) {
  const Index n_components = posterior.cols();
  const Index stride = padded_columns(n_components);
  const Index n_all_packs = static_cast<Index>(data.packed.packs.size());
  AlignedDoubles table;
  AlignedDoubles row;
  table.grow_to(tile.n_cells * stride);
  row.grow_to(stride);
  // Behind the last row there is nothing to read.
  std::vector<double> last(stride, 0.0);
  const Index n_before = data.n_obs - 1;
  std::copy_n(posterior.data() + n_before * n_components, n_components, last.begin());
  const auto count = [&](const double* in, Index first_row, Index n_rows) {
    add_rows({in, data.case_weights.data() + first_row,
              data.packed.cells.data() + first_row * n_all_packs + tile.first_pack, n_rows,
              n_components, n_all_packs, tile.last_pack - tile.first_pack, stride, row.data(),
              table.data()});
  };
  count(posterior.data(), 0, n_before);
  count(last.data(), n_before, 1);
  with_constant<1, 2, 4, 8>(
      stride, [&](auto size) { sum_tile<size>(data, tile, table.data(), stride, counts); });
}

/// Case-weighted counts of the items of one group.
template <int stride>
void count_group(const CodedData& data, const RowMatrix& weights, const GroupedItems& grouped,
                 std::size_t at, RowMatrix& counts) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const Index step = stride > 0 ? stride : weights.cols();
  const ItemGroup& group = grouped.groups[at];
  const std::uint16_t* cells = grouped.cells.data() + at * static_cast<std::size_t>(data.n_obs);
  AlignedDoubles table;
  table.grow_to(group.n_levels * step);
  double* first = table.data();
  for (Index n = 0; n < data.n_obs; ++n) {
    for (Index v = 0; v < step; v += width) {
      Weights in;
      std::memcpy(&in, weights.data() + n * step + v, sizeof in);
      add_to_cell(in, first + cells[n] * step + v);
    }
  }
  Index n_inner = group.n_levels;
  for (std::size_t i = group.first_item; i < group.last_item; ++i) {
    const Index item = grouped.items[i];
    n_inner /= n_digits(data, item);
    sum_to_levels<stride>(data, item, group.n_levels, n_inner, first, step, counts);
  }
}

void normalise_counts(const CodedData& data, Index item, double smoothing, RowMatrix& probs) {
  for (Index k = 0; k < probs.cols(); ++k) {
    const Index first = data.offset[item];
    double total = smoothing;
    for (Index r = 0; r < data.n_levels[item]; ++r) total += probs(first + r, k);
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      const double marginal = data.marginal(item, r);
      double& cell = probs(first + r, k);
      cell = total > 0.0 ? (cell + smoothing * marginal) / total : marginal;
    }
  }
}

/// Lifts one column of one item. Lifting takes from the levels above the floor, which can push
/// another below it: repeat until none is, at most once per level.
void lift_column(const Vector& level_weight, double floor, Eigen::Ref<Vector> probs) {
  const Index n_seen = (level_weight.array() > 0.0).count();
  const double low = std::min(floor, 1.0 / static_cast<double>(n_seen));
  std::vector<bool> lifted(probs.size(), false);
  for (Index pass = 0; pass < probs.size(); ++pass) {
    double free = 1.0;
    double above = 0.0;
    bool changed = false;
    for (Index r = 0; r < probs.size(); ++r) {
      if (level_weight[r] > 0.0 && !lifted[r] && probs[r] < low) changed = lifted[r] = true;
      if (lifted[r])
        free -= low;
      else
        above += probs[r];
    }
    if (!changed) return;
    for (Index r = 0; r < probs.size(); ++r) {
      if (lifted[r])
        probs[r] = low;
      else if (probs[r] > 0.0)  // an unseen level stays at zero, also where nothing else is left
        probs[r] *= free / above;
    }
  }
}

/// Rows are counted in this many parts, whatever the number of threads, and the parts added in order.
constexpr Index n_sparse_parts = 8;

/// Adds the posterior of some rows to the counts of their answers.
template <int n_fixed>
void count_sparse_rows(const CodedData& data, const RowMatrix& posterior, Index first_row,
                       Index last_row, RowMatrix& counts) {
  const SparseCodes& sparse = data.sparse;
  const Index n_components = n_fixed > 0 ? n_fixed : posterior.cols();
  std::vector<double> weights(n_components);
  double fixed[n_fixed > 0 ? n_fixed : 1];
  double* weight = n_fixed > 0 ? fixed : weights.data();
  for (Index row = first_row; row < last_row; ++row) {
    const double* in = posterior.data() + row * n_components;
    for (Index k = 0; k < n_components; ++k) weight[k] = data.case_weights[row] * in[k];
    for (std::size_t at = sparse.row_start[row]; at < sparse.row_start[row + 1]; ++at) {
      const Index level = data.offset[sparse.row_item[at]] + sparse.row_code[at] - 1;
      double* to = counts.data() + level * n_components;
      for (Index k = 0; k < n_components; ++k) to[k] += weight[k];
    }
  }
}

RowMatrix sparse_level_counts(const CodedData& data, const RowMatrix& posterior) {
  const Index n_components = posterior.cols();
  std::vector<RowMatrix> parts(n_sparse_parts);
  const double n_operations = static_cast<double>(data.sparse.row_item.size());
  for_each_job(n_sparse_parts, useful_threads(data.n_threads, n_operations), [&](Index part, int) {
    RowMatrix& counts = parts[part];
    counts.setZero(data.n_total_levels(), n_components);
    with_constant<2, 3, 4, 5, 6>(n_components, [&](auto size) {
      count_sparse_rows<size>(data, posterior, part * data.n_obs / n_sparse_parts,
                              (part + 1) * data.n_obs / n_sparse_parts, counts);
    });
  });
  for (Index part = 1; part < n_sparse_parts; ++part) parts[0] += parts[part];
  return std::move(parts[0]);
}

}  // namespace

RowMatrix level_counts(const CodedData& data, const RowMatrix& posterior) {
  if (data.is_sparse()) return sparse_level_counts(data, posterior);
  RowMatrix counts = RowMatrix::Zero(data.n_total_levels(), posterior.cols());
  if (data.n_obs == 0) return counts;
  const std::vector<Tile>& tiles = data.packed.tiles;
  const double n_operations = static_cast<double>(data.packed.cells.size());
  for_each_job(static_cast<Index>(tiles.size()), useful_threads(data.n_threads, n_operations),
               [&](Index tile, int) { count_tile(data, posterior, tiles[tile], counts); });
  return counts;
}

RowMatrix group_counts(const CodedData& data, const RowMatrix& posterior,
                       const GroupedItems& grouped) {
  // Of all items at once the packs of the data serve as well.
  const bool are_few = 2 * static_cast<Index>(grouped.items.size()) < data.n_items;
  if (data.is_sparse() || !are_few) return level_counts(data, posterior);
  const Index n_components = posterior.cols();
  RowMatrix weights = RowMatrix::Zero(data.n_obs, padded_columns(n_components));
  weights.leftCols(n_components) = data.case_weights.asDiagonal() * posterior;
  RowMatrix counts = RowMatrix::Zero(data.n_total_levels(), n_components);
  const double n_operations = static_cast<double>(grouped.cells.size());
  for_each_job(static_cast<Index>(grouped.groups.size()),
               useful_threads(data.n_threads, n_operations), [&](Index at, int) {
                 with_constant<1, 2, 4, 8>(weights.cols(), [&](auto size) {
                   count_group<size>(data, weights, grouped, at, counts);
                 });
               });
  return counts;
}

MixtureParameters m_step(const CodedData& data, const RowMatrix& posterior,
                         const MStepOptions& options) {
  return m_step_from_counts(data, posterior, level_counts(data, posterior), options);
}

MixtureParameters m_step_from_counts(const CodedData& data, const RowMatrix& posterior,
                                     const RowMatrix& counts, const MStepOptions& options) {
  MixtureParameters params;
  params.mixing_weights = posterior.transpose() * data.case_weights / data.total_weight;
  params.item_probs = counts;
  if (options.prior_counts.size() > 0) params.item_probs += options.prior_counts;
  for (Index item = 0; item < data.n_items; ++item) {
    normalise_counts(data, item, options.smoothing, params.item_probs);
  }
  apply_floor(data, options.floor, params.item_probs);
  return params;
}

double log_prior(const CodedData& data, const MixtureParameters& params,
                 const MStepOptions& options, const ItemSet& items) {
  double sum = 0.0;
  if (!(options.smoothing > 0.0) && options.prior_counts.size() == 0) return sum;
  for (const Index item : items) {
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      const Index row = data.offset[item] + r;
      for (Index k = 0; k < params.n_components(); ++k) {
        double count = options.smoothing * data.marginal(item, r);
        if (options.prior_counts.size() > 0) count += options.prior_counts(row, k);
        if (count > 0.0) sum += count * safe_log(params.item_probs(row, k));
      }
    }
  }
  return sum;
}

void apply_floor(const CodedData& data, double floor, RowMatrix& item_probs) {
  if (!(floor > 0.0)) return;
  for (Index item = 0; item < data.n_items; ++item) {
    const Index first = data.offset[item];
    const Index n_levels = data.n_levels[item];
    const Vector weight = data.level_weight.segment(first, n_levels);
    for (Index k = 0; k < item_probs.cols(); ++k) {
      Vector column = item_probs.col(k).segment(first, n_levels);
      lift_column(weight, floor, column);
      item_probs.col(k).segment(first, n_levels) = column;
    }
  }
}

}  // namespace mdpd
