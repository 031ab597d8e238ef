#pragma once

// Monitors for the tests: one that counts, one that interrupts.

#include "base/monitor.h"

namespace mdpd {

struct CountingMonitor : Monitor {
  Index stages = 0;
  Index iterations = 0;
  Index looks = 0;

  void on_stage(Index, Index, Index) override { ++stages; }
  void on_iteration(Index, double) override { ++iterations; }
  void on_work() override { ++looks; }
};

struct Interrupt {};

/// Throws an Interrupt at the given call (0-based), whatever kind of call it is.
class InterruptingMonitor : public Monitor {
 public:
  explicit InterruptingMonitor(Index at) : calls_left_(at) {}

  void on_stage(Index, Index, Index) override { count(); }
  void on_iteration(Index, double) override { count(); }
  void on_work() override { count(); }

 private:
  void count() {
    if (calls_left_-- == 0) throw Interrupt();
  }

  Index calls_left_;
};

}  // namespace mdpd
