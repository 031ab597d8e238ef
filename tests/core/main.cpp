// Runs the core's tests as a program of its own, without R.
//
// The tests include testthat's header, so that they read like any testthat C++ test. That header
// writes through R's console; here the console is standard output.

#include <cstdarg>
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

/// Leaves `passed failed` (assertions) in the file that MDPD_CORE_COUNTS names, for tools/test.
class CountsToFile : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    const char* const file = std::getenv("MDPD_CORE_COUNTS");
    if (file == nullptr) {
      return;
    }
    const Catch::Counts& assertions = stats.totals.assertions;
    std::ofstream(file) << assertions.passed << ' ' << assertions.failed << '\n';
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(CountsToFile)

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
