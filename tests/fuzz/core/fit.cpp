// Hands `fit_mixture()` problems made of the fuzzer's bytes. Either the door says DimensionError, or
// the fit is one, and the same on two threads. Built and run by tools/fuzz-core.

#include "problems.h"

namespace mdpd {

namespace {

void try_problem(Input in) {
  std::vector<Code> codes;
  const Index k = in.rarely() ? in.below(12) - 3 : 1 + in.below(4);
  const FitOptions options = options_of(in, k);
  Problem problem = problem_of(in, codes, std::max<Index>(1, k));
  for (Index n = in.below(3); n > 0; --n) {
    problem.starts.push_back(start_of(in, problem.cells, std::max<Index>(1, k), problem.n_labels));
  }
  Monitor monitor;
  FitOutcome outcome;
  try {
    outcome = fit_mixture(problem, options, monitor);
  } catch (const DimensionError&) {
    return;
  }
  for (const FitResult& result : outcome.fits) must_be_fit(result, problem);
  problem.n_threads = 2;
  must_be_same(fit_mixture(problem, options, monitor), outcome, "two threads find the same");
}

}  // namespace

}  // namespace mdpd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
  mdpd::try_problem({bytes, n});
  return 0;
}
