#include "pairs/subset_sums.h"

#include <algorithm>

#include "base/kernels.h"

#ifdef MDPD_HAS_AVX2
#include <immintrin.h>
#endif

namespace mdpd {

namespace {

constexpr Index n_subsets = 16;
constexpr Index blocks_of_row = columns_of_row / columns_of_block;
constexpr Index bytes_of_block = quads_of_stretch * columns_of_block;
/// Weights whose tables and sums the portable kernel treats at once.
constexpr Index n_together = 4;

using Bits = std::uint64_t __attribute__((vector_size(bytes_of_row)));
using Together = std::int32_t __attribute__((vector_size(n_together * sizeof(std::int32_t))));

/// From the bits of four rows the pattern of each column in its byte, block by block.
[[gnu::always_inline]] inline void transpose_quad(const std::uint8_t* const* rows,
                                                  std::uint8_t* to) {
  constexpr std::uint64_t even = 0x5555555555555555;
  constexpr std::uint64_t low_pairs = 0x3333333333333333;
  constexpr std::uint64_t low_half = 0x0F0F0F0F0F0F0F0F;
  Bits row[rows_of_quad];
#pragma GCC unroll 4
  for (Index r = 0; r < rows_of_quad; ++r) std::memcpy(&row[r], rows[r], sizeof row[r]);
  // Bits of two rows side by side, those of the even blocks and of the odd ones ...
  const Bits even_01 = (row[0] & even) | ((row[1] & even) << 1);
  const Bits even_23 = (row[2] & even) | ((row[3] & even) << 1);
  const Bits odd_01 = ((row[0] >> 1) & even) | (row[1] & ~even);
  const Bits odd_23 = ((row[2] >> 1) & even) | (row[3] & ~even);
  // ... then of four, those of blocks b and b + 4 in one byte.
  const Bits both[] = {(even_01 & low_pairs) | ((even_23 & low_pairs) << 2),
                       (odd_01 & low_pairs) | ((odd_23 & low_pairs) << 2),
                       ((even_01 >> 2) & low_pairs) | (even_23 & ~low_pairs),
                       ((odd_01 >> 2) & low_pairs) | (odd_23 & ~low_pairs)};
#pragma GCC unroll 4
  for (Index b = 0; b < blocks_of_row / 2; ++b, to += bytes_of_block) {
    const Bits low = both[b] & low_half;
    const Bits high = (both[b] >> 4) & low_half;
    std::memcpy(to, &low, sizeof low);
    std::memcpy(to + blocks_of_row / 2 * bytes_of_block, &high, sizeof high);
  }
}

/// The patterns of the blocks from `first` on; those of a few blocks before may be made as well.
[[gnu::always_inline]] inline void fill_patterns(const RowTable& table, const RowStretch& stretch,
                                                 Index first, std::uint8_t* patterns) {
  const Index first_byte = first / blocks_of_row * bytes_of_row;
  const std::uint8_t* bits = table.bits + first_byte;
  patterns += first_byte / bytes_of_row * blocks_of_row * bytes_of_block;
  for (Index quad = 0; quad < stretch.n_quads; ++quad, patterns += columns_of_block) {
    const std::uint32_t* at = stretch.rows + quad * rows_of_quad;
    const std::uint8_t* rows[rows_of_quad];
#pragma GCC unroll 4
    for (Index r = 0; r < rows_of_quad; ++r) {
      rows[r] = bits + at[r] * table.n_bytes;
      // In the order of a pack's code: the hardware does not see the next ones coming.
      __builtin_prefetch(bits + at[quads_ahead * rows_of_quad + r] * table.n_bytes);
    }
    std::uint8_t* to = patterns;
    for (Index byte = first_byte; byte < table.n_bytes; byte += bytes_of_row) {
      transpose_quad(rows, to);
      to += blocks_of_row * bytes_of_block;
#pragma GCC unroll 4
      for (Index r = 0; r < rows_of_quad; ++r) rows[r] += bytes_of_row;
    }
  }
}

/// Adds up all rows of the targets.
void add_all_rows(const RowTable& table, const RowStretch& stretch, const std::int32_t* running,
                  double* to) {
  const std::int32_t* change = stretch.changes.data();
  for (const SumStep& step : stretch.steps) {
    running += step.n_quads * table.weight_stride;
    const std::int32_t* so_far = running - table.weight_stride;
    for (std::int32_t c = 0; c < step.n_closed + step.n_opened; ++c) {
      double* target = to + stretch.targets[*change++] * table.n_weights;
      const double sign = c < step.n_closed ? 1.0 : -1.0;
      for (Index k = 0; k < table.n_weights; ++k) target[k] += sign * so_far[k];
    }
  }
}

// For every processor ----------------------------------------------------------------------------

/// Per quad and subset the sums of up to n_together weights side by side.
/// @param running receives the sums of all rows up to each quad.
void fill_tables_portable(const RowTable& table, const RowStretch& stretch, Index first_weight,
                          Together* sums, std::int32_t* running) {
  Together all = {};
  for (Index quad = 0; quad < stretch.n_quads; ++quad, sums += n_subsets) {
    sums[0] = Together{};
    for (Index r = 0; r < rows_of_quad; ++r) {
      const std::uint16_t* weights = table.weights + first_weight +
                                     stretch.rows[quad * rows_of_quad + r] * table.weight_stride;
      Together row = {};
      for (Index k = 0; k < n_together; ++k) row[k] = weights[k];
      for (Index subset = 0; subset < Index{1} << r; ++subset) {
        sums[subset + (Index{1} << r)] = sums[subset] + row;
      }
    }
    all += sums[n_subsets - 1];
    std::memcpy(running + quad * table.weight_stride + first_weight, &all, sizeof all);
  }
}

void add_stretch_portable(const RowTable& table, const RowStretch& stretch, const TargetSums& to,
                          const std::uint8_t* patterns, std::int32_t* running) {
  std::vector<Together> tables(stretch.n_quads * n_subsets);
  std::vector<Together> got(stretch.targets.size());
  const Index size_of_target = to.n_blocks * table.n_weights * columns_of_block;
  for (Index first = 0; first < table.n_weights; first += n_together) {
    fill_tables_portable(table, stretch, first, tables.data(), running);
    const Index n_weights = std::min(n_together, table.n_weights - first);
    for (Index at = 0; at < to.n_blocks * columns_of_block; ++at) {
      const Index block = at / columns_of_block;
      const Index place = at % columns_of_block;
      const std::uint8_t* pattern =
          patterns + (to.first_block + block) * bytes_of_block + column_at_place[place];
      const Together* of_quad = tables.data();
      const std::int32_t* target = stretch.changes.data();
      Together sum{};
      std::fill(got.begin(), got.end(), Together{});
      for (const SumStep& step : stretch.steps) {
        for (Index quad = 0; quad < step.n_quads; ++quad, of_quad += n_subsets) {
          sum += of_quad[*pattern];
          pattern += columns_of_block;
        }
        for (Index c = 0; c < step.n_closed; ++c) got[*target++] += sum;
        for (Index c = 0; c < step.n_opened; ++c) got[*target++] -= sum;
      }
      std::int32_t* cell = to.sums + (block * table.n_weights + first) * columns_of_block + place;
      for (std::size_t t = 0; t < got.size(); ++t) {
        std::int32_t* sums = cell + stretch.targets[t] * size_of_target;
        for (Index k = 0; k < n_weights; ++k) sums[k * columns_of_block] += got[t][k];
      }
    }
  }
}

// For AVX2 ---------------------------------------------------------------------------------------

#ifdef MDPD_HAS_AVX2

constexpr Index bytes_of_weight = quads_of_stretch * 2 * n_subsets;

/// Stores a weight's table for one quad, the low bytes of the sums of all subsets, then their high
/// bytes, from the four sums over the first two rows and those over the others.
[[gnu::target("avx2"), gnu::always_inline]] inline void store_table(long long first,
                                                                    long long second,
                                                                    std::uint8_t* to) {
  const __m256i each_four_times =
      _mm256_set_epi16(0x706, 0x706, 0x706, 0x706, 0x504, 0x504, 0x504, 0x504, 0x302, 0x302, 0x302,
                       0x302, 0x100, 0x100, 0x100, 0x100);
  const __m256i low_then_high =
      _mm256_set_epi8(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3,
                      1, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m256i sums = _mm256_add_epi16(
      _mm256_set1_epi64x(first), _mm256_shuffle_epi8(_mm256_set1_epi64x(second), each_four_times));
  const __m256i bytes = _mm256_shuffle_epi8(sums, low_then_high);
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(bytes, 0xD8));
}

/// The sums over all subsets of two rows, weight by weight side by side.
[[gnu::target("avx2"), gnu::always_inline]] inline void sum_two_rows(const __m128i& row_0,
                                                                     const __m128i& row_1,
                                                                     long long* to) {
  const __m128i both = _mm_add_epi16(row_0, row_1);
  const __m128i none = _mm_setzero_si128();
  const __m128i low_0 = _mm_unpacklo_epi16(none, row_0);
  const __m128i low_1 = _mm_unpacklo_epi16(row_1, both);
  const __m128i high_0 = _mm_unpackhi_epi16(none, row_0);
  const __m128i high_1 = _mm_unpackhi_epi16(row_1, both);
  auto* out = reinterpret_cast<__m128i*>(to);
  _mm_store_si128(out, _mm_unpacklo_epi32(low_0, low_1));
  _mm_store_si128(out + 1, _mm_unpackhi_epi32(low_0, low_1));
  _mm_store_si128(out + 2, _mm_unpacklo_epi32(high_0, high_1));
  _mm_store_si128(out + 3, _mm_unpackhi_epi32(high_0, high_1));
}

/// The tables of all weights and quads.
/// @param running receives the sums of all rows up to each quad.
[[gnu::target("avx2")]] void fill_tables_avx2(const RowTable& table, const RowStretch& stretch,
                                              std::uint8_t* tables, std::int32_t* running) {
  for (Index quad = 0; quad < stretch.n_quads; ++quad, tables += 2 * n_subsets) {
    const std::uint32_t* at = stretch.rows + quad * rows_of_quad;
    for (Index r = 0; r < rows_of_quad; ++r) {
      __builtin_prefetch(table.weights + at[quads_ahead * rows_of_quad + r] * table.weight_stride);
    }
    for (Index first = 0; first < table.n_weights; first += limbs_of_vector) {
      __m128i row[rows_of_quad];
#pragma GCC unroll 4
      for (Index r = 0; r < rows_of_quad; ++r) {
        std::memcpy(&row[r], table.weights + first + at[r] * table.weight_stride, sizeof row[r]);
      }
      __m256i all = _mm256_cvtepu16_epi32(
          _mm_add_epi16(_mm_add_epi16(row[0], row[1]), _mm_add_epi16(row[2], row[3])));
      auto* sums = reinterpret_cast<__m256i*>(running + quad * table.weight_stride + first);
      if (quad > 0) all = _mm256_add_epi32(all, sums[-table.weight_stride / limbs_of_vector]);
      _mm256_store_si256(sums, all);
      alignas(32) long long first_two[limbs_of_vector];
      alignas(32) long long last_two[limbs_of_vector];
      sum_two_rows(row[0], row[1], first_two);
      sum_two_rows(row[2], row[3], last_two);
      const Index n = std::min(limbs_of_vector, table.n_weights - first);
      for (Index k = 0; k < n; ++k) {
        store_table(first_two[k], last_two[k], tables + (first + k) * bytes_of_weight);
      }
    }
  }
}

/// Sums of both bytes of one weight, for the columns of a block. Of the low bytes in 16 bits those of
/// even columns, plus 256 times those of odd ones, modulo 2^16, and those of odd ones; then the same
/// of the high bytes.
struct WeightSums {
  __m256i parts[4];
};
/// What each 16-bit sum of an empty target is: -2^15, for the products take signed numbers.
constexpr short emptied = -0x8000;

[[gnu::target("avx2"), gnu::always_inline]] inline void look_up(const std::uint8_t* table,
                                                                const __m256i& patterns,
                                                                __m256i* sums) {
  const __m256i bytes = _mm256_shuffle_epi8(
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))),
      patterns);
  sums[0] = _mm256_add_epi16(sums[0], bytes);
  // A product, as processors that shift in the ports of the look-up multiply in others.
  const __m256i odd = _mm256_maddubs_epi16(bytes, _mm256_set1_epi16(0x100));
  sums[1] = _mm256_add_epi16(sums[1], odd);
}

