#include "pairs/fixed_point.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

/// The weight that a row's limbs stand for.
double weight_of(const FixedWeights& fixed, Index row, Index column) {
  double sum = 0.0;
  for (int limb = fixed.n_limbs - 1; limb >= 0; --limb) {
    sum = std::ldexp(sum, bits_of_limb) +
          fixed.limbs[row * fixed.stride + limb * fixed.n_columns + column];
  }
  return sum * fixed.unit[column];
}

/// 7 times the distance of the roots of a column and what is left of it.
double root_distance(const RowMatrix& weights, const FixedWeights& fixed, Index column) {
  double sum = 0.0;
  for (Index n = 0; n < weights.rows(); ++n) {
    sum += std::pow(std::sqrt(weights(n, column)) - std::sqrt(weight_of(fixed, n, column)), 2.0);
  }
  return 7.0 * std::sqrt(sum);
}

/// Weights over so many decades.
RowMatrix heavy_tailed(Random& random, Index n_obs, double decades) {
  RowMatrix weights = random_posterior(random, n_obs, 3);
  for (Index n = 0; n < n_obs; ++n) weights.row(n) *= std::pow(10.0, -decades * random.uniform());
  return weights;
}

}  // namespace

context("fixed_point") {
  test_that("the error is at least that of the roots, and not much more") {
    Random random(1);
    for (const double decades : {0.0, 3.0, 8.0, 15.0, 30.0}) {
      const RowMatrix weights = heavy_tailed(random, 500, decades);
      const FixedWeights fixed = fix_weights(weights, Precision::kSearch);
      for (Index k = 0; k < 3; ++k) {
        const double exact = root_distance(weights, fixed, k);
        const double rounding = 1e-7 * std::sqrt(weights.col(k).sum());
        expect_true(fixed.error[k] >= exact - rounding);
        expect_true(fixed.error[k] <= 1.5 * exact + rounding);
      }
    }
  }

  test_that("limbs fit, and the rest of a row is empty") {
    Random random(2);
    for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
      const FixedWeights fixed = fix_weights(heavy_tailed(random, 100, 5.0), precision);
      expect_true(fixed.stride % limbs_of_vector == 0);
      expect_true(fixed.stride >= fixed.limbs_of_row());
      bool all_fit = true;
      for (Index n = 0; n < 100; ++n) {
        for (Index at = 0; at < fixed.stride; ++at) {
          const int limb = fixed.limbs[n * fixed.stride + at];
          all_fit = all_fit && limb < (at < fixed.limbs_of_row() ? 1 << bits_of_limb : 1);
        }
      }
      expect_true(all_fit);
    }
  }

  test_that("numbers are near their weights, for any number of columns") {
    Random random(6);
    for (Index n_columns = 1; n_columns <= 9; ++n_columns) {
      RowMatrix weights = random_posterior(random, 100, n_columns);
      weights.row(7).setZero();
      weights.row(8) *= 1e-9;  // lighter than the unit
      for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
        const FixedWeights plain = fix_weights(weights, precision);
        bool all_near = true;
        for (Index n = 0; n < 100; ++n) {
          for (Index k = 0; k < n_columns; ++k) {
            const double distance = std::abs(weight_of(plain, n, k) - weights(n, k));
            const double rounding = 4e-16 * weights.col(k).maxCoeff();
            all_near = all_near && distance <= (n == 8 ? 1.0 : 0.5) * plain.unit[k] + rounding;
          }
        }
        expect_true(all_near);
      }
    }
  }

  test_that("weights of a few values have few limbs and no error") {
    RowMatrix weights = RowMatrix::Constant(50, 2, 1.0 / 50.0);
    weights.col(1).head(20).setZero();
    const FixedWeights fixed = fix_weights(weights, Precision::kSearch);
    expect_true(fixed.n_limbs == 1);
    expect_true(fixed.error.maxCoeff() < 1e-12);
    expect_true(weight_of(fixed, 0, 1) == 0.0);
    expect_true(std::abs(weight_of(fixed, 30, 1) - 0.02) < 1e-17);
  }

  test_that("one row far above the others costs limbs, not accuracy") {
    Random random(3);
    RowMatrix weights = random_posterior(random, 1000, 2);
    weights.row(0) *= 1e7;
    const FixedWeights fixed = fix_weights(weights, Precision::kSearch);
    expect_true(fixed.n_limbs > 1);
    for (Index k = 0; k < 2; ++k) {
      const double squares = weights.col(k).squaredNorm() / weights.col(k).sum();
      expect_true(fixed.error[k] * fixed.error[k] <= 0.03 * squares);
    }
  }

  test_that("all limbs are those of a double") {
    Random random(4);
    const RowMatrix weights = heavy_tailed(random, 200, 2.0);
    const FixedWeights fixed = fix_weights(weights, Precision::kFull);
    for (Index k = 0; k < 3; ++k) {
      // 2^-56 of the largest, and the rounding of the scale.
      const double allowed = 4e-16 * weights.col(k).maxCoeff();
      for (Index n = 0; n < 200; ++n) {
        expect_true(std::abs(weight_of(fixed, n, k) - weights(n, k)) <= allowed);
      }
    }
  }

  test_that("a row that carries weight anywhere has a limb, and no other") {
    RowMatrix weights = RowMatrix::Zero(4, 3);
    weights.row(0) << 1.0, 1.0, 0.0;
    weights.row(1) << 1e-200, 1e-190, 0.0;
    weights.row(2) << 0.0, 5e-324, 0.0;
    for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
      const FixedWeights fixed = fix_weights(weights, precision);
      expect_true(weight_of(fixed, 1, 0) == 0.0);
      expect_true(weight_of(fixed, 1, 1) > 0.0);
      expect_true(weight_of(fixed, 2, 1) > 0.0);
      for (Index k = 0; k < 3; ++k) expect_true(weight_of(fixed, 3, k) == 0.0);
      expect_true(fixed.unit[2] == 0.0);
      expect_true(fixed.error[2] == 0.0);
    }
  }

  test_that("columns far below the others are as exact as they") {
    Random random(5);
    RowMatrix weights = random_posterior(random, 300, 2);
    const FixedWeights before = fix_weights(weights, Precision::kSearch);
    for (const double scale : {1e-100, 1e-280}) {
      RowMatrix scaled = weights;
      scaled.col(1) *= scale;
      const FixedWeights after = fix_weights(scaled, Precision::kSearch);
      const double ratio = after.error[1] / (before.error[1] * std::sqrt(scale));
      expect_true(std::abs(ratio - 1.0) < 1e-3);
    }
  }
}

}  // namespace mdpd
