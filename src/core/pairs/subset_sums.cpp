#include "pairs/subset_sums.h"

#include <algorithm>

#include "base/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace mdpd {

namespace {

constexpr Index n_subsets = 16;
constexpr Index blocks_of_row = columns_of_row / columns_of_block;
constexpr Index bytes_of_block = quads_of_stretch * columns_of_block;
constexpr Index bytes_of_weight = quads_of_stretch * 2 * n_subsets;
/// Weights whose tables and sums the portable kernel treats at once.
constexpr Index n_together = 4;

using Bits = std::uint64_t __attribute__((vector_size(bytes_of_row)));
using Together = std::int32_t __attribute__((vector_size(n_together * sizeof(std::int32_t))));

[[gnu::always_inline]] inline void store_block(const Bits& patterns, std::uint8_t* to) {
  std::memcpy(to, &patterns, sizeof patterns);
}

/// From the bits of four rows the pattern of each column in its byte, block by block.
[[gnu::always_inline]] inline void transpose_quad(const std::uint8_t* const* rows,
                                                  std::uint8_t* to) {
  constexpr std::uint64_t even = 0x5555555555555555;
  constexpr std::uint64_t low_pairs = 0x3333333333333333;
  constexpr std::uint64_t low_half = 0x0F0F0F0F0F0F0F0F;
  Bits row[rows_of_quad];
  std::memcpy(&row[0], rows[0], sizeof row[0]);
  std::memcpy(&row[1], rows[1], sizeof row[1]);
  std::memcpy(&row[2], rows[2], sizeof row[2]);
  std::memcpy(&row[3], rows[3], sizeof row[3]);
  // Bits of two rows side by side, those of the even blocks and of the odd ones ...
  const Bits even_01 = (row[0] & even) | ((row[1] & even) << 1);
  const Bits even_23 = (row[2] & even) | ((row[3] & even) << 1);
  const Bits odd_01 = ((row[0] >> 1) & even) | (row[1] & ~even);
  const Bits odd_23 = ((row[2] >> 1) & even) | (row[3] & ~even);
  // ... then of four, those of blocks b and b + 4 in one byte.
  const Bits at_0 = (even_01 & low_pairs) | ((even_23 & low_pairs) << 2);
  const Bits at_1 = (odd_01 & low_pairs) | ((odd_23 & low_pairs) << 2);
  const Bits at_2 = ((even_01 >> 2) & low_pairs) | (even_23 & ~low_pairs);
  const Bits at_3 = ((odd_01 >> 2) & low_pairs) | (odd_23 & ~low_pairs);
  store_block(at_0 & low_half, to);
  store_block(at_1 & low_half, to + bytes_of_block);
  store_block(at_2 & low_half, to + 2 * bytes_of_block);
  store_block(at_3 & low_half, to + 3 * bytes_of_block);
  store_block((at_0 >> 4) & low_half, to + 4 * bytes_of_block);
  store_block((at_1 >> 4) & low_half, to + 5 * bytes_of_block);
  store_block((at_2 >> 4) & low_half, to + 6 * bytes_of_block);
  store_block((at_3 >> 4) & low_half, to + 7 * bytes_of_block);
}

/// The patterns of the blocks from `first` on; those of a few blocks before may be made as well.
[[gnu::always_inline]] inline void fill_patterns(const RowTable& table, const RowStretch& stretch,
                                                 Index first, std::uint8_t* patterns) {
  const Index first_byte = first / blocks_of_row * bytes_of_row;
  const std::uint8_t* bits = table.bits + first_byte;
  patterns += first_byte / bytes_of_row * blocks_of_row * bytes_of_block;
  for (Index quad = 0; quad < stretch.n_quads; ++quad, patterns += columns_of_block) {
    const std::uint32_t* at = stretch.rows + quad * rows_of_quad;
    // In the order of a pack's code: the hardware does not see the next ones coming.
    for (Index r = 0; r < rows_of_quad; ++r) {
      __builtin_prefetch(bits + at[quads_ahead * rows_of_quad + r] * table.n_bytes);
    }
    const std::uint8_t* rows[rows_of_quad] = {
        bits + at[0] * table.n_bytes, bits + at[1] * table.n_bytes, bits + at[2] * table.n_bytes,
        bits + at[3] * table.n_bytes};
    std::uint8_t* to = patterns;
    for (Index byte = first_byte; byte < table.n_bytes; byte += bytes_of_row) {
      transpose_quad(rows, to);
      to += blocks_of_row * bytes_of_block;
      rows[0] += bytes_of_row;
      rows[1] += bytes_of_row;
      rows[2] += bytes_of_row;
      rows[3] += bytes_of_row;
    }
  }
}

/// Adds up all rows of the targets.
void add_all_rows(const RowTable& table, const RowStretch& stretch, const std::int32_t* running,
                  std::int64_t* to) {
  const std::int32_t* change = stretch.changes;
  Index n_quads = 0;
  for (const SumStep* step = stretch.steps; step != stretch.steps + stretch.n_steps; ++step) {
    n_quads += step->n_quads;
    const std::int32_t* sums = running + (n_quads - 1) * table.weight_stride;
    for (std::int32_t c = 0; c < step->n_closed + step->n_opened; ++c, ++change) {
      std::int64_t* target = to + stretch.targets[*change] * table.n_weights;
      const std::int64_t sign = c < step->n_closed ? 1 : -1;
      for (Index k = 0; k < table.n_weights; ++k) target[k] += sign * sums[k];
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

/// The sums of one column: what each of the targets gets.
void add_column_portable(const RowStretch& stretch, const std::uint8_t* pattern,
                         const Together* tables, Together* open) {
  std::fill_n(open, stretch.n_targets, Together{});
  const std::int32_t* change = stretch.changes;
  Together sum{};
  for (Index s = 0; s < stretch.n_steps; ++s) {
    const SumStep& step = stretch.steps[s];
    for (Index quad = 0; quad < step.n_quads; ++quad) {
      sum += tables[*pattern];
      pattern += columns_of_block;
      tables += n_subsets;
    }
    for (Index c = 0; c < step.n_closed; ++c) open[*change++] += sum;
    for (Index c = 0; c < step.n_opened; ++c) open[*change++] -= sum;
  }
}

void add_stretch_portable(const RowTable& table, const RowStretch& stretch, const TargetSums& to,
                          const std::uint8_t* patterns, std::int32_t* running) {
  std::vector<Together> tables(stretch.n_quads * n_subsets);
  std::vector<Together> open(stretch.n_targets);
  const Index size_of_target = to.n_blocks * table.n_weights * columns_of_block;
  for (Index first = 0; first < table.n_weights; first += n_together) {
    fill_tables_portable(table, stretch, first, tables.data(), running);
    const Index n_weights = std::min(n_together, table.n_weights - first);
    for (Index column = 0; column < to.n_blocks * columns_of_block; ++column) {
      const Index block = column / columns_of_block;
      const Index within = column % columns_of_block;
      add_column_portable(stretch, patterns + (to.first_block + block) * bytes_of_block + within,
                          tables.data(), open.data());
      std::int32_t* cell =
          to.sums + (block * table.n_weights + first) * columns_of_block + place_in_block[within];
      for (Index target = 0; target < stretch.n_targets; ++target) {
        for (Index k = 0; k < n_weights; ++k) {
          cell[stretch.targets[target] * size_of_target + k * columns_of_block] += open[target][k];
        }
      }
    }
  }
}

// For AVX2 ---------------------------------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__)

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

[[gnu::target("avx2"), gnu::always_inline]] inline __m128i load_weights(
    const std::uint16_t* weights) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights));
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
      const std::uint16_t* weights = table.weights + first;
      const __m128i row_0 = load_weights(weights + at[0] * table.weight_stride);
      const __m128i row_1 = load_weights(weights + at[1] * table.weight_stride);
      const __m128i row_2 = load_weights(weights + at[2] * table.weight_stride);
      const __m128i row_3 = load_weights(weights + at[3] * table.weight_stride);
      __m256i all = _mm256_cvtepu16_epi32(
          _mm_add_epi16(_mm_add_epi16(row_0, row_1), _mm_add_epi16(row_2, row_3)));
      auto* sums = reinterpret_cast<__m256i*>(running + quad * table.weight_stride + first);
      if (quad > 0) all = _mm256_add_epi32(all, sums[-table.weight_stride / limbs_of_vector]);
      _mm256_store_si256(sums, all);
      alignas(32) long long first_two[limbs_of_vector];
      alignas(32) long long last_two[limbs_of_vector];
      sum_two_rows(row_0, row_1, first_two);
      sum_two_rows(row_2, row_3, last_two);
      const Index n = std::min(limbs_of_vector, table.n_weights - first);
      for (Index k = 0; k < n; ++k) {
        store_table(first_two[k], last_two[k], tables + (first + k) * bytes_of_weight);
      }
    }
  }
}

