#include "pairs/fixed_point.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"

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

/// What the weights of a column are measured with.
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

/// What is known of the columns' errors, and what that takes.
struct ColumnErrors {
  std::vector<double> hellinger;  ///< at least the sum of (sqrt(w') - sqrt(w))^2, in units
  std::vector<double> sum;
  std::vector<double> sum_of_squares;

  explicit ColumnErrors(Index n_columns)
      : hellinger(n_columns), sum(n_columns), sum_of_squares(n_columns) {}
  bool are_small() const {
    for (std::size_t k = 0; k < sum.size(); ++k) {
      if (!(49.0 * hellinger[k] * sum[k] <= most_error * sum_of_squares[k])) return false;
    }
    return true;
  }
};

/// At least (sqrt(a) - sqrt(b))^2 of numbers or lanes, none of which is negative: it is
/// (a - b)^2 / (sqrt(a) + sqrt(b))^2, where 2 sqrt(a b) is at least twice the smaller.
template <class Numbers>
[[gnu::always_inline]] inline void bound_square(const Numbers& a, const Numbers& b, Numbers& out) {
  constexpr double smallest = 2.2250738585072014e-308;  // not 0 / 0
  const Numbers difference = a - b;
  const Numbers smaller = a < b ? a : b;
  out = difference * difference / (a + b + 2.0 * smaller + smallest);
}

/// Some neighbouring columns, up to n_lanes.
struct Columns {
  Index first = 0;
  Index n = 0;

  /// Zeros stand for those that are not there.
  [[gnu::always_inline]] void load_from(const double* row, Lanes& to) const {
    if (n == n_lanes) {
      load(row + first, to);
      return;
    }
    to = Lanes{};
    for (Index k = 0; k < n; ++k) to[k] = row[first + k];
  }
};

using Integers = std::int32_t __attribute__((vector_size(n_lanes * sizeof(std::int32_t))));

/// Rounds numbers that are not negative.
template <bool one_digit>
[[gnu::always_inline]] inline void round_numbers(const Lanes& exact, Lanes& out) {
  if (one_digit) {
    out = __builtin_convertvector(__builtin_convertvector(exact + 0.5, Integers), Lanes);
    return;
  }
  for (int k = 0; k < n_lanes; ++k) {
    out[k] = static_cast<double>(static_cast<std::int64_t>(exact[k] + 0.5));
  }
}

template <bool one_digit>
[[gnu::always_inline]] inline void store_digits(const Lanes& numbers, Index n, int n_digits,
                                                std::uint16_t* digits) {
  using Digits = std::uint16_t __attribute__((vector_size(n_lanes * sizeof(std::uint16_t))));
  if (one_digit) {
    const Digits out = __builtin_convertvector(__builtin_convertvector(numbers, Integers), Digits);
    std::memcpy(digits, &out, sizeof out);
    return;
  }
  for (Index k = 0; k < n; ++k) {
    auto number = static_cast<std::uint64_t>(numbers[k]);
    for (int digit = 0; digit < n_digits - 1; ++digit, number >>= bits_of_digit) {
      *digits++ = static_cast<std::uint16_t>(number & largest_digit);
    }
    *digits++ = static_cast<std::uint16_t>(number);
  }
}

/// Rounds the weights of some columns.
template <bool one_digit>
[[gnu::always_inline]] inline void round_columns(const RowMatrix& row_weights,
                                                 const std::vector<Scale>& scales,
                                                 const Columns& columns, FixedWeights& out,
                                                 ColumnErrors& errors) {
  Lanes lift = {};
  Lanes factor = {};
  for (Index k = 0; k < columns.n; ++k) {
    lift[k] = scales[columns.first + k].lift;
    factor[k] = scales[columns.first + k].factor;
  }
  Lanes hellinger = {};
  Lanes sum = {};
  Lanes sum_of_squares = {};
  std::uint16_t* digits = out.digits.data() + columns.first * out.n_digits;
  for (Index n = 0; n < row_weights.rows(); ++n, digits += out.stride) {
    Lanes exact;
    Lanes rounded;
    Lanes square;
    columns.load_from(row_weights.data() + n * out.n_columns, exact);
    exact = exact * lift * factor;
    round_numbers<one_digit>(exact, rounded);
    store_digits<one_digit>(rounded, columns.n, out.n_digits, digits);
    bound_square(exact, rounded, square);
    hellinger += square;
    sum += exact;
    sum_of_squares += exact * exact;
  }
  for (Index k = 0; k < columns.n; ++k) {
    errors.hellinger[columns.first + k] = hellinger[k];
    errors.sum[columns.first + k] = sum[k];
    errors.sum_of_squares[columns.first + k] = sum_of_squares[k];
  }
}

