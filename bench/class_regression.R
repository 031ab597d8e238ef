# Class regressions and outcomes by class on simulated tables, at two separations of the classes,
# and where answers are missing by a covariate: do the intervals hold the truth, and what does the
# regression of assigned classes say? And one-step beside poLCA on its election example.
#
#   Rscript bench/class_regression.R [draws = 500]        writes bench/results/class_regression.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

n_obs <- 1000
n_items <- 8
methods <- c("two-step", "ml", "bch", "one-step")

# Simulated tables --------------------------------------------------------------------------------

# Terms x classes; the first class is the reference.
truth <- cbind("1" = c(0, 0, 0), "2" = c(-0.5, 1, 0.5), "3" = c(-1, -0.7, 0.8))
rownames(truth) <- c("(Intercept)", "z", "g")
coefficient_names <- paste0(rep(rownames(truth), 2), ", class ", rep(2:3, each = 3))
true_means <- c("1" = 0, "2" = 1, "3" = -1)

# An item says what its class says with probability `accuracy`; classes 1 and 2, and 2 and 3, differ
# in half of the items, 1 and 3 in all.
# @param gappy whether answers are missing, the more the larger z is.
draw_rows <- function(seed, accuracy, gappy) {
  set.seed(seed)
  z <- stats::rnorm(n_obs)
  g <- stats::rbinom(n_obs, 1, 0.5)
  shares <- exp(cbind(1, z, g) %*% truth)
  class <- apply(shares, 1, function(p) sample.int(3, 1, prob = p))
  yes <- matrix(accuracy, n_items, 3)
  yes[, 3] <- 1 - accuracy
  yes[seq_len(n_items / 2), 2] <- 1 - accuracy
  items <- matrix(stats::runif(n_obs * n_items), n_obs) < t(yes)[class, ]
  if (gappy) items[stats::runif(length(items)) < stats::plogis(-1.5 + 1.5 * z)] <- NA
  list(
    items = as.data.frame(items + 0), class = as.character(class),
    covariates = data.frame(z, g), y = true_means[class] + stats::rnorm(n_obs)
  )
}

# Estimate, standard error and truth of each coefficient by each method.
one_draw <- function(seed, accuracy, gappy) {
  rows <- draw_rows(seed, accuracy, gappy)
  fit <- suppressWarnings(stagewise_em(rows$items, k = 3, verbose = FALSE))
  if (fit$k < 3) {
    return(NULL)
  }
  fit <- align_components(fit, rows$class)
  rbind(
    do.call(rbind, lapply(methods, regress, fit = fit, rows = rows)),
    regress_assigned(fit, rows),
    outcome_of(fit, rows, "bch"), outcome_of(fit, rows, "ml"), mean_of_assigned(fit, rows),
    data.frame(method = "error", what = "error", name = "", estimate = error_rate(fit, rows$class),
               error = 0, truth = 0)
  )
}

as_rows <- function(method, what, name, estimate, error, truth) {
  data.frame(method, what, name, estimate = as.vector(estimate), error = as.vector(error),
             truth = as.vector(truth))
}

regress <- function(method, fit, rows) {
  found <- suppressWarnings(
    class_regression(fit, ~ z + g, rows$covariates, method = method, reference = "1")
  )
  estimate <- coef(found)
  error <- matrix(sqrt(diag(vcov(found))), nrow(estimate), dimnames = dimnames(estimate))
  classes <- c("2", "3")
  as_rows(method, "coefficient", coefficient_names, estimate[, classes], error[, classes],
          truth[, classes])
}

# As if the assigned class were the true one.
regress_assigned <- function(fit, rows) {
  assigned <- factor(as.character(predict(fit)), c("1", "2", "3"))
  found <- nnet::multinom(assigned ~ z + g, rows$covariates, trace = FALSE)
  error <- matrix(sqrt(diag(stats::vcov(found))), 3)
  as_rows("assigned", "coefficient", coefficient_names, t(stats::coef(found)), error,
          truth[, c("2", "3")])
}

outcome_of <- function(fit, rows, method) {
  found <- suppressWarnings(distal_outcome(fit, rows$y, method = method))
  at <- match(names(true_means), found$classes)
  as_rows(method, "mean", names(true_means), coef(found)[at], found$estimates$std.error[at],
          true_means)
}

mean_of_assigned <- function(fit, rows) {
  by_class <- split(rows$y, factor(as.character(predict(fit)), names(true_means)))
  error <- vapply(by_class, function(y) stats::sd(y) / sqrt(length(y)), 0)
  as_rows("assigned", "mean", names(true_means), vapply(by_class, mean, 0), error, true_means)
}

# Tables ------------------------------------------------------------------------------------------

method_names <- c("two-step" = "two-step (default)", ml = "three-step, ML", bch = "three-step, BCH",
                  "one-step" = "one-step", assigned = "assigned classes")

