#include "fit/require_whole.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.h"

namespace mdpd {

namespace {

/// By which probabilities may miss their sum of 1: more than R lets pass, whatever the order of the
/// sum.
constexpr double sum_tolerance = 1e-5;

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

void require_labels(const std::vector<Index>& n_levels, Index n_labels) {
  require(n_labels >= 0, "labels are counted");
  for (const Index n : n_levels) {
    require(n >= n_labels, "the first levels of every item are the labels");
  }
}

Index n_components_of(const FitStart& start, Index n_labels) {
  if (start.is_vote) return n_labels;
  return start.posterior.size() > 0 ? start.posterior.cols() : start.params.n_components();
}

void require_posterior(const RowMatrix& posterior) {
  for (Index row = 0; row < posterior.rows(); ++row) {
    require(are_probabilities(posterior.row(row)), "a row of a posterior sums to 1");
  }
}

void require_parameters(const MixtureParameters& params, const std::vector<Index>& n_levels) {
  require(are_probabilities(params.mixing_weights), "mixing weights sum to 1");
  require(params.item_probs.rows() == std::accumulate(n_levels.begin(), n_levels.end(), Index{0}) &&
              params.item_probs.cols() == params.n_components() && are_amounts(params.item_probs),
          "items have a probability of each level in each component");
}

void require_start(const FitStart& start, const std::vector<Index>& n_levels, Index n_labels) {
  const Index k = n_components_of(start, n_labels);
  require(k > 0, "a start has components");
  if (start.posterior.size() > 0) {
    require_posterior(start.posterior);
  } else if (!start.is_vote) {
    require_parameters(start.params, n_levels);
  }
  require(are_different(start.informative, static_cast<Index>(n_levels.size())),
          "informative items are items, each once");
  require((start.labels.empty() || static_cast<Index>(start.labels.size()) == k) &&
              are_below(start.labels, n_labels),
          "a label of each component");
  require(are_amounts(start.item_prior.weights) && are_amounts(start.item_prior.crowd) &&
              are_amounts(start.item_prior.pseudo_counts),
          "a prior of probabilities and counts");
}

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

void require_parts(const std::vector<Index>& n_levels, const ProblemParts& parts,
                   const FitOptions& options) {
  require_options(options);
  require_labels(n_levels, parts.n_labels);
  require(are_amounts(parts.prior_counts), "prior counts are finite and not negative");
  for (const FitStart& start : parts.starts) require_start(start, n_levels, parts.n_labels);
}

void require_whole(const Problem& problem, const FitOptions& options) {
  require_cells(problem.cells);
  require_weights(problem.case_weights, problem.cells.n_obs);
  require_parts(problem.cells.n_levels, problem, options);
  require(options.task == Task::kGrow || !problem.starts.empty(), "EM begins somewhere");
  for (const FitStart& start : problem.starts) {
    require(start.posterior.size() == 0 || start.posterior.rows() == problem.cells.n_obs,
            "a row of the posterior for each observation");
  }
  require_known(problem, options);
}

void require_answers(const CodedData& data) {
  require((data.observed_weight.array() > 0.0).all(), "an item has answers of rows with a weight");
}

}  // namespace mdpd
