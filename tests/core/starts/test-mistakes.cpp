#include "starts/mistakes.h"

#include <testthat.h>

#include <cmath>

#include "model/posterior.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Answers by workers who are all right with one probability; of the mistakes a share is the next
/// label, the others any; each label is `growth` times as frequent as the one before it.
Table crowd(std::uint64_t seed, Index n_obs, Index n_labels, double right, double share_of_next,
            bool weighted = false, double growth = 1.0) {
  Random random(seed);
  const Index n_workers = 6;
  const double wrong = (1.0 - right) * (1.0 - share_of_next) / static_cast<double>(n_labels - 1);
  MixtureParameters truth;
  truth.mixing_weights = Vector::Ones(n_labels);
  for (Index k = 1; k < n_labels; ++k)
    truth.mixing_weights[k] = truth.mixing_weights[k - 1] * growth;
  truth.mixing_weights /= truth.mixing_weights.sum();
  truth.item_probs = RowMatrix::Constant(n_workers * n_labels, n_labels, wrong);
  for (Index worker = 0; worker < n_workers; ++worker) {
    for (Index label = 0; label < n_labels; ++label) {
      truth.item_probs(worker * n_labels + label, label) = right;
      // Two labels are taken for each other: what goes round in a circle looks alike.
      const Index next = std::min(label ^ Index{1}, n_labels - 1);
      truth.item_probs(worker * n_labels + next, label) += (1.0 - right) * share_of_next;
    }
  }
  return draw_table(random, truth, {n_obs, std::vector<Index>(n_workers, n_labels), 0.2, weighted});
}

/// By a plain loop over pairs of answers, rows written out as often as their weights say.
bool twin(const Table& table, Index n_labels) {
  const Index n_items = table.data.n_items;
  Vector answers = Vector::Zero(n_labels);
  std::vector<Matrix> met;  // by row: labels x labels, of pairs of its answers
  for (Index row = 0; row < table.data.n_obs; ++row) {
    for (Index copy = 0; copy < static_cast<Index>(table.data.case_weights[row]); ++copy) {
      met.emplace_back(Matrix::Zero(n_labels, n_labels));
      for (Index i = 0; i < n_items; ++i) {
        const Index one = table.code(row, i);
        if (one < 1 || one > n_labels) continue;
        answers[one - 1] += 1.0;
        for (Index j = 0; j < i; ++j) {
          const Index other = table.code(row, j);
          if (other < 1 || other > n_labels) continue;
          met.back()(std::min(one, other) - 1, std::max(one, other) - 1) += 1.0;
        }
      }
    }
  }
  double n_alike = 0.0;
  double n_differing = 0.0;
  std::vector<double> differing;
  for (const Matrix& of_row : met) {
    n_alike += of_row.trace();
    differing.push_back(of_row.sum() - of_row.trace());
    n_differing += differing.back();
  }
  if (n_labels < 3 || n_differing == 0.0) return false;
  // Where answers are right as often as makes so many pairs alike, by halving.
  const auto n = static_cast<double>(n_labels);
  double low = 1.0 / n;
  double high = 1.0;
  for (int step = 0; step < 100; ++step) {
    const double right = (low + high) / 2.0;
    const double alike = right * right + std::pow(1.0 - right, 2.0) / (n - 1.0);
    (alike < n_alike / (n_alike + n_differing) ? low : high) = right;
  }
  const double mistake = (1.0 - low) / (n - 1.0);
  const auto share_of = [&](Index label) {
    return std::max(mistake, answers[label] / answers.sum());
  };
  double sum = 0.0;
  for (Index r = 0; r < n_labels; ++r) {
    for (Index s = r + 1; s < n_labels; ++s) {
      // Pairs of r and s are one right answer and one mistake, or two mistakes.
      const double share =
          (share_of(r) + share_of(s) - mistake) / (n - 1.0 - mistake * n * (n - 1.0) / 2.0);
      double excess = 0.0;
      double squares = 0.0;
      for (std::size_t row = 0; row < met.size(); ++row) {
        const double part = met[row](r, s) - share * differing[row];
        excess += part;
        squares += part * part;
      }
      sum += (excess * excess - squares) / std::pow(share * n_differing, 2.0);
    }
  }
  return sum < -1e-9;
}