/// Gives the first of the largest weights of a row 1 where all of them have become 0.
void keep_light_rows(const RowMatrix& row_weights, const std::vector<Scale>& scales,
                     FixedWeights& out, ColumnErrors& errors) {
  const std::uint16_t* digits = out.digits.data();
  for (Index n = 0; n < row_weights.rows(); ++n, digits += out.stride) {
    if (std::any_of(digits, digits + out.n_numbers(), [](int digit) { return digit > 0; }))
      continue;
    Index heaviest = 0;
    double number = 0.0;
    for (Index k = 0; k < out.n_columns; ++k) {
      const double exact = scales[k].of(row_weights(n, k));
      if (!(exact > number)) continue;
      heaviest = k;
      number = exact;
    }
    if (!(number > 0.0)) continue;
    out.digits[n * out.stride + heaviest * out.n_digits] = 1;
    double square;
    bound_square(number, 1.0, square);
    errors.hellinger[heaviest] += square;
  }
}

/// Rounds the weights to `out.n_digits` digits.
[[gnu::always_inline]] inline ColumnErrors round_weights(const RowMatrix& row_weights,
                                                         const Vector& largest, FixedWeights& out) {
  std::vector<Scale> scales;
  for (Index k = 0; k < out.n_columns; ++k) {
    const Scale scale = scale_for(largest[k], out.n_digits);
    out.unit[k] = scale.factor > 0.0 ? 1.0 / scale.factor / scale.lift : 0.0;
    scales.push_back(scale);
  }
  out.stride = (out.n_numbers() + digits_of_vector - 1) / digits_of_vector * digits_of_vector;
  out.digits.assign((row_weights.rows() + 1) * out.stride, 0);
  ColumnErrors errors(out.n_columns);
  for (Index first = 0; first < out.n_columns; first += n_lanes) {
    const Columns columns = {first, std::min<Index>(n_lanes, out.n_columns - first)};
    if (out.n_digits == 1)
      round_columns<true>(row_weights, scales, columns, out, errors);
    else
      round_columns<false>(row_weights, scales, columns, out, errors);
  }
  keep_light_rows(row_weights, scales, out, errors);
  return errors;
}

[[gnu::always_inline]] inline Vector largest_weights(const RowMatrix& row_weights) {
  Vector out(row_weights.cols());
  for (Index first = 0; first < row_weights.cols(); first += n_lanes) {
    const Columns columns = {first, std::min<Index>(n_lanes, row_weights.cols() - first)};
    Lanes largest = {};
    for (Index n = 0; n < row_weights.rows(); ++n) {
      Lanes weights;
      columns.load_from(row_weights.data() + n * row_weights.cols(), weights);
      largest = weights > largest ? weights : largest;
    }
    for (Index k = 0; k < columns.n; ++k) out[first + k] = largest[k];
  }
  return out;
}

[[gnu::always_inline]] inline FixedWeights fix(const RowMatrix& row_weights, Precision precision) {
  FixedWeights out;
  out.n_columns = row_weights.cols();
  out.unit = Vector::Zero(out.n_columns);
  out.error = Vector::Zero(out.n_columns);
  const Vector largest = largest_weights(row_weights);
  ColumnErrors errors(0);
  for (out.n_digits = precision == Precision::kFull ? most_digits : 1;; ++out.n_digits) {
    errors = round_weights(row_weights, largest, out);
    if (errors.are_small() || out.n_digits == most_digits) break;
  }
  for (Index k = 0; k < out.n_columns; ++k) {
    out.error[k] = 7.0 * std::sqrt(errors.hellinger[k] * out.unit[k]);
  }
  return out;
}

}  // namespace

FixedWeights fix_weights(const RowMatrix& row_weights, Precision precision,
                         Instructions instructions) {
  FixedWeights out;
  const auto work = [&]() __attribute__((always_inline)) { out = fix(row_weights, precision); };
  with_avx2(instructions, work);
  return out;
}

}  // namespace mdpd
