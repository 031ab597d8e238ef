#pragma once

#include <cmath>

#include "base/monitor.h"
#include "model/evidence.h"
#include "model/m_step.h"
#include "model/posterior.h"
#include "model/trace.h"

namespace mdpd {

/// How a run ended; the first that holds.
enum class Status {
  kFewerComponents,  ///< than it began with, or was asked for: fewer than two items were worth their
                     ///< penalty, and one item alone cannot tell components apart
  kConverged,        ///< the relative change of the objective fell below the tolerance
  kIterationLimit,   ///< it did not within max_iter iterations
  kStageLimit        ///< there was no refinement, and the stages did all they may
};

/// Which EM.
enum class Refinement {
  /// After each M-step an item is informative exactly when letting it differ between components
  /// gains more log-likelihood than its penalty; the others stay at their observed frequencies.
  /// Without smoothing and floor the penalised log-likelihood never falls.
  kSparse,
  /// Each item differs as far as the evidence says, see evidence.h: EM at the posterior means, under a
  /// prior that is learned from all items. Items that hardly differ stay at their frequencies.
  kEvidence,
  kFull,  ///< ordinary EM: all items that vary differ between components
  kFixed  ///< the informative set stays as it is
};

struct RefineOptions {
  Refinement type = Refinement::kSparse;
  MStepOptions m_step;
  double penalty_scale = 1.0;  ///< of every item's penalty; the polish loosens or tightens it for a
                               ///< few iterations to move the informative set
  double tol = 1e-8;           ///< relative change of the objective that counts as none
  Index max_iter = 1000;       ///< EM iterations
  bool uses_all_items = false;  ///< also those that hardly differ? (kEvidence)
  bool is_crowd = false;        ///< do all items have the same levels, answered alike? (kEvidence)
  bool discounts_unsure = false;  ///< do rows go less to components that few rows tell of, see
                                  ///< `doubt_of_columns()`? Not of a crowd, nor where that
                                  ///< takes three quarters of its rows from one (kEvidence)
  ItemPrior item_prior =
      {};  ///< to go on with; of a crowd of as many components, or else begun anew (kEvidence)

  RefineOptions of_type(Refinement other) const;
  RefineOptions at_most(Index iterations) const;
};

/// A fitted mixture: everything belongs to the same parameters.
struct MixtureFit {
  MixtureParameters params;       ///< items outside `informative` at their observed frequencies
  ItemSet informative;            ///< in the order they joined
  EStep e_step;                   ///< on the informative items, at `params`
  double loglik = 0.0;            ///< of all items (nats)
  double penalised_loglik = 0.0;  ///< see criterion.h (nats)
  /// By evidence, of the posterior that gave the parameters, else not a number: see evidence.h (nats).
  double evidence = TraceRow::not_known;
  ItemEvidence item_evidence = {};  ///< likewise
  ItemPrior item_prior = {};        ///< likewise

  /// What fits are compared by.
  double objective() const { return std::isnan(evidence) ? penalised_loglik : evidence; }
};

/// A fit of which only is known what EM starts from.
MixtureFit start_at(RowMatrix posterior, ItemSet informative);

/// A fit, with how it came about.
struct FitRun {
  MixtureFit fit;
  Trace trace = {};  ///< of EM a row an iteration
  Status status = Status::kConverged;
  double smoothing = 0.0;  ///< pseudo-count of an item in a component in the last estimate
};

/// A row of the trace with the numbers of the fit that its move ended in.
TraceRow trace_row(TraceRow row, const MixtureFit& fit);

/// The last E-step: posterior, log-likelihoods and parameters that agree.
MixtureFit finish_fit(const CodedData& data, MixtureParameters params, ItemSet informative);

/// Is a run of EM, by its last steps, not going to reach `goal`? Its gains shrink by a factor from
/// step to step; while they grow nothing can be told.
bool falls_short(const FitRun& run, double goal);

/// One component in place of those of the run.
void give_up_components(const CodedData& data, FitRun& run);

/// The rows as EM sees them: their posterior at the parameters where it is, in sums. Rows in memory
/// have it from row to row, others need not.
class PosteriorRows {
 public:
  virtual ~PosteriorRows() = default;
  /// Goes to other parameters.
  virtual EStep e_step(const MixtureParameters& params, const ItemSet& items) = 0;
  /// Counts of all items there.
  /// @param posterior of the last E-step, or what EM starts from.
  /// @param with_rare see `level_sums_with_rare()`.
  virtual LevelSums level_sums(const RowMatrix& posterior, bool with_rare) = 0;
  /// See `shared_weight()`.
  virtual Matrix overlap(const RowMatrix& posterior) = 0;
};

/// EM on the penalised log-likelihood, or on the log-likelihood where the informative set is fixed:
/// Dempster, Laird and Rubin (1977). Without smoothing and floor its objective never falls. By
/// evidence and of all items it is accelerated, see acceleration.h.
/// @param start posterior to start from, with the items that were informative in it.
FitRun refine(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
              const RefineOptions& options, Monitor& monitor);

/// Case-weighted entropy of the rows of any posterior (nats).
double entropy_of(const CodedData& data, const RowMatrix& posterior);

/// The same of the fit's own posterior, from the sums that it leads to: without a pass over the rows.
double entropy_of(const CodedData& data, const MixtureFit& fit, const LevelSums& sums);

/// Log-joint probability of rows and components that is expected under the posterior of some sums
/// (nats): of the items that enter, at any parameters.
double expected_log_joint(const CodedData& data, const MixtureParameters& params,
                          const ItemSet& items, const LevelSums& sums);

/// `refine()` of rows that are not all in memory, from parameters.
/// @param frame see BlockedRows.
FitRun refine_rows(const CodedData& frame, PosteriorRows& rows, const MixtureParameters& start,
                   const ItemSet& informative, const RefineOptions& options, Monitor& monitor);

/// What `smooth()` may cost by default (nats): a likelihood ratio of 1.35, which no data can tell.
inline constexpr double default_smoothing_loss = 0.3;

/// The posterior mode under the strongest of a few smoothings, of a quarter to four pseudo-counts of
/// an item in a component, that costs at most `max_loss` of the penalised log-likelihood (nats); the
/// run as it was when none does. The informative set stays. Where the likelihood is flat, its maximum
/// has probabilities near 0 and 1 that the data hardly ask for, and classifies worse: Galindo-Garre
/// and Vermunt (2006), Avoiding boundary estimates in latent class analysis by Bayesian posterior
/// mode estimation. A fit with smoothing or a prior of its own keeps these.
void smooth(const CodedData& data, double max_loss, const RefineOptions& options, Monitor& monitor,
            FitRun& run);

/// Log-likelihood gained by letting an item differ between components (nats, >= 0).
double item_gain(const CodedData& data, const RowMatrix& counts, Index item);

/// A bound that it never exceeds, but by rounding: the chi-square statistic of the item's counts, as
/// a divergence of Kullback and Leibler is at most the one of Pearson. Gibbs and Su (2002), On
/// choosing and bounding probability metrics, theorem 5.
/// @param counts of a posterior whose rows sum to 1.
double most_item_gain(const CodedData& data, const RowMatrix& counts, Index item);

}  // namespace mdpd
