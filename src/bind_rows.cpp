#include "convert.h"
#include "core/data/distinct_rows.h"

using Rcpp::_;

// `known`: component of each row or NA, or NULL. NULL where there are more than `most` kinds of
// rows, else of each kind its `first` row and the sum of its rows' `weights`, and the `kind` of each
// row.
// [[Rcpp::export]]
SEXP core_distinct_rows(const Rcpp::RawMatrix& codes,
                        const Rcpp::Nullable<Rcpp::IntegerVector>& known,
                        const Rcpp::NumericVector& weights, double most) {
  std::vector<mdpd::Index> components;
  if (known.isNotNull()) {
    for (const int component : Rcpp::IntegerVector(known)) {
      components.push_back(component == NA_INTEGER ? mdpd::no_component : component - 1);
    }
  }
  const mdpd::DistinctRows rows = mdpd::distinct_rows(RAW(codes), codes.nrow(), codes.ncol(),
                                                      components, static_cast<mdpd::Index>(most));
  if (rows.first.empty()) return R_NilValue;
  Rcpp::IntegerVector first(rows.first.size());
  Rcpp::IntegerVector kind(rows.kind.size());
  Rcpp::NumericVector sums(rows.first.size());
  for (std::size_t at = 0; at < rows.first.size(); ++at) {
    first[at] = static_cast<int>(rows.first[at]) + 1;
  }
  for (std::size_t n = 0; n < rows.kind.size(); ++n) {
    kind[n] = static_cast<int>(rows.kind[n]) + 1;
    sums[rows.kind[n]] += weights[n];
  }
  return Rcpp::List::create(_["first"] = first, _["kind"] = kind, _["weights"] = sums);
}
