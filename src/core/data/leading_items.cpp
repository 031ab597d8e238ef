#include "data/leading_items.h"

#include <algorithm>

#include "data/make_data.h"

namespace mdpd {

namespace {

void reorder(const CodedData& data, const SparseCodes& sparse, std::vector<Index> n_levels,
             LeadingItems& out) {
  std::vector<Index> position(data.n_items);
  for (std::size_t at = 0; at < out.original.size(); ++at) {
    position[out.original[at]] = static_cast<Index>(at);
  }
  RowAnswers rows;
  rows.row_start.push_back(0);
  std::vector<std::pair<Index, Code>> answers;
  for (Index row = 0; row < data.n_obs; ++row) {
    answers.clear();
    sparse.for_each_item_of_row(
        row, [&](Index item, Code code) { answers.emplace_back(position[item], code); });
    std::sort(answers.begin(), answers.end());
    for (const auto& [item, code] : answers) {
      rows.items.push_back(static_cast<std::uint32_t>(item));
      rows.answers.push_back(code);
    }
    rows.row_start.push_back(rows.items.size());
  }
  out.data = make_sparse_data(std::move(rows), std::move(n_levels), data.case_weights);
}

void reorder(const CodedData& data, const DenseCodes& dense, std::vector<Index> n_levels,
             LeadingItems& out) {
  for (const Index item : out.original) {
    out.codes.insert(out.codes.end(), dense.column(item), dense.column(item) + data.n_obs);
  }
  out.data = make_coded_data(out.codes.data(), data.n_obs, std::move(n_levels), data.case_weights);
}

}  // namespace

LeadingItems put_first(const CodedData& data, const std::vector<bool>& leads) {
  LeadingItems out;
  std::vector<Index> n_levels;
  for (const bool first : {true, false}) {
    for (Index item = 0; item < data.n_items; ++item) {
      if (leads[item] != first) continue;
      out.original.push_back(item);
      n_levels.push_back(data.n_levels[item]);
    }
  }
  out.n_leading = std::count(leads.begin(), leads.end(), true);
  std::visit([&](const auto& codes) { reorder(data, codes, std::move(n_levels), out); },
             data.codes);
  out.data.n_threads = data.n_threads;
  out.data.instructions = data.instructions;
  return out;
}

}  // namespace mdpd
