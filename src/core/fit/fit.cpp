#include "fit/fit.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "base/assignment.h"
#include "base/errors.h"
#include "base/numerics.h"
#include "data/row_sums.h"
#include "fit/fit_data.h"
#include "fit/known_rows.h"
#include "fit/require_whole.h"
#include "growth/grow.h"
#include "growth/polish.h"
#include "growth/same_optimum.h"
#include "growth/stagewise.h"
#include "model/inclusion.h"
#include "starts/correspondence.h"
#include "starts/dependence.h"
#include "starts/kinds.h"
#include "starts/majorities.h"
#include "starts/mistakes.h"
#include "starts/scattered.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// Components from which on growth without stages is another start of a fit that has no path beside
/// it: with fewer the polish makes up for what the stages miss.
constexpr Index fewest_to_grow_again = 4;

/// Cells of data so small that every fit goes on from those of fewer components, see `chains()`.
constexpr Index most_cells_to_chain = 10000;

/// Starts at random where the likelihood is looked for, iterations of each before they are compared,
/// and ends that EM goes on from. Of data with more cells none: there the starts that look at the
/// data do better.
constexpr Index n_scattered = 50;
constexpr Index brief_scattered = 20;
constexpr std::size_t scattered_finalists = 10;
constexpr Index most_cells_to_scatter = 50000;

/// Iterations of EM from another start after which it is told whether it may end higher than the first.
constexpr Index iterations_to_tell = 12;

/// Share of a crowd's rows that may be in other components than by its vote, and answers of so large
/// a crowd that a few nats do not matter, see `prefer_vote()`.
constexpr double most_moved_from_vote = 0.02;
/// Nats by which leaving the vote must be worth more than by its names alone: twentyfold.
constexpr double least_to_leave_vote = 3.0;
constexpr double most_answers_to_prefer_vote = 20000.0;

/// Of the tolerance of EM, by which it ends where the likelihood is all that counts, and the
/// smallest gain then (nats).
constexpr double tol_of_end = 1e-4;
constexpr double smallest_gain_of_end = 1e-3;

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

/// What the ends of starts with one informative set are compared by.
double value_of(const MixtureFit& fit) {
  return std::isnan(fit.evidence) ? fit.loglik : fit.evidence;
}

/// One run of the method on one problem.
class Method {
 public:
  Method(Problem problem, const FitOptions& options, Monitor& monitor)
      : problem_(std::move(problem)),
        options_(options),
        monitor_(monitor),
        budget_(monitor),
        rows_(std::move(problem_.cells), problem_) {
    require_answers(data());
    options_.refine =
        refinement_of(options_.refine, data().n_levels, problem_.n_labels, problem_.prior_counts);
    outcome_.work.n_builds = 1;
  }

  FitOutcome run() {
    if (options_.task != Task::kGrow) {
      fit_starts();
    } else if (chains()) {
      fit_path();
    } else {
      for (const Index k : options_.n_components) {
        begin_search(k);
        finish(is_of_kinds(k) ? fit_kinds(k) : fit_alone(k), k);
      }
    }
    return std::move(outcome_);
  }

 private:
  const CodedData& data() const { return rows_.data(); }

  void begin_search(Index k) { budget_.begin(most_passes(data(), k, options_)); }

  /// EM from where the run is. Of one component no item is informative, but in plain EM.
  /// @param item_prior to go on with, see RefineOptions.
  void refine_further(FitRun& run, ItemPrior item_prior = {}) {
    RefineOptions options = options_.refine;
    options.item_prior = std::move(item_prior);
    options.uses_all_items = options_.task == Task::kEm;
    options.discounts_unsure = options_.task != Task::kGrow;
    refine_by(std::move(options), run);
  }

  void refine_by(RefineOptions options, FitRun& run) {
    const Timer timer(outcome_.work.refinement_seconds);
    const bool is_of_one =
        run.fit.e_step.posterior.cols() == 1 && options.type == Refinement::kFull;
    if (is_of_one && options_.task != Task::kEm) options.type = Refinement::kSparse;
    FitRun next = refine(data(), run.fit.e_step.posterior, run.fit.informative, options, monitor_);
    next.trace.insert(next.trace.begin(), run.trace.begin(), run.trace.end());
    run = std::move(next);
  }

