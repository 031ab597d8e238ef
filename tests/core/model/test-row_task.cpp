#include "model/row_task.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

bool are_equal(const ExactSum& a, const ExactSum& b) {
  return a.unit == b.unit && a.high == b.high && a.low == b.low;
}

bool are_equal(const RowSums& a, const RowSums& b) {
  bool equal =
      are_equal(a.pass.loglik, b.pass.loglik) && a.pass.counts.levels == b.pass.counts.levels &&
      a.pass.counts.components == b.pass.counts.components && a.pass.overlap == b.pass.overlap &&
      a.pass.modal == b.pass.modal && a.reliance.size() == b.reliance.size();
  for (std::size_t at = 0; equal && at < a.reliance.size(); ++at) {
    equal = are_equal(a.reliance[at], b.reliance[at]);
  }
  return equal && a.held_out == b.held_out;
}

RowTask some_task(Random& random, const CodedData& data) {
  RowTask task;
  task.at = {random_parameters(random, data.n_levels, 3), {0, 1, 4}};
  task.asked = {1, 4};
  task.pull = RowMatrix::Constant(data.n_items, 3, 0.01);
  return task;
}

}  // namespace

context("row_task") {
  test_that("tasks and answers come back bit for bit") {
    Random random(1);
    const Table table = random_table(random, {300, {2, 3, 254, 1, 5}, 0.2, true});
    RowTask task = some_task(random, table.data);
    for (const bool asks_pass : {true, false}) {
      for (task.depth = 0; task.depth < 2; ++task.depth) {
        task.asks_pass = asks_pass;
        const RowTask read = task_from_bytes(to_bytes(task));
        expect_true(read.at.params.mixing_weights == task.at.params.mixing_weights);
        expect_true(read.at.params.item_probs == task.at.params.item_probs);
        expect_true(read.at.items == task.at.items);
        expect_true(read.asked == task.asked);
        expect_true(read.pull == task.pull);
        expect_true(read.asks_pass == task.asks_pass);
        expect_true(read.depth == task.depth);
        const RowSums sums = sums_over(table.data, task);
        expect_true(are_equal(sums_from_bytes(to_bytes(sums)), sums));
        expect_true(are_equal(sums_over(table.data, read), sums));
        RowSums total = empty_sums(table.data, task);
        total += sums;
        expect_true(are_equal(total, sums));
      }
    }
  }

  test_that("bytes cut anywhere are an error") {
    Random random(2);
    const Table table = random_table(random, {30, {2, 3, 4, 1, 5}, 0.2, false});
    const RowTask task = some_task(random, table.data);
    const Bytes bytes = to_bytes(task);
    const Bytes answer = to_bytes(sums_over(table.data, task));
    Index n_found = 0;
    for (const Bytes* whole : {&bytes, &answer}) {
      for (std::size_t n = 0; n < whole->size(); ++n) {
        const Bytes cut(whole->begin(), whole->begin() + static_cast<Index>(n));
        try {
          whole == &bytes ? void(task_from_bytes(cut)) : void(sums_from_bytes(cut));
        } catch (const DamagedMessage&) {
          ++n_found;
        }
      }
    }
    expect_true(n_found == static_cast<Index>(bytes.size() + answer.size()));
    expect_error_as(task_from_bytes(answer), DamagedMessage);
    expect_error_as(sums_from_bytes(bytes), DamagedMessage);
  }

  test_that("a sum beyond all that rows amount to is an error") {
    Random random(2);
    const Table table = random_table(random, {30, {2, 3, 4, 1, 5}, 0.2, false});
    RowSums sums = sums_over(table.data, some_task(random, table.data));
    constexpr std::int64_t beyond = std::int64_t{1} << bits_of_sum;
    for (std::int64_t* part : {&sums.pass.loglik.high, &sums.pass.loglik.low}) {
      for (const std::int64_t other : {beyond, -beyond}) {
        const std::int64_t before = std::exchange(*part, other);
        expect_error_as(sums_from_bytes(to_bytes(sums)), DamagedMessage);
        *part = before;
      }
    }
    expect_true(are_equal(sums_from_bytes(to_bytes(sums)), sums));
  }

  test_that("answers to different questions do not add up") {
    Random random(3);
    const Table table = random_table(random, {30, {2, 3, 4, 1, 5}, 0.2, false});
    RowTask task = some_task(random, table.data);
    RowSums sums = sums_over(table.data, task);
    task.asks_pass = false;
    RowSums reliance = sums_over(table.data, task);
    expect_error_as(sums += reliance, DamagedMessage);
    RowTask other = task;
    other.asked = {1};
    expect_error_as(reliance += sums_over(table.data, other), DamagedMessage);
    task.pull.resize(0, 0);
    expect_error_as(reliance += sums_over(table.data, task), DamagedMessage);
  }

  test_that("tasks for other rows are refused") {
    Random random(4);
    const Table table = random_table(random, {30, {2, 3, 4, 1, 5}, 0.2, false});
    const Table other = random_table(random, {30, {2, 3}, 0.2, false});
    RowTask task = some_task(random, table.data);
    expect_error_as(sums_over(other.data, task), DimensionError);
    task.at.items = {7};
    expect_error_as(sums_over(table.data, task), DimensionError);
    task.at.items = {1};
    task.asked = {5};
    expect_error_as(sums_over(table.data, task), DimensionError);
    task.asked = {};
    task.pull.resize(4, 3);
    expect_error_as(sums_over(table.data, task), DimensionError);
    task.pull.resize(0, 0);
    task.depth = 3;
    expect_error_as(sums_over(table.data, task), DimensionError);
  }

  test_that("the fingerprint is the same whenever it is taken") {
    expect_true(fingerprint_of_arithmetic() == fingerprint_of_arithmetic());
    expect_true(fingerprint_of_arithmetic() != 0);
  }
}

}  // namespace mdpd
