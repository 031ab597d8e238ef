#include "pairs/contest.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"

namespace mdpd {

namespace {

/// The least dependence whose log p-value is below `log_p`.
double dependence_at(double log_p, double df, double total_weight) {
  if (!std::isfinite(log_p)) return std::numeric_limits<double>::infinity();
  double low = 0.0;
  double high = df;
  while (log_chi_square_upper(high, df) >= log_p) high *= 2.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (log_chi_square_upper(middle, df) < log_p ? high : low) = middle;
  }
  return 0.5 * low / total_weight;
}

}  // namespace

void Round::consider(const Contender& pair) {
  if (pair.dependence.most < least_) return;
  pairs_.push_back(pair);
  // Ties and the rounding of doubles are far below what is taken off.
  const double least = pair.dependence.least * (1.0 - 1e-8) - 2e-13;
  if (!(least > least_)) return;
  least_ = least;
  const auto loses = [&](const Contender& other) { return other.dependence.most < least_; };
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), loses), pairs_.end());
}

Contest::Rounds& Contest::of(double df) {
  for (Rounds& rounds : rounds_) {
    if (rounds.df == df) return rounds;
  }
  rounds_.push_back({df, dependence_at(log_p_of_strong_, df, total_weight_),
                     std::vector<Round>(n_columns_), std::vector<Round>(n_columns_)});
  return rounds_.back();
}

void Contest::consider(const Contender& pair) {
  Rounds& rounds = of(pair.df);
  (pair.may_win ? rounds.to_win : rounds.to_count)[pair.column].consider(pair);
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
