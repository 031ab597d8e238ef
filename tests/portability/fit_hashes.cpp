// Fits random problems of every kind and prints a hash of each outcome, all numbers to the last bit,
// and behind them one of all: the same with every compiler, on every processor, with any number of
// threads. Built and run by tools/portability.

#include <cstdio>
#include <cstring>
#include <string>

#include "fit/problems.h"
#include "model/vote_gains.h"
#include "pairs/dependence.h"

namespace mdpd {

namespace {

// Hashes ------------------------------------------------------------------------------------------

/// 64-bit FNV-1a, of whole numbers: the order of the bytes in memory does not count.
class Hash {
 public:
  void add(std::uint64_t x) {
    for (int byte = 0; byte < 8; ++byte, x >>= 8) {
      state_ = (state_ ^ (x & 0xFF)) * 0x100000001B3;
    }
  }
  void add(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    // Processors make numbers that are none of different bits.
    add(std::isnan(x) ? std::uint64_t{0x7FF8000000000000} : bits);
  }
  void add(Index x) { add(static_cast<std::uint64_t>(std::int64_t{x})); }
  template <class Numbers>
  void add_all(const Numbers& numbers) {
    add(static_cast<Index>(numbers.size()));
    for (const auto& x : numbers) add(x);
  }
  /// Row by row.
  template <class Values>
  void add_matrix(const Values& values) {
    add(values.rows());
    add(values.cols());
    for (Index row = 0; row < values.rows(); ++row) {
      for (Index col = 0; col < values.cols(); ++col) add(values(row, col));
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

void add_trace(const Trace& trace, Hash& hash) {
  hash.add(static_cast<Index>(trace.size()));
  for (const TraceRow& row : trace) {
    for (const Index x :
         {static_cast<Index>(row.phase), static_cast<Index>(row.move), row.n_components, row.item_1,
          row.item_2, row.component, row.merged_1, row.merged_2, row.n_informative}) {
      hash.add(x);
    }
    for (const double x : {row.information, row.p_value, row.loglik, row.loglik_all,
                           row.penalised_loglik, row.evidence, row.split_length}) {
      hash.add(x);
    }
  }
}

void add_model(const MixtureFit& fit, Hash& hash) {
  hash.add_all(fit.informative);
  hash.add(fit.loglik);
  hash.add(fit.penalised_loglik);
  hash.add(fit.evidence);
  hash.add(fit.e_step.loglik);
  hash.add_matrix(fit.params.mixing_weights);
  hash.add_matrix(fit.params.item_probs);
  hash.add_matrix(fit.e_step.posterior);
  hash.add_matrix(fit.e_step.row_loglik);
  hash.add_matrix(fit.item_evidence.shares);
  hash.add_matrix(fit.item_evidence.gain);
  hash.add_matrix(fit.item_prior.weights);
  hash.add_matrix(fit.item_prior.crowd);
  hash.add_matrix(fit.item_prior.pseudo_counts);
}

std::uint64_t hash_of(const FitOutcome& outcome) {
  Hash hash;
  for (const FitResult& result : outcome.fits) {
    add_model(result.fit, hash);
    add_trace(result.trace, hash);
    hash.add(static_cast<Index>(result.status));
    hash.add(result.smoothing);
    hash.add_all(result.born);
    hash.add(static_cast<Index>(result.holds_known));
    hash.add(result.loglik_of_one);
    hash.add(result.n_free_parameters);
    hash.add_matrix(result.item_evidence);
    hash.add_matrix(result.inclusion);
    hash.add_all(result.labels);
    hash.add(result.label_agreement);
  }
  for (const StartRecord& start : outcome.starts) {
    hash.add(start.loglik);
    hash.add(start.evidence);
    hash.add(start.n_iterations);
  }
  hash.add(outcome.work.n_full_passes);
  hash.add(outcome.work.n_partial_passes);
  return hash.value();
}

// Problems ----------------------------------------------------------------------------------------

class Report {
 public:
  void add(const char* name, std::uint64_t hash) {
    std::printf("%016llx %s\n", static_cast<unsigned long long>(hash), name);
    std::fflush(stdout);
    all_.add(hash);
  }
  void add(const char* name, const Problem& problem, const FitOptions& options) {
    add(name, hash_of(fit_all(problem, options)));
  }
  void end() { std::printf("%016llx all\n", static_cast<unsigned long long>(all_.value())); }

 private:
  Hash all_;
};

/// Items of two to four levels, the first six of which tell two components apart.
Table mixed_table(std::uint64_t seed, Index n_obs, double missing, bool weighted) {
  Random random(seed);
  const std::vector<Index> n_levels = {2, 3, 4, 3, 2, 3, 4, 2, 3, 3, 2, 4};
  return draw_table(random, planted_mixture(random, n_levels, 6, 0.8),
                    {n_obs, n_levels, missing, weighted});
}

/// Workers of whom most are right seven times in ten, and who skip most rows.
Table crowd(std::uint64_t seed, Index n_obs, Index n_workers, Index n_labels) {
  Random random(seed);
  const std::vector<Index> n_levels(n_workers, n_labels);
  MixtureParameters truth = random_parameters(random, n_levels, n_labels);
  for (Index worker = 0; worker < n_workers - 3; ++worker) {
    auto probs = truth.item_probs.middleRows(n_labels * worker, n_labels);
    probs.setConstant(0.3 / static_cast<double>(n_labels - 1));
    probs.diagonal().setConstant(0.7);
  }
  return draw_table(random, truth, {n_obs, n_levels, 0.7});
}

FitOptions by_evidence(std::vector<Index> n_components) {
  FitOptions options;
  options.n_components = std::move(n_components);
  return options;
}

FitOptions large(FitOptions options) {
  options.most_small_rows = 100;
  return options;
}

void fit_tables(Report& report) {
  const Table whole = three_components(1);
  const Table mixed = mixed_table(2, 300, 0.15, true);
  Problem threads = problem_of(whole);
  threads.n_threads = 2;
  report.add("evidence", problem_of(mixed), by_evidence({2}));
  report.add("evidence, path", threads, by_evidence({1, 2, 3, 4}));
  report.add("evidence, sparse", sparse_problem_of(mixed), by_evidence({3}));
  report.add("evidence, large", threads, large(by_evidence({5})));
  report.add("BIC", threads, robust_fit_of({2, 3}));
  report.add("BIC, weights and missing cells", problem_of(mixed), robust_fit_of({3}));
  report.add("BIC, sparse", sparse_problem_of(whole), robust_fit_of({4}));
  report.add("BIC, large", problem_of(whole), large(robust_fit_of({5})));
  report.add("equal rows", problem_of(repeating_table(3, true)), by_evidence({2, 3}));
  FitOptions frozen = paper_fit();
  frozen.n_components = {3};
  frozen.missing = MissingCells::kFrozen;
  report.add("paper", problem_of(mixed), frozen);
  Problem starts = problem_of(mixed);
  Random random(4);
  for (FitStart& start : starts.starts = std::vector<FitStart>(3)) {
    start.posterior = random_posterior(random, mixed.data.n_obs, 3);
  }
  report.add("EM", starts, em());
  Problem one_start = starts;
  one_start.starts.resize(1);
  FitOptions continued = by_evidence({3});
  continued.task = Task::kContinue;
  report.add("continued", one_start, continued);
}

/// So many items that most are set aside, and unions of components are bounded.
void fit_wide_table(Report& report) {
  Random random(5);
  const std::vector<Index> n_levels(230, 3);
  const MixtureParameters truth = planted_mixture(random, n_levels, 12, 0.7);
  const Table wide = draw_table(random, truth, {250, n_levels});
  FitOptions options = large(robust_fit_of({3}));
  Problem problem = problem_of(wide);
  problem.n_threads = 2;
  report.add("wide", problem, options);
}

void fit_crowds(Report& report) {
  const Table table = crowd(6, 250, 30, 3);
  Problem problem = problem_of(table);
  problem.n_labels = 3;
  report.add("crowd", problem, by_evidence({3}));
  report.add("crowd, BIC", problem, robust_fit_of({3}));
  report.add("crowd, kinds", problem, by_evidence({3, 4}));
  Problem sparse = sparse_problem_of(table);
  sparse.n_labels = 3;
  sparse.n_threads = 2;
  report.add("crowd, sparse", sparse, by_evidence({3}));
  for (Index row = 0; row < table.data.n_obs; ++row) {
    problem.known.push_back(row % 5 < 3 ? row % 5 : no_component);
  }
  report.add("crowd, known rows", problem, by_evidence({3}));
}

// What is asked of a fit --------------------------------------------------------------------------

/// More rows than are cut at once, and all that a weight has of digits.
void measure_pairs(Report& report) {
  const Table table = mixed_table(7, 70000, 0.02, false);
  Random random(8);
  const RowMatrix shares = row_shares(table.data, random_posterior(random, table.data.n_obs, 3));
  Monitor monitor;
  Hash hash;
  for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
    hash.add_matrix(information_matrix(table.data, shares, -1, missing, monitor));
  }
  report.add("pairs", hash.value());
}

void measure_votes(Report& report) {
  Random random(9);
  Voters voters;
  for (Index worker = 0; worker < 20; ++worker) {
    voters.label_probs.push_back(random_parameters(random, {4}, 3).item_probs);
    voters.labelled.push_back({static_cast<std::uint32_t>(worker)});
  }
  const RowMatrix posterior = random_posterior(random, 300, 3);
  Hash hash;
  for (const std::vector<Index>& classes : {std::vector<Index>{}, std::vector<Index>{0, 1, 1}}) {
    voters.class_of = classes;
    const VoteGains gains = vote_gains(posterior, voters, 2);
    hash.add_matrix(gains.mean);
    hash.add_matrix(gains.best);
    hash.add_all(gains.best_worker);
  }
  report.add("votes", hash.value());
}

}  // namespace

}  // namespace mdpd

int main() {
  mdpd::Report report;
  mdpd::fit_tables(report);
  mdpd::fit_wide_table(report);
  mdpd::fit_crowds(report);
  mdpd::measure_pairs(report);
  mdpd::measure_votes(report);
  report.end();
  return 0;
}
