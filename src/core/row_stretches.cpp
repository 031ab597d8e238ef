#include "row_stretches.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "packed_items.h"

namespace mdpd {

namespace {

static_assert(rows_per_block << bits_of_digit <= std::numeric_limits<std::int32_t>::max());

/// All codes of a pack, each of which differs from the one before in one item: reflected Gray code
/// in the base of each item. The digit 0, which has no target, is in the middle of the run of an
/// item's digits, so that there are few changes of targets.
void order_codes(const CodedData& data, const Pack& pack, std::vector<std::uint16_t>& codes) {
  codes.assign(1, 0);
  std::vector<std::uint16_t> longer;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index n = n_digits(data, item);
    longer.clear();
    for (const std::uint16_t code : codes) {
      const bool is_forth = longer.size() / n % 2 == 0;
      for (Index at = 0; at < n; ++at) {
        const Index place = is_forth ? at : n - 1 - at;
        const Index digit = place == n / 2 ? 0 : place < n / 2 ? place + 1 : place;
        longer.push_back(static_cast<std::uint16_t>(code * n + digit));
      }
    }
    codes.swap(longer);
  }
}

void subtract(const std::int64_t* from, Index n, std::int64_t* to) {
  for (Index at = 0; at < n; ++at) to[at] -= from[at];
}

/// In vectors, which compilers do not make of a loop over what might overlap.
void subtract(const std::int32_t* from, Index n, std::int32_t* to) {
  constexpr Index n_together = 8;
  using Numbers = std::int32_t __attribute__((vector_size(n_together * sizeof(std::int32_t))));
  for (Index at = 0; at < n; at += n_together) {
    Numbers number;
    Numbers other;
    std::memcpy(&number, to + at, sizeof number);
    std::memcpy(&other, from + at, sizeof other);
    number -= other;
    std::memcpy(to + at, &number, sizeof number);
  }
}

}  // namespace

PackTargets::PackTargets(const CodedData& data, const Pack& pack, MissingCells missing) {
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index n = n_digits(data, item);
    const Index first = first_digit(data, item, missing);
    items_.push_back({static_cast<std::int32_t>(n), static_cast<std::int32_t>(first), total_});
    total_ += static_cast<std::int32_t>(n - first);
  }
}

void PackTargets::of_code(Index code, std::vector<std::int32_t>& targets) const {
  targets.resize(items_.size() + 1);
  targets.back() = total_;
  auto left = static_cast<std::int32_t>(code);
  for (std::size_t i = items_.size(); i-- > 0;) {
    const Item& item = items_[i];
    const std::int32_t rest = left / item.n_digits;
    const std::int32_t digit = left - rest * item.n_digits;
    targets[i] = digit > 0 ? item.first_target + digit - item.first_digit : -1;
    left = rest;
  }
}

template <class Sum>
void PackTargets::add(Sum* sums, Index size) const {
  for (const Item& item : items_) {
    if (item.first_digit > 0) continue;
    Sum* first = sums + item.first_target * size;
    std::copy_n(sums + total_ * size, size, first);
    for (Index level = 1; level < item.n_digits; ++level) {
      subtract(first + level * size, size, first);
    }
  }
}

template void PackTargets::add(std::int32_t* sums, Index size) const;
template void PackTargets::add(std::int64_t* sums, Index size) const;

RowStretch RowStretches::operator[](std::size_t at) const {
  const Entry& entry = entries_[at];
  const bool is_last = at + 1 == entries_.size();
  const std::size_t last_step = is_last ? steps_.size() : entries_[at + 1].first_step;
  const std::size_t last_target = is_last ? targets_.size() : entries_[at + 1].first_target;
  return {rows_.data() + entry.first_row,
          entry.n_quads,
          steps_.data() + entry.first_step,
          static_cast<Index>(last_step - entry.first_step),
          changes_.data() + entry.first_change,
          targets_.data() + entry.first_target,
          static_cast<Index>(last_target - entry.first_target)};
}

