#include "shard_rows.h"

using Rcpp::_;

namespace mdpd {

namespace {

/// Rows of a part of a file that stays in memory.
constexpr double most_kept = 4096.0;

std::vector<double> numbers_or_none(const Rcpp::List& list, const char* name) {
  if (!list.containsElementNamed(name)) return {};
  return Rcpp::as<std::vector<double>>(list[name]);
}

Vector amounts_in(const Rcpp::List& list, const char* name) {
  return amounts(Rcpp::as<Vector>(list[name]), name);
}

Matrix table_in(const Rcpp::List& list, const char* name) {
  return amounts(Rcpp::as<Matrix>(list[name]), name);
}

double amount_in(const Rcpp::List& list, const char* name) {
  const double x = Rcpp::as<double>(list[name]);
  require(x >= 0.0 && std::isfinite(x), name);
  return x;
}

}  // namespace

std::vector<ShardFile> as_files(const Rcpp::List& files) {
  const Rcpp::CharacterVector paths = files["path"];
  const Rcpp::CharacterVector checksums = files["checksum"];
  require(checksums.size() == paths.size(), "a checksum for each file");
  std::vector<ShardFile> out;
  for (R_xlen_t at = 0; at < paths.size(); ++at) {
    out.push_back(
        {Rcpp::as<std::string>(paths[at]), as_hash(Rcpp::as<std::string>(checksums[at]))});
  }
  return out;
}

ShardFiles::ShardFiles(const Rcpp::List& files, std::vector<Index> n_levels)
    : files_(as_files(files)),
      first_(numbers_or_none(files, "first")),
      n_(numbers_or_none(files, "n")),
      n_levels_(std::move(n_levels)) {
  require(first_.size() == n_.size() && (n_.empty() || n_.size() == files_.size()),
          "rows of each file");
}

Shard ShardFiles::read(Index block) const {
  const auto kept = kept_.find(block);
  if (kept != kept_.end()) return kept->second;
  Shard shard = read_shard(files_[block].path, n_levels_, files_[block].checksum);
  if (!is_cut()) return shard;
  const auto first = static_cast<Index>(first_[block]);
  const auto n = static_cast<Index>(n_[block]);
  if (first == 0 && n == shard.n_obs) return shard;
  Shard part = cut_rows(shard, first, n);
  if (n_[block] <= most_kept) kept_[block] = part;
  return part;
}

std::vector<Index> held_of(const Rcpp::List& problem) {
  if (!problem.containsElementNamed("held") || Rf_isNull(problem["held"])) return {};
  const Rcpp::IntegerVector held = problem["held"];
  return as_item_set(held, held.size());
}

StandingSums as_standing_sums(const Rcpp::List& sums) {
  StandingSums out;
  out.rows.n_obs = as_index(amount_in(sums, "n_obs"), 1.0, "rows that stand");
  out.rows.largest_weight = amount_in(sums, "largest_weight");
  out.rows.total_weight = amount_in(sums, "weight");
  out.rows.most_repeats = as_index(amount_in(sums, "most_repeats"), 1.0, "answers of a row");
  out.rows.level_weight = amounts_in(sums, "level_weight");
  out.counts.levels = table_in(sums, "levels");
  out.counts.components = amounts_in(sums, "components").transpose();
  out.overlap = table_in(sums, "overlap");
  out.modal = table_in(sums, "modal");
  out.entropy = amount_in(sums, "entropy");
  out.reliance = amounts_in(sums, "reliance");
  return out;
}

Rcpp::List standing_sums_to_r(const StandingSums& sums) {
  return Rcpp::List::create(
      _["n_obs"] = static_cast<double>(sums.rows.n_obs), _["weight"] = sums.rows.total_weight,
      _["largest_weight"] = sums.rows.largest_weight,
      _["most_repeats"] = static_cast<double>(sums.rows.most_repeats),
      _["level_weight"] = sums.rows.level_weight, _["levels"] = Matrix(sums.counts.levels),
      _["components"] = Vector(sums.counts.components.row(0).transpose()),
      _["overlap"] = sums.overlap, _["modal"] = sums.modal, _["entropy"] = sums.entropy,
      _["reliance"] = sums.reliance);
}

}  // namespace mdpd
