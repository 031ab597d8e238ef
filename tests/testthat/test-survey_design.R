# A stratified sample of districts from the schools of California, read once.
api <- new.env()
schools <- function() {
  if (is.null(api$apistrat)) utils::data("api", package = "survey", envir = api)
  api$apistrat[c("dnum", "stype", "pw", "fpc", "sch.wide", "comp.imp", "awards", "yr.rnd")]
}
items <- c("sch.wide", "comp.imp", "awards", "yr.rnd")
district_design <- function(data = schools()) {
  survey::svydesign(ids = ~dnum, strata = ~stype, weights = ~pw, data = data, nest = TRUE)
}
quickly <- function(...) suppressWarnings(suppressMessages(stagewise_em(...)))
# Two classes that six of 12 items tell, and weights that have nothing to do with them, which make
# the variance of a share twice as large.
weighted_survey <- function(seed) {
  set.seed(seed)
  class <- 1 + (runif(1000) > 0.7)
  of_class <- cbind(c(0.1, 0.15, 0.1, 0.2, 0.1, 0.3), c(0.7, 0.6, 0.8, 0.7, 0.6, 0.8))
  probs <- rbind(of_class, matrix(runif(6, 0.2, 0.8), 6, 2))
  x <- as.data.frame(lapply(1:12, function(item) as.integer(runif(1000) < probs[item, class])))
  names(x) <- paste0("q", 1:12)
  weights <- exp(rnorm(1000, 0, 0.8))
  list(x = x, weights = weights,
       design = survey::svydesign(ids = ~1, weights = weights, data = x))
}
df_of_fit <- function(fit) interval_df(fit$design, fit$coded$weights)

# The standard errors of the second level of each item, and those of survey.
of_second <- function(fit) {
  vapply(standard_errors(fit)$item_probs[items], function(errors) errors[2, 1], 0)
}
of_survey <- function(design) {
  means <- survey::svymean(~ sch.wide + comp.imp + awards + yr.rnd, design)
  unname(survey::SE(means))[c(2, 4, 6, 8)]
}

test_that("the shares of a single component are survey's means, with their standard errors", {
  skip_if_not_installed("survey")
  data <- schools()
  # Each cluster has a replicate: some 50 are made of the 162 districts.
  in_few <- district_design(transform(data, dnum = dnum %% 20))
  designs <- list(
    survey::svydesign(ids = ~1, weights = ~pw, data = data),
    survey::svydesign(ids = ~1, strata = ~stype, fpc = ~fpc, data = data),
    district_design(),
    subset(district_design(), sch.wide == "Yes" | comp.imp == "No"),
    survey::as.svrepdesign(in_few), survey::as.svrepdesign(in_few, type = "JKn", mse = TRUE)
  )
  for (design in designs) {
    fit <- quickly(~ sch.wide + comp.imp + awards + yr.rnd, k = 1, data = design)
    shares <- vapply(fit$item_probs, function(probs) probs[2, 1], 0)
    means <- survey::svymean(~ sch.wide + comp.imp + awards + yr.rnd, design)
    expect_close(shares, unname(coef(means))[c(2, 4, 6, 8)])
    expect_close(of_second(fit), of_survey(design))
    # The covariances between items too.
    at <- paste0(items, ":Yes")
    expect_close(vcov(fit)[at, at], vcov(means)[c(2, 4, 6, 8), c(2, 4, 6, 8)])
    # In the subset one item repeats another.
    ordinary <- suppressWarnings(
      mdpd(~ sch.wide + comp.imp + awards + yr.rnd, k = 1, data = design)
    )
    expect_close(of_second(ordinary), of_survey(design))
  }
})

test_that("of unequal probabilities the share of clusters that was drawn is left out", {
  skip_if_not_installed("survey")
  counties <- data.frame(big = rep(c("yes", "no", "no"), 8), won = rep(c("a", "b"), 12),
                         p = rep(c(0.02, 0.002, 0.01, 0.03), 6))
  design <- survey::svydesign(ids = ~1, fpc = ~p, data = counties, pps = "brewer")
  fit <- quickly(~ big + won, k = 1, data = design)
  errors <- vapply(standard_errors(fit)$item_probs, function(errors) errors[2, 1], 0)
  # Theirs counts each row's own share, of 3 % at most.
  theirs <- unname(survey::SE(survey::svymean(~ big + won, design)))[c(2, 4)]
  expect_close(errors, theirs, 0.015)
  expect_gt(min(errors / theirs), 1)
})

