#include "starts/dense.h"

namespace mdpd {

MixtureFit dense_start(const CodedData& data, const RowMatrix& posterior,
                       const RefineOptions& options, Monitor& monitor) {
  RefineOptions full = options.of_type(Refinement::kFull).at_most(iterations_of_start);
  full.m_step.smoothing = pseudo_counts_of_start;
  return refine(data, posterior, {}, full, monitor).fit;
}

}  // namespace mdpd
