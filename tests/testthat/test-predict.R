# log(w_k) + sum of log mu over the observed items: n_rows x k, in plain R.
log_joint <- function(fit, x) {
  x <- as.matrix(x)
  out <- matrix(log(fit$mixing_weights), nrow(x), fit$k, byrow = TRUE)
  for (item in names(fit$item_probs)) {
    level <- x[, item]
    seen <- !is.na(level)
    out[seen, ] <- out[seen, ] + log(fit$item_probs[[item]][level[seen], , drop = FALSE])
  }
  out
}
plain_density <- function(fit, x) {
  joint <- log_joint(fit, x)
  largest <- apply(joint, 1, max)
  largest + log(rowSums(exp(joint - largest)))
}
plain_posterior <- function(fit, x) {
  posterior <- exp(log_joint(fit, x) - plain_density(fit, x))
  dimnames(posterior) <- list(NULL, names(fit$mixing_weights))
  posterior
}
# A sum of some ten logarithms, of size one, in two orders.
rounding <- 1e-10

fits <- list(
  default = list(), full = list(refine = "full"), stages = list(refine = "none"),
  paper = list(method = "paper", refine = "none"), frozen = list(missing = "frozen")
)

test_that("posterior, density and log-likelihood follow from the parameters", {
  for (x in list(answers(), with_gaps(answers()))) {
    for (arguments in fits) {
      fit <- do.call(stagewise_em, c(list(x, k = 3), arguments))
      expect_equal(fit$posterior, plain_posterior(fit, x), tolerance = rounding)
      expect_equal(unname(predict(fit, type = "density")), plain_density(fit, x),
                   tolerance = rounding)
      expect_equal(fit$loglik, sum(plain_density(fit, x)), tolerance = rounding)
      expect_equal(unname(predict(fit, x, type = "prob")), unname(plain_posterior(fit, x)),
                   tolerance = rounding)
    }
  }
})

test_that("the density of missing = \"level\" is that of the answers and the gaps", {
  x <- with_gaps(answers())
  fit <- stagewise_em(x, k = 2, missing = "level")
  table <- as.matrix(x)
  table[is.na(table)] <- "(missing)"
  expect_equal(fit$loglik, sum(plain_density(fit, table)), tolerance = rounding)
  expect_equal(predict(fit, x, type = "prob"), fit$posterior, tolerance = rounding)
})

test_that("densities add up to the log-likelihood, weighted if the fit is", {
  x <- with_gaps(answers())
  for (arguments in fits) {
    fit <- do.call(stagewise_em, c(list(x, k = 2), arguments))
    expect_equal(sum(predict(fit, type = "density")), c(logLik(fit)), ignore_attr = TRUE,
                 tolerance = rounding)
    expect_equal(sum(predict(fit, x, type = "density")), c(logLik(fit)), ignore_attr = TRUE,
                 tolerance = rounding)
  }
  weights <- rep(c(2, 4, 1), 100)
  fit <- stagewise_em(x, k = 2, weights = weights)
  expect_equal(sum(weights * predict(fit, type = "density")), fit$loglik, tolerance = rounding)
})

test_that("densities of all possible rows add up to one", {
  x <- answers()[1:4]
  fit <- stagewise_em(x, k = 2)
  every <- expand.grid(lapply(x, levels))
  expect_equal(sum(exp(predict(fit, every, type = "density"))), 1, tolerance = rounding)
})

test_that("the class is the component with the largest posterior", {
  fit <- stagewise_em(answers(), k = 3)
  class <- predict(fit)
  expect_s3_class(class, "factor")
  expect_identical(levels(class), c("1", "2", "3"))
  expect_identical(as.integer(class), max.col(fit$posterior, ties.method = "first"))
  expect_identical(predict(fit, type = "prob"), fit$posterior)
  expect_identical(fitted(fit), fit$posterior)
})

test_that("the rows of the fit, given again, are classified the same", {
  x <- answers()
  rownames(x) <- paste0("row_", 1:300)
  for (arguments in fits) {
    fit <- do.call(stagewise_em, c(list(x, k = 2), arguments))
    expect_identical(predict(fit, x), predict(fit))
    expect_equal(predict(fit, x, type = "prob"), fit$posterior, tolerance = rounding)
  }
  crowd <- small_crowd(missing = 0.4)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_identical(predict(fit, crowd$labels), predict(fit))
  expect_identical(names(predict(fit)), crowd$labels$items)
})

