#include "data/gathered_rows.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/exact_sums.h"
#include "data/distinct_rows.h"

namespace mdpd {

namespace {

/// Rows of blocks, one after the other. Dense codes are row-major until the end.
class Collector {
 public:
  explicit Collector(const CodedData& frame) : frame_(frame) { rows_.row_start = {0}; }

  void add(const Shard& shard, Index row, double weight) {
    weights_.push_back(weight);
    if (!shard.known.empty()) {
      rows_.known.resize(weights_.size(), 0);
      rows_.known.back() = shard.known[row];
    }
    rows_.is_dense = shard.is_dense;
    if (shard.is_dense) {
      for (Index item = 0; item < shard.n_items; ++item) {
        rows_.codes.push_back(shard.codes[item * shard.n_obs + row]);
      }
      return;
    }
    shard.for_each_item_of_row(row, [&](Index item, Code code) {
      rows_.items.push_back(static_cast<std::uint32_t>(item));
      rows_.answers.push_back(code);
    });
    rows_.row_start.push_back(rows_.items.size());
  }

  GatheredRows finish() {
    rows_.n_obs = static_cast<Index>(weights_.size());
    rows_.case_weights = Eigen::Map<const Vector>(weights_.data(), rows_.n_obs);
    if (!rows_.known.empty()) rows_.known.resize(weights_.size(), 0);
    GatheredRows out;
    for (const Index item : answered_items()) {
      out.items.push_back(item);
      out.n_levels.push_back(frame_.n_levels[item]);
    }
    rows_.n_items = static_cast<Index>(out.items.size());
    rows_.is_dense ? turn_dense(out.items) : renumber(out.items);
    out.rows = std::move(rows_);
    return out;
  }

 private:
  ItemSet answered_items() const {
    std::vector<bool> answered(frame_.n_items, false);
    for (std::size_t at = 0; at < rows_.codes.size(); ++at) {
      if (rows_.codes[at] != 0) answered[at % frame_.n_items] = true;
    }
    for (const std::uint32_t item : rows_.items) answered[item] = true;
    ItemSet items = all_items(frame_);
    const auto is_unanswered = [&](Index item) { return !answered[item]; };
    items.erase(std::remove_if(items.begin(), items.end(), is_unanswered), items.end());
    return items;
  }

  void turn_dense(const ItemSet& items) {
    std::vector<Code> columns;
    columns.reserve(items.size() * weights_.size());
    for (const Index item : items) {
      for (Index row = 0; row < rows_.n_obs; ++row) {
        columns.push_back(rows_.codes[row * frame_.n_items + item]);
      }
    }
    rows_.codes = std::move(columns);
  }

  void renumber(const ItemSet& items) {
    std::vector<std::uint32_t> number(frame_.n_items, 0);
    for (std::size_t at = 0; at < items.size(); ++at) {
      number[items[at]] = static_cast<std::uint32_t>(at);
    }
    for (std::uint32_t& item : rows_.items) item = number[item];
  }

  const CodedData& frame_;
  Shard rows_;
  std::vector<double> weights_;
};

/// A number that says nothing of the one it comes from.
std::uint64_t scrambled(std::uint64_t x) { return mix_bits(x + 0x9E3779B97F4A7C15); }

/// Kinds found so far, with a row and the weight of each.
class KindCollector {
 public:
  KindCollector(const CodedData& frame, double largest_weight, Index most)
      : n_items_(frame.n_items), none_(no_weight(largest_weight)), most_(most) {}

  /// False where there are too many.
  bool add(const Shard& shard) {
    const Index n_before = static_cast<Index>(sums_.size());
    const Index n = n_before + shard.n_obs;
    std::vector<Code> codes(static_cast<std::size_t>(n * n_items_));
    for (Index item = 0; item < n_items_; ++item) {
      Code* column = codes.data() + item * n;
      std::copy_n(codes_.data() + item * n_before, n_before, column);
      std::copy_n(shard.codes.data() + item * shard.n_obs, shard.n_obs, column + n_before);
    }
    const DistinctRows rows = distinct_rows(codes.data(), n, n_items_, {}, most_);
    if (rows.first.empty()) return false;
    keep(rows, codes, n, shard.case_weights);
    return true;
  }

  GatheredRows finish(const CodedData& frame) {
    GatheredRows out;
    out.items = all_items(frame);
    out.n_levels = frame.n_levels;
    out.rows.n_obs = static_cast<Index>(sums_.size());
    out.rows.n_items = n_items_;
    out.rows.codes = std::move(codes_);
    out.rows.case_weights.resize(out.rows.n_obs);
    for (Index kind = 0; kind < out.rows.n_obs; ++kind) {
      out.rows.case_weights[kind] = sums_[kind].value();
    }
    return out;
  }

 private:
  void keep(const DistinctRows& rows, const std::vector<Code>& codes, Index n,
            const Vector& weights) {
    std::vector<ExactSum> sums(rows.first.size(), none_);
    for (std::size_t kind = 0; kind < sums_.size(); ++kind) sums[rows.kind[kind]] += sums_[kind];
    for (Index row = 0; row < weights.size(); ++row) {
      add_weight(weights[row], sums[rows.kind[sums_.size() + row]]);
    }
    codes_.clear();
    for (Index item = 0; item < n_items_; ++item) {
      for (const Index row : rows.first) codes_.push_back(codes[item * n + row]);
    }
    sums_ = std::move(sums);
  }

  const Index n_items_;
  const ExactSum none_;
  const Index most_;
  std::vector<Code> codes_;  ///< column-major
  std::vector<ExactSum> sums_;
};

}  // namespace

GatheredRows gather_all(const BlockedRows& rows) {
  Collector collector(rows.frame());
  rows.for_each_shard([&](const Shard& shard, Index) {
    for (Index row = 0; row < shard.n_obs; ++row) {
      collector.add(shard, row, shard.case_weights[row]);
    }
    return true;
  });
  return collector.finish();
}

GatheredRows gather_sample(const BlockedRows& rows, Index n) {
  Collector collector(rows.frame());
  const double share = static_cast<double>(n) / static_cast<double>(rows.n_weighted());
  const auto below = static_cast<std::uint64_t>(std::ldexp(std::min(share, 1.0), 63));
  rows.for_each_shard([&](const Shard& shard, Index first) {
    for (Index row = 0; row < shard.n_obs; ++row) {
      const double weight = shard.case_weights[row];
      // Rows without weight say nothing, and alone would leave items without answers that count.
      if (!(weight > 0.0) || scrambled(static_cast<std::uint64_t>(first + row)) >> 1 >= below)
        continue;
      collector.add(shard, row, weight);
    }
    return true;
  });
  return collector.finish();
}

GatheredRows gather_kinds(const BlockedRows& rows, Index most) {
  KindCollector collector(rows.frame(), rows.largest_weight(), most);
  bool are_few = true;
  rows.for_each_shard([&](const Shard& shard, Index) {
    are_few = shard.is_dense && collector.add(shard);
    return are_few;
  });
  return are_few ? collector.finish(rows.frame()) : GatheredRows();
}

}  // namespace mdpd
