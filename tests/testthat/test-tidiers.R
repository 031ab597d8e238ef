# tidy() -------------------------------------------------------------------------------------------

test_that("tidy() has a row for every level of every item in every component", {
  fit <- stagewise_em(answers(), k = 2)
  table <- tidy(fit)
  expect_named(table, c("term", "variable", "class", "outcome", "estimate", "std.error",
                        "informative"))
  expect_identical(table$term, paste(table$variable, "=", table$outcome))
  expect_equal(nrow(table), length(unlist(fit$item_probs)))
  for (row in c(1, 7, nrow(table))) {
    at <- table[row, ]
    expect_identical(
      at$estimate, fit$item_probs[[at$variable]][at$outcome, as.character(at$class)]
    )
  }
  expect_setequal(table$variable[table$informative], informative(fit))
})

test_that("the probabilities of an item in a component sum to one", {
  fits <- list(
    stagewise_em(answers(k = 3), k = 3),
    stagewise_em(with_gaps(answers()), k = 2, missing = "level"),
    stagewise_em(answers(), k = 2, weights = rep(c(1, 4), 150)), mdpd(answers(), k = 2),
    stagewise_em(small_crowd()$labels, k = 3), small_crowd()$model
  )
  for (fit in fits) {
    table <- tidy(fit, se = FALSE)
    sums <- tapply(table$estimate, table[c("variable", "class")], sum)
    expect_lt(max(abs(sums - 1)), 1e-12)
    expect_equal(sum(tidy(fit, what = "mixing_weights", se = FALSE)$estimate), 1)
  }
})

test_that("standard errors and intervals are those of standard_errors() and confint()", {
  fit <- stagewise_em(answers(k = 3), k = 3, control = stagewise_control(criterion = "bic"))
  errors <- standard_errors(fit)
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.9)
  expect_equal(table$std.error, unlist(errors$item_probs, use.names = FALSE))
  weights <- tidy(fit, "mixing_weights", conf.int = TRUE, conf.level = 0.9)
  expect_equal(weights$std.error, unname(errors$mixing_weights))
  limits <- confint(fit, level = 0.9)
  expect_equal(weights$conf.low, unname(limits[1:3, 1]))
  item <- fit$informative[1]
  expect_equal(
    unlist(table[table$variable == item, c("conf.low", "conf.high")], use.names = FALSE),
    as.vector(confint(fit, item, level = 0.9))
  )
  # A distribution that all components share stands in the table for each of them.
  shared <- table[!table$informative, ]
  expect_identical(shared$conf.high[shared$class == "1"],
                   shared$conf.high[shared$class == "3"])
})

test_that("what has no standard error has NA and no warning about it", {
  crowd <- small_crowd()
  model <- tidy(crowd$model)
  expect_true(all(is.na(model$std.error)))
  light <- stagewise_em(answers(), k = 2, keep_data = FALSE)
  expect_true(all(is.na(tidy(light)$std.error)))
  expect_error(tidy(light, conf.int = TRUE), "Fit with", class = "mdpd_error_no_data")
  expect_error(tidy(crowd$model, conf.int = TRUE), class = "mdpd_error_not_stored")
  # Two items that are the class itself: probabilities of 0 and 1.
  class <- rep(0:1, c(40, 60))
  certain <- suppressWarnings(
    stagewise_em(data.frame(a = class, b = class, c = rev(class)), k = 2,
                 control = stagewise_control(criterion = "bic"))
  )
  expect_silent(table <- tidy(certain))
  on_boundary <- table$estimate %in% 0:1
  expect_true(any(on_boundary))
  expect_true(all(is.na(table$std.error[on_boundary])))
  expect_false(anyNA(tidy(certain, "mixing_weights")$std.error))
})

test_that("components of a crowd have the order of the labels as predict() has", {
  fit <- stagewise_em(small_crowd()$labels, k = 3)
  expect_identical(levels(tidy(fit, se = FALSE)$class), levels(predict(fit)))
  expect_identical(as.character(tidy(fit, "mixing_weights")$class), names(fit$mixing_weights))
})

