#' Turn spike times into a table of trials by neurons
#'
#' Cuts a window out of every trial and says whether each neuron spiked in it, or how often: the
#' table that [stagewise_em()] takes. The window may be divided into bins.
#'
#' An interval holds its start and not its end. Times that differ from the edge of a bin by less
#' than a millionth of its width are taken to lie on it. All times have one unit, whichever it is.
#'
#' @param times The spikes, in one of these forms:
#'   * a data frame with a row for each spike and the columns `trial`, `neuron` (ids) and `time`
#'     (since the trial's onset);
#'   * a list with an element for each trial, which is a list with a numeric vector of times for
#'     each neuron, matched by names if they have names, else by position. A neuron that is not in a
#'     trial, or `NULL` there, was not recorded: `NA`. One with `numeric()` was silent: 0. A list
#'     with dimensions, trials x neurons, is read in the same way;
#'   * with `onsets`, times of the whole recording: a data frame with the columns `neuron` and
#'     `time`, or a list with a numeric vector for each neuron.
#' @param window Two increasing numbers: where the window starts and ends, since the trial's onset.
#' @param bin_width Width of the bins into which the window is divided, above 0; the window's length
#'   must be a whole number of bins. By default, `NULL`, one bin, the window.
#' @param what `"any"`, the default: 1 where there is a spike, else 0. `"count"`: the number of
#'   spikes.
#' @param max_count For `what = "count"`: the largest count, a whole number of at least 1; more
#'   spikes are counted as that many, because every count that occurs is a level with probabilities
#'   of its own. Default 3.
#' @param bins What several bins of a trial become: `"items"`, the default, a column for each neuron
#'   and bin, so that classes differ in the course of their response; or `"rows"`, a row for each
#'   trial and bin, so that each moment has a class of its own.
#' @param onsets For a whole recording: numeric vector, when each trial began; its names, if it has
#'   any, are the trials' ids. Windows of trials may overlap.
#' @param trials Ids of the trials, in the order of the rows. By default those in `times`: of a
#'   factor all levels, of other ids those with a spike of any neuron, sorted. **A trial in which
#'   nothing spiked is not in such a data frame**: give all trials here. Others are left out.
#' @param neurons Ids of the neurons, in the order of the columns; a neuron without a spike is
#'   silent in all trials. By default those in `times`, as for `trials`. At least one must be in
#'   `times`, and of a list, which names all that were recorded, every one; so with `trials`.
#' @return An integer matrix, trials x neurons, with the ids as row and column names and values from
#'   0 to 1, or to `max_count`; `NA` where a neuron was not recorded. With several bins,
#'   trials x (neurons x bins), columns `"neuron_1"`, `"neuron_2"`, ..., or (trials x bins) x
#'   neurons, rows `"trial_1"`, `"trial_2"`, ...
#' @section Errors: `mdpd_error_argument` for an argument out of range, and for trials or neurons
#'   that are not there; `mdpd_error_data` for times that are not finite numbers, doubled ids, or
#'   when no spike falls into the window of any trial; `mdpd_error_missing_item` for a data frame
#'   without a column that is needed.
#' @references
#' Zhao and Zucker (2015), Stagewise Learning for Sparse Clustering of Discretely-Valued Data: spike
#' trains as the presence or absence of a spike in a short interval.
#' \doi{10.48550/arXiv.1506.02975}
#'
#' Schneidman, E., Berry, M. J., Segev, R. and Bialek, W. (2006). Weak pairwise correlations imply
#' strongly correlated network states in a neural population. *Nature* 440, 1007-1012.
#' \doi{10.1038/nature04701}
#' @family spike trains
#' @examples
#' # A recording of two neurons, with gratings at 1, 2 and 3 seconds
#' recording <- list(a = c(0.2, 1.05, 1.06, 3.08), b = c(1.01, 2.02, 2.04, 2.09, 3.5))
#' bin_spikes(recording, window = c(0, 0.1), onsets = c(1, 2, 3))
#' bin_spikes(recording, window = c(0, 0.1), onsets = c(1, 2, 3), what = "count")
#' bin_spikes(recording, window = c(0, 0.1), onsets = c(1, 2, 3), bin_width = 0.05)
#'
#' # A data frame of spikes; in trial 2 there was none
#' spikes <- data.frame(trial = c(1, 1, 3), neuron = c("a", "b", "b"), time = c(0.01, 0.03, 0.02))
#' bin_spikes(spikes, window = c(0, 0.05), trials = 1:3)
#' @export
bin_spikes <- function(times, window, bin_width = NULL, what = c("any", "count"), max_count = 3,
                       bins = c("items", "rows"), onsets = NULL, trials = NULL, neurons = NULL) {
  check_given(times)
  check_given(window)
  what <- check_choice(what, c("any", "count"))
  check_count(max_count)
  bins <- check_choice(bins, c("items", "rows"))
  check_window(window)
  window <- as.double(window)
  if (is.null(bin_width)) bin_width <- diff(window)
  n_bins <- check_bin_width(bin_width, window)
  spikes <- if (is.null(onsets)) {
    read_trials(times)
  } else {
    check_numbers(onsets)
    cut_trials(read_recording(times), onsets, window, bin_width)
  }
  spikes <- choose_ids(choose_ids(spikes, "trial", trials), "neuron", neurons)
  counts <- count_spikes(spikes, window, bin_width, n_bins)
  if (what == "any") max_count <- 1
  lay_out_bins(pmin(counts, as.integer(max_count)), bins)
}

