choose_k_alone <- function() stagewise_em(answers(), k = 2)

path_fit <- function() {
  crowd <- simulate_crowd(n_items = 300, n_workers = 12, accuracy = rep(0.8, 6), seed = 1)
  stagewise_em(crowd$labels, k = 1:4)
}

test_that("the path keeps the best number of components and holds the others", {
  fit <- path_fit()
  expect_equal(fit$k, 3)
  expect_identical(fit$path$k, 1:4)
  expect_equal(fit$evidence, max(fit$path$evidence))
  # The data are held once.
  expect_false(is.null(fit$coded))
  for (other in fit$path_fits) expect_null(other$coded)
  for (k in 1:4) {
    other <- choose_k(fit, k)
    expect_equal(other$k, fit$path$components[k])
    expect_equal(other$loglik, fit$path$loglik[k])
    expect_equal(AIC(other), fit$path$AIC[k])
    expect_equal(BIC(other), fit$path$BIC[k])
    expect_identical(other$path, fit$path)
    expect_true(max(information(other)) > 0)
  }
})

test_that("a path's fit is at least as good as the fit of its k alone", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 12, accuracy = rep(0.8, 6), seed = 2)
  path <- stagewise_em(crowd$labels, k = 2:3)$path
  for (k in 2:3) {
    alone <- stagewise_em(crowd$labels, k = k)
    # Both ended by the same rule of convergence, a relative change of 1e-8.
    expect_gte(path$evidence[path$k == k], alone$evidence * (1 + 1e-6))
  }
})

test_that("entropy and ICL are those of the posterior", {
  fit <- choose_k(path_fit(), 3)
  p <- fit$posterior
  entropy <- -sum(p[p > 0] * log(p[p > 0]))
  row <- fit$path[fit$path$k == 3, ]
  expect_equal(row$ICL, BIC(fit) + 2 * entropy)
  expect_equal(row$entropy, 1 - entropy / (300 * log(3)))
})

test_that("a criterion chooses its own k", {
  fit <- path_fit()
  for (criterion in c("AIC", "BIC", "ICL")) {
    k <- fit$path$components[which.min(fit$path[[criterion]])]
    expect_equal(choose_k(fit, criterion = criterion)$k, k)
  }
  # By default it is the evidence.
  fit$path$penalised_loglik <- 4:1
  expect_equal(choose_k(fit, criterion = "penalised")$k, 1)
  expect_equal(choose_k(fit)$k, 3)
})

test_that("what is not on the path is an error", {
  fit <- path_fit()
  expect_error(choose_k(fit, 7), "`k` must be one of", class = "mdpd_error_argument")
  expect_error(choose_k(choose_k_alone(), 2), "path", class = "mdpd_error_not_stored")
  expect_error(choose_k(1, 2), "`object`", class = "mdpd_error_argument")
  for (k in list(2:3, "2", NA, numeric())) {
    expect_error(choose_k(fit, k), "`k` must be one of", class = "mdpd_error_argument")
  }
  expect_error(choose_k(fit, 2, "BIC"), "`k` or `criterion`", class = "mdpd_error_argument")
  expect_error(stagewise_em(answers(), k = c(1, NA)), class = "mdpd_error_argument")
  expect_error(stagewise_em(answers(), k = 0:2), class = "mdpd_error_argument")
})

test_that("numbers of components above the number of rows are left out of a path", {
  x <- data.frame(a = c(1, 2, 1), b = c(1, 1, 2))
  expect_snapshot(show_conditions(fit <- stagewise_em(x, k = c(1:2, 6, 9))))
  of_fit <- c("mdpd_warning_not_identified", "mdpd_warning_independent")
  expect_warning(fit <- suppressWarnings(stagewise_em(x, k = 1:6), of_fit),
                 class = "mdpd_warning_large_k")
  expect_identical(fit$path$k, 1:3)
  expect_equal(suppressWarnings(stagewise_em(x, k = c(1, 9)))$path$k, 1)
  expect_error(stagewise_em(x, k = 4:6), "at most the number of rows",
               class = "mdpd_error_argument")
})

test_that("a path of one number of components is drawn without a line", {
  local_pdf()
  fit <- path_fit()
  fit$path <- fit$path[3, ]
  expect_silent(ggplot2::ggplotGrob(autoplot(fit, type = "path")))
})

test_that("the path is drawn and printed", {
  fit <- path_fit()
  picture <- autoplot(fit, type = "path")
  data <- ggplot2::layer_data(picture, 3)
  behind <- max(fit$path$evidence) - fit$path$evidence
  expect_equal(min(data$y), 0)
  # One component far behind leaves room for the differences between the others.
  expect_equal(data$y[data$colour == "#0072B2"], log1p(behind))
  # Shaded is what is no strong evidence, less than 3 nats; the best have a mark of their own.
  shaded <- ggplot2::layer_data(picture, 1)
  expect_equal(c(shaded$ymin, shaded$ymax), log1p(c(0, 3)))
  expect_equal(ggplot2::layer_data(picture, 2)$xintercept, 3)
  marks <- ggplot2::layer_data(picture, 4)
  expect_length(unique(marks$shape[marks$y == 0]), 1)
  expect_length(unique(marks$shape), 2)
  expect_error(autoplot(choose_k_alone(), type = "path"), class = "mdpd_error_not_stored")
  expect_output(print(summary(fit)), "k = 3 \\*")
})

