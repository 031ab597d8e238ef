rows <- regression_rows(600, accuracy = 0.85)
held_out_fit <- regression_fit(rows)
fit <- of_posterior_alone(held_out_fit)

values_of <- function(object, ...) coef(suppressWarnings(distal_outcome(object, ...)))

test_that("by bch the means and shares are weighted, with the first step's part in the errors", {
  assigned <- max.col(fit$posterior)
  counts <- vapply(1:3, function(s) colSums(fit$posterior * (assigned == s)), numeric(3))
  weights <- solve(counts / rowSums(counts))[assigned, ]
  outcome <- distal_outcome(fit, rows$y)
  means <- colSums(weights * rows$y) / colSums(weights)
  expect_close(coef(outcome), means)
  influence <- sweep(weights * outer(rows$y, means, `-`), 2, colSums(weights), "/")
  of_first <- first_step_twin(fit, function(fit) values_of(fit, rows$y))
  # Central differences with steps of 1e-5 of ratios of sums: 1e-6 of a slope.
  expect_close(vcov(outcome), crossprod(influence) + of_first, tolerance = 1e-4)
  expect_gt(max(diag(of_first) / diag(vcov(outcome))), 0.02)

  shares <- distal_outcome(fit, rows$answer)
  expect_close(coef(shares)[["b|2"]], sum(weights[, 2] * (rows$answer == "b")) / sum(weights[, 2]))
  of_first <- first_step_twin(fit, function(fit) values_of(fit, rows$answer))
  levels <- c("a", "b", "c")
  influence <- do.call(cbind, lapply(1:3, function(k) {
    vapply(levels, function(level) {
      share <- coef(shares)[[paste0(level, "|", k)]]
      weights[, k] * ((rows$answer == level) - share) / sum(weights[, k])
    }, numeric(600))
  }))
  expect_close(vcov(shares), crossprod(influence) + of_first, tolerance = 1e-4)
})

test_that("rows are assigned to a wrong class as often as held-out rows are", {
  counts <- t(unname(held_out_fit$classification))
  weights <- solve(counts / rowSums(counts))[max.col(held_out_fit$posterior), ]
  outcome <- distal_outcome(held_out_fit, rows$y)
  expect_close(coef(outcome), colSums(weights * rows$y) / colSums(weights))
  # The classes are further apart than by the posterior, the errors little larger.
  by_posterior <- distal_outcome(fit, rows$y)
  expect_gt(diff(range(coef(outcome))), diff(range(coef(by_posterior))))
  expect_close(diag(vcov(outcome)), diag(vcov(by_posterior)), tolerance = 0.1)
})

# Log-likelihood of sizes (logits), means and log standard deviations.
twin_outcome_loglik <- function(theta, y, log_density) {
  sizes <- exp(c(0, theta[1:2]))
  density <- vapply(1:3, function(k) {
    stats::dnorm(y, theta[2 + k], exp(theta[5 + k]), log = TRUE) + log(sizes[k] / sum(sizes))
  }, numeric(length(y)))
  sum(log(rowSums(exp(density + log_density))))
}

test_that("by ml an outcome may have more levels than an item", {
  level <- replace(seq_len(600) %% 2 + 299, 1:298, 1:298)
  errors <- function(levels) {
    found <- suppressWarnings(distal_outcome(fit, factor(level, levels), method = "ml"))
    errors <- found$estimates$std.error
    errors[order(found$estimates$class, as.integer(found$estimates$level))]
  }
  expect_equal(errors(1:300), errors(300:1), tolerance = 1e-6)
  expect_false(anyNA(errors(1:300)[300 * 1:3]))
})

test_that("by ml the means are where the likelihood is highest, with its curvature", {
  assigned <- max.col(fit$posterior)
  counts <- vapply(1:3, function(s) colSums(fit$posterior * (assigned == s)), numeric(3))
  log_density <- t(log(counts / rowSums(counts)))[assigned, ]
  outcome <- distal_outcome(fit, rows$y, method = "ml")
  best <- stats::optim(
    c(0, 0, coef(outcome), 0, 0, 0), function(theta) {
      -twin_outcome_loglik(theta, rows$y, log_density)
    }, method = "BFGS", control = list(reltol = 1e-14, maxit = 500)
  )
  expect_close(coef(outcome), best$par[3:5], tolerance = 1e-4)
  hessian <- twin_numerical_hessian(
    function(move) -twin_outcome_loglik(best$par + move, rows$y, log_density), 8, 1e-3
  )
  of_first <- first_step_twin(fit, function(fit) values_of(fit, rows$y, method = "ml"))
  expect_close(vcov(outcome), solve(hessian)[3:5, 3:5] + of_first, tolerance = 1e-3)
})

