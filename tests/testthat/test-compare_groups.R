# Two groups of rows of five items, with the same classes in other sizes; in the second group the
# items named are answered by the reversed probabilities.
two_groups <- function(seed = 1, n_obs = 600, sizes = c(0.75, 0.45), differ = character()) {
  model <- sharp_model()
  with_seed(seed, {
    group <- rep(c("north", "south"), length.out = n_obs)
    class <- 2 - (stats::runif(n_obs) < sizes[1 + (group == "south")])
    x <- lapply(names(model$item_probs), function(item) {
      probs <- model$item_probs[[item]]
      vapply(seq_len(n_obs), function(n) {
        p <- probs[, class[n]]
        if (item %in% differ && group[n] == "south") p <- rev(p)
        sample(rownames(probs), 1, prob = p)
      }, "")
    })
    list(x = as.data.frame(stats::setNames(x, names(model$item_probs))), group = group)
  })
}
group_fit <- function(x, ...) mdpd(x, k = 2, start = sharp_model(), ...)

# EM of several groups in plain R: sizes by group, and probabilities by group of free items. After
# 150 iterations the log-likelihood of these data moves by no more than rounding.
twin_groups <- function(fit, group, free, n_iter = 150) {
  codes <- matrix(as.integer(fit$coded$codes), nrow(fit$posterior))
  g <- fit$posterior
  weights <- fit$coded$weights
  for (iteration in seq_len(n_iter)) {
    sizes <- prop.table(rowsum(g * weights, group), 1)
    log_joint <- log(sizes)[group, ]
    for (j in seq_len(ncol(codes))) {
      of <- if (colnames(fit$coded$codes)[j] %in% free) group else rep("all", nrow(g))
      for (part in unique(of)) {
        rows <- which(of == part & codes[, j] > 0)
        counts <- rowsum(g[rows, ] * weights[rows], codes[rows, j])
        probs <- sweep(counts, 2, colSums(counts), "/")
        at <- match(codes[rows, j], as.integer(rownames(counts)))
        log_joint[rows, ] <- log_joint[rows, ] + log(probs)[at, ]
      }
    }
    density <- rowSums(exp(log_joint))
    g <- exp(log_joint) / density
  }
  list(loglik = sum(weights * log(density)), sizes = sizes)
}

test_that("sizes, log-likelihood and tests are those of EM in plain R", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  weights <- rep(c(1, 2, 3), 100)
  fit <- group_fit(with_gaps(data$x), weights = weights)
  found <- compare_groups(fit, data$group)
  expect_identical(found$items$item[found$items$free], "item_2")
  twin <- twin_groups(fit, data$group, "item_2")
  # Both stop short of the maximum by some 1e-8 of the log-likelihood.
  expect_equal(found$loglik, twin$loglik, tolerance = 1e-7)
  expect_close(found$sizes$size, t(twin$sizes), 1e-4)
  tied <- twin_groups(fit, data$group, character())
  both <- twin_groups(fit, data$group, c("item_2", "item_4"))
  statistic <- stats::setNames(found$items$statistic, found$items$item)
  expect_equal(statistic[["item_2"]], 2 * (twin$loglik - tied$loglik), tolerance = 1e-4)
  expect_equal(statistic[["item_4"]], 2 * (both$loglik - twin$loglik), tolerance = 1e-3)
  expect_equal(found$items$df[match("item_4", found$items$item)], 2 * 3)
  alike <- twin_groups(fit, rep("all", 300), character())
  none <- compare_groups(fit, data$group, free = character())
  expect_equal(none$test$statistic, 2 * (tied$loglik - alike$loglik), tolerance = 1e-4)
  expect_equal(none$test$df, 1)
  expect_equal(found$df, 2 + 2 * (1 + 2 + 1 + 3 + 2) + 2 * 2)
})

test_that("the models are those of glca", {
  skip_if_not_installed("glca")
  data <- two_groups(differ = "item_2")
  item <- glca::item
  formula <- stats::as.formula("item(item_1, item_2, item_3, item_4, item_5) ~ 1")
  fit <- group_fit(data$x)
  for (same in c(TRUE, FALSE)) {
    utils::capture.output(peer <- glca::glca(
      formula, group = group, data = data.frame(data$x, group = data$group), nclass = 2,
      measure.inv = same, seed = 1, n.init = 4, eps = 1e-10, maxiter = 5000, verbose = FALSE
    ))
    free <- if (same) character() else names(data$x)
    ours <- suppressWarnings(compare_groups(fit, data$group, free = free))
    theirs <- stats::logLik(peer)
    expect_equal(ours$loglik, as.numeric(theirs), tolerance = 1e-7)
    expect_equal(ours$df, attr(theirs, "df"))
    sizes <- as.matrix(peer$param$gamma)[c("north", "south"), ]
    mine <- matrix(ours$sizes$size, 2, byrow = TRUE)
    # Each at its maximum to some 1e-5.
    expect_close(mine[, order(mine[1, ])], sizes[, order(sizes[1, ])], 1e-3)
  }
})

test_that("an item that works differently is found, and where", {
  data <- two_groups(differ = c("item_2", "item_4"), n_obs = 1000)
  found <- compare_groups(group_fit(data$x), data$group)
  expect_setequal(found$items$item[found$items$free], c("item_2", "item_4"))
  expect_identical(found$items$item[1:2], found$items$item[found$items$free])
  expect_true(all(found$items$p_adjusted[1:2] < 1e-6 & found$items$evidence[1:2] > 10))
  # Half the probability moves from one end to the other.
  expect_equal(found$items$effect[1:2], c(0.5, 0.5), tolerance = 0.3)
  first <- found$items[found$items$item == "item_2", ]
  of_first <- found$item_probs[found$item_probs$item == "item_2" &
                                 found$item_probs$level == first$level &
                                 found$item_probs$component == first$component, ]
  expect_equal(diff(range(of_first$probability)), first$effect)
  expect_equal(as.character(of_first$group[which.max(of_first$probability)]), first$highest)
  # The sizes are right although two of five items mislead; within three standard errors.
  truth <- c(0.75, 0.25, 0.45, 0.55)
  expect_true(all(abs(found$sizes$size - truth) < 3 * found$sizes$std.error))
  expect_lt(found$test$p_value, 1e-6)
})

test_that("where nothing differs few items are freed, and p-values are uniform", {
  found <- lapply(1:30, function(seed) {
    data <- two_groups(seed, n_obs = 300, sizes = c(0.5, 0.5))
    compare_groups(group_fit(data$x), data$group)
  })
  # At 5 % one or two of thirty are expected; six or more come in 0.4 %.
  expect_lt(sum(vapply(found, function(each) any(each$items$free), NA)), 6)
  p <- unlist(lapply(found, function(each) each$items$p_value))
  # 150 p-values; the items of a table are nearly independent.
  expect_gt(suppressWarnings(stats::ks.test(p, "punif")$p.value), 0.01)
  of_sizes <- vapply(found, function(each) each$test$p_value, 0)
  expect_gt(stats::ks.test(of_sizes, "punif")$p.value, 0.01)
  # Standard errors are those of the sizes that are found.
  north <- vapply(found, function(each) each$sizes$size[1], 0)
  errors <- vapply(found, function(each) each$sizes$std.error[1], 0)
  # The standard deviation of thirty is off by 13 %.
  expect_equal(stats::sd(north) / mean(errors), 1, tolerance = 0.3)
})

