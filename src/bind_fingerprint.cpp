#include "convert.h"

#include "core/base/checksum.h"
#include "core/data/row_hash.h"

// What a fingerprint is made of, see R/fingerprint.R.

// @param absent Per item a code that stands for a missing cell, 0 where there is none.
// [[Rcpp::export]]
std::string core_hash_rows(const Rcpp::List& coded, const Rcpp::IntegerVector& absent) {
  std::vector<mdpd::Index> known;
  if (coded.containsElementNamed("known")) known = mdpd::as_known(coded["known"]);
  return mdpd::hash_to_r(mdpd::hash_rows(mdpd::as_cells(coded), mdpd::as_weights(coded), known,
                                         {absent.begin(), absent.end()}));
}

// Of the parts of a table that of the whole.
// [[Rcpp::export]]
std::string core_add_hashes(const std::vector<std::string>& hashes) {
  std::uint64_t sum = 0;
  for (const std::string& hash : hashes) sum += mdpd::as_hash(hash);
  return mdpd::hash_to_r(sum);
}

// [[Rcpp::export]]
std::string core_hash_bytes(const Rcpp::RawVector& bytes) {
  return mdpd::hash_to_r(mdpd::hash_text(reinterpret_cast<const char*>(RAW(bytes)),
                                         static_cast<std::size_t>(bytes.size())));
}
