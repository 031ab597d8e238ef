#include "pairs/search.h"

#include <algorithm>
#include <tuple>

#include "base/numerics.h"
#include "data/row_sums.h"
#include "pairs/contest.h"
#include "pairs/dependence.h"
#include "pairs/pair_pass.h"

namespace mdpd {

namespace {

/// Entries closer than this count as equal, so that an exact tie is not decided by rounding.
constexpr double tie_tolerance = 1e-9;

bool beats(double score, double best) { return score > best * (1.0 + tie_tolerance); }

double log_number_of_tests(Index n_items, Index n_components) {
  const double n_pairs = 0.5 * static_cast<double>(n_items) * static_cast<double>(n_items - 1);
  return log_of(std::max(1.0, n_pairs * static_cast<double>(n_components)));
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

// What may win ------------------------------------------------------------------------------------

struct Contenders {
  std::vector<Contender> pairs;
  std::vector<bool> strong;  ///< per item: is it in a strong pair?
};

/// What one thread notes of the pairs it sees.
struct Notes {
  Contest contest;
  std::vector<bool> strong;  ///< as in Contenders
};

/// One pass over all pairs of items. Of every column it finds the pairs that may win, and of every
/// component those that may have the largest information, in lexicographic order, so that ties go to
/// the lowest indices.
class ContenderPass {
 public:
  /// @param weights of the rows: of the components, and behind them of the unions.
  ContenderPass(const SearchState& state, const RowMatrix& weights, const SearchOptions& options)
      : data_(state.data),
        n_components_(state.posterior.cols()),
        weights_(weights),
        options_(options),
        inside_(data_.n_items),
        notes_(data_.n_threads, {new_contest(), std::vector<bool>(data_.n_items)}) {
    for (const Index item : state.informative) inside_[item] = true;
  }

  Contenders run(Monitor& monitor) {
    const auto visit = [this](int worker, const PairBlock& block) { note(block, notes_[worker]); };
    const LeadingItems* leading = options_.leading;
    PassOptions pass;
    pass.missing = options_.missing;
    if (leading != nullptr) pass.n_leading = leading->n_leading;
    const CodedData& data = leading == nullptr ? data_ : leading->data;
    for_each_pair_block(data, weights_, pass, monitor, visit);
    Contenders found;
    found.strong.assign(data_.n_items, false);
    Contest all = new_contest();
    for (const Notes& notes : notes_) {
      for (const Contender& pair : notes.contest.list()) all.consider(pair);
      for (Index item = 0; item < data_.n_items; ++item) {
        if (notes.strong[item]) found.strong[item] = true;
      }
    }
    found.pairs = all.list();
    const auto place = [](const Contender& x) { return std::tie(x.item_1, x.item_2, x.column); };
    std::sort(found.pairs.begin(), found.pairs.end(),
              [&](const Contender& x, const Contender& y) { return place(x) < place(y); });
    return found;
  }

 private:
  Index n_columns() const { return weights_.cols(); }
  Contest new_contest() const {
    return {n_columns(), options_.log_p_of_strong, data_.total_weight};
  }

  Index original(Index item) const {
    return options_.leading == nullptr ? item : options_.leading->original[item];
  }

  void note(const PairBlock& block, Notes& notes) const {
    const Index item = original(block.item);
    Contest::Rounds* rounds = nullptr;
    for (Index j = block.first_other; j < block.last_other; ++j) {
      const Index place = j - block.first_other;
      const double df = block.df[place];
      // Of a constant item all that the table shows is rounding.
      if (!(df > 0.0)) continue;
      if (rounds == nullptr || rounds->df != df) rounds = &notes.contest.of(df);
      const Index other = original(j);
      const bool both_inside = inside_[item] && inside_[other];
      const bool may_win = options_.candidates == Candidates::kAll || !both_inside;
      Contender pair{std::min(item, other), std::max(item, other), 0, df, may_win, {}};
      note_columns(block, place, pair, *rounds, notes);
    }
  }

  /// Notes a pair in the columns that were summed.
  void note_columns(const PairBlock& block, Index place, Contender& pair, Contest::Rounds& rounds,
                    Notes& notes) const {
    const double strong_from =
        pair.may_win ? rounds.strong_from : std::numeric_limits<double>::infinity();
    for (Index c = 0; c < (pair.may_win ? n_columns() : n_components_); ++c) {
      const double roughly_most = block.roughly_most(place, c);
      Round& round = notes.contest.round_of(rounds, c, pair.may_win);
      if (roughly_most < round.least && roughly_most < strong_from) continue;
      pair.column = c;
      pair.dependence = block.bounds(place, c);
      round.consider(pair);
      if (c < n_components_ && pair.dependence.most > strong_from) {
        notes.strong[pair.item_1] = notes.strong[pair.item_2] = true;
      }
    }
  }

  const CodedData& data_;
  Index n_components_;
  const RowMatrix& weights_;
  const SearchOptions& options_;
  std::vector<bool> inside_;
  std::vector<Notes> notes_;
};

}  // namespace

PairSearch search_pairs(const SearchState& state, const SearchOptions& options, Monitor& monitor) {
  const CodedData& data = state.data;
  const Index n_components = state.posterior.cols();
  const RowMatrix weights = row_shares(data, with_unions(state.posterior, options.unions));
  Contenders contenders = ContenderPass(state, weights, options).run(monitor);

  const Vector column_weight = weights.colwise().sum();  // exact: see row_shares()
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
    fill_pair_table(data, weights.col(at.column), at.item_1, at.item_2, options.missing, table);
    const double in_table = dependence(table, 0);
    const double weight = column_weight[at.column];
    const double information = weight > 0.0 ? in_table / weight : 0.0;
    const bool is_union = at.column >= n_components;
    if (!is_union) search.largest_information = std::max(search.largest_information, information);
    if (!at.may_win) continue;
    // Of G2; on the log scale, where it stays finite however strong the evidence.
    const double log_p = log_chi_square_upper(2.0 * data.total_weight * in_table, at.df);
    const bool by_information = options.selection == Selection::kInformation;
    const double score = by_information ? information : -log_p;
    PairChoice& best =
        is_union ? search.by_union[at.column - n_components] : search.by_component[at.column];
    if (!beats(score, best.score)) continue;
    best = {true,        at.item_1,
            at.item_2,   component_of(at.column),
            information, std::min(0.0, log_p + log_n_tests),
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
