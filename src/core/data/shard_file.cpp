#include "data/shard_file.h"

#include <algorithm>
#include <fstream>

#include "base/checksum.h"
#include "data/make_data.h"

namespace mdpd {

namespace {

constexpr char magic[] = {'M', 'D', 'P', 'D', 'R', 'O', 'W', 'S'};
constexpr std::uint32_t format_version = 1;
constexpr std::uint32_t flag_sparse = 1;
constexpr std::uint32_t flag_weights = 2;
constexpr std::uint32_t flag_repeats = 4;
constexpr std::uint32_t flag_known = 8;
constexpr std::uint64_t n_bytes_header = 40;
constexpr std::uint64_t n_bytes_checksum = 8;

struct Header {
  std::uint32_t flags = 0;
  std::uint64_t n_obs = 0;
  std::uint64_t n_items = 0;
  std::uint64_t n_answers = 0;

  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

[[noreturn]] void throw_damaged(const std::string& path, const std::string& problem) {
  throw DamagedShard(path + ": " + problem);
}

// Writing -------------------------------------------------------------------------------------------

/// Bytes go to the file and into its checksum.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : path_(path), out_(path, std::ios::binary | std::ios::trunc) {}

  void write(const void* data, std::size_t n_bytes) {
    sum_.add(data, n_bytes);
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(n_bytes));
  }
  template <class Whole>
  void write_number(Whole x) {
    x = little_endian(x);
    write(&x, sizeof x);
  }
  template <class Whole>
  void write_numbers(const std::vector<Whole>& x) {
    if (!is_big_endian) return write(x.data(), x.size() * sizeof(Whole));
    for (const Whole value : x) write_number(value);
  }
  std::uint64_t finish() {
    const std::uint64_t value = sum_.value();
    write_number(value);
    out_.close();
    if (!out_) throw UnwritableFile(path_ + ": it cannot be written");
    return value;
  }

 private:
  std::string path_;
  std::ofstream out_;
  Checksum sum_;
};

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

void write_header(Writer& file, const Shard& shard) {
  std::uint32_t flags = shard.is_dense ? 0 : flag_sparse;
  if (has_weights(shard)) flags |= flag_weights;
  if (most_repeats(shard) > 1) flags |= flag_repeats;
  if (n_known(shard) > 0) flags |= flag_known;
  file.write(magic, sizeof magic);
  file.write_number(format_version);
  file.write_number(flags);
  file.write_number(static_cast<std::uint64_t>(shard.n_obs));
  file.write_number(static_cast<std::uint64_t>(shard.n_items));
  file.write_number(static_cast<std::uint64_t>(n_answers(shard)));
}

void write_weights(Writer& file, const Vector& weights) {
  std::vector<std::uint64_t> bits(weights.size());
  std::memcpy(bits.data(), weights.data(), bits.size() * sizeof(double));
  file.write_numbers(bits);
}

// Reading -------------------------------------------------------------------------------------------

/// Bytes come from the file and go into its checksum. What is read is known to be there: the length
/// of the file is compared with the header first.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) fail("it cannot be opened");
    in_.seekg(0, std::ios::end);
    length_ = static_cast<std::uint64_t>(in_.tellg());
    in_.seekg(0);
    if (!in_) fail("it cannot be read");
  }

  [[noreturn]] void fail(const std::string& problem) const { throw_damaged(path_, problem); }
  std::uint64_t length() const { return length_; }
  std::uint64_t checksum() const { return sum_.value(); }

  void read(void* data, std::size_t n_bytes) {
    in_.read(static_cast<char*>(data), static_cast<std::streamsize>(n_bytes));
    if (!in_) fail("it ends too early");
    sum_.add(data, n_bytes);
  }
  template <class Whole>
  Whole read_number() {
    Whole x;
    read(&x, sizeof x);
    return little_endian(x);
  }
  template <class Whole>
  std::vector<Whole> read_numbers(std::uint64_t n) {
    std::vector<Whole> out(n);
    read(out.data(), out.size() * sizeof(Whole));
    if (is_big_endian) std::transform(out.begin(), out.end(), out.begin(), little_endian<Whole>);
    return out;
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::uint64_t length_ = 0;
  Checksum sum_;
};

