#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "base/monitor.h"

#ifdef __linux__
#include <sched.h>
#endif

namespace mdpd {

/// Threads of a call that does not say how many: what a package may take unasked.
inline constexpr int default_threads = 2;

/// Threads to use where `n_wanted` are asked for: as many as the machine, on Linux the processors that
/// the process is bound to, and OMP_THREAD_LIMIT allow.
inline int allowed_threads(double n_wanted) {
  double n_most = std::thread::hardware_concurrency();
#ifdef __linux__
  cpu_set_t bound_to;
  if (sched_getaffinity(0, sizeof bound_to, &bound_to) == 0) n_most = CPU_COUNT(&bound_to);
#endif
  const char* limit = std::getenv("OMP_THREAD_LIMIT");
  if (limit != nullptr && std::atoi(limit) > 0) n_most = std::min(n_most, 1.0 * std::atoi(limit));
  return static_cast<int>(std::max(1.0, std::min(n_wanted, n_most)));
}

/// Threads that pay for about `n_operations` elementary operations: below a millisecond's worth,
/// starting the others takes longer than they save.
inline int useful_threads(int n_threads, double n_operations) {
  return n_operations < 2e6 ? 1 : n_threads;
}

/// Runs work(job, worker) for the jobs 0, ..., n_jobs - 1, each once, on up to n_threads threads:
/// worker is 0 to n_threads - 1, and 0 is the thread that called, the only one that may talk to a
/// Monitor. Jobs must not depend on each other. The first exception ends the run and is thrown again
/// here. The other threads live no longer than the run: none is there to spin where other programs
/// need the processors, to be missing after a fork, or to outlive the library.
template <class Work>
void for_each_job(Index n_jobs, int n_threads, const Work& work) {
  std::atomic<Index> n_taken{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr error;
  const auto take_jobs = [&](int worker) {
    for (Index job = n_taken++; job < n_jobs && !stopped; job = n_taken++) {
      try {
        work(job, worker);
      } catch (...) {
        if (!stopped.exchange(true)) error = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  others.reserve(std::max(0, n_threads - 1));
  try {
    for (int worker = 1; worker < std::min<Index>(n_threads, n_jobs); ++worker) {
      others.emplace_back(take_jobs, worker);
    }
  } catch (const std::exception&) {
    // The system gives no more threads, or memory for them: those that are there do all jobs.
  }
  take_jobs(0);
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace mdpd
