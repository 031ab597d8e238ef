rows <- regression_rows(400)
fit <- regression_fit(rows)
covariates <- rows$covariates
regression <- class_regression(fit, ~ z + g, covariates)

test_that("print and summary say what was done", {
  gaps <- covariates
  gaps$z[1:3] <- NA
  by_bch <- suppressMessages(class_regression(fit, ~ z + g, gaps, method = "bch"))
  expect_snapshot(
    {
      print(regression)
      print(by_bch)
      print(class_regression(fit, ~ 1, covariates, method = "one-step"))
      print(summary(regression))
      print(anova(regression))
    },
    transform = without_digits
  )
  capture.output(shown <- withVisible(print(regression)))
  expect_false(shown$visible)
  expect_identical(shown$value, regression)
})

test_that("numbers have two digits of their errors", {
  small <- class_regression(fit, ~ I(1000 * z), covariates)
  shown <- format_coefficients(small)["I(1000 * z)", "2"]
  expect_match(shown, "^0[.]000[0-9]+ [(]0[.]000[0-9]{2}[)]$")
})

test_that("coefficients of large and small units keep their digits, with a word on the unit", {
  scaled <- function(unit) {
    covariates$z <- covariates$z * unit
    class_regression(fit, ~ z + g, covariates)
  }
  # Of z itself, with two digits of the smaller error; a unit of a power of ten moves the point.
  plain <- as.vector(coef(regression)["z", ])
  for (unit in c(1e8, 1e12)) {
    of_unit <- scaled(unit)
    cells <- format_coefficients(of_unit)["z", ]
    expect_match(cells, "^-?[0-9.]+e-[0-9]+ [(][0-9.]+e-[0-9]+[)]$")
    shown <- as.double(sub(" .*", "", cells))
    # Half of the last digit shown, 0.01 or 0.001 of z.
    expect_lt(max(abs(shown * unit - plain)), 0.006)
    expect_output(print(of_unit), "z: easier to read in larger units", fixed = TRUE)
    expect_output(print(summary(of_unit)), "z: easier to read in larger units", fixed = TRUE)
  }
  expect_output(print(scaled(1e-6)), "z: easier to read in smaller units", fixed = TRUE)
  expect_false(any(grepl("easier", capture.output(print(regression)))))
  expect_identical(number_text(c(3.21e-7, 1.1e-9, 0, NA), 10),
                   c("3.210e-07", "1.1e-09", "0.000000", "-"))
  # Beyond 10,000 without decimals; more than six are not written.
  expect_identical(number_text(c(9999.4, 1e4, -123456)), c("9999.40", "10000", "-123456"))
  expect_identical(number_text(c(0.123, 12345.6, 1e14)), c("0.12", "12346", "100000000000000"))
  expect_identical(number_text(1e15), "1e+15")
  expect_identical(number_text(0.1234567, 6), "0.123457")
  expect_identical(number_text(c(0.1234567, 3e-7, 1), 7),
                   c("1.234567e-01", "3e-07", "1.0000000e+00"))
  # Two digits of the smallest error that is one.
  errors <- rbind(c(0.5, 0.02), c(3, NA), c(0, 0.0004), c(20, 100), c(0.1, 0.099))
  expect_identical(row_digits(errors), c(3, 2, 5, 2, 3))
})

test_that("a unit is spoken of from coefficients of 10,000, and errors that take seven decimals", {
  told <- function(coefficient, error) {
    regression$coefficients[c("(Intercept)", "z"), "3"] <- coefficient
    diag(regression$covariance)[4:5] <- error^2
    grep("easier", capture.output(print(regression)), value = TRUE)
  }
  expect_length(told(9999, 1), 0)
  expect_identical(told(-1e4, 1), "  z: easier to read in smaller units, as I(1000 * x)")
  expect_length(told(0.1, 1.1e-5), 0)
  expect_identical(told(0.1, 9e-6), "  z: easier to read in larger units, as I(x / 1000)")
})

