#include "fit/blocked_fit.h"

#include <testthat.h>

#include <numeric>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "data/rows_in_memory.h"
#include "fit/known_rows.h"
#include "fit/problems.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Rows of data in memory, in blocks of some sizes, one after the other, over and over.
class CutRows : public RowSource {
 public:
  /// @param known of each row its label, or no_component; or none.
  CutRows(const CodedData& data, const std::vector<Index>& sizes, std::vector<Index> known = {})
      : data_(data), known_(std::move(known)) {
    for (Index at = 0; start_.back() < data.n_obs; ++at) {
      start_.push_back(std::min(data.n_obs, start_.back() + sizes[at % sizes.size()]));
    }
  }
  Index n_blocks() const override { return static_cast<Index>(start_.size()) - 1; }
  Shard read(Index block) const override {
    Shard out;
    out.n_obs = start_[block + 1] - start_[block];
    out.n_items = data_.n_items;
    out.is_dense = std::holds_alternative<DenseCodes>(data_.codes);
    out.case_weights = data_.case_weights.segment(start_[block], out.n_obs);
    for (Index row = start_[block]; row < start_[block + 1] && !known_.empty(); ++row) {
      out.known.push_back(static_cast<Code>(known_[row] + 1));
    }
    if (out.is_dense) {
      out.codes.assign(out.n_obs * out.n_items, 0);
    } else {
      out.row_start = {0};
    }
    for (Index row = 0; row < out.n_obs; ++row) {
      for_each_item_of_row(data_, start_[block] + row, [&](Index item, Code code) {
        if (out.is_dense) {
          out.codes[item * out.n_obs + row] = code;
          return;
        }
        out.items.push_back(static_cast<std::uint32_t>(item));
        out.answers.push_back(code);
      });
      if (!out.is_dense) out.row_start.push_back(out.items.size());
    }
    return out;
  }

 private:
  const CodedData& data_;
  const std::vector<Index> known_;
  std::vector<Index> start_ = {0};
};

BlockedOutcome fit_cut(const CodedData& data, const std::vector<Index>& sizes, Index most_rows,
                       const FitOptions& options, int n_threads = 1, double most_bytes = 0.0) {
  const CutRows source(data, sizes);
  BlockedRows rows(source, data.n_levels, n_threads, most_bytes);
  BlockedProblem problem;
  problem.n_levels = data.n_levels;
  problem.most_search_rows = most_rows;
  problem.n_threads = n_threads;
  Monitor monitor;
  EngineHere engine(rows, monitor);
  return fit_blocks(rows, problem, options, engine, monitor);
}

/// Growth of one component a label.
/// @param known see `CutRows`.
BlockedOutcome fit_held(const Table& table, const std::vector<Index>& sizes, Index most_rows,
                        const std::vector<Index>& known, int n_threads = 1) {
  const CutRows source(table.data, sizes, known);
  BlockedRows rows(source, table.data.n_levels, n_threads, n_threads > 1 ? 1e9 : 0.0);
  BlockedProblem problem;
  problem.n_levels = table.data.n_levels;
  problem.n_labels = 3;
  problem.held = {0, 1, 2};
  problem.known_weight = known_weight(known, table.data.case_weights, 3);
  problem.most_search_rows = most_rows;
  problem.n_threads = n_threads;
  FitOptions options;
  options.n_components = {3};
  Monitor monitor;
  EngineHere engine(rows, monitor);
  return fit_blocks(rows, problem, options, engine, monitor);
}

/// How many blocks are read at most from one look at the monitor to the next, once EM has begun.
struct LongestRead : RowSource, Monitor {
  explicit LongestRead(CutRows of) : rows(std::move(of)) {}
  Index n_blocks() const override { return rows.n_blocks(); }
  Shard read(Index block) const override {
    if (has_begun) longest = std::max(longest, ++since_look);
    return rows.read(block);
  }
  void on_iteration(Index, double) override { has_begun = true; }
  void on_work() override { since_look = 0; }