/// Adds what was summed so far to a target, or takes it away.
template <bool adds>
[[gnu::target("avx2"), gnu::always_inline]] inline void change(const WeightSums& sums,
                                                               WeightSums& target) {
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    target.parts[v] = adds ? _mm256_add_epi16(target.parts[v], sums.parts[v])
                           : _mm256_sub_epi16(target.parts[v], sums.parts[v]);
  }
}

/// Empties what a target got of one weight into its 32-bit sums.
[[gnu::target("avx2"), gnu::always_inline]] inline void empty(WeightSums& target,
                                                              std::int32_t* to) {
  const __m256i scale = _mm256_set1_epi32(1 + (256 << 16));
  const __m256i halves = _mm256_set1_epi32(257 << 15);
  const auto& [low, odd_low, high, odd_high] = target.parts;
  const __m256i even_low = _mm256_sub_epi16(low, _mm256_slli_epi16(odd_low, 8));
  const __m256i even_high = _mm256_sub_epi16(high, _mm256_slli_epi16(odd_high, 8));
  const __m256i sums[] = {_mm256_madd_epi16(_mm256_unpacklo_epi16(even_low, even_high), scale),
                          _mm256_madd_epi16(_mm256_unpackhi_epi16(even_low, even_high), scale),
                          _mm256_madd_epi16(_mm256_unpacklo_epi16(odd_low, odd_high), scale),
                          _mm256_madd_epi16(_mm256_unpackhi_epi16(odd_low, odd_high), scale)};
  auto* cell = reinterpret_cast<__m256i*>(to);
  for (int v = 0; v < 4; ++v) {
    const __m256i sum = _mm256_add_epi32(sums[v], halves);
    _mm256_store_si256(cell + v, _mm256_add_epi32(_mm256_load_si256(cell + v), sum));
    target.parts[v] = _mm256_set1_epi16(emptied);
  }
}

