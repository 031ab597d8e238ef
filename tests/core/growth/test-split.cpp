#include <testthat.h>

#include "data/row_sums.h"
#include "growth/split.h"
#include "model/posterior.h"
#include "pairs/dependence.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Everything a SplitProblem refers to.
struct Case {
  Table table;
  MixtureParameters params;
  RowMatrix weights;
  MissingCells missing;
  Index component;

  SplitProblem problem() const {
    const CodedData& data = table.data;
    const Vector probs = params.item_probs.col(component);
    return {data,
            weights,
            component,
            0,
            1,
            probs.head(data.n_levels[0]),
            probs.segment(data.offset[1], data.n_levels[1]),
            missing};
  }
};

/// Data from one mixture under the posterior of another, so that the two items depend within it.
Case random_case(std::uint64_t seed, Index n_components, Index n_levels_1, Index n_levels_2,
                 double missing_share, MissingCells missing) {
  Random random(seed);
  const std::vector<Index> n_levels = {n_levels_1, n_levels_2, 3};
  const MixtureParameters truth = random_parameters(random, n_levels, 3);
  Table table = draw_table(random, truth, {150, n_levels, missing_share, true});
  MixtureParameters params = random_parameters(random, n_levels, n_components);
  // Away from the edge, where second derivatives are large and differences of them lose digits.
  params.item_probs.array() += 0.1;
  for (Index item = 0; item < 3; ++item) {
    auto block = params.item_probs.middleRows(table.data.offset[item], n_levels[item]);
    block = (block.array().rowwise() / block.colwise().sum().array()).eval();
  }
  const RowMatrix posterior = e_step(table.data, params, {0, 1, 2}).posterior;
  const RowMatrix weights = row_shares(table.data, posterior);
  const Index component = random.below(n_components);
  return {std::move(table), std::move(params), weights, missing, component};
}

double split_objective(const SplitProblem& problem, const Vector& d) {
  return SplitObjective(problem)(d);
}

/// A move of both items; each block sums to zero.
Vector random_move(Random& random, const SplitProblem& problem) {
  Vector d(problem.probs_1.size() + problem.probs_2.size());
  d << random.probabilities(problem.probs_1.size()) - problem.probs_1,
      random.probabilities(problem.probs_2.size()) - problem.probs_2;
  return d;
}

/// Second derivative of the objective along d at 0.
double second_derivative(const SplitProblem& problem, const Vector& d) {
  // The error is about h^2 from the stencil and 1e-16 / h^2 from rounding, relative to the value.
  const double h = 1e-3;
  const double centre = split_objective(problem, Vector::Zero(d.size()));
  return (split_objective(problem, h * d) - 2.0 * centre + split_objective(problem, -h * d)) /
         (h * h);
}

/// Calls `check(problem, random)` over component counts, level counts and both kinds of missing.
template <class Check>
void for_each_case(Check check) {
  std::uint64_t seed = 1;
  for (const Index n_components : {1, 2, 3, 4}) {
    for (const Index n_levels : {2, 3, 4, 5}) {
      for (const double share : {0.0, 0.25}) {
        for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
          const Index n_levels_2 = 2 + (n_levels + n_components) % 4;
          const Case in = random_case(++seed, n_components, n_levels, n_levels_2, share, missing);
          CATCH_CAPTURE(seed);
          Random random(seed);
          check(in.problem(), random);
        }
      }
    }
  }
}

}  // namespace

