#include "growth/trials.h"

#include <algorithm>

#include "growth/split.h"
#include "model/posterior.h"

namespace mdpd {

namespace {

ItemSet with_items(ItemSet items, Index item_1, Index item_2) {
  for (const Index item : {item_1, item_2}) {
    if (!contains(items, item)) items.push_back(item);
  }
  return items;
}

}  // namespace

Start split_start(const CodedData& data, const MixtureParameters& params,
                  const ItemSet& informative, const PairChoice& pair, MissingCells missing) {
  Start start;
  start.informative = with_items(informative, pair.item_1, pair.item_2);
  const Split split = split_at_pair(data, params, start.informative, pair, {0.0, missing});
  if (split.length > 0.0) {
    start.posterior = e_step(data, split.params, start.informative).posterior;
  }
  return start;
}

RefineOptions brief(const RefineOptions& options, Index iterations) {
  RefineOptions out = options;
  out.max_iter = std::min(options.max_iter, iterations);
  return out;
}

MixtureFit refine_briefly(const CodedData& data, const Start& start, Index iterations,
                          const TrialOptions& options, Monitor& monitor) {
  return refine(data, start.posterior, start.informative, options.refinement,
                brief(options.refine, iterations), monitor)
      .fit;
}

}  // namespace mdpd
