# Times of two builds of the package, in turn. Usage:
#   Rscript bench/two_builds.R OLD NEW [CASE...] [--times=N]
# OLD and NEW are libraries with the package; the cases are small and few (crowds of 30 and of 5
# experts), growth, wide, tall and crowd, by default all. Each run is a process of its own. Prints
# of each case the medians of the seconds elapsed and of the processor, of the process's peak memory
# while it fits (MB), and of the ratios of neighbouring runs.
# bench/same_fits.R says whether the two builds give the same fits.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "large_data.R"))
arguments <- commandArgs(trailingOnly = TRUE)

# One run ------------------------------------------------------------------------------------------

small_cases <- c("small", "few", "growth")

# A function that does the fits of a case once; of a small one so many that they take seconds.
fits_of <- function(case) {
  if (case %in% small_cases) {
    crowd <- simulate_crowd(accuracy = rep(0.6, if (case == "few") 5 else 30), seed = 1)
    k <- if (case == "growth") 5 else 3
    n <- if (case == "growth") 3 else 30
    return(function() for (fit in seq_len(n)) stagewise_em(crowd$labels, k = k, verbose = FALSE))
  }
  data <- large_data(case)
  function() stagewise_em(data$x, k = data$k, verbose = FALSE)
}

run_once <- function(case) {
  library(mdpd)
  fits <- fits_of(case)
  if (case %in% small_cases) suppressWarnings(fits())
  forget_peak_memory()
  time <- system.time(suppressWarnings(fits()))
  cat(time[["elapsed"]], sum(time[c("user.self", "sys.self")]), peak_memory(), "\n")
}

# All runs -----------------------------------------------------------------------------------------

measure <- function(library, case) {
  output <- system2("Rscript", c(shQuote(script), "--run", case), stdout = TRUE,
                    env = paste0("R_LIBS=", shQuote(normalizePath(library))))
  scan(text = utils::tail(output, 1), quiet = TRUE)
}

compare_case <- function(case, old, new, times) {
  runs <- replicate(times, rbind(measure(old, case), measure(new, case)))
  medians <- apply(runs, 1:2, stats::median)
  ratios <- apply(runs[2, , , drop = FALSE] / runs[1, , , drop = FALSE], 2, stats::median)
  builds <- sprintf("%8.2f s %8.2f cpu %6.0f MB", medians[, 1], medians[, 2], medians[, 3])
  cat(sprintf("%-7s old %s   new %s", case, builds[1], builds[2]),
      sprintf("  new / old %.3f, cpu %.3f, memory %.3f\n", ratios[1], ratios[2], ratios[3]))
}

if (arguments[1] == "--run") {
  run_once(arguments[2])
} else {
  is_times <- grepl("^--times=", arguments)
  times <- if (any(is_times)) as.integer(sub("^--times=", "", arguments[is_times])) else 5L
  cases <- arguments[!is_times][-(1:2)]
  if (length(cases) == 0) cases <- c(small_cases, "wide", "tall", "crowd")
  for (case in cases) compare_case(case, arguments[1], arguments[2], times)
}
