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
void renumber(const std::uint8_t* codes, std::vector<std::uint8_t>& out) {
  std::array<std::uint8_t, 256> number{};
  std::uint8_t last = 0;
  for (std::size_t row = 0; row < out.size(); ++row) {
    const std::uint8_t code = codes[row];
    if (code != 0 && number[code] == 0) number[code] = ++last;
    out[row] = number[code];
  }
}

class Partitions {
 public:
  Partitions(const std::uint8_t* codes, Index n_obs)
      : codes_(codes), n_obs_(n_obs), one_(n_obs), other_(n_obs) {}

  std::uint64_t checksum(Index item) {
    renumber(codes_ + item * n_obs_, one_);
    return checksum_of(one_.data(), one_.size());
  }
  bool are_same(Index item, Index other) {
    renumber(codes_ + item * n_obs_, one_);
    renumber(codes_ + other * n_obs_, other_);
    return one_ == other_;
  }

 private:
  const std::uint8_t* codes_;
  Index n_obs_;
  std::vector<std::uint8_t> one_;
  std::vector<std::uint8_t> other_;
};

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
  Partitions partitions(codes, n_obs);
  for (const auto& group : alike) {
    if (group.second.size() == 1) continue;
    std::map<std::uint64_t, Index> seen;
    for (const Index item : group.second) {
      const Index before = seen.emplace(partitions.checksum(item), item).first->second;
      if (before != item && partitions.are_same(item, before)) first[item] = before;
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
