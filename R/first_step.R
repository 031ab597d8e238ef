# What the fit, the first of two or three steps, tells the later ones: how dense each row is in each
# class, how often rows are assigned to a wrong class, and how uncertain all that is.

# The parameters are those of mixture_parameters(): sizes, then informative items.
first_step <- function(object, type, cluster, strata, call) {
  how <- read_how(object, type, cluster = cluster, strata = strata, arg = "object", call = call)
  c(
    list(object = object, coded = how$coded, model = mixture_parameters(object),
         weights = row_weights(object), type = how$type, design = how$design),
    suppressWarnings(first_covariance(object, how, call), "mdpd_warning_boundary")
  )
}

first_covariance <- function(object, how, call) {
  if (is_solved(object, how)) {
    solved_covariance(object, how, call)
  } else {
    inverted_covariance(object, how, call)
  }
}

# The log-density of the answers of each row given its component, rows x components.
row_log_densities <- function(object, coded) {
  uniform <- object
  uniform$mixing_weights[] <- 1 / object$k
  known <- known_columns(object, coded)
  coded["known"] <- list(NULL)
  step <- posterior_of(uniform, coded)
  densities <- log(pmax(step$posterior, 1e-300)) + step$row_loglik + log(object$k)
  if (!is.null(known)) densities[!is.na(known) & col(densities) != known] <- -Inf
  unname(densities)
}

# Assigned classes -------------------------------------------------------------------------------

# The class each row is assigned to, and `errors`, true x assigned: the estimated probability of
# being assigned to a class given the true one (Bolck, Croon and Hagenaars 2004), by the fit's
# `classification`. A row without any answer is in no class, NA, and has no weight.
classification <- function(first) {
  no_answer <- first$object$no_answer
  assigned <- replace(first_largest(unname(first$object$posterior)), no_answer, NA)
  indicator <- (outer(assigned, seq_len(first$object$k), `==`) & !is.na(assigned)) + 0
  counts <- t(unname(classification_table(first$object))) * first$object$nobs
  list(assigned = assigned, indicator = indicator, weights = weights_of_classes(first$object),
       sizes = rowSums(counts), errors = counts / rowSums(counts))
}

tell_no_class <- function(no_answer) {
  n <- length(no_answer)
  if (n > 0) {
    inform_mdpd("{n} row{?s} without any answer {?has/have} no class and {?does/do} not count.",
                class = "no_answer", n = n)
  }
}

# `rows`: those that the later step looks at.
check_classification <- function(classes, object, rows, call) {
  names <- names(object$mixing_weights)
  empty <- names[colSums(classes$errors) < 1e-12 | !is.finite(classes$sizes) | classes$sizes <= 0]
  if (length(empty) > 0) {
    abort_mdpd(
      c("Every class must have rows that are assigned to it; {.val {empty}} {?has/have} none.",
        i = "{.code method = \"two-step\"} assigns no row, and fewer classes may be enough."),
      class = "empty_class", call = call
    )
  }
  if (rcond(classes$errors) < 1e-6) {
    abort_mdpd(
      c("The classes must be told apart by the rows that are assigned to them.",
        i = "{.code method = \"two-step\"} assigns no row, and fewer classes may be enough."),
      class = "empty_class", call = call
    )
  }
  absent <- names[counted_in_classes(classes, rows) <= 0]
  if (length(absent) > 0) {
    abort_mdpd(
      c("Every class must have rows that count here; {.val {absent}} {?has/have} none.",
        i = "Rows that lack an outcome or a covariate, or weigh nothing, do not count."),
      class = "empty_class", call = call
    )
  }
}

# The weight of the rows in each class with the errors undone, 0 where none is assigned to it. It is
# not positive either where all of these may be errors.
counted_in_classes <- function(classes, rows) {
  weights <- classes$weights[rows]
  assigned <- colSums(weights * classes$indicator[rows, , drop = FALSE])
  undone <- colSums(weights * of_assigned(solve(classes$errors), classes, rows))
  ifelse(assigned > 0, undone, 0)
}

# What the later step is given of the classes: as densities of the answers or of the assigned
# class, or as weights that undo the errors.
row_evidence <- function(first, method, classes, rows) {
  switch(
    method,
    "two-step" = list(
      log_density = row_log_densities(first$object, first$coded)[rows, , drop = FALSE]
    ),
    ml = list(log_density = of_assigned(t(log(classes$errors)), classes, rows)),
    bch = list(shares = of_assigned(solve(classes$errors), classes, rows))
  )
}

