#include "pairs/sparse_pass.h"

#include <algorithm>

#include "base/jobs.h"
#include "base/kernels.h"
#include "pairs/pair_tables.h"

namespace mdpd {

namespace {

// The rows of one item ----------------------------------------------------------------------------

/// An answer of another item on a row of the item at hand.
struct SharedAnswer {
  std::uint32_t row;  ///< position among the answers to the item at hand
  std::uint32_t code : 8;
  std::uint32_t n_pairs : 24;  ///< of answers to the two items that the row has
};

/// The rows that answer one item, side by side (as often as they do), and what they answer to later
/// items, item by item; what one thread works with. Most pairs share a row or two: a table for each
/// of them would be zeros that have to be fetched, written and searched.
class SharedRows {
 public:
  SharedRows(const CodedData& data, const RowMatrix& row_weights)
      : data_(data),
        sparse_(std::get<SparseCodes>(data.codes)),
        row_weights_(row_weights),
        start_(data.n_items),
        n_shared_(data.n_items, 0) {}

  /// Calls visit(other, first answer, last answer) for the later items that share two rows or more
  /// with `item`, in their order; the answers are in the order of the rows.
  template <class Visit>
  void for_each_other(Index item, Visit visit) {
    list_rows(item);
    std::sort(others_.begin(), others_.end());
    sort_answers(item);
    for (const Index other : others_) {
      if (n_shared_[other] > 1) {
        const SharedAnswer* last = answers_.data() + start_[other];
        visit(other, last - n_shared_[other], last);
      }
      n_shared_[other] = 0;
    }
    others_.clear();
  }

  Code own_code(const SharedAnswer& answer) const { return own_code_[answer.row]; }
  const double* weights(const SharedAnswer& answer) const {
    return weights_.data() + answer.row * row_weights_.cols();
  }

 private:
  /// Calls use(other, code) for the row's answers to items above `item`.
  template <class Use>
  void for_each_later(Index item, Index row, Use use) const {
    for (std::size_t at = sparse_.row_start[row + 1]; at-- > sparse_.row_start[row];) {
      const Index other = static_cast<Index>(sparse_.items[at]);
      if (other <= item) return;
      use(other, sparse_.answers[at]);
    }
  }

  /// At most what fits: 4096 answers to each of the two.
  std::uint32_t n_pairs(Index row, Index item, Index other) const {
    if (data_.most_repeats == 1) return 1;
    const auto first = sparse_.items.begin() + sparse_.row_start[row];
    const auto last = sparse_.items.begin() + sparse_.row_start[row + 1];
    const auto n_answers = [&](Index to) {
      const auto range = std::equal_range(first, last, static_cast<std::uint32_t>(to));
      return range.second - range.first;
    };
    constexpr std::ptrdiff_t most = (std::ptrdiff_t{1} << 24) - 1;
    return static_cast<std::uint32_t>(std::min(most, n_answers(item) * n_answers(other)));
  }

  void list_rows(Index item) {
    rows_.clear();
    own_code_.clear();
    weights_.clear();
    for_each_answer(data_, item, [&](Index row, Code code) {
      const auto weights = row_weights_.row(row);
      if (!(weights.maxCoeff() > 0.0)) return;
      rows_.push_back(row);
      own_code_.push_back(code);
      weights_.insert(weights_.end(), weights.data(), weights.data() + weights.size());
      for_each_later(item, row, [&](Index other, Code) {
        if (n_shared_[other]++ == 0) others_.push_back(other);
      });
    });
  }

  /// A counting sort of the answers to the items that share two rows or more. Behind it `start_` is
  /// where an item's answers end.
  void sort_answers(Index item) {
    std::size_t n = 0;
    for (const Index other : others_) {
      start_[other] = n;
      if (n_shared_[other] > 1) n += n_shared_[other];
    }
    answers_.resize(n);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for_each_later(item, rows_[row], [&](Index other, Code code) {
        if (n_shared_[other] < 2) return;
        answers_[start_[other]++] = {static_cast<std::uint32_t>(row), code,
                                     n_pairs(rows_[row], item, other)};
      });
    }
  }

  const CodedData& data_;
  const SparseCodes& sparse_;
  const RowMatrix& row_weights_;
  std::vector<Index> rows_;
  std::vector<Code> own_code_;           ///< per row: what it answers the item at hand
  std::vector<double> weights_;          ///< rows x columns
  std::vector<Index> others_;            ///< items that share rows with the one at hand
  std::vector<std::size_t> start_;       ///< per item: where its answers begin
  std::vector<std::uint32_t> n_shared_;  ///< per item: rows shared with the one at hand
  std::vector<SharedAnswer> answers_;
};

// One pair ----------------------------------------------------------------------------------------

/// The table of one pair with its margins, of which only the cells that have an answer are stored;
/// kept from pair to pair, so that nothing is allocated. A cell's number is row * n_cols + column;
/// row and column 0 are the margins.
class SharedTable {
 public:
  explicit SharedTable(Index n_columns) : n_columns_(n_columns), dependence_(n_columns) {}

