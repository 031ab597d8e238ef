#pragma once

#include "base/numerics.h"
#include "model/refine.h"
#include "pairs/search.h"

namespace mdpd {

/// What is done with a problem.
enum class Task {
  kGrow,      ///< stages from one component, then refinement, polish and what else may be better
  kContinue,  ///< refinement and polish of one start
  kEm         ///< EM on all items from every start; the best end stays
};

/// How it is done. The defaults are those of `method = "robust"`; R reads them from here.
struct FitOptions {
  Task task = Task::kGrow;
  std::vector<Index> n_components = {2};  ///< ascending; several: a path, which only growth has
  MissingCells missing = MissingCells::kIgnore;

  // Stages, see `stagewise_em()`
  Selection selection = Selection::kSignificance;
  Index max_stages = 100;
  Index em_steps = 5;       ///< E- and M-steps on the informative items in every stage
  double alpha = 0.01;      ///< level of the corrected test (kSignificance)
  double split_step = 0.0;  ///< length of the move on each of the two items; 0: by search
  double floor = 0.0;       ///< of the stages' probabilities, see MStepOptions
  /// With fewer items all pairs are searched in every stage: it takes less than a millisecond.
  Index least_items_to_set_aside = 100;

  // What follows them
  bool refines = true;  ///< false: the stages' result stays
  RefineOptions refine = RefineOptions().of_type(Refinement::kEvidence);  ///< but prior counts
  bool polish = true;
  /// Of more items polish searches, by evidence, only the pairs with one that tells the components
  /// apart: a pass over all pairs would take most of the time of a fit, and those of others that stand
  /// out do so by chance.
  Index most_items_to_pair = 500;
  double smoothing_loss = default_smoothing_loss;  ///< see `smooth()`; 0: none
  /// Data of more rows are large: among so many no single row can hold EM back, optima lie far from
  /// each other, and what takes as long as the fit itself once more is not tried.
  Index most_small_rows = 20000;
  /// Passes over the data that every search may take, for each component: a dozen rounds of the
  /// polish; see `most_passes()`.
  double least_search_passes = 500.0;
  /// Work that every search may take, in answers times components: some ten seconds of one processor.
  double most_search_work = 1e10;

  bool is_by_significance() const { return selection == Selection::kSignificance; }
  bool is_significant(const PairChoice& pair) const {
    return pair.found && pair.log_p_value < log_of(alpha);
  }
};

/// The defaults of `method = "paper"`.
inline FitOptions paper_fit() {
  FitOptions options;
  options.selection = Selection::kInformation;
  options.max_stages = 30;
  options.em_steps = 1;
  options.split_step = 0.05;
  options.floor = 0.002;
  options.refine.type = Refinement::kSparse;
  options.polish = false;
  options.smoothing_loss = 0.0;
  return options;
}

}  // namespace mdpd
