#pragma once

#include "model/refine.h"
#include "pairs/search.h"

namespace mdpd {

/// How the stage loop ended.
enum class StageStatus {
  kExplained,  ///< no pair of items shows significant dependence any more
  kStageLimit  ///< max_stages were done, or a stage changed nothing
};

/// Which items are set aside after the first pass over all pairs, because no pair of theirs is
/// strong (kEvidence): the next passes leave out pairs of two of them.
enum class Screening {
  kWhereItPays,
  kAlways,  ///< for tests
  kNever    ///< for tests
};

struct StagewiseOptions {
  Index n_components = 2;  ///< the number to grow to
  Selection selection = Selection::kEvidence;
  MissingCells missing = MissingCells::kIgnore;
  Index max_stages = 100;
  Index em_steps = 5;       ///< E- and M-steps on the informative items in every stage
  double alpha = 0.01;      ///< level of the corrected test (kEvidence)
  double split_step = 0.0;  ///< length of the move on each of the two items; 0: by search
  MStepOptions m_step;
  Screening screening = Screening::kWhereItPays;
};

/// The defaults of `method = "robust"` and `method = "paper"`; R reads them from here.
StagewiseOptions robust_options();
StagewiseOptions paper_options();

struct StagewiseResult {
  MixtureFit fit;
  StageStatus status;
  Trace trace;                 ///< a row a stage; no pair where it did EM only
  Index n_full_passes = 0;     ///< over all pairs of items
  Index n_partial_passes = 0;  ///< over the pairs that touch an item not set aside
  ItemSet leading;             ///< the items not set aside; empty if none was
};

/// Stagewise EM (Zhao and Zucker): grows the mixture from one component. Each stage finds the pair
/// of items and the component whose dependence is explained worst, makes both items informative,
/// splits the component along them while there are fewer than `n_components`, and does EM on the
/// informative items.
///
/// By evidence, later passes leave out pairs of two items that were set aside in the first one, as
/// glmnet does by its strong rules; when nothing significant is left in the others, all pairs are
/// searched. Where then a pair of two such items is significant, both come back and the stages begin
/// again, so that the trace is that of one run.
StagewiseResult stagewise_em(const CodedData& data, const StagewiseOptions& options,
                             Monitor& monitor);

}  // namespace mdpd
