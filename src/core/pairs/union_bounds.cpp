#include "pairs/union_bounds.h"

#include "base/jobs.h"
#include "pairs/dependence.h"

namespace mdpd {

UnionBounds::UnionBounds(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
                         const std::vector<ComponentPair>& unions)
    : unions_(unions), with_component_(data.n_items, static_cast<Index>(unions.size())) {
  const double n_operations = static_cast<double>(data.n_items * row_weights.size());
  for_each_job(data.n_items, useful_threads(data.n_threads, n_operations), [&](Index item, int) {
    PairTable levels;  // with itself: only its diagonal has weight
    fill_pair_table(data, row_weights, item, item, missing, levels);
    PairTable with_component;
    with_component.reset(levels.n_rows, 2, 1);
    for (Index at = 0; at < with_component_.cols(); ++at) {
      for (Index r = 0; r < levels.n_rows; ++r) {
        with_component.at(r, 0, 0) = levels.at(r, r, unions_[at].first);
        with_component.at(r, 1, 0) = levels.at(r, r, unions_[at].second);
      }
      with_component_(item, at) = dependence(with_component, 0);
    }
  });
}

}  // namespace mdpd
