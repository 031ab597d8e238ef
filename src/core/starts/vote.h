#pragma once

#include "model/refine.h"

namespace mdpd {

/// How often each row has each label (n_obs x n_labels), where the first levels of every item are the
/// labels. Cost O(answers).
RowMatrix label_counts(const CodedData& data, Index n_labels);

/// The labels' shares of each row's answers, likewise; equal in a row without answers.
RowMatrix label_shares(const CodedData& data, Index n_labels);

/// EM on all items from these shares, after Dawid and Skene (1979): at the shares alone too few items
/// would be worth their penalty.
MixtureFit vote_start(const CodedData& data, Index n_labels, const RefineOptions& options,
                      Monitor& monitor);

/// The same where workers are alike: each one's answers are drawn to those of the crowd at the shares.
/// All items have the same levels.
MixtureFit crowd_start(const CodedData& data, Index n_labels, const RefineOptions& options,
                       Monitor& monitor);

}  // namespace mdpd
