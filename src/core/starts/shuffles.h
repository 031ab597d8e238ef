#pragma once

#include <cstdint>
#include <vector>

#include "data/make_data.h"

namespace mdpd {

/// The answers to each item, dealt out anew among the rows that answered it: what they would look like
/// if nothing held the items of a row together. How they are dealt comes from the data alone, see
/// level_hashes.h.
class Shuffles {
 public:
  /// @param data whose case weights are counts: its rows are written out.
  /// Cost O(cells).
  explicit Shuffles(const CodedData& data);

  /// A table that is there until the next one.
  /// @param number 0 as the answers are; others are dealt differently for each.
  CodedData table(std::uint64_t number);

 private:
  Index n_obs_ = 0;
  std::vector<Index> n_levels_;
  std::vector<std::uint64_t> of_item_;  ///< a number for each
  std::vector<Code> codes_;             ///< n_obs x n_items, column-major
  std::vector<Code> dealt_;
};

}  // namespace mdpd
