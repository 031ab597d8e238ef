# Time, memory and accuracy, each against what one would use instead, in the same run.
# Usage: Rscript bench/speed.R [case ...]: pairs, fits, large, crowd, growth; by default all of
# them, and with `report` none: it only writes the report again.
# Writes speed.md, its pictures and the tables that README.Rmd shows into bench/results, from the
# results of all cases so far, which are kept in .build/bench/speed; see lib/common.R for how to run
# it.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(here, "lib", "parts.R"))

cases <- commandArgs(trailingOnly = TRUE)
if (length(cases) == 0) cases <- c("pairs", "fits", "large", "crowd", "growth")
kept <- file.path(here, "..", ".build", "bench", "speed")
dir.create(kept, recursive = TRUE, showWarnings = FALSE)
n_times <- 5
# Passes are short, and a neighbour on the machine slows all that fall into some seconds: a few of
# each kind, and then all kinds again.
n_passes <- 5
n_rounds <- 5

# Median and range of times.
range_text <- function(x, digits) {
  sprintf("%s (%s to %s)", number(stats::median(x), digits), number(min(x), digits),
          number(max(x), digits))
}

seconds <- function(code) sum(system.time(code)[c("user.self", "sys.self")])

# A pass over all pairs against BLAS --------------------------------------------------------------

# A program of this folder, compiled with the engine.
compiled <- function(name) {
  program <- file.path(normalizePath(kept), name)
  core <- normalizePath(file.path(here, "..", "src", "core"))
  sources <- list.files(c(here, core), "[.](cpp|h)$", full.names = TRUE, recursive = TRUE)
  engine <- list.files(core, "[.]cpp$", full.names = TRUE, recursive = TRUE)
  is_new <- file.exists(program) && all(file.mtime(program) > file.mtime(sources))
  if (is_new) return(program)
  include <- function(package) system.file("include", package = package)
  r_config <- function(name) system2("R", c("CMD", "config", name), stdout = TRUE)
  status <- system(paste(
    r_config("CXX17"), r_config("CXX17STD"), "-O2 -DNDEBUG -pthread",
    "-I", shQuote(core), "-isystem", shQuote(include("RcppEigen")), "-o", shQuote(program),
    shQuote(file.path(here, paste0(name, ".cpp"))), paste(shQuote(engine), collapse = " "),
    r_config("BLAS_LIBS")
  ))
  if (status != 0) stop("bench/", name, ".cpp does not compile.")
  program
}

time_pass <- function(program, n_levels, k, missing, threads) {
  # BLAS on one thread, whatever its kind.
  lines <- system2(program, c(10000, 240, n_levels, k, missing, threads, n_passes), stdout = TRUE,
                   env = c("OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"))
  times <- utils::read.table(text = lines, col.names = c("what", "ms"))
  data.frame(n_levels, k, missing, threads, times)
}

pairs_case <- function() {
  program <- compiled("pair_tables")
  settings <- rbind(
    expand.grid(n_levels = c(2, 3, 5), k = c(4, 8), missing = c(0, 0.2), threads = 1),
    expand.grid(n_levels = c(2, 3, 5), k = c(4, 8), missing = 0, threads = 2)
  )
  settings <- settings[rep(seq_len(nrow(settings)), n_rounds), ]
  do.call(rbind, Map(time_pass, program, settings$n_levels, settings$k, settings$missing,
                     settings$threads))
}

# The library and its folder, which tells whose it is.
blas_name <- function() {
  path <- normalizePath(extSoftVersion()[["BLAS"]])
  file.path(basename(dirname(path)), basename(path))
}

