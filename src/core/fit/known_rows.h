#pragma once

#include "model/refine.h"

namespace mdpd {

/// The weight of the rows that are known to be in each component; empty where none is known.
/// @param known,case_weights by row, see CodedData.
Vector known_weight(const std::vector<Index>& known, const Vector& case_weights,
                    Index n_components);

/// Of each label the components of the rows that are known to have it: labels x components, as
/// `shared_weight()`. Those of blocks of rows add up.
/// @param known see CodedData; of `data`, which must not hold them.
Matrix components_of_known(const CodedData& data, const std::vector<Index>& known,
                           const RowMatrix& posterior);

/// Of each label its component: what the informative items answer in a component, and the rows that
/// are known to have a label, tell which it is.
/// @param of_known see `components_of_known()`, of all rows.
std::vector<Index> component_of_label(const CodedData& data, const MixtureParameters& params,
                                      const ItemSet& informative, const Matrix& of_known);

/// The columns of a table in another order; of an empty one none.
template <class Table>
void order_columns(const std::vector<Index>& order, Table& table) {
  if (table.size() == 0) return;
  const typename Table::PlainObject before = table;
  for (Index k = 0; k < table.cols(); ++k) table.col(k) = before.col(order[k]);
}

}  // namespace mdpd
