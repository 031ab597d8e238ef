#pragma once

#include <RcppEigen.h>

#include "core/data/coded_data.h"
#include "core/model/refine.h"
#include "core/pairs/search.h"

namespace mdpd {

/// View of an R `mdpd_coded` list; the list must outlive it.
CodedData as_coded_data(const Rcpp::List& coded);

/// R gives item-response probabilities as one levels x components matrix per item.
MixtureParameters as_parameters(const CodedData& data, const Vector& mixing_weights,
                                const Rcpp::List& item_probs);
Rcpp::List item_probs_to_r(const CodedData& data, const MixtureParameters& params);

/// 1-based in R, 0-based in the core.
ItemSet as_item_set(const Rcpp::IntegerVector& items);
Rcpp::IntegerVector item_set_to_r(const ItemSet& items);

MissingCells as_missing_cells(bool missing_level);

/// Core options from the elements of `stagewise_control()`.
MStepOptions as_m_step_options(const Rcpp::List& control);
RefineOptions as_refine_options(const Rcpp::List& control);

const char* status_to_r(Status status);

/// Named list of everything in a fit that the core knows.
Rcpp::List fit_to_r(const CodedData& data, const MixtureFit& fit);

/// Trace rows of EM iterations, as a named list of columns.
Rcpp::List iterations_to_r(const std::vector<IterationRecord>& trace);

}  // namespace mdpd
