#include "fit/options.h"

namespace mdpd {

FitOptions robust_fit() {
  FitOptions options;
  options.stages = robust_options();
  return options;
}

FitOptions paper_fit() {
  FitOptions options;
  options.stages = paper_options();
  options.polish = false;
  options.smoothing_loss = 0.0;
  return options;
}

}  // namespace mdpd