  CutRows rows;
  bool has_begun = false;
  mutable Index since_look = 0;
  mutable Index longest = 0;
};

FitOutcome fit_whole(const CodedData& data, const FitOptions& options) {
  Problem problem;
  problem.cells.n_obs = data.n_obs;
  problem.cells.n_levels = data.n_levels;
  problem.cells.codes = std::get<DenseCodes>(data.codes).cells;
  problem.case_weights = data.case_weights;
  Monitor monitor;
  return fit_mixture(std::move(problem), options, monitor);
}

bool are_equal(const FitResult& a, const FitResult& b) {
  return a.fit.params.mixing_weights == b.fit.params.mixing_weights &&
         a.fit.params.item_probs == b.fit.params.item_probs &&
         a.fit.informative == b.fit.informative && a.fit.loglik == b.fit.loglik &&
         (a.fit.evidence == b.fit.evidence ||
          (std::isnan(a.fit.evidence) && std::isnan(b.fit.evidence))) &&
         a.fit.penalised_loglik == b.fit.penalised_loglik && a.inclusion == b.inclusion &&
         a.item_evidence == b.item_evidence && a.status == b.status;
}

Table with_weights(const Table& table, Random& random) {
  Vector weights(table.data.n_obs);
  for (Index row = 0; row < weights.size(); ++row) weights[row] = 0.25 + 3.0 * random.uniform();
  return Table(table.codes, weights, table.data.n_levels);
}

/// Rows of which some stand, with what EM starts from.
struct SplitRows {
  Table all;
  Table old_rows;
  Table new_rows;
  MixtureFit start;
};

