#include "data/blocked_rows.h"

#include <algorithm>

#include "data/empty_rows.h"

namespace mdpd {

namespace {

/// Of each row the component in which it is held; empty where none is.
std::vector<Index> held_rows(const Shard& shard, const std::vector<Index>& held) {
  if (held.empty()) return {};
  std::vector<Index> rows = known_labels(shard);
  for (Index& row : rows) {
    if (row == no_component) continue;
    require(row < static_cast<Index>(held.size()), "a known label has a component");
    row = held[row];
  }
  return rows;
}

}  // namespace

Cells cells_of(Shard& shard, std::vector<Index> n_levels) {
  RowAnswers& answers = shard;
  return {std::move(answers), shard.n_obs, std::move(n_levels),
          shard.is_dense ? shard.codes.data() : nullptr};
}

Shard cut_rows(const Shard& shard, Index first, Index n) {
  require(first >= 0 && n >= 0 && first + n <= shard.n_obs, "rows of the shard");
  Shard out;
  out.n_obs = n;
  out.n_items = shard.n_items;
  out.is_dense = shard.is_dense;
  out.case_weights = shard.case_weights.segment(first, n);
  if (!shard.known.empty()) {
    out.known.assign(shard.known.begin() + first, shard.known.begin() + first + n);
  }
  cut_cells(shard, shard.codes.data(), first, out);
  return out;
}

double n_bytes_of_block(const Shard& shard) {
  const std::size_t n = shard.is_dense ? 3 * shard.codes.size() : 10 * shard.answers.size();
  return static_cast<double>(n) + 24.0 * static_cast<double>(shard.n_obs + shard.n_items);
}

std::shared_ptr<const RowBlock> make_row_block(const CodedData& frame, Shard shard,
                                               const std::vector<Index>& held) {
  auto block = std::make_shared<RowBlock>();
  std::vector<Index> known = held_rows(shard, held);
  Cells cells = cells_of(shard, frame.n_levels);
  block->codes = std::move(shard.codes);  // they stay where they are
  block->data = make_block(frame, std::move(cells), std::move(shard.case_weights));
  block->data.known = std::move(known);
  return block;
}

BlockedRows::BlockedRows(const RowSource& source, std::vector<Index> n_levels, int n_threads,
                         double most_bytes, const RowTotals& before)
    : source_(source), n_before_(before.n_obs), kept_(source.n_blocks()) {
  WeightRange range;
  range.add(before);
  Index most_repeats_of_all = before.most_repeats;
  double n_bytes = 0.0;
  for_each_shard([&](const Shard& shard, Index) {
    range.add(shard.case_weights);
    n_weighted_ += (shard.case_weights.array() > 0.0).count();
    most_repeats_of_all = std::max(most_repeats_of_all, most_repeats(shard));
    n_bytes += n_bytes_of_block(shard);
    if (n_bytes <= most_bytes) ++n_kept_;
    return true;
  });
  n_obs_ = range.n_obs - before.n_obs;
  largest_weight_ = range.largest;
  require(n_obs_ > 0, "rows");
  range.add_rough_sum(before);
  for_each_shard([&](const Shard& shard, Index) {
    range.add_rough_sum(shard.case_weights);
    return true;
  });
  frame_ = make_frame(std::move(n_levels), range.unit(most_repeats_of_all), most_repeats_of_all);
  frame_.n_threads = n_threads;
  Totals totals(frame_);
  for_each_shard([&](Shard shard, Index) {
    totals.add(make_row_block(frame_, std::move(shard), {})->data);
    return true;
  });
  totals.finish(frame_, before);
}

RowTotals BlockedRows::totals() const {
  return {n_before_ + n_obs_, largest_weight_, frame_.total_weight, frame_.most_repeats,
          frame_.level_weight};
}

void BlockedRows::hold_known(std::vector<Index> component_of_label) {
  held_ = std::move(component_of_label);
  for (std::shared_ptr<const RowBlock>& block : kept_) block.reset();
}

void BlockedRows::for_each_free_block(
    const std::function<void(const CodedData&, const std::vector<Index>&, Index)>& use) const {
  for_each_shard([&](Shard shard, Index first) {
    const std::vector<Index> known = known_labels(shard);
    use(make_row_block(frame_, std::move(shard), {})->data, known, first);
    return true;
  });
}

Shard BlockedRows::read(Index at) const {
  Shard shard = source_.read(at);
  weigh_no_empty_rows(shard);
  return shard;
}

void BlockedRows::for_each_shard(const std::function<bool(Shard, Index)>& use) const {
  Index first = 0;
  for (Index at = 0; at < source_.n_blocks(); ++at) {
    Shard shard = read(at);
    const Index n_obs = shard.n_obs;
    if (!use(std::move(shard), first)) return;
    first += n_obs;
  }
}

std::shared_ptr<const RowBlock> BlockedRows::block(Index at) const {
  if (kept_[at]) return kept_[at];
  std::shared_ptr<const RowBlock> made = make_row_block(frame_, read(at), held_);
  if (at < n_kept_) kept_[at] = made;
  return made;
}

void BlockedRows::for_each_block(const std::function<void(const CodedData&, Index)>& use) const {
  Index first = 0;
  for (Index at = 0; at < source_.n_blocks(); ++at) {
    const std::shared_ptr<const RowBlock> rows = block(at);
    use(rows->data, first);
    first += rows->data.n_obs;
  }
}

}  // namespace mdpd
