test_that("ordinary EM never decreases the log-likelihood, from any start", {
  crowd <- simulate_crowd(n_items = 200, n_workers = 6, n_labels = 3, missing = 0.2, seed = 1)
  for (start in list("majority", "random", crowd$truth, crowd$model)) {
    trace <- mdpd(crowd$labels, k = 3, start = start, n_starts = 2, prior = 0)$trace
    expect_non_decreasing(trace$loglik)
  }
})

test_that("ordinary EM agrees with its plain-R twin", {
  crowd <- simulate_crowd(n_items = 120, n_workers = 6, n_labels = 3, missing = 0.2, seed = 2)
  coded <- encode(crowd$labels)
  start <- unname(majority_vote(crowd$labels, type = "prob"))
  # A tolerance no step reaches: both do exactly 15 iterations.
  fit <- suppressWarnings(mdpd(
    crowd$labels, k = 3, prior = 0, control = stagewise_control(max_iter = 15, tol = 1e-300)
  ))
  twin <- twin_refine(coded, start, 15, sparse = FALSE)
  expect_close(fit$loglik, utils::tail(twin$trace$loglik, 1), 1e-10)
})

test_that("random starts give the same fit for a seed, whatever their number is extended to", {
  x <- answers(n_obs = 150)
  few <- mdpd(x, k = 2, start = "random", n_starts = 3, seed = 5)
  more <- mdpd(x, k = 2, start = "random", n_starts = 5, seed = 5)
  expect_identical(few$starts, more$starts[1:3, ])
  expect_identical(mdpd(x, k = 2, n_starts = 3, seed = 5)$posterior, few$posterior)
  expect_equal(few$loglik, max(few$starts$loglik))
})

test_that("the first start has the seed given, and the next ones follow it", {
  largest <- .Machine$integer.max
  expect_identical(seed_of(1:3, 5L), c(5, 6, 7))
  expect_identical(seed_of(1:3, largest), c(largest, -largest, 1 - largest))
  expect_identical(seed_of(1:2, -largest), c(-largest, 1 - largest))
})

test_that("random starts leave the session's random numbers alone", {
  set.seed(42)
  expected <- runif(1)
  set.seed(42)
  mdpd(answers(n_obs = 50), k = 2, n_starts = 2)
  expect_identical(runif(1), expected)
})

test_that("without a seed the session's random numbers are drawn", {
  x <- answers(n_obs = 50)
  expect_identical(mdpd(x, k = 2)$starts, mdpd(x, k = 2, n_starts = 10, seed = 1)$starts)
  drawn <- lapply(c(7, 7, 8), function(seed) {
    set.seed(seed)
    mdpd(x, k = 2, n_starts = 2, seed = NULL)$starts
  })
  expect_identical(drawn[[1]], drawn[[2]])
  expect_false(identical(drawn[[1]], drawn[[3]]))
  # A single one, whatever the number of starts: what a script draws next stays what it was.
  next_number <- function(draw) {
    with_seed(7, {
      draw
      runif(1)
    })
  }
  one <- next_number(sample.int(.Machine$integer.max %/% 2, 1))
  for (n_starts in c(1, 3)) {
    expect_identical(next_number(mdpd(x, k = 2, n_starts = n_starts, seed = NULL)), one)
  }
})

test_that("a start at a solution stays there", {
  x <- answers()
  fit <- mdpd(x, k = 2)
  for (start in list(fit, unname(fit$posterior))) {
    again <- mdpd(x, k = 2, start = start)
    # EM stops at a relative change of 1e-8: the next step is that small too.
    expect_equal(again$loglik, fit$loglik, tolerance = 1e-7)
  }
})

test_that("a crowd's components are named by labels and known items keep theirs", {
  crowd <- small_crowd()
  gold <- crowd$truth[c(5, 50, 100)]
  wrong <- gold
  wrong[] <- rev(levels(gold))[gold]
  for (fit in list(
    mdpd(crowd$labels, k = 3, known = wrong), stagewise_em(crowd$labels, k = 3, known = wrong)
  )) {
    expect_identical(predict(fit)[names(wrong)], wrong)
    expect_setequal(names(fit$mixing_weights), crowd$labels$labels)
    expect_lt(error_rate(fit, crowd$truth), 0.2)
  }
  by_position <- rep(NA, 300)
  by_position[c(5, 50, 100)] <- as.character(wrong)
  expect_identical(
    mdpd(crowd$labels, k = 3, known = by_position)$posterior,
    mdpd(crowd$labels, k = 3, known = wrong)$posterior
  )
})

