#include "convert.h"

#include "core/data/code_numbers.h"
#include "core/data/repeated_items.h"
#include "r_monitor.h"

// Tables of numbers as codes, and what is counted of codes.

namespace {

using Values = std::optional<std::vector<int>>;

/// The class of a column may give its numbers another meaning; of a factor they are its levels, of
/// which one may be missing.
bool is_factor(SEXP column) {
  const SEXP levels = Rf_getAttrib(column, R_LevelsSymbol);
  if (!Rf_inherits(column, "factor")) return false;
  if (TYPEOF(column) != INTSXP || TYPEOF(levels) != STRSXP) return false;
  for (R_xlen_t level = 0; level < Rf_xlength(levels); ++level) {
    if (STRING_ELT(levels, level) == NA_STRING) return false;
  }
  return true;
}

Values code_part(SEXP numbers, R_xlen_t start, R_xlen_t n, Rbyte* codes) {
  switch (TYPEOF(numbers)) {
    case INTSXP: return mdpd::code_numbers(INTEGER(numbers) + start, n, codes);
    case LGLSXP: return mdpd::code_numbers(LOGICAL(numbers) + start, n, codes);
    case REALSXP: return mdpd::code_numbers(REAL(numbers) + start, n, codes);
    default: return std::nullopt;
  }
}

Values code_column(SEXP table, int item, R_xlen_t n_rows, Rbyte* codes) {
  if (TYPEOF(table) != VECSXP) return code_part(table, item * n_rows, n_rows, codes);
  const SEXP column = VECTOR_ELT(table, item);
  const bool is_plain = !Rf_isObject(column) || is_factor(column);
  if (!is_plain || Rf_xlength(column) != n_rows) return std::nullopt;
  return code_part(column, 0, n_rows, codes);
}

}  // namespace

// A matrix or list of columns as codes, column by column: a list of `codes` and, per item, the
// `values` of the levels, whole numbers, ascending. They are NULL for a column that is to be coded
// in R: of other types, or of numbers that are not whole or too far apart.
// [[Rcpp::export]]
Rcpp::List core_code_table(SEXP table, const Rcpp::List& dimnames, int n_rows) {
  const R_xlen_t n_items = Rf_xlength(dimnames[1]);
  Rcpp::RawMatrix codes(n_rows, static_cast<int>(n_items));
  Rcpp::List values(n_items);
  for (int item = 0; item < n_items; ++item) {
    const Values found = code_column(table, item, n_rows, RAW(codes) + R_xlen_t{n_rows} * item);
    if (found) values[item] = Rcpp::IntegerVector(found->begin(), found->end());
    mdpd::check_interrupt();
  }
  codes.attr("dimnames") = dimnames;
  return Rcpp::List::create(Rcpp::Named("codes") = codes, Rcpp::Named("values") = values);
}

// [[Rcpp::export]]
bool core_are_whole(const Rcpp::NumericVector& x) { return mdpd::are_whole(x.begin(), x.size()); }

// Per item the position of the first that divides the rows alike.
// [[Rcpp::export]]
Rcpp::IntegerVector core_repeated_items(const Rcpp::RawMatrix& codes,
                                        const Rcpp::IntegerVector& n_levels) {
  mdpd::require(codes.ncol() == n_levels.size(), "a column of codes for each item");
  return mdpd::item_set_to_r(
      mdpd::repeated_items(RAW(codes), codes.nrow(), {n_levels.begin(), n_levels.end()}));
}

// [[Rcpp::export]]
Rcpp::NumericVector core_answers_of_items(const Rcpp::RawMatrix& codes) {
  return Rcpp::wrap(mdpd::answers_of_items(RAW(codes), codes.nrow(), codes.ncol()));
}

// [[Rcpp::export]]
Rcpp::IntegerVector core_answers_of_rows(const Rcpp::RawMatrix& codes) {
  return Rcpp::wrap(mdpd::answers_of_rows(RAW(codes), codes.nrow(), codes.ncol()));
}
