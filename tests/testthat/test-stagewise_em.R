# A fit without some of its fields, and a matrix without row names.
without <- function(fit, ...) unclass(fit)[setdiff(names(fit), c(...))]
unname_rows <- function(x) `rownames<-`(x, NULL)

# Sums in another order differ by 1e-15; the iterations of EM, the same in both fits, spread that
# to less than 1e-8.
rounding <- 1e-8

# The same model up to rounding, whatever the order of rows and items.
expect_same_model <- function(object, expected, rows = seq_len(nrow(expected$posterior))) {
  sizes <- c("k", "df", "nobs", "n_obs", "n_missing", "status")
  expect_equal(unclass(object)[sizes], unclass(expected)[sizes])
  expect_setequal(object$informative, expected$informative)
  expect_equal(object$loglik, expected$loglik, tolerance = rounding)
  expect_equal(object$penalised_loglik, expected$penalised_loglik, tolerance = rounding)
  expect_equal(object$mixing_weights, expected$mixing_weights, tolerance = rounding)
  items <- names(expected$item_probs)
  expect_equal(object$item_probs[items], expected$item_probs, tolerance = rounding)
  expect_equal(object$item_information[items], expected$item_information, tolerance = rounding)
  expect_equal(object$item_evidence[items], expected$item_evidence, tolerance = rounding)
  expect_equal(unname(object$posterior), unname(expected$posterior[rows, , drop = FALSE]),
               tolerance = rounding)
}

# ---- the fit -----------------------------------------------------------------------------------

test_that("a planted mixture is found: the informative items, the parameters, the classes", {
  model <- answers_model()
  x <- simulate(model, seed = 1, n_obs = 2000)[[1]]
  fit <- stagewise_em(x, k = 2)
  expect_setequal(fit$informative, model$informative)
  # Five standard errors of a probability estimated from the smaller component's 800 rows.
  error <- 5 * sqrt(0.25 / 800)
  expect_equal(fit$mixing_weights, model$mixing_weights, tolerance = error)
  for (item in names(x)) {
    expect_lt(max(abs(fit$item_probs[[item]] - model$item_probs[[item]])), error)
  }
  # The true model's own share of errors here is 1.5 %.
  expect_lt(error_rate(fit, attr(x, "component")), 0.025)
})

test_that("estimates come closer to the truth with more rows", {
  model <- answers_model()
  distance <- vapply(c(100, 1000, 10000), function(n_obs) {
    fit <- stagewise_em(simulate(model, seed = 1, n_obs = n_obs)[[1]], k = 2)
    sqrt(sum((unlist(fit$item_probs) - unlist(model$item_probs))^2))
  }, 0)
  expect_lt(distance[2], distance[1])
  expect_lt(distance[3], distance[2])
})

test_that("probabilities are probabilities: in [0, 1], nothing missing, sums of one", {
  fits <- list(
    stagewise_em(answers(), k = 2),
    stagewise_em(with_gaps(answers()), k = 3, method = "paper", refine = "none"),
    stagewise_em(answers(), k = 4, refine = "full"),
    stagewise_em(small_crowd(missing = 0.5)$labels, k = 3)
  )
  one <- 1e-12  # sums of a few doubles
  for (fit in fits) {
    probs <- unlist(list(fit$posterior, fit$mixing_weights, fit$item_probs))
    expect_false(anyNA(probs))
    expect_true(all(probs >= 0 & probs <= 1 + one))
    expect_equal(rowSums(fit$posterior), rep(1, fit$n_obs), tolerance = one,
                 ignore_attr = "names")
    expect_equal(sum(fit$mixing_weights), 1, tolerance = one)
    for (item in fit$item_probs) {
      expect_equal(unname(colSums(item)), rep(1, fit$k), tolerance = one)
    }
    expect_true(all(is.finite(c(fit$loglik, fit$penalised_loglik, fit$df, fit$item_information))))
  }
})

test_that("the same data give the same fit, and the session's random numbers are left alone", {
  set.seed(1)
  state <- .Random.seed
  fit <- stagewise_em(answers(), k = 3)
  expect_identical(.Random.seed, state)
  set.seed(2)
  expect_identical(stagewise_em(answers(), k = 3), fit)
})

test_that("a fit prints nothing and leaves its input alone", {
  x <- with_gaps(answers())
  crowd <- small_crowd()$labels
  before <- unserialize(serialize(list(x, crowd), NULL))
  expect_silent(stagewise_em(x, k = 2, verbose = FALSE))
  expect_silent(stagewise_em(crowd, k = 3, verbose = FALSE))
  expect_identical(list(x, crowd), before)
})

test_that("showing progress does not change the fit", {
  suppressMessages(fit <- stagewise_em(answers(), k = 2, verbose = TRUE))
  expect_identical(without(fit, "call"), without(stagewise_em(answers(), k = 2), "call"))
})

test_that("the fit says how it was made", {
  control <- stagewise_control(alpha = 0.001)
  fit <- stagewise_em(answers(), k = 2, refine = "full", missing = "fail", control = control)
  expect_s3_class(fit, c("stagewise_em", "mdpd"), exact = TRUE)
  expect_identical(unclass(fit)[c("method", "refine", "missing", "n_missing", "n_obs")],
                   list(method = "robust", refine = "full", missing = "fail", n_missing = 0L,
                        n_obs = 300L))
  expect_equal(fit$control$alpha, 0.001)
  expect_false(any(vapply(fit$control, is.null, NA)))
  expect_identical(fit$version, as.character(packageVersion("mdpd")))
})

test_that("update() fits again with another argument", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  expect_equal(update(fit, k = 1)$k, 1)
  fit <- stagewise_em(~., k = 2, data = x)
  expect_equal(update(fit, k = 1)$k, 1)
})

