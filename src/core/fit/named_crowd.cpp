#include "fit/named_crowd.h"

#include <set>
#include <utility>

#include "base/assignment.h"
#include "base/numerics.h"
#include "data/row_sums.h"
#include "fit/known_rows.h"
#include "growth/same_optimum.h"
#include "starts/kinds.h"
#include "starts/mistakes.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// Share of a crowd's rows that may be in other components than by its vote, and answers of so large
/// a crowd that a few nats do not matter, see `prefer_vote()` and `stays_at_vote()`.
constexpr double most_moved_from_vote = 0.02;
/// Nats by which leaving the vote must be worth more than by its names alone: twentyfold.
constexpr double least_to_leave_vote = 3.0;
constexpr double most_answers_to_prefer_vote = 20000.0;
constexpr Index most_cells_to_search = 8000;
/// Of the posterior probabilities of a label, in all rows the same up to the tolerance of EM.
constexpr double most_spread_of_alike = 0.01;

}  // namespace

bool NamedCrowd::has_named(Index k) const {
  const RefineOptions& refine = steps_.options().refine;
  return refine.type == Refinement::kEvidence && refine.is_crowd && k > 1 && k == n_labels();
}

// The vote ----------------------------------------------------------------------------------------

void NamedCrowd::take_vote() {
  vote_ =
      crowd_start(data(), n_labels(), steps_.options().refine, steps_.monitor()).e_step.posterior;
  // As it is where EM loses a label.
  if (vote_.cols() != n_labels()) vote_ = label_shares(data(), n_labels());
  has_like_mistakes_ = mdpd::has_like_mistakes(data(), n_labels());
}

ItemPrior NamedCrowd::prior_of_vote(const RowMatrix& posterior) const {
  ItemPrior prior = flat_prior_of_crowd(data(), level_counts(data(), posterior));
  prior.pseudo_counts = pseudo_counts_of_vote(posterior);
  return prior;
}

ItemPrior NamedCrowd::prior_of_alike(const RowMatrix& posterior) const {
  const bool is_alike = has_like_mistakes_ && posterior.cols() == vote_.cols();
  return is_alike ? prior_of_vote(posterior) : ItemPrior();
}

RowMatrix NamedCrowd::pseudo_counts_of_vote(const RowMatrix& posterior) const {
  std::vector<Index> labels = numbers_below(n_labels());
  // Where rows are known, component i is label i as it is.
  if (data().known.empty()) labels = best_assignment(shared_weight(data(), posterior, vote_));
  RowMatrix votes = vote_;
  order_columns(labels, votes);
  RowMatrix counts = flat_prior_of_crowd(data(), level_counts(data(), votes)).pseudo_counts;
  if (!has_like_mistakes_) return counts;
  for (Index k = 0; k < n_labels(); ++k) {
    const double right = counts(labels[k], k);
    const double wrong = counts.col(k).sum() - right;
    counts.col(k).setConstant(wrong / static_cast<double>(n_labels() - 1));
    counts(labels[k], k) = right;
  }
  return counts;
}

void NamedCrowd::settle_columns(FitRun& run) {
  const RowMatrix& posterior = run.fit.e_step.posterior;
  if (posterior.cols() != vote_.cols()) return;
  ItemPrior prior = run.fit.item_prior;
  prior.pseudo_counts = pseudo_counts_of_vote(posterior);
  steps_.refine_further(run, std::move(prior));
}

RefineOptions NamedCrowd::options_at_vote(const RowMatrix& start) const {
  RefineOptions options = steps_.options().refine;
  options.uses_all_items = true;
  options.item_prior = prior_of_vote(start);
  return options;
}

/// EM with all workers from the vote, as it is and with workers alike: the better end, as `mdpd()`
/// has it.
FitRun NamedCrowd::fit_vote() {
  FitRun best;
  for (const RowMatrix& start : {label_shares(data(), n_labels()), vote_}) {
    FitRun run{start_at(start, {})};
    steps_.refine_by(options_at_vote(start), run);
    if (best.trace.empty() || run.fit.evidence > best.fit.evidence) best = std::move(run);
  }
  return best;
}

bool NamedCrowd::has_many_answers() const {
  return data().observed_weight.sum() > most_answers_to_prefer_vote;
}

/// Of many labels and workers every step weighs so many columns that the search takes minutes.
bool NamedCrowd::has_many_columns() const {
  return n_labels() * data().n_total_levels() > most_cells_to_search;
}

bool NamedCrowd::stays_at_vote(FitRun& run) {
  if (!has_many_answers() && !has_many_columns()) return false;
  FitRun vote = fit_vote();
  if (!has_component_a_label(vote)) return false;
  if (has_component_a_label(run) && steps_.is_better(run, vote)) return false;
  end_by(Move::kVote, std::move(vote), run);
  return true;
}

bool NamedCrowd::returns_to_vote(FitRun& run) {
  FitRun vote = fit_vote();
  if (!has_component_a_label(vote) || !steps_.is_better(vote, run)) return false;
  end_by(Move::kVote, std::move(vote), run);
  return true;
}

// Labels ------------------------------------------------------------------------------------------

