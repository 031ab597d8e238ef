# Entry points. Each target does its own set-up; the work is in tools/, one script a job.
.PHONY: help demo vignettes test check test-core portability r-builds fuzz fuzz-core mutants \
  coverage bench docs lint clean

# The demo's settings travel by environment, so that any path survives the shell.
export DATA K

help:
	@echo 'make demo                      fit a real table and a simulated crowd, draw both'
	@echo 'make demo DATA=file.csv K=2    the same on your own item,worker,label triples'
	@echo 'make vignettes                 build the vignettes into the installed package'
	@echo 'make test                      run the C++ and the R tests'
	@echo 'make check                     R CMD check on the built package'
	@echo 'make test-core                 the C++ tests under address and undefined sanitisers'
	@echo 'make portability               the C++ core with every compiler: the same bits?'
	@echo 'make r-builds                  the R tests with clang, sanitisers and valgrind'
	@echo 'make r-builds KINDS=address    the same for some of them, by name'
	@echo 'make fuzz SECONDS=600          calls of all functions with wrong arguments'
	@echo 'make fuzz-core SECONDS=600     the same for the C++ core, by libFuzzer and sanitisers'
	@echo 'make mutants N=200             do the tests see changed lines? an hour or more'
	@echo 'make coverage                  lines and branches that the tests run'
	@echo 'make bench                     remake the reports in bench/results/, many hours'
	@echo 'make bench BENCH=accuracy      the same for some of them, by name'
	@echo 'make docs                      rewrite NAMESPACE, man/ and the Rcpp bindings;'
	@echo '                               with pkgdown, build and check the website'
	@echo 'make lint                      style checks of R, C++, shell and generated files'
	@echo 'make clean                     remove all that the targets above have built'

demo:
	@tools/setup run
	@tools/install
	@tools/demo

vignettes:
	@tools/setup vignettes
	@tools/install
	@tools/vignettes

test:
	@tools/test

check:
	@tools/check

test-core:
	@tools/setup test
	@tools/core-tests sanitized

portability:
	@tools/portability

r-builds:
	@tools/r-builds $(KINDS)

fuzz:
	@tools/fuzz $(SECONDS)

fuzz-core:
	@tools/fuzz-core $(SECONDS)

mutants:
	@tools/mutants $(or $(N),200)

coverage:
	@tools/coverage

bench:
	@tools/bench $(BENCH)

docs:
	@tools/docs write
	@tools/site

lint:
	@tools/lint

clean:
	rm -rf .build .lib demo-output
