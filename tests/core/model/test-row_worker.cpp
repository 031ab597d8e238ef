#include "model/row_worker.h"

#include <testthat.h>

#include <cstdio>

#include "data/frame_bytes.h"
#include "random_data.h"
#include "temporary_path.h"

namespace mdpd {

namespace {

/// The rows of a table in files of some rows each, which are gone at the end.
class Files {
 public:
  Files(const Table& table, Index n_of_file, const std::vector<Code>& known = {}) {
    for (Index first = 0; first < table.data.n_obs; first += n_of_file) {
      Shard shard;
      shard.n_obs = std::min(n_of_file, table.data.n_obs - first);
      shard.n_items = table.data.n_items;
      for (Index item = 0; item < shard.n_items; ++item) {
        for (Index row = 0; row < shard.n_obs; ++row) {
          shard.codes.push_back(table.code(first + row, item));
        }
      }
      shard.case_weights = table.data.case_weights.segment(first, shard.n_obs);
      for (Index row = first; row < first + shard.n_obs && !known.empty(); ++row) {
        shard.known.push_back(known[row]);
      }
      const auto path = temporary_path("worker-" + std::to_string(list.size()) + ".bin");
      list.push_back({path, write_shard(path, shard)});
    }
  }
  ~Files() {
    for (const ShardFile& file : list) std::remove(file.path.c_str());
  }
  Files(const Files&) = delete;
  std::vector<ShardFile> list;
};

RowTask some_task(Random& random, const CodedData& data) {
  RowTask task;
  task.at = {random_parameters(random, data.n_levels, 3), all_items(data)};
  return task;
}

}  // namespace

context("row_worker") {
  test_that("shards add up to all rows, kept or not, in any grouping and on any threads") {
    Random random(1);
    const Table table = random_table(random, {500, {2, 3, 254, 1, 5}, 0.2, true});
    const Files files(table, 130);
    RowTask task = some_task(random, table.data);
    task.asked = {0, 2};
    Monitor monitor;
    for (const bool asks_pass : {true, false}) {
      task.asks_pass = asks_pass;
      const Bytes expected = to_bytes(sums_over(table.data, task));
      for (const double most_bytes : {0.0, 1e4, 1e9}) {
        RowWorker worker;
        worker.set_frame(frame_to_bytes(table.data));
        for (const int n_threads : {1, 1, 2}) {
          expect_true(to_bytes(worker.answer(task, files.list, n_threads, most_bytes, monitor)) ==
                      expected);
        }
        // The first, and the last, which is smaller.
        expect_true(worker.n_kept() == (most_bytes == 0.0 ? 0 : most_bytes == 1e4 ? 2 : 4));
        RowSums sums = worker.answer(task, {files.list[3], files.list[1]}, 1, most_bytes, monitor);
        sums += worker.answer(task, {files.list[0], files.list[2]}, 1, most_bytes, monitor);
        expect_true(to_bytes(sums) == expected);
      }
    }
  }

  test_that("rows whose label is known are held where the frame says so") {
    Random random(4);
    const Table table = random_table(random, {200, {3, 3, 3}, 0.2, true});
    std::vector<Code> known(200);
    for (Code& label : known) label = static_cast<Code>(random.below(4));
    const Files files(table, 70, known);
    const RowTask task = some_task(random, table.data);
    const std::vector<Index> held = {1, 2, 0};
    CodedData data = table.data;
    const Bytes free = to_bytes(sums_over(data, task));
    for (const Code label : known)
      data.known.push_back(label == 0 ? no_component : held[label - 1]);
    const Bytes expected = to_bytes(sums_over(data, task));
    expect_false(free == expected);
    Monitor monitor;
    RowWorker worker;
    worker.set_frame(frame_to_bytes(table.data));
    expect_true(to_bytes(worker.answer(task, files.list, 1, 1e9, monitor)) == free);
    worker.set_frame(frame_to_bytes(table.data, held));
    expect_true(worker.n_kept() == 0);
    expect_true(to_bytes(worker.answer(task, files.list, 1, 1e9, monitor)) == expected);
    worker.set_frame(frame_to_bytes(table.data, {0, 1}));
    expect_error_as(worker.answer(task, files.list, 1, 1e9, monitor), DimensionError);
  }

  test_that("what was kept of other rows, or under more memory, is dropped") {
    Random random(2);
    const Table table = random_table(random, {100, {2, 3}, 0.2, true});
    const Files files(table, 50);
    const RowTask task = some_task(random, table.data);
    Monitor monitor;
    RowWorker worker;
    expect_error_as(worker.answer(task, files.list, 1, 1e9, monitor), DimensionError);
    const Bytes frame = frame_to_bytes(table.data);
    worker.set_frame(frame);
    expect_true(worker.has_frame(checksum_of(frame)));
    worker.answer(task, files.list, 1, 1e9, monitor);
    worker.set_frame(frame);
    expect_true(worker.n_kept() == 2);
    // Less memory than they take keeps as many as it holds.
    worker.answer(task, files.list, 1, 1e9, monitor);
    expect_true(worker.n_kept() == 2);
    worker.answer(task, files.list, 1, 0.0, monitor);
    expect_true(worker.n_kept() == 0);
    worker.answer(task, files.list, 1, 1e9, monitor);
    const Table other = random_table(random, {30, {2, 3}, 0.2, false});
    worker.set_frame(frame_to_bytes(other.data));
    expect_true(worker.n_kept() == 0);
    worker.forget();
    expect_false(worker.has_frame(checksum_of(frame_to_bytes(other.data))));
  }

  test_that("a file that is not there is an error") {
    Random random(3);
    const Table table = random_table(random, {10, {2, 3}, 0.0, false});
    Monitor monitor;
    RowWorker worker;
    worker.set_frame(frame_to_bytes(table.data));
    expect_error_as(
        worker.answer(some_task(random, table.data), {{"/no/such/file", 1}}, 1, 0.0, monitor),
        DamagedShard);
  }
}

}  // namespace mdpd
