#include "model/evidence.h"

#include <testthat.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/crowd_prior.h"
#include "model/refine.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Log probability of the answers of one column in some order, each predicted from those before it:
/// Polya's urn, which needs no gamma function. Counts are whole.
double log_urn(const Vector& counts, const Vector& pseudo_counts) {
  double sum = 0.0;
  double n = 0.0;
  for (Index r = 0; r < counts.size(); ++r) {
    for (double seen = 0.0; seen < counts[r]; seen += 1.0, n += 1.0) {
      sum += std::log((pseudo_counts[r] + seen) / (pseudo_counts.sum() + n));
    }
  }
  return sum;
}

double log_urns(const RowMatrix& counts, const RowMatrix& centre, double c) {
  double sum = 0.0;
  for (Index k = 0; k < counts.cols(); ++k) {
    sum += log_urn(counts.col(k), c * centre.col(centre.cols() > 1 ? k : 0));
  }
  return sum;
}

/// Mean of an item's columns, each worth what its answers are under a concentration; its columns are
/// counts.
Vector slow_centre(const RowMatrix& own, double c) {
  Vector sum = Vector::Zero(own.rows());
  for (Index k = 0; k < own.cols(); ++k) sum += own.col(k) / (own.col(k).sum() + c + 1.0);
  return sum / sum.sum();
}

/// Of each component its label, one to one, by trying all.
std::vector<Index> slow_labels(const RowMatrix& crowd) {
  std::vector<Index> labels(crowd.cols());
  std::iota(labels.begin(), labels.end(), Index{0});
  std::vector<Index> best;
  double most = -1.0;
  do {
    double sum = 0.0;
    for (Index k = 0; k < crowd.cols(); ++k) sum += crowd(labels[k], k);
    if (sum > most) best = labels;
    most = std::max(most, sum);
  } while (std::next_permutation(labels.begin(), labels.end()));
  return best;
}

/// Right and wrong answers of an item, after those that a crowd of as many labels as components is
/// worth at a concentration.
struct RightAndWrong {
  Vector counts = Vector::Zero(2);
  Vector prior = Vector::Zero(2);
};

RightAndWrong right_and_wrong(const RowMatrix& counts, const RowMatrix& own, const RowMatrix& crowd,
                              double c) {
  RightAndWrong out;
  const std::vector<Index> labels = slow_labels(crowd);
  for (Index k = 0; k < crowd.cols(); ++k) {
    out.counts[0] += own(labels[k], k);
    out.prior[0] += c * crowd(labels[k], k) * counts.col(k).sum() / counts.sum();
  }
  out.counts[1] = own.sum() - out.counts[0];
  out.prior[1] = c - out.prior[0];
  return out;
}

/// Has each of two labels at least a quarter of the answers?
bool has_two_common_labels(const CodedData& data) {
  Vector answers = Vector::Zero(data.n_levels.front());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index r = 0; r < answers.size(); ++r) {
      answers[r] += data.level_weight[data.offset[item] + r];
    }
  }
  return answers.size() == 2 && answers.minCoeff() >= 0.25 * answers.sum();
}

