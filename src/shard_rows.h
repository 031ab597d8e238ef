#pragma once

#include <map>

#include "convert.h"
#include "core/data/blocked_rows.h"
#include "core/model/row_worker.h"
#include "core/model/standing_sums.h"

namespace mdpd {

/// From an R list: the `path` and the `checksum` of each file.
std::vector<ShardFile> as_files(const Rcpp::List& files);

/// Shards, or some rows of them. An R list as above with, where not all rows are meant, their number
/// `n` and how many are before the `first`.
class ShardFiles : public RowSource {
 public:
  ShardFiles(const Rcpp::List& files, std::vector<Index> n_levels);
  Index n_blocks() const override { return static_cast<Index>(files_.size()); }
  Shard read(Index block) const override;

 private:
  bool is_cut() const { return !n_.empty(); }

  std::vector<ShardFile> files_;
  std::vector<double> first_;
  std::vector<double> n_;
  std::vector<Index> n_levels_;
  /// Small parts of files are not read over and over.
  mutable std::map<Index, Shard> kept_;
};

/// Of each label the component in which the rows that are known to have it are held: an R list's
/// `held`, NULL where none is.
std::vector<Index> held_of(const Rcpp::List& problem);

/// Sums of rows as R keeps them; checked by `require_compatible()` where they are used.
StandingSums as_standing_sums(const Rcpp::List& sums);
Rcpp::List standing_sums_to_r(const StandingSums& sums);

}  // namespace mdpd
