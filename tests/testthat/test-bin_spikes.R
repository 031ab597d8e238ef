# A recording of three neurons with times on a grid, so that edges are hit, and trials that overlap.
random_recording <- function(seed = 1) {
  with_seed(seed, list(
    times = lapply(c(a = 80, b = 40, c = 5), function(n) round(stats::runif(n, 0, 10), 1)),
    onsets = c(first = 2.5, second = 0.3, third = 2.7, last = 9.5)
  ))
}

# Counts trial by trial, neuron by neuron, bin by bin.
count_by_loops <- function(recording, window, bin_width) {
  starts <- seq(window[1], window[2] - bin_width / 2, by = bin_width)
  counts <- array(0L, c(length(recording$onsets), length(recording$times), length(starts)))
  for (trial in seq_along(recording$onsets)) {
    for (neuron in seq_along(recording$times)) {
      since <- recording$times[[neuron]] - recording$onsets[trial]
      for (bin in seq_along(starts)) {
        # Times lie on a grid of 0.1: no rounding error is half as large as 0.01.
        counts[trial, neuron, bin] <- sum(
          since > starts[bin] - 0.01 & since < starts[bin] + bin_width - 0.01
        )
      }
    }
  }
  counts
}

# The same spikes in the other forms.
as_trials <- function(recording, window) {
  lapply(recording$onsets, function(onset) {
    lapply(recording$times, function(time) {
      since <- time - onset
      since[since > window[1] - 1 & since < window[2] + 1]
    })
  })
}

as_spike_table <- function(trials) {
  rows <- lapply(names(trials), function(trial) {
    lapply(names(trials[[trial]]), function(neuron) {
      time <- trials[[trial]][[neuron]]
      data.frame(trial = rep(trial, length(time)), neuron = rep(neuron, length(time)), time = time)
    })
  })
  do.call(rbind, unlist(rows, recursive = FALSE))
}

test_that("counts are those of plain loops, in one bin and in several", {
  recording <- random_recording()
  for (window in list(c(0, 1.2), c(-0.6, 0.6))) {
    for (bin_width in c(1.2, 0.6, 0.3)) {
      expected <- count_by_loops(recording, window, bin_width)
      counted <- bin_spikes(recording$times, window, bin_width, "count", max_count = 99,
                            onsets = recording$onsets)
      for (bin in seq_len(dim(expected)[3])) {
        columns <- seq(bin, ncol(counted), by = dim(expected)[3])
        expect_equal(unname(counted[, columns]), expected[, , bin])
      }
      any_spike <- bin_spikes(recording$times, window, bin_width, onsets = recording$onsets)
      expect_identical(any_spike, pmin(counted, 1L))
    }
  }
})

test_that("all forms of the same spikes give the same table", {
  recording <- random_recording(2)
  window <- c(-0.2, 1)
  trials <- as_trials(recording, window)
  table <- as_spike_table(trials)
  expected <- bin_spikes(recording$times, window, 0.4, "count", onsets = recording$onsets)
  expect_identical(bin_spikes(trials, window, 0.4, "count"), expected)
  cells <- t(vapply(trials, identity, vector("list", 3)))
  expect_identical(bin_spikes(cells, window, 0.4, "count"), expected)
  expect_identical(bin_spikes(unname(cells), window, 0.4, "count"),
                   `dimnames<-`(expected, list(1:4, paste0(rep(1:3, each = 3), "_", 1:3))))
  by_factor <- transform(table, trial = factor(trial, names(trials)), neuron = factor(neuron))
  expect_identical(bin_spikes(by_factor, window, 0.4, "count"), expected)
  ids <- list(trials = names(trials), neurons = c("a", "b", "c"))
  expect_identical(
    bin_spikes(table, window, 0.4, "count", trials = ids$trials, neurons = ids$neurons), expected
  )
  recorded <- data.frame(neuron = rep(names(recording$times), lengths(recording$times)),
                         time = unlist(recording$times))
  expect_identical(bin_spikes(recorded, window, 0.4, "count", onsets = recording$onsets), expected)
  if (requireNamespace("tibble", quietly = TRUE)) {
    expect_identical(bin_spikes(tibble::as_tibble(by_factor), window, 0.4, "count"), expected)
  }
})

