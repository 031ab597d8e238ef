#include "data/row_sums.h"

#include <testthat.h>

#include "base/numerics.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Fractional weights of very different size, some of them 0.
Vector uneven_weights(Random& random, Index n_obs) {
  Vector weights(n_obs);
  for (Index n = 0; n < n_obs; ++n) {
    weights[n] = random.below(8) == 0 ? 0.0 : std::pow(10.0, 4.0 * random.uniform() - 3.0);
  }
  weights[0] = 0.7;
  return weights;
}

Table uneven_table(Random& random, Index n_obs, const std::vector<Index>& n_levels,
                   double missing) {
  const Table table = random_table(random, {n_obs, n_levels, missing});
  return Table(table.codes, uneven_weights(random, n_obs), n_levels);
}

/// Row by row with the library's functions.
LevelSums sums_twin(const CodedData& data, const RowMatrix& posterior) {
  const Index n_components = posterior.cols();
  LevelSums sums{RowMatrix::Zero(data.n_total_levels(), n_components),
                 RowMatrix::Zero(1, n_components)};
  for (Index n = 0; n < data.n_obs; ++n) {
    for (Index k = 0; k < n_components; ++k) {
      const double weight = posterior(n, k) * data.case_weights[n];
      sums.components(0, k) += weight;
      for_each_item_of_row(data, n, [&](Index item, Code code) {
        sums.levels(data.offset[item] + code - 1, k) += weight;
      });
    }
  }
  return sums;
}

bool are_equal(const LevelSums& a, const LevelSums& b) {
  return a.levels == b.levels && a.components == b.components;
}

bool are_near(const CodedData& data, const LevelSums& a, const LevelSums& b) {
  const double rounding = rounding_of_counts(data);
  return distance(a.levels, b.levels) <= rounding &&
         distance(a.components, b.components) <= rounding;
}

LevelSums sums_of_all(const CodedData& data, const RowMatrix& posterior) {
  return level_sums(data, posterior, make_ready(data, all_items(data)));
}

/// What each depth adds.
std::vector<LevelSums> sums_of_depths(const CodedData& data, const RowMatrix& posterior) {
  std::vector<LevelSums> sums;
  for (int depth = 0; depth <= most_depth; ++depth) {
    sums.push_back(level_sums(data, posterior, make_ready(data, all_items(data)), depth));
  }
  return sums;
}

/// Rows cut into pieces of about the same size, in random order.
std::vector<std::vector<Index>> cut_rows(Random& random, Index n_obs, Index n_pieces) {
  const std::vector<Index> order = random.order(n_obs);
  std::vector<std::vector<Index>> pieces(n_pieces);
  for (Index n = 0; n < n_obs; ++n) pieces[n * n_pieces / n_obs].push_back(order[n]);
  return pieces;
}

/// What a block has of all rows.
void take_totals(CodedData& block, const CodedData& all) {
  block.weight_unit = all.weight_unit;
  block.total_weight = all.total_weight;
  block.most_repeats = all.most_repeats;
}

/// Rows of a table as a block of all rows.
Table block_of(const Table& table, const std::vector<Index>& rows) {
  Table block = pick_rows(table, rows);
  take_totals(block.data, table.data);
  return block;
}

CodedData as_sparse(const CodedData& dense) {
  CodedData sparse = sparse_copy(dense);
  take_totals(sparse, dense);
  return sparse;
}

/// Log-joint probabilities of all rows.
RowMatrix log_joint(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  const ReadyItems ready = make_ready(data, items);
  const LogTables tables = log_tables(data, ready, params.mixing_weights, params.item_probs);
  RowMatrix out(data.n_obs, params.n_components());
  sum_log_tables(data, ready, tables, 0, data.n_obs, out.data());
  return out;
}

/// The largest relative difference of log-joint probabilities from plain sums of logarithms.
double distance_from_twin(const RowMatrix& joint, const Table& table,
                          const MixtureParameters& params, const ItemSet& items) {
  double largest = 0.0;
  for (Index n = 0; n < joint.rows(); ++n) {
    for (Index k = 0; k < joint.cols(); ++k) {
      double sum = safe_log(params.mixing_weights[k]);
      for (const Index item : items) {
        const Code code = table.code(n, item);
        const Index level = table.data.offset[item] + code - 1;
        if (code > 0) sum += safe_log(params.item_probs(level, k));
      }
      largest = std::max(largest, relative_difference(joint(n, k), sum));
    }
  }
  return largest;
}

/// Items of few and of many levels, whose packs fill several tiles.
std::vector<Index> levels_of_tiles() {
  std::vector<Index> n_levels;
  for (Index item = 0; item < 300; ++item) n_levels.push_back(item % 50 == 7 ? 90 : 1 + item % 4);
  return n_levels;
}

}  // namespace

