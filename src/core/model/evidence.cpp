#include "model/evidence.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/exponential.h"
#include "base/jobs.h"
#include "base/kernels.h"
#include "base/matrices.h"
#include "base/numerics.h"
#include "model/crowd_prior.h"

namespace mdpd {

namespace {

/// Items of which one job weighs the evidence.
constexpr Index items_of_job = 64;

/// The gain of rows of which it is not sure in what component they are: they say less of the columns
/// than as many that are sure, so that more columns agree with them (Laplace). Of crowds, whose rows
/// have few answers, the columns are too much entangled for it: there it is left out.
[[gnu::always_inline]] inline void add_gain_of_overlap(const CodedData& data, Index item,
                                                       const Overlap& overlap, Grid& sums) {
  const Grid& grid = concentrations();
  const double weight = data.observed_weight[item];
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes ratio = Lanes{} + 1.0;
    for (Index k = 0; k < overlap.shares.size(); ++k) {
      ratio *= (grid[v] + weight * overlap.shares[k]) / (grid[v] + weight * overlap.eigenvalues[k]);
    }
    Lanes log;
    log_of(ratio, log);
    sums[v] += half_df(data, item) * log;
  }
}

/// Of how many sure rows a row can at least count: where components hardly differ at all Laplace's
/// method fails, as what is left of their difference is known better than by its curvature.
constexpr double least_certainty = 0.25;

/// EM steps of the prior by which a crowd's columns are begun.
constexpr int steps_of_crowd = 10;

/// What the items of a crowd are weighed by.
struct CrowdFamilies {
  CrowdTables tables;  ///< of log Gamma
  OneAccuracy one;
  Index n_vectors;  ///< of concentrations
};

/// Of two labels no worker is drawn to the crowd's columns or accuracy by more than 13.5 answers. By the
/// evidence all would be alike where answers are few, however they differ: as far as it is not sure of
/// the items' labels each worker is right about as often as all. Where one label has less than a
/// quarter of the answers they may be: of so rare a label alone a worker's column is not known.
Index n_vectors_of_crowd(const CodedData& data) {
  constexpr double least_share = 0.25;
  if (data.n_levels.front() != 2) return n_grid_lanes;
  const Eigen::Map<const Matrix> answers(data.level_weight.data(), 2, data.n_items);
  const Vector of_labels = answers.rowwise().sum();
  return of_labels.minCoeff() < least_share * of_labels.sum() ? n_grid_lanes : 1;
}

/// What the items are weighed by.
struct WeighedBy {
  const CodedData& data;
  const RowMatrix& counts;
  const Overlap& overlap;
  /// Or null.
  const CrowdFamilies* crowd;
};

/// Bayes factors of an item against the spike, divided by the largest; returns the logarithm of that.
/// @param means room for a vector of each of its levels.
/// @param out n_weights
[[gnu::always_inline]] inline double weigh_item(const WeighedBy& by, Index item, double* means,
                                                double* out) {
  const auto& [data, counts, overlap, crowd] = by;
  const Index first = data.offset[item];
  const Index n = data.n_levels[item];
  const Vector totals = counts.middleRows(first, n).colwise().sum();
  const ItemCounts table{counts.data() + first * counts.cols(), n, totals};
  const Index n_families = crowd == nullptr ? 1 : n_families_of_crowd;
  const bool has_own = data.n_levels_seen[item] > 1;
  const Index n_vectors = crowd == nullptr ? 0 : crowd->n_vectors;
  const auto may_have = [&](Index family, Index v) {
    return family == 0 ? has_own : v < n_vectors;
  };
  Grid of_totals;
  Grid factors[n_families_of_crowd];
  log_marginal_of_totals(table, of_totals);
  if (has_own) {
    log_marginal_of_own(data, item, table, means, factors[0]);
    add_gain_of_overlap(data, item, overlap, factors[0]);
    for (Index v = 0; v < n_grid_lanes; ++v) {
      factors[0][v] += of_totals[v] - data.marginal_loglik[item];
    }
  }
  if (crowd != nullptr) {
    const double spike = log_marginal_of_spike(data.level_weight.data() + first, n);
    log_marginal_of_crowd(table, crowd->tables, factors[1]);
    log_marginal_of_accuracy(table, crowd->one, factors[2]);
    for (Index v = 0; v < n_grid_lanes; ++v) {
      factors[1][v] += of_totals[v] - spike;
      factors[2][v] -= spike;
    }
  }
  Lanes larger{};
  for (Index family = 0; family < n_families; ++family) {
    for (Index v = 0; v < n_grid_lanes && may_have(family, v); ++v) {
      const Lanes& x = factors[family][v];
      larger = x > larger ? x : larger;
    }
  }
  const double most = std::max(std::max(larger[0], larger[1]), std::max(larger[2], larger[3]));
  out[0] = exp_of(-most);
  for (Index family = 0; family < n_families; ++family) {
    for (Index v = 0; v < n_grid_lanes && may_have(family, v); ++v) {
      Lanes factor;
      exp_of(factors[family][v] - most, factor);
      store(factor, out + 1 + family * n_concentrations + v * n_lanes);
    }
  }
  return most;
}

/// An EM step of the prior's weights: the mean of what the items say of them.
/// @param factors of each item n_weights, as of `weigh_item()`
[[gnu::always_inline]] inline void step_of_prior(const std::vector<const double*>& factors,
                                                 Vector& weights) {
  const Index n_vectors = (weights.size() - 1) / n_lanes;
  const double* slabs = weights.data() + 1;
  double of_spike = 0.0;
  Lanes sums[n_families_of_crowd * n_grid_lanes] = {};
  for (const double* of_item : factors) {
    Lanes dot{};
    for (Index v = 0; v < n_vectors; ++v) {
      Lanes factor;
      Lanes weight;
      load(of_item + 1 + v * n_lanes, factor);
      load(slabs + v * n_lanes, weight);
      dot += factor * weight;
    }
    const double scale = 1.0 / (of_item[0] * weights[0] + sum_of(dot));
    of_spike += scale * of_item[0];
    for (Index v = 0; v < n_vectors; ++v) {
      Lanes factor;
      load(of_item + 1 + v * n_lanes, factor);
      sums[v] += scale * factor;
    }
  }
  const auto n_items = static_cast<double>(factors.size());
  weights[0] *= of_spike / n_items;
  for (Index at = 1; at < weights.size(); ++at) {
    weights[at] *= sums[(at - 1) / n_lanes][(at - 1) % n_lanes] / n_items;
  }
}

/// Adds the posterior means of an item's columns, but what the spike has of them.
/// @param shares of columns around a centre of its own and, of a crowd, around the crowd's.
/// @param means room for a vector a level.
[[gnu::always_inline]] inline void add_posterior_means(const ItemCounts& counts,
                                                       const double* shares, const ItemPrior& prior,
                                                       double* means, double* probs) {
  const bool has_crowd = prior.crowd.size() > 0;
  const Index n_components = counts.n_components();
  for (Index v = 0; v < n_grid_lanes; ++v) {
    const Lanes& c = concentrations()[v];
    Lanes own;
    Lanes of_crowd{};
    load(shares + v * n_lanes, own);
    if (has_crowd) load(shares + n_concentrations + v * n_lanes, of_crowd);
    const Centre centre(counts, v);
    for (Index r = 0; r < counts.n_levels; ++r) {
      Lanes mean;
      centre.probability(r, mean);
      store(mean * own * c, means + r * n_lanes);
    }
    for (Index k = 0; k < n_components; ++k) {
      const Lanes weight = 1.0 / (c + counts.totals[k]);
      const double of_answers = sum_of((own + of_crowd) * weight);
      const double of_columns = sum_of(of_crowd * c * weight);
      for (Index r = 0; r < counts.n_levels; ++r) {
        Lanes mean;
        load(means + r * n_lanes, mean);
        double& prob = probs[r * n_components + k];
        prob += sum_of(mean * weight) + of_answers * counts(r, k);
        if (has_crowd) prob += of_columns * prior.crowd(r, k);
      }
    }
  }
}

/// Share of all weight that an item's answers must have to tell anything: of less the counts by
/// component may all be rounded to nothing.
constexpr double least_weight_to_tell = 1e-12;

/// May the item differ between components at all?
bool may_differ(const CodedData& data, Index item, const ItemPrior& prior) {
  return data.observed_weight[item] > least_weight_to_tell * data.total_weight &&
         (data.n_levels_seen[item] > 1 || prior.crowd.size() > 0);
}

/// Logarithm of how many orders components have that can be told apart: K! over m! for each m that are
/// the same, of which each has an m-th part.
/// @param apart see `Overlap`.
double log_orders(const Matrix& apart, double total) {
  double sum = log_gamma_of(static_cast<double>(apart.cols()) + 1.0);
  for (Index k = 0; k < apart.cols(); ++k) {
    double n_same = 1.0;
    for (Index other = 0; other < apart.cols(); ++other) {
      const double told = std::max(0.0, 0.5 * total * apart(other, k));
      if (other != k) n_same += std::max(0.0, 2.0 * exp_of(-told) - 1.0);
    }
    if (n_same > 1.0) sum -= log_gamma_of(n_same + 1.0) / n_same;
  }
  return sum;
}

/// What a crowd answers, whatever the component: shares of the levels, after one more answer of each.
RowMatrix answers_of_all(const CodedData& data) {
  const Index n_levels = data.n_levels.front();
  RowMatrix answers = RowMatrix::Ones(n_levels, 1);
  for (Index item = 0; item < data.n_items; ++item) {
    answers.col(0) += data.level_weight.segment(data.offset[item], n_levels);
  }
  return answers / answers.sum();
}

/// Answers that the crowd's columns are drawn back by to those of the first votes. What is voted for a
/// label much rarer than others are mostly mistakes for these, so that it is drawn back by less; kinds
/// of a label are not voted for.
Vector pull_of_first_votes(const Vector& sizes, Index n_labels) {
  constexpr double least = 1.0;
  constexpr double most = 100.0;
  constexpr double rare = 0.5;  // of what each label has where all are as common
  if (sizes.size() != n_labels) return Vector::Constant(sizes.size(), most);
  const Vector relative = sizes * (static_cast<double>(sizes.size()) / (rare * sizes.sum()));
  return (most * relative.cwiseMin(1.0).cwiseAbs2()).cwiseMax(least);
}

}  // namespace

