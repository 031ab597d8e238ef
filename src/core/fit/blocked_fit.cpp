#include "fit/blocked_fit.h"

#include <algorithm>
#include <cmath>

#include "data/gathered_rows.h"
#include "fit/fit_data.h"
#include "fit/known_rows.h"
#include "fit/require_whole.h"
#include "model/inclusion.h"
#include "starts/kinds.h"

namespace mdpd {

namespace {

/// The rows as EM sees them by way of an engine.
class RowsElsewhere : public PosteriorRows {
 public:
  /// @param counted the items whose rare levels count.
  /// @param standing of further rows, or null.
  RowsElsewhere(const CodedData& frame, RowEngine& engine, ItemSet counted,
                const StandingSums* standing = nullptr)
      : frame_(frame), engine_(engine), counted_(std::move(counted)), standing_(standing) {}

  EStep e_step(const MixtureParameters& params, const ItemSet& items) override {
    at_ = {params, items};
    pass_ = engine_.pass(at_, 0);
    loglik_ = pass_.loglik.value();
    if (standing_ != nullptr) loglik_ += loglik_bound(frame_, *standing_, at_);
    EStep step;
    step.posterior.resize(0, params.n_components());
    step.loglik = loglik_;
    return step;
  }
  LevelSums level_sums(const RowMatrix&, bool with_rare) override {
    LevelSums sums = pass_.counts;
    if (standing_ != nullptr) sums += standing_->counts;
    const auto at_depth = [&](int depth, const ItemSet&) {
      return engine_.pass(at_, depth).counts;
    };
    if (with_rare) add_rare(frame_, counted_, at_depth, sums);
    return sums;
  }
  Matrix overlap(const RowMatrix&) override {
    if (standing_ == nullptr) return pass_.overlap;
    return pass_.overlap + standing_->overlap / frame_.total_weight;
  }
  /// Likewise of `modal_shares()`.
  /// @param pull of what is held out, if anything is.
  Matrix modal(const RowMatrix& pull) {
    Matrix out = pull.size() > 0 ? engine_.held_out(at_, pull) : pass_.modal;
    if (standing_ != nullptr) out += standing_->modal / frame_.total_weight;
    return out;
  }
  /// Of all rows where EM is.
  StandingSums sums(const RowTotals& rows, bool with_rare) {
    RowPass pass = pass_;
    pass.counts = level_sums({}, with_rare);
    pass.overlap = overlap({});
    pass.modal = modal({});
    return standing_sums(frame_, rows, at_, pass, loglik_);
  }

 private:
  const CodedData& frame_;
  RowEngine& engine_;
  const ItemSet counted_;
  const StandingSums* standing_;
  RowPoint at_;
  RowPass pass_;
  double loglik_ = 0.0;
};

class BlockedMethod {
 public:
  BlockedMethod(BlockedRows& rows, const BlockedProblem& problem, const FitOptions& options,
                RowEngine& engine, Monitor& monitor)
      : rows_(rows),
        frame_(rows.frame()),
        problem_(problem),
        options_(options),
        engine_(engine),
        monitor_(monitor) {}

  BlockedOutcome run() {
    if (problem_.starts.empty()) {
      grow();
    } else {
      go_on();
    }
    return std::move(outcome_);
  }

 private:
  void grow() {
    const GatheredRows gathered = gather();
    outcome_.n_search_rows = gathered.rows.n_obs;
    static_cast<FitOutcome&>(outcome_) = search(gathered);
    if (outcome_.reading == Reading::kSample) {
      for (std::size_t at = 0; at < outcome_.fits.size(); ++at) {
        FitResult& fit = outcome_.fits[at];
        fit = of_all_rows(fit, gathered, options_.n_components[at]);
      }
      return;
    }
    CodedData data = make_data(gathered.cells(), gathered.rows.case_weights);
    data.n_threads = problem_.n_threads;
    for (FitResult& fit : outcome_.fits) forget_posterior(data, fit);
  }

