#include "starts/shuffles.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "starts/level_hashes.h"

namespace mdpd {

namespace {

/// One of 0, ..., n - 1.
std::size_t below(std::size_t n, std::uint64_t bits) {
  return static_cast<std::size_t>(std::ldexp(static_cast<double>(bits >> 11), -53) *
                                  static_cast<double>(n));
}

/// The rows in an order that depends on what is in them, each as often as it counts.
std::vector<Index> written_out(const CodedData& data, const std::vector<std::uint64_t>& of_row) {
  std::vector<Index> order = numbers_below(data.n_obs);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return of_row[a] < of_row[b]; });
  std::vector<Index> rows;
  for (const Index row : order) {
    rows.insert(rows.end(), static_cast<std::size_t>(data.case_weights[row]), row);
  }
  return rows;
}

/// Fisher and Yates' shuffle of the answers that are there.
void deal(Code* codes, Index n_obs, std::uint64_t seed) {
  std::vector<Index> answered;
  for (Index row = 0; row < n_obs; ++row) {
    if (codes[row] != 0) answered.push_back(row);
  }
  for (std::size_t left = answered.size(); left > 1; --left) {
    std::swap(codes[answered[left - 1]], codes[answered[below(left, mix_bits(seed + left))]]);
  }
}

}  // namespace

Shuffles::Shuffles(const CodedData& data) : n_levels_(data.n_levels), of_item_(data.n_items, 0) {
  const std::vector<std::uint64_t> of_level = level_hashes(data);
  std::vector<std::uint64_t> of_row(data.n_obs, 0);
  for (Index item = 0; item < data.n_items; ++item) {
    const std::uint64_t* levels = of_level.data() + data.offset[item];
    for (Index r = 0; r < data.n_levels[item]; ++r) of_item_[item] += levels[r];
    for_each_answer(data, item,
                    [&](Index row, Code code) { of_row[row] += mix_bits(levels[code - 1]); });
  }
  const std::vector<Index> rows = written_out(data, of_row);
  n_obs_ = static_cast<Index>(rows.size());
  codes_.resize(rows.size() * static_cast<std::size_t>(data.n_items));
  for (Index item = 0; item < data.n_items; ++item) {
    std::vector<Code> column(data.n_obs, 0);
    for_each_answer(data, item, [&](Index row, Code code) { column[row] = code; });
    std::transform(rows.begin(), rows.end(), codes_.begin() + item * n_obs_,
                   [&](Index row) { return column[row]; });
  }
}

CodedData Shuffles::table(std::uint64_t number) {
  dealt_ = codes_;
  const auto n_items = static_cast<Index>(n_levels_.size());
  for (Index item = 0; item < n_items && number > 0; ++item) {
    deal(dealt_.data() + item * n_obs_, n_obs_, mix_bits(of_item_[item] ^ mix_bits(number)));
  }
  return make_coded_data(dealt_.data(), n_obs_, n_levels_, Vector::Ones(n_obs_));
}

}  // namespace mdpd