test_that("print and summary show the numbers of each class under its name", {
  s <- summary(regression, level = 0.9)
  capture.output(shown <- withVisible(print(s)))
  expect_false(shown$visible)
  expect_identical(shown$value, s)
  limits <- confint(regression, level = 0.9)
  expect_equal(s$coefficients[c("conf.low", "conf.high")], as.data.frame(unname(limits)),
               ignore_attr = TRUE)
  expect_equal(s$coefficients$odds_ratio, exp(as.vector(coef(regression))))
  expect_identical(s$coefficients$term, rep(rownames(coef(regression)), 2))
  lines <- capture.output(print(s))
  # Errors between 0.1 and 1 have two decimals.
  number <- function(x) sprintf("%.2f", x)
  for (class in c("2", "3")) {
    begin <- grep(paste("Class", class, "against 1"), lines)
    expect_match(lines[begin + 1], "estimate +std. error +90 % interval +p +odds ratio")
    at <- paste0("z|", class)
    expect_match(lines[begin + 3], paste0(
      "^  z +", number(coef(regression)["z", class]), " +", number(sqrt(vcov(regression)[at, at])),
      " +", number(limits[at, 1]), " to +", number(limits[at, 2]), " .* ",
      number(exp(coef(regression)["z", class])), "$"
    ))
  }
  tests <- anova(regression)
  expect_match(lines, paste0("^  g +2 +", number(tests["g", "Chisq"]), " +", format_p(tests[2, 3])),
               all = FALSE)
  expect_match(capture.output(print(regression)), fixed = TRUE, all = FALSE,
               paste0("log-likelihood ", nats(logLik(regression)), ", AIC ",
                      nats(stats::AIC(regression))))
})

test_that("terms with long names are cut in tables", {
  long <- paste0(strrep("long_", 5), "name", c("123", "12", "1234"))
  renamed <- regression
  rownames(renamed$coefficients) <- long
  expect_identical(nchar(rownames(format_coefficients(renamed))), rep(30L, 3))
  table <- summary(renamed)$coefficients[1:3, ]
  expect_identical(nchar(rownames(format_terms(table, 0.95, FALSE))), rep(30L, 3))
  tests <- anova(regression)
  rownames(tests) <- long[2:3]
  expect_identical(nchar(rownames(format_term_tests(tests))), rep(30L, 2))
  diag(renamed$covariance) <- 1e-12
  expect_no_match(grep("easier", capture.output(print(renamed)), value = TRUE), long[2])
})

test_that("model.matrix() is the design", {
  expect_equal(model.matrix(regression), stats::model.matrix(~ z + g, covariates))
})

test_that("coef, vcov, confint and tidy say the same", {
  table <- tidy(regression, conf.int = TRUE, conf.level = 0.9)
  expect_named(table, c("class", "term", "estimate", "std.error", "statistic", "p.value",
                        "conf.low", "conf.high"))
  expect_equal(table$estimate, as.vector(coef(regression)))
  expect_equal(table$std.error, unname(sqrt(diag(vcov(regression)))))
  expect_identical(paste0(table$term, "|", table$class), rownames(vcov(regression)))
  limits <- confint(regression, level = 0.9)
  expect_equal(table$conf.low, unname(limits[, 1]))
  expect_equal(limits[, 2] - limits[, 1], 2 * qnorm(0.95) * table$std.error, ignore_attr = TRUE)
  expect_equal(table$p.value, 2 * pnorm(-abs(table$estimate / table$std.error)))
  odds <- tidy(regression, conf.int = TRUE, conf.level = 0.9, exponentiate = TRUE)
  expect_equal(odds$conf.high, exp(table$conf.high))
  expect_equal(odds$std.error, table$std.error)
})

test_that("parm selects by term, class, name or position", {
  all <- confint(regression)
  expect_identical(rownames(confint(regression, "z")), c("z|2", "z|3"))
  expect_identical(confint(regression, c("3", "z|2")), all[c(4:6, 2), ])
  expect_identical(confint(regression, 2), all[2, , drop = FALSE])
  for (parm in list(c("z", "nobody"), c(2, 7), character(), 0)) {
    expect_error(confint(regression, parm), class = "mdpd_error_argument")
  }
  expect_error(confint(regression, c("z", "nobody")), "There is no \"nobody\"")
  expect_error(tidy(regression, conf.level = 1.5), class = "mdpd_error_argument")
  expect_error(tidy(regression, conf.int = NA), "`conf.int` must be", class = "mdpd_error_argument")
  expect_error(predict(regression, interval = TRUE, level = 1.5), class = "mdpd_error_argument")
})