  /// What of the rows is kept is their sums.
  void forget_posterior(const CodedData& data, FitResult& fit) {
    EStep& step = fit.fit.e_step;
    fit.entropy = entropy_of(data, step.posterior);
    RowPass pass = empty_pass(data, fit.fit.params.n_components());
    const ReadyItems all = make_ready(data, all_items(data));
    pass.counts = counts_rare() ? level_sums_with_rare(data, step.posterior, all)
                                : level_sums(data, step.posterior, all);
    pass.overlap = shared_weight(data, step.posterior, step.posterior);
    pass.modal = fit.modal.size() > 0 ? fit.modal : pass.overlap;
    outcome_.sums.push_back(
        standing_sums(data, rows_.totals(), {fit.fit.params, fit.fit.informative}, pass, 0.0));
    StandingSums& sums = outcome_.sums.back();
    sums.entropy = fit.entropy;
    if (fit.reliance.size() > 0) sums.reliance = fit.reliance;
    step.posterior.resize(0, fit.fit.params.n_components());
    step.row_loglik.resize(0);
  }

  /// Without a prior.
  bool counts_rare() const { return refinement().type != Refinement::kEvidence; }

  GatheredRows gather() {
    const Index most = problem_.most_search_rows;
    if (rows_.n_obs() <= most) return gather_all(rows_);
    const auto half = static_cast<Index>(most_kinds_per_row * static_cast<double>(rows_.n_obs()));
    GatheredRows kinds;
    if (!may_hold()) kinds = gather_kinds(rows_, std::min(half, most));
    if (kinds.rows.n_obs > 0) {
      outcome_.reading = Reading::kKinds;
      return kinds;
    }
    outcome_.reading = Reading::kSample;
    return gather_sample(rows_, most);
  }

  FitOutcome search(const GatheredRows& gathered) const {
    Problem problem;
    problem.cells = gathered.cells();
    problem.case_weights = gathered.rows.case_weights;
    problem.n_labels = problem_.n_labels;
    problem.n_threads = problem_.n_threads;
    if (may_hold() && outcome_.reading == Reading::kWhole) {
      problem.known = known_labels(gathered.rows);
    }
    return fit_mixture(std::move(problem), options_, monitor_);
  }

  bool may_hold() const { return !problem_.held.empty(); }

  /// EM over all rows from where the search ended.
  FitResult of_all_rows(const FitResult& found, const GatheredRows& gathered, Index k) {
    RefineOptions options = refinement();
    options.item_prior = found.fit.item_prior;
    ItemSet informative;
    for (const Index item : found.fit.informative) informative.push_back(gathered.items[item]);
    MixtureParameters params = with_all_items(found.fit.params, gathered);
    std::vector<Index> born;
    if (may_hold() && params.n_components() == k) {
      born = hold_known(informative, params, options.item_prior);
    }
    FitResult result = refined(params, informative, options, k);
    if (result.holds_known) result.born = std::move(born);
    add_labels(found.labels, result);
    result.label_agreement = found.label_agreement;
    result.search_was_cut = found.search_was_cut;
    return result;
  }

  /// Component i becomes label i, and from here on the rows whose label is known stay in it. Returns
  /// which component each was.
  std::vector<Index> hold_known(const ItemSet& informative, MixtureParameters& params,
                                ItemPrior& prior) {
    Matrix of_known = Matrix::Zero(params.n_components(), params.n_components());
    const auto add = [&](const CodedData& rows, const std::vector<Index>& known, Index) {
      if (known.empty()) return;
      const EStep step = e_step(rows, params, informative);
      of_known += components_of_known(rows, known, step.posterior);
      monitor_.on_work();
    };
    rows_.for_each_free_block(add);
    const std::vector<Index> born = component_of_label(frame_, params, informative, of_known);
    auto weights = params.mixing_weights.transpose();
    order_columns(born, weights);
    order_columns(born, params.item_probs);
    order_columns(born, prior.crowd);
    order_columns(born, prior.pseudo_counts);
    rows_.hold_known(problem_.held);
    return born;
  }

