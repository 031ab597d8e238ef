#include "starts/correspondence.h"

#include "base/matrices.h"
#include "starts/row_products.h"

namespace mdpd {

namespace {

constexpr Index most_iterations = 100;

struct Clusters {
  Matrix centres;  ///< n_clusters x scores
  std::vector<Index> of_row;
};

/// Means of the rows of each cluster; one without rows keeps its own.
void move_centres(const Matrix& scores, const Vector& weights, Clusters& clusters) {
  Matrix sums = Matrix::Zero(clusters.centres.rows(), scores.cols());
  Vector totals = Vector::Zero(sums.rows());
  for (Index n = 0; n < scores.rows(); ++n) {
    sums.row(clusters.of_row[n]) += weights[n] * scores.row(n);
    totals[clusters.of_row[n]] += weights[n];
  }
  for (Index k = 0; k < sums.rows(); ++k) {
    if (totals[k] > 0.0) clusters.centres.row(k) = sums.row(k) / totals[k];
  }
}

/// @return has a row another cluster than before?
bool move_rows(const Matrix& scores, Clusters& clusters) {
  bool has_moved = false;
  for (Index n = 0; n < scores.rows(); ++n) {
    Index nearest = 0;
    (clusters.centres.rowwise() - scores.row(n)).rowwise().squaredNorm().minCoeff(&nearest);
    has_moved |= nearest != clusters.of_row[n];
    clusters.of_row[n] = nearest;
  }
  return has_moved;
}

/// Splits the cluster that is widest in some direction, at its mean.
void split_widest(const Matrix& scores, const Vector& weights, Clusters& clusters) {
  const Index n_clusters = clusters.centres.rows();
  double widest = -1.0;
  Index of_widest = 0;
  Vector direction;
  for (Index k = 0; k < n_clusters; ++k) {
    Matrix scatter = Matrix::Zero(scores.cols(), scores.cols());
    for (Index n = 0; n < scores.rows(); ++n) {
      if (clusters.of_row[n] != k) continue;
      const Vector deviation = (scores.row(n) - clusters.centres.row(k)).transpose();
      scatter += weights[n] * deviation * deviation.transpose();
    }
    const Spectrum spectrum = spectrum_of(scatter);
    const double width = spectrum.values.tail(1)[0];
    if (width <= widest) continue;
    widest = width;
    of_widest = k;
    direction = spectrum.vectors.rightCols(1);
  }
  clusters.centres.conservativeResize(n_clusters + 1, Eigen::NoChange);
  clusters.centres.row(n_clusters) = clusters.centres.row(of_widest);
  for (Index n = 0; n < scores.rows(); ++n) {
    if (clusters.of_row[n] != of_widest) continue;
    const double side = (scores.row(n) - clusters.centres.row(of_widest)) * direction;
    if (side > 0.0) clusters.of_row[n] = n_clusters;
  }
}

}  // namespace

Matrix correspondence_scores(const CodedData& data, Index n, double answers_added) {
  const RowProducts operate(data, answers_added);
  const Eigenpairs pairs = operate.largest(n);
  if (pairs.values.size() == 0) return {};
  return operate.root().cwiseMax(1e-150).cwiseInverse().asDiagonal() * pairs.vectors *
         pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

std::vector<Index> cluster_rows(const Matrix& scores, const Vector& weights, Index n_clusters) {
  Clusters clusters{Matrix::Zero(1, scores.cols()), std::vector<Index>(scores.rows(), 0)};
  move_centres(scores, weights, clusters);
  while (clusters.centres.rows() < n_clusters) {
    split_widest(scores, weights, clusters);
    for (Index iteration = 0; iteration < most_iterations; ++iteration) {
      move_centres(scores, weights, clusters);
      if (!move_rows(scores, clusters)) break;
    }
  }
  return clusters.of_row;
}

RowMatrix correspondence_start(const CodedData& data, Index n_components, double answers_added) {
  const Matrix scores = correspondence_scores(data, n_components - 1, answers_added);
  if (scores.size() == 0) return {};
  const std::vector<Index> of_row = cluster_rows(scores, data.case_weights, n_components);
  RowMatrix posterior = RowMatrix::Zero(data.n_obs, n_components);
  for (Index n = 0; n < data.n_obs; ++n) posterior(n, of_row[n]) = 1.0;
  return posterior;
}

}  // namespace mdpd