/// A few weights of one block, which share the patterns: one or two.
/// @param got targets x weights: all emptied, before and after.
template <int n_weights>
[[gnu::target("avx2")]] void add_block(const RowStretch& stretch, const std::uint8_t* patterns,
                                       const std::uint8_t* tables, WeightSums* got,
                                       std::int32_t* sums, Index size_of_target) {
  WeightSums so_far[n_weights] = {};
  const std::int32_t* target = stretch.changes.data();
  for (const SumStep& step : stretch.steps) {
    const std::uint8_t* const end = tables + step.n_quads * 2 * n_subsets;
    for (; tables != end; tables += 2 * n_subsets, patterns += columns_of_block) {
      const __m256i pattern = _mm256_load_si256(reinterpret_cast<const __m256i*>(patterns));
#pragma GCC unroll 2
      for (int k = 0; k < n_weights; ++k) {
        look_up(tables + k * bytes_of_weight, pattern, so_far[k].parts);
        look_up(tables + k * bytes_of_weight + n_subsets, pattern, so_far[k].parts + 2);
      }
    }
    for (const std::int32_t* last = target + step.n_closed; target != last; ++target) {
#pragma GCC unroll 2
      for (int k = 0; k < n_weights; ++k) change<true>(so_far[k], got[*target * n_weights + k]);
    }
    for (const std::int32_t* last = target + step.n_opened; target != last; ++target) {
#pragma GCC unroll 2
      for (int k = 0; k < n_weights; ++k) change<false>(so_far[k], got[*target * n_weights + k]);
    }
  }
  for (const std::int32_t number : stretch.targets) {
    std::int32_t* to = sums + number * size_of_target;
    for (int k = 0; k < n_weights; ++k) empty(*got++, to + k * columns_of_block);
  }
}