test_that("glance, logLik and nobs agree with stats", {
  row <- glance(regression)
  expect_equal(row$AIC, stats::AIC(regression))
  expect_equal(row$BIC, stats::BIC(regression))
  expect_equal(row$nobs, 400)
  # Without covariates the likelihood is that of the fit.
  alone <- class_regression(fit, ~ 1, covariates)
  expect_equal(as.numeric(logLik(alone)), as.numeric(logLik(fit)), tolerance = 1e-8)
  expect_equal(attr(logLik(alone), "df"), fit$df)
  # The assigned classes of "ml" have no parameters of their own.
  expect_equal(class_regression(fit, ~ z, covariates, "ml")$df, 4)
  expect_identical(formula(regression), ~ z + g, ignore_attr = TRUE)
})

test_that("a regression can be updated", {
  expect_identical(coef(update(class_regression(fit, ~ z, covariates), ~ . + g)),
                   coef(regression))
})

test_that("predictions of new rows are those of the rows", {
  expect_close(predict(regression, covariates), predict(regression), tolerance = 1e-12)
  whole <- cbind(rows$items, covariates)
  expect_close(predict(regression, whole, type = "posterior"),
               predict(regression, type = "posterior"), tolerance = 1e-9)
  expect_identical(predict(regression, whole, type = "class"), predict(regression, type = "class"))
  expect_close(rowSums(predict(regression, type = "posterior")), rep(1, 400))
  one_step <- class_regression(fit, ~ z + g, covariates, method = "one-step")
  expect_close(predict(one_step, whole, type = "posterior"), one_step$posterior, tolerance = 1e-9)
  by_ml <- class_regression(fit, ~ z + g, covariates, method = "ml")
  expect_close(predict(by_ml, whole, type = "posterior"), by_ml$posterior, tolerance = 1e-9)
  for (type in c("prob", "posterior", "class")) {
    first <- predict(regression, type = type)
    expect_equal(predict(regression, whole[1, ], type = type),
                 if (type == "class") first[1] else first[1, , drop = FALSE], ignore_attr = TRUE)
  }
  named <- `rownames<-`(covariates[1:2, ], c("a", "b"))
  expect_identical(rownames(predict(regression, named)), c("a", "b"))
  expect_identical(predict(regression, named, interval = TRUE)$row, rep(c("a", "b"), 3))
  lacking <- predict(regression, data.frame(z = c(0, NA), g = "here"))
  expect_identical(unname(is.na(lacking[, 1])), c(FALSE, TRUE))
  none <- predict(regression, covariates[0, ], interval = TRUE)
  expect_identical(names(none), names(predict(regression, interval = TRUE)))
  expect_identical(nrow(none), 0L)
})

test_that("covariates sharpen the classes", {
  by_both <- error_rate(predict(regression, type = "class"), rows$class)
  by_items <- error_rate(predict(fit), rows$class)
  expect_lte(by_both, by_items)
})

test_that("intervals of shares are those of the delta method, inside (0, 1)", {
  new <- data.frame(z = c(-1, 2), g = "there")
  table <- predict(regression, new, interval = TRUE, level = 0.9)
  expect_equal(table$estimate, as.vector(predict(regression, new)))
  expect_true(all(table$conf.low > 0 & table$conf.high < 1))
  slopes <- vapply(1:6, function(i) {
    moved <- function(h) {
      regression$coefficients[i] <- regression$coefficients[i] + h
      as.vector(predict(regression, new))
    }
    (moved(1e-5) - moved(-1e-5)) / 2e-5
  }, numeric(6))
  expect_close(table$std.error, sqrt(diag(slopes %*% vcov(regression) %*% t(slopes))),
               tolerance = 1e-6)
})

