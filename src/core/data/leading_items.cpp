#include "data/leading_items.h"

#include <algorithm>

#include "data/make_data.h"

namespace mdpd {

namespace {

/// Sparse data of all items, in the order given.
CodedData pick_sparse_items(const CodedData& data, const ItemSet& order,
                            std::vector<Index> n_levels) {
  std::vector<std::uint32_t> position(data.n_items);
  for (std::size_t at = 0; at < order.size(); ++at) {
    position[order[at]] = static_cast<std::uint32_t>(at);
  }
  std::vector<std::uint32_t> items;
  std::vector<Code> codes;
  std::vector<std::pair<std::uint32_t, Code>> answers;
  for (Index row = 0; row < data.n_obs; ++row) {
    answers.clear();
    for_each_item_of_row(
        data, row, [&](Index item, Code code) { answers.emplace_back(position[item], code); });
    std::sort(answers.begin(), answers.end());
    for (const auto& [item, code] : answers) {
      items.push_back(item);
      codes.push_back(code);
    }
  }
  return make_sparse_data(data.sparse.row_start, std::move(items), std::move(codes),
                          std::move(n_levels), data.case_weights);
}

}  // namespace

LeadingItems pick_items(const CodedData& data, ItemSet items) {
  LeadingItems out;
  out.original = std::move(items);
  out.n_leading = static_cast<Index>(out.original.size());
  std::vector<Index> n_levels;
  for (const Index item : out.original) n_levels.push_back(data.n_levels[item]);
  if (data.is_sparse()) {
    out.data = pick_sparse_items(data, out.original, std::move(n_levels));
  } else {
    for (const Index item : out.original) {
      out.codes.insert(out.codes.end(), data.item_codes(item), data.item_codes(item) + data.n_obs);
    }
    out.data =
        make_coded_data(out.codes.data(), data.n_obs, std::move(n_levels), data.case_weights);
  }
  out.data.n_threads = data.n_threads;
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
