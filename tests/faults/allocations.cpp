// Refuses memory to fits at random moments: each must end in std::bad_alloc, leave nothing behind
// (the address sanitiser tells) and not change what the next fit finds. Built and run by
// tools/core-tests, with every malloc() of the core going through the one here (ld's --wrap).
// Writes `passed failed` to the file that MDPD_CORE_COUNTS names.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <random>

#include "fit/problems.h"

// Memory -------------------------------------------------------------------------------------------

namespace {

constexpr long never = std::numeric_limits<long>::max();

std::atomic<long> n_requests{0};
std::atomic<long> first_refused{never};
std::atomic<long> last_refused{never};

bool is_refused() {
  const long at = n_requests++;
  return at >= first_refused && at <= last_refused;
}

void refuse(long first, long last) {
  first_refused = first;
  last_refused = last;
  n_requests = 0;
}

void refuse_nothing() { refuse(never, never); }

}  // namespace

extern "C" void* __real_malloc(std::size_t size);

extern "C" void* __wrap_malloc(std::size_t size) {
  return is_refused() ? nullptr : __real_malloc(size);
}

void* operator new(std::size_t size) {
  void* const memory = __wrap_malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// What sorts stably asks so, and does without.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return __wrap_malloc(size > 0 ? size : 1);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const bool is_there =
      !is_refused() && posix_memalign(&memory, static_cast<std::size_t>(alignment), size) == 0;
  if (!is_there) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Fits ---------------------------------------------------------------------------------------------

namespace mdpd {

namespace {

/// Of each kind of problem. Each kind of refusal in turn: of one request, and of all that follow.
constexpr int n_refusals = 25;

bool is_same(const FitOutcome& a, const FitOutcome& b) {
  if (a.fits.size() != b.fits.size()) return false;
  for (std::size_t at = 0; at < a.fits.size(); ++at) {
    const MixtureFit& fit = a.fits[at].fit;
    const MixtureFit& other = b.fits[at].fit;
    if (fit.loglik != other.loglik || fit.params.item_probs != other.params.item_probs ||
        fit.e_step.posterior != other.e_step.posterior)
      return false;
  }
  return true;
}

/// Does the fit end in std::bad_alloc, or, as where threads are faster this time, as it should?
bool ends_well(const Problem& problem, const FitOptions& options, const FitOutcome& expected) {
  try {
    return is_same(fit_all(problem, options), expected);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

class Report {
 public:
  void add(const char* name, const Problem& problem, const FitOptions& options) {
    refuse_nothing();
    const FitOutcome expected = fit_all(problem, options);
    std::uniform_int_distribution<long> any(0, n_requests - 1);
    const int n_failed_before = n_failed_;
    for (int at = 0; at < n_refusals; ++at) {
      const long first = any(engine_);
      refuse(first, at % 2 == 0 ? first : never);
      const bool ended_well = ends_well(problem, options, expected);
      refuse_nothing();
      count(ended_well && (at > 0 || is_same(fit_all(problem, options), expected)));
    }
    count(is_same(fit_all(problem, options), expected));
    std::printf("%-26s %s\n", name, n_failed_ == n_failed_before ? "ends well" : "FAILS");
  }
  int end() const {
    if (const char* const file = std::getenv("MDPD_CORE_COUNTS")) {
      std::ofstream(file) << n_passed_ << ' ' << n_failed_ << '\n';
    }
    return n_failed_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  void count(bool passed) { (passed ? n_passed_ : n_failed_) += 1; }

  std::mt19937_64 engine_{1};
  int n_passed_ = 0;
  int n_failed_ = 0;
};

FitOptions by_evidence(std::vector<Index> n_components) {
  FitOptions options;
  options.n_components = std::move(n_components);
  return options;
}

void refuse_to_fits(Report& report) {
  const Table table = three_components(1);
  Problem problem = problem_of(table);
  report.add("evidence, path", problem, by_evidence({1, 2, 3}));
  report.add("BIC", problem, robust_fit_of({3}));
  report.add("sparse", sparse_problem_of(table), by_evidence({3}));
  Random random(2);
  FitOptions em = by_evidence({3});
  em.task = Task::kEm;
  em.refine.type = Refinement::kFull;
  problem.starts.resize(2);
  for (FitStart& start : problem.starts) {
    start.posterior = random_posterior(random, table.data.n_obs, 3);
  }
  report.add("EM", problem, em);
}

/// So many rows that it pays to wake the others.
void refuse_to_threads(Report& report) {
  Random random(3);
  const std::vector<Index> n_levels(40, 3);
  const Table table =
      draw_table(random, planted_mixture(random, n_levels, 10, 0.8), {4000, n_levels});
  Problem problem = problem_of(table);
  problem.n_threads = 2;
  report.add("two threads", problem, by_evidence({2}));
}

}  // namespace

}  // namespace mdpd

int main() {
  mdpd::Report report;
  mdpd::refuse_to_fits(report);
  mdpd::refuse_to_threads(report);
  return report.end();
}