Overlap::Overlap(const Matrix& shared) : shares(shared.rowwise().sum()) {
  const Vector root = shares.cwiseMax(tiny_probability).cwiseSqrt();
  const Vector inverse = root.cwiseInverse();
  const Matrix relative = inverse.asDiagonal() * shared * inverse.asDiagonal();
  const Spectrum spectrum = spectrum_of(relative);
  const Vector floored = spectrum.values.cwiseMax(least_certainty);
  const Matrix certain =
      product(spectrum.vectors * floored.asDiagonal(), spectrum.vectors.transpose());
  eigenvalues = spectrum_of(root.asDiagonal() * certain * root.asDiagonal()).values;
  const Vector own = shared.diagonal();
  apart = own.replicate(1, own.size()) + own.transpose().replicate(own.size(), 1) - 2.0 * shared;
}

Vector ItemEvidence::least_inclusion() const {
  return gain.unaryExpr([](double x) { return 1.0 - std::min(1.0, exp_of(-x)); });
}

ItemPrior flat_prior_of_crowd(const CodedData& data, const RowMatrix& counts) {
  const Index n_components = counts.cols();
  const Vector pull = pull_of_first_votes(component_sizes(counts), data.n_levels.front());
  ItemPrior prior = flat_prior(n_families_of_crowd);
  const auto begin_at = [&](const Vector& weights) {
    prior.crowd = crowd_columns(data, counts, weights);
    prior.pseudo_counts = prior.crowd * pull.asDiagonal();
  };
  begin_at(Vector::Ones(data.n_items));
  // Workers who do not look at what they label say nothing of those who do. One accuracy does not
  // tell them: that of chance is theirs too.
  ItemPrior of_all = prior;
  of_all.weights.tail(n_concentrations).setZero();
  const Overlap none(Matrix::Identity(n_components, n_components) /
                     static_cast<double>(n_components));
  begin_at(weigh_items(data, counts, none, steps_of_crowd, of_all).least_inclusion());
  return prior;
}

