#include <testthat.h>

#include "pairs/contest.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Pairs of two numbers of degrees of freedom and two columns, with ties among the best.
std::vector<Contender> random_contenders(Random& random, double error) {
  std::vector<Contender> out;
  for (Index i = 0; i < 200; ++i) {
    const double dependence = static_cast<double>(random.below(40)) / 40.0;
    out.push_back({i, i + 1, random.below(2), 1.0 + static_cast<double>(random.below(2)),
                   dependence, error, random.below(3) > 0});
  }
  return out;
}

bool same_round(const Contender& a, const Contender& b) {
  return a.column == b.column && a.df == b.df && a.may_win == b.may_win;
}

/// The first items of those that no other in their round beats for certain, whatever the errors.
std::vector<Index> contenders_twin(const std::vector<Contender>& pairs) {
  std::vector<Index> out;
  for (const Contender& pair : pairs) {
    const bool loses = std::any_of(pairs.begin(), pairs.end(), [&](const Contender& other) {
      return same_round(pair, other) && std::sqrt(pair.dependence) + pair.error + 1e-6 <
                                            std::sqrt(other.dependence) - other.error;
    });
    if (!loses) out.push_back(pair.item_1);
  }
  return out;
}

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
        Contest one(2);
        Contest other(2);
        for (const Index at : random.order(200)) {
          Contest& contest = at % 2 == 0 ? one : other;
          contest.of(pairs[at]).consider(pairs[at]);
        }
        one.add_to(other);
        expect_true(first_items(other.list()) == contenders_twin(pairs));
      }
    }
  }

  test_that("a pair that is expected keeps out those it beats, and is not listed itself") {
    Round round;
    Contender pair;
    pair.dependence = 0.5;
    round.expect(pair);
    expect_true(round.pairs().empty());
    pair.dependence = 0.4;
    round.consider(pair);
    expect_true(round.pairs().empty());
    pair.dependence = 0.5;
    round.consider(pair);
    expect_true(round.pairs().size() == 1);
    pair.dependence = 0.6;
    round.consider(pair);
    expect_true(round.pairs().size() == 1);
    expect_true(round.pairs().front().dependence == 0.6);
  }

  test_that("the exact dependence is at most what its root and the error allow") {
    expect_true(most_of(0.25, 0.0) == 0.25);
    expect_true(std::abs(most_of(0.25, 0.1) - 0.36) < 1e-15);
    expect_true(most_of(-1e-17, 0.1) == 0.1 * 0.1);
  }
}

}  // namespace mdpd