context("split") {
  test_that("without a move the objective is the information summed over components") {
    Monitor monitor;
    for_each_case([&](const SplitProblem& problem, Random&) {
      const Matrix information =
          information_matrix(problem.data, problem.row_weights, -1, problem.missing, monitor);
      const Vector none = Vector::Zero(problem.probs_1.size() + problem.probs_2.size());
      expect_true(std::abs(split_objective(problem, none) - information(0, 1)) < 1e-14);
    });
  }

  test_that("the objective does not care which copy is which") {
    for_each_case([](const SplitProblem& problem, Random& random) {
      const Vector d = 0.3 * random_move(random, problem);
      const double there = split_objective(problem, d);
      expect_true(std::abs(there - split_objective(problem, -d)) < 1e-14);
    });
  }

  test_that("the objective is the information of the posterior of the split mixture") {
    Monitor monitor;
    const Case in = random_case(1, 3, 3, 4, 0.25, MissingCells::kFrozen);
    const SplitProblem problem = in.problem();
    Random random(1);
    for (int trial = 0; trial < 20; ++trial) {
      Vector d = random_move(random, problem);
      d *= longest_step(problem, d) * random.uniform();
      const MixtureParameters split = split_component(in.params, problem, d);
      const RowMatrix posterior = e_step(in.table.data, split, {0, 1, 2}).posterior;
      const Matrix information = information_matrix(
          in.table.data, row_shares(in.table.data, posterior), -1, MissingCells::kFrozen, monitor);
      expect_true(std::abs(split_objective(problem, d) - information(0, 1)) < 1e-13);
    }
  }

  test_that("the Hessian in closed form equals numerical second derivatives") {
    for_each_case([](const SplitProblem& problem, Random& random) {
      const Matrix hessian = split_hessian(problem);
      expect_true(distance(hessian, hessian.transpose()) < 1e-12);
      for (int trial = 0; trial < 5; ++trial) {
        const Vector d = random_move(random, problem);
        const Vector e = random_move(random, problem);
        // u' H u along d, and the mixed terms by polarisation.
        const double scale = hessian.norm() * d.squaredNorm();
        const double along = second_derivative(problem, d);
        expect_true(std::abs(d.dot(hessian * d) - along) < 1e-4 * scale);
        const double mixed =
            0.25 * (second_derivative(problem, d + e) - second_derivative(problem, d - e));
        expect_true(std::abs(d.dot(hessian * e) - mixed) <
                    1e-4 * hessian.norm() * d.norm() * e.norm());
      }
    });
  }

  test_that("the direction is a unit vector whose blocks sum to zero, with the least curvature") {
    for_each_case([](const SplitProblem& problem, Random& random) {
      const Matrix hessian = split_hessian(problem);
      const SplitDirection direction = split_direction(problem);
      expect_true(std::abs(direction.d.norm() - 1.0) < 1e-13);
      expect_true(std::abs(direction.d.head(problem.probs_1.size()).sum()) < 1e-13);
      expect_true(std::abs(direction.d.tail(problem.probs_2.size()).sum()) < 1e-13);
      const double curvature = direction.d.dot(hessian * direction.d);
      const double rounding = 1e-12 * (1.0 + hessian.norm());
      expect_true(std::abs(curvature - direction.curvature) < rounding);
      for (int trial = 0; trial < 20; ++trial) {
        const Vector other = random_move(random, problem).normalized();
        expect_true(other.dot(hessian * other) > direction.curvature - rounding);
      }
    });
  }

  test_that("where the curvature is negative a short move lowers the objective") {
    Index n_negative = 0;
    for_each_case([&](const SplitProblem& problem, Random&) {
      const SplitDirection direction = split_direction(problem);
      if (!(direction.curvature < -1e-6)) return;
      ++n_negative;
      const double centre = split_objective(problem, Vector::Zero(direction.d.size()));
      expect_true(split_objective(problem, 1e-3 * direction.d) < centre);
    });
    expect_true(n_negative > 30);
  }

  test_that("the direction does not depend on how levels are coded") {
    const Case in = random_case(3, 2, 4, 3, 0.2, MissingCells::kIgnore);
    const SplitProblem problem = in.problem();
    const SplitDirection before = split_direction(problem);
    Random random(3);
    for (int trial = 0; trial < 10; ++trial) {
      const std::vector<Index> new_level = random.order(4);
      const Table recoded = recode(in.table, 0, new_level);
      Vector probs_1(4);
      Vector expected = before.d;
      for (Index r = 0; r < 4; ++r) {
        probs_1[new_level[r]] = problem.probs_1[r];
        expected[new_level[r]] = before.d[r];
      }
      const SplitProblem other{recoded.data, in.weights,      in.component, 0, 1,
                               probs_1,      problem.probs_2, in.missing};
      const SplitDirection after = split_direction(other);
      expect_true(std::abs(after.curvature - before.curvature) < 1e-12);
      // An eigenvector has no sign.
      expect_true(std::abs(std::abs(after.d.dot(expected)) - 1.0) < 1e-10);
    }
  }

  test_that("exchanging the two items exchanges the blocks of the Hessian") {
    const Case in = random_case(4, 3, 4, 2, 0.2, MissingCells::kFrozen);
    const SplitProblem there = in.problem();
    const SplitProblem back{in.table.data, in.weights,    in.component, 1, 0,
                            there.probs_2, there.probs_1, in.missing};
    const Matrix first = split_hessian(there);
    const Matrix second = split_hessian(back);
    expect_true(distance(first.topLeftCorner(4, 4), second.bottomRightCorner(4, 4)) < 1e-13);
    expect_true(distance(first.bottomRightCorner(2, 2), second.topLeftCorner(2, 2)) < 1e-13);
    expect_true(distance(first.topRightCorner(4, 2), second.bottomLeftCorner(4, 2)) < 1e-13);
  }

  test_that("a level without probability never moves") {
    const Table table = table_of({{1, 1, 3, 3, 1, 3}, {1, 2, 2, 1, 1, 2}}, {4, 2});
    const RowMatrix weights = row_shares(table.data, RowMatrix::Ones(6, 1));
    const Vector probs = independence_model(table.data).item_probs;
    const SplitProblem problem{table.data,           weights, 0, 0, 1, probs.head(4), probs.tail(2),
                               MissingCells::kIgnore};
    const SplitDirection direction = split_direction(problem);
    expect_true(direction.d[1] == 0.0);
    expect_true(direction.d[3] == 0.0);
    expect_true(std::abs(direction.d.norm() - 1.0) < 1e-14);
  }

  test_that("items of one level cannot be split") {
    const Table table = table_of({{1, 1, 1}, {1, 1, 1}}, {1, 1});
    const RowMatrix weights = row_shares(table.data, RowMatrix::Ones(3, 1));
    const SplitProblem problem{
        table.data, weights, 0, 0, 1, Vector::Ones(1), Vector::Ones(1), MissingCells::kIgnore};
    const SplitDirection direction = split_direction(problem);
    expect_true(direction.curvature == 0.0);
    expect_true(direction.d == Vector::Zero(2));
    expect_true(longest_step(problem, direction.d) == 0.0);
  }

  test_that("rows without case weight have no say") {
    const Case in = random_case(5, 3, 3, 3, 0.2, MissingCells::kFrozen);
    std::vector<Index> rows;
    for (Index n = 0; n < in.table.data.n_obs; ++n) {
      if (in.table.data.case_weights[n] > 0.0) rows.push_back(n);
    }
    expect_true(static_cast<Index>(rows.size()) < in.table.data.n_obs);
    const Table kept = pick_rows(in.table, rows);
    const RowMatrix weights = pick(in.weights, rows);
    const SplitProblem all = in.problem();
    const SplitProblem some{kept.data, weights,     in.component, 0,
                            1,         all.probs_1, all.probs_2,  in.missing};
    expect_true(distance(split_hessian(all), split_hessian(some)) < 1e-13);
    Random random(5);
    const Vector d = 0.3 * random_move(random, all);
    expect_true(std::abs(split_objective(all, d) - split_objective(some, d)) < 1e-14);
  }

  test_that("the longest step brings a copy to zero and none below it") {
    for_each_case([](const SplitProblem& problem, Random& random) {
      const Vector d = random_move(random, problem);
      Vector probs(d.size());
      probs << problem.probs_1, problem.probs_2;
      const double longest = longest_step(problem, d);
      expect_true(longest > 0.0);
      expect_true(std::abs((probs - longest * d.cwiseAbs()).minCoeff()) < 1e-15);
    });
  }

  test_that("the best step is positive, at most the longest, and no grid point beats it") {
    double largest_excess = 0.0;
    for_each_case([&](const SplitProblem& problem, Random& random) {
      for (const Vector& d : {split_direction(problem).d, random_move(random, problem)}) {
        const double longest = longest_step(problem, d);
        const double best = best_step(problem, d, longest);
        expect_true(best > 0.0);
        expect_true(best <= longest);
        double smallest = HUGE_VAL;
        for (int i = 1; i <= 16; ++i) {
          smallest = std::min(smallest, split_objective(problem, longest * i / 16 * d));
        }
        largest_excess = std::max(largest_excess, split_objective(problem, best * d) - smallest);
      }
    });
    expect_true(largest_excess < 1e-15);  // rounding of longest * i / 16
  }

  test_that("two planted components are found by one split of one") {
    Random random(6);
    const std::vector<Index> n_levels = {2, 3};
    const MixtureParameters truth = planted_mixture(random, n_levels, 2, 0.85);
    const Table table = draw_table(random, truth, {2000, n_levels});
    const RowMatrix weights = row_shares(table.data, RowMatrix::Ones(2000, 1));
    const Vector probs = independence_model(table.data).item_probs;
    const SplitProblem problem{table.data,           weights, 0, 0, 1, probs.head(2), probs.tail(3),
                               MissingCells::kIgnore};
    const SplitDirection direction = split_direction(problem);
    expect_true(direction.curvature < 0.0);
    const double best = best_step(problem, direction.d, longest_step(problem, direction.d));
    const double before = split_objective(problem, Vector::Zero(5));
    expect_true(split_objective(problem, best * direction.d) < 0.05 * before);
    // The first item's first level and the second's go together, against their last levels.
    expect_true(direction.d[0] * direction.d[2] > 0.0);
    expect_true(direction.d[0] * direction.d[4] < 0.0);
  }

  test_that("a split keeps all sums and the mean of the two copies") {
    const Case in = random_case(7, 4, 3, 4, 0.0, MissingCells::kIgnore);
    const SplitProblem problem = in.problem();
    const Index component = in.component;
    Random random(7);
    Vector d = random_move(random, problem);
    d *= longest_step(problem, d);
    const MixtureParameters out = split_component(in.params, problem, d);
    expect_true(out.n_components() == 5);
    expect_true(std::abs(out.mixing_weights.sum() - 1.0) < 1e-15);
    expect_true(out.mixing_weights[component] == out.mixing_weights[4]);
    expect_true(out.item_probs.minCoeff() >= -1e-16);
    const Vector mean = 0.5 * (out.item_probs.col(component) + out.item_probs.col(4));
    expect_true(distance(mean, in.params.item_probs.col(component)) < 1e-15);
    expect_true(distance(out.item_probs.col(component).head(7), mean.head(7) + d) < 1e-15);
    expect_true(out.item_probs.col(component).tail(3) ==
                in.params.item_probs.col(component).tail(3));
    for (Index k = 0; k < 4; ++k) {
      if (k == component) continue;
      expect_true(out.item_probs.col(k) == in.params.item_probs.col(k));
      expect_true(out.mixing_weights[k] == in.params.mixing_weights[k]);
    }
  }
}

}  // namespace mdpd
