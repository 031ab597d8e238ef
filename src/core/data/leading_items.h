#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// The items once more, some of them first, so that a pass can keep to the pairs that touch one of
/// those.
struct LeadingItems {
  CodedData data;               ///< the items in another order
  std::vector<Code> codes;      ///< what it reads, where it is dense
  std::vector<Index> original;  ///< per item of `data`: its index in the data it was made from
  Index n_leading = 0;

  LeadingItems() = default;
  LeadingItems(const LeadingItems&) = delete;
  LeadingItems& operator=(const LeadingItems&) = delete;
  LeadingItems(LeadingItems&&) = default;
  LeadingItems& operator=(LeadingItems&&) = default;
};

/// @param leads per item: does it come first?
LeadingItems put_first(const CodedData& data, const std::vector<bool>& leads);

}  // namespace mdpd