  /// Sums the weights of the answers. Do they have two levels of either item, so that the pair can
  /// show dependence? Else there is nothing to sum.
  bool sum(const SharedRows& rows, Index n_cols, const SharedAnswer* first,
           const SharedAnswer* last) {
    const auto has_other_row = [&](const SharedAnswer& answer) {
      return rows.own_code(answer) != rows.own_code(*first);
    };
    const auto has_other_column = [&](const SharedAnswer& answer) {
      return answer.code != first->code;
    };
    if (std::none_of(first, last, has_other_row) || std::none_of(first, last, has_other_column)) {
      return false;
    }
    clear();
    for (const SharedAnswer* at = first; at < last; ++at) {
      const Index row = rows.own_code(*at) * n_cols;
      const auto column = static_cast<Index>(at->code);
      const double* weights = rows.weights(*at);
      if (at->n_pairs > 1) weights = shares_of_pair(weights, at->n_pairs);
      for (const Index cell : {Index{0}, column, row, row + column}) {
        add(weights, cell);
      }
    }
    take_dependence(n_cols);
    return true;
  }

  double df() const { return df_; }
  const double* dependence() const { return dependence_.data(); }

 private:
  void clear() {
    for (const Index cell : cells_) place_[cell] = -1;
    cells_.clear();
    sums_.clear();
  }

  void add(const double* weights, Index cell) {
    if (cell >= static_cast<Index>(place_.size())) place_.resize(cell + 1, -1);
    if (place_[cell] < 0) {
      place_[cell] = static_cast<Index>(sums_.size());
      cells_.push_back(cell);
      sums_.resize(sums_.size() + n_columns_, 0.0);
    }
    double* to = sums_.data() + place_[cell];
    for (Index k = 0; k < n_columns_; ++k) to[k] += weights[k];
  }

  const double* shares_of_pair(const double* weights, Index n_pairs) {
    shares_.resize(n_columns_);
    for (Index k = 0; k < n_columns_; ++k) shares_[k] = share_of_pair(weights[k], n_pairs);
    return shares_.data();
  }

  void take_dependence(Index n_cols) {
    weight_.assign(sums_.begin(), sums_.begin() + n_columns_);
    sums_.resize(round_up_to_lanes(sums_.size()), 0.0);
    x_log_x_of_all(sums_.data(), static_cast<Index>(sums_.size()));
    std::fill(dependence_.begin(), dependence_.end(), 0.0);
    const auto add_terms = [&](double sign, const auto& belongs) {
      Index n = 0;
      for (const Index cell : cells_) {
        if (!belongs(cell)) continue;
        const double* terms = sums_.data() + place_[cell];
        for (Index k = 0; k < n_columns_; ++k) dependence_[k] += sign * terms[k];
        ++n;
      }
      return n;
    };
    const auto is_row = [&](Index cell) { return cell > 0 && cell % n_cols == 0; };
    const auto is_column = [&](Index cell) { return cell > 0 && cell < n_cols; };
    add_terms(1.0, [&](Index cell) { return !is_row(cell) && !is_column(cell); });
    const Index n_rows_seen = add_terms(-1.0, is_row);
    const Index n_cols_seen = add_terms(-1.0, is_column);
    for (Index k = 0; k < n_columns_; ++k) {
      if (!(dependence_[k] > rounding_of_dependence * weight_[k])) dependence_[k] = 0.0;
    }
    df_ = static_cast<double>((n_rows_seen - 1) * (n_cols_seen - 1));
  }

  Index n_columns_;
  std::vector<Index> place_;    ///< of a cell among the sums, -1 if it has none
  std::vector<Index> cells_;    ///< that have an answer: first that of all
  std::vector<double> sums_;    ///< cells x columns
  std::vector<double> weight_;  ///< in the table
  std::vector<double> shares_;  ///< of a row that one of its pairs of answers has
  std::vector<double> dependence_;
  double df_ = 0.0;
};

}  // namespace

void for_each_sparse_pair(const CodedData& data, const RowMatrix& row_weights, Index n_leading,
                          Monitor& monitor, const PairVisitor& visit) {
  const Index n_columns = row_weights.cols();
  const std::vector<double> no_error(n_columns, 0.0);
  const auto n_answers = static_cast<double>(std::get<SparseCodes>(data.codes).items.size());
  const int n_threads = useful_threads(data.n_threads, 10.0 * n_answers);
  std::vector<SharedRows> rows(n_threads, SharedRows(data, row_weights));
  std::vector<SharedTable> tables(n_threads, SharedTable(n_columns));
  monitor.on_work();
  const Index n_first = std::min(data.n_items, n_leading);
  for_each_job(n_first, n_threads, [&](Index item, int worker) {
    SharedTable& table = tables[worker];
    rows[worker].for_each_other(item, [&](Index other, const SharedAnswer* first,
                                          const SharedAnswer* last) {
      if (!table.sum(rows[worker], data.n_levels[other] + 1, first, last)) return;
      const double df = table.df();
      visit(worker, {item, other, other + 1, n_columns, table.dependence(), &df, no_error.data()});
    });
    if (worker == 0) monitor.on_work();
  });
}

}  // namespace mdpd