  void go_on() {
    outcome_.reading = Reading::kNone;
    if (may_hold()) rows_.hold_known(problem_.held);
    const FitStart& start = problem_.starts.front();
    require_prior(start.item_prior, frame_.n_levels, start.params.n_components());
    require(start.item_prior.pseudo_counts.size() == start.item_prior.crowd.size(),
            "pseudo-counts of a crowd's columns");
    RefineOptions options = refinement();
    options.item_prior = prior_to_go_on_with(start.item_prior);
    options.uses_all_items = options_.task == Task::kEm;
    FitResult result =
        refined(start.params, start.informative, options, start.params.n_components());
    add_labels(start.labels, result);
    if (result.fit.params.n_components() == start.params.n_components()) {
      outcome_.changed = changed_rows(
          rows_,
          {{start.params, start.informative}, start.labels, problem_.known_before, start.n_levels},
          {{result.fit.params, result.fit.informative}, result.labels}, problem_.most_listed);
    }
    const FitRun& run = result;
    outcome_.starts.push_back(
        {run.fit.loglik, run.fit.evidence, static_cast<Index>(run.trace.size()), run.status});
    outcome_.fits.push_back(std::move(result));
  }

  RefineOptions refinement() const {
    RefineOptions options =
        refinement_of(options_.refine, frame_.n_levels, problem_.n_labels, problem_.prior_counts);
    options.discounts_unsure = true;
    return options;
  }

  FitResult refined(const MixtureParameters& params, const ItemSet& informative,
                    RefineOptions options, Index k) {
    const bool is_of_one = params.n_components() == 1 && options_.task != Task::kEm;
    if (is_of_one && options.type == Refinement::kFull) options.type = Refinement::kSparse;
    ItemSet counted = all_items(frame_);
    if (options.type == Refinement::kFull) counted = varying_items(frame_);
    if (options.type == Refinement::kFixed) counted = informative;
    const StandingSums* standing = problem_.standing ? &*problem_.standing : nullptr;
    RowsElsewhere rows(frame_, engine_, std::move(counted), standing);
    const SumsOfFit sums{
        [&](const MixtureFit&) { return rows.level_sums({}, false).levels; },
        [&](const MixtureFit& fit) {
          const ItemSet items = gaining_items(fit);
          const RowPoint at{fit.params, fit.informative};
          Vector out = reliance(frame_, items, engine_.reliance(at, items));
          if (standing != nullptr) out += standing->reliance;
          return out;
        },
        [&](const MixtureFit&, const RowMatrix& pull) { return rows.modal(pull); }};
    FitResult result =
        make_result(frame_, refine_rows(frame_, rows, params, informative, options, monitor_), k,
                    known_weight_of_components(), sums);
    // Where components were given up, EM was elsewhere.
    const bool is_one = result.fit.params.n_components() == 1;
    outcome_.sums.push_back(is_one ? standing_sums_of_one(frame_, rows_.totals())
                                   : rows.sums(rows_.totals(), counts_rare()));
    StandingSums& of_fit = outcome_.sums.back();
    if (!is_one && result.reliance.size() > 0) of_fit.reliance = result.reliance;
    result.entropy = of_fit.entropy;
    if (!is_one) of_fit.modal = frame_.total_weight * result.modal;
    counts_ = of_fit.counts.levels;
    return result;
  }

  Vector known_weight_of_components() const {
    const std::vector<Index>& held = rows_.held();
    Vector out(static_cast<Index>(held.size()));
    for (Index label = 0; label < out.size(); ++label)
      out[held[label]] = problem_.known_weight[label];
    return out;
  }

  /// Items that nobody in the sample answered have their frequencies among all rows.
  MixtureParameters with_all_items(const MixtureParameters& params,
                                   const GatheredRows& gathered) const {
    MixtureParameters out{params.mixing_weights,
                          RowMatrix(frame_.n_total_levels(), params.n_components())};
    set_uninformative_to_marginal(frame_, {}, out);
    Index from = 0;
    for (const Index item : gathered.items) {
      const Index n = frame_.n_levels[item];
      out.item_probs.middleRows(frame_.offset[item], n) = params.item_probs.middleRows(from, n);
      from += n;
    }
    return out;
  }

