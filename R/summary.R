# The numbers of a summary.

#' @rdname print.mdpd
#' @export
summary.mdpd <- function(object, ...) {
  rlang::check_dots_empty()
  n_undetermined <- if (!is.null(object$loglik)) n_undetermined(object)
  if (!is.null(n_undetermined)) warn_undetermined(n_undetermined, column_words(object))
  copied <- c("n_obs", "nobs", "n_missing", "n_known", "k", "method", "refine", "missing",
              "control", "call", "status", "converged", "loglik", "df", "penalised_loglik",
              "evidence", "variable_labels", "no_answer", "design", "store", "update")
  structure(
    c(
      unclass(object)[intersect(copied, names(object))],
      if (!is.null(object$loglik)) c(criteria(object), list(n_undetermined = n_undetermined)),
      list(path = object$path),
      list(labels = object$labels, n_items = length(object$item_probs),
           components = component_table(object), informative = informative_table(object),
           trace = phase_table(object$trace), fingerprint = fingerprint_of(object),
           keeps_data = !is.null(object$coded)),
      if (has_posterior_sums(object)) {
        list(overlap = component_overlap(object), expected_error = expected_error(object),
             entropy = relative_entropy(object))
      }
    ),
    class = "summary_mdpd"
  )
}

# Sclove (1987) puts (n + 2) / 24 for n in BIC, Bozdogan (1987) adds the number of parameters.
criteria <- function(object) {
  deviance <- -2 * object$loglik
  list(
    aic = stats::AIC(object), bic = stats::BIC(object),
    sabic = deviance + object$df * log((object$nobs + 2) / 24),
    caic = deviance + object$df * (log(object$nobs) + 1)
  )
}

# A true model has none, nor a fit whose posterior was taken out.
has_posterior_sums <- function(object) !is.null(object$posterior) || !is.null(object$sums)

component_table <- function(object) {
  table <- data.frame(component = names(object$mixing_weights),
                      mixing_weight = unname(object$mixing_weights))
  if (has_posterior_sums(object)) {
    table$size <- assigned_weight(object)
    table$mean_posterior <- unname(diag(component_overlap(object)))
  }
  table
}

# The sum of the case weights of the rows assigned to each component.
assigned_weight <- function(object) {
  if (is.null(object$posterior)) {
    return(unname(rowSums(object$classification)) * object$nobs)
  }
  class <- assigned_column(object)
  weights <- row_weights(object)
  vapply(seq_len(object$k), function(k) sum(weights[class %in% k]), 0)
}

component_overlap <- function(object) {
  shares <- classification_table(object)
  overlap <- shares / rowSums(shares)
  overlap[is.nan(overlap)] <- NA
  dimnames(overlap) <- list(names(object$mixing_weights), names(object$mixing_weights))
  overlap
}

informative_table <- function(object) {
  items <- informative_order(object)
  table <- data.frame(item = items, information = unname(object$item_information[items]))
  table$evidence <- unname(object$item_evidence[items])
  table$inclusion <- unname(object$inclusion[items])
  for (k in seq_len(object$k)) {
    probs <- lapply(object$item_probs[items], function(probs) probs[, k])
    name <- names(object$mixing_weights)[k]
    table[[paste0("level_", name)]] <- vapply(probs, function(p) names(p)[which.max(p)], "")
    table[[paste0("probability_", name)]] <- vapply(probs, max, 0)
  }
  structure(table, levels = all_levels(object$item_probs[items]))
}

phase_table <- function(trace) {
  if (NROW(trace) == 0) {
    return(NULL)
  }
  last <- trace[!duplicated(trace$phase, fromLast = TRUE), ]
  data.frame(phase = last$phase, n_steps = tabulate(match(trace$phase, last$phase), nrow(last)),
             last[c("k", "n_informative", "loglik")], row.names = NULL)
}

# How far the answers to each item of component number k are from those of all rows: the
# Kullback-Leibler distance, the level that adds most to it and its probability.
answer_distances <- function(object, k, items) {
  distances <- lapply(object$item_probs[items], function(probs) {
    marginal <- drop(probs %*% object$mixing_weights)
    terms <- ifelse(probs[, k] > 0, probs[, k] * log(probs[, k] / marginal), 0)
    level <- which.max(terms)
    data.frame(distance = sum(terms), level = rownames(probs)[level], share = probs[level, k])
  })
  do.call(rbind, distances)
}
