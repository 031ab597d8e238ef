#include "model/parameters.h"

#include "base/errors.h"

namespace mdpd {

MixtureParameters independence_model(const CodedData& data) {
  MixtureParameters params{Vector::Ones(1), RowMatrix(data.n_total_levels(), 1)};
  set_uninformative_to_marginal(data, {}, params);
  return params;
}

void set_uninformative_to_marginal(const CodedData& data, const ItemSet& informative,
                                   MixtureParameters& params) {
  std::vector<bool> is_informative(data.n_items, false);
  for (const Index item : informative) is_informative[item] = true;
  for (Index item = 0; item < data.n_items; ++item) {
    if (is_informative[item]) continue;
    const Vector marginals = data.levels_of(item, data.level_weight) / data.observed_weight[item];
    data.levels_of(item, params.item_probs).colwise() = marginals;
  }
}

void require_compatible(const CodedData& data, const MixtureParameters& params) {
  require(params.item_probs.rows() == data.n_total_levels() &&
              params.item_probs.cols() == params.n_components(),
          "the parameters were not made for these data");
}

}  // namespace mdpd