  /// What the components stand for: as rows are held, or as the search found, corrected by all rows.
  void add_labels(const std::vector<Index>& labels, FitResult& result) const {
    if (result.holds_known) {
      result.labels.resize(rows_.held().size());
      for (Index label = 0; label < problem_.n_labels; ++label) {
        result.labels[rows_.held()[label]] = label;
      }
      return;
    }
    const bool has_labels = static_cast<Index>(labels.size()) == result.fit.params.n_components();
    if (!has_labels || labels.empty()) return;
    result.labels = std::isnan(result.fit.evidence)
                        ? labels
                        : corrected_by_votes(frame_, counts_, problem_.n_labels, labels);
  }

  BlockedRows& rows_;
  const CodedData& frame_;
  const BlockedProblem& problem_;
  const FitOptions& options_;
  RowEngine& engine_;
  Monitor& monitor_;
  BlockedOutcome outcome_;
  RowMatrix counts_;  ///< of the last fit
};

/// One component a label, each once; in growth in their order.
void require_held(const BlockedProblem& problem, const std::vector<Index>& n_components) {
  if (problem.held.empty()) return;
  require(problem.known_weight.size() == problem.n_labels,
          "the weight of the rows that are known to have each label");
  const Index n_fitted =
      problem.starts.empty() ? n_components.back() : problem.starts.front().params.n_components();
  std::vector<Index> sorted = problem.held;
  if (!problem.starts.empty()) std::sort(sorted.begin(), sorted.end());
  require(
      n_components.size() == 1 && n_fitted == problem.n_labels && sorted == numbers_below(n_fitted),
      "known rows are held with one component a label");
}

}  // namespace

RowSums EngineHere::answer(const RowTask& task) {
  RowSums sums = empty_sums(rows_.frame(), task);
  rows_.for_each_block([&](const CodedData& rows, Index) {
    sums += sums_over(rows, task);
    monitor_.on_work();
  });
  return sums;
}

void add_posterior(const BlockedRows& rows, BlockedOutcome& outcome) {
  for (FitResult& result : outcome.fits) {
    MixtureFit& fit = result.fit;
    result.entropy = TraceRow::not_known;
    fit.e_step.posterior.resize(rows.n_obs(), fit.params.n_components());
    rows.for_each_block([&](const CodedData& block, Index first) {
      fit.e_step.posterior.middleRows(first, block.n_obs) =
          e_step(block, fit.params, fit.informative).posterior;
    });
  }
}

StandingSums sums_of_rows(const BlockedRows& rows, const RowPoint& at, const ItemSet& relied,
                          Refinement by, RowEngine& engine) {
  const CodedData& frame = rows.frame();
  RowsElsewhere elsewhere(frame, engine, all_items(frame));
  elsewhere.e_step(at.params, at.items);
  StandingSums sums = elsewhere.sums(rows.totals(), by != Refinement::kEvidence);
  sums.reliance = reliance(frame, relied, engine.reliance(at, relied));
  return sums;
}

double gain_of_round(const BlockedRows& rows, const StandingSums& sums, const RowPoint& at,
                     RowEngine& engine) {
  const double gain = engine.pass(at, 0).loglik.value() - loglik_bound(rows.frame(), sums, at);
  return std::max(0.0, gain);
}

BlockedOutcome fit_blocks(BlockedRows& rows, const BlockedProblem& problem,
                          const FitOptions& options, RowEngine& engine, Monitor& monitor) {
  require(!problem.standing || !problem.starts.empty(), "rows that stand go with a start");
  if (problem.standing) {
    require_compatible(problem.n_levels, *problem.standing,
                       problem.starts.front().params.n_components());
  }
  require(problem.starts.empty() ||
              (problem.starts.size() == 1 && problem.starts.front().params.n_components() > 0),
          "EM goes on from the parameters of one start");
  require(problem.n_levels == rows.frame().n_levels, "the levels of the rows");
  require_parts(problem.n_levels, problem, options);
  require_answers(rows.frame());
  require_held(problem, options.n_components);
  return BlockedMethod(rows, problem, options, engine, monitor).run();
}

}  // namespace mdpd
