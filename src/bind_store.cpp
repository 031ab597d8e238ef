#include <cmath>

#include "convert.h"
#include "core/base/checksum.h"
#include "core/data/recode_shard.h"
#include "core/data/row_hash.h"

using Rcpp::_;

// The files of a store of rows. Codes are as in an `mdpd_coded` list: a raw matrix, or a list of
// class `sparse_codes`.

namespace {

std::vector<mdpd::Index> as_counts(const Rcpp::IntegerVector& counts) {
  return {counts.begin(), counts.end()};
}

mdpd::Shard as_shard(const Rcpp::RObject& codes, const Rcpp::Nullable<Rcpp::NumericVector>& weights,
                     const Rcpp::Nullable<Rcpp::RawVector>& known) {
  mdpd::Shard shard;
  if (codes.inherits("sparse_codes")) {
    const Rcpp::List sparse(codes);
    shard.is_dense = false;
    shard.n_items = Rcpp::IntegerVector(sparse["dim"])[1];
    static_cast<mdpd::RowAnswers&>(shard) = mdpd::as_answers(sparse, shard.n_items);
    shard.n_obs = static_cast<mdpd::Index>(shard.row_start.size()) - 1;
  } else {
    const Rcpp::RawMatrix dense(codes);
    shard.n_obs = dense.nrow();
    shard.n_items = dense.ncol();
    shard.codes.assign(dense.begin(), dense.end());
  }
  shard.case_weights =
      weights.isNull() ? mdpd::Vector::Ones(shard.n_obs) : Rcpp::as<mdpd::Vector>(weights.get());
  if (known.isNotNull()) {
    const Rcpp::RawVector labels(known.get());
    shard.known.assign(labels.begin(), labels.end());
  }
  return shard;
}

Rcpp::RObject codes_to_r(const mdpd::Shard& shard) {
  const Rcpp::IntegerVector dim =
      Rcpp::IntegerVector::create(static_cast<int>(shard.n_obs), static_cast<int>(shard.n_items));
  if (shard.is_dense) {
    Rcpp::RawVector codes(shard.codes.begin(), shard.codes.end());
    codes.attr("dim") = dim;
    return codes;
  }
  Rcpp::IntegerVector item(shard.items.size());
  for (std::size_t at = 0; at < shard.items.size(); ++at) {
    item[at] = static_cast<int>(shard.items[at]) + 1;
  }
  Rcpp::List out = Rcpp::List::create(
      _["row_start"] = Rcpp::NumericVector(shard.row_start.begin(), shard.row_start.end()),
      _["item"] = item, _["code"] = Rcpp::RawVector(shard.answers.begin(), shard.answers.end()),
      _["dim"] = dim, _["dimnames"] = Rcpp::List(2));
  out.attr("class") = "sparse_codes";
  return out;
}

/// What the manifest says of a file.
Rcpp::List about_file(const mdpd::Shard& shard, std::uint64_t checksum) {
  return Rcpp::List::create(_["rows"] = static_cast<double>(shard.n_obs),
                            _["answers"] = static_cast<double>(mdpd::n_answers(shard)),
                            _["repeats"] = static_cast<double>(mdpd::n_repeats(shard)),
                            _["most_repeats"] = static_cast<double>(mdpd::most_repeats(shard)),
                            _["weight"] = shard.case_weights.sum(), _["is_dense"] = shard.is_dense,
                            _["known"] = static_cast<double>(mdpd::n_known(shard)),
                            _["checksum"] = mdpd::hash_to_r(checksum));
}

/// With the known labels and without.
void add_hashes(mdpd::Shard shard, Rcpp::List& about) {
  const bool has_known = !shard.known.empty();
  if (has_known) about["known_hash"] = mdpd::hash_to_r(mdpd::hash_rows(shard));
  shard.known.clear();
  const std::string rows_hash = mdpd::hash_to_r(mdpd::hash_rows(std::move(shard)));
  about["rows_hash"] = rows_hash;
  if (!has_known) about["known_hash"] = rows_hash;
}

mdpd::Recoding as_recoding(const Rcpp::List& recoding) {
  mdpd::Recoding out;
  out.n_levels = as_counts(recoding["n_levels"]);
  for (const int item : Rcpp::IntegerVector(recoding["item_of"])) out.item_of.push_back(item - 1);
  for (const SEXP codes : Rcpp::List(recoding["code_of"])) {
    const Rcpp::RawVector code_of(codes);
    out.code_of.emplace_back(code_of.begin(), code_of.end());
  }
  out.is_dense = Rcpp::as<bool>(recoding["is_dense"]);
  return out;
}

}  // namespace

