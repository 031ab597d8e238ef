#include "base/log_sum_exp.h"

#include <testthat.h>

#include <cmath>
#include <limits>

#include "random_data.h"

namespace mdpd {

namespace {

/// Rows of log-joint probabilities, some far apart and all far from 0.
RowMatrix random_log_rows(Random& random, Index n, Index n_components) {
  RowMatrix rows(n, n_components);
  for (Index at = 0; at < rows.size(); ++at) {
    rows.data()[at] = -1000.0 - std::pow(10.0, 5.0 * random.uniform() - 2.0);
  }
  return rows;
}

/// One row after the other with the library's functions; returns the logarithms of the sums.
Vector normalise_twin(RowMatrix& rows) {
  Vector row_loglik(rows.rows());
  for (Index n = 0; n < rows.rows(); ++n) {
    const double largest = rows.row(n).maxCoeff();
    rows.row(n) = (rows.row(n).array() - largest).exp();
    row_loglik[n] = largest + std::log(rows.row(n).sum());
    rows.row(n) /= rows.row(n).sum();
  }
  return row_loglik;
}

}  // namespace

context("log_sum_exp") {
  test_that("every kernel agrees with the plain twin, for any number of rows and components") {
    Random random(1);
    for (const Instructions instructions : {Instructions::kPortable, widest_instructions()}) {
      for (Index n_components = 1; n_components <= 9; ++n_components) {
        for (const Index n : {0, 1, 3, 4, 5, 64, 127}) {
          const RowMatrix in = random_log_rows(random, n, n_components);
          RowMatrix rows = in;
          RowMatrix twin = in;
          Vector row_loglik(n);
          normalise_log_rows(rows.data(), n, n_components, row_loglik.data(), instructions);
          const Vector expected = normalise_twin(twin);
          if (n == 0) continue;
          expect_true(distance(rows, twin) < 1e-15);
          // Numbers of up to 2000 nats: their last bit.
          expect_true(distance(row_loglik, expected) < 5e-13);
        }
      }
    }
  }

  test_that("instructions change no bit") {
    Random random(2);
    for (Index n_components = 1; n_components <= 9; ++n_components) {
      const RowMatrix in = random_log_rows(random, 127, n_components);
      RowMatrix wide = in;
      RowMatrix portable = in;
      Vector wide_loglik(127);
      Vector portable_loglik(127);
      normalise_log_rows(wide.data(), 127, n_components, wide_loglik.data());
      normalise_log_rows(portable.data(), 127, n_components, portable_loglik.data(),
                         Instructions::kPortable);
      expect_true(wide == portable);
      expect_true(wide_loglik == portable_loglik);
    }
  }

  test_that("rows sum to one even when every joint underflows") {
    RowMatrix rows = RowMatrix::Constant(3, 2, -1e4);
    Vector row_loglik(3);
    normalise_log_rows(rows.data(), 3, 2, row_loglik.data());
    expect_true((rows.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-15);
    expect_true(relative_difference(row_loglik.sum(), 3 * (std::log(2.0) - 1e4)) < 1e-15);
  }

  test_that("adding a constant to a row moves its log-likelihood and not its posterior") {
    Random random(3);
    RowMatrix before = random_posterior(random, 5, 4).array().log();
    RowMatrix after = before;
    after.row(2).array() += 700.0;
    Vector loglik_before(5);
    Vector loglik_after(5);
    normalise_log_rows(before.data(), 5, 4, loglik_before.data());
    normalise_log_rows(after.data(), 5, 4, loglik_after.data());
    expect_true(distance(before, after) < 1e-12);  // 700 + log p rounds at 1e-13
    expect_true(std::abs(loglik_after.sum() - loglik_before.sum() - 700.0) < 1e-11);
  }

  test_that("a component that is excluded gets nothing, and one alone all") {
    const double infinity = std::numeric_limits<double>::infinity();
    RowMatrix rows(2, 3);
    rows << -infinity, -5.0, -infinity, -7.0, -infinity, -7.0;
    Vector row_loglik(2);
    normalise_log_rows(rows.data(), 2, 3, row_loglik.data());
    expect_true(rows.row(0) == Eigen::RowVector3d(0.0, 1.0, 0.0));
    expect_true(rows.row(1) == Eigen::RowVector3d(0.5, 0.0, 0.5));
    expect_true(row_loglik[0] == -5.0);
    expect_true(std::abs(row_loglik[1] - (std::log(2.0) - 7.0)) < 1e-15);
  }
}

}  // namespace mdpd
