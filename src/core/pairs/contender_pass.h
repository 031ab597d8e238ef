#pragma once

#include "base/monitor.h"
#include "pairs/contest.h"
#include "pairs/search_options.h"

namespace mdpd {

/// Row weights of the components, and behind them those of the unions: the sum of both components'.
struct SearchColumns {
  const CodedData& data;
  Index n_components = 0;
  RowMatrix weights;
};

struct Contenders {
  std::vector<Contender> pairs;
  std::vector<bool> strong;  ///< per item: is it in a strong pair?
};

/// Of every column the pairs that may win, and those that may have the largest information. In
/// lexicographic order, so that ties go to the lowest indices.
Contenders find_contenders(const SearchColumns& columns, const ItemSet& informative,
                           const SearchOptions& options, Monitor& monitor);

}  // namespace mdpd