test_that("tidy() of bootstrap samples has their standard errors and intervals", {
  fit <- stagewise_em(answers(), k = 2)
  samples <- bootstrap(fit, n = 8, refit = FALSE)
  # Eight samples are few for an interval, but enough to see whose it is.
  few <- "mdpd_warning_few_samples"
  expect_warning(table <- tidy(samples, conf.int = TRUE), class = few)
  expect_equal(table$estimate, tidy(fit)$estimate)
  expect_equal(table$std.error, unlist(standard_errors(samples)$item_probs, use.names = FALSE))
  expect_warning(
    low <- tidy(samples, "mixing_weights", conf.int = TRUE)$conf.low, class = few
  )
  expect_warning(intervals <- confint(samples, "mixing_weights"), class = few)
  expect_equal(low, unname(intervals[, 1]))
  # Samples of which nothing was found do not count.
  samples$estimates[1, ] <- NA
  expect_equal(tidy(samples, "mixing_weights")$std.error,
               unname(apply(samples$estimates[-1, 1:2], 2, stats::sd)))
})

# glance() -----------------------------------------------------------------------------------------

test_that("glance() is one row that agrees with logLik(), BIC(), AIC() and nobs()", {
  fits <- list(
    stagewise_em(answers(), k = 2), stagewise_em(answers(), k = 2, weights = rep(3, 300)),
    stagewise_em(answers(), k = 1:3), mdpd(answers(), k = 2)
  )
  for (fit in fits) {
    row <- glance(fit)
    expect_equal(nrow(row), 1)
    expect_named(row, c("k", "n_informative", "logLik", "penalised_loglik", "evidence", "BIC",
                        "AIC", "SABIC", "CAIC", "entropy", "df", "nobs", "converged"))
    expect_equal(row$k, fit$k)
    expect_equal(row$n_informative, length(informative(fit)))
    expect_equal(row$logLik, as.numeric(logLik(fit)))
    expect_equal(row$penalised_loglik, fit$penalised_loglik)
    expect_equal(row$evidence, fit$evidence %||% NA_real_)
    expect_equal(row$BIC, BIC(fit))
    expect_equal(row$AIC, AIC(fit))
    # Sclove (1987) and Bozdogan (1987).
    expect_equal(row$SABIC, -2 * fit$loglik + fit$df * log((nobs(fit) + 2) / 24))
    expect_equal(row$CAIC, BIC(fit) + fit$df)
    expect_equal(row$df, attr(logLik(fit), "df"))
    expect_equal(row$nobs, nobs(fit))
    expect_true(row$converged)
    expect_null(unlist(lapply(summary(fit)$informative, names)))
  }
})

test_that("glance() and augment() need a fit", {
  model <- small_crowd()$model
  refused <- expect_error(glance(model), class = "mdpd_error_not_stored")
  expect_identical(rlang::call_name(refused$call), "glance")
  expect_error(augment(model), class = "mdpd_error_not_stored")
})

# augment() ----------------------------------------------------------------------------------------

test_that("augment() keeps every row, in order, with the names", {
  x <- with_gaps(answers(100))
  rownames(x) <- paste0("row_", rev(seq_len(100)))
  fit <- stagewise_em(x, k = 2)
  table <- augment(fit)
  expect_named(table, c(".rownames", names(x), ".class", ".probability", ".uncertainty"))
  expect_identical(table$.rownames, rownames(x))
  for (item in names(x)) {
    expect_identical(as.character(table[[item]]), as.character(x[[item]]))
  }
  expect_identical(table$.class, unname(predict(fit)))
  expect_identical(table$.probability, unname(apply(fitted(fit), 1, max)))
  expect_identical(table$.uncertainty, 1 - table$.probability)
  expect_true(all(table$.uncertainty >= 0 & table$.uncertainty <= 1 / 2))
})

test_that("a value that was missing is missing, also where the fit gave it a level", {
  x <- with_gaps(answers())
  for (missing in c("ignore", "frozen", "level")) {
    table <- augment(stagewise_em(x, k = 2, missing = missing))
    expect_identical(is.na(as.matrix(table[names(x)])), is.na(as.matrix(x)), label = missing)
  }
})

