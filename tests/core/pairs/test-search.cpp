#include <testthat.h>

#include <array>

#include "base/numerics.h"
#include "monitors.h"
#include "pairs/dependence.h"
#include "pairs/random_case.h"
#include "pairs/search.h"

namespace mdpd {

namespace {

/// Is the search by unions the one in which each union is a component?
bool unions_agree(const CodedData& data, const RowMatrix& posterior, const ItemSet& informative,
                  const SearchOptions& plain) {
  Monitor monitor;
  SearchOptions options = plain;
  for (Index b = 1; b < posterior.cols(); ++b) {
    for (Index a = 0; a < b; ++a) options.unions.emplace_back(a, b);
  }
  const PairSearch search = search_pairs({data, posterior, informative}, options, monitor);
  bool agree = true;
  for (std::size_t at = 0; at < options.unions.size(); ++at) {
    const auto& [a, b] = options.unions[at];
    const RowMatrix merged = posterior.col(a) + posterior.col(b);
    const PairChoice alone =
        worst_explained(search_pairs({data, merged, informative}, plain, monitor));
    const PairChoice& both = search.by_union[at];
    agree = agree && both.found == alone.found && both.item_1 == alone.item_1 &&
            both.item_2 == alone.item_2 && both.information == alone.information &&
            both.score == alone.score;
  }
  const PairSearch by_component = search_pairs({data, posterior, informative}, plain, monitor);
  for (Index k = 0; k < posterior.cols(); ++k) {
    const PairChoice& x = search.by_component[k];
    const PairChoice& y = by_component.by_component[k];
    agree = agree && x.item_1 == y.item_1 && x.item_2 == y.item_2 && x.score == y.score;
  }
  return agree && search.largest_information == by_component.largest_information;
}

PairChoice choose(const CodedData& data, const RowMatrix& posterior, const ItemSet& informative,
                  const SearchOptions& options) {
  Monitor monitor;
  return worst_explained(search_pairs({data, posterior, informative}, options, monitor));
}

/// The best pair by plain loops over the tables.
PairChoice choose_twin(const Case& in, const ItemSet& informative, const SearchOptions& options) {
  PairChoice best;
  PairTable table;
  const Index n_items = in.table.data.n_items;
  const Index n_components = in.weights.cols();
  const double n_tests = 0.5 * static_cast<double>(n_items * (n_items - 1) * n_components);
  const auto inside = [&](Index item) {
    return std::count(informative.begin(), informative.end(), item) > 0;
  };
  for (Index i = 0; i < n_items; ++i) {
    for (Index j = i + 1; j < n_items; ++j) {
      if (options.candidates == Candidates::kTouchingOutside && inside(i) && inside(j)) continue;
      fill_pair_table(in.table.data, in.weights, i, j, options.missing, table);
      for (Index k = 0; k < n_components; ++k) {
        const double component_weight = in.weights.col(k).sum();
        const double information = information_twin(table.component(k), component_weight);
        const double g2 = 2.0 * in.table.data.total_weight * information * component_weight;
        const double log_p = log_chi_square_upper(g2, degrees_of_freedom(table));
        const double score = options.selection == Selection::kInformation ? information : -log_p;
        if (score <= best.score) continue;
        best = {true, i, j, k, information, std::min(0.0, log_p + std::log(n_tests)), score};
      }
    }
  }
  return best;
}

/// The items of strong pairs by plain loops over the tables.
std::vector<bool> strong_twin(const Case& in, double log_p_of_strong) {
  PairTable table;
  const Index n_items = in.table.data.n_items;
  std::vector<bool> strong(n_items, false);
  for (Index i = 0; i < n_items; ++i) {
    for (Index j = i + 1; j < n_items; ++j) {
      fill_pair_table(in.table.data, in.weights, i, j, MissingCells::kIgnore, table);
      for (Index k = 0; k < in.weights.cols(); ++k) {
        const double weight = in.weights.col(k).sum();
        const double g2 = 2.0 * in.table.data.total_weight *
                          information_twin(table.component(k), weight) * weight;
        if (log_chi_square_upper(g2, degrees_of_freedom(table)) < log_p_of_strong)
          strong[i] = strong[j] = true;
      }
    }
  }
  return strong;
}

/// Calls `check(options)` for every way to search.
template <class Check>
void for_each_search(Check check) {
  for (const Selection selection : {Selection::kInformation, Selection::kSignificance}) {
    for (const Candidates candidates : {Candidates::kAll, Candidates::kTouchingOutside}) {
      for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
        check(SearchOptions{selection, candidates, missing, {}});
      }
    }
  }
}

}  // namespace