test_that("the only cluster of a stratum adds nothing, one of several what survey has it add", {
  skip_if_not_installed("survey")
  set_by <- function(n_clusters) {
    data <- schools()
    data$psu <- ifelse(data$stype == "H", "alone", paste(data$stype, data$dnum %% 10))
    data$n_clusters <- ifelse(data$stype == "H", n_clusters, 40)
    survey::svydesign(ids = ~psu, strata = ~stype, weights = ~pw, fpc = ~n_clusters, data = data)
  }
  expect_as_survey <- function(design) {
    fit <- quickly(~ sch.wide + comp.imp + awards + yr.rnd, k = 1, data = design)
    expect_close(of_second(fit), of_survey(design))
    expect_equal(df_of_fit(fit), survey::degf(design))
  }
  expect_as_survey(set_by(1))
  for (lonely in c("adjust", "average", "remove", "certainty")) {
    rlang::with_options(survey.lonely.psu = lonely, {
      expect_as_survey(set_by(1))
      expect_as_survey(set_by(3))
    })
  }
  expect_snapshot(show_conditions(stagewise_em(schools()[items], k = 1, weights = set_by(3))))
})

test_that("a design is taken as data and as weights, and stays in the fit", {
  skip_if_not_installed("survey")
  design <- district_design()
  fit <- quickly(~., k = 2, data = design)
  expect_setequal(names(fit$item_probs), c(items, "fpc"))
  named <- quickly(~ sch.wide + comp.imp + awards + yr.rnd, k = 2, data = design)
  # As many rows of equal weight as tell as much (Kish 1965).
  effective <- sum(weights(design))^2 / sum(weights(design)^2)
  expect_lt(effective, 190)
  expect_equal(named$nobs, effective)
  expect_equal(named$weights, unname(weights(design) * effective / sum(weights(design))))
  beside <- quickly(schools()[items], k = 2, weights = design)
  expect_identical(beside$item_probs, named$item_probs)
  expect_identical(beside$design, named$design)
  by_hand <- quickly(schools()[items], k = 2, weights = named$weights)
  expect_null(by_hand$design)
  given <- schools()
  errors <- standard_errors(named)
  expect_equal(
    standard_errors(by_hand, cluster = paste(given$stype, given$dnum), strata = given$stype),
    errors
  )
  expect_equal(standard_errors(by_hand, weights = design), errors)
  as_counts <- function(code) suppressWarnings(code, "mdpd_warning_sampling_weights")
  expect_equal(as_counts(standard_errors(named, type = "observed")),
               as_counts(standard_errors(by_hand)))
  expect_equal(refine(named)$design, named$design)
  expect_equal(refine(named, schools()[items])$design, named$design)
  expect_null(refine(named, schools()[items], weights = rep(1, nrow(given)))$design)
  expect_equal(choose_k(quickly(schools()[items], k = 1:2, weights = design), 2)$design,
               named$design)
})

test_that("the dot leaves out the weights of replicate designs", {
  skip_if_not_installed("survey")
  named <- function(design) names(formula_table(~., design, rlang::quo(NULL))$items)
  data <- schools()[c(items, "pw", "stype", "dnum")]
  expect_equal(named(survey::as.svrepdesign(district_design(data))), c(items, "stype", "dnum"))
  replicates <- rbind(c(2, 0, 0), c(0, 2, 0), c(0, 0, 2), c(2, 2, 0))[rep(1:4, 50), ]
  colnames(replicates) <- paste0("rep", 1:3)
  data <- cbind(data[items], pw = data$pw, data$pw * replicates, one = 1)
  expect_equal(named(survey::svrepdesign(data = data, weights = ~pw, repweights = "rep[0-9]",
                                         type = "BRR")), c(items, "one"))
  # Weights are known by nine digits.
  is_weight <- weight_finder(survey::as.svrepdesign(district_design()))
  expect_identical(vapply(schools()$pw[1] * (1 + c(5e-10, 2e-9)), function(weight) {
    is_weight(replace(schools()$pw, 1, weight))
  }, NA), c(TRUE, FALSE))
  data[2:4 + length(items)] <- replicates
  expect_equal(named(survey::svrepdesign(data = data, weights = ~pw, repweights = replicates,
                                         type = "BRR", combined.weights = FALSE)),
               c(items, "one"))
})

