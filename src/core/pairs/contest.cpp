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
  if (pair.dependence.most < least) return;
  pairs.push_back(pair);
  // Ties and the rounding of doubles are far below what is taken off.
  const double least_of_pair = pair.dependence.least * (1.0 - 1e-8) - 2e-13;
  if (!(least_of_pair > least)) return;
  least = least_of_pair;
  const auto loses = [&](const Contender& other) { return other.dependence.most < least; };
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), loses), pairs.end());
}

Contest::Rounds& Contest::of(double df) {
  for (Rounds& rounds : rounds_) {
    if (rounds.df == df) return rounds;
  }
  rounds_.push_back(
      {df, dependence_at(log_p_of_strong_, df, total_weight_), std::vector<Round>(2 * n_columns_)});
  return rounds_.back();
}

std::vector<Contender> Contest::list() const {
  std::vector<Contender> out;
  for (const Rounds& rounds : rounds_) {
    for (const Round& round : rounds.rounds) {
      out.insert(out.end(), round.pairs.begin(), round.pairs.end());
    }
  }
  return out;
}

}  // namespace mdpd