  /// Polish and smoothing of what was refined, if there is anything to polish: it converged with two
  /// components or more, no row is held, and there are no prior counts, which are those of so many
  /// components.
  void polish_further(FitRun& run) {
    const Timer timer(outcome_.work.polish_seconds);
    const bool has_kinds = !problem_.starts.empty() && !problem_.starts.front().labels.empty();
    const bool may_polish = options_.polish && !has_kinds && options_.task != Task::kEm &&
                            data().known.empty() && problem_.prior_counts.size() == 0 &&
                            run.status == Status::kConverged && run.fit.params.n_components() > 1;
    if (!may_polish) return;
    polish(data(), options_, budget_, run);
    if (run.status == Status::kConverged) optimum_ = run.fit;
    const bool may_smooth = options_.refine.type == Refinement::kSparse &&
                            options_.smoothing_loss > 0.0 && run.fit.params.n_components() > 1;
    if (may_smooth) smooth(data(), options_.smoothing_loss, options_.refine, monitor_, run);
  }

  // Growth ----------------------------------------------------------------------------------------

  /// Does a fit go on from the one with a component less, so that a path is fitted whatever numbers
  /// are asked for? Of small data always: the stages alone can miss what a split of that fit finds.
  /// By BIC of several numbers, as 0.1.0 has it.
  bool chains() const {
    if (!options_.is_by_significance() || !options_.refines) return false;
    if (options_.refine.type == Refinement::kSparse) return options_.n_components.size() > 1;
    return data().n_obs * data().n_items <= most_cells_to_chain;
  }

  FitRun fit_alone(Index k) {
    FitRun run = fit_stages(k);
    std::optional<FitRun> grown = grow_from_one(k);
    if (grown && is_better(*grown, run)) run = std::move(*grown);
    if (is_named_crowd(k)) settle_labels(run);
    if (leads_to_kinds(k)) begin_kinds(run);
    return run;
  }

  /// Is the highest likelihood looked for, and the data so small that more can be done for it?
  bool seeks_likelihood() const {
    return options_.refine.type == Refinement::kFull && options_.is_by_significance() &&
           !is_large(data(), options_);
  }

  /// Is the second so much more than the first that it is not the same optimum?
  bool is_better(const FitRun& second, const FitRun& first) const {
    const double least = seeks_likelihood() ? smallest_gain_of_end : smallest_gain;
    return second.fit.objective() - first.fit.objective() > least;
  }

  /// Goes on where EM creeps: the objective of all rows is large beside what a step still gains.
  void creep_on(FitRun& run) {
    if (!seeks_likelihood() || run.status != Status::kConverged ||
        run.fit.params.n_components() == 1)
      return;
    RefineOptions options = options_.refine;
    options.tol *= tol_of_end;
    refine_by(std::move(options), run);
    run.status = Status::kConverged;  // by the tolerance that was asked for
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
    refine_by(std::move(options), next);
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
      begin_search(k);
      if (is_of_kinds(k)) {
        if (std::binary_search(ks.begin(), ks.end(), k)) finish(fit_kinds(k), k);
        continue;
      }
      FitRun grown = std::move(run);
      const bool has_grown =
          k > 1 && grown.fit.params.n_components() == k - 1 && grow_once({}, grown);
      if (has_grown) {
        refine_further(grown);
        polish_further(grown);
        creep_on(grown);
      }
      run = fit_stages(k);
      if (has_grown && has_like_mistakes_ && is_named_crowd(k)) settle_crowd(grown);
      if (has_grown && is_better(grown, run)) run = std::move(grown);
      if (is_named_crowd(k)) settle_labels(run);
      if (leads_to_kinds(k)) begin_kinds(run);
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
    std::vector<FitRun> ends = refine_starts(std::move(stages), k);
    FitRun run = std::move(ends.front());
    polish_further(run);
    creep_on(run);
    for (std::size_t at = 1; at < ends.size(); ++at) {
      if (is_worth_it(run, k) && !seeks_likelihood()) break;
      polish_further(ends[at]);
      creep_on(ends[at]);
      if (is_better(ends[at], run)) run = std::move(ends[at]);
    }
    if (!is_worth_it(run, k) && run.fit.params.n_components() > 1) give_up_components(data(), run);
    if (is_named_crowd(k)) settle_crowd(run);
    return run;
  }

