#include "base/arithmetic.h"

#include <testthat.h>

#include <cmath>

#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

namespace {

/// Its square is 1 + 2^-29 + 2^-60, of which the last is lost where a product is rounded.
constexpr double near_one = 1.0 + 0x1p-30;
constexpr double square = 1.0 + 0x1p-29;

}  // namespace

context("arithmetic") {
  test_that("a product is rounded before it is added to") {
    const volatile double x = near_one;
    const volatile double y = square;
    const double a = x;
    const double b = y;
    expect_true(std::fma(a, a, -b) == 0x1p-60);
    expect_true(a * a - b == 0.0);
    expect_true(b - a * a == 0.0);
    const Lanes lanes = Lanes{} + a;
    const Lanes rest = lanes * lanes - b;
    for (int lane = 0; lane < n_lanes; ++lane) expect_true(rest[lane] == 0.0);
    const Vector values = Vector::Constant(7, a);
    expect_true((values.array() * values.array() - b == 0.0).all());
  }

  test_that("Eigen adds up from first to last") {
    Vector values = Vector::Constant(9, 0x1p-53);
    values[0] = 1.0;
    expect_true(values.sum() == 1.0);
    expect_true(values.reverse().sum() == 1.0 + 0x1p-50);
    expect_true(values.dot(Vector::Ones(9)) == 1.0);
  }
}

}  // namespace mdpd