test_that("rows that lack a covariate keep their names", {
  named <- rows
  rownames(named$items) <- sprintf("p%03d", 1:400)
  gaps <- replace(covariates$z, 2, NA)
  some <- suppressMessages(class_regression(regression_fit(named), ~ z, data.frame(z = gaps)))
  expect_identical(rownames(predict(some)), rownames(named$items))
  expect_identical(names(predict(some, type = "class")), rownames(named$items))
  expect_identical(predict(some, interval = TRUE)$row[2], "p002")
  # One of before knows the names of the others alone.
  some$row_names <- NULL
  expect_identical(rownames(predict(some))[1:3], c("p001", "2", "p003"))
})

test_that("anova tests terms by Wald, and nested regressions by their likelihood", {
  tests <- anova(regression)
  at <- c("gthere|2", "gthere|3")
  estimate <- coef(regression)["gthere", ]
  value <- drop(estimate %*% solve(vcov(regression)[at, at], estimate))
  expect_equal(tests["g", "Chisq"], value, tolerance = 1e-8)
  expect_identical(rownames(tests), c("z", "g"))
  smaller <- class_regression(fit, ~ z, covariates)
  ratios <- anova(regression, smaller)
  expect_equal(ratios$Chisq[2], 2 * (regression$loglik - smaller$loglik))
  expect_equal(ratios$Df[2], 2)
  # The same up to the curvature.
  expect_close(ratios$Chisq[2], value, tolerance = 0.2)
  expect_identical(nrow(anova(class_regression(fit, ~ 1, covariates))), 0L)
  # Three at once are compared one by one, in the order of their sizes.
  least <- class_regression(fit, ~ 1, covariates)
  three <- anova(smaller, regression, least)
  expect_equal(three$LogLik, c(least$loglik, smaller$loglik, regression$loglik))
  expect_equal(three$Chisq[-1], c(anova(least, smaller)$Chisq[2], ratios$Chisq[2]))
  expect_equal(three[["Pr(>Chisq)"]], stats::pchisq(three$Chisq, 2, lower.tail = FALSE))
  # Other sizes are another fit, and a term in another unit is no larger model.
  other <- smaller
  other$model$mixing_weights <- other$model$mixing_weights + c(1, -1, 0) * 1e-3
  same <- class_regression(fit, ~ I(2 * z), covariates)
  for (compared in list(list(least, other, regression), list(least, smaller, same))) {
    expect_error(do.call(anova, compared), class = "mdpd_error_not_nested")
  }
  # A design is in the space of a larger one up to a millionth, and has the same offset.
  design <- function(..., offset = 0) list(x = cbind(1, ...), offset = offset)
  z <- c(0, 1, 2, 3)
  near <- function(by) all_nested(list(design(z + c(0, by, 0, 0)), design(z, z^2)))
  expect_true(near(2e-6))
  expect_false(near(2e-5))
  expect_false(all_nested(list(design(z + c(1, -3, 3, -1) * 1e-3 + c(0, 0, 0, 5)), design(z, z^2))))
  expect_false(all_nested(list(design(z), design(z, z^2, offset = 1))))
  # So is each column, whatever the size of the others.
  z <- 0:6
  expect_true(all_nested(list(design(1e9 * z), design(z^2, z))))
  expect_false(all_nested(list(design(1e9 * z, z^3), design(1e9 * z, z^2, z == 0))))
  # Where terms add nothing, rounding may leave less than that.
  smaller$loglik <- regression$loglik + 1e-9
  expect_identical(anova(smaller, regression)$Chisq[2], 0)
})

