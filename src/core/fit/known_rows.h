#pragma once

#include "model/refine.h"

namespace mdpd {

/// Of each label its component: what the informative items answer in a component, and the rows that
/// are known to have a label, tell which it is.
/// @param known see CodedData; of `data`, which need not hold them.
std::vector<Index> component_of_label(const CodedData& data, const std::vector<Index>& known,
                                      const MixtureFit& fit);

}  // namespace mdpd
