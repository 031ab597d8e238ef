#include "engine_in_r.h"
#include "r_monitor.h"
#include "shard_rows.h"

// What processes of a cluster do for a fit of rows in a store. Messages are raw vectors; checksums
// are strings of 16 hexadecimal digits.

namespace {

/// Stays from one task to the next.
mdpd::RowWorker& worker_here() {
  static mdpd::RowWorker worker;
  return worker;
}

}  // namespace

// The name of a frame, for core_has_frame().
// [[Rcpp::export]]
std::string core_checksum(const Rcpp::RawVector& bytes) {
  return mdpd::hash_to_r(mdpd::checksum_of(mdpd::as_bytes(bytes)));
}

// [[Rcpp::export]]
bool core_has_frame(const std::string& checksum) {
  return worker_here().has_frame(mdpd::as_hash(checksum));
}

// [[Rcpp::export]]
void core_set_frame(const Rcpp::RawVector& frame) {
  worker_here().set_frame(mdpd::as_bytes(frame));
}

// The sums of some shards: `files` has the `path` and the `checksum` of each, `memory` is the bytes of
// shards to keep for the next task.
// [[Rcpp::export]]
Rcpp::RawVector core_answer_task(const Rcpp::RawVector& task, const Rcpp::List& files,
                                 double threads, double memory) {
  mdpd::RMonitor monitor(false);
  const mdpd::RowSums sums =
      worker_here().answer(mdpd::task_from_bytes(mdpd::as_bytes(task)), mdpd::as_files(files),
                           mdpd::as_threads(threads), memory, monitor);
  return mdpd::bytes_to_r(mdpd::to_bytes(sums));
}

// Frees what is kept.
// [[Rcpp::export]]
void core_forget_rows() { worker_here().forget(); }

// [[Rcpp::export]]
std::string core_fingerprint() { return mdpd::hash_to_r(mdpd::fingerprint_of_arithmetic()); }