test_that("times may be 64-bit integers, and integers near the largest", {
  skip_if_not_installed("bit64")
  # As they are without the methods of bit64: tiny numbers.
  as_long <- function(x) structure(x * 2^-1074, class = "integer64")
  trials <- list(x = list(a = c(5, 35), b = numeric()), y = list(a = 55, b = c(12, 95)))
  bins <- function(times, ...) bin_spikes(times, c(0, 100), bin_width = 25, ...)
  expect_identical(bins(lapply(trials, lapply, as_long)), bins(trials))
  recording <- list(a = c(5, 1035, 2055), b = c(1012, 2095))
  table <- data.frame(neuron = rep(c("a", "b"), 3:2), time = unlist(recording))
  expected <- bins(recording, onsets = c(0, 1000, 2000))
  expect_identical(bins(lapply(recording, as_long), onsets = c(0, 1000, 2000)), expected)
  table$time <- as_long(table$time)
  expect_identical(bins(table, onsets = c(0, 1000, 2000)), expected)
  onset <- .Machine$integer.max - 50L
  expect_identical(bin_spikes(list(a = onset + 7L), c(-100L, 100L), onsets = onset),
                   bin_spikes(list(a = 7), c(-100, 100), onsets = 0))
})

test_that("the order of the spikes does not matter", {
  table <- as_spike_table(as_trials(random_recording(3), c(0, 1)))
  expect_identical(bin_spikes(table[rev(seq_len(nrow(table))), ], c(0, 1)),
                   bin_spikes(table, c(0, 1)))
})

test_that("several bins are columns or rows, the same numbers", {
  recording <- random_recording(4)
  columns <- bin_spikes(recording$times, c(0, 0.9), 0.3, onsets = recording$onsets)
  rows <- bin_spikes(recording$times, c(0, 0.9), 0.3, onsets = recording$onsets, bins = "rows")
  expect_identical(colnames(columns)[1:4], c("a_1", "a_2", "a_3", "b_1"))
  expect_identical(rownames(rows)[1:4], c("first_1", "first_2", "first_3", "second_1"))
  expect_identical(dimnames(rows)[[2]], c("a", "b", "c"))
  expect_identical(rows[["second_3", "b"]], columns[["second", "b_3"]])
  expect_identical(unname(rows[c("last_1", "last_2", "last_3"), "a"]),
                   unname(columns["last", c("a_1", "a_2", "a_3")]))
  expect_equal(sum(rows), sum(columns))
})

test_that("an interval holds its start and not its end, whatever the rounding", {
  # 2.1 - 2 is a little more than 0.1, 3.05 - 3 a little less than 0.05, 0.3 / 0.1 less than 3.
  recording <- list(a = c(2, 2.1, 3.05, 3.1 - 1e-5))
  expect_identical(
    unname(bin_spikes(recording, c(0, 0.1), 0.05, "count", onsets = c(2, 3))),
    rbind(c(1L, 0L), c(0L, 2L))
  )
  spikes <- data.frame(trial = 1, neuron = 1, time = 0.3)
  expect_identical(as.vector(bin_spikes(spikes, c(0, 0.5), 0.1)), c(0L, 0L, 0L, 1L, 0L))
  # Half a millionth of a bin before its edge, and two millionths.
  spikes <- data.frame(trial = 1, neuron = 1:2, time = 0.1 * (1 - c(0.5e-6, 2e-6)))
  expect_identical(unname(bin_spikes(spikes, c(0, 0.2), 0.1)), cbind(0L, 1L, 1L, 0L))
  expect_error(bin_spikes(data.frame(trial = 1, neuron = 1, time = 2), c(0, 2)), "No spike falls",
               class = "mdpd_error_data")
})

test_that("a bin divides the window to a millionth, and there are as many as integers", {
  expect_identical(check_bin_width(1 / (3 + 5e-7), c(0, 1)), 3L)
  expect_error(check_bin_width(1 / (3 + 2e-6), c(0, 1)), "a whole number of bins",
               class = "mdpd_error_argument")
  most <- .Machine$integer.max
  expect_identical(check_bin_width(1, c(0, most)), most)
  expect_error(check_bin_width(1, c(0, most + 1)), "more bins of 1 than",
               class = "mdpd_error_argument")
  expect_silent(check_n_bins(1e9, 1, NULL))
  expect_error(check_n_bins(1e9 + 1, 1, NULL), "at most 1e9 cells", class = "mdpd_error_argument")
})

