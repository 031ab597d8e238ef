#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Answers added to every level's, so that the few rows of a rare one are no direction of their own.
inline constexpr double answers_added_to_start = 25.0;

/// A posterior of whole rows, clustered by their leading scores of multiple correspondence analysis:
/// it sees what many items tell a little of, each too weak to be seen by itself or in pairs. Among
/// the starts of EM it is the one for dense data. Scores: Greenacre (1984), Theory and Applications
/// of Correspondence Analysis, without what a row has in common with itself only; clusters: one is
/// split after another, across its widest direction, and all are moved by k-means.
/// @param answers_added see RowProducts.
/// @return n_obs x n_components; empty where rows do not differ.
/// Cost O(answers) for each of a few dozen products.
RowMatrix correspondence_start(const CodedData& data, Index n_components,
                               double answers_added = answers_added_to_start);

/// The scores, in units of the roots of their eigenvalues: n_obs x n at most.
Matrix correspondence_scores(const CodedData& data, Index n,
                             double answers_added = answers_added_to_start);

/// Numbers from 0 of clusters of the rows of `scores`.
std::vector<Index> cluster_rows(const Matrix& scores, const Vector& weights, Index n_clusters);

}  // namespace mdpd