test_that("the trace has a row for every stage and tells what each did", {
  fit <- stagewise_em(answers(), k = 3, method = "paper", refine = "none")
  trace <- fit$trace
  columns <- c("stage", "phase", "k", "item_1", "item_2", "component", "information", "p_value",
               "n_informative", "loglik", "loglik_all", "penalised_loglik", "split_length")
  expect_length(setdiff(columns, names(trace)), 0)
  expect_identical(trace$stage, 1:30)
  expect_true(all(trace$phase == "stage"))
  expect_false(is.unsorted(trace$k))
  expect_false(is.unsorted(trace$n_informative))
  expect_identical(trace$n_informative[30], length(fit$informative))
  expect_setequal(fit$informative, c(trace$item_1, trace$item_2)[
    rep(trace$n_informative > c(0, head(trace$n_informative, -1)), 2)
  ])
  expect_equal(sum(!is.na(trace$split_length)), 2)  # from one component to three
  # Length 0.05 on each of two items.
  expect_equal(trace$split_length[1], 0.05 * sqrt(2))
  expect_equal(trace$loglik[30], fit$loglik)
  expect_equal(trace$penalised_loglik[30], fit$penalised_loglik)
  expect_true(all(trace$information >= 0))
})

test_that("the robust stages stop by themselves and give the corrected p-value of each pair", {
  fit <- stagewise_em(answers(), k = 2)
  stages <- fit$trace[fit$trace$phase == "stage", ]
  expect_lt(nrow(stages), 10)
  expect_true(all(stages$p_value > 0 & stages$p_value <= 1))
  # Once both components are there, only a significant pair may add items.
  expect_true(all(stages$p_value[-1] < 0.01))
  expect_identical(fit$status, "converged")
  expect_true(fit$converged)
})

test_that("max_stages limits the stages", {
  control <- stagewise_control(max_stages = 1)
  fit <- stagewise_em(answers(), k = 2, refine = "none", control = control)
  expect_identical(nrow(fit$trace), 1L)
  expect_identical(fit$status, "stage_limit")
})

test_that("the controls reach the engine", {
  x <- answers()
  loglik <- function(...) {
    control <- stagewise_control(...)
    stagewise_em(x, k = 2, method = "paper", refine = "none", control = control)$loglik
  }
  expect_lt(loglik(max_stages = 2), loglik())
  two_stages <- loglik(max_stages = 2)
  # More steps and longer ones climb further; a floor and a pseudo-count hold the model back.
  expect_gt(loglik(max_stages = 2, em_steps = 3), two_stages)
  expect_gt(loglik(max_stages = 2, split_step = 0.2), two_stages)
  expect_lt(loglik(floor = 0.1), loglik())
  expect_lt(loglik(smoothing = 20), loglik())
})

test_that("smoothing draws the probabilities to the observed frequencies", {
  x <- answers()
  spread <- function(smoothing) {
    control <- stagewise_control(smoothing = smoothing)
    fit <- stagewise_em(x, k = 2, refine = "full", control = control)
    mean(fit$item_information)
  }
  expect_lt(spread(50), spread(0))
})

# ---- one component, few components -------------------------------------------------------------

test_that("one component is the independence model", {
  x <- answers()
  frequencies <- lapply(x, function(column) prop.table(table(column)))
  counts <- lapply(x, table)
  loglik <- sum(mapply(function(n, p) sum(n * log(p)), counts, frequencies))
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      fit <- stagewise_em(x, k = 1, method = method, refine = refine)
      expect_equal(fit$k, 1)
      expect_equal(fit$mixing_weights, c("1" = 1))
      expect_equal(lapply(fit$item_probs, drop), lapply(frequencies, c))
      expect_equal(fit$loglik, loglik)
      expect_equal(fit$penalised_loglik, loglik)
      expect_equal(fit$df, sum(lengths(counts) - 1))
      expect_true(all(fit$posterior == 1))
    }
  }
})

test_that("one component has no informative item", {
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      fit <- stagewise_em(answers(), k = 1, method = method, refine = refine)
      expect_identical(fit$informative, character())
      expect_true(all(fit$item_information < 1e-12))  # differences of sums of size one
    }
  }
})

test_that("one component is what was asked for: converged", {
  expect_identical(stagewise_em(answers(), k = 1)$status, "converged")
  expect_identical(stagewise_em(answers(), k = 1, refine = "none")$status, "converged")
})

test_that("independent items have one component, whatever was asked for", {
  for (method in c("robust", "paper")) {
    expect_warning(
      fit <- stagewise_em(independent_items(), k = 3, method = method),
      class = "mdpd_warning_fewer_components"
    )
    expect_equal(fit$k, 1)
    expect_identical(fit$status, "fewer_components")
    expect_identical(dim(fit$posterior), c(240L, 1L))
    expect_identical(fit$informative, character())
  }
})

test_that("a fit never has more components than the data show, and says so once", {
  # The class decides `a` up to a coin; within a class all is independent.
  x <- expand.grid(class = c("x", "y"), coin = 1:2, b = 1:3, c = 1:2)[rep(1:24, 10), ]
  x$a <- ifelse(x$class == "x", "heads or tails", x$coin)
  x$coin <- NULL
  expect_snapshot(show_conditions(fit <- stagewise_em(x, k = 3)))
  expect_equal(fit$k, 2)
  expect_identical(fit$status, "fewer_components")
  expect_setequal(fit$informative, c("class", "a"))
  expect_equal(error_rate(fit, x$class, align = TRUE), 0)
  expect_warning(stagewise_em(x, k = 2), NA)
})

test_that("constant data have one component", {
  x <- data.frame(a = rep(1, 10), b = "no")
  expect_warning(fit <- stagewise_em(x, k = 2), class = "mdpd_warning_fewer_components")
  expect_equal(fit$k, 1)
  expect_equal(fit$loglik, 0)
  expect_equal(fit$df, 0)
})

test_that("a single row can be fitted", {
  fit <- stagewise_em(answers()[1, ], k = 1)
  expect_identical(dim(fit$posterior), c(1L, 1L))
  expect_equal(fit$loglik, 0)
})

test_that("more items than rows can be fitted", {
  x <- as.data.frame(lapply(1:60, function(j) (1:20 * sqrt(j)) %% 1 > 0.5))
  names(x) <- paste0("item_", 1:60)
  suppressWarnings(  # some of the columns may repeat one another, which is not the point
    fit <- stagewise_em(x, k = 2)
  )
  expect_identical(dim(fit$posterior), c(20L, 2L))
  expect_false(anyNA(unlist(fit$item_probs)))
})

