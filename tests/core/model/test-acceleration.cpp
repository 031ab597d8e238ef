#include <testthat.h>

#include "model/acceleration.h"
#include "random_data.h"

namespace mdpd {

namespace {

const std::vector<Index> n_levels = {2, 3, 4};

/// A state whose square roots are `to`'s plus a part of the way from there to `from`'s.
EmState part_way(const EmState& from, const EmState& to, double part) {
  const auto mix = [&](const auto& a, const auto& b) {
    return ((1.0 - part) * b.cwiseSqrt() + part * a.cwiseSqrt()).cwiseAbs2().eval();
  };
  EmState out;
  out.params.mixing_weights = mix(from.params.mixing_weights, to.params.mixing_weights);
  out.params.item_probs = mix(from.params.item_probs, to.params.item_probs);
  out.prior.weights = mix(from.prior.weights, to.prior.weights);
  out.prior.crowd = mix(from.prior.crowd, to.prior.crowd);
  return out;
}

EmState random_state(Random& random) {
  EmState state{random_parameters(random, n_levels, 2)};
  state.prior.weights = random_parameters(random, n_levels, 5).mixing_weights;
  state.prior.crowd = random_parameters(random, {3}, 2).item_probs;
  return state;
}

double distance_of(const EmState& a, const EmState& b) {
  return distance(a.params.item_probs, b.params.item_probs) +
         (a.params.mixing_weights - b.params.mixing_weights).norm() +
         (a.prior.weights - b.prior.weights).norm() + (a.prior.crowd - b.prior.crowd).norm();
}

}  // namespace

context("acceleration") {
  test_that("a leap from steps that shrink by a factor is to their limit") {
    Random random(1);
    const Table table = draw_table(random, random_parameters(random, n_levels, 2), {50, n_levels});
    const EmState limit = random_state(random);
    const EmState start = random_state(random);
    for (const double factor : {0.5, 0.9}) {
      Acceleration acceleration(table.data);
      const double near = 0.05;
      const EmState third = part_way(start, limit, near * factor * factor);
      acceleration.next(part_way(start, limit, near));
      expect_false(acceleration.has_leapt());
      acceleration.next(part_way(start, limit, near * factor));
      expect_false(acceleration.has_leapt());
      const EmState leap = acceleration.next(third);
      expect_true(acceleration.has_leapt());
      expect_true(distance_of(leap, limit) < 1e-10);
      expect_true(distance_of(acceleration.take_back(), third) == 0.0);
    }
  }

  test_that(
      "there is no leap from steps that grow, and the next ones count from the last of them") {
    Random random(2);
    const Table table = draw_table(random, random_parameters(random, n_levels, 2), {50, n_levels});
    const EmState a = random_state(random);
    const EmState b = random_state(random);
    Acceleration acceleration(table.data);
    for (const double part : {0.0, 0.1, 0.5}) acceleration.next(part_way(a, b, part));
    expect_false(acceleration.has_leapt());
    acceleration.next(part_way(a, b, 0.6));
    expect_false(acceleration.has_leapt());
    acceleration.next(part_way(a, b, 0.65));
    expect_true(acceleration.has_leapt());
  }

  test_that("after a new beginning three more states lead to a leap") {
    Random random(4);
    const Table table = draw_table(random, random_parameters(random, n_levels, 2), {50, n_levels});
    const EmState a = random_state(random);
    const EmState b = random_state(random);
    Acceleration acceleration(table.data);
    acceleration.next(part_way(a, b, 0.0));
    acceleration.next(part_way(a, b, 0.1));
    acceleration.begin_again();
    for (const double part : {0.5, 0.7}) {
      acceleration.next(part_way(a, b, part));
      expect_false(acceleration.has_leapt());
    }
    acceleration.next(part_way(a, b, 0.8));
    expect_true(acceleration.has_leapt());
  }

  test_that("a leap leaves a tenth of every probability, and columns that sum to 1") {
    Random random(3);
    const Table table = draw_table(random, random_parameters(random, n_levels, 2), {50, n_levels});
    for (int draw = 0; draw < 20; ++draw) {
      const EmState a = random_state(random);
      const EmState b = random_state(random);
      const EmState third = part_way(a, b, 0.19);
      Acceleration acceleration(table.data);
      // Far past the other end.
      acceleration.next(part_way(a, b, 0.0));
      acceleration.next(part_way(a, b, 0.1));
      const RowMatrix probs = acceleration.next(third).params.item_probs;
      const RowMatrix before = third.params.item_probs;
      for (Index item = 0; item < table.data.n_items; ++item) {
        const Index first = table.data.offset[item];
        const Index n = table.data.n_levels[item];
        for (Index k = 0; k < 2; ++k) {
          const Vector column = probs.col(k).segment(first, n);
          expect_true(std::abs(column.sum() - 1.0) < 1e-12);
          // Cells that are lifted make the sum of their column at most 1.1.
          const Vector least = 0.1 / 1.1 * before.col(k).segment(first, n);
          expect_true((column.array() >= (1.0 - 1e-12) * least.array()).all());
        }
      }
    }
  }
}

}  // namespace mdpd
