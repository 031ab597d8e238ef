# What every exported function and S3 method is called with: for each a function that draws a list
# of arguments which are right or nearly so; call.R damages them. An argument is left out where its
# draw is `absent`.

absent <- quote(absent)
maybe <- function(x) if (with_chance(0.5)) x else absent

# Of a fit the arguments that say of which data and how certain.
covariance_arguments <- function(object) {
  list(
    object = object, type = maybe(one_of("observed", "score", "robust")),
    x = if (with_chance(0.15)) some_data(),
    weights = if (with_chance(0.2)) some_weights(object$n_obs %||% 5),
    cluster = if (with_chance(0.1)) sample.int(9, object$n_obs %||% 5, TRUE)
  )
}

fit_arguments <- function(x) {
  list(x = x, k = one_of(1, 2, 2L, 3, 4, 2:3, 1:3, c(3, 2, 2), length(labels_in(x) %||% 1:2)),
       weights = some_weights(n_rows(x)), verbose = FALSE,
       missing = maybe(one_of("ignore", "frozen", "level", "fail")),
       keep_data = maybe(with_chance(0.5)), control = maybe(some_control()))
}

labels_in <- function(x) if (inherits(x, "crowd_labels")) x$labels
known_label <- function(x) if (!is.null(labels_in(x))) stats::setNames(x$labels[1], x$items[1])

some_control <- function() {
  stagewise_control(
    criterion = one_of(NULL, "bic", "evidence"), max_stages = one_of(NULL, 1, 3),
    smoothing = one_of(NULL, 0, 0.5), tol = one_of(NULL, 1e-2, 1e-9, 1),
    max_iter = one_of(NULL, 1, 50), polish = one_of(NULL, FALSE), threads = one_of(NULL, 1, 2),
    floor = one_of(NULL, 0, 0.1), alpha = one_of(NULL, 1, 1e-10), em_steps = one_of(NULL, 1, 4),
    split_step = one_of(NULL, 0, 1), smoothing_loss = one_of(NULL, 0, 10)
  )
}

formula_arguments <- function() {
  data <- some_table(as = one_of("frame", "factors", "tibble"))
  list(x = one_of(~., ~ item1 + item2, ~ . - item1, item1 ~ item2, ~ item1 + z, ~1, y ~ .),
       k = whole(1, 3), data = maybe(data), weights = maybe(stats::runif(nrow(data))),
       verbose = FALSE)
}

covariates <- function() {
  data.frame(z = stats::rnorm(60), g = pick(c("a", "b"), 60), h = factor(pick(1:3, 60)))
}

new_answers <- function(object) {
  one_of(some_data(), as.data.frame(lapply(object$item_probs, function(probs) {
    pick(c(rownames(probs), NA), 5)
  })))
}

numbers_of_limits <- function() list(conf.int = maybe(TRUE), conf.level = maybe(0.9))

