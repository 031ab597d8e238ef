#pragma once

#include <limits>

#include "growth/options.h"

namespace mdpd {

/// EM iterations, each a pass over the data, that the search for a fit of k components may take: its
/// growth from fewer and its polish. So many that the search of usual data ends by itself, and so few
/// that where there is always one more better optimum its time grows as the data do.
double most_passes(const CodedData& data, Index n_components, const FitOptions& options);

/// Counts the passes of a search, which asks it between its trials; else it is the caller's monitor.
class SearchBudget : public Monitor {
 public:
  /// Without a bound until `begin()` sets one.
  explicit SearchBudget(Monitor& caller) : caller_(caller) {}

  /// A search of its own begins.
  void begin(double n_most) {
    left_ = n_most;
    n_passes_ = 0;
    is_spent_ = false;
  }
  void add(Index n_passes) {
    n_passes_ += n_passes;
    left_ -= static_cast<double>(n_passes);
    if (left_ <= 0.0) is_spent_ = true;
  }
  /// The search has done what it may by another count.
  void end() { is_spent_ = true; }
  bool is_spent() const { return is_spent_; }
  Index n_passes() const { return n_passes_; }  ///< so far

  void on_stage(Index stage, Index n_components, Index n_informative) override {
    caller_.on_stage(stage, n_components, n_informative);
  }
  void on_iteration(Index iteration, double objective) override {
    caller_.on_iteration(iteration, objective);
    add(1);
  }
  void on_work() override { caller_.on_work(); }

 private:
  Monitor& caller_;
  double left_ = std::numeric_limits<double>::infinity();
  Index n_passes_ = 0;
  bool is_spent_ = false;
};

}  // namespace mdpd
