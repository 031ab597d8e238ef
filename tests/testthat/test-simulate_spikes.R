small_population <- function(...) {
  simulate_spikes(n_trials = 60, n_neurons = 10, n_tuned = 4, n_orientations = 6, ..., seed = 1)
}

test_that("simulated spikes have the sizes asked for", {
  spikes <- small_population()
  expect_named(spikes, c("spikes", "times", "truth", "neurons", "rates", "model", "k"))
  expect_identical(dim(spikes$spikes), c(60L, 10L))
  expect_type(spikes$spikes, "integer")
  expect_setequal(spikes$spikes, 0:1)
  expect_identical(colnames(spikes$spikes), spikes$neurons$neuron)
  expect_identical(rownames(spikes$spikes), names(spikes$truth))
  expect_identical(spikes$neurons$tuned, rep(c(TRUE, FALSE), c(4, 6)))
  expect_identical(dim(spikes$rates), c(10L, 6L))
  expect_identical(levels(spikes$truth), c("0", "30", "60", "90", "120", "150"))
  expect_identical(spikes$k, 6)
  one <- simulate_spikes(1, 2, 0, 2, seed = 1)
  expect_identical(dim(one$spikes), 1:2)
})

test_that("by default a quarter of 240 neurons is tuned to one of twelve orientations", {
  few <- simulate_spikes(20, 8, seed = 1)
  expect_identical(simulate_spikes(20, 8, 2, 12, 20, 30, 3, 0.1, 0.3, 0.2, seed = 1), few)
  expect_identical(unlist(formals(simulate_spikes)[1:2]), c(n_trials = 2400, n_neurons = 240))
  expect_identical(levels(simulate_spikes(7, 2, 0, 7, baseline = 0, seed = 1)$truth),
                   c("0.00", "25.71", "51.43", "77.14", "102.86", "128.57", "154.29"))
})

test_that("neurons have the distributions that the help gives", {
  neurons <- with_seed(1, draw_neurons(6, 4, peak = 30, baseline = 3))
  expected <- with_seed(1, list(
    preferred = stats::runif(6, 0, 180), baseline = stats::rgamma(6, shape = 2, scale = 1.5),
    peak = stats::rgamma(6, shape = 4, scale = 7.5)
  ))
  expected$preferred[5:6] <- NA
  expect_equal(as.list(neurons[names(expected)]), expected)
})

test_that("every orientation is shown equally often", {
  expect_setequal(table(small_population()$truth), 10L)
  expect_identical(as.integer(sort(table(simulate_spikes(20, 4, 2, 3, seed = 1)$truth))),
                   c(6L, 7L, 7L))
})

test_that("the true model is one of neurons, not of workers, and EM goes on from it", {
  population <- simulate_spikes(200, 30, 15, 4, peak = 60, gain_sd = 0.1, seed = 1)
  expect_output(print(population$model), "15 of 30 items informative", fixed = TRUE)
  expect_identical(levels(predict(population$model, population$spikes)), levels(population$truth))
  for (criterion in c("evidence", "bic")) {
    control <- stagewise_control(criterion = criterion)
    fit <- refine(population$model, population$spikes, control = control, verbose = FALSE)
    expect_named(fit$mixing_weights, levels(population$truth), ignore.order = TRUE)
    expect_lt(error_rate(fit, population$truth), 0.1)
  }
})

test_that("times are the spikes that are counted", {
  population <- small_population(window = 0.25)
  expect_true(all(population$times$time >= 0 & population$times$time < 0.25))
  counts <- table(population$times$trial, population$times$neuron)
  expect_true(all((counts > 0) == population$spikes))
  expect_identical(bin_spikes(population$times, c(0, 0.25)), population$spikes)
})

test_that("a tuning curve has its peak, its baseline and half its height where they belong", {
  neurons <- data.frame(neuron = "n1", tuned = TRUE, preferred = 30, baseline = 2, peak = 10)
  # Half the height of the rise at 25 degrees on both sides; orientations repeat after 180.
  rates <- tuning_rates(neurons, c(30, 55, 5, 120, 210), width = 25)
  expect_equal(unname(rates[1, 1:3]), c(12, 7, 7))
  expect_equal(rates[[1, 5]], 12)
  expect_true(all(rates[1, 4] <= rates[1, ]), rates[1, 4] > 2)
  wide <- tuning_rates(neurons, c(30, 120), width = 90)
  expect_equal(unname(wide[1, ]), c(12, 7))
})

test_that("an untuned neuron has one rate, the mean of a tuned one", {
  neurons <- data.frame(neuron = c("n1", "n2"), tuned = c(TRUE, FALSE), preferred = c(45, NA),
                        baseline = 2, peak = 10)
  rates <- tuning_rates(neurons, seq(0, 165, 15), width = 20)
  expect_equal(unname(rates[2, ]), rep(mean(rates[1, ]), 12))
})

test_that("exactly the tuned neurons are informative in the true model", {
  population <- small_population()
  model <- population$model
  expect_s3_class(model, "mdpd")
  expect_identical(model$informative, population$neurons$neuron[population$neurons$tuned])
  expect_equal(unname(model$mixing_weights), rep(1 / 6, 6))
  for (probs in model$item_probs) {
    expect_identical(dimnames(probs), list(c("0", "1"), levels(population$truth)))
    expect_equal(unname(colSums(probs)), rep(1, 6))
    expect_true(all(probs > 0))
  }
})

