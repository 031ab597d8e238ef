neighbours <- function(x, k, ...) {
  lapply(k + 0:1, function(k) suppressWarnings(mdpd(x, k = k, n_starts = 2, ...)))
}

test_that("the number of components that the data have is chosen", {
  path <- suppressMessages(stagewise_em(answers(400), k = 1:4))
  test <- test_k(path, n = 39, verbose = FALSE)
  expect_equal(test$k, 2:3)
  expect_equal(attr(test, "chosen"), 2)
  expect_equal(test$p_value[1], 1 / 40)
  expect_equal(test$draws[1], 39)
  expect_gt(test$p_value[2], 0.05)
  # Further ones only if asked for.
  all <- test_k(path, n = 19, all = TRUE, verbose = FALSE)
  expect_equal(all$k, 2:4)
  # The smallest p-value of 19 samples is 0.05, at which a number is rejected.
  expect_equal(all$p_value[1], 0.05)
  expect_equal(attr(all, "chosen"), 2)
  expect_equal(test_k(path, n = 19, stop_after = 1, verbose = FALSE)$k, 2:3)
})

test_that("a number that fell back is tested: where there is one component, one is chosen", {
  path <- hush(stagewise_em(independent_items(), k = 1:3))
  expect_equal(path$path$components, c(1, 1, 1))
  test <- test_k(path, n = 39, all = TRUE, verbose = FALSE)
  # Three are not tested: there is no fit with two.
  expect_equal(test$k, 2)
  expect_gt(test$p_value, 0.1)
  expect_equal(attr(test, "chosen"), 1)
})

test_that("log-likelihoods are at least those of EM from the fits", {
  path <- suppressMessages(stagewise_em(answers(400), k = 1:3))
  test <- test_k(path, n = 19, all = TRUE, verbose = FALSE)
  by_likelihood <- function(k) {
    mdpd(answers(400), k = k, start = choose_k(path, k), prior = 0)$loglik
  }
  # The test stops when a step gains less than 1e-7 of the log-likelihood, 2e-4 nats.
  expect_equal(test$loglik_null[2], by_likelihood(2), tolerance = 1e-6)
  expect_equal(test$loglik[1], by_likelihood(2), tolerance = 1e-6)
  expect_equal(test$loglik_null[1], choose_k(path, 1)$loglik)
  expect_equal(test$statistic, 2 * (test$loglik - test$loglik_null))
  free <- sum(vapply(answers(), nlevels, 0L) - 1)
  expect_equal(test$df, rep(free + 1, 2))
})

test_that("splits find the best known optimum of real data", {
  known <- list(list(polca_data("carcinoma")[1:7], 3, -293.705),
                list(polca_data("gss82"), 3, -2754.545))
  for (case in known) {
    path <- suppressMessages(stagewise_em(case[[1]], k = 2:4, refine = "full"))
    test <- test_k(path, n = 19, verbose = FALSE)
    # Known to three decimals; the test stops within 3e-5 and 3e-4 nats a step.
    expect_equal(test$loglik[1], case[[3]], tolerance = 1e-5)
  }
})

test_that("the result depends on the seed alone", {
  fits <- neighbours(answers(150), 2)
  set.seed(5)
  before <- .Random.seed
  test <- test_k(fits, n = 29, stop_after = 3, verbose = FALSE)
  expect_identical(.Random.seed, before)
  expect_identical(test_k(fits, n = 29, stop_after = 3, threads = 2, verbose = FALSE), test)
  expect_identical(test_k(rev(fits), n = 29, stop_after = 3, seed = 1, verbose = FALSE), test)
  other <- test_k(fits, n = 29, stop_after = 3, seed = 2, verbose = FALSE)
  expect_false(identical(attr(other, "samples"), attr(test, "samples")))
  # More samples only add to those before.
  all <- test_k(fits, n = 29, stop_after = Inf, verbose = FALSE)
  expect_identical(attr(test, "samples")[[1]], attr(all, "samples")[[1]][seq_len(test$draws)])
  reached <- sum(attr(all, "samples")[[1]] >= all$statistic)
  expect_equal(all$p_value, (reached + 1) / 30)
})

