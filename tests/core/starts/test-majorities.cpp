#include "starts/majorities.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

MixtureFit fit_at(const MixtureParameters& params, const RowMatrix& posterior) {
  MixtureFit fit;
  fit.params = params;
  fit.e_step.posterior = posterior;
  return fit;
}

/// Three workers of two labels, in components of a half each.
MixtureParameters right_with(double accuracy) {
  MixtureParameters params;
  params.mixing_weights = Vector::Constant(2, 0.5);
  params.item_probs.resize(6, 2);
  for (Index level = 0; level < 6; ++level) {
    for (Index k = 0; k < 2; ++k) {
      params.item_probs(level, k) = level % 2 == k ? accuracy : 1.0 - accuracy;
    }
  }
  return params;
}

double information_twin(const Table& table, const MixtureParameters& params, Index item) {
  double sum = 0.0;
  for (Index r = 0; r < table.data.n_levels[item]; ++r) {
    const auto probs = params.item_probs.row(table.data.offset[item] + r);
    for (Index k = 0; k < probs.size(); ++k) {
      sum += params.mixing_weights[k] * probs[k] *
             std::log(probs[k] / probs.dot(params.mixing_weights));
    }
  }
  return sum;
}

/// Probability that more than two thirds say a level: over all patterns of who says it.
double chance_twin(const std::vector<double>& probs) {
  const std::size_t n = probs.size();
  double sum = 0.0;
  for (std::size_t pattern = 0; pattern < (std::size_t{1} << n); ++pattern) {
    double chance = 1.0;
    std::size_t n_say = 0;
    for (std::size_t at = 0; at < n; ++at) {
      const bool says = ((pattern >> at) & 1) == 1;
      chance *= says ? probs[at] : 1.0 - probs[at];
      n_say += says ? 1 : 0;
    }
    if (3 * n_say > 2 * n) sum += chance;
  }
  return sum;
}

Majorities majorities_twin(const Table& table, const MixtureFit& fit,
                           const std::vector<Index>& labels) {
  const CodedData& data = table.data;
  double total = 0.0;
  for (Index item = 0; item < data.n_items; ++item) {
    total += data.observed_weight[item] * information_twin(table, fit.params, item);
  }
  const double mean = total / data.observed_weight.sum();
  Majorities out;
  for (Index n = 0; n < data.n_obs; ++n) {
    std::vector<Index> workers;
    Vector votes = Vector::Zero(3);
    for (Index item = 0; item < data.n_items; ++item) {
      if (table.code(n, item) == 0) continue;
      if (information_twin(table, fit.params, item) < 0.5 * mean) continue;
      workers.push_back(item);
      votes[table.code(n, item) - 1] += 1.0;
    }
    Index most = 0;
    const double share = votes.maxCoeff(&most) / static_cast<double>(workers.size());
    const bool counts = workers.size() >= 3;
    out.labels.push_back(counts && share > 0.5 ? most : no_component);
    if (!counts) continue;
    Index component = 0;
    fit.e_step.posterior.row(n).maxCoeff(&component);
    const double weight = data.case_weights[n];
    if (share > 2.0 / 3.0 + 1e-9) {
      out.n_clear += weight;
      if (labels[component] != most) out.n_overruled += weight;
    }
    for (Index k = 0; k < 3; ++k) {
      const double probability = fit.e_step.posterior(n, k);
      if (probability < 0.01) continue;
      for (Index label = 0; label < 3; ++label) {
        std::vector<double> probs;
        for (const Index item : workers) {
          probs.push_back(fit.params.item_probs(data.offset[item] + label, k));
        }
        if (label != labels[k]) out.n_expected += weight * probability * chance_twin(probs);
      }
    }
  }
  return out;
}

}  // namespace