# The line of each row's class; zeros say nothing of a row that is in none.
of_assigned <- function(table, classes, rows) {
  lines <- table[classes$assigned[rows], , drop = FALSE]
  lines[is.na(classes$assigned[rows]), ] <- 0
  lines
}

# How evidence moves with the parameters of the first step -----------------------------------------

# The derivatives of `errors` by each parameter of the first step, true x assigned x parameters; the
# assigned classes themselves are held, and the rows' own posterior is what moves.
error_slopes <- function(first, classes) {
  k <- first$object$k
  model <- first$model
  posterior <- unname(first$object$posterior)
  counts <- crossprod(posterior * classes$weights, classes$indicator)
  sizes <- rowSums(counts)
  errors <- counts / sizes
  slopes <- array(0, c(k, k, length(model$root)))
  cell <- expand.grid(true = seq_len(k), assigned = seq_len(k))
  width <- k^2 + length(unique(model$column))
  for (rows in row_blocks(seq_len(nrow(posterior)), width)) {
    shown <- cbind(1, one_hot(first$coded, model$items, rows))
    g <- posterior[rows, , drop = FALSE]
    excess <- classes$indicator[rows, cell$assigned, drop = FALSE] -
      rep(errors, each = length(rows))
    share <- classes$weights[rows] * excess * g[, cell$true, drop = FALSE] /
      rep(sizes[cell$true], each = length(rows))
    for (component in seq_len(k)) {
      moved <- share * (rep(cell$true == component, each = length(rows)) - g[, component])
      at <- which(model$component == component)
      slopes[, , at] <- slopes[, , at] +
        as.vector(crossprod(moved, shown[, model$column[at] + 1, drop = FALSE]))
    }
  }
  sweep(slopes, 3, inverse_estimates(model), "*")
}

# Estimates on the boundary do not move.
inverse_estimates <- function(model) ifelse(model$estimate > 1e-8, 1 / model$estimate, 0)

# The derivative of a score by the parameters of the first step, score x parameters, where classes
# are known by the density of the assigned one. `moved` gives for a class the change of each row's
# score by the row's log-density in that class, rows x score.
cross_by_density <- function(moved, classes, rows, slopes) {
  log_slopes <- sweep(slopes, 1:2, ifelse(classes$errors > 0, classes$errors, 1), "/")
  k <- nrow(classes$errors)
  assigned <- factor(classes$assigned[rows], seq_len(k))
  terms <- lapply(seq_len(k), function(class) {
    sums <- rowsum_by(moved(class), assigned)
    crossprod(sums, matrix(log_slopes[class, , ], k))
  })
  Reduce(`+`, terms)
}

# The same where they are known by weights: `sums` is the score's sum over the rows, by the weight
# that each class has there, of each class; (numbers of the score in one class) x classes.
cross_by_weights <- function(sums, classes, slopes) {
  inverse <- solve(classes$errors)
  moved <- apply(slopes, 3, function(slope) -sums %*% slope %*% inverse)
  array(moved, c(nrow(sums), ncol(sums), dim(slopes)[3]))
}

# The covariance of later estimates: `own`, with the first step taken as certain, and what the
# uncertainty of that adds. `inverse` is of the later information; `scores` are the later scores,
# with their weights, of `rows`, and `cross` is their derivative by the first step. Of a sample by
# design both parts are those of what each row adds to the estimates of both steps.
later_covariance <- function(first, own, inverse, cross, scores, rows) {
  through <- inverse %*% cross
  added <- first$combined(through)
  if (is.null(first$design)) {
    return(own + added$covariance)
  }
  by_row <- in_all_rows(scores %*% t(inverse), rows, first)
  values <- function(rows) cbind(by_row[rows, , drop = FALSE], added$values(rows))
  joint <- design_covariance(values, 2 * ncol(by_row), first$design, first$weights)
  later <- seq_len(ncol(by_row))
  between <- joint[later, -later, drop = FALSE]
  joint[later, later, drop = FALSE] + between + t(between) + added$covariance
}

# How the later estimates move, by length one, where the first step's do that nothing determines.
later_moves <- function(first, inverse, cross) {
  moved <- inverse %*% cross %*% first$undetermined
  size <- sqrt(colSums(moved^2))
  # Rounding moves them too.
  kept <- size > 1e-6
  sweep(moved[, kept, drop = FALSE], 2, size[kept], "/")
}

# Rows that do not count in the later step are drawn too, and add nothing.
in_all_rows <- function(values, rows, first) {
  all <- matrix(0, length(first$weights), ncol(values))
  all[rows, ] <- values
  all
}
