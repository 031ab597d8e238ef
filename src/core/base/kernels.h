#pragma once

#include <type_traits>

#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

#ifdef MDPD_HAS_AVX2
template <class Work>
[[gnu::target("avx2")]] void run_avx2(const Work& work) {
  work();
}
#endif

/// Runs a kernel with these instructions, and with the same results with any: a product and a sum are
/// never rounded as one. `work` is a lambda that is always inlined, and so is what it calls, as else
/// it is compiled for every processor.
template <class Work>
void with_avx2([[maybe_unused]] Instructions instructions, const Work& work) {
#ifdef MDPD_HAS_AVX2
  if (instructions == Instructions::kAvx2) return run_avx2(work);
#endif
  work();
}

/// x log x in place; the number of values is a multiple of n_lanes.
inline void x_log_x_of_all(double* values, Index n) {
  const auto work = [&]() __attribute__((always_inline)) {
    for (Index at = 0; at < n; at += n_lanes) {
      Lanes x;
      Lanes out;
      load(values + at, x);
      x_log_x(x, out);
      store(out, values + at);
    }
  };
  with_avx2(widest_instructions(), work);
}

/// Calls use(n), with a constant of the compiler, where n is one of `sizes`, and else use(0): for
/// kernels whose short vectors then stay in registers.
template <int... sizes, class Use>
void with_constant(Index n, const Use& use) {
  const bool is_one = ((n == sizes && (use(std::integral_constant<int, sizes>{}), true)) || ...);
  if (!is_one) use(std::integral_constant<int, 0>{});
}

}  // namespace mdpd