test_that("classes of a crowd are its labels, in label order", {
  crowd <- small_crowd(seed = 4)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_identical(levels(predict(fit)), c("1", "2", "3"))
  expect_identical(colnames(predict(fit, type = "prob")), names(fit$mixing_weights))
  new <- small_crowd(seed = 4, missing = 0.2)
  expect_lt(error_rate(predict(fit, new$labels), new$truth), 0.35)
})

test_that("new rows are classified nearly as well as old ones", {
  model <- answers_model()
  fit <- stagewise_em(simulate(model, seed = 1, n_obs = 1000)[[1]], k = 2)
  new <- simulate(model, seed = 2, n_obs = 1000)[[1]]
  truth <- attr(new, "component")
  # Three standard errors of a difference of two shares near 2 % of 1000 rows.
  expect_lt(error_rate(predict(fit, new), truth) - error_rate(predict(model, new), truth),
            3 * sqrt(2 * 0.02 / 1000))
})

test_that("newdata may have its columns in any order and others besides", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  expected <- predict(fit, x, type = "density")
  expect_identical(predict(fit, x[8:1], type = "density"), expected)
  expect_identical(predict(fit, cbind(id = 1:300 / 2, x), type = "density"), expected)
  expect_identical(predict(fit, as.matrix(x)[, 8:1], type = "density"), expected)
  expect_identical(predict(fit, unname(as.matrix(x)), type = "density"), expected)
  tibble <- `class<-`(x, c("tbl_df", "tbl", "data.frame"))
  expect_identical(predict(fit, tibble), predict(fit, x))
})

test_that("newdata may have its levels in any order and as strings", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  reversed <- as.data.frame(lapply(x, function(column) factor(column, rev(levels(column)))))
  strings <- as.data.frame(lapply(x, as.character))
  more <- as.data.frame(lapply(x, function(column) factor(column, c("zz", levels(column)))))
  for (form in list(reversed, strings, more)) {
    expect_identical(predict(fit, form, type = "prob"), predict(fit, x, type = "prob"))
  }
})

test_that("rows can be classified one at a time", {
  x <- with_gaps(answers(n_obs = 40))
  fit <- stagewise_em(with_gaps(answers()), k = 2)
  together <- predict(fit, x, type = "prob")
  density <- predict(fit, x, type = "density")
  for (i in seq_len(nrow(x))) {
    expect_equal(predict(fit, x[i, ], type = "prob"), together[i, , drop = FALSE],
                 ignore_attr = "dimnames")
    expect_equal(unname(predict(fit, x[i, ], type = "density")), unname(density[i]))
  }
})

test_that("no rows have no class", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  expect_identical(length(predict(fit, x[0, ])), 0L)
  expect_identical(dim(predict(fit, x[0, ], type = "prob")), c(0L, 2L))
  expect_identical(length(predict(fit, x[0, ], type = "density")), 0L)
})

test_that("a row of missing values gets the mixing weights and the density one", {
  x <- answers(n_obs = 3)
  fit <- stagewise_em(answers(), k = 2)
  x[2, ] <- NA
  expect_equal(predict(fit, x, type = "prob")[2, ], fit$mixing_weights)
  # The logarithm of the sum of the weights.
  expect_equal(predict(fit, x, type = "density")[[2]], 0, tolerance = 1e-12)
  expect_equal(predict(fit, x[2, ], type = "prob")[1, ], fit$mixing_weights)
})

test_that("a column of missing values in newdata is no reason to stop", {
  x <- answers(n_obs = 20)
  fit <- stagewise_em(answers(), k = 2)
  x$item_1 <- NA
  expect_equal(predict(fit, x, type = "prob"), plain_posterior(fit, x), tolerance = rounding)
})

