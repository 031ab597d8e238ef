#include "starts/kinds.h"

#include <algorithm>

#include "base/assignment.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Less than half as many answers as for another label cannot be what a component's label gets:
/// workers who mistake more than two of three items of a kind cannot be told from workers who are
/// right.
constexpr double least_ratio = 0.5;

/// No row goes, or stays, for sure: EM decides.
constexpr double least_to_go = 0.05;

/// Of all rows' weight: what a smaller component says of its label is chance.
constexpr double least_weight = 0.01;

}  // namespace

Matrix votes_of_items(const CodedData& data, const MixtureParameters& params,
                      const ItemSet& items) {
  const Index n_labels = params.n_components();
  Matrix votes = Matrix::Zero(n_labels, n_labels);
  for (const Index item : items) {
    votes += data.observed_weight[item] * params.item_probs.middleRows(data.offset[item], n_labels);
  }
  return votes;
}

std::vector<Index> labels_by_answers(const CodedData& data, const MixtureFit& fit) {
  if (fit.informative.empty()) return {};
  return best_assignment(votes_of_items(data, fit.params, fit.informative).transpose());
}

std::vector<Index> corrected_by_votes(const CodedData& data, const RowMatrix& counts,
                                      Index n_labels, std::vector<Index> labels) {
  RowMatrix votes = RowMatrix::Zero(n_labels, counts.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    votes += counts.middleRows(data.offset[item], n_labels);
  }
  for (std::size_t k = 0; k < labels.size(); ++k) {
    Index most = 0;
    const double n_most = votes.col(static_cast<Index>(k)).maxCoeff(&most);
    if (votes(labels[k], static_cast<Index>(k)) < least_ratio * n_most) labels[k] = most;
  }
  return labels;
}

RowMatrix split_kind(const RowMatrix& posterior, const RowMatrix& shares, Index component,
                     Index label) {
  RowMatrix out(posterior.rows(), posterior.cols() + 1);
  out.leftCols(posterior.cols()) = posterior;
  const Vector go = (1.0 - shares.col(label).array()).max(least_to_go).min(1.0 - least_to_go);
  out.rightCols(1) = posterior.col(component).cwiseProduct(go);
  out.col(component) -= out.rightCols(1);
  return out;
}

double least_agreement(const CodedData& data, const RowMatrix& posterior,
                       const std::vector<Index>& labels, const RowMatrix& of_labels) {
  const Matrix shared = shared_weight(data, posterior, of_labels);
  double least = 1.0;
  for (Index k = 0; k < posterior.cols(); ++k) {
    const double weight = shared.row(k).sum();
    if (weight < least_weight) continue;
    double agreed = 0.0;
    for (Index before = 0; before < of_labels.cols(); ++before) {
      if (labels[before] == labels[k]) agreed += shared(k, before);
    }
    least = std::min(least, agreed / weight);
  }
  return least;
}

}  // namespace mdpd