test_that("prints say how the rows were sampled", {
  skip_if_not_installed("survey")
  fit <- quickly(schools()[items], k = 1, weights = district_design())
  expect_output(print(fit), "200 rows of total weight 168.6 (162 clusters in 3 strata)",
                fixed = TRUE)
  expect_output(print(summary(fit)), "162 clusters in 3 strata", fixed = TRUE)
  expect_equal(design_title(list(replicates = list(weights = diag(3)))), "3 replicate weights")
  expect_equal(design_title(new_design(NULL, NULL, 5)), "rows drawn one by one")
  expect_equal(design_title(new_design(c(1, 1, 2), NULL, 3)), "2 clusters in 1 stratum")
  expect_equal(design_title(new_design(NULL, c("a", "b", "b", "a"), 4)), "rows in 2 strata")
})

test_that("two clusters are enough for a stratum", {
  design <- new_design(c("x", "y", "x", "z", "w"), c(1, 1, 1, 2, 2), 5)
  expect_equal(design$cluster, c(1, 2, 1, 3, 4))
  expect_equal(design$stratum, c(1, 1, 2, 2))
  expect_equal(design$factor, c(2, 2))
  expect_equal(interval_df(design, rep(1, 5)), 2)
  expect_error(new_design(c(1, 2, 3), c("a", "a", "b"), 3), "one in stratum \"b\"",
               class = "mdpd_error_single_cluster")
  refused <- expect_error(new_design(c(1, 1), NULL, 2), "there is one[.]",
                          class = "mdpd_error_single_cluster")
  expect_no_match(conditionMessage(refused), "lonely")
  # One of one and a bit is all that there are.
  of_share <- function(drawn) complete_design(1L, 1L, 1, "a", drawn)$factor
  expect_equal(of_share(1 - 5e-8), 5e-8)
  expect_error(of_share(1 - 2e-7), class = "mdpd_error_single_cluster")
})

test_that("of some rows the clusters and replicates are those of the rows", {
  design <- new_design(c("x", "y", "x", "z"), NULL, 4)
  expect_identical(design_of_rows(design, c(4, 1)), replace(design, "cluster", list(c(3L, 1L))))
  replicates <- list(replicates = list(weights = diag(3), scale = 2))
  expect_identical(design_of_rows(replicates, 2)$replicates,
                   list(weights = rbind(c(0, 1, 0)), scale = 2))
})

test_that("replicates that differ by less than 1e-5 are no degrees of freedom", {
  df <- function(e) {
    interval_df(list(replicates = list(weights = cbind(c(1, 0), c(1, e)))), c(1, 1))
  }
  expect_identical(c(df(5e-6), df(2e-5)), c(NA, 1))
})

test_that("of several stages the clusters are those of the first, and none counts as drawn", {
  skip_if_not_installed("survey")
  api <- new.env()
  utils::data("api", package = "survey", envir = api)
  design <- survey::svydesign(ids = ~ dnum + snum, fpc = ~ fpc1 + fpc2, data = api$apiclus2)
  read <- read_sample(design)$design
  expect_identical(read$cluster, match(api$apiclus2$dnum, unique(api$apiclus2$dnum)))
  expect_equal(read[c("n_clusters", "factor")], list(n_clusters = 40, factor = 40 / 39))
  one_stage <- survey::svydesign(ids = ~dnum, fpc = ~fpc1, data = api$apiclus2)
  expect_equal(read_sample(one_stage)$design$factor, 40 / 39 * (1 - 40 / api$apiclus2$fpc1[1]))
})