/// Log Bayes factors of an item as vignette("method") has them, against the spike.
/// @param shared of which `overlap` is made.
Vector slow_factors(const Table& table, const RowMatrix& counts, const Matrix& shared, Index item,
                    const ItemPrior& prior) {
  const CodedData& data = table.data;
  const RowMatrix own = counts.middleRows(data.offset[item], data.n_levels[item]);
  const Vector all = own.rowwise().sum();
  const double n = all.sum();
  double spike = 0.0;
  double n_seen = 0.0;
  for (Index r = 0; r < all.size(); ++r) {
    if (all[r] > 0.0) spike += all[r] * std::log(all[r] / n);
    if (all[r] > 0.0) n_seen += 1.0;
  }
  Vector out = Vector::Zero(prior.weights.size());
  for (Index at = 0; at < n_concentrations; ++at) {
    const double c = concentration(at);
    double rows = 0.0;
    for (Index k = 0; k < own.cols(); ++k) {
      const double n_k = own.col(k).sum();
      rows += n_k * (c + 1.0) / (n_k + c + 1.0);
    }
    const Matrix prior_answers = c * Matrix::Identity(own.cols(), own.cols());
    const Matrix sure = shared.rowwise().sum().asDiagonal();
    const double ratio =
        (prior_answers + n * sure).determinant() / (prior_answers + n * shared).determinant();
    out[1 + at] = log_urns(own, slow_centre(own, c), c) - spike +
                  0.5 * (n_seen - 1.0) * (std::log(n / rows) + std::log(ratio));
    if (prior.crowd.size() > 0 && c > 13.5 && has_two_common_labels(data)) {
      out[1 + n_concentrations + at] = out[1 + 2 * n_concentrations + at] = -HUGE_VAL;
    } else if (prior.crowd.size() > 0) {
      out[1 + n_concentrations + at] =
          log_urns(own, prior.crowd, c) - log_urn(all, Vector::Ones(all.size()));
      const RightAndWrong one = right_and_wrong(counts, own, prior.crowd, c);
      const auto n_wrong_labels = static_cast<double>(all.size() - 1);
      out[1 + 2 * n_concentrations + at] = log_urn(one.counts, one.prior) -
                                           one.counts[1] * std::log(n_wrong_labels) -
                                           log_urn(all, Vector::Ones(all.size()));
    }
  }
  return out;
}

/// 150 answers of one worker, as many of each label.
Table worker_of_three_labels() {
  std::vector<std::vector<int>> codes(1, std::vector<int>(150));
  for (int n = 0; n < 150; ++n) codes[0][n] = 1 + n % 3;
  return table_of(codes, {3});
}

/// Of a posterior of whole rows.
Overlap no_overlap(Index n_components) {
  const double share = 1.0 / static_cast<double>(n_components);
  return Overlap(share * Matrix::Identity(n_components, n_components));
}

/// A posterior of whole rows, so that counts are whole.
RowMatrix whole_posterior(Random& random, Index n_obs, Index n_components) {
  RowMatrix out = RowMatrix::Zero(n_obs, n_components);
  for (Index n = 0; n < n_obs; ++n) out(n, random.below(n_components)) = 1.0;
  return out;
}

Overlap overlap_of(const RowMatrix& posterior) {
  return Overlap(posterior.transpose() * posterior / static_cast<double>(posterior.rows()));
}

/// Of rows of which it is sure in what component they are.
RowMatrix sure_posterior(const std::vector<Index>& components, Index n_components) {
  RowMatrix out = RowMatrix::Zero(static_cast<Index>(components.size()), n_components);
  for (std::size_t n = 0; n < components.size(); ++n) {
    out(static_cast<Index>(n), components[n]) = 1.0;
  }
  return out;
}

}  // namespace