context("majorities") {
  test_that("they are those of the informative workers, as by counting one by one") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const Shape shape{40, std::vector<Index>(9, 3), 0.3, true};
      MixtureParameters params = random_parameters(random, shape.n_levels, 3);
      // Two who answer at random.
      for (Index row = 0; row < 6; ++row) params.item_probs.row(row).setConstant(1.0 / 3.0);
      const Table table = draw_table(random, params, shape);
      const MixtureFit fit = fit_at(params, random_posterior(random, 40, 3));
      const std::vector<Index> labels = {2, 0, 1};
      const Majorities found = majorities_of(table.data, fit, labels);
      const Majorities twin = majorities_twin(table, fit, labels);
      expect_true(found.labels == twin.labels);
      expect_true(std::abs(found.n_clear - twin.n_clear) < 1e-12);
      expect_true(std::abs(found.n_overruled - twin.n_overruled) < 1e-12);
      expect_true(relative_difference(found.n_expected, twin.n_expected) < 1e-12);
      const Majorities sparse = majorities_of(sparse_copy(table.data), fit, labels);
      expect_true(sparse.labels == found.labels);
      expect_true(sparse.n_expected == found.n_expected);
    }
  }

  test_that("rows that are known are none of theirs, whatever they answer") {
    const Table table = table_of({{1, 2, 2}, {1, 2, 2}, {1, 2, 2}}, {2, 2, 2});
    RowMatrix posterior(3, 2);
    posterior << 1.0, 0.0, 1.0, 0.0, 0.0, 1.0;
    const MixtureFit fit = fit_at(right_with(0.8), posterior);
    CodedData data = table.data;
    data.known = {no_component, 0, no_component};
    const Majorities found = majorities_of(data, fit, {0, 1});
    expect_true(found.labels == std::vector<Index>({0, no_component, 1}));
    expect_true(found.n_clear == 2.0);
    expect_true(found.n_overruled == 0.0);
    data.known.clear();
    const Majorities all = majorities_of(data, fit, {0, 1});
    expect_true(all.n_clear == 3.0);
    expect_true(all.n_overruled == 1.0);
    // What is expected is of the same rows.
    data.known = {no_component, no_component, 0};
    const Majorities but_last = majorities_of(data, fit, {0, 1});
    expect_true(but_last.n_overruled == 1.0);
    const double of_a_row = 0.2 * 0.2 * 0.2;
    expect_true(relative_difference(all.n_expected, 3.0 * of_a_row) < 1e-12);
    expect_true(relative_difference(but_last.n_expected, 2.0 * of_a_row) < 1e-12);
  }

  test_that("two of three answers are no clear majority, and two answers none") {
    const Table table = table_of({{1, 1, 1}, {1, 1, 1}, {1, 2, 0}}, {2, 2, 2});
    const MixtureParameters params = right_with(0.9);
    RowMatrix posterior(3, 2);
    posterior << 0.2, 0.8, 0.9, 0.1, 0.9, 0.1;
    const Majorities found = majorities_of(table.data, fit_at(params, posterior), {0, 1});
    expect_true(found.labels == (std::vector<Index>{0, 0, no_component}));
    expect_true(found.n_clear == 1.0);
    expect_true(found.n_overruled == 1.0);
    expect_true(found.n_expected > 0.0);
    // What is expected is not asked for where none is overruled.
    posterior << 0.8, 0.2, 0.9, 0.1, 0.9, 0.1;
    const Majorities none = majorities_of(table.data, fit_at(params, posterior), {0, 1});
    expect_true(none.n_overruled == 0.0);
    expect_true(none.n_expected == 0.0);
  }

  test_that("few, or no more than are expected, are overruled by chance") {
    expect_true(are_overruled({{}, 200.0, 20.0, 10.0}));
    expect_false(are_overruled({{}, 400.0, 20.0, 10.0}));
    expect_false(are_overruled({{}, 200.0, 18.0, 10.0}));
    expect_false(are_overruled({{}, 20.0, 3.0, 0.0}));
    expect_false(are_overruled({}));
  }
}

}  // namespace mdpd
