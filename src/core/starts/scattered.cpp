#include "starts/scattered.h"

#include <cmath>

#include "base/checksum.h"
#include "base/numerics.h"
#include "starts/level_hashes.h"

namespace mdpd {

namespace {

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