// `weights` NULL: all are one; `known`: a code for each row, or NULL.
// [[Rcpp::export]]
Rcpp::List core_write_shard(const std::string& path, const Rcpp::RObject& codes,
                            Rcpp::Nullable<Rcpp::NumericVector> weights,
                            Rcpp::Nullable<Rcpp::RawVector> known = R_NilValue) {
  const mdpd::Shard shard = as_shard(codes, weights, known);
  return about_file(shard, mdpd::write_shard(path, shard));
}

// [[Rcpp::export]]
Rcpp::List core_read_shard(const std::string& path, const Rcpp::IntegerVector& n_levels,
                           const std::string& checksum) {
  const mdpd::Shard shard = mdpd::read_shard(path, as_counts(n_levels), mdpd::as_hash(checksum));
  Rcpp::List out =
      Rcpp::List::create(_["codes"] = codes_to_r(shard), _["weights"] = shard.case_weights);
  if (!shard.known.empty()) {
    out["known"] = Rcpp::RawVector(shard.known.begin(), shard.known.end());
  }
  return out;
}

// Of each row the code of its known label, 0 where it has none.
// [[Rcpp::export]]
Rcpp::RawVector core_known_of_shard(const std::string& path, const Rcpp::IntegerVector& n_levels,
                                    const std::string& checksum) {
  mdpd::Shard shard = mdpd::read_shard(path, as_counts(n_levels), mdpd::as_hash(checksum));
  shard.known.resize(shard.n_obs, 0);
  return {shard.known.begin(), shard.known.end()};
}

// From the file `from` to the file `to`, with such labels.
// [[Rcpp::export]]
Rcpp::List core_set_known(const std::string& from, const Rcpp::IntegerVector& n_levels,
                          const std::string& checksum, const std::string& to,
                          const Rcpp::RawVector& known) {
  mdpd::Shard shard = mdpd::read_shard(from, as_counts(n_levels), mdpd::as_hash(checksum));
  shard.known.assign(known.begin(), known.end());
  Rcpp::List out = about_file(shard, mdpd::write_shard(to, shard));
  add_hashes(std::move(shard), out);
  return out;
}

// From the file `from`, whose items have `n_levels`, to the file `to`.
// [[Rcpp::export]]
Rcpp::List core_recode_shard(const std::string& from, const Rcpp::IntegerVector& n_levels,
                             const std::string& checksum, const std::string& to,
                             const Rcpp::List& recoding) {
  const mdpd::Recoding into = as_recoding(recoding);
  mdpd::Shard shard = mdpd::recode_shard(
      mdpd::read_shard(from, as_counts(n_levels), mdpd::as_hash(checksum)), into);
  Rcpp::List out = about_file(shard, mdpd::write_shard(to, shard));
  out["level_weights"] = mdpd::level_weights(shard, into.n_levels);
  add_hashes(std::move(shard), out);
  return out;
}

// The largest power of two of which all numbers are whole multiples; infinity where there is none.
// [[Rcpp::export]]
double core_weight_unit(const Rcpp::NumericVector& weights) {
  double unit = R_PosInf;
  for (const double weight : weights) {
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(weight, &exponent), 53));
    const std::int64_t lowest_bit = mantissa & -mantissa;
    unit = std::min(unit, std::ldexp(static_cast<double>(lowest_bit), exponent - 53));
  }
  return unit;
}

// [[Rcpp::export]]
std::string core_file_checksum(const std::string& path) {
  return mdpd::hash_to_r(mdpd::checksum_of_file(path));
}

// [[Rcpp::export]]
double core_crc32(const Rcpp::RawVector& bytes) {
  return mdpd::crc32(RAW(bytes), static_cast<std::size_t>(bytes.size()));
}

// Of each string a number from 0 to 1, a multiple of 2^-53, spread evenly.
// [[Rcpp::export]]
Rcpp::NumericVector core_hash(const Rcpp::CharacterVector& text) {
  Rcpp::NumericVector out(text.size());
  for (R_xlen_t i = 0; i < text.size(); ++i) {
    const SEXP id = text[i];
    const std::uint64_t hash = mdpd::hash_text(CHAR(id), static_cast<std::size_t>(LENGTH(id)));
    out[i] = static_cast<double>(hash >> 11) * 0x1p-53;
  }
  return out;
}
