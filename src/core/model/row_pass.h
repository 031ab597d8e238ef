#pragma once

#include "model/posterior.h"

namespace mdpd {

/// Where the rows' posterior is asked for.
struct RowPoint {
  MixtureParameters params;
  ItemSet items;  ///< that enter
};

/// What EM needs of some rows at a point. Sums of blocks of rows add up to those of all rows, see
/// row_sums.h.
struct RowPass {
  ExactSum loglik;
  LevelSums counts;     ///< of all items, at the depth that was asked for
  Matrix overlap = {};  ///< n_components x n_components, see `shared_weight()`
  Matrix modal = {};    ///< likewise, see `modal_shares()`

  RowPass& operator+=(const RowPass& other);
};

/// Of the rows whose most probable component is a row's, the first of several, how probable each
/// column's is; in shares of all rows' weight, rounded as in `row_shares()`.
/// @param probable n_obs x n_components, the posterior or what is thought of it.
Matrix modal_shares(const CodedData& data, const RowMatrix& posterior, const RowMatrix& probable);

/// Nothing yet.
RowPass empty_pass(const CodedData& frame, Index n_components);

/// One E-step and its sums.
/// @param depth see `level_sums()`.
RowPass pass_over(const CodedData& rows, const RowPoint& at, int depth);

}  // namespace mdpd
