#include "convert.h"

#include <algorithm>
#include <cinttypes>
#include <numeric>

#include "core/base/jobs.h"

#ifndef _WIN32
#include <unistd.h>
#endif

namespace mdpd {

namespace {

/// The process that loaded the package.
#ifndef _WIN32
const pid_t loaded_by = getpid();
bool is_forked() { return getpid() != loaded_by; }
#else
bool is_forked() { return false; }
#endif

/// Positions of answers, which ascend from 0 to their number.
void require_positions(const Rcpp::NumericVector& row_start, R_xlen_t n_answers) {
  const char* message = "the answers of the rows lie one after the other";
  require(row_start.size() > 0 && row_start[0] == 0.0 &&
              row_start[row_start.size() - 1] == static_cast<double>(n_answers),
          message);
  // Not a number is in no order.
  for (R_xlen_t row = 1; row < row_start.size(); ++row) {
    require(row_start[row - 1] <= row_start[row], message);
  }
}

void add_dense_codes(SEXP codes, Cells& cells) {
  // Of another type Rcpp would make a copy that does not live as long as the view.
  require(TYPEOF(codes) == RAWSXP && Rf_isMatrix(codes), "codes are a raw matrix");
  require(Rf_ncols(codes) == cells.n_items(), "a column of codes for each item");
  cells.n_obs = Rf_nrows(codes);
  cells.codes = RAW(codes);
}

}  // namespace

Index as_index(double number, double least, const char* message) {
  constexpr double most = 4503599627370496.0;  // R_XLEN_T_MAX
  require(number >= least && number <= most, message);
  return static_cast<Index>(number);
}

int as_threads(double threads) {
  require(threads >= 1.0, "a number of threads is at least 1");
  // Forked children, as those of mclapply(), are there to share the processors: more threads would
  // only get in their way.
  return is_forked() ? 1 : allowed_threads(threads);
}

RowAnswers as_answers(const Rcpp::List& codes, Index n_items) {
  const Rcpp::NumericVector row_start = codes["row_start"];
  const Rcpp::IntegerVector item = codes["item"];
  const Rcpp::RawVector code = codes["code"];
  require(code.size() == item.size(), "one item and one code for each answer");
  require_positions(row_start, item.size());
  RowAnswers out;
  out.row_start.assign(row_start.begin(), row_start.end());
  out.items.resize(item.size());
  std::transform(item.begin(), item.end(), out.items.begin(), [n_items](int at) {
    require(at >= 1 && at <= n_items, "an answer is to an item of the data");
    return static_cast<std::uint32_t>(at - 1);
  });
  out.answers.assign(code.begin(), code.end());
  return out;
}

std::vector<Index> n_levels_of(const Rcpp::List& coded) {
  std::vector<Index> out;
  for (const SEXP levels : Rcpp::List(coded["levels"])) out.push_back(Rf_xlength(levels));
  return out;
}

Cells as_cells(const Rcpp::List& coded) {
  Cells cells;
  cells.n_levels = n_levels_of(coded);
  const Rcpp::RObject codes = coded["codes"];
  if (codes.inherits("sparse_codes")) {
    static_cast<RowAnswers&>(cells) = as_answers(Rcpp::List(codes), cells.n_items());
    cells.n_obs = static_cast<Index>(cells.row_start.size()) - 1;
  } else {
    add_dense_codes(codes, cells);
  }
  return cells;
}

std::vector<Index> as_known(SEXP known) {
  std::vector<Index> out;
  if (Rf_isNull(known)) return out;
  for (const int component : Rcpp::IntegerVector(known)) {
    require(component == NA_INTEGER || component >= 1, "a known component is counted from 1");
    out.push_back(component == NA_INTEGER ? no_component : component - 1);
  }
  return out;
}

Vector as_weights(const Rcpp::List& coded) {
  return amounts(Rcpp::as<Vector>(coded["weights"]), "case weights are finite and not negative");
}

CodedData as_coded_data(const Rcpp::List& coded, double threads) {
  CodedData data = make_data(as_cells(coded), as_weights(coded));
  // A fit of version 0.1.0 keeps the field only where it holds rows.
  if (coded.containsElementNamed("known")) data.known = as_known(coded["known"]);
  require(data.known.empty() || static_cast<Index>(data.known.size()) == data.n_obs,
          "one known component per observation");
  data.n_threads = as_threads(threads);
  return data;
}

MixtureParameters as_parameters(const std::vector<Index>& n_levels, Vector mixing_weights,
                                const Rcpp::List& item_probs) {
  require(static_cast<std::size_t>(item_probs.size()) == n_levels.size(),
          "probabilities of each item");
  MixtureParameters params;
  const Index n_total = std::accumulate(n_levels.begin(), n_levels.end(), Index{0});
  params.item_probs.resize(n_total, mixing_weights.size());
  params.mixing_weights = amounts(std::move(mixing_weights), "mixing weights are probabilities");
  Index first = 0;
  for (std::size_t item = 0; item < n_levels.size(); ++item) {
    const Matrix probs = amounts(Rcpp::as<Matrix>(item_probs[item]), "items have probabilities");
    require(probs.rows() == n_levels[item] && probs.cols() == params.item_probs.cols(),
            "probabilities of an item are levels x components");
    params.item_probs.middleRows(first, n_levels[item]) = probs;
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

ItemSet as_item_set(const Rcpp::IntegerVector& items, Index n) {
  ItemSet out;
  for (const int item : items) {
    require(item >= 1 && item <= n, "a position is one of those there are");
    out.push_back(item - 1);
  }
  return out;
}

int position_to_r(Index at) { return at < 0 ? NA_INTEGER : static_cast<int>(at) + 1; }

Rcpp::IntegerVector item_set_to_r(const ItemSet& items) {
  Rcpp::IntegerVector out(items.size());
  std::transform(items.begin(), items.end(), out.begin(), position_to_r);
  return out;
}

MissingCells as_missing_cells(const Rcpp::List& coded) {
  const bool frozen = Rcpp::as<std::string>(coded["missing"]) == "frozen";
  return frozen ? MissingCells::kFrozen : MissingCells::kIgnore;
}

std::string hash_to_r(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash);
  return text;
}

std::uint64_t as_hash(const std::string& text) { return std::stoull(text, nullptr, 16); }

}  // namespace mdpd
