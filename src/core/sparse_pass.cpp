#include "sparse_pass.h"

#include <algorithm>

#include "information.h"
#include "jobs.h"

namespace mdpd {

namespace {

/// The tables of one item with the later ones that share rows with it; what one thread works with.
class SharedTables {
 public:
  SharedTables(const CodedData& data, Index n_columns)
      : data_(data), n_columns_(n_columns), slot_of_(data.n_items, no_slot) {}

  /// Counts the answers of one row to items above `item`, which it answers by `code`.
  void add_row(Index item, Code code, Index row, const double* weights) {
    const SparseCodes& sparse = data_.sparse;
    for (std::size_t at = sparse.row_start[row + 1]; at-- > sparse.row_start[row];) {
      const Index other = static_cast<Index>(sparse.row_item[at]);
      if (other <= item) return;
      double* cell = table_of(item, other) +
                     ((code - 1) * data_.n_levels[other] + sparse.row_code[at] - 1) * n_columns_;
      for (Index k = 0; k < n_columns_; ++k) cell[k] += weights[k];
    }
  }

  /// Calls visit(other, table), levels x levels x columns, for those with two shared rows or more,
  /// in the order of the items, and forgets all tables.
  template <class Visit>
  void finish(Visit visit) {
    std::sort(others_.begin(), others_.end());
    for (const Index other : others_) {
      const Index slot = slot_of_[other];
      if (n_rows_[slot] > 1) visit(other, tables_.data() + first_[slot]);
      slot_of_[other] = no_slot;
    }
    others_.clear();
    first_.clear();
    n_rows_.clear();
    tables_.clear();
  }

 private:
  static constexpr Index no_slot = -1;

  double* table_of(Index item, Index other) {
    Index& slot = slot_of_[other];
    if (slot == no_slot) {
      slot = static_cast<Index>(first_.size());
      others_.push_back(other);
      first_.push_back(tables_.size());
      n_rows_.push_back(0);
      tables_.resize(tables_.size() + data_.n_levels[item] * data_.n_levels[other] * n_columns_);
    }
    ++n_rows_[slot];
    return tables_.data() + first_[slot];
  }

  const CodedData& data_;
  Index n_columns_;
  std::vector<Index> slot_of_;      ///< per item: its table, or no_slot
  std::vector<Index> others_;       ///< items that have a table
  std::vector<std::size_t> first_;  ///< per table: where it begins
  std::vector<Index> n_rows_;       ///< per table: rows in it
  std::vector<double> tables_;
};

/// What a pass tells of one pair; kept from pair to pair, so that nothing is allocated.
struct PairSums {
  explicit PairSums(Index n_columns) : dependence(n_columns), weight(n_columns) {}

  std::vector<double> dependence;
  std::vector<double> weight;
  PairTable table;
};

/// Hands over one pair.
void visit_pair(const CodedData& data, Index item, Index other, const double* cells,
                Index n_columns, int worker, const PairVisitor& visit, PairSums& sums) {
  sums.table.reset(data.n_levels[item], data.n_levels[other], n_columns);
  std::copy_n(cells, sums.table.cells.size(), sums.table.cells.begin());
  const double df = degrees_of_freedom(sums.table);
  if (!(df > 0.0)) return;
  for (Index k = 0; k < n_columns; ++k) {
    // In units of row weight: one component of weight 1.
    sums.dependence[k] = pair_information(sums.table, k, 1.0, 1.0).information;
    sums.weight[k] = 0.0;
    for (std::size_t at = k; at < sums.table.cells.size(); at += n_columns) {
      sums.weight[k] += sums.table.cells[at];
    }
  }
  visit(worker,
        {item, other, other + 1, n_columns, sums.dependence.data(), sums.weight.data(), &df});
}

}  // namespace

void for_each_sparse_pair(const CodedData& data, const RowMatrix& row_weights, Monitor& monitor,
                          const PairVisitor& visit) {
  const Index n_columns = row_weights.cols();
  const int n_threads =
      useful_threads(data.n_threads, 10.0 * static_cast<double>(data.sparse.row_item.size()));
  std::vector<SharedTables> tables(n_threads, SharedTables(data, n_columns));
  std::vector<PairSums> sums(n_threads, PairSums(n_columns));
  monitor.on_work();
  for_each_job(data.n_items, n_threads, [&](Index item, int worker) {
    for_each_answer(data, item, [&](Index row, Code code) {
      tables[worker].add_row(item, code, row, row_weights.row(row).data());
    });
    tables[worker].finish([&](Index other, const double* cells) {
      visit_pair(data, item, other, cells, n_columns, worker, visit, sums[worker]);
    });
    if (worker == 0) monitor.on_work();
  });
}

}  // namespace mdpd