test_that("of shares inside (0, 1) both methods are the same", {
  # As many parameters as cells of assigned class by level: both solve the same equations.
  smooth <- c("a", "b")[1 + (with_seed(4, stats::runif(600)) < 0.3 + 0.2 * (rows$class == "2"))]
  a <- distal_outcome(fit, smooth)
  b <- distal_outcome(fit, smooth, method = "ml")
  expect_close(coef(a), coef(b), tolerance = 1e-6)
  expect_close(vcov(a), vcov(b), tolerance = 1e-4)
})

test_that("with classes beyond doubt the means are those of the classes", {
  sharp_rows <- regression_rows(500, accuracy = 0.99, seed = 2, n_items = 16)
  sharp <- regression_fit(sharp_rows)
  by_class <- split(sharp_rows$y, sharp_rows$class)
  for (method in c("bch", "ml")) {
    outcome <- suppressWarnings(distal_outcome(sharp, sharp_rows$y, method = method))
    expect_close(coef(outcome), vapply(by_class, mean, 0), tolerance = 1e-3)
    errors <- vapply(by_class, function(y) sqrt(mean((y - mean(y))^2) / length(y)), 0)
    expect_close(outcome$estimates$std.error, errors, tolerance = 1e-2)
  }
})

test_that("both methods find the truth, and the means of assigned classes do not", {
  many <- regression_rows(8000, 0.8, seed = 5)
  large <- regression_fit(many)
  truth <- c(0, 2, -1)
  for (method in c("bch", "ml")) {
    outcome <- distal_outcome(large, many$y, method = method)
    # Three draws of a standard normal: beyond 3.5 once in 700 such tests.
    expect_lt(max(abs((coef(outcome) - truth) / outcome$estimates$std.error)), 3.5)
    expect_lt(outcome$test$p.value, 1e-10)
  }
  naive <- tapply(many$y, predict(large), mean)
  expect_lt(naive[["2"]], 1.8)
})

test_that("weights, the order of rows and gaps are as elsewhere", {
  weights <- rep(c(1, 2, 3), 200)
  twice <- rep(seq_along(weights), weights)
  weighted <- regression_fit(rows, weights)
  plain <- regression_fit(list(items = rows$items[twice, ], class = rows$class[twice]))
  gaps <- replace(rows$y, c(2, 30), NA)
  for (method in c("bch", "ml")) {
    # Rows that count twice make the errors smaller than what chance moves.
    counted <- function(...) {
      suppressWarnings(distal_outcome(..., method = method), "mdpd_warning_classes_shifted")
    }
    a <- counted(weighted, rows$y)
    b <- counted(plain, rows$y[twice])
    expect_close(coef(a), coef(b), tolerance = 1e-5)
    expect_close(vcov(a), vcov(b), tolerance = 1e-5)
    expect_equal(a$nobs, b$nobs)
    expect_message(fewer <- distal_outcome(fit, gaps, method = method),
                   class = "mdpd_message_incomplete_outcome")
    expect_identical(fewer$n_incomplete, 2L)
    expect_equal(fewer$nobs, 598)
    expect_close(coef(fewer), coef(distal_outcome(fit, rows$y, method = method)), 0.05)
    # The unit and the zero of a number do not matter.
    expect_close(values_of(fit, 1e4 + 1e3 * rows$y, method = method),
                 1e4 + 1e3 * values_of(fit, rows$y, method = method), tolerance = 1e-7)
    # A row that counts twice is two rows of one cluster.
    for (outcome in list(rows$y, rows$answer)) {
      a <- counted(weighted, outcome, cluster = seq_along(weights))
      b <- counted(plain, outcome[twice], cluster = twice)
      expect_close(coef(a), coef(b), tolerance = 1e-5)
      expect_close(vcov(a), vcov(b), tolerance = 1e-5)
    }
  }
})

