# Fits of poLCA, taken over.

polca_example <- function(name, items, nclass, formula = NULL, keep_missing = FALSE) {
  x <- polca_data(name)
  formula <- formula %||% stats::as.formula(paste0("cbind(", toString(items), ") ~ 1"))
  with_seed(1, poLCA::poLCA(formula, x, nclass = nclass, nrep = 3, na.rm = !keep_missing,
                            maxiter = 5000, verbose = FALSE))
}

election_items <- c("MORALG", "CARESG", "KNOWG", "LEADG", "DISHONG", "INTELG")

# Their posterior is that of the step before the last, in which the log-likelihood rose by less than
# 1e-10: parameters move by less than the root of that, and a posterior by that times the items.
polca_tolerance <- 1e-4

expect_taken_over <- function(fit, peer) {
  k <- length(peer$P)
  expect_named(fit$mixing_weights, as.character(seq_len(k)))
  expect_identical(unname(fit$mixing_weights), unname(peer$P))
  for (item in names(peer$probs)) {
    expect_identical(unname(fit$item_probs[[item]]), unname(t(peer$probs[[item]])))
  }
  # Sums of logarithms in another order.
  expect_equal(fit$loglik, peer$llik, tolerance = 1e-12)
  expect_equal(fit$df, peer$npar)
  expect_equal(BIC(fit), peer$bic, tolerance = 1e-12)
  expect_lt(max(abs(fit$posterior - peer$posterior)), polca_tolerance)
  class <- suppressMessages(as.integer(predict(fit)))
  # They give a class to rows without any answer too.
  expect_identical(class, replace(as.integer(peer$predclass), rowSums(!is.na(peer$y)) == 0, NA))
}

peer_data <- function(fit) as.data.frame(decode(fit$coded)$columns)

test_that("parameters, log-likelihood, posterior and classes are poLCA's", {
  for (peer in list(
    polca_example("values", c("A", "B", "C", "D"), 2),
    polca_example("carcinoma", c("A", "B", "C", "D", "E", "F", "G"), 3),
    polca_example("election", election_items, 3),
    polca_example("election", election_items, 2, keep_missing = TRUE),
    polca_example("values", c("A", "B", "C", "D"), 1)
  )) {
    expect_taken_over(as_mdpd(peer), peer)
  }
})

test_that("everything else is that of a fit of mdpd() at the same parameters", {
  peer <- polca_example("election", election_items, 3)
  fit <- as_mdpd(peer)
  own <- align_components(mdpd(peer$y, k = 3, start = fit$posterior), fit)
  expect_identical(setdiff(names(own), names(fit)), "starts")
  expect_null(fit$trace)
  expect_equal(fit$loglik, own$loglik, tolerance = 1e-9)
  for (part in c("k", "df", "nobs", "n_obs", "n_missing", "missing", "method", "refine", "control",
                 "coded", "informative", "status", "converged", "version", "smoothing")) {
    expect_identical(fit[[part]], own[[part]], label = part)
  }
  # As their estimates differ by no more than that.
  for (part in c("item_information", "item_evidence", "penalised_loglik", "posterior")) {
    expect_equal(fit[[part]], own[[part]], tolerance = polca_tolerance, label = part)
  }
  gaps <- as_mdpd(polca_example("election", election_items, 2, keep_missing = TRUE))
  own <- align_components(mdpd(peer_data(gaps), k = 2, start = gaps$posterior), gaps)
  expect_equal(gaps$item_evidence, own$item_evidence, tolerance = polca_tolerance)
})

test_that("it can be printed, drawn, asked, used for new rows and carried on", {
  peer <- polca_example("election", election_items, 3)
  fit <- as_mdpd(peer)
  expect_match(capture.output(print(fit)), "ordinary EM", all = FALSE)
  expect_match(capture.output(print(summary(fit))), "MORALG", all = FALSE)
  expect_s3_class(autoplot(fit), "ggplot")
  expect_s3_class(autoplot(fit, "posterior"), "ggplot")
  expect_identical(unname(predict(fit, peer$y, type = "prob")), unname(fit$posterior))
  expect_warning(errors <- standard_errors(fit, type = "score"), class = "mdpd_warning_boundary")
  expect_equal(unname(errors$mixing_weights), peer$P.se, tolerance = 1e-3)
  for (item in names(peer$probs)) {
    theirs <- unname(t(peer$probs.se[[item]]))
    # On the boundary they report 0.
    theirs[is.na(errors$item_probs[[item]]) & theirs < 1e-6] <- NA
    expect_equal(unname(errors$item_probs[[item]]), theirs, tolerance = 1e-3, label = item)
  }
  on <- refine(fit, type = "full")
  expect_gte(on$loglik, fit$loglik - 1e-9)
  expect_lt(on$loglik - fit$loglik, 1e-4)
  expect_named(on$mixing_weights, c("1", "2", "3"))
  expect_lt(max(abs(on$posterior - fit$posterior)), 0.02)
  expect_s3_class(refine(fit), "mdpd")
  expect_equal(nrow(simulate(fit, seed = 1)[[1]]), peer$N)
  expect_identical(as_mdpd(fit), fit)
})