test_that("a silent neuron is zero, one that was not recorded is missing", {
  trials <- list(list(a = 0.1, b = numeric()), list(b = c(0.1, 0.2)), list(b = 0.4, a = NULL))
  expected <- cbind(a = c(1L, NA, NA), b = c(0L, 2L, 0L))
  rownames(expected) <- 1:3
  expect_identical(bin_spikes(trials, c(0, 0.3), what = "count"), expected)
  two_bins <- bin_spikes(trials, c(0, 0.3), 0.15)
  expect_identical(is.na(two_bins[2, ]), c(a_1 = TRUE, a_2 = TRUE, b_1 = FALSE, b_2 = FALSE))
  expect_identical(bin_spikes(trials, c(0, 0.3), what = "count", trials = 2:1, neurons = "b"),
                   expected[2:1, "b", drop = FALSE])
  expect_identical(bin_spikes(trials, c(0, 0.3), what = "count", trials = 2, neurons = c("b", "a")),
                   expected[2, 2:1, drop = FALSE])
  by_position <- list(list(0.1, numeric()), list(0.2))
  expect_identical(unname(bin_spikes(by_position, c(0, 1))), rbind(c(1L, 0L), c(1L, NA)))
})

test_that("trials and neurons without a spike are there when they are named", {
  spikes <- data.frame(trial = c(10, 10, 2), neuron = c("x", "y", "y"), time = c(0.1, 0.2, 5))
  expect_identical(rownames(bin_spikes(spikes, c(0, 1))), c("2", "10"))
  expect_identical(rownames(bin_spikes(transform(spikes, trial = c("10", "10", "2")), c(0, 1))),
                   c("2", "10"))
  all <- bin_spikes(spikes, c(0, 1), trials = c(10, 3, 2), neurons = c("z", "y"))
  expect_identical(dimnames(all), list(c("10", "3", "2"), c("z", "y")))
  expect_identical(unname(all), cbind(0L, c(1L, 0L, 0L)))
  # Of a factor the labels, whatever its codes.
  trials <- factor(c(10, 3, 2), c(3, 2, 10))
  expect_identical(bin_spikes(spikes, c(0, 1), trials = trials, neurons = c("z", "y")), all)
})

test_that("trials and neurons that are not there are named, and not the window blamed", {
  spikes <- data.frame(trial = c(10, 10, 2), neuron = c("x", "y", "y"), time = c(0.1, 0.2, 5))
  expect_refused <- function(what, ...) {
    expect_error(bin_spikes(..., window = c(0, 1)), what, class = "mdpd_error_argument")
  }
  expect_refused("`neurons` must.*\"X\" has none.*There is \"x\"", spikes, neurons = "X")
  expect_refused("`trials` must.*\"1\" and \"3\" have\\s+none", spikes, trials = c(1, 3))
  recording <- list(x = 0.1, y = c(0.2, 5))
  expect_refused("`neurons` must be in `times`, and \"z\" is not", recording, onsets = 0,
                 neurons = c("x", "z"))
  expect_refused("`trials` must be in `onsets`, and \"b\" is not", recording, onsets = c(a = 0),
                 trials = c("a", "b"))
  expect_refused("`neurons` must.*\"z\" has none", spikes[-1], onsets = 0, neurons = "z")
  # Of a data frame there may be more than those that spiked.
  expect_identical(unname(bin_spikes(spikes[-1], c(0, 1), onsets = 0, neurons = c("x", "z"))),
                   cbind(1L, 0L))
})