targets_of_data <- list(
  crowd_labels = function() {
    list(data = some_triples(), item = maybe(one_of("item", 1)), label = maybe(one_of("label", 3)),
         duplicates = maybe(one_of("count", "error", "first", "last")))
  },
  read_crowd = function() {
    list(file = some_file(), sep = maybe(one_of(",", "\t", "", ";")), header = maybe(TRUE),
         duplicates = maybe(one_of("count", "error", "first")))
  },
  bin_spikes = function() {
    list(times = some_spikes(), window = one_of(c(0, 1), c(-0.1, 0.9)), bin_width = maybe(0.1),
         what = maybe(one_of("any", "count")), max_count = maybe(whole(1, 5)),
         bins = maybe(one_of("items", "rows")), onsets = maybe(c(0, 0.5)),
         trials = maybe(one_of(1:2, NULL)), neurons = maybe(one_of(c("a", "b"), NULL)))
  },
  simulate_crowd = function() {
    list(n_items = whole(1, 40), n_workers = whole(2, 9), n_labels = whole(2, 4),
         accuracy = maybe(stats::runif(2)), missing = maybe(0.5), seed = some_seed())
  },
  simulate_spikes = function() {
    list(n_trials = whole(1, 30), n_neurons = whole(2, 12), n_orientations = maybe(whole(2, 5)),
         width = maybe(30), peak = maybe(10), baseline = maybe(1), window = maybe(0.2),
         gain_sd = maybe(one_of(0, 0.5)), gain_correlation = maybe(0.5), seed = some_seed())
  },
  combine_items = function() list(x = some_data(), groups = list(new = c("item1", "item2"))),
  combine_items.default = function() {
    list(x = some_table(), groups = one_of(list(new = c("item1", "item2")), c("item1", "item2")))
  },
  combine_items.crowd_labels = function() {
    list(x = some_crowd(), groups = list(both = c("w1", "w2")))
  },
  combine_items.formula = function() {
    list(x = ~., groups = list(new = c("item1", "item2")), data = maybe(some_table(as = "frame")))
  },
  majority_vote = function() list(x = some_crowd(), type = maybe(one_of("class", "prob"))),
  agreement = function() {
    list(x = some_data(), metric = maybe(one_of("nominal", "ordinal", "interval")), n = 40,
         level = maybe(0.5), seed = some_seed())
  },
  as.data.frame.crowd_labels = function() list(x = some_crowd()),
  as.matrix.crowd_labels = function() list(x = some_crowd()),
  dim.crowd_labels = function() list(x = some_crowd()),
  print.crowd_labels = function() list(x = some_crowd()),
  # Inside fits only: what is asked of them is what the package asks.
  as.matrix.sparse_codes = function() list(x = some("sparse_codes")),
  dim.sparse_codes = function() list(x = some("sparse_codes")),
  dimnames.sparse_codes = function() list(x = some("sparse_codes")),
  `[.sparse_codes` = function() list(x = some("sparse_codes"), i = 1:2, j = 1)
)

targets_of_stores <- list(
  row_store = function() {
    more <- list(na_values = maybe(one_of(NULL, "NA", c("", "1"))), sep = maybe(","),
                 header = maybe(TRUE), shard_rows = maybe(one_of(1024, 65536)),
                 replace = maybe(TRUE))
    c(source_arguments(), list(path = some_place()), more)
  },
  open_row_store = function() {
    path <- copy_store(some("row_store")$path)$path
    if (with_chance(0.6)) damage_folder(path)
    list(path = path)
  },
  add_rows = function() {
    store <- copy_store(some("row_store")$path)
    rows <- rows_for(store)
    if (with_chance(0.2)) damage_folder(store$path)
    list(store = store, new = some_source_of(rows), weights = maybe(some_weights(nrow(rows))),
         na_values = maybe(one_of(NULL, "NA", "a")), sep = maybe(","), header = maybe(TRUE))
  },
  add_known = function() {
    store <- some_store()
    list(store = store, known = some_known(store))
  },
  verify_store = function() list(store = some_store()),
  stagewise_em.row_store = function() {
    list(x = some_store(), k = one_of(1, 2, 3, 2:3), verbose = FALSE,
         missing = maybe(one_of("ignore", "frozen", "fail")), search_rows = maybe(1000),
         memory = maybe(one_of(0, 1e5)), deadline = maybe(60), control = maybe(some_control()),
         method = maybe(one_of("robust", "paper")))
  },
  as.data.frame.row_store = function() {
    list(x = some_store(), row.names = maybe(one_of(NULL, paste0("r", 1:40))),
         shards = maybe(one_of(NULL, 1, 1:2, c(1, 1))))
  },
  as.matrix.row_store = function() list(x = some_store()),
  head.row_store = function() list(x = some_store(), n = maybe(one_of(1, 6, 1e5))),
  dim.row_store = function() list(x = some_store()),
  dimnames.row_store = function() list(x = some_store()),
  levels.row_store = function() list(x = some_store()),
  format.row_store = function() list(x = some_store()),
  print.row_store = function() list(x = some_store()),
  summary.row_store = function() list(object = some_store()),
  print.summary.row_store = function() list(x = some("summary.row_store"))
)

