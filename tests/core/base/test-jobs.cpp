#include "base/jobs.h"

#include <testthat.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "monitors.h"

namespace mdpd {

context("jobs") {
  test_that("every job is done once, whatever the number of threads") {
    for (const int n_threads : {1, 2, 7}) {
      std::vector<int> done(100, 0);
      std::vector<int> workers(100, -1);
      for_each_job(100, n_threads, [&](Index job, int worker) {
        ++done[job];
        workers[job] = worker;
      });
      for (int job = 0; job < 100; ++job) {
        expect_true(done[job] == 1);
        expect_true(workers[job] >= 0);
        expect_true(workers[job] < n_threads);
      }
    }
  }

  test_that("threads are as many as are asked for, at least one and no more than processors") {
    expect_true(allowed_threads(1.0) == 1);
    expect_true(allowed_threads(0.0) == 1);
    expect_true(allowed_threads(-3.0) == 1);
    const int n_most = allowed_threads(1e9);
    expect_true(n_most >= 1);
    expect_true(n_most <= std::max(1U, std::thread::hardware_concurrency()));
    if (n_most > 1) expect_true(allowed_threads(2.0) == 2);
    const char* const before = std::getenv("OMP_THREAD_LIMIT");
    const std::string limit = before == nullptr ? "" : before;
    setenv("OMP_THREAD_LIMIT", "1", 1);
    expect_true(allowed_threads(2.0) == 1);
    setenv("OMP_THREAD_LIMIT", "many", 1);
    expect_true(allowed_threads(1e9) >= n_most);
    setenv("OMP_THREAD_LIMIT", limit.c_str(), 1);
#ifdef __linux__
    cpu_set_t bound_to;
    sched_getaffinity(0, sizeof bound_to, &bound_to);
    int first = 0;
    while (!CPU_ISSET(first, &bound_to)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    expect_true(sched_setaffinity(0, sizeof one, &one) == 0);
    expect_true(allowed_threads(2.0) == 1);
    sched_setaffinity(0, sizeof bound_to, &bound_to);
    expect_true(allowed_threads(1e9) == n_most);
#endif
    expect_true(useful_threads(4, 1e3) == 1);
    expect_true(useful_threads(4, 1e9) == 4);
  }

  test_that("the first exception stops the jobs and reaches the caller") {
    for (const int n_threads : {1, 3}) {
      Index n_done = 0;
      expect_error_as(for_each_job(1000, n_threads,
                                   [&](Index job, int worker) {
                                     if (worker == 0) ++n_done;
                                     if (job == 5) throw Interrupt();
                                   }),
                      Interrupt);
      expect_true(n_done < 1000);
    }
  }
}

}  // namespace mdpd