std::vector<Index> NamedCrowd::corrected(const MixtureFit& fit, std::vector<Index> labels) const {
  const RowMatrix counts = level_counts(data(), fit.e_step.posterior);
  return corrected_by_votes(data(), counts, n_labels(), std::move(labels));
}

std::vector<Index> NamedCrowd::labels_of(const MixtureFit& fit) const {
  return corrected(fit, labels_by_answers(data(), fit));
}

bool NamedCrowd::has_component_a_label(const FitRun& run) const {
  return run.fit.params.n_components() == n_labels();
}

/// Of one component a label: is there one for each, by what the workers answer?
bool NamedCrowd::has_all_labels(const FitRun& run) const {
  const std::vector<Index> labels = labels_of(run.fit);
  return std::set<Index>(labels.begin(), labels.end()).size() ==
         static_cast<std::size_t>(n_labels());
}

/// Do all rows have one posterior? Where some are known they do not.
bool NamedCrowd::is_alike(const FitRun& run) const {
  const RowMatrix& posterior = run.fit.e_step.posterior;
  const auto spread = posterior.colwise().maxCoeff() - posterior.colwise().minCoeff();
  return has_component_a_label(run) && spread.maxCoeff() < most_spread_of_alike;
}

/// None where there is not one component a label.
Majorities NamedCrowd::majorities(const FitRun& run) const {
  if (!has_component_a_label(run)) return {};
  const std::vector<Index> labels =
      data().known.empty() ? labels_of(run.fit) : numbers_below(n_labels());
  return labels.empty() ? Majorities() : majorities_of(data(), run.fit, labels);
}

void NamedCrowd::settle_labels(FitRun& run) {
  if (!steps_.options().refines) return;
  hold(prefer_vote(run), run);
  tell_apart(run);
}

void NamedCrowd::hold_majorities(FitRun& run) {
  hold(majorities(run), run);
  tell_apart(run);
}

/// Where rows have few answers, EM can end where all columns are the same: no worker is known well
/// enough to be believed, and all rows have one label. If they agree above chance nonetheless,
/// workers as good as each other tell the rows apart: EM from there, or if that leads back a step.
void NamedCrowd::tell_apart(FitRun& run) {
  if (!is_alike(run) || !agrees_above_chance(data())) return;
  const RowMatrix start = posterior_of_alike(data(), n_labels());
  RefineOptions options = options_at_vote(start);
  FitRun next{start_at(start, {})};
  steps_.refine_by(options, next);
  if (!has_component_a_label(next) || is_alike(next)) {
    const Status status = next.status;
    next = FitRun{start_at(start, {})};
    steps_.refine_by(options.at_most(1), next);
    next.status = status;
  }
  if (has_component_a_label(next)) end_by(Move::kVote, std::move(next), run);
}

/// What workers answer says which component is which label, and only near their vote it does: of
/// the K! ways to give K components their labels one is right. Where it has other rows in its
/// components a fit must be worth more evidence by the logarithm of that, with one for each label,
/// and strong evidence besides: by a nat or two small crowds end far from any truth. And it must
/// overrule no more clear majorities than the vote's end, which must have a reason for those.
/// Returns what it makes of them.
Majorities NamedCrowd::prefer_vote(FitRun& run) {
  const bool is_whole = has_component_a_label(run);
  Majorities told = majorities(run);
  if (is_whole && has_many_answers() && !are_overruled(told)) return told;
  FitRun vote = fit_vote();
  Majorities of_vote = majorities(vote);
  if (is_whole) {
    if (!has_component_a_label(vote)) return told;
    const Vector moved = moved_shares(data(), run.fit.e_step.posterior, vote.fit.e_step.posterior);
    const bool is_alike = moved.sum() < 2.0 * most_moved_from_vote;
    const double of_names = log_gamma_of(static_cast<double>(n_labels()) + 1.0);
    const double least = is_alike ? -smallest_gain : of_names + least_to_leave_vote;
    const bool is_better = run.fit.objective() - vote.fit.objective() > least;
    const auto is_of_labels = [&] {
      return has_all_labels(run) && told.n_overruled <= of_vote.n_overruled;
    };
    if (is_better && !are_overruled(of_vote) && (is_alike || is_of_labels())) return told;
  }
  end_by(Move::kVote, std::move(vote), run);
  return of_vote;
}

/// @param told of the run.
void NamedCrowd::hold(Majorities told, FitRun& run) {
  if (!are_overruled(told)) return;
  const std::vector<Index> known = data().known;
  for (std::size_t row = 0; row < known.size(); ++row) {
    if (known[row] != no_component) told.labels[row] = known[row];
  }
  const RowMatrix start = label_shares(data(), n_labels());
  RefineOptions options = options_at_vote(start);
  FitRun held{start_at(start, {})};
  steps_.rows().hold(std::move(told.labels));
  steps_.refine_by(options, held);
  steps_.rows().hold(known);
  if (!has_component_a_label(held)) return;
  const Status status = held.status;
  options = options.at_most(1);
  options.item_prior = held.fit.item_prior;
  steps_.refine_by(options, held);
  held.status = status;
  end_by(Move::kMajorities, std::move(held), run);
}

}  // namespace mdpd
