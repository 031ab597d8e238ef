#include "data/shard_file.h"

#include <algorithm>
#include <fstream>

#include "base/bytes.h"
#include "data/make_data.h"

namespace mdpd {

namespace {

constexpr char kind_of_rows[] = "MDPDROWS";
constexpr std::uint32_t flag_sparse = 1;
constexpr std::uint32_t flag_weights = 2;
constexpr std::uint32_t flag_repeats = 4;
constexpr std::uint32_t flag_known = 8;

// Writing -------------------------------------------------------------------------------------------

bool has_weights(const Shard& shard) { return (shard.case_weights.array() != 1.0).any(); }

void require_sizes(const Shard& shard) {
  const auto n_obs = static_cast<std::size_t>(shard.n_obs);
  require(shard.case_weights.size() == shard.n_obs, "one case weight per row");
  require(shard.known.empty() || shard.known.size() == n_obs, "one known label per row");
  require(shard.is_dense ? shard.codes.size() == n_obs * static_cast<std::size_t>(shard.n_items)
                         : shard.row_start.size() == n_obs + 1 &&
                               shard.row_start.back() == shard.items.size() &&
                               shard.items.size() == shard.answers.size(),
          "the codes do not fit the rows and items of the shard");
}

std::vector<std::uint32_t> answers_of_rows(const Shard& shard) {
  std::vector<std::uint32_t> out(shard.n_obs);
  for (Index row = 0; row < shard.n_obs; ++row) {
    out[row] = static_cast<std::uint32_t>(shard.row_start[row + 1] - shard.row_start[row]);
  }
  return out;
}

std::uint32_t flags_of(const Shard& shard) {
  std::uint32_t flags = shard.is_dense ? 0 : flag_sparse;
  if (has_weights(shard)) flags |= flag_weights;
  if (most_repeats(shard) > 1) flags |= flag_repeats;
  if (n_known(shard) > 0) flags |= flag_known;
  return flags;
}

Bytes bytes_of_shard(const Shard& shard) {
  ByteWriter out(kind_of_rows);
  out.write(flags_of(shard));
  out.write(static_cast<std::uint64_t>(shard.n_obs));
  out.write(static_cast<std::uint64_t>(shard.n_items));
  out.write(static_cast<std::uint64_t>(n_answers(shard)));
  const auto write = [&](const auto& numbers) { out.write_all(numbers.data(), numbers.size()); };
  if (shard.is_dense) {
    write(shard.codes);
  } else {
    write(answers_of_rows(shard));
    write(shard.items);
    write(shard.answers);
  }
  if (has_weights(shard)) write(shard.case_weights);
  if (n_known(shard) > 0) write(shard.known);
  return out.finish();
}

// Reading -------------------------------------------------------------------------------------------

[[noreturn]] void fail(const char* problem) { ByteReader::fail(problem); }

Bytes bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DamagedShard(path + ": it cannot be opened");
  // A folder is opened, and has a length, but no first byte.
  in.peek();
  in.seekg(0, std::ios::end);
  Bytes bytes(in ? static_cast<std::size_t>(in.tellg()) : 0);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw DamagedShard(path + ": it cannot be read");
  return bytes;
}

struct Header {
  std::uint32_t flags = 0;
  std::uint64_t n_obs = 0;
  std::uint64_t n_items = 0;
  std::uint64_t n_answers = 0;

  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

/// No count can be larger than the file, and counts are limited before they are multiplied.
/// @param most bytes of the file.
Header read_header(ByteReader& in, std::uint64_t most) {
  Header header;
  header.flags = in.read<std::uint32_t>();
  header.n_obs = in.read<std::uint64_t>();
  header.n_items = in.read<std::uint64_t>();
  header.n_answers = in.read<std::uint64_t>();
  constexpr std::uint64_t most_items = std::uint64_t{1} << 32;
  // A row fills a byte at least: of dense rows, one of each item.
  bool fits = header.n_obs <= most && header.n_items > 0 && header.n_items < most_items;
  fits = fits &&
         (header.has(flag_sparse) ? header.n_answers <= most
                                  : header.n_obs == 0 || header.n_items <= most / header.n_obs);
  if (!fits) fail("its sizes cannot be");
  return header;
}

void read_answers(ByteReader& in, const Header& header, Shard& shard) {
  const auto n_of_row = in.read_vector<std::uint32_t>(header.n_obs);
  shard.row_start.assign(header.n_obs + 1, 0);
  for (std::uint64_t row = 0; row < header.n_obs; ++row) {
    const std::uint64_t start = shard.row_start[row];
    // More than there are stays more than there are, and 32 bits hold it.
    const std::uint64_t most = header.n_answers + 1 - start;
    shard.row_start[row + 1] = start + std::min<std::uint64_t>(n_of_row[row], most);
  }
  shard.items = in.read_vector<std::uint32_t>(header.n_answers);
  shard.answers = in.read_vector<Code>(header.n_answers);
}

// Checks --------------------------------------------------------------------------------------------

void check_dense(const Shard& shard, const std::vector<Index>& n_levels) {
  for (Index item = 0; item < shard.n_items; ++item) {
    const Code* codes = shard.codes.data() + item * shard.n_obs;
    Code largest = 0;
    for (Index row = 0; row < shard.n_obs; ++row) largest = std::max(largest, codes[row]);
    if (largest > n_levels[item]) fail("a code exceeds its item's levels");
  }
}

void check_row(const Shard& shard, const std::vector<Index>& n_levels, Index row) {
  Index before = 0;
  shard.for_each_item_of_row(row, [&](Index item, Code code) {
    if (item < before || item >= shard.n_items) fail("the items of a row do not ascend");
    if (code == 0 || code > n_levels[item]) fail("an answer is not of its item's levels");
    before = item;
  });
}

void check_sparse(const Shard& shard, const std::vector<Index>& n_levels) {
  if (shard.row_start.back() != shard.items.size()) fail("its answers are not those of rows");
  for (Index row = 0; row < shard.n_obs; ++row) check_row(shard, n_levels, row);
}

void check_known(const Header& header, const Shard& shard, const std::vector<Index>& n_levels) {
  if ((n_known(shard) > 0) != header.has(flag_known)) {
    fail("its known labels are not those it says");
  }
  const Index n_labels = *std::min_element(n_levels.begin(), n_levels.end());
  for (const Code label : shard.known) {
    if (label > n_labels) fail("a known label exceeds the items' levels");
  }
}

void check_contents(const Header& header, const Shard& shard, const std::vector<Index>& n_levels) {
  shard.is_dense ? check_dense(shard, n_levels) : check_sparse(shard, n_levels);
  const bool has_repeats = most_repeats(shard) > 1;
  if (n_answers(shard) != header.n_answers || has_repeats != header.has(flag_repeats)) {
    fail("its answers are not those it says");
  }
  check_known(header, shard, n_levels);
  if (!shard.case_weights.allFinite() || (shard.case_weights.array() < 0.0).any()) {
    fail("a case weight is no finite number of at least 0");
  }
}

/// Items that came after the rows were written have no answer in them.
void add_later_items(Shard& shard, Index n_items) {
  if (shard.is_dense) shard.codes.resize(static_cast<std::size_t>(shard.n_obs * n_items), 0);
  shard.n_items = n_items;
}

Shard shard_of_bytes(Bytes bytes, const std::vector<Index>& n_levels,
                     std::uint64_t expected_checksum) {
  ByteReader in(bytes, kind_of_rows);
  if (seal_of(bytes) != expected_checksum) fail("it is another file than the store names");
  const Header header = read_header(in, bytes.size());
  if (header.n_items > n_levels.size()) fail("it has more items than the store");
  Shard shard;
  shard.n_obs = static_cast<Index>(header.n_obs);
  shard.n_items = static_cast<Index>(header.n_items);
  shard.is_dense = !header.has(flag_sparse);
  const std::uint64_t n_cells = shard.is_dense ? header.n_obs * header.n_items : 0;
  const std::size_t first_cell = in.skip(n_cells);
  if (!shard.is_dense) read_answers(in, header, shard);
  shard.case_weights = Vector::Ones(shard.n_obs);
  if (header.has(flag_weights)) in.read_all(shard.case_weights.data(), header.n_obs);
  if (header.has(flag_known)) shard.known = in.read_vector<Code>(header.n_obs);
  in.finish();
  if (shard.is_dense) {
    // Where they are: other memory for them would take as long as the file.
    bytes.resize(first_cell + n_cells);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(first_cell));
    shard.codes = std::move(bytes);
  }
  check_contents(header, shard, n_levels);
  add_later_items(shard, static_cast<Index>(n_levels.size()));
  return shard;
}

}  // namespace