test_that("neurons spike as often as the true model says", {
  for (gain_sd in c(0, 0.5)) {
    population <- simulate_spikes(30000, 6, 3, 3, gain_sd = gain_sd, seed = 2)
    for (neuron in colnames(population$spikes)) {
      share <- tapply(population$spikes[, neuron], population$truth, mean)
      # Five standard errors of a share among the 10000 trials of an orientation.
      expect_lt(max(abs(share - population$model$item_probs[[neuron]]["1", ])),
                5 * sqrt(0.25 / 10000))
    }
  }
})

test_that("counts have the mean and the variance of a Poisson number with a gamma gain", {
  n <- 40000
  for (gain_correlation in c(0, 0.6, 1)) {
    population <- simulate_spikes(n, 2, 0, 2, peak = 0, baseline = 30, gain_sd = 0.5,
                                  gain_correlation = gain_correlation, seed = 3)
    counts <- bin_spikes(population$times, c(0, 0.1), what = "count", max_count = 1000,
                         trials = seq_len(n))
    m <- 0.1 * population$rates[, 1]
    # var = m + s^2 m^2. At 40000 trials the standard errors are below 1 per cent of the mean and
    # 2 per cent of the variance: five of them.
    expect_equal(colMeans(counts), m, tolerance = 0.03)
    expect_equal(diag(var(counts)), m + 0.25 * m^2, tolerance = 0.1)
    # cov = r s^2 m_1 m_2; five standard errors of a covariance near zero.
    error <- sqrt(prod(m + 0.25 * m^2) / n)
    expect_lt(abs(cov(counts)[1, 2] - gain_correlation * 0.25 * prod(m)), 5 * error)
  }
})

test_that("a seed gives the same spikes and leaves the session's random numbers alone", {
  set.seed(1)
  expected <- runif(2)
  set.seed(1)
  first <- small_population()
  expect_identical(runif(2), expected)
  expect_identical(small_population(), first)
  expect_false(identical(simulate_spikes(60, 10, 4, 6, seed = 2)$spikes, first$spikes))
})

test_that("columns of neurons have one type, also where none is tuned", {
  spikes <- simulate_spikes(20, 4, n_tuned = 0, seed = 1)
  expect_identical(spikes$neurons$preferred, rep(NA_real_, 4))
  expect_false(anyNA(simulate_spikes(20, 4, n_tuned = 4, width = 0.01, seed = 1)$rates))
})

test_that("the classes of a sensible population are found, and who is tuned", {
  visual <- simulate_spikes(n_trials = 400, n_neurons = 60, n_tuned = 20, n_orientations = 4,
                            seed = 1)
  fit <- stagewise_em(visual$spikes, k = 4)
  expect_setequal(informative(fit), visual$model$informative)
  best <- error_rate(predict(visual$model, visual$spikes), visual$truth)
  # 400 trials: two standard errors of the difference from the best possible.
  expect_lt(error_rate(fit, visual$truth, align = TRUE), best + 2 * sqrt(best * (1 - best) / 400))
})

test_that("bad arguments are errors that name them", {
  bad <- list(
    n_trials = list(0, 1.5, "a"), n_neurons = list(1, NA), n_tuned = list(-1, 241, 0.5),
    n_orientations = list(1, 181), width = list(0, 1e-7, 91, NA), peak = list(-1, "a"),
    baseline = list(-1, Inf), window = list(0, NULL), gain_sd = list(-0.1, 1:2),
    gain_correlation = list(-0.1, 1.1, NA), seed = list("a")
  )
  for (name in names(bad)) {
    for (value in bad[[name]]) {
      arguments <- stats::setNames(list(value), name)
      expect_error(
        do.call(simulate_spikes, arguments), paste0("`", name, "` must"),
        class = "mdpd_error_argument"
      )
    }
  }
})

test_that("more cells than R can index are refused before anything is drawn", {
  most <- "`n_trials` must be at most 195,225,786 with 11 columns"
  expect_error(simulate_spikes(.Machine$integer.max, 11), most, class = "mdpd_error_argument")
  expect_error(simulate_crowd(1e9, 5), "`n_items` must be at most", class = "mdpd_error_argument")
  expect_error(simulate_spikes(1, 1e6 + 1), "`n_neurons` must be .* from 2 to 1,000,000",
               class = "mdpd_error_argument")
  expect_error(simulate_crowd(1, 1e6 + 1), "`n_workers` must be .* from 2 to 1,000,000",
               class = "mdpd_error_argument")
  expect_error(simulate(hand_made_fit(), n_obs = 2e9), "`n_obs` must be at most",
               class = "mdpd_error_argument")
})

test_that("gains that hardly vary are those that do not, in the model and in the spikes", {
  without <- simulate_spikes(60, 6, seed = 1, gain_sd = 0)
  for (gain_sd in c(1e-300, 1e-160, 1e-50, 1e-9)) {
    with <- simulate_spikes(60, 6, seed = 1, gain_sd = gain_sd)
    expect_equal(with$model$item_probs, without$model$item_probs)
    expect_gt(mean(with$spikes), mean(without$spikes) / 2)
  }
  wild <- simulate_spikes(60, 6, seed = 1, gain_sd = 1e300)
  expect_true(all(wild$model$item_probs[[1]]["0", ] == 1))
})

test_that("more spikes than can be held are refused before any is drawn", {
  for (many in list(list(peak = 1e300), list(baseline = 1e12), list(window = 1e300),
                    list(peak = 2e8))) {
    arguments <- c(list(15, 6, gain_correlation = 0.5, seed = 17), many)
    expect_error(do.call(simulate_spikes, arguments), "must give fewer spikes: at most 1e8",
                 class = "mdpd_error_argument")
  }
  expect_error(check_n_spikes(1.26e8), "They give about 1.3e+08", fixed = TRUE,
               class = "mdpd_error_argument")
  expect_no_error(check_n_spikes(1e8))
})