test_that("known items may have labels of any kind, in any order", {
  crowd <- small_crowd()
  words <- c("2" = "ant", "3" = "bee", "1" = "cat")
  named <- data.frame(
    item = crowd$labels$items[crowd$labels$item],
    worker = crowd$labels$workers[crowd$labels$worker],
    label = words[crowd$labels$labels[crowd$labels$label]]
  )
  gold <- crowd$truth[1:50]
  gold_words <- stats::setNames(words[as.character(gold)], names(gold))
  fit <- stagewise_em(crowd$labels, k = 3, known = gold)
  of_words <- stagewise_em(crowd_labels(named), k = 3, known = gold_words)
  expect_identical(as.character(predict(of_words)[names(gold)]), unname(gold_words))
  expect_equal(of_words$loglik, fit$loglik, tolerance = fit_tolerance)
  expect_identical(names(of_words$mixing_weights), unname(words[names(fit$mixing_weights)]))
})

test_that("a few gold questions do not undo the names of the components", {
  crowd <- simulate_crowd(300, 20, accuracy = c(0.9, 0.8, 0.7), missing = 0.5, seed = 1)
  without <- error_rate(stagewise_em(crowd$labels, k = 3), crowd$truth)
  for (gold in list(rep(NA, 300), crowd$truth[3], crowd$truth[1:2])) {
    expect_lt(error_rate(stagewise_em(crowd$labels, k = 3, known = gold), crowd$truth),
              without + 0.02)
  }
})

test_that("a fit can be updated by its call", {
  x <- answers(n_obs = 60)
  expect_equal(update(stagewise_em(x, k = 2), k = 1)$k, 1)
  expect_equal(update(stagewise_em(~., k = 2, data = x), k = 1)$k, 1)
  expect_equal(suppressWarnings(update(mdpd(x, k = 2), n_starts = 3))$starts$start, 1:3)
})

test_that("gold questions lower the error of the other items", {
  errors <- vapply(1:5, function(seed) {
    crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = rep(0.55, 4), seed = seed)
    gold <- crowd$truth[1:100]
    rest <- crowd$truth[101:300]
    c(error_rate(mdpd(crowd$labels, k = 3), rest),
      error_rate(mdpd(crowd$labels, k = 3, known = gold), rest))
  }, c(0, 0))
  expect_lt(mean(errors[2, ]), mean(errors[1, ]) - 0.05)
})

test_that("prior counts are confusion counts given in advance", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 5, accuracy = 0.8, seed = 1)
  # One M-step from a known posterior: (counts + prior) / totals.
  prior <- diag(3) * 2 + 1
  fit <- suppressWarnings(mdpd(
    crowd$labels, k = 3, start = crowd$truth, prior = prior,
    control = stagewise_control(max_iter = 1)
  ))
  given <- factor(as.matrix(crowd$labels)[, 1], 1:3)
  counts <- table(given, crowd$truth) + t(prior)
  expected <- sweep(counts, 2, colSums(counts), "/")
  expect_equal(unclass(fit$item_probs[["1"]])[1:3, c("1", "2", "3")], unclass(expected)[1:3, ],
               ignore_attr = TRUE)
  strong <- mdpd(crowd$labels, k = 3, prior = diag(3) * 1e6 + 1e-3)
  expect_true(all(vapply(strong$item_probs, function(p) diag(p[colnames(p), ]), c(0, 0, 0)) > 0.99))
})