context("row_sums") {
  test_that("counts agree with a plain loop, of dense and of sparse data") {
    Random random(1);
    const std::vector<Index> of_one_tile = {2, 5, 3, 1, 40, 2, 2, 2};
    for (const std::vector<Index>& n_levels : {of_one_tile, levels_of_tiles()}) {
      for (const double missing : {0.0, 0.4}) {
        const Table table = uneven_table(random, 150, n_levels, missing);
        for (Index n_components = 1; n_components <= 10; ++n_components) {
          const RowMatrix posterior = random_posterior(random, 150, n_components);
          const LevelSums twin = sums_twin(table.data, posterior);
          expect_true(are_near(table.data, sums_of_all(table.data, posterior), twin));
          expect_true(are_near(table.data, sums_of_all(sparse_copy(table.data), posterior), twin));
        }
      }
    }
  }

  test_that("any cut of the rows, in any order, gives the same bits") {
    Random random(2);
    const std::vector<Index> n_levels = {2, 3, 4, 2, 2, 3};
    const ItemSet items = {4, 0, 2, 1, 3};
    for (const double missing : {0.0, 0.4}) {
      const Table table = uneven_table(random, 140, n_levels, missing);
      const MixtureParameters params = random_parameters(random, n_levels, 3);
      const RowMatrix posterior = random_posterior(random, 140, 3);
      const RowMatrix joint = log_joint(table.data, params, items);
      const Vector row_loglik = joint.rowwise().maxCoeff();
      const RowMatrix shares = row_shares(table.data, posterior);
      const std::vector<LevelSums> sums = sums_of_depths(table.data, posterior);
      const ExactSum loglik = loglik_sum(table.data, row_loglik);
      const Matrix shared = shared_weight(table.data, posterior, shares);
      for (const Index n_pieces : {1, 2, 7, 140}) {
        for (const bool is_sparse : {false, true}) {
          const LevelSums none{RowMatrix::Zero(sums[0].levels.rows(), 3), RowMatrix::Zero(1, 3)};
          std::vector<LevelSums> sums_of_pieces(sums.size(), none);
          ExactSum loglik_of_pieces = empty_loglik(table.data);
          Matrix shared_of_pieces = Matrix::Zero(3, 3);
          for (const std::vector<Index>& rows : cut_rows(random, 140, n_pieces)) {
            const Table block = block_of(table, rows);
            const CodedData data = is_sparse ? as_sparse(block.data) : block.data;
            const RowMatrix part = pick(posterior, rows);
            expect_true(log_joint(data, params, items) == pick(joint, rows));
            expect_true(row_shares(data, part) == pick(shares, rows));
            const std::vector<LevelSums> sums_of_part = sums_of_depths(data, part);
            for (std::size_t depth = 0; depth < sums.size(); ++depth) {
              sums_of_pieces[depth] += sums_of_part[depth];
            }
            loglik_of_pieces += loglik_sum(data, pick(row_loglik, rows));
            shared_of_pieces += shared_weight(data, part, pick(shares, rows));
          }
          for (std::size_t depth = 0; depth < sums.size(); ++depth) {
            expect_true(are_equal(sums_of_pieces[depth], sums[depth]));
          }
          expect_true(loglik_of_pieces.value() == loglik.value());
          expect_true(loglik_of_pieces.low == loglik.low);
          expect_true(shared_of_pieces == shared);
        }
      }
    }
  }

  test_that("an item that a row answers many times is counted alike in any cut") {
    Random random(12);
    const Index n_obs = 40;
    std::vector<std::size_t> row_start = {0};
    std::vector<std::uint32_t> items;
    std::vector<Code> codes;
    for (Index row = 0; row < n_obs; ++row) {
      for (int times = 100 + static_cast<int>(row); times > 0; --times) {
        items.push_back(times == 1 ? 1 : 0);
        codes.push_back(static_cast<Code>(1 + row % 2));
      }
      row_start.push_back(items.size());
    }
    const CodedData all = make_sparse_data({row_start, items, codes}, {2, 2}, Vector::Ones(n_obs));
    const RowMatrix posterior = random_posterior(random, n_obs, 3);
    const LevelSums sums = sums_of_all(all, posterior);
    expect_true(are_near(all, sums, sums_twin(all, posterior)));
    LevelSums pieces{RowMatrix::Zero(4, 3), RowMatrix::Zero(1, 3)};
    for (Index row = n_obs; row-- > 0;) {
      const auto first = static_cast<std::ptrdiff_t>(row_start[row]);
      const auto last = static_cast<std::ptrdiff_t>(row_start[row + 1]);
      const std::size_t n = row_start[row + 1] - row_start[row];
      CodedData one = make_sparse_data({{0, n},
                                        {items.begin() + first, items.begin() + last},
                                        {codes.begin() + first, codes.begin() + last}},
                                       {2, 2}, Vector::Ones(1));
      take_totals(one, all);
      pieces += sums_of_all(one, posterior.row(row));
    }
    expect_true(are_equal(pieces, sums));
  }

  test_that("neither the number of threads nor instructions change a bit") {
    Random random(3);
    const std::vector<Index> n_levels(40, 3);
    const Table table = uneven_table(random, 9000, n_levels, 0.2);
    const CodedData sparse = sparse_copy(table.data);
    for (const Index n_components : {1, 2, 3, 5, 9}) {
      const RowMatrix posterior = random_posterior(random, 9000, n_components);
      const MixtureParameters params = random_parameters(random, n_levels, n_components);
      const RowMatrix joint = log_joint(table.data, params, {3, 1, 4});
      const Vector row_loglik = joint.rowwise().sum();
      const ExactSum loglik = loglik_sum(table.data, row_loglik);
      for (CodedData data : {table.data, sparse}) {
        data.n_threads = 1;
        const LevelSums sums = sums_of_all(data, posterior);
        for (const int n_threads : {1, 2, 7}) {
          for (const Instructions instructions : {Instructions::kPortable, widest_instructions()}) {
            data.n_threads = n_threads;
            data.instructions = instructions;
            expect_true(are_equal(sums_of_all(data, posterior), sums));
            expect_true(log_joint(data, params, {3, 1, 4}) == joint);
            expect_true(loglik_sum(data, row_loglik).value() == loglik.value());
          }
        }
      }
    }
  }

  test_that("rows that are cut for more threads than there are tiles give the same counts") {
    Random random(13);
    // Eight packs in one tile, and rows that are worth several threads.
    const Table table = uneven_table(random, 260000, std::vector<Index>(8, 90), 0.1);
    const RowMatrix posterior = random_posterior(random, 260000, 2);
    for (CodedData data : {table.data, sparse_copy(table.data)}) {
      data.n_threads = 1;
      const LevelSums sums = sums_of_all(data, posterior);
      for (const int n_threads : {2, 3}) {
        data.n_threads = n_threads;
        expect_true(are_equal(sums_of_all(data, posterior), sums));
      }
    }
  }

  test_that("counts of all depths have the first digits of what is rare") {
    Random random(9);
    const std::vector<Index> n_levels = {2, 3, 2};
    const Table table = random_table(random, {200, n_levels, 0.0});
    const ReadyItems items = make_ready(table.data, all_items(table.data));
    for (const double rare : {1e-9, 1e-14, 1e-17, 1e-20}) {
      RowMatrix posterior = random_posterior(random, 200, 2);
      posterior.col(1) *= rare;
      posterior.col(0).setOnes();
      const LevelSums twin = sums_twin(table.data, posterior);
      const LevelSums sums = level_sums_with_rare(table.data, posterior, items);
      const RowMatrix error = (sums.levels - twin.levels).cwiseAbs().cwiseQuotient(twin.levels);
      expect_true(error.col(0).maxCoeff() < 1e-14);
      expect_true(error.col(1).maxCoeff() < 1e-5);
      const LevelSums first = level_sums(table.data, posterior, items);
      // Counts that are not rare stay as they are.
      expect_true(sums.levels.col(0) == first.levels.col(0));
      expect_true(sums.components(0, 0) == first.components(0, 0));
      // What is not worth 2^-53 of the rows in any of them is lost without the depths.
      if (rare < 1e-15) expect_true(first.levels.col(1).maxCoeff() == 0.0);
    }
    const RowMatrix even = RowMatrix::Constant(200, 2, 0.5);
    LevelSums sums = level_sums(table.data, even, items);
    const LevelSums before = sums;
    int n_depths = 0;
    const auto at_depth = [&](int, const ItemSet&) {
      ++n_depths;
      return before;
    };
    add_rare(table.data, items.items, at_depth, sums);
    expect_true(n_depths == 0);
    expect_true(sums.levels == before.levels);
  }

  test_that("log-joint probabilities are the sums of logarithms, whatever the packs") {
    Random random(4);
    const std::vector<Index> n_levels = {2, 5, 3, 1, 40, 2, 2, 2, 3};
    const Table table = random_table(random, {60, n_levels, 0.3});
    for (Index n_components = 1; n_components <= 9; ++n_components) {
      MixtureParameters params = random_parameters(random, n_levels, n_components);
      params.item_probs(2, 0) = 0.0;  // counts as the smallest normal number
      const ItemSet items = {7, 1, 0, 4, 8};
      const RowMatrix joint = log_joint(table.data, params, items);
      expect_true(distance_from_twin(joint, table, params, items) < 1e-14);
      expect_true(log_joint(table.data, params, {8, 4, 7, 0, 1}) == joint);
    }
  }

  test_that("log-joint probabilities of items of several tiles are the sums of logarithms") {
    Random random(13);
    const Table table = random_table(random, {70, levels_of_tiles(), 0.3});
    ItemSet items;
    for (Index item = 299; item >= 60; --item) items.push_back(item);
    expect_true(make_ready(table.data, items).packed->tiles.size() > 2);
    for (Index n_components = 1; n_components <= 9; ++n_components) {
      const MixtureParameters params = random_parameters(random, levels_of_tiles(), n_components);
      const RowMatrix joint = log_joint(table.data, params, items);
      expect_true(distance_from_twin(joint, table, params, items) < 1e-14);
      expect_true(log_joint(sparse_copy(table.data), params, items) == joint);
    }
  }

  test_that("one component that has all rows has the marginals") {
    Random random(5);
    const Table table = uneven_table(random, 500, {2, 5, 3}, 0.3);
    const LevelSums sums = sums_of_all(table.data, RowMatrix::Ones(500, 1));
    expect_true(distance(sums.levels, table.data.level_weight) <= rounding_of_counts(table.data));
    expect_true(std::abs(sums.components(0, 0) / table.data.total_weight - 1.0) < 1e-14);
  }

  test_that("the log-likelihood is the weighted sum, also of few rows and of tiny weights") {
    Random random(6);
    for (const double scale : {1e-290, 1e-6, 1.0, 1e6, 1e290}) {
      for (const Index n_obs : {1, 3, 4, 5, 1000}) {
        Vector weights(n_obs);
        Vector loglik(n_obs);
        for (Index n = 0; n < n_obs; ++n) {
          weights[n] = scale * (0.1 + random.uniform());
          loglik[n] = -700.0 * random.uniform();
        }
        const Table table(std::vector<Code>(n_obs, 1), weights, {1});
        const double expected = weights.dot(loglik);
        expect_true(std::abs(loglik_sum(table.data, loglik).value() / expected - 1.0) < 1e-14);
      }
    }
  }

  test_that("weights of any size are counted, and no positive one is lost") {
    Random random(7);
    const std::vector<int> codes = {1, 2, 1, 2, 3, 1};
    Vector weights(6);
    weights << 0.3, 1.0, 0.0, 2.5, 0.1, 1.7;
    const Table plain = table_of({codes}, {3}, weights);
    const RowMatrix posterior = random_posterior(random, 6, 2);
    const RowMatrix counts = sums_of_all(plain.data, posterior).levels;
    for (const double scale : {1e-290, 1e-30, 1.0 / 3.0, 1e30, 1e300}) {
      const Table table = table_of({codes}, {3}, scale * weights);
      expect_true(std::abs(table.data.total_weight / scale / 5.6 - 1.0) < 1e-14);
      const RowMatrix scaled = sums_of_all(table.data, posterior).levels;
      expect_true(distance(scaled / scale, counts) < 1e-14);
    }
    Vector far(6);
    far << 1e-300, 1.0, 0.0, 1e-300, 1e-20, 1e300;
    for (const Vector& extreme : {far, Vector(1e-322 * weights), Vector(1e307 * weights)}) {
      const Table table = table_of({codes}, {3}, extreme);
      expect_true(table.data.n_levels_seen[0] == 3);
      expect_true(table.data.level_weight.minCoeff() > 0.0);
      expect_true(table.data.level_weight.allFinite());
      expect_true(table.data.case_weights[2] == 0.0);
      const LevelSums sums = sums_of_all(table.data, RowMatrix::Ones(6, 1));
      // Relative to each count, however small.
      const Vector rest = sums.levels.col(0) - table.data.level_weight;
      expect_true(rest.cwiseQuotient(table.data.level_weight).cwiseAbs().maxCoeff() <= 1e-14);
    }
  }

  test_that("whole weights are as they are given") {
    Random random(8);
    Vector weights(1000);
    for (Index n = 0; n < 1000; ++n) weights[n] = static_cast<double>(random.below(100000));
    const Table table(std::vector<Code>(1000, 1), weights, {1});
    expect_true(table.data.case_weights == weights);
    expect_true(table.data.total_weight == weights.sum());
    expect_true(table.data.weight_unit <= 0x1p-33);
  }

  test_that("shared weight is the weighted mean product, and row shares add up to it") {
    Random random(9);
    const Table table = uneven_table(random, 80, {2}, 0.0);
    const RowMatrix one = random_posterior(random, 80, 3);
    const RowMatrix other = random_posterior(random, 80, 2);
    const Matrix expected =
        one.transpose() * table.data.case_weights.asDiagonal() * other / table.data.total_weight;
    expect_true(distance(shared_weight(table.data, one, other), expected) < 1e-14);
    const Matrix alone = shared_weight(table.data, one, RowMatrix::Ones(80, 1));
    expect_true(alone == row_shares(table.data, one).colwise().sum().transpose());
  }
}

}  // namespace mdpd
