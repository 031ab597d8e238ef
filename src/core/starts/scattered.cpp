#include "starts/scattered.h"

#include <cmath>

#include "base/checksum.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

using Hashes = std::vector<std::uint64_t>;

/// Steps of a level's share, and of a row's weight, that are told apart: the first are coarser than
/// what rounding does to a share, and the second add up as the weights do.
const double share_steps = std::ldexp(1.0, 40);
const double weight_steps = std::ldexp(1.0, 20);

std::uint64_t steps_of(double x, double steps) {
  return static_cast<std::uint64_t>(std::llround(x * steps));
}

/// Of each level, by its share of the item's answers and those of the levels chosen with it. Sums
/// are of whole numbers, in which no order shows.
Hashes level_hashes(const CodedData& data) {
  Hashes of_level(data.n_total_levels());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      of_level[data.offset[item] + r] = mix_bits(steps_of(data.marginal(item, r), share_steps) + 1);
    }
  }
  Hashes of_row(data.n_obs, 0);
  Hashes together(of_level.size(), 0);
  for (Index item = 0; item < data.n_items; ++item) {
    const std::uint64_t* levels = of_level.data() + data.offset[item];
    for_each_answer(data, item, [&](Index row, Code code) { of_row[row] += levels[code - 1]; });
  }
  for (Index item = 0; item < data.n_items; ++item) {
    std::uint64_t* levels = together.data() + data.offset[item];
    for_each_answer(data, item, [&](Index row, Code code) {
      levels[code - 1] += steps_of(data.case_weights[row], weight_steps) * mix_bits(of_row[row]);
    });
  }
  for (std::size_t at = 0; at < of_level.size(); ++at) {
    of_level[at] = mix_bits(of_level[at] ^ mix_bits(together[at]));
  }
  return of_level;
}

/// Between 0 and 1, and neither.
double uniform_of(std::uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 12) + 0.5, -52);
}

}  // namespace

ScatteredStarts::ScatteredStarts(const CodedData& data) : data_(data), hashes_(level_hashes(data)) {
  for (Index item = 0; item < data.n_items; ++item) {
    std::uint64_t sum = 0;
    for (Index r = data.offset[item]; r < data.offset[item + 1]; ++r) sum += hashes_[r];
    for (Index r = data.offset[item]; r < data.offset[item + 1]; ++r) hashes_[r] ^= mix_bits(sum);
  }
}

MixtureParameters ScatteredStarts::start(Index n_components, Index number) const {
  MixtureParameters params{Vector::Constant(n_components, 1.0 / static_cast<double>(n_components)),
                           RowMatrix(data_.n_total_levels(), n_components)};
  const std::uint64_t of_start = mix_bits(static_cast<std::uint64_t>(number) + 1);
  for (Index k = 0; k < n_components; ++k) {
    const std::uint64_t of_component = mix_bits(of_start + static_cast<std::uint64_t>(k));
    for (Index r = 0; r < data_.n_total_levels(); ++r) {
      const std::uint64_t bits = mix_bits(hashes_[r] ^ of_component);
      params.item_probs(r, k) = -log_of(uniform_of(bits));
    }
    for (Index item = 0; item < data_.n_items; ++item) {
      auto probs = params.item_probs.col(k).segment(data_.offset[item], data_.n_levels[item]);
      probs /= probs.sum();
    }
  }
  return params;
}

}  // namespace mdpd