context("evidence") {
  test_that("items are weighed as by prediction of one answer after another") {
    Random random(1);
    const Table table = random_table(random, {60, {2, 3, 5, 2}, 0.2});
    const RowMatrix posterior = whole_posterior(random, 60, 3);
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    const RowMatrix counts = level_sums(table.data, posterior, all).levels;
    ItemPrior prior = flat_prior();
    const RowMatrix soft = 0.8 * posterior + 0.2 * random_posterior(random, 60, 3);
    const Matrix shared = shared_weight(table.data, soft, soft);
    const ItemEvidence evidence = weigh_items(table.data, counts, Overlap(shared), 1, prior);
    const ItemPrior flat = flat_prior();
    Vector mean = Vector::Zero(flat.weights.size());
    for (Index item = 0; item < 4; ++item) {
      const Vector factors = slow_factors(table, counts, shared, item, flat).array().exp();
      const Vector shares = factors.cwiseProduct(flat.weights);
      mean += shares / shares.sum() / 4.0;
    }
    expect_true((prior.weights - mean).cwiseAbs().maxCoeff() < 1e-9);
    for (Index item = 0; item < 4; ++item) {
      const Vector factors = slow_factors(table, counts, shared, item, flat).array().exp();
      const Vector shares = factors.cwiseProduct(mean);
      expect_true(std::abs(evidence.gain[item] - std::log(shares.sum())) < 1e-9);
      const Vector difference = evidence.shares.row(item).transpose() - shares / shares.sum();
      expect_true(difference.cwiseAbs().maxCoeff() < 1e-9);
    }
  }

  test_that("workers are weighed against the crowd's columns too, also with one label seen") {
    for (const Index n_labels : {2, 3, 5, 9}) {
      Random random(2);
      const Index n_obs = 15 * n_labels;
      std::vector<std::vector<int>> codes(3, std::vector<int>(n_obs));
      for (auto& item : codes) {
        for (int& code : item) code = static_cast<int>(random.below(n_labels + 1));
      }
      for (int& code : codes[2]) code = code == 0 ? 0 : 2;
      const Table table = table_of(codes, {n_labels, n_labels, n_labels});
      const RowMatrix posterior = whole_posterior(random, n_obs, n_labels);
      const ReadyItems all = make_ready(table.data, all_items(table.data));
      const RowMatrix counts = level_sums(table.data, posterior, all).levels;
      ItemPrior flat = flat_prior_of_crowd(table.data, counts);
      // Columns of which it is clear what label each is.
      flat.crowd = crowd_columns(table.data, counts, Vector::Ones(3));
      flat.pseudo_counts = flat.crowd;
      ItemPrior prior = flat;
      const ItemEvidence evidence = weigh_items(table.data, counts, no_overlap(n_labels), 1, prior);
      const Matrix shared = Matrix::Identity(n_labels, n_labels) / static_cast<double>(n_labels);
      for (Index item = 0; item < 3; ++item) {
        Vector factors = slow_factors(table, counts, shared, item, flat).array().exp();
        if (item == 2) factors.segment(1, n_concentrations).setZero();
        const Vector shares = factors.cwiseProduct(prior.weights);
        expect_true(std::abs(evidence.gain[item] - std::log(shares.sum())) < 1e-9);
      }
      if (n_labels == 3) expect_true(evidence.least_inclusion()[2] > 0.0);
    }
  }

  test_that("one column that is drawn to what all answer is weighed against any column") {
    Random random(5);
    const Table table = random_table(random, {200, {3, 3, 3, 3}, 0.3, true});
    const Vector fast = gain_of_alike(table.data);
    Vector of_all = Vector::Ones(3);
    for (Index at = 0; at < 12; ++at) of_all[at % 3] += table.data.level_weight[at];
    of_all /= of_all.sum();
    for (Index item = 0; item < 4; ++item) {
      const Vector answers = table.data.level_weight.segment(table.data.offset[item], 3);
      const double of_any = log_urn(answers, Vector::Ones(3));
      double sum = 1.0;
      for (Index at = 0; at < n_concentrations; ++at) {
        sum += std::exp(log_urn(answers, concentration(at) * of_all) - of_any);
      }
      const double slow = std::log(sum / (1.0 + static_cast<double>(n_concentrations)));
      expect_true(std::abs(fast[item] - std::max(0.0, slow)) < 1e-9);
    }
    expect_true(fast.maxCoeff() > 0.0);
  }

  test_that("posterior means are those of every share's own Dirichlet, and sum to 1") {
    Random random(3);
    const Table table = random_table(random, {50, {2, 4}, 0.1, true});
    const RowMatrix posterior = random_posterior(random, 50, 2);
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    const LevelSums sums = level_sums(table.data, posterior, all);
    ItemPrior prior = flat_prior();
    const ItemEvidence evidence = weigh_items(table.data, sums.levels, no_overlap(2), 1, prior);
    const MixtureParameters params = posterior_means(table.data, sums, evidence, prior);
    for (Index item = 0; item < 2; ++item) {
      const Index first = table.data.offset[item];
      const Index n = table.data.n_levels[item];
      for (Index k = 0; k < 2; ++k) {
        const Vector counts = sums.levels.col(k).segment(first, n);
        for (Index r = 0; r < n; ++r) {
          double mean = evidence.shares(item, 0) * table.data.marginal(item, r);
          for (Index at = 0; at < n_concentrations; ++at) {
            const double c = concentration(at);
            const double centre = slow_centre(sums.levels.middleRows(first, n), c)[r];
            mean += evidence.shares(item, 1 + at) * (c * centre + counts[r]) / (c + counts.sum());
          }
          expect_true(std::abs(params.item_probs(first + r, k) - mean) < 1e-14);
        }
        expect_true(std::abs(params.item_probs.col(k).segment(first, n).sum() - 1.0) < 1e-14);
      }
    }
    expect_true(std::abs(params.mixing_weights.sum() - 1.0) < 1e-14);
  }

  test_that("the doubt of columns is how far expected logarithms of their answers lie lower") {
    Random random(7);
    const Table table = random_table(random, {300, {2, 4, 1}, 0.1, true});
    const RowMatrix posterior = random_posterior(random, 300, 2);
    const RowMatrix counts = level_counts(table.data, posterior);
    const auto digamma = [](double x) {
      const double step = 1e-4 * x;
      return (std::lgamma(x + step) - std::lgamma(x - step)) / (2.0 * step);
    };
    ItemEvidence evidence;
    for (Index at = 0; at < n_concentrations; ++at) {
      const double c = concentration(at);
      Vector slow = Vector::Zero(2);
      for (Index item = 0; item < 3; ++item) {
        const Index n = table.data.n_levels[item];
        const RowMatrix own = counts.middleRows(table.data.offset[item], n);
        const Vector centre = slow_centre(own, c);
        for (Index k = 0; k < 2; ++k) {
          const double total = c + own.col(k).sum();
          for (Index r = 0; r < n; ++r) {
            const double column = c * centre[r] + own(r, k);
            slow[k] +=
                column / total * (std::log(column / total) - digamma(column) + digamma(total));
          }
        }
      }
      evidence.shares = RowMatrix::Zero(3, 1 + n_concentrations);
      evidence.shares.col(1 + at).setConstant(0.75);
      evidence.shares.col(0).setConstant(0.25);
      const Vector doubt = doubt_of_columns(table.data, counts, evidence);
      expect_true((doubt - 0.75 * slow).cwiseAbs().maxCoeff() < 0.02 * slow.maxCoeff());
    }
    evidence.shares.setZero();
    evidence.shares.col(0).setOnes();
    expect_true(doubt_of_columns(table.data, counts, evidence).isZero(0.0));
  }

  test_that("rows that go less to unsure columns end with more evidence") {
    Random random(12);
    for (int trial = 0; trial < 5; ++trial) {
      const std::vector<Index> n_levels(20, 3);
      const Table table = draw_table(random, planted_mixture(random, n_levels, 20, 0.5),
                                     {200, n_levels, 0.0, false});
      RefineOptions options;
      options.type = Refinement::kEvidence;
      Monitor monitor;
      const RowMatrix start = random_posterior(random, table.data.n_obs, 3);
      const FitRun plain = refine(table.data, start, {}, options, monitor);
      options.discounts_unsure = true;
      options.item_prior = plain.fit.item_prior;
      const FitRun run = refine(table.data, plain.fit.e_step.posterior, {}, options, monitor);
      expect_true(run.fit.evidence >= plain.fit.evidence);
    }
  }

  test_that("sure rows do not overlap, and no row counts as less than a quarter of one") {
    Random random(6);
    const Table table = random_table(random, {40, {2}, 0.0, true});
    const RowMatrix sure = whole_posterior(random, 40, 3);
    const Overlap none(shared_weight(table.data, sure, sure));
    Vector sizes = none.shares;
    std::sort(sizes.data(), sizes.data() + sizes.size());
    expect_true(distance(none.eigenvalues, sizes) < 1e-12);
    const RowMatrix equal = RowMatrix::Constant(40, 2, 0.5);
    const Overlap all(shared_weight(table.data, equal, equal));
    expect_true(distance(all.shares, Vector::Constant(2, 0.5)) < 1e-12);
    // Of the sum of both columns everything is known.
    expect_true(distance(all.eigenvalues, (Vector(2) << 0.125, 0.5).finished()) < 1e-12);
  }

  test_that("workers who do not look at what they label do not move the crowd's columns") {
    Random random(7);
    RowMatrix posterior = RowMatrix::Zero(300, 2);
    for (Index n = 0; n < 300; ++n) posterior(n, n % 2) = 1.0;
    std::vector<std::vector<int>> codes(9, std::vector<int>(300));
    for (std::size_t item = 0; item < 9; ++item) {
      const double right = item < 3 ? 0.9 : 0.5;
      for (Index n = 0; n < 300; ++n) {
        codes[item][n] = static_cast<int>(random.uniform() < right ? n % 2 : 1 - n % 2) + 1;
      }
    }
    const Table table = table_of(codes, std::vector<Index>(9, 2));
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    const RowMatrix counts = level_sums(table.data, posterior, all).levels;
    const ItemPrior prior = flat_prior_of_crowd(table.data, counts);
    expect_true(std::abs(prior.crowd(0, 0) - 0.9) < 0.05);
    expect_true(distance(prior.pseudo_counts, 100.0 * prior.crowd) < 1e-12);
    const RowMatrix of_all = crowd_columns(table.data, counts, Vector::Ones(9));
    expect_true(of_all(0, 0) < 0.7);
  }

  test_that("a rare label's columns are drawn to the first votes by fewer answers") {
    const Table table = table_of({{1, 2, 1, 2, 1}, {1, 2, 2, 2, 1}}, {2, 2});
    const auto pull_at = [&](double share) {
      RowMatrix counts(4, 2);
      for (Index level = 0; level < 4; ++level)
        counts.row(level) << 50.0 * (1.0 - share), 50.0 * share;
      ItemPrior prior = flat_prior_of_crowd(table.data, counts);
      const Vector pull = prior.pseudo_counts.colwise().sum();
      update_crowd(table.data, counts, RowMatrix::Zero(2, prior.weights.size()), prior);
      expect_true(prior.crowd.allFinite());
      return pull;
    };
    expect_true(std::abs(pull_at(0.5)[1] - 100.0) < 1e-9);
    expect_true(std::abs(pull_at(0.25)[1] - 100.0) < 1e-9);
    expect_true(std::abs(pull_at(0.25)[0] - 100.0) < 1e-9);
    expect_true(std::abs(pull_at(0.05)[1] - 4.0) < 1e-9);
    expect_true(std::abs(pull_at(0.0)[1] - 1.0) < 1e-9);
    expect_true(std::abs(pull_at(0.0)[0] - 100.0) < 1e-9);
    // Three components of two labels are kinds, however rare.
    RowMatrix kinds(4, 3);
    for (Index level = 0; level < 4; ++level) kinds.row(level) << 40.0, 9.0, 1.0;
    const Vector pull =
        flat_prior_of_crowd(table.data, kinds).pseudo_counts.colwise().sum().transpose();
    expect_true((pull.array() - 100.0).abs().maxCoeff() < 1e-9);
  }

  test_that("the number of rows in the components has the evidence of a uniform prior") {
    RowMatrix counts(1, 3);
    counts << 3.0, 0.0, 2.0;
    const Vector column = counts.row(0);
    const double of_one_order = log_urn(column, Vector::Ones(3));
    const Overlap sure = overlap_of(sure_posterior({0, 0, 0, 2, 2}, 3));
    const double certain = component_evidence(counts, 0.0, sure);
    expect_true(std::abs(certain - of_one_order - std::log(6.0)) < 1e-12);
    // Of components that have each row alike all orders are one; else as many as they are apart.
    const double most = 5.0 * std::log(3.0);
    expect_true(std::abs(component_evidence(counts, most, sure) - of_one_order) < 1e-12);
    expect_true(std::abs(component_evidence(counts, most - 0.5, sure) - of_one_order - 0.5) <
                1e-12);
  }

  test_that("of components that are the same all orders are one") {
    // One that has half of the rows, two that have the others alike, and three more.
    RowMatrix posterior = RowMatrix::Zero(24, 6);
    posterior.col(0).head(12).setOnes();
    posterior.block(12, 1, 6, 2).setConstant(0.5);
    posterior.block(18, 3, 6, 3).setConstant(1.0 / 3.0);
    const RowMatrix counts = posterior.colwise().sum();
    const double of_one_order = log_urn(counts.row(0).transpose(), Vector::Ones(6));
    const double found = component_evidence(counts, 0.0, overlap_of(posterior));
    expect_true(std::abs(found - of_one_order - std::log(720.0 / (2.0 * 6.0))) < 1e-12);
    // Two between which a row is all that tells are the same in part.
    posterior.row(12) << 0.0, 0.9, 0.1, 0.0, 0.0, 0.0;
    const double nearly = component_evidence(counts, 0.0, overlap_of(posterior));
    expect_true(nearly > found + 0.1);
    expect_true(nearly < found + std::log(2.0) - 0.1);
  }

  test_that("the crowd's columns end where the workers' answers have most evidence") {
    Random random(4);
    std::vector<std::vector<int>> codes(20, std::vector<int>(30));
    RowMatrix posterior = RowMatrix::Zero(30, 2);
    for (Index n = 0; n < 30; ++n) posterior(n, n % 2) = 1.0;
    for (auto& item : codes) {
      const double right = 0.6 + 0.3 * random.uniform();
      for (Index n = 0; n < 30; ++n) {
        item[n] = static_cast<int>(random.uniform() < right ? n % 2 : 1 - n % 2) + 1;
      }
    }
    const Table table = table_of(codes, std::vector<Index>(20, 2));
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    const RowMatrix counts = level_sums(table.data, posterior, all).levels;
    ItemPrior prior = flat_prior_of_crowd(table.data, counts);
    prior.pseudo_counts.setZero();
    for (int step = 0; step < 2000; ++step) {
      const ItemEvidence evidence = weigh_items(table.data, counts, no_overlap(2), 1, prior);
      update_crowd(table.data, counts, evidence.shares, prior);
    }
    const auto total = [&](const ItemPrior& at) {
      ItemPrior copy = at;
      return weigh_items(table.data, counts, no_overlap(2), 1, copy).gain.sum();
    };
    const double best = total(prior);
    for (const double step : {-0.02, 0.02}) {
      ItemPrior moved = prior;
      moved.crowd(0, 0) += step;
      moved.crowd(1, 0) -= step;
      expect_true(total(moved) < best);
    }
    expect_true(prior.crowd(0, 0) > 0.6);
  }

  test_that("workers of two common labels are drawn to the crowd by few answers, others by more") {
    // Nine workers, all of whom are right in three quarters of 120 rows. Label 2 has a half, a fifth and
    // a third of the rows.
    const std::vector<Index> n_labels{2, 2, 3};
    const std::vector<Index> period{2, 5, 3};
    for (std::size_t at = 0; at < 3; ++at) {
      std::vector<Index> of_row(120);
      for (Index n = 0; n < 120; ++n) {
        const Index label = n % period[at];
        of_row[n] = label < n_labels[at] ? label : 0;
      }
      std::vector<std::vector<int>> codes(9, std::vector<int>(120));
      for (Index item = 0; item < 9; ++item) {
        for (Index n = 0; n < 120; ++n) {
          const bool is_wrong = (n / period[at] + item) % 4 == 0 && (at != 1 || of_row[n] == 1);
          codes[item][n] = static_cast<int>((of_row[n] + (is_wrong ? 1 : 0)) % n_labels[at]) + 1;
        }
      }
      const Table table = table_of(codes, std::vector<Index>(9, n_labels[at]));
      const RowMatrix posterior = sure_posterior(of_row, n_labels[at]);
      const ReadyItems all = make_ready(table.data, all_items(table.data));
      const RowMatrix counts = level_sums(table.data, posterior, all).levels;
      ItemPrior prior = flat_prior_of_crowd(table.data, counts);
      const ItemEvidence items =
          weigh_items(table.data, counts, no_overlap(n_labels[at]), 200, prior);
      double of_tight = 0.0;
      for (Index family = 1; family < n_families_of_crowd; ++family) {
        of_tight += items.shares.middleCols(1 + family * n_concentrations + 4, 4).sum();
      }
      expect_true(has_two_common_labels(table.data) == (at == 0));
      const bool is_as_said = at == 0 ? of_tight == 0.0 : of_tight > 8.0;
      expect_true(is_as_said);
    }
  }

  test_that("a run that goes on with its prior goes on where it was") {
    Random random(5);
    std::vector<std::vector<int>> codes(24, std::vector<int>(200));
    RowMatrix start = RowMatrix::Constant(200, 2, 0.3);
    for (Index n = 0; n < 200; ++n) start(n, n % 2) = 0.7;
    for (auto& item : codes) {
      for (Index n = 0; n < 200; ++n) {
        item[n] = static_cast<int>(random.uniform() < 0.75 ? n % 2 : 1 - n % 2) + 1;
      }
    }
    const Table table = table_of(codes, std::vector<Index>(24, 2));
    RefineOptions options;
    options.type = Refinement::kEvidence;
    options.is_crowd = true;
    Monitor monitor;
    const FitRun first = refine(table.data, start, {}, options.at_most(30), monitor);
    const auto evidence_after = [&](const RefineOptions& from) {
      const RowMatrix& posterior = first.fit.e_step.posterior;
      return refine(table.data, posterior, {}, from.at_most(1), monitor).fit.evidence;
    };
    RefineOptions further = options;
    further.item_prior = first.fit.item_prior;
    // The first steps of a run are few.
    expect_true(std::abs(evidence_after(further) - first.fit.evidence) < 0.05);
    expect_true(evidence_after(options) < first.fit.evidence - 0.1);
    // What belongs to another number of components, or to no crowd, is begun anew.
    further.item_prior.crowd.conservativeResize(2, 1);
    expect_true(evidence_after(further) == evidence_after(options));
  }

  test_that("what items exclude for now can come back") {
    // 4000 rows of 200 levels in ten components, as many of each level in each: the spike.
    const Index n_levels = 200;
    std::vector<int> codes(4000);
    for (std::size_t n = 0; n < codes.size(); ++n) codes[n] = static_cast<int>(n) % 200 + 1;
    const Table table = table_of({codes, codes}, {n_levels, n_levels});
    const RowMatrix alike = RowMatrix::Constant(2 * n_levels, 10, 2.0);
    // And a component for every twenty levels.
    RowMatrix apart = RowMatrix::Zero(2 * n_levels, 10);
    for (Index row = 0; row < apart.rows(); ++row) apart(row, row % 10) = 20.0;
    const Overlap overlap(Matrix::Identity(10, 10) / 10.0);
    ItemPrior prior = flat_prior();
    weigh_items(table.data, apart, overlap, 20, prior);
    expect_true(prior.weights[0] == 0.0);
    const ItemEvidence found = weigh_items(table.data, alike, overlap, 20, prior);
    expect_true(found.gain.allFinite());
    expect_true(found.shares(0, 0) > 0.99);
    // As long as none does, it stays excluded.
    ItemPrior without = flat_prior();
    without.weights[3] = 0.0;
    weigh_items(table.data, alike, overlap, 20, without);
    expect_true(without.weights[3] == 0.0);
  }

  test_that("a crowd's columns cost what integrating over them loses") {
    // Two components, of one worker's 50 answers each; at a high concentration the answers of the
    // worker are the crowd's, so that the integral is a beta function.
    std::vector<std::vector<int>> codes(1, std::vector<int>(100, 2));
    for (Index n = 0; n < 30; ++n) codes[0][n] = 1;
    for (Index n = 50; n < 60; ++n) codes[0][n] = 1;
    const Table table = table_of(codes, {2});
    RowMatrix counts(2, 2);
    counts << 30.0, 10.0, 20.0, 40.0;
    ItemPrior prior = flat_prior_of_crowd(table.data, counts);
    ItemEvidence evidence{RowMatrix::Zero(1, prior.weights.size()), Vector::Zero(1)};
    evidence.shares(0, 2 * n_concentrations) = 1.0;
    const double cost = update_crowd(table.data, counts, evidence.shares, prior);
    double expected = 0.0;
    for (Index k = 0; k < 2; ++k) {
      const Vector column = counts.col(k);
      expected -= log_urn(column, Vector::Ones(2));
      for (Index r = 0; r < 2; ++r) expected += column[r] * std::log(column[r] / 50.0);
    }
    expect_true(std::abs(cost / expected - 1.0) < 0.05);
  }

  test_that("a label stays right where the crowd comes to answer another as often") {
    const Table table = worker_of_three_labels();
    RowMatrix counts(3, 3);
    counts << 40.0, 5.0, 5.0, 5.0, 40.0, 5.0, 5.0, 5.0, 40.0;
    ItemPrior prior = flat_prior_of_crowd(table.data, counts);
    const auto weigh = [&](double shift) {
      ItemPrior of_mistakes = prior;
      of_mistakes.crowd << 0.4, 0.4 - shift, 0.2, 0.4, 0.4 + shift, 0.2, 0.2, 0.2, 0.6;
      return weigh_items(table.data, counts, no_overlap(3), 0, of_mistakes);
    };
    const ItemEvidence before = weigh(1e-6);
    const ItemEvidence after = weigh(-1e-6);
    expect_true(distance(before.shares, after.shares) < 1e-4);
    expect_true(distance(before.gain, after.gain) < 1e-4);
    expect_true(before.shares.rightCols(n_concentrations).sum() > 0.5);
  }

  test_that("workers of one accuracy say how often the crowd is right, and not what it mistakes") {
    const Table table = worker_of_three_labels();
    RowMatrix counts(3, 3);
    counts << 30.0, 10.0, 20.0, 15.0, 40.0, 10.0, 5.0, 0.0, 20.0;
    ItemPrior prior = flat_prior_of_crowd(table.data, counts);
    prior.crowd << 0.5, 0.3, 0.2, 0.25, 0.5, 0.3, 0.25, 0.2, 0.5;
    prior.pseudo_counts.setZero();
    ItemEvidence evidence{RowMatrix::Zero(1, prior.weights.size()), Vector::Zero(1)};
    evidence.shares(0, 3 * n_concentrations) = 1.0;
    update_crowd(table.data, counts, evidence.shares, prior);
    RowMatrix expected(3, 3);
    expected << 0.6, 0.12, 0.24, 0.2, 0.8, 0.36, 0.2, 0.08, 0.4;
    // At the highest concentration an answer is worth nearly one.
    expect_true((prior.crowd - expected).cwiseAbs().maxCoeff() < 0.02);
    const LevelSums sums{counts, RowMatrix::Constant(1, 3, 50.0)};
    const MixtureParameters params = posterior_means(table.data, sums, evidence, prior);
    const RightAndWrong one = right_and_wrong(counts, counts, prior.crowd, concentration(7));
    const double right = (one.prior[0] + 90.0) / (one.prior.sum() + 150.0);
    for (Index k = 0; k < 3; ++k) {
      for (Index r = 0; r < 3; ++r) {
        const double expected_prob = r == k ? right : (1.0 - right) / 2.0;
        expect_true(std::abs(params.item_probs(r, k) - expected_prob) < 1e-12);
      }
    }
  }

  test_that("several threads weigh the items alike") {
    Random random(8);
    Table table = random_table(random, {20, std::vector<Index>(9000, 2), 0.2});
    const RowMatrix posterior = random_posterior(random, 20, 4);
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    const RowMatrix counts = level_sums(table.data, posterior, all).levels;
    const auto weigh = [&](int n_threads, ItemPrior& prior) {
      table.data.n_threads = n_threads;
      return weigh_items(table.data, counts, no_overlap(4), 1, prior);
    };
    ItemPrior prior_of_one = flat_prior();
    const ItemEvidence one = weigh(1, prior_of_one);
    ItemPrior prior_of_several = flat_prior();
    const ItemEvidence several = weigh(3, prior_of_several);
    expect_true(several.shares == one.shares);
    expect_true(several.gain == one.gain);
    expect_true(prior_of_several.weights == prior_of_one.weights);
  }
}

}  // namespace mdpd
