#pragma once

// Data for the tests: tables written by hand, and random ones that are the same on every platform.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/numerics.h"
#include "data/make_data.h"
#include "model/parameters.h"

namespace mdpd {

/// Codes together with the view that reads them. It moves but is never copied: the view points at
/// the codes.
struct Table {
  std::vector<Code> codes;
  CodedData data;

  Table(std::vector<Code> codes_in, Vector case_weights, std::vector<Index> n_levels)
      : codes(std::move(codes_in)),
        data(make_coded_data(codes.data(), case_weights.size(), std::move(n_levels),
                             case_weights)) {}
  Table(const Table&) = delete;
  Table(Table&&) = default;

  Code code(Index row, Index item) const { return codes[item * data.n_obs + row]; }
};

/// A table written by hand, a list of codes per item.
inline Table table_of(const std::vector<std::vector<int>>& items, std::vector<Index> n_levels,
                      Vector case_weights = {}) {
  std::vector<Code> codes;
  for (const std::vector<int>& item : items) codes.insert(codes.end(), item.begin(), item.end());
  if (case_weights.size() == 0) case_weights = Vector::Ones(items.front().size());
  return Table(std::move(codes), std::move(case_weights), std::move(n_levels));
}

/// Random numbers. The standard fixes its engines but not its distributions: these are our own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) / 4503599627370496.0; }
  /// One of 0, ..., n - 1.
  Index below(Index n) { return static_cast<Index>(uniform() * static_cast<double>(n)); }
  /// Uniform on the simplex.
  Vector probabilities(Index n) {
    Vector out(n);
    for (Index i = 0; i < n; ++i) out[i] = -log_of(uniform());
    return out / out.sum();
  }
  /// One index by its probability.
  Index draw(const Vector& probs) {
    double left = uniform();
    Index at = 0;
    while (at + 1 < probs.size() && left >= probs[at]) left -= probs[at++];
    return at;
  }
  /// A permutation of 0, ..., n - 1.
  std::vector<Index> order(Index n) {
    std::vector<Index> out(n);
    std::iota(out.begin(), out.end(), Index{0});
    for (Index i = n - 1; i > 0; --i) std::swap(out[i], out[below(i + 1)]);
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

struct Shape {
  Index n_obs;
  std::vector<Index> n_levels;
  double missing = 0.0;   ///< share of cells
  bool weighted = false;  ///< case weights 0, 1, 2 or 3 instead of 1
};

/// Case weights for a shape; the first row counts, so that every item is observed somewhere.
inline Vector random_case_weights(Random& random, const Shape& shape) {
  Vector weights = Vector::Ones(shape.n_obs);
  if (shape.weighted) {
    for (Index n = 1; n < shape.n_obs; ++n) weights[n] = static_cast<double>(random.below(4));
  }
  return weights;
}

inline MixtureParameters random_parameters(Random& random, const std::vector<Index>& n_levels,
                                           Index n_components) {
  const Index n_rows = std::accumulate(n_levels.begin(), n_levels.end(), Index{0});
  MixtureParameters params{random.probabilities(n_components), RowMatrix(n_rows, n_components)};
  Index first = 0;
  for (const Index size : n_levels) {
    for (Index k = 0; k < n_components; ++k) {
      params.item_probs.col(k).segment(first, size) = random.probabilities(size);
    }
    first += size;
  }
  return params;
}

/// Draws from a mixture. The first row has no missing cell.
inline Table draw_table(Random& random, const MixtureParameters& params, const Shape& shape) {
  std::vector<Code> codes(shape.n_obs * shape.n_levels.size());
  for (Index n = 0; n < shape.n_obs; ++n) {
    const Index component = random.draw(params.mixing_weights);
    Index first = 0;
    for (std::size_t item = 0; item < shape.n_levels.size(); ++item) {
      const Vector probs = params.item_probs.col(component).segment(first, shape.n_levels[item]);
      const bool observed = n == 0 || random.uniform() >= shape.missing;
      codes[item * shape.n_obs + n] = observed ? static_cast<Code>(random.draw(probs) + 1) : 0;
      first += shape.n_levels[item];
    }
  }
  return Table(std::move(codes), random_case_weights(random, shape), shape.n_levels);
}

/// Items without dependence, every one with its own random distribution.
inline Table random_table(Random& random, const Shape& shape) {
  return draw_table(random, random_parameters(random, shape.n_levels, 1), shape);
}

inline RowMatrix random_posterior(Random& random, Index n_obs, Index n_components) {
  RowMatrix out(n_obs, n_components);
  for (Index n = 0; n < n_obs; ++n) out.row(n) = random.probabilities(n_components).transpose();
  return out;
}

/// Two components at opposite ends on the first `n_planted` items (the first level with
/// probability `likely`, or the last), followed by noise items with the same distribution in both.
inline MixtureParameters planted_mixture(Random& random, const std::vector<Index>& n_levels,
                                         Index n_planted, double likely) {
  MixtureParameters params = random_parameters(random, n_levels, 2);
  params.mixing_weights << 0.6, 0.4;
  Index first = 0;
  for (Index item = 0; item < static_cast<Index>(n_levels.size()); ++item) {
    auto probs = params.item_probs.middleRows(first, n_levels[item]);
    if (item < n_planted) {
      probs.setConstant((1.0 - likely) / static_cast<double>(n_levels[item] - 1));
      probs(0, 0) = probs(n_levels[item] - 1, 1) = likely;
    } else {
      probs.col(1) = probs.col(0);
    }
    first += n_levels[item];
  }
  return params;
}

/// The rows in another order, or some of them, or some of them twice.
inline Table pick_rows(const Table& table, const std::vector<Index>& rows) {
  std::vector<Code> codes;
  Vector weights(rows.size());
  for (Index item = 0; item < table.data.n_items; ++item) {
    for (const Index row : rows) codes.push_back(table.code(row, item));
  }
  for (std::size_t n = 0; n < rows.size(); ++n) weights[n] = table.data.case_weights[rows[n]];
  return Table(std::move(codes), std::move(weights), table.data.n_levels);
}

/// The same data with only the answers stored.
inline CodedData sparse_copy(const CodedData& dense) {
  std::vector<std::size_t> row_start = {0};
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  for (Index row = 0; row < dense.n_obs; ++row) {
    for_each_item_of_row(dense, row, [&](Index item, Code code) {
      items.push_back(static_cast<std::uint32_t>(item));
      codes.push_back(code);
    });
    row_start.push_back(items.size());
  }
  return make_sparse_data({row_start, items, codes}, dense.n_levels, dense.case_weights);
}

/// The items in another order, or some of them.
inline Table pick_items(const Table& table, const std::vector<Index>& items) {
  std::vector<Code> codes;
  std::vector<Index> n_levels;
  for (const Index item : items) {
    for (Index row = 0; row < table.data.n_obs; ++row) codes.push_back(table.code(row, item));
    n_levels.push_back(table.data.n_levels[item]);
  }
  return Table(std::move(codes), table.data.case_weights, std::move(n_levels));
}

/// One item's levels coded in another order: old level r (0-based) becomes `new_level[r]`.
inline Table recode(const Table& table, Index item, const std::vector<Index>& new_level) {
  std::vector<Code> codes = table.codes;
  for (Index row = 0; row < table.data.n_obs; ++row) {
    Code& code = codes[item * table.data.n_obs + row];
    if (code > 0) code = static_cast<Code>(new_level[code - 1] + 1);
  }
  return Table(std::move(codes), table.data.case_weights, table.data.n_levels);
}

/// A case weight of w written out as w rows.
inline std::vector<Index> repeat_by_weight(const CodedData& data) {
  std::vector<Index> rows;
  for (Index n = 0; n < data.n_obs; ++n) {
    for (int copy = 0; copy < data.case_weights[n]; ++copy) rows.push_back(n);
  }
  return rows;
}

/// A row of weight w as w rows of weight 1.
inline Table write_out_weights(const Table& table) {
  const Table rows = pick_rows(table, repeat_by_weight(table.data));
  return Table(rows.codes, Vector::Ones(rows.data.n_obs), rows.data.n_levels);
}

template <class Values>
Values pick(const Values& values, const std::vector<Index>& rows) {
  Values out(rows.size(), values.cols());
  for (std::size_t n = 0; n < rows.size(); ++n) out.row(n) = values.row(rows[n]);
  return out;
}

inline std::vector<Index> range(Index from, Index to) {
  std::vector<Index> out(to - from);
  std::iota(out.begin(), out.end(), from);
  return out;
}

inline ItemSet sorted(ItemSet items) {
  std::sort(items.begin(), items.end());
  return items;
}

/// Largest absolute difference; not a number or a difference of shape is infinitely far away.
template <class A, class B>
double distance(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || !a.allFinite() || !b.allFinite()) {
    return HUGE_VAL;
  }
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff();
}

/// How far a count may be from the sum of doubles, at most: each row, and each of its answers, by
/// half a unit of the counts, see `LevelSums`.
inline double rounding_of_counts(const CodedData& data) {
  const auto repeats = static_cast<double>(data.most_repeats);
  return 0x1p-52 * static_cast<double>(data.n_obs) * data.total_weight * repeats * repeats;
}

/// |a - b| relative to b, absolute where b is below 1.
inline double relative_difference(double a, double b) {
  return std::abs(a - b) / std::max(1.0, std::abs(b));
}

/// Three well separated components on the first nine of 15 items.
inline Table three_components(std::uint64_t seed) {
  Random random(seed);
  const std::vector<Index> n_levels(15, 3);
  MixtureParameters truth = random_parameters(random, n_levels, 3);
  truth.mixing_weights << 0.4, 0.35, 0.25;
  for (Index item = 0; item < 15; ++item) {
    auto probs = truth.item_probs.middleRows(3 * item, 3);
    if (item < 9) {
      probs.setConstant(0.1);
      probs.diagonal().setConstant(0.8);
    } else {
      probs.col(1) = probs.col(2) = probs.col(0).eval();
    }
  }
  return draw_table(random, truth, {500, n_levels, 0.1});
}

/// Of each row of `three_components()` the component that the nine items tell, which is its label.
inline std::vector<Index> labels_of(const Table& table) {
  std::vector<Index> out;
  for (Index row = 0; row < table.data.n_obs; ++row) {
    Vector votes = Vector::Zero(4);
    for (Index item = 0; item < 9; ++item) votes[table.code(row, item)] += 1.0;
    Index label = 0;
    votes.tail(3).maxCoeff(&label);
    out.push_back(label);
  }
  return out;
}

}  // namespace mdpd