test_that("factors keep their levels and rows their names; unseen levels are left out", {
  skip_if_not_installed("poLCA")
  x <- answers(200)[1:4]
  rownames(x) <- paste0("r", 1:200)
  x$item_4 <- ifelse(x$item_4 == "a", 1, 3)
  peer <- with_seed(1, poLCA::poLCA(cbind(item_1, item_2, item_3, item_4) ~ 1, x, nclass = 2,
                                    verbose = FALSE))
  fit <- as_mdpd(peer)
  expect_identical(rownames(fit$item_probs$item_2), levels(x$item_2))
  expect_identical(rownames(fit$item_probs$item_4), c("1", "3"))
  expect_equal(unname(colSums(fit$item_probs$item_4)), c(1, 1))
  expect_equal(fit$loglik, peer$llik, tolerance = 1e-12)
  expect_identical(rownames(fit$posterior), rownames(x))
})

# A model of class poLCA that is made by hand.
as_polca <- function(fit, y, ...) {
  probs <- lapply(fit$item_probs, function(probs) t(unname(probs)))
  parts <- list(P = unname(fit$mixing_weights), probs = probs, y = y, coeff = NA, numiter = 9,
                maxiter = 10, call = quote(poLCA(formula, y)))
  structure(utils::modifyList(parts, list(...)), class = "poLCA")
}

test_that("a model of poLCA's form is what mdpd() makes of the same parameters", {
  x <- with_gaps(answers(200))[c(2, 3, 5, 6)]
  x[] <- lapply(x, as.integer)
  exact <- stagewise_control(tol = 1e-12, max_iter = 1e5)
  own <- reorder_components(mdpd(x, k = 3, seed = 1, control = exact), c(2, 3, 1))
  fit <- as_mdpd(as_polca(own, x))
  expect_named(fit$mixing_weights, c("1", "2", "3"))
  for (part in c("mixing_weights", "item_probs", "posterior", "item_information")) {
    expect_equal(unname(fit[[part]]), unname(own[[part]]), tolerance = 1e-5, ignore_attr = TRUE,
                 label = part)
  }
  for (part in c("loglik", "penalised_loglik", "df", "nobs", "n_missing", "coded", "informative",
                 "item_evidence", "status", "converged", "smoothing", "method")) {
    expect_equal(fit[[part]], own[[part]], tolerance = 1e-6, label = part)
  }
  expect_null(fit$coded$known)
  # One class, and an item that one row answers.
  x$lone <- c(1L, rep(NA, 199))
  for (own in list(mdpd(x, k = 1), mdpd(x, k = 2, seed = 1, control = exact))) {
    fit <- as_mdpd(as_polca(own, x))
    expect_equal(unname(fit$item_probs), unname(own$item_probs))
    expect_equal(fit[c("loglik", "item_evidence")], own[c("loglik", "item_evidence")],
                 tolerance = 1e-6, ignore_attr = TRUE)
  }
  expect_identical(as_mdpd(as_polca(own, x, numiter = 10))$status, "iteration_limit")
  slopes <- matrix(0, 2, 2, dimnames = list(c("(Intercept)", "age"), NULL))
  expect_warning(as_mdpd(as_polca(own, x, coeff = slopes)), "left out: \"age\"",
                 class = "mdpd_warning_covariates")
})

test_that("a model of poLCA's form says what to do next, and how to make it again", {
  x <- answers(200)[c(2, 3, 5, 6)]
  x[] <- lapply(x, as.integer)
  own <- mdpd(x, k = 2, seed = 1)
  short <- as_mdpd(as_polca(own, x, numiter = 10))
  expect_output(print(short), "raise `maxiter` in poLCA(), or go on by refine(", fixed = TRUE)
  made <- c("library(mdpd)", "library(poLCA)", "fit <- as_mdpd(poLCA(formula, y))")
  # The numbers are poLCA's, whichever class is the largest.
  for (order in list(1:2, 2:1)) {
    fit <- as_mdpd(as_polca(reorder_components(own, order), x))
    expect_identical(repeat_code(fit), made)
    named <- name_components(fit, c("Careful", "Hasty"))
    expect_identical(repeat_code(named),
                     c(made, "fit <- name_components(fit, c(\"Careful\", \"Hasty\"))"))
  }
})

