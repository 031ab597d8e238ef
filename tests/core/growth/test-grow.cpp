#include <testthat.h>

#include "growth/grow.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

context("grow") {
  test_that("growth that sets items aside takes the same split, and searches all where it must") {
    Monitor monitor;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CATCH_CAPTURE(seed);
      const Table table = three_components(seed);
      const MixtureFit one = finish_fit(table.data, independence_model(table.data), {});
      const MixtureFit plain = grow(table.data, one, {}, {}, monitor);
      // The planted items lead; or noise does, and at level 0 none of its pairs is significant.
      const std::vector<GrowthScreen> screens = {{range(0, 9), 0.01}, {{12, 13}, 0.0}};
      for (const GrowthScreen& screen : screens) {
        const MixtureFit screened = grow(table.data, one, {}, screen, monitor);
        expect_true(screened.informative == plain.informative);
        expect_true(screened.penalised_loglik == plain.penalised_loglik);
        expect_true(screened.e_step.posterior == plain.e_step.posterior);
      }
    }
  }
}

}  // namespace mdpd
