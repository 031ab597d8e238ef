#pragma once

#include "growth/trials.h"

namespace mdpd {

struct PolishOptions : TrialOptions {
  Index max_rounds = 50;
  /// Of data of more rows no single row is moved; and as a round of some 600 iterations would take
  /// minutes, while a trial that is to win or lose by thousands of nats shows it after a few, trials
  /// are raced.
  Index most_small_rows = most_rows_of_small_data;
};

struct PolishResult {
  MixtureFit fit;
  Status status = Status::kConverged;
  Trace trace;  ///< a row an accepted move
};

/// Search for a better optimum with the same number of components. Each round tries three kinds of
/// move: split a component at its worst explained pair and merge the two components whose union
/// costs least; merge two components and split their union at its worst explained pair; move items
/// into or out of the informative set; move single rows to another component. Every trial is
/// refined briefly, the best ones to the end, and the best of all is kept if its penalised
/// log-likelihood is higher; the search ends when none is. On large data a trial is given up as soon
/// as the pace of its EM does not promise to take it above the fit. Deterministic. The first kind is
/// after Ueda, Nakano, Ghahramani and Hinton (2000), SMEM Algorithm for Mixture Models.
PolishResult polish(const CodedData& data, MixtureFit fit, const PolishOptions& options,
                    Monitor& monitor);

}  // namespace mdpd
