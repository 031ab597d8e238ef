#include "growth/search_budget.h"

#include <algorithm>

namespace mdpd {

namespace {

/// Answers that take as long as a level of an item does, whose evidence is weighed in every pass.
constexpr double answers_per_level = 100.0;

double n_answers(const CodedData& data) {
  if (const SparseCodes* const sparse = std::get_if<SparseCodes>(&data.codes)) {
    return static_cast<double>(sparse->items.size());
  }
  return static_cast<double>(data.n_obs) * static_cast<double>(data.n_items);
}

}  // namespace

double most_passes(const CodedData& data, Index n_components, const FitOptions& options) {
  const auto k = static_cast<double>(n_components);
  const auto n_levels = static_cast<double>(data.n_total_levels());
  const double work_of_pass = k * (n_answers(data) + answers_per_level * n_levels);
  return std::max(options.least_search_passes * k,
                  options.most_search_work / std::max(1.0, work_of_pass));
}

}  // namespace mdpd