Header read_header(Reader& file) {
  if (file.length() < n_bytes_header + n_bytes_checksum) file.fail("it is too short");
  char begins[sizeof magic];
  file.read(begins, sizeof begins);
  if (!std::equal(magic, magic + sizeof magic, begins)) file.fail("it is no file of rows");
  if (file.read_number<std::uint32_t>() != format_version) {
    file.fail("it is of another version of the format");
  }
  Header header;
  header.flags = file.read_number<std::uint32_t>();
  header.n_obs = file.read_number<std::uint64_t>();
  header.n_items = file.read_number<std::uint64_t>();
  header.n_answers = file.read_number<std::uint64_t>();
  return header;
}

/// What the header says must fill the file exactly. No count can be larger than the file, and counts
/// are limited before they are multiplied.
void require_length(const Reader& file, const Header& header) {
  const std::uint64_t most = file.length();
  constexpr std::uint64_t most_items = std::uint64_t{1} << 32;
  const bool is_sparse = header.has(flag_sparse);
  // A row fills a byte at least: of dense rows, one of each item.
  bool fits = header.n_obs <= most && header.n_items > 0 && header.n_items < most_items;
  fits = fits && (is_sparse ? header.n_answers <= most
                            : header.n_obs == 0 || header.n_items <= most / header.n_obs);
  if (!fits) file.fail("its sizes cannot be");
  std::uint64_t length = n_bytes_header + n_bytes_checksum;
  length += is_sparse ? 4 * header.n_obs + 5 * header.n_answers : header.n_obs * header.n_items;
  if (header.has(flag_weights)) length += 8 * header.n_obs;
  if (header.has(flag_known)) length += header.n_obs;
  if (length != most) {
    file.fail("it has " + std::to_string(most) + " bytes instead of " + std::to_string(length));
  }
}

void read_answers(Reader& file, const Header& header, Shard& shard) {
  const auto n_of_row = file.read_numbers<std::uint32_t>(header.n_obs);
  shard.row_start.assign(header.n_obs + 1, 0);
  for (std::uint64_t row = 0; row < header.n_obs; ++row) {
    const std::uint64_t start = shard.row_start[row];
    // More than there are stays more than there are, and 32 bits hold it.
    const std::uint64_t most = header.n_answers + 1 - start;
    shard.row_start[row + 1] = start + std::min<std::uint64_t>(n_of_row[row], most);
  }
  shard.items = file.read_numbers<std::uint32_t>(header.n_answers);
  shard.answers = file.read_numbers<Code>(header.n_answers);
}

void read_weights(Reader& file, Shard& shard) {
  const auto bits = file.read_numbers<std::uint64_t>(shard.n_obs);
  std::memcpy(shard.case_weights.data(), bits.data(), bits.size() * sizeof(double));
}

// Checks --------------------------------------------------------------------------------------------

void check_dense(const Reader& file, const Shard& shard, const std::vector<Index>& n_levels) {
  for (Index item = 0; item < shard.n_items; ++item) {
    const Code* codes = shard.codes.data() + item * shard.n_obs;
    Code largest = 0;
    for (Index row = 0; row < shard.n_obs; ++row) largest = std::max(largest, codes[row]);
    if (largest > n_levels[item]) file.fail("a code exceeds its item's levels");
  }
}

void check_row(const Reader& file, const Shard& shard, const std::vector<Index>& n_levels,
               Index row) {
  Index before = 0;
  for (std::size_t at = shard.row_start[row]; at < shard.row_start[row + 1]; ++at) {
    const auto item = static_cast<Index>(shard.items[at]);
    if (item < before || item >= shard.n_items) file.fail("the items of a row do not ascend");
    if (shard.answers[at] == 0 || shard.answers[at] > n_levels[item]) {
      file.fail("an answer is not of its item's levels");
    }
    before = item;
  }
}

