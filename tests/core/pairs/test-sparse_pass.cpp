// Sparse data against the same data stored dense.

#include "data/row_sums.h"
#include "pairs/sparse_pass.h"

#include <testthat.h>

#include "base/errors.h"
#include "by_bic.h"
#include "growth/polish.h"
#include "growth/stagewise.h"
#include "model/m_step.h"
#include "model/posterior.h"
#include "monitors.h"
#include "pairs/dependence.h"
#include "pairs/search.h"
#include "random_data.h"

namespace mdpd {

namespace {

Table sparse_table(std::uint64_t seed) {
  Random random(seed);
  const std::vector<Index> n_levels = {3, 2, 4, 3, 2, 3, 3, 2, 5, 3, 3, 2};
  const MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.85);
  return draw_table(random, truth, {300, n_levels, 0.6, true});
}

/// Rows that answer an item up to three times, and the answers one by one.
struct Repeated {
  struct Answer {
    Index row;
    Index item;
    Code code;
  };
  std::vector<Answer> answers;
  CodedData data;
};

Repeated repeated_answers(std::uint64_t seed, Index n_obs) {
  Random random(seed);
  const std::vector<Index> n_levels = {3, 2, 4, 3, 2, 3};
  const MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.85);
  Repeated out;
  std::vector<std::size_t> row_start = {0};
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  for (Index row = 0; row < n_obs; ++row) {
    const Index component = random.draw(truth.mixing_weights);
    Index first = 0;
    for (Index item = 0; item < 6; ++item) {
      const Vector probs = truth.item_probs.col(component).segment(first, n_levels[item]);
      for (Index again = random.below(4); again > 0; --again) {
        const auto code = static_cast<Code>(random.draw(probs) + 1);
        out.answers.push_back({row, item, code});
        items.push_back(static_cast<std::uint32_t>(item));
        codes.push_back(code);
      }
      first += n_levels[item];
    }
    row_start.push_back(items.size());
  }
  Vector weights = random_case_weights(random, {n_obs, n_levels, 0.0, true});
  out.data = make_sparse_data({row_start, items, codes}, n_levels, std::move(weights));
  return out;
}

}  // namespace

