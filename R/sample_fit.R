# The fit of a sample of a fit's own data: other weights or other codes.

# An item that no row of the sample observes has nothing to estimate.
drop_unobserved <- function(coded) {
  observed <- n_observed(coded$codes, coded$weights > 0) > 0
  coded$codes <- select_items(coded$codes, observed)
  coded$levels <- coded$levels[observed]
  coded
}

# The model of one sample, with the components of `object`.
fit_sample <- function(object, coded, refit) {
  name_sample(if (refit) fit_anew(object, coded) else fit_held(object, coded), object, coded)
}

name_sample <- function(fit, object, coded) {
  by_label <- is_tied_to_labels(object, coded) &&
    length(fit$mixing_weights) == length(object$labels)
  names <- if (by_label) label_names(object) else as.character(seq_along(fit$mixing_weights))
  model <- structure(
    list(
      k = length(names),
      mixing_weights = stats::setNames(fit$mixing_weights, names),
      item_probs = Map(function(levels, probs) {
        dimnames(probs) <- list(levels, names)
        probs
      }, coded$levels, fit$item_probs),
      informative = if (length(fit$inclusion) > 0) {
        named_at_rate(stats::setNames(fit$inclusion, colnames(coded$codes)))
      } else {
        colnames(coded$codes)[fit$informative]
      }
    ),
    class = "mdpd"
  )
  if (by_label) model else align_components(model, object)
}

# The whole method once more.
fit_anew <- function(object, coded) {
  problem <- new_problem(coded, object$labels, coded$known)
  settings <- new_settings("grow", object$k, object$method, object$refine, control_of(object))
  run_engine(problem, settings)$fits[[1]]
}

# EM on the informative items of `object` from its parameters; the others at their frequencies. Of a
# sample of few rows EM may end with fewer components.
fit_held <- function(object, coded) {
  informative <- which(colnames(coded$codes) %in% object$informative)
  em <- if (length(informative) > 0) em_on_items(object, coded, informative)
  fit <- list(mixing_weights = em$mixing_weights %||% rep(1 / object$k, object$k),
              informative = informative)
  fit$item_probs <- lapply(unname(level_shares(coded)), function(shares) {
    matrix(shares, length(shares), length(fit$mixing_weights))
  })
  fit$item_probs[informative] <- em$item_probs
  fit
}

em_on_items <- function(object, coded, items) {
  coded$codes <- select_items(coded$codes, items)
  coded$levels <- coded$levels[items]
  columns <- if (is_tied_to_labels(object, coded)) {
    match(label_names(object), names(object$mixing_weights))
  } else {
    seq_len(object$k)
  }
  start <- model_parameters(object, columns, names(coded$levels))
  problem <- new_problem(coded, object$labels, coded$known, object$prior, list(start))
  # EM by evidence is what such a fit of mdpd() is.
  refine <- if (object$method == "em") object$refine else "full"
  settings <- new_settings("em", object$k, "em", refine, control_of(object))
  run_engine(problem, settings)$fits[[1]]
}

# The parameters of one sample in the order of `parameter_table(object)`.
replicate_values <- function(model, object) {
  at <- match(names(object$mixing_weights), names(model$mixing_weights))
  varies <- parameter_items(object) %in% object$informative
  values <- Map(function(item, varies) {
    probs <- model$item_probs[[item]]
    if (is.null(probs)) {
      return(rep(NA_real_, nrow(object$item_probs[[item]]) * if (varies) object$k else 1))
    }
    as.vector(if (varies) probs[, at] else probs %*% model$mixing_weights)
  }, parameter_items(object), varies)
  c(model$mixing_weights[at], unlist(values), use.names = FALSE)
}
