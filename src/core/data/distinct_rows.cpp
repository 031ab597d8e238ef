#include "data/distinct_rows.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/errors.h"

namespace mdpd {

namespace {

/// Codes of a row that are read as one number.
constexpr Index items_per_word = 8;

/// Adds items first to last - 1, at most a word of them, to the hashes of all rows.
void add_word(const Code* codes, Index n_obs, Index first, Index last,
              std::vector<std::uint64_t>& hashes) {
  // Rows whose hashes stay in the first-level cache while items are read.
  constexpr Index rows_per_batch = 1024;
  std::uint64_t words[rows_per_batch];
  for (Index from = 0; from < n_obs; from += rows_per_batch) {
    const Index n_rows = std::min(rows_per_batch, n_obs - from);
    std::fill_n(words, n_rows, 0);
    for (Index item = first; item < last; ++item) {
      const Code* column = codes + item * n_obs + from;
      for (Index n = 0; n < n_rows; ++n) words[n] = words[n] << 8 | column[n];
    }
    for (Index n = 0; n < n_rows; ++n) hashes[from + n] = mix_bits(hashes[from + n] ^ words[n]);
  }
}

/// Numbers hashes in the order in which they come: a table of open addresses that grows, so that
/// few kinds stay in the cache however many rows there are.
class KindTable {
 public:
  Index kind_of(std::uint64_t hash) {
    if (2 * (hashes_.size() + 1) > slots_.size()) grow();
    Index& kind = slots_[slot_of(hash)];
    if (kind < 0) {
      kind = static_cast<Index>(hashes_.size());
      hashes_.push_back(hash);
    }
    return kind;
  }
  Index size() const { return static_cast<Index>(hashes_.size()); }

 private:
  /// Where the hash is, or is to be.
  std::size_t slot_of(std::uint64_t hash) const {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = hash & last;
    while (slots_[at] >= 0 && hashes_[slots_[at]] != hash) at = (at + 1) & last;
    return at;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(256, 4 * slots_.size()), -1);
    for (std::size_t kind = 0; kind < hashes_.size(); ++kind) {
      slots_[slot_of(hashes_[kind])] = static_cast<Index>(kind);
    }
  }
  std::vector<Index> slots_;  ///< kinds, -1 where there is none; their number is a power of two
  std::vector<std::uint64_t> hashes_;
};

/// Rows with equal hashes; empty where they are of more than `most` kinds.
DistinctRows equal_hashes(const std::vector<std::uint64_t>& hashes, Index most) {
  DistinctRows out;
  out.kind.resize(hashes.size());
  KindTable table;
  for (std::size_t n = 0; n < hashes.size(); ++n) {
    const Index before = table.size();
    out.kind[n] = table.kind_of(hashes[n]);
    if (table.size() == before) continue;
    if (table.size() > most) return {};
    out.first.push_back(static_cast<Index>(n));
  }
  return out;
}

/// Does every row agree with the first of its kind? Two rows may have one hash by chance.
bool are_equal(const Code* codes, Index n_obs, Index n_items, const std::vector<Index>& known,
               const DistinctRows& rows) {
  for (Index item = 0; item < n_items; ++item) {
    const Code* column = codes + item * n_obs;
    for (Index n = 0; n < n_obs; ++n) {
      if (column[n] != column[rows.first[rows.kind[n]]]) return false;
    }
  }
  for (std::size_t n = 0; n < known.size(); ++n) {
    if (known[n] != known[rows.first[rows.kind[n]]]) return false;
  }
  return true;
}

/// Kinds in the order of their hashes.
void sort_kinds(const std::vector<std::uint64_t>& hashes, DistinctRows& rows) {
  std::vector<Index> order = numbers_below(static_cast<Index>(rows.first.size()));
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return hashes[rows.first[a]] < hashes[rows.first[b]]; });
  std::vector<Index> first(order.size());
  std::vector<Index> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    first[at] = rows.first[order[at]];
    place[order[at]] = static_cast<Index>(at);
  }
  rows.first = std::move(first);
  for (Index& kind : rows.kind) kind = place[kind];
}

}  // namespace

DistinctRows distinct_rows(const Code* codes, Index n_obs, Index n_items,
                           const std::vector<Index>& known, Index most) {
  require(known.empty() || static_cast<Index>(known.size()) == n_obs,
          "one known component per observation");
  std::vector<std::uint64_t> hashes(n_obs, 0);
  for (std::size_t n = 0; n < known.size(); ++n) {
    hashes[n] = mix_bits(static_cast<std::uint64_t>(known[n] + 1));
  }
  Index next_look = items_per_word;
  for (Index item = 0; item < n_items; item += items_per_word) {
    const Index last = std::min(item + items_per_word, n_items);
    add_word(codes, n_obs, item, last, hashes);
    // More kinds in some of the items are more in all.
    if (last < next_look || last == n_items) continue;
    if (equal_hashes(hashes, most).first.empty()) return {};
    next_look = 2 * last;
  }
  DistinctRows rows = equal_hashes(hashes, most);
  if (rows.first.empty() || !are_equal(codes, n_obs, n_items, known, rows)) return {};
  sort_kinds(hashes, rows);
  return rows;
}

ExactSum no_weight(double largest) {
  // Of up to 2^31 weights, to 2^-61 of the largest.
  return {std::ldexp(1.0, exponent_above(largest) - 30)};
}

void add_weight(double weight, ExactSum& sum) {
  if (weight > 0.0) sum.add(std::max(weight, sum.unit * 0x1p-31));
}

}  // namespace mdpd