/// By a plain loop over pairs of answers.
bool agrees_by_pairs(const Table& table) {
  const CodedData& data = table.data;
  double excess = 0.0;
  double squares = 0.0;
  for (Index row = 0; row < data.n_obs; ++row) {
    double of_row = 0.0;
    for (Index i = 0; i < data.n_items; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (table.code(row, i) == 0 || table.code(row, j) == 0) continue;
        double by_chance = 0.0;
        for (Index r = 0; r < std::min(data.n_levels[i], data.n_levels[j]); ++r)
          by_chance += data.marginal(i, r) * data.marginal(j, r);
        of_row += (table.code(row, i) == table.code(row, j) ? 1.0 : 0.0) - by_chance;
      }
    }
    excess += data.case_weights[row] * of_row;
    squares += data.case_weights[row] * of_row * of_row;
  }
  return excess > 1.645 * std::sqrt(squares);
}

/// Workers who do not look at what they label, each with labels of its own.
Table guessers(std::uint64_t seed, Index n_obs) {
  Random random(seed);
  const std::vector<Index> n_levels(6, 3);
  return draw_table(random, random_parameters(random, n_levels, 1), {n_obs, n_levels, 0.3, false});
}

/// Every answer twice.
CodedData answered_twice(const Table& table) {
  std::vector<std::size_t> row_start = {0};
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  for (Index row = 0; row < table.data.n_obs; ++row) {
    for (Index item = 0; item < table.data.n_items; ++item) {
      const int code = table.code(row, item);
      if (code == 0) continue;
      items.insert(items.end(), 2, static_cast<std::uint32_t>(item));
      codes.insert(codes.end(), 2, static_cast<Code>(code));
    }
    row_start.push_back(items.size());
  }
  return make_sparse_data({row_start, items, codes}, table.data.n_levels, table.data.case_weights);
}

}  // namespace

