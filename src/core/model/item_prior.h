#pragma once

#include <vector>

#include "base/types.h"

namespace mdpd {

/// Concentrations of the Dirichlet priors: 1/2, 3/2, 9/2, ..., 1093.5.
inline constexpr Index n_concentrations = 8;
double concentration(Index at);

/// Kinds of columns that the items of a crowd may have beside the spike's: around a centre of their
/// own, as all items, around the crowd's, and those of one accuracy.
inline constexpr Index n_families_of_crowd = 3;

/// Where the weights of a crowd begin.
inline constexpr Index first_of_crowd = 1 + n_concentrations;
inline constexpr Index first_of_accuracy = first_of_crowd + n_concentrations;

/// What is learned from all items. Its weights sum to 1: that of the spike, those of columns around
/// a centre of the item's own at each concentration and, of a crowd, those of columns around what
/// the crowd answers in each component, and of columns of one accuracy: a worker is right with one
/// probability, drawn to the crowd's, whatever the label, and each other label is as likely. Of two
/// labels none of these is drawn by more than 13.5 answers, unless one is rare: see `weigh_items()`.
struct ItemPrior {
  Vector weights = {};
  RowMatrix crowd = {};  ///< levels x n_components, columns sum to 1, all positive; or empty
  RowMatrix pseudo_counts = {};  ///< of the crowd's columns, likewise
};

/// Half the weight on the spike, the rest spread evenly.
/// @param n_families of columns: those around centres of their own, or all of a crowd.
ItemPrior flat_prior(Index n_families = 1);

/// What a fit has learned, for other data: a weight of 0 would stay 0, whatever these say.
ItemPrior prior_to_go_on_with(ItemPrior prior);

/// @throws DimensionError if a prior to go on with has not as many weights as `flat_prior()` of its
///   families, or columns of the crowd that are not of the items' levels and the components. It may be
///   empty.
void require_prior(const ItemPrior& prior, const std::vector<Index>& n_levels, Index n_components);

}  // namespace mdpd