test_that("as many components as rows can be asked for", {
  x <- answers(n_obs = 6, seed = 3)
  suppressWarnings(fit <- stagewise_em(x, k = 6), classes = "mdpd_warning")
  expect_lte(fit$k, 6)
  expect_false(anyNA(fit$posterior))
})

test_that("max_iter = 1 is a classed warning that says what to change", {
  control <- stagewise_control(max_iter = 1)
  expect_snapshot(show_conditions(
    fit <- stagewise_em(answers(), k = 2, method = "paper", control = control)
  ))
  expect_identical(fit$status, "iteration_limit")
  expect_false(fit$converged)
  expect_equal(rowSums(fit$posterior), rep(1, 300))
  expect_warning(stagewise_em(answers(), k = 2, control = control),
                 class = "mdpd_warning_not_converged")
})

# ---- items -------------------------------------------------------------------------------------

test_that("a constant item is kept, never informative and changes nothing", {
  x <- answers()
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      plain <- stagewise_em(x, k = 2, method = method, refine = refine)
      fit <- stagewise_em(cbind(constant = "yes", x), k = 2, method = method, refine = refine)
      expect_false("constant" %in% fit$informative)
      expect_equal(unname(fit$item_probs$constant), matrix(1, 1, 2))
      expect_lt(fit$item_information[["constant"]], 1e-12)  # a sum of doubles of size one
      expect_equal(fit$loglik, plain$loglik, tolerance = rounding)
      expect_equal(fit$penalised_loglik, plain$penalised_loglik, tolerance = rounding)
      expect_equal(fit$df, plain$df)
      expect_equal(fit$posterior, plain$posterior, tolerance = rounding)
    }
  }
})

test_that("an item that repeats another is a classed warning that names both", {
  x <- answers()
  x$copy <- x$item_2
  expect_snapshot(show_conditions(
    fit <- stagewise_em(x, k = 2, method = "paper", refine = "none")
  ))
  expect_identical(dim(fit$posterior), c(300L, 2L))
})

test_that("254 levels can be fitted and 255 cannot", {
  x <- data.frame(a = rep(1:254, 2), b = rep(c("u", "v"), each = 254), c = rep(1:4, 127))
  expect_identical(dim(stagewise_em(x, k = 1)$item_probs$a), c(254L, 1L))
  expect_identical(nrow(suppressWarnings(stagewise_em(x, k = 2))$item_probs$a), 254L)
  x$a[1] <- 255L
  x <- rbind(x, data.frame(a = 256L, b = "u", c = 1L))
  expect_error(stagewise_em(x, k = 1), "at most 254 levels", class = "mdpd_error_data")
})

# ---- the same data in another form -------------------------------------------------------------

test_that("matrix, data frame, tibble and data.table are the same data", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  as_class <- function(...) `class<-`(x, c(..., "data.frame"))
  strings <- as.data.frame(lapply(x, as.character))
  forms <- list(as_class("tbl_df", "tbl"), as_class("data.table"), strings, as.matrix(x),
                as.data.frame(lapply(x, ordered)))
  for (form in forms) {
    expect_identical(without(stagewise_em(form, k = 2), "call"), without(fit, "call"))
  }
})

test_that("integers, doubles, strings and factors are the same data, logicals but for names", {
  codes <- as.data.frame(lapply(as.data.frame(as.matrix(small_crowd()$labels)), `==`, "1"))
  codes[] <- lapply(codes, as.integer)
  fit <- stagewise_em(codes, k = 2)
  forms <- list(
    as.matrix(codes),
    as.data.frame(lapply(codes, as.double)),
    as.data.frame(lapply(codes, as.character)),
    as.data.frame(lapply(codes, factor)),
    as.data.frame(lapply(codes, factor, levels = -1:5)),  # levels that no row has
    as.data.frame(lapply(codes, factor, levels = c("0", "a", NA, "1"), exclude = NULL))
  )
  for (form in forms) {
    expect_identical(without(stagewise_em(form, k = 2), "call"), without(fit, "call"))
  }
  logical <- stagewise_em(as.data.frame(lapply(codes, as.logical)), k = 2)
  expect_identical(rownames(logical$item_probs[[1]]), c("FALSE", "TRUE"))
  expect_identical(without(logical, "call", "item_probs", "coded"),
                   without(fit, "call", "item_probs", "coded"))
})

test_that("columns of several types stand side by side", {
  x <- answers()
  mixed <- x
  mixed$item_1 <- x$item_1 == levels(x$item_1)[2]
  mixed$item_2 <- as.integer(x$item_2)
  mixed$item_3 <- as.character(x$item_3)
  mixed$item_4 <- as.double(as.integer(x$item_4)) * 1e6
  fit <- stagewise_em(mixed, k = 2)
  expect_equal(fit$posterior, stagewise_em(x, k = 2)$posterior)
  expect_identical(rownames(fit$item_probs$item_1), c("FALSE", "TRUE"))
  expect_identical(rownames(fit$item_probs$item_2), c("1", "2", "3"))
  expect_identical(rownames(fit$item_probs$item_4), c("1000000", "2000000"))
})

test_that("columns with odd class attributes do not break a fit", {
  x <- answers()
  odd <- x
  odd$item_1 <- structure(as.integer(x$item_1), class = c("units", "odd"), unit = "m")
  odd$item_2 <- structure(as.character(x$item_2), class = "labelled", label = "a question")
  expect_equal(stagewise_em(odd, k = 2)$posterior, stagewise_em(x, k = 2)$posterior)
})

test_that("a formula is the same as the columns it names", {
  x <- answers()
  same <- function(formula, columns) {
    expect_identical(without(stagewise_em(formula, k = 2, data = x), "call"),
                     without(stagewise_em(x[columns], k = 2), "call"))
  }
  same(~., names(x))
  same(~ item_3 + item_1 + item_2 + item_5, c("item_3", "item_1", "item_2", "item_5"))
  same(~ . - item_8, names(x)[1:7])
  x$`a name` <- x$item_1
  x$item_1 <- NULL
  same(~ `a name` + item_2 + item_3, c("a name", "item_2", "item_3"))
})

