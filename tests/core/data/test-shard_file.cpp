#include "data/shard_file.h"

#include <testthat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/checksum.h"
#include "data/shards.h"
#include "temporary_path.h"

namespace mdpd {

namespace {

/// A file that is gone at the end.
class ShardPath {
 public:
  ShardPath() {
    static int count = 0;
    path_ = temporary_path("shard-" + std::to_string(++count) + ".bin");
  }
  ~ShardPath() { std::remove(path_.c_str()); }
  ShardPath(const ShardPath&) = delete;
  const std::string& text() const { return path_; }

 private:
  std::string path_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Over what a file has: some file systems wait for the disk where it was emptied before.
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  std::filesystem::resize_file(path, bytes.size());
}

std::uint64_t checksum_of(const std::string& bytes) {
  return mdpd::checksum_of(bytes.data(), bytes.size());
}

/// The bytes with a checksum that is right, as a careful enemy would write them.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  std::uint64_t sum = little_endian(checksum_of(bytes));
  bytes.append(reinterpret_cast<const char*>(&sum), 8);
  return bytes;
}

std::uint64_t seal_of(const std::string& bytes) {
  return checksum_of(bytes.substr(0, bytes.size() - 8));
}

std::string what_is_damaged(const std::string& path, std::uint64_t checksum) {
  try {
    read_shard(path, some_levels, checksum);
  } catch (const DamagedShard& error) {
    return error.what();
  }
  return "";
}

}  // namespace

