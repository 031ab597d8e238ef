#pragma once

#include "fit/refinement.h"

namespace mdpd {

class FitData;

/// EM with the rows held whose component is known; component i becomes label i. The items' answers
/// and the known rows tell which component that is. Where no item is worth its penalty any more, one
/// component is left and no row is held.
void hold_known_rows(FitData& rows, Index n_labels, const RefinementPlan& plan, Monitor& monitor,
                     FitResult& result);

}  // namespace mdpd
