#include "growth/split_objective.h"

#include <testthat.h>

#include "data/row_sums.h"
#include "growth/split.h"
#include "model/posterior.h"
#include "pairs/dependence.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// The objective with every row's weight handed to the components after the split on its own.
double objective_twin(const Table& table, const SplitProblem& problem, const Vector& d) {
  const Index n_components = problem.row_weights.cols();
  PairTable after;
  after.reset(problem.probs_1.size() + 1, problem.probs_2.size() + 1, n_components + 1);
  for (Index n = 0; n < table.data.n_obs; ++n) {
    const Index r = table.code(n, problem.item_1);
    const Index s = table.code(n, problem.item_2);
    if (problem.missing == MissingCells::kIgnore && (r == 0 || s == 0)) continue;
    const double a = r == 0 ? 0.0 : d[r - 1] / problem.probs_1[r - 1];
    const double b = s == 0 ? 0.0 : d[problem.probs_1.size() + s - 1] / problem.probs_2[s - 1];
    Vector joint(n_components + 1);
    joint << problem.row_weights.row(n).transpose(), 0.0;
    const double total = joint.sum();
    if (total == 0.0) continue;
    const double half = 0.5 * joint[problem.component];
    joint[problem.component] = half * (1.0 + a) * (1.0 + b);
    joint[n_components] = half * (1.0 - a) * (1.0 - b);
    joint *= total / joint.sum();
    for (Index k = 0; k <= n_components; ++k) after.at(r, s, k) += joint[k];
  }
  double sum = 0.0;
  for (Index k = 0; k <= n_components; ++k) sum += dependence(after, k);
  return sum;
}

}  // namespace

context("split_rows") {
  test_that("every kernel agrees with the plain twin, row by row") {
    Random random(1);
    for (Index n_components = 1; n_components <= 6; ++n_components) {
      for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
        const std::vector<Index> n_levels = {2, 4, 3};
        const MixtureParameters params = random_parameters(random, n_levels, n_components);
        Table table = random_table(random, {150, n_levels, 0.2, true});
        CodedData& data = table.data;
        const RowMatrix weights = row_shares(data, e_step(data, params, {0, 1, 2}).posterior);
        const Index component = random.below(n_components);
        const Vector probs = params.item_probs.col(component);
        const SplitProblem problem{data, weights,       component,           0,
                                   1,    probs.head(2), probs.segment(2, 4), missing};
        Vector d(6);
        d << random.probabilities(2) - problem.probs_1, random.probabilities(4) - problem.probs_2;
        d *= longest_step(problem, d) * random.uniform();
        const double expected = objective_twin(table, problem, d);
        expect_true(std::abs(SplitObjective(problem)(d) - expected) < 1e-14);
      }
    }
  }
}

}  // namespace mdpd
