#pragma once

#include "base/monitor.h"
#include "pairs/contest.h"
#include "pairs/search_options.h"

namespace mdpd {

struct Contenders {
  std::vector<Contender> pairs;
  std::vector<bool> strong;  ///< per item: is it in a strong pair?
};

/// Of every column the pairs that may win, and those that may have the largest information. In
/// lexicographic order, so that ties go to the lowest indices.
/// @param columns row weights of the components, and behind them those of the unions.
Contenders find_contenders(const CodedData& data, const RowMatrix& columns, Index n_components,
                           const ItemSet& informative, const SearchOptions& options,
                           Monitor& monitor);

}  // namespace mdpd
