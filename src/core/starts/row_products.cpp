#include "starts/row_products.h"

#include <cmath>

#include "base/numerics.h"

namespace mdpd {

namespace {

/// Products of Lanczos' method.
constexpr Index most_products = 60;

}  // namespace

RowProducts::RowProducts(const CodedData& data, double answers_added)
    : data_(data),
      items_(make_ready(data, varying_items(data))),
      root_(data.case_weights.cwiseSqrt()),
      scale_((data.level_weight.array() + answers_added).inverse()) {
  Vector own = Vector::Zero(data.n_total_levels());
  for (const Index item : items_.items) {
    const Index first = data.offset[item];
    const Index n = data.n_levels[item];
    double of_all = 0.0;
    for (Index r = 0; r < n; ++r) {
      const double m = data.marginal(item, r);
      of_all += m * m * scale_[first + r];
    }
    for (Index r = 0; r < n; ++r) {
      own[first + r] = (1.0 - 2.0 * data.marginal(item, r)) * scale_[first + r] + of_all;
    }
  }
  // Equal rows that are one of their weight still have each other in common.
  own_ = row_sums_of(own).cwiseProduct(data.case_weights.cwiseMin(1.0));
}

Vector RowProducts::operator()(const Vector& x) const {
  // Of a vector of length 1, sums of the rows' weight at most, of which counts are exact.
  const double size = std::sqrt(data_.total_weight);
  const RowMatrix weighted = size * x.cwiseQuotient(root_.cwiseMax(1e-150));
  Vector levels = level_sums(data_, weighted, items_).levels / size;
  for (const Index item : items_.items) {
    auto of_item = data_.levels_of(item, levels);
    const double sum = of_item.sum();
    for (Index r = 0; r < of_item.size(); ++r) of_item[r] -= sum * data_.marginal(item, r);
  }
  const Vector scores = row_sums_of(centred(levels.cwiseProduct(scale_)));
  return root_.cwiseProduct(scores) - own_.cwiseProduct(x);
}

Eigenpairs RowProducts::largest(Index n) const {
  const Vector start = surprisal();
  if (!(start.norm() > 1e-9 * std::sqrt(data_.total_weight))) return {};
  return largest_eigenpairs(*this, start, n, most_products);
}

/// How unusual the rows are; centred.
Vector RowProducts::surprisal() const {
  Vector levels = Vector::Zero(data_.n_total_levels());
  for (Index r = 0; r < levels.size(); ++r) levels[r] = -log_of(data_.level_weight[r] + 1.0);
  return root_.cwiseProduct(row_sums_of(centred(std::move(levels))));
}

/// Less the mean over the answers of each item.
Vector RowProducts::centred(Vector levels) const {
  for (const Index item : items_.items) {
    auto of_item = data_.levels_of(item, levels);
    double mean = 0.0;
    for (Index r = 0; r < of_item.size(); ++r) mean += data_.marginal(item, r) * of_item[r];
    of_item.array() -= mean;
  }
  return levels;
}

/// Sums over the answers of each row.
Vector RowProducts::row_sums_of(const Vector& levels) const {
  const RowMatrix as_probs = levels.unaryExpr([](double x) { return exp_of(x); });
  const LogTables tables = log_tables(data_, items_, Vector::Ones(1), as_probs);
  Vector out(data_.n_obs);
  sum_log_tables(data_, items_, tables, 0, data_.n_obs, out.data());
  return out;
}

}  // namespace mdpd
