#pragma once

#include "pairs/pair_tables.h"

namespace mdpd {

/// Sum of J log(J W / (J_r J_s)) over the cells of one component: row weight times nats.
struct TableSums {
  double dependence = 0.0;
  double weight = 0.0;
};

TableSums sum_table(const PairTable& table, Index component);

/// Whether a table's exact dependence may be more than the rounding of doubles, where it is known up
/// to `error`, see FixedWeights.
bool may_depend(const TableSums& sums, double error);

/// Dependence of two items within one component.
struct PairInformation {
  double information = 0.0;  ///< I_k(i, j) in nats, times the share of the component's weight where
      ///< both items count, so that a pair seen on few rows cannot win on noise
  double g2 = 0.0;  ///< likelihood-ratio statistic of conditional independence
};

/// @param component_weight total row weight of the component, observed or not.
/// @param total_weight the N of G2.
PairInformation pair_information(const TableSums& sums, double component_weight,
                                 double total_weight);
PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight);

/// (levels - 1) x (levels - 1), counting the levels that carry weight in the table.
double degrees_of_freedom(const PairTable& table);

/// Total row weight of every component, added up in the order of the rows: to the last bit the same
/// whatever other components there are.
Vector component_weights(const RowMatrix& row_weights);

}  // namespace mdpd
