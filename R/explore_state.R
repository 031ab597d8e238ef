# What explore() is looking at, without a browser: a state, functions that change it, and its fit.
# The fit is what the code of the state gives, see explore_code.R, since it is made by that code.

#' The state of explore()
#'
#' @param object A fit that keeps its data.
#' @return A list of class `explore_state`:
#'   fit      the fit that was given
#'   x        its data: a data frame of factors, or a crowd
#'   weights  its case weights, or NULL where all are 1 and there is no survey design
#'   written  the user's expressions of `x` and `weights`
#'   engine   "stagewise_em" or "mdpd"
#'   settings arguments of the engine that are not its defaults, a named list
#'   k        the number of components
#'   ks       those that are compared, or NULL
#'   dropped  names of the items (of a crowd: workers) that are left out
#'   known    labels, named by items of the crowd (gold questions)
#'   named    of each name that was given to a class, in a column: how likely each row was in it
#'   names    those of the classes of this fit, named by the names that the engine gives
#'   cache    an environment of the fits made, by their code
#' @noRd
explore_state <- function(object, call = rlang::caller_env()) {
  check_class(object, "mdpd", call = call)
  check_intact(object, "object", call)
  check_fit(object, call)
  coded <- data_of(object, arg = "object", call = call)
  check_can_repeat(object, call)
  path <- object$path
  state <- structure(
    list(
      fit = object, x = data_of_fit(object),
      weights = if (!is.null(object$design) || any(coded$weights != 1)) coded$weights,
      written = written_data(object), engine = engine_of(object), settings = settings_of(object),
      k = if (is.null(path)) object$k else asked_k(object),
      ks = if (NROW(path) > 1) path$k, dropped = character(),
      known = known_of_fit(object), named = if (has_own_names(object)) object$posterior,
      names = character(), cache = new.env(parent = emptyenv())
    ),
    class = "explore_state"
  )
  carry_names(state)
}

# Changes: each takes a state and returns the new one, or says what must hold ----------------------

# Another number of components. Of those that were compared it needs no new fit.
set_k <- function(state, k, call = rlang::caller_env()) {
  check_count(k, max = nrow(state$x), call = call)
  n_labels <- length(state_data(state)$labels)
  if (length(state$known) > 0 && k != n_labels) {
    abort_mdpd("With known labels {.arg k} must be the number of labels, {n_labels}, not {k}.",
               class = "argument", call = call)
  }
  if (k == state$k) {
    return(state)
  }
  state$k <- as.integer(k)
  if (!k %in% state$ks) state["ks"] <- list(NULL)
  carry_names(state)
}

# Compares several numbers of components and takes the best.
compare_k <- function(state, ks, call = rlang::caller_env()) {
  check_counts(ks, call = call)
  check_can_compare(state, call)
  state$ks <- sort(unique(as.integer(ks)))
  state$ks <- state$ks[state$ks <= nrow(state$x)]
  state$k <- asked_k(first_fit(state))
  carry_names(state)
}

# All the items (workers) to leave out; at least two stay.
set_dropped <- function(state, items, call = rlang::caller_env()) {
  all <- state_items(state)
  noun <- if (is_crowd(state$x)) "worker" else "item"
  unknown <- setdiff(items, all)
  if (length(unknown) > 0) {
    abort_mdpd(paste0("There {?is/are} no ", noun, "{?s} {.val {unknown}} in the fit."),
               class = "argument", call = call)
  }
  items <- all[all %in% items]
  if (length(all) - length(items) < 2) {
    abort_mdpd("At least two {noun}s must stay.", class = "argument", call = call)
  }
  if (identical(items, state$dropped)) {
    return(state)
  }
  before <- state
  state$dropped <- items
  state["ks"] <- list(NULL)
  carry_names(fit_to_labels(state, before, call))
}

# The true label of an item of a crowd; `NA` takes it back.
add_gold <- function(state, item, label, call = rlang::caller_env()) {
  if (!is_crowd(state$x)) {
    abort_mdpd("Only items of a crowd have known labels.", class = "argument", call = call)
  }
  crowd <- state_data(state)
  if (!rlang::is_string(item) || !item %in% crowd$items) {
    abort_mdpd("{.arg item} must be an item of the crowd, not {describe(item)}.",
               class = "argument", call = call)
  }
  if (!rlang::is_scalar_atomic(label) || !label %in% c(crowd$labels, NA)) {
    abort_mdpd("{.arg label} must be one of {.val {crowd$labels}}, not {describe(label)}.",
               class = "argument", call = call)
  }
  state$known <- state$known[setdiff(names(state$known), item)]
  if (!is.na(label)) state$known[item] <- as.character(label)
  state["ks"] <- list(NULL)
  state$k <- length(crowd$labels)
  state
}

# `class` is a name that the fit of the state has.
rename_class <- function(state, class, name, call = rlang::caller_env()) {
  if (is_crowd(state$x)) {
    abort_mdpd("The classes of a crowd are its labels and keep their names.",
               class = "argument", call = call)
  }
  given <- names(bare_fit(state)$mixing_weights)
  now <- new_class_names(given, state$names)
  if (!rlang::is_string(class, now)) {
    abort_mdpd("{.arg class} must be one of {.val {now}}, not {describe(class)}.",
               class = "argument", call = call)
  }
  check_string(name, call = call)
  if (trimws(name) == "" || name %in% setdiff(now, class)) {
    problem <- "Another class has the name {.val {name}}."
    if (trimws(name) == "") problem <- "A class must have a name that can be read."
    abort_mdpd(problem, class = "argument", call = call)
  }
  new <- replace(now, now == class, name)
  state$names <- stats::setNames(new, given)[new != given]
  others <- setdiff(colnames(state$named), c(class, name))
  of_class <- bare_fit(state)$posterior[, now == class, drop = FALSE]
  colnames(of_class) <- name
  state$named <- cbind(state$named[, others, drop = FALSE], of_class)
  state
}

