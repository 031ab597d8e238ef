#pragma once

#include "data/packed_items.h"
#include "pairs/pair_tables.h"
#include "pairs/subset_sums.h"

namespace mdpd {

/// Rows that are cut at once: a sum of as many digits of a weight fits into 32 bits.
inline constexpr Index rows_per_block = 65536;

/// First level of an item that enters, as a digit: a missing cell may not count.
inline Index first_digit(const CodedData& data, Index item, MissingCells missing) {
  return data.has_missing[item] && missing == MissingCells::kIgnore ? 1 : 0;
}

/// Numbers of the sums that the rows of a pack are added to: those of the levels of its items, one
/// after another, and then that of all rows. Nothing is added for the digit 0: it does not enter, or
/// is what the item's other levels leave of all rows.
class PackTargets {
 public:
  PackTargets(const CodedData& data, const Pack& pack, MissingCells missing);

  Index n_targets() const { return total_ + 1; }

  /// Of an item of the pack, counted within it; -1 for none.
  std::int32_t of_digit(Index item, Index digit) const;
  /// Of each item the target of a code, -1 for none; and that of all rows.
  void of_code(Index code, std::vector<std::int32_t>& targets) const;

  /// Makes the sums of the items' first levels where they enter.
  /// @param sums n_targets x size, of 32 bits or 64.
  template <class Sum>
  void add_first_levels(Sum* sums, Index size) const;

 private:
  struct Item {
    std::int32_t n_digits = 0;
    std::int32_t first_digit = 0;
    std::int32_t first_target = 0;  ///< of that digit
  };

  std::vector<Item> items_;
  std::int32_t total_ = 0;
};

/// A code of a pack, and the item, counted within the pack, in which it differs from the one before.
struct CodeStep {
  std::uint16_t code = 0;
  std::uint16_t item = 0;
  std::uint16_t digit = 0;  ///< of the item
};

/// The rows of a pack, sorted by its code and cut into stretches.
class RowStretches {
 public:
  /// Cuts the rows of a pack; the rows of one code are in their order.
  /// Cost O(n_obs * n_items + n_levels) of the pack.
  void cut(const CodedData& data, const Pack& pack, const PackTargets& targets);

  std::size_t size() const { return entries_.size(); }
  /// Valid until the next rows are cut.
  RowStretch operator[](std::size_t at) const;
  /// Whether the next stretch is of other rows_per_block.
  bool ends_block(std::size_t at) const {
    return at + 1 == entries_.size() || entries_[at + 1].block != entries_[at].block;
  }

 private:
  struct Entry {
    Index block = 0;
    Index first_row = 0;
    Index n_quads = 0;
    std::size_t first_step = 0;
    std::size_t first_change = 0;
    std::size_t first_target = 0;
  };

  void sort(const CodedData& data, const Pack& pack);
  void add_code(Index block, Index first_row, Index n_quads);
  void start(Index block, Index first_row);
  void change();
  void close(std::int32_t target);
  void finish();
  std::int32_t number_of(std::int32_t target);

  std::vector<std::uint16_t> codes_;       ///< n_obs: code of the row
  std::vector<CodeStep> code_steps_;       ///< all codes, in the order of the rows
  std::vector<std::uint32_t> next_place_;  ///< of each code: where the sort puts its next row
  std::vector<std::uint32_t> rows_;        ///< of each block by their code, in whole quads
  std::vector<std::uint32_t> code_start_;  ///< blocks x codes, in their order; and the end

  std::vector<Entry> entries_;
  std::vector<SumStep> steps_;
  std::vector<std::int32_t> changes_;
  std::vector<std::int32_t> targets_;

  // Of the stretch that is being cut:
  Index n_quads_ = 0;
  std::vector<std::int32_t> number_;  ///< of each target, within the stretch; -1 if it has none
  std::vector<std::int32_t> open_;    ///< as `PackTargets::of_code()` gives them
  std::vector<std::int32_t> next_;    ///< those of the next code
  std::vector<std::uint16_t> moved_;  ///< items in which these may differ
  std::vector<std::int32_t> opened_;
};

}  // namespace mdpd
