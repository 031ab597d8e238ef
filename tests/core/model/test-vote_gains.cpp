#include <testthat.h>

#include "base/numerics.h"
#include "model/vote_gains.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Entropy before less the expected entropy after the label, by Bayes' rule.
double gain_twin(const Vector& posterior, const Matrix& label_probs) {
  double gain = -posterior.unaryExpr([](double x) { return x_log_x(x); }).sum();
  for (Index r = 0; r < label_probs.rows(); ++r) {
    const Vector joint = posterior.cwiseProduct(label_probs.row(r).transpose());
    const double share = joint.sum();
    if (share > 0.0)
      gain += share * (joint / share).eval().unaryExpr([](double x) { return x_log_x(x); }).sum();
  }
  return gain;
}

/// The same of a class, which several components may stand for.
double class_gain_twin(const Vector& posterior, const Matrix& label_probs,
                       const std::vector<Index>& class_of, Index n_classes) {
  Vector classes = Vector::Zero(n_classes);
  Matrix joint = Matrix::Zero(label_probs.rows(), n_classes);
  for (Index k = 0; k < posterior.size(); ++k) {
    classes[class_of[k]] += posterior[k];
    joint.col(class_of[k]) += posterior[k] * label_probs.col(k);
  }
  Matrix of_class = Matrix::Constant(label_probs.rows(), n_classes, 1.0);
  for (Index y = 0; y < n_classes; ++y) {
    if (classes[y] > 0.0) of_class.col(y) = joint.col(y) / classes[y];
  }
  return gain_twin(classes, of_class);
}

/// Workers with label probabilities, some of them 0, and rows labelled at random.
Voters random_voters(Random& random, Index n_workers, Index n_obs, Index n_labels,
                     Index n_components) {
  Voters voters;
  for (Index worker = 0; worker < n_workers; ++worker) {
    Matrix probs(n_labels, n_components);
    for (Index k = 0; k < n_components; ++k) {
      probs.col(k) = random.probabilities(n_labels);
      if (worker % 3 == 0) probs.col(k) = Vector::Unit(n_labels, random.below(n_labels));
    }
    voters.label_probs.push_back(probs);
    voters.labelled.emplace_back();
    for (Index row = 0; row < n_obs; ++row) {
      if (random.uniform() < 0.1 * static_cast<double>(worker)) {
        voters.labelled.back().push_back(static_cast<std::uint32_t>(row));
      }
    }
  }
  return voters;
}

bool has_labelled(const Voters& voters, Index worker, Index row) {
  const std::vector<std::uint32_t>& rows = voters.labelled[worker];
  return std::count(rows.begin(), rows.end(), static_cast<std::uint32_t>(row)) > 0;
}

}  // namespace

context("vote_gains") {
  test_that("of classes that several components stand for it is what a vote says of the class") {
    Random random(3);
    RowMatrix posterior = random_posterior(random, 303, 5);
    posterior.row(7) << 0.5, 0.0, 0.0, 0.5, 0.0;  // certain of its class
    Voters voters = random_voters(random, 6, 303, 3, 5);
    voters.class_of = {0, 1, 3, 0, 1};  // no component stands for class 2
    const VoteGains out = vote_gains(posterior, voters, 1);
    for (Index row = 0; row < 303; ++row) {
      double sum = 0.0;
      for (Index worker = 0; worker < 6; ++worker) {
        sum += class_gain_twin(posterior.row(row), voters.label_probs[worker], voters.class_of, 4);
      }
      expect_true(std::abs(out.mean[row] - sum / 6.0) < 1e-11);  // rounding of a few logarithms
    }
    expect_true(out.mean[7] == 0.0);
    // Components that are one class each, whatever their numbers.
    voters.class_of = {4, 2, 0, 1, 3};
    const VoteGains one_each = vote_gains(posterior, voters, 1);
    voters.class_of = {};
    expect_true(distance(one_each.mean, vote_gains(posterior, voters, 1).mean) < 1e-11);
  }

  test_that("mean and best are those of Bayes' rule, one row and worker at a time") {
    for (Index n_components = 1; n_components <= 6; ++n_components) {
      Random random(n_components);
      // More rows than a block has, and not a multiple of four.
      const Index n_obs = n_components == 4 ? 4999 : 303;
      RowMatrix posterior = random_posterior(random, n_obs, n_components);
      posterior.row(7) = Vector::Unit(n_components, 0).transpose();
      const Voters voters = random_voters(random, 9, n_obs, 2 + n_components % 4, n_components);
      const VoteGains out = vote_gains(posterior, voters, 1);
      double worst = 0.0;
      bool right = true;
      for (Index row = 0; row < n_obs; ++row) {
        double sum = 0.0;
        double best = 0.0;
        for (Index worker = 0; worker < 9; ++worker) {
          const double gain = gain_twin(posterior.row(row), voters.label_probs[worker]);
          sum += gain;
          if (!has_labelled(voters, worker, row)) best = std::max(best, gain);
        }
        worst =
            std::max({worst, std::abs(out.mean[row] - sum / 9.0), std::abs(out.best[row] - best)});
        const Index chosen = out.best_worker[row];
        if (chosen == no_worker) {
          right = right && out.best[row] == 0.0 && best < 2e-12;
          continue;
        }
        const double gain = gain_twin(posterior.row(row), voters.label_probs[chosen]);
        right = right && !has_labelled(voters, chosen, row) && std::abs(gain - best) < 3e-12;
      }
      expect_true(worst < 3e-12);
      expect_true(right);
      expect_true(out.mean[7] == 0.0);
    }
  }

  test_that("neither threads nor the other rows change a bit") {
    Random random(11);
    const Index n_obs = 9000;
    const RowMatrix posterior = random_posterior(random, n_obs, 3);
    const Voters voters = random_voters(random, 4, n_obs, 3, 3);
    const VoteGains one = vote_gains(posterior, voters, 1);
    const VoteGains three = vote_gains(posterior, voters, 3);
    expect_true(one.mean == three.mean);
    expect_true(one.best == three.best);
    expect_true(one.best_worker == three.best_worker);
    Voters of_last{voters.label_probs, std::vector<std::vector<std::uint32_t>>(4)};
    for (Index worker = 0; worker < 4; ++worker) {
      if (has_labelled(voters, worker, n_obs - 1)) of_last.labelled[worker] = {0};
    }
    const VoteGains last = vote_gains(posterior.bottomRows(1), of_last, 1);
    expect_true(last.mean[0] == one.mean[n_obs - 1]);
    expect_true(last.best[0] == one.best[n_obs - 1]);
    expect_true(last.best_worker[0] == one.best_worker[n_obs - 1]);
  }

  test_that("without workers or rows nothing is gained") {
    Random random(12);
    const VoteGains no_workers = vote_gains(random_posterior(random, 5, 2), {}, 1);
    expect_true(no_workers.mean == Vector::Zero(5));
    expect_true(no_workers.best_worker == std::vector<Index>(5, no_worker));
    expect_true(vote_gains(RowMatrix(0, 2), random_voters(random, 2, 0, 2, 2), 1).mean.size() == 0);
  }
}

}  // namespace mdpd