pairs_lines <- function(times) {
  groups <- split(times, times[c("missing", "k", "n_levels", "threads")], drop = TRUE)
  tables <- lapply(groups, function(group) {
    ms <- split(group$ms, group$what)
    # Of the medians, and of what was disturbed least.
    ratios <- function(slow, fast) {
      data.frame(
        ratio = number(stats::median(ms[[slow]]) / stats::median(ms[[fast]]), 2),
        "of fastest" = number(min(ms[[slow]]) / min(ms[[fast]]), 2), check.names = FALSE
      )
    }
    setting <- data.frame(levels = group$n_levels[1], components = group$k[1])
    if (group$threads[1] == 1) {
      return(data.frame(
        setting, missing = sprintf("%.0f %%", 100 * group$missing[1]),
        "pass (ms)" = range_text(ms$pass, 1), "BLAS (ms)" = range_text(ms$blas, 1),
        ratios("blas", "pass"), check.names = FALSE
      ))
    }
    data.frame(
      setting, "one thread (ms)" = range_text(ms$single, 1),
      "two threads (ms)" = range_text(ms$pass, 1), ratios("single", "pass"),
      "two passes at once (ms)" = range_text(ms$apart, 1), check.names = FALSE
    )
  })
  threads <- vapply(groups, function(group) group$threads[1], 0)
  alone <- do.call(rbind, tables[threads == 1])
  by_two <- do.call(rbind, tables[threads == 2])
  c(
    "## A pass over all pairs", "",
    prose("10,000 rows, 240 items: all pair tables of all components, summed up to the dependence",
          "of each pair, against one `dsyrk` a component on the weighted one-hot matrix without",
          "reference levels (tables only;",
          paste0(blas_name(), ")."),
          sprintf("Both on one thread. Medians of %d runs in turn, with their ranges and ratios,",
                  n_passes * n_rounds),
          "and the ratio of the fastest, which a neighbour on the machine disturbs least."), "",
    table_lines(alone, setdiff(names(alone), "missing")), "",
    prose("The same on two threads, against one. Next to them two passes at once, each on a thread",
          "of its own: where these take longer than one pass alone, the machine's two cores have",
          "less to give than twice one. All three in turn."), "",
    table_lines(by_two, names(by_two)), ""
  )
}

# A default fit against other programs ------------------------------------------------------------

# Classes of a crowd. The others have one thread, and threads that wait take processor time.
fit_crowd <- function(crowd, ...) {
  alone <- stagewise_control(threads = 1, ...)
  predict(stagewise_em(crowd$labels, k = 3, control = alone, verbose = FALSE))
}

peers <- list(
  "mdpd, default" = function(crowd) fit_crowd(crowd),
  "mdpd, by BIC" = function(crowd) fit_crowd(crowd, criterion = "bic"),
  "poLCA, nrep = 10" = function(crowd) {
    x <- as.data.frame(lapply(as.data.frame(as.matrix(crowd$labels)), factor))
    names(x) <- paste0("w", seq_along(x))
    f <- stats::as.formula(paste0("cbind(", toString(names(x)), ") ~ 1"))
    poLCA::poLCA(f, x, nclass = 3, nrep = 10, verbose = FALSE)$predclass
  },
  "VarSelLCM, with selection" = function(crowd) {
    x <- as.data.frame(lapply(as.data.frame(as.matrix(crowd$labels)), factor))
    VarSelLCM::VarSelCluster(x, 3, nbcores = 1, crit.varsel = "BIC")@partitions@zMAP
  }
)

# Error under the best matching of components to classes.
matched_error <- function(class, truth) {
  counts <- table(factor(class), truth)
  matched <- clue::solve_LSAP(unclass(counts), maximum = TRUE)
  1 - sum(counts[cbind(seq_along(matched), matched)]) / length(truth)
}

