#include "fit/blocked_fit.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"
#include "data/gathered_rows.h"
#include "model/inclusion.h"
#include "starts/kinds.h"

namespace mdpd {

namespace {

/// As many kinds as at most pay for themselves, see fit_data.cpp.
constexpr double most_kinds_per_row = 0.5;

/// The rows as EM sees them by way of an engine.
class RowsElsewhere : public PosteriorRows {
 public:
  /// @param counted the items whose rare levels count.
  RowsElsewhere(const CodedData& frame, RowEngine& engine, ItemSet counted)
      : frame_(frame), engine_(engine), counted_(std::move(counted)) {}

  EStep e_step(const MixtureParameters& params, const ItemSet& items) override {
    at_ = {params, items};
    pass_ = engine_.pass(at_, 0);
    EStep step;
    step.posterior.resize(0, params.n_components());
    step.loglik = pass_.loglik.value();
    return step;
  }
  LevelSums level_sums(const RowMatrix&, bool with_rare) override {
    LevelSums sums = pass_.counts;
    for (int depth = 1; with_rare && depth <= most_depth; ++depth) {
      if (!has_rare(frame_, sums, counted_, depth - 1)) break;
      sums += engine_.pass(at_, depth).counts;
    }
    return sums;
  }
  Matrix overlap(const RowMatrix&) override { return pass_.overlap; }
  const Matrix& modal() const { return pass_.modal; }

 private:
  const CodedData& frame_;
  RowEngine& engine_;
  const ItemSet counted_;
  RowPoint at_;
  RowPass pass_;
};

class BlockedMethod {
 public:
  BlockedMethod(const BlockedRows& rows, const BlockedProblem& problem, const FitOptions& options,
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
    outcome_.n_search_rows = gathered.n_obs();
    static_cast<FitOutcome&>(outcome_) = search(gathered);
    for (std::size_t at = 0; at < outcome_.fits.size(); ++at) {
      FitResult& fit = outcome_.fits[at];
      if (outcome_.reading == Reading::kSample) {
        fit = of_all_rows(fit, gathered, options_.n_components[at]);
      } else {
        forget_posterior(gathered, fit);
      }
    }
  }

  static void forget_posterior(const GatheredRows& gathered, FitResult& fit) {
    EStep& step = fit.fit.e_step;
    fit.entropy = 0.0;
    for (Index row = 0; row < step.posterior.rows(); ++row) {
      for (Index k = 0; k < step.posterior.cols(); ++k) {
        fit.entropy -= gathered.case_weights[row] * x_log_x(step.posterior(row, k));
      }
    }
    CodedData weights;
    weights.case_weights = gathered.case_weights;
    weights.total_weight = gathered.case_weights.sum();
    fit.modal = modal_shares(weights, step.posterior);
    step.posterior.resize(0, fit.fit.params.n_components());
    step.row_loglik.resize(0);
  }

  GatheredRows gather() {
    const Index most = problem_.most_search_rows;
    if (rows_.n_obs() <= most) return gather_all(rows_);
    const auto half = static_cast<Index>(most_kinds_per_row * static_cast<double>(rows_.n_obs()));
    GatheredRows kinds = gather_kinds(rows_, std::min(half, most));
    if (kinds.n_obs() > 0) {
      outcome_.reading = Reading::kKinds;
      return kinds;
    }
    outcome_.reading = Reading::kSample;
    return gather_sample(rows_, most);
  }

  FitOutcome search(const GatheredRows& gathered) const {
    Problem problem;
    problem.cells = gathered.cells();
    problem.case_weights = gathered.case_weights;
    problem.n_labels = problem_.n_labels;
    problem.n_threads = problem_.n_threads;
    return fit_mixture(std::move(problem), options_, monitor_);
  }

  /// EM over all rows from where the search ended.
  FitResult of_all_rows(const FitResult& found, const GatheredRows& gathered, Index k) {
    RefineOptions options = refinement();
    options.item_prior = found.fit.item_prior;
    ItemSet informative;
    for (const Index item : found.fit.informative) informative.push_back(gathered.items[item]);
    const MixtureParameters params = with_all_items(found.fit.params, gathered);
    FitResult result = refined(params, informative, options, k);
    add_labels(found.labels, result);
    result.label_agreement = found.label_agreement;
    return result;
  }

