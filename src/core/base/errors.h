#pragma once

#include <stdexcept>

namespace mdpd {

/// Two arguments do not fit together, or a code lies outside its item's levels. User input is
/// checked before the core is called, so this error always means a bug in the caller.
class DimensionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// What must hold of what the caller gives.
/// @throws DimensionError with the message unless `holds`.
inline void require(bool holds, const char* message) {
  if (!holds) throw DimensionError(message);
}

/// A file of rows is not there, or is not what was written; the message names it.
class DamagedShard : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file cannot be written, as on a full disk; the message names it.
class UnwritableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes of another process are not what its engine wrote.
class DamagedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mdpd
