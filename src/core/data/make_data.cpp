#include "data/make_data.h"

#include <numeric>

#include "base/errors.h"
#include "base/numerics.h"
#include "data/indicators.h"
#include "data/packed_items.h"

namespace mdpd {

namespace {

void count_levels(CodedData& data) {
  data.level_weight = Vector::Zero(data.n_total_levels());
  data.has_missing.assign(data.n_items, false);
  for (Index item = 0; item < data.n_items; ++item) {
    double* counts = data.level_weight.data() + data.offset[item];
    Index n_answers = 0;
    for_each_answer(data, item, [&](Index row, Code code) {
      if (code > data.n_levels[item]) throw DimensionError("a code exceeds its item's levels");
      counts[code - 1] += data.case_weights[row];
      ++n_answers;
    });
    data.has_missing[item] = n_answers < data.n_obs;
  }
}

void summarise_items(CodedData& data) {
  data.observed_weight.resize(data.n_items);
  data.marginal_loglik.resize(data.n_items);
  data.n_levels_seen.resize(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    const auto counts = data.level_weight.segment(data.offset[item], data.n_levels[item]);
    const double observed = counts.sum();
    data.observed_weight[item] = observed;
    data.n_levels_seen[item] = (counts.array() > 0.0).count();
    data.marginal_loglik[item] = counts.unaryExpr(&x_log_x).sum() - x_log_x(observed);
  }
}

CodedData shape_of(Index n_obs, std::vector<Index> n_levels, Vector case_weights) {
  if (case_weights.size() != n_obs) throw DimensionError("one case weight per observation");
  CodedData data;
  data.n_obs = n_obs;
  data.n_items = static_cast<Index>(n_levels.size());
  data.n_levels = std::move(n_levels);
  data.offset.assign(data.n_items + 1, 0);
  std::partial_sum(data.n_levels.begin(), data.n_levels.end(), data.offset.begin() + 1);
  data.case_weights = std::move(case_weights);
  data.total_weight = data.case_weights.sum();
  return data;
}

/// The answers once more, item by item (a counting sort, so that rows stay in order).
void list_by_item(CodedData& data) {
  SparseCodes& sparse = data.sparse;
  sparse.item_start.assign(data.n_items + 1, 0);
  for (Index row = 0; row < data.n_obs; ++row) {
    Index before = -1;
    for_each_item_of_row(data, row, [&](Index item, Code code) {
      if (item <= before || item >= data.n_items)
        throw DimensionError("items must ascend in a row");
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
    for_each_item_of_row(data, row, [&](Index item, Code code) {
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
  data.codes = codes;
  count_levels(data);
  summarise_items(data);
  data.packed = pack_codes(data);
  data.indicators = list_indicators(data);
  return data;
}

CodedData make_sparse_data(std::vector<std::size_t> row_start, std::vector<std::uint32_t> items,
                           std::vector<Code> codes, std::vector<Index> n_levels,
                           Vector case_weights) {
  const Index n_obs = static_cast<Index>(row_start.size()) - 1;
  if (n_obs < 0 || items.size() != row_start.back() || codes.size() != items.size()) {
    throw DimensionError("one item and one code for each answer");
  }
  CodedData data = shape_of(n_obs, std::move(n_levels), std::move(case_weights));
  data.sparse.row_start = std::move(row_start);
  data.sparse.row_item = std::move(items);
  data.sparse.row_code = std::move(codes);
  list_by_item(data);
  count_levels(data);
  summarise_items(data);
  return data;
}

}  // namespace mdpd
