#include "data/make_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/exact_sums.h"
#include "base/numerics.h"
#include "data/layouts.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

void count_levels(CodedData& data) {
  data.level_weight.resize(data.n_total_levels());
  data.has_missing.assign(data.n_items, false);
  for (Index item = 0; item < data.n_items; ++item) {
    std::vector<std::int64_t> counts(data.n_levels[item], 0);
    Index n_answers = 0;
    Index n_rows = 0;
    Index last = -1;
    for_each_answer(data, item, [&](Index row, Code code) {
      if (code > data.n_levels[item]) throw DimensionError("a code exceeds its item's levels");
      counts[code - 1] += units_of_row(data, row);
      ++n_answers;
      n_rows += row != last;
      last = row;
    });
    for (std::size_t level = 0; level < counts.size(); ++level) {
      data.level_weight[data.offset[item] + level] = weight_of(data, counts[level]);
    }
    data.has_missing[item] = n_rows < data.n_obs || n_answers > n_rows;
  }
}

void summarise_items(CodedData& data) {
  data.observed_weight.resize(data.n_items);
  data.marginal_loglik.resize(data.n_items);
  data.n_levels_seen.resize(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    const auto counts = data.level_weight.segment(data.offset[item], data.n_levels[item]);
    // In the order in which the M-step adds them up: one component has the marginals to the bit.
    double observed = 0.0;
    for (Index level = 0; level < counts.size(); ++level) observed += counts[level];
    data.observed_weight[item] = observed;
    data.n_levels_seen[item] = (counts.array() > 0.0).count();
    data.marginal_loglik[item] =
        counts.unaryExpr([](double x) { return x_log_x(x); }).sum() - x_log_x(observed);
  }
}

/// Makes the case weights whole multiples of a unit: the finest in which each of them can be rounded
/// and their sum added up, see exact_sums.h. A positive weight stays positive.
void round_weights(CodedData& data) {
  Vector& weights = data.case_weights;
  const double largest = weights.size() > 0 ? weights.maxCoeff() : 0.0;
  if (!(largest > 0.0)) return;
  // Roughly first, as the sum of doubles depends on their order.
  const int of_largest = exponent_above(largest);
  const int rough = bits_of_sum - of_largest - exponent_above(static_cast<double>(data.n_obs));
  std::int64_t sum = 0;
  for (Index row = 0; row < data.n_obs; ++row) {
    sum += static_cast<std::int64_t>(std::ldexp(weights[row], rough));
  }
  const int of_sum = exponent_above(static_cast<double>(sum)) - rough +
                     exponent_above(static_cast<double>(data.most_repeats - 1));
  constexpr int finest = 1020;  // the smallest numbers have no reciprocal
  const int exponent = std::min({bits_of_term - of_largest, bits_of_sum - 1 - of_sum, finest});
  data.weight_unit = std::ldexp(1.0, -exponent);
  for (Index row = 0; row < data.n_obs; ++row) {
    if (!(weights[row] > 0.0)) continue;
    const double units = std::nearbyint(std::ldexp(weights[row], exponent));
    weights[row] = std::max(1.0, units) * data.weight_unit;
  }
}

CodedData shape_of(Index n_obs, std::vector<Index> n_levels, Vector case_weights,
                   Index most_repeats = 1) {
  if (case_weights.size() != n_obs) throw DimensionError("one case weight per observation");
  CodedData data;
  data.n_obs = n_obs;
  data.most_repeats = most_repeats;
  data.n_items = static_cast<Index>(n_levels.size());
  data.n_levels = std::move(n_levels);
  data.offset.assign(data.n_items + 1, 0);
  std::partial_sum(data.n_levels.begin(), data.n_levels.end(), data.offset.begin() + 1);
  data.case_weights = std::move(case_weights);
  round_weights(data);
  std::int64_t total = 0;
  for (Index row = 0; row < n_obs; ++row) total += units_of_row(data, row);
  data.total_weight = weight_of(data, total);
  return data;
}

/// Of rows whose items ascend.
Index most_repeats_of(const std::vector<std::size_t>& row_start,
                      const std::vector<std::uint32_t>& items) {
  std::size_t most = 1;
  for (std::size_t row = 0; row + 1 < row_start.size(); ++row) {
    std::size_t first = row_start[row];
    for (std::size_t at = first; at < row_start[row + 1]; ++at) {
      if (items[at] != items[first]) first = at;
      most = std::max(most, at - first + 1);
    }
  }
  return static_cast<Index>(most);
}

/// The answers once more, item by item (a counting sort, so that rows stay in order).
void list_by_item(const CodedData& data, SparseCodes& sparse) {
  sparse.item_start.assign(data.n_items + 1, 0);
  for (Index row = 0; row < data.n_obs; ++row) {
    Index before = 0;
    sparse.for_each_item_of_row(row, [&](Index item, Code code) {
      if (item < before || item >= data.n_items) throw DimensionError("items must ascend in a row");
      if (code == 0) throw DimensionError("an answer has a code");
      before = item;
      ++sparse.item_start[item + 1];
    });
  }
  std::partial_sum(sparse.item_start.begin(), sparse.item_start.end(), sparse.item_start.begin());
  sparse.item_row.resize(sparse.row_item.size());
  sparse.item_code.resize(sparse.row_item.size());
  std::vector<std::size_t> next(sparse.item_start.begin(), sparse.item_start.end() - 1);
  for (Index row = 0; row < data.n_obs; ++row) {
    sparse.for_each_item_of_row(row, [&](Index item, Code code) {
      sparse.item_row[next[item]] = static_cast<std::uint32_t>(row);
      sparse.item_code[next[item]++] = code;
    });
  }
}

}  // namespace

CodedData make_data(Cells cells, Vector case_weights) {
  if (cells.codes == nullptr) {
    return make_sparse_data(std::move(cells.row_start), std::move(cells.items),
                            std::move(cells.answers), std::move(cells.n_levels),
                            std::move(case_weights));
  }
  return make_coded_data(cells.codes, cells.n_obs, std::move(cells.n_levels),
                         std::move(case_weights));
}

CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights) {
  CodedData data = shape_of(n_obs, std::move(n_levels), std::move(case_weights));
  data.codes = DenseCodes{codes, n_obs, data.n_items, std::make_shared<DenseLayouts>()};
  count_levels(data);
  summarise_items(data);
  return data;
}

CodedData make_sparse_data(std::vector<std::size_t> row_start, std::vector<std::uint32_t> items,
                           std::vector<Code> codes, std::vector<Index> n_levels,
                           Vector case_weights) {
  const Index n_obs = static_cast<Index>(row_start.size()) - 1;
  if (n_obs < 0 || items.size() != row_start.back() || codes.size() != items.size()) {
    throw DimensionError("one item and one code for each answer");
  }
  CodedData data = shape_of(n_obs, std::move(n_levels), std::move(case_weights),
                            most_repeats_of(row_start, items));
  SparseCodes sparse;
  sparse.row_start = std::move(row_start);
  sparse.row_item = std::move(items);
  sparse.row_code = std::move(codes);
  list_by_item(data, sparse);
  data.codes = std::move(sparse);
  count_levels(data);
  summarise_items(data);
  return data;
}

}  // namespace mdpd
