#pragma once

#include "data/row_sums.h"
#include "model/parameters.h"
#include "pairs/dependence.h"
#include "random_data.h"

namespace mdpd {

/// Data with dependence everywhere, a random posterior, and the row weights it gives.
struct Case {
  Table table;
  RowMatrix posterior;
  RowMatrix weights;
};

inline Case random_case(std::uint64_t seed, Index n_components, double missing) {
  Random random(seed);
  const std::vector<Index> n_levels = {2, 3, 4, 2, 3};
  const MixtureParameters truth = random_parameters(random, n_levels, 3);
  Table table = draw_table(random, truth, {120, n_levels, missing, true});
  const RowMatrix posterior = random_posterior(random, 120, n_components);
  const RowMatrix weights = row_shares(table.data, posterior);
  return {std::move(table), posterior, weights};
}

}  // namespace mdpd
