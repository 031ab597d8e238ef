#include <algorithm>
#include <array>

#include "convert.h"

#include "core/model/copy_strength.h"

// What copied_items() asks of two items. Codes are 0 for a missing answer, 1, ..., the levels.

namespace {

mdpd::RowCodes as_row_codes(const int* codes, mdpd::Index n, mdpd::Index n_levels) {
  mdpd::require(std::all_of(codes, codes + n, [&](int c) { return c >= 0 && c <= n_levels; }),
                "codes of the item's levels");
  return {codes, n_levels};
}

mdpd::KnownRows as_known_rows(const Eigen::MatrixXd& posterior, const Eigen::VectorXd& weights) {
  mdpd::require(posterior.rows() == weights.size(), "a weight for each row");
  return {posterior, weights};
}

}  // namespace

// Levels x components.
// [[Rcpp::export]]
Eigen::MatrixXd core_best_columns(const Rcpp::IntegerVector& codes, int n_levels,
                                  const Eigen::MatrixXd& posterior, const Eigen::VectorXd& weights,
                                  int n_steps) {
  mdpd::require(codes.size() == posterior.rows(), "a code for each row");
  return mdpd::best_columns(as_known_rows(posterior, weights),
                            as_row_codes(codes.begin(), codes.size(), n_levels), n_steps);
}

// Of the two columns of `codes`; `columns` has those of core_best_columns() of both.
// [[Rcpp::export]]
double core_pair_strength(const Rcpp::IntegerMatrix& codes, const Eigen::MatrixXd& posterior,
                          const Eigen::VectorXd& weights, const Rcpp::List& columns, double alpha) {
  mdpd::require(codes.nrow() == posterior.rows() && codes.ncol() == 2 && columns.size() == 2,
                "codes and columns of two items");
  std::array<mdpd::RowMatrix, 2> of_items;
  std::array<mdpd::RowCodes, 2> items;
  for (int at = 0; at < 2; ++at) {
    of_items[at] = Rcpp::as<Eigen::MatrixXd>(columns[at]);
    mdpd::require(of_items[at].cols() == posterior.cols(), "columns of each component");
    items[at] = as_row_codes(codes.begin() + R_xlen_t{at} * codes.nrow(), codes.nrow(),
                             of_items[at].rows());
  }
  return mdpd::pair_strength(as_known_rows(posterior, weights), items, of_items, alpha);
}