test_that("the tests are Wald's, of pairs adjusted by Holm", {
  outcome <- distal_outcome(fit, rows$y)
  contrast <- rbind(c(1, -1, 0), c(1, 0, -1))
  away <- contrast %*% coef(outcome)
  value <- drop(t(away) %*% solve(contrast %*% vcov(outcome) %*% t(contrast)) %*% away)
  expect_equal(outcome$test$statistic, value, tolerance = 1e-8)
  expect_equal(outcome$test$df, 2)
  pairs <- tidy(outcome, what = "pairs")
  expect_identical(paste(pairs$class_1, pairs$class_2), c("1 2", "1 3", "2 3"))
  expect_equal(pairs$difference[3], unname(coef(outcome)[2] - coef(outcome)[3]))
  expect_equal(pairs$p.adjusted, stats::p.adjust(pairs$p.value, "holm"))
  shares <- distal_outcome(fit, rows$answer)
  expect_equal(shares$test$df, 4)
  expect_equal(shares$pairs$df, c(2, 2, 2))
  # Which level is left out does not matter.
  other <- distal_outcome(fit, c(a = "z", b = "y", c = "x")[rows$answer])
  expect_equal(other$test$statistic, shares$test$statistic, tolerance = 1e-8)
})

test_that("an outcome of noise is rejected as often as the level says", {
  skip_below_level_2()
  small <- regression_fit(regression_rows(300, 0.85, seed = 9))
  for (method in c("bch", "ml")) {
    p <- vapply(1:400, function(seed) {
      distal_outcome(small, with_seed(seed, stats::rnorm(300)), method = method)$test$p.value
    }, 0)
    # Binomial: 5 % of 400, give or take three standard errors.
    expect_lt(abs(mean(p < 0.05) - 0.05), 0.033)
  }
})

test_that("the outcome is a column, its name or a vector", {
  data <- data.frame(income = rows$y, party = factor(rows$answer, c("c", "b", "a", "d")))
  a <- distal_outcome(fit, income, data)
  expect_identical(a$outcome, "income")
  expect_identical(coef(distal_outcome(fit, "income", data)), coef(a))
  expect_identical(coef(distal_outcome(fit, rows$y)), coef(a))
  # Levels in the factor's order, an empty one left out.
  expect_identical(distal_outcome(fit, party, data)$levels, c("c", "b", "a"))
  expect_identical(distal_outcome(fit, rows$answer == "a")$levels, c("FALSE", "TRUE"))
  expect_identical(glance(a)$outcome, "income")
  # A vector of one dimension, as of tapply(), is one; a matrix of one column and a list are not.
  expect_identical(coef(distal_outcome(fit, array(rows$y))), coef(a))
  for (y in list(as.matrix(rows$y), as.list(rows$y))) {
    expect_error(distal_outcome(fit, y), "`y` must be a vector with one value for each",
                 class = "mdpd_error_argument")
  }
  expect_no_error(distal_outcome(fit, replace(rows$y, 5, 1e150)))
})

test_that("a level of missing values is none", {
  answer <- factor(replace(rows$answer, 1:50, NA))
  for (method in c("bch", "ml")) {
    expected <- hush(distal_outcome(fit, answer, method = method))
    expect_message(found <- distal_outcome(fit, addNA(answer), method = method),
                   "50 of 600 rows have no outcome", class = "mdpd_message_incomplete_outcome")
    expect_identical(found$estimates, expected$estimates)
  }
})

test_that("by ml no random number is drawn", {
  set.seed(1)
  before <- .Random.seed
  distal_outcome(fit, rows$answer, method = "ml")
  expect_identical(.Random.seed, before)
})

test_that("the label is that of the column, if it says something", {
  expect_identical(outcome_label(structure(1:3, label = "Income")), "Income")
  for (odd in list(1:3, structure(1:3, label = ""), structure(1:3, label = c("a", "b")),
                   structure(1:3, labels = "a"))) {
    expect_null(outcome_label(odd))
  }
})

test_that("rows of weight zero do not count, nor does a level that only they have", {
  few <- regression_rows(200)
  none <- 1:20
  weighted <- regression_fit(few, replace(rep(1, 200), none, 0))
  others <- regression_fit(list(items = few$items[-none, ], class = few$class[-none]))
  for (method in c("bch", "ml")) {
    a <- distal_outcome(weighted, replace(few$answer, none, "d"), method = method)
    b <- distal_outcome(others, few$answer[-none], method = method)
    expect_identical(a$levels, c("a", "b", "c"))
    # Both fits end within the tolerance of EM.
    expect_close(coef(a), coef(b), tolerance = 1e-5)
    expect_close(vcov(a), vcov(b), tolerance = 1e-4)
    expect_equal(a$nobs, 180)
  }
  expect_error(distal_outcome(weighted, seq_len(200) %in% none), "two different values",
               class = "mdpd_error_argument")
})

