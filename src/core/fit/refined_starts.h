#pragma once

#include <vector>

#include "fit/named_crowd.h"

namespace mdpd {

/// EM from the stages and, where that may end elsewhere, from other starts: each optimum once, the
/// best first.
std::vector<FitRun> refined_starts(RunSteps& steps, NamedCrowd& crowd, FitRun stages, Index k);

}  // namespace mdpd
