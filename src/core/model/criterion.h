#pragma once

#include "model/parameters.h"

namespace mdpd {

/// BIC penalty of letting one item differ between components (nats):
/// 1/2 (K - 1) (R_i - 1) log N_i, with the levels seen and the weight of the rows that observe it, at
/// least that of one row.
double item_penalty(const CodedData& data, Index item, Index n_components);

/// Log-likelihood of the items outside `informative` at their observed frequencies (nats).
double marginal_loglik(const CodedData& data, const ItemSet& informative);

/// Log-likelihood minus the penalties of the informative items minus (K - 1)/2 log N.
/// With nothing missing this is -BIC/2 up to a constant of the data.
double penalised_loglik(const CodedData& data, double loglik, const ItemSet& informative,
                        Index n_components);

/// Mutual information of an item with the component, whose probabilities are `weights` (nats); of
/// columns that are equal but for rounding 0.
double item_information(const CodedData& data, const MixtureParameters& params, Index item,
                        const Vector& weights);

/// What each informative item gains in log-likelihood, on the rows that observe it, by differing
/// between the components, minus its penalty (nats); 0 for the others:
/// sum_k W_k KL(mu_k || mubar) - penalty, with W_k the weight of component k among these rows.
/// @param counts of the posterior, of all levels.
Vector item_evidence(const CodedData& data, const MixtureParameters& params,
                     const RowMatrix& counts, const ItemSet& informative);

/// Free parameters: (K - 1) + K sum over S of (R_i - 1) + sum outside S of (R_i - 1).
double n_free_parameters(const CodedData& data, const ItemSet& informative, Index n_components);

}  // namespace mdpd
