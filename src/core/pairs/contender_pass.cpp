#include "pairs/contender_pass.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/numerics.h"
#include "pairs/dependence.h"
#include "pairs/pair_pass.h"
#include "pairs/union_bounds.h"

namespace mdpd {

namespace {

/// With fewer items a pass takes milliseconds.
constexpr Index least_items_to_bound = 200;

std::vector<char> membership(const CodedData& data, const ItemSet& items) {
  std::vector<char> is_member(data.n_items, 0);
  for (const Index item : items) is_member[item] = 1;
  return is_member;
}

/// Tells of any number of degrees of freedom the least dependence whose log p-value is below a bound;
/// remembers what it was asked.
class StrongDependence {
 public:
  StrongDependence(double log_p, double total_weight)
      : log_p_(log_p), total_weight_(total_weight) {}

  double of(double df) {
    if (!std::isfinite(log_p_)) return std::numeric_limits<double>::infinity();
    for (const auto& [known_df, bound] : bounds_) {
      if (known_df == df) return bound;
    }
    double low = 0.0;
    double high = df;
    while (log_chi_square_upper(high, df) >= log_p_) high *= 2.0;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (log_chi_square_upper(middle, df) < log_p_ ? high : low) = middle;
    }
    bounds_.emplace_back(df, 0.5 * low / total_weight_);
    return bounds_.back().second;
  }

 private:
  double log_p_;
  double total_weight_;
  std::vector<std::pair<double, double>> bounds_;  // few: found by search
};

/// What a pass tells of one pair.
struct PairSums {
  Index item_1;
  Index item_2;
  double df;
  bool may_win;
  const double* dependence;  ///< of each column
  const double* weight;
  const double* error;
};

/// What one thread notes of the pairs it sees.
struct Notes {
  Notes(Index n_columns, Index n_items, StrongDependence strong_dependence)
      : contest(n_columns), strong_from(std::move(strong_dependence)), strong(n_items, 0) {}

  Contest contest;
  StrongDependence strong_from;
  std::vector<char> strong;  ///< one byte an item
  Vector most_of_component;  ///< of the pair at hand
  double least_of_unions = 0.0;
  PairTable table;
};

/// One pass over all pairs of items. Of every column it finds the pairs that may win, and of every
/// component those that may have the largest information.
class ContenderPass {
 public:
  /// @param columns row weights of the components, and behind them those of the unions.
  ContenderPass(const CodedData& data, const RowMatrix& columns, Index n_components,
                const ItemSet& informative, const SearchOptions& options)
      : data_(data),
        columns_(columns),
        n_components_(n_components),
        inside_(membership(data, informative)),
        options_(options),
        notes_(data.n_threads,
               Notes(columns.cols(), data.n_items,
                     StrongDependence(options.log_p_of_strong, data.total_weight))) {}

  /// Sums the tables of the components only; a pair's table of a union is made where the bound says
  /// that it may win there.
  /// @param known contenders of the unions, of all pairs within the informative set.
  void bound_unions(const UnionBounds& bounds, const std::vector<Contender>& known) {
    bounds_ = &bounds;
    for (Index c = n_components_; c < columns_.cols(); ++c) {
      union_weights_.push_back(columns_.col(c));
    }
    for (Notes& notes : notes_) {
      for (const Contender& pair : known) notes.contest.of(pair).expect(pair);
    }
  }

  Contenders run(Monitor& monitor) {
    const auto visit = [this](int worker, const PairBlock& block) { note(block, notes_[worker]); };
    const LeadingItems* leading = options_.leading;
    for_each_pair_block(leading == nullptr ? data_ : leading->data, columns_.leftCols(n_summed()),
                        options_.missing, Precision::kSearch, monitor, visit, widest_instructions(),
                        leading == nullptr ? data_.n_items : leading->n_leading);
    Contenders found;
    found.strong.assign(data_.n_items, false);
    Contest all(columns_.cols());
    for (const Notes& notes : notes_) {
      notes.contest.add_to(all);
      for (Index item = 0; item < data_.n_items; ++item) {
        if (notes.strong[item] != 0) found.strong[item] = true;
      }
    }
    found.pairs = all.list();
    return found;
  }

 private:
  Index n_summed() const { return bounds_ == nullptr ? columns_.cols() : n_components_; }

  Index original(Index item) const {
    return options_.leading == nullptr ? item : options_.leading->original[item];
  }

