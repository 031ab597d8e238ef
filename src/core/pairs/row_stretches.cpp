#include "pairs/row_stretches.h"

#include <algorithm>
#include <limits>

#include "data/packed_items.h"

namespace mdpd {

namespace {

static_assert(rows_per_block << bits_of_limb <= std::numeric_limits<std::int32_t>::max());

/// All codes of a pack, each of which differs from the one before in one item: reflected Gray code
/// in the base of each item. The digit 0, which has no target, is in the middle of the run of an
/// item's digits, so that there are few changes of targets.
void order_codes(const CodedData& data, const Pack& pack, std::vector<CodeStep>& steps) {
  steps.assign(1, CodeStep{});
  std::vector<CodeStep> longer;
  for (std::uint16_t item = 0; item < pack.n_items; ++item) {
    const Index n = n_digits(data, pack.first_item + item);
    longer.clear();
    for (const CodeStep& step : steps) {
      const bool is_forth = longer.size() / n % 2 == 0;
      for (Index at = 0; at < n; ++at) {
        const Index place = is_forth ? at : n - 1 - at;
        const Index digit = place == n / 2 ? 0 : place < n / 2 ? place + 1 : place;
        const auto code = static_cast<std::uint16_t>(step.code * n + digit);
        if (at == 0 && item > 0)
          longer.push_back({code, step.item, step.digit});
        else
          longer.push_back({code, item, static_cast<std::uint16_t>(digit)});
      }
    }
    steps.swap(longer);
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

std::int32_t PackTargets::of_digit(Index item, Index digit) const {
  return digit > 0 ? items_[item].first_target + digit - items_[item].first_digit : -1;
}

void PackTargets::of_code(Index code, std::vector<std::int32_t>& targets) const {
  targets.resize(items_.size() + 1);
  targets.back() = total_;
  for (std::size_t i = items_.size(); i-- > 0;) {
    targets[i] = of_digit(i, code % items_[i].n_digits);
    code /= items_[i].n_digits;
  }
}

template <class Sum>
void PackTargets::add_first_levels(Sum* sums, Index size) const {
  for (const Item& item : items_) {
    if (item.first_digit > 0) continue;
    Sum* first = sums + item.first_target * size;
    std::copy_n(sums + total_ * size, size, first);
    for (Index level = 1; level < item.n_digits; ++level) {
      for (Index at = 0; at < size; ++at) first[at] -= first[level * size + at];
    }
  }
}

template void PackTargets::add_first_levels(std::int32_t* sums, Index size) const;
template void PackTargets::add_first_levels(std::int64_t* sums, Index size) const;

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
    targets.of_code(code_steps_.front().code, next_);
    for (const CodeStep& step : code_steps_) {
      next_[step.item] = targets.of_digit(step.item, step.digit);
      moved_.push_back(step.item);
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
  order_codes(data, pack, code_steps_);
  const Index n_blocks = (data.n_obs + rows_per_block - 1) / rows_per_block;
  const Index n_filled = n_blocks * pack.n_levels * (rows_of_quad - 1);
  const auto no_row = static_cast<std::uint32_t>(data.n_obs);
  rows_.resize(data.n_obs + n_filled + quads_ahead * rows_of_quad);
  code_start_.clear();
  std::uint32_t end = 0;
  for (Index from = 0; from < data.n_obs; from += rows_per_block) {
    const Index to = std::min(data.n_obs, from + rows_per_block);
    next_place_.assign(pack.n_levels, 0);
    for (Index n = from; n < to; ++n) ++next_place_[codes_[n]];
    for (const CodeStep& step : code_steps_) {
      code_start_.push_back(end);
      const std::uint32_t last = end + next_place_[step.code];
      next_place_[step.code] = end;
      end += (last - end + rows_of_quad - 1) / rows_of_quad * rows_of_quad;
      std::fill(rows_.begin() + last, rows_.begin() + end, no_row);
    }
    for (Index n = from; n < to; ++n) {
      rows_[next_place_[codes_[n]]++] = static_cast<std::uint32_t>(n);
    }
  }
  code_start_.push_back(end);
  std::fill_n(rows_.begin() + end, quads_ahead * rows_of_quad, no_row);
}

/// Adds the rows of a code, of which the targets are next_: whole quads, which begin where those
/// before them end.
void RowStretches::add_code(Index block, Index first_row, Index n_quads) {
  while (n_quads > 0) {
    if (n_quads_ == 0)
      start(block, first_row);
    else
      change();
    moved_.clear();
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
  open_ = next_;
}

/// From the targets that are open to the next ones.
void RowStretches::change() {
  opened_.clear();
  for (const std::uint16_t item : moved_) {
    if (open_[item] == next_[item]) continue;
    if (open_[item] >= 0) close(open_[item]);
    if (next_[item] >= 0) opened_.push_back(next_[item]);
    open_[item] = next_[item];
  }
  for (const std::int32_t target : opened_) changes_.push_back(number_of(target));
  steps_.back().n_opened = static_cast<std::int32_t>(opened_.size());
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