test_that("a formula takes the arguments of a fit", {
  x <- with_gaps(answers())
  fit <- stagewise_em(~., k = 2, data = x, method = "paper", refine = "none", missing = "frozen",
                      weights = rep(2, 300))
  expect_identical(unclass(fit)[c("method", "refine", "missing", "nobs")],
                   list(method = "paper", refine = "none", missing = "frozen", nobs = 600))
})

test_that("a crowd is the same as its table of items by workers", {
  crowd <- small_crowd(missing = 0.3)$labels
  fit <- stagewise_em(crowd, k = 2)  # 3 labels, so components carry no labels' names
  skip <- c("call", "labels", "coded")
  expect_equal(without(stagewise_em(as.matrix(crowd), k = 2), skip), without(fit, skip))
  expect_identical(fit$labels, c("1", "2", "3"))
})

test_that("row names are kept, automatic ones are none", {
  x <- answers()
  expect_null(rownames(stagewise_em(x, k = 2)$posterior))
  rownames(x) <- paste0("person_", 300:1)
  expect_identical(rownames(stagewise_em(x, k = 2)$posterior), rownames(x))
  expect_identical(rownames(stagewise_em(as.matrix(x), k = 2)$posterior), rownames(x))
  crowd <- small_crowd()$labels
  expect_identical(rownames(stagewise_em(crowd, k = 3)$posterior), crowd$items)
})

# ---- permutations ------------------------------------------------------------------------------

variants <- list(
  default = list(), full = list(refine = "full"), stages = list(refine = "none"),
  paper = list(method = "paper"), frozen = list(method = "paper", missing = "frozen"),
  level = list(missing = "level")
)
fit_variant <- function(x, k, name) do.call(stagewise_em, c(list(x, k = k), variants[[name]]))

test_that("permuting rows permutes the posterior and changes nothing else", {
  x <- with_gaps(answers())
  rows <- order(seq_len(nrow(x)) * 61 %% 299)
  for (name in names(variants)) {
    fit <- fit_variant(x, 2, name)
    expect_same_model(fit_variant(x[rows, ], 2, name), fit, rows)
    expect_same_model(fit_variant(as.matrix(x)[rows, ], 2, name), fit, rows)
  }
})

test_that("permuting items permutes their results and changes nothing else", {
  x <- with_gaps(answers())
  items <- c(6, 3, 8, 1, 5, 7, 2, 4)
  for (name in names(variants)) {
    fit <- fit_variant(x, 2, name)
    permuted <- fit_variant(x[items], 2, name)
    expect_identical(names(permuted$item_probs), names(x)[items])
    expect_same_model(permuted, fit)
    expect_same_model(fit_variant(as.matrix(x)[, items], 2, name), fit)
  }
})

test_that("other names of levels, in another order, change nothing but the names", {
  x <- with_gaps(answers())
  # The last level comes first and is called "z", the one before it "y", ...
  new_names <- rev(letters)
  renamed <- as.data.frame(lapply(x, function(column) {
    factor(column, rev(levels(column)), new_names[seq_along(levels(column))])
  }))
  rename_probs <- function(probs, order) {
    probs <- probs[rev(seq_len(nrow(probs))), ]
    rownames(probs) <- new_names[seq_len(nrow(probs))]
    probs[order(rownames(probs), decreasing = order == "factor"), ]
  }
  for (name in setdiff(names(variants), "level")) {
    fit <- fit_variant(x, 2, name)
    item_probs <- fit$item_probs
    fit$item_probs <- lapply(item_probs, rename_probs, "factor")
    expect_same_model(fit_variant(renamed, 2, name), fit)
    fit$item_probs <- lapply(item_probs, rename_probs, "strings")
    expect_same_model(fit_variant(as.matrix(renamed), 2, name), fit)
  }
})

test_that("permuting the triples of a crowd changes nothing at all", {
  triples <- as.data.frame(small_crowd(missing = 0.4)$labels)
  rows <- order(seq_len(nrow(triples)) * 61 %% 997)
  fit <- stagewise_em(crowd_labels(triples), k = 3)
  permuted <- stagewise_em(crowd_labels(triples[rows, ]), k = 3)
  expect_identical(without(permuted, "call"), without(fit, "call"))
})

test_that("other ids of items, workers and labels permute a crowd's fit, nothing else", {
  crowd <- small_crowd(missing = 0.4)$labels
  ids <- list(items = order(seq_len(300) * 61 %% 299), workers = order(1:15 * 4 %% 15),
              labels = c("no", "maybe", "absent"))
  renamed <- crowd_labels(data.frame(
    item = ids$items[crowd$item], worker = paste0("w", ids$workers)[crowd$worker],
    label = ids$labels[crowd$label]
  ))
  for (name in setdiff(names(variants), "level")) {
    fit <- fit_variant(crowd, 3, name)
    permuted <- fit_variant(renamed, 3, name)
    # Back to the first names.
    components <- ids$labels[as.integer(names(fit$mixing_weights))]
    expect_identical(names(permuted$mixing_weights), components)
    names(permuted$mixing_weights) <- names(fit$mixing_weights)
    workers <- match(names(permuted$item_probs), paste0("w", ids$workers))
    for (field in c("item_probs", "item_information", "item_evidence")) {
      names(permuted[[field]]) <- workers
    }
    permuted$informative <- as.character(match(permuted$informative, paste0("w", ids$workers)))
    permuted$item_probs <- lapply(permuted$item_probs, function(probs) {
      probs <- probs[ids$labels, components]
      dimnames(probs) <- list(crowd$labels, names(fit$mixing_weights))
      probs
    })
    expect_same_model(permuted, fit, rows = order(ids$items))
  }
})

# ---- case weights ------------------------------------------------------------------------------

