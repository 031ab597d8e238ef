#pragma once

#include "base/types.h"

namespace mdpd {

/// A pair that may be the best in a column of row weights, as far as the pass over all pairs can
/// tell: its sums are not to the last bit those of `pair_information()`.
struct Contender {
  Index item_1 = 0;
  Index item_2 = 0;
  Index column = 0;
  double df = 0.0;
  double dependence = 0.0;
  double error = 0.0;    ///< of the dependence, see FixedWeights
  bool may_win = false;  ///< else it only counts for the largest information
};

/// The most that the exact dependence of a pair can be.
double most_of(double dependence, double error);

/// The contenders of one column that have the same number of degrees of freedom: those at the
/// largest dependence. More dependence at the same number is a better score, whatever the score.
class Round {
 public:
  Round();
  void consider(const Contender& pair);
  /// From here on, a pair that cannot beat this one or tie with it is none.
  void expect(const Contender& pair);
  /// The least dependence of a contender.
  double least() const { return least_; }
  const std::vector<Contender>& pairs() const { return pairs_; }

 private:
  double best_ = 0.0;
  double error_ = 0.0;  ///< largest of any pair considered
  double least_;
  std::vector<Contender> pairs_;
};

/// The contenders of all columns.
class Contest {
 public:
  /// The rounds of one number of degrees of freedom, column by column.
  struct Rounds {
    double df;
    std::vector<Round> to_win;
    std::vector<Round> to_count;  ///< of the pairs that may not win
  };

  explicit Contest(Index n_columns) : n_columns_(n_columns) {}
  Rounds& of(double df);
  Round& of(const Contender& pair);
  void add_to(Contest& other) const;
  std::vector<Contender> list() const;

 private:
  Index n_columns_;
  std::vector<Rounds> rounds_;  // few: found by search
};

}  // namespace mdpd
