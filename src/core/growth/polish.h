#pragma once

#include "growth/search_budget.h"

namespace mdpd {

/// Search for a better optimum with the same number of components, from where a run has converged.
/// Each round tries four kinds of move: split a component at its worst explained pair and merge the
/// two components whose union costs least; merge two components and split their union at its worst
/// explained pair; move items into or out of the informative set; move single rows to another
/// component. Every trial is refined briefly, the best ones to the end, and the best of all is kept
/// if its objective is higher; the search ends when none is. Each is a row of the trace. Where the
/// budget is spent, the best so far stays. On large data no single row is moved; and as a round of
/// some 600 iterations would take minutes, while a trial that is to win or lose by thousands of nats
/// shows it after a few, a trial is given up as soon as the pace of its EM does not promise to take
/// it above the fit. Of many items, by evidence, a pair has one that tells the components apart.
/// Deterministic. The first kind is after Ueda, Nakano, Ghahramani and Hinton (2000), SMEM Algorithm
/// for Mixture Models.
void polish(const CodedData& data, const FitOptions& options, SearchBudget& budget, FitRun& run);

}  // namespace mdpd
