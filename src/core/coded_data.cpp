#include "coded_data.h"

#include <algorithm>
#include <numeric>

#include "errors.h"
#include "numerics.h"
#include "packed_items.h"

namespace mdpd {

namespace {

void count_levels(CodedData& data) {
  data.level_weight = Vector::Zero(data.n_total_levels());
  data.has_missing.assign(data.n_items, false);
  for (Index item = 0; item < data.n_items; ++item) {
    const Code* codes = data.item_codes(item);
    double* counts = data.level_weight.data() + data.offset[item];
    for (Index n = 0; n < data.n_obs; ++n) {
      if (codes[n] > data.n_levels[item]) throw DimensionError("a code exceeds its item's levels");
      if (codes[n] > 0)
        counts[codes[n] - 1] += data.case_weights[n];
      else
        data.has_missing[item] = true;
    }
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

}  // namespace

CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights) {
  CodedData data;
  data.n_obs = n_obs;
  data.n_items = static_cast<Index>(n_levels.size());
  data.codes = codes;
  data.n_levels = std::move(n_levels);
  data.offset.assign(data.n_items + 1, 0);
  std::partial_sum(data.n_levels.begin(), data.n_levels.end(), data.offset.begin() + 1);
  if (case_weights.size() != n_obs) throw DimensionError("one case weight per observation");
  data.case_weights = std::move(case_weights);
  data.total_weight = data.case_weights.sum();
  count_levels(data);
  summarise_items(data);
  data.packed = pack_codes(data);
  return data;
}

ItemSet all_items(const CodedData& data) {
  ItemSet items(data.n_items);
  std::iota(items.begin(), items.end(), Index{0});
  return items;
}

ItemSet varying_items(const CodedData& data) {
  ItemSet items;
  for (Index item = 0; item < data.n_items; ++item) {
    if (data.n_levels_seen[item] > 1) items.push_back(item);
  }
  return items;
}

bool contains(const ItemSet& items, Index item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace mdpd
