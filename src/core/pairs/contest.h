#pragma once

#include <limits>
#include <vector>

#include "pairs/pair_block.h"

namespace mdpd {

/// A pair that may be the best in a column of row weights, as far as the pass over all pairs can
/// tell: its sums are not to the last bit those of `fill_pair_table()`.
struct Contender {
  Index item_1 = 0;
  Index item_2 = 0;
  Index column = 0;
  double df = 0.0;
  bool may_win = false;  ///< else it only counts for the largest information
  Bounds dependence = {};
};

/// The contenders of one column that have the same number of degrees of freedom: those that may have
/// the largest dependence. More dependence at the same number is a better score, whatever the score.
struct Round {
  double least = std::numeric_limits<double>::min();  ///< who cannot depend more is no contender
  std::vector<Contender> pairs;

  void consider(const Contender& pair);
};

/// The contenders of all columns.
class Contest {
 public:
  /// The rounds of one number of degrees of freedom.
  struct Rounds {
    double df = 0.0;
    double strong_from = 0.0;   ///< the least dependence of a strong pair
    std::vector<Round> rounds;  ///< of each column, and then of each that of pairs that may not win
  };

  /// @param log_p_of_strong a pair is strong where the logarithm of its p-value is below this.
  Contest(Index n_columns, double log_p_of_strong, double total_weight)
      : n_columns_(n_columns), log_p_of_strong_(log_p_of_strong), total_weight_(total_weight) {}
  Rounds& of(double df);
  Round& round_of(Rounds& rounds, Index column, bool may_win) const {
    return rounds.rounds[may_win ? column : n_columns_ + column];
  }
  void consider(const Contender& pair) {
    round_of(of(pair.df), pair.column, pair.may_win).consider(pair);
  }
  std::vector<Contender> list() const;

 private:
  Index n_columns_;
  double log_p_of_strong_;
  double total_weight_;
  std::vector<Rounds> rounds_;  // few: found by search
};

}  // namespace mdpd
