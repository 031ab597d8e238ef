#include "fit/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "fit/known_rows.h"
#include "fit/label_kinds.h"
#include "fit/named_crowd.h"
#include "fit/refined_starts.h"
#include "fit/require_whole.h"
#include "fit/run_steps.h"
#include "growth/same_optimum.h"
#include "model/held_out.h"
#include "model/inclusion.h"
#include "model/row_pass.h"
#include "starts/correspondence.h"
#include "starts/dependence.h"
#include "starts/kinds.h"

namespace mdpd {

namespace {

/// Components from which on growth without stages is another start of a fit that has no path beside
/// it: with fewer the polish makes up for what the stages miss.
constexpr Index fewest_to_grow_again = 4;

/// Cells of data so small that every fit goes on from those of fewer components, see `chains()`.
constexpr Index most_cells_to_chain = 10000;

/// What the ends of starts with one informative set are compared by.
double value_of(const MixtureFit& fit) {
  return std::isnan(fit.evidence) ? fit.loglik : fit.evidence;
}

/// One run of the method on one problem.
class Method {
 public:
  Method(Problem problem, const FitOptions& options, Monitor& monitor)
      : steps_(std::move(problem), options, monitor), crowd_(steps_), kinds_(steps_, crowd_) {}

  FitOutcome run() {
    if (options_.task != Task::kGrow) {
      fit_starts();
    } else if (chains()) {
      fit_path();
    } else {
      for (const Index k : options_.n_components) {
        steps_.begin_search(k);
        finish(kinds_.has_kinds(k) ? fit_kinds(k) : fit_alone(k), k);
      }
    }
    outcome_.work = steps_.work();
    return std::move(outcome_);
  }

 private:
  const CodedData& data() const { return steps_.data(); }

  // Growth ----------------------------------------------------------------------------------------

  /// Does a fit go on from the one with a component less, so that a path is fitted whatever numbers
  /// are asked for? Of small data always: the stages alone can miss what a split of that fit finds.
  /// By BIC of several numbers, as 0.1.0 has it.
  bool chains() const {
    if (!options_.is_by_significance() || !options_.refines) return false;
    if (options_.refine.type == Refinement::kSparse) return options_.n_components.size() > 1;
    return data().n_weighted() * data().n_items <= most_cells_to_chain;
  }

  FitRun fit_alone(Index k) {
    FitRun run = fit_stages(k);
    std::optional<FitRun> grown = grow_from_one(k);
    if (grown && steps_.is_better(*grown, run)) run = std::move(*grown);
    if (crowd_.has_named(k)) crowd_.settle_labels(run);
    if (leads_to_kinds(k)) kinds_.begin(run);
    return run;
  }

  bool leads_to_kinds(Index k) const {
    return crowd_.has_named(k) && kinds_.has_kinds(options_.n_components.back());
  }

  FitRun fit_kinds(Index k) {
    if (!kinds_.has_begun()) fit_alone(problem_.n_labels);
    return kinds_.fit(k);
  }

  /// Last, EM that discounts columns which few rows tell of: in the whole search it would let go of
  /// components one after another, and take three times as long.
  void discount_unsure(FitRun& run) {
    const bool may_gain = options_.refines && !std::isnan(run.fit.evidence) &&
                          run.status == Status::kConverged && run.fit.params.n_components() > 1 &&
                          !options_.refine.is_crowd;
    if (!may_gain) return;
    RefineOptions options = options_.refine;
    options.discounts_unsure = true;
    options.item_prior = run.fit.item_prior;
    FitRun next = run;
    steps_.refine_by(std::move(options), next);
    const bool has_ended = next.status == Status::kConverged;
    if (has_ended && next.fit.evidence > run.fit.evidence - smallest_gain) run = std::move(next);
  }

  void finish(FitRun run, Index k) {
    if (!is_worth_it(run, k)) show_weak_classes(run, k);
    if (!problem_.known.empty() && run.fit.params.n_components() == k) hold_known_rows(run);
    discount_unsure(run);
    add_result(std::move(run), k);
  }

  /// Every number of components up to the largest is fitted from one component and, where that is
  /// possible, by splitting the fit before it; the better of the two stays.
  void fit_path() {
    const std::vector<Index>& ks = options_.n_components;
    FitRun run;
    for (Index k = 1; k <= ks.back(); ++k) {
      steps_.begin_search(k);
      if (kinds_.has_kinds(k)) {
        if (std::binary_search(ks.begin(), ks.end(), k)) finish(fit_kinds(k), k);
        continue;
      }
      FitRun grown = std::move(run);
      const bool has_grown =
          k > 1 && grown.fit.params.n_components() == k - 1 && steps_.grow_once({}, grown);
      if (has_grown) {
        steps_.refine_further(grown);
        steps_.improve(grown);
      }
      run = fit_stages(k);
      const bool is_named = crowd_.has_named(k);
      if (has_grown && is_named && crowd_.has_like_mistakes()) crowd_.settle_columns(grown);
      if (has_grown && steps_.is_better(grown, run)) run = std::move(grown);
      if (is_named) crowd_.settle_labels(run);
      if (leads_to_kinds(k)) kinds_.begin(run);
      if (std::binary_search(ks.begin(), ks.end(), k)) finish(run, k);
    }
  }

