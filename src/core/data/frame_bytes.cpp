#include "data/frame_bytes.h"

#include <limits>

#include "data/make_data.h"

namespace mdpd {

namespace {

constexpr char kind[] = "MDPDFRAM";

// Of an item: its number of levels, how many were seen, whether one is missing, its weight and its
// log-likelihood.
constexpr std::size_t n_bytes_item = 4 + 4 + 1 + 8 + 8;

void read_vector(ByteReader& in, Index n, Vector& out) {
  out.resize(n);
  in.read_reals(out.data(), static_cast<std::size_t>(n));
}

}  // namespace

Bytes frame_to_bytes(const CodedData& frame, const std::vector<Index>& held) {
  ByteWriter out(kind);
  out.write_real(frame.weight_unit);
  out.write_real(frame.total_weight);
  out.write(static_cast<std::int64_t>(frame.most_repeats));
  out.write(static_cast<std::uint64_t>(frame.n_items));
  for (const Index n : frame.n_levels) out.write(static_cast<std::uint32_t>(n));
  for (const Index n : frame.n_levels_seen) out.write(static_cast<std::uint32_t>(n));
  for (const bool has : frame.has_missing) out.write(static_cast<std::uint8_t>(has));
  out.write_reals(frame.observed_weight.data(), frame.observed_weight.size());
  out.write_reals(frame.marginal_loglik.data(), frame.marginal_loglik.size());
  out.write_reals(frame.level_weight.data(), frame.level_weight.size());
  out.write(static_cast<std::uint64_t>(held.size()));
  for (const Index component : held) out.write(static_cast<std::uint32_t>(component));
  return out.finish();
}

RowFrame frame_from_bytes(const Bytes& bytes) {
  ByteReader in(bytes, kind);
  const double weight_unit = in.read_real();
  const double total_weight = in.read_real();
  const auto most_repeats = static_cast<Index>(in.read<std::int64_t>());
  const auto n_items = static_cast<Index>(in.read_count(n_bytes_item));
  std::vector<Index> n_levels(n_items);
  for (Index& n : n_levels) n = in.read<std::uint32_t>();
  CodedData frame = make_frame(std::move(n_levels), weight_unit, most_repeats);
  frame.total_weight = total_weight;
  frame.n_levels_seen.resize(n_items);
  for (Index& n : frame.n_levels_seen) n = in.read<std::uint32_t>();
  frame.has_missing.resize(n_items);
  for (Index item = 0; item < n_items; ++item)
    frame.has_missing[item] = in.read<std::uint8_t>() != 0;
  read_vector(in, n_items, frame.observed_weight);
  read_vector(in, n_items, frame.marginal_loglik);
  // As many as can be counted in bytes.
  constexpr Index most_levels = std::numeric_limits<Index>::max() / Index{sizeof(double)};
  if (frame.n_total_levels() > most_levels) ByteReader::fail("it has a count that cannot be");
  in.require_left(static_cast<std::size_t>(frame.n_total_levels()) * sizeof(double));
  read_vector(in, frame.n_total_levels(), frame.level_weight);
  std::vector<Index> held(in.read_count(sizeof(std::uint32_t)));
  for (Index& component : held) component = in.read<std::uint32_t>();
  in.finish();
  return {std::move(frame), std::move(held)};
}

}  // namespace mdpd
