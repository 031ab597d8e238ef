#' Print and summarise a fitted mixture
#'
#' `print()` says in a screenful what was fitted, how well, how large the components are, which
#' answers set each apart, and which items tell them apart. `summary()` computes the numbers behind
#' it, and more.
#'
#' The answers that set component k apart are those of at most three items, with the largest
#' Kullback-Leibler distances of the component from all rows,
#' \eqn{\sum_r \mu_{kr} \log(\mu_{kr} / \bar\mu_r)}{sum_r mu[k,r] log(mu[k,r] / mubar[r])}; of each
#' the level that adds most to it, with its probability in the component. Items with less than a
#' tenth of the evidence of the first, and distances below a tenth of the largest, are left out.
#'
#' Items whose columns have a variable label, the attribute `label` that haven and others set, are
#' printed by it; everything else calls them by their names.
#'
#' @param x,object A fitted mixture, see [stagewise_em()], or a true model from
#'   [simulate_crowd()]; for `print()` also the result of `summary()`.
#' @param max_items The largest number of informative items printed, at least 1. Default 12 for a
#'   fit, 10 for a summary.
#' @param ... Not used; must be empty.
#' @return `print()` returns its argument invisibly. `summary()` returns a list of class
#'   `"summary_mdpd"`:
#'   \item{n_obs, nobs, n_items, n_missing, n_known, k}{numbers of rows, sum of the case weights,
#'     items, missing cells, known labels, components}
#'   \item{method, refine, missing, control, call, status, converged}{how the fit was made and
#'     ended}
#'   \item{components}{data frame: `component`, `mixing_weight`, `size` (sum of the case weights of
#'     the rows assigned to it, which rows without any answer are not) and `mean_posterior`, the
#'     mean probability of the component among these rows: how tight the group is, in \[0, 1\];
#'     `NA` where no row is assigned}
#'   \item{overlap}{k x k matrix: the mean probability of the column's component among the rows
#'     assigned to the row's; rows sum to 1. Of the `classification` of the fit, see
#'     [stagewise_em()]: the table of average posteriors by modal class, by evidence of those held
#'     out}
#'   \item{expected_error}{the share of wrong classes to be expected if the model holds, in
#'     \[0, 1\], among the rows whose class is not known: what the `classification` of the fit has
#'     of other classes than the assigned}
#'   \item{entropy}{entropy R-squared, \eqn{1 + \sum_n \sum_k g_{nk} \log g_{nk} / (N \log K)}{1 +
#'     sum g[n,k] log(g[n,k]) / (N log K)}: from 0 (nothing is known of the classes) to 1 (all rows
#'     are certain)}
#'   \item{informative}{data frame, the item with most evidence first: `item`, its `information`
#'     about the component and its `evidence` (nats, see [stagewise_em()]), by evidence its
#'     `inclusion`, in \[0, 1\], and, for each component, the most probable level
#'     (`level_<component>`) and its probability (`probability_<component>`)}
#'   \item{loglik, df, aic, bic, sabic, caic, penalised_loglik, evidence}{fit; log-likelihoods and
#'     evidence in nats. SABIC is BIC with (n + 2) / 24 in the place of n (Sclove 1987), CAIC is BIC
#'     plus `df` (Bozdogan 1987)}
#'   \item{n_undetermined}{directions in which the parameters can be moved without any change of the
#'     model; 0 where it is identified, `NA` above 200 parameters, where it is not computed. Above 0
#'     comes with a warning of class `mdpd_warning_not_identified`}
#'   \item{fingerprint}{see [fingerprint()]}
#'   \item{keeps_data}{does the fit keep its data, so that [worker_quality()] and the like need none
#'     again?}
#'   \item{trace}{data frame with a row for each phase: `phase`, `n_steps`, and `k`, `n_informative`
#'     and `loglik` at its end}
#'   True models have no parts that need data.
#' @references
#' Sclove, S. L. (1987). Application of model-selection criteria to some problems in multivariate
#' analysis. *Psychometrika* 52, 333-343. \doi{10.1007/BF02294360}
#'
#' Bozdogan, H. (1987). Model selection and Akaike's information criterion. *Psychometrika* 52,
#' 345-370. \doi{10.1007/BF02294361}
#'
#' Goodman, L. A. (1974). Exploratory latent structure analysis using both identifiable and
#' unidentifiable models. *Biometrika* 61, 215-231. \doi{10.1093/biomet/61.2.215}
#' @family results
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' fit
#' summary(fit)$overlap
#' @name print.mdpd
NULL

