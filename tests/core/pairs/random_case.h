#pragma once

#include "model/posterior.h"
#include "random_data.h"

namespace mdpd {

/// Data with dependence everywhere, and the row weights of a random posterior.
struct Case {
  Table table;
  RowMatrix weights;
};

inline Case random_case(std::uint64_t seed, Index n_components, double missing) {
  Random random(seed);
  const std::vector<Index> n_levels = {2, 3, 4, 2, 3};
  const MixtureParameters truth = random_parameters(random, n_levels, 3);
  Table table = draw_table(random, truth, {120, n_levels, missing, true});
  const RowMatrix weights =
      weighted_posterior(table.data, random_posterior(random, 120, n_components));
  return {std::move(table), weights};
}

}  // namespace mdpd
