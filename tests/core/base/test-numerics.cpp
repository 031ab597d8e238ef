#include <testthat.h>

#include <cmath>
#include <limits>

#include "base/exponential.h"
#include "base/numerics.h"
#include "random_data.h"

namespace mdpd {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Tail {
  double x;
  double df;
  double log_p;
};

/// Relative. Up to 1000 degrees of freedom x log(x) and lgamma(df / 2) are of size 3e3 and cancel:
/// some 1e4 machine epsilons.
constexpr double tail_tolerance = 1e-11;

// R 4.2.2: pchisq(x, df, lower.tail = FALSE, log.p = TRUE).
constexpr Tail tails[] = {
    {1e-12, 1, -7.9788487911278711e-07},
    {1e-3, 1, -0.025550779355950615},
    {1, 1, -1.147874464449318},
    {2.9, 1, -2.4238542315296803},
    {3.1, 1, -2.5473060953059221},
    {10, 1, -6.4596124541501201},
    {100, 1, -52.53813796995253},
    {1000, 1, -503.68066650438169},
    {1e5, 1, -50005.982264084887},
    {0.5, 2, -0.25},
    {1e5, 2, -50000},
    {1e-12, 3, -2.6596152026754167e-19},
    {4.9, 3, -1.7188744812304493},
    {1e5, 3, -49994.469318620315},
    {1e-3, 4, -1.2495834895208601e-07},
    {10, 4, -3.208240530771945},
    {1000, 4, -493.78339389891511},
    {0.5, 8, -0.00013337854503674975},
    {10, 8, -1.3279276642024449},
    {1e5, 8, -49969.332364615395},
    {1, 30, -1.4610500924439102e-17},
    {10, 30, -0.00022627927540109927},
    {100, 30, -20.104410002615904},
    {2, 64, -1.441734542141406e-36},
    {100, 64, -5.9195968645152837},
    {1000, 64, -385.37550746026869},
    {100, 100, -0.73148957572927076},
    {1000, 100, -339.94704606427337},
    {1e5, 100, -49614.395627549362},
    {100, 999, -1.6969800642406136e-306},
    {1000, 999, -0.7233353128818325},
    {1e5, 999, -47208.339802204522},
    {100, 1000, -5.3643869635230903e-307},
    {1000, 1000, -0.70511277596023769},
    {1e5, 1000, -47206.036456510599},
};

}  // namespace

