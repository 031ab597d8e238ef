#pragma once

#include "base/bytes.h"
#include "model/row_pass.h"

namespace mdpd {

/// One question of a RowEngine, for whoever has some of the rows.
struct RowTask {
  RowPoint at;
  bool asks_pass = true;  ///< else the reliance on items, and what is held out
  int depth = 0;          ///< of a pass
  ItemSet asked = {};     ///< items whose reliance is asked for
  RowMatrix pull = {};    ///< see `pull_of_answers()`; where there is none nothing is held out
};

/// The answer: the sums of some rows, of which those that were not asked for are empty. Answers of all
/// rows add up to what the engine says, in any order and grouping.
struct RowSums {
  RowPass pass;
  std::vector<ExactSum> reliance = {};
  Matrix held_out = {};  ///< `modal_shares()` of the held-out posterior

  /// @throws DamagedMessage if they are not answers to the same question.
  RowSums& operator+=(const RowSums& other);
};

/// Nothing yet.
RowSums empty_sums(const CodedData& frame, const RowTask& task);

/// @throws DimensionError if the task is not for such rows.
RowSums sums_over(const CodedData& rows, const RowTask& task);

/// Goes over all rows, wherever they are. Whatever carries out the tasks gives the same bits.
class RowEngine {
 public:
  virtual ~RowEngine() = default;
  virtual RowSums answer(const RowTask& task) = 0;

  RowPass pass(const RowPoint& at, int depth) { return answer({at, true, depth}).pass; }
  /// Of each of some items what the rows' posterior rests on it, see inclusion.h.
  std::vector<ExactSum> reliance(const RowPoint& at, const ItemSet& items) {
    return answer({at, false, 0, items}).reliance;
  }
  Matrix held_out(const RowPoint& at, const RowMatrix& pull) {
    return answer({at, false, 0, {}, pull}).held_out;
  }
};

// Between processes, bit for bit. Reading throws DamagedMessage.
Bytes to_bytes(const RowTask& task);
RowTask task_from_bytes(const Bytes& bytes);
Bytes to_bytes(const RowSums& sums);
RowSums sums_from_bytes(const Bytes& bytes);

/// A checksum of the answers to some fixed questions: processes of which it is the same add up to the
/// same bits. Arithmetic differs with the compiler, its options and the mathematical library.
std::uint64_t fingerprint_of_arithmetic();

}  // namespace mdpd