test_that("trials and neurons with labels are called by these where they are named, too", {
  label <- function(x) {
    structure(x, labels = c(go = 1, stop = 2, wait = 3), class = "haven_labelled")
  }
  spikes <- data.frame(time = c(0.1, 0.1, 0.1))
  spikes$trial <- label(c(1, 2, 2))
  spikes$neuron <- label(c(1, 1, 3))
  found <- bin_spikes(spikes, c(0, 1), trials = label(c(2, 3, 1)), neurons = label(c(3, 1)))
  expect_identical(dimnames(found), list(c("stop", "wait", "go"), c("wait", "go")))
  expect_identical(unname(found), cbind(c(1L, 0L, 0L), c(1L, 0L, 1L)))
})

test_that("a level for missing trials is no trial", {
  spikes <- data.frame(trial = factor(c("a", "b")), neuron = 1:2, time = 0.1)
  levels(spikes$trial) <- c("a", "b", NA)
  expect_identical(rownames(bin_spikes(spikes, c(0, 1))), c("a", "b"))
  spikes$trial[1] <- NA
  spikes$trial <- addNA(spikes$trial)
  expect_error(bin_spikes(spikes, c(0, 1)), "trial column must have no missing value",
               class = "mdpd_error_data")
})

test_that("trials may be called by times", {
  time <- as.POSIXct("2020-01-01 12:00:00", tz = "UTC") + c(0, 0.5)
  spikes <- data.frame(trial = time, neuron = 1, time = 0.1)
  found <- bin_spikes(spikes, c(0, 1), trials = time[2:1])
  expect_identical(found[, "1"], c("2020-01-01 12:00:00.5" = 1L, "2020-01-01 12:00:00" = 1L))
})

test_that("asked for by a damaged factor, trials are an error", {
  spikes <- data.frame(trial = 1:2, neuron = "a", time = 0.1)
  expect_error(bin_spikes(spikes, c(0, 1), trials = structure(1:2, levels = "1", class = "factor")),
               "`trials`.*not a damaged factor", class = "mdpd_error_argument")
})

test_that("a trial without any neuron was not recorded", {
  for (neurons in list(c("a", "b"), NULL)) {
    trials <- list(stats::setNames(list(0.1, numeric()), neurons), list())
    expect_identical(unname(bin_spikes(trials, c(0, 1))), rbind(c(1L, 0L), NA))
  }
})

test_that("a table that no machine holds is an error", {
  trials <- list(list(a = 0.1), list(a = 0.2), list(a = 0.3))
  expect_error(bin_spikes(trials, c(0, 1), bin_width = 1e-9), "`bin_width` must.*have 3e\\+09",
               class = "mdpd_error_argument")
})

test_that("counts above the largest are that many", {
  spikes <- data.frame(trial = rep(1:2, c(5, 2)), neuron = "a", time = 0)
  expect_identical(as.vector(bin_spikes(spikes, c(0, 1), what = "count")), 3:2)
  expect_identical(as.vector(bin_spikes(spikes, c(0, 1), what = "count", max_count = 4)),
                   c(4L, 2L))
})

test_that("the table can be fitted", {
  visual <- simulate_spikes(300, 20, 10, 3, seed = 1)
  x <- bin_spikes(visual$times, c(0, 0.1), 0.05, "count")
  fit <- stagewise_em(x, k = 3)
  expect_identical(rownames(fit$posterior), rownames(x))
})

