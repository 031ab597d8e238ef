#include "data/empty_rows.h"

namespace mdpd {

namespace {

/// Column by column, as long as some row has no answer.
std::vector<bool> answered_rows(const Code* codes, Index n_obs, Index n_items) {
  std::vector<bool> out(n_obs, false);
  Index n_left = n_obs;
  for (Index item = 0; item < n_items && n_left > 0; ++item) {
    const Code* column = codes + item * n_obs;
    for (Index row = 0; row < n_obs; ++row) {
      if (column[row] == 0 || out[row]) continue;
      out[row] = true;
      --n_left;
    }
  }
  return out;
}

std::vector<bool> answered_rows(const std::vector<std::size_t>& row_start) {
  std::vector<bool> out;
  for (std::size_t row = 0; row + 1 < row_start.size(); ++row) {
    out.push_back(row_start[row + 1] > row_start[row]);
  }
  return out;
}

void weigh_others(const std::vector<bool>& answered, const std::vector<Index>& known,
                  Vector& case_weights) {
  for (Index row = 0; row < case_weights.size(); ++row) {
    const bool is_known = !known.empty() && known[row] != no_component;
    if (!answered[row] && !is_known) case_weights[row] = 0.0;
  }
}

}  // namespace

void weigh_no_empty_rows(const Cells& cells, const std::vector<Index>& known,
                         Vector& case_weights) {
  weigh_others(cells.codes == nullptr ? answered_rows(cells.row_start)
                                      : answered_rows(cells.codes, cells.n_obs, cells.n_items()),
               known, case_weights);
}

void weigh_no_empty_rows(Shard& shard) {
  weigh_others(shard.is_dense ? answered_rows(shard.codes.data(), shard.n_obs, shard.n_items)
                              : answered_rows(shard.row_start),
               known_labels(shard), shard.case_weights);
}

}  // namespace mdpd
