#include "base/assignment.h"

#include <limits>

#include "base/errors.h"

namespace mdpd {

namespace {

/// Columns are numbered from 1; column 0 holds the row that is being added.
struct Duals {
  Vector of_row;
  Vector of_column;
  std::vector<Index> row_of;  ///< per column; -1 where it is free
};

/// The shortest path from the row in column 0 to a free column, by Dijkstra's algorithm.
/// @param before receives the column before each on the way.
/// @return the free column.
Index shortest_path(const Matrix& profit, Duals& duals, std::vector<Index>& before) {
  const Index n = profit.rows();
  Vector distance = Vector::Constant(n + 1, std::numeric_limits<double>::infinity());
  std::vector<bool> is_reached(n + 1, false);
  Index at = 0;
  while (duals.row_of[at] >= 0) {
    is_reached[at] = true;
    const Index row = duals.row_of[at];
    Index nearest = -1;
    for (Index j = 1; j <= n; ++j) {
      if (is_reached[j]) continue;
      const double length = -profit(row, j - 1) - duals.of_row[row] - duals.of_column[j];
      if (length < distance[j]) {
        distance[j] = length;
        before[j] = at;
      }
      if (nearest < 0 || distance[j] < distance[nearest]) nearest = j;
    }
    const double step = distance[nearest];
    for (Index j = 0; j <= n; ++j) {
      if (is_reached[j]) {
        duals.of_row[duals.row_of[j]] += step;
        duals.of_column[j] -= step;
      } else {
        distance[j] -= step;
      }
    }
    at = nearest;
  }
  return at;
}

}  // namespace

std::vector<Index> best_assignment(const Matrix& profit) {
  const Index n = profit.rows();
  require(profit.cols() == n, "an assignment has as many rows as columns");
  Duals duals{Vector::Zero(n), Vector::Zero(n + 1), std::vector<Index>(n + 1, -1)};
  std::vector<Index> before(n + 1, 0);
  for (Index row = 0; row < n; ++row) {
    duals.row_of[0] = row;
    for (Index at = shortest_path(profit, duals, before); at != 0; at = before[at]) {
      duals.row_of[at] = duals.row_of[before[at]];
    }
  }
  std::vector<Index> out(n);
  for (Index j = 1; j <= n; ++j) out[duals.row_of[j]] = j - 1;
  return out;
}

}  // namespace mdpd