# Reading ------------------------------------------------------------------------------------------

# Spikes are a list: `trial` and `neuron`, factors whose levels are the ids, `time`, since the
# trial's onset, `recorded`, a trials x neurons logical matrix or NULL where all are, and `listed`,
# named by the sides of which all ids are known, the argument that has them: another id is a
# mistake, not a silence.

read_trials <- function(times, call = rlang::caller_env()) {
  if (is.data.frame(times)) {
    return(read_spike_table(times, c("trial", "neuron", "time"), call))
  }
  if (!is.list(times) || !all(vapply(times, is_trial, NA, cells = is.matrix(times)))) {
    abort_mdpd(
      c("{.arg times} must be a data frame or a list of trials, each a list of numeric vectors.",
        i = if (is.list(times)) "For the times of a whole recording give {.arg onsets}.",
        x = if (!is.list(times)) "It is {describe(times)}."),
      class = "argument", call = call
    )
  }
  cells <- trial_cells(times, call)
  n_spikes <- lengths(cells)
  time <- all_times(cells, call)
  list(
    trial = code_to_factor(rep(row(cells), n_spikes), rownames(cells)),
    neuron = code_to_factor(rep(col(cells), n_spikes), colnames(cells)),
    time = time,
    recorded = matrix(!vapply(cells, is.null, NA), nrow(cells), dimnames = dimnames(cells)),
    listed = c(trial = "times", neuron = "times")
  )
}

# Of each cell by itself: what is together has no class.
all_times <- function(cells, call) {
  time <- as.double(unlist(lapply(unname(cells), plain_numbers, call)))
  check_times(time, call)
  time
}

# An element of a list of trials: the neurons of a trial, or a single cell of a trials x neurons
# list.
is_trial <- function(x, cells) {
  is_times <- function(x) is.null(x) || is.numeric(x)
  if (cells) is_times(x) else rlang::is_bare_list(x) && all(vapply(x, is_times, NA))
}

# A list with dimensions, trials x neurons; NULL where a neuron was not recorded.
trial_cells <- function(times, call) {
  if (is.matrix(times)) {
    return(name_cells(times, call))
  }
  named <- !all(vapply(times, function(trial) is.null(names(trial)), NA))
  neurons <- if (named) {
    unique(unlist(lapply(times, names)))
  } else {
    as.character(seq_len(max(0, lengths(times))))
  }
  columns <- lapply(times, function(trial) {
    if (!named) names(trial) <- utils::head(neurons, length(trial))
    if (length(trial) > 0) check_ids(names(trial), length(trial), "neuron", call)
    unname(trial[neurons])
  })
  columns <- unlist(columns, recursive = FALSE) %||% list()
  cells <- t(matrix(columns, length(neurons), length(times)))
  dimnames(cells) <- list(names(times), neurons)
  name_cells(cells, call)
}

name_cells <- function(cells, call) {
  ids <- list(rownames(cells), colnames(cells))
  for (side in 1:2) {
    if (is.null(ids[[side]])) ids[[side]] <- as.character(seq_len(dim(cells)[side]))
    check_ids(ids[[side]], dim(cells)[side], c("trial", "neuron")[side], call)
  }
  dimnames(cells) <- ids
  cells
}

read_spike_table <- function(times, columns, call) {
  check_column_lengths(times, "times", call)
  check_column_names(names(times), "times", call)
  check_has_items(columns, names(times), "times", call)
  time <- .subset2(times, "time")
  check_times(time, call)
  ids <- lapply(stats::setNames(nm = setdiff(columns, "time")), function(name) {
    as_ids(.subset2(times, name), name, call)
  })
  c(ids, list(time = plain_numbers(time, call)))
}