std::vector<Index> rows_between(Index first, Index last) {
  std::vector<Index> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

constexpr Index n_old = 350;

SplitRows split_rows(Table all, const RefineOptions& options) {
  Monitor monitor;
  RowMatrix posterior = RowMatrix::Constant(all.data.n_obs, 3, 0.2);
  const std::vector<Index> labels = labels_of(all);
  for (Index row = 0; row < all.data.n_obs; ++row) posterior(row, labels[row]) = 0.6;
  const ItemSet items = all_items(all.data);
  MixtureFit start = refine(all.data, posterior, items, options.at_most(2), monitor).fit;
  Table old_rows = pick_rows(all, rows_between(0, n_old));
  Table new_rows = pick_rows(all, rows_between(n_old, all.data.n_obs));
  return {std::move(all), std::move(old_rows), std::move(new_rows), std::move(start)};
}

StandingSums sums_of(const Table& table, const RowPoint& at, Refinement by) {
  const CutRows source(table.data, {100});
  BlockedRows rows(source, table.data.n_levels, 1, 0.0);
  Monitor monitor;
  EngineHere engine(rows, monitor);
  return sums_of_rows(rows, at, {}, by, engine);
}

BlockedOutcome update_cut(const SplitRows& split, const std::vector<Index>& sizes,
                          const RefineOptions& refine, int n_threads = 1) {
  FitOptions options;
  options.task = Task::kContinue;
  options.n_components = {3};
  options.refine = refine;
  BlockedProblem problem;
  problem.n_levels = split.all.data.n_levels;
  FitStart start;
  start.params = split.start.params;
  start.informative = split.start.informative;
  start.item_prior = split.start.item_prior;
  problem.starts = {start};
  problem.standing =
      sums_of(split.old_rows, {start.params, start.informative}, options.refine.type);
  problem.most_listed = 5;
  const CutRows source(split.new_rows.data, sizes);
  BlockedRows rows(source, problem.n_levels, n_threads, n_threads > 1 ? 1e9 : 0.0,
                   problem.standing->rows);
  Monitor monitor;
  EngineHere engine(rows, monitor);
  return fit_blocks(rows, problem, options, engine, monitor);
}

/// The same in memory: the posterior of the old rows stays as it is. By evidence all steps but the
/// last, and the start, discount what is not known of the columns.
MixtureFit update_twin(const SplitRows& split, const RefineOptions& options, int n_steps) {
  const CodedData& data = split.all.data;
  const bool discounts = options.type == Refinement::kEvidence;
  Monitor monitor;
  MixtureFit fit = split.start;
  fit.item_prior = prior_to_go_on_with(fit.item_prior);
  RowMatrix posterior = e_step(data, fit.params, fit.informative).posterior;
  const auto look_at_new_rows = [&] {
    const Index n_new = data.n_obs - n_old;
    const RowMatrix now = e_step(data, fit.params, fit.informative).posterior;
    posterior.bottomRows(n_new) = now.bottomRows(n_new);
  };
  const auto discount = [&](const RowMatrix& counts, const ItemEvidence& items) {
    const Vector doubt = doubt_of_columns(data, counts, items);
    Vector& weights = fit.params.mixing_weights;
    weights = weights.cwiseProduct((-doubt).array().exp().matrix());
    weights /= weights.sum();
  };
  if (discounts) {
    const RowMatrix counts = level_counts(data, posterior);
    const Overlap overlap(shared_weight(data, posterior, posterior));
    ItemPrior prior = fit.item_prior;
    discount(counts, weigh_items(data, counts, overlap, 0, prior));
    look_at_new_rows();
  }
  for (int step = 0; step < n_steps; ++step) {
    RefineOptions one = options.at_most(1);
    one.item_prior = fit.item_prior;
    const RowMatrix counts = level_counts(data, posterior);
    fit = refine(data, posterior, fit.informative, one, monitor).fit;
    if (discounts && step + 1 < n_steps) discount(counts, fit.item_evidence);
    look_at_new_rows();
  }
  return fit;
}

/// What the log-likelihood of a row is at least, by the posterior that it has.
double bound_of_row(const Table& table, Index row, const MixtureFit& at, const MixtureFit& of) {
  const Table one = pick_rows(table, {row});
  const EStep step = e_step(one.data, of.params, of.informative);
  double sum = 0.0;
  for (Index k = 0; k < 3; ++k) {
    const double share = step.posterior(0, k);
    if (!(share > 0.0)) continue;
    double log_joint = std::log(at.params.mixing_weights[k]);
    for (const Index item : at.informative) {
      const Code code = one.code(0, item);
      if (code == 0) continue;
      log_joint += std::log(at.params.item_probs(table.data.offset[item] + code - 1, k));
    }
    sum += share * (log_joint - std::log(share));
  }
  return sum;
}

}  // namespace

