#pragma once

#include <vector>

#include "model/refine.h"

namespace mdpd {

// Items of one label of a crowd may be of several kinds, as easy and hard ones are: then several
// components stand for one label, each for a kind of its items.

/// How often some items give a label in a component, each counted by the weight of the rows that
/// observe it: labels, of which there are as many as components, x components.
Matrix votes_of_items(const CodedData& data, const MixtureParameters& params, const ItemSet& items);

/// Of each component the label that it stands for where each stands for one: what the informative
/// workers, each counted by the weight of the rows labelled, most often say in it. None if no worker
/// is informative.
/// @param fit with as many components as labels; every item's first levels are these labels.
std::vector<Index> labels_by_answers(const CodedData& data, const MixtureFit& fit);

/// A component in which its label has less than half as many answers as another stands for that one:
/// one to one, a kind of the items of a common label can be left with the name of a rare one.
/// @param counts of the posterior, of all levels.
/// @param labels of the components before.
std::vector<Index> corrected_by_votes(const CodedData& data, const RowMatrix& counts,
                                      Index n_labels, std::vector<Index> labels);

/// Posterior in which a component is two, the second the last: rows whose answers say its label stay,
/// those whose answers dispute it go.
/// @param shares of the labels in each row's answers, see `label_shares()`.
RowMatrix split_kind(const RowMatrix& posterior, const RowMatrix& shares, Index component,
                     Index label);

/// The least share, among components of more than one row in a hundred, of a component's rows to
/// which a fit with one component a label gives its label.
/// @param labels of the components, of which the first have those of that fit.
/// @param of_labels its posterior.
double least_agreement(const CodedData& data, const RowMatrix& posterior,
                       const std::vector<Index>& labels, const RowMatrix& of_labels);

}  // namespace mdpd