test_that("numbers of components are behind the best in nats, by each criterion", {
  path <- data.frame(evidence = c(-12, -10, -11), AIC = c(30, 20, 24), ICL = c(40, 48, 44))
  expect_identical(behind_best(path),
                   data.frame(main = c(2, 0, 1), AIC = c(5, 0, 2), ICL = c(0, 4, 2)))
})

test_that("the true number of components is found", {
  for (k in 1:4) {
    n_informative <- if (k > 1) 8 else 0
    model <- hand_made_fit(10, k, n_levels = c(2, 3), n_informative = n_informative)
    x <- simulate(model, seed = k, n_obs = 1000)[[1]]
    expect_equal(stagewise_em(x, k = 1:5)$k, k)
  }
})

test_that("a fit with one k ends where a path to it ends, also where the stages do not", {
  titanic <- as.data.frame(Titanic)
  by_bic <- stagewise_control(criterion = "bic")
  single <- stagewise_em(~ ., k = 4, data = titanic, weights = Freq, control = by_bic)
  path <- stagewise_em(~ ., k = 1:4, data = titanic, weights = Freq, control = by_bic)
  expect_equal(single$penalised_loglik, choose_k(path, 4)$penalised_loglik, tolerance = 1e-5)
  # From the stages alone the optimum is 5 nats lower.
  expect_false("stage" %in% single$trace$phase)
  expect_identical(single$trace$k[single$trace$phase == "grow"], 2:4)
  expect_output(print(single), "Method +growth by the best splits, sparse refinement")
  expect_identical(autoplot(single, type = "trace")$labels$subtitle,
                   "3 splits; 4 components on 4 informative items")
  expect_identical(autoplot(single, type = "history")$labels$subtitle, "3 splits")
  votes <- stagewise_em(house_votes[-1], k = 5, missing = "level")
  of_path <- choose_k(suppressMessages(stagewise_em(house_votes[-1], 1:5, missing = "level")), 5)
  expect_equal(votes$evidence, of_path$evidence, tolerance = 1e-7)
})

test_that("a best number that is the largest asked for is told", {
  x <- answers(k = 3)
  expect_message(fit <- stagewise_em(x, k = 1:2), class = "mdpd_message_largest_k")
  expect_message(stagewise_em(x, k = 1:5), NA)
  expect_message(stagewise_em(x, k = 2), NA)
  # Of independent items all fall back to one component, which nobody asked to exceed.
  expect_message(suppressWarnings(none <- stagewise_em(independent_items(), k = 1:3)), NA)
  expect_equal(none$path$components, rep(1, 3))
})

test_that("numbers that fell back are not crowned", {
  fit <- suppressWarnings(stagewise_em(independent_items(), k = 1:3))
  best <- path_points(fit$path)
  expect_false(any(best$best[best$k > 1] == "best by this criterion"))
  expect_snapshot(cat(rownames(format_path(fit$path)), sep = "\n"))
})

test_that("a small table has the same fit from one number as from several", {
  tables <- list(answers(n_obs = 150, k = 3), as.data.frame(Titanic)[rep(1:32, 3), 1:4])
  arguments <- list(
    list(refine = "full"), list(control = stagewise_control(criterion = "evidence"))
  )
  for (x in tables) {
    for (more in arguments) {
      fit <- function(k) {
        suppressMessages(suppressWarnings(do.call(stagewise_em, c(list(x, k), more))))
      }
      path <- fit(1:4)
      for (k in 2:4) expect_identical(fit(k)$posterior, path$path_fits[[k]]$posterior)
    }
  }
})

test_that("the scale of the path has a tick for each step as far as the values go", {
  ticks <- function(values) scale_y_behind(values)$breaks
  expect_equal(ticks(0), c(0, 1, 3))
  expect_equal(ticks(c(10, 0)), c(0, 1, 3, 10))
  expect_equal(ticks(2e10), c(0, 1, 3, 10, 30, 100, 300, 10^(3:9)))
})

# What is compared of fits with 1 to `length(evidence)` components.
hand_made_path <- function(evidence, components = seq_along(evidence), agreement = NULL) {
  path <- data.frame(k = seq_along(evidence), components = components, evidence = evidence)
  if (!is.null(agreement)) path$label_agreement <- agreement
  path
}