targets_of_fits <- list(
  stagewise_control = function() unclass(some_control()),
  print.stagewise_control = function() list(x = some_control()),
  stagewise_em = function() fit_arguments(some_data()),
  stagewise_em.default = function() {
    c(fit_arguments(some_data()), list(
      method = maybe(one_of("robust", "paper")),
      refine = maybe(one_of("sparse", "full", "none")), search_rows = maybe(1000)
    ))
  },
  stagewise_em.formula = formula_arguments,
  mdpd = function() fit_arguments(some_data()),
  mdpd.default = function() {
    x <- some_data()
    k <- length(labels_in(x) %||% 1:3)
    posterior <- matrix(stats::rexp(n_rows(x) * k), n_rows(x))
    more <- list(
      start = maybe(one_of("majority", "random", "spectral", posterior / rowSums(posterior),
                           some_fit(), sample.int(k, n_rows(x), TRUE))),
      n_starts = 2, seed = maybe(some_seed()), prior = maybe(one_of(0, 1, "crowd", diag(k))),
      known = maybe(known_label(x))
    )
    utils::modifyList(fit_arguments(x), c(list(k = k), more), keep.null = TRUE)
  },
  mdpd.formula = formula_arguments,
  as_mdpd = function() list(x = some_fit()),
  as_mdpd.default = function() list(x = list(P = c(0.5, 0.5), probs = list(diag(2)))),
  as_mdpd.mdpd = function() list(x = some_fit()),
  as_mdpd.poLCA = function() list(x = some("poLCA")),
  refine.default = function() list(object = 1),
  refine = function() list(object = some_fit(), verbose = FALSE),
  refine.mdpd = function() {
    object <- some_fit()
    list(object = object, x = if (with_chance(0.3)) new_answers(object), verbose = FALSE,
         type = maybe(one_of("sparse", "full")), control = maybe(some_control()),
         weights = if (with_chance(0.4)) some_weights(object$n_obs %||% 5))
  },
  choose_k = function() {
    list(object = some_fit(), k = maybe(one_of(NULL, 2, 3)),
         criterion = maybe(one_of("evidence", "penalised", "BIC", "AIC", "ICL")))
  },
  test_k = function() list(path = one_of(some_fit(), objects$mdpd[1:2]), n = 19, verbose = FALSE),
  name_components = function() {
    list(object = some_fit(), names = one_of(c("x", "y"), c("1" = "x"), c("a", "b", "c")))
  },
  reorder_components = function() {
    list(object = some_fit(), order = one_of(2:1, c("2", "1"), 3:1, "cat"))
  },
  align_components = function() {
    list(object = some_fit(), reference = one_of(some_fit(), sample.int(2, 60, TRUE)))
  },
  error_rate = function() {
    list(estimate = one_of(some_fit(), pick(letters[1:2], 60)),
         truth = one_of(some_fit(), pick(letters[1:2], 60), pick(1:2, 60)), align = maybe(TRUE))
  }
)

