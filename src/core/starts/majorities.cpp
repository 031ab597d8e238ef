#include "starts/majorities.h"

#include "model/criterion.h"

namespace mdpd {

namespace {

/// Of fewer answers a majority says little.
constexpr std::size_t fewest_answers = 3;

/// Of the mean information of an answer what an informative worker's has.
constexpr double least_information = 0.5;

/// Share of clear majorities that any fit may overrule, and how many times more than are expected,
/// and rows more, it takes not to be by chance.
constexpr double most_overruled = 0.05;
constexpr double most_of_expected = 1.5;
constexpr double most_by_chance = 3.0;

/// Components of less probability are not counted in what is expected.
constexpr double least_probability = 0.01;

std::vector<bool> informative_workers(const CodedData& data, const MixtureParameters& params) {
  Vector information(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    information[item] = item_information(data, params, item, params.mixing_weights);
  }
  const double mean = information.dot(data.observed_weight) / data.observed_weight.sum();
  std::vector<bool> out(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    out[item] = information[item] >= least_information * mean;
  }
  return out;
}

/// Answers of which more than two thirds of `n_answers` are alike.
std::size_t fewest_of_clear(std::size_t n_answers) { return 2 * n_answers / 3 + 1; }

/// Probability that a level gets a clear majority of these workers' answers in a component.
/// @param chances room.
double chance_of_clear(const CodedData& data, const MixtureParameters& params,
                       const std::vector<Index>& workers, Index level, Index component,
                       std::vector<double>& chances) {
  const std::size_t fewest = fewest_of_clear(workers.size());
  chances.assign(fewest, 0.0);  // that so many have said it so far
  chances[0] = 1.0;
  double reached = 0.0;
  for (const Index worker : workers) {
    const double p = params.item_probs(data.offset[worker] + level, component);
    reached += p * chances[fewest - 1];
    for (std::size_t at = fewest - 1; at > 0; --at) {
      chances[at] += p * (chances[at - 1] - chances[at]);
    }
    chances[0] *= 1.0 - p;
  }
  return reached;
}

/// Calls use(row, workers, votes) for the rows of which enough workers with a say answer. A row whose
/// label is known is where it is whatever they say.
template <class Use>
void for_each_voted_row(const CodedData& data, const std::vector<bool>& has_say, Index n_labels,
                        Use use) {
  std::vector<Index> workers;
  for (Index row = 0; row < data.n_obs; ++row) {
    if (!data.known.empty() && data.known[row] != no_component) continue;
    workers.clear();
    Vector votes = Vector::Zero(n_labels);
    for_each_item_of_row(data, row, [&](Index item, Code code) {
      if (!has_say[item] || code > n_labels) return;
      workers.push_back(item);
      votes[code - 1] += 1.0;
    });
    if (workers.size() >= fewest_answers) use(row, workers, votes);
  }
}

/// May more be overruled than in any fit?
bool are_many(const Majorities& majorities) {
  return majorities.n_overruled > most_overruled * majorities.n_clear;
}

/// See `Majorities::n_expected`.
double expected_to_be_overruled(const CodedData& data, const MixtureFit& fit,
                                const std::vector<Index>& component_labels,
                                const std::vector<bool>& has_say) {
  const auto n_labels = static_cast<Index>(component_labels.size());
  std::vector<double> chances;
  double sum = 0.0;
  const auto add_row = [&](Index row, const std::vector<Index>& workers, const Vector&) {
    const auto posterior = fit.e_step.posterior.row(row);
    for (Index k = 0; k < posterior.size(); ++k) {
      if (posterior[k] < least_probability) continue;
      for (Index label = 0; label < n_labels; ++label) {
        if (label == component_labels[k]) continue;
        sum += data.case_weights[row] * posterior[k] *
               chance_of_clear(data, fit.params, workers, label, k, chances);
      }
    }
  };
  for_each_voted_row(data, has_say, n_labels, add_row);
  return sum;
}

}  // namespace

Majorities majorities_of(const CodedData& data, const MixtureFit& fit,
                         const std::vector<Index>& component_labels) {
  const auto n_labels = static_cast<Index>(component_labels.size());
  const std::vector<bool> has_say = informative_workers(data, fit.params);
  Majorities out;
  out.labels.assign(data.n_obs, no_component);
  const auto add_row = [&](Index row, const std::vector<Index>& workers, const Vector& votes) {
    Index most = 0;
    Index component = 0;
    const double n_most = votes.maxCoeff(&most);
    fit.e_step.posterior.row(row).maxCoeff(&component);
    if (2.0 * n_most > static_cast<double>(workers.size())) out.labels[row] = most;
    if (n_most < static_cast<double>(fewest_of_clear(workers.size()))) return;
    const double weight = data.case_weights[row];
    out.n_clear += weight;
    if (component_labels[component] != most) out.n_overruled += weight;
  };
  for_each_voted_row(data, has_say, n_labels, add_row);
  if (are_many(out)) {
    out.n_expected = expected_to_be_overruled(data, fit, component_labels, has_say);
  }
  return out;
}

bool are_overruled(const Majorities& majorities) {
  return are_many(majorities) &&
         majorities.n_overruled > most_of_expected * majorities.n_expected + most_by_chance;
}

}  // namespace mdpd