test_that("with `data` their own columns stay as they are", {
  x <- answers()
  x$age <- seq(18, 77.8, by = 0.2)
  fit <- stagewise_em(~ . - age, k = 2, data = x, weights = rep(1:2, 150))
  table <- augment(fit, data = x)
  expect_equal(as.data.frame(table)[names(x)], x)
  expect_identical(table$.class, augment(fit)$.class)
  expect_false(".rownames" %in% names(table))
  # Columns of an earlier fit are replaced.
  again <- augment(fit, data = table)
  expect_identical(again, table)
  light <- stagewise_em(~ . - age, k = 2, data = x, keep_data = FALSE)
  expect_error(augment(light), class = "mdpd_error_no_data")
  expect_equal(nrow(augment(light, x)), 300)
})

test_that("new rows are classified as predict() does", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  new <- with_gaps(answers(20, seed = 2))[8:1]
  table <- augment(fit, newdata = new)
  expect_equal(as.data.frame(table)[names(new)], new)
  expect_identical(table$.class, unname(predict(fit, new)))
  expect_identical(table$.probability, unname(apply(predict(fit, new, "prob"), 1, max)))
  expect_equal(nrow(augment(answers_model(), newdata = new[1, ])), 1)
  bare <- unname(as.matrix(new[names(x)]))
  expect_identical(names(augment(fit, newdata = bare))[1:8], names(x))
  expect_error(augment(fit, newdata = x[-1]), class = "mdpd_error_missing_item")
})

test_that("standard errors of thousands of parameters are left out unless asked for", {
  x <- with_seed(1, matrix(sample(2, 420 * 40, TRUE), 40))
  fit <- suppressWarnings(mdpd(x, k = 3))
  expect_identical(n_joint_parameters(fit), 3L + 420L * 6L)
  expect_message(table <- tidy(fit), "2,523 parameters take a minute or less",
                 class = "mdpd_message_no_errors")
  expect_true(all(is.na(table$std.error)))
  expect_message(tidy(fit, "mixing_weights"), class = "mdpd_message_no_errors")
  expect_silent(expect_identical(tidy(fit, se = FALSE), table))
  few <- stagewise_em(answers(), k = 2)
  expect_silent(expect_identical(tidy(few), tidy(few, se = TRUE)))
  expect_false(all(is.na(tidy(few)$std.error)))
})

test_that("standard errors of 2,500 parameters are computed", {
  is_quick <- function(n_levels, k = 4) {
    probs <- lapply(n_levels, function(n) matrix(1 / n, n, k))
    has_quick_errors(list(k = k, mixing_weights = rep(1 / k, k), item_probs = probs,
                          informative = seq_along(probs)))
  }
  expect_true(is_quick(rep(2, 312)))
  expect_message(expect_false(is_quick(c(rep(2, 311), 3))), "2,504 parameters",
                 class = "mdpd_message_no_errors")
  expect_message(expect_false(is_quick(2500, k = 1)), "2,501 parameters",
                 class = "mdpd_message_no_errors")
})

test_that("a crowd has a row for each item and a column for each worker", {
  crowd <- small_crowd(missing = 0.5)
  fit <- stagewise_em(crowd$labels, k = 3)
  table <- augment(fit)
  expect_identical(table$.rownames, crowd$labels$items)
  expect_equal(as.matrix(table[crowd$labels$workers]), as.matrix(crowd$labels), ignore_attr = TRUE)
  expect_identical(augment(fit, data = crowd$labels), table)
  expect_identical(augment(fit, newdata = crowd$labels)$.class, table$.class)
  expect_equal(table$.probability, item_quality(fit)$probability)
})

test_that("known classes are kept unless the rows are said to be new", {
  crowd <- small_crowd()
  known <- crowd$truth[1:30]
  fit <- stagewise_em(crowd$labels, k = 3, known = known)
  expect_identical(augment(fit, data = crowd$labels)$.class[1:30], unname(known))
})

test_that("bad arguments are errors that say what must hold", {
  folder <- local_folder()
  fit <- stagewise_em(answers(40), k = 2)
  named <- `rownames<-`(answers(40), paste0("r", 1:40))
  expect_snapshot({
    show_conditions(tidy(fit, what = "weights"))
    show_conditions(tidy(fit, conf.int = 1))
    show_conditions(tidy(fit, conf.int = TRUE, conf.level = 95))
    show_conditions(augment(fit, data = answers(39)))
    show_conditions(augment(stagewise_em(named, k = 2), data = named[40:1, ]))
    show_conditions(augment(fit, data = 1:40))
    show_conditions(augment(fit, newdata = answers(5)[2:4]))
    show_conditions(augment(fit, newdata = small_store(answers(5), folder)))
  })
})