targets_of_answers <- list(
  fingerprint = function() list(object = some_fit()),
  print.mdpd_fingerprint = function() {
    parts <- c(fit = NA, data = "3f06-a1c9-07be-5d12", settings = NA,
               result = "01b2-7788-a0f3-44c5")
    list(x = structure(parts, class = "mdpd_fingerprint"))
  },
  coef.mdpd = function() list(object = some_fit()),
  fitted.mdpd = function() list(object = some_fit()),
  logLik.mdpd = function() list(object = some_fit()),
  nobs.mdpd = function() list(object = some_fit()),
  informative.default = function() list(object = 1),
  informative = function() list(object = some_fit()),
  informative.mdpd = function() list(object = some_fit(), fdr = maybe(stats::runif(1))),
  information.default = function() list(object = 1),
  information = function() list(object = some_fit(), component = maybe(1)),
  information.mdpd = function() {
    object <- some_fit()
    list(object = object, x = if (with_chance(0.3)) new_answers(object),
         component = maybe(one_of(NULL, 1, "1")))
  },
  predict.mdpd = function() {
    object <- some_fit()
    newdata <- if (with_chance(0.6)) new_answers(object)
    if (!is.null(object$store) && with_chance(0.7)) newdata <- later_store(object)
    list(object = object, newdata = newdata,
         type = maybe(one_of("class", "prob", "component", "density")),
         file = if (inherits(newdata, "row_store")) maybe(new_path()))
  },
  update.mdpd = function() {
    object <- if (with_chance(0.8)) some_fit_of_store() else some_fit()
    store <- if (is.null(object$store) || with_chance(0.1)) some_store() else later_store(object)
    list(object = object, store = store, full = maybe(with_chance(0.5)),
         memory = maybe(one_of(0, 1e5)), deadline = maybe(60), verbose = FALSE)
  },
  simulate.mdpd = function() {
    list(object = some_fit(), nsim = whole(1, 2), seed = some_seed(), n_obs = maybe(whole(1, 20)))
  },
  print.mdpd = function() list(x = some_fit(), max_items = maybe(whole(1, 5))),
  summary.mdpd = function() list(object = some_fit()),
  print.summary_mdpd = function() list(x = some("summary_mdpd"), max_items = maybe(2)),
  glance.mdpd = function() list(x = some_fit()),
  tidy.mdpd = function() {
    c(list(x = some_fit(), what = maybe(one_of("item_probs", "mixing_weights")),
           se = maybe(with_chance(0.5))), numbers_of_limits())
  },
  augment.mdpd = function() {
    object <- some_fit()
    list(x = object, data = maybe(some_data()), newdata = maybe(new_answers(object)))
  },
  vcov.mdpd = function() covariance_arguments(some_fit()),
  standard_errors.default = function() list(object = 1),
  standard_errors = function() covariance_arguments(some_fit()),
  standard_errors.mdpd = function() covariance_arguments(some_fit()),
  confint.mdpd = function() {
    c(covariance_arguments(some_fit()), list(
      parm = maybe(one_of(1:2, "item1", "mixing_weights")), level = maybe(0.9),
      scale = maybe(one_of("logit", "linear"))
    ))
  },
  bootstrap.default = function() list(object = 1),
  bootstrap = function() list(object = some_fit(), n = 2, verbose = FALSE),
  bootstrap.mdpd = function() {
    object <- some_fit()
    list(object = object, n = 2, type = maybe(one_of("nonparametric", "parametric")),
         refit = maybe(with_chance(0.3)), seed = some_seed(), verbose = FALSE,
         x = if (with_chance(0.1)) some_data(),
         weights = if (with_chance(0.3)) some_weights(object$n_obs %||% 5))
  },
  goodness_of_fit.default = function() list(object = 1),
  goodness_of_fit = function() list(object = some_fit()),
  goodness_of_fit.mdpd = function() {
    list(object = some_fit(), n = maybe(whole(0, 2)), lambda = maybe(1), verbose = FALSE,
         rows = maybe(one_of("all", "complete")))
  },
  pair_residuals.default = function() list(object = 1),
  pair_residuals = function() list(object = some_fit()),
  pair_residuals.mdpd = function() {
    list(object = some_fit(), n = maybe(whole(0, 2)), items = maybe(c("item1", "item2")),
         max_items = maybe(whole(2, 5)), verbose = FALSE)
  },
  copied_items = function() list(object = some_fit(), x = if (with_chance(0.2)) some_data()),
  confusion = function() {
    list(object = some_fit(), worker = maybe("w1"), type = maybe(one_of("prob", "count")))
  },
  worker_quality = function() list(object = some_fit(), level = maybe(0.8), alpha = maybe(0.1)),
  item_quality = function() list(object = some_fit(), min_gain = maybe(0.1)),
  compare_groups = function() {
    object <- some_fit()
    list(object = object, group = sample.int(2, object$n_obs %||% 5, TRUE), alpha = maybe(0.1),
         free = maybe(one_of(NULL, "item1")))
  },
  class_regression = function() {
    list(object = pick(objects$mdpd[1:14])[[1]], formula = one_of(~z, ~ z + g, ~1, z ~ g, ~ z * h),
         data = maybe(covariates()), reference = maybe(1), max_iter = maybe(50),
         method = maybe(one_of("two-step", "ml", "bch", "one-step")),
         type = maybe(one_of("observed", "score", "robust")))
  },
  distal_outcome = function() {
    list(object = pick(objects$mdpd[1:14])[[1]],
         y = one_of(stats::rnorm(60), pick(letters[1:3], 60)),
         method = maybe(one_of("bch", "ml")))
  },
  report = function() {
    list(object = some_fit(), file = paste0(new_path(), ".html"), title = maybe("a"), open = FALSE,
         data = maybe(with_chance(0.5)), overwrite = TRUE)
  },
  explore = function() {
    list(object = one_of(some_fit(), some_fit(), some_data(), some_store()),
         k = maybe(one_of(2, 1:3)), open = FALSE, port = maybe(one_of(NULL, 8765)))
  }
)

