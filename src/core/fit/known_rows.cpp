#include "fit/known_rows.h"

#include "base/assignment.h"
#include "data/row_sums.h"
#include "starts/kinds.h"

namespace mdpd {

namespace {

/// Known rows that the votes count as much as, in all: a few known rows must not undo the names that
/// the workers' labels give, many must.
constexpr double weight_of_votes = 10.0;

}  // namespace

Vector known_weight(const std::vector<Index>& known, const Vector& case_weights,
                    Index n_components) {
  if (known.empty()) return {};
  Vector out = Vector::Zero(n_components);
  for (std::size_t n = 0; n < known.size(); ++n) {
    if (known[n] != no_component) out[known[n]] += case_weights[static_cast<Index>(n)];
  }
  return out;
}

Matrix components_of_known(const CodedData& data, const std::vector<Index>& known,
                           const RowMatrix& posterior) {
  RowMatrix labels = RowMatrix::Zero(data.n_obs, posterior.cols());
  for (Index n = 0; n < data.n_obs; ++n) {
    if (known[n] != no_component) labels(n, known[n]) = 1.0;
  }
  return shared_weight(data, labels, posterior);
}

std::vector<Index> component_of_label(const CodedData& data, const MixtureParameters& params,
                                      const ItemSet& informative, const Matrix& of_known) {
  Matrix votes = votes_of_items(data, params, informative);
  for (Index k = 0; k < votes.cols(); ++k) {
    const double sum = votes.col(k).sum();
    // Its columns may give all to levels that are no labels.
    if (sum > 0.0) votes.col(k) *= weight_of_votes * params.mixing_weights[k] / sum;
  }
  return best_assignment(votes + data.total_weight * of_known);
}

}  // namespace mdpd
