#pragma once

#include "model/evidence.h"

namespace mdpd {

/// The posterior of each row where a case of its answers is taken back out of the sizes and columns
/// that it is classified by: of a row that the fit has not seen. A row has drawn the columns of its
/// component to itself, so that its posterior is too sure, the more so the fewer rows tell of a
/// column. Rows that are known stay where they are. As in
/// collapsed Gibbs sampling: Griffiths and Steyvers (2004), doi:10.1073/pnas.0307752101.
/// @param posterior of these rows, n_obs x n_components, on `items` at `params`.
/// @param pull see `pull_of_answers()`.
/// Cost O(answers to the items * n_components).
RowMatrix held_out_posterior(const CodedData& data, const MixtureParameters& params,
                             const ItemSet& items, const RowMatrix& posterior,
                             const RowMatrix& pull);

}  // namespace mdpd
