#pragma once

#include <map>

#include "base/monitor.h"
#include "data/blocked_rows.h"
#include "model/row_task.h"

namespace mdpd {

struct ShardFile {
  std::string path;
  std::uint64_t checksum = 0;
};

/// Answers tasks about rows in files, of which it keeps as many in memory as it may, from one task to
/// the next. Those that came first stay: to keep the last would drop each just before it is needed.
class RowWorker {
 public:
  /// Says what is known of all rows. What was kept of others is dropped. A frame is called by its
  /// checksum.
  void set_frame(const Bytes& frame);
  bool has_frame(std::uint64_t checksum) const { return frame_checksum_ == checksum; }

  /// Adds up the sums of some shards.
  /// @throws DamagedShard; DimensionError without a frame, or if the task is not for such rows.
  RowSums answer(const RowTask& task, const std::vector<ShardFile>& files, int n_threads,
                 double most_bytes, Monitor& monitor);

  /// Frees all memory.
  void forget() { *this = RowWorker(); }
  Index n_kept() const { return static_cast<Index>(kept_.size()); }

 private:
  void drop_unfit(int n_threads, double most_bytes);
  std::shared_ptr<const RowBlock> block(const ShardFile& file, double most_bytes);

  CodedData frame_;
  std::vector<Index> held_;
  std::uint64_t frame_checksum_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const RowBlock>> kept_;  ///< by the files' checksums
  double n_bytes_ = 0.0;
};

}  // namespace mdpd