test_that("a row of weight two counts like two equal rows", {
  x <- with_gaps(answers())
  twice <- seq_len(300) %% 3 == 0
  for (name in names(variants)) {
    weighted <- do.call(
      stagewise_em, c(list(x, k = 2, weights = ifelse(twice, 2, 1)), variants[[name]])
    )
    repeated <- fit_variant(rbind(x, x[twice, ]), 2, name)
    expect_equal(weighted$nobs, repeated$nobs)
    expect_equal(weighted$df, repeated$df)
    expect_equal(weighted$loglik, repeated$loglik, tolerance = rounding)
    expect_equal(weighted$penalised_loglik, repeated$penalised_loglik, tolerance = rounding)
    expect_equal(BIC(weighted), BIC(repeated), tolerance = rounding)
    expect_equal(AIC(weighted), AIC(repeated), tolerance = rounding)
    expect_identical(weighted$informative, repeated$informative)
    expect_equal(coef(weighted), coef(repeated), tolerance = rounding)
    expect_equal(weighted$posterior, unname_rows(repeated$posterior[1:300, ]),
                 tolerance = rounding)
  }
})

test_that("a row of weight zero does not count but has a posterior", {
  x <- answers()
  x$item_1 <- factor(replace(as.character(x$item_1), 1, "a level of one row"))
  weights <- rep(c(0, 1), c(10, 290))
  fit <- stagewise_em(x, k = 2, weights = weights)
  rest <- stagewise_em(x[-(1:10), ], k = 2)
  expect_equal(fit$nobs, 290)
  expect_identical(fit$n_obs, 300L)
  expect_equal(fit$df, rest$df)
  expect_equal(fit$loglik, rest$loglik, tolerance = rounding)
  expect_equal(coef(fit), coef(rest), tolerance = rounding)
  expect_equal(fit$posterior[-(1:10), ], unname_rows(rest$posterior), tolerance = rounding)
  expect_equal(rowSums(fit$posterior[1:10, ]), rep(1, 10))
})

test_that("a fractional weight lies between", {
  x <- answers()
  loglik <- vapply(c(1, 1.5, 2), function(weight) {
    stagewise_em(x, k = 2, weights = rep(weight, 300), refine = "none", method = "paper")$loglik
  }, 0)
  # The stages of the paper do not depend on the size of the data.
  expect_equal(loglik / loglik[1], c(1, 1.5, 2), tolerance = rounding)
})

# ---- missing values ----------------------------------------------------------------------------

test_that("without missing values all treatments of them agree", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  for (missing in c("frozen", "level", "fail")) {
    other <- stagewise_em(x, k = 2, missing = missing)
    expect_identical(without(other, "call", "missing", "coded"),
                     without(fit, "call", "missing", "coded"))
  }
})

test_that("missing = \"fail\" is an error that names the first item and counts", {
  x <- with_gaps(answers())
  expect_snapshot(show_conditions(stagewise_em(x, k = 2, missing = "fail")))
  expect_error(stagewise_em(x, k = 2, missing = "fail"), class = "mdpd_error_missing_value")
  expect_error(stagewise_em(small_crowd(missing = 0.1)$labels, k = 3, missing = "fail"),
               class = "mdpd_error_missing_value")
})

test_that("missing = \"level\" is one more answer", {
  x <- with_gaps(answers())
  answered <- as.data.frame(lapply(x, function(column) {
    levels(column) <- c(levels(column), "(missing)")
    replace(column, is.na(column), "(missing)")
  }))
  fit <- stagewise_em(x, k = 2, missing = "level")
  expect_identical(without(fit, "call", "missing", "coded"),
                   without(stagewise_em(answered, k = 2), "call", "missing", "coded"))
  expect_true("(missing)" %in% rownames(fit$item_probs$item_1))
})

test_that("no row is dropped: with values missing every row has its posterior", {
  x <- with_gaps(answers())
  expect_lt(sum(complete.cases(x)), 300)
  for (missing in c("ignore", "frozen", "level")) {
    fit <- stagewise_em(x, k = 2, missing = missing)
    expect_identical(dim(fit$posterior), c(300L, 2L))
    expect_false(anyNA(fit$posterior))
  }
  expect_identical(stagewise_em(x, k = 2)$n_missing, sum(is.na(x)))
})

test_that("a row without any answer is kept and has the mixing weights for posterior", {
  x <- answers()
  x[c(7, 100), ] <- NA
  for (missing in c("ignore", "frozen")) {
    for (refine in c("sparse", "full", "none")) {
      for (method in c("robust", "paper")) {
        fit <- stagewise_em(x, k = 2, missing = missing, refine = refine, method = method)
        expect_equal(fit$posterior[7, ], fit$mixing_weights, tolerance = 1e-12)  # one division
        expect_equal(fit$posterior[100, ], fit$mixing_weights, tolerance = 1e-12)
      }
    }
  }
})

test_that("values missing at random hardly move the estimates", {
  x <- answers(n_obs = 2000)
  complete <- stagewise_em(x, k = 2)
  for (missing in c("ignore", "frozen")) {
    fit <- stagewise_em(with_gaps(x), k = 2, missing = missing)
    expect_setequal(fit$informative, complete$informative)
    # A tenth of the 800 rows of the smaller component is lost: the estimate moves by a fraction of
    # its standard error, 0.018; five such errors would be a bias.
    difference <- unlist(fit$item_probs) - unlist(complete$item_probs)
    expect_lt(max(abs(difference)), 5 * 0.018)
  }
})

test_that("the pattern of missing values enters the selection when frozen, not when ignored", {
  # Two pairs of items asked together: answers are independent, who was asked is not.
  x <- independent_items()[c("a", "b", "d")]
  x <- x[rep(seq_len(240), 2), ]
  asked <- rep(c(TRUE, FALSE), each = 240)
  x$a[asked & seq_len(480) %% 8 > 0] <- NA
  x$d[asked & seq_len(480) %% 8 > 0] <- NA
  stage <- function(missing) {
    suppressWarnings(
      stagewise_em(x, k = 2, method = "paper", refine = "none", missing = missing,
                   control = stagewise_control(max_stages = 1)),
      classes = "mdpd_warning_fewer_components"
    )$trace
  }
  expect_setequal(unlist(stage("frozen")[c("item_1", "item_2")]), c("a", "d"))
  expect_gt(stage("frozen")$information, 0.1)
  expect_lt(stage("ignore")$information, 0.05)
})