#' @rdname print.mdpd
#' @export
print.mdpd <- function(x, max_items = 12, ...) {
  rlang::check_dots_empty()
  check_count(max_items)
  given <- x
  x <- show_variable_labels(x)
  cat_rule(fit_title(x))
  cat_fields(c(fit_fields(x), quality_fields(x)))
  apart <- if (n_informative(x) > 0) ", and the answers that set each apart"
  cat_heading(paste0("Components", apart))
  cat_components(x, most = 24)
  cat_heading(informative_title(x, has_evidence = !is.null(x$item_evidence)))
  if (n_informative(x) > 0) cat_columns(item_entries(x), most = max_items)
  cat_hint(next_step(x))
  invisible(given)
}

#' @rdname print.mdpd
#' @export
print.summary_mdpd <- function(x, max_items = 10, ...) {
  rlang::check_dots_empty()
  check_count(max_items)
  cat_rule(paste0("Summary: ", fit_title(x)))
  cat_fields(c(fit_fields(x), quality_fields(x), criteria_fields(x)))
  cat_heading("Components")
  cat_table(format_components(x$components))
  if (!is.null(x$overlap) && x$k > 1) {
    cat_heading("Overlap: mean posterior (column) of the rows assigned to (row)")
    cat_table(format_overlap(x$overlap))
  }
  title <- informative_title(x, has_evidence = !is.null(x$informative$evidence))
  cat_heading(paste0(title, if (n_informative(x) > 0) ", and the likeliest level by component"))
  if (n_informative(x) > 0) cat_table(format_informative(x, max_items))
  if (!is.null(x$path)) {
    cat_heading(paste0("Numbers of components, and how far the ", main_name(x$path),
                       " is behind (nats",
                       if (!is.null(x$path$evidence)) "; it leans to few", ")"))
    cat_table(format_path(x$path))
  }
  if (!is.null(x$trace)) {
    cat_heading("How the fit went")
    cat_table(format_phases(x$trace))
  }
  cat_hint(next_step(x, after_summary = TRUE))
  invisible(x)
}

# What is said of a fit ----------------------------------------------------------------------------

fit_title <- function(x) {
  n_items <- x$n_items %||% length(x$item_probs)
  paste0("Mixture of ", plural(x$k, "component"), ", ", n_informative(x), " of ",
         plural(n_items, "item"), " informative")
}

fit_fields <- function(x) {
  if (is.null(x$method)) {
    return(c(Method = "a true model, not fitted to data"))
  }
  n_items <- x$n_items %||% length(x$item_probs)
  refined <- switch(x$refine, none = "no refinement", paste(x$refine, "refinement"))
  missing <- if (x$n_missing == 0) {
    "no cell missing"
  } else {
    paste0(percent(x$n_missing / x$n_obs / n_items, 1), " of cells missing (", x$missing, ")")
  }
  empty <- if (length(x$no_answer) > 0) {
    paste0(" (", comma(length(x$no_answer)), " without any answer)")
  }
  weighted <- weight_title(n_counted(x), x$nobs)
  if (!is.null(x$design)) weighted <- paste0(weighted, " (", design_title(x$design), ")")
  c(
    Method = if (x$method == "em") em_title(x) else paste0(growth_of(x), ", ", refined),
    Data = paste0(plural(x$n_obs, "row"), empty, weighted, ", ", plural(n_items, "item"), ", ",
                  missing),
    Status = gsub("_", " ", x$status),
    Update = if (!is.null(x$update)) describe_update(x$update)
  )
}

em_title <- function(x) {
  if (is.null(x$evidence)) "ordinary EM" else "EM by evidence, workers around the crowd"
}

# Of many components growth by the best of all splits may have ended higher than the stages.
growth_of <- function(x) {
  phases <- x$trace$phase
  if ("grow" %in% phases && !"stage" %in% phases) {
    "growth by the best splits"
  } else {
    paste(x$method, "stages")
  }
}

quality_fields <- function(x) {
  if (is.null(x$loglik)) {
    return(NULL)
  }
  bic <- x$bic %||% stats::BIC(x)
  error <- if (is.null(x$expected_error)) expected_error(x) else x$expected_error
  c(
    "Fit" = paste0(
      "log-likelihood ", nats(x$loglik), ", BIC ", nats(bic),
      if (is.null(x$evidence)) paste0(", penalised ", nats(x$penalised_loglik)),
      if (!is.null(x$evidence)) paste0(", evidence ", nats(x$evidence))
    ),
    "Certainty" = if (x$k > 1) {
      paste0("expected error ", percent(error, 1), " of the ",
             if (isTRUE(x$n_known > 0)) {
               paste0("items but the ", comma(x$n_known), " whose label is known")
             } else {
               "rows"
             },
             if (!is.null(x$entropy)) paste0(", entropy R2 ", format_share(x$entropy)),
             if (is_of_weak_items(x)) "; surely more: no item is sure to differ",
             if (holds_majorities(x)) "; surely more: workers depend on each other")
    },
    "Chosen" = if (!is.null(x$path)) path_choice(x)
  )
}

