#include <testthat.h>

#include "model/criterion.h"
#include "random_data.h"

namespace mdpd {

context("criterion") {
  test_that("an item's penalty counts the levels seen and the rows that observe it") {
    const Table table = table_of({{1, 3, 3, 0, 1}, {2, 2, 2, 2, 2}}, {4, 2});
    expect_true(std::abs(item_penalty(table.data, 0, 3) - std::log(4.0)) < 1e-15);
    expect_true(item_penalty(table.data, 0, 1) == 0.0);  // one component: nothing differs
    expect_true(item_penalty(table.data, 1, 3) == 0.0);  // one level: nothing can differ
  }

  test_that("what less than one row observes is penalised as by one row, not rewarded") {
    Table table = table_of({{1, 3, 3, 0, 1}}, {3});
    table.data.observed_weight[0] = 0.01;
    table.data.total_weight = 0.5;
    expect_true(item_penalty(table.data, 0, 3) == 0.0);
    expect_true(penalised_loglik(table.data, -1.0, {0}, 3) == -1.0);
  }

  test_that("an unused level is no parameter and changes no criterion") {
    const std::vector<std::vector<int>> codes = {{1, 2, 2, 1}, {1, 2, 3, 3}};
    const Table tight = table_of(codes, {2, 3});
    const Table loose = table_of(codes, {5, 9});
    expect_true(item_penalty(tight.data, 1, 2) == item_penalty(loose.data, 1, 2));
    expect_true(n_free_parameters(tight.data, {0}, 3) == n_free_parameters(loose.data, {0}, 3));
    expect_true(marginal_loglik(tight.data, {}) == marginal_loglik(loose.data, {}));
  }

  test_that("the marginal log-likelihood is that of the items outside, by a plain loop") {
    Random random(1);
    const Table table = random_table(random, {40, {2, 3, 4}, 0.2, true});
    double expected = 0.0;
    for (const Index item : {0, 2}) {
      for (Index n = 0; n < 40; ++n) {
        const Code code = table.code(n, item);
        if (code == 0 || table.data.case_weights[n] == 0.0) continue;
        expected += table.data.case_weights[n] * std::log(table.data.marginal(item, code - 1));
      }
    }
    expect_true(relative_difference(marginal_loglik(table.data, {1}), expected) < 1e-13);
    expect_true(marginal_loglik(table.data, {2, 0, 1}) == 0.0);
  }

  test_that("with nothing missing the criterion is -BIC/2 up to a constant of the data") {
    Random random(2);
    const Table table = random_table(random, {70, {2, 3, 5, 1}, 0.0, true});
    const double log_n = std::log(table.data.total_weight);
    const auto gap = [&](const ItemSet& informative, Index n_components) {
      const double bic =
          n_free_parameters(table.data, informative, n_components) * log_n - 2.0 * -123.0;
      return penalised_loglik(table.data, -123.0, informative, n_components) + 0.5 * bic;
    };
    const double constant = gap({}, 1);
    for (const ItemSet& informative : {ItemSet{}, {0}, {2, 1}, {0, 1, 2, 3}}) {
      for (const Index n_components : {1, 2, 5}) {
        expect_true(std::abs(gap(informative, n_components) - constant) < 1e-11);
      }
    }
  }

  test_that("free parameters are counted one by one") {
    const Table table = table_of({{1, 2}, {1, 2}, {1, 1}}, {2, 3, 1});
    expect_true(n_free_parameters(table.data, {}, 1) == 2.0);
    expect_true(n_free_parameters(table.data, {1}, 1) == 2.0);
    expect_true(n_free_parameters(table.data, {0}, 3) == 2.0 + 3.0 + 1.0);
    expect_true(n_free_parameters(table.data, {0, 1, 2}, 2) == 1.0 + 2.0 + 2.0);
  }

  test_that("every informative item costs its own penalty and a component half a log N") {
    Random random(3);
    const Table table = random_table(random, {50, {2, 3, 4}, 0.3});
    const double none = penalised_loglik(table.data, -10.0, {}, 3);
    expect_true(relative_difference(none, -10.0 - std::log(50.0)) < 1e-15);
    const double both = penalised_loglik(table.data, -10.0, {2, 0}, 3);
    const double penalties = item_penalty(table.data, 0, 3) + item_penalty(table.data, 2, 3);
    expect_true(relative_difference(both, none - penalties) < 1e-15);
  }
}

}  // namespace mdpd
