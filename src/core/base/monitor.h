#pragma once

#include "base/types.h"

namespace mdpd {

/// What a long computation tells its caller while it runs. The default does nothing; the R binding
/// draws a progress bar and throws when the user interrupts, which unwinds the core safely.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// Called at the start of every stage of the stage loop (0-based).
  virtual void on_stage(Index /*stage*/, Index /*n_components*/, Index /*n_informative*/) {}

  /// Called once per EM iteration.
  virtual void on_iteration(Index /*iteration*/, double /*objective*/) {}

  /// Called every few milliseconds inside a pass over all pairs of items.
  virtual void on_work() {}
};

}  // namespace mdpd