test_that("the order of rows and the kind of group do not matter", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  found <- compare_groups(group_fit(data$x), data$group)
  other <- with_seed(5, sample(300))
  moved <- compare_groups(group_fit(data$x[other, ]), data$group[other])
  # EM ends within 1e-6 of the same place.
  expect_close(moved$sizes[3:4], found$sizes[3:4], 1e-4)
  expect_equal(moved$items, found$items, tolerance = 1e-3)
  for (group in list(factor(data$group), data$group == "south", 1 + (data$group == "south"))) {
    same <- compare_groups(group_fit(data$x), group)
    expect_identical(same$sizes$size, found$sizes$size)
  }
  expect_identical(levels(compare_groups(group_fit(data$x), data$group == "south")$sizes$group),
                   c("FALSE", "TRUE"))
})

test_that("rows without a group are left out, with a message", {
  data <- two_groups(n_obs = 300)
  fit <- group_fit(data$x)
  group <- replace(data$group, 1:20, NA)
  expect_message(found <- compare_groups(fit, group), "20 rows",
                 class = "mdpd_message_missing_group")
  expect_equal(found$n_left_out, 20)
  expect_equal(found$n, c(north = 140, south = 140))
  rest <- compare_groups(group_fit(data$x[-(1:20), ]), data$group[-(1:20)])
  expect_close(found$sizes$size, rest$sizes$size, 1e-4)
})

test_that("an item may not have the name of one of the model", {
  data <- two_groups(n_obs = 100)
  compare <- function(items, group = data$group) {
    x <- stats::setNames(data$x, c(items, names(data$x)[3:5]))
    compare_groups(stagewise_em(x, k = 2), group)
  }
  expect_snapshot(show_conditions(compare(c("b", "b [north]"))))
  expect_error(compare(c("b", "(group)")), "(group)", fixed = TRUE, class = "mdpd_error_argument")
  # Two freed items would have it.
  expect_error(compare(c("b", "b [x]"), rep(c("north", "x] [north"), 50)), "b [x] [north]",
               fixed = TRUE, class = "mdpd_error_argument")
})

test_that("rows of weight 0 and groups that have no others count as if left out", {
  data <- two_groups(n_obs = 300)
  weights <- rep(c(1, 1, 0), 100)
  kept <- weights > 0
  fit <- group_fit(data$x, weights = weights)
  rest <- compare_groups(group_fit(data$x[kept, ]), data$group[kept])
  group <- ifelse(kept, data$group, "west")
  cnd <- expect_message(found <- compare_groups(fit, group), "1 group has no row of weight above 0",
                        class = "mdpd_message_missing_group")
  expect_identical(cnd$groups, "west")
  expect_equal(found$sizes, rest$sizes, tolerance = 1e-6)
  expect_equal(found$items, rest$items, tolerance = 1e-6)
  expect_identical(found$n, rest$n)
  expect_identical(found$n_left_out, 0L)
  expect_equal(compare_groups(fit, data$group)$sizes, rest$sizes, tolerance = 1e-6)
  expect_error(hush(compare_groups(fit, ifelse(kept, "north", "west"))), "different groups, not 1",
               class = "mdpd_error_argument")
})

test_that("groups that answer nothing that tells classes apart count as if left out", {
  data <- two_groups(n_obs = 300)
  silent <- rep(c(FALSE, FALSE, TRUE), 100)
  data$x[silent, ] <- NA
  data$x$noise <- with_seed(2, sample(c("a", "b"), 300, TRUE))
  group <- ifelse(silent, "west", data$group)
  for (criterion in c("bic", "evidence")) {
    fit <- hush(stagewise_em(data$x, k = 2, control = stagewise_control(criterion = criterion)))
    expect_false("noise" %in% informative(fit))
    cnd <- expect_message(found <- compare_groups(fit, group, free = character()),
                          "1 group has no answer to an informative item",
                          class = "mdpd_message_missing_group")
    expect_identical(cnd$groups, "west")
    # They have a group, of which nothing can be said.
    expect_identical(found$n_left_out, 0L)
    rest <- hush(compare_groups(fit, replace(group, silent, NA), free = character()))
    expect_identical(rest$n_left_out, 100L)
    expect_equal(found[c("sizes", "items", "test", "n")], rest[c("sizes", "items", "test", "n")])
    expect_true(all(found$sizes$std.error > 0.01))
    expect_identical(found$test$df, 1)
    expect_error(hush(compare_groups(fit, ifelse(silent, "west", "north"))),
                 "different groups, not 1", class = "mdpd_error_argument")
  }
})

test_that("a group of known classes stays without an answer, if its rows weigh", {
  fit <- group_fit(sharp_rows(60))
  data <- fit$coded
  data$codes[41:60, ] <- as.raw(0)
  groups <- list(codes = rep(1:3, each = 20), levels = c("a", "b", "c"))
  left <- function(known = NULL) {
    data["known"] <- list(known)
    hush(groups_that_answer(groups, fit, data))
  }
  expect_identical(left()$levels, c("a", "b"))
  expect_identical(left()$codes, rep(c(1:2, 0L), each = 20))
  expect_identical(which(left()$unanswered), 41:60)
  known <- replace(rep(NA, 60), 41, 2L)
  expect_identical(left(known)$levels, c("a", "b", "c"))
  expect_false(any(left(known)$unanswered))
  data$weights[41] <- 0
  expect_identical(left(known)$levels, c("a", "b"))
})

test_that("sizes that rest on what the data do not determine have no errors", {
  # Two items of two levels are less than two classes ask for.
  data <- two_groups(n_obs = 300)
  fit <- suppressWarnings(mdpd(data$x[c("item_1", "item_3")], k = 2, prior = 0,
                               control = stagewise_control(criterion = "bic", smoothing = 0)))
  compare <- function() {
    suppressWarnings(compare_groups(fit, data$group, free = c("item_1", "item_3")),
                     "mdpd_warning_many_items")
  }
  expect_warning(found <- compare(), class = "mdpd_warning_not_identified")
  expect_identical(found$sizes$std.error, rep(NA_real_, 4))
})

test_that("a group may have no name, as a blank of a file", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  fit <- group_fit(data$x)
  named <- compare_groups(fit, data$group, free = "item_2")
  found <- compare_groups(fit, ifelse(data$group == "north", "", "south"), free = "item_2")
  expect_equal(found$items$effect, named$items$effect)
  expect_equal(found$item_probs$probability, named$item_probs$probability)
  expect_identical(found$items$highest == "", named$items$highest == "north")
})

