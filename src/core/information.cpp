#include "information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "contest.h"
#include "numerics.h"
#include "pair_pass.h"

namespace mdpd {

namespace {

/// Nats per unit of weight below which a sum of x log x is rounding.
constexpr double rounding_tolerance = 1e-14;

/// Sum of J log(J W / (J_r J_s)) over the cells of one component: row weight times nats.
struct TableSums {
  double dependence = 0.0;
  double weight = 0.0;
};

/// @param cell function (r, s) that gives the cell's weight.
template <class Cell>
TableSums sum_table(const PairTable& table, Cell cell) {
  TableSums sums;
  double column_terms = 0.0;
  for (Index s = 0; s < table.n_cols; ++s) {
    double column = 0.0;
    for (Index r = 0; r < table.n_rows; ++r) column += cell(r, s);
    column_terms += x_log_x(column);
    sums.weight += column;
  }
  double row_terms = 0.0;
  double cell_terms = 0.0;
  for (Index r = 0; r < table.n_rows; ++r) {
    double row = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) {
      const double weight = cell(r, s);
      row += weight;
      cell_terms += x_log_x(weight);
    }
    row_terms += x_log_x(row);
  }
  sums.dependence = cell_terms - row_terms - column_terms + x_log_x(sums.weight);
  return sums;
}

PairInformation from_sums(const TableSums& sums, double component_weight, double total_weight) {
  PairInformation out;
  // A table that is exactly independent shows nothing but rounding, on either side of zero.
  const double dependence =
      sums.dependence > rounding_tolerance * sums.weight ? sums.dependence : 0.0;
  out.information = component_weight > 0.0 ? dependence / component_weight : 0.0;
  out.g2 = 2.0 * total_weight * dependence;
  return out;
}

/// With fewer items a pass takes milliseconds.
constexpr Index least_items_to_bound = 200;

/// Entries closer than this count as equal, so that an exact tie is not decided by rounding.
constexpr double tie_tolerance = 1e-9;

bool beats(double score, double best) { return score > best * (1.0 + tie_tolerance); }

double log_number_of_tests(Index n_items, Index n_components) {
  const double n_pairs = 0.5 * static_cast<double>(n_items) * static_cast<double>(n_items - 1);
  return std::log(std::max(1.0, n_pairs * static_cast<double>(n_components)));
}

/// Total row weight of every component, added up in the order of the rows: to the last bit the same
/// whatever other components there are.
Vector component_weights(const RowMatrix& row_weights) {
  Vector sums = Vector::Zero(row_weights.cols());
  for (Index n = 0; n < row_weights.rows(); ++n) sums += row_weights.row(n);
  return sums;
}

std::vector<char> membership(const CodedData& data, const ItemSet& items) {
  std::vector<char> is_member(data.n_items, 0);
  for (const Index item : items) is_member[item] = 1;
  return is_member;
}

/// Whether a table's exact dependence may be more than the rounding of doubles.
bool may_depend(const TableSums& sums, double error) {
  const double rounding = 0.5 * rounding_tolerance * sums.weight;
  if (sums.dependence > rounding) return true;
  const double root = std::sqrt(std::max(0.0, sums.dependence)) + error;
  return root * root > rounding;
}

TableSums sums_at(const PairBlock& block, Index other, Index column) {
  const Index at = (other - block.first_other) * block.stride + column;
  return {block.dependence[at], block.weight[at]};
}

/// The row weights, and behind them those of the unions: the sum of both components'.
RowMatrix with_unions(const RowMatrix& row_weights, const std::vector<ComponentPair>& unions) {
  const Index n_components = row_weights.cols();
  RowMatrix out(row_weights.rows(), n_components + static_cast<Index>(unions.size()));
  out.leftCols(n_components) = row_weights;
  for (Index at = n_components; at < out.cols(); ++at) {
    const auto& [a, b] = unions[at - n_components];
    out.col(at) = row_weights.col(a) + row_weights.col(b);
  }
  return out;
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

/// Sparse data of all items, in the order given.
CodedData pick_sparse_items(const CodedData& data, const ItemSet& order,
                            std::vector<Index> n_levels) {
  std::vector<std::uint32_t> position(data.n_items);
  for (std::size_t at = 0; at < order.size(); ++at) {
    position[order[at]] = static_cast<std::uint32_t>(at);
  }
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  std::vector<std::pair<std::uint32_t, Code>> answers;
  for (Index row = 0; row < data.n_obs; ++row) {
    answers.clear();
    for_each_item_of_row(
        data, row, [&](Index item, Code code) { answers.emplace_back(position[item], code); });
    std::sort(answers.begin(), answers.end());
    for (const auto& [item, code] : answers) {
      items.push_back(item);
      codes.push_back(code);
    }
  }
  return make_sparse_data(data.sparse.row_start, std::move(items), std::move(codes),
                          std::move(n_levels), data.case_weights);
}

/// The items in the order given; of dense data maybe not all.
LeadingItems pick_items(const CodedData& data, ItemSet items) {
  LeadingItems out;
  out.original = std::move(items);
  out.n_leading = static_cast<Index>(out.original.size());
  std::vector<Index> n_levels;
  for (const Index item : out.original) n_levels.push_back(data.n_levels[item]);
  if (data.is_sparse()) {
    out.data = pick_sparse_items(data, out.original, std::move(n_levels));
  } else {
    for (const Index item : out.original) {
      out.codes.insert(out.codes.end(), data.item_codes(item), data.item_codes(item) + data.n_obs);
    }
    out.data =
        make_coded_data(out.codes.data(), data.n_obs, std::move(n_levels), data.case_weights);
  }
  out.data.n_threads = data.n_threads;
  return out;
}

struct Contenders {
  std::vector<Contender> pairs;
  std::vector<bool> strong;  ///< per item: is it in a strong pair?
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
      const TableSums sums =
          sum_table(notes.table, [&](Index r, Index s) { return notes.table.at(r, s, 0); });
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

/// Of every column the pairs that may win, and those that may have the largest information. In
/// lexicographic order, so that ties go to the lowest indices.
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

}  // namespace

PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight) {
  return from_sums(sum_table(table, [&](Index r, Index s) { return table.at(r, s, component); }),
                   component_weight, total_weight);
}

double degrees_of_freedom(const PairTable& table) {
  Vector rows = Vector::Zero(table.n_rows);
  Vector cols = Vector::Zero(table.n_cols);
  for (Index r = 0; r < table.n_rows; ++r) {
    for (Index s = 0; s < table.n_cols; ++s) {
      for (Index k = 0; k < table.n_components; ++k) {
        rows[r] += table.at(r, s, k);
        cols[s] += table.at(r, s, k);
      }
    }
  }
  const double row_levels = static_cast<double>((rows.array() > 0.0).count());
  const double col_levels = static_cast<double>((cols.array() > 0.0).count());
  return std::max(0.0, row_levels - 1.0) * std::max(0.0, col_levels - 1.0);
}

Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor) {
  const Vector component_weight = component_weights(row_weights);
  Matrix out = Matrix::Zero(data.n_items, data.n_items);
  const Index first = component < 0 ? 0 : component;
  const Index last = component < 0 ? row_weights.cols() - 1 : component;
  const auto visit = [&](int, const PairBlock& block) {
    for (Index j = block.first_other; j < block.last_other; ++j) {
      double sum = 0.0;
      for (Index k = first; k <= last; ++k) {
        const double scale = component < 0 ? component_weight[k] : 1.0;
        sum += scale *
               from_sums(sums_at(block, j, k), component_weight[k], data.total_weight).information;
      }
      out(block.item, j) = out(j, block.item) = sum;
    }
  };
  for_each_pair_block(data, row_weights, missing, Precision::kFull, monitor, visit);
  return out;
}

LeadingItems put_first(const CodedData& data, const std::vector<bool>& leads) {
  ItemSet items;
  for (const bool first : {true, false}) {
    for (Index item = 0; item < data.n_items; ++item) {
      if (leads[item] == first) items.push_back(item);
    }
  }
  LeadingItems out = pick_items(data, items);
  out.n_leading = std::count(leads.begin(), leads.end(), true);
  return out;
}

PairSearch search_pairs(const CodedData& data, const RowMatrix& row_weights,
                        const ItemSet& informative, const SearchOptions& options,
                        Monitor& monitor) {
  const Index n_components = row_weights.cols();
  const RowMatrix columns = with_unions(row_weights, options.unions);
  Contenders contenders =
      find_contenders(data, columns, n_components, informative, options, monitor);

  const Vector column_weight = component_weights(columns);
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
    fill_pair_table(data, columns.col(at.column), at.item_1, at.item_2, options.missing, table);
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
