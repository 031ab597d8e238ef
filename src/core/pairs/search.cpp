#include "pairs/search.h"
#include "data/row_sums.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/numerics.h"
#include "pairs/contender_pass.h"
#include "pairs/dependence.h"

namespace mdpd {

namespace {

/// Entries closer than this count as equal, so that an exact tie is not decided by rounding.
constexpr double tie_tolerance = 1e-9;

bool beats(double score, double best) { return score > best * (1.0 + tie_tolerance); }

double log_number_of_tests(Index n_items, Index n_components) {
  const double n_pairs = 0.5 * static_cast<double>(n_items) * static_cast<double>(n_items - 1);
  return std::log(std::max(1.0, n_pairs * static_cast<double>(n_components)));
}

/// The posterior, and behind it that of the unions: the sum of both components'.
RowMatrix with_unions(const RowMatrix& posterior, const std::vector<ComponentPair>& unions) {
  const Index n_components = posterior.cols();
  RowMatrix out(posterior.rows(), n_components + static_cast<Index>(unions.size()));
  out.leftCols(n_components) = posterior;
  for (Index at = n_components; at < out.cols(); ++at) {
    const auto& [a, b] = unions[at - n_components];
    out.col(at) = posterior.col(a) + posterior.col(b);
  }
  return out;
}

}  // namespace

PairSearch search_pairs(const SearchState& state, const SearchOptions& options, Monitor& monitor) {
  const CodedData& data = state.data;
  const Index n_components = state.posterior.cols();
  const SearchColumns columns{data, n_components,
                              row_shares(data, with_unions(state.posterior, options.unions))};
  Contenders contenders = find_contenders(columns, state.informative, options, monitor);

  const Vector column_weight = component_weights(columns.weights);
  const double log_n_tests = log_number_of_tests(data.n_items, n_components);
  const auto component_of = [&](Index column) {
    return column < n_components ? column : options.unions[column - n_components].first;
  };
  PairSearch search;
  search.by_component.resize(n_components);
  search.by_union.resize(options.unions.size());
  search.strong = std::move(contenders.strong);
  PairTable table;
  for (const Contender& at : contenders.pairs) {
    fill_pair_table(data, columns.weights.col(at.column), at.item_1, at.item_2, options.missing,
                    table);
    const PairInformation pair =
        pair_information(table, 0, column_weight[at.column], data.total_weight);
    const bool is_union = at.column >= n_components;
    if (!is_union) {
      search.largest_information = std::max(search.largest_information, pair.information);
    }
    if (!at.may_win) continue;
    // On the log scale, where it stays finite however strong the evidence.
    const double log_p = log_chi_square_upper(pair.g2, at.df);
    const bool by_information = options.selection == Selection::kInformation;
    const double score = by_information ? pair.information : -log_p;
    PairChoice& best =
        is_union ? search.by_union[at.column - n_components] : search.by_component[at.column];
    if (!beats(score, best.score)) continue;
    best = {true,
            at.item_1,
            at.item_2,
            component_of(at.column),
            pair.information,
            std::min(0.0, log_p + log_n_tests),
            score};
  }
  return search;
}

PairChoice worst_explained(const PairSearch& search) {
  PairChoice best;
  for (const PairChoice& choice : search.by_component) {
    const bool tied = !beats(choice.score, best.score) && !beats(best.score, choice.score);
    const bool comes_first =
        std::tie(choice.item_1, choice.item_2) < std::tie(best.item_1, best.item_2);
    if (beats(choice.score, best.score) || (choice.found && tied && comes_first)) best = choice;
  }
  return best;
}

}  // namespace mdpd
