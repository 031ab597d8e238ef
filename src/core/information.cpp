#include "information.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "numerics.h"

namespace mdpd {

namespace {

/// Nats per unit of weight below which a sum of x log x is rounding.
constexpr double rounding_tolerance = 1e-14;

/// Sum of J log(J W / (J_r J_s)) over the cells of one component: row weight times nats.
struct TableSums {
  double dependence = 0.0;
  double weight = 0.0;
};

/// @param cell function (r, s) that gives the cell's weight.
template <class Cell>
TableSums sum_table(const PairTable& table, Cell cell) {
  TableSums sums;
  double column_terms = 0.0;
  for (Index s = 0; s < table.n_cols; ++s) {
    double column = 0.0;
    for (Index r = 0; r < table.n_rows; ++r) column += cell(r, s);
    column_terms += x_log_x(column);
    sums.weight += column;
  }
  double row_terms = 0.0;
  double cell_terms = 0.0;
  for (Index r = 0; r < table.n_rows; ++r) {
    double row = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) {
      const double weight = cell(r, s);
      row += weight;
      cell_terms += x_log_x(weight);
    }
    row_terms += x_log_x(row);
  }
  sums.dependence = cell_terms - row_terms - column_terms + x_log_x(sums.weight);
  return sums;
}

PairInformation from_sums(const TableSums& sums, double component_weight, double total_weight) {
  PairInformation out;
  // A table that is exactly independent shows nothing but rounding, on either side of zero.
  const double dependence =
      sums.dependence > rounding_tolerance * sums.weight ? sums.dependence : 0.0;
  out.information = component_weight > 0.0 ? dependence / component_weight : 0.0;
  out.g2 = 2.0 * total_weight * dependence;
  return out;
}

PairInformation union_information(const PairTable& table, Index a, Index b, double weight,
                                  double total_weight) {
  return from_sums(
      sum_table(table, [&](Index r, Index s) { return table.at(r, s, a) + table.at(r, s, b); }),
      weight, total_weight);
}

/// Entries closer than this count as equal, so that an exact tie is not decided by rounding.
constexpr double tie_tolerance = 1e-9;

bool beats(double score, double best) { return score > best * (1.0 + tie_tolerance); }

double log_number_of_tests(Index n_items, Index n_components) {
  const double n_pairs = 0.5 * static_cast<double>(n_items) * static_cast<double>(n_items - 1);
  return std::log(std::max(1.0, n_pairs * static_cast<double>(n_components)));
}

/// Total row weight of every component, added up in the order of the rows: to the last bit the same
/// whatever other components there are.
Vector component_weights(const RowMatrix& row_weights) {
  Vector sums = Vector::Zero(row_weights.cols());
  for (Index n = 0; n < row_weights.rows(); ++n) sums += row_weights.row(n);
  return sums;
}

std::vector<bool> membership(const CodedData& data, const ItemSet& items) {
  std::vector<bool> is_member(data.n_items, false);
  for (const Index item : items) is_member[item] = true;
  return is_member;
}

}  // namespace

PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight) {
  return from_sums(sum_table(table, [&](Index r, Index s) { return table.at(r, s, component); }),
                   component_weight, total_weight);
}

double degrees_of_freedom(const PairTable& table) {
  Vector rows = Vector::Zero(table.n_rows);
  Vector cols = Vector::Zero(table.n_cols);
  for (Index r = 0; r < table.n_rows; ++r) {
    for (Index s = 0; s < table.n_cols; ++s) {
      for (Index k = 0; k < table.n_components; ++k) {
        rows[r] += table.at(r, s, k);
        cols[s] += table.at(r, s, k);
      }
    }
  }
  const double row_levels = static_cast<double>((rows.array() > 0.0).count());
  const double col_levels = static_cast<double>((cols.array() > 0.0).count());
  return std::max(0.0, row_levels - 1.0) * std::max(0.0, col_levels - 1.0);
}

Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor) {
  const Vector component_weight = component_weights(row_weights);
  Matrix out = Matrix::Zero(data.n_items, data.n_items);
  const Index first = component < 0 ? 0 : component;
  const Index last = component < 0 ? row_weights.cols() - 1 : component;
  for_each_pair_table(
      data, row_weights, missing, monitor, [&](Index i, Index j, const PairTable& table) {
        double sum = 0.0;
        for (Index k = first; k <= last; ++k) {
          const double scale = component < 0 ? component_weight[k] : 1.0;
          sum += scale *
                 pair_information(table, k, component_weight[k], data.total_weight).information;
        }
        out(i, j) = out(j, i) = sum;
      });
  return out;
}

PairSearch search_pairs(const CodedData& data, const RowMatrix& row_weights,
                        const ItemSet& informative, const SearchOptions& options,
                        Monitor& monitor) {
  const Index n_components = row_weights.cols();
  const Vector component_weight = component_weights(row_weights);
  const std::vector<bool> inside = membership(data, informative);
  const double log_n_tests = log_number_of_tests(data.n_items, n_components);
  PairSearch search;
  search.by_component.resize(n_components);
  if (options.unions) search.by_union.resize(n_components * (n_components - 1) / 2);

  const auto visit = [&](Index i, Index j, const PairTable& table) {
    const double df = degrees_of_freedom(table);
    const auto consider = [&](const PairInformation& pair, Index component, PairChoice& best) {
      if (!(df > 0.0)) return;  // a constant item: what its table shows is rounding
      // On the log scale, where it stays finite however strong the evidence.
      const double log_p = log_chi_square_upper(pair.g2, df);
      const bool by_information = options.selection == Selection::kInformation;
      const double score = by_information ? pair.information : -log_p;
      if (!beats(score, best.score)) return;
      best = {true, i, j, component, pair.information, std::min(0.0, log_p + log_n_tests), score};
    };
    const bool may_win = options.candidates == Candidates::kAll || !(inside[i] && inside[j]);
    for (Index k = 0; k < n_components; ++k) {
      const PairInformation pair =
          pair_information(table, k, component_weight[k], data.total_weight);
      search.largest_information = std::max(search.largest_information, pair.information);
      if (may_win) consider(pair, k, search.by_component[k]);
      for (Index a = 0; options.unions && may_win && a < k; ++a) {
        consider(union_information(table, a, k, component_weight[a] + component_weight[k],
                                   data.total_weight),
                 a, search.by_union[union_index(a, k)]);
      }
    }
  };
  for_each_pair_table(data, row_weights, options.missing, monitor, visit);
  return search;
}

PairChoice worst_explained(const PairSearch& search) {
  PairChoice best;
  for (const PairChoice& choice : search.by_component) {
    const bool tied = !beats(choice.score, best.score) && !beats(best.score, choice.score);
    const bool comes_first =
        std::tie(choice.item_1, choice.item_2) < std::tie(best.item_1, best.item_2);
    if (beats(choice.score, best.score) || (choice.found && tied && comes_first)) best = choice;
  }
  return best;
}

}  // namespace mdpd
