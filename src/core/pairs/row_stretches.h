#pragma once

#include "data/packed_items.h"
#include "pairs/subset_sums.h"

namespace mdpd {

/// Rows that are cut at once: a sum of as many digits of a weight fits into 32 bits.
inline constexpr Index rows_per_block = 65536;

/// The rows of a pack, sorted by its code and cut into stretches. Their targets are the digits of
/// the pack's items, one after another, and behind them all rows. Nothing is added to the target of
/// a digit 0: it does not enter, or is what the item's other digits leave of all rows.
class RowStretches {
 public:
  /// Cuts the rows of a pack; the rows of one code are in their order.
  /// Cost O(n_obs * n_items + n_levels) of the pack.
  void cut(const CodedData& data, const Pack& pack);

  Index n_targets() const { return n_targets_; }
  Index size() const { return n_stretches_; }
  /// Valid until the next rows are cut.
  const RowStretch& operator[](Index at) const { return stretches_[at]; }

 private:
  /// An item of the pack.
  struct Item {
    Index n_digits;
    Index first_target;
    Index n_inner;  ///< codes that have the same digits up to this one
    Index place;    ///< of its digit in the run through all of them
    Index step;     ///< forth or back
    Index digit;    ///< of the code at hand
    Index open;     ///< of the rows that the stretch has so far
  };

  void list_items(const CodedData& data, const Pack& pack);
  bool move_to_next_code();
  Index code() const;
  void add_code(const std::uint32_t* rows, Index n_quads);
  void change_targets();
  void finish_stretch();
  std::int32_t number_of(Index target);

  std::vector<Item> items_;
  Index n_targets_ = 0;
  std::vector<std::uint16_t> codes_;       ///< n_obs: code of the row
  std::vector<std::uint32_t> next_place_;  ///< of each code: where the sort puts its next row
  std::vector<std::uint32_t> rows_;        ///< of each block by their code, in whole quads
  std::vector<RowStretch> stretches_;      ///< of which some are left from other packs
  Index n_stretches_ = 0;
  bool is_open_ = false;              ///< whether the last stretch takes more rows
  std::vector<std::int32_t> number_;  ///< of each target, within the stretch; -1 if it has none
};

}  // namespace mdpd