test_that("what depends on classes that nothing tells apart is not known, and the rest is", {
  class <- rep(1:4, c(80, 60, 90, 70))
  partly <- fit_that_tells_some(class)
  y <- class + with_seed(2, stats::rnorm(300))
  # Whatever the unit.
  for (unit in c(1, 1e-9, 1e9)) {
    for (method in c("bch", "ml")) {
      found <- suppressWarnings(distal_outcome(partly, unit * y, method = method))
      expect_identical(is.na(found$estimates$std.error), c(FALSE, FALSE, TRUE, TRUE))
      expect_true(is.na(found$test$p.value))
      expect_identical(is.na(found$pairs$p.value),
                       paste(found$pairs$class_1, found$pairs$class_2) != "1 2")
    }
  }
  # The classes that are sure are compared by their rows.
  sure <- t.test(y[class == 1], y[class == 2])
  found <- suppressWarnings(distal_outcome(partly, y))
  expect_equal(found$pairs$statistic[1], unname(sure$statistic)^2, tolerance = 0.02)
})

test_that("by ml one more step of EM changes nothing", {
  outcome <- list(values = as.matrix(rows$y) / 1000, levels = NULL, weights = rep(c(1, 2), 300))
  # Little is told of the classes, so that it takes many steps.
  log_density <- log(0.2 + fit$posterior)
  end <- outcome_em(outcome, log_density, fit$mixing_weights)
  joint <- vapply(1:3, function(k) {
    stats::dnorm(outcome$values, end$means[k], end$spread[k]) * end$sizes[k]
  }, numeric(600)) * exp(log_density)
  weights <- joint / rowSums(joint) * outcome$weights
  sizes <- colSums(weights)
  means <- colSums(weights * as.vector(outcome$values)) / sizes
  away <- outer(as.vector(outcome$values), means, `-`)
  # Steps below 1e-9 of the standard deviation end it.
  expect_close(end$sizes, sizes / 900, tolerance = 4e-9)
  expect_close(end$means, means, tolerance = 4e-9)
  expect_close(end$spread, sqrt(colSums(weights * away^2) / sizes), tolerance = 4e-9)
  # No spread is below a thousandth of that of all.
  of_all <- stats::cov.wt(outcome$values, outcome$weights / 900, method = "ML")$cov
  expect_equal(end$floor, 1e-3 * sqrt(of_all[[1]]))
})

test_that("a class in which a number hardly varies is told, whatever the unit", {
  for (unit in c(1, 100)) {
    y <- unit * replace(rows$y, max.col(fit$posterior) == 2, 5)
    expect_warning(
      suppressWarnings(distal_outcome(fit, y, method = "ml"), "mdpd_warning_classes_shifted"),
      "hardly varies in class \"2\"", class = "mdpd_warning_boundary"
    )
  }
})

test_that("the unit of a number does not matter, as far as its squares are numbers", {
  y <- ifelse(rows$class == "1", rows$y, 0)
  for (method in c("bch", "ml")) {
    estimates <- function(unit) {
      found <- suppressWarnings(distal_outcome(fit, unit * y, method = method),
                                "mdpd_warning_boundary")
      c(found$estimates$estimate, found$estimates$std.error) / unit
    }
    for (unit in c(1e-139, 1e149)) expect_equal(estimates(unit), estimates(1), tolerance = 1e-6)
    expect_error(estimates(1e-142), "at least 1e-140 apart", class = "mdpd_error_argument")
  }
})

test_that("where nothing varies there is no test, whatever the unit and what rounding leaves", {
  test <- function(unit, variances, estimate = c(1, 2, 5), classes = 1:2) {
    tested <- list(estimate = unit * estimate, covariance = unit^2 * diag(variances), unit = unit,
                   loose = rep(FALSE, 3), design_df = Inf)
    unlist(test_classes(tested, classes))
  }
  for (unit in c(1e-120, 1e-9, 1, 1e12)) {
    # Two means that are each of one value, next to a third that is not.
    rounded <- c(3e-32, 8e-33, 0.01)
    expect_identical(test(unit, rounded), c(statistic = NA, df = 0, p.value = NA))
    expect_equal(test(unit, rounded, classes = c(1, 3))[["statistic"]], 4^2 / 0.01)
    expect_identical(test(unit, rounded, c(2, 2, 5))[["p.value"]], 1)
    # What is small, and not rounding, is a variance.
    expect_equal(test(unit, c(3e-20, 1e-20, 0.01))[["statistic"]], 1 / 4e-20)
  }
})