void RowStretches::cut(const CodedData& data, const Pack& pack, const PackTargets& targets) {
  sort(data, pack);
  entries_.clear();
  steps_.clear();
  changes_.clear();
  targets_.clear();
  number_.assign(targets.n_targets(), -1);
  const std::uint32_t* start = code_start_.data();
  for (Index block = 0; block * rows_per_block < data.n_obs; ++block) {
    for (const std::uint16_t code : code_order_) {
      targets.of_code(code, next_);
      add_code(block, start[0], (start[1] - start[0]) / rows_of_quad);
      ++start;
    }
    finish();
  }
}

/// A counting sort, block by block. The last quad of a code is filled up with the row of no weight,
/// n_obs.
void RowStretches::sort(const CodedData& data, const Pack& pack) {
  codes_.resize(data.n_obs);
  pack_rows(data, pack, codes_.data());
  order_codes(data, pack, code_order_);
  const Index n_blocks = (data.n_obs + rows_per_block - 1) / rows_per_block;
  const Index n_filled = n_blocks * pack.n_levels * (rows_of_quad - 1);
  rows_.assign(data.n_obs + n_filled + quads_ahead * rows_of_quad,
               static_cast<std::uint32_t>(data.n_obs));
  code_start_.clear();
  std::uint32_t end = 0;
  for (Index from = 0; from < data.n_obs; from += rows_per_block) {
    const Index to = std::min(data.n_obs, from + rows_per_block);
    next_place_.assign(pack.n_levels, 0);
    for (Index n = from; n < to; ++n) ++next_place_[codes_[n]];
    for (const std::uint16_t code : code_order_) {
      code_start_.push_back(end);
      const std::uint32_t n_rows = next_place_[code];
      next_place_[code] = end;
      end += (n_rows + rows_of_quad - 1) / rows_of_quad * rows_of_quad;
    }
    for (Index n = from; n < to; ++n) {
      rows_[next_place_[codes_[n]]++] = static_cast<std::uint32_t>(n);
    }
  }
  code_start_.push_back(end);
}

/// Adds the rows of a code, of which the targets are next_: whole quads, which begin where those
/// before them end.
void RowStretches::add_code(Index block, Index first_row, Index n_quads) {
  while (n_quads > 0) {
    if (n_quads_ == 0)
      start(block, first_row);
    else
      change();
    open_ = next_;
    const Index n = std::min(n_quads, quads_of_stretch - n_quads_);
    steps_.push_back({static_cast<std::int32_t>(n), 0, 0});
    n_quads_ += n;
    n_quads -= n;
    first_row += n * rows_of_quad;
    if (n_quads_ == quads_of_stretch) finish();
  }
}

void RowStretches::start(Index block, Index first_row) {
  entries_.push_back({block, first_row, 0, steps_.size(), changes_.size(), targets_.size()});
}

/// From the targets that are open to the next ones.
void RowStretches::change() {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (open_[i] >= 0 && open_[i] != next_[i]) close(open_[i]);
  }
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (next_[i] < 0 || open_[i] == next_[i]) continue;
    changes_.push_back(number_of(next_[i]));
    steps_.back().n_opened += 1;
  }
}

void RowStretches::close(std::int32_t target) {
  changes_.push_back(number_of(target));
  steps_.back().n_closed += 1;
}

void RowStretches::finish() {
  if (n_quads_ == 0) return;
  for (const std::int32_t target : open_) {
    if (target >= 0) close(target);
  }
  entries_.back().n_quads = n_quads_;
  for (std::size_t at = entries_.back().first_target; at < targets_.size(); ++at) {
    number_[targets_[at]] = -1;
  }
  n_quads_ = 0;
}

/// Number of a target within the stretch.
std::int32_t RowStretches::number_of(std::int32_t target) {
  if (number_[target] < 0) {
    number_[target] = static_cast<std::int32_t>(targets_.size() - entries_.back().first_target);
    targets_.push_back(target);
  }
  return number_[target];
}

}  // namespace mdpd