test_that("levels of factors are those of poLCA's probabilities, by name", {
  x <- answers(200)[c(2, 3, 5, 6)]
  own <- mdpd(x, k = 2, seed = 1)
  # Of an unused level poLCA has a column too.
  levels(x$item_2) <- c(levels(x$item_2), "unused")
  peer <- as_polca(own, x)
  peer$probs <- lapply(own$item_probs, t)
  peer$probs$item_2 <- cbind(unused = 0, peer$probs$item_2)
  fit <- as_mdpd(peer)
  expect_equal(fit$item_probs, own$item_probs)
  expect_equal(fit$loglik, own$loglik)
})

test_that("sizes of classes sum to 1 where poLCA counts rows without any answer in none", {
  x <- answers(200)[c(2, 3, 5, 6)]
  x[] <- lapply(x, as.integer)
  x[c(3, 50), ] <- NA
  own <- mdpd(x, k = 2, seed = 1)
  fit <- as_mdpd(as_polca(own, x, P = 198 / 200 * unname(own$mixing_weights)))
  expect_equal(unname(fit$mixing_weights), unname(own$mixing_weights))
  expect_equal(fit$loglik, own$loglik)
  # It is not taken for damaged.
  expect_identical(suppressMessages(unname(predict(fit))), suppressMessages(unname(predict(own))))
})

test_that("the log-likelihood of poLCA is that of sizes that do not count empty rows", {
  peer <- polca_example("election", election_items[1:4], 3, keep_missing = TRUE)
  fit <- as_mdpd(peer)
  expect_equal(unname(fit$mixing_weights), peer$P / sum(peer$P))
  expect_equal(fit$loglik + nrow(peer$y) * log(sum(peer$P)), peer$llik, tolerance = 1e-12)
  expect_identical(suppressMessages(sum(is.na(predict(fit)))), 18L)
})

test_that("other objects are errors", {
  expect_error(as_mdpd(lm(1:3 ~ 1)), "must be a fit of poLCA, not a <lm>",
               class = "mdpd_error_argument")
})

test_that("covariates are left out with a warning", {
  peer <- polca_example("election", nclass = 2, formula = cbind(MORALG, CARESG, KNOWG) ~ PARTY)
  expect_warning(fit <- as_mdpd(peer), "PARTY", class = "mdpd_warning_covariates")
  expect_identical(unname(fit$mixing_weights), unname(peer$P))
  expect_equal(fit$posterior, predict(fit, peer$y, type = "prob"), ignore_attr = TRUE)
  # Without the covariate the rows tell less.
  expect_lt(fit$loglik, peer$llik)
})

test_that("a fit that poLCA did not finish says so, and other objects are errors", {
  carcinoma <- polca_data("carcinoma")
  short <- with_seed(1, poLCA::poLCA(cbind(A, B, C, D) ~ 1, carcinoma, nclass = 2, maxiter = 2,
                                     verbose = FALSE))
  expect_identical(as_mdpd(short)$status, "iteration_limit")
  expect_false(as_mdpd(short)$converged)
  expect_output(print(as_mdpd(short)), "raise `maxiter` in poLCA(), or go on by refine(",
                fixed = TRUE)
  expect_error(update(as_mdpd(short), k = 3), "made by `poLCA()`", fixed = TRUE,
               class = "mdpd_error_argument")
  expect_error(as_mdpd(lm(1:3 ~ 1)), "must be a fit of poLCA", class = "mdpd_error_argument")
})

test_that("a report says that poLCA made the fit, and how to make it again", {
  skip_if_not_installed("poLCA")
  x <- answers(150)
  x[] <- lapply(x, as.integer)
  peer <- with_seed(1, poLCA::poLCA(cbind(item_1, item_2, item_3, item_4) ~ 1, x, nclass = 2,
                                    verbose = FALSE))
  fit <- name_components(as_mdpd(peer), c("Careful", "Hasty"))
  code <- repeat_code(fit)
  expect_identical(code[1:2], c("library(mdpd)", "library(poLCA)"))
  again <- list2env(list(x = x), parent = asNamespace("mdpd"))
  with_seed(1, eval(parse(text = code[-(1:2)]), again))
  expect_equal(again$fit$item_probs, fit$item_probs)
  expect_match(method_text(fit), "with the R package poLCA (Linzer and Lewis 2011)", fixed = TRUE)
  expect_match(method_sources(fit)[1], "^Linzer")
})
