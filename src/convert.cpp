#include "convert.h"

#include <algorithm>

#include "core/base/jobs.h"
#include "core/data/make_data.h"
#include "core/model/criterion.h"

namespace mdpd {

namespace {

/// From an R object of class `sparse_codes`.
CodedData as_sparse_data(const Rcpp::List& codes, std::vector<Index> n_levels, Vector weights) {
  const Rcpp::NumericVector row_start = codes["row_start"];
  const Rcpp::IntegerVector item = codes["item"];
  const Rcpp::RawVector code = codes["code"];
  std::vector<std::size_t> start(row_start.size());
  std::transform(row_start.begin(), row_start.end(), start.begin(),
                 [](double at) { return static_cast<std::size_t>(at); });
  std::vector<std::uint32_t> items(item.size());
  std::transform(item.begin(), item.end(), items.begin(),
                 [](int at) { return static_cast<std::uint32_t>(at - 1); });
  return make_sparse_data(std::move(start), std::move(items),
                          std::vector<Code>(code.begin(), code.end()), std::move(n_levels),
                          std::move(weights));
}

}  // namespace

CodedData as_coded_data(const Rcpp::List& coded) {
  const Rcpp::List levels = coded["levels"];
  std::vector<Index> n_levels(levels.size());
  for (Index i = 0; i < levels.size(); ++i) n_levels[i] = Rf_xlength(levels[i]);
  Vector weights = Rcpp::as<Vector>(coded["weights"]);
  const Rcpp::RObject codes = coded["codes"];
  CodedData data;
  if (codes.inherits("sparse_codes")) {
    data = as_sparse_data(Rcpp::List(codes), std::move(n_levels), std::move(weights));
  } else {
    const Rcpp::RawMatrix dense(codes);
    data = make_coded_data(RAW(dense), dense.nrow(), std::move(n_levels), std::move(weights));
  }
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
  return missing_level ? MissingCells::kFrozen : MissingCells::kIgnore;
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