fits_case <- function() {
  needs <- c("poLCA, nrep = 10" = "poLCA", "VarSelLCM, with selection" = "VarSelLCM")
  there <- vapply(names(peers), function(peer) {
    is.na(needs[peer]) || requireNamespace(needs[[peer]], quietly = TRUE)
  }, NA)
  runs <- list()
  for (n_experts in c(5, 30)) {
    crowd <- simulate_crowd(accuracy = rep(0.6, n_experts), seed = 1)
    for (peer in names(peers)[there]) {
      # A fit of minutes is run once.
      times <- numeric()
      while (length(times) < n_times && sum(times) < 120) {
        times <- c(times, seconds(class <- suppressWarnings(peers[[peer]](crowd))))
      }
      runs[[length(runs) + 1]] <- data.frame(
        n_experts, peer, seconds = times, error = matched_error(class, crowd$truth)
      )
    }
  }
  do.call(rbind, runs)
}

# Seconds of each part of a default fit of these data, the mean of some, and its passes.
fits_parts <- function(n_experts, n_fits = 50) {
  crowd <- simulate_crowd(accuracy = rep(0.6, n_experts), seed = 1)
  alone <- stagewise_control(threads = 1)
  parts <- time_parts(for (fit in seq_len(n_fits)) {
    stagewise_em(crowd$labels, k = 3, control = alone, verbose = FALSE)
  })
  data.frame(data = paste0("1,000 x 100, ", n_experts, " experts"),
             as.list(parts$seconds / n_fits), as.list(parts$passes / n_fits))
}

fits_table <- function(runs) {
  groups <- split(runs, list(factor(runs$peer, names(peers)), runs$n_experts), drop = TRUE)
  do.call(rbind, lapply(groups, function(group) {
    own <- runs$seconds[runs$peer == names(peers)[1] & runs$n_experts == group$n_experts[1]]
    ratio <- stats::median(group$seconds) / stats::median(own)
    data.frame(
      experts = group$n_experts[1], program = group$peer[1], runs = nrow(group),
      seconds = range_text(group$seconds, 3),
      "times as long" = number(ratio, if (ratio < 10) 1 else 0),
      error = number(group$error[1], 3), check.names = FALSE
    )
  }))
}

fits_lines <- function(runs) {
  table <- fits_table(runs)
  c(
    "## A fit against other programs", "",
    prose("`simulate_crowd(accuracy = rep(0.6, experts), seed = 1)`: 1,000 rows, 100 items of 3",
          "levels, 3 components. Processor time; as many of", n_times, "runs as fit into two",
          "minutes. The error is under the best matching of components to classes."), "",
    table_lines(table, setdiff(names(table), "program")), ""
  )
}

# Large data, each in a process of its own, whose peak memory is read ------------------------------

large <- list(
  wide = "2,000 x 5,000, 2 levels, 50 informative, k = 4",
  wider = "1,000 x 20,000, 2 levels, 50 informative, k = 4",
  tall = "1,000,000 x 100, 3 levels, 20 informative, k = 3",
  crowd = "1,000,000 items, 10,000 workers, 10,000,000 labels, k = 4"
)

large_case <- function() {
  child <- file.path(here, "speed-large.R")
  rows <- lapply(names(large), function(case) {
    out <- system2("Rscript", c(shQuote(child), case), stdout = TRUE)
    result <- tryCatch(utils::read.table(text = utils::tail(out, 1)), error = function(e) NULL)
    if (is.null(result)) return(NULL)
    stats::setNames(result, c("case", "elapsed", "processor", "megabytes", "error", "bayes",
                              part_names, "R", "full", "partial"))
  })
  do.call(rbind, rows)
}

large_table <- function(rows) {
  data.frame(
    data = unlist(large[rows$case]), "seconds elapsed" = number(rows$elapsed, 1),
    "of processor" = number(rows$processor, 1), "peak memory (MB)" = number(rows$megabytes, 0),
    error = number(rows$error, 4), "true model" = number(rows$bayes, 4), check.names = FALSE
  )
}

large_lines <- function(rows) {
  table <- large_table(rows)
  c(
    "## Large data", "",
    prose("The default call with its two threads, `Rscript bench/speed-large.R CASE`, one run;",
          "memory is the peak of the whole process, the data and R included; the error is under",
          "the best matching of components to classes, beside that of the model that drew the",
          "data."), "",
    table_lines(table, setdiff(names(table), "data")), ""
  )
}