test_that("a number whose labels are not sure is not chosen by evidence, but told", {
  path <- hand_made_path(c(-20, -10, -8), agreement = c(NA, 0.8, 0.7))
  expect_identical(best_row(path, "evidence"), 2L)
  expect_message(inform_unsure_labels(path), "Of `k` = 3 the evidence is higher", fixed = TRUE,
                 class = "mdpd_message_unsure_labels")
  # No more evidence, and none that is sure.
  expect_silent(inform_unsure_labels(hand_made_path(c(-20, -8, -8), agreement = c(NA, 0.9, 0.7))))
  unsure <- hand_made_path(c(-20, -8, -10), agreement = c(0.6, 0.5, 0.7))
  expect_identical(best_row(unsure, "evidence"), 2L)
  expect_silent(inform_unsure_labels(unsure))
})

test_that("the fit chosen of several warns as a fit of its number alone", {
  cut <- stagewise_control(max_iter = 1, polish = FALSE)
  x <- answers(k = 3)
  expect_warning(fit <- hush(stagewise_em(x, k = 2:3, control = cut)), "in 1 iteration",
                 class = "mdpd_warning_not_converged")
  expect_equal(fit$status, "iteration_limit")
  expect_warning(choose_k(fit, 2), class = "mdpd_warning_not_converged")
  expect_warning(fell_back <- stagewise_em(independent_items(), k = 3:4), "1 component, not 3",
                 class = "mdpd_warning_fewer_components")
  # No number asked for has all its components.
  expect_identical(fell_back$path$probability, c(NA_real_, NA_real_))
  expect_identical(unname(format_path(fell_back$path)[, "probability"]), c("-", "-"))
  expect_warning(choose_k(fell_back, 4), "1 component, not 4",
                 class = "mdpd_warning_fewer_components")
  coins <- with_seed(5, as.data.frame(matrix(sample(0:1, 480, TRUE), 60)))
  expect_warning(hush(stagewise_em(coins, k = 2:3, method = "paper")),
                 class = "mdpd_warning_independent")
  expect_no_warning(hush(stagewise_em(x, k = 1:3)))
})

test_that("the largest number is told where it is the best and has all its components", {
  told <- function(..., probs = cbind(1:3, 3:1, c(2, 2, 2)) / 6) {
    inform_largest_k(hand_made_path(...), list(item_probs = list(probs)))
  }
  expect_message(told(c(-3, -2, -1)), "largest asked for, 3", class = "mdpd_message_largest_k")
  expect_message(told(c(-3, -2)), class = "mdpd_message_largest_k")
  expect_silent(told(-1))
  expect_silent(told(c(-3, -1, -2)))
  expect_silent(told(c(-3, -2, -1), components = c(1, 2, 2)))
  # Of components that repeat each other there are too many, not too few.
  expect_silent(told(c(-3, -2, -1), probs = matrix(1 / 3, 3, 3)))
})

test_that("probabilities are of the numbers with all components and sure labels", {
  # Far below zero and apart, as log-evidences are.
  fits <- list(
    list(evidence = -9000), list(evidence = -5000), list(evidence = -5000 + log(3)),
    list(evidence = -4000, stands_for = "a", label_agreement = 0.5), list(evidence = -5000)
  )
  path <- add_evidence(data.frame(k = 1:5, components = c(1, 2, 3, 4, 3)), fits)
  expect_equal(path$probability, c(0, 1, 3, NA, NA) / 4)
  expect_equal(path$label_agreement, c(NA, NA, NA, 0.5, NA))
  expect_null(add_evidence(data.frame(k = 1:2, components = 1:2), fits[1:2])$label_agreement)
})

test_that("the only number found is not certain, nor is one without sure labels improbable", {
  fits <- list(list(evidence = -10), list(evidence = -10), list(evidence = -10))
  alone <- add_evidence(data.frame(k = 1:3, components = 1), fits)
  expect_identical(alone$probability, rep(NA_real_, 3))
  fits[[3]]$stands_for <- "a"
  fits[[3]]$label_agreement <- 0.5
  expect_identical(add_evidence(data.frame(k = 1:3, components = 1:3), fits)$probability,
                   c(0.5, 0.5, NA))
})

test_that("the best of the picture are the sure ones with all components", {
  path <- hand_made_path(c(-3, -1, -1), components = c(1, 2, 2))
  path$AIC <- c(10, 12, 10)
  path$ICL <- c(9, 8, 7)
  points <- path_points(path)
  expect_identical(points$best == "best by this criterion",
                   c(FALSE, TRUE, FALSE, TRUE, FALSE, FALSE, FALSE, FALSE, FALSE))
  expect_identical(levels(points$criterion), c("evidence", "AIC", "ICL"))
  # More evidence of labels that are not sure takes no mark from the best, in print() too.
  unsure <- hand_made_path(c(-3, -2, -1), agreement = c(NA, 0.9, 0.5))
  unsure[c("AIC", "ICL")] <- list(c(3, 2, 1), c(1, 2, 3))
  expect_identical(which(path_points(unsure)$best == "best by this criterion"), c(2L, 5L, 7L))
  path$evidence <- NULL
  path$penalised_loglik <- c(-3, -1, -2)
  expect_identical(levels(path_points(path)$criterion)[1], "penalised log-likelihood")
})
