#include "pairs/contest.h"

#include <algorithm>
#include <cmath>

namespace mdpd {

namespace {

/// The least dependence in the pass of a pair whose exact one may be the largest or tied with it,
/// where the largest of the pass is `best`; both are off by up to `error`, see FixedWeights. Ties
/// and the rounding of doubles are far below what is added.
double least_of(double best, double error) {
  constexpr double rounding = 1e-13;
  const double root = std::max(0.0, std::sqrt(std::max(0.0, best) + rounding) - 2.0 * error);
  return root * root - 2.0 * rounding - 1e-8 * best;
}

}  // namespace

double most_of(double dependence, double error) {
  if (!(error > 0.0)) return dependence;
  const double root = std::sqrt(std::max(0.0, dependence)) + error;
  return root * root;
}

Round::Round() : least_(least_of(0.0, 0.0)) {}

void Round::expect(const Contender& pair) {
  error_ = std::max(error_, pair.error);
  if (!(pair.dependence > best_)) return;
  best_ = pair.dependence;
  least_ = least_of(best_, error_);
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(),
                              [&](const Contender& other) { return other.dependence < least_; }),
               pairs_.end());
}

void Round::consider(const Contender& pair) {
  if (pair.dependence < least_) return;
  pairs_.push_back(pair);
  expect(pair);
}

Contest::Rounds& Contest::of(double df) {
  for (Rounds& rounds : rounds_) {
    if (rounds.df == df) return rounds;
  }
  rounds_.push_back({df, std::vector<Round>(n_columns_), std::vector<Round>(n_columns_)});
  return rounds_.back();
}

Round& Contest::of(const Contender& pair) {
  Rounds& rounds = of(pair.df);
  return (pair.may_win ? rounds.to_win : rounds.to_count)[pair.column];
}

void Contest::add_to(Contest& other) const {
  for (const Contender& pair : list()) other.of(pair).consider(pair);
}

std::vector<Contender> Contest::list() const {
  std::vector<Contender> out;
  for (const Rounds& rounds : rounds_) {
    for (const std::vector<Round>* kind : {&rounds.to_win, &rounds.to_count}) {
      for (const Round& round : *kind) {
        out.insert(out.end(), round.pairs().begin(), round.pairs().end());
      }
    }
  }
  return out;
}

}  // namespace mdpd
