#pragma once

#include <vector>

#include "model/refine.h"

namespace mdpd {

/// What the answers of a crowd's informative workers say of its rows, but those that are known, and
/// what a fit makes of it.
/// Informative is who tells at least half as much of the components as an answer does on average:
/// who answers at random, or follows others, has no say.
struct Majorities {
  std::vector<Index> labels;  ///< n_obs: what more than half of a row's answers say, no_component
                              ///< where there is none or fewer than three answers
  double n_clear = 0.0;       ///< weight of the rows of which more than two thirds say one label
  double n_overruled = 0.0;   ///< of these, of rows that the fit gives another label
  double n_expected = 0.0;    ///< of rows of another label that would have such a majority, if
                              ///< answers depended on nothing but the components; counted only
                              ///< where a twentieth of the clear ones is overruled
};

/// What is expected costs O(n_labels^2) times the squares of the numbers of answers of rows.
/// @param fit of a crowd: the first levels of every item are the labels.
/// @param component_labels of its components.
Majorities majorities_of(const CodedData& data, const MixtureFit& fit,
                         const std::vector<Index>& component_labels);

/// Does a fit overrule many clear majorities, and more than its own columns can explain? Its components
/// are then kinds of items that workers answer alike, hard ones of two labels say, and not labels.
bool are_overruled(const Majorities& majorities);

}  // namespace mdpd