test_that("an item that no row with a group answered is left out, with a message", {
  data <- two_groups(n_obs = 300)
  second <- rep(c(FALSE, TRUE), each = 150)
  data$x$item_3[second] <- NA
  fit <- group_fit(data$x)
  group <- ifelse(second, data$group, NA)
  hush_missing <- function(code) suppressMessages(code, "mdpd_message_missing_group")
  cnd <- expect_message(hush_missing(compare_groups(fit, group)), "1 item that no row",
                        class = "mdpd_message_unanswered_items")
  expect_identical(cnd$items, "item_3")
  found <- hush(compare_groups(fit, group, free = c("item_3", "item_2")))
  rest <- compare_groups(group_fit(data$x[second, names(data$x) != "item_3"]), group[second],
                         free = "item_2")
  expect_equal(found$sizes$size, rest$sizes$size, tolerance = 1e-4)
  expect_setequal(found$items$item, setdiff(names(data$x), "item_3"))
  expect_identical(unname(predict(found, data$x[second, ], group[second])),
                   unname(predict(found)))
  data$x[second, 1:4] <- NA
  expect_error(hush(compare_groups(group_fit(data$x), group)), "They answer 1.",
               class = "mdpd_error_argument")
})

test_that("an item that one group never answered is not tested", {
  data <- two_groups(n_obs = 300)
  data$x$item_3[data$group == "south"] <- NA
  found <- compare_groups(group_fit(data$x), data$group)
  expect_true(is.na(found$items$p_value[found$items$item == "item_3"]))
  expect_false(anyNA(found$items$p_value[found$items$item != "item_3"]))
  expect_output(print(found), "item_3")
})

test_that("crowds, fits by evidence and known classes are compared too", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 12, n_labels = 2, accuracy = rep(0.8, 12),
                          missing = 0.5, seed = 1)
  group <- rep(c("day", "night"), 200)
  fit <- stagewise_em(crowd$labels, k = 2)
  found <- compare_groups(fit, group)
  expect_identical(levels(found$sizes$component), fit$labels)
  expect_false(anyNA(found$sizes))
  known <- mdpd(crowd$labels, k = 2, known = crowd$truth[1:100])
  with_gold <- compare_groups(known, group)
  expect_identical(levels(with_gold$sizes$component), known$labels)
  sparse <- fit
  sparse$coded$codes <- as_sparse_codes(fit$coded$codes)
  expect_equal(compare_groups(sparse, group)$sizes, found$sizes)
  table <- stagewise_em(answers(400), k = 2)
  expect_setequal(compare_groups(table, rep(1:2, 200))$items$item, informative(table))
})

test_that("of a survey design errors are robust and statistics are scaled", {
  skip_if_not_installed("survey")
  data <- two_groups(n_obs = 150, sizes = c(0.5, 0.5))
  # Every row four times: the design effect is four.
  x <- data$x[rep(1:150, each = 4), ]
  group <- rep(data$group, each = 4)
  design <- survey::svydesign(ids = ~id, weights = ~1, data = data.frame(id = rep(1:150, each = 4)))
  by_design <- compare_groups(group_fit(x, weights = design), group, free = "item_2")
  single <- compare_groups(group_fit(data$x), data$group, free = "item_2")
  expect_close(by_design$sizes$size, single$sizes$size, 1e-3)
  # Both estimate the same variances, one from the curvature and one from the scores of 150 rows.
  expect_equal(by_design$sizes$std.error, single$sizes$std.error, tolerance = 0.15)
  expect_equal(by_design$test$statistic, single$test$statistic, tolerance = 0.3)
  ratio <- by_design$items$statistic / single$items$statistic[match(by_design$items$item,
                                                                     single$items$item)]
  expect_equal(stats::median(ratio), 1, tolerance = 0.3)
  expect_equal(nrow(differences(c("a", "a", "b", "b"), c("x", "y", "x", "y"))), 2)
  expect_equal(mean_variance_ratio(3 * diag(4), diag(4),
                                   differences(c("a", "a", "b", "b"), c("x", "y", "x", "y"))), 3)
})

test_that("replicate weights of a jackknife say what its clusters say", {
  skip_if_not_installed("survey")
  data <- two_groups(n_obs = 300, sizes = c(0.5, 0.4))
  data$group[c(3, 8)] <- NA
  design <- survey::svydesign(ids = ~id, weights = ~1, data = data.frame(id = rep(1:60, 5)))
  compare <- function(design) {
    compare_groups(group_fit(data$x, weights = design), data$group, free = "item_2")
  }
  by_clusters <- hush(compare(design))
  by_replicates <- hush(compare(survey::as.svrepdesign(design, type = "JK1")))
  # The rows without a group, whose scores are left out, leave the others' sum not quite at zero.
  for (part in c("sizes", "test", "items", "item_probs")) {
    expect_equal(by_replicates[[part]], by_clusters[[part]], tolerance = 1e-3)
  }
  expect_identical(by_replicates$design_df, 59)
  # Of 59 degrees of freedom, not of chi-square and the normal distribution.
  test <- by_clusters$test
  expect_equal(test$p_value, stats::pf(test$statistic / test$df, test$df, 59, lower.tail = FALSE))
  items <- by_clusters$items
  expect_equal(items$p_value, stats::pf(items$statistic / items$df, items$df, 59,
                                        lower.tail = FALSE))
  sizes <- tidy(by_clusters, conf.int = TRUE)
  half <- stats::qt(0.975, 59) * sizes$std.error / (sizes$estimate * (1 - sizes$estimate))
  expect_equal(stats::qlogis(sizes$conf.high), stats::qlogis(sizes$estimate) + half)
})

test_that("a design effect is the mean ratio of the variances of all differences", {
  skip_if_not_installed("survey")
  data <- two_groups(n_obs = 300, sizes = c(0.5, 0.4))
  design <- survey::svydesign(ids = ~id, weights = ~1, data = data.frame(id = rep(1:60, 5)))
  found <- compare_groups(group_fit(data$x, weights = design), data$group, free = "item_2")
  free <- compare_groups(group_fit(data$x), data$group, free = "item_2")
  variances <- function(type) {
    covariance <- vcov(found$fit, type = type, cluster = if (type == "robust") rep(1:60, 5))
    differences <- outer(rownames(covariance), rownames(covariance), function(a, b) {
      (a == b) - (sub("south", "north", a) == b)
    })
    of_south <- grep("item_2.*south", rownames(covariance))
    differences <- differences[of_south, ]
    differences %*% covariance %*% t(differences)
  }
  # The last level follows from the others: there is less than one direction a difference.
  known <- variances("observed")
  axes <- eigen(known)
  kept <- axes$values > 1e-8 * max(axes$values)
  vectors <- axes$vectors[, kept]
  effect <- mean(diag(t(vectors) %*% variances("robust") %*% vectors) / axes$values[kept])
  item <- function(result) result$items$statistic[result$items$item == "item_2"]
  expect_equal(item(free) / item(found), effect, tolerance = 1e-4)
})

