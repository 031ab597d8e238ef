#include "engine_in_r.h"

#include "core/data/frame_bytes.h"

namespace mdpd {

Bytes as_bytes(const Rcpp::RawVector& raw) { return {raw.begin(), raw.end()}; }

Rcpp::RawVector bytes_to_r(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

EngineInR::EngineInR(const BlockedRows& rows, Rcpp::Function ask)
    : rows_(rows), ask_(std::move(ask)) {}

RowSums EngineInR::answer(const RowTask& task) {
  if (frame_in_r_.size() == 0)
    frame_in_r_ = bytes_to_r(frame_to_bytes(rows_.frame(), rows_.held()));
  const Rcpp::List parts = ask_(bytes_to_r(to_bytes(task)), frame_in_r_);
  RowSums sums = empty_sums(rows_.frame(), task);
  for (const SEXP part : parts) sums += sums_from_bytes(as_bytes(Rcpp::RawVector(part)));
  return sums;
}

}  // namespace mdpd
