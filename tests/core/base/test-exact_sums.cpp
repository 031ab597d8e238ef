#include "base/exact_sums.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

context("exact_sums") {
  test_that("numbers are rounded to the nearest whole one, alone and in vectors") {
    Random random(1);
    bool all_right = true;
    for (int trial = 0; trial < 20000; ++trial) {
      const double size = std::ldexp(1.0, static_cast<int>(random.below(bits_of_term + 1)));
      Lanes x;
      for (int lane = 0; lane < n_lanes; ++lane) x[lane] = size * (2.0 * random.uniform() - 1.0);
      LaneBits whole;
      round_to_whole(x, whole);
      for (int lane = 0; lane < n_lanes; ++lane) {
        std::uint64_t alone;
        round_to_whole(static_cast<double>(x[lane]), alone);
        all_right =
            all_right && alone == whole[lane] &&
            static_cast<double>(static_cast<std::int64_t>(alone)) == std::nearbyint(x[lane]);
      }
    }
    expect_true(all_right);
  }

  test_that("whole numbers of any size become the nearest doubles") {
    std::mt19937_64 engine(2);
    bool all_right = true;
    for (int trial = 0; trial < 20000; ++trial) {
      LaneBits whole;
      for (int lane = 0; lane < n_lanes; ++lane) {
        const auto number = static_cast<std::int64_t>(engine()) >> (engine() % 64);
        whole[lane] = static_cast<std::uint64_t>(number);
      }
      if (trial == 0) whole = LaneBits{0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63};
      Lanes out;
      to_doubles(whole, out);
      for (int lane = 0; lane < n_lanes; ++lane) {
        const auto number = static_cast<std::int64_t>(whole[lane]);
        all_right = all_right && out[lane] == static_cast<double>(number);
      }
    }
    expect_true(all_right);
  }

  test_that("a sum is the same in any order and cut, and as near as can be") {
    Random random(3);
    for (const double unit : {0x1p-950, 0x1p-20, 1.0, 0x1p900}) {
      std::vector<double> terms;
      long double plain = 0.0L;
      for (int n = 0; n < 3000; ++n) {
        const double size = std::ldexp(unit, static_cast<int>(random.below(bits_of_term)));
        terms.push_back(size * (2.0 * random.uniform() - 1.0));
        plain += terms.back();
      }
      ExactSum sum{unit};
      for (const double term : terms) sum.add(term);
      // Each of the terms is right to 2^-32 units, and the sum is rounded once more.
      expect_true(std::abs(static_cast<double>(sum.value() - plain)) <=
                  unit * 3000 * 0x1p-32 + 1e-15 * std::abs(sum.value()));
      ExactSum parts[7];
      for (ExactSum& part : parts) part.unit = unit;
      for (const Index at : random.order(3000)) parts[random.below(7)].add(terms[at]);
      ExactSum together{unit};
      for (const ExactSum& part : parts) together += part;
      expect_true(together.high == sum.high);
      expect_true(together.low == sum.low);
    }
  }

  test_that("a share is a whole multiple of 2^-52, the nearest below 1/2 at least") {
    Random random(4);
    bool all_right = true;
    for (int trial = 0; trial < 20000; ++trial) {
      const double x = std::pow(random.uniform(), 1.0 + 40.0 * random.uniform());
      double share;
      round_share(x, share);
      all_right = all_right && std::fmod(share, 0x1p-52) == 0.0 && std::abs(share - x) <= 0x1p-53;
    }
    expect_true(all_right);
    double one;
    round_share(1.0, one);
    expect_true(one == 1.0);
  }
}

}  // namespace mdpd
