# Pictures of fits made by hand: no engine, no chance. After a wanted change look at each of them:
# testthat::snapshot_review("pictures") shows what was and what is.

test_that("profiles: two levels, one set of levels, levels of each item's own", {
  binary <- hand_made_fit(n_items = 500, k = 2, n_informative = 60)
  expect_picture("profiles two levels", autoplot(binary))
  expect_picture("profiles shared levels", autoplot(hand_made_fit(k = 3, n_levels = 4)))
  expect_picture("profiles mixed levels", autoplot(hand_made_fit(5, k = 3, n_levels = c(2, 5, 3))))
  many <- hand_made_fit(n_items = 500, k = 12, n_informative = 60)
  expect_picture("profiles twelve components", autoplot(many, max_items = 8))
})

test_that("profiles and lines: long labels, and one odd item", {
  questions <- c("How often do you read a newspaper, on paper or on a screen?",
                 "Would you say that most people can be trusted?", "Do you vote?",
                 "How often do you watch the news on television?", "Where do you live?")
  fit <- hand_made_fit(5, k = 3, n_levels = c(3, 2, 2, 3, 26), n_informative = 5, items = questions)
  expect_picture("profiles long labels", autoplot(fit))
  expect_picture("lines long labels", autoplot(fit, type = "lines", items = questions[1:4]))
})

test_that("lines: two levels, shared levels, many items", {
  expect_picture("lines two levels", autoplot(hand_made_fit(k = 3), type = "lines"))
  answers <- c("strongly disagree", "disagree", "neither", "agree", "strongly agree")
  shared <- hand_made_fit(k = 3, n_levels = 5, level_names = answers)
  expect_picture("lines shared levels", autoplot(shared, type = "lines"))
  many <- hand_made_fit(n_items = 75, k = 8, n_informative = 50)
  expect_picture("lines fifty items", autoplot(many, type = "lines"))
})

test_that("posterior: two and twelve components", {
  expect_picture("posterior two components", autoplot(hand_made_fit(), type = "posterior"))
  many <- hand_made_fit(n_items = 20, k = 12, n_levels = 12, n_obs = 120)
  expect_picture("posterior twelve components", autoplot(many, type = "posterior"))
})

test_that("information: few and many items, and stages", {
  few <- hand_made_fit(n_items = 5, n_informative = 3)
  expect_picture("information five items",
                 draw_information(hand_made_information(few), few, NULL, 60))
  many <- hand_made_fit(n_items = 500, k = 12, n_informative = 40)
  values <- hand_made_information(many)
  expect_picture("information 500 items", draw_information(values, many, NULL, 60))
  models <- list(list(posterior = matrix(1, 4, 1), informative = integer()),
                 list(posterior = matrix(0.5, 4, 2), informative = 1:4))
  shown <- names(many$item_probs)[1:12]
  expect_picture("information stages",
                 draw_information_stages(list(values, values / 4), models, c(0, 3), shown))
})

test_that("trace: with a refinement and with a polish", {
  expect_picture("trace", autoplot(hand_made_fit(k = 3), type = "trace"))
  polished <- hand_made_fit(k = 12)
  move <- utils::tail(polished$trace, 1)
  move[c("phase", "move")] <- c("polish", "items")
  move$loglik <- move$loglik - 2
  polished$trace$information[polished$trace$phase == "refine"] <- move$information <- NA
  polished$trace <- rbind(polished$trace, move)
  expect_picture("trace polished", autoplot(polished, type = "trace"))
})

test_that("history: twelve components, and one with a merge", {
  expect_picture("history twelve components", autoplot(hand_made_fit(k = 12), type = "history"))
  fit <- hand_made_fit(k = 4)
  fit$trace$component[3] <- 2L
  move <- utils::tail(fit$trace, 1)
  moves <- rbind(move, move)
  moves[c("phase", "move", "component", "merged_1", "merged_2")] <- list(
    "polish", c("merge-split", "items"), c(1L, NA), c(1L, NA), c(2L, NA)
  )
  fit$trace <- rbind(fit$trace, moves)
  expect_picture("history merge", autoplot(fit, type = "history"))
})

test_that("path: one component far behind", {
  fit <- hand_made_fit(k = 3)
  fit$path <- data.frame(k = 1:5, components = 1:5, penalised_loglik = c(-9000, -5200, -5000, -5002,
                                                                        -5040),
                         AIC = c(17000, 10000, 9500, 9490, 9488),
                         ICL = c(18000, 10400, 10030, 10100, 10200))
  expect_picture("path", autoplot(fit, type = "path"))
})

test_that("workers: equal and very different numbers of labels", {
  expect_picture("workers equal", autoplot(hand_made_crowd_fit(), type = "workers"))
  expect_picture("workers sparse", autoplot(hand_made_crowd_fit(sparse = TRUE), type = "workers"))
  expect_picture("confusion", autoplot(hand_made_crowd_fit(), type = "confusion"))
})

test_that("selection of a bootstrap", {
  fit <- hand_made_fit(n_items = 40)
  samples <- structure(
    list(selection = stats::setNames(seq(1, 0, length.out = 40), names(fit$item_probs)),
         k = rep(as.integer(fit$k), 200), estimates = matrix(0, 200, 1), fit = fit, n = 200,
         type = "nonparametric", refit = TRUE),
    class = "mdpd_bootstrap"
  )
  expect_picture("bootstrap selection", autoplot(samples))
})

test_that("samples of the tests of k, and of a model that does not fit", {
  bell <- stats::qnorm(stats::ppoints(99))
  test <- structure(
    data.frame(k = 2:4, statistic = c(190, 31, 12), p_value = c(0.01, 0.04, 0.52)),
    class = c("mdpd_test_k", "data.frame"), alpha = 0.05, chosen = 3L,
    samples = list("k = 2" = 16 + 4 * bell, "k = 3" = 20 + 6 * bell, "k = 4" = 12 + 3 * bell[1:20])
  )
  expect_picture("samples of test_k", autoplot(test))
  fit <- structure(
    list(n = 99, samples = cbind(240 + 20 * bell, 250 + 30 * bell, 245 + 25 * bell),
         statistics = data.frame(statistic = c("G2", "X2", "power divergence"),
                                 value = c(480, 700, 230), p_bootstrap = c(0.01, 0.01, 0.4))),
    class = "mdpd_goodness_of_fit"
  )
  expect_picture("samples of a fit", autoplot(fit))
})

test_that("pairs that are left dependent: as a map of few and of many items, and as bars", {
  expect_picture("pairs map", autoplot(hand_made_pairs()))
  expect_picture("pairs bars", autoplot(hand_made_pairs(n = 200), type = "bars", max_pairs = 6))
  expect_picture("pairs map of many items", autoplot(hand_made_pairs(60), max_shown = 45))
})

test_that("measures of agreement", {
  found <- structure(
    list(
      measures = data.frame(
        measure = c("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "raw_agreement"),
        estimate = c(0.45, 0.4, NA, 0.7), lower = c(0.2, -0.05, NA, 0.6),
        upper = c(0.7, 0.8, NA, 0.8)
      ),
      metric = "nominal", level = 0.9, n_paired = 40, n_workers = 5
    ),
    class = "mdpd_agreement"
  )
  expect_picture("agreement", autoplot(found))
})

test_that("profiles on the page of a report", {
  expect_picture("profiles of a report", for_page(autoplot(hand_made_fit(k = 3, n_levels = 4))))
})
