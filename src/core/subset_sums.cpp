#include "subset_sums.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace mdpd {

namespace {

constexpr Index n_subsets = 16;
constexpr Index most_quads = rows_of_run / rows_of_quad;
constexpr Index blocks_of_row = columns_of_row / columns_of_block;
/// Weights whose tables and sums the portable kernel treats at once.
constexpr Index n_together = 4;

using Bits = std::uint64_t __attribute__((vector_size(bytes_of_row)));
using Together = std::int32_t __attribute__((vector_size(n_together * sizeof(std::int32_t))));

Index n_quads_of(const RowRun& run) { return (run.n_rows + rows_of_quad - 1) / rows_of_quad; }

[[gnu::always_inline]] inline void store_block(const Bits& patterns, std::uint8_t* to) {
  std::memcpy(to, &patterns, sizeof patterns);
}

/// From the bits of four rows the pattern of each column in its byte, block by block.
[[gnu::always_inline]] inline void transpose_quad(const std::uint8_t* const* rows,
                                                  std::uint8_t* to) {
  constexpr Index step = most_quads * columns_of_block;
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
  store_block(at_1 & low_half, to + step);
  store_block(at_2 & low_half, to + 2 * step);
  store_block(at_3 & low_half, to + 3 * step);
  store_block((at_0 >> 4) & low_half, to + 4 * step);
  store_block((at_1 >> 4) & low_half, to + 5 * step);
  store_block((at_2 >> 4) & low_half, to + 6 * step);
  store_block((at_3 >> 4) & low_half, to + 7 * step);
}

/// Rows come in the order of a pack's code: the hardware does not see the next one coming.
void prefetch_rows(const RowRun& run, Index first_byte) {
  for (Index at = 0; at < run.n_rows; ++at) {
    const std::uint8_t* bits = run.bits + run.rows[at] * run.n_bytes + first_byte;
    __builtin_prefetch(bits);
    __builtin_prefetch(bits + bytes_of_row);
    __builtin_prefetch(run.weights + run.rows[at] * run.weight_stride);
  }
}

/// The patterns of the blocks from `first` on; those of a few blocks before may be made as well.
[[gnu::always_inline]] inline void fill_patterns(const RowRun& run, Index first,
                                                 RunBuffers& buffers) {
  const Index first_byte = first / blocks_of_row * bytes_of_row;
  const Index n_quads = n_quads_of(run);
  const std::uint8_t* bits = run.bits + first_byte;
  std::uint8_t* to = buffers.patterns.data() +
                     first_byte / bytes_of_row * blocks_of_row * most_quads * columns_of_block;
  for (Index quad = 0; quad < n_quads; ++quad) {
    const std::uint32_t* at = buffers.rows.data() + quad * rows_of_quad;
    const std::uint8_t* rows[rows_of_quad] = {
        bits + at[0] * run.n_bytes, bits + at[1] * run.n_bytes, bits + at[2] * run.n_bytes,
        bits + at[3] * run.n_bytes};
    std::uint8_t* patterns = to + quad * columns_of_block;
    for (Index byte = first_byte; byte < run.n_bytes; byte += bytes_of_row) {
      transpose_quad(rows, patterns);
      patterns += blocks_of_row * most_quads * columns_of_block;
      rows[0] += bytes_of_row;
      rows[1] += bytes_of_row;
      rows[2] += bytes_of_row;
      rows[3] += bytes_of_row;
    }
  }
}

// For every processor ----------------------------------------------------------------------------

/// Per quad and subset the sums of up to n_together weights side by side.
void fill_tables_portable(const RowRun& run, Index first_weight, Together* tables) {
  for (Index quad = 0; quad < n_quads_of(run); ++quad) {
    Together rows[rows_of_quad] = {};
    for (Index r = 0; r < rows_of_quad && quad * rows_of_quad + r < run.n_rows; ++r) {
      const std::uint16_t* weights =
          run.weights + run.rows[quad * rows_of_quad + r] * run.weight_stride + first_weight;
      for (Index k = 0; k < n_together; ++k) rows[r][k] = weights[k];
    }
    Together* table = tables + quad * n_subsets;
    table[0] = Together{};
    for (Index r = 0; r < rows_of_quad; ++r) {
      for (Index subset = 0; subset < Index{1} << r; ++subset) {
        table[subset + (Index{1} << r)] = table[subset] + rows[r];
      }
    }
  }
}

void add_run_portable(const RowRun& run, const BlockSums& to, const Index* targets, Index n_targets,
                      RunBuffers& buffers) {
  fill_patterns(run, to.first_block, buffers);
  const Index n_quads = n_quads_of(run);
  std::vector<Together> tables(n_quads * n_subsets);
  for (Index first = 0; first < run.n_weights; first += n_together) {
    fill_tables_portable(run, first, tables.data());
    const Index n_weights = std::min(n_together, run.n_weights - first);
    for (Index column = 0; column < to.n_blocks * columns_of_block; ++column) {
      const Index block = column / columns_of_block;
      const Index within = column % columns_of_block;
      const std::uint8_t* pattern = buffers.patterns.data() +
                                    (to.first_block + block) * most_quads * columns_of_block +
                                    within;
      Together sum{};
      for (Index quad = 0; quad < n_quads; ++quad) {
        sum += tables[quad * n_subsets + pattern[quad * columns_of_block]];
      }
      std::int32_t* cell =
          to.sums + (block * run.n_weights + first) * columns_of_block + place_in_block[within];
      for (Index target = 0; target < n_targets; ++target) {
        for (Index k = 0; k < n_weights; ++k) {
          cell[targets[target] + k * columns_of_block] += sum[k];
        }
      }
    }
  }
}

// For AVX2 ---------------------------------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__)

/// Stores a weight's table for one quad, the low bytes of the sums of all subsets, then their high
/// bytes, from the weights of its four rows.
[[gnu::target("avx2"), gnu::always_inline]] inline void store_table(long long weights,
                                                                    std::uint8_t* to) {
  // Where a subset has row r, the two bytes of its weight, and else 0.
  const __m256i row_0 = _mm256_set_epi16(0x100, -1, 0x100, -1, 0x100, -1, 0x100, -1, 0x100, -1,
                                         0x100, -1, 0x100, -1, 0x100, -1);
  const __m256i row_1 = _mm256_set_epi16(0x302, 0x302, -1, -1, 0x302, 0x302, -1, -1, 0x302, 0x302,
                                         -1, -1, 0x302, 0x302, -1, -1);
  const __m256i row_2 = _mm256_set_epi16(0x504, 0x504, 0x504, 0x504, -1, -1, -1, -1, 0x504, 0x504,
                                         0x504, 0x504, -1, -1, -1, -1);
  const __m256i row_3 = _mm256_set_epi16(0x706, 0x706, 0x706, 0x706, 0x706, 0x706, 0x706, 0x706, -1,
                                         -1, -1, -1, -1, -1, -1, -1);
  const __m256i low_then_high =
      _mm256_set_epi8(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3,
                      1, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m256i all = _mm256_set1_epi64x(weights);
  const __m256i sums = _mm256_add_epi16(
      _mm256_add_epi16(_mm256_shuffle_epi8(all, row_0), _mm256_shuffle_epi8(all, row_1)),
      _mm256_add_epi16(_mm256_shuffle_epi8(all, row_2), _mm256_shuffle_epi8(all, row_3)));
  const __m256i bytes = _mm256_shuffle_epi8(sums, low_then_high);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(bytes, 0xD8));
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m128i load_weights(const RowRun& run, Index at,
                                                                        Index weight) {
  if (at >= run.n_rows) return _mm_setzero_si128();
  return _mm_loadu_si128(
      reinterpret_cast<const __m128i*>(run.weights + run.rows[at] * run.weight_stride + weight));
}

/// The tables of all weights and quads.
[[gnu::target("avx2")]] void fill_tables_avx2(const RowRun& run, std::uint8_t* tables) {
  for (Index quad = 0; quad < n_quads_of(run); ++quad) {
    for (Index first = 0; first < run.n_weights; first += digits_of_vector) {
      const Index at = quad * rows_of_quad;
      const __m128i row_0 = load_weights(run, at, first);
      const __m128i row_1 = load_weights(run, at + 1, first);
      const __m128i row_2 = load_weights(run, at + 2, first);
      const __m128i row_3 = load_weights(run, at + 3, first);
      const __m128i low_01 = _mm_unpacklo_epi16(row_0, row_1);
      const __m128i low_23 = _mm_unpacklo_epi16(row_2, row_3);
      const __m128i high_01 = _mm_unpackhi_epi16(row_0, row_1);
      const __m128i high_23 = _mm_unpackhi_epi16(row_2, row_3);
      alignas(32) long long of_weight[digits_of_vector];  // the quad's four, side by side
      auto* to = reinterpret_cast<__m128i*>(of_weight);
      _mm_store_si128(to, _mm_unpacklo_epi32(low_01, low_23));
      _mm_store_si128(to + 1, _mm_unpackhi_epi32(low_01, low_23));
      _mm_store_si128(to + 2, _mm_unpacklo_epi32(high_01, high_23));
      _mm_store_si128(to + 3, _mm_unpackhi_epi32(high_01, high_23));
      const Index n = std::min(digits_of_vector, run.n_weights - first);
      for (Index k = 0; k < n; ++k) {
        store_table(of_weight[k], tables + ((first + k) * most_quads + quad) * 2 * n_subsets);
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
  sums.odd = _mm256_add_epi16(sums.odd, _mm256_srli_epi16(bytes, 8));
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i even_of(const ByteSums& sums) {
  return _mm256_sub_epi16(sums.both, _mm256_slli_epi16(sums.odd, 8));
}

/// Adds a block's sums of one weight to all targets.
[[gnu::target("avx2"), gnu::always_inline]] inline void add_to_targets(const ByteSums& low,
                                                                       const ByteSums& high,
                                                                       std::int32_t* first,
                                                                       const Index* targets,
                                                                       Index n_targets) {
  const __m256i scale = _mm256_set1_epi32(1 + (256 << 16));
  const __m256i even_low = even_of(low);
  const __m256i even_high = even_of(high);
  const __m256i sums_0 = _mm256_madd_epi16(_mm256_unpacklo_epi16(even_low, even_high), scale);
  const __m256i sums_1 = _mm256_madd_epi16(_mm256_unpackhi_epi16(even_low, even_high), scale);
  const __m256i sums_2 = _mm256_madd_epi16(_mm256_unpacklo_epi16(low.odd, high.odd), scale);
  const __m256i sums_3 = _mm256_madd_epi16(_mm256_unpackhi_epi16(low.odd, high.odd), scale);
  for (Index target = 0; target < n_targets; ++target) {
    auto* cell = reinterpret_cast<__m256i*>(first + targets[target]);
    _mm256_storeu_si256(cell, _mm256_add_epi32(_mm256_loadu_si256(cell), sums_0));
    _mm256_storeu_si256(cell + 1, _mm256_add_epi32(_mm256_loadu_si256(cell + 1), sums_1));
    _mm256_storeu_si256(cell + 2, _mm256_add_epi32(_mm256_loadu_si256(cell + 2), sums_2));
    _mm256_storeu_si256(cell + 3, _mm256_add_epi32(_mm256_loadu_si256(cell + 3), sums_3));
  }
}

/// One weight, or two that share the patterns, of one block.
template <bool two>
[[gnu::target("avx2"), gnu::always_inline]] inline void add_block(
    const std::uint8_t* patterns, const std::uint8_t* tables, Index n_quads, std::int32_t* first,
    const Index* targets, Index n_targets) {
  constexpr Index next_weight = most_quads * 2 * n_subsets;
  ByteSums low_0;
  ByteSums high_0;
  ByteSums low_1;
  ByteSums high_1;
  clear(low_0);
  clear(high_0);
  clear(low_1);
  clear(high_1);
  const std::uint8_t* const end = tables + n_quads * 2 * n_subsets;
  for (const std::uint8_t* table = tables; table != end; table += 2 * n_subsets) {
    const __m256i pattern = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(patterns));
    patterns += columns_of_block;
    look_up(table, pattern, low_0);
    look_up(table + n_subsets, pattern, high_0);
    if (!two) continue;
    look_up(table + next_weight, pattern, low_1);
    look_up(table + next_weight + n_subsets, pattern, high_1);
  }
  add_to_targets(low_0, high_0, first, targets, n_targets);
  if (two) add_to_targets(low_1, high_1, first + columns_of_block, targets, n_targets);
}

[[gnu::target("avx2")]] void add_run_avx2(const RowRun& run, const BlockSums& to,
                                          const Index* targets, Index n_targets,
                                          RunBuffers& buffers) {
  fill_tables_avx2(run, buffers.tables.data());
  fill_patterns(run, to.first_block, buffers);
  const Index n_quads = n_quads_of(run);
  for (Index k = 0; k < run.n_weights; k += 2) {
    const std::uint8_t* tables = buffers.tables.data() + k * most_quads * 2 * n_subsets;
    for (Index block = 0; block < to.n_blocks; ++block) {
      const std::uint8_t* patterns =
          buffers.patterns.data() + (to.first_block + block) * most_quads * columns_of_block;
      std::int32_t* first = to.sums + (block * run.n_weights + k) * columns_of_block;
      if (k + 1 < run.n_weights)
        add_block<true>(patterns, tables, n_quads, first, targets, n_targets);
      else
        add_block<false>(patterns, tables, n_quads, first, targets, n_targets);
    }
  }
}

#endif

}  // namespace

void add_run(const RowRun& run, const BlockSums& to, const Index* targets, Index n_targets,
             RunBuffers& buffers, Instructions instructions) {
  prefetch_rows(run, to.first_block / blocks_of_row * bytes_of_row);
  // Rows that only fill the last quad have no weight, whatever their bits.
  buffers.rows.assign(n_quads_of(run) * rows_of_quad, run.rows[0]);
  std::copy_n(run.rows, run.n_rows, buffers.rows.begin());
  buffers.patterns.resize(run.n_bytes / bytes_of_row * columns_of_row * most_quads);
  buffers.tables.resize(run.n_weights * most_quads * 2 * n_subsets);
#if defined(__x86_64__) && defined(__GNUC__)
  if (instructions != Instructions::kPortable) {
    add_run_avx2(run, to, targets, n_targets, buffers);
    return;
  }
#endif
  add_run_portable(run, to, targets, n_targets, buffers);
}

}  // namespace mdpd
