#pragma once

#include <chrono>

#include "base/types.h"

namespace mdpd {

/// How often the dear things were done, and what took how long.
struct WorkDone {
  Index n_full_passes = 0;  ///< of the stages over all pairs of items; see StageRun
  Index n_partial_passes = 0;
  Index n_search_passes = 0;  ///< over the rows, of all searches; see SearchBudget
  double stage_seconds = 0.0;
  double growth_seconds = 0.0;  ///< from fits with one component less
  double refinement_seconds = 0.0;
  double polish_seconds = 0.0;  ///< with smoothing
};

/// Adds the time of a block to `seconds`.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace mdpd
