#include "starts/correspondence.h"

#include <testthat.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "data/row_sums.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Two classes on 12 of 20 items.
Table two_classes(std::uint64_t seed, Index n_obs) {
  Random random(seed);
  const std::vector<Index> n_levels(20, 3);
  const MixtureParameters truth = planted_mixture(random, n_levels, 12, 0.7);
  return draw_table(random, truth, {n_obs, n_levels, 0.1, true});
}

/// By a dense table of rows by levels and a dense solver; 0 in rows without weight.
Matrix scores_twin(const Table& table, Index n) {
  const CodedData& data = table.data;
  Matrix cells = Matrix::Zero(data.n_obs, data.n_total_levels());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index row = 0; row < data.n_obs; ++row) {
      if (table.code(row, item) == 0) continue;
      for (Index r = 0; r < data.n_levels[item]; ++r) {
        const double is_answer = table.code(row, item) == r + 1 ? 1.0 : 0.0;
        cells(row, data.offset[item] + r) =
            (is_answer - data.marginal(item, r)) /
            std::sqrt(data.level_weight[data.offset[item] + r] + 25.0);
      }
    }
  }
  const Vector root = data.case_weights.cwiseSqrt();
  Matrix shared = root.asDiagonal() * cells * cells.transpose() * root.asDiagonal();
  shared.diagonal() -= cells.rowwise().squaredNorm().cwiseProduct(data.case_weights.cwiseMin(1.0));
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(shared);
  const Index last = data.n_obs - 1;
  Matrix out = Matrix::Zero(data.n_obs, n);
  for (Index j = 0; j < n; ++j) {
    const double length = std::sqrt(solver.eigenvalues()[last - j]);
    for (Index row = 0; row < data.n_obs; ++row) {
      if (root[row] == 0.0) continue;
      out(row, j) = length * solver.eigenvectors()(row, last - j) / root[row];
    }
  }
  return out;
}

/// Share of the rows that two clusterings put together or apart alike.
double agreement(const std::vector<Index>& a, const std::vector<Index>& b) {
  double same = 0.0;
  double all = 0.0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, all += 1.0) same += (a[i] == a[j]) == (b[i] == b[j]);
  }
  return same / all;
}

}  // namespace

context("correspondence") {
  test_that("the scores are those of a dense solver, whatever is missing and rows weigh") {
    for (const bool is_sparse : {false, true}) {
      const Table table = two_classes(1, 150);
      const CodedData data = is_sparse ? sparse_copy(table.data) : table.data;
      const Matrix scores = correspondence_scores(data, 1);
      const Matrix twin = scores_twin(table, 1);
      const double sign = scores.col(0).dot(twin.col(0)) > 0.0 ? 1.0 : -1.0;
      expect_true((sign * scores - twin).cwiseAbs().maxCoeff() < 1e-3 * twin.cwiseAbs().maxCoeff());
    }
  }

  test_that("a row of weight 2 is two rows") {
    const Table table = two_classes(4, 80);
    const Matrix of_weights = correspondence_scores(table.data, 1);
    const Table written_out = write_out_weights(table);
    const Matrix of_rows = correspondence_scores(written_out.data, 1);
    const std::vector<Index> rows = repeat_by_weight(table.data);
    const double sign = of_rows(0, 0) * of_weights(rows[0], 0) > 0.0 ? 1.0 : -1.0;
    const double largest = of_rows.cwiseAbs().maxCoeff();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto n = static_cast<Index>(row);
      expect_true(std::abs(of_rows(n, 0) - sign * of_weights(rows[row], 0)) < 1e-3 * largest);
    }
  }

  test_that("clusters that lie apart are found, and rows without weight belong to one") {
    Random random(2);
    Matrix scores(90, 2);
    Vector weights = Vector::Ones(90);
    std::vector<Index> truth(90);
    for (Index n = 0; n < 90; ++n) {
      truth[n] = n % 3;
      scores(n, 0) = 3.0 * static_cast<double>(n % 3 == 1) + 0.5 * random.uniform();
      scores(n, 1) = 2.0 * static_cast<double>(n % 3 == 2) + 0.5 * random.uniform();
    }
    weights[0] = 0.0;
    expect_true(agreement(cluster_rows(scores, weights, 3), truth) == 1.0);
    const std::vector<Index> more = cluster_rows(scores, weights, 5);
    expect_true(*std::max_element(more.begin(), more.end()) <= 4);
    // Rows in another order are in the same clusters.
    const std::vector<Index> before = cluster_rows(scores, weights, 4);
    std::vector<Index> after = cluster_rows(scores.colwise().reverse(), weights.reverse(), 4);
    std::reverse(after.begin(), after.end());
    expect_true(agreement(before, after) == 1.0);
  }

  test_that("the start is a component for each row, or nothing where rows do not differ") {
    const Table table = two_classes(3, 60);
    const RowMatrix start = correspondence_start(table.data, 2);
    expect_true(start.rows() == 60);
    expect_true(start.cols() == 2);
    expect_true(start.rowwise().sum() == Vector::Ones(60));
    expect_true(start.maxCoeff() == 1.0);
    const Table same = table_of({{1, 1, 1}, {2, 2, 2}}, {2, 2});
    expect_true(correspondence_start(same.data, 2).size() == 0);
  }

  test_that("k-means ends after a hundred rounds, wherever it is") {
    // Two heavy rows far apart and 150 light ones, of which each round of k-means moves one to the
    // right: the mean of those on the left then falls by just enough for the next.
    constexpr Index n_light = 150;
    constexpr double weight = 0.02;
    Matrix scores = Matrix::Zero(n_light + 2, 1);
    Vector weights = Vector::Constant(n_light + 2, weight);
    weights[0] = 1.0;
    weights[n_light + 1] = 1e9;
    scores(n_light + 1, 0) = 1.0;
    double sum = 0.0;
    for (Index n = 1; n <= n_light; ++n) {
      const double on_left = 1.0 + weight * static_cast<double>(n);
      const double middle = (sum / on_left + 1.0) / 2.0;
      scores(n, 0) = (middle + 1e-5) / (1.0 - weight / (2.0 * on_left));
      sum += weight * scores(n, 0);
    }
    const std::vector<Index> of_row = cluster_rows(scores, weights, 2);
    expect_true(std::count(of_row.begin(), of_row.end(), of_row[0]) == 1 + n_light - 100);
  }
}

}  // namespace mdpd