test_that("replicate weights give about the standard errors of the sandwich", {
  skip_if_not_installed("survey")
  x <- answers(400)
  design <- survey::svydesign(ids = ~cluster, weights = ~1,
                              data = data.frame(x, cluster = rep(1:80, 5)))
  replicates <- survey::as.svrepdesign(design)
  fits <- list(
    function(weights) mdpd(x, k = 2, n_starts = 2, weights = weights),
    function(weights) stagewise_em(x, k = 2, weights = weights),
    function(weights) {
      stagewise_em(x, k = 2, weights = weights, control = stagewise_control(criterion = "bic"))
    }
  )
  for (make in fits) {
    # Of an item that may be the same, replicates show by evidence how that varies, too.
    sure <- function(errors) unlist(errors$item_probs[1:5])
    fit <- make(replicates)
    errors <- standard_errors(fit)
    if (fit$method == "em") of_em <- list(fit = fit, errors = unlist(errors))
    ratio <- sure(errors) / sure(standard_errors(make(design)))
    # Terms of higher order of 80 clusters.
    expect_gt(min(ratio), 0.94)
    expect_lt(max(ratio), 1.06)
  }
  expect_close(sqrt(diag(vcov(of_em$fit)))[1:2], of_em$errors[1:2])
  # By hand: as many fits from the estimates.
  weights <- weights(replicates, "analysis")
  shares <- apply(weights, 2, function(w) {
    mdpd(x, k = 2, start = of_em$fit, weights = w, control = converged)$mixing_weights[["1"]]
  })
  by_hand <- sqrt(replicates$scale * sum(replicates$rscales * (shares - mean(shares))^2))
  expect_close(of_em$errors[[1]], by_hand, 1e-4)
})

test_that("a bootstrap of a fit of a design draws its clusters", {
  skip_if_not_installed("survey")
  fit <- quickly(schools()[items], k = 1, weights = district_design())
  samples <- bootstrap(fit, n = 200, verbose = FALSE)
  ratio <- unlist(standard_errors(samples)$item_probs) / unlist(standard_errors(fit)$item_probs)
  # The standard deviation of 200 draws is off by 5 %.
  expect_true(all(ratio > 0.85 & ratio < 1.15))
  replicates <- survey::as.svrepdesign(district_design())
  by_replicates <- quickly(schools()[items], k = 1, weights = replicates)
  expect_error(bootstrap(by_replicates, n = 2), class = "mdpd_error_argument")
})

test_that("what is no such design is told", {
  skip_if_not_installed("survey")
  design <- district_design()
  expect_snapshot({
    show_conditions(stagewise_em(design, k = 2))
    show_conditions(stagewise_em(~awards + yr.rnd, k = 2, data = design, weights = 1:200))
    show_conditions(mdpd(schools()[1:50, items], k = 2, weights = design))
    show_conditions(stagewise_em(schools()[items], k = 2, weights = structure(
      list(), class = c("twophase2", "survey.design")
    )))
  })
  rows <- c(which(schools()$stype == "E"), which(schools()$stype == "M")[1])
  alone <- survey::svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = schools()[rows, ])
  expect_error(mdpd(schools()[rows, items], k = 1, weights = alone),
               class = "mdpd_error_single_cluster")
  ranked <- survey::postStratify(
    survey::svydesign(ids = ~1, weights = ~pw, data = schools()), ~stype,
    data.frame(stype = c("E", "H", "M"), Freq = c(4421, 755, 1018))
  )
  expect_message(mdpd(schools()[items], k = 1, weights = ranked), class = "mdpd_message_calibrated")
  # A subset of it keeps all rows, those outside with weight zero: they do not count.
  inside <- schools()$stype != "H"
  within <- hush(mdpd(schools()[items], k = 1, weights = subset(ranked, inside)))
  those <- weights(ranked)[inside]
  expect_equal(within$nobs, sum(those)^2 / sum(those^2))
})

test_that("weights of a survey make no components and no items informative", {
  skip_if_not_installed("survey")
  chosen <- vapply(1:4, function(seed) {
    data <- weighted_survey(seed)
    fit <- stagewise_em(data$x, k = 1:4, weights = data$design)
    expect_lt(sum(!informative(fit) %in% paste0("q", 1:6)), 2)
    fit$k
  }, 0)
  # With weights of a mean of one it was the largest asked for in nearly all draws.
  expect_identical(chosen, rep(2, 4))
})

