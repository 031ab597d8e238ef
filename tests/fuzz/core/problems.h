#pragma once

// Problems made of the fuzzer's bytes, small enough for thousands of fits a minute: most of them as
// they should be, some with a part that is not. And what must hold of the fits.

#include <algorithm>
#include <cmath>

#include "fit/fit.h"
#include "input.h"

namespace mdpd {

// Problems ----------------------------------------------------------------------------------------

inline Code code_of(Input& in, Index n_levels) {
  return in.rarely() ? in.byte() : static_cast<Code>(in.below(n_levels + 1));
}

/// The codes of dense cells belong to the caller.
inline Cells cells_of(Input& in, std::vector<Code>& codes) {
  Cells cells;
  cells.n_obs = in.below(25);
  const Index n_items = in.below(7);
  for (Index item = 0; item < n_items; ++item)
    cells.n_levels.push_back(in.rarely() ? 0 : 1 + in.below(4));
  if (in.flag()) {
    for (const Index n_levels : cells.n_levels) {
      for (Index row = 0; row < cells.n_obs; ++row) codes.push_back(code_of(in, n_levels));
    }
    cells.codes = codes.data();
    return cells;
  }
  cells.row_start = {0};
  for (Index row = 0; row < cells.n_obs; ++row) {
    for (Index item = 0; item < n_items; ++item) {
      const Index n_answers = in.rarely() ? 2 : in.below(2);
      for (Index n = 0; n < n_answers; ++n) {
        cells.items.push_back(in.rarely() ? in.byte() : static_cast<std::uint32_t>(item));
        cells.answers.push_back(in.rarely() ? in.byte()
                                            : static_cast<Code>(1 + in.below(std::max<Index>(
                                                                        1, cells.n_levels[item]))));
      }
    }
    cells.row_start.push_back(in.rarely() ? in.byte() : cells.items.size());
  }
  if (in.rarely()) cells.answers.resize(in.byte());
  return cells;
}

inline Index size_near(Input& in, Index n) { return in.rarely() ? in.below(30) : n; }

template <class Table>
Table table_of(Input& in, Index n_rows, Index n_cols) {
  Table out(size_near(in, n_rows), size_near(in, n_cols));
  for (Index row = 0; row < out.rows(); ++row) {
    for (Index col = 0; col < out.cols(); ++col) out(row, col) = in.amount();
  }
  return out;
}

inline Vector numbers_of(Input& in, Index n) {
  Vector out(size_near(in, n));
  for (Index at = 0; at < out.size(); ++at) out[at] = in.amount();
  return out;
}

/// Columns of every item sum to 1, but where a number is nasty.
inline MixtureParameters parameters_of(Input& in, const std::vector<Index>& n_levels, Index k) {
  MixtureParameters params;
  Index n_total = 0;
  for (const Index n : n_levels) n_total += n;
  params.mixing_weights = numbers_of(in, k);
  params.mixing_weights /= params.mixing_weights.sum();
  params.item_probs = table_of<RowMatrix>(in, n_total, k);
  Index first = 0;
  for (const Index n : n_levels) {
    if (n == 0 || first + n > params.item_probs.rows()) break;
    auto of_item = params.item_probs.middleRows(first, n);
    for (Index col = 0; col < of_item.cols(); ++col) of_item.col(col) /= of_item.col(col).sum();
    first += n;
  }
  return params;
}

inline ItemSet items_of(Input& in, Index n_items) {
  ItemSet out;
  for (Index item = 0; item < n_items; ++item) {
    if (in.flag()) out.push_back(in.rarely() ? in.below(40) - 20 : item);
  }
  return out;
}

inline FitStart start_of(Input& in, const Cells& cells, Index k, Index n_labels) {
  FitStart start;
  start.is_vote = in.rarely();
  if (in.flag()) {
    start.posterior = table_of<RowMatrix>(in, cells.n_obs, k);
    for (Index row = 0; row < start.posterior.rows(); ++row) {
      start.posterior.row(row) /= start.posterior.row(row).sum();
    }
  } else {
    start.params = parameters_of(in, cells.n_levels, k);
  }
  start.informative = items_of(in, cells.n_items());
  if (in.rarely()) start.item_prior.weights = numbers_of(in, n_concentrations + 1);
  if (in.rarely()) start.item_prior.crowd = table_of<RowMatrix>(in, n_labels, k);
  if (in.rarely()) start.item_prior.pseudo_counts = table_of<RowMatrix>(in, n_labels, k);
  for (Index at = 0; n_labels > 0 && at < k && in.flag(); ++at) {
    start.labels.push_back(in.rarely() ? in.below(40) - 20 : in.below(n_labels));
  }
  return start;
}

inline Index fewest_levels(const Cells& cells) {
  Index fewest = cells.n_levels.empty() ? 0 : cells.n_levels.front();
  for (const Index n : cells.n_levels) fewest = std::min(fewest, n);
  return fewest;
}

inline Problem problem_of(Input& in, std::vector<Code>& codes, Index k) {
  Problem problem;
  problem.cells = cells_of(in, codes);
  problem.case_weights =
      in.flag() ? numbers_of(in, problem.cells.n_obs) : Vector::Ones(problem.cells.n_obs);
  if (in.below(4) == 0) problem.n_labels = size_near(in, fewest_levels(problem.cells));
  if (in.below(4) == 0) {
    const Index n = size_near(in, problem.cells.n_obs);
    for (Index row = 0; row < n; ++row) problem.known.push_back(in.below(k + 2) - 1);
  }
  if (in.below(8) == 0) {
    Index n_total = 0;
    for (const Index n : problem.cells.n_levels) n_total += n;
    problem.prior_counts = table_of<RowMatrix>(in, n_total, k);
  }
  return problem;
}

inline FitOptions options_of(Input& in, Index k) {
  FitOptions options = in.below(4) == 0 ? paper_fit() : FitOptions();
  options.task = static_cast<Task>(in.below(3));
  options.n_components = {k};
  while (in.below(4) == 0 && options.n_components.size() < 3) {
    options.n_components.push_back(in.rarely() ? in.below(6) : options.n_components.back() + 1);
  }
  options.missing = in.below(4) == 0 ? MissingCells::kFrozen : MissingCells::kIgnore;
  options.refines = in.below(4) != 0;
  options.refine.type = static_cast<Refinement>(in.below(4));
  if (in.below(4) == 0) options.refine.m_step.smoothing = in.amount();
  if (in.below(4) == 0) options.floor = in.amount() / 16.0;
  if (in.below(4) == 0) options.alpha = in.amount();
  if (in.below(4) == 0) options.split_step = in.amount() / 16.0;
  if (in.below(4) == 0) options.smoothing_loss = in.amount();
  options.refine.max_iter = 1 + in.below(30);
  options.max_stages = 1 + in.below(8);
  options.em_steps = 1 + in.below(3);
  options.polish = in.flag();
  return options;
}

// What must hold ----------------------------------------------------------------------------------

inline void must_be_probabilities(const Vector& x, const char* what) {
  must((x.array() >= 0.0).all() && std::abs(x.sum() - 1.0) < 1e-6, what);
}

inline void must_be_fit(const FitResult& result, const Problem& problem) {
  const MixtureFit& fit = result.fit;
  const Index k = fit.params.n_components();
  must(std::isfinite(fit.loglik), "the log-likelihood is finite");
  must(k >= 1 && fit.e_step.posterior.cols() == k, "the posterior has the components");
  must(fit.e_step.posterior.rows() == problem.cells.n_obs, "each row has a posterior");
  must_be_probabilities(fit.params.mixing_weights, "mixing weights sum to 1");
  for (Index row = 0; row < fit.e_step.posterior.rows(); ++row) {
    must_be_probabilities(fit.e_step.posterior.row(row).transpose(), "a row's posterior sums to 1");
  }
  must((fit.params.item_probs.array() >= 0.0).all(), "probabilities are at least 0");
  for (const Index item : fit.informative) {
    must(item >= 0 && item < problem.cells.n_items(), "what is informative is an item");
  }
}

inline bool is_same(const MixtureFit& a, const MixtureFit& b) {
  return a.loglik == b.loglik && a.informative == b.informative &&
         a.params.item_probs == b.params.item_probs && a.e_step.posterior == b.e_step.posterior;
}

inline void must_be_same(const FitOutcome& a, const FitOutcome& b, const char* what) {
  must(a.fits.size() == b.fits.size(), "there are as many fits again");
  for (std::size_t at = 0; at < a.fits.size(); ++at) {
    must(is_same(a.fits[at].fit, b.fits[at].fit), what);
  }
}

}  // namespace mdpd
