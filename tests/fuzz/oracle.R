# What must hold of whatever a call returns or signals: each function returns a sentence that says
# what does not hold, or NULL.

# An error is one of the package's, or one of rlang's, of `...` that is unused or of a package that
# is not there; and it can be shown. Only where an object was damaged may it be called so. The bar
# of a long call is a message of cli's, and that the fonts of a device lack a character, or do not
# know its width, is the device's to say.
judge_condition <- function(cnd, object_damaged) {
  kind <- kind_of(cnd)
  text <- tryCatch(paste(conditionMessage(cnd), collapse = "\n"), error = function(e) NULL)
  ours <- inherits(cnd, c(paste0("mdpd_", kind), "rlib_error_dots_nonempty",
                          "rlib_error_package_not_found", "cliMessage"))
  if (is.null(text) || !validUTF8(text)) {
    return(paste0(kind, " that cannot be shown"))
  }
  of_device <- "^(conversion failure on|font width unknown for character) "
  if (kind == "warning" && grepl(of_device, text)) {
    return(NULL)
  }
  if (!object_damaged && any(grepl("_damaged$", class(cnd)))) {
    return(paste0(kind, " that blames an object: ", substr(text, 1, 400)))
  }
  if (!ours) paste0(kind, " without a class of ours: ", substr(text, 1, 200))
}

kind_of <- function(cnd) {
  if (inherits(cnd, "error")) "error" else if (inherits(cnd, "warning")) "warning" else "message"
}

# `args`: what the call was given, none of it damaged.
judge_result <- function(result, args) {
  if (inherits(result, "mdpd") && !is.null(result$loglik)) {
    judge_fit(result, args)
  } else if (inherits(result, "row_store") && !is.null(args$source)) {
    judge_store(result)
  } else {
    judge_numbers(result)
  }
}

# What was just written can be read.
judge_store <- function(store) {
  if (nrow(suppressWarnings(verify_store(store))) > 0) "a new store is damaged"
}

judge_fit <- function(fit, args) {
  sums <- function(x) all(is.finite(x)) && all(x >= 0) && max(abs(colSums(x) - 1)) < 1e-8
  finite <- function(x) is.null(x) || all(is.finite(x))
  problems <- c(
    "mixing weights do not sum to one" = !sums(as.matrix(fit$mixing_weights)),
    "item probabilities do not sum to one" = !all(vapply(fit$item_probs, sums, NA)),
    "rows of the posterior do not sum to one" = !is.null(fit$posterior) && !sums(t(fit$posterior)),
    "log-likelihood or evidence is not finite" =
      !finite(fit$loglik) || !finite(fit$evidence) || !finite(fit$penalised_loglik),
    "penalised log-likelihood is above the log-likelihood" =
      isTRUE(fit$penalised_loglik > fit$loglik + 1e-8 * abs(fit$loglik)),
    "more components than asked for" =
      is.numeric(args$k) && is.null(args$object) && fit$k > max(args$k)
  )
  if (any(problems)) names(problems)[problems][1]
}

# NA says that there is no number; NaN is a number that was computed wrongly.
judge_numbers <- function(result) {
  if (is.numeric(result) && any(is.nan(result))) "a result is NaN"
}

# Two results of one call: the same but for what tells of time.
judge_same <- function(first, second, what) {
  if (!isTRUE(all.equal(without_time(first), without_time(second), tolerance = 1e-6))) {
    paste("not the same", what)
  }
}

without_time <- function(x) {
  if (inherits(x, "mdpd")) {
    return(unclass(x)[c("k", "mixing_weights", "item_probs", "posterior", "loglik", "evidence")])
  }
  if (inherits(x, "gg")) class(x) else x
}
