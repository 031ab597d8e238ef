#include "information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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

std::vector<bool> membership(const CodedData& data, const ItemSet& items) {
  std::vector<bool> is_member(data.n_items, false);
  for (const Index item : items) is_member[item] = true;
  return is_member;
}

/// A pair that may be the best in a column of row weights, as far as the pass over all pairs can
/// tell: its sums are not to the last bit those of `pair_information()`.
struct Contender {
  Index item_1 = 0;
  Index item_2 = 0;
  Index column = 0;
  double df = 0.0;
  double dependence = 0.0;
  double error = 0.0;    ///< of the dependence, the same for all of a column; see FixedWeights
  bool may_win = false;  ///< else it only counts for the largest information
};

/// The least dependence in the pass of a pair whose exact one may be the largest or tied with it,
/// where the largest of the pass is `best`; both are off by up to `error`, see FixedWeights. Ties
/// and the rounding of doubles are far below what is added.
double least_of(double best, double error) {
  constexpr double rounding = 1e-13;
  const double root = std::max(0.0, std::sqrt(std::max(0.0, best) + rounding) - 2.0 * error);
  return root * root - 2.0 * rounding - 1e-8 * best;
}

/// The most that a pair's exact dependence can be.
double most_of(const Contender& pair) {
  if (!(pair.error > 0.0)) return pair.dependence;
  const double root = std::sqrt(std::max(0.0, pair.dependence)) + pair.error;
  return root * root;
}

/// The contenders of one column: for each number of degrees of freedom, those at the largest
/// dependence. More dependence at the same number is a better score, whatever the score.
class Contest {
 public:
  void consider(const Contender& pair) {
    Class& at = of(pair.df);
    if (pair.dependence < at.least) return;
    at.pairs.push_back(pair);
    if (pair.dependence > at.best) {
      at.best = pair.dependence;
      at.least = least_of(at.best, pair.error);
      drop_losers(at);
    }
  }

  void add_to(Contest& other) const {
    for (const Class& at : classes_) {
      for (const Contender& pair : at.pairs) other.consider(pair);
    }
  }

  void list(std::vector<Contender>& out) const {
    for (const Class& at : classes_) out.insert(out.end(), at.pairs.begin(), at.pairs.end());
  }

 private:
  struct Class {
    double df = 0.0;
    double best = 0.0;
    double least = least_of(0.0, 0.0);
    std::vector<Contender> pairs = {};
  };

  Class& of(double df) {
    for (Class& at : classes_) {
      if (at.df == df) return at;
    }
    classes_.emplace_back();
    classes_.back().df = df;
    return classes_.back();
  }

  static void drop_losers(Class& at) {
    at.pairs.erase(
        std::remove_if(at.pairs.begin(), at.pairs.end(),
                       [&](const Contender& pair) { return pair.dependence < at.least; }),
        at.pairs.end());
  }

  std::vector<Class> classes_;  // few: found by search
};

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

struct Contenders {
  std::vector<Contender> pairs;
  std::vector<bool> strong;  ///< per item: is it in a strong pair?
};

/// Of every column the pairs that may win, and those that may have the largest information: one pass
/// over all pairs. In lexicographic order, so that ties go to the lowest indices.
Contenders find_contenders(const CodedData& data, const RowMatrix& columns, Index n_components,
                           const ItemSet& informative, const SearchOptions& options,
                           Monitor& monitor) {
  const std::vector<bool> inside = membership(data, informative);
  // A contest for the column's best, and one for its largest information, of each worker.
  const auto n_contests = static_cast<std::size_t>(2 * columns.cols());
  std::vector<std::vector<Contest>> contests(data.n_threads, std::vector<Contest>(n_contests));
  // One byte an item, so that each worker has its own.
  std::vector<std::vector<char>> strong(data.n_threads, std::vector<char>(data.n_items, 0));
  std::vector<StrongDependence> bounds(
      data.n_threads, StrongDependence(options.log_p_of_strong, data.total_weight));
  const auto original = [&](Index item) {
    return options.leading == nullptr ? item : options.leading->original[item];
  };
  const auto visit = [&](int worker, const PairBlock& block) {
    for (Index j = block.first_other; j < block.last_other; ++j) {
      const double df = block.df[j - block.first_other];
      // Of a constant item all that the table shows is rounding.
      if (!(df > 0.0)) continue;
      const auto [item_1, item_2] = std::minmax({original(block.item), original(j)});
      const bool may_win =
          options.candidates == Candidates::kAll || !(inside[item_1] && inside[item_2]);
      const double strong_from = bounds[worker].of(df);
      for (Index c = 0; c < columns.cols(); ++c) {
        const TableSums sums = sums_at(block, j, c);
        if (!may_depend(sums, block.error[c])) continue;
        const Contender pair{item_1, item_2, c, df, sums.dependence, block.error[c], may_win};
        if (may_win && c < n_components && most_of(pair) > strong_from) {
          strong[worker][item_1] = strong[worker][item_2] = 1;
        }
        if (may_win) contests[worker][2 * c].consider(pair);
        if (!may_win && c < n_components) contests[worker][2 * c + 1].consider(pair);
      }
    }
  };
  if (options.leading == nullptr) {
    for_each_pair_block(data, columns, options.missing, Precision::kSearch, monitor, visit);
  } else {
    for_each_pair_block(options.leading->data, columns, options.missing, Precision::kSearch,
                        monitor, visit, widest_instructions(), options.leading->n_leading);
  }

  Contenders found;
  found.strong.assign(data.n_items, false);
  for (const std::vector<char>& of_worker : strong) {
    for (Index item = 0; item < data.n_items; ++item) {
      if (of_worker[item] != 0) found.strong[item] = true;
    }
  }
  std::vector<Contender>& out = found.pairs;
  for (std::size_t contest = 0; contest < n_contests; ++contest) {
    Contest all;
    for (const std::vector<Contest>& of_worker : contests) of_worker[contest].add_to(all);
    all.list(out);
  }
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
  LeadingItems out;
  for (const bool first : {true, false}) {
    for (Index item = 0; item < data.n_items; ++item) {
      if (leads[item] == first) out.original.push_back(item);
    }
    if (first) out.n_leading = static_cast<Index>(out.original.size());
  }
  std::vector<Index> n_levels;
  for (const Index item : out.original) n_levels.push_back(data.n_levels[item]);
  if (data.is_sparse()) {
    std::vector<std::uint32_t> position(data.n_items);
    for (std::size_t at = 0; at < out.original.size(); ++at) {
      position[out.original[at]] = static_cast<std::uint32_t>(at);
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
    out.data = make_sparse_data(data.sparse.row_start, std::move(items), std::move(codes),
                                std::move(n_levels), data.case_weights);
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
