#include <testthat.h>

#include "growth/grow.h"
#include "growth/stagewise.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

context("grow") {
  test_that("growth that sets items aside takes the same split, and searches all where it must") {
    Monitor monitor;
    SearchBudget budget(monitor);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CATCH_CAPTURE(seed);
      const Table table = three_components(seed);
      const MixtureFit one = finish_fit(table.data, independence_model(table.data), {});
      const MixtureFit plain = grow(table.data, one, {}, {}, budget);
      // The planted items lead; or noise does, and at level 0 none of its pairs is significant.
      const ItemSet noise = {12, 13};
      for (const ItemSet& leading : {range(0, 9), noise}) {
        FitOptions options;
        if (leading == noise) options.alpha = 0.0;
        const MixtureFit screened = grow(table.data, one, leading, options, budget);
        expect_true(screened.informative == plain.informative);
        expect_true(screened.penalised_loglik == plain.penalised_loglik);
        expect_true(screened.e_step.posterior == plain.e_step.posterior);
      }
    }
  }

  test_that("growth with the items that lead the stages is growth over all pairs, up to four") {
    Random random(5);
    const std::vector<Index> n_levels(250, 2);
    MixtureParameters truth = random_parameters(random, n_levels, 4);
    truth.mixing_weights.setConstant(0.25);
    for (Index row = 24; row < 500; ++row) {
      truth.item_probs.row(row).setConstant(truth.item_probs(row, 0));  // noise
    }
    const Table table = draw_table(random, truth, {400, n_levels});
    Monitor monitor;
    SearchBudget budget(monitor);
    const ItemSet leading = stagewise_em(table.data, 4, {}, monitor).leading;
    expect_true(leading.size() > 0);
    expect_true(leading.size() < 125);
    MixtureFit fit = finish_fit(table.data, independence_model(table.data), {});
    for (Index k = 2; k <= 4; ++k) {
      MixtureFit plain = grow(table.data, fit, {}, {}, budget);
      const MixtureFit screened = grow(table.data, fit, leading, {}, budget);
      expect_true(plain.params.n_components() == k);
      expect_true(screened.informative == plain.informative);
      expect_true(screened.params.item_probs == plain.params.item_probs);
      expect_true(screened.e_step.posterior == plain.e_step.posterior);
      fit = std::move(plain);
    }
  }
}

}  // namespace mdpd
