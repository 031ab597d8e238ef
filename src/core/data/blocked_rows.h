#pragma once

#include <functional>

#include "data/make_data.h"
#include "data/shard_file.h"

namespace mdpd {

/// Where rows come from that are more than memory holds: blocks of them, in order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index n_blocks() const = 0;
  virtual Shard read(Index block) const = 0;
};

/// Some rows in memory.
struct RowBlock {
  std::vector<Code> codes;  ///< of dense rows
  CodedData data;           ///< with the totals of all rows
};

/// @param frame what is known of all rows.
/// @param held  see `BlockedRows::held()`.
/// @throws DimensionError if a known label is none that is held.
std::shared_ptr<const RowBlock> make_row_block(const CodedData& frame, Shard shard,
                                               const std::vector<Index>& held);

/// The cells of a shard: its codes, which it keeps, or its answers, which it loses.
Cells cells_of(Shard& shard, std::vector<Index> n_levels);

/// The cells of some rows, as many as `out` has.
/// @param table  a shard, or a table as it comes; if it is dense, with these codes.
template <class Table>
void cut_cells(const Table& table, const Code* codes, Index first, Shard& out) {
  if (out.is_dense) {
    out.codes.reserve(static_cast<std::size_t>(out.n_obs * out.n_items));
    for (Index item = 0; item < out.n_items; ++item) {
      const Code* from = codes + item * table.n_obs + first;
      out.codes.insert(out.codes.end(), from, from + out.n_obs);
    }
    return;
  }
  const std::size_t from = table.row_start[first];
  const std::size_t to = table.row_start[first + out.n_obs];
  for (Index row = first; row <= first + out.n_obs; ++row) {
    out.row_start.push_back(table.row_start[row] - from);
  }
  out.items.assign(table.items.begin() + from, table.items.begin() + to);
  out.answers.assign(table.answers.begin() + from, table.answers.begin() + to);
}

/// Some rows of a shard.
/// @throws DimensionError if there are no such rows.
Shard cut_rows(const Shard& shard, Index first, Index n);

/// What a block takes in memory, roughly: its codes, once more as kernels read them, and weights.
double n_bytes_of_block(const Shard& shard);

/// Data whose rows are read block by block, each time they are gone through, but for as many blocks
/// as `most_bytes` of memory hold. All sums over them are those of the rows in memory to the last
/// bit, however they are cut: see row_sums.h.
class BlockedRows {
 public:
  /// Reads all rows three times.
  /// @param n_levels per item.
  /// @param before of rows that are in no block: the frame counts them.
  /// @throws DimensionError if there is no row, or blocks do not fit `n_levels`.
  BlockedRows(const RowSource& source, std::vector<Index> n_levels, int n_threads,
              double most_bytes, const RowTotals& before = {});

  /// What is known of all rows, without a row: for all that works on sums.
  const CodedData& frame() const { return frame_; }
  /// Rows in blocks.
  Index n_obs() const { return n_obs_; }
  /// Of these with a positive weight.
  Index n_weighted() const { return n_weighted_; }
  /// What is known of all rows, for blocks that come later.
  RowTotals totals() const;

  /// Calls use(rows, first) for each block in order; `first` is the number of its first row. The
  /// data have the totals of all rows.
  void for_each_block(const std::function<void(const CodedData&, Index)>& use) const;

  /// From here on rows are held whose label is known.
  void hold_known(std::vector<Index> component_of_label);
  /// Of each label the component in which rows that are known to have it are held; empty: none is.
  const std::vector<Index>& held() const { return held_; }

  /// As `for_each_block()`, with no row held, and with the shard's known labels, see
  /// `known_labels()`.
  void for_each_free_block(
      const std::function<void(const CodedData&, const std::vector<Index>&, Index)>& use) const;

  /// Calls use(shard, first) for each block, as it was read but for the weights of empty rows, while
  /// that gives true.
  void for_each_shard(const std::function<bool(Shard, Index)>& use) const;

  /// Of all case weights, as they were given; of empty rows 0.
  double largest_weight() const { return largest_weight_; }

 private:
  Shard read(Index at) const;
  std::shared_ptr<const RowBlock> block(Index at) const;

  const RowSource& source_;
  CodedData frame_;
  std::vector<Index> held_;
  Index n_obs_ = 0;
  Index n_weighted_ = 0;
  Index n_before_ = 0;
  double largest_weight_ = 0.0;
  Index n_kept_ = 0;  ///< the first blocks stay
  mutable std::vector<std::shared_ptr<const RowBlock>> kept_;
};

}  // namespace mdpd
