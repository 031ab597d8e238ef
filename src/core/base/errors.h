#pragma once

#include <stdexcept>

namespace mdpd {

/// Two arguments do not fit together, or a code lies outside its item's levels. User input is
/// checked before the core is called, so this error always means a bug in the caller.
class DimensionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace mdpd
