#pragma once

#include <Rcpp.h>

#include "core/data/blocked_rows.h"
#include "core/model/row_task.h"

namespace mdpd {

Bytes as_bytes(const Rcpp::RawVector& raw);
Rcpp::RawVector bytes_to_r(const Bytes& bytes);

/// Tasks that an R function has carried out, wherever: `ask(task, frame)` is called with
/// both as raw vectors and returns a list of raw vectors, the answers of `core_answer_task()` to the
/// task, of parts of the rows that together are all of them. The frame is what it is at the first
/// pass.
class EngineInR : public RowEngine {
 public:
  EngineInR(const BlockedRows& rows, Rcpp::Function ask);
  RowSums answer(const RowTask& task) override;

 private:
  const BlockedRows& rows_;
  Rcpp::RawVector frame_in_r_;
  const Rcpp::Function ask_;
};

}  // namespace mdpd
