#pragma once

#include "core/base/eigen.h"

#include <RcppEigen.h>

#include "core/base/errors.h"
#include "core/data/make_data.h"
#include "core/model/parameters.h"
#include "core/pairs/pair_tables.h"

namespace mdpd {

// A fit that was changed by hand or damaged on disk must not reach the core: what R hands over is
// checked here, at the door, but for what `require_parts()` checks of a problem.

/// Numbers that are finite and at least 0.
/// @throws DimensionError with the message unless they are.
template <class Numbers>
Numbers amounts(Numbers numbers, const char* message) {
  require(numbers.size() == 0 || (numbers.allFinite() && numbers.minCoeff() >= 0.0), message);
  return numbers;
}

/// A whole number from `least` to what an R vector is indexed by.
Index as_index(double number, double least, const char* message);

/// Threads as R gives their number; one in a forked child.
int as_threads(double threads);

/// How many levels each item of an R `mdpd_coded` list has.
std::vector<Index> n_levels_of(const Rcpp::List& coded);

/// From an R object of class `sparse_codes`.
RowAnswers as_answers(const Rcpp::List& codes, Index n_items);

/// View of the cells of an R `mdpd_coded` list; the list must outlive it.
Cells as_cells(const Rcpp::List& coded);

/// Case weights of an R `mdpd_coded` list.
Vector as_weights(const Rcpp::List& coded);

/// Component that each row is known to belong to, from an integer vector or NULL.
std::vector<Index> as_known(SEXP known);

/// View of an R `mdpd_coded` list; the list must outlive it.
CodedData as_coded_data(const Rcpp::List& coded, double threads);

/// R gives item-response probabilities as one levels x components matrix per item.
MixtureParameters as_parameters(const std::vector<Index>& n_levels, Vector mixing_weights,
                                const Rcpp::List& item_probs);
Rcpp::List item_probs_to_r(const std::vector<Index>& n_levels, const MixtureParameters& params);

/// Positions from 1 to n in R, from 0 in the core; NA where there is none, -1.
int position_to_r(Index at);
ItemSet as_item_set(const Rcpp::IntegerVector& items, Index n);
Rcpp::IntegerVector item_set_to_r(const ItemSet& items);

/// What the tables of a fit do with missing cells, from its `mdpd_coded` list.
MissingCells as_missing_cells(const Rcpp::List& coded);

/// Hashes and checksums are strings of 16 hexadecimal digits: R has no such integers.
std::string hash_to_r(std::uint64_t hash);
std::uint64_t as_hash(const std::string& text);

}  // namespace mdpd