test_that("weights that are no counts are told of where there is no design", {
  skip_if_not_installed("survey")
  data <- weighted_survey(1)
  expect_warning(stagewise_em(data$x, k = 2, weights = data$weights),
                 class = "mdpd_warning_sampling_weights")
  expect_no_warning(stagewise_em(data$x, k = 2, weights = data$design),
                    class = "mdpd_warning_sampling_weights")
  # Rounded, equal rows have other weights; in a table of counts they have not.
  few <- data$x[1:8]
  population <- round(1000 * data$weights)
  expect_warning(stagewise_em(few, k = 2, weights = population),
                 class = "mdpd_warning_sampling_weights")
  counts <- as.data.frame(table(few), stringsAsFactors = TRUE)
  expect_no_warning(stagewise_em(counts[1:8], k = 2, weights = 100 * counts$Freq),
                    class = "mdpd_warning_sampling_weights")
  expect_no_warning(stagewise_em(few, k = 2, weights = rpois(nrow(few), 2)),
                    class = "mdpd_warning_sampling_weights")
})

test_that("intervals have the degrees of freedom of the design", {
  skip_if_not_installed("survey")
  design <- district_design()
  fit <- quickly(~ sch.wide + comp.imp, design, k = 1)
  expect_equal(df_of_fit(fit), survey::degf(design))
  replicates <- survey::as.svrepdesign(design)
  expect_equal(df_of_fit(quickly(~ sch.wide + comp.imp, replicates, k = 1)),
               survey::degf(replicates))
  # Of one component the intervals are those of the package survey.
  theirs <- stats::confint(survey::svymean(~sch.wide, design), df = survey::degf(design))
  expect_equal(unname(confint(fit, "sch.wide", scale = "linear")), unname(theirs),
               tolerance = 1e-8)
  expect_equal(interval_df(NULL, fit$coded$weights), Inf)
})

test_that("clusters and strata without a row that counts are no degrees of freedom", {
  skip_if_not_installed("survey")
  data <- schools()
  # Of these rows nothing is known of the outcome or the covariate outside of some districts.
  data$score <- ifelse(data$dnum < 300, with_seed(1, stats::rnorm(nrow(data))), NA)
  design <- district_design(data)
  ranked <- suppressMessages(survey::postStratify(
    design, ~stype, data.frame(stype = c("E", "H", "M"), Freq = c(4421, 755, 1018))
  ))
  inside <- data$dnum < 500 & data$stype != "H"
  for (whole in list(design, ranked, survey::as.svrepdesign(design))) {
    within <- subset(whole, inside)
    rows <- if (length(stats::weights(within)) == nrow(data)) TRUE else inside
    fit <- hush(mdpd(data[rows, items], k = 2, weights = within, prior = 0))
    expect_equal(df_of_fit(fit), survey::degf(within))
    expect_lt(df_of_fit(fit), survey::degf(whole))
    told <- subset(within, !is.na(score))
    regression <- hush(class_regression(fit, ~score, data[rows, ]))
    outcome <- hush(distal_outcome(fit, score, data[rows, ]))
    expect_equal(c(regression$design_df, outcome$design_df), rep(survey::degf(told), 2))
    expect_lt(outcome$design_df, df_of_fit(fit))
    expect_equal(hush(compare_groups(fit, data$score[rows] > 0))$design_df, survey::degf(told))
  }
  # One cluster tells of no interval.
  one <- new_design(c(1, 1, 2), NULL, 3)
  expect_identical(interval_df(one, c(2, 1, 0)), NA_real_)
  expect_identical(interval_df(design_of_rows(one, c(1, 3)), c(2, 1)), 1)
})

test_that("weights that are not there are told with what to write", {
  expect_snapshot({
    show_conditions(stagewise_em(sharp_rows(20), k = 2, weights = no_such_column))
    show_conditions(mdpd(sharp_rows(20), k = 2, weights = no_such_column))
  })
})
