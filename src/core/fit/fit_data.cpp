#include "fit/fit_data.h"

#include "base/exact_sums.h"
#include "data/empty_rows.h"

namespace mdpd {

namespace {

DistinctRows kinds_of(const Cells& cells, const std::vector<Index>& known) {
  if (cells.codes == nullptr) return {};
  const bool is_small = cells.n_obs * cells.n_items() <= most_cells_of_kinds;
  const auto half = static_cast<Index>(most_kinds_per_row * static_cast<double>(cells.n_obs));
  const Index most = is_small ? cells.n_obs - 1 : half;
  return distinct_rows(cells.codes, cells.n_obs, cells.n_items(), known, most);
}

/// The weight of each kind.
Vector sum_weights(const Vector& case_weights, const DistinctRows& kinds) {
  std::vector<ExactSum> sums(kinds.first.size(), no_weight(case_weights.maxCoeff()));
  for (Index n = 0; n < case_weights.size(); ++n) {
    add_weight(case_weights[n], sums[kinds.kind[n]]);
  }
  Vector out(static_cast<Index>(sums.size()));
  for (Index kind = 0; kind < out.size(); ++kind) out[kind] = sums[kind].value();
  return out;
}

std::vector<Code> pick_codes(const Cells& cells, const std::vector<Index>& rows) {
  std::vector<Code> codes;
  codes.reserve(rows.size() * cells.n_levels.size());
  for (Index item = 0; item < cells.n_items(); ++item) {
    const Code* column = cells.codes + item * cells.n_obs;
    for (const Index row : rows) codes.push_back(column[row]);
  }
  return codes;
}

}  // namespace

FitData::FitData(Cells cells, const Problem& problem)
    : kinds_(kinds_of(cells, problem.known)), known_(problem.known) {
  Vector weights = problem.case_weights;
  weigh_no_empty_rows(cells, problem.known, weights);
  if (kinds_.first.empty()) {
    data_ = make_data(std::move(cells), std::move(weights));
  } else {
    const auto n_kinds = static_cast<Index>(kinds_.first.size());
    if (!known_.empty()) {
      known_.clear();
      for (const Index row : kinds_.first) known_.push_back(problem.known[row]);
    }
    codes_ = pick_codes(cells, kinds_.first);
    data_ = make_coded_data(codes_.data(), n_kinds, std::move(cells.n_levels),
                            sum_weights(weights, kinds_));
  }
  data_.n_threads = problem.n_threads;
}

RowMatrix FitData::of_kinds(const RowMatrix& posterior, const Vector& case_weights) const {
  if (kinds_.first.empty()) return posterior;
  RowMatrix out = RowMatrix::Zero(data_.n_obs, posterior.cols());
  for (Index n = 0; n < posterior.rows(); ++n) {
    out.row(kinds_.kind[n]) += case_weights[n] * posterior.row(n);
  }
  for (Index kind = 0; kind < data_.n_obs; ++kind) {
    const double weight = data_.case_weights[kind];
    // Of a kind without weight any row will do.
    if (weight > 0.0)
      out.row(kind) /= weight;
    else
      out.row(kind) = posterior.row(kinds_.first[kind]);
  }
  return out;
}

void FitData::expand(MixtureFit& fit) const {
  if (kinds_.first.empty()) return;
  const EStep of_kinds = std::move(fit.e_step);
  const auto n_obs = static_cast<Index>(kinds_.kind.size());
  fit.e_step.loglik = of_kinds.loglik;
  fit.e_step.posterior.resize(n_obs, of_kinds.posterior.cols());
  fit.e_step.row_loglik.resize(n_obs);
  for (Index n = 0; n < n_obs; ++n) {
    fit.e_step.posterior.row(n) = of_kinds.posterior.row(kinds_.kind[n]);
    fit.e_step.row_loglik[n] = of_kinds.row_loglik[kinds_.kind[n]];
  }
}

}  // namespace mdpd