context("shard_file") {
  test_that("what is read is what was written") {
    Random random(1);
    for (const Index n_obs : {0, 1, 7, 1000}) {
      for (const Shard& shard : all_kinds(random, n_obs)) {
        const ShardPath path;
        const std::uint64_t checksum = write_shard(path.text(), shard);
        expect_true(is_same(read_shard(path.text(), some_levels, checksum), shard));
      }
    }
  }

  test_that("the bytes of a file are those of the format") {
    const ShardPath path;
    Shard shard;
    shard.n_obs = 2;
    shard.n_items = 3;
    shard.is_dense = false;
    shard.row_start = {0, 1, 3};
    shard.items = {2, 0, 0};
    shard.answers = {7, 8, 9};
    shard.case_weights = Vector::Constant(2, 2.0);
    write_shard(path.text(), shard);
    const std::string two("\0\0\0\0\0\0\0\x40", 8);
    const std::string expected =
        std::string("MDPDROWS\1\0\0\0\7\0\0\0", 16) + std::string("\2\0\0\0\0\0\0\0", 8) +
        std::string("\3\0\0\0\0\0\0\0", 8) + std::string("\3\0\0\0\0\0\0\0", 8) +
        std::string("\1\0\0\0\2\0\0\0", 8) + std::string("\2\0\0\0\0\0\0\0\0\0\0\0", 12) +
        "\7\x8\x9" + two + two;
    const std::string bytes = bytes_of(path.text());
    expect_true(bytes.substr(0, bytes.size() - 8) == expected);
  }

  test_that("known labels stand behind the weights, a byte a row, and none takes no space") {
    Random random(9);
    const ShardPath path;
    Shard shard = dense_shard(random, 3, true);
    write_shard(path.text(), shard);
    const std::string without = bytes_of(path.text());
    shard.known = {0, 0, 0};
    const std::uint64_t checksum = write_shard(path.text(), shard);
    expect_true(bytes_of(path.text()) == without);
    expect_true(read_shard(path.text(), some_levels, checksum).known.empty());
    shard.known = {0, 1, 0};
    write_shard(path.text(), shard);
    std::string with = without.substr(0, without.size() - 8) + std::string("\0\1\0", 3);
    with[12] = static_cast<char>(with[12] | 8);
    const std::string bytes = bytes_of(path.text());
    expect_true(bytes.substr(0, bytes.size() - 8) == with);
    expect_true(n_known(shard) == 1);
    expect_true(known_labels(shard) == std::vector<Index>({no_component, 0, no_component}));
    shard.known = {1};
    expect_error_as(write_shard(path.text(), shard), DimensionError);
  }

  test_that("known labels that no item has, or none where some are said, are an error") {
    Random random(10);
    const ShardPath path;
    Shard shard = with_known(random, sparse_shard(random, 5, false, false));
    shard.known[4] = 2;
    const std::uint64_t checksum = write_shard(path.text(), shard);
    expect_true(what_is_damaged(path.text(), checksum) ==
                path.text() + ": a known label exceeds the items' levels");
    std::string bytes = bytes_of(path.text());
    bytes.replace(bytes.size() - 13, 5, std::string(5, '\0'));
    bytes = sealed(bytes);
    write_bytes(path.text(), bytes);
    expect_true(what_is_damaged(path.text(), seal_of(bytes)) ==
                path.text() + ": its known labels are not those it says");
  }

  test_that("weights that all are one take no space") {
    Random random(2);
    const ShardPath path;
    Shard shard = dense_shard(random, 100, false);
    write_shard(path.text(), shard);
    expect_true(bytes_of(path.text()).size() == 48 + 5 * 100);
    shard.case_weights[99] = 0.5;
    write_shard(path.text(), shard);
    expect_true(bytes_of(path.text()).size() == 48 + 13 * 100);
  }

  test_that("items that came later have no answer in older rows") {
    Random random(3);
    std::vector<Index> more = some_levels;
    more.push_back(4);
    for (Shard shard : all_kinds(random, 20)) {
      const ShardPath path;
      const std::uint64_t checksum = write_shard(path.text(), shard);
      if (shard.is_dense) shard.codes.resize(shard.codes.size() + 20, 0);
      shard.n_items = 6;
      expect_true(is_same(read_shard(path.text(), more, checksum), shard));
    }
  }

  test_that("every flipped bit is found") {
    Random random(4);
    for (const Shard& shard : all_kinds(random, 12)) {
      const ShardPath path;
      const std::uint64_t checksum = write_shard(path.text(), shard);
      const std::string bytes = bytes_of(path.text());
      Index n_found = 0;
      for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        write_bytes(path.text(), flipped);
        n_found += what_is_damaged(path.text(), checksum).rfind(path.text(), 0) == 0;
      }
      expect_true(n_found == static_cast<Index>(8 * bytes.size()));
    }
  }

  test_that("a file cut anywhere, or longer by a byte, is an error") {
    Random random(5);
    for (const Shard& shard : all_kinds(random, 12)) {
      const ShardPath path;
      const std::uint64_t checksum = write_shard(path.text(), shard);
      const std::string bytes = bytes_of(path.text());
      Index n_found = 0;
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        write_bytes(path.text(), bytes.substr(0, length));
        n_found += !what_is_damaged(path.text(), checksum).empty();
      }
      write_bytes(path.text(), bytes + '\0');
      n_found += !what_is_damaged(path.text(), checksum).empty();
      expect_true(n_found == static_cast<Index>(bytes.size()) + 1);
    }
  }

  test_that("no byte makes the reader fail otherwise, even where the checksum is right") {
    Random random(6);
    for (const Shard& shard : all_kinds(random, 12)) {
      const ShardPath path;
      write_shard(path.text(), shard);
      const std::string bytes = bytes_of(path.text());
      Index n_read = 0;
      Index n_damaged = 0;
      for (int trial = 0; trial < 2000; ++trial) {
        std::string changed = bytes;
        // Half of the trials in the header, where all sizes are.
        const Index end = trial % 2 == 0 ? 40 : static_cast<Index>(bytes.size()) - 8;
        for (Index n = random.below(3); n >= 0; --n) {
          changed[random.below(end)] = static_cast<char>(random.below(256));
        }
        changed = sealed(changed);
        write_bytes(path.text(), changed);
        ++(what_is_damaged(path.text(), seal_of(changed)).empty() ? n_read : n_damaged);
      }
      expect_true(n_read + n_damaged == 2000);
      expect_true(n_damaged > 1000);
    }
  }

  test_that("codes beyond the levels are an error, and rows of more items than there are") {
    Random random(7);
    for (const Shard& shard : all_kinds(random, 200)) {
      const ShardPath path;
      const std::uint64_t checksum = write_shard(path.text(), shard);
      expect_error_as(read_shard(path.text(), {2, 2, 254, 1, 5}, checksum), DamagedShard);
      expect_error_as(read_shard(path.text(), {2, 3, 254, 1}, checksum), DamagedShard);
    }
  }

  test_that("a whole file in the place of another is an error") {
    Random random(8);
    const ShardPath path;
    const std::uint64_t checksum = write_shard(path.text(), dense_shard(random, 20, false));
    write_shard(path.text(), dense_shard(random, 20, false));
    expect_true(what_is_damaged(path.text(), checksum) ==
                path.text() + ": it is another file than the store names");
  }

  test_that("bad weights are an error") {
    Random random(9);
    const ShardPath path;
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
      Shard shard = dense_shard(random, 20, false);
      shard.case_weights[3] = bad;
      const std::uint64_t checksum = write_shard(path.text(), shard);
      expect_error_as(read_shard(path.text(), some_levels, checksum), DamagedShard);
    }
  }

  test_that("a file that is not there is an error, and so is one that cannot be written") {
    Random random(10);
    expect_error_as(read_shard("/no/such/file", some_levels, 0), DamagedShard);
    expect_error_as(checksum_of_file("/no/such/file"), DamagedShard);
    expect_error_as(write_shard("/no/such/file", dense_shard(random, 2, false)), UnwritableFile);
    // The device of a full disk, where there is one.
    if (std::filesystem::exists("/dev/full")) {
      expect_error_as(write_shard("/dev/full", dense_shard(random, 2, false)), UnwritableFile);
    }
  }

  test_that("sizes that disagree are an error of the caller") {
    Random random(11);
    const ShardPath path;
    Shard shard = dense_shard(random, 20, false);
    shard.codes.pop_back();
    expect_error_as(write_shard(path.text(), shard), DimensionError);
    shard = sparse_shard(random, 20, false, true);
    shard.row_start.pop_back();
    expect_error_as(write_shard(path.text(), shard), DimensionError);
    shard.row_start.push_back(shard.items.size());
    shard.case_weights = Vector::Ones(19);
    expect_error_as(write_shard(path.text(), shard), DimensionError);
  }
}

}  // namespace mdpd