test_that("the largest integers are far enough apart", {
  largest <- .Machine$integer.max
  expect_no_error(distal_outcome(fit, ifelse(rows$y > 0, largest, -largest)))
})

test_that("shares beyond the boundary and classes that move are told", {
  told <- c("x", "y", "z")[max.col(fit$posterior)]
  expect_warning(outcome <- distal_outcome(fit, told), class = "mdpd_warning_negative_share")
  limits <- tidy(outcome, conf.int = TRUE)
  expect_named(limits, c("term", "class", "outcome", "estimate", "std.error", "conf.low",
                         "conf.high"))
  expect_true(all(limits$conf.low >= 0 & limits$conf.high <= 1))
  expect_warning(outcome <- distal_outcome(fit, told, method = "ml"),
                 class = "mdpd_warning_boundary")
  expect_true(anyNA(outcome$estimates$std.error))
  expect_true(is.na(outcome$test$p.value))
  # Most of these numbers are close to zero.
  suppressWarnings(
    expect_warning(distal_outcome(fit, exp(3 * rows$covariates$z), method = "ml"),
                   class = "mdpd_warning_classes_shifted"),
    classes = "mdpd_warning_boundary"
  )
})

test_that("by ml an outcome that changes the means is told, and a normal one is not", {
  told <- function(y) {
    found <- FALSE
    withCallingHandlers(distal_outcome(fit, y, method = "ml"), warning = function(cnd) {
      found <<- inherits(cnd, "mdpd_warning_classes_shifted")
      rlang::cnd_muffle(cnd)
    })
    found
  }
  # Of noise, the same in all classes: the sizes stay, the rows change their classes.
  skewed <- vapply(1:10, function(seed) told(with_seed(seed, stats::rlnorm(600))), NA)
  expect_true(all(skewed))
  # Normal within the classes, which the outcome tells less well, as well and better than the items.
  for (apart in c(0, 1, 5)) {
    numbers <- function(seed) apart * as.integer(rows$class) + with_seed(seed, stats::rnorm(600))
    normal <- vapply(1:10, function(seed) told(numbers(seed)), NA)
    expect_lte(sum(normal), 1)
  }
  expect_snapshot(show_conditions(
    distal_outcome(fit, with_seed(1, stats::rlnorm(600)), method = "ml")
  ), transform = without_digits)
})

test_that("by ml two numbers are no outcome, and their shares are", {
  two <- as.numeric(rows$answer == "a")
  expect_error(distal_outcome(fit, two, method = "ml"), "more than two different values",
               class = "mdpd_error_argument")
  expect_no_error(values_of(fit, factor(two), method = "ml"))
  expect_no_error(values_of(fit, two))
})

test_that("print says what was done", {
  expect_snapshot(
    {
      print(distal_outcome(fit, rows$y))
      print(distal_outcome(fit, rows$answer, method = "ml"))
      show_conditions(print(distal_outcome(fit, replace(rows$y, 1, NA))))
    },
    transform = without_digits
  )
})