# An EM iteration against the majority vote --------------------------------------------------------

crowd_case <- function() {
  program <- compiled("crowd_iteration")
  do.call(rbind, lapply(1:2, function(threads) {
    lines <- system2(program, c("1000000", "10000", "10", "4", threads, n_times), stdout = TRUE)
    data.frame(threads, utils::read.table(text = lines, col.names = c("what", "ms")))
  }))
}

crowd_lines <- function(times) {
  table <- do.call(rbind, lapply(split(times, times$threads), function(group) {
    em <- group$ms[group$what == "em"]
    vote <- group$ms[group$what == "vote"]
    data.frame(threads = group$threads[1], "EM iteration (ms)" = range_text(em, 1),
               "majority vote (ms)" = range_text(vote, 1),
               ratio = number(stats::median(em) / stats::median(vote), 1), check.names = FALSE)
  }))
  c(
    "## An EM iteration against the majority vote", "",
    prose("1,000,000 items, 10,000 workers, 10,000,000 labels, 4 components, all workers in use:",
          "E-step and M-step, against counting each item's votes in the same engine. Medians of",
          n_times, "runs in turn, with their ranges."), "",
    table_lines(table, names(table)), ""
  )
}

# What each part takes ----------------------------------------------------------------------------

parts_of_all <- function(small, large_rows) {
  of_large <- data.frame(data = unlist(large[large_rows$case]),
                         large_rows[c(part_names, "R", "full", "partial")])
  rbind(small, of_large)
}

part_colours <- stats::setNames(c("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#999999"),
                                c(part_names, "R"))

parts_lines <- function(rows) {
  parts <- names(part_colours)
  total <- rowSums(rows[parts])
  shares <- lapply(rows[parts], function(part) sprintf("%.0f %%", 100 * part / total))
  table <- data.frame(data = rows$data, "seconds" = number(total, 3), shares,
                      "full passes" = number(rows$full, 0),
                      "partial passes" = number(rows$partial, 0), check.names = FALSE)
  c(
    "## What each part of a fit takes", "",
    prose("Of the fits above, time elapsed: the stages; growth by one component, from which fits",
          "of four and more components start as well; the refinements by evidence; the polish",
          "with the smoothing; what is left is R: coding the data, tables of results. The passes",
          "are those of the stages: full ones over all pairs, partial ones over those of the items",
          "that are not set aside. The plain loop makes a full one a stage."), "",
    table_lines(table, setdiff(names(table), "data")), "", "![](speed-parts.png)", ""
  )
}

draw_parts <- function(rows) {
  parts <- names(part_colours)
  long <- data.frame(
    data = factor(rep(rows$data, length(parts)), rev(rows$data)),
    part = factor(rep(parts, each = nrow(rows)), rev(parts)),
    share = unlist(rows[parts]) / rowSums(rows[parts])
  )
  plot <- ggplot2::ggplot(long, ggplot2::aes(.data$share, .data$data, fill = .data$part)) +
    ggplot2::geom_col(width = 0.7) +
    ggplot2::scale_fill_manual(NULL, values = part_colours, breaks = parts) +
    ggplot2::scale_x_continuous("share of a fit's time", labels = function(x) paste(100 * x, "%"),
                                expand = c(0, 0)) +
    ggplot2::labs(y = NULL) +
    ggplot2::theme_minimal() +
    ggplot2::theme(legend.position = "bottom", panel.grid.major.y = ggplot2::element_blank(),
                   plot.margin = ggplot2::margin(6, 16, 6, 6)) +
    ggplot2::guides(fill = ggplot2::guide_legend(nrow = 1))
  ggplot2::ggsave(result_file("speed-parts.png"), plot, width = 9, height = 3.2, dpi = 120,
                  bg = "white")
}

# How time grows ----------------------------------------------------------------------------------

