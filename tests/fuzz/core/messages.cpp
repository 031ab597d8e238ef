// Hands the readers of messages between processes bytes of the fuzzer, with the right letters,
// version and checksum around them. Either they say DamagedMessage, or what was read is written the
// same, and a worker answers the task or says DimensionError. Built and run by tools/fuzz-core.

#include "data/frame_bytes.h"
#include "input.h"
#include "model/row_worker.h"

namespace mdpd {

namespace {

/// The letters and the version.
std::string beginning(const char* kind) { return kind + std::string{1, 0, 0, 0}; }

void try_frame(const Bytes& bytes) {
  const RowFrame read = frame_from_bytes(bytes);
  const Bytes again = frame_to_bytes(read.data, read.held);
  must(frame_to_bytes(frame_from_bytes(again).data, read.held) == again, "frames stay the same");
}

/// Of two items.
void try_task(const Bytes& bytes) {
  const RowTask task = task_from_bytes(bytes);
  must(to_bytes(task_from_bytes(to_bytes(task))) == to_bytes(task), "tasks stay the same");
  WeightRange range;
  range.add(Vector::Ones(4));
  range.add_rough_sum(Vector::Ones(4));
  const CodedData frame = make_frame({2, 3}, range.unit(1), 1);
  RowWorker worker;
  worker.set_frame(frame_to_bytes(frame));
  Monitor monitor;
  try {
    worker.answer(task, {}, 1, 0.0, monitor);
    const std::vector<Code> codes = {1, 2, 0, 1, 3, 1, 2, 0};
    sums_over(make_coded_data(codes.data(), 4, {2, 3}, Vector::Ones(4)), task);
  } catch (const DimensionError&) {
  }
}

void try_sums(const Bytes& bytes) {
  const RowSums sums = sums_from_bytes(bytes);
  must(to_bytes(sums) == bytes, "sums stay the same");
  RowSums twice = sums;
  twice += sums;
}

void try_message(Input in) {
  const Index kind = in.below(3);
  const Bytes bytes = in.rest();
  try {
    switch (kind) {
      case 0: return try_frame(sealed(beginning("MDPDFRAM"), bytes));
      case 1: return try_task(sealed(beginning("MDPDTASK"), bytes));
      default: return try_sums(sealed(beginning("MDPDSUMS"), bytes));
    }
  } catch (const DamagedMessage&) {
  }
}

}  // namespace

}  // namespace mdpd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
  mdpd::try_message({bytes, n});
  return 0;
}