# The number chosen, of which, and how far the best of the others is behind or ahead.
path_choice <- function(x) {
  path <- x$path
  row <- match(x$k, path$components)
  ks <- if (nrow(path) > 1) paste0(" of ", paste(range(path$k), collapse = " to "))
  ahead <- main_value(path)[row] - main_value(path)
  others <- setdiff(seq_len(nrow(path)), row)
  rival <- others[which.min(ahead[others])]
  paste0("k = ", path$k[row], ks, if (length(rival) > 0) {
    paste0("; k = ", path$k[rival], " is ", nats(abs(ahead[rival])), " nats ",
           if (ahead[rival] >= 0) "behind" else "better")
  })
}

criteria_fields <- function(x) {
  if (!is.null(x$loglik)) {
    c(
      Parameters = paste0("df ", comma(x$df), ", AIC ", nats(x$aic), ", SABIC ", nats(x$sabic),
                          ", CAIC ", nats(x$caic)),
      Identified = if (isTRUE(x$n_undetermined > 0)) {
        paste0("no: the parameters can be moved in ", plural(x$n_undetermined, "direction"))
      },
      Fingerprint = short_fingerprint(x$fingerprint)
    )
  }
}

# "V5 = y (95 %)": for component number k, the answers that set it apart most.
answers_apart <- function(x, k, n = 3, width = 14, level_width = 12) {
  if (x$k == 1) {
    return(character())
  }
  strength <- (x$item_evidence %||% x$item_information)[informative_order(x)]
  # Of a paper's fit the evidence may be negative: then the first item is left.
  items <- names(strength)[strength >= pmin(strength[1], 0.1 * strength[1])]
  if (length(items) == 0) {
    return(character())
  }
  apart <- answer_distances(x, k, items)
  shown <- utils::head(order(-apart$distance), n)
  shown <- shown[apart$distance[shown] >= 0.1 * apart$distance[shown[1]]]
  level <- short_levels(apart$level[shown], level_width, all_levels(x$item_probs[items]))
  paste0(shorten(items, title_width(x, width))[shown], " = ", level, " (",
         percent(apart$share[shown]), ")", recycle0 = TRUE)
}

# Variable labels are sentences: what they ask often stands at their end.
title_width <- function(x, width) if (is.null(x$variable_labels)) width else 2 * width

informative_title <- function(x, has_evidence) {
  if (n_informative(x) == 0) {
    "No item is informative"
  } else {
    paste0("Informative items, by ", if (has_evidence) "evidence" else "information", " (nats)")
  }
}

item_entries <- function(x) {
  items <- informative_order(x)
  strength <- if (is.null(x$item_evidence)) {
    nats_about_class(x$item_information[items])
  } else {
    nats(x$item_evidence[items])
  }
  is_doubtful <- if (is.null(x$inclusion)) FALSE else x$inclusion[items] < 0.95
  inclusion <- ifelse(is_doubtful, paste0(", ", percent(x$inclusion[items])), "")
  paste0(shorten(items, title_width(x, 20)), " (", strength, inclusion, ")")
}

next_step <- function(x, after_summary = FALSE) {
  if (is.null(x$loglik)) {
    return("predict(model, newdata), plot(model)")
  }
  if (isFALSE(x$converged) && is_of_polca(x)) {
    return("not converged: raise `maxiter` in poLCA(), or go on by refine(fit, type = \"full\")")
  }
  if (isFALSE(x$converged)) {
    return("not converged: raise `max_iter` or `max_stages` in stagewise_control()")
  }
  if (n_informative(x) == 0) {
    given <- if (keeps_data(x)) "" else ", newdata = x"
    return(paste0("plot(fit, type = \"information\"", given, ")"))
  }
  steps <- c(
    if (!after_summary) "summary(fit)", "plot(fit)",
    if (!is.null(x$path)) "plot(fit, type = \"path\")",
    if (shows_workers(x)) "worker_quality(fit), item_quality(fit)" else "predict(fit, newdata)"
  )
  paste(steps, collapse = ", ")
}

