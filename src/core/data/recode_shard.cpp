#include "data/recode_shard.h"

#include <algorithm>
#include <numeric>

#include "data/make_data.h"

namespace mdpd {

namespace {

using Answer = std::pair<std::uint32_t, Code>;  ///< item and code

void require_sizes(const Shard& shard, const Recoding& recoding) {
  const auto n_items = static_cast<std::size_t>(shard.n_items);
  const bool has_codes = recoding.code_of.size() == 1 || recoding.code_of.size() == n_items;
  require(recoding.item_of.size() == n_items && has_codes,
          "one new place and one list of new codes for each item");
  for (const Index item : recoding.item_of) {
    require(item >= 0 && item < static_cast<Index>(recoding.n_levels.size()),
            "an item has no place in the store");
  }
}

Code new_code(const std::vector<Code>& code_of, Code code) {
  require(code < code_of.size(), "a code has no new one");
  return code_of[code];
}

void recode_dense(Shard& shard, const Recoding& recoding) {
  std::vector<Code> codes(shard.n_obs * recoding.n_levels.size(), 0);
  for (Index item = 0; item < shard.n_items; ++item) {
    const std::vector<Code>& code_of = recoding.codes_of(item);
    const Code* from = shard.codes.data() + item * shard.n_obs;
    std::transform(from, from + shard.n_obs, codes.data() + recoding.item_of[item] * shard.n_obs,
                   [&](Code code) { return new_code(code_of, code); });
  }
  shard.codes = std::move(codes);
}

/// Of one row, sorted.
void list_answers(const Shard& shard, const Recoding& recoding, Index row,
                  std::vector<Answer>& out) {
  out.clear();
  shard.for_each_item_of_row(row, [&](Index item, Code before) {
    const Code code = new_code(recoding.codes_of(item), before);
    if (code != 0) out.emplace_back(static_cast<std::uint32_t>(recoding.item_of[item]), code);
  });
  std::sort(out.begin(), out.end());
}

/// In place: a row never gets more answers than it has.
void recode_sparse(Shard& shard, const Recoding& recoding) {
  std::vector<Answer> answers;
  std::size_t to = 0;
  for (Index row = 0; row < shard.n_obs; ++row) {
    list_answers(shard, recoding, row, answers);
    shard.row_start[row] = to;
    for (const auto& [item, code] : answers) {
      shard.items[to] = item;
      shard.answers[to++] = code;
    }
  }
  shard.row_start[shard.n_obs] = to;
  shard.items.resize(to);
  shard.answers.resize(to);
}

void recode_known(Shard& shard, const Recoding& recoding) {
  if (shard.known.empty()) return;
  require(recoding.code_of.size() == 1, "known labels of items that are all alike");
  for (Code& label : shard.known) label = new_code(recoding.code_of.front(), label);
}

/// @throws DimensionError if a cell has several answers.
void make_dense(Shard& shard) {
  require(most_repeats(shard) == 1, "a cell of dense rows has one answer");
  shard.codes.assign(shard.n_obs * shard.n_items, 0);
  for (Index row = 0; row < shard.n_obs; ++row) {
    shard.for_each_item_of_row(
        row, [&](Index item, Code code) { shard.codes[item * shard.n_obs + row] = code; });
  }
  shard.is_dense = true;
  static_cast<RowAnswers&>(shard) = {};
}

}  // namespace

Shard recode_shard(Shard shard, const Recoding& recoding) {
  require_sizes(shard, recoding);
  shard.is_dense ? recode_dense(shard, recoding) : recode_sparse(shard, recoding);
  recode_known(shard, recoding);
  shard.n_items = static_cast<Index>(recoding.n_levels.size());
  if (recoding.is_dense && !shard.is_dense) make_dense(shard);
  return shard;
}

Vector level_weights(const Shard& shard, const std::vector<Index>& n_levels) {
  std::vector<Index> offset(n_levels.size() + 1, 0);
  std::partial_sum(n_levels.begin(), n_levels.end(), offset.begin() + 1);
  Vector out = Vector::Zero(offset.back());
  for (Index item = 0; item < shard.n_items && shard.is_dense; ++item) {
    const Code* codes = shard.codes.data() + item * shard.n_obs;
    for (Index row = 0; row < shard.n_obs; ++row) {
      if (codes[row] != 0) out[offset[item] + codes[row] - 1] += shard.case_weights[row];
    }
  }
  for (Index row = 0; row < shard.n_obs && !shard.is_dense; ++row) {
    shard.for_each_item_of_row(row, [&](Index item, Code code) {
      out[offset[item] + code - 1] += shard.case_weights[row];
    });
  }
  return out;
}

}  // namespace mdpd
