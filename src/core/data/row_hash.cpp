#include "data/row_hash.h"

#include <array>
#include <cstring>

#include "base/checksum.h"
#include "data/blocked_rows.h"

namespace mdpd {

namespace {

/// Of each code of an item the number that its cells add; of a missing one nothing.
using CodeNumbers = std::array<std::uint64_t, 256>;

std::uint64_t number_of(std::uint64_t item, std::uint64_t code) {
  // The odd constant keeps the first cell away from 0, which mix_bits() maps to itself.
  return mix_bits(item * 256 + code + 0x9E3779B97F4A7C15);
}

CodeNumbers numbers_of(Index item, const std::vector<Code>& absent) {
  CodeNumbers out;
  for (std::size_t code = 0; code < out.size(); ++code) {
    out[code] = number_of(static_cast<std::uint64_t>(item), code);
  }
  out[0] = 0;
  if (!absent.empty()) out[absent[item]] = 0;
  return out;
}

void add_dense(const Cells& cells, const std::vector<Code>& absent,
               std::vector<std::uint64_t>& rows) {
  for (Index item = 0; item < cells.n_items(); ++item) {
    const CodeNumbers number = numbers_of(item, absent);
    const Code* codes = cells.codes + item * cells.n_obs;
    for (Index row = 0; row < cells.n_obs; ++row) rows[row] += number[codes[row]];
  }
}

void add_sparse(const Cells& cells, const std::vector<Code>& absent,
                std::vector<std::uint64_t>& rows) {
  for (Index row = 0; row < cells.n_obs; ++row) {
    cells.for_each_item_of_row(row, [&](Index item, Code code) {
      if (!absent.empty() && code == absent[item]) return;
      rows[row] += number_of(static_cast<std::uint64_t>(item), code);
    });
  }
}

std::uint64_t bits_of(double weight) {
  std::uint64_t bits;
  std::memcpy(&bits, &weight, sizeof bits);
  return bits;
}

}  // namespace

std::uint64_t hash_rows(const Cells& cells, const Vector& case_weights,
                        const std::vector<Index>& known, const std::vector<Code>& absent) {
  const auto n_obs = static_cast<std::size_t>(cells.n_obs);
  require(case_weights.size() == cells.n_obs && (known.empty() || known.size() == n_obs) &&
              (absent.empty() || absent.size() == cells.n_levels.size()),
          "a weight for each row, and all or none of what else is known");
  std::vector<std::uint64_t> rows(n_obs, 0);
  cells.codes != nullptr ? add_dense(cells, absent, rows) : add_sparse(cells, absent, rows);
  // The item behind the last one.
  const std::uint64_t known_item = cells.n_levels.size();
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < n_obs; ++row) {
    if (!known.empty() && known[row] >= 0) {
      rows[row] += number_of(known_item, static_cast<std::uint64_t>(known[row]));
    }
    // A zero has no sign here.
    sum += mix_bits(rows[row] + mix_bits(bits_of(case_weights[static_cast<Index>(row)] + 0.0)));
  }
  return sum;
}

std::uint64_t hash_rows(Shard shard) {
  const Cells cells = cells_of(shard, std::vector<Index>(shard.n_items));
  return hash_rows(cells, shard.case_weights, known_labels(shard));
}

}  // namespace mdpd