test_that("tables have two digits of the smallest error", {
  means <- distal_outcome(fit, rows$y)
  capture.output(shown <- withVisible(print(means)))
  expect_false(shown$visible)
  expect_identical(shown$value, means)
  means$sizes[] <- c(0.5, 0.298, 0.202)
  means$estimates$estimate <- c(1.2341, 0.5, -0.02)
  means$estimates$std.error <- c(0.0123, 0.25, NA)
  # With 1.96 errors to both sides.
  expect_identical(unname(format_means(means)), rbind(
    c("50.0 %", "1.234", "0.012", "1.210 to 1.258"),
    c("29.8 %", "0.500", "0.250", "0.010 to 0.990"),
    c("20.2 %", "-0.020", "-", "- to -")
  ))
  means$pairs$difference <- c(-2.034, 0.0123, 15)
  means$pairs$statistic <- c(4.214, 0.1, 20)
  means$pairs$p.adjusted <- c(0.04, 0.7512, 1e-6)
  expect_identical(unname(format_pairs(means)), cbind(
    c("-2.034", "0.012", "15.000"), c("4.21", "0.10", "20.00"), "1", c("0.040", "0.751", "< 0.001")
  ))
  # All of a column with as many decimals: of incomes none.
  means$estimates$estimate <- c(36418.4, 9448.79, 18679.2)
  means$estimates$std.error <- c(2287.12, 312.5, 1204.9)
  means$pairs$difference <- c(26969.61, 17739.2, -9230.41)
  expect_identical(unname(format_means(means)[, -1]), rbind(
    c("36418", "2287", "31936 to 40901"), c("9449", "312", "8836 to 10061"),
    c("18679", "1205", "16318 to 21041")
  ))
  expect_identical(format_pairs(means)[, "difference"][[3]], "-9230")
  means$estimates$std.error[2] <- 12.5
  expect_identical(unname(format_means(means)[2, -1]), c("9449", "12.50", "9424 to 9473"))

  shares <- distal_outcome(fit, rows$answer)
  shares$estimates$estimate <- c(0.1234, 0.8, 0.0766, 0, 1, 0, 1.1, -0.1, 0)
  shares$estimates$std.error <- c(0.0123, 0.2, NA, rep(0.1, 6))
  expect_identical(unname(format_shares(shares)), cbind(
    c("12.3 % (1.2 %)", "80.0 % (20.0 %)", "7.7 % (-)"),
    c("0.0 % (10.0 %)", "100.0 % (10.0 %)", "0.0 % (10.0 %)"),
    c("110.0 % (10.0 %)", "-10.0 % (10.0 %)", "0.0 % (10.0 %)")
  ))
  # Inside (0, 1) an interval is made on the logit scale; elsewhere it ends there.
  limits <- tidy(shares, conf.int = TRUE)
  half <- stats::qnorm(0.975) * 0.1
  expect_equal(limits$conf.low[-(1:2)], c(NA, 0, 1 - half, 0, 1.1 - half, 0, 0))
  expect_equal(limits$conf.high[-(1:2)], c(NA, half, 1, half, 1, half - 0.1, half))
  logit <- stats::qnorm(0.975) * 0.2 / (0.8 * 0.2)
  expect_equal(limits$conf.low[2], 1 / (1 + exp(logit) / 4))
  expect_equal(limits$conf.high[2], 1 / (1 + exp(-logit) / 4))
  expect_named(tidy(shares), c("term", "class", "outcome", "estimate", "std.error"))
  expect_error(tidy(shares, conf.level = 1.5), class = "mdpd_error_argument")
})

test_that("with robust errors the statistic is divided by its degrees of freedom", {
  shares <- distal_outcome(fit, rows$answer, type = "robust")
  shares$test[1:2] <- list(8.84, 4)
  shares$pairs$statistic <- c(4.4, 1, 20)
  expect_output(print(shares), "F 2.21, df 4 and 599, p", fixed = TRUE)
  expect_identical(format_pairs(shares)[, "F"],
                   c("1 and 2" = "2.20", "1 and 3" = "0.50", "2 and 3" = "10.00"))
})

test_that("names that are too long for tables and titles are cut", {
  long <- function(n, last) paste0(strrep("long ", n / 5 - 1), "name", last)
  shares <- distal_outcome(fit, rows$answer)
  shares$classes <- paste0(long(20, ""), 1:3, "x")
  shares$levels <- paste0(long(30, ""), 1:3, "x")
  expect_identical(unique(nchar(rownames(format_shares(shares)))), 30L)
  expect_identical(unique(nchar(colnames(format_shares(shares)))), 12L)
  shares$pairs$class_1 <- shares$classes[c(1, 1, 2)]
  shares$pairs$class_2 <- shares$classes[c(2, 3, 3)]
  expect_identical(unique(nchar(rownames(format_pairs(shares)))), 45L)
  means <- distal_outcome(fit, rows$y)
  means$classes <- shares$classes
  expect_identical(unique(nchar(rownames(format_means(means)))), 20L)
  means$outcome <- long(40, "41")
  expect_no_match(capture.output(print(means))[1], means$outcome)
  means$outcome <- "income"
  means$label <- long(30, "abcdef")
  expect_match(capture.output(print(means))[1], means$label)
  means$label <- long(30, "abcdefg")
  expect_no_match(capture.output(print(means))[1], means$label)
})