test_that("sampling stops at the draw that makes it clear, whatever is drawn at once", {
  drawn <- c(1, 5, 2, 5, 7, 9, 1)
  run <- function(seed) drawn[seed]
  expect_equal(draw_until(1:7, run, 5, 2, 1), drawn[1:4])
  expect_equal(draw_until(1:7, run, 5, 9, 1), drawn)
  expect_equal(draw_until(1:7, run, 5, 2, 2), drawn[1:4])
  expect_equal(draw_until(1:7, run, 100, 1, 1), drawn)
  # h / l where it stopped, (g + 1) / (n + 1) where it did not: Besag and Clifford (1991).
  expect_equal(sequential_p(2, 4, 2), 0.5)
  expect_equal(sequential_p(3, 99, 10), 0.04)
  # Rounding is no difference.
  expect_true(reaches(5 - 1e-12, 5))
  expect_false(reaches(4.9, 5))
  expect_false(reaches(4.9, 5))
  expect_identical(reaches(5 - c(5.9e-8, 6.1e-8), 5), c(TRUE, FALSE))
})

test_that("missing cells, weights, crowds and unseen levels are no hindrance", {
  gaps <- with_gaps(answers(150))
  titanic <- as.data.frame(Titanic)
  crowd <- small_crowd(missing = 0.5)$labels
  cases <- list(
    neighbours(gaps, 1), neighbours(titanic[1:4], 1, weights = titanic$Freq),
    lapply(3:4, function(k) suppressWarnings(mdpd(crowd, k = k, n_starts = 1)))
  )
  for (fits in cases) {
    test <- test_k(fits, n = 19, stop_after = 3, verbose = FALSE)
    expect_true(all(is.finite(attr(test, "samples")[[1]])))
    expect_true(is.finite(test$statistic))
  }
  rare <- answers(150)
  rare$item_2 <- factor(c("z", as.character(rare$item_2[-1])))
  expect_true(is.finite(test_k(neighbours(rare, 1), n = 19, verbose = FALSE)$p_value))
  doubled <- neighbours(answers(100), 2, weights = rep(2, 100))
  expect_equal(sum(doubled[[1]]$coded$weights), 200)
  rows <- answers(100)[rep(1:100, 2), ]
  # Rows of weight two are two rows: the same data, so the same log-likelihoods to rounding.
  expect_equal(test_k(doubled, n = 19, verbose = FALSE)[c("loglik", "loglik_null")],
               test_k(neighbours(rows, 2), n = 19, verbose = FALSE)[c("loglik", "loglik_null")],
               tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("fits without data take them as an argument", {
  x <- answers(150)
  fits <- neighbours(x, 1)
  test <- test_k(fits, n = 19, verbose = FALSE)
  bare <- lapply(fits, function(fit) {
    fit["coded"] <- list(NULL)
    fit
  })
  expect_error(test_k(bare), class = "mdpd_error_no_data")
  expect_equal(test_k(bare, n = 19, x = x, verbose = FALSE), test)
})

test_that("starts are of the fit's sizes, each split in two", {
  fit <- fit_pair(suppressWarnings(mdpd(answers(200), k = 2, n_starts = 1))$coded, answers_model(),
                  likelihood_control(list()))$null
  coded <- encode(with_gaps(answers(200)))
  starts <- split_starts(coded, fit)
  expect_length(starts, 2)
  for (k in 1:2) {
    weights <- starts[[k]]$mixing_weights
    expect_equal(weights[k] + weights[3], fit$mixing_weights[k])
    expect_equal(sum(weights), 1)
    for (probs in starts[[k]]$item_probs) {
      expect_equal(colSums(probs), rep(1, 3))
      expect_true(all(probs >= 0))
    }
    moved <- vapply(seq_along(fit$item_probs), function(i) {
      max(abs(starts[[k]]$item_probs[[i]][, 3] - fit$item_probs[[i]][, k]))
    }, 0)
    # Halves that are the same would never part.
    expect_gt(max(moved), 0.05)
  }
  # A row is of the half on whose side of the axis it lies, by the logistic function of twice its
  # place there.
  coded <- encode(answers(200))
  shown <- filled_indicators(coded, 1:200)
  place <- axis_scores(shown, fit$posterior, do.call(rbind, unname(fit$item_probs)))
  first <- colSums(fit$posterior * stats::plogis(2 * place)) / colSums(fit$posterior)
  starts <- split_starts(coded, fit)
  expect_equal(starts[[1]]$mixing_weights[1], fit$mixing_weights[[1]] * first[1])
  expect_equal(starts[[2]]$mixing_weights[3], fit$mixing_weights[[2]] * (1 - first[2]))
  # Few rows are enough for a start.
  expect_equal(spread_rows(10, 5, cells = 1000), 1:10)
  expect_equal(range(spread_rows(1e6, 100, cells = 1e4)), c(1, 1e6))
  expect_length(spread_rows(1e6, 100, cells = 1e4), 100)
  expect_length(spread_rows(1e6, 100, cells = 5e4), 500)
  expect_length(spread_rows(1e4, 1e4, cells = 1e5), 100)
})

test_that("starts count rows by their weights, and keep items of one level", {
  x <- cbind(answers(60)[1:3], one = "c")
  coded <- suppressWarnings(encode(x, rep(c(1, 3), 30)))
  posterior <- cbind(seq_len(60) / 61, 1 - seq_len(60) / 61)
  probs <- lapply(answers_model()$item_probs[1:3], unname)
  fit <- list(posterior = posterior, mixing_weights = c(0.4, 0.6),
              item_probs = c(probs, list(one = matrix(1, 1, 2))))
  starts <- split_starts(coded, fit)
  weighted <- posterior * coded$weights
  stacked <- do.call(rbind, unname(fit$item_probs))
  expect_identical(dim(starts[[1]]$item_probs[[4]]), c(1L, 3L))
  place <- axis_scores(filled_indicators(coded, 1:60), weighted, stacked)
  share <- colSums(weighted * stats::plogis(2 * place)) / colSums(weighted)
  expect_equal(starts[[1]]$mixing_weights, c(0.4 * share[1], 0.6, 0.4 * (1 - share[1])))
  expect_equal(starts[[2]]$mixing_weights, c(0.4, 0.6 * share[2], 0.6 * (1 - share[2])))
})

test_that("the ratio is twice the gain, and nothing where rounding loses", {
  ratio <- function(gain) {
    likelihood_ratio(list(larger = list(loglik = gain - 9), null = list(loglik = -9)))
  }
  expect_equal(ratio(0.25), 0.5)
  expect_identical(ratio(-1e-9), 0)
})

test_that("the level of the test holds", {
  skip_below_level_2()
  p <- vapply(1:200, function(seed) {
    test_k(neighbours(answers(200, seed = seed), 2), n = 39, verbose = FALSE)$p_value
  }, 0)
  # 5 % of 200 with a standard error of 1.5 %: four of them.
  expect_lt(abs(mean(p <= 0.05) - 0.05), 0.06)
})

test_that("a missing cell shows the levels by their shares", {
  x <- data.frame(a = c("u", "v", NA, "u"), b = c("y", "z", "y", NA))
  shown <- filled_indicators(suppressWarnings(encode(x)), 1:4)
  expect_equal(unname(shown), rbind(
    c(1, 0, 1, 0), c(0, 1, 0, 1), c(2 / 3, 1 / 3, 1, 0), c(1, 0, 2 / 3, 1 / 3)
  ))
  expect_equal(unname(filled_indicators(suppressWarnings(encode(x[1:2, ])), 2:1)),
               rbind(c(0, 1, 0, 1), c(1, 0, 1, 0)))
  # Of labels given more than once the shares too, also where all are.
  triples <- data.frame(item = rep(c(1, 1, 2, 2), 2), worker = rep(c("v", "w"), each = 4),
                        label = c("a", "b", "b", "b", "a", "a", "a", "b"))
  coded <- encode(crowd_labels(triples, duplicates = "count"))
  expect_equal(unname(filled_indicators(coded, 1:2)),
               rbind(c(0.5, 0.5, 1, 0), c(0, 1, 0.5, 0.5)))
})

test_that("rows are scored along the axis on which they depend most", {
  # In the first component the first two items are one, and nothing depends in the second.
  x <- expand.grid(a = 1:2, c = 1:2, d = 1:2)[rep(1:8, 4), ]
  x <- cbind(b = ifelse(seq_len(32) <= 16, x$a, rep(1:2, each = 8)), x)
  coded <- encode(x)
  shown <- one_hot(coded, names(x), 1:32)
  posterior <- outer(rep(1:2, each = 16), 1:2, `==`) + 0
  probs <- crossprod(shown, posterior) / 16
  scores <- axis_scores(shown, posterior, probs)
  first <- scores[1:16, 1]
  expect_equal(abs(first), rep(1, 16), tolerance = 1e-2)
  expect_equal(sum(first), 0, tolerance = 1e-8)
  expect_equal(first * first[1] > 0, x$a[1:16] == x$a[1])
  # By their deviations in units of the roots of the probabilities: in plain R.
  y <- answers(60)[1:3]
  y$item_4 <- factor(ifelse(seq_len(60) %% 4 == 0, "z", as.character(y$item_3)))
  indicators <- one_hot(encode(y), names(y), 1:60)
  means <- colMeans(indicators)
  deviations <- sweep(sweep(indicators, 2, means), 2, sqrt(means), "/")
  axis <- eigen(crossprod(deviations), symmetric = TRUE)$vectors[, 1]
  found <- axis_scores(indicators, matrix(1, 60, 1), cbind(means))
  expect_gt(abs(stats::cor(found, deviations %*% axis)), 0.999)
  # Within each component the mean is zero and the variance one, also with weights.
  posterior[c(3, 20), ] <- c(1.5, 0.2, 0.5, 3)
  probs <- crossprod(shown, posterior) / rep(colSums(posterior), each = nrow(probs))
  scores <- axis_scores(shown, posterior, probs)
  expect_equal(colSums(posterior * scores), c(0, 0))
  expect_equal(colSums(posterior * scores^2) / colSums(posterior), c(1, 1))
})

test_that("a list of fits must be two or more of the same data", {
  fits <- neighbours(answers(60), 1)
  three <- c(fits, list(suppressWarnings(mdpd(answers(61), k = 3, n_starts = 1))))
  expect_error(test_k(three), "fit 3 is not", class = "mdpd_error_argument")
  for (bad in list(fits[1], list(fits[[1]], 1), list(sharp_model(), fits[[2]]), 1:2)) {
    expect_error(test_k(bad), "at least two fits", class = "mdpd_error_argument")
  }
  # One more than three is tested where there are neighbours, whatever else there is.
  expect_length(neighbouring_fits(list(fits[[1]], fits[[2]], fits[[2]])), 1)
})

test_that("by default up to a hundred samples are drawn, until ten are as far as the data", {
  fits <- neighbours(answers(80)[6:8], 1)
  test <- test_k(fits, verbose = FALSE)
  expect_equal(test$reached, 10)
  expect_lt(test$draws, 100)
  expect_equal(attr(test, "n"), 100)
})

test_that("print names the number chosen; tidy() is a plain table", {
  test <- structure(
    data.frame(k = 2:3, loglik_null = c(-900, -850), loglik = c(-850, -848),
               statistic = c(100, 4), df = 9L, draws = c(100L, 20L), reached = c(0L, 10L),
               expected = c(12, 11), p_value = c(1 / 101, 0.5)),
    class = c("mdpd_test_k", "data.frame"), alpha = 0.05, n = 100, chosen = 2L
  )
  expect_snapshot(print(test))
  attr(test, "chosen") <- NA_integer_
  expect_output(print(test), "all are needed at level 0.05, try more than 3")
  expect_equal(tidy(test)$p.value, test$p_value)
  expect_output(print(test["p_value"]), "p_value")
  expect_false(inherits(tidy(test), "mdpd_test_k"))
})

test_that("a damaged test is not evaluated without end", {
  damaged <- structure(list(k = quote(x)), class = c("mdpd_test_k", "data.frame"), row.names = 1L)
  expect_error(tidy(damaged), class = "mdpd_error_damaged")
})

test_that("the picture has a panel for each test, with its samples and the data", {
  path <- suppressMessages(stagewise_em(answers(400), k = 1:3))
  test <- test_k(path, n = 19, all = TRUE, stop_after = Inf, verbose = FALSE)
  local_pdf()
  picture <- plot(test)
  bars <- ggplot2::layer_data(picture, 1)
  expect_equal(as.vector(tapply(bars$ymax, bars$PANEL, sum)), c(19, 19))
  expect_identical(ggplot2::layer_data(picture, 2)$xintercept, test$statistic)
  shown <- drawn_text(picture, 7, 5)$text
  expect_true(all(c("2 against 1", "3 against 2") %in% shown))
  expect_length(grep("^p [=<] 0[.]", shown), 2)
  expect_match(picture$labels$subtitle, "Chosen: k = 2", fixed = TRUE)
  second <- plot(test[2, ])
  expect_match(levels(second$data$panel), "^3 against 2")
  expect_identical(ggplot2::layer_data(second, 2)$xintercept, test$statistic[2])
  expect_error(autoplot(test["p_value"]), class = "mdpd_error_not_stored")
})

test_that("EM of a test ends where a step gains less than 1e-7 of the log-likelihood", {
  fit <- list(control = list(threads = 1L))
  expect_identical(likelihood_control(fit)[c("tol", "threads")], list(tol = 1e-7, threads = 1L))
})

test_that("bad input is told", {
  x <- answers(60)
  fits <- neighbours(x, 1)
  apart <- list(fits[[1]], suppressWarnings(mdpd(x, k = 4, n_starts = 1)))
  others <- list(fits[[1]], suppressWarnings(mdpd(answers(61), k = 2, n_starts = 1)))
  expect_snapshot({
    show_conditions(test_k(fits[[1]]))
    show_conditions(test_k(fits, n = 5))
    show_conditions(test_k(fits, alpha = 2))
    show_conditions(test_k(fits, stop_after = 0))
    show_conditions(test_k(apart))
    show_conditions(test_k(others))
    show_conditions(test_k(list(1, 2)))
  })
})
