#include "base/exponential.h"

#include <testthat.h>

#include <cmath>
#include <limits>

#include "base/lanes_error.h"

namespace mdpd {

context("exponential") {
  test_that("it agrees with the library's") {
    const auto draw = [](Random& random) {
      return -std::pow(10.0, 20.0 * random.uniform() - 17.15);
    };
    const auto function = [](const Lanes& x, Lanes& out) { exp_of(x, out); };
    const auto error = [](double x, double value) {
      return std::abs(value - std::exp(x)) / std::exp(x);
    };
    expect_true(largest_error(1, draw, function, error) < 4e-16);
  }

  test_that("it is 1 at 0, and 0 where it would be no normal number") {
    const double infinity = std::numeric_limits<double>::infinity();
    const double inputs[2 * n_lanes] = {0.0,    -0.0,   -707.9,    -708.5,
                                        -745.0, -1e300, -infinity, -5e-324};
    double out[2 * n_lanes];
    for (int at = 0; at < 2 * n_lanes; at += n_lanes) {
      Lanes x;
      Lanes value;
      load(inputs + at, x);
      exp_of(x, value);
      store(value, out + at);
    }
    expect_true(out[0] == 1.0);
    expect_true(out[1] == 1.0);
    expect_true(std::abs(out[2] / std::exp(-707.9) - 1.0) < 4e-16);
    for (int at = 3; at < 7; ++at) expect_true(out[at] == 0.0);
    expect_true(out[7] == 1.0);
  }
}

}  // namespace mdpd
