# The parameters of a model as a table, and back: the order in which covariances, intervals and
# bootstrap samples have them.

# One row for each parameter: mixing weights, then informative items (component by component), then
# the distributions that the components share.
parameter_table <- function(object) {
  components <- names(object$mixing_weights)
  tables <- lapply(parameter_items(object), function(item) {
    probs <- object$item_probs[[item]]
    varies <- item %in% object$informative
    if (!varies) probs <- probs[, 1, drop = FALSE]
    component <- if (varies) components[col(probs)] else NA_character_
    level <- rownames(probs)[row(probs)]
    data.frame(
      name = paste0(item, ":", level, if (varies) paste0("|", component)), item = item,
      level = level, component = component, estimate = as.vector(probs)
    )
  })
  weights <- data.frame(
    name = paste0("weight|", components), item = NA_character_, level = NA_character_,
    component = components, estimate = unname(object$mixing_weights)
  )
  do.call(rbind, c(list(weights), tables))
}

# Informative items in the order they joined, then the others.
parameter_items <- function(object) {
  c(object$informative, setdiff(names(object$item_probs), object$informative))
}

# One value a parameter to a list like coef(); a distribution that is shared fills all columns.
shape_as_coef <- function(object, values, parameters) {
  of_weights <- is.na(parameters$item)
  by_item <- split(values[!of_weights], parameters$item[!of_weights])
  list(
    mixing_weights = stats::setNames(values[of_weights], names(object$mixing_weights)),
    item_probs = Map(function(probs, values) {
      probs[] <- values
      probs
    }, object$item_probs, by_item[names(object$item_probs)])
  )
}

find_parameters <- function(parm, parameters, call = rlang::caller_env()) {
  groups <- ifelse(is.na(parameters$item), "mixing_weights", parameters$item)
  find_parm(parm, nrow(parameters), function(p) which(parameters$name == p | groups == p),
            "parameters, items or {.val mixing_weights}", call)
}

# Of `n` estimates, all where `parm` is NULL, those at the positions that it has, or that
# `of_name()` finds; `what` can be named.
find_parm <- function(parm, n, of_name, what, call) {
  if (is.null(parm)) {
    return(seq_len(n))
  }
  if (!is.character(parm) && !rlang::is_bare_numeric(parm)) {
    abort_mdpd("{.arg parm} must be names or positions of parameters, not {describe(parm)}.",
               class = "argument", call = call)
  }
  check_encoding(parm, "{.arg parm}", call)
  found <- if (is.character(parm)) lapply(parm, of_name) else as.list(match(parm, seq_len(n)))
  unknown <- lengths(found) == 0 | is.na(found)
  if (length(parm) == 0 || any(unknown)) {
    given <- if (any(unknown)) parm[unknown][1] else parm
    abort_mdpd(
      c(paste0("{.arg parm} must name ", what, ", or be positions from 1 to {n}."),
        x = "There is no {describe(given)}."),
      class = "argument", call = call
    )
  }
  unlist(found)
}