test_that("tables are tidy", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  found <- compare_groups(group_fit(data$x), data$group)
  sizes <- tidy(found, conf.int = TRUE)
  expect_named(sizes, c("term", "group", "class", "estimate", "std.error", "conf.low", "conf.high"))
  expect_true(all(sizes$conf.low < sizes$estimate & sizes$estimate < sizes$conf.high))
  expect_equal(as.vector(tapply(sizes$estimate, sizes$group, sum)), c(1, 1))
  items <- tidy(found, "items")
  expect_identical(items$term, items$variable)
  expect_true(all(c("variable", "class", "outcome", "statistic", "df", "p.value", "adj.p.value",
                    "estimate") %in% names(items)))
  of_items <- tidy(found, "item_probs")
  expect_named(of_items[1:5], c("term", "variable", "outcome", "class", "group"))
  expect_identical(of_items$term, paste(of_items$variable, "=", of_items$outcome))
  expect_equal(nrow(of_items), 3 * 2 * 2)
  none <- compare_groups(group_fit(data$x), data$group, free = character())
  expect_equal(nrow(tidy(none, "item_probs", conf.int = TRUE)), 0)
  expect_false("conf.low" %in% c(names(tidy(found)), names(of_items)))
  expect_error(tidy(found, "classes"), class = "mdpd_error_argument")
  expect_error(tidy(found, conf.level = 1.5), class = "mdpd_error_argument")
})

test_that("pictures show sizes, items and what was freed", {
  data <- two_groups(differ = c("item_2", "item_4"))
  found <- compare_groups(group_fit(data$x), data$group)
  local_pdf()
  for (type in c("sizes", "items", "item_probs")) {
    picture <- autoplot(found, type = type)
    expect_s3_class(picture, "ggplot")
    expect_silent(ggplot2::ggplot_build(picture))
    expect_picture(paste("groups", type), autoplot(found, type = type))
  }
  expect_equal(nrow(autoplot(found, type = "items", max_items = 3)$data), 3)
  expect_error(autoplot(found, max_items = 3), "`max_items` must be left out",
               class = "mdpd_error_argument")
  expect_identical(plot(found)$data, autoplot(found)$data)
  # Two free items are named, of more the first two.
  found$items$free <- seq_len(nrow(found$items)) <= 3
  shown <- paste(unlist(autoplot(found, type = "sizes")$labels), collapse = " ")
  expect_match(gsub("\\s+", " ", shown), paste0(
    "Free items: ", found$items$item[1], "; ", found$items$item[2], "; and 1 more"
  ), fixed = TRUE)
  none <- compare_groups(group_fit(data$x), data$group, free = character())
  expect_error(plot(none, type = "item_probs"), class = "mdpd_error_not_stored")
  none$items$effect <- NA_real_
  expect_error(plot(none, type = "items"), "answered often enough",
               class = "mdpd_error_not_stored")
  expect_error(plot(found, type = "profiles"), class = "mdpd_error_argument")
})

test_that("where there is no room for both the p-value stands alone", {
  items <- data.frame(p_adjusted = 0.01, level = strrep("a level ", 9), component = "2")
  expect_match(effect_text(items), "^p = 0.010, a level")
  expect_identical(effect_text(items[rep(1, 60), ]), rep("p = 0.010", 60))
})

test_that("print says what was found", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  found <- compare_groups(group_fit(data$x), data$group)
  # No estimates in a snapshot.
  found$sizes$size <- c(0.6, 0.4, 0, 1)
  found$sizes$std.error <- c(0.02, 0.02, NA, NA)
  found$items[c("evidence", "effect")] <- c(20, -3, -4, -5, NA, 0.5, 0.1, 0.1, 0, NA)
  found$items$p_adjusted <- c(1e-9, 0.5, 1, 1, NA)
  found$items[c("item", "component", "level")] <- rep(c("i", "1", "b"), each = 5)
  found$items[c("lowest", "highest")] <- rep(c("north", "south"), each = 5)
  found$test[1, ] <- list(12.3, 1, 0.0005)
  found$loglik <- -1234.5
  found$n_left_out <- 3
  expect_snapshot(print(found, max_items = 5))
  expect_snapshot(print(found, max_items = 1))
})

test_that("names of levels are as long as the console has room for", {
  items <- data.frame(
    item = c("q1", "q2"), level = c("Strongly agree", "Strongly disagree"), component = "1",
    lowest = "Male", highest = "Female", evidence = 1, p_adjusted = 1, effect = 0.2, free = FALSE
  )
  where <- function(width) {
    rlang::local_options(cli.width = width)
    unname(format_group_items(items, 2)[, "largest for"])
  }
  expect_identical(where(80), paste(items$level, "in 1: Male < Female"))
  expect_match(where(60), "^Str[.]{3}[a-z.]+ in 1: Male < Female$")
})

test_that("what cannot be compared is told", {
  data <- two_groups(n_obs = 100)
  fit <- group_fit(data$x)
  expect_snapshot({
    show_conditions(compare_groups(fit, rep("north", 100)))
    show_conditions(compare_groups(fit, data$group[1:10]))
    show_conditions(compare_groups(fit, list(1)))
    show_conditions(compare_groups(fit, seq(0, 1, length.out = 100)))
    show_conditions(compare_groups(stagewise_em(data$x, k = 1), data$group))
    show_conditions(compare_groups(fit, data$group, free = "item_9"))
    show_conditions(compare_groups(fit, data$group, free = 1))
    show_conditions(compare_groups(fit, replace(data$group, 1, NA), free = names(data$x)))
  })
  expect_error(compare_groups(fit, data$group, alpha = 2), class = "mdpd_error_argument")
  expect_error(compare_groups(sharp_model(), data$group), class = "mdpd_error_not_stored")
  bare <- fit
  bare$coded <- NULL
  expect_error(compare_groups(bare, data$group), class = "mdpd_error_no_data")
  expect_equal(compare_groups(bare, data$group, x = data$x)$sizes,
               compare_groups(fit, data$group)$sizes, tolerance = 1e-4)
})

