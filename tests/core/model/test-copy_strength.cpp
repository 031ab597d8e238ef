#include "model/copy_strength.h"

#include <testthat.h>

#include <array>
#include <cmath>
#include <vector>

#include "random_data.h"

namespace mdpd {

namespace {

/// Rows that other items say something of, and codes of two items, some missing.
struct CopyCase {
  KnownRows rows;
  std::array<std::vector<int>, 2> codes;
  std::array<Index, 2> n_levels;

  std::array<RowCodes, 2> items() const {
    return {RowCodes{codes[0].data(), n_levels[0]}, RowCodes{codes[1].data(), n_levels[1]}};
  }
};

/// The second item says half of the time what the first does; its last level is never seen.
CopyCase random_copies(Random& random, Index n_obs, Index n_components) {
  CopyCase out;
  out.n_levels = {3, 5};
  out.rows.posterior = random_posterior(random, n_obs, n_components);
  out.rows.weights.resize(n_obs);
  for (Index n = 0; n < n_obs; ++n) {
    out.rows.weights[n] = 0.5 + random.uniform();
    const auto first = static_cast<int>(random.below(4));
    const auto other = static_cast<int>(random.below(5));
    out.codes[0].push_back(first);
    out.codes[1].push_back(random.below(2) == 0 ? first : other);
  }
  return out;
}

std::array<RowMatrix, 2> columns_of(const CopyCase& in, Index n_steps) {
  return {best_columns(in.rows, in.items()[0], n_steps),
          best_columns(in.rows, in.items()[1], n_steps)};
}

double strength_of(const CopyCase& in, double alpha = 1.0) {
  return pair_strength(in.rows, in.items(), columns_of(in, 10), alpha);
}

/// What EM climbs: the log-likelihood, and the least of counts as a prior.
double objective(const CopyCase& in, int item, const RowMatrix& columns) {
  double sum = 1e-6 * columns.array().log().sum();
  for (Index n = 0; n < in.rows.posterior.rows(); ++n) {
    const int code = in.codes[item][n];
    if (code == 0) continue;
    sum += in.rows.weights[n] * std::log(in.rows.posterior.row(n).dot(columns.row(code - 1)));
  }
  return sum;
}

/// A component's pairs of answers, as they are and as the columns explain them.
struct SlowTables {
  Matrix seen;
  Matrix explained;
};

SlowTables slow_tables(const CopyCase& in, const std::array<RowMatrix, 2>& columns, Index k) {
  SlowTables out{Matrix::Zero(in.n_levels[0], in.n_levels[1]),
                 Matrix::Zero(in.n_levels[0], in.n_levels[1])};
  for (Index n = 0; n < in.rows.posterior.rows(); ++n) {
    const int code_1 = in.codes[0][n];
    const int code_2 = in.codes[1][n];
    if (code_1 == 0 || code_2 == 0) continue;
    const auto h = in.rows.posterior.row(n);
    const double weight = in.rows.weights[n] * h[k];
    out.seen(code_1 - 1, code_2 - 1) += weight;
    out.explained += weight * columns[0] * h.transpose().asDiagonal() * columns[1].transpose();
  }
  return out;
}

/// The formulas of the help, component by component.
double slow_strength(const CopyCase& in, const std::array<RowMatrix, 2>& columns) {
  double divergence = 0.0;
  Vector open = Vector::Zero(2);
  Vector sizes(in.rows.posterior.cols());
  Matrix seen = Matrix::Zero(in.n_levels[0], in.n_levels[1]);
  const auto n_log_n = [](const auto& x) {
    return x.unaryExpr([](double v) { return x_log_x(v); }).sum();
  };
  for (Index k = 0; k < sizes.size(); ++k) {
    const SlowTables tables = slow_tables(in, columns, k);
    sizes[k] = tables.seen.sum();
    seen += tables.seen;
    for (Index at = 0; at < tables.seen.size(); ++at) {
      const double count = tables.seen.data()[at];
      if (count > 0.0) divergence += count * std::log(count / tables.explained.data()[at]);
    }
    open[0] += x_log_x(sizes[k]) - n_log_n(Vector(tables.seen.rowwise().sum()));
    open[1] += x_log_x(sizes[k]) - n_log_n(Vector(tables.seen.colwise().sum()));
  }
  const auto n_rows = static_cast<double>((seen.rowwise().sum().array() > 0.0).count());
  const auto n_columns = static_cast<double>((seen.colwise().sum().array() > 0.0).count());
  const double df = sizes.cwiseMin((n_rows - 1.0) * (n_columns - 1.0)).sum();
  return std::max(0.0, divergence - df / 2.0) / open.minCoeff();
}

}  // namespace

context("copy_strength") {
  test_that("columns are means at first, and every step explains the answers better") {
    Random random(1);
    for (const Index n_components : {1, 2, 5}) {
      const CopyCase in = random_copies(random, 200, n_components);
      RowMatrix means = RowMatrix::Constant(5, n_components, 1e-6);
      for (Index n = 0; n < 200; ++n) {
        const int code = in.codes[1][n];
        if (code > 0) means.row(code - 1) += in.rows.weights[n] * in.rows.posterior.row(n);
      }
      for (Index k = 0; k < n_components; ++k) means.col(k) /= means.col(k).sum();
      expect_true(best_columns(in.rows, in.items()[1], 0).isApprox(means, 1e-13));
      double before = objective(in, 1, means);
      for (Index n_steps = 1; n_steps < 6; ++n_steps) {
        const RowMatrix columns = best_columns(in.rows, in.items()[1], n_steps);
        expect_true(columns.colwise().sum().isOnes(1e-13));
        const double now = objective(in, 1, columns);
        expect_true(now >= before - 1e-10);
        if (n_steps == 1 && n_components > 1) expect_true(now > before + 0.1);
        before = now;
      }
    }
  }

  test_that("the strength of a pair is that of plain loops, of few rows too") {
    Random random(2);
    for (const Index n_obs : {7, 60, 400}) {
      for (const Index n_components : {1, 2, 4}) {
        const CopyCase in = random_copies(random, n_obs, n_components);
        const double twin = slow_strength(in, columns_of(in, 10));
        expect_true(std::abs(strength_of(in) - twin) < 1e-11);
        if (n_obs == 400) expect_true(twin > 0.1);
      }
    }
  }

  test_that("a pair has no strength where it shares a row at most, never varies, or by chance") {
    Random random(3);
    CopyCase in = random_copies(random, 60, 2);
    const double strength = strength_of(in);
    expect_true(strength > 0.0);
    expect_true(strength_of(in, 1e-300) == 0.0);
    expect_true(strength_of(in, 0.0) == 0.0);
    CopyCase same = in;
    std::fill(same.codes[0].begin(), same.codes[0].end(), 1);
    expect_true(strength_of(same) == 0.0);
    for (std::size_t n = 0; n + 1 < in.codes[0].size(); ++n) in.codes[n % 2][n] = 0;
    expect_true(strength_of(in) == 0.0);
  }
}

}  // namespace mdpd