context("search") {
  test_that("the chosen pair is the best of all that may be chosen") {
    for (std::uint64_t seed = 10; seed < 30; ++seed) {
      const Case in = random_case(seed, 1 + static_cast<Index>(seed % 4), 0.1);
      const ItemSet informative = {1, 2, 4};
      for_each_search([&](const SearchOptions& options) {
        const PairChoice chosen = choose(in.table.data, in.posterior, informative, options);
        const PairChoice twin = choose_twin(in, informative, options);
        expect_true(chosen.found);
        expect_true(chosen.item_1 == twin.item_1);
        expect_true(chosen.item_2 == twin.item_2);
        expect_true(chosen.component == twin.component);
        expect_true(std::abs(chosen.information - twin.information) < 1e-13);
        expect_true(relative_difference(chosen.log_p_value, twin.log_p_value) < 1e-10);
        expect_true(relative_difference(chosen.score, twin.score) < 1e-10);
      });
    }
  }

  test_that("strong pairs are those with a small p-value in a component, whatever unions have") {
    Monitor monitor;
    Index n_strong = 0;
    Index n_others = 0;
    for (std::uint64_t seed = 30; seed < 50; ++seed) {
      const Case in = random_case(seed, 2 + static_cast<Index>(seed % 3), 0.1);
      SearchOptions options;
      options.unions = {{0, 1}};
      for (const double log_p : {-2.0, -4.0, -6.0}) {
        options.log_p_of_strong = log_p;
        const std::vector<bool> strong =
            search_pairs({in.table.data, in.posterior, {}}, options, monitor).strong;
        expect_true(strong == strong_twin(in, log_p));
        n_strong += std::count(strong.begin(), strong.end(), true);
        n_others += std::count(strong.begin(), strong.end(), false);
      }
    }
    expect_true(n_strong > 20);
    expect_true(n_others > 20);
  }

  test_that("neither the scale of the weights nor many components change the choice") {
    // The pass over all pairs rounds the weights, coarsely where they span decades; see
    // FixedWeights.
    Random random(60);
    for (std::uint64_t seed = 60; seed < 100; ++seed) {
      Case in = random_case(seed, 1 + static_cast<Index>(seed % 12), seed % 2 == 0 ? 0.2 : 0.0);
      const double decades = static_cast<double>(seed % 5) * 4.0;
      for (Index n = 0; n < in.posterior.rows(); ++n) {
        in.posterior.row(n) *= std::pow(10.0, -decades * random.uniform());
      }
      in.posterior /= row_shares(in.table.data, in.posterior).sum();
      in.weights = row_shares(in.table.data, in.posterior);
      for_each_search([&](const SearchOptions& options) {
        const PairChoice chosen = choose(in.table.data, in.posterior, {0, 1}, options);
        const PairChoice twin = choose_twin(in, {0, 1}, options);
        expect_true(chosen.item_1 == twin.item_1);
        expect_true(chosen.item_2 == twin.item_2);
        expect_true(chosen.component == twin.component);
        expect_true(std::abs(chosen.information - twin.information) < 1e-13);
      });
    }
  }

  test_that("the best of many pairs of noise is the best of the plain loop") {
    // Nothing but noise, on many rows: the pairs at the top are as close as they get.
    Random random(61);
    const std::vector<Index> n_levels(60, 2);
    Table table = random_table(random, {20000, n_levels});
    const RowMatrix posterior = random_posterior(random, 20000, 2);
    const RowMatrix weights = row_shares(table.data, posterior);
    const Case in{std::move(table), posterior, weights};
    const SearchOptions options{Selection::kSignificance};
    const PairChoice chosen = choose(in.table.data, in.posterior, {}, options);
    const PairChoice twin = choose_twin(in, {}, options);
    expect_true(chosen.item_1 == twin.item_1);
    expect_true(chosen.item_2 == twin.item_2);
    expect_true(chosen.component == twin.component);
  }

  test_that("a component's worst pair does not depend on the other components") {
    const Case in = random_case(31, 3, 0.1);
    Monitor monitor;
    for_each_search([&](const SearchOptions& options) {
      const PairSearch search =
          search_pairs({in.table.data, in.posterior, {0, 3}}, options, monitor);
      expect_true(search.by_component.size() == 3);
      expect_true(search.by_union.empty());
      for (Index k = 0; k < 3; ++k) {
        const PairChoice alone = choose(in.table.data, in.posterior.col(k), {0, 3}, options);
        expect_true(search.by_component[k].component == k);
        expect_true(search.by_component[k].item_1 == alone.item_1);
        expect_true(search.by_component[k].item_2 == alone.item_2);
        expect_true(search.by_component[k].score == alone.score);
      }
    });
  }

  test_that("the worst pair of a union is that of the two components taken as one") {
    const Case in = random_case(32, 4, 0.1);
    Monitor monitor;
    const std::vector<ComponentPair> unions = {{0, 1}, {1, 3}, {0, 2}, {2, 3}};
    for_each_search([&](const SearchOptions& plain) {
      SearchOptions options = plain;
      options.unions = unions;
      const PairSearch search =
          search_pairs({in.table.data, in.posterior, {0, 3}}, options, monitor);
      expect_true(search.by_union.size() == unions.size());
      for (std::size_t at = 0; at < unions.size(); ++at) {
        const auto& [a, b] = unions[at];
        const RowMatrix merged = in.posterior.col(a) + in.posterior.col(b);
        const PairChoice alone = choose(in.table.data, merged, {0, 3}, plain);
        const PairChoice& both = search.by_union[at];
        expect_true(both.found);
        expect_true(both.component == a);
        expect_true(both.item_1 == alone.item_1);
        expect_true(both.item_2 == alone.item_2);
        expect_true(std::abs(both.information - alone.information) < 1e-13);
        expect_true(relative_difference(both.score, alone.score) < 1e-10);
      }
    });
  }

  test_that("among many items, some of them informative, the worst pair of a union is the same") {
    const std::array<ItemSet, 3> informative_sets = {ItemSet{}, ItemSet{5},
                                                     ItemSet{7, 2, 100, 0, 3}};
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CATCH_CAPTURE(seed);
      Random random(seed);
      std::vector<Index> n_levels(220, 2);
      if (seed % 3 == 0) {
        for (std::size_t item = 0; item < n_levels.size(); item += 3) n_levels[item] = 3;
      }
      const MixtureParameters truth = planted_mixture(random, n_levels, 12, 0.5 + 0.1 * (seed % 5));
      const bool has_missing = seed % 4 == 0;
      Table table =
          draw_table(random, truth, {150, n_levels, has_missing ? 0.2 : 0.0, seed % 2 == 0});
      table.data.n_threads = seed % 2 == 0 ? 2 : 1;
      RowMatrix posterior = random_posterior(random, 150, seed <= 8 ? 3 : 4);
      if (seed % 2 == 0) posterior = posterior.array().pow(8.0);  // nearly certain
      posterior.array().colwise() /= posterior.rowwise().sum().array().eval();
      const ItemSet& informative = informative_sets[(seed - 1) / 4];
      for_each_search([&](const SearchOptions& options) {
        expect_true(unions_agree(table.data, posterior, informative, options));
      });
    }
  }

  test_that("a search that keeps to leading items finds the best of the pairs that touch them") {
    const Case in = random_case(33, 2, 0.1);
    const CodedData sparse = sparse_copy(in.table.data);
    Monitor monitor;
    for (const CodedData* data : {&in.table.data, &sparse}) {
      const LeadingItems leading = put_first(*data, {false, true, true, true, true});
      SearchOptions options;
      const PairChoice plain = choose(*data, in.posterior, {}, options);
      options.leading = &leading;
      const PairChoice chosen = choose(*data, in.posterior, {}, options);
      expect_true(chosen.item_1 == plain.item_1);  // one of any two leads here
      expect_true(chosen.item_2 == plain.item_2);
      expect_true(chosen.score == plain.score);
    }
  }

  test_that("ties go to the lowest indices, however the rows are ordered") {
    Random random(7);
    const std::vector<int> one = {1, 1, 2, 2, 2, 1, 2, 1, 2, 2, 1};
    const std::vector<int> other = {1, 2, 2, 1, 2, 1, 2, 1, 1, 2, 1};
    const Table table = table_of({one, other, one, other}, {2, 2, 2, 2});
    for (int trial = 0; trial < 50; ++trial) {
      const Table shuffled = pick_rows(table, random.order(11));
      RowMatrix posterior(11, 3);
      posterior.rowwise() = Eigen::RowVector3d(0.2, 0.3, 0.5);  // equal components
      const PairChoice chosen = choose(shuffled.data, posterior, {}, {Selection::kInformation});
      expect_true(chosen.item_1 == 0);  // (0, 2) and (1, 3) are equal items
      expect_true(chosen.item_2 == 2);
      expect_true(chosen.component == 0);
      const RowMatrix halves = RowMatrix::Constant(11, 2, 0.5);
      const PairChoice evident = choose(shuffled.data, halves, {}, {Selection::kSignificance});
      expect_true(evident.item_1 == 0);
      expect_true(evident.item_2 == 2);
      expect_true(evident.component == 0);
    }
  }

  test_that("a tie between components goes to the lower pair, then to the lower component") {
    PairChoice low{true, 0, 2, 1, 0.5, -3.0, 7.0};
    PairChoice high{true, 1, 3, 0, 0.5, -3.0, 7.0};
    const auto chosen = [](const std::vector<PairChoice>& choices) {
      PairSearch search;
      search.by_component = choices;
      return worst_explained(search);
    };
    expect_true(chosen({high, low}).component == 1);
    high.score *= 1.0 + 1e-12;  // rounding does not break a tie
    expect_true(chosen({high, low}).component == 1);
    high.score *= 1.01;
    expect_true(chosen({high, low}).component == 0);
    PairChoice same = low;
    same.component = 2;
    expect_true(chosen({{}, low, same}).component == 1);
    expect_false(chosen({{}, {}}).found);
  }

  test_that("nothing is chosen where no pair may be or none can depend") {
    const auto found = [](const Table& table, const ItemSet& informative) {
      const RowMatrix all = RowMatrix::Ones(table.data.n_obs, 1);
      bool any = false;
      for (const Selection selection : {Selection::kInformation, Selection::kSignificance}) {
        const SearchOptions options{selection, Candidates::kTouchingOutside};
        any = any || choose(table.data, all, informative, options).found;
      }
      return any;
    };
    expect_false(found(table_of({{1, 2}}, {2}), {}));                         // one item
    expect_false(found(table_of({{1, 1, 1}, {1, 2, 2}}, {1, 2}), {}));        // a constant item
    expect_false(found(table_of({{1}, {2}, {2}}, {2, 2, 2}), {}));            // one row
    expect_false(found(table_of({{1, 0, 2, 0}, {0, 1, 0, 2}}, {2, 2}), {}));  // never together
    expect_false(found(table_of({{1, 2, 1, 2}, {1, 2, 1, 2}}, {2, 2}), {0, 1}));
    expect_false(found(table_of({{1, 1, 2, 2}, {1, 2, 1, 2}}, {2, 2}), {}));  // independent
  }

  test_that("exact independence is no dependence, whatever its rounding") {
    // Every combination of 3 x 5 x 2 (x 7 x 3 x 2 x 3 x 5) levels once: all pairs independent, no
    // share a binary fraction.
    for (const std::vector<Index>& n_levels :
         {std::vector<Index>{3, 5, 2}, {3, 5, 2, 7, 3, 2, 3, 5}}) {
      std::vector<std::vector<int>> items;
      Index n_obs = 1;
      for (const Index size : n_levels) n_obs *= size;
      Index repeats = 1;
      for (const Index size : n_levels) {
        items.push_back({});
        for (Index row = 0; row < n_obs; ++row) {
          items.back().push_back(static_cast<int>(1 + row / repeats % size));
        }
        repeats *= size;
      }
      const Table table = table_of(items, n_levels);
      const RowMatrix all = RowMatrix::Ones(n_obs, 1);
      expect_false(choose(table.data, all, {}, {Selection::kInformation}).found);
      expect_false(choose(table.data, all, {}, {Selection::kSignificance}).found);
      Monitor monitor;
      const RowMatrix shares = row_shares(table.data, all);
      for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
        const Matrix information = information_matrix(table.data, shares, 0, missing, monitor);
        expect_true(information.isZero(0.0));
      }
    }
  }

  test_that("the largest information is over all pairs, chosen or not") {
    const Table table = table_of({{1, 2, 1, 2}, {1, 2, 1, 2}}, {2, 2});
    Monitor monitor;
    const PairSearch none =
        search_pairs({table.data, RowMatrix::Ones(4, 1), {0, 1}},
                     {Selection::kInformation, Candidates::kTouchingOutside}, monitor);
    expect_false(worst_explained(none).found);
    expect_true(std::abs(none.largest_information - std::log(2.0)) < 1e-15);
    const Case in = random_case(33, 3, 0.1);
    double expected = 0.0;
    for (Index k = 0; k < 3; ++k) {
      const Matrix information =
          information_matrix(in.table.data, in.weights, k, MissingCells::kIgnore, monitor);
      expected = std::max(expected, information.maxCoeff());
    }
    const PairSearch search = search_pairs({in.table.data, in.posterior, {0, 1}}, {}, monitor);
    expect_true(std::abs(search.largest_information - expected) < 1e-14);
  }

  test_that("the corrected p-value of independent items is small as seldom as it should be") {
    // At most alpha of all tables: 300 tables at alpha = 0.1 give 30, give or take 5.
    Random random(8);
    Index rejected = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const Table table = random_table(random, {300, {2, 3, 2, 2}});
      rejected += choose(table.data, RowMatrix::Ones(300, 1), {}, {}).log_p_value < std::log(0.1);
    }
    expect_true(rejected < 50);
    expect_true(rejected > 10);
  }

  test_that("an interrupted search unwinds") {
    Random random(9);
    const Table table = random_table(random, {20000, std::vector<Index>(12, 2)});
    const RowMatrix all = RowMatrix::Ones(20000, 1);
    InterruptingMonitor monitor(0);
    expect_error_as(search_pairs({table.data, all, {}}, {}, monitor), Interrupt);
  }
}

}  // namespace mdpd
