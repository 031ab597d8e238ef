#pragma once

#include "base/lanczos.h"
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

  /// The largest roots with their vectors, from how unusual the rows are; none where rows do not
  /// differ. Cost O(answers) for each of a few dozen products.
  Eigenpairs largest(Index n) const;

  /// Roots of the case weights.
  const Vector& root() const { return root_; }

 private:
  Vector surprisal() const;
  Vector centred(Vector levels) const;
  Vector row_sums_of(const Vector& levels) const;

  const CodedData& data_;
  const ReadyItems items_;
  const Vector root_;
  const Vector scale_;  ///< of the levels
  Vector own_;          ///< what a row has in common with itself
};

}  // namespace mdpd