void check_sparse(const Reader& file, const Shard& shard, const std::vector<Index>& n_levels) {
  if (shard.row_start.back() != shard.items.size()) file.fail("its answers are not those of rows");
  for (Index row = 0; row < shard.n_obs; ++row) check_row(file, shard, n_levels, row);
}

void check_known(const Reader& file, const Header& header, const Shard& shard,
                 const std::vector<Index>& n_levels) {
  if ((n_known(shard) > 0) != header.has(flag_known)) {
    file.fail("its known labels are not those it says");
  }
  const Index n_labels = *std::min_element(n_levels.begin(), n_levels.end());
  for (const Code label : shard.known) {
    if (label > n_labels) file.fail("a known label exceeds the items' levels");
  }
}

void check_contents(const Reader& file, const Header& header, const Shard& shard,
                    const std::vector<Index>& n_levels) {
  shard.is_dense ? check_dense(file, shard, n_levels) : check_sparse(file, shard, n_levels);
  const bool has_repeats = most_repeats(shard) > 1;
  if (n_answers(shard) != header.n_answers || has_repeats != header.has(flag_repeats)) {
    file.fail("its answers are not those it says");
  }
  check_known(file, header, shard, n_levels);
  if (!shard.case_weights.allFinite() || (shard.case_weights.array() < 0.0).any()) {
    file.fail("a case weight is no finite number of at least 0");
  }
}

/// Items that came after the rows were written have no answer in them.
void add_later_items(Shard& shard, Index n_items) {
  if (shard.is_dense) shard.codes.resize(static_cast<std::size_t>(shard.n_obs * n_items), 0);
  shard.n_items = n_items;
}

}  // namespace

Index most_repeats(const Shard& shard) { return most_repeats_of(shard.row_start, shard.items); }

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
  Writer file(path);
  write_header(file, shard);
  if (shard.is_dense) {
    file.write_numbers(shard.codes);
  } else {
    file.write_numbers(answers_of_rows(shard));
    file.write_numbers(shard.items);
    file.write_numbers(shard.answers);
  }
  if (has_weights(shard)) write_weights(file, shard.case_weights);
  if (n_known(shard) > 0) file.write_numbers(shard.known);
  return file.finish();
}

Shard read_shard(const std::string& path, const std::vector<Index>& n_levels,
                 std::uint64_t expected_checksum) {
  Reader file(path);
  const Header header = read_header(file);
  require_length(file, header);
  if (header.n_items > n_levels.size()) file.fail("it has more items than the store");
  Shard shard;
  shard.n_obs = static_cast<Index>(header.n_obs);
  shard.n_items = static_cast<Index>(header.n_items);
  shard.is_dense = !header.has(flag_sparse);
  shard.case_weights = Vector::Ones(shard.n_obs);
  if (shard.is_dense) {
    shard.codes = file.read_numbers<Code>(header.n_obs * header.n_items);
  } else {
    read_answers(file, header, shard);
  }
  if (header.has(flag_weights)) read_weights(file, shard);
  if (header.has(flag_known)) shard.known = file.read_numbers<Code>(header.n_obs);
  const std::uint64_t checksum = file.checksum();
  if (file.read_number<std::uint64_t>() != checksum) file.fail("its checksum is wrong");
  if (checksum != expected_checksum) file.fail("it is another file than the store names");
  check_contents(file, header, shard, n_levels);
  add_later_items(shard, static_cast<Index>(n_levels.size()));
  return shard;
}

std::uint64_t checksum_of_file(const std::string& path) {
  Reader file(path);
  std::vector<char> block(std::size_t{1} << 16);
  for (std::uint64_t left = file.length(); left > 0;) {
    const std::size_t n = std::min<std::uint64_t>(left, block.size());
    file.read(block.data(), n);
    left -= n;
  }
  return file.checksum();
}

}  // namespace mdpd