  /// By evidence, of a crowd with one component a label.
  bool is_named_crowd(Index k) const {
    return options_.refine.type == Refinement::kEvidence && options_.refine.is_crowd && k > 1 &&
           k == problem_.n_labels;
  }

  /// Goes on with the crowd's columns drawn to those of the vote, whatever start the run came from.
  void settle_crowd(FitRun& run) {
    const RowMatrix& posterior = run.fit.e_step.posterior;
    if (posterior.cols() != of_crowd_.cols()) return;
    ItemPrior prior = run.fit.item_prior;
    prior.pseudo_counts = pseudo_counts_of_vote(posterior);
    refine_further(run, std::move(prior));
  }

  /// By evidence, of one component a label: is there one for each, by what the workers answer?
  bool has_all_labels(const FitRun& run) const {
    const std::vector<Index> labels = corrected(run, labels_by_answers(data(), run.fit));
    return std::set<Index>(labels.begin(), labels.end()).size() ==
           static_cast<std::size_t>(problem_.n_labels);
  }

  bool has_component_a_label(const FitRun& run) const {
    return run.fit.params.n_components() == problem_.n_labels;
  }

  /// None where there is not one component a label.
  Majorities majorities(const FitRun& run) const {
    if (!has_component_a_label(run)) return {};
    std::vector<Index> labels = own_labels(problem_.n_labels);
    if (data().known.empty()) labels = corrected(run, labels_by_answers(data(), run.fit));
    return labels.empty() ? Majorities() : majorities_of(data(), run.fit, labels);
  }

  /// Of a crowd by evidence, a run whose components are labels: that of the vote, or from where rows
  /// have majorities, if they are not those of this one.
  void settle_labels(FitRun& run) {
    if (!options_.refines) return;
    hold_majorities(prefer_vote(run), run);
  }

  /// What workers answer says which component is which label, and only near their vote it does: of
  /// the K! ways to give K components their labels one is right. Where it has other rows in its
  /// components a fit must be worth more evidence by the logarithm of that, with one for each label,
  /// and strong evidence besides: by a nat or two small crowds end far from any truth. And it must
  /// overrule no more clear majorities than the vote's end, which must have a reason for those.
  /// Returns what it makes of them.
  Majorities prefer_vote(FitRun& run) {
    const bool is_whole = has_component_a_label(run);
    const bool is_large = data().observed_weight.sum() > most_answers_to_prefer_vote;
    Majorities told = majorities(run);
    if (is_whole && is_large && !are_overruled(told)) return told;
    FitRun vote = fit_vote();
    Majorities of_vote = majorities(vote);
    if (is_whole) {
      if (!has_component_a_label(vote)) return told;
      const Vector moved =
          moved_shares(data(), run.fit.e_step.posterior, vote.fit.e_step.posterior);
      const bool is_alike = moved.sum() < 2.0 * most_moved_from_vote;
      const double of_names = log_gamma_of(static_cast<double>(problem_.n_labels) + 1.0);
      const double least = is_alike ? -smallest_gain : of_names + least_to_leave_vote;
      const bool is_better = run.fit.objective() - vote.fit.objective() > least;
      const auto is_of_labels = [&] {
        return has_all_labels(run) && told.n_overruled <= of_vote.n_overruled;
      };
      if (is_better && !are_overruled(of_vote) && (is_alike || is_of_labels())) return told;
    }
    end_by(Move::kVote, std::move(vote), run);
    return of_vote;
  }

  /// Replaces a run from its stages on.
  void end_by(Move move, FitRun end, FitRun& run) const {
    end.trace.front().move = move;
    const auto stages_end =
        std::find_if(run.trace.begin(), run.trace.end(),
                     [](const TraceRow& row) { return row.phase != Phase::kStage; });
    end.trace.insert(end.trace.begin(), run.trace.begin(), stages_end);
    run = std::move(end);
  }