  void go_on() {
    outcome_.reading = Reading::kNone;
    const FitStart& start = problem_.starts.front();
    RefineOptions options = refinement();
    options.item_prior = start.item_prior;
    options.uses_all_items = options_.task == Task::kEm;
    FitResult result =
        refined(start.params, start.informative, options, start.params.n_components());
    add_labels(start.labels, result);
    const FitRun& run = result;
    outcome_.starts.push_back(
        {run.fit.loglik, run.fit.evidence, static_cast<Index>(run.trace.size()), run.status});
    outcome_.fits.push_back(std::move(result));
  }

  RefineOptions refinement() const {
    return refinement_of(options_.refine, frame_.n_levels, problem_.n_labels,
                         problem_.prior_counts);
  }

  FitResult refined(const MixtureParameters& params, const ItemSet& informative,
                    RefineOptions options, Index k) {
    const bool is_of_one = params.n_components() == 1 && options_.task != Task::kEm;
    if (is_of_one && options.type == Refinement::kFull) options.type = Refinement::kSparse;
    ItemSet counted = all_items(frame_);
    if (options.type == Refinement::kFull) counted = varying_items(frame_);
    if (options.type == Refinement::kFixed) counted = informative;
    RowsElsewhere rows(frame_, engine_, std::move(counted));
    const SumsOfFit sums{
        [&](const MixtureFit&) { return rows.level_sums({}, false).levels; },
        [&](const MixtureFit& fit) {
          const ItemSet items = gaining_items(fit);
          return reliance(frame_, items, engine_.reliance({fit.params, fit.informative}, items));
        }};
    FitResult result = make_result(
        frame_, refine_rows(frame_, rows, params, informative, options, monitor_), k, sums);
    const LevelSums sums_of_fit = rows.level_sums({}, false);
    result.entropy = std::max(0.0, entropy_of(frame_, result.fit, sums_of_fit));
    result.modal = rows.modal();
    counts_ = sums_of_fit.levels;
    return result;
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

  /// What the components stand for, as the search found, corrected by all rows.
  void add_labels(const std::vector<Index>& labels, FitResult& result) const {
    const bool has_labels = static_cast<Index>(labels.size()) == result.fit.params.n_components();
    if (!has_labels || labels.empty()) return;
    result.labels = std::isnan(result.fit.evidence)
                        ? labels
                        : corrected_by_votes(frame_, counts_, problem_.n_labels, labels);
  }

  const BlockedRows& rows_;
  const CodedData& frame_;
  const BlockedProblem& problem_;
  const FitOptions& options_;
  RowEngine& engine_;
  Monitor& monitor_;
  BlockedOutcome outcome_;
  RowMatrix counts_;  ///< of the last fit
};

}  // namespace

RowPass EngineHere::pass(const RowPoint& at, int depth) {
  RowPass sum = empty_pass(rows_.frame(), at.params.n_components());
  rows_.for_each_block([&](const CodedData& rows, Index) {
    sum += pass_over(rows, at, depth);
    monitor_.on_work();
  });
  return sum;
}

std::vector<ExactSum> EngineHere::reliance(const RowPoint& at, const ItemSet& items) {
  std::vector<ExactSum> sums(items.size(), empty_loglik(rows_.frame()));
  rows_.for_each_block([&](const CodedData& rows, Index) {
    const EStep step = e_step(rows, at.params, at.items);
    const std::vector<ExactSum> of_block =
        reliance_on(rows, at.params.item_probs, step.posterior, items);
    for (std::size_t i = 0; i < items.size(); ++i) sums[i] += of_block[i];
    monitor_.on_work();
  });
  return sums;
}

BlockedOutcome fit_blocks(const BlockedRows& rows, const BlockedProblem& problem,
                          const FitOptions& options, RowEngine& engine, Monitor& monitor) {
  if (problem.starts.size() > 1) throw DimensionError("EM goes on from one start");
  const std::vector<Index>& ks = options.n_components;
  if (ks.empty() || ks.front() < 1 || !std::is_sorted(ks.begin(), ks.end()))
    throw DimensionError("numbers of components, ascending");
  return BlockedMethod(rows, problem, options, engine, monitor).run();
}

}  // namespace mdpd
