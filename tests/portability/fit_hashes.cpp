// Fits random problems of every kind and prints a hash of each outcome, all numbers to the last bit,
// and behind them one of all: the same with every compiler, on every processor, with any number of
// threads. Built and run by tools/core-tests and tools/portability, which compare them with
// hashes.txt.

#include <cstdio>
#include <cstring>
#include <string>

#include "data/rows_in_memory.h"
#include "fit/blocked_fit.h"
#include "fit/known_rows.h"
#include "fit/problems.h"
#include "model/row_task.h"
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
    hash.add(static_cast<Index>(result.search_was_cut));
    hash.add(result.entropy);
    hash.add_matrix(result.modal);
    hash.add_matrix(result.reliance);
  }
  for (const StartRecord& start : outcome.starts) {
    hash.add(start.loglik);
    hash.add(start.evidence);
    hash.add(start.n_iterations);
  }
  hash.add(outcome.work.n_full_passes);
  hash.add(outcome.work.n_partial_passes);
  hash.add(outcome.work.n_search_passes);
  return hash.value();
}

std::uint64_t hash_of(const BlockedOutcome& outcome) {
  Hash hash;
  hash.add(hash_of(static_cast<const FitOutcome&>(outcome)));
  hash.add(static_cast<Index>(outcome.reading));
  hash.add(outcome.n_search_rows);
  for (const StandingSums& sums : outcome.sums) {
    hash.add_matrix(sums.counts.levels);
    hash.add_matrix(sums.overlap);
    hash.add_matrix(sums.modal);
    hash.add(sums.entropy);
    hash.add_matrix(sums.reliance);
  }
  hash.add(outcome.changed.n);
  for (const ChangedRow& change : outcome.changed.rows) {
    for (const Index x : {change.row, change.from, change.to}) hash.add(x);
  }
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

/// Components of which each has `share` of every item to itself and the rest in common.
Table dense_table(std::uint64_t seed, const Shape& shape, Index n_components, double share) {
  Random random(seed);
  MixtureParameters truth = random_parameters(random, shape.n_levels, n_components);
  const RowMatrix common = random_parameters(random, shape.n_levels, 1).item_probs;
  truth.item_probs *= share;
  truth.item_probs.colwise() += (1.0 - share) * common.col(0);
  return draw_table(random, truth, shape);
}

/// Rows of three labels that workers get right from nearly always to half the time, by how hard the
/// row is, and else mostly take for the same other one.
Table hard_crowd(std::uint64_t seed, Index n_obs, Index n_workers) {
  Random random(seed);
  Vector shares(3);
  shares << 0.5, 0.3, 0.2;
  std::vector<double> skill(n_workers);
  for (double& x : skill) x = 0.8 + 0.17 * random.uniform();
  std::vector<std::vector<int>> answers(n_workers, std::vector<int>(n_obs));
  for (Index row = 0; row < n_obs; ++row) {
    const Index label = random.draw(shares);
    const Index near = (label + 1 + random.below(2)) % 3;
    const double hard = random.uniform();
    for (Index worker = 0; worker < n_workers; ++worker) {
      const bool is_right = random.uniform() < skill[worker] * (1.0 - hard) + 0.5 * hard;
      const Index wrong = random.uniform() < 0.8 ? near : random.below(3);
      answers[worker][row] = static_cast<int>(1 + (is_right ? label : wrong));
    }
  }
  return table_of(answers, std::vector<Index>(n_workers, 3));
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

/// Numbers of components, levels and rows that others do not have.
void fit_dense_tables(Report& report) {
  const std::vector<Index> scales(24, 5);
  const std::vector<Index> pairs(30, 2);
  const Table weak = dense_table(11, {400, scales, 0.05}, 3, 0.35);
  report.add("weak items", problem_of(weak), by_evidence({1, 2, 3, 4}));
  report.add("weak items, BIC", problem_of(weak), robust_fit_of({3}));
  const Table many = dense_table(12, {300, std::vector<Index>(12, 4)}, 6, 0.9);
  report.add("six components", problem_of(many), by_evidence({6}));
  report.add("six components, sparse, BIC", sparse_problem_of(many), robust_fit_of({6}));
  const Table apart = dense_table(18, {1500, std::vector<Index>(40, 3)}, 4, 0.95);
  report.add("components far apart", problem_of(apart), by_evidence({4}));
  const Table noise = dense_table(13, {200, pairs}, 1, 0.0);
  report.add("noise", problem_of(noise), by_evidence({1, 2, 3}));
  report.add("noise, BIC", problem_of(noise), robust_fit_of({1, 2, 3}));
  const Table few_rows = dense_table(14, {60, std::vector<Index>(90, 2), 0.1, true}, 3, 0.7);
  report.add("fewer rows than items", problem_of(few_rows), by_evidence({2, 3}));
  const Table tiny = dense_table(15, {12, {2, 3, 1, 2, 40}, 0.2}, 2, 0.9);
  report.add("tiny", problem_of(tiny), by_evidence({1, 2, 3}));
  report.add("tiny, BIC", problem_of(tiny), robust_fit_of({2, 3}));
  std::vector<Index> twice = Random(16).order(12);
  twice.insert(twice.end(), {twice[0], twice[1], twice[2], twice[0]});
  const Table copies = pick_items(mixed_table(17, 300, 0.0, false), twice);
  report.add("copied items", problem_of(copies), by_evidence({2, 3}));
}

/// Options that others leave as they are, each here and there.
FitOptions random_options(Random& random, Index n_components) {
  FitOptions options;
  if (random.below(4) == 0) options = paper_fit();
  options.n_components = {n_components};
  const Refinement types[] = {Refinement::kSparse, Refinement::kEvidence, Refinement::kFull};
  options.refine.type = types[random.below(3)];
  options.refines = random.below(6) != 0;
  options.polish = random.below(4) != 0;
  if (random.below(3) == 0) options.missing = MissingCells::kFrozen;
  if (random.below(3) == 0) options.smoothing_loss = random.uniform();
  if (random.below(4) == 0) options.refine.m_step.smoothing = random.uniform();
  if (random.below(4) == 0) options.refine.m_step.floor = options.floor = 0.01;
  if (random.below(4) == 0) options.refine.max_iter = 1 + random.below(20);
  if (random.below(4) == 0) options.max_stages = 1 + random.below(8);
  if (random.below(4) == 0) options.split_step = 0.3 * random.uniform();
  if (random.below(4) == 0) options.em_steps = 1 + random.below(9);
  if (random.below(4) == 0) options.alpha = 0.2 * random.uniform();
  if (random.below(4) == 0) options.least_items_to_set_aside = 4;
  if (random.below(4) == 0) options.most_small_rows = 50;
  if (random.below(6) == 0) options.least_search_passes = options.most_search_work = 1.0;
  return options;
}

void fit_random_problems(Report& report) {
  Random random(20);
  for (int n = 1; n <= 100; ++n) {
    std::vector<Index> n_levels(4 + random.below(12));
    for (Index& size : n_levels) size = 1 + random.below(random.below(8) == 0 ? 30 : 5);
    // One draw a statement: compilers differ in the order of arguments.
    const Index n_components = 2 + random.below(3);
    Shape shape = {20 + random.below(120), n_levels};
    if (random.below(2) == 0) shape.missing = 0.2 * random.uniform();
    shape.weighted = random.below(3) == 0;
    const Index n_true = 1 + random.below(4);
    const double share = 0.3 + 0.7 * random.uniform();
    const Table table = dense_table(1000 + n, shape, n_true, share);
    const bool is_sparse = random.below(3) == 0;
    Problem problem = is_sparse ? sparse_problem_of(table) : problem_of(table);
    problem.n_threads = static_cast<int>(1 + random.below(2));
    FitOptions options = random_options(random, n_components);
    if (is_sparse) options.missing = MissingCells::kIgnore;
    if (random.below(3) == 0) {
      options.task = random.below(2) == 0 ? Task::kEm : Task::kContinue;
      problem.starts.resize(1);
      problem.starts[0].posterior = random_posterior(random, shape.n_obs, n_components);
      problem.starts[0].informative = varying_items(table.data);
      if (random.below(2) == 0) {
        problem.prior_counts = random_parameters(random, n_levels, n_components).item_probs;
      }
    }
    const std::string name = "random " + std::to_string(n);
    report.add(name.c_str(), problem, options);
  }
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
  report.add("crowd, known rows, BIC", problem, robust_fit_of({3}));
}

/// Crowds that EM with one component a label does not suit, or hardly.
void fit_hard_crowds(Report& report) {
  const Table hard = hard_crowd(3, 400, 15);
  Problem problem = problem_of(hard);
  problem.n_labels = 3;
  report.add("hard crowd", problem, by_evidence({3}));
  report.add("hard crowd, kinds", problem, by_evidence({3, 4, 5}));
  FitStart vote;
  vote.is_vote = true;
  problem.starts = {vote};
  FitOptions from_vote = by_evidence({3});
  from_vote.task = Task::kEm;
  report.add("hard crowd, vote", problem, from_vote);
  const Table rare = crowd(32, 100, 10, 6);
  problem = problem_of(rare);
  problem.n_labels = 6;
  report.add("crowd of six labels", problem, by_evidence({6}));
  const Table two = crowd(33, 200, 9, 2);
  problem = problem_of(two);
  problem.n_labels = 2;
  report.add("crowd of two labels", problem, by_evidence({2}));
  report.add("crowd of two labels, large", problem, large(by_evidence({2, 3})));
}

/// Rows in blocks.
void fit_in_blocks(Report& report, const char* name, const Problem& whole, Index most_search_rows,
                   const FitOptions& options, std::vector<FitStart> starts = {}) {
  const bool holds = !whole.known.empty();
  const RowsInMemory source(whole.cells, whole.case_weights, whole.known, 150);
  BlockedRows rows(source, whole.cells.n_levels, 2, 0.0);
  BlockedProblem problem;
  problem.n_levels = whole.cells.n_levels;
  problem.n_labels = whole.n_labels;
  problem.most_search_rows = most_search_rows;
  problem.starts = std::move(starts);
  problem.most_listed = 20;
  if (holds) {
    problem.held = {0, 1, 2};
    problem.known_weight = known_weight(whole.known, whole.case_weights, 3);
  }
  Monitor monitor;
  EngineHere engine(rows, monitor);
  report.add(name, hash_of(fit_blocks(rows, problem, options, engine, monitor)));
}

void fit_blocked_rows(Report& report) {
  const Table table = three_components(41);
  Problem problem = problem_of(table);
  fit_in_blocks(report, "blocks, whole", problem, 1000, by_evidence({2, 3}));
  fit_in_blocks(report, "blocks, sample", problem, 200, by_evidence({2, 3}));
  fit_in_blocks(report, "blocks, sample, BIC", problem, 200, robust_fit_of({3}));
  const Table repeating = repeating_table(42, true);
  fit_in_blocks(report, "blocks, kinds", problem_of(repeating), 100, by_evidence({2}));
  FitStart start;
  start.params = fit_one(problem, by_evidence({3})).fit.params;
  start.informative = all_items(table.data);
  FitOptions continued = by_evidence({3});
  continued.task = Task::kContinue;
  fit_in_blocks(report, "blocks, continued", sparse_problem_of(table), 200, continued, {start});
  problem.n_labels = 3;
  problem.known = every(5, labels_of(table));
  fit_in_blocks(report, "blocks, known rows", problem, 200, by_evidence({3}));
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
  mdpd::fit_dense_tables(report);
  mdpd::fit_random_problems(report);
  mdpd::fit_wide_table(report);
  mdpd::fit_crowds(report);
  mdpd::fit_hard_crowds(report);
  mdpd::fit_blocked_rows(report);
  mdpd::measure_pairs(report);
  mdpd::measure_votes(report);
  report.add("sums of workers", mdpd::fingerprint_of_arithmetic());
  report.end();
  return 0;
}
