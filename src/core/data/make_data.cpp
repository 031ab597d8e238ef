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

void summarise_items(CodedData& data) {
  data.observed_weight.resize(data.n_items);
  data.marginal_loglik.resize(data.n_items);
  data.n_levels_seen.resize(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    const auto counts = data.levels_of(item, data.level_weight);
    // In the order in which the M-step adds them up: one component has the marginals to the bit.
    double observed = 0.0;
    for (Index level = 0; level < counts.size(); ++level) observed += counts[level];
    data.observed_weight[item] = observed;
    data.n_levels_seen[item] = (counts.array() > 0.0).count();
    data.marginal_loglik[item] = sum_x_log_x(counts) - x_log_x(observed);
  }
}

/// A positive weight stays positive.
void round_weights(double unit, Vector& weights) {
  const int exponent = 1 - exponent_above(unit);
  for (Index row = 0; row < weights.size(); ++row) {
    if (!(weights[row] > 0.0)) continue;
    weights[row] = std::max(1.0, std::nearbyint(std::ldexp(weights[row], exponent))) * unit;
  }
}

CodedData shape_of(Index n_obs, std::vector<Index> n_levels, Vector case_weights,
                   Index most_repeats = 1) {
  require(case_weights.size() == n_obs, "one case weight per observation");
  WeightRange range;
  range.add(case_weights);
  range.add_rough_sum(case_weights);
  CodedData data = make_frame(std::move(n_levels), range.unit(most_repeats), most_repeats);
  data.n_obs = n_obs;
  data.case_weights = std::move(case_weights);
  round_weights(data.weight_unit, data.case_weights);
  return data;
}

void require_answers_by_row(const RowAnswers& rows) {
  const std::vector<std::size_t>& start = rows.row_start;
  require(!start.empty() && start.front() == 0 && start.back() == rows.items.size() &&
              rows.answers.size() == rows.items.size() &&
              std::is_sorted(start.begin(), start.end()),
          "one item and one code for each answer, row by row");
}

/// The answers once more, item by item (a counting sort, so that rows stay in order).
void list_by_item(const CodedData& data, SparseCodes& sparse) {
  sparse.item_start.assign(data.n_items + 1, 0);
  for (Index row = 0; row < data.n_obs; ++row) {
    Index before = 0;
    sparse.for_each_item_of_row(row, [&](Index item, Code code) {
      require(item >= before && item < data.n_items, "items must ascend in a row");
      require(code != 0, "an answer has a code");
      before = item;
      ++sparse.item_start[item + 1];
    });
  }
  std::partial_sum(sparse.item_start.begin(), sparse.item_start.end(), sparse.item_start.begin());
  sparse.item_row.resize(sparse.items.size());
  sparse.item_code.resize(sparse.items.size());
  std::vector<std::size_t> next(sparse.item_start.begin(), sparse.item_start.end() - 1);
  for (Index row = 0; row < data.n_obs; ++row) {
    sparse.for_each_item_of_row(row, [&](Index item, Code code) {
      sparse.item_row[next[item]] = static_cast<std::uint32_t>(row);
      sparse.item_code[next[item]++] = code;
    });
  }
}

CodedData with_totals(CodedData data) {
  Totals totals(data);
  totals.add(data);
  totals.finish(data);
  return data;
}

DenseCodes dense_codes(const Code* codes, const CodedData& data) {
  return {codes, data.n_obs, data.n_items, std::make_shared<DenseLayouts>()};
}

SparseCodes sparse_codes(RowAnswers rows, const CodedData& data) {
  SparseCodes sparse;
  static_cast<RowAnswers&>(sparse) = std::move(rows);
  list_by_item(data, sparse);
  return sparse;
}

}  // namespace

Index most_repeats(const RowAnswers& rows) {
  std::size_t most = 1;
  for (std::size_t row = 0; row + 1 < rows.row_start.size(); ++row) {
    std::size_t first = rows.row_start[row];
    for (std::size_t at = first; at < rows.row_start[row + 1]; ++at) {
      if (rows.items[at] != rows.items[first]) first = at;
      most = std::max(most, at - first + 1);
    }
  }
  return static_cast<Index>(most);
}

void WeightRange::add(const Vector& weights) {
  n_obs += weights.size();
  if (weights.size() == 0) return;
  largest = std::max(largest, weights.maxCoeff());
}

// Roughly, as the sum of doubles depends on their order.
int WeightRange::rough_exponent() const {
  return bits_of_sum - exponent_above(largest) - exponent_above(static_cast<double>(n_obs));
}

void WeightRange::add_rough_sum(const Vector& weights) {
  if (!(largest > 0.0)) return;
  const int exponent = rough_exponent();
  for (Index row = 0; row < weights.size(); ++row) {
    rough_sum += static_cast<std::int64_t>(std::ldexp(weights[row], exponent));
  }
}

void WeightRange::add(const RowTotals& rows) {
  n_obs += rows.n_obs;
  largest = std::max(largest, rows.largest_weight);
}

void WeightRange::add_rough_sum(const RowTotals& rows) {
  if (!(largest > 0.0)) return;
  rough_sum += static_cast<std::int64_t>(std::ldexp(rows.total_weight, rough_exponent()));
}