test_that("the workers of a crowd are drawn to the crowd where EM begins at the vote", {
  crowd <- small_crowd(missing = 0.5)
  x <- crowd$labels
  fit <- mdpd(x, k = 3)
  expect_identical(without(mdpd(x, k = 3, start = "majority", prior = "crowd"), "call"),
                   without(fit, "call"))
  # All workers are counted, and the best of the starts stays.
  expect_setequal(fit$informative, x$workers)
  expect_equal(fit$evidence, max(fit$starts$evidence))
  expect_equal(fit$starts$start, 1:2)
  expect_null(fit$prior)
  expect_equal(sum(fit$item_prior), 1)
  expect_equal(rowSums(fit$item_shares), stats::setNames(rep(1, 15), x$workers))
  expect_equal(unname(colSums(fit$crowd_probs)), rep(1, 3))
  expect_identical(dimnames(fit$crowd_probs), list(x$labels, names(fit$mixing_weights)))
  # The crowd is mostly right.
  expect_true(all(diag(fit$crowd_probs[, x$labels]) > 0.5))
  # Without evidence, from other starts and with a level for missing labels it is the classic.
  classic <- list(
    mdpd(x, k = 3, prior = 0), mdpd(x, k = 3, start = "random"), mdpd(x, k = 3, missing = "level"),
    mdpd(x, k = 3, control = stagewise_control(criterion = "bic"))
  )
  for (plain in classic) {
    expect_null(plain$evidence)
    expect_named(plain$starts, c("start", "loglik", "iterations", "status"))
  }
  expect_identical(classic[[4]]$posterior, classic[[1]]$posterior)
})

test_that("columns of a crowd's fit are posterior means around the crowd's, as plain R has them", {
  x <- small_crowd(missing = 0.5)$labels
  fit <- mdpd(x, k = 3, control = stagewise_control(tol = 1e-12))
  concentration <- as.numeric(sub("[a-z]+ ", "", names(fit$item_prior)[-1]))
  labels <- names(fit$mixing_weights)
  answers <- Reduce(`+`, lapply(x$workers, function(worker) {
    rowSums(confusion(fit, worker, type = "count"))
  }))
  accuracy <- sum(answers[labels] * diag(fit$crowd_probs[labels, labels])) / sum(answers)
  for (worker in x$workers) {
    counts <- t(confusion(fit, worker, type = "count"))[, names(fit$mixing_weights)]
    total <- rowSums(counts)
    columns <- lapply(seq_along(concentration), function(at) {
      c <- concentration[at]
      if (at > 16) {
        right <- (c * accuracy + sum(diag(counts[labels, ]))) / (c + sum(counts))
        same <- outer(rownames(counts), labels, `==`)
        return(ifelse(same, right, (1 - right) / 2))
      }
      own <- prop.table(rowSums(sweep(counts, 2, colSums(counts) + c + 1, "/")))
      centre <- if (at > 8) fit$crowd_probs else own
      sweep(c * matrix(centre, 3, 3) + counts, 2, c + colSums(counts), "/")
    })
    columns <- c(list(matrix(total / sum(total), 3, 3)), columns)
    expected <- Reduce(`+`, Map(`*`, fit$item_shares[worker, ], columns))
    # The posterior has moved by less than the tolerance since.
    expect_equal(unname(fit$item_probs[[worker]]), unname(expected), tolerance = 1e-4)
  }
})

test_that("EM by the crowd may begin anywhere, and a start with more evidence wins", {
  x <- small_crowd(missing = 0.5)$labels
  to_the_end <- stagewise_control(tol = 1e-12)
  fit <- mdpd(x, k = 3, control = to_the_end)
  from <- list("random", "spectral", fit, unname(fit$posterior), predict(fit))
  for (start in from) {
    again <- mdpd(x, k = 3, start = start, n_starts = 3, prior = "crowd", control = to_the_end)
    expect_equal(again$evidence, max(again$starts$evidence))
    expect_setequal(names(again$mixing_weights), x$labels)
    expect_lte(again$evidence, fit$evidence + 0.1)
  }
  # It stays where it was.
  expect_equal(again$posterior, fit$posterior, tolerance = 1e-3)
})

test_that("the crowd's fit does not depend on threads, the order of the triples or ids", {
  triples <- as.data.frame(small_crowd(missing = 0.5)$labels)
  fit <- mdpd(crowd_labels(triples), k = 3)
  one <- mdpd(crowd_labels(triples), k = 3, control = stagewise_control(threads = 1))
  expect_identical(one$posterior, fit$posterior)
  reversed <- mdpd(crowd_labels(triples[rev(seq_len(nrow(triples))), ]), k = 3)
  expect_identical(reversed$posterior, fit$posterior)
  names <- c("no", "maybe", "absent")
  triples$label <- names[as.integer(triples$label)]
  renamed <- mdpd(crowd_labels(triples), k = 3)
  order <- names[as.integer(names(fit$mixing_weights))]
  expect_equal(unname(renamed$posterior[, order]), unname(fit$posterior), tolerance = fit_tolerance)
})

