// Times passes over all pairs of items. Compiled and run by bench/speed.R.
// Usage: pair_tables n_obs n_items n_levels n_components missing n_threads times
// On one thread, prints a line `pass|blas milliseconds` for each of `times` runs, the two in turn:
// a pass, and the weighted cross products of the one-hot matrix, one call of BLAS a component. On
// several threads `pass|single|apart milliseconds`: a pass, a pass on one thread, and as many passes
// at once as there are threads, each on one: what the machine lets threads gain that do not wait for
// each other.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/jobs.h"
#include "data/make_data.h"
#include "data/row_sums.h"
#include "lib/milliseconds.h"
#include "pairs/pair_pass.h"

extern "C" void dsyrk_(const char* part, const char* transpose, const int* n, const int* k,
                       const double* alpha, const double* a, const int* rows, const double* beta,
                       double* c, const int* c_rows);

namespace {

using mdpd::Index;

std::vector<mdpd::Code> random_codes(std::mt19937_64& engine, Index n, Index n_levels,
                                     double missing) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<mdpd::Code> codes(n);
  for (mdpd::Code& code : codes) {
    const bool gone = uniform(engine) < missing;
    code = gone ? 0 : static_cast<mdpd::Code>(1 + engine() % n_levels);
  }
  return codes;
}

mdpd::RowMatrix random_posterior(std::mt19937_64& engine, Index n_obs, Index n_components) {
  std::exponential_distribution<double> exponential(1.0);
  mdpd::RowMatrix out(n_obs, n_components);
  for (Index n = 0; n < n_obs; ++n) {
    for (Index k = 0; k < n_components; ++k) out(n, k) = exponential(engine);
    out.row(n) /= out.row(n).sum();
  }
  return out;
}

/// Indicators of all levels but the first of every item (n_obs x columns).
mdpd::Matrix one_hot(const mdpd::CodedData& data) {
  const Index n_levels = data.n_levels[0];
  mdpd::Matrix out = mdpd::Matrix::Zero(data.n_obs, data.n_items * (n_levels - 1));
  for (Index item = 0; item < data.n_items; ++item) {
    mdpd::for_each_answer(data, item, [&](Index row, mdpd::Code code) {
      if (code > 1) out(row, item * (n_levels - 1) + code - 2) = 1.0;
    });
  }
  return out;
}

/// X' diag(w) X for each component, in its upper triangle.
void multiply(const std::vector<mdpd::Matrix>& weighted, mdpd::Matrix& product) {
  const int n = static_cast<int>(product.rows());
  const int rows = static_cast<int>(weighted[0].rows());
  const double one = 1.0;
  const double zero = 0.0;
  for (const mdpd::Matrix& x : weighted) {
    dsyrk_("U", "T", &n, &rows, &one, x.data(), &rows, &zero, product.data(), &n);
  }
}

/// Makes a pass: the largest dependence of a pair.
double largest_dependence(const mdpd::CodedData& data, const mdpd::RowMatrix& weights) {
  mdpd::Monitor monitor;
  std::vector<double> largest(data.n_threads, 0.0);
  mdpd::for_each_pair_block(data, weights, {}, monitor,
                            [&](int worker, const mdpd::PairBlock& block) {
                              const Index n = (block.last_other - block.first_other) * block.stride;
                              for (Index at = 0; at < n; ++at) {
                                largest[worker] = std::max(largest[worker], block.dependence[at]);
                              }
                            });
  return *std::max_element(largest.begin(), largest.end());
}

template <class Work>
void print_time(const char* what, Work work) {
  std::printf("%s %.3f\n", what, milliseconds(work));
}

double compare_with_blas(const mdpd::CodedData& data, const mdpd::RowMatrix& weights, int times) {
  const mdpd::Matrix indicators = one_hot(data);
  // The columns are weighted beforehand: what is timed is the product alone.
  std::vector<mdpd::Matrix> weighted;
  for (Index k = 0; k < weights.cols(); ++k) {
    weighted.push_back(weights.col(k).cwiseSqrt().asDiagonal() * indicators);
  }
  mdpd::Matrix product = mdpd::Matrix::Zero(indicators.cols(), indicators.cols());
  double largest = 0.0;
  for (int run = 0; run < times; ++run) {
    print_time("blas", [&] { multiply(weighted, product); });
    print_time("pass", [&] { largest += largest_dependence(data, weights); });
  }
  return largest + product(0, 0);
}

double compare_threads(const mdpd::CodedData& data, const mdpd::RowMatrix& weights, int times) {
  mdpd::CodedData data_of_one = data;
  data_of_one.n_threads = 1;
  std::vector<double> largest(data.n_threads, 0.0);
  for (int run = 0; run < times; ++run) {
    print_time("single", [&] { largest[0] += largest_dependence(data_of_one, weights); });
    print_time("pass", [&] { largest[0] += largest_dependence(data, weights); });
    print_time("apart", [&] {
      mdpd::for_each_job(data.n_threads, data.n_threads, [&](Index job, int) {
        largest[job] += largest_dependence(data_of_one, weights);
      });
    });
  }
  return largest[0];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const Index n_obs = std::atol(argv[1]);
  const Index n_items = std::atol(argv[2]);
  const Index n_levels = std::atol(argv[3]);
  const Index n_components = std::atol(argv[4]);
  const double missing = std::atof(argv[5]);
  std::mt19937_64 engine(1);
  const std::vector<mdpd::Code> codes = random_codes(engine, n_obs * n_items, n_levels, missing);
  mdpd::CodedData data = mdpd::make_coded_data(
      codes.data(), n_obs, std::vector<Index>(n_items, n_levels), mdpd::Vector::Ones(n_obs));
  data.n_threads = std::atoi(argv[6]);
  const mdpd::RowMatrix weights =
      mdpd::row_shares(data, random_posterior(engine, n_obs, n_components));
  const int times = std::atoi(argv[7]);
  const double used = data.n_threads == 1 ? compare_with_blas(data, weights, times)
                                          : compare_threads(data, weights, times);
  // What was computed is used, so that no compiler leaves it out.
  return used < 0.0 ? 1 : 0;
}
