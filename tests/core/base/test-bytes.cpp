#include "base/bytes.h"

#include <testthat.h>

#include <cmath>
#include <limits>

#include "base/types.h"

namespace mdpd {

namespace {

Bytes some_message() {
  ByteWriter out("MDPDTEST");
  out.write(std::uint8_t{200});
  out.write(std::int64_t{-3});
  out.write(std::uint64_t{2});
  const double reals[] = {-0.0, std::numeric_limits<double>::denorm_min()};
  out.write_all(reals, 2);
  return out.finish();
}

bool can_be_read(const Bytes& bytes) {
  try {
    ByteReader in(bytes, "MDPDTEST");
    in.read<std::uint8_t>();
    in.read<std::int64_t>();
    double reals[2];
    in.read_all(reals, in.read_count(sizeof(double)));
    in.finish();
    return true;
  } catch (const DamagedMessage&) {
    return false;
  }
}

}  // namespace

context("bytes") {
  test_that("numbers come back bit for bit") {
    const Bytes bytes = some_message();
    ByteReader in(bytes, "MDPDTEST");
    expect_true(in.read<std::uint8_t>() == 200);
    expect_true(in.read<std::int64_t>() == -3);
    double reals[2] = {1.0, 1.0};
    expect_true(in.read_count(sizeof(double)) == 2);
    in.read_all(reals, 2);
    expect_true(reals[0] == 0.0);
    expect_true(std::signbit(reals[0]));
    expect_true(reals[1] == std::numeric_limits<double>::denorm_min());
    in.finish();
  }

  test_that("a message cut anywhere, longer by a byte, or with a bit flipped is an error") {
    const Bytes bytes = some_message();
    Index n_found = 0;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      n_found += !can_be_read(Bytes(bytes.begin(), bytes.begin() + static_cast<Index>(n)));
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      Bytes flipped = bytes;
      flipped[bit / 8] = static_cast<unsigned char>(flipped[bit / 8] ^ (1U << (bit % 8)));
      n_found += !can_be_read(flipped);
    }
    Bytes longer = bytes;
    longer.push_back(0);
    n_found += !can_be_read(longer);
    expect_true(n_found == static_cast<Index>(9 * bytes.size() + 1));
    expect_true(can_be_read(bytes));
  }

  test_that("messages of another kind, and counts that cannot be, are errors") {
    const Bytes bytes = some_message();
    expect_error_as(ByteReader(bytes, "MDPDELSE"), DamagedMessage);
    ByteWriter out("MDPDTEST");
    out.write(std::uint64_t{1} << 60);
    const Bytes large = out.finish();
    ByteReader in(large, "MDPDTEST");
    expect_error_as(in.read_count(1), DamagedMessage);
    ByteReader rest(bytes, "MDPDTEST");
    expect_error_as(rest.finish(), DamagedMessage);
    expect_error_as(rest.read_vector<double>(1000), DamagedMessage);
  }
}

}  // namespace mdpd