double WeightRange::unit(Index most_repeats) const {
  if (!(largest > 0.0)) return 1.0;
  const int of_sum = exponent_above(static_cast<double>(rough_sum)) - rough_exponent() +
                     exponent_above(static_cast<double>(most_repeats - 1));
  constexpr int finest = 1020;  // the smallest numbers have no reciprocal
  return std::ldexp(
      1.0, -std::min({bits_of_term - exponent_above(largest), bits_of_sum - 1 - of_sum, finest}));
}

CodedData make_frame(std::vector<Index> n_levels, double weight_unit, Index most_repeats) {
  CodedData frame;
  frame.codes =
      DenseCodes{nullptr, 0, static_cast<Index>(n_levels.size()), std::make_shared<DenseLayouts>()};
  frame.most_repeats = most_repeats;
  frame.weight_unit = weight_unit;
  frame.n_items = static_cast<Index>(n_levels.size());
  frame.n_levels = std::move(n_levels);
  frame.offset.assign(frame.n_items + 1, 0);
  std::partial_sum(frame.n_levels.begin(), frame.n_levels.end(), frame.offset.begin() + 1);
  return frame;
}

CodedData make_block(const CodedData& frame, Cells cells, Vector case_weights) {
  // Blocks are many; counts of all rows are the frame's.
  CodedData data;
  data.n_obs = cells.n_obs;
  data.n_items = frame.n_items;
  data.n_levels = frame.n_levels;
  data.offset = frame.offset;
  data.weight_unit = frame.weight_unit;
  data.most_repeats = frame.most_repeats;
  data.total_weight = frame.total_weight;
  data.has_missing = frame.has_missing;
  data.n_threads = frame.n_threads;
  data.instructions = frame.instructions;
  data.case_weights = std::move(case_weights);
  round_weights(data.weight_unit, data.case_weights);
  if (cells.codes != nullptr) {
    data.codes = dense_codes(cells.codes, data);
  } else {
    data.codes = sparse_codes(std::move(cells), data);
  }
  return data;
}

Totals::Totals(const CodedData& frame)
    : levels_(frame.n_total_levels(), 0), n_answers_(frame.n_items, 0), n_rows_(frame.n_items, 0) {}

void Totals::add(const CodedData& rows) {
  n_obs_ += rows.n_obs;
  for (Index row = 0; row < rows.n_obs; ++row) total_ += units_of_row(rows, row);
  for (Index item = 0; item < rows.n_items; ++item) {
    std::int64_t* counts = levels_.data() + rows.offset[item];
    Index last = -1;
    for_each_answer(rows, item, [&](Index row, Code code) {
      require(code <= rows.n_levels[item], "a code exceeds its item's levels");
      counts[code - 1] += units_of_row(rows, row);
      ++n_answers_[item];
      n_rows_[item] += row != last;
      last = row;
    });
  }
}

void Totals::finish(CodedData& data, const RowTotals& before) const {
  data.total_weight = weight_of(data, total_) + before.total_weight;
  data.level_weight.resize(data.n_total_levels());
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    data.level_weight[static_cast<Index>(at)] = weight_of(data, levels_[at]);
  }
  if (before.n_obs > 0) data.level_weight += before.level_weight;
  data.has_missing.assign(data.n_items, false);
  for (Index item = 0; item < data.n_items; ++item) {
    // Nobody knows of the rows before, and no sum depends on it.
    data.has_missing[item] =
        before.n_obs > 0 || n_rows_[item] < n_obs_ || n_answers_[item] > n_rows_[item];
  }
  summarise_items(data);
}

void require_cells(const Cells& cells) {
  constexpr Index most_levels = 255;
  require(cells.n_obs > 0, "there are rows");
  for (const Index n : cells.n_levels) {
    require(n >= 1 && n <= most_levels, "an item has 1 to 255 levels");
  }
  if (cells.codes != nullptr) return;
  require(cells.row_start.size() == static_cast<std::size_t>(cells.n_obs) + 1,
          "codes of all cells, or answers of all rows");
  require_answers_by_row(cells);
}

void require_weights(const Vector& case_weights, Index n_obs) {
  require(case_weights.size() == n_obs, "one case weight per observation");
  require(case_weights.allFinite() && (case_weights.array() >= 0.0).all() &&
              (case_weights.array() > 0.0).any(),
          "case weights are finite and not negative, and not all are 0");
}

CodedData make_data(Cells cells, Vector case_weights) {
  if (cells.codes == nullptr) {
    std::vector<Index> n_levels = std::move(cells.n_levels);
    return make_sparse_data(std::move(cells), std::move(n_levels), std::move(case_weights));
  }
  return make_coded_data(cells.codes, cells.n_obs, std::move(cells.n_levels),
                         std::move(case_weights));
}

CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights) {
  CodedData data = shape_of(n_obs, std::move(n_levels), std::move(case_weights));
  data.codes = dense_codes(codes, data);
  return with_totals(std::move(data));
}

CodedData make_sparse_data(RowAnswers rows, std::vector<Index> n_levels, Vector case_weights) {
  require_answers_by_row(rows);
  const Index n_obs = static_cast<Index>(rows.row_start.size()) - 1;
  CodedData data =
      shape_of(n_obs, std::move(n_levels), std::move(case_weights), most_repeats(rows));
  data.codes = sparse_codes(std::move(rows), data);
  return with_totals(std::move(data));
}

}  // namespace mdpd