test_that("an unseen level is missing, with one warning that names item and level", {
  x <- answers(n_obs = 6)
  fit <- stagewise_em(answers(), k = 2)
  strange <- as.data.frame(lapply(x, as.character))
  strange$item_1[2] <- "{strange}"
  strange$item_3[c(2, 5)] <- "new"
  gaps <- x
  gaps$item_1[2] <- NA
  gaps$item_3[c(2, 5)] <- NA
  expect_snapshot(show_conditions(probs <- predict(fit, strange, type = "prob")))
  expect_warning(predict(fit, strange), class = "mdpd_warning_unseen_level")
  expect_equal(probs, predict(fit, gaps, type = "prob"))
  strange$item_1 <- "all unseen"
  expect_warning(predict(fit, strange), class = "mdpd_warning_unseen_level")
})

test_that("items that are the same in every component are needed for the density only", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  differ <- x[fit$informative]
  expect_lt(length(differ), length(x))
  expect_equal(predict(fit, differ, type = "prob"), fit$posterior, tolerance = rounding)
  expect_identical(predict(fit, differ), predict(fit))
  expect_error(predict(fit, differ, type = "density"), class = "mdpd_error_missing_item")
})

test_that("by evidence items that are not named may be lacking, named ones may not", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  named <- informative(fit)
  others <- setdiff(names(x), named)
  fit$item_probs[others] <- lapply(fit$item_probs[others], function(probs) {
    probs[, 1] <- rev(probs[, 1])
    probs
  })
  expect_setequal(differing_items(fit), names(x))
  missing <- replace(x, others, NA)
  told <- expect_message(probs <- predict(fit, x[named], type = "prob"),
                         class = "mdpd_message_left_out")
  expect_setequal(told$items, others)
  expect_equal(probs, predict(fit, missing, type = "prob"), tolerance = rounding)
  expect_message(of_matrix <- predict(fit, as.matrix(x[named]), type = "prob"),
                 class = "mdpd_message_left_out")
  expect_equal(of_matrix, probs, ignore_attr = TRUE)
  one_less <- expect_message(augment(fit, newdata = x[names(x) != others[1]]),
                             class = "mdpd_message_left_out")
  expect_identical(one_less$items, others[1])
  expect_message(of_store <- predict(fit, row_store(x[named], withr::local_tempfile()), "prob"),
                 class = "mdpd_message_left_out")
  expect_equal(of_store, probs, ignore_attr = TRUE, tolerance = rounding)
  expect_snapshot(show_conditions(predict(fit, x[named])))
  # The error names what is needed only.
  error <- expect_error(predict(fit, x[named[-1]]), class = "mdpd_error_missing_item")
  expect_identical(error$items, named[1])
  expect_error(predict(fit, x[named], type = "density"), class = "mdpd_error_missing_item")
  # Where none is named all count together; the rows are complete, so nothing is told.
  expect_silent(predict(fit, x, type = "prob"))
  fit$inclusion[] <- 0.4
  error <- expect_error(predict(fit, x[named]), class = "mdpd_error_missing_item")
  expect_setequal(error$items, others)
})

test_that("what uninformative items say changes no posterior", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  other <- x
  for (item in setdiff(names(x), fit$informative)) other[[item]] <- rev(other[[item]])
  expect_identical(predict(fit, other, type = "prob"), predict(fit, x, type = "prob"))
})

test_that("a true model classifies", {
  crowd <- small_crowd(seed = 2)
  class <- predict(crowd$model, crowd$labels)
  expect_identical(levels(class), c("1", "2", "3"))
  expect_lt(error_rate(class, crowd$truth), 0.2)
  expect_equal(unname(predict(crowd$model, crowd$labels, type = "prob")),
               unname(plain_posterior(crowd$model, as.matrix(crowd$labels))), tolerance = rounding)
})

test_that("workers a new crowd does not have are missing there", {
  crowd <- small_crowd(seed = 2)
  fit <- stagewise_em(crowd$labels, k = 3)
  triples <- as.data.frame(crowd$labels)
  few <- crowd_labels(droplevels(triples[triples$worker %in% c("1", "2", "15"), ]))
  table <- as.matrix(crowd$labels)
  table[, !colnames(table) %in% c("1", "2", "15")] <- NA
  expect_equal(unname(predict(fit, few, type = "prob")), unname(plain_posterior(fit, table)),
               tolerance = rounding)
})