test_that("a group that is all of one component has no errors, and a small one is named", {
  data <- two_groups(differ = character(), n_obs = 300)
  fit <- group_fit(data$x)
  sure <- which(fit$posterior[, 1] == max(fit$posterior[, 1]))
  for (n in c(1, 9, 10)) {
    few <- utils::head(sure, n)
    group <- replace(rep("rest", 300), few, "few")
    tell <- if (n < 10) expect_message else expect_silent
    tell(compared <- compare_groups(fit, group, free = character()))
    sizes <- split(compared$sizes, compared$sizes$group)
    # EM from the posterior goes to the boundary, where it stays for ever.
    expect_gt(sizes$few$size[1], 1 - 0.01 / length(few))
    expect_identical(sizes$few$std.error, c(NA_real_, NA_real_))
    expect_true(all(sizes$rest$std.error > 0))
    expect_output(print(compared), "few  *100.0 % \\(-\\)  *0.0 % \\(-\\)")
    expect_no_error(grid::grid.force(ggplot2::ggplotGrob(autoplot(compared))))
  }
  expect_message(compare_groups(fit, rep(c("a", "b", "c"), c(3, 9, 288)), free = character()),
                 "2 groups have fewer than 10 rows", class = "mdpd_message_small_group")
})

test_that("groups that are the answers to an item are told", {
  data <- two_groups(differ = character(), n_obs = 300)
  fit <- group_fit(data$x)
  for (group in list(data$x[[2]], paste("group", data$x[[2]]))) {
    cnd <- expect_warning(compare_groups(fit, group, free = character()), names(data$x)[2],
                          class = "mdpd_warning_group_is_item")
    expect_identical(cnd$item, names(data$x)[2])
  }
  expect_warning(compare_groups(fit, data$x[[1]], free = character()),
                 class = "mdpd_warning_group_is_item")
  one_differs <- replace(data$x[[2]], 1, setdiff(data$x[[2]], data$x[[2]][1])[1])
  expect_no_warning(compare_groups(fit, one_differs, free = character()))
})

test_that("weights of a survey without its design are told", {
  data <- two_groups(differ = character(), n_obs = 300)
  fit <- group_fit(data$x, weights = rep(c(0.5, 1.5), 150))
  expect_snapshot(show_conditions(compare_groups(fit, data$group, free = character())))
  expect_warning(compare_groups(fit, data$group, free = character()),
                 class = "mdpd_warning_sampling_weights")
})

test_that("weights as numbers free items that work the same, the same weights as a design do not", {
  skip_if_not_installed("survey")
  n_free <- vapply(1:5, function(seed) {
    data <- two_groups(seed, n_obs = 300)
    weights <- with_seed(seed, stats::rlnorm(300, sdlog = 1))
    design <- survey::svydesign(~1, weights = ~weights, data = data.frame(weights))
    counted <- suppressWarnings(compare_groups(group_fit(data$x, weights = weights), data$group))
    by_design <- compare_groups(group_fit(data$x, weights = design), data$group)
    c(sum(counted$items$free), sum(by_design$items$free))
  }, numeric(2))
  # By the level of 0.05 a quarter of a search in five; by counts most of them free one.
  expect_gte(sum(n_free[1, ] > 0), 2)
  expect_lte(sum(n_free[2, ] > 0), 1)
})

test_that("the search shows how far it is, without a change of the result", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  fit <- group_fit(data$x)
  rlang::local_options(cli.progress_show_after = 0, cli.progress_clear = FALSE, cli.dynamic = TRUE)
  shown <- utils::capture.output(
    found <- compare_groups(fit, data$group, verbose = TRUE), type = "message"
  )
  expect_match(paste(shown, collapse = " "), "Items, 0 free .*100%")
  expect_equal(found[names(found) != "fit"],
               compare_groups(fit, data$group, verbose = FALSE)[names(found) != "fit"])
  expect_error(compare_groups(fit, data$group, verbose = 2), class = "mdpd_error_argument")
})

# What follows from it -----------------------------------------------------------------------------

two_regions <- function() {
  model <- simulate_crowd(n_workers = 6, n_labels = 2, accuracy = rep(0.8, 6), seed = 1)$model
  answers <- simulate(model, seed = 1, n_obs = 400)[[1]]
  answers[[1]][201:400] <- rev(answers[[1]][201:400])
  answers$region <- rep(c("north", "south"), each = 200)
  answers
}

test_that("the fit with freed items takes rows as they are, with the group in its column", {
  rows <- two_regions()
  items <- rows[names(rows) != "region"]
  fit <- stagewise_em(items, k = 2)
  groups <- compare_groups(fit, rows$region, free = names(items)[1])
  # Both are one E-step at the parameters of the end.
  expect_equal(predict(groups$fit, rows, type = "prob"), predict(groups, type = "prob"),
               tolerance = 1e-6)
  expect_identical(unname(predict(groups, rows[3:1, ])), predict(groups)[3:1])
  expect_identical(names(predict(groups, rows[3:1, ])), c("3", "2", "1"))
  expect_identical(predict(groups, items, rows$region), predict(groups, rows))
  expect_identical(augment(groups$fit, newdata = rows)$.class, unname(predict(groups, rows)))
  refined <- hush(refine(groups$fit))
  expect_equal(predict(refined, rows, type = "prob"), predict(refined, type = "prob"),
               tolerance = 1e-6)
  # By hand: sizes of the group, the freed item as it works there.
  row <- rows[c(1, 400), ]
  probs <- groups$fit$item_probs
  by_hand <- vapply(1:2, function(i) {
    region <- row$region[i]
    density <- groups$sizes$size[groups$sizes$group == region]
    for (item in names(items)) {
      name <- if (item == names(items)[1]) paste0(item, " [", region, "]") else item
      density <- density * probs[[name]][as.character(row[[item]][i]), ]
    }
    density / sum(density)
  }, numeric(2))
  expect_equal(unname(predict(groups, row, type = "prob")), unname(t(by_hand)), tolerance = 1e-10)
  expect_error(predict(groups$fit, items), "region", class = "mdpd_error_missing_item")
  expect_error(predict(groups, items[-2], rows$region), class = "mdpd_error_missing_item")
  expect_error(predict(groups, items, "north"), class = "mdpd_error_argument")
  expect_error(predict(groups, as.matrix(items), rows$region), "`newdata` must be a data frame",
               class = "mdpd_error_argument")
  expect_error(predict(groups, group = rows$region), class = "mdpd_error_argument")
  # The name of the column is that of the call.
  place <- rows$region
  expect_identical(compare_groups(fit, place, free = character())$fit$groups$variable, "place")
  expect_identical(compare_groups(fit, rows[["region"]], free = character())$fit$groups$variable,
                   "region")
  expect_identical(compare_groups(fit, rev(place), free = character())$fit$groups$variable, "group")
})

test_that("a group with the name of an item is not taken for it", {
  rows <- two_regions()
  items <- rows[names(rows) != "region"]
  names(items)[2] <- "region"
  fit <- stagewise_em(items, k = 2)
  groups <- compare_groups(fit, rows$region, free = "region")
  expect_equal(predict(groups, items, group = rows$region, type = "prob"),
               predict(groups, type = "prob"), tolerance = 1e-6)
  expect_error(augment(groups, newdata = items), "group", class = "mdpd_error_missing_item")
  items$group <- rows$region
  expect_identical(augment(groups, newdata = items)$.class, unname(predict(groups)))
})

