#include "pairs/sparse_pass.h"

#include <algorithm>

#include "base/jobs.h"
#include "base/kernels.h"
#include "pairs/dependence.h"

namespace mdpd {

namespace {

// x log x of many values --------------------------------------------------------------------------

/// In place; the number of values is a multiple of n_lanes.
void x_log_x_of_all(double* values, std::size_t n) {
  const auto work = [&]() __attribute__((always_inline)) {
    for (std::size_t at = 0; at < n; at += n_lanes) {
      Lanes x;
      Lanes out;
      load(values + at, x);
      x_log_x(x, out);
      store(out, values + at);
    }
  };
  with_avx2(widest_instructions(), work);
}

// The rows of one item ----------------------------------------------------------------------------

/// An answer of another item on a row of the item at hand.
struct SharedAnswer {
  std::uint32_t row;  ///< position among the rows of the item at hand
  Code code;
};

/// The rows that answer one item, side by side, and what they answer to later items, item by item;
/// what one thread works with. Most pairs share a row or two: a table for each of them would be
/// zeros that have to be fetched, written and searched.
class SharedRows {
 public:
  SharedRows(const CodedData& data, const RowMatrix& row_weights)
      : sparse_(std::get<SparseCodes>(data.codes)),
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
      const SharedAnswer* first = answers_.data() + start_[other] - n_shared_[other];
      if (n_shared_[other] > 1) visit(other, first, answers_.data() + start_[other]);
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
      const Index other = static_cast<Index>(sparse_.row_item[at]);
      if (other <= item) return;
      use(other, sparse_.row_code[at]);
    }
  }

  void list_rows(Index item) {
    rows_.clear();
    own_code_.clear();
    weights_.clear();
    sparse_.for_each_answer(item, [&](Index row, Code code) {
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
        answers_[start_[other]++] = {static_cast<std::uint32_t>(row), code};
      });
    }
  }

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

/// Positions given to numbers in the order in which they come.
class Positions {
 public:
  Index of(std::size_t number) {
    if (number >= position_.size()) position_.resize(number + 1, none);
    Index& position = position_[number];
    if (position == none) {
      position = static_cast<Index>(seen_.size());
      seen_.push_back(number);
    }
    return position;
  }
  std::size_t number(Index position) const { return seen_[position]; }
  Index size() const { return static_cast<Index>(seen_.size()); }
  void clear() {
    for (const std::size_t number : seen_) position_[number] = none;
    seen_.clear();
  }

 private:
  static constexpr Index none = -1;
  std::vector<Index> position_;
  std::vector<std::size_t> seen_;
};

/// The table of one pair, of which only the cells, rows and columns that have an answer are stored;
/// kept from pair to pair, so that nothing is allocated.
class SharedTable {
 public:
  explicit SharedTable(Index n_columns) : n_columns_(n_columns), dependence_(n_columns) {}

  /// Does the pair have two levels of either item, so that it can show dependence?
  bool place(const SharedRows& rows, Index n_cols, const SharedAnswer* first,
             const SharedAnswer* last) {
    levels_.clear();
    other_levels_.clear();
    for (const SharedAnswer* at = first; at < last; ++at) {
      levels_.of(rows.own_code(*at) - 1);
      other_levels_.of(at->code - 1);
    }
    if (levels_.size() < 2 || other_levels_.size() < 2) return false;
    cells_.clear();
    n_cols_ = n_cols;
    cell_of_.clear();
    for (const SharedAnswer* at = first; at < last; ++at) {
      cell_of_.push_back(cells_.of((rows.own_code(*at) - 1) * n_cols + at->code - 1));
    }
    return true;
  }

  /// Sums the weights of the answers that were placed.
  void sum(const SharedRows& rows, const SharedAnswer* first) {
    const Index n_cells = cells_.size();
    const Index n_sums = n_cells + levels_.size() + other_levels_.size() + 1;
    sums_.assign(round_up_to_lanes(n_sums * n_columns_), 0.0);
    for (std::size_t at = 0; at < cell_of_.size(); ++at) {
      add(rows.weights(first[at]), cell_of_[at]);
    }
    for (Index cell = 0; cell < n_cells; ++cell) {
      const auto level = static_cast<Index>(cells_.number(cell)) / n_cols_;
      const auto other = static_cast<Index>(cells_.number(cell)) % n_cols_;
      const double* from = sums_.data() + cell * n_columns_;
      add(from, n_cells + levels_.of(level));
      add(from, n_cells + levels_.size() + other_levels_.of(other));
      add(from, n_sums - 1);
    }
    weight_.assign(sums_.begin() + (n_sums - 1) * n_columns_, sums_.begin() + n_sums * n_columns_);
    x_log_x_of_all(sums_.data(), sums_.size());
    std::copy_n(sums_.data() + (n_sums - 1) * n_columns_, n_columns_, dependence_.begin());
    for (Index at = 0; at < n_sums - 1; ++at) {
      const double sign = at < n_cells ? 1.0 : -1.0;
      const double* from = sums_.data() + at * n_columns_;
      for (Index k = 0; k < n_columns_; ++k) dependence_[k] += sign * from[k];
    }
    for (Index k = 0; k < n_columns_; ++k) {
      if (!(dependence_[k] > rounding_of_dependence * weight_[k])) dependence_[k] = 0.0;
    }
  }

  double df() const {
    return static_cast<double>((levels_.size() - 1) * (other_levels_.size() - 1));
  }
  const double* dependence() const { return dependence_.data(); }

 private:
  void add(const double* from, Index to) {
    double* out = sums_.data() + to * n_columns_;
    for (Index k = 0; k < n_columns_; ++k) out[k] += from[k];
  }

  Index n_columns_;
  Index n_cols_ = 0;
  Positions levels_;
  Positions other_levels_;
  Positions cells_;             ///< numbered level by level
  std::vector<Index> cell_of_;  ///< per answer
  std::vector<double> sums_;    ///< of cells, levels, other levels and all, x columns
  std::vector<double> weight_;  ///< in the table
  std::vector<double> dependence_;
};

}  // namespace

void for_each_sparse_pair(const CodedData& data, const RowMatrix& row_weights, Index n_leading,
                          Monitor& monitor, const PairVisitor& visit) {
  const Index n_columns = row_weights.cols();
  const std::vector<double> no_error(n_columns, 0.0);
  const auto n_answers = static_cast<double>(std::get<SparseCodes>(data.codes).row_item.size());
  const int n_threads = useful_threads(data.n_threads, 10.0 * n_answers);
  std::vector<SharedRows> rows(n_threads, SharedRows(data, row_weights));
  std::vector<SharedTable> tables(n_threads, SharedTable(n_columns));
  monitor.on_work();
  const Index n_first = std::min(data.n_items, n_leading);
  for_each_job(n_first, n_threads, [&](Index item, int worker) {
    SharedTable& table = tables[worker];
    rows[worker].for_each_other(item, [&](Index other, const SharedAnswer* first,
                                          const SharedAnswer* last) {
      if (!table.place(rows[worker], data.n_levels[other], first, last)) return;
      table.sum(rows[worker], first);
      const double df = table.df();
      visit(worker, {item, other, other + 1, n_columns, table.dependence(), &df, no_error.data()});
    });
    if (worker == 0) monitor.on_work();
  });
}

}  // namespace mdpd