context("numerics") {
  test_that("x log x is zero at zero and x times log(x) elsewhere") {
    expect_true(x_log_x(0.0) == 0.0);
    expect_true(x_log_x(1.0) == 0.0);
    expect_true(relative_difference(x_log_x(2.5), 2.5 * std::log(2.5)) < 1e-15);
    expect_true(std::isfinite(x_log_x(std::numeric_limits<double>::denorm_min())));
  }

  test_that("the safe logarithm is finite at zero and exact at every normal number") {
    expect_true(safe_log(0.0) == std::log(tiny_probability));
    expect_true(safe_log(std::numeric_limits<double>::denorm_min()) == safe_log(0.0));
    expect_true(safe_log(1e-300) == std::log(1e-300));
    expect_true(safe_log(1.0) == 0.0);
  }

  test_that("the chi-square tail agrees with R from one to 1000 degrees of freedom") {
    for (const Tail& tail : tails) {
      CATCH_CAPTURE(tail.x);
      CATCH_CAPTURE(tail.df);
      const double error = log_chi_square_upper(tail.x, tail.df) - tail.log_p;
      expect_true(std::abs(error) < tail_tolerance * std::abs(tail.log_p));
    }
  }

  test_that("the chi-square tail has its closed form at two and four degrees of freedom") {
    for (double x = 1e-6; x < 1e6; x *= 1.7) {
      expect_true(relative_difference(log_chi_square_upper(x, 2), -x / 2) < 1e-13);
      const double four = std::log1p(x / 2) - x / 2;
      expect_true(relative_difference(log_chi_square_upper(x, 4), four) < 1e-13);
    }
  }

  test_that("the chi-square tail is continuous where the series gives way to the fraction") {
    for (int df = 1; df <= 1000; ++df) {
      const double branch = df + 2.0;
      const double below = log_chi_square_upper(std::nextafter(branch, 0.0), df);
      const double above = log_chi_square_upper(branch, df);
      CATCH_CAPTURE(df);
      expect_true(std::abs(above - below) < tail_tolerance * std::abs(below));
    }
  }

  test_that("the chi-square tail falls with x and rises with the degrees of freedom") {
    for (const double df : {1.0, 2.0, 9.0, 100.0, 1000.0}) {
      double before = 0.0;
      for (double x = 0.25 * df; x < 1e5; x *= 1.3) {
        const double now = log_chi_square_upper(x, df);
        expect_true(now < before);
        expect_true(log_chi_square_upper(x, df + 1.0) > now);
        before = now;
      }
    }
  }

  test_that("nothing is lost below x = 0: the tail is everything") {
    expect_true(log_chi_square_upper(0.0, 3.0) == 0.0);
    expect_true(log_chi_square_upper(-1e-17, 3.0) == 0.0);
  }

  test_that("the logarithm is the library's, of any number") {
    Random random(1);
    for (int trial = 0; trial < 20000; ++trial) {
      const double x =
          std::ldexp(0.5 + random.uniform(), static_cast<int>(random.below(2090)) - 1070);
      const double expected = std::log(x);
      const double error = std::abs(log_of(x) - expected);
      CATCH_CAPTURE(x);
      expect_true(error <= 1e-15 * std::abs(expected));
    }
    for (const double x : {1.0 + 1e-15, 1.0 - 1e-15, 5e-324, 1e-310}) {
      expect_true(relative_difference(log_of(x), std::log(x)) < 1e-15);
    }
    expect_true(log_of(1.0) == 0.0);
    expect_true(log_of(0.0) == -infinity);
    expect_true(log_of(infinity) == infinity);
    expect_true(std::isnan(log_of(-1.0)));
    expect_true(std::isnan(log_of(NAN)));
  }

  test_that("the exponential is the library's, but where it is no normal number") {
    Random random(2);
    for (int trial = 0; trial < 20000; ++trial) {
      const double x = 1416.0 * (random.uniform() - 0.5);
      CATCH_CAPTURE(x);
      expect_true(std::abs(exp_of(x) - std::exp(x)) < 4e-16 * std::exp(x));
    }
    expect_true(exp_of(0.0) == 1.0);
    expect_true(exp_of(-infinity) == 0.0);
    expect_true(exp_of(-1000.0) == 0.0);
    expect_true(exp_of(1000.0) == infinity);
    expect_true(std::isnan(exp_of(NAN)));
  }

  test_that("a number has the logarithm and exponential that it has among others") {
    Random random(3);
    for (int trial = 0; trial < 2000; ++trial) {
      const Lanes x = Lanes{} + 100.0 * random.uniform();
      Lanes out;
      log_of(x, out);
      expect_true(out[1] == log_of(x[0]));
      exp_of(-x, out);
      expect_true(out[1] == exp_of(-x[0]));
    }
  }

  test_that("log Gamma is the library's") {
    Random random(4);
    for (int trial = 0; trial < 20000; ++trial) {
      const double x = std::pow(10.0, 24.0 * random.uniform() - 12.0);
      const double expected = std::lgamma(x);
      CATCH_CAPTURE(x);
      // Below 16 of a product of up to 1e22 the logarithm is taken away again.
      expect_true(std::abs(log_gamma_of(x) - expected) < 3e-14 + 1e-15 * std::abs(expected));
    }
    expect_true(log_gamma_of(1.0) == 0.0);
    expect_true(log_gamma_of(2.0) == 0.0);
  }

  test_that("the basis of vectors that sum to zero is orthonormal") {
    for (const Index n : {1, 2, 3, 4, 5, 17, 254}) {
      const Matrix basis = zero_sum_basis(n);
      expect_true(basis.rows() == n);
      expect_true(basis.cols() == n - 1);
      expect_true(distance(basis.transpose() * basis, Matrix::Identity(n - 1, n - 1)) < 1e-14);
      const Vector sums = basis.colwise().sum();
      expect_true(distance(sums, Vector::Zero(n - 1)) < 1e-14);
    }
  }
}

}  // namespace mdpd