  void note(const PairBlock& block, Notes& notes) const {
    const Index item = original(block.item);
    Contest::Rounds* rounds = nullptr;
    double strong_from = 0.0;
    for (Index j = block.first_other; j < block.last_other; ++j) {
      const double df = block.df[j - block.first_other];
      // Of a constant item all that the table shows is rounding.
      if (!(df > 0.0)) continue;
      if (rounds == nullptr || rounds->df != df) {
        rounds = &notes.contest.of(df);
        strong_from = notes.strong_from.of(df);
        notes.least_of_unions = least_of_unions(rounds->to_win);
      }
      const Index other = original(j);
      const bool both_inside = inside_[item] != 0 && inside_[other] != 0;
      const bool may_win = options_.candidates == Candidates::kAll || !both_inside;
      const Index at = (j - block.first_other) * block.stride;
      const PairSums sums{std::min(item, other), std::max(item, other), df,         may_win,
                          block.dependence + at, block.weight + at,     block.error};
      note_columns(sums, may_win ? strong_from : no_dependence,
                   may_win ? rounds->to_win : rounds->to_count, notes);
      if (bounds_ == nullptr || both_inside) continue;
      const double most =
          bounds_->most_of_any(sums.item_1, sums.item_2, sums.dependence, sums.error);
      if (most >= notes.least_of_unions) note_unions(sums, rounds->to_win, notes);
    }
  }

  /// Notes a pair in the columns that were summed.
  void note_columns(const PairSums& pair, double strong_from, std::vector<Round>& rounds,
                    Notes& notes) const {
    const Index last = pair.may_win ? n_summed() : n_components_;
    for (Index c = 0; c < last; ++c) {
      const double dependence = pair.dependence[c];
      const double error = pair.error[c];
      // The square of a sum is at most twice the sum of the squares.
      const bool may_be_strong = 2.0 * (dependence + error * error) > strong_from;
      if (dependence < rounds[c].least() && !may_be_strong) continue;
      if (!may_depend({dependence, pair.weight[c]}, error)) continue;
      if (may_be_strong && c < n_components_ && most_of(dependence, error) > strong_from) {
        notes.strong[pair.item_1] = notes.strong[pair.item_2] = 1;
      }
      rounds[c].consider({pair.item_1, pair.item_2, c, pair.df, dependence, error, pair.may_win});
    }
  }

  /// Notes a pair in the unions where the bound lets it win.
  void note_unions(const PairSums& pair, std::vector<Round>& rounds, Notes& notes) const {
    bounds_->most_of_components(pair.dependence, pair.error, notes.most_of_component);
    for (Index c = n_components_; c < columns_.cols(); ++c) {
      const Index at = c - n_components_;
      const double most = bounds_->most(at, pair.item_1, pair.item_2, notes.most_of_component);
      if (most < rounds[c].least()) continue;
      fill_pair_table(data_, union_weights_[at], pair.item_1, pair.item_2, options_.missing,
                      notes.table);
      const TableSums sums = sum_table(notes.table, 0);
      if (!may_depend(sums, 0.0)) continue;
      rounds[c].consider({pair.item_1, pair.item_2, c, pair.df, sums.dependence, 0.0, true});
    }
    notes.least_of_unions = least_of_unions(rounds);
  }

  /// The least dependence of a contender in any union.
  double least_of_unions(const std::vector<Round>& rounds) const {
    double least = no_dependence;
    for (Index c = n_components_; c < columns_.cols(); ++c) {
      least = std::min(least, rounds[c].least());
    }
    return least;
  }

  static constexpr double no_dependence = std::numeric_limits<double>::infinity();

  const CodedData& data_;
  const RowMatrix& columns_;
  Index n_components_;
  std::vector<char> inside_;
  const SearchOptions& options_;
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

Contenders find_contenders(const CodedData& data, const RowMatrix& columns, Index n_components,
                           const ItemSet& informative, const SearchOptions& options,
                           Monitor& monitor) {
  ContenderPass pass(data, columns, n_components, informative, options);
  std::vector<Contender> within;
  std::optional<UnionBounds> bounds;
  if (bounds_pay(data, informative, options)) {
    const LeadingItems inside = pick_items(data, informative);
    SearchOptions search_inside = options;
    search_inside.leading = &inside;
    within =
        ContenderPass(data, columns, n_components, informative, search_inside).run(monitor).pairs;
    const auto of_component = [&](const Contender& pair) { return pair.column < n_components; };
    within.erase(std::remove_if(within.begin(), within.end(), of_component), within.end());
    bounds.emplace(data, columns.leftCols(n_components), options.unions);
    pass.bound_unions(*bounds, within);
  }
  Contenders found = pass.run(monitor);
  std::vector<Contender>& out = found.pairs;
  out.insert(out.end(), within.begin(), within.end());
  std::sort(out.begin(), out.end(), [](const Contender& x, const Contender& y) {
    return std::tie(x.item_1, x.item_2, x.column) < std::tie(y.item_1, y.item_2, y.column);
  });
  return found;
}

}  // namespace mdpd