Index n_repeats(const Shard& shard) {
  Index n = 0;
  for (Index row = 0; row < shard.n_obs && !shard.is_dense; ++row) {
    for (std::size_t at = shard.row_start[row] + 1; at < shard.row_start[row + 1]; ++at) {
      if (shard.items[at] == shard.items[at - 1]) ++n;
    }
  }
  return n;
}

std::size_t n_answers(const Shard& shard) {
  if (!shard.is_dense) return shard.answers.size();
  return shard.codes.size() -
         static_cast<std::size_t>(std::count(shard.codes.begin(), shard.codes.end(), Code{0}));
}

Index n_known(const Shard& shard) {
  return static_cast<Index>(shard.known.size()) -
         std::count(shard.known.begin(), shard.known.end(), Code{0});
}

std::vector<Index> known_labels(const Shard& shard) {
  std::vector<Index> out;
  for (const Code label : shard.known) {
    out.push_back(label == 0 ? no_component : static_cast<Index>(label) - 1);
  }
  return out;
}

std::uint64_t write_shard(const std::string& path, const Shard& shard) {
  require_sizes(shard);
  const Bytes bytes = bytes_of_shard(shard);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw UnwritableFile(path + ": it cannot be written");
  return seal_of(bytes);
}

Shard read_shard(const std::string& path, const std::vector<Index>& n_levels,
                 std::uint64_t expected_checksum) {
  Bytes bytes = bytes_of_file(path);
  try {
    return shard_of_bytes(std::move(bytes), n_levels, expected_checksum);
  } catch (const DamagedMessage& error) {
    throw DamagedShard(path + ": " + error.what());
  }
}

std::uint64_t checksum_of_file(const std::string& path) { return checksum_of(bytes_of_file(path)); }

}  // namespace mdpd