ItemEvidence weigh_items(const CodedData& data, const RowMatrix& counts, const Overlap& overlap,
                         int n_steps, ItemPrior& prior) {
  const Index n_weights = prior.weights.size();
  ItemEvidence out{RowMatrix::Zero(data.n_items, n_weights), Vector::Zero(data.n_items)};
  RowMatrix& factors = out.shares;
  const double n_operations =
      5.0 * static_cast<double>(data.n_total_levels() * counts.cols() * n_weights);
  std::optional<CrowdFamilies> crowd;
  if (prior.crowd.size() > 0) {
    const auto function = [](const Lanes& x, Lanes& value) { log_gamma_of(x, value); };
    crowd = {CrowdTables(prior.crowd, function), OneAccuracy(prior, component_sizes(counts)),
             n_vectors_of_crowd(data)};
  }
  const WeighedBy by{data, counts, overlap, crowd ? &*crowd : nullptr};
  const Index n_jobs = (data.n_items + items_of_job - 1) / items_of_job;
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    const Index last = std::min(data.n_items, (job + 1) * items_of_job);
    std::vector<double> means;
    const auto weigh = [&]() __attribute__((always_inline)) {
      for (Index item = job * items_of_job; item < last; ++item) {
        if (!may_differ(data, item, prior)) continue;
        means.resize(n_lanes * data.n_levels[item]);
        out.gain[item] = weigh_item(by, item, means.data(), factors.row(item).data());
      }
    };
    with_avx2(data.instructions, weigh);
  });
  std::vector<const double*> of_items;
  for (Index item = 0; item < data.n_items; ++item) {
    if (may_differ(data, item, prior)) of_items.push_back(factors.row(item).data());
  }
  // What all items excluded has a weight of 0, and now one may hold nothing else for possible.
  const auto is_excluded = [&](const double* factors) {
    return !(Eigen::Map<const Vector>(factors, n_weights).dot(prior.weights) > 0.0);
  };
  if (std::any_of(of_items.begin(), of_items.end(), is_excluded)) {
    prior = prior_to_go_on_with(std::move(prior));
  }
  const auto step = [&]() __attribute__((always_inline)) {
    step_of_prior(of_items, prior.weights);
  };
  for (int at = 0; at < n_steps && !of_items.empty(); ++at) with_avx2(data.instructions, step);
  for (Index item = 0; item < data.n_items; ++item) {
    if (!may_differ(data, item, prior)) {
      out.shares(item, 0) = 1.0;
      continue;
    }
    out.shares.row(item).array() *= prior.weights.transpose().array();
    const double sum = out.shares.row(item).sum();
    out.shares.row(item) /= sum;
    out.gain[item] += log_of(sum);
  }
  return out;
}

