#include "starts/vote.h"

#include "model/crowd_prior.h"

namespace mdpd {

namespace {

/// EM iterations of a crowd alike, and answers of the crowd that each worker's columns are drawn to
/// it by: enough to leave what few answers say, too few to settle.
constexpr Index iterations_of_crowd = 30;
constexpr double answers_of_crowd = 4.0;

}  // namespace

RowMatrix label_counts(const CodedData& data, Index n_labels) {
  RowMatrix counts = RowMatrix::Zero(data.n_obs, n_labels);
  for (Index item = 0; item < data.n_items; ++item) {
    for_each_answer(data, item, [&](Index row, Code code) {
      if (code <= n_labels) counts(row, code - 1) += 1.0;
    });
  }
  return counts;
}

RowMatrix label_shares(const CodedData& data, Index n_labels) {
  RowMatrix votes = label_counts(data, n_labels);
  for (Index n = 0; n < data.n_obs; ++n) {
    const double sum = votes.row(n).sum();
    if (sum > 0.0)
      votes.row(n) /= sum;
    else
      votes.row(n).setConstant(1.0 / static_cast<double>(n_labels));
  }
  return votes;
}

MixtureFit vote_start(const CodedData& data, Index n_labels, const RefineOptions& options,
                      Monitor& monitor) {
  return refine(data, label_shares(data, n_labels), {}, options.of_type(Refinement::kFull), monitor)
      .fit;
}

MixtureFit crowd_start(const CodedData& data, Index n_labels, const RefineOptions& options,
                       Monitor& monitor) {
  const RowMatrix shares = label_shares(data, n_labels);
  const RowMatrix columns =
      crowd_columns(data, level_counts(data, shares), Vector::Ones(data.n_items));
  RefineOptions pooled = options.of_type(Refinement::kFull).at_most(iterations_of_crowd);
  pooled.m_step.prior_counts = answers_of_crowd * columns.replicate(data.n_items, 1);
  return refine(data, shares, {}, pooled, monitor).fit;
}

}  // namespace mdpd
