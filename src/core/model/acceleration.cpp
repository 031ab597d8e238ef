#include "model/acceleration.h"

#include <cmath>
#include <utility>

namespace mdpd {

namespace {

/// Share of its probability that a leap leaves a cell at least.
constexpr double least_left = 0.1;

/// Visits matrices whose columns sum to 1 until all of a state has been seen.
/// @param visit of a matrix and the root of how many of the rows say something of it.
template <class State, class Visit>
void for_each_part(const CodedData& data, State& state, const Visit& visit) {
  for (Index item = 0; item < data.n_items; ++item) {
    if (!(data.observed_weight[item] > 0.0)) continue;
    visit(data.levels_of(item, state.params.item_probs),
          std::sqrt(data.observed_weight[item] / data.total_weight));
  }
  visit(state.params.mixing_weights.leftCols(1), 1.0);
  visit(state.prior.weights.leftCols(1), 1.0);
  visit(state.prior.crowd.leftCols(state.prior.crowd.cols()), 1.0);
}

Vector roots_of(const CodedData& data, const EmState& state) {
  Vector out(state.params.item_probs.size() + state.params.mixing_weights.size() +
             state.prior.weights.size() + state.prior.crowd.size());
  Index at = 0;
  for_each_part(data, state, [&](const auto& part, double scale) {
    for (Index k = 0; k < part.cols(); ++k) {
      out.segment(at, part.rows()) = scale * part.col(k).cwiseSqrt();
      at += part.rows();
    }
  });
  return out.head(at);
}

/// Moves a state to these roots, as far as its probabilities stay above 0.
void move_to(const CodedData& data, const Vector& roots, EmState& state) {
  Index at = 0;
  for_each_part(data, state, [&](auto part, double scale) {
    for (Index k = 0; k < part.cols(); ++k) {
      const Vector to = (roots.segment(at, part.rows()) / scale).cwiseMax(0.0).cwiseAbs2();
      if (to.sum() > 0.0) part.col(k) = (to / to.sum()).cwiseMax(least_left * part.col(k)).eval();
      part.col(k) /= part.col(k).sum();
      at += part.rows();
    }
  });
}

}  // namespace

EmState Acceleration::next(EmState after) {
  if (has_leapt()) n_steps_ = 0;
  Vector roots = roots_of(data_, after);
  if (++n_steps_ == 1) {
    first_ = std::move(roots);
    return after;
  }
  if (n_steps_ == 2) {
    second_ = std::move(roots);
    return after;
  }
  const Vector step = second_ - first_;
  const Vector change = (roots - second_) - step;
  const double length = step.norm() / change.norm();
  if (!(length > 1.0 && std::isfinite(length))) {
    n_steps_ = 1;
    first_ = std::move(roots);
    return after;
  }
  before_leap_ = after;
  move_to(data_, first_ + 2.0 * length * step + length * length * change, after);
  return after;
}

EmState Acceleration::take_back() {
  n_steps_ = 0;
  return std::move(before_leap_);
}

}  // namespace mdpd
