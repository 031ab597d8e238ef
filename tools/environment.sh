# shellcheck shell=sh
# Sourced by the scripts of this folder: the folders and settings they share.

: "${root:?must be set before tools/environment.sh is read}"
build=$root/.build
library=$root/.lib
mkdir -p "$build/counts" "$library"
cd "$root" || exit 1

# The package and what set-up fetches live in the clone; the user's own libraries come after.
R_LIBS=$library${R_LIBS:+:$R_LIBS}
export R_LIBS

# R compiles with make: the settings of the make that called us must not reach that one.
unset MFLAGS MAKEOVERRIDES MAKELEVEL GNUMAKEFLAGS
jobs=$(nproc 2>/dev/null || echo 2)
MAKEFLAGS=-j$jobs
export MAKEFLAGS

# Real data beside the clone, where there is any. Absolute, as R CMD check runs tests elsewhere.
if [ -z "${MDPD_SHARED:-}" ] && [ -d "$root/../shared/data" ]; then
  MDPD_SHARED=$(cd "$root/../shared" && pwd)
  export MDPD_SHARED
fi

# Tests and vignettes contain UTF-8, which R cannot read in the plain C locale.
use_utf8() {
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *.[Uu][Tt][Ff]*8) ;;
    *) LC_ALL=C.UTF-8 && export LC_ALL ;;
  esac
}

# What R compiles with for its check: all warnings, and no debugging symbols, which would be taken out
# again. Through ccache, where that is, which compiles nothing twice.
use_check_flags() {
  CCACHE_DIR=${CCACHE_DIR:-$build/ccache}
  [ "${R_MAKEVARS_USER:-}" != "$build/Makevars" ] || return 0
  compiler=$(R CMD config CXX17)
  ! command -v ccache >/dev/null 2>&1 || compiler="ccache $compiler"
  printf 'CXX17 = %s\nCXX17FLAGS = -O2 -Wall -pedantic\n' "$compiler" >"$build/Makevars"
  R_MAKEVARS_USER=$build/Makevars
  export CCACHE_DIR R_MAKEVARS_USER
}

# How the C++ tests are compiled that several builds of the core share, by R's own compiler.
# shellcheck disable=SC2034 # for the scripts that call it
use_shared_tests() {
  test_folder=.build/core-tests
  test_cxx="$(R CMD config CXX17) $(R CMD config CXX17STD)"
  test_flags=-O1
}

# run_logged LOG COMMAND...: quiet when all is well; otherwise the end of the log tells why.
run_logged() {
  log=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    echo "Failed: $*. The whole log is in $log." >&2
    return 1
  fi
}

# compare_hashes FOLDER COUNTS [RUNNER]: the hashes of all fits, of FOLDER/hashes, with those of
# tests/portability/hashes.txt, line by line; shows those that differ. A program that ends badly
# behind them is a failure too. Leaves the hashes in FOLDER/hashes.txt.
compare_hashes() {
  hashes_wanted=tests/portability/hashes.txt
  # shellcheck disable=SC2086 # nothing where the processor is this one's
  ${3:-} "$1/hashes" >"$1/hashes.txt" || echo 'did not end well' >>"$1/hashes.txt"
  n_wanted=$(wc -l <"$hashes_wanted")
  n_alike=$(grep -cFxf "$hashes_wanted" "$1/hashes.txt") || true
  n_differing=$((n_wanted - n_alike))
  if ! cmp -s "$hashes_wanted" "$1/hashes.txt"; then
    [ "$n_differing" -gt 0 ] || n_differing=1
    echo 'Fits have other numbers than those of tests/portability/hashes.txt:' >&2
    diff "$hashes_wanted" "$1/hashes.txt" >&2 || true
  fi
  echo "$n_alike $n_differing" >"$2"
}

# sum_counts LABEL NAME...: adds up the counts that the named runs left, prints `N passed, N failed`
# after the label, and fails if anything failed. A run that left no counts, or counted nothing, did
# not do what it was there for: one failure.
sum_counts() {
  label=$1
  shift
  passed=0
  failed=0
  for name in "$@"; do
    run_passed=0
    run_failed=0
    # No file is a run that ended early; the message below says so.
    [ ! -s "$build/counts/$name" ] || read -r run_passed run_failed <"$build/counts/$name"
    if [ "$run_passed" -eq 0 ] && [ "$run_failed" -eq 0 ]; then
      echo "The run '$name' did not end well or had no tests: counted as one failure." >&2
      run_failed=1
    fi
    passed=$((passed + run_passed))
    failed=$((failed + run_failed))
  done
  echo "$label$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
