# Accuracy of every method on every data set: error, adjusted Rand index, what is selected,
# penalised log-likelihood, seconds.
#
#   Rscript bench/accuracy.R [--fresh] [--methods KEY,KEY...] [--data NAME,NAME...]
#
# Writes accuracy.md and accuracy-*.png in bench/results. Results are kept in .build/bench/accuracy,
# so that an interrupted run goes on where it was.
#   --fresh     computes everything anew
#   --methods   computes just these methods anew, by the keys in lib/methods.R (such as
#               default,paper), and takes of the others what is there
#   --data      the same for data sets, such as "bluebird,10 experts"
# In lib/ are the data sets (cases.R), the methods (methods.R) and the report (accuracy_*.R).
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
parts <- c("common", "cases", "methods", "pictures", "accuracy_report", "accuracy_dna",
           "accuracy_pictures")
for (part in parts) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

# Scores ------------------------------------------------------------------------------------------

# Hubert and Arabie (1985), doi:10.1007/BF01908075.
adjusted_rand <- function(x, y) {
  pairs <- function(counts) sum(choose(counts, 2))
  counts <- table(x, y)
  both <- pairs(counts)
  of_x <- pairs(rowSums(counts))
  of_y <- pairs(colSums(counts))
  expected <- of_x * of_y / choose(sum(counts), 2)
  (both - expected) / ((of_x + of_y) / 2 - expected)
}

score <- function(outcome, case) {
  truth <- case$truth
  chosen <- outcome$informative
  experts <- case$model$informative
  right <- if (is.null(chosen) || is.null(experts)) NA else length(intersect(chosen, experts))
  error <- if (is.null(truth)) NA else error_rate(outcome$class, truth, align = !outcome$named)
  data.frame(
    rows = nrow(case$x), items = ncol(case$x), k = case$k,
    error = error, wrong = round(error * length(truth)),
    rand = if (is.null(truth)) NA else adjusted_rand(outcome$class[names(truth)], truth),
    size = if (is.null(chosen)) NA else length(chosen),
    precision = right / length(chosen), recall = right / length(experts),
    exact = if (is.na(right)) NA else setequal(chosen, experts),
    penalised = outcome$penalised
  )
}

# Processor time, on which other work of the machine has little influence; the median of five runs
# of what takes less than a second.
timed <- function(fit, case) {
  seconds <- numeric()
  repeat {
    before <- proc.time()
    outcome <- fit(case)
    spent <- proc.time() - before
    seconds <- c(seconds, sum(spent[names(spent) != "elapsed"]))
    if (seconds[1] > 1 || length(seconds) == 5) {
      return(list(outcome = outcome, seconds = stats::median(seconds)))
    }
  }
}

# One row of the results; a method that cannot do the case leaves only its reason.
measure <- function(method, about, case) {
  result <- list(
    data = about$data, method = method$name, build = if (method$package == "mdpd") mdpd_build()
  )
  tryCatch(
    {
      run <- timed(method$fit, case)
      row <- data.frame(
        data = about$data, kind = about$kind, experts = about$experts, seed = about$seed,
        method = method$name, score(run$outcome, case), seconds = run$seconds
      )
      c(result, list(row = row, informative = run$outcome$informative))
    },
    bench_cannot = function(e) c(result, reason = conditionMessage(e))
  )
}

# Running -----------------------------------------------------------------------------------------

mdpd_build <- function() unname(tools::md5sum(getLoadedDLLs()[["mdpd"]][["path"]]))

cache_file <- function(method, about) {
  slug <- function(text) gsub("[^a-z0-9.]+", "-", tolower(text))
  version <- utils::packageVersion(method$package)
  file.path(
    dirname(here), ".build", "bench", "accuracy", paste0(slug(method$key), "-", version),
    paste0(slug(about$id), ".rds")
  )
}

option_values <- function(name) {
  arguments <- commandArgs(trailingOnly = TRUE)
  at <- match(paste0("--", name), arguments)
  if (is.na(at)) NULL else strsplit(arguments[at + 1], ",")[[1]]
}

check_known <- function(given, known, what) {
  unknown <- setdiff(given, known)
  if (length(unknown) > 0) {
    stop("There is no ", what, " ", toString(unknown), "; there are ", toString(unique(known)), ".",
         call. = FALSE)
  }
}

# What the command line asks for.
read_options <- function(cases, methods) {
  keys <- option_values("methods")
  data <- option_values("data")
  check_known(keys, vapply(methods, `[[`, "", "key"), "method")
  check_known(data, vapply(cases, `[[`, "", "data"), "data set")
  list(
    keys = keys, data = data,
    anew = "--fresh" %in% commandArgs(trailingOnly = TRUE) || length(keys) + length(data) > 0
  )
}

is_asked_for <- function(method, about, options) {
  (is.null(options$keys) || method$key %in% options$keys) &&
    (is.null(options$data) || about$data %in% options$data)
}

# The results of one case: those asked for that are not there yet, and those that are.
run_case <- function(about, methods, options) {
  case <- about$load()
  methods <- Filter(function(method) method$applies(case), methods)
  results <- lapply(methods, function(method) {
    file <- cache_file(method, about)
    if (is_asked_for(method, about, options) && (options$anew || !file.exists(file))) {
      result <- measure(method, about, case)
      dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
      saveRDS(result, file)
      message(about$id, ": ", method$name, ", ", describe(result))
    }
    if (file.exists(file)) readRDS(file)
  })
  Filter(Negate(is.null), results)
}

describe <- function(result) {
  if (is.null(result$reason)) paste(number(result$row$seconds, 2), "s") else result$reason
}

run_all <- function() {
  cases <- all_cases()
  installed <- vapply(all_methods, function(method) {
    requireNamespace(method$package, quietly = TRUE)
  }, NA)
  if (!all(installed)) {
    message("Left out, not installed: ",
            toString(vapply(all_methods[!installed], `[[`, "", "package")))
  }
  methods <- all_methods[installed]
  options <- read_options(cases, methods)
  results <- do.call(c, lapply(cases, run_case, methods = methods, options = options))
  builds <- unlist(lapply(results, `[[`, "build"))
  if (length(unique(builds)) > 1) {
    message("These results come from ", length(unique(builds)), " builds of mdpd; --fresh makes ",
            "them one.")
  }
  results
}

# Report ------------------------------------------------------------------------------------------

results <- run_all()
write_report("accuracy", report_lines(results))
draw_pictures(results)