test_that("there is no test by a singular covariance, and nothing to test is no evidence", {
  statistic <- function(...) wald_test(c(2, 3), matrix(c(...), 2), Inf)[["statistic"]]
  expect_equal(statistic(1, 0, 0, 2e-14), 4 + 9 / 2e-14)
  expect_identical(statistic(1, 1, 1, 1), NA_real_)
  expect_identical(statistic(1, 0, 0, 0), NA_real_)
  expect_identical(statistic(1, NA, NA, 1), NA_real_)
  # The unit of a covariate is not what makes one singular.
  at <- c("z|2", "gthere|2", "z|3", "gthere|3")
  estimate <- as.vector(coef(regression)[-1, ])
  wald_of_both <- drop(estimate %*% solve(vcov(regression)[at, at], estimate))
  for (unit in c(1, 1e8)) {
    in_units <- diag(c(1, unit)) %*% matrix(c(1, 0.5, 0.5, 2), 2) %*% diag(c(1, unit))
    expect_equal(wald_test(c(2, 3 * unit), in_units, Inf)[["statistic"]],
                 drop(c(2, 3) %*% solve(matrix(c(1, 0.5, 0.5, 2), 2), c(2, 3))))
    in_one <- class_regression(fit, ~ cbind(z, unit * as.integer(g)), covariates)
    expect_equal(anova(in_one)$Chisq, wald_of_both, tolerance = 1e-6)
  }
  expect_identical(c(wald_p(0, 0, Inf), wald_p(NA, 0, Inf)), c(1, NA))
  expect_equal(wald_p(6, 2, 10), stats::pf(3, 2, 10, lower.tail = FALSE))
})

test_that("the number of rows and of terms is that of the regression", {
  expect_output(print(regression), "400 rows", fixed = TRUE)
  about <- "Each term in all classes"
  alone <- summary(class_regression(fit, ~ 1, covariates))
  expect_no_match(capture.output(print(alone)), about)
  of_one <- summary(class_regression(fit, ~ z, covariates))
  expect_match(capture.output(print(of_one)), about, all = FALSE)
})

test_that("bad input is told", {
  by_bch <- class_regression(fit, ~ z, covariates, method = "bch")
  other <- align_components(fit, c("2", "1", "3")[as.integer(rows$class)])
  other <- class_regression(other, ~ z, covariates)
  gaps <- covariates
  gaps$z[1] <- NA
  fewer <- suppressMessages(class_regression(fit, ~ z, gaps))
  expect_snapshot({
    show_conditions(confint(regression, "age"))
    show_conditions(confint(regression, level = 2))
    show_conditions(predict(regression, 1:3))
    show_conditions(predict(regression, data.frame(z = 1)))
    show_conditions(predict(regression, data.frame(z = 1, g = "nowhere")))
    show_conditions(predict(regression, covariates, type = "posterior"))
    show_conditions(predict(regression, type = "class", interval = TRUE))
    show_conditions(logLik(by_bch))
    show_conditions(anova(by_bch, class_regression(fit, ~ z + g, covariates, method = "bch")))
    show_conditions(anova(regression, by_bch))
    show_conditions(anova(regression, other))
    show_conditions(anova(regression, fewer))
    show_conditions(anova(regression, class_regression(fit, ~ I(z^2), covariates)))
    show_conditions(anova(regression, 1))
  })
})

test_that("modelsummary takes a regression, with odds ratios and intervals", {
  skip_if_not_installed("modelsummary")
  table <- modelsummary::modelsummary(
    regression, output = "data.frame", shape = term ~ class, estimate = "{estimate}",
    statistic = "conf.low", exponentiate = TRUE, fmt = 3
  )
  estimates <- table[table$part == "estimates" & table$statistic == "estimate", ]
  expect_equal(as.double(estimates[[ncol(table)]]), unname(exp(coef(regression)[, 2])),
               tolerance = 0.001)  # three digits are written
})

test_that("numbers that round to zero have no sign, and coefficients without an end a mark", {
  expect_identical(number_text(c(-0.001, -0.004, -0.2, 0, NA)),
                   c("0.00", "0.00", "-0.20", "0.00", "-"))
  expect_identical(number_text(-1e-5, 0), "0")
  rows <- regression_rows(300, accuracy = 0.99)
  covariates <- data.frame(same = rows$class == "2")
  expect_warning(
    regression <- suppressWarnings(class_regression(regression_fit(rows), ~same, covariates),
                                   classes = "mdpd_warning_not_identified"),
    class = "mdpd_warning_separation"
  )
  expect_output(print(regression), "[*].*[*] no finite estimate")
  expect_output(print(summary(regression)), "sameTRUE [*].*[*] no finite estimate")
  finite <- class_regression(regression_fit(rows), ~z, rows$covariates)
  expect_false(any(grepl("*", capture.output(print(finite)), fixed = TRUE)))
})

