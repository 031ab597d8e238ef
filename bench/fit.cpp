// A fit without R: simulates a table, calls the engine and prints what it found. Compiled as
// bench/speed.R does, or by
//   g++ -std=gnu++17 -O2 -pthread -Isrc/core -isystem EIGEN -o fit bench/fit.cpp src/core/*/*.cpp
// with the include folder of RcppEigen, or of Eigen itself, for EIGEN.
// Usage: fit n_obs n_items n_components n_threads

#include <cstdio>
#include <cstdlib>
#include <random>

#include "fit/fit.h"
#include "lib/milliseconds.h"

namespace {

using mdpd::Index;

constexpr Index n_levels = 3;

/// Seven times in ten the first ten items show a level that the component says; else, as the other
/// items always, any.
std::vector<mdpd::Code> simulate(Index n_obs, Index n_items, Index n_components) {
  std::mt19937_64 engine(1);
  std::vector<mdpd::Code> codes(n_obs * n_items);
  for (Index row = 0; row < n_obs; ++row) {
    const auto component = static_cast<Index>(engine() % n_components);
    for (Index item = 0; item < n_items; ++item) {
      const bool tells = item < 10 && engine() % 10 < 7;
      const Index favourite = (component + item * (component / n_levels)) % n_levels;
      const auto any = static_cast<Index>(engine() % n_levels);
      codes[item * n_obs + row] = static_cast<mdpd::Code>(1 + (tells ? favourite : any));
    }
  }
  return codes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const Index n_obs = std::atol(argv[1]);
  const Index n_items = std::atol(argv[2]);
  const Index n_components = std::atol(argv[3]);
  const std::vector<mdpd::Code> codes = simulate(n_obs, n_items, n_components);

  mdpd::Problem problem;
  problem.cells.n_obs = n_obs;
  problem.cells.n_levels.assign(n_items, n_levels);
  problem.cells.codes = codes.data();
  problem.case_weights = mdpd::Vector::Ones(n_obs);
  problem.n_threads = std::atoi(argv[4]);
  mdpd::FitOptions options;
  options.n_components = {n_components};

  mdpd::Monitor monitor;
  mdpd::FitOutcome outcome;
  const double time = milliseconds([&] { outcome = mdpd::fit_mixture(problem, options, monitor); });
  const mdpd::MixtureFit& fit = outcome.fits.front().fit;
  std::printf("milliseconds %.1f\n", time);
  std::printf("components %ld\n", static_cast<long>(fit.params.n_components()));
  std::printf("loglik %.10f\n", fit.loglik);
  std::printf("informative");
  for (const Index item : fit.informative) std::printf(" %ld", static_cast<long>(item + 1));
  std::printf("\n");
}