test_that("pictures have the intervals of the level, and shares begin at zero", {
  means <- distal_outcome(fit, rows$y)
  picture <- autoplot(means, level = 0.9)
  limits <- tidy(means, conf.int = TRUE, conf.level = 0.9)
  expect_equal(picture$data[c("low", "high")], as.data.frame(limits[c("conf.low", "conf.high")]),
               ignore_attr = TRUE)
  expect_match(picture$labels$subtitle, "^90 % intervals; all classes equal: p < 0.001$")
  expect_error(autoplot(means, level = 1.5), class = "mdpd_error_argument")
  # A mean without an error is a point.
  means$estimates$std.error[2] <- NA
  local_pdf()
  expect_silent(ggplot2::ggplotGrob(autoplot(means)))
  shares <- autoplot(distal_outcome(fit, rows$answer))
  range <- ggplot2::layer_scales(shares)$x$range$range
  expect_equal(range[1], 0)
  expect_lt(range[2], 1)
})

test_that("bad input is told", {
  data <- data.frame(y = rows$y, same = 1, endless = replace(rows$y, 5, Inf))
  expect_snapshot({
    show_conditions(distal_outcome(fit))
    show_conditions(distal_outcome(fit, income, data))
    show_conditions(distal_outcome(fit, "income", data))
    show_conditions(distal_outcome(fit, 1:3))
    show_conditions(distal_outcome(fit, data))
    show_conditions(distal_outcome(fit, y, data[1:5, ]))
    show_conditions(distal_outcome(fit, same, data))
    show_conditions(distal_outcome(fit, endless, data))
    show_conditions(distal_outcome(fit, 1e-200 * y, data))
    show_conditions(distal_outcome(fit, as.Date("2020-01-01") + seq_len(600)))
    show_conditions(distal_outcome(fit, y, data, method = "one-step"))
    show_conditions(distal_outcome(fit, y, data, weights = rep(1, 600)))
    show_conditions(distal_outcome(stagewise_em(rows$items, k = 1), y, data))
    show_conditions(tidy(distal_outcome(fit, y, data), what = "levels"))
  })
})

test_that("rows without any answer are in no class and change nothing", {
  of_more <- regression_fit(with_empty_rows(rows))
  y <- c(rows$y, rep(100, 6))
  answer <- c(rows$answer, rep("d", 6))
  for (method in c("bch", "ml")) {
    expect_message(found <- distal_outcome(of_more, y, method = method),
                   "6 rows without any answer", class = "mdpd_message_no_answer")
    without <- distal_outcome(fit, rows$y, method = method)
    # Both fits end within the tolerance of EM.
    expect_close(coef(found), coef(without), tolerance = 1e-5)
    expect_close(vcov(found), vcov(without), tolerance = 1e-4)
    expect_identical(c(found$nobs, found$n_obs, found$n_no_answer), c(600, 606, 6))
    shares <- suppressMessages(distal_outcome(of_more, answer, method = method))
    expect_identical(shares$levels, c("a", "b", "c"))
  }
  # A row that lacks both counts once.
  found <- suppressMessages(distal_outcome(of_more, replace(y, 600:601, NA)))
  expect_identical(c(found$n_incomplete, found$n_no_answer), c(2L, 5L))
  expect_output(print(found), "599 rows; 2 more without an outcome and 5 without any answer do not",
                fixed = TRUE)
})

test_that("a class without a row that has the outcome is told", {
  assigned <- unname(predict(fit))
  for (method in c("bch", "ml")) {
    expect_error(hush(distal_outcome(fit, ifelse(assigned == "1", rows$y, NA), method = method)),
                 "\"2\" and \"3\" have none", class = "mdpd_error_empty_class")
  }
  # One row of a hundred others may be there by error.
  few <- c(which(assigned != "3"), which(assigned == "3")[1])
  y <- replace(rep(NA, 600), few, rows$y[few])
  expect_error(hush(distal_outcome(fit, y)), "\"3\" has none", class = "mdpd_error_empty_class")
})

test_that("the print has the total weight", {
  weighted <- distal_outcome(regression_fit(rows, weights = rep(c(1, 2.5), 300)), rows$y,
                             type = "robust")
  expect_output(print(weighted), "600 rows of total weight 1,050", fixed = TRUE)
})

test_that("augment() says where the classes of the rows are", {
  expect_snapshot(show_conditions(augment(distal_outcome(fit, rows$y))))
})

