#include "convert.h"
#include "core/data/row_sums.h"
#include "core/model/posterior.h"
#include "core/model/vote_gains.h"
#include "core/pairs/dependence.h"
#include "r_monitor.h"

using Rcpp::_;

// What is asked of a fit that is there.

// All items of `coded` enter.
// [[Rcpp::export]]
Rcpp::List core_posterior(const Rcpp::List& coded, const Eigen::VectorXd& mixing_weights,
                          const Rcpp::List& item_probs, double threads) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded, threads);
  for (const mdpd::Index known : data.known) {
    mdpd::require(known < mixing_weights.size(), "a known component is one of the fit");
  }
  const mdpd::EStep step = mdpd::e_step(
      data, mdpd::as_parameters(data.n_levels, mixing_weights, item_probs), mdpd::all_items(data));
  return Rcpp::List::create(_["posterior"] = mdpd::Matrix(step.posterior),
                            _["row_loglik"] = step.row_loglik);
}

// `component` from 1; 0 stands for all of them.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_information(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                                     int component, double threads) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded, threads);
  const mdpd::Matrix shares =
      mdpd::amounts(Rcpp::as<mdpd::Matrix>(posterior), "a posterior has probabilities");
  mdpd::require(shares.rows() == data.n_obs && component >= 0 && component <= shares.cols(),
                "a posterior is observations x components");
  const mdpd::RowMatrix row_weights = mdpd::row_shares(data, shares);
  mdpd::RMonitor monitor(false);
  return Rcpp::wrap(mdpd::information_matrix(data, row_weights, component - 1,
                                             mdpd::as_missing_cells(coded), monitor));
}

namespace {

// Of each worker its probabilities and the rows it has labelled.
mdpd::Voters as_voters(const mdpd::Matrix& posterior, const Rcpp::IntegerVector& class_of,
                       const Rcpp::List& label_probs, const Rcpp::List& labelled) {
  mdpd::require(class_of.size() == 0 || class_of.size() == posterior.cols(),
                "a class for each component");
  mdpd::require(label_probs.size() == labelled.size(), "rows of each worker");
  mdpd::Voters voters;
  voters.class_of = mdpd::as_item_set(class_of, posterior.cols());
  for (R_xlen_t worker = 0; worker < label_probs.size(); ++worker) {
    voters.label_probs.push_back(
        mdpd::amounts(Rcpp::as<mdpd::Matrix>(label_probs[worker]), "workers have probabilities"));
    mdpd::require(voters.label_probs.back().cols() == posterior.cols(),
                  "probabilities of a worker are labels x components");
    voters.labelled.emplace_back();
    for (const mdpd::Index row : mdpd::as_item_set(labelled[worker], posterior.rows())) {
      voters.labelled.back().push_back(static_cast<std::uint32_t>(row));
    }
  }
  return voters;
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_vote_gains(const Rcpp::NumericMatrix& posterior,
                           const Rcpp::IntegerVector& class_of, const Rcpp::List& label_probs,
                           const Rcpp::List& labelled, double threads) {
  const mdpd::Matrix shares =
      mdpd::amounts(Rcpp::as<mdpd::Matrix>(posterior), "a posterior has probabilities");
  const mdpd::Voters voters = as_voters(shares, class_of, label_probs, labelled);
  const mdpd::VoteGains gains = mdpd::vote_gains(shares, voters, mdpd::as_threads(threads));
  return Rcpp::List::create(_["mean"] = gains.mean, _["best"] = gains.best,
                            _["best_worker"] = mdpd::item_set_to_r(gains.best_worker));
}