/// Sums of bytes, of even columns and of odd ones, in 16 bits.
struct ByteSums {
  __m256i both;  ///< of even columns, plus 256 times that of odd columns, modulo 2^16
  __m256i odd;
};

[[gnu::target("avx2"), gnu::always_inline]] inline void clear(ByteSums& sums) {
  sums.both = sums.odd = _mm256_setzero_si256();
}

[[gnu::target("avx2"), gnu::always_inline]] inline void look_up(const std::uint8_t* table,
                                                                const __m256i& patterns,
                                                                ByteSums& sums) {
  const __m256i bytes = _mm256_shuffle_epi8(
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))),
      patterns);
  sums.both = _mm256_add_epi16(sums.both, bytes);
  // A product, as processors that shift in the ports of the look-up multiply in others.
  const __m256i odd = _mm256_maddubs_epi16(bytes, _mm256_set1_epi16(0x100));
  sums.odd = _mm256_add_epi16(sums.odd, odd);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i even_of(const ByteSums& sums) {
  return _mm256_sub_epi16(sums.both, _mm256_slli_epi16(sums.odd, 8));
}

/// Sums of both bytes of one weight, for the columns of a block.
struct WeightSums {
  ByteSums low;
  ByteSums high;
};
constexpr Index vectors_of_sums = sizeof(WeightSums) / sizeof(__m256i);
/// What each 16-bit sum of an empty target is: -2^15, for the products take signed numbers.
constexpr short emptied = -0x8000;

