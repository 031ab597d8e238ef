#pragma once

#include <cstdint>
#include <vector>

#include "model/parameters.h"

namespace mdpd {

/// Starts of EM at random, whose numbers come from the data alone: from how often a level is chosen,
/// and with which others. They are the same in any order of rows, items and levels, and for rows
/// with weights as for rows written out. Levels that cannot be told apart so have equal ones.
class ScatteredStarts {
 public:
  /// Cost O(answers).
  explicit ScatteredStarts(const CodedData& data);

  /// Components of equal size, with probabilities uniform on the simplex of each item.
  /// @param number other ones for each.
  MixtureParameters start(Index n_components, Index number) const;

 private:
  const CodedData& data_;
  std::vector<std::uint64_t> hashes_;  ///< of the levels
};

}  // namespace mdpd