# What a state is ----------------------------------------------------------------------------------

# The fit, with the names of its classes; `explored` is the code that makes it.
state_fit <- function(state) {
  fit <- bare_fit(state)
  if (length(state$names) > 0) fit <- name_components(fit, state$names)
  fit$explored <- state_code(state)
  fit
}

# The data without what is dropped.
state_data <- function(state) run_code(state, dropping_code(state))$kept %||% state$x

new_class_names <- function(now, names) replace(now, match(names(names), now), unname(names))

# The fit before its classes get names.
bare_fit <- function(state) {
  made <- first_fit(state)
  if (is.null(state$ks)) made else choose_k(made, state$k)
}

# With what run_code() does not know: the survey design, the words for the data, and the labels of
# factors, which subset() takes off.
with_users_data <- function(fit, state) {
  fit["design"] <- list(state$fit$design)
  fit$call$x <- fit_call(state, state$written)[[2]]
  fit$call$weights <- if (!is.null(state$weights)) state$written$weights
  labels <- state$fit$variable_labels
  if (!is.null(labels)) fit$variable_labels <- labels[names(labels) %in% names(fit$item_probs)]
  fit$path_fits <- if (!is.null(fit$path_fits)) lapply(fit$path_fits, with_users_data, state)
  fit
}

# The fit, of several k the best; what was fitted once is kept.
first_fit <- function(state) {
  state["k"] <- list(if (is.null(state$ks)) state$k)
  key <- paste(fit_code(state), collapse = "\n")
  if (is.null(state$cache[[key]])) {
    state$cache[[key]] <- if (is_as_given(state)) state$fit
                          else with_users_data(run_code(state, fit_code(state))$fit, state)
  }
  state$cache[[key]]
}

# The fit that was given, and its path, are not made again.
is_as_given <- function(state) {
  fit <- state$fit
  path <- if (NROW(fit$path) > 1) fit$path$k
  !has_own_names(fit) && length(state$dropped) == 0 && identical(state$known, known_of_fit(fit)) &&
    identical(as.integer(state$ks), as.integer(path)) &&
    (!is.null(path) || state$k == fit$path$k %||% fit$k)
}

# Evaluates code of the state with its data; returns what it has made. Weights that are no counts
# are those of a design, or the fit that was given has told of them.
run_code <- function(state, lines) {
  data <- list2env(list(x = state$x, weights = state$weights), parent = asNamespace("mdpd"))
  # Without any text parse() would read from the console.
  if (length(lines) > 0) {
    suppressWarnings(eval(parse(text = lines, keep.source = FALSE), data),
                     classes = "mdpd_warning_sampling_weights")
  }
  data
}

# A name goes to a class that has most of the rows of the class that was given it, and in which they
# are most: so it is there again when the number of classes comes back. One class of all rows has no
# name of some.
carry_names <- function(state) {
  state$names <- character()
  posterior <- if (!is.null(state$named)) bare_fit(state)$posterior
  if (is.null(posterior) || ncol(posterior) == 1) {
    return(state)
  }
  overlap <- crossprod(state$named, posterior)
  partner <- best_match(overlap)
  shared <- overlap[cbind(seq_along(partner), partner)]
  keeps <- shared > colSums(state$named) / 2 & shared > colSums(posterior)[partner] / 2
  keeps[is.na(keeps)] <- FALSE
  carried <- stats::setNames(rownames(overlap)[keeps], colnames(overlap)[partner[keeps]])
  carried <- carried[carried != names(carried)]
  state$names <- carried[!carried %in% setdiff(colnames(posterior), names(carried))]
  state
}

# Of a crowd with a component a label: as many components as labels are left.
fit_to_labels <- function(state, before, call) {
  if (!is_crowd(state$x)) {
    return(state)
  }
  crowd <- state_data(state)
  lost <- setdiff(names(state$known), crowd$items)
  if (length(lost) > 0) {
    abort_mdpd("Item {.val {lost[1]}}, whose label is known, would have no label of a worker left.",
               class = "argument", call = call)
  }
  if (state$k == length(state_data(before)$labels)) state$k <- length(crowd$labels)
  state
}

# Checks -------------------------------------------------------------------------------------------

# The code must be written from the call alone, with no variable but the data.
check_can_repeat <- function(object, call) {
  made_by <- if (is.call(object$call)) rlang::call_name(object$call)
  if (!identical(made_by, "stagewise_em") && !identical(made_by, "mdpd")) {
    abort_mdpd("{.arg object} must be a fit made by {.fn stagewise_em} or {.fn mdpd}.",
               class = "argument", call = call)
  }
  # Where the search had all rows, no matter what it could have had.
  of_search <- if (!is.null(object$search_rows)) "search_rows"
  for (argument in c("start", "n_starts", "seed", of_search)) {
    if (!is_written_out(object$call[[argument]])) {
      abort_mdpd("{.arg object} must be a fit whose {.arg {argument}} stands in its call as one
                  string or number.", class = "argument", call = call)
    }
  }
}

is_written_out <- function(x) {
  if (rlang::is_call(x, "-", n = 1)) x <- x[[2]]  # a negative number
  !is.language(x) && length(x) <= 1 && !inherits(x, "mdpd")
}

check_can_compare <- function(state, call) {
  problem <- if (state$engine == "mdpd") {
    "{.fn mdpd} fits one {.arg k} at a time; {.fn stagewise_em} compares several."
  } else if (length(state$known) > 0) {
    "With known labels {.arg k} is the number of labels; take them back to compare."
  }
  if (!is.null(problem)) abort_mdpd(problem, class = "argument", call = call)
}
