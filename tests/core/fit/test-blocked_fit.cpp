#include "fit/blocked_fit.h"

#include <testthat.h>

#include "base/errors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Rows of data in memory, in blocks of some sizes, one after the other, over and over.
class CutRows : public RowSource {
 public:
  CutRows(const CodedData& data, const std::vector<Index>& sizes) : data_(data) {
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
  std::vector<Index> start_ = {0};
};

BlockedOutcome fit_cut(const CodedData& data, const std::vector<Index>& sizes, Index most_rows,
                       const FitOptions& options, int n_threads = 1, double most_bytes = 0.0) {
  const CutRows source(data, sizes);
  const BlockedRows rows(source, data.n_levels, n_threads, most_bytes);
  BlockedProblem problem;
  problem.n_levels = data.n_levels;
  problem.most_search_rows = most_rows;
  problem.n_threads = n_threads;
  Monitor monitor;
  EngineHere engine(rows, monitor);
  return fit_blocks(rows, problem, options, engine, monitor);
}

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
        for (const std::vector<Index>& sizes : {std::vector<Index>{128}, {64, 1, 7}, {499}}) {
          for (const double most_bytes : {0.0, 1e4, 1e9}) {
            const BlockedOutcome cut = fit_cut(data, sizes, 200, options, 2, most_bytes);
            for (std::size_t at = 0; at < 2; ++at) {
              expect_true(are_equal(cut.fits[at], first.fits[at]));
            }
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
      const BlockedRows rows(source, table.data.n_levels, 1, 0.0);
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

  test_that("problems that do not fit together are refused") {
    const Table table = three_components(7);
    FitOptions options;
    options.n_components = {3, 2};
    expect_error_as(fit_cut(table.data, {100}, 40, options), DimensionError);
    const CutRows source(table.data, {100});
    expect_error_as(BlockedRows(source, std::vector<Index>(15, 2), 1, 0.0), DimensionError);
  }
}

}  // namespace mdpd
