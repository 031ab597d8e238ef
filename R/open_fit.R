# The checks that fits begin with, and the warnings they end with.

# The coded data of a fit with k components, or several numbers of them.
open_fit <- function(x, k, weights, missing, several = FALSE, call = rlang::caller_env()) {
  check_k_given(k, call = call)
  if (several) check_counts(k, call = call) else check_count(k, call = call)
  coded <- encode(x, weights, missing, arg = "x", call = call)
  check_k_against_rows(min(k), coded, call)
  coded
}

check_k_given <- function(k, call) {
  if (missing(k)) {
    abort_mdpd(
      c("{.arg k} must be given: the number of components, such as {.code k = 3}.",
        i = "{.fn stagewise_em} compares several and keeps the best: {.code k = 1:6}."),
      class = "argument", call = call
    )
  }
}

# Of several `k` those that the rows can carry, ascending.
k_within_rows <- function(k, coded, call = rlang::caller_env()) {
  ks <- sort(unique(as.vector(k)))  # of a matrix unique() are its rows
  n_obs <- n_rows_of(coded)
  large <- ks[ks > n_obs]
  if (length(large) > 0) {
    warn_mdpd(
      c("{.arg k} must be at most the number of rows, {n_obs}.",
        x = "Left out: {.val {large}}."),
      class = "large_k", call = call
    )
  }
  ks[ks <= n_obs]
}

# Of a store the rows are elsewhere.
n_rows_of <- function(coded) coded$totals$n_obs %||% nrow(coded$codes)

check_k_against_rows <- function(k, coded, call) {
  n_obs <- n_rows_of(coded)
  if (k <= n_obs) {
    return(invisible(k))
  }
  abort_mdpd(
    "{.arg k} must be at most the number of rows, {n_obs}, not {k}.",
    class = "argument", call = call
  )
}

# A fit that ran all its stages and was not to be refined is what was asked for: no warning.
warn_status <- function(fit, k, call = rlang::caller_env()) {
  if (fit$status == "fewer_components") {
    warn_mdpd(
      c("The data show {fit$k} component{?s}, not {k}.",
        i = "No component could be split further, or no two {column_words(fit)} were worth the
             penalty of {k} component{?s}.",
        i = if (k == length(fit$labels)) {
          "{.code mdpd(x, {k})} estimates a class for each label all the same, from all workers."
        }),
      class = "fewer_components", call = call
    )
  }
  if (fit$status == "iteration_limit") {
    warn_mdpd(
      c("The refinement did not converge in {fit$control$max_iter} iteration{?s}.",
        i = "Raise {.arg max_iter} or {.arg tol} in {.fn stagewise_control}."),
      class = "not_converged", call = call
    )
  }
  inform_cut_search(fit)
  invisible(fit)
}

# Such a fit has converged: what was cut is the search for a better one.
inform_cut_search <- function(fit) {
  if (fit$status == "search_limit") {
    inform_mdpd(
      c("The search for a better optimum was ended: it has made as many passes over the data as it
         may.",
        i = "The fit has converged. {.code refine(fit)} searches on from it."),
      class = "search_limit"
    )
  }
}

# The penalised log-likelihood and the evidence of one component are its log-likelihood; `of_one`
# has what is known of rows' classes besides, which a fit that holds them explains, too. By evidence
# a fit keeps its components all the same where they stand for labels, or where the items hang
# together more than by chance. Also where it has a little more evidence than one component, classes
# that rest on no item in particular are much less sure than the posterior says.
warn_independent <- function(fit, of_one, call = rlang::caller_env()) {
  gap <- (fit$evidence %||% fit$penalised_loglik) - of_one
  if (fit$k == 1 || fit$refine != "sparse" || gap >= 0 && !is_of_weak_items(fit)) {
    return(invisible(fit))
  }
  nats <- format_number(abs(gap), digits = 3)
  warn_mdpd(
    if (is.null(fit$evidence) || named_by_labels(fit)) {
      c("The {column_words(fit)} look independent: one component explains them better than
         {fit$k}.",
        i = "Its {if (is.null(fit$evidence)) 'penalised log-likelihood' else 'evidence'} is {nats}
             nats higher.")
    } else if (gap < 0) {
      c("One component has {nats} nats more evidence than these {fit$k}: no item is sure to
         differ.",
        i = "The items do hang together, more than 99 of 100 tables of independent items, so many
             may differ a little. Many rows will be in the wrong component.")
    } else {
      c("None of the {column_words(fit)} is sure to differ between these {fit$k} components.",
        i = "They have {nats} nats more evidence than one, so many may differ a little. Many rows
             will be in the wrong component, more than the posterior says.")
    },
    class = "independent", call = call
  )
}

# By evidence, components of a table between which no item is sure to differ.
is_of_weak_items <- function(fit) {
  fit$k > 1 && !is.null(fit$inclusion) && length(informative_items(fit)) == 0 &&
    !named_by_labels(fit)
}

# Two items that depend on each other need no class: any two that do make some.
rests_on_one_pair <- function(fit) {
  !is.null(fit$evidence) && length(informative_items(fit)) == 2 && length(fit$item_probs) > 2
}

warn_one_pair <- function(fit, call = rlang::caller_env()) {
  pair <- informative_items(fit)
  what <- column_words(fit)
  if (!rests_on_one_pair(fit)) {
    return(invisible(fit))
  }
  warn_mdpd(
    c("The components rest on the dependence of {.val {pair[1]}} and {.val {pair[2]}} alone.",
      i = "Two {what} that depend on each other, such as copies, need no classes: if they do, leave
           one of them out."),
    class = "one_pair", call = call, items = pair
  )
}

# Of a crowd with a component a label; see majorities.h of the engine.
holds_majorities <- function(fit) "majorities" %in% fit$trace$move

warn_held_majorities <- function(fit, call = rlang::caller_env()) {
  if (!holds_majorities(fit)) {
    return(invisible(fit))
  }
  warn_mdpd(
    c("EM gave many items another label than a clear majority of their informative workers did.",
      i = "The labels are those of EM with the items held at these majorities until its last step.",
      i = "Workers depend on each other within a label, as where items differ in how hard they are:
           the probabilities of labels are too sure."),
    class = "held_majorities", call = call
  )
}

# Which components are the same everywhere as one before them?
repeats_component <- function(fit) {
  duplicated(round(t(do.call(rbind, unname(fit$item_probs))), 6))
}

# Components that do the work of fewer: the same everywhere, or with less than one row.
warn_equal_components <- function(fit, call = rlang::caller_env()) {
  empty <- names(which(fit$mixing_weights * fit$nobs < 1))
  same <- repeats_component(fit)
  if (length(empty) == 0 && !any(same)) {
    return(invisible(fit))
  }
  detail <- c(
    if (length(empty) > 0) "Component{?s} {.val {empty}} {?has/have} less than one row.",
    if (any(same)) "Component{?s} {.val {names(fit$mixing_weights)[same]}} repeat{?s/} another."
  )
  warn_mdpd(
    c("Fewer than {fit$k} components are in use.", rlang::set_names(detail, "x")),
    class = "equal_components", call = call
  )
}
