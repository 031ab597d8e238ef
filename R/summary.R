# The numbers of a summary.

#' @rdname print.mdpd
#' @export
summary.mdpd <- function(object, ...) {
  rlang::check_dots_empty()
  copied <- c("n_obs", "nobs", "n_missing", "k", "method", "refine", "missing", "control", "call",
              "status", "converged", "loglik", "df", "penalised_loglik")
  structure(
    c(
      unclass(object)[intersect(copied, names(object))],
      information_criteria(object),
      list(path = object$path),
      list(labels = object$labels, n_items = length(object$item_probs),
           components = component_table(object), informative = informative_table(object),
           trace = phase_table(object$trace)),
      if (!is.null(object$posterior)) {
        list(overlap = component_overlap(object), expected_error = expected_error(object))
      }
    ),
    class = "summary_mdpd"
  )
}

information_criteria <- function(object) {
  if (is.null(object$loglik)) {
    return(NULL)
  }
  list(aic = -2 * object$loglik + 2 * object$df,
       bic = -2 * object$loglik + log(object$nobs) * object$df)
}

component_table <- function(object) {
  table <- data.frame(component = names(object$mixing_weights),
                      mixing_weight = unname(object$mixing_weights))
  if (!is.null(object$posterior)) {
    table$size <- assigned_weight(object)
    table$mean_posterior <- unname(diag(component_overlap(object)))
  }
  table
}

# The sum of the case weights of the rows assigned to each component.
assigned_weight <- function(object) {
  class <- predicted_component(object$posterior)
  weights <- row_weights(object)
  vapply(seq_len(object$k), function(k) sum(weights[class == k]), 0)
}

component_overlap <- function(object) {
  weights <- row_weights(object)
  class <- predicted_component(object$posterior)
  overlap <- vapply(seq_len(object$k), function(k) {
    rows <- class == k
    colSums(object$posterior[rows, , drop = FALSE] * weights[rows]) / sum(weights[rows])
  }, numeric(object$k))
  overlap <- matrix(overlap, object$k, byrow = TRUE)
  overlap[is.nan(overlap)] <- NA
  dimnames(overlap) <- list(names(object$mixing_weights), names(object$mixing_weights))
  overlap
}

informative_table <- function(object) {
  items <- informative_order(object)
  table <- data.frame(item = items, information = unname(object$item_information[items]))
  table$evidence <- unname(object$item_evidence[items])
  for (k in seq_len(object$k)) {
    probs <- lapply(object$item_probs[items], function(probs) probs[, k])
    name <- names(object$mixing_weights)[k]
    table[[paste0("level_", name)]] <- vapply(probs, function(p) names(p)[which.max(p)], "",
                                              USE.NAMES = FALSE)
    table[[paste0("probability_", name)]] <- vapply(probs, max, 0, USE.NAMES = FALSE)
  }
  table
}

phase_table <- function(trace) {
  if (NROW(trace) == 0) {
    return(NULL)
  }
  last <- trace[!duplicated(trace$phase, fromLast = TRUE), ]
  data.frame(phase = last$phase, n_steps = tabulate(match(trace$phase, last$phase), nrow(last)),
             last[c("k", "n_informative", "loglik")], row.names = NULL)
}
