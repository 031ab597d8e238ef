#include "starts/correspondence.h"

#include <cmath>
#include <limits>

#include "base/lanczos.h"
#include "base/matrices.h"
#include "base/numerics.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Products of Lanczos' method.
constexpr Index most_products = 60;
/// Answers added to every level's, so that the few rows of a rare one are no direction of their own.
constexpr double answers_added = 25.0;
constexpr Index most_iterations = 100;

/// Rows by centred levels, scaled: the operator of multiple correspondence analysis.
class Correspondence {
 public:
  explicit Correspondence(const CodedData& data)
      : data_(data),
        items_(make_ready(data, varying_items(data))),
        root_(data.case_weights.cwiseSqrt()),
        scale_((data.level_weight.array() + answers_added).inverse()) {
    Vector own(data.n_total_levels());
    for (const Index item : items_.items) {
      const Index first = data.offset[item];
      const Index n = data.n_levels[item];
      double of_all = 0.0;
      for (Index r = 0; r < n; ++r) {
        const double m = data.marginal(item, r);
        of_all += m * m * scale_[first + r];
      }
      for (Index r = 0; r < n; ++r) {
        own[first + r] = (1.0 - 2.0 * data.marginal(item, r)) * scale_[first + r] + of_all;
      }
    }
    // Equal rows that are one of their weight still have each other in common.
    own_ = row_sums_of(own).cwiseProduct(data.case_weights.cwiseMin(1.0));
  }

  /// How unusual the rows are; centred.
  Vector surprisal() const {
    Vector levels = Vector::Zero(data_.n_total_levels());
    for (Index r = 0; r < levels.size(); ++r) levels[r] = -log_of(data_.level_weight[r] + 1.0);
    return root_.cwiseProduct(row_sums_of(centred(std::move(levels))));
  }

  Vector operator()(const Vector& x) const {
    // Of a vector of length 1, sums of the rows' weight at most, of which counts are exact.
    const double size = std::sqrt(data_.total_weight);
    const RowMatrix weighted = size * x.cwiseQuotient(root_.cwiseMax(1e-150));
    Vector levels = level_sums(data_, weighted, items_).levels / size;
    for (const Index item : items_.items) {
      auto of_item = levels.segment(data_.offset[item], data_.n_levels[item]);
      const double sum = of_item.sum();
      for (Index r = 0; r < of_item.size(); ++r) of_item[r] -= sum * data_.marginal(item, r);
    }
    const Vector scores = row_sums_of(centred(levels.cwiseProduct(scale_)));
    return root_.cwiseProduct(scores) - own_.cwiseProduct(x);
  }

  const Vector& root() const { return root_; }

 private:
  /// Less the mean over the answers of each item.
  Vector centred(Vector levels) const {
    for (const Index item : items_.items) {
      auto of_item = levels.segment(data_.offset[item], data_.n_levels[item]);
      double mean = 0.0;
      for (Index r = 0; r < of_item.size(); ++r) mean += data_.marginal(item, r) * of_item[r];
      of_item.array() -= mean;
    }
    return levels;
  }

  /// Sums over the answers of each row.
  Vector row_sums_of(const Vector& levels) const {
    const RowMatrix as_probs = levels.unaryExpr([](double x) { return exp_of(x); });
    const LogTables tables = log_tables(data_, items_, Vector::Ones(1), as_probs);
    Vector out(data_.n_obs);
    sum_log_tables(data_, items_, tables, 0, data_.n_obs, out.data());
    return out;
  }

  const CodedData& data_;
  const ReadyItems items_;
  const Vector root_;   ///< of the case weights
  const Vector scale_;  ///< of the levels
  Vector own_;          ///< what a row has in common with itself
};

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

Matrix correspondence_scores(const CodedData& data, Index n) {
  const Correspondence operate(data);
  const Vector start = operate.surprisal();
  if (!(start.norm() > 1e-9 * std::sqrt(data.total_weight))) return {};
  const Eigenpairs pairs = largest_eigenpairs(operate, start, n, most_products);
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

RowMatrix correspondence_start(const CodedData& data, Index n_components) {
  const Matrix scores = correspondence_scores(data, n_components - 1);
  if (scores.size() == 0) return {};
  const std::vector<Index> of_row = cluster_rows(scores, data.case_weights, n_components);
  RowMatrix posterior = RowMatrix::Zero(data.n_obs, n_components);
  for (Index n = 0; n < data.n_obs; ++n) posterior(n, of_row[n]) = 1.0;
  return posterior;
}

}  // namespace mdpd
