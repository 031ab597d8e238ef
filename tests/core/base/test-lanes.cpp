#include "base/lanes.h"

#include <testthat.h>

#include <cmath>

#include "base/lanes_error.h"
#include "base/numerics.h"

namespace mdpd {

context("lanes") {
  test_that("x log x of a vector agrees with the library's logarithm") {
    const auto draw = [](Random& random) { return std::pow(10.0, 20.0 * random.uniform() - 17.0); };
    const auto function = [](const Lanes& x, Lanes& out) { x_log_x(x, out); };
    const auto error = [](double x, double value) {
      const double expected = x * std::log(x);
      return std::abs(value - expected) / (x + std::abs(expected));
    };
    expect_true(largest_error(1, draw, function, error) < 1e-15);
  }

  test_that("the logarithm of a vector agrees with the library's, and is finite at 0") {
    const auto draw = [](Random& random) { return std::pow(10.0, -300.0 * random.uniform()); };
    const auto function = [](const Lanes& x, Lanes& out) { log_of(x, out); };
    const auto error = [](double x, double value) {
      const double expected = safe_log(x);
      return std::abs(value - expected) / (1.0 + std::abs(expected));
    };
    expect_true(largest_error(2, draw, function, error) < 1e-15);
    expect_true(error_at(Lanes{1.0, 0.0, 1e-310, 0.999999}, function, error) < 1e-15);
  }

  test_that("x log x is 0 at 0 and at 1, and finite for the smallest numbers") {
    const double inputs[2 * n_lanes] = {0.0, 1.0, 5e-324, 1e-310, 2.2250738585072014e-308,
                                        0.5, 2.0, 1e300};
    double out[2 * n_lanes];
    for (int at = 0; at < 2 * n_lanes; at += n_lanes) {
      Lanes x;
      Lanes value;
      load(inputs + at, x);
      x_log_x(x, value);
      store(value, out + at);
    }
    expect_true(out[0] == 0.0);
    expect_true(out[1] == 0.0);
    for (int at = 2; at < 5; ++at) {
      expect_true(out[at] <= 0.0);
      expect_true(out[at] > -1e-304);
    }
    expect_true(std::abs(out[5] + 0.5 * std::log(2.0)) < 1e-16);
    expect_true(std::abs(out[6] - 2.0 * std::log(2.0)) < 1e-15);
    expect_true(std::isfinite(out[7]));
  }
}

}  // namespace mdpd