test_that("means are away from those by weights beyond what chance does in one of a hundred", {
  # Of three classes, by a normal distribution on both sides; half a standard error is let pass.
  by_weights <- list(estimate = c(0, 0, 0), covariance = diag(c(4, 4, 4)), loose = rep(FALSE, 3))
  limit <- sqrt(stats::qnorm(1 - 0.01 / 6)^2 * 3 + 4 / 4)
  found <- list(estimate = limit * c(1.001, -1.001, 0.999), covariance = diag(3),
                loose = rep(FALSE, 3))
  expect_equal(beyond_weighed(found, by_weights), limit * c(1.001, 1.001, 0) / 2)
  # In another unit, with no variance, and where the likelihood gains nothing.
  by_weights$covariance <- diag(c(4, 4, 0)) / 100
  found[1:2] <- list(limit * c(1.001, 0.999, 1) / 10, diag(c(1, 1, 0)) / 100)
  expect_equal(beyond_weighed(found, by_weights), limit * c(1.001, 0, 0) / 2)
  by_weights$covariance <- diag(c(4, 4, 4))
  found[1:2] <- list(c(1.001, 0.999, 0), diag(9, 3))
  expect_equal(beyond_weighed(found, by_weights), c(1.001, 0, 0) / 2)
  found[1:2] <- list(limit * c(1.001, -1.001, 0.999), diag(3))
  found$loose[1] <- by_weights$loose[2] <- TRUE
  expect_equal(beyond_weighed(found, by_weights), c(0, 0, 0))
})

test_that("64-bit integers are no outcome, and numbers may be 1e-140 apart", {
  ids <- structure(rep(c(1, 2), 300) * 2^-1074, class = "integer64")
  expect_error(distal_outcome(fit, ids), "`y` must hold numbers, a factor",
               class = "mdpd_error_argument")
  expect_silent(check_unit(1e-140, NULL))
  expect_error(check_unit(0.99e-140, NULL), "at least 1e-140 apart", class = "mdpd_error_argument")
})

test_that("a share at 0 or 1 is in its range, and one beyond by more than rounding is told", {
  tell <- function(estimate) {
    warn_outcome(list(estimates = data.frame(class = "1", level = "a", estimate), kind = "shares",
                      method = "bch"), list(), fit, quote(distal_outcome()))
  }
  expect_silent(tell(c(0, 1, -5e-10, 1 + 5e-10)))
  for (estimate in c(-2e-9, 1 + 2e-9)) {
    expect_warning(tell(c(0.5, estimate)), "1 share is below 0 or above 1: a in class 1",
                   class = "mdpd_warning_negative_share")
  }
})

test_that("by ml one share on the boundary is told, and classes that change by a tenth", {
  object <- list(mixing_weights = c(0.5, 0.5))
  tell <- function(moved, away = 0, bounded = FALSE) {
    found <- list(sizes = c(0.5 + moved, 0.5 - moved), away = away, bounded = bounded)
    warn_likelihood(list(kind = "shares"), found, object, quote(distal_outcome()))
  }
  expect_silent(tell(0.099, bounded = c(FALSE, FALSE)))
  expect_warning(tell(0, bounded = c(TRUE, FALSE)), "1 share of 0 or 1 has no standard error",
                 class = "mdpd_warning_boundary")
  expect_warning(tell(0.101), "moves 10 % of the rows", class = "mdpd_warning_classes_shifted")
  expect_warning(tell(0.05, c(1, 0.2)), "a mean is 1.0 standard errors from",
                 class = "mdpd_warning_classes_shifted")
})

test_that("by ml no spread is below a thousandth of that of all", {
  y <- c(rep(5, 20), 1:40)
  outcome <- list(values = cbind(y), levels = NULL, weights = rep(1, 60))
  class <- rep(1:2, c(20, 40))
  end <- outcome_em(outcome, log(outer(class, 1:2, `==`) + 1e-9), c(0.5, 0.5))
  expect_identical(end$spread[1], end$floor)
  expect_gt(end$spread[2], 5)
})

test_that("shares on the boundary vary by nothing", {
  told <- c("x", "y", "z")[max.col(fit$posterior)]
  sure <- suppressWarnings(distal_outcome(fit, told, method = "ml"))
  expect_identical(unname(vcov(sure)), matrix(0, 9, 9))
  expect_identical(sure$test$df, 0L)
})
