#include "convert.h"
#include "core/starts/spectral.h"
#include "r_monitor.h"

using Rcpp::_;

namespace {

const char* spectral_status_to_r(mdpd::SpectralStatus status) {
  switch (status) {
    case mdpd::SpectralStatus::kFound: return "found";
    case mdpd::SpectralStatus::kTooFewItems: return "too_few_items";
    case mdpd::SpectralStatus::kRankTooLow: return "rank_too_low";
  }
  return "unknown";
}

}  // namespace

// `groups`: 0, 1 or 2 an item, or NULL for a random partition by `seed`. `averaged`: the items have
// one set of levels in common, as workers share labels.
// [[Rcpp::export]]
Rcpp::List core_spectral_start(const Rcpp::List& coded, int n_components,
                               const Rcpp::Nullable<Rcpp::IntegerVector>& groups, int n_restarts,
                               double seed, bool averaged) {
  const mdpd::CodedData data = mdpd::as_coded_data(coded, 1.0);
  mdpd::SpectralOptions options;
  options.view = averaged ? mdpd::ViewKind::kAveraged : mdpd::ViewKind::kStacked;
  if (groups.isNotNull()) {
    for (const int group : Rcpp::IntegerVector(groups)) options.groups.push_back(group);
  }
  options.power.n_restarts = n_restarts;
  options.power.seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(seed));
  mdpd::RMonitor monitor(false);
  const mdpd::SpectralStart start = mdpd::spectral_start(data, n_components, options, monitor);
  return Rcpp::List::create(_["mixing_weights"] = start.params.mixing_weights,
                            _["item_probs"] = mdpd::item_probs_to_r(data.n_levels, start.params),
                            _["status"] = spectral_status_to_r(start.status));
}