  /// Where EM overrules majorities without reason it goes on with these rows held, and lets them go in
  /// its last step.
  /// @param told of the run.
  void hold_majorities(Majorities told, FitRun& run) {
    if (!are_overruled(told)) return;
    const std::vector<Index> known = data().known;
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (known[row] != no_component) told.labels[row] = known[row];
    }
    const RowMatrix start = label_shares(data(), problem_.n_labels);
    RefineOptions options = options_at_vote(start);
    FitRun held{start_at(start, {})};
    rows_.hold(std::move(told.labels));
    refine_by(options, held);
    rows_.hold(known);
    if (!has_component_a_label(held)) return;
    const Status status = held.status;
    options = options.at_most(1);
    options.item_prior = held.fit.item_prior;
    refine_by(options, held);
    held.status = status;
    end_by(Move::kMajorities, std::move(held), run);
  }

  /// Posterior at the vote of a crowd alike, or the vote as it is where EM loses a label.
  RowMatrix posterior_of_crowd() const {
    const Index n_labels = problem_.n_labels;
    RowMatrix posterior = crowd_start(data(), n_labels, options_.refine, monitor_).e_step.posterior;
    return posterior.cols() == n_labels ? posterior : label_shares(data(), n_labels);
  }

  void take_vote() {
    of_crowd_ = posterior_of_crowd();
    has_like_mistakes_ = has_like_mistakes(data(), problem_.n_labels);
  }

  RefineOptions options_at_vote(const RowMatrix& start) const {
    RefineOptions options = options_.refine;
    options.uses_all_items = true;
    options.item_prior = prior_of_vote(start);
    return options;
  }

  /// To begin with, with columns drawn to those of the vote.
  ItemPrior prior_of_vote(const RowMatrix& posterior) const {
    ItemPrior prior = flat_prior_of_crowd(data(), level_counts(data(), posterior));
    prior.pseudo_counts = pseudo_counts_of_vote(posterior);
    return prior;
  }

  /// The same of a crowd whose mistakes are alike and a component a label; else as it is without.
  ItemPrior prior_of_alike(const RowMatrix& posterior) const {
    const bool is_alike = has_like_mistakes_ && posterior.cols() == of_crowd_.cols();
    return is_alike ? prior_of_vote(posterior) : ItemPrior();
  }

  /// EM with all workers from the vote, as it is and with workers alike: the better end, as `mdpd()`
  /// has it.
  FitRun fit_vote() {
    FitRun best;
    for (const RowMatrix& start : {label_shares(data(), problem_.n_labels), of_crowd_}) {
      FitRun run{start_at(start, {})};
      refine_by(options_at_vote(start), run);
      if (best.trace.empty() || run.fit.evidence > best.fit.evidence) best = std::move(run);
    }
    return best;
  }

  /// Of the crowd's columns at the vote, with the components in the order that a posterior has them.
  /// Where mistakes are alike each wrong label has as many: of many labels and few rows chance would
  /// make most of the difference.
  RowMatrix pseudo_counts_of_vote(const RowMatrix& posterior) const {
    const Index n_labels = problem_.n_labels;
    std::vector<Index> labels = own_labels(n_labels);
    // Where rows are known, component i is label i as it is.
    if (data().known.empty()) labels = best_assignment(shared_weight(data(), posterior, of_crowd_));
    RowMatrix votes = of_crowd_;
    order_columns(labels, votes);
    RowMatrix counts = flat_prior_of_crowd(data(), level_counts(data(), votes)).pseudo_counts;
    if (!has_like_mistakes_) return counts;
    for (Index k = 0; k < n_labels; ++k) {
      const double right = counts(labels[k], k);
      const double wrong = counts.col(k).sum() - right;
      counts.col(k).setConstant(wrong / static_cast<double>(n_labels - 1));
      counts(labels[k], k) = right;
    }
    return counts;
  }

  // Several components a label -------------------------------------------------------------------

  /// A fit of a crowd whose components each have a label.
  struct Kinds {
    FitRun run;
    std::vector<Index> labels;  ///< of the components, before the votes correct them
    RowMatrix of_labels = {};   ///< posterior of the fit with one component a label, and
    std::vector<Index> labels_before = {};  ///< the labels of its components
  };

  /// By evidence, of a crowd with more components than labels that is refined.
  bool is_of_kinds(Index k) const {
    return options_.refines && is_named_crowd(problem_.n_labels) && k > problem_.n_labels;
  }

  bool leads_to_kinds(Index k) const {
    return is_named_crowd(k) && is_of_kinds(options_.n_components.back());
  }

  std::vector<Index> corrected(const FitRun& run, std::vector<Index> labels) const {
    const RowMatrix counts = level_counts(data(), run.fit.e_step.posterior);
    return corrected_by_votes(data(), counts, problem_.n_labels, std::move(labels));
  }

  void begin_kinds(const FitRun& run) {
    kinds_ = Kinds{run, {}};
    if (run.fit.params.n_components() != problem_.n_labels) return;
    kinds_->labels_before = corrected(run, labels_by_answers(data(), run.fit));
    kinds_->labels = kinds_->labels_before;
    kinds_->of_labels = run.fit.e_step.posterior;
  }

  /// From the fit with one component a label, each time by the best split of one component in two
  /// kinds of items of its label. No polish: its moves would mix up the labels.
  FitRun fit_kinds(Index k) {
    if (!kinds_) fit_alone(problem_.n_labels);
    while (!kinds_->labels.empty() && kinds_->run.fit.params.n_components() < k) {
      if (!add_kind()) break;
    }
    return kinds_->run;
  }

  /// False where no split keeps its components.
  bool add_kind() {
    const FitRun& run = kinds_->run;
    const RowMatrix shares = label_shares(data(), problem_.n_labels);
    const auto n_components = static_cast<Index>(kinds_->labels.size());
    FitRun best;
    Index split = no_component;
    for (Index at = 0; at < n_components; ++at) {
      // Any split is better than none.
      if (budget_.is_spent() && split != no_component) break;
      FitRun next{
          start_at(split_kind(run.fit.e_step.posterior, shares, at, kinds_->labels[at]), {})};
      refine_further(next);
      budget_.add(static_cast<Index>(next.trace.size()));
      if (next.fit.params.n_components() <= n_components) continue;
      if (split != no_component && !is_better(next, best)) continue;
      best = std::move(next);
      split = at;
    }
    if (split == no_component) return false;
    TraceRow row{Phase::kGrow, Move::kSplit};
    row.component = split;
    best.trace.insert(best.trace.begin(), trace_row(row, best.fit));
    best.trace.insert(best.trace.begin(), run.trace.begin(), run.trace.end());
    kinds_->run = std::move(best);
    kinds_->labels.push_back(kinds_->labels[split]);
    return true;
  }

  /// What the components stand for, if that can be told.
  void add_labels(FitResult& result) const {
    const MixtureFit& fit = result.fit;
    const Index k = fit.params.n_components();
    const bool is_by_evidence = !std::isnan(fit.evidence);
    if (k == problem_.n_labels && result.holds_known) result.labels = own_labels(k);
    if (k < 2 || k < problem_.n_labels || result.holds_known) return;
    if (k == problem_.n_labels) {
      result.labels = labels_by_answers(data(), fit);
      if (is_by_evidence) result.labels = corrected(result, std::move(result.labels));
    } else if (!problem_.starts.empty() && !problem_.starts.front().labels.empty()) {
      result.labels = corrected(result, problem_.starts.front().labels);
    } else if (kinds_ && kinds_->labels.size() == static_cast<std::size_t>(k)) {
      result.labels = corrected(result, kinds_->labels);
      result.label_agreement = least_agreement(data(), fit.e_step.posterior, kinds_->labels,
                                               kinds_->of_labels, kinds_->labels_before);
    }
  }

  // ------------------------------------------------------------------------------------------------

  /// Where one component has more evidence, but the items hang together more than by chance: EM from
  /// the leading scores, first with all that the items can tell. The evidence has to pay for every
  /// probability, and so asks for more than is needed to tell rows apart.
  void show_weak_classes(FitRun& run, Index k) {
    if (!options_.refines || is_large(data(), options_)) return;
    if (!is_above_law_) is_above_law_ = is_above_law(data());
    if (!*is_above_law_ && !is_above_shuffled(data(), k - 1)) return;
    FitRun weak{start_at(correspondence_start(data(), k, answers_added_to_see), {})};
    refine_by(options_.refine.of_type(Refinement::kFull), weak);
    const std::size_t n_full = weak.trace.size();
    refine_further(weak);
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

  /// EM from the stages and, where that may end elsewhere, from other starts; the best first.
  std::vector<FitRun> refine_starts(FitRun stages, Index k) {
    std::vector<FitRun> ends;
    const Trace before = stages.trace;
    const auto refine_from = [&](MixtureFit start, Move move, ItemPrior prior = {}) {
      ends.push_back({std::move(start), before});
      refine_further(ends.back(), std::move(prior));
      if (move != Move::kNone) ends.back().trace[before.size()].move = move;
    };
    if (is_named_crowd(k)) {
      take_vote();
      refine_from(start_at(of_crowd_, {}), Move::kVote, prior_of_alike(of_crowd_));
      FitRun run{std::move(stages.fit), before};
      if (refine_up_to(ends.front().fit.objective(), run)) ends.push_back(std::move(run));
      return different_ends(std::move(ends));
    }
    const bool may_vote = split_by_chance(before, k);
    const RefineOptions& options = options_.refine;
    const bool by_evidence = options.type == Refinement::kEvidence;
    FitRun of_stages;
    if (by_evidence && is_wide()) of_stages.fit = stages.fit;
    refine_from(std::move(stages.fit), Move::kNone);
    if (may_vote) refine_from(vote_start(data(), k, options, monitor_), Move::kVote);
    if (k > 1 && by_evidence && is_wide()) {
      refine_from(penalised_end(std::move(of_stages)), Move::kPenalised);
    }
    if (k > 1 && (seeks_likelihood() || (by_evidence && !is_large(data(), options_)))) {
      RowMatrix start = correspondence_start(data(), k);
      if (start.size() > 0) refine_from(start_at(std::move(start), {}), Move::kCorrespondence);
      for (MixtureFit& end : scattered_ends(k)) refine_from(std::move(end), Move::kScattered);
    }
    return different_ends(std::move(ends));
  }

  /// At least as many items as rows, in memory at a reasonable cost.
  bool is_wide() const { return data().n_items >= data().n_obs && !is_large(data(), options_); }

  /// The posterior where the search by BIC ends. Of many items each of those that tell nothing has by
  /// evidence some say all the same, and together they can hold EM to where it begins; BIC leaves them
  /// out.
  MixtureFit penalised_end(FitRun run) {
    FitOptions options = options_;
    options.refine.type = Refinement::kSparse;
    refine_by(options.refine, run);
    if (run.status == Status::kConverged && run.fit.params.n_components() > 1) {
      const Timer timer(outcome_.work.polish_seconds);
      if (options.polish) polish(data(), options, budget_, run);
    }
    return start_at(std::move(run.fit.e_step.posterior), {});
  }

  /// EM to the end, or false where it is soon seen to end below a goal: from stages that found no more
  /// than some of a crowd's labels it would creep there for long.
  bool refine_up_to(double goal, FitRun& run) {
    RefineOptions options = options_.refine.at_most(iterations_to_tell);
    options.item_prior = prior_of_alike(run.fit.e_step.posterior);
    refine_by(options, run);
    const Index n_left = options_.refine.max_iter - options.max_iter;
    if (run.status != Status::kIterationLimit || n_left <= 0) return true;
    if (falls_short(run, goal)) return false;
    options.max_iter = n_left;
    options.item_prior = run.fit.item_prior;
    refine_by(options, run);
    return true;
  }

  /// Where EM from many starts at random leads in a few iterations; the best of them. After
  /// Biernacki, Celeux and Govaert (2003), doi:10.1016/S0167-9473(02)00163-9.
  std::vector<MixtureFit> scattered_ends(Index k) const {
    std::vector<MixtureFit> best;
    if (!seeks_likelihood() || data().n_obs * data().n_items > most_cells_to_scatter) return best;
    const ScatteredStarts starts(data());
    const RefineOptions brief = options_.refine.at_most(brief_scattered);
    for (Index number = 0; number < n_scattered; ++number) {
      const MixtureParameters start = starts.start(k, number);
      const RowMatrix posterior = e_step(data(), start, all_items(data())).posterior;
      best.push_back(refine(data(), posterior, {}, brief, monitor_).fit);
    }
    std::stable_sort(best.begin(), best.end(), [](const MixtureFit& a, const MixtureFit& b) {
      return a.objective() > b.objective();
    });
    best.resize(std::min(best.size(), scattered_finalists));
    return best;
  }

  /// Best first, each optimum once.
  std::vector<FitRun> different_ends(std::vector<FitRun> ends) const {
    std::stable_sort(ends.begin(), ends.end(), [](const FitRun& a, const FitRun& b) {
      return a.fit.objective() > b.fit.objective();
    });
    std::vector<FitRun> out;
    for (FitRun& end : ends) {
      const bool is_known = std::any_of(out.begin(), out.end(), [&](const FitRun& before) {
        return is_same_optimum(data(), before.fit, end.fit, options_);
      });
      if (!is_known) out.push_back(std::move(end));
    }
    return out;
  }

  FitRun do_stages(Index k) {
    const Timer timer(outcome_.work.stage_seconds);
    StageRun stages = stagewise_em(data(), k, options_, monitor_);
    outcome_.work.n_full_passes += stages.n_full_passes;
    outcome_.work.n_partial_passes += stages.n_partial_passes;
    leading_ = std::move(stages.leading);
    FitRun run = std::move(stages);
    return run;
  }

  /// Where workers share few items no pair of them is evidence, and the stages split at what chance
  /// shows. Of a crowd the majority vote is then another start.
  bool split_by_chance(const Trace& stages, Index k) const {
    const bool may_vote = options_.is_by_significance() &&
                          options_.refine.type == Refinement::kSparse && k > 1 &&
                          k == problem_.n_labels;
    if (!may_vote || stages.empty()) return may_vote;
    // A p-value that is not known is no evidence.
    const auto is_chance = [&](const TraceRow& stage) { return !(stage.p_value < options_.alpha); };
    return is_chance(stages.front()) ||
           std::any_of(stages.begin(), stages.end(), [&](const TraceRow& stage) {
             return stage.move == Move::kSplit && is_chance(stage);
           });
  }

  /// Adds a component; false where nothing can be split.
  bool grow_once(const ItemSet& leading, FitRun& run) {
    if (budget_.is_spent()) return false;
    const Timer timer(outcome_.work.growth_seconds);
    MixtureFit grown = grow(data(), run.fit, leading, options_, budget_);
    if (grown.params.n_components() != run.fit.params.n_components() + 1) return false;
    // It is split off the component that most of its rows come from.
    TraceRow row{Phase::kGrow, Move::kSplit};
    const RowMatrix last = grown.e_step.posterior.rightCols(1);
    shared_weight(data(), run.fit.e_step.posterior, last).col(0).maxCoeff(&row.component);
    run.trace.push_back(trace_row(row, grown));
    run.fit = std::move(grown);
    return true;
  }

  /// Growth from one component to k by the best of all splits, each refined to the end. The stages
  /// split at the pair that is explained worst, whatever comes of it; where many components compete,
  /// either can end higher. None where EM takes it to the optimum of the stages.
  std::optional<FitRun> grow_from_one(Index k) {
    const bool is_worth_it = options_.is_by_significance() && options_.refines && options_.polish &&
                             k >= fewest_to_grow_again && !is_large(data(), options_);
    if (!is_worth_it) return {};
    FitRun run{finish_fit(data(), independence_model(data()), {})};
    while (run.fit.params.n_components() < k) {
      if (!grow_once(leading_, run)) return {};
    }
    refine_further(run);
    if (optimum_ && is_same_optimum(data(), run.fit, *optimum_, options_)) return {};
    polish_further(run);
    creep_on(run);
    return run;
  }

  /// EM with the rows held whose component is known; component i becomes label i.
  void hold_known_rows(FitRun& run) {
    born_ =
        component_of_label(data(), run.fit.params, run.fit.informative,
                           components_of_known(data(), rows_.known(), run.fit.e_step.posterior));
    ItemPrior prior = run.fit.item_prior;
    order_columns(born_, run.fit.e_step.posterior);
    order_columns(born_, prior.crowd);
    order_columns(born_, prior.pseudo_counts);
    rows_.hold_known();
    refine_further(run, std::move(prior));
    if (is_named_crowd(problem_.n_labels)) hold_majorities(majorities(run), run);
  }

  // Starts ----------------------------------------------------------------------------------------

  RowMatrix posterior_of(const FitStart& start) const {
    if (start.is_vote && of_crowd_.size() == 0)
      throw DimensionError("a crowd with a component a label, by evidence, starts from its vote");
    if (start.is_vote) return of_crowd_;
    if (start.posterior.size() == 0) {
      return e_step(data(), start.params, all_items(data())).posterior;
    }
    return rows_.of_kinds(start.posterior, problem_.case_weights);
  }

  /// What a start goes on with. Of a crowd with one component a label its columns are drawn to those
  /// of the vote.
  ItemPrior prior_at(const FitStart& start, const RowMatrix& posterior) const {
    ItemPrior prior = prior_to_go_on_with(start.item_prior);
    require_prior(prior, data().n_levels, posterior.cols());
    const bool is_named = is_named_crowd(posterior.cols());
    const bool is_known = prior.weights.size() > 0;
    if (prior.crowd.size() == 0) return is_named && !is_known ? prior_of_vote(posterior) : prior;
    prior.pseudo_counts =
        is_named ? pseudo_counts_of_vote(posterior)
                 : flat_prior_of_crowd(data(), level_counts(data(), posterior)).pseudo_counts;
    return prior;
  }

  /// Of the ends of all starts the one with the highest log-likelihood, or evidence, stays.
  void fit_starts() {
    rows_.hold_known();
    if (is_named_crowd(problem_.n_labels)) take_vote();
    FitRun best;
    Index n_components = 0;
    for (const FitStart& start : problem_.starts) {
      FitRun run{start_at(posterior_of(start), start.informative)};
      const Index n_of_start = run.fit.e_step.posterior.cols();
      refine_further(run, prior_at(start, run.fit.e_step.posterior));
      const auto n_iterations = static_cast<Index>(run.trace.size());
      const bool is_best = outcome_.starts.empty() || value_of(run.fit) > value_of(best.fit);
      outcome_.starts.push_back({run.fit.loglik, run.fit.evidence, n_iterations, run.status});
      if (!is_best) continue;
      best = std::move(run);
      n_components = n_of_start;
    }
    begin_search(n_components);
    polish_further(best);
    const bool is_from_vote = std::any_of(problem_.starts.begin(), problem_.starts.end(),
                                          [](const FitStart& start) { return start.is_vote; });
    if (is_from_vote) hold_majorities(majorities(best), best);
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
        }};
    outcome_.work.n_search_passes += budget_.n_passes();
    outcome_.fits.push_back(make_result(data(), std::move(run), n_components, sums));
    FitResult& result = outcome_.fits.back();
    result.search_was_cut = budget_.is_spent();
    result.holds_known = !data().known.empty() && result.status != Status::kFewerComponents;
    if (result.holds_known) result.born = born_;
    add_labels(result);
    rows_.expand(result.fit);
  }

  Problem problem_;  ///< but its cells: rows_ has them
  FitOptions options_;
  Monitor& monitor_;
  SearchBudget budget_;  ///< of growth and polish of the number of components at hand
  FitData rows_;
  FitOutcome outcome_;
  ItemSet leading_;                    ///< the items that the last stages did not set aside
  std::optional<MixtureFit> optimum_;  ///< at which the last polish ended, before it was smoothed
  std::optional<bool> is_above_law_;   ///< do the rows hang together? As far as it was asked
  RowMatrix of_crowd_;  ///< by evidence, posterior of the last start by the vote of a crowd alike
  bool has_like_mistakes_ = false;  ///< of the same crowd: is every wrong label as likely?
  std::vector<Index> born_;         ///< of each label its component before rows were held
  std::optional<Kinds> kinds_;      ///< of the most components so far, one a label or more
};

}  // namespace

FitOutcome fit_mixture(Problem problem, const FitOptions& options, Monitor& monitor) {
  require_whole(problem, options);
  return Method(std::move(problem), options, monitor).run();
}

}  // namespace mdpd
