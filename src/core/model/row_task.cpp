#include "model/row_task.h"

#include <algorithm>

#include "data/make_data.h"
#include "model/held_out.h"
#include "model/inclusion.h"

namespace mdpd {

namespace {

constexpr char kind_of_task[] = "MDPDTASK";
constexpr char kind_of_sums[] = "MDPDSUMS";
constexpr std::size_t n_bytes_sum = 24;

// Parts of messages --------------------------------------------------------------------------------

template <class Table>
void write_table(ByteWriter& out, const Table& table) {
  out.write(static_cast<std::uint64_t>(table.cols()));
  out.write(static_cast<std::uint64_t>(table.rows()));
  out.write_all(table.data(), static_cast<std::size_t>(table.size()));
}

template <class Table>
Table read_table(ByteReader& in) {
  const std::size_t n_cols = in.read_count(1);
  const std::size_t n_rows = in.read_count(std::max<std::size_t>(1, n_cols * sizeof(double)));
  Table table(static_cast<Index>(n_rows), static_cast<Index>(n_cols));
  in.read_all(table.data(), n_rows * n_cols);
  return table;
}

void write_items(ByteWriter& out, const ItemSet& items) {
  out.write(static_cast<std::uint64_t>(items.size()));
  out.write_counts(items);
}

ItemSet read_items(ByteReader& in) { return in.read_counts(in.read_count(sizeof(std::uint32_t))); }

void write_sum(ByteWriter& out, const ExactSum& sum) {
  out.write(sum.unit);
  out.write(sum.high);
  out.write(sum.low);
}

ExactSum read_sum(ByteReader& in) {
  ExactSum sum;
  sum.unit = in.read<double>();
  sum.high = in.read<std::int64_t>();
  sum.low = in.read<std::int64_t>();
  constexpr std::int64_t most = std::int64_t{1} << bits_of_sum;
  if (std::max(sum.high, sum.low) >= most || std::min(sum.high, sum.low) <= -most)
    ByteReader::fail("it has a sum that cannot be");
  return sum;
}

// Sums ---------------------------------------------------------------------------------------------

template <class Table>
bool is_alike(const Table& a, const Table& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

bool is_alike(const ExactSum& a, const ExactSum& b) {
  return exponent_above(a.unit) == exponent_above(b.unit);
}

bool is_alike(const RowSums& a, const RowSums& b) {
  return is_alike(a.pass.loglik, b.pass.loglik) &&
         is_alike(a.pass.counts.levels, b.pass.counts.levels) &&
         is_alike(a.pass.counts.components, b.pass.counts.components) &&
         is_alike(a.pass.overlap, b.pass.overlap) && is_alike(a.pass.modal, b.pass.modal) &&
         std::equal(
             a.reliance.begin(), a.reliance.end(), b.reliance.begin(), b.reliance.end(),
             [](const ExactSum& one, const ExactSum& other) { return is_alike(one, other); }) &&
         is_alike(a.held_out, b.held_out);
}

void require_items(const CodedData& rows, const ItemSet& items) {
  for (const Index item : items) {
    require(item >= 0 && item < rows.n_items, "the task was not made for these rows");
  }
}

// A fixed pass -------------------------------------------------------------------------------------

/// Numbers that are the same everywhere, also where an Index has 32 bits.
Index below(Index n, std::uint64_t& state) {
  return static_cast<Index>((mix_bits(++state) >> 1) % static_cast<std::uint64_t>(n));
}

RowTask fixed_task(const CodedData& rows, Index n_components, std::uint64_t& numbers) {
  RowTask task;
  task.at.params.mixing_weights =
      Vector::Constant(n_components, 1.0 / static_cast<double>(n_components));
  RowMatrix& probs = task.at.params.item_probs;
  probs.resize(rows.n_total_levels(), n_components);
  for (Index item = 0; item < rows.n_items; ++item) {
    auto of_item = rows.levels_of(item, probs);
    for (Index at = 0; at < of_item.rows(); ++at) {
      for (Index k = 0; k < n_components; ++k)
        of_item(at, k) = static_cast<double>(1 + below(1000, numbers));
    }
    for (Index k = 0; k < n_components; ++k) of_item.col(k) /= of_item.col(k).sum();
  }
  task.at.items = all_items(rows);
  return task;
}

void add_answers(const CodedData& rows, std::uint64_t& numbers, Bytes& answers) {
  const auto add = [&](const RowTask& task) {
    const Bytes answer = to_bytes(sums_over(rows, task));
    answers.insert(answers.end(), answer.begin(), answer.end());
  };
  for (const Index n_components : {2, 3, 7}) {
    RowTask task = fixed_task(rows, n_components, numbers);
    for (task.depth = 0; task.depth <= 1; ++task.depth) add(task);
    task.asks_pass = false;
    task.asked = task.at.items;
    task.pull = RowMatrix::Constant(rows.n_items, n_components, 1.0 / 64.0);
    add(task);
  }
}

/// Each row's answers to an item or two of four.
CodedData fixed_sparse_rows(Index n_obs, const Vector& weights, std::uint64_t& numbers) {
  RowAnswers rows;
  rows.row_start.push_back(0);
  for (Index row = 0; row < n_obs; ++row) {
    rows.items.push_back(static_cast<std::uint32_t>(below(2, numbers)));
    rows.items.push_back(static_cast<std::uint32_t>(2 + below(2, numbers)));
    for (int n = 0; n < 2; ++n) rows.answers.push_back(static_cast<Code>(1 + below(3, numbers)));
    rows.row_start.push_back(rows.items.size());
  }
  return make_sparse_data(std::move(rows), {3, 3, 3, 3}, weights);
}

}  // namespace

RowSums& RowSums::operator+=(const RowSums& other) {
  if (!is_alike(*this, other)) throw DamagedMessage("it is the answer to another question");
  pass += other.pass;
  for (std::size_t at = 0; at < reliance.size(); ++at) reliance[at] += other.reliance[at];
  held_out += other.held_out;
  return *this;
}

RowSums empty_sums(const CodedData& frame, const RowTask& task) {
  if (task.asks_pass) return {empty_pass(frame, task.at.params.n_components())};
  RowSums sums;
  sums.reliance.assign(task.asked.size(), empty_loglik(frame));
  const Index n = task.pull.size() > 0 ? task.at.params.n_components() : 0;
  sums.held_out = Matrix::Zero(n, n);
  return sums;
}

RowSums sums_over(const CodedData& rows, const RowTask& task) {
  require_compatible(rows, task.at.params);
  require_items(rows, task.at.items);
  require_items(rows, task.asked);
  require(task.pull.size() == 0 || (task.pull.rows() == rows.n_items &&
                                    task.pull.cols() == task.at.params.n_components()),
          "the pull of items in components");
  require(task.depth >= 0 && task.depth <= most_depth, "there is no such depth");
  if (task.asks_pass) return {pass_over(rows, task.at, task.depth)};
  RowSums sums = empty_sums(rows, task);
  const EStep step = e_step(rows, task.at.params, task.at.items);
  sums.reliance = reliance_on(rows, task.at.params.item_probs, step.posterior, task.asked);
  if (task.pull.size() == 0) return sums;
  sums.held_out = modal_shares(
      rows, step.posterior,
      held_out_posterior(rows, task.at.params, task.at.items, step.posterior, task.pull));
  return sums;
}

Bytes to_bytes(const RowTask& task) {
  ByteWriter out(kind_of_task);
  out.write(static_cast<std::uint8_t>(task.asks_pass));
  out.write(static_cast<std::int32_t>(task.depth));
  write_table(out, task.at.params.mixing_weights);
  write_table(out, task.at.params.item_probs);
  write_items(out, task.at.items);
  write_items(out, task.asked);
  write_table(out, task.pull);
  return out.finish();
}

RowTask task_from_bytes(const Bytes& bytes) {
  ByteReader in(bytes, kind_of_task);
  RowTask task;
  task.asks_pass = in.read<std::uint8_t>() != 0;
  task.depth = in.read<std::int32_t>();
  const auto weights = read_table<RowMatrix>(in);
  if (weights.cols() != 1) ByteReader::fail("it has no mixing weights");
  task.at.params.mixing_weights = weights.col(0);
  task.at.params.item_probs = read_table<RowMatrix>(in);
  task.at.items = read_items(in);
  task.asked = read_items(in);
  task.pull = read_table<RowMatrix>(in);
  in.finish();
  return task;
}

Bytes to_bytes(const RowSums& sums) {
  ByteWriter out(kind_of_sums);
  write_sum(out, sums.pass.loglik);
  write_table(out, sums.pass.counts.levels);
  write_table(out, sums.pass.counts.components);
  write_table(out, sums.pass.overlap);
  write_table(out, sums.pass.modal);
  out.write(static_cast<std::uint64_t>(sums.reliance.size()));
  for (const ExactSum& sum : sums.reliance) write_sum(out, sum);
  write_table(out, sums.held_out);
  return out.finish();
}

RowSums sums_from_bytes(const Bytes& bytes) {
  ByteReader in(bytes, kind_of_sums);
  RowSums sums;
  sums.pass.loglik = read_sum(in);
  sums.pass.counts.levels = read_table<RowMatrix>(in);
  sums.pass.counts.components = read_table<RowMatrix>(in);
  sums.pass.overlap = read_table<Matrix>(in);
  sums.pass.modal = read_table<Matrix>(in);
  sums.reliance.resize(in.read_count(n_bytes_sum));
  for (ExactSum& sum : sums.reliance) sum = read_sum(in);
  sums.held_out = read_table<Matrix>(in);
  in.finish();
  return sums;
}

std::uint64_t fingerprint_of_arithmetic() {
  constexpr Index n_obs = 101;
  const std::vector<Index> n_levels = {2, 3, 5, 17, 2};
  std::uint64_t numbers = 0;
  std::vector<Code> codes;
  for (const Index n : n_levels) {
    for (Index row = 0; row < n_obs; ++row)
      codes.push_back(static_cast<Code>(below(n + 1, numbers)));
  }
  Vector weights(n_obs);
  for (Index row = 0; row < n_obs; ++row)
    weights[row] = 0.25 * static_cast<double>(4 + below(4, numbers));
  Bytes answers;
  add_answers(make_coded_data(codes.data(), n_obs, n_levels, weights), numbers, answers);
  add_answers(fixed_sparse_rows(n_obs, weights, numbers), numbers, answers);
  return checksum_of(answers);
}

}  // namespace mdpd