# Classes ------------------------------------------------------------------------------------------

test_that("tables are tibbles where tibble is installed, data frames elsewhere", {
  table <- data.frame(a = 1:2)
  expect_identical(as_tidy(table, tibble = FALSE), table)
  skip_if_not_installed("tibble")
  fit <- stagewise_em(answers(), k = 2)
  for (made in list(tidy(fit), tidy(fit, "mixing_weights"), glance(fit), augment(fit))) {
    expect_s3_class(made, "tbl_df")
  }
})

test_that("augment() keeps the groups of dplyr", {
  skip_if_not_installed("dplyr")
  x <- answers()
  x$sex <- rep_len(c("f", "m", "f"), 300)
  fit <- stagewise_em(~ . - sex, k = 2, data = x)
  grouped <- dplyr::group_by(x, .data$sex, .data$item_1)
  table <- augment(fit, data = grouped)
  expect_identical(dplyr::group_vars(table), c("sex", "item_1"))
  expect_identical(dplyr::group_rows(table), dplyr::group_rows(grouped))
  expect_identical(dplyr::ungroup(table), augment(fit, data = x))
  expect_identical(dplyr::group_vars(augment(fit, newdata = grouped[1:9, ])), c("sex", "item_1"))
  expect_s3_class(augment(fit, data = dplyr::rowwise(x)), "rowwise_df")
  # An earlier class is replaced, and the groups that it made go with it.
  again <- augment(fit, data = dplyr::group_by(table, .data$.class))
  expect_identical(again$.class, table$.class)
  expect_identical(dplyr::group_vars(again), ".class")
})

# Other packages -----------------------------------------------------------------------------------

test_that("the columns are those that broom has for fits of poLCA, and their numbers poLCA's", {
  skip_if_not_installed("broom")
  carcinoma <- polca_data("carcinoma")
  formula <- cbind(A, B, C, D, E) ~ 1
  peer <- with_seed(1, poLCA::poLCA(formula, carcinoma, nclass = 2, verbose = FALSE, nrep = 3))
  theirs <- broom::tidy(peer)
  ours <- tidy(as_mdpd(peer))
  expect_true(all(names(theirs) %in% names(ours)))
  at <- match(interaction(theirs$variable, theirs$class, theirs$outcome),
              interaction(ours$variable, ours$class, ours$outcome))
  expect_equal(ours$estimate[at], theirs$estimate)
})

# What R says of these lines of code, with its status where it is not 0.
run_in_new_session <- function(lines) {
  file <- withr::local_tempfile(lines = lines)
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", file), stdout = TRUE, stderr = TRUE,
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  ))
}

test_that("broom and the package can be attached in either order without a clash", {
  skip_if_not_installed("broom")
  shared <- intersect(getNamespaceExports("mdpd"), getNamespaceExports("broom"))
  differ <- Filter(function(name) {
    !identical(getExportedValue("mdpd", name), getExportedValue("broom", name))
  }, shared)
  expect_true(all(c("tidy", "glance", "augment") %in% shared))
  # Deprecated there, and left out where it would come last.
  expect_true(all(differ %in% "bootstrap"))
  code <- "fit <- mdpd(mtcars[c('cyl', 'vs', 'am', 'gear')], 2)
    stopifnot(nrow(tidy(fit)) == 20, nrow(glance(fit)) == 1, nrow(augment(fit)) == 32)
    stopifnot(nrow(tidy(lm(mpg ~ wt, mtcars))) == 2)
    stopifnot(inherits(bootstrap(fit, n = 2), 'mdpd_bootstrap'))"
  for (attach in c("library(broom); library(mdpd)", "library(mdpd); library(broom)")) {
    out <- run_in_new_session(c(attach, code))
    expect_null(attr(out, "status"), info = paste(out, collapse = "\n"))
  }
})