# A row for each method: coverage of all, of the worst and of the best coefficient, and estimates of
# two of them.
summarise <- function(draws, what, shown) {
  draws <- draws[draws$what == what, ]
  draws$covered <- abs(draws$estimate - draws$truth) <= stats::qnorm(0.975) * draws$error
  lines <- lapply(intersect(names(method_names), draws$method), function(method) {
    own <- draws[draws$method == method, ]
    by_name <- 100 * tapply(own$covered, own$name, mean)
    means <- vapply(shown, function(name) mean(own$estimate[own$name == name]), 0)
    ratio <- tapply(own$error, own$name, mean) / tapply(own$estimate, own$name, stats::sd)
    c(method = method_names[[method]], "held, %" = number(100 * mean(own$covered), 1),
      "worst and best" = paste(number(range(by_name), 1), collapse = " to "),
      stats::setNames(number(means, 2), paste0(shown, " (", true_value(draws, shown), ")")),
      "error / spread" = number(mean(ratio), 2))
  })
  do.call(rbind, lines)
}

true_value <- function(draws, names) {
  format(draws$truth[match(names, draws$name)], trim = TRUE)
}

section <- function(accuracy, gappy, n_draws) {
  draws <- lapply(seq_len(n_draws), one_draw, accuracy = accuracy, gappy = gappy)
  n_few <- sum(vapply(draws, is.null, NA))
  draws <- do.call(rbind, draws)
  error <- 100 * mean(draws$estimate[draws$what == "error"])
  coefficients <- summarise(draws, "coefficient", c("z, class 2", "z, class 3"))
  means <- summarise(draws, "mean", c("2", "3"))
  c(
    sprintf("## An item says what its class says in %.0f %%%s", 100 * accuracy,
            if (gappy) ", and answers are missing by the covariate" else ""), "",
    if (gappy) c("An answer is missing with probability 1 / (1 + exp(1.5 - 1.5 z)).", ""),
    prose(sprintf("Of the rows %.1f %% are assigned to a wrong class. In %d of the draws the fit",
                  error, n_few), "had fewer than three components; they are left out."), "",
    table_lines(coefficients, right = colnames(coefficients)[-1]), "",
    "The mean of an outcome by class:", "",
    table_lines(means, right = colnames(means)[-1]), ""
  )
}

# Beside poLCA ------------------------------------------------------------------------------------

beside_polca <- function(terms) {
  here <- new.env()
  utils::data("election", package = "poLCA", envir = here)
  election <- here$election
  items <- names(election)[1:12]
  right <- stats::as.formula(paste("~", terms))
  complete <- election[stats::complete.cases(election[c(items, all.vars(right))]), ]
  formula <- stats::as.formula(paste0("cbind(", toString(items), ") ~ ", terms))
  set.seed(1)
  peer <- poLCA::poLCA(formula, complete, nclass = 3, nrep = 5, verbose = FALSE, tol = 1e-13,
                       maxiter = 1e4)
  # One step of EM: without covariates the classes would go to another maximum.
  from_peer <- suppressWarnings(mdpd(complete[items], k = 3, start = peer$posterior,
                                     control = stagewise_control(max_iter = 1)))
  fit <- align_components(from_peer, as.character(peer$predclass))
  ours <- suppressWarnings(class_regression(
    fit, right, complete, method = "one-step", reference = "1", type = "score",
    n_starts = 1
  ))
  errors <- matrix(sqrt(diag(vcov(ours))), ncol = 2, dimnames = dimnames(coef(ours)))
  gap <- function(a, b) formatC(max(abs(a[, c("2", "3")] - b)), format = "e", digits = 0)
  c(covariates = gsub("*", "x", terms, fixed = TRUE), rows = nrow(complete),
    poLCA = number(peer$llik, 4), mdpd = number(as.numeric(logLik(ours)), 4),
    coefficients = gap(coef(ours), peer$coeff),
    "standard errors" = gap(errors, peer$coeff.se))
}

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 500L
started <- proc.time()[["user.self"]]
polca <- rbind(beside_polca("PARTY"), beside_polca("AGE + EDUC"), beside_polca("PARTY * AGE"))
sections <- unlist(Map(section, c(0.9, 0.8, 0.9), c(FALSE, FALSE, TRUE), n_draws))
seconds <- proc.time()[["user.self"]] - started

write_report("class_regression", c(
  "# Class regressions and outcomes by class", "",
  sprintf("Made by `Rscript bench/class_regression.R %d`, in %.0f s of processor time.", n_draws,
          seconds), "",
  prose(sprintf("%d draws each of %d rows: three classes, whose sizes go with a normal covariate z",
                n_draws, n_obs),
        sprintf("and a binary one g, and %d items of two levels. The fit is", n_items),
        "`stagewise_em(items, k = 3)`. *Held* is the share of the 95 % intervals that hold the",
        "true value: of all six coefficients, and of the worst and the best of them; its",
        sprintf("Monte-Carlo error is %.1f points for one coefficient.",
                100 * sqrt(0.05 * 0.95 / n_draws)),
        "Then the mean estimate (the true value in brackets), and the mean standard error over the",
        "standard deviation of the estimates. *Assigned classes* is what not to do: a multinomial",
        "regression, or plain means, of the likeliest class."), "",
  sections,
  "## One-step beside poLCA", "",
  prose("The `election` data of poLCA, rows without a missing value, three classes:",
        "log-likelihoods, and the largest differences of coefficients and of standard errors",
        "(`type = \"score\"`). Both begin at the best of five starts of poLCA."), "",
  table_lines(polca, right = colnames(polca)[-1]), "",
  machine_line()
))