test_that("weak workers with few labels are read better where they borrow from the crowd", {
  # Ten labels a worker: alone each tells next to nothing.
  errors <- vapply(1:5, function(seed) {
    crowd <- simulate_crowd(n_items = 300, n_workers = 150, accuracy = rep(0.6, 150),
                            missing = 1 - 5 / 150, seed = seed)
    c(error_rate(mdpd(crowd$labels, k = 3), crowd$truth),
      error_rate(mdpd(crowd$labels, k = 3, prior = 0), crowd$truth))
  }, c(0, 0))
  expect_lt(mean(errors[1, ]), mean(errors[2, ]) - 0.02)
})

test_that("a crowd that knows nothing keeps a component a label", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 6, accuracy = rep(1 / 3, 6), seed = 1)
  fit <- suppressWarnings(mdpd(crowd$labels, k = 3))
  expect_setequal(names(fit$mixing_weights), crowd$labels$labels)
  expect_equal(fit$status, "converged")
})

test_that("equal or empty components are a warning, never silent", {
  x <- independent_items()
  expect_warning(
    mdpd(x, k = 2, start = matrix(0.5, nrow(x), 2)), class = "mdpd_warning_equal_components"
  )
})

test_that("bad starts, known labels and priors are errors that name the argument", {
  crowd <- small_crowd()
  x <- crowd$labels
  rows <- function(value) matrix(value, 300, 3)
  bad <- list(
    quote(mdpd(x, 3, start = "majorty")), quote(mdpd(answers(), 2, start = "majority")),
    quote(mdpd(x, 3, start = rows(0.2))), quote(mdpd(x, 3, start = rows(NA_real_))),
    quote(mdpd(x, 3, start = matrix(0.5, 300, 2))), quote(mdpd(x, 3, start = 1:2)),
    quote(mdpd(x, 3, start = rep(1:2, 150))), quote(mdpd(x, 2, start = crowd$model)),
    quote(mdpd(x, 3, n_starts = 0)), quote(mdpd(x, 3, seed = "a")),
    quote(mdpd(x, 3, known = c(nobody = "1"))), quote(mdpd(x, 3, known = "1")),
    quote(mdpd(x, 3, known = c("1" = "9"))), quote(mdpd(x, 2, known = c("1" = "1"))),
    quote(mdpd(x, 3, known = structure(c("1" = 1), class = "mdpd"))),
    quote(mdpd(x, 3, prior = -1)), quote(mdpd(x, 3, prior = matrix(1, 2, 2))),
    quote(mdpd(answers(), 2, prior = 1)), quote(mdpd(answers(), 2, prior = "crowd")),
    quote(mdpd(x, 2, prior = "crowd")), quote(mdpd(x, 3, prior = "flat")),
    quote(mdpd(x, 3, prior = "crowd", missing = "level")),
    quote(mdpd(x, 3, prior = "crowd", control = stagewise_control(criterion = "bic"))),
    quote(stagewise_em(x, 3, known = c("1" = "1"), refine = "none")),
    quote(stagewise_em(x, 2:3, known = c("1" = "1")))
  )
  for (call in bad) {
    expect_error(eval(call), class = "mdpd_error_argument", label = deparse(call))
  }
})

test_that("messages about known labels say which value is wrong", {
  x <- small_crowd()$labels
  expect_snapshot({
    show_conditions(mdpd(x, 3, known = c("1", "2")))
    show_conditions(mdpd(x, 3, known = c("1" = "1", "2", "3")))
    show_conditions(mdpd(x, 3, known = c("7" = "1", "8" = "1", "7" = "2")))
    show_conditions(mdpd(x, 3, known = c("7" = "1", nobody = "1", noone = "1")))
    show_conditions(mdpd(x, 3, known = c("7" = "cat")))
    show_conditions(mdpd(x, 3, known = list("1")))
  })
})

test_that("Dawid and Skene's EM finds the published errors of the real crowds", {
  # Zhang et al. (2016), table 2: EM from the majority vote.
  published <- c(bluebird = 0.1111, rte = 0.0712, dog = 0.1666)
  for (name in names(published)) {
    crowd <- shared_crowd(name)
    fit <- mdpd(crowd, k = length(crowd$labels), prior = 0)
    # Ties of the majority vote are broken otherwise there: half a percent.
    expect_lt(abs(error_rate(fit, shared_truth(name)) - published[[name]]), 0.01)
  }
})
