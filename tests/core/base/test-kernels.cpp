#include "base/kernels.h"

#include <testthat.h>

#include <vector>

#include "random_data.h"

namespace mdpd {

context("kernels") {
  test_that("a size that a kernel is compiled for becomes a constant, and any other 0") {
    for (Index n = 0; n <= 9; ++n) {
      std::vector<int> chosen;
      with_constant<1, 2, 4>(n, [&](auto size) {
        constexpr int n_fixed = size;
        chosen.push_back(n_fixed);
      });
      const bool is_compiled = n == 1 || n == 2 || n == 4;
      expect_true(chosen == std::vector<int>{is_compiled ? static_cast<int>(n) : 0});
    }
  }

  test_that("a kernel runs once, and with any instructions to the same bit") {
    Random random(1);
    std::vector<double> x;
    for (int n = 0; n < 64; ++n) x.push_back(random.uniform());
    double expected = 0.0;
    for (const double value : x) expected += value * value;
    for (const Instructions instructions : {Instructions::kPortable, widest_instructions()}) {
      double sum = 0.0;
      const auto add_squares = [&]() __attribute__((always_inline)) {
        for (const double value : x) sum += value * value;
      };
      with_avx2(instructions, add_squares);
      expect_true(sum == expected);
    }
  }
}

}  // namespace mdpd
