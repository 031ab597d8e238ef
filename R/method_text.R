# What a paper says of how a fit was made, from the fit's own settings.

# One paragraph; sources are in method_sources().
method_text <- function(object) {
  paste(c(
    method_model(object), method_search(object), method_choice(object), method_missing(object),
    method_end(object)
  ), collapse = " ")
}

method_model <- function(object) {
  what <- if (is.null(object$labels)) {
    paste(plural(length(object$item_probs), "categorical item"), "of", plural(object$n_obs, "row"))
  } else {
    paste0("the labels that ", plural(length(object$item_probs), "worker"), " gave to ",
           plural(object$n_obs, "item"))
  }
  weighted <- if (!is.null(object$design)) {
    paste0(" Rows count by the weights of a survey design (", design_title(object$design),
           "), by which standard errors are computed.")
  } else if (weighs_other(n_counted(object), object$nobs)) {
    paste0(" Rows were weighted, to a total of ", comma(round(object$nobs, 1)), ".")
  }
  paste0("A latent class model, in which answers are independent within a class, was fitted to ",
         what, " with ", method_package(object), ".", weighted)
}

method_package <- function(object) {
  ours <- paste0("the R package mdpd ", object$version %||% mdpd_version())
  if (!is_of_polca(object)) {
    return(ours)
  }
  paste0("the R package poLCA (Linzer and Lewis 2011), and is described with ", ours)
}

# A fit as as_mdpd() has taken it over.
is_of_polca <- function(object) {
  rlang::is_call(object$call) && identical(rlang::call_name(object$call), "poLCA")
}

method_search <- function(object) {
  if (identical(object$method, "em")) {
    return(paste0(
      "It was estimated by the EM algorithm (Dempster, Laird and Rubin 1977)",
      if (!is.null(object$labels)) " for crowds (Dawid and Skene 1979)",
      if (!is.null(object$evidence)) {
        paste0(", with workers drawn to what the crowd answers as far as their labels say that ",
               "they are alike (empirical Bayes)")
      },
      if (NROW(object$starts) > 1) {
        paste0("; the best of ", nrow(object$starts), " starts was kept")
      },
      "."
    ))
  }
  paste(c(
    paste0("It was estimated by stagewise expectation-maximisation (Zhao and Zucker 2015",
           if (identical(object$method, "paper")) ", as published",
           "), which has no random starts."),
    switch(
      object$refine,
      sparse = paste0("Which items differ between the classes was decided by the ",
                      if (is.null(object$evidence)) "BIC" else "evidence (empirical Bayes)",
                      " in a sparse refinement."),
      full = "All items were then refined by ordinary EM.",
      none = "The result of the stages was left without refinement."
    )
  ), collapse = " ")
}

method_choice <- function(object) {
  path <- object$path
  if (is.null(path) || nrow(path) == 1) {
    return(paste0("The number of classes, ", object$k, ", was given."))
  }
  best <- path$components[best_row(path, main_criterion(path))]
  paste0(
    "Numbers of classes from ", min(path$k), " to ", max(path$k), " were compared by the ",
    if (is.null(path$evidence)) "penalised log-likelihood (Schwarz 1978)"
    else "evidence, the log marginal likelihood",
    if (best == object$k) paste0(", and the best, ", object$k, ", was taken.")
    else paste0("; the best is ", best, ", and ", object$k, " was taken by hand.")
  )
}

method_missing <- function(object) {
  if (object$n_missing == 0) {
    return("No answer is missing.")
  }
  share <- percent(missing_share(object), 1)
  how <- switch(
    object$missing,
    ignore = "were taken as missing at random and left out of all sums",
    frozen = "count as one more answer, with the same probability in all classes",
    level = "count as one more answer"
  )
  paste0(share, " of the answers are missing; they ", how, ". No row was dropped.")
}

missing_share <- function(object) object$n_missing / object$n_obs / length(object$item_probs)

method_end <- function(object) {
  n_known <- n_gold(object)
  c(
    if (n_known > 0) {
      paste0("The true labels of ", plural(n_known, "item"), " were given (gold questions).")
    },
    if (identical(object$status, "iteration_limit")) "The search ended before it had converged.",
    if (identical(object$status, "search_limit")) {
      "The search for a better optimum was ended after as many passes over the data as it may take."
    }
  )
}

# Each as one string, of those that the paragraph names.
method_sources <- function(object) {
  is_em <- identical(object$method, "em")
  path <- object$path
  sources <- c(
    first = if (is_of_polca(object)) {
      paste("Linzer, D. A. and Lewis, J. B. (2011). poLCA: an R package for polytomous variable",
            "latent class analysis. Journal of Statistical Software 42 (10).",
            "doi:10.18637/jss.v042.i10")
    } else {
      method_citation()
    },
    dempster = if (is_em) {
      paste("Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from",
            "incomplete data via the EM algorithm. Journal of the Royal Statistical Society B 39,",
            "1-38. doi:10.1111/j.2517-6161.1977.tb01600.x")
    },
    dawid = if (!is.null(object$labels)) {
      paste("Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer",
            "error-rates using the EM algorithm. Applied Statistics 28, 20-28.",
            "doi:10.2307/2346806")
    },
    schwarz = if (!is.null(path) && is.null(path$evidence)) {
      paste("Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics 6,",
            "461-464. doi:10.1214/aos/1176344136")
    },
    kass = if (!is.null(path)) {
      paste("Kass, R. E. and Raftery, A. E. (1995). Bayes factors. Journal of the American",
            "Statistical Association 90, 773-795. doi:10.1080/01621459.1995.10476572")
    }
  )
  unname(sources)
}

# That of citation("mdpd").
method_citation <- function() attr(unclass(utils::citation("mdpd"))[[1]], "textVersion")
