#include "convert.h"
#include "core/base/jobs.h"
#include "core/growth/split.h"
#include "core/model/m_step.h"
#include "core/model/posterior.h"
#include "core/model/vote_gains.h"
#include "core/pairs/information.h"
#include "core/pairs/search.h"
#include "r_monitor.h"

using Rcpp::_;

namespace {

mdpd::RowMatrix row_weights_from_r(const mdpd::CodedData& data,
                                   const Rcpp::NumericMatrix& posterior) {
  return mdpd::weighted_posterior(data, Rcpp::as<mdpd::Matrix>(posterior));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_posterior(const Rcpp::List& coded, const Eigen::VectorXd& mixing_weights,
                          const Rcpp::List& item_probs, const Rcpp::IntegerVector& items) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  const mdpd::EStep step = mdpd::e_step(data, mdpd::as_parameters(data, mixing_weights, item_probs),
                                        mdpd::as_item_set(items));
  return Rcpp::List::create(_["posterior"] = mdpd::Matrix(step.posterior),
                            _["loglik"] = step.loglik, _["row_loglik"] = step.row_loglik);
}

// [[Rcpp::export]]
Rcpp::List core_m_step(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior, double floor,
                       double smoothing) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::MStepOptions options;
  options.smoothing = smoothing;
  options.floor = floor;
  const mdpd::MixtureParameters params =
      mdpd::m_step(data, Rcpp::as<mdpd::Matrix>(posterior), options);
  return Rcpp::List::create(_["mixing_weights"] = params.mixing_weights,
                            _["item_probs"] = mdpd::item_probs_to_r(data, params));
}

// [[Rcpp::export]]
Rcpp::NumericVector core_pair_table(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                                    int item_1, int item_2, bool missing_level) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::PairTable table;
  mdpd::fill_pair_table(data, row_weights_from_r(data, posterior), item_1 - 1, item_2 - 1,
                        mdpd::as_missing_cells(missing_level), table);
  // R's order of levels: 1 to R, then the missing level where it is wanted.
  const mdpd::Index rows = table.n_rows - (missing_level ? 0 : 1);
  const mdpd::Index cols = table.n_cols - (missing_level ? 0 : 1);
  Rcpp::NumericVector out(rows * cols * table.n_components);
  for (mdpd::Index k = 0; k < table.n_components; ++k) {
    for (mdpd::Index s = 0; s < cols; ++s) {
      for (mdpd::Index r = 0; r < rows; ++r) {
        out[(k * cols + s) * rows + r] =
            table.at((r + 1) % table.n_rows, (s + 1) % table.n_cols, k);
      }
    }
  }
  out.attr("dim") = Rcpp::IntegerVector::create(rows, cols, table.n_components);
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix core_information(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                                     int component, bool missing_level) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(false);
  return Rcpp::wrap(mdpd::information_matrix(data, row_weights_from_r(data, posterior),
                                             component - 1, mdpd::as_missing_cells(missing_level),
                                             monitor));
}

// [[Rcpp::export]]
Rcpp::List core_best_pair(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                          const Rcpp::IntegerVector& informative, const std::string& by,
                          bool outside_only, bool missing_level) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  mdpd::RMonitor monitor(false);
  mdpd::SearchOptions options;
  if (by == "information") options.selection = mdpd::Selection::kInformation;
  if (outside_only) options.candidates = mdpd::Candidates::kTouchingOutside;
  options.missing = mdpd::as_missing_cells(missing_level);
  const mdpd::PairSearch search = mdpd::search_pairs(
      data, row_weights_from_r(data, posterior), mdpd::as_item_set(informative), options, monitor);
  const mdpd::PairChoice pair = mdpd::worst_explained(search);
  return Rcpp::List::create(
      _["found"] = pair.found, _["item_1"] = static_cast<int>(pair.item_1) + 1,
      _["item_2"] = static_cast<int>(pair.item_2) + 1,
      _["component"] = static_cast<int>(pair.component) + 1, _["information"] = pair.information,
      _["log_p_value"] = pair.log_p_value, _["largest_information"] = search.largest_information);
}

// [[Rcpp::export]]
Rcpp::NumericMatrix core_split_hessian(const Rcpp::List& coded,
                                       const Rcpp::NumericMatrix& posterior, int component,
                                       int item_1, int item_2, const Eigen::VectorXd& probs_1,
                                       const Eigen::VectorXd& probs_2, bool missing_level) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  const mdpd::RowMatrix row_weights = row_weights_from_r(data, posterior);
  return Rcpp::wrap(mdpd::split_hessian({data, row_weights, component - 1, item_1 - 1, item_2 - 1,
                                         probs_1, probs_2, mdpd::as_missing_cells(missing_level)}));
}

// [[Rcpp::export]]
double core_split_objective(const Rcpp::List& coded, const Rcpp::NumericMatrix& posterior,
                            int component, int item_1, int item_2, const Eigen::VectorXd& probs_1,
                            const Eigen::VectorXd& probs_2, bool missing_level,
                            const Eigen::VectorXd& d) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded);
  const mdpd::RowMatrix row_weights = row_weights_from_r(data, posterior);
  return mdpd::split_objective({data, row_weights, component - 1, item_1 - 1, item_2 - 1, probs_1,
                                probs_2, mdpd::as_missing_cells(missing_level)},
                               d);
}

// [[Rcpp::export]]
Rcpp::List core_vote_gains(const Rcpp::NumericMatrix& posterior, const Rcpp::List& label_probs,
                           const Rcpp::List& labelled, double threads) {
  mdpd::Voters voters;
  for (R_xlen_t worker = 0; worker < label_probs.size(); ++worker) {
    voters.label_probs.push_back(Rcpp::as<mdpd::Matrix>(label_probs[worker]));
    voters.labelled.emplace_back();
    for (const int row : Rcpp::IntegerVector(labelled[worker])) {
      voters.labelled.back().push_back(static_cast<std::uint32_t>(row - 1));
    }
  }
  const mdpd::VoteGains gains =
      mdpd::vote_gains(Rcpp::as<mdpd::Matrix>(posterior), voters, mdpd::allowed_threads(threads));
  Rcpp::IntegerVector best_worker(gains.best_worker.size());
  for (R_xlen_t row = 0; row < best_worker.size(); ++row) {
    const mdpd::Index worker = gains.best_worker[row];
    best_worker[row] = worker == mdpd::no_worker ? NA_INTEGER : static_cast<int>(worker) + 1;
  }
  return Rcpp::List::create(_["mean"] = gains.mean, _["best"] = gains.best,
                            _["best_worker"] = best_worker);
}
