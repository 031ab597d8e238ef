#pragma once

#include <vector>

#include "fit/run_steps.h"
#include "starts/majorities.h"

namespace mdpd {

/// What the runs of a crowd do, by evidence and with one component for each label, beside those of
/// other data: their columns are drawn to those of the vote, and they leave its classes only with
/// reason.
class NamedCrowd {
 public:
  explicit NamedCrowd(RunSteps& steps) : steps_(steps) {}

  /// Is it of so many components that this is about?
  bool has_named(Index k) const;

  /// To be called before all that is below.
  void take_vote();
  /// Posterior of the last start by the vote of a crowd alike; empty before.
  const RowMatrix& vote() const { return vote_; }

  /// To begin with, with columns drawn to those of the vote.
  ItemPrior prior_of_vote(const RowMatrix& posterior) const;
  /// The same of a crowd whose mistakes are alike and a component a label; else as it is without.
  ItemPrior prior_of_alike(const RowMatrix& posterior) const;
  /// Of the crowd's columns at the vote, with the components in the order that a posterior has them.
  /// Where mistakes are alike each wrong label has as many: of many labels and few rows chance would
  /// make most of the difference.
  RowMatrix pseudo_counts_of_vote(const RowMatrix& posterior) const;
  /// Is every wrong label as likely?
  bool has_like_mistakes() const { return has_like_mistakes_; }

  /// Goes on with the crowd's columns drawn to those of the vote, whatever start the run came from.
  void settle_columns(FitRun& run);

  /// Of a crowd of many answers or many labels, where the search for a better optimum takes longest
  /// and hardly finds one: goes to the vote's end where the run has led no higher. Did it?
  bool stays_at_vote(FitRun& run);

  /// Where rows are held, goes to the vote's end with them if that is higher. Did it?
  bool returns_to_vote(FitRun& run);

  /// A run whose components are labels: that of the vote, or from where rows have majorities, if they
  /// are not those of this one, or all rows are alike in it.
  void settle_labels(FitRun& run);

  /// Where EM overrules majorities without reason it goes on with these rows held, and lets them go in
  /// its last step. Where it ends with all rows alike though workers agree it tells them apart.
  void hold_majorities(FitRun& run);

  /// Of components their labels, but those that the votes dispute, see `corrected_by_votes()`.
  std::vector<Index> corrected(const MixtureFit& fit, std::vector<Index> labels) const;
  /// Of components as many as labels, by what the workers answer.
  std::vector<Index> labels_of(const MixtureFit& fit) const;

 private:
  Index n_labels() const { return steps_.problem().n_labels; }
  const CodedData& data() const { return steps_.data(); }
  bool has_many_answers() const;
  bool has_many_columns() const;
  bool has_component_a_label(const FitRun& run) const;
  bool has_all_labels(const FitRun& run) const;
  bool is_alike(const FitRun& run) const;
  RefineOptions options_at_vote(const RowMatrix& start) const;
  FitRun fit_vote();
  Majorities majorities(const FitRun& run) const;
  Majorities prefer_vote(FitRun& run);
  void hold(Majorities told, FitRun& run);
  void tell_apart(FitRun& run);

  RunSteps& steps_;
  RowMatrix vote_;
  bool has_like_mistakes_ = false;
};

}  // namespace mdpd