context("mistakes") {
  test_that("they are alike where a plain loop over pairs of answers says so, dense or sparse") {
    Index n_alike = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CATCH_CAPTURE(seed);
      const Index n_labels = 3 + static_cast<Index>(seed % 4);
      const Table table = crowd(seed, 40, n_labels, 0.6, 0.1, seed % 2 == 0);
      const bool is_alike = has_like_mistakes(table.data, n_labels);
      expect_true(is_alike == twin(table, n_labels));
      expect_true(is_alike == has_like_mistakes(sparse_copy(table.data), n_labels));
      // A level beyond the labels is none.
      expect_true(has_like_mistakes(table.data, n_labels - 1) == twin(table, n_labels - 1));
      n_alike += is_alike ? 1 : 0;
    }
    expect_true(n_alike > 8);
    expect_true(n_alike < 32);
  }

  test_that("mistakes that are one label more than others are told, those by chance seldom") {
    for (const double growth : {1.0, 1.6}) {
      CATCH_CAPTURE(growth);
      Index n_alike = 0;
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        expect_false(has_like_mistakes(crowd(seed, 400, 5, 0.6, 0.5, false, growth).data, 5));
        const Table alike = crowd(seed, 400, 5, 0.6, 0.0, false, growth);
        n_alike += has_like_mistakes(alike.data, 5) ? 1 : 0;
      }
      // By an estimate that is 0 in the mean.
      expect_true(n_alike > 20);
    }
  }

  test_that("neither the order of rows, that of labels nor weights for rows change it") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CATCH_CAPTURE(seed);
      const Table table = crowd(seed, 60, 4, 0.5, 0.2, true);
      const bool is_alike = has_like_mistakes(table.data, 4);
      Random random(seed);
      const std::vector<Index> order = random.order(60);
      expect_true(has_like_mistakes(pick_rows(table, order).data, 4) == is_alike);
      expect_true(has_like_mistakes(write_out_weights(table).data, 4) == is_alike);
      std::vector<Code> codes = table.codes;
      for (Code& code : codes) code = static_cast<Code>(code == 0 ? 0 : 5 - code);
      const Table renamed(codes, table.data.case_weights, table.data.n_levels);
      expect_true(has_like_mistakes(renamed.data, 4) == is_alike);
    }
  }

  test_that(
      "without answers that differ, or with one mistake a label, there is nothing to be told") {
    expect_false(has_like_mistakes(table_of({{1, 2, 0}, {1, 0, 0}}, {3, 3}).data, 3));
    // One row in which answers differ strays as much as rows do.
    for (const int other : {1, 2, 3}) {
      const Table one = table_of({{1, 2, other}, {1, 2, 1}, {1, 2, 2}}, {3, 3, 3});
      expect_false(has_like_mistakes(one.data, 3));
    }
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      expect_false(has_like_mistakes(crowd(seed, 60, 2, 0.6, 0.0).data, 2));
    }
  }

  test_that("workers agree above chance where a plain loop over pairs of answers says so") {
    Index n_above = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CATCH_CAPTURE(seed);
      const Table table = crowd(seed, 40, 4, 0.45, 0.1, seed % 2 == 0);
      const bool is_above = agrees_above_chance(table.data);
      expect_true(is_above == agrees_by_pairs(table));
      expect_true(is_above == agrees_above_chance(sparse_copy(table.data)));
      expect_true(is_above == agrees_above_chance(write_out_weights(table).data));
      n_above += is_above ? 1 : 0;
    }
    expect_true(n_above > 20);
    expect_true(n_above < 40);
  }

  test_that("of workers who do not look one crowd in twenty does, whatever labels they like") {
    Index n_above = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      n_above += agrees_above_chance(guessers(seed, 100).data) ? 1 : 0;
    }
    // Three standard deviations.
    expect_true(n_above < 20 + 13);
    expect_true(n_above > 20 - 13);
    expect_false(agrees_above_chance(table_of({{1, 0, 2}, {0, 1, 0}}, {2, 2}).data));
  }

  test_that("the second answer of a worker to a row does not agree with the first") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CATCH_CAPTURE(seed);
      const Table table = crowd(seed, 40, 4, 0.4, 0.0);
      expect_true(agrees_above_chance(answered_twice(table)) == agrees_by_pairs(table));
    }
  }

  test_that("workers alike have the posterior of one accuracy, by which as many pairs agree") {
    for (const Index n_labels : {Index{2}, Index{4}}) {
      const Table table = crowd(1, 4000, n_labels, 0.7, 0.0, true, 1.5);
      const RowMatrix posterior = posterior_of_alike(table.data, n_labels);
      // Classes are 1.5 times as large as the one before, and the workers right with 0.7.
      MixtureParameters params;
      params.mixing_weights = Vector::Ones(n_labels);
      for (Index k = 1; k < n_labels; ++k)
        params.mixing_weights[k] = 1.5 * params.mixing_weights[k - 1];
      params.mixing_weights /= params.mixing_weights.sum();
      const double wrong = 0.3 / static_cast<double>(n_labels - 1);
      params.item_probs = RowMatrix::Constant(6 * n_labels, n_labels, wrong);
      for (Index at = 0; at < 6 * n_labels; ++at) params.item_probs(at, at % n_labels) = 0.7;
      const RowMatrix truth = e_step(table.data, params, all_items(table.data)).posterior;
      expect_true((posterior - truth).cwiseAbs().maxCoeff() < 0.1);
      expect_true((posterior - truth).cwiseAbs().mean() < 0.02);
    }
    // Of as many pairs as by chance nothing but the sizes is left.
    const Table none = table_of({{1, 2, 1, 2}, {1, 2, 2, 1}}, {2, 2});
    expect_true(posterior_of_alike(none.data, 2).isApproxToConstant(0.5, 1e-12));
  }

  test_that("labels that nobody gives do no harm") {
    const Table table = table_of({{1, 2, 3, 1}, {2, 3, 1, 1}, {1, 1, 2, 3}}, {6, 6, 6});
    expect_true(has_like_mistakes(table.data, 3));
    expect_false(has_like_mistakes(table.data, 6));
    expect_false(twin(table, 6));
  }
}

}  // namespace mdpd
