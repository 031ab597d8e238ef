#include "fit/decisions.h"

#include <algorithm>

namespace mdpd {

namespace {

/// Posteriors that differ by less are tied, as in R.
constexpr double tie_tolerance = 1e-9;

/// The classes in the order in which ties go to them.
std::vector<Index> order_of_classes(const Classifier& by) {
  const Vector& weights = by.at.params.mixing_weights;
  const bool has_labels = !by.labels.empty();
  const Index n = has_labels ? 1 + *std::max_element(by.labels.begin(), by.labels.end())
                             : by.at.params.n_components();
  std::vector<Index> order = numbers_below(n);
  if (has_labels) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return weights[a] > weights[b]; });
  return order;
}

/// Has the row an answer that tells anything?
bool has_answer(const CodedData& rows, const Classifier& by, Index row) {
  bool has = false;
  for_each_item_of_row(rows, row, [&](Index item, Code code) {
    if (by.n_levels.empty() || code <= by.n_levels[item]) has = true;
  });
  return has;
}

/// Of each row its class; no_component where none of its answers tells it.
/// @param first number of the first row.
std::vector<Index> classes_of(const CodedData& rows, const Classifier& by, Index first) {
  const EStep step = e_step(rows, by.at.params, by.at.items);
  const std::vector<Index> order = order_of_classes(by);
  std::vector<Index> out(rows.n_obs);
  Vector shares(static_cast<Index>(order.size()));
  for (Index row = 0; row < rows.n_obs; ++row) {
    if (!has_answer(rows, by, row)) {
      out[row] = no_component;
      continue;
    }
    shares.setZero();
    for (Index k = 0; k < step.posterior.cols(); ++k) {
      shares[by.labels.empty() ? k : by.labels[k]] += step.posterior(row, k);
    }
    const double least = shares.maxCoeff() - tie_tolerance;
    out[row] =
        *std::find_if(order.begin(), order.end(), [&](Index at) { return shares[at] >= least; });
  }
  const auto end = by.known.lower_bound(first + rows.n_obs);
  for (auto at = by.known.lower_bound(first); at != end; ++at) out[at->first - first] = at->second;
  return out;
}

}  // namespace

ChangedRows changed_rows(const BlockedRows& rows, const Classifier& before, const Classifier& after,
                         Index most) {
  ChangedRows changed;
  const auto compare = [&](const CodedData& block, const std::vector<Index>& known, Index first) {
    const std::vector<Index> from = classes_of(block, before, first);
    std::vector<Index> to = classes_of(block, after, first);
    for (Index row = 0; row < block.n_obs; ++row) {
      if (!known.empty() && known[row] != no_component) to[row] = known[row];
      if (from[row] == to[row] || !has_answer(block, after, row)) continue;
      if (changed.n++ < most) changed.rows.push_back({first + row, from[row], to[row]});
    }
  };
  if (rows.held().empty()) {
    rows.for_each_block([&](const CodedData& block, Index first) { compare(block, {}, first); });
  } else {
    rows.for_each_free_block(compare);  // before, the rows may have been free
  }
  return changed;
}

}  // namespace mdpd