[[gnu::target("avx2"), gnu::always_inline]] inline void close(const WeightSums& sums, __m256i* to) {
  _mm256_store_si256(to, _mm256_add_epi16(_mm256_load_si256(to), sums.low.both));
  _mm256_store_si256(to + 1, _mm256_add_epi16(_mm256_load_si256(to + 1), sums.low.odd));
  _mm256_store_si256(to + 2, _mm256_add_epi16(_mm256_load_si256(to + 2), sums.high.both));
  _mm256_store_si256(to + 3, _mm256_add_epi16(_mm256_load_si256(to + 3), sums.high.odd));
}

[[gnu::target("avx2"), gnu::always_inline]] inline void open(const WeightSums& sums, __m256i* to) {
  _mm256_store_si256(to, _mm256_sub_epi16(_mm256_load_si256(to), sums.low.both));
  _mm256_store_si256(to + 1, _mm256_sub_epi16(_mm256_load_si256(to + 1), sums.low.odd));
  _mm256_store_si256(to + 2, _mm256_sub_epi16(_mm256_load_si256(to + 2), sums.high.both));
  _mm256_store_si256(to + 3, _mm256_sub_epi16(_mm256_load_si256(to + 3), sums.high.odd));
}

/// Empties what a target got of one weight into its 32-bit sums.
[[gnu::target("avx2"), gnu::always_inline]] inline void empty(__m256i* from, std::int32_t* to) {
  const __m256i scale = _mm256_set1_epi32(1 + (256 << 16));
  const __m256i halves = _mm256_set1_epi32(257 << 15);
  const ByteSums low = {_mm256_load_si256(from), _mm256_load_si256(from + 1)};
  const ByteSums high = {_mm256_load_si256(from + 2), _mm256_load_si256(from + 3)};
  const __m256i even_low = even_of(low);
  const __m256i even_high = even_of(high);
  const __m256i sums[] = {_mm256_madd_epi16(_mm256_unpacklo_epi16(even_low, even_high), scale),
                          _mm256_madd_epi16(_mm256_unpackhi_epi16(even_low, even_high), scale),
                          _mm256_madd_epi16(_mm256_unpacklo_epi16(low.odd, high.odd), scale),
                          _mm256_madd_epi16(_mm256_unpackhi_epi16(low.odd, high.odd), scale)};
  auto* cell = reinterpret_cast<__m256i*>(to);
  for (int v = 0; v < 4; ++v) {
    const __m256i sum = _mm256_add_epi32(sums[v], halves);
    _mm256_store_si256(cell + v, _mm256_add_epi32(_mm256_load_si256(cell + v), sum));
    _mm256_store_si256(from + v, _mm256_set1_epi16(emptied));
  }
}