context("sparse_pass") {
  test_that("of several answers of a row to an item each counts") {
    const Repeated repeated = repeated_answers(9, 200);
    const CodedData& data = repeated.data;
    expect_true(data.most_repeats == 3);
    Random random(9);
    const MixtureParameters params = random_parameters(random, data.n_levels, 3);
    const RowMatrix posterior = random_posterior(random, 200, 3);
    RowMatrix log_joint = params.mixing_weights.transpose().array().log().replicate(200, 1);
    RowMatrix counts = RowMatrix::Zero(data.n_total_levels(), 3);
    Vector level_weight = Vector::Zero(data.n_total_levels());
    for (const auto& [row, item, code] : repeated.answers) {
      const Index level = data.offset[item] + code - 1;
      log_joint.row(row) += params.item_probs.row(level).array().log().matrix();
      counts.row(level) += data.case_weights[row] * posterior.row(row);
      level_weight[level] += data.case_weights[row];
    }
    expect_true(distance(data.level_weight, level_weight) < 1e-12);
    for (Index item = 0; item < 6; ++item) {
      expect_true(data.observed_weight[item] ==
                  level_weight.segment(data.offset[item], data.n_levels[item]).sum());
      expect_true(data.has_missing[item]);
    }
    expect_true(distance(level_counts(data, posterior), counts) <= rounding_of_counts(data));
    const Vector row_loglik = log_joint.array().exp().rowwise().sum().log();
    const EStep step = e_step(data, params, all_items(data));
    expect_true(distance(step.row_loglik, row_loglik) < 1e-12);
    expect_true(std::abs(step.loglik - data.case_weights.dot(row_loglik)) < 1e-9);
  }

  test_that("a row counts once in the table of a pair, spread over its pairs of answers") {
    const Repeated repeated = repeated_answers(10, 200);
    const CodedData& data = repeated.data;
    Random random(10);
    const RowMatrix weights = row_shares(data, random_posterior(random, 200, 3));
    const auto n_answers = [&](Index row, Index item) {
      return std::count_if(
          repeated.answers.begin(), repeated.answers.end(),
          [&](const Repeated::Answer& at) { return at.row == row && at.item == item; });
    };
    std::vector<PairTable> tables;
    for (Index i = 0; i < 6; ++i) {
      for (Index j = i + 1; j < 6; ++j) {
        PairTable twin;
        twin.reset(data.n_levels[i] + 1, data.n_levels[j] + 1, 3);
        for (const auto& [row, item, code] : repeated.answers) {
          if (item != i) continue;
          for (const auto& other : repeated.answers) {
            if (other.row != row || other.item != j) continue;
            const auto n_pairs = static_cast<double>(n_answers(row, i) * n_answers(row, j));
            for (Index k = 0; k < 3; ++k) twin.at(code, other.code, k) += weights(row, k) / n_pairs;
          }
        }
        tables.emplace_back();
        fill_pair_table(data, weights, i, j, MissingCells::kIgnore, tables.back());
        for (std::size_t cell = 0; cell < twin.cells.size(); ++cell) {
          expect_true(std::abs(tables.back().cells[cell] - twin.cells[cell]) < 1e-13);
        }
      }
    }
    Monitor monitor;
    std::size_t at = 0;
    for_each_sparse_pair(data, weights, 6, monitor, [&](int, const PairBlock& block) {
      // All pairs share rows, and come in order.
      for (Index k = 0; k < 3; ++k) {
        expect_true(std::abs(block.bounds(0, k).most - dependence(tables[at], k)) < 1e-12);
      }
      ++at;
    });
    expect_true(at == tables.size());
  }

  test_that("a row of hundreds of answers to each of two items counts once, too") {
    const std::size_t n = 300;  // 90,000 pairs
    std::vector<std::uint32_t> items;
    std::vector<Code> codes;
    for (std::uint32_t item = 0; item < 2; ++item) {
      items.insert(items.end(), n, item);
      for (std::size_t at = 0; at < n; ++at) codes.push_back(at % 3 == 0 ? 2 : 1);
    }
    for (const Code code : {1, 2, 1}) {
      items.insert(items.end(), {0, 1});
      codes.insert(codes.end(), {code, code});
    }
    const CodedData data = make_sparse_data(
        {{0, 2 * n, 2 * n + 2, 2 * n + 4, 2 * n + 6}, items, codes}, {2, 2}, Vector::Ones(4));
    const RowMatrix weights = row_shares(data, RowMatrix::Ones(4, 1));
    PairTable table;
    fill_pair_table(data, weights, 0, 1, MissingCells::kIgnore, table);
    Monitor monitor;
    Index n_visits = 0;
    for_each_sparse_pair(data, weights, 2, monitor, [&](int, const PairBlock& block) {
      expect_true(std::abs(block.bounds(0, 0).most - dependence(table, 0)) < 1e-9);
      ++n_visits;
    });
    expect_true(n_visits == 1);
  }

  test_that("items that share one row are no pair to visit, also where no two share more") {
    // Under the sanitiser: no answer is stored, and none is pointed at.
    const CodedData data = make_sparse_data({{0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}, {1, 1, 2, 1, 2, 2}},
                                            {2, 2, 2}, Vector::Ones(3));
    Monitor monitor;
    Index n_visits = 0;
    for_each_sparse_pair(data, RowMatrix::Ones(3, 1), 3, monitor,
                         [&](int, const PairBlock&) { ++n_visits; });
    expect_true(n_visits == 0);
  }

  test_that("moves of items count each answer, and raise the penalised log-likelihood") {
    const Repeated repeated = repeated_answers(11, 400);
    const CodedData& data = repeated.data;
    Monitor monitor;
    // Two items that the refinement is not shown.
    FitOptions options = by_bic();
    options.refine.type = Refinement::kFixed;
    Random random(11);
    FitRun run = refine(data, stagewise_em(data, 2, {}, monitor).fit.e_step.posterior, {0, 1},
                        options.refine, monitor);
    double before = run.fit.penalised_loglik;
    run.trace.clear();
    options.refine.type = Refinement::kSparse;
    SearchBudget budget(monitor);
    polish(data, options, budget, run);
    expect_true(run.fit.informative.size() > 2);
    for (const TraceRow& move : run.trace) {
      expect_true(move.penalised_loglik > before - 1e-6);
      before = move.penalised_loglik;
    }
  }

  test_that("sparse data have the sums of the same data stored dense") {
    const Table table = sparse_table(1);
    const CodedData sparse = sparse_copy(table.data);
    expect_true(std::holds_alternative<SparseCodes>(sparse.codes));
    expect_true(std::holds_alternative<DenseCodes>(table.data.codes));
    expect_true(distance(sparse.level_weight, table.data.level_weight) < 1e-12);
    expect_true(distance(sparse.observed_weight, table.data.observed_weight) < 1e-12);
    expect_true(distance(sparse.marginal_loglik, table.data.marginal_loglik) < 1e-11);
    expect_true(sparse.n_levels_seen == table.data.n_levels_seen);
    expect_true(sparse.has_missing == table.data.has_missing);
  }

  test_that("answers are gone through in the same order") {
    const Table table = sparse_table(2);
    const CodedData sparse = sparse_copy(table.data);
    const auto list = [](const CodedData& data) {
      std::vector<Index> out;
      for (Index item = 0; item < data.n_items; ++item) {
        for_each_answer(data, item, [&](Index row, Code code) {
          out.push_back(row);
          out.push_back(code);
        });
      }
      for_each_row(data, 2, 5, [&](Index row, Code r, Code s, Index n_pairs) {
        if (r == 0 || s == 0) return;
        expect_true(n_pairs == 1);
        out.push_back(row);
        out.push_back(r);
        out.push_back(s);
      });
      return out;
    };
    expect_true(list(sparse) == list(table.data));
  }

  test_that("broken sparse data are refused") {
    const auto make = [](std::vector<std::uint32_t> items, std::vector<Code> codes) {
      return make_sparse_data({{0, 2}, std::move(items), std::move(codes)}, {2, 2},
                              Vector::Ones(1));
    };
    expect_true(make({0, 1}, {1, 2}).n_obs == 1);
    expect_error_as(make({1, 0}, {1, 2}), DimensionError);
    expect_error_as(make({0, 2}, {1, 2}), DimensionError);
    expect_error_as(make({0, 1}, {1, 0}), DimensionError);
    expect_error_as(make({0, 1}, {1, 3}), DimensionError);
    expect_error_as(make({0}, {1}), DimensionError);
  }

  test_that("E-step, M-step and pair tables agree with those of dense data") {
    const Table table = sparse_table(3);
    const CodedData sparse = sparse_copy(table.data);
    Random random(3);
    const MixtureParameters params = random_parameters(random, table.data.n_levels, 3);
    for (const ItemSet& items : {all_items(sparse), ItemSet{4, 1}, ItemSet{}}) {
      const EStep one = e_step(sparse, params, items);
      const EStep other = e_step(table.data, params, items);
      expect_true(one.posterior == other.posterior);
      expect_true(one.loglik == other.loglik);
    }
    const RowMatrix posterior = random_posterior(random, 300, 3);
    expect_true(distance(level_counts(sparse, posterior), level_counts(table.data, posterior)) <
                1e-12);
    const RowMatrix weights = row_shares(sparse, posterior);
    PairTable one;
    PairTable other;
    for (Index i = 0; i < 12; ++i) {
      for (Index j = 0; j < 12; ++j) {
        if (i == j) continue;
        fill_pair_table(sparse, weights, i, j, MissingCells::kIgnore, one);
        fill_pair_table(table.data, weights, i, j, MissingCells::kIgnore, other);
        expect_true(one.cells == other.cells);
      }
    }
    expect_error_as(fill_pair_table(sparse, weights, 0, 1, MissingCells::kFrozen, one),
                    DimensionError);
  }

  test_that("the pass tells of every pair that can depend what the dense pass tells") {
    const Table table = sparse_table(4);
    const CodedData sparse = sparse_copy(table.data);
    Random random(4);
    const RowMatrix posterior = random_posterior(random, 300, 3);
    const RowMatrix weights = row_shares(sparse, posterior);
    Monitor monitor;
    for (Index component = -1; component < 3; ++component) {
      expect_true(
          distance(information_matrix(sparse, weights, component, MissingCells::kIgnore, monitor),
                   information_matrix(table.data, weights, component, MissingCells::kIgnore,
                                      monitor)) < 1e-13);
    }
    SearchOptions options;
    options.unions = {{0, 2}};
    const PairSearch one = search_pairs({sparse, posterior, {1, 2}}, options, monitor);
    const PairSearch other = search_pairs({table.data, posterior, {1, 2}}, options, monitor);
    for (Index k = 0; k < 3; ++k) {
      expect_true(one.by_component[k].item_1 == other.by_component[k].item_1);
      expect_true(one.by_component[k].item_2 == other.by_component[k].item_2);
      expect_true(one.by_component[k].score == other.by_component[k].score);
    }
    expect_true(one.by_union[0].score == other.by_union[0].score);
  }

  test_that("the whole fit and its polish agree with those of dense data") {
    const Table table = sparse_table(5);
    const CodedData sparse = sparse_copy(table.data);
    Monitor monitor;
    const auto fit = [&](const CodedData& data) {
      const StageRun stages = stagewise_em(data, 2, {}, monitor);
      FitRun run = refine(data, stages.fit.e_step.posterior, stages.fit.informative, {}, monitor);
      SearchBudget budget(monitor);
      polish(data, {}, budget, run);
      return run.fit;
    };
    const MixtureFit one = fit(sparse);
    const MixtureFit other = fit(table.data);
    expect_true(one.informative == other.informative);
    expect_true(one.informative.size() > 1);
    expect_true(std::abs(one.penalised_loglik - other.penalised_loglik) < 1e-8);
    expect_true(distance(one.params.item_probs, other.params.item_probs) < 1e-8);
  }

  test_that("the number of threads changes no bit of sparse results") {
    Random random(7);
    const Table table = random_table(random, {20000, std::vector<Index>(60, 3), 0.5});
    CodedData sparse = sparse_copy(table.data);
    const RowMatrix posterior = random_posterior(random, 20000, 3);
    const RowMatrix weights = row_shares(sparse, posterior);
    Monitor monitor;
    const RowMatrix counts = level_counts(sparse, posterior);
    const Matrix information =
        information_matrix(sparse, weights, -1, MissingCells::kIgnore, monitor);
    sparse.n_threads = 3;
    expect_true(level_counts(sparse, posterior) == counts);
    expect_true(information_matrix(sparse, weights, -1, MissingCells::kIgnore, monitor) ==
                information);
  }
}

}  // namespace mdpd
