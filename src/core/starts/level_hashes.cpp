#include "starts/level_hashes.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"

namespace mdpd {

namespace {

/// Steps of a level's share, and of a row's weight, that are told apart: the first are coarser than
/// what rounding does to a share, and the second add up as the weights do. Those of all rows must
/// fit 63 bits.
const double share_steps = std::ldexp(1.0, 40);

double weight_steps(const CodedData& data) {
  return std::ldexp(1.0, std::min(20, 62 - std::ilogb(std::max(data.total_weight, 1.0))));
}

std::uint64_t steps_of(double x, double steps) {
  return static_cast<std::uint64_t>(std::llround(x * steps));
}

}  // namespace

// Sums are of whole numbers, in which no order shows.
std::vector<std::uint64_t> level_hashes(const CodedData& data) {
  std::vector<std::uint64_t> of_level(data.n_total_levels());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      of_level[data.offset[item] + r] = mix_bits(steps_of(data.marginal(item, r), share_steps) + 1);
    }
  }
  std::vector<std::uint64_t> of_row(data.n_obs, 0);
  std::vector<std::uint64_t> together(of_level.size(), 0);
  const double steps = weight_steps(data);
  for (Index item = 0; item < data.n_items; ++item) {
    const std::uint64_t* levels = of_level.data() + data.offset[item];
    for_each_answer(data, item, [&](Index row, Code code) { of_row[row] += levels[code - 1]; });
  }
  for (Index item = 0; item < data.n_items; ++item) {
    std::uint64_t* levels = together.data() + data.offset[item];
    for_each_answer(data, item, [&](Index row, Code code) {
      levels[code - 1] += steps_of(data.case_weights[row], steps) * mix_bits(of_row[row]);
    });
  }
  for (std::size_t at = 0; at < of_level.size(); ++at) {
    of_level[at] = mix_bits(of_level[at] ^ mix_bits(together[at]));
  }
  return of_level;
}

}  // namespace mdpd
