#include "convert.h"

#include "core/criterion.h"
#include "core/jobs.h"

namespace mdpd {

CodedData as_coded_data(const Rcpp::List& coded) {
  const Rcpp::RawMatrix codes = coded["codes"];
  const Rcpp::List levels = coded["levels"];
  std::vector<Index> n_levels(levels.size());
  for (Index i = 0; i < levels.size(); ++i) n_levels[i] = Rf_xlength(levels[i]);
  CodedData data = make_coded_data(RAW(codes), codes.nrow(), std::move(n_levels),
                                   Rcpp::as<Vector>(coded["weights"]));
  if (coded.containsElementNamed("known") && !Rf_isNull(coded["known"])) {
    for (const int component : Rcpp::IntegerVector(coded["known"])) {
      data.known.push_back(component == NA_INTEGER ? no_component : component - 1);
    }
  }
  if (coded.containsElementNamed("threads")) {
    data.n_threads = allowed_threads(Rcpp::as<double>(coded["threads"]));
  }
  return data;
}

MixtureParameters as_parameters(const CodedData& data, const Vector& mixing_weights,
                                const Rcpp::List& item_probs) {
  MixtureParameters params{mixing_weights, RowMatrix(data.n_total_levels(), mixing_weights.size())};
  for (Index item = 0; item < data.n_items; ++item) {
    params.item_probs.middleRows(data.offset[item], data.n_levels[item]) =
        Rcpp::as<Matrix>(item_probs[item]);
  }
  return params;
}

Rcpp::List item_probs_to_r(const CodedData& data, const MixtureParameters& params) {
  Rcpp::List out(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    out[item] =
        Rcpp::wrap(Matrix(params.item_probs.middleRows(data.offset[item], data.n_levels[item])));
  }
  return out;
}

ItemSet as_item_set(const Rcpp::IntegerVector& items) {
  ItemSet out;
  for (const int item : items) out.push_back(item - 1);
  return out;
}

Rcpp::IntegerVector item_set_to_r(const ItemSet& items) {
  Rcpp::IntegerVector out(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) out[i] = static_cast<int>(items[i]) + 1;
  return out;
}

MissingCells as_missing_cells(bool missing_level) {
  return missing_level ? MissingCells::kLevel : MissingCells::kIgnore;
}

MStepOptions as_m_step_options(const Rcpp::List& control) {
  MStepOptions options;
  options.smoothing = Rcpp::as<double>(control["smoothing"]);
  options.floor = Rcpp::as<double>(control["floor"]);
  return options;
}

RefineOptions as_refine_options(const Rcpp::List& control) {
  RefineOptions options;
  // The floor protects the split of a young component; kept in EM it would stop the likelihood
  // short.
  options.m_step.smoothing = Rcpp::as<double>(control["smoothing"]);
  if (control.containsElementNamed("prior_counts")) {
    options.m_step.prior_counts = Rcpp::as<Matrix>(control["prior_counts"]);
  }
  options.tol = Rcpp::as<double>(control["tol"]);
  options.max_iter = static_cast<Index>(Rcpp::as<double>(control["max_iter"]));
  return options;
}

const char* status_to_r(Status status) {
  switch (status) {
    case Status::kConverged: return "converged";
    case Status::kIterationLimit: return "iteration_limit";
    case Status::kNothingInformative: return "nothing_informative";
  }
  return "unknown";
}

Rcpp::List fit_to_r(const CodedData& data, const MixtureFit& fit) {
  using Rcpp::_;
  return Rcpp::List::create(
      _["mixing_weights"] = fit.params.mixing_weights,
      _["item_probs"] = item_probs_to_r(data, fit.params),
      _["informative"] = item_set_to_r(fit.informative),
      _["posterior"] = Matrix(fit.e_step.posterior), _["loglik"] = fit.loglik,
      _["penalised_loglik"] = fit.penalised_loglik,
      _["df"] = n_free_parameters(data, fit.informative, fit.params.n_components()));
}

Rcpp::List iterations_to_r(const std::vector<IterationRecord>& trace) {
  using Rcpp::_;
  const std::size_t n = trace.size();
  Rcpp::IntegerVector n_informative(n);
  Rcpp::NumericVector loglik(n);
  Rcpp::NumericVector penalised(n);
  for (std::size_t i = 0; i < n; ++i) {
    n_informative[i] = static_cast<int>(trace[i].n_informative);
    loglik[i] = trace[i].loglik;
    penalised[i] = trace[i].penalised_loglik;
  }
  return Rcpp::List::create(_["n_informative"] = n_informative, _["loglik"] = loglik,
                            _["penalised_loglik"] = penalised);
}

}  // namespace mdpd