/// One weight, or two that share the patterns, of one block.
/// @param got targets x weights: all emptied, before and after.
template <bool two>
[[gnu::target("avx2"), gnu::always_inline]] inline void add_block(const RowStretch& stretch,
                                                                  const std::uint8_t* patterns,
                                                                  const std::uint8_t* tables,
                                                                  __m256i* got, std::int32_t* sums,
                                                                  Index size_of_target) {
  constexpr Index vectors_of_target = (two ? 2 : 1) * vectors_of_sums;
  WeightSums first;
  WeightSums second;
  clear(first.low);
  clear(first.high);
  clear(second.low);
  clear(second.high);
  const std::int32_t* change = stretch.changes;
  for (const SumStep* step = stretch.steps; step != stretch.steps + stretch.n_steps; ++step) {
    const std::uint8_t* const end = tables + step->n_quads * 2 * n_subsets;
    for (; tables != end; tables += 2 * n_subsets, patterns += columns_of_block) {
      const __m256i pattern = _mm256_load_si256(reinterpret_cast<const __m256i*>(patterns));
      look_up(tables, pattern, first.low);
      look_up(tables + n_subsets, pattern, first.high);
      if (!two) continue;
      look_up(tables + bytes_of_weight, pattern, second.low);
      look_up(tables + bytes_of_weight + n_subsets, pattern, second.high);
    }
    for (const std::int32_t* last = change + step->n_closed; change != last; ++change) {
      __m256i* target = got + *change * vectors_of_target;
      close(first, target);
      if (two) close(second, target + vectors_of_sums);
    }
    for (const std::int32_t* last = change + step->n_opened; change != last; ++change) {
      __m256i* target = got + *change * vectors_of_target;
      open(first, target);
      if (two) open(second, target + vectors_of_sums);
    }
  }
  for (Index t = 0; t < stretch.n_targets; ++t, got += vectors_of_target) {
    std::int32_t* to = sums + stretch.targets[t] * size_of_target;
    empty(got, to);
    if (two) empty(got + vectors_of_sums, to + columns_of_block);
  }
}

[[gnu::target("avx2")]] void add_stretch_avx2(const RowTable& table, const RowStretch& stretch,
                                              const TargetSums& to, const std::uint8_t* patterns,
                                              StretchBuffers& buffers) {
  buffers.tables.grow_to(table.n_weights * bytes_of_weight);
  buffers.got.grow_to(stretch.n_targets * 2 * sizeof(WeightSums));
  fill_tables_avx2(table, stretch, buffers.tables.data(), buffers.running.data());
  std::fill_n(reinterpret_cast<short*>(buffers.got.data()),
              stretch.n_targets * 2 * sizeof(WeightSums) / sizeof(short), emptied);
  auto* got = reinterpret_cast<__m256i*>(buffers.got.data());
  const Index size_of_target = to.n_blocks * table.n_weights * columns_of_block;
  for (Index block = 0; block < to.n_blocks; ++block) {
    const std::uint8_t* from = patterns + (to.first_block + block) * bytes_of_block;
    for (Index k = 0; k < table.n_weights; k += 2) {
      const std::uint8_t* tables = buffers.tables.data() + k * bytes_of_weight;
      std::int32_t* sums = to.sums + (block * table.n_weights + k) * columns_of_block;
      if (k + 1 < table.n_weights)
        add_block<true>(stretch, from, tables, got, sums, size_of_target);
      else
        add_block<false>(stretch, from, tables, got, sums, size_of_target);
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
  std::int32_t* running = buffers.running.data();
  const auto fill = [&]() __attribute__((always_inline)) {
    fill_patterns(table, stretch, to.first_block, patterns);
  };
  with_avx2(instructions, fill);
#if defined(__x86_64__) && defined(__GNUC__)
  if (instructions == Instructions::kAvx2)
    add_stretch_avx2(table, stretch, to, patterns, buffers);
  else
#endif
    add_stretch_portable(table, stretch, to, patterns, running);
  if (to.all_rows != nullptr) add_all_rows(table, stretch, running, to.all_rows);
}

}  // namespace mdpd