# A recording is a list of spikes without `trial`, `time` counted from its start.
read_recording <- function(times, call = rlang::caller_env()) {
  if (is.data.frame(times)) {
    return(read_spike_table(times, c("neuron", "time"), call))
  }
  if (!is.list(times) || !all(vapply(times, is.numeric, NA))) {
    abort_mdpd(
      c("With {.arg onsets}, {.arg times} must be a data frame or a list of numeric vectors, one for
         each neuron.", x = if (!is.list(times)) "It is {describe(times)}."),
      class = "argument", call = call
    )
  }
  names <- names(times) %||% as.character(seq_along(times))
  check_ids(names, length(times), "neuron", call)
  time <- all_times(times, call)
  neuron <- code_to_factor(rep(seq_along(times), lengths(times)), names)
  list(neuron = neuron, time = time, listed = c(neuron = "times"))
}

# The spikes of a recording that are in the window of a trial; of several, once for each. A bin more
# on both sides, as what is in the window is decided later.
cut_trials <- function(recording, onsets, window, bin_width, call = rlang::caller_env()) {
  trials <- names(onsets) %||% as.character(seq_along(onsets))
  check_ids(trials, length(onsets), "trial", call)
  order <- order(recording$time)
  sorted <- recording$time[order]
  first <- findInterval(onsets + window[1] - bin_width, sorted, left.open = TRUE)
  last <- findInterval(onsets + window[2] + bin_width, sorted, left.open = TRUE)
  trial <- rep(seq_along(onsets), last - first)
  spike <- rep(first, last - first) + sequence(last - first)
  list(
    trial = code_to_factor(trial, trials),
    neuron = recording$neuron[order[spike]],
    time = sorted[spike] - unname(onsets)[trial],
    listed = c(trial = "onsets", recording$listed)
  )
}

# Ids as a factor: of factors all levels, as a level may be a trial without a spike.
as_ids <- function(x, name, call) {
  check_id_column(x, name, call)
  if (is.factor(x)) {
    return(without_na_level(x))
  }
  coded <- code_values(x, numbers_first = TRUE, call = call)
  code_to_factor(coded$codes, coded$levels)
}

# Counting -----------------------------------------------------------------------------------------

# The spikes of the trials or neurons asked for, in that order.
choose_ids <- function(spikes, side, ids, call = rlang::caller_env()) {
  if (is.null(ids)) {
    return(spikes)
  }
  arg <- paste0(side, "s")
  known <- levels(spikes[[side]])
  check_id_vector(ids, arg, call)
  ids <- if (is.factor(ids)) as.character(ids) else id_text(ids)
  check_ids(ids, length(ids), side, call)
  if (side %in% names(spikes$listed)) {
    check_known_ids(ids, known, arg, spikes$listed[[side]], call)
  } else {
    check_any_known_id(ids, known, arg, call)
  }
  if (!is.null(spikes$recorded)) {
    spikes$recorded <- if (side == "trial") {
      spikes$recorded[ids, , drop = FALSE]
    } else {
      spikes$recorded[, ids, drop = FALSE]
    }
  }
  at <- match(known, ids)[as.integer(spikes[[side]])]
  spikes[[side]] <- code_to_factor(at, ids)
  keep <- !is.na(at)
  spikes[c("trial", "neuron", "time")] <- lapply(spikes[c("trial", "neuron", "time")], `[`, keep)
  spikes
}

# Trials x neurons x bins.
count_spikes <- function(spikes, window, bin_width, n_bins, call = rlang::caller_env()) {
  bin <- floor((spikes$time - window[1]) / bin_width + 1e-6)
  inside <- bin >= 0 & bin < n_bins
  if (!any(inside)) {
    abort_mdpd(
      c("No spike falls into the window from {window[1]} to {window[2]} of any trial.",
        i = "Are {.arg times} and {.arg window} in one unit, and both since the trial's onset?"),
      class = "data", call = call
    )
  }
  ids <- list(levels(spikes$trial), levels(spikes$neuron))
  size <- c(lengths(ids), n_bins)
  check_n_bins(prod(size), bin_width, call)
  cell <- cell_index(as.integer(spikes$trial), as.integer(spikes$neuron), size[1])
  cell <- cell_index(cell, bin + 1, size[1] * size[2])
  counts <- array(tabulate(cell[inside], prod(size)), size, c(ids, list(NULL)))
  if (!is.null(spikes$recorded)) counts[rep(!spikes$recorded, n_bins)] <- NA
  counts
}

lay_out_bins <- function(counts, bins) {
  n_bins <- dim(counts)[3]
  names <- dimnames(counts)[1:2]
  numbered <- function(ids) paste0(rep(ids, each = n_bins), "_", seq_len(n_bins))
  if (n_bins == 1) {
    return(matrix(counts, nrow(counts), dimnames = names))
  }
  if (bins == "items") {
    counts <- aperm(counts, c(1, 3, 2))
    matrix(counts, length(names[[1]]), dimnames = list(names[[1]], numbered(names[[2]])))
  } else {
    counts <- aperm(counts, c(3, 1, 2))
    matrix(counts, ncol = length(names[[2]]), dimnames = list(numbered(names[[1]]), names[[2]]))
  }
}

# Checks -------------------------------------------------------------------------------------------

check_window <- function(window, call = rlang::caller_env()) {
  check_numbers(window, call = call)
  if (length(window) != 2 || window[1] >= window[2]) {
    abort_mdpd(
      "{.arg window} must be two increasing numbers, start and end, not {.val {window}}.",
      class = "argument", call = call
    )
  }
}

# The number of bins.
check_bin_width <- function(bin_width, window, call = rlang::caller_env()) {
  check_number(bin_width, c(.Machine$double.xmin, Inf), call = call)
  n_bins <- diff(window) / bin_width
  if (abs(n_bins - round(n_bins)) > 1e-6 || n_bins < 0.5) {
    abort_mdpd(
      c("{.arg bin_width} must divide {.arg window} into a whole number of bins.",
        x = "A window of {diff(window)} has {signif(n_bins, 4)} bins of {bin_width}."),
      class = "argument", call = call
    )
  }
  if (n_bins > .Machine$integer.max) {
    abort_mdpd("{.arg window} has more bins of {bin_width} than a table has columns.",
               class = "argument", call = call)
  }
  as.integer(round(n_bins))
}

# A table of more would be a wrong unit, and fills the memory of most machines.
check_n_bins <- function(n_cells, bin_width, call) {
  if (n_cells > 1e9) {
    abort_mdpd(
      c("{.arg bin_width} must make a table of at most 1e9 cells, trials x neurons x bins.",
        x = "With {bin_width} it would have {signif(n_cells, 2)}."),
      class = "argument", call = call
    )
  }
}

check_times <- function(time, call) {
  if (!is.numeric(time)) {
    abort_mdpd("Spike times must be numbers, not {describe(time)}.", class = "data", call = call)
  }
  bad <- which(!is.finite(time))
  if (length(bad) > 0) {
    abort_mdpd(
      c("Spike times must be finite numbers.", x = "Spike {bad[1]} is at {time[bad[1]]}."),
      class = "data", call = call
    )
  }
}

check_id_vector <- function(ids, arg, call) {
  if (holds_values(ids) && length(ids) > 0 && !anyNA(ids)) {
    return(check_encoding(ids, "{.arg {arg}}", call))
  }
  abort_mdpd("{.arg {arg}} must be a vector of ids, none of them missing, not {describe(ids)}.",
             class = "argument", call = call)
}

# Ids of one side of the table: there, one each, and different.
check_ids <- function(ids, n, side, call) {
  check_encoding(ids, "The ids of every {side}", call)
  if (n == 0 || length(ids) != n || anyNA(ids) || any(ids == "")) {
    abort_mdpd("Every {side} must have an id, and there must be at least one.",
               class = "data", call = call)
  }
  if (anyDuplicated(ids)) {
    abort_mdpd(
      c("Every {side} must have an id of its own.",
        x = "{.val {ids[anyDuplicated(ids)]}} comes twice."),
      class = "data", call = call
    )
  }
}

# Of a list it is known who was recorded: an id that is not in it is a mistake, not a silence.
check_known_ids <- function(ids, known, arg, listed_in, call) {
  unknown <- setdiff(ids, known)
  if (length(unknown) > 0) {
    abort_mdpd("{.arg {arg}} must be in {.arg {listed_in}}, and {.val {unknown[1]}} is not.",
               class = "argument", call = call)
  }
}

# Of a data frame those without a spike are silent, but not all of them.
check_any_known_id <- function(ids, known, arg, call) {
  if (length(known) > 0 && !any(ids %in% known)) {
    abort_mdpd(
      c("{.arg {arg}} must hold some that have a spike in {.arg times}; {.val {ids}} {?has/have}
         none.",
        i = "There is {.val {known[1]}}, for example."),
      class = "argument", call = call
    )
  }
}
