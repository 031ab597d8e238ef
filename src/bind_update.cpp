#include "core/fit/blocked_fit.h"
#include "r_monitor.h"
#include "shard_rows.h"

using Rcpp::_;

// What is known of some rows in shards without a fit of them: `problem$coded` has the levels only and
// `problem$held` the components in which rows of known labels are held, or NULL;
// `point` parameters and the numbers of the `informative` items, see model_parameters(); `files` are
// as ShardFiles has them.

namespace {

mdpd::RowPoint as_point(const Rcpp::List& point, const std::vector<mdpd::Index>& n_levels) {
  return {mdpd::as_parameters(n_levels, Rcpp::as<mdpd::Vector>(point["mixing_weights"]),
                              point["item_probs"]),
          mdpd::as_item_set(point["informative"], static_cast<mdpd::Index>(n_levels.size()))};
}

/// How EM goes on with sums.
mdpd::Refinement type_of(bool by_evidence) {
  return by_evidence ? mdpd::Refinement::kEvidence : mdpd::Refinement::kSparse;
}

}  // namespace

// The sums of the rows at the point. `relied`: items whose reliance is wanted.
// [[Rcpp::export]]
Rcpp::List core_sums_of_shards(const Rcpp::List& problem, const Rcpp::List& point,
                               const Rcpp::List& files, const Rcpp::IntegerVector& relied,
                               bool by_evidence, double threads) {
  const std::vector<mdpd::Index> n_levels = mdpd::n_levels_of(problem["coded"]);
  mdpd::RMonitor monitor(false);
  const mdpd::ShardFiles source(files, n_levels);
  mdpd::BlockedRows rows(source, n_levels, mdpd::as_threads(threads), 0.0);
  rows.hold_known(mdpd::held_of(problem));
  mdpd::EngineHere engine(rows, monitor);
  return mdpd::standing_sums_to_r(
      mdpd::sums_of_rows(rows, as_point(point, n_levels),
                         mdpd::as_item_set(relied, static_cast<mdpd::Index>(n_levels.size())),
                         type_of(by_evidence), engine));
}

// What going over the rows once would `gain` at the point `now` (nats), where they stand with these
// `sums`, which are returned; NULL: with those at the point `before`.
// [[Rcpp::export]]
Rcpp::List core_gain_of_round(const Rcpp::List& problem, const Rcpp::List& points,
                              const Rcpp::List& files, Rcpp::Nullable<Rcpp::List> sums,
                              bool by_evidence, double threads) {
  const std::vector<mdpd::Index> n_levels = mdpd::n_levels_of(problem["coded"]);
  const mdpd::RowPoint at = as_point(points["now"], n_levels);
  mdpd::RMonitor monitor(false);
  const mdpd::ShardFiles source(files, n_levels);
  mdpd::BlockedRows rows(source, n_levels, mdpd::as_threads(threads), 0.0);
  rows.hold_known(mdpd::held_of(problem));
  mdpd::EngineHere engine(rows, monitor);
  const mdpd::StandingSums standing =
      sums.isNotNull() ? mdpd::as_standing_sums(Rcpp::List(sums))
                       : mdpd::sums_of_rows(rows, as_point(points["before"], n_levels), {},
                                            type_of(by_evidence), engine);
  mdpd::require_compatible(n_levels, standing, at.params.n_components());
  return Rcpp::List::create(_["gain"] = mdpd::gain_of_round(rows, standing, at, engine),
                            _["sums"] = mdpd::standing_sums_to_r(standing));
}
