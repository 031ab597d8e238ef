#include "model/row_worker.h"

#include "data/empty_rows.h"
#include "data/frame_bytes.h"

namespace mdpd {

void RowWorker::set_frame(const Bytes& frame) {
  const std::uint64_t checksum = checksum_of(frame);
  if (has_frame(checksum)) return;
  RowFrame read = frame_from_bytes(frame);
  forget();
  frame_ = std::move(read.data);
  held_ = std::move(read.held);
  frame_checksum_ = checksum;
}

/// Blocks have the number of threads from the frame; and a task may leave them less memory than the one
/// before.
void RowWorker::drop_unfit(int n_threads, double most_bytes) {
  if (frame_.n_threads == n_threads && n_bytes_ <= most_bytes) return;
  frame_.n_threads = n_threads;
  kept_.clear();
  n_bytes_ = 0.0;
}

RowSums RowWorker::answer(const RowTask& task, const std::vector<ShardFile>& files, int n_threads,
                          double most_bytes, Monitor& monitor) {
  require(frame_.n_items > 0, "a task without a frame");
  drop_unfit(n_threads, most_bytes);
  RowSums sums = empty_sums(frame_, task);
  for (const ShardFile& file : files) {
    sums += sums_over(block(file, most_bytes)->data, task);
    monitor.on_work();
  }
  return sums;
}

std::shared_ptr<const RowBlock> RowWorker::block(const ShardFile& file, double most_bytes) {
  const auto found = kept_.find(file.checksum);
  if (found != kept_.end()) return found->second;
  Shard shard = read_shard(file.path, frame_.n_levels, file.checksum);
  weigh_no_empty_rows(shard);
  const double n_bytes = n_bytes_of_block(shard);
  std::shared_ptr<const RowBlock> made = make_row_block(frame_, std::move(shard), held_);
  if (n_bytes_ + n_bytes <= most_bytes) {
    kept_.emplace(file.checksum, made);
    n_bytes_ += n_bytes;
  }
  return made;
}

}  // namespace mdpd
