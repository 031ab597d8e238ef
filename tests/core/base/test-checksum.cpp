#include "base/checksum.h"

#include <testthat.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace mdpd {

namespace {

std::uint64_t checksum_of(const std::string& text) {
  return mdpd::checksum_of(text.data(), text.size());
}

}  // namespace

context("checksum") {
  test_that("zeros at the end count") {
    std::set<std::uint64_t> seen;
    for (std::size_t n = 0; n < 50; ++n) seen.insert(checksum_of(std::string(n, '\0')));
    expect_true(seen.size() == 50);
  }

  test_that("two changes of highest bits do not cancel") {
    std::string text(64, 'a');
    const std::uint64_t before = checksum_of(text);
    for (std::size_t word = 1; word < 8; ++word) {
      std::string changed = text;
      changed[7] = static_cast<char>(changed[7] ^ 0x80);
      changed[8 * word + 7] = static_cast<char>(changed[8 * word + 7] ^ 0x80);
      expect_true(checksum_of(changed) != before);
    }
  }

  test_that("the checksum never changes: stores that are there depend on it") {
    // By an independent program, the definition in Python.
    expect_true(checksum_of("") == 0xAF63BD4C29620A93);
    expect_true(checksum_of("mixtures of discrete") == 0x0C01674C7A3AA3D8U);
    expect_true(hash_text("item 1", 6) == 0x8A1636F509462217);
  }

  test_that("the checksum of gzip files is that of the standard") {
    const auto* digits = reinterpret_cast<const unsigned char*>("123456789");
    expect_true(crc32(digits, 9) == 0xCBF43926);  // the check value of CRC-32
    expect_true(crc32(digits, 0) == 0);
  }

  test_that("hashes of ids fill every interval alike") {
    std::vector<int> counts(64, 0);
    for (int i = 0; i < 64000; ++i) {
      const std::string id = std::to_string(i);
      ++counts[hash_text(id.data(), id.size()) >> 58];
    }
    // 1000 each; six standard deviations of a Poisson count.
    for (const int count : counts) expect_true(std::abs(count - 1000) < 190);
  }
}

}  // namespace mdpd
