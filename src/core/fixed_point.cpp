#include "fixed_point.h"

#include <algorithm>
#include <cmath>

namespace mdpd {

namespace {

/// 56 bits: a double has 53.
constexpr int most_digits = 4;
constexpr std::uint64_t largest_digit = (std::uint64_t{1} << bits_of_digit) - 1;

/// Noise alone leaves the best of many pairs at a dependence of 5 to 20 times the mean weight of a
/// unit of weight, the next one about one lower. An error whose square is this share of that weight
/// moves the best by 1.4 to 3 of them at most: a handful of pairs to measure again, which costs
/// less than another digit of all.
constexpr double most_error = 0.03;

/// What a column's weights are measured with.
struct Scale {
  double lift = 1.0;  ///< keeps the smallest numbers from leaving the range of doubles
  double factor = 0.0;

  double of(double weight) const { return weight * lift * factor; }
};

/// The largest weight becomes a number of one digit followed by zeros: equal weights are exact.
Scale scale_for(double largest_weight, int n_digits) {
  Scale scale;
  if (largest_weight < 0x1p-900) scale.lift = 0x1p900;
  const double largest =
      std::ldexp(static_cast<double>(largest_digit), bits_of_digit * (n_digits - 1));
  if (largest_weight > 0.0) scale.factor = largest / (largest_weight * scale.lift);
  return scale;
}

/// What is known of one column's error.
struct ColumnError {
  double hellinger = 0.0;  ///< at least the sum of (sqrt(w') - sqrt(w))^2, in units
  double sum = 0.0;
  double sum_of_squares = 0.0;

  void add(double exact, double rounded) {
    const double sum_of_both = exact + rounded;
    if (!(sum_of_both > 0.0)) return;
    const double difference = exact - rounded;
    // (a - b)^2 / (sqrt(a) + sqrt(b))^2, where 2 sqrt(a b) is at least twice the smaller.
    hellinger += difference * difference / (sum_of_both + 2.0 * std::min(exact, rounded));
    sum += exact;
    sum_of_squares += exact * exact;
  }
  bool is_small() const { return 49.0 * hellinger * sum <= most_error * sum_of_squares; }
};

void store_digits(std::uint64_t number, int n_digits, std::uint16_t* digits) {
  for (int digit = 0; digit < n_digits - 1; ++digit) {
    digits[digit] = static_cast<std::uint16_t>(number & largest_digit);
    number >>= bits_of_digit;
  }
  digits[n_digits - 1] = static_cast<std::uint16_t>(number);
}

/// Rounds the weights to so many digits, and tells the error of every column.
std::vector<ColumnError> round_weights(const RowMatrix& row_weights, FixedWeights& out) {
  const Index n_columns = out.n_columns;
  std::vector<Scale> scales;
  for (Index k = 0; k < n_columns; ++k) {
    const double largest = row_weights.rows() > 0 ? row_weights.col(k).maxCoeff() : 0.0;
    scales.push_back(scale_for(largest, out.n_digits));
    const Scale& scale = scales.back();
    out.unit[k] = scale.factor > 0.0 ? 1.0 / scale.factor / scale.lift : 0.0;
  }
  out.stride = (out.n_numbers() + digits_of_vector - 1) / digits_of_vector * digits_of_vector;
  out.digits.assign((row_weights.rows() + 1) * out.stride, 0);
  std::vector<ColumnError> errors(n_columns);
  std::vector<double> exact(n_columns);
  std::vector<double> rounded(n_columns);
  for (Index n = 0; n < row_weights.rows(); ++n) {
    std::uint16_t* digits = out.digits.data() + n * out.stride;
    bool any = false;
    for (Index k = 0; k < n_columns; ++k) {
      exact[k] = scales[k].of(row_weights(n, k));
      rounded[k] = static_cast<double>(static_cast<std::int64_t>(exact[k] + 0.5));
      any = any || rounded[k] > 0.0;
    }
    if (!any) {
      const auto heaviest = std::max_element(exact.begin(), exact.end());
      if (*heaviest > 0.0) rounded[heaviest - exact.begin()] = 1.0;
    }
    for (Index k = 0; k < n_columns; ++k, digits += out.n_digits) {
      errors[k].add(exact[k], rounded[k]);
      store_digits(static_cast<std::uint64_t>(rounded[k]), out.n_digits, digits);
    }
  }
  return errors;
}

}  // namespace

FixedWeights fix_weights(const RowMatrix& row_weights, Precision precision) {
  FixedWeights out;
  out.n_columns = row_weights.cols();
  out.unit = Vector::Zero(out.n_columns);
  out.error = Vector::Zero(out.n_columns);
  std::vector<ColumnError> errors;
  for (out.n_digits = precision == Precision::kFull ? most_digits : 1;; ++out.n_digits) {
    errors = round_weights(row_weights, out);
    const bool is_exact_enough = std::all_of(errors.begin(), errors.end(),
                                             [](const ColumnError& e) { return e.is_small(); });
    if (is_exact_enough || out.n_digits == most_digits) break;
  }
  for (Index k = 0; k < out.n_columns; ++k) {
    out.error[k] = 7.0 * std::sqrt(errors[k].hellinger * out.unit[k]);
  }
  return out;
}

}  // namespace mdpd
