#pragma once

#include <algorithm>

#include "base/lanes.h"
#include "random_data.h"

namespace mdpd {

/// The largest of error(x, value) over the lanes of x, with the values of function(x, values).
template <class Function, class Error>
double error_at(const Lanes& x, const Function& function, const Error& error) {
  Lanes out;
  function(x, out);
  double largest = 0.0;
  for (int lane = 0; lane < n_lanes; ++lane) largest = std::max(largest, error(x[lane], out[lane]));
  return largest;
}

/// The same over 20,000 vectors of what draw(random) gives.
template <class Draw, class Function, class Error>
double largest_error(std::uint64_t seed, const Draw& draw, const Function& function,
                     const Error& error) {
  Random random(seed);
  double largest = 0.0;
  for (int trial = 0; trial < 20000; ++trial) {
    Lanes x;
    for (int lane = 0; lane < n_lanes; ++lane) x[lane] = draw(random);
    largest = std::max(largest, error_at(x, function, error));
  }
  return largest;
}

}  // namespace mdpd