targets_of_pictures <- list(
  autoplot = function() list(object = some_fit()),
  plot.mdpd = function() list(x = some_fit()),
  autoplot.mdpd = function() {
    object <- some_fit()
    list(object = object, component = maybe(1), max_items = maybe(3), items = maybe("item1"),
         type = one_of("profiles", "lines", "posterior", "information", "trace", "history", "path",
                       "workers", "confusion"),
         newdata = if (with_chance(0.1)) new_answers(object), stage = maybe(whole(1, 3)))
  }
)

targets <- c(targets_of_data, targets_of_stores, targets_of_fits, targets_of_answers,
             targets_of_pictures)

# Of what later analyses return: they are called with the object alone, or little more.
targets <- c(targets, list(
  print.mdpd_bootstrap = function() list(x = some("mdpd_bootstrap")),
  confint.mdpd_bootstrap = function() list(object = some("mdpd_bootstrap"), parm = maybe(1:2)),
  vcov.mdpd_bootstrap = function() list(object = some("mdpd_bootstrap")),
  standard_errors.mdpd_bootstrap = function() list(object = some("mdpd_bootstrap")),
  tidy = function() c(list(x = some("mdpd_bootstrap")), numbers_of_limits()),
  tidy.mdpd_bootstrap = function() c(list(x = some("mdpd_bootstrap")), numbers_of_limits()),
  autoplot.mdpd_bootstrap = function() list(object = some("mdpd_bootstrap"), max_items = maybe(2)),
  plot.mdpd_bootstrap = function() list(x = some("mdpd_bootstrap")),
  print.mdpd_groups = function() list(x = some("mdpd_groups")),
  tidy.mdpd_groups = function() {
    c(list(x = some("mdpd_groups"), what = maybe(one_of("sizes", "items", "item_probs"))),
      numbers_of_limits())
  },
  autoplot.mdpd_groups = function() {
    list(object = some("mdpd_groups"), type = maybe(one_of("sizes", "items", "item_probs")))
  },
  plot.mdpd_groups = function() list(x = some("mdpd_groups")),
  print.mdpd_goodness_of_fit = function() list(x = some("mdpd_goodness_of_fit")),
  glance = function() list(x = some("mdpd_goodness_of_fit")),
  glance.mdpd_goodness_of_fit = function() list(x = some("mdpd_goodness_of_fit")),
  tidy.mdpd_goodness_of_fit = function() list(x = some("mdpd_goodness_of_fit")),
  autoplot.mdpd_goodness_of_fit = function() list(object = some("mdpd_goodness_of_fit")),
  plot.mdpd_goodness_of_fit = function() list(x = some("mdpd_goodness_of_fit")),
  summary.mdpd_groups = function() list(object = some("mdpd_groups")),
  glance.mdpd_groups = function() list(x = some("mdpd_groups")),
  logLik.mdpd_groups = function() list(object = some("mdpd_groups")),
  nobs.mdpd_groups = function() list(object = some("mdpd_groups")),
  augment.mdpd_groups = function() {
    list(x = some("mdpd_groups"), newdata = maybe(covariates))
  },
  predict.mdpd_groups = function() {
    list(object = some("mdpd_groups"), newdata = maybe(covariates),
         type = maybe(one_of("class", "prob")))
  },
  summary.mdpd_pair_residuals = function() list(object = some("mdpd_pair_residuals")),
  glance.mdpd_pair_residuals = function() list(x = some("mdpd_pair_residuals")),
  summary.mdpd_test_k = function() list(object = some("mdpd_test_k")),
  glance.mdpd_test_k = function() list(x = some("mdpd_test_k")),
  summary.mdpd_agreement = function() list(object = some("mdpd_agreement")),
  glance.mdpd_agreement = function() list(x = some("mdpd_agreement")),
  summary.mdpd_bootstrap = function() list(object = some("mdpd_bootstrap")),
  glance.mdpd_bootstrap = function() list(x = some("mdpd_bootstrap")),
  summary.mdpd_goodness_of_fit = function() list(object = some("mdpd_goodness_of_fit")),
  summary.distal_outcome = function() list(object = some("distal_outcome")),
  print.mdpd_result_summary = function() list(x = some("mdpd_result_summary")),
  anova.mdpd = function() list(object = some_fit()),
  print.mdpd_pair_residuals = function() list(x = some("mdpd_pair_residuals")),
  tidy.mdpd_pair_residuals = function() list(x = some("mdpd_pair_residuals")),
  autoplot.mdpd_pair_residuals = function() {
    list(object = some("mdpd_pair_residuals"), type = maybe(one_of("map", "bars")))
  },
  plot.mdpd_pair_residuals = function() list(x = some("mdpd_pair_residuals")),
  print.mdpd_test_k = function() list(x = some("mdpd_test_k")),
  tidy.mdpd_test_k = function() list(x = some("mdpd_test_k")),
  autoplot.mdpd_test_k = function() list(object = some("mdpd_test_k")),
  plot.mdpd_test_k = function() list(x = some("mdpd_test_k")),
  print.mdpd_agreement = function() list(x = some("mdpd_agreement")),
  tidy.mdpd_agreement = function() list(x = some("mdpd_agreement")),
  autoplot.mdpd_agreement = function() list(object = some("mdpd_agreement")),
  plot.mdpd_agreement = function() list(x = some("mdpd_agreement")),
  print.class_regression = function() list(x = some("class_regression")),
  summary.class_regression = function() list(object = some("class_regression"), level = maybe(0.9)),
  print.summary_class_regression = function() list(x = some("summary_class_regression")),
  coef.class_regression = function() list(object = some("class_regression")),
  confint.class_regression = function() list(object = some("class_regression"), parm = maybe(1:2)),
  formula.class_regression = function() list(x = some("class_regression")),
  glance.class_regression = function() list(x = some("class_regression")),
  augment.class_regression = function() {
    list(x = some("class_regression"), data = maybe(covariates()), newdata = maybe(covariates()))
  },
  logLik.class_regression = function() list(object = some("class_regression")),
  nobs.class_regression = function() list(object = some("class_regression")),
  vcov.class_regression = function() list(object = some("class_regression")),
  anova.class_regression = function() list(object = some("class_regression")),
  predict.class_regression = function() {
    list(object = some("class_regression"), newdata = maybe(covariates()),
         type = maybe(one_of("prob", "posterior", "class")), interval = maybe(TRUE))
  },
  tidy.class_regression = function() {
    c(list(x = some("class_regression"), exponentiate = maybe(TRUE)), numbers_of_limits())
  },
  autoplot.class_regression = function() {
    list(object = some("class_regression"), type = maybe(one_of("coefficients", "shares")),
         covariate = maybe("z"), intercept = maybe(TRUE))
  },
  plot.class_regression = function() list(x = some("class_regression")),
  model.matrix.class_regression = function() list(object = some("class_regression")),
  print.distal_outcome = function() list(x = some("distal_outcome")),
  coef.distal_outcome = function() list(object = some("distal_outcome")),
  vcov.distal_outcome = function() list(object = some("distal_outcome")),
  glance.distal_outcome = function() list(x = some("distal_outcome")),
  augment.distal_outcome = function() list(x = some("distal_outcome")),
  tidy.distal_outcome = function() {
    c(list(x = some("distal_outcome"), what = maybe(one_of("classes", "pairs"))),
      numbers_of_limits())
  },
  autoplot.distal_outcome = function() list(object = some("distal_outcome"), level = maybe(0.9)),
  plot.distal_outcome = function() list(x = some("distal_outcome")),
  augment = function() list(x = some_fit())
))

# Those that take long, and those that draw what their autoplot() has built: one in so many rounds.
plots <- grep("^plot[.]", names(targets), value = TRUE)
rounds <- c(stats::setNames(rep(24, length(plots)), plots), report = 40, test_k = 10,
            autoplot.mdpd = 2, autoplot = 6, explore = 10)

# Generic of each method that the package registers, by the method's name.
generics_of_methods <- function() {
  methods <- getNamespaceInfo("mdpd", "S3methods")
  stats::setNames(methods[, 1], paste0(methods[, 1], ".", methods[, 2]))
}

# What the package exports and registers must have its arguments here.
check_targets <- function() {
  asked <- c(getNamespaceExports("mdpd"), names(generic_of))
  without <- setdiff(asked, names(targets))
  gone <- setdiff(names(targets), asked)
  if (length(without) + length(gone) > 0) {
    about <- c("no arguments for " = toString(without), "no such function: " = toString(gone))
    about <- about[nzchar(about)]
    stop("tests/fuzz/targets.R must have what NAMESPACE has: ",
         paste0(names(about), about, collapse = "; "))
  }
}