# ---- crowds ------------------------------------------------------------------------------------

test_that("components of a crowd carry the names of the labels they stand for", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 15, accuracy = rep(0.75, 5), seed = 4)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_setequal(names(fit$mixing_weights), c("1", "2", "3"))
  expect_identical(colnames(fit$posterior), names(fit$mixing_weights))
  for (worker in fit$informative) {
    expect_identical(rownames(fit$item_probs[[worker]]), c("1", "2", "3"))
    expect_identical(colnames(fit$item_probs[[worker]]), names(fit$mixing_weights))
  }
  # Without knowing the truth the names are right: aligning by it gains nothing.
  expect_lt(error_rate(fit, crowd$truth), 0.2)
  expect_equal(error_rate(fit, crowd$truth), error_rate(fit, crowd$truth, align = TRUE))
})

test_that("components are numbered when there are not as many as labels", {
  fit <- stagewise_em(small_crowd()$labels, k = 2)
  expect_named(fit$mixing_weights, c("1", "2"))
  letters_crowd <- small_crowd()$labels
  letters_crowd$labels <- c("a", "b", "c")
  expect_named(stagewise_em(letters_crowd, k = 4)$mixing_weights, c("1", "2", "3", "4"))
})

# ---- bad input ---------------------------------------------------------------------------------

test_that("k must be a whole number from one to the number of rows", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 0))
    show_conditions(stagewise_em(x, k = 1.5))
    show_conditions(stagewise_em(x, k = NA))
    show_conditions(stagewise_em(x, k = 21))
  })
  for (k in list(-1, Inf, NaN, "2", 0:2, NULL, TRUE, 1e10)) {
    expect_error(stagewise_em(x, k = k), "`k` must be", class = "mdpd_error_argument")
  }
  crowd <- small_crowd()$labels
  for (k in list(0, 1.5, NA, 301)) {
    expect_error(stagewise_em(~., k = k, data = x), "`k` must be", class = "mdpd_error_argument")
    expect_error(stagewise_em(crowd, k = k), "`k` must be", class = "mdpd_error_argument")
  }
})

test_that("k and data must be given", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x))
    show_conditions(stagewise_em(~ item_1 + item_2, k = 2))
    show_conditions(mdpd(~ item_1 + item_2, data = x))
  })
  expect_error(stagewise_em(x), class = "mdpd_error_argument")
  expect_error(stagewise_em(~., data = x), "`k` must be given", class = "mdpd_error_argument")
  expect_error(stagewise_em(~ item_1, k = 2), "`data` must be", class = "mdpd_error_argument")
})

test_that("what needs another form is an error that says how to make it", {
  triples <- data.frame(worker = 1:4, Item = c(1, 1, 2, 2), label = c("a", "b", "a", "a"))
  expect_snapshot({
    show_conditions(stagewise_em(Titanic, k = 2))
    show_conditions(stagewise_em(list(a = 1:2, b = 1:2), k = 2))
    show_conditions(stagewise_em(triples, k = 2))
  })
  # A two-way table of counts is a matrix too.
  for (table in list(HairEyeColor[, , 1], xtabs(~ cyl + am, mtcars), ftable(Titanic))) {
    expect_error(stagewise_em(table, k = 2), "Freq", class = "mdpd_error_argument")
    expect_error(mdpd(table, k = 2), "Freq", class = "mdpd_error_argument")
  }
})

test_that("a table of counts is fitted by formula as its rows written out", {
  counts <- as.data.frame(Titanic)
  counted <- stagewise_em(~., k = 2, data = counts, weights = Freq)
  written_out <- stagewise_em(counts[rep(seq_len(32), counts$Freq), 1:4], k = 2)
  expect_equal(counted$item_probs, written_out$item_probs)
  expect_named(mdpd(~., k = 2, data = counts, weights = Freq)$item_probs, names(counts)[1:4])
})

test_that("a table must have rows and two columns", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x[0, ], k = 1))
    show_conditions(stagewise_em(x[, 0], k = 1))
    show_conditions(stagewise_em(x["item_1"], k = 1))
    show_conditions(stagewise_em(matrix(1:4), k = 1))
    show_conditions(stagewise_em(matrix(1, 0, 3), k = 1))
  })
  for (bad in list(x[0, ], x[, 0], x["item_1"], matrix(1:4), data.frame(), matrix(1, 0, 3))) {
    expect_error(stagewise_em(bad, k = 1), class = "mdpd_error_data")
  }
})

test_that("data must be a table", {
  expect_snapshot(show_conditions(stagewise_em(c(1, 2, 1), k = 2)))
  for (bad in list(1:3, "a.csv", NULL, list(a = 1:2, b = 1:2), array(1, c(2, 2, 2)), mean)) {
    expect_error(stagewise_em(bad, k = 1), class = "mdpd_error_argument")
  }
})

test_that("columns that are no categories are errors that name the column", {
  x <- answers(n_obs = 300)
  columns <- list(
    nothing = NA, a_list = as.list(1:300), a_date = as.Date("2024-01-01") + 1:300 %% 3,
    a_time = as.POSIXct("2024-01-01", tz = "UTC") + 1:300 %% 3, a_fraction = 1:300 / 2,
    not_a_number = c(NaN, rep(1, 299)), infinite = c(1, -Inf, rep(1, 298)), an_id = 1:300,
    complex = 1i, raw = as.raw(1)
  )
  for (name in names(columns)) {
    bad <- x
    bad[[name]] <- columns[[name]]
    expect_error(stagewise_em(bad, k = 2), name, class = "mdpd_error_data")
    expect_error(stagewise_em(~., k = 2, data = bad), name, class = "mdpd_error_data")
  }
  bad <- x
  bad$a_table <- matrix(1, 300, 2)
  expect_error(stagewise_em(bad, k = 2), "a_table", class = "mdpd_error_data")
})