  /// Stages; refinement from them and from other starts, and polish of the best. The others are
  /// polished only where it is not worth its components, a poor optimum being often one move from a
  /// good one, and where the likelihood is all that counts.
  FitRun fit_stages(Index k) {
    FitRun stages = do_stages(k);
    if (!options_.refines) {
      stages.smoothing = options_.refine.m_step.smoothing;
      return stages;
    }
    std::vector<FitRun> ends = refined_starts(steps_, crowd_, std::move(stages), k);
    FitRun run = std::move(ends.front());
    stays_at_vote_ = crowd_.has_named(k) && crowd_.stays_at_vote(run);
    if (stays_at_vote_) return run;
    steps_.improve(run);
    for (std::size_t at = 1; at < ends.size(); ++at) {
      if (is_worth_it(run, k) && !steps_.seeks_likelihood()) break;
      steps_.improve(ends[at]);
      if (steps_.is_better(ends[at], run)) run = std::move(ends[at]);
    }
    if (!is_worth_it(run, k) && run.fit.params.n_components() > 1) give_up_components(data(), run);
    if (crowd_.has_named(k)) crowd_.settle_columns(run);
    return run;
  }

  FitRun do_stages(Index k) {
    StageRun stages = steps_.stages(k);
    leading_ = std::move(stages.leading);
    // Not in one: GCC 13 warns of a move to the base that older compilers need.
    FitRun run = std::move(stages);
    return run;
  }

  /// Where one component has more evidence, but the items hang together more than by chance: EM from
  /// the leading scores, first with all that the items can tell. The evidence has to pay for every
  /// probability, and so asks for more than is needed to tell rows apart.
  void show_weak_classes(FitRun& run, Index k) {
    if (!options_.refines || is_large(data(), options_)) return;
    if (!is_above_law_) is_above_law_ = is_above_law(data());
    if (!*is_above_law_ && !is_above_shuffled(data(), k - 1)) return;
    FitRun weak{start_at(correspondence_start(data(), k, answers_added_to_see), {})};
    steps_.refine_by(options_.refine.of_type(Refinement::kFull), weak);
    const std::size_t n_full = weak.trace.size();
    steps_.refine_further(weak);
    if (weak.fit.params.n_components() < k) return;
    weak.trace.erase(weak.trace.begin(), weak.trace.begin() + n_full);
    weak.trace.front().move = Move::kCorrespondence;
    run = std::move(weak);
  }

  /// By evidence, has the fit more than that of one component? Of a crowd with one component a
  /// label, the labels are there whatever the workers know.
  bool is_worth_it(const FitRun& run, Index k) const {
    if (k == 1 || options_.refine.type != Refinement::kEvidence || k == problem_.n_labels)
      return true;
    return run.fit.params.n_components() > 1 && run.fit.evidence >= data().marginal_loglik.sum();
  }

  /// Growth from one component to k by the best of all splits, each refined to the end. The stages
  /// split at the pair that is explained worst, whatever comes of it; where many components compete,
  /// either can end higher. None where EM takes it to the optimum of the stages.
  std::optional<FitRun> grow_from_one(Index k) {
    const bool is_worth_it = options_.is_by_significance() && options_.refines && options_.polish &&
                             k >= fewest_to_grow_again && !is_large(data(), options_) &&
                             !stays_at_vote_;
    if (!is_worth_it) return {};
    FitRun run{finish_fit(data(), independence_model(data()), {})};
    while (run.fit.params.n_components() < k) {
      if (!steps_.grow_once(leading_, run)) return {};
    }
    steps_.refine_further(run);
    if (steps_.is_last_optimum(run.fit)) return {};
    steps_.improve(run);
    return run;
  }

  /// EM with the rows held whose component is known; component i becomes label i.
  void hold_known_rows(FitRun& run) {
    born_ = component_of_label(
        data(), run.fit.params, run.fit.informative,
        components_of_known(data(), steps_.rows().known(), run.fit.e_step.posterior));
    ItemPrior prior = run.fit.item_prior;
    order_columns(born_, run.fit.e_step.posterior);
    order_columns(born_, prior.crowd);
    order_columns(born_, prior.pseudo_counts);
    steps_.rows().hold_known();
    const bool is_named = crowd_.has_named(problem_.n_labels);
    if (is_named) {
      crowd_.take_vote();
      prior.pseudo_counts = crowd_.pseudo_counts_of_vote(run.fit.e_step.posterior);
    }
    steps_.refine_further(run, std::move(prior));
    if (!is_named) return;
    if (crowd_.returns_to_vote(run)) born_ = numbers_below(problem_.n_labels);
    crowd_.hold_majorities(run);
  }

  // Starts ----------------------------------------------------------------------------------------

