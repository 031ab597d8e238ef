#include "convert.h"

#include <algorithm>
#include <numeric>

#include "core/base/jobs.h"

namespace mdpd {

namespace {

/// From an R object of class `sparse_codes`.
void add_answers(const Rcpp::List& codes, Cells& cells) {
  const Rcpp::NumericVector row_start = codes["row_start"];
  const Rcpp::IntegerVector item = codes["item"];
  const Rcpp::RawVector code = codes["code"];
  cells.n_obs = row_start.size() - 1;
  cells.row_start.assign(row_start.begin(), row_start.end());
  cells.items.resize(item.size());
  std::transform(item.begin(), item.end(), cells.items.begin(),
                 [](int at) { return static_cast<std::uint32_t>(at - 1); });
  cells.answers.assign(code.begin(), code.end());
}

}  // namespace

Cells as_cells(const Rcpp::List& coded) {
  const Rcpp::List levels = coded["levels"];
  Cells cells;
  for (const SEXP of_item : levels) cells.n_levels.push_back(Rf_xlength(of_item));
  const Rcpp::RObject codes = coded["codes"];
  if (codes.inherits("sparse_codes")) {
    add_answers(Rcpp::List(codes), cells);
  } else {
    const Rcpp::RawMatrix dense(codes);
    cells.n_obs = dense.nrow();
    cells.codes = RAW(dense);
  }
  return cells;
}

std::vector<Index> as_known(SEXP known) {
  std::vector<Index> out;
  if (Rf_isNull(known)) return out;
  for (const int component : Rcpp::IntegerVector(known)) {
    out.push_back(component == NA_INTEGER ? no_component : component - 1);
  }
  return out;
}

CodedData as_coded_data(const Rcpp::List& coded, double threads) {
  CodedData data = make_data(as_cells(coded), Rcpp::as<Vector>(coded["weights"]));
  // A fit of version 0.1.0 keeps the field only where it holds rows.
  if (coded.containsElementNamed("known")) data.known = as_known(coded["known"]);
  data.n_threads = allowed_threads(threads);
  return data;
}

MixtureParameters as_parameters(const std::vector<Index>& n_levels, Vector mixing_weights,
                                const Rcpp::List& item_probs) {
  MixtureParameters params;
  const Index n_total = std::accumulate(n_levels.begin(), n_levels.end(), Index{0});
  params.item_probs.resize(n_total, mixing_weights.size());
  params.mixing_weights = std::move(mixing_weights);
  Index first = 0;
  for (std::size_t item = 0; item < n_levels.size(); ++item) {
    params.item_probs.middleRows(first, n_levels[item]) = Rcpp::as<Matrix>(item_probs[item]);
    first += n_levels[item];
  }
  return params;
}

Rcpp::List item_probs_to_r(const std::vector<Index>& n_levels, const MixtureParameters& params) {
  Rcpp::List out(n_levels.size());
  Index first = 0;
  for (std::size_t item = 0; item < n_levels.size(); ++item) {
    out[item] = Rcpp::wrap(Matrix(params.item_probs.middleRows(first, n_levels[item])));
    first += n_levels[item];
  }
  return out;
}

ItemSet as_item_set(const Rcpp::IntegerVector& items) {
  ItemSet out;
  for (const int item : items) out.push_back(item - 1);
  return out;
}

Rcpp::IntegerVector item_set_to_r(const ItemSet& items) {
  Rcpp::IntegerVector out(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) out[i] = static_cast<int>(items[i]) + 1;
  return out;
}

MissingCells as_missing_cells(const Rcpp::List& coded) {
  const bool frozen = Rcpp::as<std::string>(coded["missing"]) == "frozen";
  return frozen ? MissingCells::kFrozen : MissingCells::kIgnore;
}

}  // namespace mdpd
