#include "data/leading_items.h"

#include <algorithm>

#include "data/make_data.h"

namespace mdpd {

namespace {

void pick(const CodedData& data, const SparseCodes& sparse, std::vector<Index> n_levels,
          LeadingItems& out) {
  std::vector<Index> position(data.n_items, -1);
  for (std::size_t at = 0; at < out.original.size(); ++at) {
    position[out.original[at]] = static_cast<Index>(at);
  }
  std::vector<std::size_t> row_start(1, 0);
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  std::vector<std::pair<Index, Code>> answers;
  for (Index row = 0; row < data.n_obs; ++row) {
    answers.clear();
    sparse.for_each_item_of_row(row, [&](Index item, Code code) {
      if (position[item] >= 0) answers.emplace_back(position[item], code);
    });
    std::sort(answers.begin(), answers.end());
    for (const auto& [item, code] : answers) {
      items.push_back(static_cast<std::uint32_t>(item));
      codes.push_back(code);
    }
    row_start.push_back(items.size());
  }
  out.data = make_sparse_data(std::move(row_start), std::move(items), std::move(codes),
                              std::move(n_levels), data.case_weights);
}

void pick(const CodedData& data, const DenseCodes& dense, std::vector<Index> n_levels,
          LeadingItems& out) {
  for (const Index item : out.original) {
    out.codes.insert(out.codes.end(), dense.column(item), dense.column(item) + data.n_obs);
  }
  out.data = make_coded_data(out.codes.data(), data.n_obs, std::move(n_levels), data.case_weights);
}

}  // namespace

LeadingItems pick_items(const CodedData& data, ItemSet items) {
  LeadingItems out;
  out.original = std::move(items);
  out.n_leading = static_cast<Index>(out.original.size());
  std::vector<Index> n_levels;
  for (const Index item : out.original) n_levels.push_back(data.n_levels[item]);
  std::visit([&](const auto& codes) { pick(data, codes, std::move(n_levels), out); }, data.codes);
  out.data.n_threads = data.n_threads;
  out.data.instructions = data.instructions;
  return out;
}

LeadingItems put_first(const CodedData& data, const std::vector<bool>& leads) {
  ItemSet items;
  for (const bool first : {true, false}) {
    for (Index item = 0; item < data.n_items; ++item) {
      if (leads[item] == first) items.push_back(item);
    }
  }
  LeadingItems out = pick_items(data, items);
  out.n_leading = std::count(leads.begin(), leads.end(), true);
  return out;
}

}  // namespace mdpd