context("blocked_fit") {
  test_that("few rows give the fit of all rows in memory, however they are cut") {
    Random random(1);
    const Table plain = three_components(1);
    const Table weighted = with_weights(plain, random);
    for (const Table* at : {&plain, &weighted}) {
      const Table& table = *at;
      FitOptions options;
      options.n_components = {1, 3};
      const FitOutcome whole = fit_whole(table.data, options);
      for (const std::vector<Index>& sizes : {std::vector<Index>{500}, {128}, {64, 1, 7}}) {
        const BlockedOutcome cut = fit_cut(table.data, sizes, 500, options);
        expect_true(cut.reading == Reading::kWhole);
        expect_true(cut.n_search_rows == 500);
        for (std::size_t at = 0; at < 2; ++at) {
          expect_true(are_equal(cut.fits[at], whole.fits[at]));
          expect_true(cut.fits[at].fit.e_step.posterior.rows() == 0);
        }
      }
    }
  }

  test_that("few kinds of rows give the fit of all rows in memory") {
    Random random(2);
    Table table = three_components(2);
    // Four of the items have 256 different rows at most.
    const std::vector<Code> codes(table.codes.begin(), table.codes.begin() + 4 * 500);
    const Table plain(codes, Vector::Ones(500), {3, 3, 3, 3});
    const Table weighted = with_weights(plain, random);
    for (const Table* at : {&plain, &weighted}) {
      const Table& narrow = *at;
      FitOptions options;
      options.n_components = {3};
      const FitOutcome whole = fit_whole(narrow.data, options);
      const BlockedOutcome cut = fit_cut(narrow.data, {100, 30}, 250, options);
      expect_true(cut.reading == Reading::kKinds);
      expect_true(cut.n_search_rows <= 250);
      expect_true(are_equal(cut.fits[0], whole.fits[0]));
    }
  }

  test_that("of a sample's search EM goes over all rows, with the same bits however they are cut") {
    Random random(3);
    const Table plain = three_components(3);
    for (const bool is_sparse : {false, true}) {
      const Table weighted = with_weights(plain, random);
      for (const Table* at : {&plain, &weighted}) {
        const Table& table = *at;
        const CodedData data = is_sparse ? sparse_copy(table.data) : table.data;
        FitOptions options;
        options.n_components = {1, 3};
        const BlockedOutcome first = fit_cut(data, {500}, 200, options);
        expect_true(first.reading == Reading::kSample);
        expect_true(std::abs(first.n_search_rows - 200) < 50);
        expect_true(first.fits[1].fit.params.n_components() == 3);
        const std::vector<std::pair<std::vector<Index>, double>> cuts = {
            {{128}, 1e4}, {{64, 1, 7}, 0.0}, {{64, 1, 7}, 1e9}, {{499}, 1e4}};
        for (const auto& [sizes, most_bytes] : cuts) {
          const BlockedOutcome cut = fit_cut(data, sizes, 200, options, 2, most_bytes);
          for (std::size_t at = 0; at < 2; ++at) {
            expect_true(are_equal(cut.fits[at], first.fits[at]));
          }
        }
        // The optimum is that of all rows in memory, to which EM goes on from there.
        const FitOutcome whole = fit_whole(table.data, options);
        const double gap = whole.fits[1].fit.evidence - first.fits[1].fit.evidence;
        expect_true(std::abs(gap) < 0.01);
      }
    }
  }

  test_that("EM of blocks is EM in memory from the same parameters, of every refinement") {
    const Table table = three_components(4);
    for (const Refinement type : {Refinement::kEvidence, Refinement::kSparse, Refinement::kFull}) {
      FitOptions options;
      options.n_components = {3};
      options.refine.type = type;
      options.polish = false;
      options.smoothing_loss = 0.0;
      options.refine.max_iter = 7;
      options.task = Task::kContinue;
      FitStart start;
      Random random(5);
      start.params = random_parameters(random, table.data.n_levels, 3);
      start.informative = all_items(table.data);
      Problem problem;
      problem.cells.n_obs = table.data.n_obs;
      problem.cells.n_levels = table.data.n_levels;
      problem.cells.codes = table.codes.data();
      problem.case_weights = table.data.case_weights;
      problem.starts = {start};
      Monitor monitor;
      const FitOutcome whole = fit_mixture(std::move(problem), options, monitor);
      const CutRows source(table.data, {100});
      BlockedRows rows(source, table.data.n_levels, 1, 0.0);
      BlockedProblem blocked;
      blocked.n_levels = table.data.n_levels;
      blocked.starts = {start};
      EngineHere engine(rows, monitor);
      const BlockedOutcome cut = fit_blocks(rows, blocked, options, engine, monitor);
      expect_true(cut.reading == Reading::kNone);
      expect_true(distance(cut.fits[0].fit.params.item_probs, whole.fits[0].fit.params.item_probs) <
                  1e-9);
      expect_true(std::abs(cut.fits[0].fit.loglik - whole.fits[0].fit.loglik) < 1e-7);
      expect_true(cut.fits[0].trace.size() == whole.fits[0].trace.size());
    }
  }

  test_that("rows in memory are blocks as well, and get their posterior") {
    const Table table = three_components(15);
    const std::vector<Index> known = every(5, labels_of(table));
    const Problem problems[] = {problem_of(table), sparse_problem_of(table)};
    for (const Problem& whole : problems) {
      for (const bool holds : {false, true}) {
        const RowsInMemory source(whole.cells, whole.case_weights,
                                  holds ? known : std::vector<Index>(), 64);
        BlockedRows rows(source, table.data.n_levels, 1, 1e9);
        BlockedProblem problem;
        problem.n_levels = table.data.n_levels;
        problem.most_search_rows = 200;
        if (holds) {
          problem.n_labels = 3;
          problem.held = {0, 1, 2};
          problem.known_weight = known_weight(known, whole.case_weights, 3);
        }
        FitOptions options;
        options.n_components = {3};
        Monitor monitor;
        EngineHere engine(rows, monitor);
        BlockedOutcome outcome = fit_blocks(rows, problem, options, engine, monitor);
        const BlockedOutcome cut =
            holds ? fit_held(table, {500}, 200, known) : fit_cut(table.data, {500}, 200, options);
        expect_true(are_equal(outcome.fits[0], cut.fits[0]));
        add_posterior(rows, outcome);
        CodedData data = table.data;
        if (holds) data.known = known;
        const MixtureFit& fit = outcome.fits[0].fit;
        const EStep step = e_step(data, fit.params, fit.informative);
        expect_true(distance(fit.e_step.posterior, step.posterior) < 1e-12);
        expect_true(std::isnan(outcome.fits[0].entropy));
      }
    }
    expect_error_as(RowsInMemory(problems[0].cells, Vector::Ones(3), {}), DimensionError);
    expect_error_as(RowsInMemory(problems[0].cells, Vector::Zero(500), {}), DimensionError);
    expect_error_as(RowsInMemory(problems[0].cells, Vector::Ones(500), {1}), DimensionError);
    expect_error_as(RowsInMemory({}, {}, {}), DimensionError);
  }

  test_that("items that nobody in the sample answered have their frequencies") {
    Table table = three_components(6);
    std::vector<Code> codes = table.codes;
    // One row of 500 answers the last item, and is not in this sample.
    for (Index row = 0; row < 500; ++row) codes[14 * 500 + row] = row == 499 ? 2 : 0;
    const Table rare(codes, Vector::Ones(500), table.data.n_levels);
    FitOptions options;
    options.n_components = {3};
    const BlockedOutcome cut = fit_cut(rare.data, {100}, 40, options);
    const auto probs = cut.fits[0].fit.params.item_probs.middleRows(42, 3);
    expect_true(probs.row(1).isOnes());
  }

  test_that("few rows with known ones give the fit that holds them in memory") {
    const Table table = three_components(12);
    const std::vector<Index> known = every(10, labels_of(table));
    Problem problem = problem_of(table);
    problem.known = known;
    problem.n_labels = 3;
    FitOptions options;
    options.n_components = {3};
    Monitor monitor;
    const FitOutcome whole = fit_mixture(std::move(problem), options, monitor);
    expect_true(whole.fits[0].holds_known);
    for (const std::vector<Index>& sizes : {std::vector<Index>{500}, {64, 1, 7}}) {
      const BlockedOutcome cut = fit_held(table, sizes, 500, known);
      expect_true(are_equal(cut.fits[0], whole.fits[0]));
      expect_true(cut.fits[0].holds_known);
      expect_true(cut.fits[0].born == whole.fits[0].born);
      expect_true(cut.fits[0].labels == std::vector<Index>({0, 1, 2}));
    }
  }

  test_that("of a sample's search all known rows say which label a component is, and are held") {
    const Table table = three_components(13);
    std::vector<Index> known = every(5, labels_of(table));
    // Another name than the items give.
    for (Index& label : known) {
      if (label != no_component) label = (label + 1) % 3;
    }
    const BlockedOutcome first = fit_held(table, {500}, 200, known);
    const FitResult& fit = first.fits[0];
    expect_true(first.reading == Reading::kSample);
    expect_true(fit.holds_known);
    // The first item's level says the label by its other name.
    for (Index label = 0; label < 3; ++label) {
      expect_true(fit.fit.params.item_probs((label + 2) % 3, label) > 0.6);
    }
    for (const std::vector<Index>& sizes : {std::vector<Index>{128}, {64, 1, 7}}) {
      const BlockedOutcome cut = fit_held(table, sizes, 200, known, 2);
      expect_true(are_equal(cut.fits[0], fit));
      expect_true(cut.fits[0].born == fit.born);
      expect_true(cut.sums[0].counts.levels == first.sums[0].counts.levels);
    }
    // At the end the sums are those of rows that are held.
    CodedData data = table.data;
    data.known = known;
    const EStep step = e_step(data, fit.fit.params, fit.fit.informative);
    expect_true(distance(level_counts(data, step.posterior), first.sums[0].counts.levels) < 1e-9);
    expect_true(std::abs(step.loglik - fit.fit.e_step.loglik) < 1e-9);
  }

  test_that("once EM has begun it can be interrupted at every block") {
    const Table table = three_components(13);
    LongestRead source(CutRows(table.data, {20}, every(5, labels_of(table))));
    BlockedRows rows(source, table.data.n_levels, 1, 0.0);
    BlockedProblem problem;
    problem.n_levels = table.data.n_levels;
    problem.n_labels = 3;
    problem.held = {0, 1, 2};
    problem.known_weight = Vector::Constant(3, 10.0);
    problem.most_search_rows = 200;
    FitOptions options;
    options.n_components = {3};
    EngineHere engine(rows, source);
    expect_true(fit_blocks(rows, problem, options, engine, source).fits[0].holds_known);
    expect_true(source.has_begun);
    expect_true(source.longest == 1);
  }

  test_that("rows are held only with one component a label") {
    const Table table = three_components(14);
    const std::vector<Index> known = every(10, labels_of(table));
    const CutRows source(table.data, {100}, known);
    BlockedRows rows(source, table.data.n_levels, 1, 0.0);
    BlockedProblem problem;
    problem.n_levels = table.data.n_levels;
    problem.n_labels = 3;
    problem.known_weight = Vector::Constant(3, 10.0);
    FitOptions options;
    Monitor monitor;
    EngineHere engine(rows, monitor);
    const auto is_refused = [&](std::vector<Index> held, std::vector<Index> n_components) {
      problem.held = std::move(held);
      options.n_components = std::move(n_components);
      try {
        fit_blocks(rows, problem, options, engine, monitor);
      } catch (const DimensionError&) {
        return true;
      }
      return false;
    };
    expect_true(is_refused({0, 1, 2}, {2}));
    expect_true(is_refused({0, 1, 2}, {2, 3}));
    expect_true(is_refused({1, 0, 2}, {3}));
    FitStart start;
    Random random(14);
    start.params = random_parameters(random, table.data.n_levels, 3);
    problem.starts = {start};
    expect_true(is_refused({1, 0, 1}, {3}));
    problem.known_weight.resize(2);
    expect_true(is_refused({1, 0, 2}, {3}));
    problem.known_weight.resize(3);
    problem.known_weight.setZero();
    expect_false(is_refused({1, 0, 2}, {3}));
    expect_true(rows.held() == std::vector<Index>({1, 0, 2}));
  }

  test_that("with rows that stand EM is the one that keeps their posterior") {
    for (const Refinement type : {Refinement::kEvidence, Refinement::kSparse}) {
      RefineOptions options;
      options.type = type;
      const SplitRows split = split_rows(three_components(8), options);
      // The third step of EM by evidence may be a leap.
      for (const int n_steps : {1, 2}) {
        const MixtureFit twin = update_twin(split, options, n_steps);
        const BlockedOutcome cut = update_cut(split, {50}, options.at_most(n_steps));
        const MixtureFit& fit = cut.fits[0].fit;
        // Sums of the same terms, added up in another order.
        expect_true(distance(fit.params.item_probs, twin.params.item_probs) < 1e-9);
        expect_true(fit.informative == twin.informative);
        if (type == Refinement::kEvidence)
          expect_true(std::abs(fit.evidence - twin.evidence) < 1e-7);
        double bound = e_step(split.new_rows.data, fit.params, fit.informative).loglik;
        for (Index row = 0; row < n_old; ++row)
          bound += bound_of_row(split.old_rows, row, fit, split.start);
        expect_true(std::abs(fit.e_step.loglik - bound) < 1e-7);
        const double loglik = e_step(split.all.data, fit.params, fit.informative).loglik;
        expect_true(fit.e_step.loglik < loglik);
      }
    }
  }

  test_that("an update has the same bits however the new rows are cut, and never falls") {
    Random random(10);
    const Table plain = three_components(9);
    for (const Refinement type : {Refinement::kEvidence, Refinement::kSparse, Refinement::kFull}) {
      RefineOptions options;
      options.type = type;
      const SplitRows split = split_rows(with_weights(plain, random), options);
      const BlockedOutcome whole = update_cut(split, {150}, options);
      const StandingSums& sums = whole.sums[0];
      expect_true(sums.rows.n_obs == 500);
      // Every weight is in one component.
      expect_true(std::abs(sums.counts.components.sum() - split.all.data.total_weight) < 1e-9);
      expect_true((sums.rows.level_weight - split.all.data.level_weight).norm() < 1e-9);
      for (const std::vector<Index>& sizes : {std::vector<Index>{1}, {64, 1, 7}}) {
        const BlockedOutcome cut = update_cut(split, sizes, options, 2);
        expect_true(are_equal(cut.fits[0], whole.fits[0]));
        expect_true(cut.sums[0].counts.levels == sums.counts.levels);
        expect_true(cut.sums[0].overlap == sums.overlap);
        expect_true(cut.sums[0].entropy == sums.entropy);
        expect_true(cut.changed.n == whole.changed.n);
      }
      expect_true(whole.changed.rows.size() == std::min<std::size_t>(5, whole.changed.n));
      expect_true(BlockedProblem().most_listed == 0);
      const Trace& trace = whole.fits[0].trace;
      for (std::size_t at = 1; at < trace.size(); ++at) {
        const auto height = [&](const TraceRow& row) {
          return type == Refinement::kEvidence ? row.evidence : row.penalised_loglik;
        };
        // The evidence is an approximation, which may fall by a little.
        expect_true(height(trace[at]) > height(trace[at - 1]) - 0.01);
      }
    }
  }

  test_that("what a round would gain is the distance of the bound from the log-likelihood") {
    RefineOptions options;
    options.type = Refinement::kSparse;
    const SplitRows split = split_rows(three_components(11), options);
    const BlockedOutcome cut = update_cut(split, {50}, options);
    const MixtureFit& fit = cut.fits[0].fit;
    const RowPoint before{split.start.params, split.start.informative};
    const RowPoint at{fit.params, fit.informative};
    const CutRows source(split.old_rows.data, {100});
    BlockedRows rows(source, split.all.data.n_levels, 1, 0.0);
    Monitor monitor;
    EngineHere engine(rows, monitor);
    const StandingSums sums = sums_of(split.old_rows, before, Refinement::kSparse);
    double bound = 0.0;
    for (Index row = 0; row < n_old; ++row)
      bound += bound_of_row(split.old_rows, row, fit, split.start);
    const double loglik = e_step(split.old_rows.data, fit.params, fit.informative).loglik;
    const double gain = gain_of_round(rows, sums, at, engine);
    expect_true(std::abs(gain - (loglik - bound)) < 1e-7);
    expect_true(gain > 1e-3);
    // Where the sums are from there is nothing to gain.
    expect_true(gain_of_round(rows, sums, before, engine) < 1e-7);
  }

  test_that("problems that do not fit together are refused") {
    const Table table = three_components(7);
    FitOptions options;
    options.n_components = {3, 2};
    expect_error_as(fit_cut(table.data, {100}, 40, options), DimensionError);
    const CutRows source(table.data, {100});
    expect_error_as(BlockedRows(source, std::vector<Index>(15, 2), 1, 0.0), DimensionError);
    BlockedRows rows(source, table.data.n_levels, 1, 0.0);
    BlockedProblem problem;
    problem.n_levels = table.data.n_levels;
    problem.standing = standing_sums_of_one(table.data, rows.totals());
    options.n_components = {3};
    Monitor monitor;
    EngineHere engine(rows, monitor);
    expect_error_as(fit_blocks(rows, problem, options, engine, monitor), DimensionError);
    FitStart start;
    Random random(7);
    start.params = random_parameters(random, table.data.n_levels, 3);
    problem.starts = {start};
    expect_error_as(fit_blocks(rows, problem, options, engine, monitor), DimensionError);
  }

  test_that("what is no start, level, label or count of the rows in blocks is refused") {
    const Table table = three_components(7);
    const CutRows source(table.data, {100});
    BlockedRows rows(source, table.data.n_levels, 1, 0.0);
    Random random(7);
    FitStart start;
    start.params = random_parameters(random, table.data.n_levels, 3);
    FitOptions options;
    options.task = Task::kContinue;
    options.n_components = {3};
    Monitor monitor;
    EngineHere engine(rows, monitor);
    const auto is_refused = [&](auto change) {
      BlockedProblem problem;
      problem.n_levels = table.data.n_levels;
      problem.starts = {start};
      change(problem);
      try {
        fit_blocks(rows, problem, options, engine, monitor);
      } catch (const DimensionError&) {
        return true;
      }
      return false;
    };
    expect_false(is_refused([](BlockedProblem&) {}));
    expect_true(is_refused([](BlockedProblem& it) { it.starts.push_back(it.starts[0]); }));
    expect_true(is_refused([](BlockedProblem& it) { it.starts[0].params = {}; }));
    expect_true(
        is_refused([](BlockedProblem& it) { it.starts[0].params.item_probs(0, 0) = -1.0; }));
    expect_true(is_refused([](BlockedProblem& it) { it.starts[0].informative = {-1}; }));
    expect_true(is_refused([](BlockedProblem& it) { it.n_levels[0] += 1; }));
    expect_true(is_refused([](BlockedProblem& it) { it.n_labels = 100; }));
    expect_true(
        is_refused([](BlockedProblem& it) { it.prior_counts = RowMatrix::Constant(9, 3, -1.0); }));
  }

  test_that("an item that no row in blocks answers is refused") {
    const Table table = table_of({{1, 2, 1}, {1, 2, 2}, {0, 0, 0}}, {2, 2, 2});
    FitOptions options;
    options.n_components = {1};
    expect_error_as(fit_cut(table.data, {2}, 100, options), DimensionError);
  }

  test_that("a start that goes on with a prior of other items or components is refused") {
    const Table table = three_components(16);
    const CutRows source(table.data, {100});
    BlockedRows rows(source, table.data.n_levels, 1, 0.0);
    BlockedProblem problem;
    problem.n_levels = table.data.n_levels;
    FitStart start;
    Random random(16);
    start.params = random_parameters(random, table.data.n_levels, 3);
    start.item_prior = flat_prior();
    FitOptions options;
    options.task = Task::kContinue;
    options.n_components = {3};
    Monitor monitor;
    EngineHere engine(rows, monitor);
    const auto fit = [&] {
      problem.starts = {start};
      return fit_blocks(rows, problem, options, engine, monitor);
    };
    expect_true(fit().fits.size() == 1);
    const Vector weights = start.item_prior.weights;
    start.item_prior.weights = weights.head(3);
    expect_error_as(fit(), DimensionError);
    start.item_prior.weights = Vector::Constant(3 * n_concentrations + 1, 0.04);
    expect_error_as(fit(), DimensionError);
    // Columns of a crowd go with their pseudo-counts.
    start.item_prior.crowd = RowMatrix::Constant(3, 3, 1.0 / 3.0);
    expect_error_as(fit(), DimensionError);
  }
}

}  // namespace mdpd
