#include "data/frame_bytes.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

context("frame_bytes") {
  test_that("what is known of all rows comes back bit for bit") {
    Random random(1);
    const Table table = random_table(random, {200, {2, 3, 254, 1, 5}, 0.2, true});
    const CodedData sparse = sparse_copy(table.data);
    for (const CodedData* data : {&table.data, &sparse}) {
      const CodedData frame = frame_from_bytes(frame_to_bytes(*data)).data;
      expect_true(frame.n_obs == 0);
      expect_true(frame.n_levels == data->n_levels);
      expect_true(frame.offset == data->offset);
      expect_true(frame.weight_unit == data->weight_unit);
      expect_true(frame.total_weight == data->total_weight);
      expect_true(frame.most_repeats == data->most_repeats);
      expect_true(frame.has_missing == data->has_missing);
      expect_true(frame.n_levels_seen == data->n_levels_seen);
      expect_true(frame.level_weight == data->level_weight);
      expect_true(frame.observed_weight == data->observed_weight);
      expect_true(frame.marginal_loglik == data->marginal_loglik);
    }
  }

  test_that("where rows are held comes back too") {
    Random random(3);
    const Table table = random_table(random, {20, {3, 3}, 0.2, true});
    expect_true(frame_from_bytes(frame_to_bytes(table.data)).held.empty());
    const std::vector<Index> held = {2, 0, 1};
    expect_true(frame_from_bytes(frame_to_bytes(table.data, held)).held == held);
  }

  test_that("bytes that are no frame are an error") {
    Random random(2);
    const Table table = random_table(random, {20, {2, 3}, 0.2, true});
    Bytes bytes = frame_to_bytes(table.data);
    bytes.resize(bytes.size() - 8);
    expect_error_as(frame_from_bytes(bytes), DamagedMessage);
    // Whole messages, whose sizes cannot be.
    ByteWriter short_one("MDPDFRAM");
    expect_error_as(frame_from_bytes(short_one.finish()), DamagedMessage);
    ByteWriter large("MDPDFRAM");
    large.write(1.0);
    large.write(1.0);
    large.write(std::int64_t{1});
    large.write(std::uint64_t{1});
    large.write(std::uint32_t{4000000000U});
    large.write(std::uint32_t{1});
    large.write(std::uint8_t{0});
    for (int at = 0; at < 2; ++at) large.write(1.0);
    expect_error_as(frame_from_bytes(large.finish()), DamagedMessage);
  }
}

}  // namespace mdpd