test_that("messages about columns say what is wrong and where", {
  column <- function(x) {
    data <- data.frame(one = c(1, 1, 2, 2), two = c(1, 2, 1, 2))
    data$answer <- x
    data
  }
  expect_snapshot({
    show_conditions(stagewise_em(column(NA), k = 2))
    show_conditions(stagewise_em(column(list(1, 2, 3, 4)), k = 2))
    show_conditions(stagewise_em(column(as.Date("2024-01-01") + 0:3), k = 2))
    show_conditions(stagewise_em(column(c(1, 2, 2.5, 1)), k = 2))
    show_conditions(stagewise_em(column(c(1, NaN, 2, 1)), k = 2))
    show_conditions(stagewise_em(column(c(1, 2, Inf, 1)), k = 2))
  })
})

test_that("columns must have names, and different ones", {
  x <- answers(n_obs = 20)
  expect_error(stagewise_em(stats::setNames(x, rep("a", 8)), k = 2), "\\ba\\b",
               class = "mdpd_error_data")
  expect_error(stagewise_em(stats::setNames(x, c("", letters[2:8])), k = 2), "Column 1",
               class = "mdpd_error_data")
  expect_identical(names(stagewise_em(unname(as.matrix(answers())), k = 2)$item_probs),
                   paste0("V", 1:8))
})

test_that("case weights must be non-negative numbers, one a row", {
  x <- answers(n_obs = 4)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 2, weights = c(1, -1, 1, 1)))
    show_conditions(stagewise_em(x, k = 2, weights = c(1, 1, NA, 1)))
    show_conditions(stagewise_em(x, k = 2, weights = 1:3))
    show_conditions(stagewise_em(x, k = 2, weights = rep(0, 4)))
  })
  for (weights in list(c(1, -1, 1, 1), c(1, 1, NA, 1), c(1, 1, 1, Inf), 1:3, "1", rep(0, 4),
                       as.list(1:4), factor(1:4))) {
    expect_error(stagewise_em(x, k = 2, weights = weights), "`weights`",
                 class = "mdpd_error_argument")
  }
})

test_that("choices and settings must be among the known ones", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 2, method = "papre"))
    show_conditions(stagewise_em(x, k = 2, refine = "yes"))
    show_conditions(stagewise_em(x, k = 2, missing = "drop"))
    show_conditions(stagewise_em(x, k = 2, control = list(alpha = 0.1)))
    show_conditions(stagewise_em(x, k = 2, keep_data = NA))
    show_conditions(stagewise_em(x, k = 2, verbose = 1))
  })
  for (argument in c("method", "refine", "missing", "control", "keep_data", "verbose")) {
    arguments <- stats::setNames(list("wrong"), argument)
    expect_error(do.call(stagewise_em, c(list(x, k = 2), arguments)), argument,
                 class = "mdpd_error_argument")
  }
})

test_that("an unknown argument is an error that names it", {
  x <- answers(n_obs = 20)
  expect_error(stagewise_em(x, k = 2, methods = "paper"), "methods",
               class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(x, 2, "paper"), class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(x, k = 2, seed = 1), "seed", class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(~., k = 2, data = x, seed = 1), "seed",
               class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(small_crowd()$labels, k = 3, seed = 1), "seed",
               class = "rlib_error_dots_nonempty")
})

test_that("a formula must be one-sided and name columns of a data frame", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(item_1 ~ item_2, k = 2, data = x))
    show_conditions(stagewise_em(~ item_1 + question, k = 2, data = x))
    show_conditions(stagewise_em(~ item_1 + log(item_2), k = 2, data = x))
    show_conditions(stagewise_em(~., k = 2, data = as.matrix(x)))
  })
  expect_error(stagewise_em(~ item_1 + question, k = 2, data = x),
               class = "mdpd_error_missing_item")
})

test_that("errors are the user's call, also by formula", {
  x <- answers(n_obs = 20)
  bad <- list(
    quote(stagewise_em(x, k = 0)), quote(stagewise_em(x[1], k = 2)),
    quote(stagewise_em(x, k = 2, weights = -1)), quote(stagewise_em(~., k = 0, data = x)),
    quote(stagewise_em(~item_1, k = 2, data = x)), quote(stagewise_em(~., k = 21, data = x))
  )
  for (call in bad) {
    error <- expect_error(eval(call), class = "mdpd_error")
    expect_identical(rlang::call_name(error$call), "stagewise_em")
  }
})

test_that("a file that does not exist, is empty or has two columns gives no crowd to fit", {
  file <- tempfile(fileext = ".csv")
  expect_error(read_crowd(file), "does not exist", class = "mdpd_error_file")
  file.create(file)
  expect_error(read_crowd(file), "is empty", class = "mdpd_error_file")
  writeLines(c("item,label", "1,2", "2,1"), file)
  expect_error(read_crowd(file), "three columns", class = "mdpd_error_file")
  unlink(file)
})

test_that("an error leaves nothing half done", {
  set.seed(1)
  state <- .Random.seed
  x <- answers()
  x$bad <- 1:300 / 2
  copy <- unserialize(serialize(x, NULL))
  files <- dir(tempdir())
  fit <- "as before"
  try(fit <- stagewise_em(x, k = 2), silent = TRUE)
  expect_identical(fit, "as before")
  expect_identical(x, copy)
  expect_identical(.Random.seed, state)
  expect_identical(dir(tempdir()), files)
})

# ---- memory ------------------------------------------------------------------------------------

test_that("keep_data = FALSE keeps everything but the data", {
  fit <- stagewise_em(answers(), k = 2)
  small <- stagewise_em(answers(), k = 2, keep_data = FALSE)
  expect_null(small$coded)
  expect_true("coded" %in% names(small))
  expect_identical(without(small, "call", "coded"), without(fit, "call", "coded"))
})

