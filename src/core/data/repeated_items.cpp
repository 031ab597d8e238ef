#include "data/repeated_items.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/checksum.h"

namespace mdpd {

namespace {

/// How often each level occurs, most often first: the same for items that divide the rows alike.
std::vector<Index> sizes_of_levels(const std::uint8_t* codes, Index n_obs) {
  std::array<Index, 256> counts{};
  for (Index row = 0; row < n_obs; ++row) ++counts[codes[row]];
  std::vector<Index> sizes(counts.begin() + 1, counts.end());
  std::sort(sizes.begin(), sizes.end(), std::greater<Index>());
  return sizes;
}

/// Levels numbered in the order in which they are seen, missing cells apart.
std::vector<std::uint8_t> renumbered(const std::uint8_t* codes, Index n_obs) {
  std::array<std::uint8_t, 256> number{};
  std::uint8_t last = 0;
  std::vector<std::uint8_t> out(n_obs);
  for (Index row = 0; row < n_obs; ++row) {
    const std::uint8_t code = codes[row];
    if (code != 0 && number[code] == 0) number[code] = ++last;
    out[row] = number[code];
  }
  return out;
}

}  // namespace

std::vector<Index> repeated_items(const std::uint8_t* codes, Index n_obs,
                                  const std::vector<Index>& n_levels) {
  const auto n_items = static_cast<Index>(n_levels.size());
  std::vector<Index> first(n_levels.size());
  std::map<std::vector<Index>, std::vector<Index>> alike;
  for (Index item = 0; item < n_items; ++item) {
    first[item] = item;
    if (n_levels[item] > 1) alike[sizes_of_levels(codes + item * n_obs, n_obs)].push_back(item);
  }
  for (const auto& group : alike) {
    if (group.second.size() == 1) continue;
    std::map<std::uint64_t, Index> seen;
    for (const Index item : group.second) {
      const std::vector<std::uint8_t> rows = renumbered(codes + item * n_obs, n_obs);
      const std::uint64_t checksum = checksum_of(rows.data(), rows.size());
      const Index before = seen.emplace(checksum, item).first->second;
      if (before != item && rows == renumbered(codes + before * n_obs, n_obs)) first[item] = before;
    }
  }
  return first;
}

std::vector<Index> answers_of_items(const std::uint8_t* codes, Index n_obs, Index n_items) {
  std::vector<Index> n(n_items);
  for (Index item = 0; item < n_items; ++item) {
    const std::uint8_t* column = codes + item * n_obs;
    n[item] = n_obs - std::count(column, column + n_obs, std::uint8_t{0});
  }
  return n;
}

std::vector<int> answers_of_rows(const std::uint8_t* codes, Index n_obs, Index n_items) {
  std::vector<int> n(n_obs);
  for (Index item = 0; item < n_items; ++item) {
    const std::uint8_t* column = codes + item * n_obs;
    for (Index row = 0; row < n_obs; ++row) n[row] += column[row] != 0;
  }
  return n;
}

}  // namespace mdpd