void add_stretch_avx2(const RowTable& table, const RowStretch& stretch, const TargetSums& to,
                      const std::uint8_t* patterns, StretchBuffers& buffers) {
  buffers.tables.grow_to(table.n_weights * bytes_of_weight);
  fill_tables_avx2(table, stretch, buffers.tables.data(), buffers.running.data());
  const std::size_t size_of_got = stretch.targets.size() * 2 * sizeof(WeightSums);
  buffers.got.grow_to(static_cast<Index>(size_of_got));
  std::fill_n(reinterpret_cast<short*>(buffers.got.data()), size_of_got / sizeof(short), emptied);
  auto* got = reinterpret_cast<WeightSums*>(buffers.got.data());
  const Index size_of_target = to.n_blocks * table.n_weights * columns_of_block;
  for (Index block = 0; block < to.n_blocks; ++block) {
    const std::uint8_t* from = patterns + (to.first_block + block) * bytes_of_block;
    for (Index k = 0; k < table.n_weights; k += 2) {
      const auto add = k + 1 < table.n_weights ? add_block<2> : add_block<1>;
      add(stretch, from, buffers.tables.data() + k * bytes_of_weight, got,
          to.sums + (block * table.n_weights + k) * columns_of_block, size_of_target);
    }
  }
}

#endif

}  // namespace

void add_stretch(const RowTable& table, const RowStretch& stretch, const TargetSums& to,
                 StretchBuffers& buffers, Instructions instructions) {
  buffers.patterns.grow_to(table.n_bytes / bytes_of_row * blocks_of_row * bytes_of_block);
  buffers.running.grow_to(quads_of_stretch * table.weight_stride);
  std::uint8_t* patterns = buffers.patterns.data();
  const auto fill = [&]() __attribute__((always_inline)) {
    fill_patterns(table, stretch, to.first_block, patterns);
  };
  with_avx2(instructions, fill);
#ifdef MDPD_HAS_AVX2
  if (instructions == Instructions::kAvx2)
    add_stretch_avx2(table, stretch, to, patterns, buffers);
  else
#endif
    add_stretch_portable(table, stretch, to, patterns, buffers.running.data());
  if (to.all_rows != nullptr) add_all_rows(table, stretch, buffers.running.data(), to.all_rows);
}

}  // namespace mdpd
