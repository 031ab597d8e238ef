#include <testthat.h>

#include "base/numerics.h"
#include "model/m_step.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Expected complete-data log-likelihood: what the M-step maximises.
double expected_loglik(const Table& table, const RowMatrix& posterior,
                       const MixtureParameters& params) {
  const CodedData& data = table.data;
  double sum = 0.0;
  for (Index n = 0; n < data.n_obs; ++n) {
    for (Index k = 0; k < posterior.cols(); ++k) {
      double log_joint = safe_log(params.mixing_weights[k]);
      for (Index item = 0; item < data.n_items; ++item) {
        const Code code = table.code(n, item);
        if (code > 0) log_joint += safe_log(params.item_probs(data.offset[item] + code - 1, k));
      }
      sum += data.case_weights[n] * posterior(n, k) * log_joint;
    }
  }
  return sum;
}

/// Counts by a plain loop over all cells.
RowMatrix counts_twin(const Table& table, const RowMatrix& posterior) {
  const CodedData& data = table.data;
  RowMatrix counts = RowMatrix::Zero(data.n_total_levels(), posterior.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index n = 0; n < data.n_obs; ++n) {
      const Code code = table.code(n, item);
      if (code == 0) continue;
      counts.row(data.offset[item] + code - 1) += data.case_weights[n] * posterior.row(n);
    }
  }
  return counts;
}

MStepOptions options_of(double smoothing, double floor) {
  MStepOptions options;
  options.smoothing = smoothing;
  options.floor = floor;
  return options;
}

/// How far the columns of any item are from summing to one.
double largest_sum_error(const CodedData& data, const RowMatrix& item_probs) {
  double largest = 0.0;
  for (Index item = 0; item < data.n_items; ++item) {
    const Vector sums =
        item_probs.middleRows(data.offset[item], data.n_levels[item]).colwise().sum();
    largest = std::max(largest, distance(sums, Vector::Ones(sums.size())));
  }
  return largest;
}

/// The floor by bisection: max(floor, c p) with the c that makes it sum to one.
Vector floor_twin(const Vector& probs, double floor) {
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double c = 0.5 * (low + high);
    ((c * probs).cwiseMax(floor).sum() > 1.0 ? high : low) = c;
  }
  return (low * probs).cwiseMax(floor);
}

}  // namespace

