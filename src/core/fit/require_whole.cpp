#include "fit/require_whole.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace mdpd {

namespace {

/// By which probabilities may miss their sum of 1.
constexpr double sum_tolerance = 1e-6;

void require(bool holds, const char* message) {
  if (!holds) throw DimensionError(message);
}

template <class Numbers>
bool are_amounts(const Numbers& x) {
  return x.allFinite() && (x.array() >= 0.0).all();
}

bool is_amount(double x) { return std::isfinite(x) && x >= 0.0; }

template <class Numbers>
bool are_probabilities(const Numbers& x) {
  return are_amounts(x) && std::abs(x.sum() - 1.0) < sum_tolerance;
}

/// Each of 0, ..., n - 1, at most once.
bool are_different(ItemSet items, Index n) {
  std::sort(items.begin(), items.end());
  return items.empty() || (items.front() >= 0 && items.back() < n &&
                           std::adjacent_find(items.begin(), items.end()) == items.end());
}

bool are_below(const std::vector<Index>& x, Index n) {
  return std::all_of(x.begin(), x.end(), [n](Index at) { return at >= 0 && at < n; });
}

// Parts of a problem ------------------------------------------------------------------------------

void require_cells(const Cells& cells) {
  constexpr Index most_levels = 255;  // a code is a byte
  require(cells.n_obs > 0, "there are rows");
  for (const Index n : cells.n_levels) {
    require(n >= 1 && n <= most_levels, "an item has 1 to 255 levels");
  }
  require(
      cells.codes != nullptr || cells.row_start.size() == static_cast<std::size_t>(cells.n_obs) + 1,
      "codes of all cells, or answers of all rows");
}

void require_weights(const Problem& problem) {
  const Vector& weights = problem.case_weights;
  require(weights.size() == problem.cells.n_obs, "one case weight per observation");
  require(are_amounts(weights) && weights.maxCoeff() > 0.0,
          "case weights are finite and not negative, and not all are 0");
}

void require_labels(const Problem& problem) {
  require(problem.n_labels >= 0, "labels are counted");
  for (const Index n : problem.cells.n_levels) {
    require(n >= problem.n_labels, "the first levels of every item are the labels");
  }
}

Index n_components_of(const FitStart& start, Index n_labels) {
  if (start.is_vote) return n_labels;
  return start.posterior.size() > 0 ? start.posterior.cols() : start.params.n_components();
}

void require_posterior(const RowMatrix& posterior, Index n_obs) {
  require(posterior.rows() == n_obs, "a row of the posterior for each observation");
  for (Index row = 0; row < n_obs; ++row) {
    require(are_probabilities(posterior.row(row)), "a row of a posterior sums to 1");
  }
}

void require_start(const FitStart& start, const Problem& problem) {
  const Index k = n_components_of(start, problem.n_labels);
  require(k > 0, "a start has components");
  if (start.posterior.size() > 0) {
    require_posterior(start.posterior, problem.cells.n_obs);
  } else if (!start.is_vote) {
    require(are_probabilities(start.params.mixing_weights), "mixing weights sum to 1");
    require(are_amounts(start.params.item_probs), "items have probabilities");
  }
  require(are_different(start.informative, problem.cells.n_items()),
          "informative items are items, each once");
  require((start.labels.empty() || static_cast<Index>(start.labels.size()) == k) &&
              are_below(start.labels, problem.n_labels),
          "a label of each component");
  require(are_amounts(start.item_prior.weights) && are_amounts(start.item_prior.crowd) &&
              are_amounts(start.item_prior.pseudo_counts),
          "a prior of probabilities and counts");
}

/// Known rows grow with one component a label, and are of components that every start has.
void require_known(const Problem& problem, const FitOptions& options) {
  if (problem.known.empty()) return;
  require(problem.known.size() == static_cast<std::size_t>(problem.cells.n_obs),
          "one known component per observation");
  require(
      options.task != Task::kGrow || options.n_components == std::vector<Index>{problem.n_labels},
      "known rows grow with one component a label");
  // Unknown is the lowest.
  const auto [lowest, highest] = std::minmax_element(problem.known.begin(), problem.known.end());
  bool are_components = *lowest >= no_component;
  if (options.task == Task::kGrow) are_components &= *highest < problem.n_labels;
  for (const FitStart& start : problem.starts) {
    are_components &= *highest < n_components_of(start, problem.n_labels);
  }
  require(are_components, "known components are those that are fitted");
}

}  // namespace

void require_options(const FitOptions& options) {
  const std::vector<Index>& ks = options.n_components;
  require(!ks.empty() && ks.front() >= 1 && std::is_sorted(ks.begin(), ks.end()),
          "numbers of components, ascending");
  require(options.max_stages >= 1 && options.em_steps >= 1 && options.refine.max_iter >= 1,
          "steps are counted from 1");
  for (const double x : {options.alpha, options.split_step, options.floor, options.smoothing_loss,
                         options.refine.tol, options.refine.m_step.smoothing}) {
    require(is_amount(x), "settings are finite and not negative");
  }
}

void require_whole(const Problem& problem, const FitOptions& options) {
  require_options(options);
  require_cells(problem.cells);
  require_weights(problem);
  require_labels(problem);
  require(are_amounts(problem.prior_counts), "prior counts are finite and not negative");
  require(options.task == Task::kGrow || !problem.starts.empty(), "EM begins somewhere");
  for (const FitStart& start : problem.starts) require_start(start, problem);
  require_known(problem, options);
}

void require_answers(const CodedData& data) {
  require((data.observed_weight.array() > 0.0).all(), "an item has answers of rows with a weight");
}

}  // namespace mdpd
