#include "starts/spectral.h"

#include <testthat.h>

#include <cmath>

#include "base/errors.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Three solves and a whitening, each losing the condition number (some 1e3 here) on 1e-16.
constexpr double exact = 1e-8;

Matrix diagonally_dominant(Random& random, Index k, double on_diagonal) {
  Matrix out(k, k);
  for (Index h = 0; h < k; ++h) {
    out.col(h) = (1.0 - on_diagonal) * random.probabilities(k);
    out(h, h) += on_diagonal;
  }
  return out;
}

ViewModel random_views(Random& random, Index k, double on_diagonal) {
  const Vector weights = (random.probabilities(k).array() + 0.5).matrix();
  ViewModel out{weights / weights.sum(), {}};
  for (Matrix& means : out.means) means = diagonally_dominant(random, k, on_diagonal);
  return out;
}

/// The moments a model has in the population.
ViewMoments population_moments(const ViewModel& model) {
  const Index k = model.mixing_weights.size();
  ViewMoments out;
  for (Index a = 0; a < 3; ++a) {
    const Matrix& other = model.means[(a + 1) % 3];
    out.pair[a] = model.means[a] * model.mixing_weights.asDiagonal() * other.transpose();
  }
  for (Index l = 0; l < k; ++l) {
    const Vector weights = model.mixing_weights.cwiseProduct(model.means[2].row(l).transpose());
    out.triple.slices.push_back(model.means[0] * weights.asDiagonal() * model.means[1].transpose());
  }
  return out;
}

/// Largest difference once the components of `found` are put in the order of `truth`.
double distance_up_to_order(const ViewModel& found, const ViewModel& truth) {
  const Index k = truth.mixing_weights.size();
  double largest = 0.0;
  for (Index h = 0; h < k; ++h) {
    double nearest = HUGE_VAL;
    for (Index g = 0; g < k; ++g) {
      double gap = std::abs(found.mixing_weights[g] - truth.mixing_weights[h]);
      for (Index view = 0; view < 3; ++view) {
        const Matrix& means = found.means[view];
        gap = std::max(gap, distance(means.col(g), truth.means[view].col(h)));
      }
      nearest = std::min(nearest, gap);
    }
    largest = std::max(largest, nearest);
  }
  return largest;
}

double distance_of(const ViewModel& a, const ViewModel& b) {
  double largest = distance(a.mixing_weights, b.mixing_weights);
  for (Index view = 0; view < 3; ++view) {
    largest = std::max(largest, distance(a.means[view], b.means[view]));
  }
  return largest;
}

Matrix random_orthogonal(Random& random, Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) out(i, j) = random.uniform() - 0.5;
  }
  return out.householderQr().householderQ() * Matrix::Identity(n, n);
}

Tensor3 zero_tensor(Index n) { return {std::vector<Matrix>(n, Matrix::Zero(n, n))}; }

/// A crowd in which worker i answers right with probability `accuracy`, else any other label.
MixtureParameters crowd_model(Index n_workers, Index k, double accuracy) {
  MixtureParameters out{
      Vector::Constant(k, 1.0 / static_cast<double>(k)),
      RowMatrix::Constant(n_workers * k, k, (1.0 - accuracy) / static_cast<double>(k - 1))};
  for (Index row = 0; row < n_workers * k; ++row) out.item_probs(row, row % k) = accuracy;
  return out;
}

SpectralOptions averaged_views() {
  SpectralOptions options;
  options.view = ViewKind::kAveraged;
  return options;
}

Table crowd(Index n_obs, double missing, std::uint64_t seed) {
  Random random(seed);
  const std::vector<Index> n_levels(9, 3);
  return draw_table(random, crowd_model(9, 3, 0.8), {n_obs, n_levels, missing});
}

SpectralStart start_of(const Table& table, Index k, const SpectralOptions& options) {
  Monitor monitor;
  return spectral_start(table.data, k, options, monitor);
}

}  // namespace

