#pragma once

#include <optional>

#include "growth/stagewise.h"

namespace mdpd {

/// What is done with a problem.
enum class Task {
  kGrow,      ///< stages from one component, then refinement, polish and what else may be better
  kContinue,  ///< refinement and polish of one start
  kEm         ///< plain EM from every start; the one with the highest log-likelihood stays
};

struct FitOptions {
  Task task = Task::kGrow;
  std::vector<Index> n_components = {2};  ///< ascending; several: a path, which only growth has
  StagewiseOptions stages;                ///< but the number of components
  std::optional<Refinement> refinement = Refinement::kSparse;  ///< none: the stages' result stays
  RefineOptions refine;                                        ///< but prior counts
  bool polish = true;
  double smoothing_loss = default_smoothing_loss;  ///< see `smooth()`; 0: none
};

/// The defaults of `method = "robust"` and `method = "paper"`; R reads them from here.
FitOptions robust_fit();
FitOptions paper_fit();

}  // namespace mdpd
