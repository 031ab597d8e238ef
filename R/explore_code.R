# The R code that makes the fit of a state of explore(): from the user's data, in words a user would
# write.

# Lines of R, from the data as the user has them to the fit with the names of its classes.
state_code <- function(state) {
  named <- rlang::call2("name_components", quote(fit), state$names)
  c(fit_code(state, state$written), if (length(state$names) > 0) written_call("fit", named))
}

# From the data to the fit before its classes get names. `data`: expressions of the table `x` and
# its `weights`, by default the names that run_code() knows.
fit_code <- function(state, data = list(x = quote(x), weights = quote(weights))) {
  choice <- rlang::call2("choose_k", quote(fit), as.numeric(state$k))
  c(dropping_code(state, data$x), written_call("fit", fit_call(state, data)),
    if (!is.null(state$ks) && !is.null(state$k)) written_call("fit", choice))
}

fit_call <- function(state, data) {
  arguments <- c(
    list(k = state$ks %||% as.numeric(state$k)), state$settings,
    if (!is.null(state$weights)) list(weights = data$weights),
    if (length(state$known) > 0) list(known = state$known)
  )
  x <- if (length(state$dropped) > 0) quote(kept) else data$x
  rlang::call2(state$engine, x, !!!arguments)
}

dropping_code <- function(state, x = quote(x)) {
  dropped <- state$dropped
  items <- state_items(state)
  if (length(dropped) == 0) {
    return(NULL)
  }
  call <- if (is_crowd(state$x)) {
    stay <- rlang::call2("!", rlang::call2("%in%", quote(worker), dropped))
    triples <- rlang::call2("subset", rlang::expr(as.data.frame(!!x)), stay)
    rlang::call2("crowd_labels", triples, duplicates = "count")
  } else if (identical(items, paste0("V", seq_along(items)))) {
    # Maybe a matrix without names, whose items would be numbered anew.
    rlang::call2("[", rlang::expr(as.data.frame(!!x)), rlang::call2("-", match(dropped, items)))
  } else {
    select <- rlang::call2("-", rlang::call2("c", !!!rlang::syms(dropped)))
    rlang::call2("subset", x, select = select)
  }
  written_call("kept", call)
}

# All items (of a crowd: workers), those that are dropped too.
state_items <- function(state) if (is_crowd(state$x)) state$x$workers else names(state$x)

is_crowd <- function(x) inherits(x, "crowd_labels")

written_call <- function(name, call) {
  lines <- deparse(call, width.cutoff = 80)
  c(paste(name, "<-", lines[1]), lines[-1])
}

# The user's expressions of the data and their weights.
written_data <- function(object) {
  call <- object$call
  x <- call$x
  weights <- call$weights
  if (rlang::is_formula(x) || rlang::is_call(x, "~")) {
    data <- as_written_data(call$data, quote(data))
    by_design <- is.null(weights) && !is.null(object$design)
    table <- if (by_design) rlang::expr((!!data)$variables) else rlang::expr(as.data.frame(!!data))
    x <- rlang::expr((!!table)[!!names(object$item_probs)])
    weights <- if (by_design) data else if (!is.null(weights)) rlang::expr(with(!!data, !!weights))
  }
  list(x = as_written_data(x, quote(data)),
       weights = if (!is.null(weights)) as_written_data(weights, quote(data_weights)))
}

# What stands in the call as values has no name, and values of rows are not for code.
as_written_data <- function(data, name) if (is.language(data)) data else name

engine_of <- function(object) if (identical(object$method, "em")) "mdpd" else "stagewise_em"

# Arguments that are not the defaults.
settings_of <- function(object) {
  is_em <- engine_of(object) == "mdpd"
  given <- list(
    method = if (!is_em && object$method != "robust") object$method,
    refine = if (!is_em && object$refine != "sparse") object$refine,
    start = object$call$start, n_starts = object$call$n_starts, seed = object$call$seed,
    prior = if (is_em && !is.null(object$labels)) prior_of(object),
    missing = if (object$missing != "ignore") object$missing,
    search_rows = if (!is.null(object$search_rows)) object$call$search_rows,
    control = control_code(object)
  )
  Filter(Negate(is.null), given)
}

prior_of <- function(object) {
  prior <- object$prior
  if (!is.null(object$evidence)) {
    "crowd"
  } else if (is.null(prior)) {
    0
  } else if (all(prior == prior[1])) {
    prior[1]
  } else {
    prior
  }
}

# The criterion of EM goes by its prior.
control_code <- function(object) {
  is_em <- engine_of(object) == "mdpd"
  defaults <- complete_control(stagewise_control(), if (is_em) "paper" else object$method)
  control <- unclass(object$control)
  differs <- !mapply(identical, control, unclass(defaults)[names(control)])
  if (is_em) differs["criterion"] <- FALSE
  if (any(differs)) rlang::call2("stagewise_control", !!!control[differs])
}

# The data of a fit as its engine takes them.
data_of_fit <- function(object) {
  coded <- object$coded
  if (is.null(object$labels)) {
    decoded <- decode(coded)
    columns <- decoded$columns
    for (item in intersect(names(object$variable_labels), names(columns))) {
      attr(columns[[item]], "label") <- object$variable_labels[[item]]
    }
    x <- structure(columns, class = "data.frame",
                   row.names = decoded$row_names %||% .set_row_names(nrow(coded$codes)))
    return(x)
  }
  answers <- answers_by_item(coded$codes)
  workers <- colnames(coded$codes)
  given <- lapply(workers, answers)
  row <- unlist(lapply(given, `[[`, "row"))
  label <- unlist(Map(function(worker, one) coded$levels[[worker]][one$code], workers, given))
  triples <- data.frame(
    item = code_to_factor(row, rownames(coded$codes)),
    worker = code_to_factor(rep(seq_along(workers), lengths(lapply(given, `[[`, "row"))), workers),
    label = factor(label, object$labels)
  )
  crowd_labels(triples[!is.na(triples$label), ], duplicates = "count")
}

# Names given by the user, as name_components() does, instead of those of the engine.
has_own_names <- function(object) {
  is.null(object$labels) && !is_numbered(object)
}

# Named by items.
known_of_fit <- function(object) {
  known <- object$coded$known
  if (is.null(known)) {
    return(character())
  }
  label <- stats::setNames(object$labels[known], rownames(object$coded$codes))
  label[!is.na(label)]
}
