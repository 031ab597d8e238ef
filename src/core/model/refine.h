#pragma once

#include "base/monitor.h"
#include "model/m_step.h"
#include "model/posterior.h"
#include "model/trace.h"

namespace mdpd {

/// How a run of EM ended.
enum class Status {
  kConverged,          ///< the relative change of the objective fell below the tolerance
  kIterationLimit,     ///< it did not within max_iter iterations
  kNothingInformative  ///< fewer than two items are worth their penalty, and one item alone cannot
                       ///< tell components apart: the fit has one component
};

struct RefineOptions {
  MStepOptions m_step;
  double penalty_scale = 1.0;  ///< of every item's penalty; the polish loosens or tightens it for a
                               ///< few iterations to move the informative set
  double tol = 1e-8;           ///< relative change of the objective that counts as none
  Index max_iter = 1000;       ///< EM iterations
};

/// A fitted mixture: everything belongs to the same parameters.
struct MixtureFit {
  MixtureParameters params;       ///< items outside `informative` at their observed frequencies
  ItemSet informative;            ///< in the order they joined
  EStep e_step;                   ///< on the informative items, at `params`
  double loglik = 0.0;            ///< of all items (nats)
  double penalised_loglik = 0.0;  ///< see criterion.h (nats)
};

struct RefineResult {
  MixtureFit fit;
  Status status;
  Trace trace;  ///< a row an iteration
};

/// The row of the trace of a move that ended in `fit`.
TraceRow trace_row(Phase phase, Move move, const MixtureFit& fit);

/// The last E-step: posterior, log-likelihoods and parameters that agree.
MixtureFit finish_fit(const CodedData& data, MixtureParameters params, ItemSet informative);

/// EM on the penalised log-likelihood. After each M-step an item is informative exactly when
/// letting it differ between components gains more log-likelihood than its penalty; the others stay
/// at their observed frequencies. Without smoothing and floor the penalised log-likelihood never
/// falls.
/// @param start posterior to start from, with the items that were informative in it.
RefineResult refine_sparse(const CodedData& data, const RowMatrix& start,
                           const ItemSet& informative, const RefineOptions& options,
                           Monitor& monitor);

/// EM with a fixed informative set. Without smoothing and floor the log-likelihood never falls.
/// Dempster, Laird and Rubin (1977).
RefineResult refine_fixed(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
                          const RefineOptions& options, Monitor& monitor);

/// Ordinary EM: all items that vary differ between components.
RefineResult refine_full(const CodedData& data, const RowMatrix& start,
                         const RefineOptions& options, Monitor& monitor);

/// Which EM follows the stages.
enum class Refinement {
  kSparse,  ///< refine_sparse()
  kFull     ///< refine_full()
};

RefineResult refine(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
                    Refinement type, const RefineOptions& options, Monitor& monitor);

/// What `smooth()` may cost by default (nats): a likelihood ratio of 1.35, which no data can tell.
inline constexpr double default_smoothing_loss = 0.3;

struct SmoothedFit {
  MixtureFit fit;
  double smoothing = 0.0;  ///< pseudo-count of an item in a component; 0: the fit as it was
};

/// The posterior mode under the strongest of a few smoothings, of a quarter to four pseudo-counts of
/// an item in a component, that costs at most `max_loss` of the penalised log-likelihood (nats); the
/// fit itself when none does. The informative set stays. Where the likelihood is flat, its maximum
/// has probabilities near 0 and 1 that the data hardly ask for, and classifies worse: Galindo-Garre
/// and Vermunt (2006), Avoiding boundary estimates in latent class analysis by Bayesian posterior
/// mode estimation. A fit with smoothing or a prior of its own keeps these.
SmoothedFit smooth(const CodedData& data, const MixtureFit& fit, double max_loss,
                   const RefineOptions& options, Monitor& monitor);

/// Log-likelihood gained by letting an item differ between components (nats, >= 0).
double item_gain(const CodedData& data, const RowMatrix& counts, Index item);

/// A bound that it never exceeds, but by rounding: the chi-square statistic of the item's counts, as
/// a divergence of Kullback and Leibler is at most the one of Pearson. Gibbs and Su (2002), On
/// choosing and bounding probability metrics, theorem 5.
/// @param counts of a posterior whose rows sum to 1.
double most_item_gain(const CodedData& data, const RowMatrix& counts, Index item);

}  // namespace mdpd