test_that("new rows with a covariate that is not finite are refused, as when fitting", {
  rows <- regression_rows(300)
  positive <- data.frame(z = exp(rows$covariates$z))
  regression <- class_regression(regression_fit(rows), ~ log(z), positive)
  expect_snapshot(show_conditions(predict(regression, data.frame(z = c(1, 0)))))
  missing <- predict(regression, data.frame(z = c(1, NA)))
  expect_identical(is.na(missing[, 1]), c(FALSE, TRUE))
})

test_that("a design in place of a data frame is told where its table is", {
  skip_if_not_installed("survey")
  rows <- regression_rows(300)
  design <- survey::svydesign(~1, weights = ~w, data = cbind(rows$covariates, w = 1))
  # cli names one class or all.
  expect_snapshot(show_conditions(class_regression(regression_fit(rows), ~z, design)),
                  transform = function(text) sub("design2/survey.design>", "design2>", text))
})

test_that("augment() has the rows with their classes, by covariates and answers", {
  covariates$z[3] <- NA
  regression <- hush(class_regression(fit, ~ z + g, data = covariates))
  whole <- augment(regression, data = cbind(covariates, other = 1:400))
  expect_named(whole, c("z", "g", "other", ".class", ".probability", ".uncertainty", ".share_1",
                        ".share_2", ".share_3"))
  expect_identical(whole$.class, unname(predict(regression, type = "class")))
  posterior <- predict(regression, type = "posterior")
  expect_equal(whole$.probability, apply(posterior, 1, max))
  expect_equal(whole$.uncertainty, 1 - whole$.probability)
  expect_equal(as.matrix(whole[7:9]), predict(regression), ignore_attr = TRUE)
  expect_true(all(is.na(whole[3, 4:9])))
  # By default those of which the covariates are known.
  own <- augment(regression)
  expect_equal(as.data.frame(own)[-(1:2)], as.data.frame(whole)[-3, -(1:3)], ignore_attr = TRUE)
  expect_equal(own$z, covariates$z[-3])
  new <- augment(regression, newdata = cbind(covariates, rows$items)[1:5, ])
  expect_equal(new[c(".class", ".share_2")], whole[1:5, c(".class", ".share_2")])
  expect_equal(new$.probability, whole$.probability[1:5])
  # One covariate alone, whatever is written beside its values.
  alone <- class_regression(fit, ~ g, data = covariates)
  noted <- covariates["g"]
  attr(noted$g, "label") <- "Group"
  expect_identical(augment(alone, data = noted)$.class, augment(alone)$.class)
  # And whatever other values a factor might have.
  noted$g <- factor(noted$g, c(levels(noted$g), "of nobody"))
  expect_identical(augment(alone, data = noted)$.class, augment(alone)$.class)
  expect_error(augment(regression, data = transform(covariates, g = rev(g))), "Covariate g has",
               class = "mdpd_error_argument")
  expect_error(augment(regression, data = 1:3), "`data` must be a data frame",
               class = "mdpd_error_argument")
  expect_snapshot({
    show_conditions(augment(regression, data = covariates[1:5, ]))
    show_conditions(augment(regression, data = covariates[400:1, ]))
    show_conditions(augment(regression, newdata = covariates["z"]))
  })
})

test_that("factors of new rows have the contrasts of the regression, without a warning of R", {
  summed <- covariates
  stats::contrasts(summed$g) <- stats::contr.sum
  for (formula in list(~ z + g, ~ z + C(g, contr.helmert))) {
    regression <- hush(class_regression(fit, formula, data = summed))
    for (rows in list(summed, covariates)) {
      expect_no_warning(new <- predict(regression, rows))
      expect_close(new, predict(regression))
    }
  }
})

test_that("numbers in the place of categories are refused without a warning of R", {
  regression <- hush(class_regression(fit, ~ z + g, data = covariates))
  expect_no_warning(expect_error(
    predict(regression, data.frame(z = 1:2, g = 1:2)), "numbers or categories",
    class = "mdpd_error_argument"
  ))
})
