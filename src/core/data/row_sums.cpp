#include "data/row_sums.h"

#include <algorithm>
#include <cmath>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/scatter.h"

namespace mdpd {

namespace {

/// |log(p)| of the smallest probability whose logarithm is taken, see numerics.h, and a little.
constexpr double most_of_item = 710.0;

/// Bits by which each further depth of counts is finer: what is left of 2^31 rows, each rounded to
/// half a unit at most, then adds up exactly in doubles.
constexpr int bits_of_depth = 22;

/// Of all rows' weight: the first counts below it have too few digits for EM.
constexpr double too_rare = 0x1p-26;

// Cells of a row in the tables of a tile ----------------------------------------------------------

struct DenseRows {
  const std::uint16_t* cells;
  Index n_packs;

  template <class Use>
  [[gnu::always_inline]] void for_each_cell(Index row, const Use& use) const {
    const std::uint16_t* at = cells + row * n_packs;
#pragma GCC unroll 4
    for (Index p = 0; p < n_packs; ++p) use(std::size_t{at[p]});
  }
};

struct SparseRows {
  const std::size_t* row_start;
  const std::uint32_t* items;
  const Code* codes;
  const std::uint32_t* first;

  template <class Use>
  [[gnu::always_inline]] void for_each_cell(Index row, const Use& use) const {
    const std::size_t last = row_start[row + 1];
    for (std::size_t at = row_start[row]; at < last; ++at) {
      use(std::size_t{first[items[at]] + codes[at] - 1U});
    }
  }
};

DenseRows rows_of(const DenseCodes& codes, const PackedItems& packed, const Tile& tile) {
  return {packed.cells.data() + codes.n_obs * tile.first_pack, tile.last_pack - tile.first_pack};
}

SparseRows rows_of(const SparseCodes& codes, const PackedItems& packed, const Tile&) {
  return {codes.row_start.data(), codes.items.data(), codes.answers.data(), packed.first.data()};
}

// Counts ------------------------------------------------------------------------------------------

/// Power of two that no count exceeds; at a further depth, no sum of what the one before leaves.
double most_of_count(const CodedData& data, int depth) {
  const double most = data.total_weight * static_cast<double>(data.most_repeats);
  return std::ldexp(1.0, exponent_above(most) - depth * bits_of_depth);
}

struct CountJob {
  const CodedData& data;
  const RowMatrix& posterior;
  const PackedItems& packed;
  int depth;
  Index stride;     ///< padded columns
  Vector last_row;  ///< of the posterior, padded: the others are read with what is behind them
};

/// A row's weight in a component as it is counted, a whole multiple of 2^-52 of `most_of_count()`.
/// Adding that number and taking it away rounds.
template <int most_depth, class Weights>
[[gnu::always_inline]] inline void round_weight(const double* most, Weights& weight) {
  for (int depth = 0; depth < most_depth; ++depth) {
    const Weights rounded = (weight + most[depth]) - most[depth];
    weight -= rounded;
  }
  weight = (weight + most[most_depth]) - most[most_depth];
}

/// Adds rows first, ..., last - 1 to a table, a few vectors at a time, and to the total of all.
template <int stride, int depth, class Rows>
[[gnu::always_inline]] inline void count_rows(const CountJob& job, const Rows& all_rows,
                                              Index first, Index last, double* table,
                                              double* total) {
  using Weights = typename Cell<stride>::Type;
  constexpr std::size_t width = sizeof(Weights) / sizeof(double);
  constexpr std::size_t n_vectors = stride > 0 ? stride / width : 1;
  const std::size_t step = stride > 0 ? stride : job.stride;
  const Index n_components = job.posterior.cols();
  const Rows rows = all_rows;  // compilers fear that the table may lie among what it reads
  double most[depth + 1];
  for (int at = 0; at <= depth; ++at) most[at] = most_of_count(job.data, at);
  for (Index row = first; row < last; ++row) {
    const bool is_last = row + 1 == job.data.n_obs;
    const double* in = is_last ? job.last_row.data() : job.posterior.data() + row * n_components;
    const double weight = job.data.case_weights[row];
    for (std::size_t v = 0; v < step; v += n_vectors * width) {
      Weights weights[n_vectors];
      for (std::size_t i = 0; i < n_vectors; ++i) {
        std::memcpy(&weights[i], in + v + i * width, sizeof weights[i]);
        weights[i] *= weight;
        round_weight<depth>(most, weights[i]);
        add_to_cell(weights[i], total + v + i * width);
      }
      const auto add = [&](std::size_t cell) __attribute__((always_inline)) {
        double* to = table + cell * step + v;
        for (std::size_t i = 0; i < n_vectors; ++i) add_to_cell(weights[i], to + i * width);
      };
      rows.for_each_cell(row, add);
    }
  }
}

/// Sums the cells of a pack down to the levels of one of its items: those of a level lie in runs of
/// `n_inner` cells.
template <int stride>
void sum_to_levels(const CountJob& job, const Pack& pack, Index item, Index n_inner,
                   const double* table, RowMatrix& counts) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const CodedData& data = job.data;
  const Index step = stride > 0 ? stride : job.stride;
  const Index lowest = 1 - lowest_code(data, item);
  const Index n_outer = n_digits(data, item) * n_inner;
  for (Index level = 0; level < data.n_levels[item]; ++level) {
    double* to = counts.row(data.offset[item] + level).data();
    for (Index v = 0; v < counts.cols(); v += width) {
      Weights sum{};
      for (Index run = (level + lowest) * n_inner; run < pack.n_levels; run += n_outer) {
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

/// Counts the items of one tile in rows first, ..., last - 1.
template <int stride, int depth, class Rows>
void count_tile(const CountJob& job, const Tile& tile, const Rows& rows, Index first, Index last,
                LevelSums& sums) {
  AlignedDoubles cells;
  cells.grow_to((tile.n_cells + 1) * job.stride);
  double* total = cells.data() + tile.n_cells * job.stride;
  const auto work = [&]() __attribute__((always_inline)) {
    count_rows<stride, depth>(job, rows, first, last, cells.data(), total);
  };
  with_avx2(job.data.instructions, work);
  // All tiles have the same total.
  if (tile.first_pack == 0) std::copy_n(total, sums.components.size(), sums.components.data());
  const double* table = cells.data();
  for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
    const Pack& pack = job.packed.packs[p];
    Index n_inner = pack.n_levels;
    for (Index at = pack.first_item; at < pack.first_item + pack.n_items; ++at) {
      const Index item = job.packed.items[at];
      n_inner /= n_digits(job.data, item);
      sum_to_levels<stride>(job, pack, item, n_inner, table, sums.levels);
    }
    table += pack.n_levels * job.stride;
  }
}

template <class Codes>
LevelSums count(const CountJob& job, const Codes& codes) {
  const auto n_tiles = static_cast<Index>(job.packed.tiles.size());
  const Index n_obs = job.data.n_obs;
  const int n_threads = useful_threads(
      job.data.n_threads, static_cast<double>(n_obs * job.packed.n_packs() * job.stride));
  // Few tiles leave threads without one: then the rows are cut as well.
  const Index n_parts = n_tiles < n_threads ? n_threads : 1;
  const Index n_components = job.posterior.cols();
  std::vector<LevelSums> parts(n_parts, {RowMatrix::Zero(job.data.n_total_levels(), n_components),
                                         RowMatrix::Zero(1, n_components)});
  for_each_job(n_tiles * n_parts, n_threads, [&](Index at, int) {
    const Tile& tile = job.packed.tiles[at / n_parts];
    const Index part = at % n_parts;
    const auto rows = rows_of(codes, job.packed, tile);
    with_constant<1, 2, 4, 8>(job.stride, [&](auto size) {
      with_constant<1, 2>(job.depth, [&](auto depth) {
        count_tile<size, depth>(job, tile, rows, part * n_obs / n_parts,
                                (part + 1) * n_obs / n_parts, parts[part]);
      });
    });
  });
  for (Index part = 1; part < n_parts; ++part) parts[0] += parts[part];
  return std::move(parts[0]);
}

// Log-probabilities -------------------------------------------------------------------------------

[[gnu::always_inline]] inline void take_logs(std::vector<double>& values) {
  values.resize(round_up_to_lanes(values.size()), 1.0);
  for (std::size_t at = 0; at < values.size(); at += n_lanes) {
    Lanes x;
    Lanes log;
    load(values.data() + at, x);
    log_of(x, log);
    store(log, values.data() + at);
  }
}

/// Adds an item to the table of a pack: the cells are those of the items before it, each times the
/// item's digits.
/// @param levels log-probabilities of the item's levels, or null for zeros.
void add_item(const CodedData& data, Index item, const std::int64_t* levels, Index n_components,
              Index n_cells, std::int64_t* table) {
  const Index step = padded_columns(n_components);
  const Index n_missing = 1 - lowest_code(data, item);
  const Index digits = n_digits(data, item);
  // From behind, as the new cells take the place of the old ones.
  for (Index cell = n_cells - 1; cell >= 0; --cell) {
    const std::int64_t* before = table + cell * step;
    for (Index digit = digits - 1; digit >= 0; --digit) {
      std::int64_t* to = table + (cell * digits + digit) * step;
      const bool adds = levels != nullptr && digit >= n_missing;
      const Index from = (digit - n_missing) * n_components;
      for (Index k = 0; k < n_components; ++k) to[k] = before[k] + (adds ? levels[from + k] : 0);
    }
  }
}

struct JoinJob {
  const LogTables& tables;
  Index first;
  Index n;
  std::int64_t* sums;  ///< n x padded columns, of the tiles so far; null where there is but one
  double* log_joint;
};

/// Adds the cells of a tile, whose table it is, to the sums before it; those of the last one are the
/// log-joint probabilities. The number of components is a constant where it is small.
template <int n_fixed, class Rows>
[[gnu::always_inline]] inline void join_rows(const JoinJob& job, const Rows& rows,
                                             const std::int64_t* table, bool is_first,
                                             bool is_last) {
  using OfCell = Cell<n_fixed == 1 || n_fixed == 2 ? n_fixed : 0>;
  using Whole = typename OfCell::Whole;
  constexpr Index width = sizeof(Whole) / sizeof(std::int64_t);
  constexpr Index n_vectors = n_fixed > 0 ? (n_fixed + width - 1) / width : 1;
  const Index n_components = n_fixed > 0 ? n_fixed : job.tables.n_components;
  const Index step = (n_components + width - 1) / width * width;
  const std::int64_t* before = is_first ? job.tables.start.data() : job.sums;
  std::int64_t* after = job.sums;
  double* out = job.log_joint;
  for (Index row = job.first; row < job.first + job.n; ++row) {
    for (Index v = 0; v < step; v += n_vectors * width) {
      Whole sums[n_vectors];
      std::memcpy(&sums, before + v, sizeof sums);
      const auto add = [&](std::size_t cell) __attribute__((always_inline)) {
        const std::int64_t* from = table + cell * step + v;
        for (Index i = 0; i < n_vectors; ++i) {
          Whole in;
          std::memcpy(&in, from + i * width, sizeof in);
          sums[i] += in;
        }
      };
      rows.for_each_cell(row, add);
      if (!is_last) {
        std::memcpy(after + v, &sums, sizeof sums);
        continue;
      }
      typename OfCell::Type log_joint[n_vectors];
      for (Index i = 0; i < n_vectors; ++i) {
        to_doubles(sums[i], log_joint[i]);
        log_joint[i] *= job.tables.unit;
      }
      const auto n_used = static_cast<std::size_t>(std::min(n_vectors * width, n_components - v));
      std::memcpy(out + v, &log_joint, n_used * sizeof(double));
    }
    if (!is_first) before += step;
    if (!is_last) after += step;
    if (is_last) out += n_components;
  }
}

// Log-likelihood ----------------------------------------------------------------------------------

[[gnu::always_inline]] inline void add_products(const Vector& x, const Vector& y, ExactSum& sum) {
  LaneBits high{};
  LaneBits low{};
  Index at = 0;
  for (; at + n_lanes <= x.size(); at += n_lanes) {
    Lanes a;
    Lanes b;
    LaneBits high_of_product;
    LaneBits low_of_product;
    load(x.data() + at, a);
    load(y.data() + at, b);
    sum.split(Lanes(a * b), high_of_product, low_of_product);
    high += high_of_product;
    low += low_of_product;
  }
  for (int lane = 0; lane < n_lanes; ++lane) {
    sum.high += static_cast<std::int64_t>(high[lane]);
    sum.low += static_cast<std::int64_t>(low[lane]);
  }
  for (; at < x.size(); ++at) sum.add(x[at] * y[at]);
}

}  // namespace

LevelSums& LevelSums::operator+=(const LevelSums& other) {
  levels += other.levels;
  components += other.components;
  return *this;
}

LevelSums level_sums(const CodedData& data, const RowMatrix& posterior, const ReadyItems& items,
                     int depth) {
  // Answers to other items would all be added to the same few cells, each waiting for the one before.
  const ReadyItems counted =
      std::holds_alternative<SparseCodes>(data.codes) ? make_ready(data, all_items(data)) : items;
  const Index stride = padded_columns(posterior.cols());
  Vector last_row = Vector::Zero(stride);
  if (data.n_obs > 0) last_row.head(posterior.cols()) = posterior.row(data.n_obs - 1);
  const CountJob job{data, posterior, *counted.packed, depth, stride, std::move(last_row)};
  return std::visit([&](const auto& codes) { return count(job, codes); }, data.codes);
}

void add_rare(const CodedData& data, ItemSet items,
              const std::function<LevelSums(int, const ItemSet&)>& at_depth, LevelSums& sums) {
  for (int depth = 1; depth <= most_depth; ++depth) {
    const double least = too_rare * most_of_count(data, depth - 1);
    const auto has_none = [&](Index item) {
      for (Index r = data.offset[item]; r < data.offset[item + 1]; ++r) {
        if (data.level_weight[r] > 0.0 && sums.levels.row(r).minCoeff() < least) return false;
      }
      return true;
    };
    items.erase(std::remove_if(items.begin(), items.end(), has_none), items.end());
    if (items.empty()) return;
    const LevelSums next = at_depth(depth, items);
    const auto add = [&](const auto& from, auto to) {
      to += (to.array() < least).select(from, 0.0).matrix().eval();
    };
    for (const Index item : items) {
      add(data.levels_of(item, next.levels), data.levels_of(item, sums.levels));
    }
    add(next.components, sums.components.middleRows(0, 1));
  }
}

LevelSums level_sums_with_rare(const CodedData& data, const RowMatrix& posterior,
                               const ReadyItems& items) {
  LevelSums sums = level_sums(data, posterior, items);
  const auto at_depth = [&](int depth, const ItemSet& rare) {
    return level_sums(data, posterior, make_ready(data, rare), depth);
  };
  add_rare(data, items.items, at_depth, sums);
  return sums;
}

LogTables log_tables(const CodedData& data, const ReadyItems& items, const Vector& mixing_weights,
                     const RowMatrix& item_probs) {
  const PackedItems& packed = *items.packed;
  const Index k = mixing_weights.size();
  // Of the mixing weights, and behind them of the items in use.
  std::vector<double> logs(mixing_weights.data(), mixing_weights.data() + k);
  std::vector<std::size_t> first(data.n_items, 0);
  for (const Index item : items.items) {
    first[item] = logs.size();
    const double* probs = item_probs.data() + data.offset[item] * k;
    logs.insert(logs.end(), probs, probs + data.n_levels[item] * k);
  }
  const auto work = [&]() __attribute__((always_inline)) { take_logs(logs); };
  with_avx2(data.instructions, work);
  const auto largest = [&](std::size_t from, Index n) {
    double most = 0.0;
    for (std::size_t at = from; at < from + n; ++at) most = std::max(most, std::abs(logs[at]));
    return most;
  };
  double most = 1.0 + largest(0, k);
  for (const Index item : items.items) {
    most += static_cast<double>(data.most_repeats) * largest(first[item], data.n_levels[item] * k);
  }
  const double units_of_nat = std::ldexp(1.0, bits_of_sum - exponent_above(most));
  std::vector<std::int64_t> units(logs.size());
  for (std::size_t at = 0; at < logs.size(); ++at) {
    const double exact = logs[at] * units_of_nat;
    units[at] = static_cast<std::int64_t>(exact < 0.0 ? exact - 0.5 : exact + 0.5);
  }
  LogTables tables;
  tables.n_components = k;
  tables.unit = 1.0 / units_of_nat;
  tables.start.assign(padded_columns(k), 0);
  std::copy_n(units.begin(), k, tables.start.begin());
  tables.cells.grow_to(packed.n_cells * padded_columns(k));
  std::int64_t* table = tables.cells.data();
  for (const Pack& pack : packed.packs) {
    Index n_levels = 1;
    for (Index at = pack.first_item; at < pack.first_item + pack.n_items; ++at) {
      const Index item = packed.items[at];
      add_item(data, item, first[item] > 0 ? units.data() + first[item] : nullptr, k, n_levels,
               table);
      n_levels *= n_digits(data, item);
    }
    table += n_levels * padded_columns(k);
  }
  return tables;
}

void sum_log_tables(const CodedData& data, const ReadyItems& items, const LogTables& tables,
                    Index first, Index n, double* log_joint) {
  const std::vector<Tile>& tiles = items.packed->tiles;
  const Index step = padded_columns(tables.n_components);
  std::vector<std::int64_t> sums(tiles.size() > 1 ? n * step : 0);
  const JoinJob job{tables, first, n, sums.data(), log_joint};
  const std::int64_t* table = tables.cells.data();
  for (const Tile& tile : tiles) {
    const auto join = [&](const auto& codes) {
      const auto rows = rows_of(codes, *items.packed, tile);
      with_constant<1, 2, 3, 4, 5, 6>(tables.n_components, [&](auto size) {
        constexpr int n_fixed = size;
        const auto work = [&]() __attribute__((always_inline)) {
          join_rows<n_fixed>(job, rows, table, &tile == &tiles.front(), &tile == &tiles.back());
        };
        with_avx2(data.instructions, work);
      });
    };
    std::visit(join, data.codes);
    table += tile.n_cells * step;
  }
}

ExactSum empty_loglik(const CodedData& data) {
  const Index most_answers = data.n_items * data.most_repeats;
  const int exponent = exponent_above(most_of_item * static_cast<double>(most_answers + 1));
  return {std::ldexp(data.weight_unit, exponent)};
}

ExactSum loglik_sum(const CodedData& data, const Vector& row_loglik) {
  ExactSum sum = empty_loglik(data);
  const auto work = [&]() __attribute__((always_inline)) {
    add_products(data.case_weights, row_loglik, sum);
  };
  with_avx2(data.instructions, work);
  return sum;
}

RowMatrix row_shares(const CodedData& data, const RowMatrix& posterior) {
  RowMatrix shares(posterior.rows(), posterior.cols());
  for (Index n = 0; n < posterior.rows(); ++n) {
    const double weight = data.case_weights[n] / data.total_weight;
    for (Index k = 0; k < posterior.cols(); ++k) {
      round_share(weight * posterior(n, k), shares(n, k));
    }
  }
  return shares;
}

Matrix shared_weight(const CodedData& data, const RowMatrix& posterior_1,
                     const RowMatrix& posterior_2) {
  Matrix out = Matrix::Zero(posterior_1.cols(), posterior_2.cols());
  for (Index n = 0; n < data.n_obs; ++n) {
    const double weight = data.case_weights[n] / data.total_weight;
    for (Index b = 0; b < out.cols(); ++b) {
      const double of_b = weight * posterior_2(n, b);
      for (Index a = 0; a < out.rows(); ++a) {
        double share;
        round_share(of_b * posterior_1(n, a), share);
        out(a, b) += share;
      }
    }
  }
  return out;
}

}  // namespace mdpd