test_that("augment() has the groups with the classes of their rows", {
  table <- two_regions()
  fit <- stagewise_em(table[1:6], k = 2)
  found <- compare_groups(fit, table$region, free = "1")
  own <- augment(found)
  expect_identical(as.character(own$region), table$region)
  expect_identical(own$.class, unname(predict(found)))
  expect_equal(own$.probability, unname(apply(predict(found, type = "prob"), 1, max)))
  new <- augment(found, newdata = table[1:4, ])
  expect_equal(new$.class, own$.class[1:4])
  expect_true(all(names(table) %in% names(new)))
})

test_that("the log-likelihood is given the groups; that of the fit counts them", {
  rows <- two_regions()[c(1:120, 201:400), ]
  items <- rows[names(rows) != "region"]
  fit <- stagewise_em(items, k = 2)
  groups <- compare_groups(fit, rows$region, free = names(items)[1])
  n <- c(120, 200)
  expect_equal(as.numeric(logLik(groups)), groups$fit$loglik - sum(n * log(n / sum(n))))
  expect_identical(attr(logLik(groups), "df"), groups$df)
  expect_identical(groups$fit$df, groups$df + 1)
  row <- glance(groups)
  expect_identical(row$logLik, groups$loglik)
  expect_equal(row$AIC, 2 * groups$df - 2 * groups$loglik)
  expect_equal(row$BIC, log(320) * groups$df - 2 * groups$loglik)
  expect_identical(row$n_free, 1L)
  expect_identical(nobs(groups), 320)
  expect_identical(row$p.value, groups$test$p_value)
})

test_that("freeing an item adds the df of its test, where a group does not show all levels", {
  data <- two_groups(n_obs = 300, differ = "item_2")
  north <- data$group == "north"
  # All levels; one that one group never shows; and none in common.
  never <- replace(data$x$item_4, !north & data$x$item_4 == "d", "a")
  apart <- ifelse(north, ifelse(never %in% c("a", "b"), "a", "b"),
                  ifelse(never %in% c("a", "b"), "c", "d"))
  for (item_4 in list(data$x$item_4, never, apart)) {
    x <- replace(data$x, "item_4", list(item_4))
    fit <- group_fit(x)
    compare <- function(free) suppressWarnings(compare_groups(fit, data$group, free = free))
    same <- compare("item_2")
    freed <- compare(c("item_2", "item_4"))
    expect_equal(freed$df - same$df, 2 * (length(unique(item_4)) - 1))
    expect_equal(freed$df - same$df, same$items$df[same$items$item == "item_4"])
    expect_equal(freed$df - same$df, freed$items$df[freed$items$item == "item_4"])
    expect_equal(freed$fit$df, freed$df + 1)
    expect_equal(attr(logLik(freed$fit), "df"), freed$df + 1)
  }
  # A group that never answers it has none of them.
  x$item_4[!north] <- NA
  fit <- group_fit(x)
  expect_equal(compare("item_4")$df, compare(character())$df)
})

test_that("a group of one row by a design is compared, and frees nothing", {
  skip_if_not_installed("survey")
  truth <- rep(1:2, each = 30)
  x <- as.data.frame(with_seed(3, lapply(stats::setNames(1:4, letters[1:4]), function(item) {
    ifelse(stats::runif(60) < 0.93, truth, 3 - truth)
  })))
  weights <- rep(c(0.5, 1, 1.5), 20)
  design <- survey::svydesign(~1, weights = ~weights, data = data.frame(weights))
  fit <- suppressWarnings(stagewise_em(x, 2, weights = design))
  group <- with_seed(1, sample(2, 60, TRUE))
  group[60] <- 7
  compared <- suppressMessages(suppressWarnings(compare_groups(fit, group)))
  expect_false(any(compared$items$free))
})

test_that("what is known nearly exactly or not at all is left out of a design effect", {
  first <- diag(c(2, 3, 1, 1))
  second <- diag(c(1, 1, 1e-12, 1e6)) / 100
  expect_equal(mean_variance_ratio(first / 100, second, diag(4), c(1e-10, 1)), 2.5)
  expect_identical(mean_variance_ratio(first, second, diag(4)[3:4, ], c(1e-10, 1)), 1)
  # Nor does a difference count of which one side has no variance at all.
  second <- diag(c(1, 1, NA, 1))
  contrasts <- rbind(c(1, 0, 0, 0), c(0, 1, 0, 0), c(0, -1, 1, 0))
  expect_equal(mean_variance_ratio(first, second, contrasts), 2.5)
  expect_equal(mean_variance_ratio(first, second, contrasts[2, , drop = FALSE]), 3)
  expect_identical(mean_variance_ratio(first, second, contrasts[3, , drop = FALSE]), 1)
  # Of two axes one that has less than 1e-8 of the other's variance is none.
  expect_equal(mean_variance_ratio(diag(c(200, 1)), diag(c(100, 5e-7)), diag(2)), 2)
  expect_equal(mean_variance_ratio(diag(c(200, 1)), diag(c(100, 2e-6)), diag(2)), (2 + 5e5) / 2)
})

test_that("a design effect is of what varies, and 1 where an item of a group tells nothing", {
  seen <- NULL
  local_in_package(list(
    as_group_fit = function(...) list(informative = "a"),
    parameter_table = function(fit) data.frame(item = "a", component = 1:2, level = "x"),
    parts_of_groups = function(...) list(mixture = list(covariance = diag(2))),
    robust_mixture = function(parts, at) 3 * diag(2),
    mean_variance_ratio = function(first, second, contrasts, range) {
      seen <<- range
      sum(first) / sum(second)
    }
  ))
  groups <- list(weights = c(1, 2, 2))
  expect_identical(design_effect(groups, NULL, "b"), 1)
  expect_null(seen)
  expect_equal(design_effect(groups, NULL, "a"), 3)
  # A tenth of a row, and a variance of a probability that could be anything.
  expect_equal(seen, c((0.1 / 5)^2, 1))
})

test_that("a size of 0 has no part in the errors of the other sizes of its group", {
  truth <- rep(c("1", "2", "3"), c(60, 40, 20))
  group <- c(rep(c("a", "b"), each = 30), rep(c("a", "b"), c(10, 30)), rep("b", 20))
  x <- data.frame(one = truth, two = truth, three = rep(c("1", "2", "3"), 40))
  crowd <- crowd_labels(data.frame(
    item = rep(1:120, 3), worker = rep(names(x), each = 120), label = unlist(x)
  ))
  fit <- suppressWarnings(mdpd(crowd, k = 3, known = truth, prior = 0))
  sizes <- suppressWarnings(compare_groups(fit, group, free = character()))$sizes
  sizes <- sizes[order(sizes$group, as.character(sizes$component)), ]
  share <- c(30, 10, 0, 30, 30, 20) / rep(c(40, 80), each = 3)
  expect_equal(sizes$size, share, tolerance = 1e-6)
  errors <- sqrt(share * (1 - share) / rep(c(40, 80), each = 3))
  expect_equal(sizes$std.error, replace(errors, 3, NA), tolerance = 1e-4)
})