shows_workers <- function(x) !is.null(x$labels) && keeps_data(x)

# Of a fit, or of its summary.
keeps_data <- function(x) if (inherits(x, "mdpd")) !is.null(x$coded) else isTRUE(x$keeps_data)

# Tables as text -----------------------------------------------------------------------------------

format_components <- function(components) {
  table <- cbind(weight = percent(components$mixing_weight, 1))
  if (!is.null(components$size)) {
    # Sums of weights.
    table <- cbind(table, rows = comma(round(components$size, 1)),
                   "mean posterior" = format_share(components$mean_posterior))
  }
  rownames(table) <- shorten(components$component, 20)
  table
}

format_overlap <- function(overlap) {
  table <- format_share(overlap)
  table[!is.na(overlap) & overlap < 0.005] <- "."
  dimnames(table) <- list(shorten(rownames(overlap), 20), shorten(colnames(overlap), 10))
  table
}

# The most probable level of each component, with its probability in percent. Where items are
# sentences, so are levels.
format_informative <- function(x, max_items) {
  shown <- utils::head(x$informative, max_items)
  if (nrow(shown) == 0) {
    return(shown)
  }
  components <- x$components$component
  cells <- vapply(components, function(name) {
    level <- shown[[paste0("level_", name)]]
    paste0(short_levels(level, title_width(x, 10), attr(x$informative, "levels")), ": ",
           round(100 * shown[[paste0("probability_", name)]]), "%")
  }, character(nrow(shown)))
  strength <- if (is.null(shown$evidence)) {
    cbind(information = nats_about_class(shown$information))
  } else {
    cbind(evidence = nats(shown$evidence),
          inclusion = if (!is.null(shown$inclusion)) percent(shown$inclusion))
  }
  table <- cbind(strength, matrix(cells, nrow(shown)))
  titles <- item_titles(x$informative$item, x$variable_labels)
  dimnames(table) <- list(
    shorten(titles[shown$item], title_width(x, 20)), c(colnames(strength), shorten(components, 12))
  )
  structure(table, left_out = nrow(x$informative) - nrow(shown))
}

# The best is marked; statuses only where they differ from the expected.
format_path <- function(path) {
  behind <- behind_best(path)$main
  table <- cbind(
    behind = nats(behind),
    probability = if (!is.null(path$probability)) {
      ifelse(is.na(path$probability), "-", percent(path$probability))
    },
    BIC = nats(path$BIC), AIC = nats(path$AIC), ICL = nats(path$ICL),
    entropy = format_share(path$entropy), informative = path$n_informative,
    if (any(path$status != "converged")) cbind(status = gsub("_", " ", path$status))
  )
  rownames(table) <- paste0("k = ", path$k, ifelse(is_best(behind, path), " *", "  "))
  table
}

format_phases <- function(trace) {
  table <- cbind(steps = comma(trace$n_steps), components = trace$k,
                 informative = trace$n_informative, "log-likelihood" = nats(trace$loglik))
  rownames(table) <- trace$phase
  table
}

# For each component its name, its share of the rows and, as far as the line goes, its answers;
# where items are sentences two answers at most, each in a line of its own.
cat_components <- function(x, most) {
  shown <- seq_len(min(x$k, most))
  name <- format(shorten(names(x$mixing_weights), 16)[shown])
  start <- paste0("  ", name, "  ", format(percent(x$mixing_weights, 1)[shown], justify = "right"))
  has_sentences <- !is.null(x$variable_labels) && any(nchar(informative_order(x), "width") > 28)
  write <- if (has_sentences) answers_below else answers_behind
  cat(vapply(shown, function(k) write(x, k, start[k]), ""), sep = "\n")
  cat_left_out(x$k - length(shown))
}

answers_behind <- function(x, k, start) {
  room <- cli::console_width() - nchar(start, "width") - 2
  answers <- answers_apart(x, k)
  fits <- cumsum(nchar(answers, "width") + 2) - 2 <= room
  paste0(start, if (any(fits)) "  ", paste(answers[fits], collapse = ", "))
}

answers_below <- function(x, k, start) {
  # Beside the item are the level, of 24 columns at most, and its share; less says nothing.
  width <- max(8, (cli::console_width() - 4 - 24 - 10) / 2)
  answers <- answers_apart(x, k, n = if (x$k <= 8) 2 else 1, width = width, level_width = 24)
  paste(c(start, paste0("    ", answers, recycle0 = TRUE)), collapse = "\n")
}
