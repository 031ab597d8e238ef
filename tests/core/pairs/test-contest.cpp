#include <testthat.h>

#include "base/numerics.h"
#include "pairs/contest.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Pairs of two numbers of degrees of freedom and two columns, with ties among the best.
std::vector<Contender> random_contenders(Random& random, double error) {
  std::vector<Contender> out;
  for (Index i = 0; i < 200; ++i) {
    const double dependence = static_cast<double>(random.below(40)) / 40.0;
    const double root = std::sqrt(dependence);
    const double low = std::max(0.0, root - error);
    out.push_back({i,
                   i + 1,
                   random.below(2),
                   1.0 + static_cast<double>(random.below(2)),
                   random.below(3) > 0,
                   {low * low, (root + error) * (root + error)}});
  }
  return out;
}

bool same_round(const Contender& a, const Contender& b) {
  return a.column == b.column && a.df == b.df && a.may_win == b.may_win;
}

/// The first items of those that show dependence and that no other in their round beats for certain.
std::vector<Index> contenders_twin(const std::vector<Contender>& pairs) {
  std::vector<Index> out;
  for (const Contender& pair : pairs) {
    const bool loses = std::any_of(pairs.begin(), pairs.end(), [&](const Contender& other) {
      return same_round(pair, other) && pair.dependence.most + 1e-6 < other.dependence.least;
    });
    if (!loses && pair.dependence.most > 0.0) out.push_back(pair.item_1);
  }
  return out;
}

Contest contest_of_two() { return {2, -std::numeric_limits<double>::infinity(), 1.0}; }

std::vector<Index> first_items(const std::vector<Contender>& pairs) {
  std::vector<Index> out;
  for (const Contender& pair : pairs) out.push_back(pair.item_1);
  return sorted(out);
}

}  // namespace

context("contest") {
  test_that("those stay that no other pair of the round beats for certain, in any order") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      for (const double error : {0.0, 0.03}) {
        const std::vector<Contender> pairs = random_contenders(random, error);
        Contest one = contest_of_two();
        Contest other = contest_of_two();
        for (const Index at : random.order(200)) {
          Contest& contest = at % 2 == 0 ? one : other;
          contest.consider(pairs[at]);
        }
        for (const Contender& pair : one.list()) other.consider(pair);
        expect_true(first_items(other.list()) == contenders_twin(pairs));
      }
    }
  }

  test_that("a pair is strong from the dependence at which its p-value passes the bound") {
    for (const double df : {1.0, 4.0, 30.0}) {
      const double g2 = 2.0 * 100.0 * Contest(1, -9.0, 100.0).of(df).strong_from;
      expect_true(std::abs(log_chi_square_upper(g2, df) + 9.0) < 1e-9);
    }
    expect_true(std::isinf(contest_of_two().of(1.0).strong_from));
  }
}

}  // namespace mdpd