test_that("differences are those of each cell between a unit and the first", {
  unit <- c("a", "b", "c", "a", "b")
  cell <- c("x", "x", "x", "y", "y")
  expect_identical(differences(unit, cell),
                   rbind(c(-1, 1, 0, 0, 0), c(-1, 0, 1, 0, 0), c(0, 0, 0, -1, 1)))
})

test_that("the largest difference has its level, its component and its two groups", {
  probs <- array(0.5, c(3, 2, 3))
  probs[3, 1, ] <- c(0.4, 0.1, 0.3)
  probs[3, 2, ] <- c(0.2, NA, 0.9)
  # In one group alone there is nothing to compare.
  probs[1, 2, ] <- c(NA, NA, 0.9)
  find <- function(probs) {
    largest_difference(probs, c("no", "so", "yes"), c("one", "two"), c("north", "east", "south"))
  }
  expect_equal(find(probs), data.frame(effect = 0.7, component = "two", level = "yes",
                                       lowest = "north", highest = "south"))
  # Rounding does not choose among what differs by the same.
  for (by in c(-1e-12, 1e-12)) {
    both <- array(0.5, c(2, 2, 3))
    both[1, 1, ] <- c(0.2, 0.5, 0.5 + by)
    both[2, 1, ] <- c(0.8 + by, 0.5, 0.5)
    found <- find(both)
    expect_identical(unlist(found[c("level", "lowest", "highest")], use.names = FALSE),
                     c("no", "north", "east"))
  }
  probs[, , -3] <- NA
  expect_true(all(is.na(find(probs))))
})

test_that("an effect is among groups with five expected answers or more", {
  x <- data.frame(a = rep(c("u", "v"), c(60, 30)), b = rep(c("u", "v"), c(60, 30)),
                  c = rep(c("u", "v"), c(60, 30)), d = rep(c("u", "v"), c(60, 30)))
  # Of the second class five rows are in the south, which answer `d` the other way.
  group <- rep(c("south", "north", "south"), c(30, 55, 5))
  x$d[86:90] <- "u"
  x$d[1:3] <- "v"
  fit <- suppressWarnings(mdpd(x, k = 2, start = rep(1:2, c(60, 30))))
  effect <- function(...) {
    found <- suppressWarnings(hush(compare_groups(fit, group, free = "d", ...)))
    found$items[found$items$item == "d", ]
  }
  of_second <- names(fit$mixing_weights)[2]
  expect_identical(effect()$component, of_second)
  expect_gt(effect()$effect, 0.95)
  # With less weight they are fewer than five.
  lighter <- effect(weights = rep(c(1, 0.9), c(85, 5)), x = x)
  expect_identical(lighter$component, names(fit$mixing_weights)[1])
  expect_equal(lighter$effect, 0.1, tolerance = 0.1)
})

test_that("with known classes sizes are shares, with the errors of shares", {
  truth <- rep(c("1", "2"), c(60, 40))
  group <- rep(rep(c("a", "b", "c"), 2), c(30, 20, 10, 10, 10, 20))
  x <- data.frame(one = truth, two = truth, three = rep(c("1", "2"), 50))
  x$one[c(1, 100)] <- c("2", "1")
  x$two[c(31, 90)] <- c("2", "1")
  crowd <- crowd_labels(data.frame(
    item = rep(1:100, 3), worker = rep(names(x), each = 100), label = unlist(x)
  ))
  fit <- suppressWarnings(mdpd(crowd, k = 2, known = truth, prior = 0))
  found <- suppressWarnings(compare_groups(fit, group, free = character()))
  share <- c(30, 10, 20, 10, 10, 20) / rep(c(40, 30, 30), each = 2)
  at <- order(as.integer(found$sizes$group), as.character(found$sizes$component))
  expect_equal(found$sizes$size[at], share, tolerance = 1e-6)
  expect_equal(found$sizes$std.error[at],
               sqrt(share * (1 - share) / rep(c(40, 30, 30), each = 2)), tolerance = 1e-4)
  # Three groups of two classes: their independence in a table.
  table <- matrix(c(30, 10, 20, 10, 10, 20), 2)
  expected <- outer(rowSums(table), colSums(table)) / 100
  expect_equal(found$test$statistic, 2 * sum(table * log(table / expected)), tolerance = 1e-6)
  expect_equal(found$test$df, 2)
  expect_equal(found$items$df, rep(2 * 2, 3))
})

test_that("two informative items are enough, and as many groups as an item may have levels", {
  data <- two_groups(n_obs = 100)
  fit <- group_fit(data$x)
  fit$informative <- "item_1"
  expect_error(compare_groups(fit, data$group), "2 components and 1 informative item.",
               fixed = TRUE, class = "mdpd_error_argument")
  fit$informative <- c("item_1", "item_2")
  # One of two is no more than half of them.
  expect_no_warning(
    found <- suppressWarnings(compare_groups(fit, data$group, free = "item_2"),
                              "mdpd_warning_not_identified")
  )
  expect_setequal(found$items$item, c("item_1", "item_2"))
  expect_length(read_group(1:254, rep(1, 254))$levels, 254)
  expect_error(read_group(1:255, rep(1, 255)), "from 2 to 254", class = "mdpd_error_argument")
  expect_error(read_group(as.Date("2024-01-01") + 0:9, rep(1, 10)), "must hold categories",
               class = "mdpd_error_argument")
})

test_that("prints of many items and long names stay short", {
  data <- two_groups(n_obs = 60)
  found <- compare_groups(group_fit(data$x), data$group, free = character())
  found$items <- found$items[rep(1, 10), ]
  found$items$item <- paste0("q", 1:10)
  printed <- function(...) utils::capture.output(print(found, ...))
  expect_match(printed(), "Free items none", all = FALSE)
  found$items$free[1:8] <- TRUE
  expect_match(printed(), "Free items q1; q2; q3; q4; q5; q6; q7; q8$", all = FALSE)
  found$items$free <- TRUE
  expect_match(printed(), "Free items q1; .*; q8; and 2 more$", all = FALSE)
  # Eight in the table, unless more are asked for.
  expect_match(printed(), "^  [.]+ and 2 more$", all = FALSE)
  expect_no_match(printed(max_items = 10), "^  [.]+ and")
  found$n_left_out <- 1
  expect_match(printed(), "1 row without a group$", all = FALSE)
  # A title that is too long for the table stands below it.
  found$variable_labels <- c(q2 = strrep("w", 20))
  expect_no_match(printed(), "What these items are about")
  found$variable_labels <- c(q2 = strrep("w", 21))
  expect_match(printed(), "What these items are about", all = FALSE)
  expect_match(printed(), paste0("^ *q2 +", strrep("w", 21), "$"), all = FALSE)
  expect_no_match(printed(max_items = 1), "What these items are about")
  # Only what stands there in another form, and in that form.
  expect_no_match(printed(), "^ *q1 +q1$")
  found$variable_labels <- NULL
  found$items$item[2] <- strrep("w", 21)
  expect_match(printed(), "^ *w{17}[.]{3} +w{21}$", all = FALSE)
})

