#include "model/inclusion.h"

#include <testthat.h>

#include <cmath>

#include "random_data.h"

namespace mdpd {

namespace {

MixtureFit fit_by_evidence(const CodedData& data, const MixtureParameters& start) {
  RefineOptions options;
  options.type = Refinement::kEvidence;
  Monitor monitor;
  return refine(data, e_step(data, start, all_items(data)).posterior, {}, options, monitor).fit;
}

/// What the posterior of all informative items says more than that of all but one.
double slow_reliance(const CodedData& data, const MixtureFit& fit, Index item) {
  ItemSet others;
  for (const Index other : fit.informative) {
    if (other != item) others.push_back(other);
  }
  const RowMatrix all = e_step(data, fit.params, fit.informative).posterior;
  const RowMatrix without = e_step(data, fit.params, others).posterior;
  double sum = 0.0;
  for (Index n = 0; n < data.n_obs; ++n) {
    for (Index k = 0; k < all.cols(); ++k) {
      const double share = all(n, k);
      if (share > 0.0) sum += data.case_weights[n] * share * std::log(share / without(n, k));
    }
  }
  return sum;
}

}  // namespace

context("inclusion") {
  test_that("the posterior rests on an item by its divergence from what the others say") {
    Random random(1);
    const std::vector<Index> n_levels = {2, 3, 5, 2, 3, 2, 4, 2, 3, 2};
    const MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.6);
    const Table table = draw_table(random, truth, {400, n_levels, 0.2, true});
    const MixtureFit fit = fit_by_evidence(table.data, truth);
    const ItemSet items = gaining_items(fit);
    const Vector fast =
        reliance(table.data, items,
                 reliance_on(table.data, fit.params.item_probs, fit.e_step.posterior, items));
    Index n_gaining = 0;
    for (Index item = 0; item < table.data.n_items; ++item) {
      if (fit.item_evidence.gain[item] > 0.0) {
        ++n_gaining;
        const double slow = slow_reliance(table.data, fit, item);
        expect_true(std::abs(fast[item] - slow) < 1e-9 * (1.0 + slow));
      } else {
        expect_true(fast[item] == 0.0);
      }
    }
    expect_true(n_gaining >= 4);
  }

  test_that("an item on which the posterior rests is less sure to differ") {
    Random random(2);
    const std::vector<Index> n_levels(12, 3);
    const MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.5);
    const Table table = draw_table(random, truth, {300, n_levels});
    const MixtureFit fit = fit_by_evidence(table.data, truth);
    const Vector& weights = fit.item_prior.weights;
    const Vector none = Vector::Zero(12);
    const Vector before = inclusion(table.data, none, fit.item_evidence, weights, 2);
    expect_true(before.minCoeff() >= 0.0);
    expect_true(before.maxCoeff() <= 1.0);
    Index most = 0;
    before.maxCoeff(&most);
    expect_true(before[most] > 0.9);
    Vector all_of_it = none;
    all_of_it[most] = fit.item_evidence.gain[most] + 10.0;
    expect_true(inclusion(table.data, all_of_it, fit.item_evidence, weights, 2)[most] < 0.1);
    expect_true(inclusion(table.data, none, fit.item_evidence, weights, 1).isZero(0.0));
  }

  test_that("several threads find the same reliance") {
    Random random(7);
    const std::vector<Index> n_levels(20, 2);
    const MixtureParameters params = random_parameters(random, n_levels, 4);
    Table table = draw_table(random, params, {30000, n_levels, 0.1, true});
    const ItemSet items = all_items(table.data);
    const RowMatrix posterior = e_step(table.data, params, items).posterior;
    const auto found = [&](int n_threads) {
      table.data.n_threads = n_threads;
      return reliance(table.data, items,
                      reliance_on(table.data, params.item_probs, posterior, items));
    };
    expect_true(found(3) == found(1));
  }
}

}  // namespace mdpd
