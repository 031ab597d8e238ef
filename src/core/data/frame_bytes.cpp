#include "data/frame_bytes.h"

#include "data/make_data.h"

namespace mdpd {

namespace {

constexpr char kind[] = "MDPDFRAM";

// Of an item: its number of levels, how many were seen, whether one is missing, its weight and its
// log-likelihood.
constexpr std::size_t n_bytes_item = 4 + 4 + 1 + 8 + 8;

Vector read_reals(ByteReader& in, Index n) {
  const auto reals = in.read_vector<double>(static_cast<std::size_t>(n));
  return Eigen::Map<const Vector>(reals.data(), n);
}

}  // namespace

Bytes frame_to_bytes(const CodedData& frame, const std::vector<Index>& held) {
  ByteWriter out(kind);
  out.write(frame.weight_unit);
  out.write(frame.total_weight);
  out.write(static_cast<std::int64_t>(frame.most_repeats));
  out.write(static_cast<std::uint64_t>(frame.n_items));
  out.write_counts(frame.n_levels);
  out.write_counts(frame.n_levels_seen);
  for (const bool has : frame.has_missing) out.write(static_cast<std::uint8_t>(has));
  out.write_all(frame.observed_weight.data(), frame.observed_weight.size());
  out.write_all(frame.marginal_loglik.data(), frame.marginal_loglik.size());
  out.write_all(frame.level_weight.data(), frame.level_weight.size());
  out.write(static_cast<std::uint64_t>(held.size()));
  out.write_counts(held);
  return out.finish();
}

RowFrame frame_from_bytes(const Bytes& bytes) {
  ByteReader in(bytes, kind);
  const double weight_unit = in.read<double>();
  const double total_weight = in.read<double>();
  const auto most_repeats = static_cast<Index>(in.read<std::int64_t>());
  const auto n_items = static_cast<Index>(in.read_count(n_bytes_item));
  CodedData frame = make_frame(in.read_counts(n_items), weight_unit, most_repeats);
  frame.total_weight = total_weight;
  frame.n_levels_seen = in.read_counts(n_items);
  frame.has_missing.resize(n_items);
  for (Index item = 0; item < n_items; ++item)
    frame.has_missing[item] = in.read<std::uint8_t>() != 0;
  frame.observed_weight = read_reals(in, n_items);
  frame.marginal_loglik = read_reals(in, n_items);
  frame.level_weight = read_reals(in, frame.n_total_levels());
  std::vector<Index> held = in.read_counts(in.read_count(sizeof(std::uint32_t)));
  in.finish();
  return {std::move(frame), std::move(held)};
}

}  // namespace mdpd
