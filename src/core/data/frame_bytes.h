#pragma once

#include "base/bytes.h"
#include "data/coded_data.h"

namespace mdpd {

/// What processes that have some of the rows need to know of all of them.
struct RowFrame {
  CodedData data;                ///< see `BlockedRows::frame()`
  std::vector<Index> held = {};  ///< see `BlockedRows::held()`
};

/// As a message, bit for bit, but for what a process chooses itself, its threads.
Bytes frame_to_bytes(const CodedData& frame, const std::vector<Index>& held = {});

/// @throws DamagedMessage
RowFrame frame_from_bytes(const Bytes& bytes);

}  // namespace mdpd
