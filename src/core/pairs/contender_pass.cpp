#include "pairs/contender_pass.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "pairs/dependence.h"
#include "pairs/pair_pass.h"
#include "pairs/union_bounds.h"

namespace mdpd {

namespace {

/// With fewer items a pass takes milliseconds.
constexpr Index least_items_to_bound = 200;

/// What one thread notes of the pairs it sees.
struct Notes {
  Contest contest;
  std::vector<char> strong;  ///< one byte an item
  Vector most_of_component;  ///< of the pair at hand
  PairTable table;
};

/// A pair of a block, its items under their own numbers.
struct PairAt {
  const PairBlock& block;
  Index place;  ///< in the block
  Index item_1;
  Index item_2;
  double df;

  Contender contender(Index column, bool may_win, const Bounds& dependence) const {
    return {item_1, item_2, column, df, may_win, dependence};
  }
};

/// One pass over all pairs of items. Of every column it finds the pairs that may win, and of every
/// component those that may have the largest information.
class ContenderPass {
 public:
  ContenderPass(const SearchColumns& columns, const ItemSet& informative,
                const SearchOptions& options)
      : data_(columns.data),
        columns_(columns),
        options_(options),
        inside_(data_.n_items, 0),
        notes_(data_.n_threads, {new_contest(), std::vector<char>(data_.n_items, 0), {}, {}}) {
    for (const Index item : informative) inside_[item] = 1;
  }

  /// Sums the tables of the components only; a pair's table of a union is made where the bound says
  /// that it may win there.
  /// @param known contenders among the pairs within the informative set.
  void bound_unions(const UnionBounds& bounds, const std::vector<Contender>& known) {
    bounds_ = &bounds;
    for (Index c = columns_.n_components; c < n_columns(); ++c) {
      union_weights_.push_back(columns_.weights.col(c));
    }
    for (Notes& notes : notes_) {
      for (const Contender& pair : known) notes.contest.consider(pair);
    }
  }

  Contenders run(Monitor& monitor) {
    const auto visit = [this](int worker, const PairBlock& block) { note(block, notes_[worker]); };
    const LeadingItems* leading = options_.leading;
    PassOptions pass;
    pass.missing = options_.missing;
    if (leading != nullptr) pass.n_leading = leading->n_leading;
    for_each_pair_block(leading == nullptr ? data_ : leading->data,
                        columns_.weights.leftCols(n_summed()), pass, monitor, visit);
    Contenders found;
    found.strong.assign(data_.n_items, false);
    Contest all = new_contest();
    for (const Notes& notes : notes_) {
      for (const Contender& pair : notes.contest.list()) all.consider(pair);
      for (Index item = 0; item < data_.n_items; ++item) {
        if (notes.strong[item] != 0) found.strong[item] = true;
      }
    }
    found.pairs = all.list();
    return found;
  }

 private:
  Index n_columns() const { return columns_.weights.cols(); }
  Index n_summed() const { return bounds_ == nullptr ? n_columns() : columns_.n_components; }
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
      const PairAt pair{block, place, std::min(item, other), std::max(item, other), df};
      const bool both_inside = inside_[item] != 0 && inside_[other] != 0;
      const bool may_win = options_.candidates == Candidates::kAll || !both_inside;
      note_columns(pair, may_win, *rounds, notes);
      if (bounds_ != nullptr && !both_inside) note_unions(pair, rounds->to_win, notes);
    }
  }

  /// Notes a pair in the columns that were summed.
  void note_columns(const PairAt& pair, bool may_win, Contest::Rounds& rounds, Notes& notes) const {
    std::vector<Round>& of_column = may_win ? rounds.to_win : rounds.to_count;
    const double strong_from =
        may_win ? rounds.strong_from : std::numeric_limits<double>::infinity();
    for (Index c = 0; c < (may_win ? n_summed() : columns_.n_components); ++c) {
      const double roughly_most = pair.block.roughly_most(pair.place, c);
      if (roughly_most < of_column[c].least() && roughly_most < strong_from) continue;
      const Bounds bounds = pair.block.bounds(pair.place, c);
      of_column[c].consider(pair.contender(c, may_win, bounds));
      if (c < columns_.n_components && bounds.most > strong_from) {
        notes.strong[pair.item_1] = notes.strong[pair.item_2] = 1;
      }
    }
  }

  /// Notes a pair in the unions where the bound lets it win.
  void note_unions(const PairAt& pair, std::vector<Round>& rounds, Notes& notes) const {
    notes.most_of_component.resize(columns_.n_components);
    for (Index c = 0; c < columns_.n_components; ++c) {
      notes.most_of_component[c] = pair.block.bounds(pair.place, c).most;
    }
    for (Index c = columns_.n_components; c < n_columns(); ++c) {
      const Index at = c - columns_.n_components;
      const double most = bounds_->most(at, pair.item_1, pair.item_2, notes.most_of_component);
      if (most < rounds[c].least()) continue;
      fill_pair_table(data_, union_weights_[at], pair.item_1, pair.item_2, options_.missing,
                      notes.table);
      const double exact = dependence(notes.table, 0);
      if (exact > 0.0) rounds[c].consider(pair.contender(c, true, {exact, exact}));
    }
  }

  const CodedData& data_;
  const SearchColumns& columns_;
  const SearchOptions& options_;
  std::vector<char> inside_;
  std::vector<Notes> notes_;
  const UnionBounds* bounds_ = nullptr;
  std::vector<RowMatrix> union_weights_;  ///< n_obs x 1 each
};

/// Whether it pays to sum the tables of the components only, and to bound those of the unions.
bool bounds_pay(const CodedData& data, const ItemSet& informative, const SearchOptions& options) {
  const bool few = 2 * static_cast<Index>(informative.size()) < data.n_items;
  return !options.unions.empty() && options.leading == nullptr && few &&
         data.n_items >= least_items_to_bound && is_complete(data, options.missing);
}

}  // namespace

Contenders find_contenders(const SearchColumns& columns, const ItemSet& informative,
                           const SearchOptions& options, Monitor& monitor) {
  const CodedData& data = columns.data;
  ContenderPass pass(columns, informative, options);
  std::optional<UnionBounds> bounds;
  if (bounds_pay(data, informative, options)) {
    const LeadingItems inside = pick_items(data, informative);
    SearchOptions search_inside = options;
    search_inside.leading = &inside;
    const Contenders known = ContenderPass(columns, informative, search_inside).run(monitor);
    bounds.emplace(data, columns.weights.leftCols(columns.n_components), options.unions);
    pass.bound_unions(*bounds, known.pairs);
  }
  Contenders found = pass.run(monitor);
  const auto place = [](const Contender& x) { return std::tie(x.item_1, x.item_2, x.column); };
  std::sort(found.pairs.begin(), found.pairs.end(),
            [&](const Contender& x, const Contender& y) { return place(x) < place(y); });
  return found;
}

}  // namespace mdpd
