// Times an EM iteration on all workers of a crowd against the majority vote on the same labels.
// Compiled and run by bench/speed.R, as bench/pair_tables.cpp is.
// Usage: crowd_iteration n_items n_workers n_each n_labels n_threads times
// Every item gets n_each labels. Prints a line `vote|em milliseconds` for each of `times` runs, the
// two in turn; the EM of a run makes five iterations and is divided by them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/jobs.h"
#include "data/make_data.h"
#include "lib/milliseconds.h"
#include "model/refine.h"

namespace {

using mdpd::Index;

constexpr Index n_iterations = 5;

/// Workers that are right with a probability of their own; some label much more than others.
mdpd::CodedData random_crowd(Index n_items, Index n_workers, Index n_each, Index n_labels) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> accuracy(n_workers);
  for (double& a : accuracy) a = 0.3 + 0.6 * uniform(engine);
  std::vector<std::size_t> row_start = {0};
  std::vector<std::uint32_t> workers;
  std::vector<mdpd::Code> labels;
  std::vector<std::uint32_t> of_item;
  for (Index item = 0; item < n_items; ++item) {
    const Index truth = static_cast<Index>(engine() % n_labels);
    of_item.clear();
    while (static_cast<Index>(of_item.size()) < n_each) {
      const double at = uniform(engine) * uniform(engine) * static_cast<double>(n_workers);
      const auto worker = static_cast<std::uint32_t>(at);
      if (std::find(of_item.begin(), of_item.end(), worker) == of_item.end()) {
        of_item.push_back(worker);
      }
    }
    std::sort(of_item.begin(), of_item.end());
    for (const std::uint32_t worker : of_item) {
      const bool right = uniform(engine) < accuracy[worker];
      const Index label = right ? truth : static_cast<Index>(engine() % n_labels);
      workers.push_back(worker);
      labels.push_back(static_cast<mdpd::Code>(label + 1));
    }
    row_start.push_back(workers.size());
  }
  return mdpd::make_sparse_data({std::move(row_start), std::move(workers), std::move(labels)},
                                std::vector<Index>(n_workers, n_labels),
                                mdpd::Vector::Ones(n_items));
}

struct Vote {
  mdpd::RowMatrix shares;           ///< items x labels
  std::vector<mdpd::Code> winners;  ///< ties go to the label that is given more often
};

/// What majority_vote() counts in R, by the rows of the data.
Vote majority_vote(const mdpd::CodedData& data, Index n_labels) {
  constexpr Index rows_per_job = 4096;
  Vote vote;
  vote.shares = mdpd::RowMatrix::Zero(data.n_obs, n_labels);
  vote.winners.resize(data.n_obs);
  const Index n_jobs = (data.n_obs + rows_per_job - 1) / rows_per_job;
  const auto rows_of = [&](Index job) {
    return std::make_pair(job * rows_per_job, std::min(data.n_obs, (job + 1) * rows_per_job));
  };
  std::vector<mdpd::Vector> parts(n_jobs);
  mdpd::for_each_job(n_jobs, data.n_threads, [&](Index job, int) {
    const auto [first, last] = rows_of(job);
    for (Index row = first; row < last; ++row) {
      double* shares = vote.shares.data() + row * n_labels;
      mdpd::for_each_item_of_row(data, row,
                                 [&](Index, mdpd::Code label) { shares[label - 1] += 1.0; });
    }
    parts[job] = vote.shares.middleRows(first, last - first).colwise().sum().transpose();
  });
  mdpd::Vector given = mdpd::Vector::Zero(n_labels);
  for (const mdpd::Vector& part : parts) given += part;
  mdpd::for_each_job(n_jobs, data.n_threads, [&](Index job, int) {
    const auto [first, last] = rows_of(job);
    for (Index row = first; row < last; ++row) {
      double* shares = vote.shares.data() + row * n_labels;
      Index best = 0;
      double sum = 0.0;
      for (Index label = 0; label < n_labels; ++label) {
        sum += shares[label];
        const bool ties = shares[label] == shares[best] && given[label] > given[best];
        if (shares[label] > shares[best] || ties) best = label;
      }
      for (Index label = 0; label < n_labels; ++label) shares[label] /= sum;
      vote.winners[row] = static_cast<mdpd::Code>(best + 1);
    }
  });
  return vote;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr,
                 "Usage: crowd_iteration n_items n_workers n_each n_labels n_threads times\n");
    return 2;
  }
  const Index n_labels = std::atol(argv[4]);
  mdpd::CodedData data =
      random_crowd(std::atol(argv[1]), std::atol(argv[2]), std::atol(argv[3]), n_labels);
  data.n_threads = std::atoi(argv[5]);
  mdpd::Monitor monitor;
  mdpd::RefineOptions options;
  options.type = mdpd::Refinement::kFull;
  options.tol = 0.0;
  options.max_iter = n_iterations;
  for (int time = 0; time < std::atoi(argv[6]); ++time) {
    Vote vote;
    std::printf("vote %.2f\n", milliseconds([&] { vote = majority_vote(data, n_labels); }));
    const double em = milliseconds([&] { mdpd::refine(data, vote.shares, {}, options, monitor); });
    std::printf("em %.2f\n", em / static_cast<double>(n_iterations));
    std::fflush(stdout);
  }
  return 0;
}