test_that("a fit without its data classifies its own rows and others", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  small <- stagewise_em(x, k = 2, keep_data = FALSE)
  expect_identical(predict(small), predict(fit))
  expect_identical(predict(small, type = "prob"), predict(fit, type = "prob"))
  expect_identical(predict(small, x, type = "density"), predict(fit, x, type = "density"))
  # predict() has no `x` that one could give.
  expect_error(predict(small, type = "density"), "`newdata`", class = "mdpd_error_no_data")
})

test_that("one component is the class of every row", {
  x <- answers()
  fit <- stagewise_em(x, k = 1)
  expect_true(all(predict(fit, x) == "1"))
  expect_true(all(predict(fit, x[1:5, ], type = "prob") == 1))
})

test_that("predicting is cheaper than fitting", {
  crowd <- simulate_crowd(n_items = 2000, seed = 1)$labels
  time <- function(code) system.time(code)[["user.self"]]
  fitting <- time(fit <- stagewise_em(crowd, k = 3))
  expect_lt(time(predict(fit, crowd)), fitting)
})

# ---- saved fits --------------------------------------------------------------------------------

# Runs the lines in a new R process that finds this package.
run_in_new_process <- function(lines) {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  libraries <- unique(c(dirname(find.package("mdpd")), .libPaths()))
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(libraries), collapse = "")), lines), script)
  # R CMD check names a start-up file in R_TESTS that is not there for a process of our own.
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
          stdout = TRUE, stderr = TRUE, env = "R_TESTS=")
}

test_that("a saved fit predicts the same in a new process", {
  x <- with_gaps(answers())
  crowd <- small_crowd(missing = 0.3)
  here <- list(fit = stagewise_em(x, k = 2), crowd_fit = stagewise_em(crowd$labels, k = 3),
               x = x, crowd = crowd$labels)
  folder <- tempfile()
  dir.create(folder)
  saved <- file.path(folder, c("here.rds", "there.rds"))
  saveRDS(here, saved[1])
  log <- run_in_new_process(c(
    "library(mdpd)",
    sprintf("here <- readRDS(%s)", deparse(saved[1])),
    "there <- with(here, list(",
    "  predict(fit), predict(fit, x), predict(fit, x, type = 'prob'),",
    "  predict(fit, type = 'density'), predict(crowd_fit, crowd, type = 'prob'),",
    "  information(fit), BIC(fit), refine(fit, type = 'full')$loglik,",
    "  stagewise_em(x, k = 2)$loglik",
    "))",
    sprintf("saveRDS(there, %s)", deparse(saved[2]))
  ))
  expect_true(file.exists(saved[2]), info = paste(log, collapse = "\n"))
  there <- readRDS(saved[2])
  unlink(folder, recursive = TRUE)
  expect_identical(there, with(here, list(
    predict(fit), predict(fit, x), predict(fit, x, type = "prob"), predict(fit, type = "density"),
    predict(crowd_fit, crowd, type = "prob"), information(fit), BIC(fit),
    refine(fit, type = "full")$loglik, stagewise_em(x, k = 2)$loglik
  )))
})

test_that("a fit is the same after saveRDS() and readRDS()", {
  fit <- stagewise_em(answers(), k = 2)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(readRDS(file), fit)
  unlink(file)
})

# ---- bad input ---------------------------------------------------------------------------------

test_that("newdata without a needed column is an error that names it", {
  x <- answers()
  fit <- stagewise_em(x, k = 2, refine = "full")
  error <- expect_error(predict(fit, x[-2]), "`newdata`.*item_2",
                        class = "mdpd_error_missing_item")
  expect_identical(error$items, "item_2")
  expect_match(conditionMessage(error), 'newdata[["item_2"]] <- NA', fixed = TRUE)
  x[["item_2"]] <- NA
  expect_no_error(predict(fit, x))
  # Another table has nothing to add to.
  other <- expect_error(predict(fit, data.frame(a = 1:2)), class = "mdpd_error_missing_item")
  expect_no_match(conditionMessage(other), "NA")
  expect_identical(rlang::call_name(error$call), "predict")
  expect_error(predict(fit, x[c("item_1", "item_2")]), "item_3.*item_8",
               class = "mdpd_error_missing_item")
  expect_error(predict(fit, unname(as.matrix(x))[, 1:3]), "8 columns.*3 columns",
               class = "mdpd_error_missing_item")
})