test_that("the fit is the same to the last bit for any number of threads", {
  # Enough work that the engine does share it out.
  crowd <- simulate_crowd(n_items = 20000, n_workers = 40, seed = 11)
  fit_with <- function(threads) {
    control <- stagewise_control(threads = threads, polish = FALSE)
    fit <- stagewise_em(crowd$labels, k = 3, control = control)
    fit[c("mixing_weights", "item_probs", "informative", "posterior", "loglik", "trace")]
  }
  expect_identical(fit_with(2), fit_with(1))
  expect_identical(fit_with(1000), fit_with(1))
})

test_that("where no pair of workers is evidence the majority vote is another start", {
  # Six labels an item: any two workers share two items or so.
  crowd <- simulate_crowd(
    n_items = 2000, n_workers = 200, accuracy = rep(0.75, 100), missing = 0.97, seed = 5
  )
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_gte(fit$trace$p_value[1], 0.01)
  expect_equal(sum(fit$trace$move %in% "vote"), 1)
  expect_equal(fit$trace$phase[fit$trace$move %in% "vote"], "refine")
  expect_lt(error_rate(fit, crowd$truth), error_rate(majority_vote(crowd$labels), crowd$truth))
  from_vote <- mdpd(crowd$labels, k = 3, start = "majority")
  expect_gte(fit$penalised_loglik, refine(from_vote)$penalised_loglik - 1e-6 * abs(fit$loglik))
  expect_s3_class(plot(fit, type = "history"), "ggplot")
})

test_that("where the pairs are evidence the stages go on alone", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.8, 8), seed = 1)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_lt(fit$trace$p_value[1], 0.01)
  expect_false("vote" %in% fit$trace$move)
})

test_that("a crowd also starts from the vote where any split was at what chance shows", {
  settings <- list(
    method = "robust", refine = "sparse", labels = letters[1:3], control = list(alpha = 0.01)
  )
  grew <- function(p_value, split_length) {
    grew_on_chance(
      list(trace = list(p_value = p_value, split_length = split_length)), 3, settings
    )
  }
  expect_false(grew(c(1e-9, 1e-4, 0.005), c(0.1, 0.2, NA)))
  expect_true(grew(c(0.5, 1e-4), c(0.1, 0.2)))
  expect_true(grew(c(1e-9, 1), c(0.1, 0.2)))
  expect_true(grew(NA_real_, NA_real_))
})

test_that("items set aside change neither trace nor fit", {
  crowd <- simulate_crowd(500, 80, 3, accuracy = rep(0.7, 8), missing = 0.3, seed = 2)
  coded <- encode(crowd$labels, NULL, "ignore", arg = "x")
  control <- complete_control(stagewise_control(), "robust")
  stages <- lapply(c("always", "never"), function(screening) {
    control$screening <- screening
    core_stagewise(coded, 3, "robust", FALSE, control, FALSE)
  })
  expect_gt(stages[[1]]$n_partial_passes, 0)
  expect_lt(stages[[1]]$n_full_passes, stages[[2]]$n_full_passes)
  expect_identical(stages[[1]]$fit, stages[[2]]$fit)
  differs <- names(stages[[1]]$trace) == "information"  # over the pairs searched
  expect_identical(stages[[1]]$trace[!differs], stages[[2]]$trace[!differs])
})

# A fit of four classes up to the growth from one component, in the engine's terms.
chain_case <- function() {
  crowd <- simulate_crowd(300, 15, 4, accuracy = rep(0.8, 8), seed = 1)
  coded <- encode(crowd$labels, NULL, "ignore", arg = "x")
  settings <- list(
    method = "robust", refine = "sparse", verbose = FALSE,
    control = complete_control(stagewise_control(), "robust")
  )
  stages <- core_stagewise(coded, 4, "robust", FALSE, settings$control, FALSE)
  refined <- refine_core(coded, stages$fit, "sparse", settings$control, FALSE)
  list(coded = coded, settings = settings, stages = stages, refined = refined)
}

test_that("growth that ends where a polish has ended is polished no more, which changes nothing", {
  case <- chain_case()
  chain <- function(optimum) {
    refine_chain(case$coded, 4, case$settings, case$stages, optimum)
  }
  expect_null(chain(case$refined$optimum))
  polished <- chain(NULL)
  expect_false(is.null(polished))
  expect_identical(better_result(case$refined, polished), case$refined)
})

test_that("an optimum is told by its items and rows, whatever the order of its components", {
  case <- chain_case()
  same <- function(change) {
    is_same_optimum(case$refined$optimum, change(case$refined$optimum), case$coded,
                    case$settings$control)
  }
  expect_true(same(identity))
  expect_true(same(function(fit) {
    fit$posterior <- fit$posterior[, c(3, 1, 4, 2)]
    fit$informative <- rev(fit$informative)
    fit
  }))
  expect_false(same(function(fit) replace(fit, "informative", list(fit$informative[-1]))))
  expect_false(same(function(fit) {
    fit$posterior[1:3, ] <- fit$posterior[1:3, c(2, 3, 4, 1)]
    fit
  }))
  expect_false(same(function(fit) {
    replace(fit, "penalised_loglik", list(fit$penalised_loglik - 0.1))
  }))
})

test_that("growth with items set aside is growth over all pairs", {
  x <- with_seed(4, {
    class <- sample.int(4, 400, TRUE)
    planted <- vapply(1:12, function(item) {
      probs <- stats::runif(4, 0.1, 0.9)
      as.integer(stats::runif(400) < probs[class])
    }, integer(400))
    cbind(planted, matrix(sample.int(2, 400 * 240, TRUE) - 1L, 400))
  })
  coded <- encode(x, NULL, "ignore", arg = "x")
  control <- complete_control(stagewise_control(), "robust")
  stages <- core_stagewise(coded, 4, "robust", FALSE, control, FALSE)
  expect_gt(length(stages$leading), 0)
  expect_lt(length(stages$leading), 120)
  fit <- core_stagewise(coded, 1, "robust", FALSE, control, FALSE)$fit
  for (size in 2:4) {
    plain <- core_grow(coded, fit, "sparse", control, integer(), FALSE)
    expect_identical(core_grow(coded, fit, "sparse", control, stages$leading, FALSE), plain)
    fit <- plain
  }
})
