#pragma once

#include "core/base/arithmetic.h"

#include <RcppEigen.h>

#include "core/data/make_data.h"
#include "core/model/parameters.h"
#include "core/pairs/pair_tables.h"

namespace mdpd {

/// View of the cells of an R `mdpd_coded` list; the list must outlive it.
Cells as_cells(const Rcpp::List& coded);

/// Component that each row is known to belong to, from an integer vector or NULL.
std::vector<Index> as_known(SEXP known);

/// View of an R `mdpd_coded` list; the list must outlive it.
CodedData as_coded_data(const Rcpp::List& coded, double threads);

/// R gives item-response probabilities as one levels x components matrix per item.
MixtureParameters as_parameters(const std::vector<Index>& n_levels, Vector mixing_weights,
                                const Rcpp::List& item_probs);
Rcpp::List item_probs_to_r(const std::vector<Index>& n_levels, const MixtureParameters& params);

/// 1-based in R, 0-based in the core.
ItemSet as_item_set(const Rcpp::IntegerVector& items);
Rcpp::IntegerVector item_set_to_r(const ItemSet& items);

/// What the tables of a fit do with missing cells, from its `mdpd_coded` list.
MissingCells as_missing_cells(const Rcpp::List& coded);

}  // namespace mdpd