test_that("the place of a difference is written out while there is room", {
  items <- data.frame(level = strrep("v", 25), component = "2", lowest = "north",
                      highest = "south")
  whole <- paste0(items$level, " in 2: north < south")
  expect_identical(words_of_difference(items, nchar(whole)), whole)
  expect_lt(nchar(words_of_difference(items, nchar(whole) - 1)), nchar(whole))
})

test_that("at the level of 1 all that may differ is freed, and what is the same is not", {
  data <- two_groups(differ = paste0("item_", 1:5), n_obs = 300)
  all <- suppressWarnings(compare_groups(group_fit(data$x), data$group, alpha = 1))
  expect_true(all(all$items$free))
  expect_identical(all$items$p_adjusted, stats::p.adjust(all$items$p_value, "holm"))
  twice <- data$x[rep(1:100, 2), ]
  same <- compare_groups(group_fit(twice), rep(1:2, each = 100), alpha = 1)
  expect_identical(same$items$p_adjusted, rep(1, 5))
  expect_false(any(same$items$free))
})

test_that("the evidence counts the weight of the rows that answer the item", {
  data <- two_groups(differ = "item_2", n_obs = 300)
  x <- with_gaps(data$x)
  weights <- rep(c(1, 2, 3), 100)
  items <- compare_groups(group_fit(x, weights = weights), data$group)$items
  n <- colSums((!is.na(x[items$item])) * weights)
  expect_equal(items$evidence, unname(items$statistic - items$df * log(n)) / 2)
  expect_identical(order(-items$evidence), 1:5)
})

test_that("numbers of rows have one digit, and long names of groups and classes are cut", {
  data <- two_groups(n_obs = 60)
  found <- compare_groups(group_fit(data$x), data$group, free = character())
  found$n <- stats::setNames(c(30.25, 1234), c(strrep("n", 20), "south"))
  names(found$fit$mixing_weights) <- c(strrep("c", 14), "2")
  printed <- utils::capture.output(print(found))
  expect_match(printed, paste0("Groups +", strrep("n", 20), " \\(30.2\\), south \\(1,234.0\\)$"),
               all = FALSE)
  expect_identical(dimnames(format_sizes(found)),
                   list(names(found$n), names(found$fit$mixing_weights)))
  found$sizes$std.error[1] <- 0.1234
  expect_match(format_sizes(found)[1, 1], "(12.3)", fixed = TRUE)
  names(found$n)[1] <- strrep("n", 21)
  names(found$fit$mixing_weights)[1] <- strrep("c", 15)
  expect_identical(lapply(dimnames(format_sizes(found)), nchar), list(c(20L, 5L), c(14L, 1L)))
  found$items$item[1] <- strrep("i", 21)
  expect_identical(nchar(rownames(format_group_items(found$items, 8))), c(20L, rep(6L, 4)))
  expect_error(print(found, max_items = 0), class = "mdpd_error_argument")
})

test_that("the table of items is as wide as the console where names are cut for it", {
  items <- data.frame(
    item = c("q1", "q20"), level = "Strongly agree", component = "1", lowest = "Male",
    highest = "Female", evidence = 1, p_adjusted = 1, effect = 0.2, free = FALSE
  )
  whole <- paste("Strongly agree", "in 1: Male < Female")
  where <- function(width) {
    rlang::local_options(cli.width = width)
    unique(format_group_items(items, 2)[, "largest for"])
  }
  expect_identical(where(33 + nchar("q20") + nchar(whole)), whole)
  expect_lt(nchar(where(33 + nchar("q20") + nchar(whole) - 1)), nchar(whole))
  # Of words that are too long there are shorter and shorter ones.
  items <- data.frame(level = strrep("v", 60), component = "2", lowest = "a", highest = "b")
  lengths <- vapply(100:1, function(room) nchar(words_of_difference(items, room)), 0L)
  expect_identical(unique(lengths) - nchar(" in 2: a < b"), c(40L, 30L, 24L, 20L, 16L, 12L))
})

test_that("tests of items have no interval, and what is asked for is checked", {
  data <- two_groups(n_obs = 60)
  found <- compare_groups(group_fit(data$x), data$group, free = character())
  expect_identical(tidy(found, "items", conf.int = TRUE), tidy(found, "items"))
  expect_error(tidy(found, conf.int = "yes"), class = "mdpd_error_argument")
  expect_error(tidy(found, conf.level = -0.1), class = "mdpd_error_argument")
  expect_identical(tidy(found, conf.int = TRUE), tidy(found, conf.int = TRUE, conf.level = 0.95))
  expect_error(compare_groups(1, data$group), "`object` must be of class <mdpd>",
               class = "mdpd_error_argument")
  names(data$group) <- 60:1
  expect_error(compare_groups(group_fit(data$x), data$group), class = "mdpd_error_argument")
  expect_no_error(compare_groups(group_fit(data$x), data$group, x = data$x, free = character()))
})

test_that("an item that one row answers stays, and groups that are a worker's labels are told", {
  codes <- matrix(as.raw(1), 3, 3, dimnames = list(NULL, letters[1:3]))
  codes[-1, 2] <- as.raw(0)
  expect_identical(answered_in_groups(letters[1:3], codes, NULL), letters[1:3])
  crowd <- small_crowd()$labels
  fit <- stagewise_em(crowd, k = 3)
  worker <- informative(fit)[1]
  suppressMessages(expect_warning(
    compare_groups(fit, unname(as.matrix(crowd)[, worker]), free = character()),
    paste0("The groups are the labels of worker ", worker, ","),
    class = "mdpd_warning_group_is_item"
  ))
})

test_that("pictures show thirty items unless asked for more", {
  data <- two_groups(n_obs = 300)
  found <- compare_groups(group_fit(data$x), data$group, free = "item_2")
  found$items <- found$items[rep(1, 31), ]
  found$items$item <- sprintf("item %02d", 1:31)
  found$items$effect <- 0.1
  expect_identical(nrow(autoplot(found, type = "items")$data), 30L)
  expect_match(autoplot(found, type = "items")$labels$subtitle, "^30 of 31 items")
  found$items$item[1] <- "item_2"
  found$items$free <- TRUE
  expect_identical(levels(autoplot(found, type = "item_probs")$data$variable),
                   c("item_2", sprintf("item %02d", 2:6)))
})
