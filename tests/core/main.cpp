// Runs the core's tests as a program of its own, without R.
//
// The tests include testthat's header, so that they read like any testthat C++ test. That header
// writes through R's console; here the console is standard output.

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#define CATCH_CONFIG_RUNNER
#include <testthat.h>

extern "C" void Rprintf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

extern "C" void R_FlushConsole() { std::fflush(stdout); }

namespace {

/// Leaves `passed failed` (tests) in the file that MDPD_CORE_COUNTS names, for tools/core-tests. A
/// test is a test_that(): Catch calls it a section, and a context, a test case, which it runs once
/// for each section inside, is one too.
class CountsToFile : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void sectionStarting(const Catch::SectionInfo&) override { is_innermost_ = true; }

  void sectionEnded(const Catch::SectionStats& stats) override {
    // After an exception Catch runs the context once more, where it may find nothing left to do.
    if (is_innermost_ && stats.assertions.total() > 0) {
      (stats.assertions.allPassed() ? passed_ : failed_) += 1;
      failures_in_tests_ += stats.assertions.failed;
    }
    is_innermost_ = false;
  }

  void testRunEnded(const Catch::TestRunStats& stats) override {
    const char* const file = std::getenv("MDPD_CORE_COUNTS");
    if (file == nullptr) {
      return;
    }
    // What a context expects beside its tests is no test, unless it fails.
    const std::size_t failures = stats.totals.assertions.failed;
    failed_ += failures > failures_in_tests_ ? 1 : 0;
    std::ofstream(file) << passed_ << ' ' << failed_ << '\n';
  }

 private:
  bool is_innermost_ = false;
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
  std::size_t failures_in_tests_ = 0;
};

}  // namespace

CATCH_REGISTER_LISTENER(CountsToFile)

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
