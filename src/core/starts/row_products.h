#pragma once

#include "data/row_sums.h"

namespace mdpd {

/// Rows by centred levels, scaled: the operator of multiple correspondence analysis, rows x rows,
/// without its diagonal, what a row has in common with itself only.
class RowProducts {
 public:
  /// @param answers_added to the count of every level, so that the few rows of a rare one are no
  ///     direction of their own.
  RowProducts(const CodedData& data, double answers_added);

  /// The operator times a vector. Cost O(answers).
  Vector operator()(const Vector& x) const;

  /// How unusual the rows are; centred.
  Vector surprisal() const;

  /// Roots of the case weights.
  const Vector& root() const { return root_; }

 private:
  Vector centred(Vector levels) const;
  Vector row_sums_of(const Vector& levels) const;

  const CodedData& data_;
  const ReadyItems items_;
  const Vector root_;
  const Vector scale_;  ///< of the levels
  Vector own_;          ///< what a row has in common with itself
};

}  // namespace mdpd
