#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <variant>

#include "base/errors.h"
#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

using Code = std::uint8_t;

/// Stands for "unknown" where a component is expected.
inline constexpr Index no_component = -1;

struct DenseLayouts;

/// Codes of all cells, which belong to the caller and must outlive this view.
struct DenseCodes {
  const Code* cells = nullptr;  ///< n_obs x n_items, column-major; 0 = missing, 1..n_levels
  Index n_obs = 0;
  Index n_items = 0;
  std::shared_ptr<DenseLayouts> layouts;  ///< the codes once more, as kernels read them

  const Code* column(Index item) const { return cells + item * n_obs; }

  template <class Use>
  void for_each_answer_of_rows(Index item, Index first, Index last, Use use) const {
    const Code* codes = column(item);
    for (Index n = first; n < last; ++n) {
      if (codes[n] != 0) use(n, codes[n]);
    }
  }
  template <class Use>
  void for_each_row(Index item_1, Index item_2, Use use) const {
    const Code* codes_1 = column(item_1);
    const Code* codes_2 = column(item_2);
    for (Index n = 0; n < n_obs; ++n) use(n, codes_1[n], codes_2[n], Index{1});
  }
  template <class Use>
  void for_each_item_of_row(Index row, Use use) const {
    for (Index item = 0; item < n_items; ++item) {
      const Code code = column(item)[row];
      if (code != 0) use(item, code);
    }
  }
};

/// The answers of rows of which most cells are missing, or in which a row answers an item more than
/// once. Counts are 32-bit wherever there is one for each answer.
struct RowAnswers {
  std::vector<std::size_t> row_start = {};  ///< n_obs + 1: where the row's answers begin, from 0
  std::vector<std::uint32_t> items = {};    ///< item of each answer, ascending in a row
  std::vector<Code> answers = {};           ///< its code, 1..n_levels

  template <class Use>
  void for_each_item_of_row(Index row, Use use) const {
    for (std::size_t at = row_start[row]; at < row_start[row + 1]; ++at) {
      use(static_cast<Index>(items[at]), answers[at]);
    }
  }
};

/// The same once more by item, the rows in ascending order.
struct SparseCodes : RowAnswers {
  std::vector<std::size_t> item_start;  ///< n_items + 1
  std::vector<std::uint32_t> item_row;  ///< row of each answer, item by item
  std::vector<Code> item_code;

  template <class Use>
  void for_each_answer_of_rows(Index item, Index first, Index last, Use use) const {
    const std::uint32_t* rows = item_row.data();
    const std::uint32_t* end = rows + item_start[item + 1];
    const std::uint32_t* row =
        std::lower_bound(rows + item_start[item], end, static_cast<std::uint32_t>(first));
    for (; row != end && static_cast<Index>(*row) < last; ++row) {
      use(static_cast<Index>(*row), item_code[static_cast<std::size_t>(row - rows)]);
    }
  }
  template <class Use>
  void for_each_row(Index item_1, Index item_2, Use use) const {
    std::size_t first_2 = item_start[item_2];
    const std::size_t end_2 = item_start[item_2 + 1];
    for (std::size_t first_1 = item_start[item_1]; first_1 < item_start[item_1 + 1];) {
      const std::uint32_t row = item_row[first_1];
      const std::size_t last_1 = end_of_row(first_1, item_start[item_1 + 1], row);
      while (first_2 < end_2 && item_row[first_2] < row) ++first_2;
      const std::size_t last_2 = end_of_row(first_2, end_2, row);
      const auto n_pairs = static_cast<Index>((last_1 - first_1) * (last_2 - first_2));
      for (std::size_t at_1 = first_1; at_1 < last_1; ++at_1) {
        for (std::size_t at_2 = first_2; at_2 < last_2; ++at_2) {
          use(static_cast<Index>(row), item_code[at_1], item_code[at_2], n_pairs);
        }
      }
      first_1 = last_1;
    }
  }
  /// Where the answers of a row to an item end.
  std::size_t end_of_row(std::size_t at, std::size_t end, std::uint32_t row) const {
    while (at < end && item_row[at] == row) ++at;
    return at;
  }
};