test_that("a new crowd must share a worker with the fit", {
  crowd <- small_crowd()
  fit <- stagewise_em(crowd$labels, k = 3)
  strangers <- crowd$labels
  strangers$workers <- paste0("stranger_", strangers$workers)
  expect_error(predict(fit, strangers), class = "mdpd_error_missing_item")
})

test_that("newdata must be a table of categories", {
  x <- answers(n_obs = 10)
  fit <- stagewise_em(answers(), k = 2)
  for (bad in list(1:3, "a.csv", list(1), mean)) {
    expect_error(predict(fit, bad), "`newdata`", class = "mdpd_error_argument")
  }
  x$item_1 <- 1:10 / 4
  expect_error(predict(fit, x), "item_1", class = "mdpd_error_data")
  x$item_1 <- as.Date("2024-01-01") + 1:10
  expect_error(predict(fit, x), "item_1", class = "mdpd_error_data")
  x$item_1 <- as.list(1:10)
  expect_error(predict(fit, x), "item_1", class = "mdpd_error_data")
})

test_that("bad arguments are errors", {
  fit <- stagewise_em(answers(), k = 2)
  expect_snapshot(show_conditions(predict(fit, type = "raw")))
  expect_error(predict(fit, type = "raw"), class = "mdpd_error_argument")
  expect_error(predict(fit, se.fit = TRUE), "se.fit", class = "rlib_error_dots_nonempty")
  expect_error(predict(fit, data = answers()), "data", class = "rlib_error_dots_nonempty")
  expect_error(predict(simulate_crowd(20, 5, seed = 1)$model), class = "mdpd_error_no_data")
})

# Rows without any answer --------------------------------------------------------------------------

test_that("a row without any answer has no class, and its probabilities are the weights", {
  x <- with_gaps(answers())
  x[c(7, 90), ] <- NA
  says_two <- "2 rows without any answer have no class"
  for (fit in list(stagewise_em(x, k = 2), stagewise_em(x, k = 2, missing = "frozen"),
                   mdpd(x, k = 2), stagewise_em(x, k = 2, keep_data = FALSE))) {
    expect_identical(fit$no_answer, c(7L, 90L))
    expect_message(class <- predict(fit), says_two, class = "mdpd_message_no_answer")
    expect_identical(which(is.na(class)), c(7L, 90L))
    expect_message(component <- predict(fit, type = "component"), class = "mdpd_message_no_answer")
    expect_identical(component, class)
    expect_silent(posterior <- predict(fit, type = "prob"))
    expect_equal(posterior[7, ], fit$mixing_weights)
    expect_message(new <- predict(fit, x[85:90, ]), "1 row without any answer has no class")
    expect_identical(unname(new), unname(class[85:90]))
    expect_identical(summary(fit)$no_answer, c(7L, 90L))
    expect_equal(sum(summary(fit)$components$size), 298)
    expect_match(capture.output(print(fit)), "300 rows (2 without any answer)", fixed = TRUE,
                 all = FALSE)
    expect_s3_class(autoplot(fit, "posterior"), "ggplot")
  }
  full <- stagewise_em(answers(), k = 2)
  expect_null(full$no_answer)
  expect_silent(predict(full))
  expect_no_match(capture.output(print(full)), "without any answer")
})

test_that("where a missing answer is a level, and where the class is known, a row has a class", {
  x <- answers()
  x[5, ] <- NA
  expect_silent(class <- predict(stagewise_em(x, k = 2, missing = "level")))
  expect_false(anyNA(class))
})

