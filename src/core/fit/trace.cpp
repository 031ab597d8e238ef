#include "fit/trace.h"

#include <cmath>

namespace mdpd {

namespace {

TraceMove move_of(MoveKind kind) {
  switch (kind) {
    case MoveKind::kSplitMerge: return TraceMove::kSplitMerge;
    case MoveKind::kMergeSplit: return TraceMove::kMergeSplit;
    case MoveKind::kItems: return TraceMove::kItems;
    case MoveKind::kRow: return TraceMove::kRow;
  }
  return TraceMove::kNone;
}

TraceRow row_of(const StageRecord& stage) {
  TraceRow row;
  row.phase = Phase::kStage;
  row.n_components = stage.n_components;
  if (stage.pair.found) {
    row.item_1 = stage.pair.item_1;
    row.item_2 = stage.pair.item_2;
    row.component = stage.pair.component;
    row.p_value = std::exp(stage.pair.log_p_value);
  }
  row.information = stage.largest_information;
  row.n_informative = stage.n_informative;
  row.loglik = stage.loglik;
  row.loglik_all = stage.loglik_all;
  row.penalised_loglik = stage.penalised_loglik;
  if (stage.split_length > 0.0) {
    row.move = TraceMove::kSplit;
    row.split_length = stage.split_length;
  }
  return row;
}

TraceRow row_of(const PolishRecord& move) {
  TraceRow row;
  row.phase = Phase::kPolish;
  row.move = move_of(move.kind);
  if (move.kind == MoveKind::kSplitMerge || move.kind == MoveKind::kMergeSplit) {
    row.item_1 = move.item_1;
    row.item_2 = move.item_2;
    row.component = move.component;
    row.merged_1 = move.merged_1;
    row.merged_2 = move.merged_2;
  }
  row.n_informative = move.n_informative;
  row.loglik = move.loglik;
  row.penalised_loglik = move.penalised_loglik;
  return row;
}

}  // namespace

Trace trace_of(const std::vector<StageRecord>& stages) {
  Trace out;
  for (const StageRecord& stage : stages) out.push_back(row_of(stage));
  return out;
}

Trace trace_of(const std::vector<IterationRecord>& iterations, Index n_components) {
  Trace out;
  for (const IterationRecord& iteration : iterations) {
    TraceRow row;
    row.n_components = n_components;
    row.n_informative = iteration.n_informative;
    row.loglik = iteration.loglik;
    row.penalised_loglik = iteration.penalised_loglik;
    out.push_back(row);
  }
  return out;
}

Trace trace_of(const std::vector<PolishRecord>& moves, Index n_components) {
  Trace out;
  for (const PolishRecord& move : moves) {
    out.push_back(row_of(move));
    out.back().n_components = n_components;
  }
  return out;
}

TraceRow trace_row(Phase phase, TraceMove move, const MixtureFit& fit) {
  TraceRow row;
  row.phase = phase;
  row.move = move;
  row.n_components = fit.params.n_components();
  row.n_informative = static_cast<Index>(fit.informative.size());
  row.loglik = fit.loglik;
  row.penalised_loglik = fit.penalised_loglik;
  return row;
}

void append(const Trace& more, Trace& trace) {
  trace.insert(trace.end(), more.begin(), more.end());
}

}  // namespace mdpd