/// Categorical data, one byte a cell, with the sums that never change during a fit. Build it with
/// `make_coded_data()` or `make_sparse_data()`. Sums over rows are in row_sums.h; what reads cells
/// one by one goes through `for_each_answer()` and its kin, so that it costs as much as there are
/// answers. Which kind of codes there are, only what works on one kind asks, by std::visit().
struct CodedData {
  Index n_obs = 0;
  Index n_items = 0;
  std::variant<DenseCodes, SparseCodes> codes;
  std::vector<Index> n_levels;  ///< per item
  std::vector<Index> offset;    ///< n_items + 1: first row of each item in a table of all levels
  Vector case_weights;          ///< n_obs, >= 0; a weight of 2 counts a row twice
  double weight_unit = 1.0;  ///< a power of two: all case weights are whole multiples of it, and so
                             ///< is every weight that is counted; see row_sums.h
  std::vector<Index> known;  ///< empty, or n_obs: the component a row is known to belong to,
                             ///< no_component where that is not known
  int n_threads = 1;  ///< threads that may work on the data; no result depends on their number,
  Instructions instructions = widest_instructions();  ///< and none on what kernels may use
  Index most_repeats = 1;            ///< answers of one row to one item, at most; of dense data 1
  double total_weight = 0.0;         ///< of all rows: the N of every formula
  Vector level_weight;               ///< offset.back(): weighted count of every level
  Vector observed_weight;            ///< n_items: weighted count of the item's answers
  std::vector<bool> has_missing;     ///< per item: has a row not just one answer to it?
  std::vector<Index> n_levels_seen;  ///< per item: levels with a positive weighted count
  Vector marginal_loglik;            ///< n_items: log-likelihood of each item on its own (nats)

  Index n_total_levels() const { return offset.back(); }
  /// Of a table of all levels, or a vector of them, those of an item.
  template <class Table>
  auto levels_of(Index item, Table& table) const {
    return table.middleRows(offset[item], n_levels[item]);
  }
  /// Share of the item's observed answers that fall in a level (0-based); the item must be observed
  /// somewhere, as it is wherever something is estimated.
  double marginal(Index item, Index level) const {
    return level_weight[offset[item] + level] / observed_weight[item];
  }

  /// Rows that count.
  Index n_weighted() const { return (case_weights.array() > 0.0).count(); }
};

/// Calls use(row, code) for every answer of the rows first, ..., last - 1 to an item, in the order of
/// the rows.
template <class Use>
void for_each_answer_of_rows(const CodedData& data, Index item, Index first, Index last, Use use) {
  std::visit([&](const auto& codes) { codes.for_each_answer_of_rows(item, first, last, use); },
             data.codes);
}

/// The same of all rows.
template <class Use>
void for_each_answer(const CodedData& data, Index item, Use use) {
  for_each_answer_of_rows(data, item, 0, data.n_obs, use);
}

/// Calls use(row, code_1, code_2, n_pairs) for the rows that observe both items, in their order, and
/// of dense data for all others as well, with the code 0 for a missing cell. Of a row with several
/// answers, for all n_pairs pairs of them.
template <class Use>
void for_each_row(const CodedData& data, Index item_1, Index item_2, Use use) {
  std::visit([&](const auto& codes) { codes.for_each_row(item_1, item_2, use); }, data.codes);
}

/// Calls use(item, code) for every answer of a row, in the order of the items.
template <class Use>
void for_each_item_of_row(const CodedData& data, Index row, Use use) {
  std::visit([&](const auto& codes) { codes.for_each_item_of_row(row, use); }, data.codes);
}

/// @throws DimensionError of sparse data: their missing cells are in no list.
void require_missing_cells(const CodedData& data);

/// Every item, in order.
ItemSet all_items(const CodedData& data);

/// Items with at least two levels seen: the others cannot tell components apart.
ItemSet varying_items(const CodedData& data);

bool contains(const ItemSet& items, Index item);

}  // namespace mdpd
