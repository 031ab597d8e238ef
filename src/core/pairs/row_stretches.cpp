#include "pairs/row_stretches.h"

#include <algorithm>
#include <limits>

namespace mdpd {

static_assert(rows_per_block << bits_of_limb <= std::numeric_limits<std::int32_t>::max());

/// A counting sort, block by block. The last quad of a code is filled up with the row of no weight,
/// n_obs.
void RowStretches::cut(const CodedData& data, const Pack& pack) {
  codes_.resize(data.n_obs);
  pack_rows(data, pack, codes_.data());
  const Index n_blocks = (data.n_obs + rows_per_block - 1) / rows_per_block;
  const Index n_filled = n_blocks * pack.n_levels * (rows_of_quad - 1);
  rows_.resize(data.n_obs + n_filled + quads_ahead * rows_of_quad);
  const auto no_row = static_cast<std::uint32_t>(data.n_obs);
  n_stretches_ = 0;
  Index end = 0;
  for (Index from = 0; from < data.n_obs; from += rows_per_block) {
    const Index to = std::min(data.n_obs, from + rows_per_block);
    next_place_.assign(pack.n_levels, 0);
    for (Index n = from; n < to; ++n) ++next_place_[codes_[n]];
    list_items(data, pack);
    do {
      std::uint32_t& of_code = next_place_[code()];
      const Index n_quads = (of_code + rows_of_quad - 1) / rows_of_quad;
      std::uint32_t* rows = rows_.data() + end;
      std::fill(rows + of_code, rows + n_quads * rows_of_quad, no_row);
      of_code = static_cast<std::uint32_t>(end);
      add_code(rows, n_quads);
      end += n_quads * rows_of_quad;
    } while (move_to_next_code());
    if (is_open_) finish_stretch();
    stretches_[n_stretches_ - 1].ends_block = true;
    for (Index n = from; n < to; ++n) {
      rows_[next_place_[codes_[n]]++] = static_cast<std::uint32_t>(n);
    }
  }
  std::fill_n(rows_.begin() + end, quads_ahead * rows_of_quad, no_row);
}

void RowStretches::list_items(const CodedData& data, const Pack& pack) {
  items_.clear();
  n_targets_ = 0;
  Index n_inner = pack.n_levels;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index n = n_digits(data, item);
    n_inner /= n;
    items_.push_back({n, n_targets_, n_inner, 0, 1, n > 1 ? 1 : 0, 0});
    n_targets_ += n;
  }
  number_.assign(++n_targets_, -1);
}

Index RowStretches::code() const {
  Index code = 0;
  for (const Item& item : items_) code += item.digit * item.n_inner;
  return code;
}

/// Reflected Gray code in the base of each item: one item moves. The digit 0, whose target gets
/// nothing, is in the middle of the run of an item's digits, so that there are few changes of
/// targets.
bool RowStretches::move_to_next_code() {
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    const Index place = item->place + item->step;
    if (place >= 0 && place < item->n_digits) {
      const Index middle = item->n_digits / 2;
      item->place = place;
      item->digit = place == middle ? 0 : place < middle ? place + 1 : place;
      return true;
    }
    item->step = -item->step;
  }
  return false;
}

/// Adds the rows of the code at hand: whole quads, which begin where those before them end.
void RowStretches::add_code(const std::uint32_t* rows, Index n_quads) {
  while (n_quads > 0) {
    if (is_open_) {
      change_targets();
    } else {
      if (static_cast<std::size_t>(n_stretches_) == stretches_.size()) stretches_.emplace_back();
      RowStretch& stretch = stretches_[n_stretches_++];
      stretch.rows = rows;
      stretch.n_quads = 0;
      stretch.steps.clear();
      stretch.changes.clear();
      stretch.targets.clear();
      stretch.ends_block = false;
      is_open_ = true;
    }
    for (Item& item : items_) item.open = item.digit;
    RowStretch& stretch = stretches_[n_stretches_ - 1];
    const Index n = std::min(n_quads, quads_of_stretch - stretch.n_quads);
    stretch.steps.push_back({static_cast<std::int32_t>(n), 0, 0});
    stretch.n_quads += n;
    n_quads -= n;
    rows += n * rows_of_quad;
    if (stretch.n_quads == quads_of_stretch) finish_stretch();
  }
}

/// From the targets that are open to those of the code at hand.
void RowStretches::change_targets() {
  RowStretch& stretch = stretches_[n_stretches_ - 1];
  SumStep& step = stretch.steps.back();
  for (const Item& item : items_) {
    if (item.open == item.digit || item.open == 0) continue;
    stretch.changes.push_back(number_of(item.first_target + item.open));
    ++step.n_closed;
  }
  for (const Item& item : items_) {
    if (item.open == item.digit || item.digit == 0) continue;
    stretch.changes.push_back(number_of(item.first_target + item.digit));
    ++step.n_opened;
  }
}

/// Closes all targets.
void RowStretches::finish_stretch() {
  RowStretch& stretch = stretches_[n_stretches_ - 1];
  const auto close = [&](Index target) {
    stretch.changes.push_back(number_of(target));
    ++stretch.steps.back().n_closed;
  };
  for (const Item& item : items_) {
    if (item.open > 0) close(item.first_target + item.open);
  }
  close(n_targets_ - 1);
  for (const std::int32_t target : stretch.targets) number_[target] = -1;
  is_open_ = false;
}

/// Number of a target within the stretch.
std::int32_t RowStretches::number_of(Index target) {
  std::vector<std::int32_t>& targets = stretches_[n_stretches_ - 1].targets;
  if (number_[target] < 0) {
    number_[target] = static_cast<std::int32_t>(targets.size());
    targets.push_back(static_cast<std::int32_t>(target));
  }
  return number_[target];
}

}  // namespace mdpd
