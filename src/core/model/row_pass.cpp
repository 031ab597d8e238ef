#include "model/row_pass.h"

namespace mdpd {

RowPass& RowPass::operator+=(const RowPass& other) {
  loglik += other.loglik;
  counts += other.counts;
  overlap += other.overlap;
  modal += other.modal;
  return *this;
}

Matrix modal_shares(const CodedData& data, const RowMatrix& posterior, const RowMatrix& probable) {
  Matrix out = Matrix::Zero(posterior.cols(), posterior.cols());
  for (Index n = 0; n < posterior.rows(); ++n) {
    Index modal = 0;
    posterior.row(n).maxCoeff(&modal);
    const double weight = data.case_weights[n] / data.total_weight;
    for (Index k = 0; k < posterior.cols(); ++k) {
      double share = 0.0;
      round_share(weight * probable(n, k), share);
      out(modal, k) += share;
    }
  }
  return out;
}

RowPass empty_pass(const CodedData& frame, Index n_components) {
  return {empty_loglik(frame),
          {RowMatrix::Zero(frame.n_total_levels(), n_components), RowMatrix::Zero(1, n_components)},
          Matrix::Zero(n_components, n_components),
          Matrix::Zero(n_components, n_components)};
}

RowPass pass_over(const CodedData& rows, const RowPoint& at, int depth) {
  const EStep step = e_step(rows, at.params, at.items);
  return {loglik_sum(rows, step.row_loglik),
          level_sums(rows, step.posterior, make_ready(rows, all_items(rows)), depth),
          shared_weight(rows, step.posterior, step.posterior),
          modal_shares(rows, step.posterior, step.posterior)};
}

}  // namespace mdpd
