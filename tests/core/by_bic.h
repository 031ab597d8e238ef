#pragma once

#include "growth/options.h"

namespace mdpd {

/// The options of `method = "robust"` with `criterion = "bic"`.
inline FitOptions by_bic() {
  FitOptions options;
  options.refine.type = Refinement::kSparse;
  return options;
}

}  // namespace mdpd