# Milliseconds of a pass, the least of three: what else runs only adds.
growth_case <- function() {
  program <- compiled("pair_tables")
  base <- c(n_obs = 20000, n_items = 120, n_levels = 3, k = 4)
  steps <- list(
    n_obs = c(5000, 10000, 20000, 40000, 80000), n_items = c(60, 120, 240, 480),
    n_levels = c(2, 3, 4, 6, 8), k = c(1, 2, 4, 8, 16)
  )
  do.call(rbind, lapply(names(steps), function(name) {
    do.call(rbind, lapply(steps[[name]], function(value) {
      at <- replace(base, name, value)
      lines <- system2(program, c(at, 0, 1, 3), stdout = TRUE,
                       env = "OPENBLAS_NUM_THREADS=1")
      times <- utils::read.table(text = lines, col.names = c("what", "ms"))
      data.frame(of = name, value, ms = min(times$ms[times$what == "pass"]))
    }))
  }))
}

growth_names <- c(n_obs = "rows", n_items = "items", n_levels = "levels of an item",
                  k = "components")

growth_lines <- function(rows) {
  slopes <- vapply(names(growth_names), function(name) {
    part <- rows[rows$of == name, ]
    stats::coef(stats::lm(log(ms) ~ log(value), part))[[2]]
  }, 0)
  c(
    "## How a pass grows", "",
    prose("From 20,000 rows, 120 items of 3 levels and 4 components, one of them varied at a time,",
          "on one thread: time grows as a power of"), "",
    bullet(sprintf("%s: %.2f;", growth_names, slopes)), "", "![](speed.png)", ""
  )
}

draw_growth <- function(rows) {
  rows$of <- factor(growth_names[rows$of], growth_names)
  plot <- ggplot2::ggplot(rows, ggplot2::aes(x = .data$value, y = .data$ms)) +
    ggplot2::geom_line(colour = "#0072B2") +
    ggplot2::geom_point(colour = "#0072B2") +
    ggplot2::facet_wrap("of", nrow = 1, scales = "free_x") +
    ggplot2::scale_x_log10(guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_log10() +
    ggplot2::labs(x = NULL, y = "milliseconds of a pass") +
    ggplot2::theme_minimal()
  ggplot2::ggsave(result_file("speed.png"), plot, width = 9, height = 2.8, dpi = 120,
                  bg = "white")
}

# -------------------------------------------------------------------------------------------------

run <- list(pairs = pairs_case, fits = fits_case, large = large_case, crowd = crowd_case,
            growth = growth_case)
lines <- list(pairs = pairs_lines, fits = fits_lines, large = large_lines, crowd = crowd_lines,
              growth = growth_lines)
file_of <- function(case) file.path(kept, paste0(case, ".rds"))
has <- function(case) file.exists(file_of(case))
for (case in intersect(cases, names(run))) {
  saveRDS(run[[case]](), file_of(case))
  if (case == "fits") saveRDS(do.call(rbind, lapply(c(5, 30), fits_parts)), file_of("parts"))
}
report <- unlist(lapply(Filter(has, names(run)), function(case) {
  lines[[case]](readRDS(file_of(case)))
}))
if (has("parts") && has("large")) {
  parts <- parts_of_all(readRDS(file_of("parts")), readRDS(file_of("large")))
  draw_parts(parts)
  report <- c(report, parts_lines(parts))
}
if (has("growth")) draw_growth(readRDS(file_of("growth")))
# Two tables for README.Rmd.
for (case in Filter(has, c("fits", "large"))) {
  table <- list(fits = fits_table, large = large_table)[[case]](readRDS(file_of(case)))
  utils::write.csv(table, result_file(paste0("speed-", case, ".csv")), row.names = FALSE)
}
write_report("speed", c(
  "# Speed", "", "Written by `Rscript bench/speed.R`; do not edit by hand.", "",
  prose(machine_line()), "", report
))