context("spectral") {
  test_that("the tensor power method recovers an orthogonal decomposition exactly") {
    Random random(1);
    for (Index n = 1; n <= 7; ++n) {
      const Matrix vectors = random_orthogonal(random, n);
      Tensor3 tensor = zero_tensor(n);
      for (Index h = 0; h < n; ++h) {
        tensor.add_power(1.0 + static_cast<double>(h) / 2.0, vectors.col(h));
      }
      const TensorEigenpairs pairs = tensor_power_method(tensor, {});
      Tensor3 rest = tensor;
      for (Index h = 0; h < n; ++h) rest.add_power(-pairs.values[h], pairs.vectors.col(h));
      for (const Matrix& slice : rest.slices) {
        expect_true(distance(slice, Matrix::Zero(n, n)) < 1e-12);
      }
      // Every vector is found, with its sign.
      const Matrix overlaps = vectors.transpose() * pairs.vectors;
      expect_true(distance(overlaps.rowwise().maxCoeff().eval(), Vector::Ones(n)) < 1e-12);
    }
  }

  test_that("a tensor in which nothing is left has eigenvalues zero") {
    const TensorEigenpairs pairs = tensor_power_method(zero_tensor(3), {});
    expect_true(pairs.values.isZero());
    expect_true(pairs.vectors.allFinite());
  }

  test_that("contracting a tensor agrees with its definition") {
    Random random(2);
    const Vector u = random.probabilities(3);
    const Vector v = random.probabilities(3);
    const Matrix a = random_orthogonal(random, 3).leftCols(2);
    Tensor3 tensor = zero_tensor(3);
    tensor.add_power(2.0, u);
    tensor.add_power(-0.5, v);
    expect_true(distance(tensor.apply(v), 2.0 * std::pow(u.dot(v), 2) * u -
                                              0.5 * std::pow(v.dot(v), 2) * v) < 1e-14);
    Tensor3 expected = zero_tensor(2);
    expected.add_power(2.0, a.transpose() * u);
    expected.add_power(-0.5, a.transpose() * v);
    const Tensor3 small = tensor.contract(a, a, a);
    for (Index l = 0; l < 2; ++l) {
      expect_true(distance(small.slices[l], expected.slices[l]) < 1e-14);
    }
  }

  test_that("a symmetrised tensor is the same in every order of its indices") {
    Tensor3 tensor = zero_tensor(3);
    tensor.slices[2](0, 1) = 6.0;
    const Tensor3 even = tensor.symmetrised();
    expect_true(even.slices[2](0, 1) == 1.0);
    expect_true(even.slices[2](1, 0) == 1.0);
    expect_true(even.slices[0](1, 2) == 1.0);
    expect_true(even.slices[0](2, 1) == 1.0);
    expect_true(even.slices[1](0, 2) == 1.0);
    expect_true(even.slices[1](2, 0) == 1.0);
    expect_true(even.slices[2].sum() == 2.0);
  }

  test_that("exact moments give the exact model, labels in order") {
    Random random(3);
    for (Index k = 1; k <= 6; ++k) {
      for (int draw = 0; draw < 5; ++draw) {
        const ViewModel truth = random_views(random, k, 0.6);
        const std::optional<ViewModel> found =
            decompose_views(population_moments(truth), ComponentOrder::kByLabel, {});
        expect_true(found.has_value());
        expect_true(distance_of(*found, truth) < exact);
      }
    }
  }

  test_that("exact moments give the exact model when coordinates are no labels") {
    Random random(4);
    for (Index k = 1; k <= 6; ++k) {
      for (int draw = 0; draw < 5; ++draw) {
        ViewModel truth = random_views(random, k, 0.4);
        for (Matrix& means : truth.means) means = random_orthogonal(random, k) * means;
        const std::optional<ViewModel> found =
            decompose_views(population_moments(truth), ComponentOrder::kByMatch, {});
        expect_true(found.has_value());
        expect_true(distance_up_to_order(*found, truth) < exact);
        const Vector& weights = found->mixing_weights;
        for (Index h = 1; h < k; ++h) expect_true(weights[h - 1] >= weights[h]);
      }
    }
  }

  test_that("moments of too low a rank are told, not inverted") {
    Random random(5);
    ViewModel model = random_views(random, 3, 0.5);
    model.means[1].col(2) = model.means[1].col(0);
    for (const ComponentOrder order : {ComponentOrder::kByLabel, ComponentOrder::kByMatch}) {
      expect_true(!decompose_views(population_moments(model), order, {}).has_value());
    }
  }

  test_that("a large crowd's confusion matrices are found, the nearer the more items") {
    const MixtureParameters truth = crowd_model(9, 3, 0.8);
    double before = HUGE_VAL;
    for (const Index n_obs : {500, 8000, 128000}) {
      const Table table = crowd(n_obs, 0.0, 6);
      const SpectralStart start = start_of(table, 3, averaged_views());
      expect_true(start.status == SpectralStatus::kFound);
      const double error = distance(start.params.item_probs, truth.item_probs);
      CATCH_CAPTURE(error);
      expect_true(error < before);
      before = error;
    }
    // Standard errors are near 1e-3 for the frequencies and a few times that after the inversions.
    expect_true(before < 0.02);
  }

  test_that("stacked views find a crowd too, components by mixing weight") {
    Random random(7);
    MixtureParameters truth = crowd_model(9, 3, 0.8);
    truth.mixing_weights << 0.5, 0.3, 0.2;
    const Table table = draw_table(random, truth, {60000, std::vector<Index>(9, 3)});
    const SpectralStart start = start_of(table, 3, {});
    expect_true(start.status == SpectralStatus::kFound);
    expect_true(distance(start.params.item_probs, truth.item_probs) < 0.03);
    expect_true(distance(start.params.mixing_weights, truth.mixing_weights) < 0.03);
  }

  test_that("items may have fewer levels than there are components, and different ones") {
    Random random(8);
    const std::vector<Index> n_levels = {2, 3, 2, 4, 2, 3, 2, 2, 3, 2, 2, 4};
    const MixtureParameters truth = random_parameters(random, n_levels, 4);
    const Table table = draw_table(random, truth, {400000, n_levels});
    const SpectralStart start = start_of(table, 4, {});
    expect_true(start.status == SpectralStatus::kFound);
    double largest = 0.0;
    for (Index h = 0; h < 4; ++h) {
      double nearest = HUGE_VAL;
      for (Index g = 0; g < 4; ++g) {
        nearest = std::min(
            nearest, (start.params.item_probs.col(g) - truth.item_probs.col(h)).cwiseAbs().mean());
      }
      largest = std::max(largest, nearest);
    }
    CATCH_CAPTURE(largest);
    expect_true(largest < 0.1);
  }

  test_that("answers missing at random do not bias the start") {
    const Table table = crowd(100000, 0.5, 9);
    for (const ViewKind kind : {ViewKind::kAveraged, ViewKind::kStacked}) {
      SpectralOptions options;
      options.view = kind;
      const SpectralStart start = start_of(table, 3, options);
      expect_true(start.status == SpectralStatus::kFound);
      const RowMatrix truth = crowd_model(9, 3, 0.8).item_probs;
      // The classes are equally frequent: without labels, their order is chance.
      const Vector largest = start.params.item_probs.rowwise().maxCoeff();
      expect_true(distance(largest, Vector::Constant(27, 0.8)) < 0.05);
      if (kind == ViewKind::kAveraged) {
        expect_true(distance(start.params.item_probs, truth) < 0.05);
      }
    }
  }

  test_that("a case weight of w is w rows") {
    Random random(10);
    const Shape shape{300, std::vector<Index>(6, 3), 0.2, true};
    const Table weighted = draw_table(random, crowd_model(6, 3, 0.8), shape);
    const Table written_out = write_out_weights(weighted);
    const SpectralStart one = start_of(weighted, 3, averaged_views());
    const SpectralStart other = start_of(written_out, 3, averaged_views());
    expect_true(one.status == SpectralStatus::kFound);
    expect_true(distance(one.params.item_probs, other.params.item_probs) < exact);
    expect_true(distance(one.params.mixing_weights, other.params.mixing_weights) < exact);
  }

  test_that("every start is a set of distributions in which nothing is impossible") {
    Random random(11);
    for (int draw = 0; draw < 20; ++draw) {
      const std::vector<Index> n_levels = {2, 3, 4, 2, 5, 3};
      const Table table = random_table(random, {40, n_levels, 0.3, draw % 2 == 0});
      SpectralOptions options;
      options.power.seed = static_cast<std::uint64_t>(draw);
      const MixtureParameters params = start_of(table, 3, options).params;
      expect_true(params.item_probs.minCoeff() > 0.0);
      expect_true(std::abs(params.mixing_weights.sum() - 1.0) < 1e-12);
      for (Index item = 0; item < table.data.n_items; ++item) {
        const Matrix probs = params.item_probs.middleRows(table.data.offset[item], n_levels[item]);
        const Vector sums = probs.colwise().sum();
        expect_true(distance(sums, Vector::Ones(3)) < 1e-12);
      }
    }
  }

  test_that("what cannot be split into three views is told") {
    const Table two = table_of({{1, 2, 1}, {2, 1, 1}}, {2, 2});
    expect_true(start_of(two, 2, {}).status == SpectralStatus::kTooFewItems);
    const Table constant = table_of({{1, 1, 1, 1}, {1, 2, 1, 2}, {1, 2, 2, 1}}, {2, 2, 2});
    expect_true(start_of(constant, 2, {}).status == SpectralStatus::kRankTooLow);
    const Table binary = table_of({{1, 2, 1}, {2, 1, 1}, {2, 2, 1}}, {2, 2, 2});
    const SpectralStart start = start_of(binary, 3, {});
    expect_true(start.status == SpectralStatus::kRankTooLow);
    expect_true(start.params.n_components() == 3);
  }

  test_that("the caller may interrupt") {
    const Table table = crowd(5000, 0.0, 13);
    CountingMonitor counting;
    spectral_start(table.data, 3, averaged_views(), counting);
    expect_true(counting.looks > 0);
    InterruptingMonitor interrupting(counting.looks - 1);
    expect_error_as(spectral_start(table.data, 3, averaged_views(), interrupting), Interrupt);
  }

  test_that("groups that do not fit the items are refused") {
    const Table table = crowd(50, 0.0, 12);
    SpectralOptions options;
    options.groups = {0, 1, 2};
    expect_error_as(start_of(table, 3, options), DimensionError);
    options.groups = {0, 1, 2, 0, 1, 2, 0, 1, 3};
    expect_error_as(start_of(table, 3, options), DimensionError);
    options.groups = {0, 1, 1, 0, 1, 1, 0, 1, 1};
    expect_error_as(start_of(table, 3, options), DimensionError);
    const Table uneven = table_of({{1, 2, 1}, {2, 1, 3}, {2, 2, 1}}, {2, 3, 2});
    expect_error_as(start_of(uneven, 2, averaged_views()), DimensionError);
  }
}

}  // namespace mdpd
