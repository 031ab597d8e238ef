#include "model/item_prior.h"

#include <testthat.h>

#include "base/errors.h"
#include "random_data.h"

namespace mdpd {

context("item_prior") {
  test_that("a prior to go on with is of the items' levels and the components, or none") {
    const std::vector<Index> n_levels = {2, 2};
    ItemPrior of_crowd;
    of_crowd.weights = Vector::Constant(3 * n_concentrations + 1, 0.04);
    of_crowd.crowd = RowMatrix::Constant(2, 3, 0.5);
    require_prior({}, n_levels, 3);
    require_prior(flat_prior(), {2, 4}, 5);
    require_prior(of_crowd, n_levels, 3);
    of_crowd.pseudo_counts = of_crowd.crowd;
    require_prior(of_crowd, n_levels, 3);
    expect_error_as(require_prior(of_crowd, n_levels, 2), DimensionError);
    expect_error_as(require_prior(of_crowd, {2, 3}, 3), DimensionError);
    expect_error_as(require_prior(of_crowd, {3, 3}, 3), DimensionError);
    const auto refused = [&](auto change) {
      ItemPrior other = of_crowd;
      change(other);
      expect_error_as(require_prior(other, n_levels, 3), DimensionError);
    };
    refused([](ItemPrior& other) { other.weights = flat_prior().weights; });
    refused([](ItemPrior& other) { other.weights.resize(0); });
    refused([](ItemPrior& other) { other.crowd.resize(0, 0); });
    refused([](ItemPrior& other) { other.pseudo_counts.resize(3, 2); });
    refused([](ItemPrior& other) { other = {flat_prior().weights, {}, other.crowd}; });
    refused([](ItemPrior& other) { other = {Vector::Constant(2, 0.5)}; });
  }
}

}  // namespace mdpd
