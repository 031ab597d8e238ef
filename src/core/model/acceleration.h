#pragma once

#include "model/evidence.h"

namespace mdpd {

/// All that the next step of EM depends on.
struct EmState {
  MixtureParameters params;
  ItemPrior prior = {};  ///< where there is one
};

/// Squared extrapolation of EM, scheme S3 of Varadhan and Roland (2008), Simple and globally
/// convergent methods for accelerating the convergence of any EM algorithm,
/// doi:10.1111/j.1467-9469.2007.00585.x. Two steps in a row say where EM creeps to: it leaps there,
/// and takes a step before it looks again. It goes by square roots of probabilities, which answers
/// tell equally well whether they are small or large.
///
/// A leap can end lower: the caller sees to it that the objective is compared, and takes it back.
class Acceleration {
 public:
  explicit Acceleration(const CodedData& data) : data_(data) {}

  /// Where to go on, when a step has led to `after`: there, or further.
  EmState next(EmState after);

  /// Is what `next()` gave last further than EM went?
  bool has_leapt() const { return n_steps_ == steps_to_leap; }

  /// Takes the leap back: where EM was before it.
  EmState take_back();

  /// Forgets the steps so far: those that follow are not in a row with them.
  void begin_again() { n_steps_ = 0; }

 private:
  /// States in a row from which a leap is made.
  static constexpr int steps_to_leap = 3;

  const CodedData& data_;
  int n_steps_ = 0;  ///< since the last leap
  Vector first_;     ///< roots of the first of these states, and of the second
  Vector second_;
  EmState before_leap_;
};

}  // namespace mdpd
