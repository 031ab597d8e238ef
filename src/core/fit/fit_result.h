#pragma once

#include <functional>

#include "model/refine.h"

namespace mdpd {

/// A fit of all rows, with how it came about.
struct FitResult : FitRun {
  std::vector<Index> born = {};  ///< of each component its number in the trace; empty: the same
  bool holds_known = false;      ///< were known rows held?
  /// Was the search for a better optimum ended by its budget?
  bool search_was_cut = false;
  double total_weight = 0.0;   ///< of the rows that count, see empty_rows.h
  double loglik_of_one = 0.0;  ///< log-likelihood of one component (nats)
  /// Of the components that rows are known to be in, log-probability (nats): the fit's likelihood and
  /// evidence are also of these, those of one component are not.
  double log_prob_of_known = 0.0;
  double n_free_parameters = 0.0;
  /// Case-weighted entropy of the rows' posteriors, of fits that keep none of them; else not a
  /// number (nats).
  double entropy = TraceRow::not_known;
  /// See `modal_shares()`, by evidence of the held-out posterior, but of a crowd; of one component
  /// empty.
  Matrix modal = {};
  Vector item_evidence = {};       ///< see `item_evidence()`
  Vector inclusion = {};           ///< by evidence, of each item the probability that it differs
  Vector reliance = {};            ///< likewise, see inclusion.h; else empty
  std::vector<Index> labels = {};  ///< of a crowd, what each component stands for; or empty
  double label_agreement = 1.0;    ///< see `least_agreement()`
};

/// What a fit's results need of the rows, each once at most.
struct SumsOfFit {
  std::function<RowMatrix(const MixtureFit&)> counts;  ///< of all levels by component
  std::function<Vector(const MixtureFit&)> reliance;   ///< see inclusion.h
  /// See `modal_shares()`. By evidence, but of a crowd, with the pull of answers, else with none.
  std::function<Matrix(const MixtureFit&, const RowMatrix& pull)> modal;
};

/// What is known of a fit but by going over the rows.
/// @param n_asked components.
/// @param known_weight by component, of the rows that are held in it because it is known; or empty.
FitResult make_result(const CodedData& data, FitRun run, Index n_asked, const Vector& known_weight,
                      const SumsOfFit& sums);

/// The refinement of a problem.
RefineOptions refinement_of(const RefineOptions& options, const std::vector<Index>& n_levels,
                            Index n_labels, const RowMatrix& prior_counts);

}  // namespace mdpd
