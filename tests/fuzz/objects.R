# Fits, and what is made of them, that the methods are called with. They are made once, before the
# first call, from a seed of their own: what a call draws does not depend on them.

make_objects <- function() {
  set.seed(1)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  fits <- quiet(make_fits())
  later <- quiet(make_later(fits))
  stores <- quiet(make_stores())
  of_stores <- quiet(lapply(stores, stagewise_em, k = 3, search_rows = 1000))
  contents <- lapply(stores, summary)
  c(list(mdpd = c(fits, of_stores), row_store = stores, summary.row_store = contents), later)
}

make_fits <- function() {
  table <- some_table(60, 5, as = "factors")
  wide <- some_table(40, 4, as = "frame")
  triples <- some_triples(40, 6, repeats = FALSE)
  crowd <- crowd_labels(triples)
  sparse <- some_triples(40, 30, repeats = FALSE)
  few <- crowd_labels(sparse[sample.int(nrow(sparse), 40), ])
  again <- suppressMessages(crowd_labels(rbind(triples, triples[1:3, ])))
  kind_of_row <- factor(rep(c("a", "b"), length.out = 60))
  rownames(table) <- paste0("row", 1:60)
  simulated <- simulate_crowd(20, 5, 3, accuracy = c(0.9, 0.9), seed = 1)
  unnamed <- as.matrix(wide)
  dimnames(unnamed) <- list(NULL, letters[1:4])
  fits <- list(
    stagewise_em(table, 2), stagewise_em(table, 3, refine = "full"), stagewise_em(table, 2:3),
    stagewise_em(table, 2, method = "paper"), stagewise_em(table, 2, weights = rep(c(1, 2.5), 30)),
    stagewise_em(wide, 2, missing = "level"), stagewise_em(wide, 2, missing = "frozen"),
    stagewise_em(table, 1), stagewise_em(table, 3, refine = "none"), stagewise_em(unnamed, 2),
    stagewise_em(table, 2, keep_data = FALSE), mdpd(table, 2), mdpd(table, 1), mdpd(table, 4),
    stagewise_em(~ item1 + item2 + item3, 2, data = table),
    mdpd(crowd, 3), mdpd(crowd, 3, prior = 1), stagewise_em(crowd, 3), stagewise_em(few, 3),
    stagewise_em(crowd, 4), mdpd(again, 3), stagewise_em(crowd, 1:3),
    mdpd(crowd, 3, known = stats::setNames(crowd$labels[1], crowd$items[1])),
    simulated$model, mdpd(simulated$labels, 3)
  )
  if (requireNamespace("survey", quietly = TRUE)) {
    fits <- c(fits, list(stagewise_em(table, 2, weights = survey_of(kind_of_row))))
  }
  fits
}

survey_of <- function(kind_of_row) {
  rows <- data.frame(stratum = kind_of_row, weight = rep(c(1, 2, 3), 20))
  survey::svydesign(ids = ~1, strata = ~stratum, weights = ~weight, data = rows)
}

# A list of objects for each class that later analyses return.
make_later <- function(fits) {
  fit <- fits[[12]]
  by_stages <- fits[[1]]
  z <- stats::rnorm(60)
  covariates <- data.frame(z, g = rep(c("a", "b"), 30))
  regression <- function(method) class_regression(fit, ~ z + g, covariates, method = method)
  crowd <- crowd_labels(some_triples(repeats = FALSE))
  codes <- fits[[19]]$coded$codes
  list(
    class_regression = lapply(c("two-step", "ml", "bch", "one-step"), regression),
    distal_outcome = list(
      distal_outcome(fit, z), distal_outcome(fit, covariates$g),
      distal_outcome(fit, z, method = "ml")
    ),
    mdpd_bootstrap = list(bootstrap(fit, 3), bootstrap(by_stages, 2, type = "parametric")),
    mdpd_groups = list(compare_groups(fit, covariates$g)),
    mdpd_goodness_of_fit = list(goodness_of_fit(fit), goodness_of_fit(by_stages, 2)),
    mdpd_pair_residuals = list(pair_residuals(fit), pair_residuals(by_stages, 2)),
    mdpd_test_k = list(test_k(fits[[3]], 19)),
    mdpd_agreement = list(agreement(crowd, n = 40)),
    crowd_labels = list(crowd), sparse_codes = list(codes),
    poLCA = list(some_polca()), summary_mdpd = lapply(fits[c(1, 3, 12, 17, 24)], summary),
    mdpd_result_summary = list(summary(pair_residuals(fit)), summary(agreement(crowd, n = 40))),
    summary_class_regression = list(summary(regression("two-step"))),
    stagewise_control = list(stagewise_control(), stagewise_control(tol = 1e-4, threads = 1))
  )
}

# What poLCA returns, as far as as_mdpd() reads it.
some_polca <- function() {
  answers <- data.frame(a = pick(1:2, 20), b = pick(1:3, 20))
  posterior <- cbind(rep(c(0.2, 0.9), 10), rep(c(0.8, 0.1), 10))
  structure(
    list(
      llik = -50, npar = 7, N = 20, Nobs = 20, P = c(0.55, 0.45), posterior = posterior,
      y = answers,
      probs = list(a = matrix(c(0.3, 0.7, 0.7, 0.3), 2, dimnames = list(NULL, c("Pr(1)", "Pr(2)"))),
                   b = matrix(c(0.2, 0.3, 0.5, 0.4, 0.3, 0.3), 2,
                              dimnames = list(NULL, paste0("Pr(", c(1, 2, 3), ")")))),
      predclass = rep(2:1, 10), numiter = 10, maxiter = 1000
    ),
    class = "poLCA"
  )
}

# One of a class, whole.
some <- function(class) pick(objects[[class]])[[1]]
some_fit <- function() some("mdpd")
