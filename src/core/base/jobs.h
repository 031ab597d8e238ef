#pragma once

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/monitor.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mdpd {

/// Threads of a call that does not say how many: what a package may take unasked.
inline constexpr int default_threads = 2;

/// Threads to use where `n_wanted` are asked for: as many as the machine and OMP_THREAD_LIMIT allow.
inline int allowed_threads(double n_wanted) {
#ifdef _OPENMP
  const int n_most = std::min(omp_get_num_procs(), omp_get_thread_limit());
#else
  const int n_most = 1;
#endif
  return std::max(1, static_cast<int>(std::min(n_wanted, static_cast<double>(n_most))));
}

/// Threads that pay for about `n_operations` elementary operations: below a millisecond's worth,
/// waking the others takes longer than they save.
inline int useful_threads(int n_threads, double n_operations) {
  return n_operations < 2e6 ? 1 : n_threads;
}

/// Runs work(job, worker) for the jobs 0, ..., n_jobs - 1, each once, on up to n_threads threads:
/// worker is 0 to n_threads - 1, and 0 is the thread that called, the only one that may talk to a
/// Monitor. Jobs must not depend on each other. The first exception ends the run and is thrown again
/// here.
template <class Work>
void for_each_job(Index n_jobs, [[maybe_unused]] int n_threads, const Work& work) {
  std::exception_ptr error;
  std::atomic<bool> stopped{false};
  const auto attempt = [&](Index job, int worker) {
    if (stopped) return;
    try {
      work(job, worker);
    } catch (...) {
      if (!stopped.exchange(true)) error = std::current_exception();
    }
  };
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads) if (n_threads > 1)
  for (Index job = 0; job < n_jobs; ++job) attempt(job, omp_get_thread_num());
#else
  for (Index job = 0; job < n_jobs; ++job) attempt(job, 0);
#endif
  if (error) std::rethrow_exception(error);
}

}  // namespace mdpd
