#pragma once

#include "base/bytes.h"
#include "data/coded_data.h"

namespace mdpd {

/// What is known of all rows, as a message to processes that have some of them: what
/// `BlockedRows::frame()` has, bit for bit, but for what a process chooses itself, its threads.
Bytes frame_to_bytes(const CodedData& frame);

/// @throws DamagedMessage
CodedData frame_from_bytes(const Bytes& bytes);

}  // namespace mdpd