test_that("an answer to an item that no class differs in is an answer", {
  x <- answers()
  fit <- stagewise_em(x, k = 2, control = stagewise_control(criterion = "bic"))
  expect_false("item_8" %in% fit$informative)
  new <- x[1:3, ]
  new[1:2, ] <- NA
  new$item_8[2] <- "a"
  for (given in list(new, as.matrix(new), unname(as.matrix(new)))) {
    expect_message(class <- predict(fit, given), "1 row without", class = "mdpd_message_no_answer")
    expect_identical(unname(is.na(class)), c(TRUE, FALSE, FALSE))
  }
  # A level that the fit never saw is no answer.
  unheard <- replace(new, "item_8", c(NA, "unheard", "a"))
  for (given in list(unheard, as.matrix(unheard))) {
    expect_message(class <- predict(fit, given), "2 rows without", class = "mdpd_message_no_answer")
    expect_identical(unname(is.na(class)), c(TRUE, TRUE, FALSE))
  }
  # Without that item nothing is known of the second row either.
  expect_message(class <- predict(fit, new[fit$informative]), "2 rows without")
  crowd <- small_crowd()
  fit <- stagewise_em(crowd$labels, k = 3, control = stagewise_control(criterion = "bic"))
  same <- setdiff(crowd$labels$workers, fit$informative)[1]
  few <- crowd_labels(data.frame(
    item = c("w", "x", "y", "z"), worker = c(same, same, "nobody", fit$informative[1]),
    label = c(9, 1, 2, 3)
  ))
  expect_message(class <- predict(fit, few), "2 rows without")
  expect_identical(is.na(class), c(w = TRUE, x = FALSE, y = TRUE, z = FALSE))
})

test_that("augment() and error_rate() know that the row has no class", {
  x <- answers()
  x[3, ] <- NA
  fit <- stagewise_em(x, k = 2)
  expect_message(table <- augment(fit), class = "mdpd_message_no_answer")
  expect_identical(which(is.na(table$.class)), 3L)
  expect_identical(which(is.na(table$.probability)), 3L)
  expect_identical(which(is.na(table$.uncertainty)), 3L)
  expect_message(new <- augment(fit, newdata = x[1:5, ]), class = "mdpd_message_no_answer")
  expect_identical(new$.class, table$.class[1:5])
  truth <- rep_len(c("1", "2"), 300)
  class <- suppressMessages(predict(fit))
  expect_identical(error_rate(fit, truth, align = FALSE), error_rate(class, truth))
})

test_that("triples in place of a crowd are told how to become one", {
  crowd <- small_crowd()
  fit <- stagewise_em(crowd$labels, k = 3)
  triples <- as.data.frame(crowd$labels)
  class <- "mdpd_error_missing_item"
  expect_snapshot(show_conditions(predict(fit, triples)))
  expect_error(predict(fit, as.matrix(triples)), "crowd_labels()", fixed = TRUE, class = class)
  expect_error(predict(fit, unname(as.matrix(triples))), "crowd_labels()", fixed = TRUE,
               class = class)
  expect_error(information(fit, triples), "crowd_labels()", fixed = TRUE, class = class)
  # Tables of items by workers are taken as before.
  wide <- as.matrix(crowd$labels)
  expect_identical(predict(fit, wide), predict(fit, crowd$labels))
  expect_identical(unname(predict(fit, unname(wide))), unname(predict(fit, wide)))
  expect_error(predict(fit, as.data.frame(wide)[1:3]), "must have the columns", class = class)
  table <- answers()
  expect_error(predict(stagewise_em(table, k = 2), triples), "must have the columns", class = class)
})

test_that("what is known of the fit's rows is in their class and density, and not in new data's", {
  crowd <- simulate_crowd(n_items = 200, n_workers = 8, accuracy = rep(0.6, 4), seed = 1)
  gold <- crowd$truth[1:80]
  fit <- mdpd(crowd$labels, k = 3, known = gold)
  expect_identical(as.character(predict(fit))[1:80], unname(as.character(gold)))
  expect_false(identical(as.character(predict(fit, crowd$labels))[1:80], as.character(gold)))
  own <- predict(fit, type = "density")
  expect_equal(sum(own), fit$loglik)
  # Of new data the items alone: without the class that is known.
  new <- predict(fit, crowd$labels, type = "density")
  prob <- predict(fit, crowd$labels, type = "prob")
  at <- cbind(1:80, match(gold, colnames(prob)))
  expect_equal(own[1:80] - new[1:80], log(prob[at]), ignore_attr = TRUE)
  expect_equal(own[-(1:80)], new[-(1:80)])
})