MixtureParameters posterior_means(const CodedData& data, const LevelSums& sums,
                                  const ItemEvidence& evidence, const ItemPrior& prior) {
  const Index n_components = sums.components.cols();
  MixtureParameters params;
  params.mixing_weights = (sums.components.row(0).transpose().array() + 1.0) /
                          (data.total_weight + static_cast<double>(n_components));
  params.item_probs.resize(sums.levels.rows(), n_components);
  std::vector<double> means;
  std::optional<OneAccuracy> one;
  if (prior.crowd.size() > 0) one.emplace(prior, component_sizes(sums.levels));
  for (Index item = 0; item < data.n_items; ++item) {
    const Index n = data.n_levels[item];
    const auto shares = evidence.shares.row(item);
    auto probs = data.levels_of(item, params.item_probs);
    for (Index r = 0; r < n; ++r) probs.row(r).setConstant(shares[0] * data.marginal(item, r));
    const auto levels = data.levels_of(item, sums.levels);
    const Vector totals = levels.colwise().sum();
    const ItemCounts counts{levels.data(), n, totals};
    means.resize(n_lanes * n);
    const auto work = [&]() __attribute__((always_inline)) {
      add_posterior_means(counts, shares.data() + 1, prior, means.data(), probs.data());
    };
    with_avx2(data.instructions, work);
    if (one) add_means_of_accuracy(counts, shares.data() + first_of_accuracy, *one, probs);
  }
  return params;
}

