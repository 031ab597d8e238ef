#pragma once

#include "data/make_data.h"
#include "model/row_pass.h"

namespace mdpd {

/// Sums of rows that keep the posterior they have, so that EM need not go over them again: Neal and
/// Hinton (1998), A view of the EM algorithm that justifies incremental, sparse, and other variants,
/// doi:10.1007/978-94-011-5014-9_12. Their posteriors may be those of different parameters.
struct StandingSums {
  RowTotals rows;
  LevelSums counts;      ///< of all items
  Matrix overlap = {};   ///< as `shared_weight()`, in weight instead of shares
  Matrix modal = {};     ///< as `modal_shares()`, likewise
  double entropy = 0.0;  ///< of the posteriors (nats)
  Vector reliance = {};  ///< n_items, see inclusion.h; 0 where it is not known
};

/// The sums of rows at a point.
/// @param frame of these rows and nothing else.
/// @param pass over them, with the counts of all depths that are wanted.
/// @param loglik of them, or its bound.
StandingSums standing_sums(const CodedData& frame, const RowTotals& rows, const RowPoint& at,
                           const RowPass& pass, double loglik);

/// Of rows of one component.
StandingSums standing_sums_of_one(const CodedData& frame, const RowTotals& rows);

/// What the log-likelihood of these rows at other parameters is at least (nats).
double loglik_bound(const CodedData& frame, const StandingSums& sums, const RowPoint& at);

/// @throws DimensionError if they are not of these items, levels and components.
void require_compatible(const std::vector<Index>& n_levels, const StandingSums& sums,
                        Index n_components);

}  // namespace mdpd