test_that("bad input is an error that says what must hold", {
  spikes <- data.frame(trial = 1:2, neuron = c("a", "b"), time = c(0.1, 0.2))
  recording <- list(a = 0.1, b = 0.2)
  expect_snapshot({
    show_conditions(bin_spikes(1:3, c(0, 1)))
    show_conditions(bin_spikes(recording, c(0, 1)))
    show_conditions(bin_spikes(list(recording, list(a = "0.1")), c(0, 1)))
    show_conditions(bin_spikes(spikes, c(1, 0)))
    show_conditions(bin_spikes(spikes, 0.1))
    show_conditions(bin_spikes(spikes, c(0, 1), bin_width = 0.3))
    show_conditions(bin_spikes(spikes, c(0, 1), bin_width = -1))
    show_conditions(bin_spikes(spikes, c(0, 1), what = "all"))
    show_conditions(bin_spikes(spikes, c(0, 1), what = "count", max_count = 0))
    show_conditions(bin_spikes(spikes, c(0, 1), bins = "both"))
    show_conditions(bin_spikes(spikes[-1], c(0, 1)))
    show_conditions(bin_spikes(spikes, c(100, 200)))
    show_conditions(bin_spikes(transform(spikes, time = c(0.1, NA)), c(0, 1)))
    show_conditions(bin_spikes(transform(spikes, time = c("0.1", "x")), c(0, 1)))
    show_conditions(bin_spikes(transform(spikes, trial = c(1, NA)), c(0, 1)))
    show_conditions(bin_spikes(spikes, c(0, 1), trials = NA))
    show_conditions(bin_spikes(spikes, c(0, 1), neurons = c("a", "a")))
    show_conditions(bin_spikes(spikes, c(0, 1), onsets = "a"))
    show_conditions(bin_spikes(1:3, c(0, 1), onsets = 1))
    show_conditions(bin_spikes(recording, c(0, 1), onsets = c(x = 1, x = 2)))
    show_conditions(bin_spikes(unname(list(recording)), c(0, 1), neurons = "c"))
    show_conditions(bin_spikes(list(list(a = 1, a = 2)), c(0, 1)))
    show_conditions(bin_spikes(list(list()), c(0, 1)))
  })
})

test_that("no trials or neurons cannot be asked for", {
  spikes <- data.frame(trial = 1:2, neuron = c("a", "b"), time = c(0.1, 0.2))
  for (bad in list(character(), list("a"))) {
    expect_error(bin_spikes(spikes, c(0, 1), trials = bad), "`trials` must be a vector of ids",
                 class = "mdpd_error_argument")
    expect_error(bin_spikes(spikes, c(0, 1), neurons = bad), "`neurons` must be a vector of ids",
                 class = "mdpd_error_argument")
  }
})

test_that("bad times, columns and ids are found in every form of the spikes", {
  spikes <- data.frame(trial = 1:2, neuron = c("a", "b"), time = c(0.1, 0.2))
  expect_bad <- function(times, text, ..., class = "data") {
    expect_error(bin_spikes(times, c(0, 1), ...), text, class = paste0("mdpd_error_", class))
  }
  expect_bad(list(list(a = c(0.1, NA))), "Spike 2 is at NA")
  expect_bad(list(list(a = 0.1, b = "x")), "each a list of numeric", class = "argument")
  expect_bad(list(a = 0.1, b = "x"), "numeric vectors, one for", onsets = 0, class = "argument")
  expect_bad(list(list(a = 0.1), list(0.3)), "Every neuron must have an id")
  expect_bad(list(list(0.1, b = 0.2)), "Every neuron must have an id")
  expect_bad(list(stats::setNames(list(0.1, 0.2), c("a", NA))), "Every neuron must have an id")
  expect_bad(list(x = list(a = 0.1), x = list(a = 0.2)), "\"x\" comes twice")
  expect_bad(list(a = 0.1, a = 0.2), "\"a\" comes twice", onsets = 0)
  expect_bad(cbind(spikes, time = 1), "There are 2 columns time")
  expect_bad(structure(list(trial = 1:2, neuron = 1:2, time = 0), class = "data.frame",
                       row.names = 1:2), "Column 3 has 1")
  for (window in list(c(1, 1), c(0, NA))) {
    expect_error(bin_spikes(spikes, window), "`window` must", class = "mdpd_error_argument")
  }
})

test_that("neurons have names in all trials or in none", {
  trials <- list(list(a = 0.1, b = 0.2), list(0.3, 0.4))
  expect_error(bin_spikes(trials, c(0, 1)), "Every neuron must have an id",
               class = "mdpd_error_data")
  # By name, whatever the order.
  trials[[2]] <- list(b = numeric(), a = 0.4)
  expect_identical(unname(bin_spikes(trials, c(0, 1))), rbind(c(1L, 1L), c(1L, 0L)))
})

test_that("a window may have dimensions", {
  times <- list(list(0.1, 0.2), list(c(0.1, 0.3), 0.4))
  expect_identical(bin_spikes(times, window = matrix(c(0, 1), 1)), bin_spikes(times, c(0, 1)))
  expect_error(bin_spikes(times, window = matrix(c(1, 0), 1)), class = "mdpd_error_argument")
})
