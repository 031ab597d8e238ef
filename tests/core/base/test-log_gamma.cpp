#include "base/log_gamma.h"

#include <testthat.h>

#include <algorithm>
#include <cmath>

#include "base/lanes_error.h"

namespace mdpd {

context("log gamma") {
  test_that("the log gamma function of a vector agrees with the library's") {
    const auto draw = [](Random& random) { return std::pow(10.0, 18.0 * random.uniform() - 9.0); };
    const auto function = [](const Lanes& x, Lanes& out) { log_gamma_of(x, out); };
    const auto error = [](double x, double value) {
      return std::abs(value - std::lgamma(x)) / (1e4 + std::abs(std::lgamma(x)));
    };
    expect_true(largest_error(1, draw, function, error) < 1e-15);
    expect_true(error_at(Lanes{1.0, 2.0, 0.5, 8.0}, function, error) < 1e-15);
  }

  test_that("a sum of many log gammas is that of the library's, from either end of the series") {
    Random random(3);
    LogGammaSum sum;
    double expected[n_lanes] = {};
    for (int value = 0; value < 50; ++value) {
      const double least = std::pow(10.0, 11.0 * random.uniform() - 8.0);
      Lanes x;
      for (int lane = 0; lane < n_lanes; ++lane) {
        x[lane] = least * std::ldexp(1.0, lane);
        expected[lane] += std::lgamma(x[lane]);
      }
      sum.add(x, least);
    }
    Lanes out;
    sum.total(out);
    for (int lane = 0; lane < n_lanes; ++lane) {
      // Fifty values with the series' error each, and rounding of 1e5 in all.
      expect_true(std::abs(out[lane] - expected[lane]) < 1e-9);
    }
  }

  test_that("digamma of a vector is the derivative: 1 / x from x to x + 1, and known values") {
    constexpr double euler = 0.57721566490153286;
    const Lanes known = {1.0, 0.5, 2.0, 10.0};
    const double expected[] = {-euler, -euler - 2.0 * std::log(2.0), 1.0 - euler,
                               2.2517525890667211};
    Lanes out;
    digamma_of(known, out);
    for (int lane = 0; lane < n_lanes; ++lane) {
      expect_true(std::abs(out[lane] - expected[lane]) < 1e-11);
    }
    Random random(2);
    double largest = 0.0;
    for (int trial = 0; trial < 5000; ++trial) {
      Lanes x;
      Lanes at;
      Lanes next;
      for (int lane = 0; lane < n_lanes; ++lane)
        x[lane] = std::pow(10.0, 9.0 * random.uniform() - 4.0);
      digamma_of(x, at);
      digamma_of(x + 1.0, next);
      for (int lane = 0; lane < n_lanes; ++lane) {
        const double step = 1.0 / x[lane];
        largest = std::max(largest, std::abs(next[lane] - at[lane] - step) / (1.0 + step));
      }
    }
    expect_true(largest < 2e-11);
  }
}

}  // namespace mdpd