  RowMatrix posterior_of(const FitStart& start) {
    require(!start.is_vote || crowd_.vote().size() > 0,
            "a crowd with a component a label, by evidence, starts from its vote");
    if (start.is_vote) return crowd_.vote();
    if (start.posterior.size() == 0) {
      return e_step(data(), start.params, all_items(data())).posterior;
    }
    return steps_.rows().of_kinds(start.posterior, problem_.case_weights);
  }

  /// What a start goes on with. Of a crowd with one component a label its columns are drawn to those
  /// of the vote.
  ItemPrior prior_at(const FitStart& start, const RowMatrix& posterior) const {
    ItemPrior prior = prior_to_go_on_with(start.item_prior);
    require_prior(prior, data().n_levels, posterior.cols());
    const bool is_named = crowd_.has_named(posterior.cols());
    const bool is_known = prior.weights.size() > 0;
    if (prior.crowd.size() == 0) {
      return is_named && !is_known ? crowd_.prior_of_vote(posterior) : prior;
    }
    prior.pseudo_counts =
        is_named ? crowd_.pseudo_counts_of_vote(posterior)
                 : flat_prior_of_crowd(data(), level_counts(data(), posterior)).pseudo_counts;
    return prior;
  }

  /// Of the ends of all starts the one with the highest log-likelihood, or evidence, stays.
  void fit_starts() {
    steps_.rows().hold_known();
    if (crowd_.has_named(problem_.n_labels)) crowd_.take_vote();
    FitRun best;
    Index n_components = 0;
    for (const FitStart& start : problem_.starts) {
      FitRun run{start_at(posterior_of(start), start.informative)};
      const Index n_of_start = run.fit.e_step.posterior.cols();
      steps_.refine_further(run, prior_at(start, run.fit.e_step.posterior));
      const auto n_iterations = static_cast<Index>(run.trace.size());
      const bool is_best = outcome_.starts.empty() || value_of(run.fit) > value_of(best.fit);
      outcome_.starts.push_back({run.fit.loglik, run.fit.evidence, n_iterations, run.status});
      if (!is_best) continue;
      best = std::move(run);
      n_components = n_of_start;
    }
    steps_.begin_search(n_components);
    steps_.polish_further(best);
    const bool is_from_vote = std::any_of(problem_.starts.begin(), problem_.starts.end(),
                                          [](const FitStart& start) { return start.is_vote; });
    if (is_from_vote) crowd_.hold_majorities(best);
    add_result(std::move(best), n_components);
  }

  // The end ---------------------------------------------------------------------------------------

  void add_result(FitRun run, Index n_components) {
    const SumsOfFit sums{
        [&](const MixtureFit& fit) { return level_counts(data(), fit.e_step.posterior); },
        [&](const MixtureFit& fit) {
          const ItemSet items = gaining_items(fit);
          return reliance(data(), items,
                          reliance_on(data(), fit.params.item_probs, fit.e_step.posterior, items));
        },
        [&](const MixtureFit& fit, const RowMatrix& pull) {
          const RowMatrix& posterior = fit.e_step.posterior;
          if (pull.size() == 0) return modal_shares(data(), posterior, posterior);
          return modal_shares(
              data(), posterior,
              held_out_posterior(data(), fit.params, fit.informative, posterior, pull));
        }};
    steps_.work().n_search_passes += steps_.budget().n_passes();
    outcome_.fits.push_back(
        make_result(data(), std::move(run), n_components,
                    known_weight(data().known, data().case_weights, n_components), sums));
    FitResult& result = outcome_.fits.back();
    result.search_was_cut = steps_.budget().is_spent();
    if (result.holds_known) result.born = born_;
    add_labels(result);
    steps_.rows().expand(result.fit);
  }

  /// What the components stand for, if that can be told.
  void add_labels(FitResult& result) const {
    const MixtureFit& fit = result.fit;
    const Index k = fit.params.n_components();
    const bool is_by_evidence = !std::isnan(fit.evidence);
    if (k == problem_.n_labels && result.holds_known) result.labels = numbers_below(k);
    if (k < 2 || k < problem_.n_labels || result.holds_known) return;
    if (k == problem_.n_labels) {
      result.labels = is_by_evidence ? crowd_.labels_of(fit) : labels_by_answers(data(), fit);
    } else if (!problem_.starts.empty() && !problem_.starts.front().labels.empty()) {
      result.labels = crowd_.corrected(fit, problem_.starts.front().labels);
    } else {
      kinds_.add_labels(result);
    }
  }

  RunSteps steps_;
  const Problem& problem_ = steps_.problem();
  const FitOptions& options_ = steps_.options();
  NamedCrowd crowd_;
  LabelKinds kinds_;
  FitOutcome outcome_;
  bool stays_at_vote_ = false;        ///< did the last stages lead a crowd no further?
  ItemSet leading_;                   ///< the items that the last stages did not set aside
  std::optional<bool> is_above_law_;  ///< do the rows hang together? As far as it was asked
  std::vector<Index> born_;           ///< of each label its component before rows were held
};

}  // namespace

FitOutcome fit_mixture(Problem problem, const FitOptions& options, Monitor& monitor) {
  require_whole(problem, options);
  return Method(std::move(problem), options, monitor).run();
}

}  // namespace mdpd
