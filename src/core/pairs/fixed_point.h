#pragma once

#include <cstdint>

#include "base/types.h"

namespace mdpd {

/// How exact the sums of a pass over all pairs are.
enum class Precision {
  kSearch,  ///< enough to tell which pairs may be the best: `FixedWeights::error` says how near
  kFull     ///< as exact as sums of doubles
};

/// Bits of one limb of a weight, a digit of its number: the sum of four limbs fits into 16 bits.
inline constexpr int bits_of_limb = 14;

/// Row weights as whole numbers, of which sums are exact in any order.
///
/// A weight is about `unit` times a number of `n_limbs` limbs in base 2^bits_of_limb, the lowest
/// first. A row that carries weight in any column has a positive number in one of them, so
/// that a sum over rows is zero in all columns just where that of the weights is.
///
/// `error` bounds what this does to a table's dependence D = sum of J log(J W / (J_r. J_.s)), of any
/// two items: |sqrt(D + e) - sqrt(D' + e)| <= error, where D' is that of the numbers, for
/// e = 2e-14 W and above.
///
/// Proof. Take the weights from w to their numbers v by u(t) = ((1 - t) sqrt(w) + t sqrt(v))^2. With
/// L = log(J W / (J_r. J_.s)) of a row's cell, dD/dt is the sum of L du/dt over the rows, since the
/// other terms cancel, and by Cauchy and Schwarz |dD/dt| <= 2 H sqrt(V), where H^2 is the sum of
/// (sqrt(v) - sqrt(w))^2 and V that of J L^2. For L <= c, L^2 <= (2 + c) (exp(-L) - 1 + L): for
/// L <= 0 by its series, for L > 0 as (2 + L) exp(-L) - 2 + L is 0 at 0 and grows. Summed with
/// weights J the right-hand side is at most (2 + c) D. A cell with L > c > 2 has J <= W exp(-L) and
/// J L^2 <= W c^2 exp(-c), and there are at most 255^2 of them. With c = 47 that makes
/// V <= 49 (D + e), so that sqrt(D + e) changes by at most 7 H; and by less for a larger e.
struct FixedWeights {
  Index n_columns = 0;
  int n_limbs = 0;
  std::vector<std::uint16_t> limbs;  ///< (n_obs + 1) x stride: n_limbs x columns, and zeros, of
                                     ///< which the last row is made
  Index stride = 0;
  Vector unit;   ///< per column, the weight of 1
  Vector error;  ///< per column: square root of a row weight times nats

  /// Limbs of a row.
  Index limbs_of_row() const { return n_columns * n_limbs; }
};

/// `stride` is a multiple of this.
inline constexpr Index limbs_of_vector = 8;

/// As few limbs as leave no more than a few pairs in doubt, or all that a double has.
/// @param row_weights non-negative.
FixedWeights fix_weights(const RowMatrix& row_weights, Precision precision);

}  // namespace mdpd