context("m_step") {
  test_that("level counts agree with a plain loop for any number of components") {
    Random random(1);
    // Packs of one to five items, with missing cells and without, and more than one tile.
    std::vector<Index> n_levels = {2, 5, 1, 40, 2, 2, 2, 2, 2, 7, 3};
    n_levels.insert(n_levels.end(), 90, 3);
    for (const double missing : {0.0, 0.3}) {
      const Table table = random_table(random, {40, n_levels, missing, true});
      for (const Index n_components : {1, 2, 3, 4, 5, 8, 9, 13}) {
        const RowMatrix posterior = random_posterior(random, 40, n_components);
        const RowMatrix counts = level_counts(table.data, posterior);
        expect_true(distance(counts, counts_twin(table, posterior)) <=
                    rounding_of_counts(table.data));
      }
    }
  }

  test_that("counts of some items are those of all items, and of others right or nothing") {
    Random random(11);
    const std::vector<Index> n_levels = {2, 5, 1, 40, 2, 2, 2, 2, 2, 7, 3, 3, 3};
    for (const double missing : {0.0, 0.3}) {
      const Table table = random_table(random, {40, n_levels, missing, true});
      const double rounding = rounding_of_counts(table.data);
      for (const ItemSet& items : {ItemSet{8, 3, 0, 1, 2}, all_items(table.data), ItemSet{}}) {
        const ReadyItems ready = make_ready(table.data, items);
        for (const Index n_components : {1, 2, 3, 5, 8, 9}) {
          const RowMatrix posterior = random_posterior(random, 40, n_components);
          const RowMatrix counts = level_sums(table.data, posterior, ready).levels;
          const RowMatrix twin = counts_twin(table, posterior);
          for (const Index item : items) {
            const Index first = table.data.offset[item];
            expect_true(distance(counts.middleRows(first, n_levels[item]),
                                 twin.middleRows(first, n_levels[item])) <= rounding);
          }
          for (Index level = 0; level < counts.rows(); ++level) {
            const bool is_nothing = counts.row(level).isZero(0.0);
            expect_true((is_nothing || distance(counts.row(level), twin.row(level)) <= rounding));
          }
        }
      }
    }
  }

  test_that("level counts of sparse data agree with a plain loop") {
    for (Index n_components = 1; n_components <= 8; ++n_components) {
      Random random(30 + n_components);
      const Table table = random_table(random, {501, {2, 5, 1, 4}, 0.7, true});
      const CodedData sparse = sparse_copy(table.data);
      const RowMatrix posterior = random_posterior(random, 501, n_components);
      RowMatrix expected = RowMatrix::Zero(12, n_components);
      for (Index n = 0; n < 501; ++n) {
        for (Index item = 0; item < 4; ++item) {
          const Code code = table.code(n, item);
          if (code == 0) continue;
          expected.row(sparse.offset[item] + code - 1) += sparse.case_weights[n] * posterior.row(n);
        }
      }
      expect_true(distance(level_counts(sparse, posterior), expected) < 1e-11);
    }
  }

  test_that("level counts of blocks of rows add up") {
    Random random(2);
    const Table table = random_table(random, {30, {2, 3}});
    const RowMatrix posterior = random_posterior(random, 30, 2);
    // Every block must see every item, as any data must: no cell is missing here.
    const RowMatrix first =
        level_counts(pick_rows(table, range(0, 11)).data, posterior.topRows(11));
    const RowMatrix rest =
        level_counts(pick_rows(table, range(11, 30)).data, posterior.bottomRows(19));
    expect_true(distance(first + rest, level_counts(table.data, posterior)) < 1e-13);
  }

  test_that("mixing weights and item-response probabilities sum to one") {
    Random random(3);
    const Table table = random_table(random, {30, {2, 4, 1}, 0.3, true});
    for (const MStepOptions& options : {options_of(0.0, 0.0), options_of(2.0, 0.0),
                                        options_of(0.0, 0.05), options_of(1.0, 0.1)}) {
      const MixtureParameters params = m_step(table.data, random_posterior(random, 30, 4), options);
      expect_true(std::abs(params.mixing_weights.sum() - 1.0) < 1e-14);
      expect_true(largest_sum_error(table.data, params.item_probs) < 1e-14);
      expect_true(params.item_probs.minCoeff() >= 0.0);
    }
  }

  test_that("any other parameters have a lower expected log-likelihood") {
    Random random(4);
    const Table table = random_table(random, {40, {2, 3, 4}, 0.2, true});
    const RowMatrix posterior = random_posterior(random, 40, 3);
    const MixtureParameters best = m_step(table.data, posterior, {});
    const double largest = expected_loglik(table, posterior, best);
    for (int trial = 0; trial < 200; ++trial) {
      const MixtureParameters other = random_parameters(random, table.data.n_levels, 3);
      const double step = std::pow(10.0, -4.0 * random.uniform());
      const MixtureParameters moved{
          (1.0 - step) * best.mixing_weights + step * other.mixing_weights,
          (1.0 - step) * best.item_probs + step * other.item_probs};
      expect_true(expected_loglik(table, posterior, moved) < largest);
    }
  }

  test_that("a certain posterior gives the frequencies of its group") {
    const Table table = table_of({{1, 1, 2, 2, 0}}, {2});
    RowMatrix posterior(5, 2);
    posterior << 1, 0, 1, 0, 1, 0, 0, 1, 0, 1;
    const MixtureParameters params = m_step(table.data, posterior, {});
    expect_true(distance(params.mixing_weights, Eigen::Vector2d(0.6, 0.4)) < 1e-15);
    expect_true(std::abs(params.item_probs(0, 0) - 2.0 / 3.0) < 1e-15);
    expect_true(params.item_probs(0, 1) == 0.0);
  }

  test_that("a component without weight on an item takes its observed frequencies") {
    const Table table = table_of({{1, 2, 0, 0}, {1, 2, 2, 1}}, {3, 2});
    RowMatrix posterior(4, 2);
    posterior << 1, 0, 1, 0, 0, 1, 0, 1;  // component 2 sees item 1 nowhere
    const RowMatrix probs = m_step(table.data, posterior, {}).item_probs;
    expect_true(distance(probs.col(1).head(3), Eigen::Vector3d(0.5, 0.5, 0.0)) < 1e-15);
    posterior.col(0).setOnes();
    posterior.col(1).setZero();  // and now it sees nothing at all
    const RowMatrix empty = m_step(table.data, posterior, {}).item_probs;
    expect_true(distance(empty.col(0), empty.col(1)) < 1e-15);
  }

  test_that("smoothing adds its pseudo-count, spread like the observed frequencies") {
    Random random(5);
    const Table table = random_table(random, {25, {3, 2}, 0.2, true});
    const RowMatrix posterior = random_posterior(random, 25, 2);
    const RowMatrix counts = level_counts(table.data, posterior);
    const RowMatrix probs = m_step(table.data, posterior, options_of(1.5, 0.0)).item_probs;
    for (Index k = 0; k < 2; ++k) {
      const double total = counts.col(k).head(3).sum();
      for (Index r = 0; r < 3; ++r) {
        const double expected = (counts(r, k) + 1.5 * table.data.marginal(0, r)) / (total + 1.5);
        expect_true(std::abs(probs(r, k) - expected) < 1e-15);
      }
    }
    const RowMatrix strong = m_step(table.data, posterior, options_of(1e15, 0.0)).item_probs;
    const Vector frequencies = independence_model(table.data).item_probs;
    expect_true(distance(strong.col(0), frequencies) < 1e-12);  // counts over 1e15
  }

  test_that("prior counts are counts, and their log-density is what they add to the maximum") {
    Random random(10);
    const Table table = random_table(random, {30, {3, 2}, 0.2, true});
    const RowMatrix posterior = random_posterior(random, 30, 2);
    const RowMatrix counts = level_counts(table.data, posterior);
    MStepOptions options = options_of(0.5, 0.0);
    options.prior_counts = RowMatrix::Constant(5, 3, 0.7);
    expect_error_as(m_step(table.data, posterior, options), DimensionError);
    options.prior_counts = RowMatrix::Constant(5, 2, 0.7);
    const MixtureParameters best = m_step(table.data, posterior, options);
    double expected = 0.0;
    for (Index k = 0; k < 2; ++k) {
      const double total = counts.col(k).head(3).sum() + 0.5 + 3 * 0.7;
      for (Index r = 0; r < 3; ++r) {
        const double prior = 0.5 * table.data.marginal(0, r) + 0.7;
        expect_true(std::abs(best.item_probs(r, k) - (counts(r, k) + prior) / total) < 1e-15);
        expected += prior * std::log(best.item_probs(r, k));
      }
    }
    expect_true(std::abs(log_prior(table.data, best, options, {0}) - expected) < 1e-13);
    expect_true(log_prior(table.data, best, {}, {0, 1}) == 0.0);
    const auto objective = [&](const MixtureParameters& params) {
      return expected_loglik(table, posterior, params) +
             log_prior(table.data, params, options, {0, 1});
    };
    for (int trial = 0; trial < 100; ++trial) {
      const MixtureParameters other = random_parameters(random, table.data.n_levels, 2);
      const double step = std::pow(10.0, -4.0 * random.uniform());
      const MixtureParameters moved{best.mixing_weights,
                                    (1.0 - step) * best.item_probs + step * other.item_probs};
      expect_true(objective(moved) < objective(best));
    }
  }

  test_that("the floor lifts low probabilities and scales the others by one factor") {
    Random random(6);
    for (const Index n_levels : {2, 3, 7, 40}) {
      std::vector<int> codes(n_levels);
      std::iota(codes.begin(), codes.end(), 1);
      const Table table = table_of({codes}, {n_levels});
      for (const double floor : {1e-6, 0.002, 0.02, 0.9 / static_cast<double>(n_levels)}) {
        const RowMatrix before = random_parameters(random, {n_levels}, 3).item_probs;
        RowMatrix after = before;
        apply_floor(table.data, floor, after);
        for (Index k = 0; k < 3; ++k) {
          expect_true(distance(after.col(k), floor_twin(before.col(k), floor)) < 1e-14);
        }
        // Scaling back to a sum of one may round a lifted level by a last digit, no more.
        expect_true(after.minCoeff() >= floor * (1.0 - 1e-15));
        expect_true(largest_sum_error(table.data, after) < 1e-14);
      }
    }
  }

  test_that("the floor leaves probabilities alone that are high enough, and none is lifted by 0") {
    Random random(7);
    const Table table = random_table(random, {50, {2, 3}});
    const RowMatrix before = m_step(table.data, random_posterior(random, 50, 2), {}).item_probs;
    RowMatrix after = before;
    apply_floor(table.data, 0.0, after);
    expect_true(after == before);
    apply_floor(table.data, 0.5 * before.minCoeff(), after);
    expect_true(after == before);
  }

  test_that("the floor never gives a level that was not seen a probability") {
    const Table table = table_of({{1, 3, 3, 3}, {2, 2, 2, 2}}, {4, 2});
    RowMatrix probs = independence_model(table.data).item_probs;
    probs.col(0).head(4) << 0.001, 0.0, 0.999, 0.0;
    apply_floor(table.data, 0.01, probs);
    const Vector expected = (Vector(6) << 0.01, 0.0, 0.99, 0.0, 0.0, 1.0).finished();
    expect_true(distance(probs.col(0), expected) < 1e-15);
  }

  test_that("a floor above what the seen levels can share makes them equal") {
    Random random(8);
    double largest = 0.0;
    for (Index n_seen = 1; n_seen < 254; ++n_seen) {
      std::vector<int> codes(n_seen);
      std::iota(codes.begin(), codes.end(), 1);
      const Table table = table_of({codes}, {n_seen + 1});  // the last level is never seen
      RowMatrix probs(n_seen + 1, 1);
      probs << random.probabilities(n_seen), 0.0;
      apply_floor(table.data, 0.7, probs);
      Vector expected = Vector::Constant(n_seen + 1, 1.0 / static_cast<double>(n_seen));
      expected[n_seen] = 0.0;
      largest = std::max(largest, distance(probs, expected));
    }
    expect_true(largest < 1e-13);  // 254 subtractions from one
  }

  test_that("a case weight of 2 is a row twice") {
    Random random(9);
    const Table weighted = random_table(random, {30, {2, 3}, 0.2, true});
    const RowMatrix posterior = random_posterior(random, 30, 2);
    const MixtureParameters once = m_step(weighted.data, posterior, options_of(0.5, 0.01));
    const Table repeated = write_out_weights(weighted);
    const MixtureParameters twice = m_step(
        repeated.data, pick(posterior, repeat_by_weight(weighted.data)), options_of(0.5, 0.01));
    expect_true(distance(once.mixing_weights, twice.mixing_weights) < 1e-14);
    expect_true(distance(once.item_probs, twice.item_probs) < 1e-14);
  }

  test_that("a single row is fitted exactly") {
    const Table table = table_of({{2}, {1}}, {3, 1});
    const MixtureParameters params = m_step(table.data, RowMatrix::Constant(1, 2, 0.5), {});
    const Vector expected = (Vector(4) << 0.0, 1.0, 0.0, 1.0).finished();
    expect_true(distance(params.item_probs.col(0), expected) == 0.0);
    expect_true(distance(params.item_probs.col(1), expected) == 0.0);
  }
}

}  // namespace mdpd
