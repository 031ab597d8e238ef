// Hands the reader of row stores files made of the fuzzer's bytes: as they come, or with the right
// beginning and checksum around them, so that what they say is looked at. Either it says
// DamagedShard, or what was read can be written, read again and computed with. Built and run by
// tools/fuzz-core.

#include <fstream>

#include "data/blocked_rows.h"
#include "data/recode_shard.h"
#include "input.h"
#include "temporary_path.h"

namespace mdpd {

namespace {

/// What it is, and the version.
const std::string beginning = "MDPDROWS" + std::string{1, 0, 0, 0};

std::uint64_t checksum_within(const Bytes& bytes) {
  return checksum_of(bytes.data(), bytes.size() > 8 ? bytes.size() - 8 : 0);
}

bool is_same(const Shard& a, const Shard& b) {
  return a.n_obs == b.n_obs && a.n_items == b.n_items && a.is_dense == b.is_dense &&
         a.codes == b.codes && a.row_start == b.row_start && a.items == b.items &&
         a.answers == b.answers && a.case_weights == b.case_weights && a.known == b.known;
}

class OneShard : public RowSource {
 public:
  explicit OneShard(const Shard& shard) : shard_(shard) {}
  Index n_blocks() const override { return 1; }
  Shard read(Index) const override { return shard_; }

 private:
  const Shard& shard_;
};

void try_file(Input in) {
  static const std::string path = temporary_path("fuzzed");
  std::vector<Index> n_levels(static_cast<std::size_t>(1 + in.below(6)));
  for (Index& n : n_levels) n = 1 + in.below(6);
  const bool is_sealed = !in.rarely();
  Bytes bytes = in.rest();
  if (is_sealed) bytes = sealed(beginning, std::move(bytes));
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  Shard shard;
  try {
    shard = read_shard(path, n_levels, checksum_within(bytes));
  } catch (const DamagedShard&) {
    return;
  }
  must(level_weights(shard, n_levels).allFinite(), "levels have a weight");
  const std::uint64_t checksum = write_shard(path, shard);
  must(is_same(read_shard(path, n_levels, checksum), shard), "what is written is read");
  if (shard.n_obs == 0) return;
  const OneShard source(shard);
  const BlockedRows rows(source, n_levels, 1, 0.0);
  must(rows.n_obs() == shard.n_obs, "every row is counted");
}

}  // namespace

}  // namespace mdpd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
  mdpd::try_file({bytes, n});
  return 0;
}
