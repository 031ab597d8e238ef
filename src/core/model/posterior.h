#pragma once

#include "data/row_sums.h"
#include "model/parameters.h"

namespace mdpd {

struct EStep {
  RowMatrix posterior;  ///< n_obs x n_components, rows sum to 1
  Vector row_loglik;    ///< n_obs: log-density of the row's items in use (nats)
  double loglik = 0.0;  ///< case-weighted sum of row_loglik
};

/// Posterior probabilities and log-likelihood at fixed parameters (the E-step).
///
/// @param items the items that enter; a missing code contributes nothing. A row whose component is
///   known has all its posterior there, and its log-density is joint with the component; where one
///   component is left it has all rows.
/// @throws DimensionError if `params` does not fit `data`.
/// Cost O(n_obs * items * n_components). Dempster, Laird and Rubin (1977), section 4.3.
EStep e_step(const CodedData& data, const MixtureParameters& params, const ItemSet& items);

/// The same for items that were made ready before, which pays where one E-step follows another.
EStep e_step_of_ready(const CodedData& data, const MixtureParameters& params,
                      const ReadyItems& items);

}  // namespace mdpd
