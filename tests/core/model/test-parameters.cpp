#include <testthat.h>

#include "base/errors.h"
#include "model/parameters.h"
#include "random_data.h"

namespace mdpd {

context("parameters") {
  test_that("the independence model has every item at its observed frequencies") {
    Random random(1);
    const Table table = random_table(random, {30, {2, 4, 1}, 0.3, true});
    const MixtureParameters params = independence_model(table.data);
    expect_true(params.n_components() == 1);
    expect_true(params.mixing_weights[0] == 1.0);
    for (Index item = 0; item < 3; ++item) {
      double sum = 0.0;
      for (Index r = 0; r < table.data.n_levels[item]; ++r) {
        const double p = params.item_probs(table.data.offset[item] + r, 0);
        expect_true(p == table.data.marginal(item, r));
        sum += p;
      }
      expect_true(std::abs(sum - 1.0) < 1e-15);
    }
  }

  test_that("only items outside the informative set go to their observed frequencies") {
    Random random(2);
    const Table table = random_table(random, {30, {2, 3, 4}});
    const MixtureParameters before = random_parameters(random, table.data.n_levels, 3);
    MixtureParameters after = before;
    set_uninformative_to_marginal(table.data, {2, 0}, after);
    expect_true(after.mixing_weights == before.mixing_weights);
    expect_true(after.item_probs.topRows(2) == before.item_probs.topRows(2));
    expect_true(after.item_probs.bottomRows(4) == before.item_probs.bottomRows(4));
    for (Index k = 0; k < 3; ++k) {
      for (Index r = 0; r < 3; ++r) {
        expect_true(after.item_probs(2 + r, k) == table.data.marginal(1, r));
      }
    }
  }

  test_that("a level that was never seen has probability zero at the observed frequencies") {
    const Table table = table_of({{1, 3, 0}}, {3});
    const RowMatrix probs = independence_model(table.data).item_probs;
    expect_true(probs(0, 0) == 0.5);
    expect_true(probs(1, 0) == 0.0);
    expect_true(probs(2, 0) == 0.5);
  }

  test_that("parameters made for other data are an error") {
    Random random(3);
    const Table table = random_table(random, {10, {2, 3}});
    const MixtureParameters fits = random_parameters(random, {2, 3}, 2);
    require_compatible(table.data, fits);
    expect_error_as(require_compatible(table.data, random_parameters(random, {2, 2}, 2)),
                    DimensionError);
    MixtureParameters uneven = fits;
    uneven.mixing_weights = random.probabilities(3);
    expect_error_as(require_compatible(table.data, uneven), DimensionError);
  }
}

}  // namespace mdpd
