#include "fit/known_rows.h"

#include "base/assignment.h"
#include "data/row_sums.h"
#include "fit/fit_data.h"

namespace mdpd {

namespace {

/// Known rows that the votes count as much as, in all: a few known rows must not undo the names that
/// the workers' labels give, many must.
constexpr double weight_of_votes = 10.0;

/// labels x components: how often the informative items give a label in a component, each counted
/// by the weight of the rows that observe it.
Matrix label_votes(const CodedData& data, const MixtureFit& fit, Index n_labels) {
  Matrix votes = Matrix::Zero(n_labels, fit.params.n_components());
  for (const Index item : fit.informative) {
    votes +=
        data.observed_weight[item] * fit.params.item_probs.middleRows(data.offset[item], n_labels);
  }
  return votes;
}

/// labels x components: the weight of the rows known to have a label, by component.
Matrix known_weights(const FitData& rows, const RowMatrix& posterior, Index n_labels) {
  const CodedData& data = rows.data();
  RowMatrix known = RowMatrix::Zero(data.n_obs, n_labels);
  for (Index n = 0; n < data.n_obs; ++n) {
    if (rows.known()[n] != no_component) known(n, rows.known()[n]) = 1.0;
  }
  return data.total_weight * shared_weight(data, known, posterior);
}

/// Of each label its component.
std::vector<Index> component_of_label(const FitData& rows, const MixtureFit& fit, Index n_labels) {
  Matrix overlap = label_votes(rows.data(), fit, n_labels);
  for (Index k = 0; k < overlap.cols(); ++k) {
    overlap.col(k) *= weight_of_votes * fit.params.mixing_weights[k] / overlap.col(k).sum();
  }
  return best_assignment(overlap + known_weights(rows, fit.e_step.posterior, n_labels));
}

}  // namespace

void hold_known_rows(FitData& rows, Index n_labels, const RefinementPlan& plan, Monitor& monitor,
                     FitResult& result) {
  const std::vector<Index> order = component_of_label(rows, result.fit, n_labels);
  RowMatrix posterior(rows.data().n_obs, n_labels);
  for (Index label = 0; label < n_labels; ++label) {
    posterior.col(label) = result.fit.e_step.posterior.col(order[label]);
  }
  rows.hold_known();
  const ItemSet informative = result.fit.informative;
  Refined held = refine_from(rows.data(), posterior, informative, plan, monitor);
  append(held.result.trace, result.trace);
  result.fit = std::move(held.result.fit);
  result.status = held.result.status;
  result.smoothing = held.result.smoothing;
  result.holds_known = result.fit.params.n_components() == n_labels;
  result.born = result.holds_known ? order : std::vector<Index>{};
}

}  // namespace mdpd
