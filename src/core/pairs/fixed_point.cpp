#include "pairs/fixed_point.h"

#include <algorithm>
#include <cmath>

namespace mdpd {

namespace {

/// 56 bits: a double has 53.
constexpr int most_limbs = 4;
constexpr std::uint64_t largest_limb = (std::uint64_t{1} << bits_of_limb) - 1;

/// Noise alone leaves the best of many pairs at a dependence of 5 to 20 times the mean weight of a
/// unit of weight, the next one about one lower. An error whose square is this share of that weight
/// moves the best by 1.4 to 3 of them at most: a handful of pairs to measure again, which costs
/// less than another limb of all.
constexpr double most_error = 0.03;

/// What the weights of a column are measured with, and what is known of its error.
struct Column {
  double lift = 1.0;  ///< keeps the smallest numbers from leaving the range of doubles
  double factor = 0.0;
  double hellinger = 0.0;  ///< at least the sum of (sqrt(w') - sqrt(w))^2, in units
  double sum = 0.0;
  double sum_of_squares = 0.0;

  double number(double weight) const { return weight * lift * factor; }
  bool is_near() const { return 49.0 * hellinger * sum <= most_error * sum_of_squares; }

  /// Adds at least (sqrt(a) - sqrt(b))^2, where neither is negative: it is
  /// (a - b)^2 / (sqrt(a) + sqrt(b))^2, where 2 sqrt(a b) is at least twice the smaller.
  void add_error(double a, double b) {
    constexpr double smallest = 2.2250738585072014e-308;  // not 0 / 0
    hellinger += (a - b) * (a - b) / (a + b + 2.0 * std::min(a, b) + smallest);
  }
};

/// The largest weight becomes a number of one limb followed by zeros: equal weights are exact.
Column column_for(double largest_weight, int n_limbs) {
  Column column;
  if (largest_weight < 0x1p-900) column.lift = 0x1p900;
  const double largest =
      std::ldexp(static_cast<double>(largest_limb), bits_of_limb * (n_limbs - 1));
  if (largest_weight > 0.0) column.factor = largest / (largest_weight * column.lift);
  return column;
}

/// Rounds a row's weights. Gives the first of the largest 1 where all of them have become 0.
void round_row(const double* weights, int n_limbs, std::vector<Column>& columns,
               std::uint16_t* limbs) {
  bool is_empty = true;
  std::size_t heaviest = 0;
  double largest = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Column& column = columns[k];
    const double exact = column.number(weights[k]);
    // Through the signed type, into which processors convert by one instruction.
    const auto rounded = static_cast<std::int64_t>(exact + 0.5);
    column.add_error(exact, static_cast<double>(rounded));
    column.sum += exact;
    column.sum_of_squares += exact * exact;
    if (exact > largest) {
      heaviest = k;
      largest = exact;
    }
    is_empty = is_empty && rounded == 0;
    auto rest = static_cast<std::uint64_t>(rounded);
    for (int limb = 0; limb < n_limbs; ++limb, rest >>= bits_of_limb) {
      limbs[limb * columns.size() + k] = static_cast<std::uint16_t>(rest & largest_limb);
    }
  }
  if (!is_empty || !(largest > 0.0)) return;
  limbs[heaviest] = 1;
  columns[heaviest].add_error(largest, 1.0);
}

/// Rounds the weights to `out.n_limbs` limbs. Is what that leaves in doubt little?
bool round_weights(const RowMatrix& row_weights, const Vector& largest, FixedWeights& out) {
  std::vector<Column> columns;
  for (Index k = 0; k < out.n_columns; ++k) {
    columns.push_back(column_for(largest[k], out.n_limbs));
  }
  out.stride = (out.limbs_of_row() + limbs_of_vector - 1) / limbs_of_vector * limbs_of_vector;
  out.limbs.assign((row_weights.rows() + 1) * out.stride, 0);
  for (Index n = 0; n < row_weights.rows(); ++n) {
    round_row(row_weights.data() + n * out.n_columns, out.n_limbs, columns,
              out.limbs.data() + n * out.stride);
  }
  for (Index k = 0; k < out.n_columns; ++k) {
    const Column& column = columns[k];
    out.unit[k] = column.factor > 0.0 ? 1.0 / column.factor / column.lift : 0.0;
    out.error[k] = 7.0 * std::sqrt(column.hellinger * out.unit[k]);
  }
  return std::all_of(columns.begin(), columns.end(), [](const Column& c) { return c.is_near(); });
}

}  // namespace

FixedWeights fix_weights(const RowMatrix& row_weights, Precision precision) {
  FixedWeights out;
  out.n_columns = row_weights.cols();
  out.unit = Vector::Zero(out.n_columns);
  out.error = Vector::Zero(out.n_columns);
  const Vector largest = row_weights.colwise().maxCoeff();
  out.n_limbs = precision == Precision::kFull ? most_limbs : 1;
  while (!round_weights(row_weights, largest, out) && out.n_limbs < most_limbs) ++out.n_limbs;
  return out;
}

}  // namespace mdpd