RowMatrix pull_of_answers(const CodedData& data, const RowMatrix& counts,
                          const ItemEvidence& evidence) {
  RowMatrix pull = RowMatrix::Zero(data.n_items, counts.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    const auto own = data.levels_of(item, counts);
    for (Index k = 0; k < counts.cols(); ++k) {
      const double total = own.col(k).sum();
      for (Index at = 0; at < n_concentrations; ++at) {
        pull(item, k) += evidence.shares(item, at + 1) / (concentration(at) + total);
      }
    }
  }
  return pull;
}

Vector gain_of_alike(const CodedData& data) {
  const auto log_gamma = [](const Lanes& x, Lanes& value) { log_gamma_of(x, value); };
  const CrowdTables of_all(answers_of_all(data), log_gamma);
  Vector gain(data.n_items);
  const auto weigh = [&]() __attribute__((always_inline)) {
    for (Index item = 0; item < data.n_items; ++item) {
      const Vector total = Vector::Constant(1, data.observed_weight[item]);
      const double* answers = data.level_weight.data() + data.offset[item];
      const ItemCounts counts{answers, data.n_levels[item], total};
      Grid of_totals;
      Grid around;
      log_marginal_of_totals(counts, of_totals);
      log_marginal_of_crowd(counts, of_all, around);
      const double of_any = log_marginal_of_spike(answers, data.n_levels[item]);
      Lanes sum{};
      for (Index v = 0; v < n_grid_lanes; ++v) {
        Lanes factor;
        exp_of(of_totals[v] + around[v] - of_any, factor);
        sum += factor;
      }
      gain[item] = log_of((1.0 + sum_of(sum)) / (1.0 + static_cast<double>(n_concentrations)));
    }
  };
  with_avx2(data.instructions, weigh);
  return gain.cwiseMax(0.0);
}

Vector doubt_of_columns(const CodedData& data, const RowMatrix& counts,
                        const ItemEvidence& evidence) {
  const RowMatrix pull = pull_of_answers(data, counts, evidence);
  Vector doubt = Vector::Zero(counts.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    doubt += half_df(data, item) * pull.row(item).transpose();
  }
  return doubt;
}

double component_evidence(const RowMatrix& component_counts, double entropy,
                          const Overlap& overlap) {
  const auto n = static_cast<double>(component_counts.cols());
  const double total = component_counts.sum();
  const double of_orders =
      std::max(0.0, std::min(log_orders(overlap.apart, total), total * log_of(n) - entropy));
  double sum = log_gamma_of(n) - log_gamma_of(n + total) + of_orders;
  for (Index k = 0; k < component_counts.cols(); ++k) {
    sum += log_gamma_of(1.0 + component_counts(0, k));
  }
  return sum;
}

}  // namespace mdpd