test_that("what is left out of broom is what was asked for and bootstrap(), until the end", {
  skip_if_not_installed("broom")
  skip_if_not("bootstrap" %in% getNamespaceExports("broom"))
  out <- run_in_new_session(c(
    "conflictRules('broom', mask.ok = 'x', exclude = 'fix_data_frame')", "library(mdpd)",
    "rule <- conflictRules('broom')",
    "stopifnot(rule$mask.ok == 'x', rule$exclude == c('fix_data_frame', 'bootstrap'))",
    "library(broom)", "stopifnot(!exists('fix_data_frame'), is.function(broom::bootstrap))",
    "detach('package:broom')", "detach('package:mdpd')",
    "stopifnot(identical(conflictRules('broom')$exclude, 'fix_data_frame'))",
    "library(broom)", "stopifnot(identical(bootstrap, broom::bootstrap))"
  ))
  expect_null(attr(out, "status"), info = paste(out, collapse = "\n"))
})

# A table of each result that has classes.
tables_by_class <- function(fit) {
  covariate <- data.frame(z = rep_len(c("u", "v"), fit$n_obs))
  lapply(list(
    fit = fit, regression = class_regression(fit, ~ z, covariate),
    outcome = distal_outcome(fit, covariate$z),
    groups = compare_groups(fit, covariate$z, free = character())
  ), tidy)
}

test_that("flextable and gt take the tables of every result", {
  fit <- name_components(stagewise_em(answers(), k = 2), c("Careful", "Hasty"))
  tables <- tables_by_class(fit)
  skip_if_not(rlang::is_installed("flextable") || rlang::is_installed("gt"))
  for (name in names(tables)) {
    if (rlang::is_installed("flextable")) {
      shown <- flextable::flextable(tables[[name]])
      expect_identical(shown$body$dataset$class, tables[[name]]$class, info = name)
      expect_identical(shown$col_keys, names(tables[[name]]), info = name)
    }
    if (rlang::is_installed("gt")) {
      html <- gt::as_raw_html(gt::gt(tables[[name]]), inline_css = FALSE)
      expect_match(html, "Hasty", fixed = TRUE, info = name)
      for (column in names(tables[[name]])) expect_match(html, column, fixed = TRUE, info = name)
    }
  }
})

test_that("modelsummary takes the tables", {
  fit <- name_components(stagewise_em(answers(), k = 2), c("Careful", "Hasty"))
  skip_if_not_installed("modelsummary")
  table <- modelsummary::modelsummary(fit, output = "data.frame", shape = term ~ class,
                                      statistic = NULL, fmt = 3)
  expect_match(names(table), "Careful$", all = FALSE)
  cell <- table[table$term == "item_1 = a", endsWith(names(table), "Hasty")]
  expect_identical(cell, formatC(fit$item_probs$item_1["a", "Hasty"], format = "f", digits = 3))
  expect_true("BIC" %in% table$term)
  by_class <- list(mean = distal_outcome(fit, seq_len(fit$n_obs)),
                   shares = distal_outcome(fit, rep_len(c("u", "v"), fit$n_obs)))
  for (outcome in by_class) {
    shape <- if (outcome$kind == "mean") term ~ class else term + outcome ~ class
    table <- modelsummary::modelsummary(outcome, output = "data.frame", shape = shape, gof_map = NA)
    expect_match(names(table), "Careful$", all = FALSE)
  }
  groups <- compare_groups(fit, rep_len(c("u", "v"), fit$n_obs), free = character())
  table <- modelsummary::modelsummary(groups, output = "data.frame", shape = group ~ class)
  expect_match(names(table), "Careful$", all = FALSE)
  expect_setequal(table$group[table$part == "estimates"], c("u", "v"))
})

test_that("classes are a factor in the order of the components, in the table of every result", {
  # By the alphabet they would stand the other way round.
  fit <- name_components(stagewise_em(answers(), k = 2), c("Zoo", "Ark"))
  z <- rep_len(c(0, 1, 3), fit$n_obs)
  groups <- compare_groups(fit, z > 0, free = "item_1")
  outcome <- distal_outcome(fit, z)
  tables <- list(
    tidy(fit), tidy(fit, "mixing_weights"), tidy(class_regression(fit, ~ z, data.frame(z))),
    tidy(outcome), tidy(groups), tidy(groups, "items"), tidy(groups, "item_probs")
  )
  for (table in tables) expect_identical(levels(table$class), c("Zoo", "Ark"))
  expect_identical(levels(tidy(outcome, "pairs")$class_2), c("Zoo", "Ark"))
})
