# Objects that were changed by hand or damaged on disk, and what fuzzing found of them.

table <- data.frame(
  a = factor(rep(c("x", "y"), each = 20)), b = rep(c(TRUE, TRUE, FALSE, FALSE, TRUE), 8),
  c = rep(c(1, 2, 1, 2, 2), each = 8), d = rep(c("u", "u", "v", "u"), 10)
)
fit <- mdpd(table, 2)
crowd <- simulate_crowd(60, 30, 3, accuracy = c(0.9, 0.9), missing = 0.95, seed = 1)$labels
of_crowd <- suppressWarnings(mdpd(crowd, 3))

stored_rows <- data.frame(a = rep(c("x", "y"), 30), b = rep(1:3, 20))
stored_triples <- data.frame(item = rep(1:4, 3), worker = rep(1:3, each = 4), label = rep(1:2, 6))

expect_damaged <- function(code) expect_error(code, class = "mdpd_error_damaged")

test_that("a fit without a part, or with another in its place, names the part", {
  broken <- list(
    k = 3, k = NULL, mixing_weights = c("1" = 0.5, "2" = NaN), mixing_weights = list(1, 2),
    item_probs = fit$item_probs[[1]], item_probs = lapply(fit$item_probs, t), informative = "e",
    loglik = NaN, weights = replace(rep(1, 40), 3, Inf), weights = replace(rep(1, 40), 3, -1),
    weights = rep(0, 40), posterior = t(fit$posterior), posterior = fit$posterior[-1, ],
    posterior = fit$posterior * NA, posterior = replace(fit$posterior, 3, Inf), weights = c(1, 2),
    trace = 1, control = list(tol = "a"),
    missing = "often", labels = 1, no_answer = sum
  )
  for (part in seq_along(broken)) {
    damaged <- fit
    damaged[names(broken)[part]] <- broken[part]
    expect_error(summary(damaged), names(broken)[part], class = "mdpd_error_damaged")
  }
})

test_that("all that is asked of a damaged fit says that it is damaged", {
  damaged <- fit
  damaged$item_probs$a <- NULL
  asked <- list(
    print, summary, predict, coef, logLik, nobs, fitted, vcov, standard_errors, confint, tidy,
    glance, augment, information, informative, refine, bootstrap, goodness_of_fit, pair_residuals,
    simulate,
    plot, copied_items, choose_k
  )
  for (ask in asked) {
    expect_damaged(ask(damaged))
  }
  expect_damaged(align_components(fit, damaged))
  expect_damaged(error_rate(table$a, damaged))
  expect_damaged(mdpd(table, 2, start = damaged))
})

test_that("damage deeper inside is told with the error of R", {
  damaged <- fit
  damaged$trace <- damaged$trace[0]
  cnd <- expect_damaged(plot(damaged, type = "trace"))
  expect_s3_class(cnd$parent, "error")
  measures <- agreement(crowd, n = 40)
  measures$measures <- 1i
  utils::capture.output(expect_damaged(print(measures)))
})

test_that("a mistake in another argument is not blamed on the fit", {
  expect_error(predict(fit, newdata = 1), class = "mdpd_error_argument")
  expect_error(summary(fit, 3), class = "rlib_error_dots_nonempty")
})

test_that("what the user gave is evaluated before, and its errors are not blamed on the fit", {
  rows <- data.frame(z = rep(c(-1, 1, 2, 3), 10), id = rep(1:10, 4))
  asked <- rlang::exprs(
    data = class_regression(fit, ~z, no_such),
    cluster = class_regression(fit, ~z, rows, cluster = id),
    group = compare_groups(fit, no_such), newdata = predict(fit, no_such),
    data = augment(fit, no_such), n = goodness_of_fit(fit, n = no_such),
    names = name_components(fit, c(a = no_such)), cluster = vcov(fit, cluster = no_such),
    type = plot(fit, type = no_such), truth = error_rate(fit, no_such),
    data = distal_outcome(fit, z, no_such),
    object = distal_outcome(no_such, z, rows), newdata = predict(fit, stop("no_such or id"))
  )
  for (i in seq_along(asked)) {
    cnd <- expect_error(eval(asked[[i]]), "no_such|id", class = "mdpd_error_argument")
    expect_match(conditionMessage(cnd), paste0("`", names(asked)[i], "` cannot be evaluated"),
                 fixed = TRUE)
  }
  expect_snapshot(show_conditions(class_regression(fit, ~z, rows, cluster = id)))
  expect_snapshot({
    show_conditions(compare_groups(fit, no_such))
    show_conditions(compare_groups(fit, factor(no_such)))
  })
  # update() hands code on; what evaluates it tells.
  expect_error(update(fit, k = no_such), "no_such", class = "simpleError")
  # An error that has a class is the user's own, and arguments may be left out.
  expect_error(predict(fit, rlang::abort("mine", class = "mine")), class = "mine")
  expect_s3_class(summary(fit, ), "summary_mdpd")
  expect_identical(predict(fit, ), predict(fit))
})

test_that("functions behind the guard that one of them calls leave it on", {
  inner <- guarded(function(x) x$k)
  outer <- guarded(function(x) c(guard$is_on, inner(x) == 2, guard$is_on))
  expect_identical(outer(fit), c(TRUE, TRUE, TRUE))
  expect_false(guard$is_on)
  # It is off while code of the user's own is run.
  users <- guarded(function(x) c(as_users(guard$is_on), guard$is_on))
  expect_identical(users(fit), c(FALSE, TRUE))
})

test_that("an argument that was not given is named, not the fit blamed", {
  asked <- rlang::exprs(
    file = report(fit), group = compare_groups(fit), names = name_components(fit),
    order = reorder_components(fit), reference = align_components(fit), truth = error_rate(fit),
    object = compare_groups(), object = report(file = "x.html"), x = as_mdpd(), x = agreement(),
    object = bootstrap(), times = bin_spikes(window = 0:1)
  )
  for (i in seq_along(asked)) {
    expect_error(eval(asked[[i]]), paste0("`", names(asked)[i], "` must be given"),
                 class = "mdpd_error_argument")
  }
  expect_snapshot(show_conditions(report(fit)))
  # One that has another name, deeper inside, is no such.
  inner <- function(y) y
  outer <- function(x) telling_absent("x", rlang::current_env(), inner())
  absent <- expect_error(outer(), "\"y\" is missing")
  expect_false(inherits(absent, "mdpd_error"))
})

test_that("labels of a crowd that are a matrix are damaged", {
  crowd <- simulate_crowd(20, 5, 2, seed = 1)$labels
  crowd$label <- matrix(crowd$label, 1)
  expect_damaged(agreement(crowd))
})

test_that("a damaged bootstrap names the part", {
  samples <- suppressMessages(bootstrap(fit, 3, seed = 1))
  broken <- list(k = data.frame(1:1e5, 1:1e5), k = c(2L, NA, 2L), k = 2, n = "3", estimates = 1:3,
                 selection = 0.5, selection = list(item1 = 0.5), selection = c(a = 0.5, a = 1))
  for (part in seq_along(broken)) {
    damaged <- samples
    damaged[names(broken)[part]] <- broken[part]
    cnd <- expect_damaged(print(damaged))
    expect_match(conditionMessage(cnd), paste("Its", names(broken)[part], "is not"))
  }
})

test_that("a quosure in any part is damage, of which rlang says nothing", {
  rlang::local_options(lifecycle_verbosity = "warning")
  regression <- class_regression(fit, ~z, data.frame(z = seq_len(40)))
  samples <- suppressMessages(bootstrap(fit, 2, seed = 1))
  broken <- list(
    method = replace(regression, "method", list(rlang::quo(x))),
    covariates = replace(regression, "covariates", list(list(z = rlang::quo(x)))),
    design = replace(samples, "design", list(rlang::quo(x))),
    status = replace(summary(fit), "status", list(rlang::quo(x)))
  )
  for (part in names(broken)) {
    expect_silent(cnd <- expect_damaged(print(broken[[part]])))
    expect_match(conditionMessage(cnd), paste("Its", part, "is not"))
  }
})

test_that("a quosure in a column of a table is no damage, and an error that names the column", {
  rlang::local_options(lifecycle_verbosity = "warning")
  items <- names(fit$item_probs)
  columns <- rep(list(1:2), length(items))
  columns[[2]] <- rlang::quo(x)
  table <- structure(stats::setNames(columns, items), class = "data.frame", row.names = 1:2)
  for (ask in list(function(x) predict(fit, x), function(x) bootstrap(fit, 2, x = x))) {
    cnd <- expect_silent(rlang::catch_cnd(ask(table)))
    expect_s3_class(cnd, "mdpd_error_data")
    expect_match(conditionMessage(cnd), paste0("Column ", items[2], " of .* must hold categories"))
  }
})

test_that("a damaged comparison of groups names the part, and what reads it says no more", {
  groups <- suppressWarnings(compare_groups(fit, rep(c("a", "b"), 20)))
  broken <- list(
    item_probs = list(item = rlang::quo(x)), items = NULL, sizes = as.list(groups$sizes),
    items = transform(groups$items, item = seq_along(item)), item_probs = character()
  )
  for (part in seq_along(broken)) {
    damaged <- groups
    damaged[names(broken)[part]] <- broken[part]
    expect_silent(cnd <- expect_damaged(print(damaged)))
    expect_match(conditionMessage(cnd), paste("Its", names(broken)[part], "is not"))
  }
})

test_that("damaged residuals name the column, and some of the columns can be looked at", {
  pairs <- pair_residuals(fit)
  expect_output(print(pairs[1:3]))
  for (column in c("item_1", "df", "p_adjusted")) {
    damaged <- unclass(pairs)
    damaged[[column]] <- new.env()
    damaged <- structure(damaged, class = class(pairs))
    cnd <- expect_damaged(generics::tidy(damaged))
    expect_match(conditionMessage(cnd), paste("Its", column, "is not"))
  }
})

test_that("a damaged regression or outcome names the part", {
  covariates <- data.frame(z = seq(-1, 1, length.out = 40), g = rep(c("a", "b"), 20))
  regression <- class_regression(fit, ~ z + g, data = covariates)
  outcome <- distal_outcome(fit, z, data = covariates)
  n <- length(regression$coefficients)
  broken <- list(
    k = "2", classes = 1:2, x = regression$x[, 1],
    coefficients = as.vector(regression$coefficients), coefficients = t(regression$coefficients),
    covariance = Sys.Date(), terms = c("a", "b"),
    # The condition of a matrix of a list ended R.
    covariance = matrix(as.list(regression$covariance), n)
  )
  for (part in seq_along(broken)) {
    damaged <- regression
    damaged[names(broken)[part]] <- broken[part]
    for (ask in list(summary, anova, predict)) {
      expect_error(ask(damaged), paste("Its", names(broken)[part], "is not"),
                   class = "mdpd_error_damaged")
    }
  }
  damaged <- outcome
  damaged$estimates$estimate <- damaged$estimates$estimate + 0i
  expect_error(plot(damaged), "estimates", class = "mdpd_error_damaged")
  for (part in c("outcome", "label")) {
    damaged <- outcome
    damaged[[part]] <- quote(z)
    expect_error(plot(damaged), paste("Its", part, "is not"), class = "mdpd_error_damaged")
  }
  outcome$covariance <- outcome$covariance[, 1]
  expect_error(print(outcome), "covariance", class = "mdpd_error_damaged")
})

test_that("a damaged fit in a list or path of fits is found", {
  fits <- suppressWarnings(suppressMessages(stagewise_em(table, 1:2)))
  for (damage in list(list(k = NULL), list(k = list()), list(loglik = "1"))) {
    damaged <- fits
    damaged$path_fits[[2]][names(damage)] <- damage
    its <- paste("Its", names(damage), "is not")
    cnd <- expect_error(test_k(damaged), its, class = "mdpd_error_damaged")
    expect_match(conditionMessage(cnd), "path$path_fits[[2]]", fixed = TRUE)
    cnd <- expect_error(test_k(damaged$path_fits), its, class = "mdpd_error_damaged")
    expect_match(conditionMessage(cnd), "`path[[2]]`", fixed = TRUE)
  }
  # What is no list has no part to be named.
  expect_no_match(conditionMessage(expect_damaged(print(structure(1, class = "mdpd")))), "Its")
  fits$path_fits[[2]] <- structure(1, class = "mdpd")
  expect_damaged(test_k(fits))
  expect_damaged(test_k(fits$path_fits))
})

test_that("a damaged fit is not explored", {
  whole <- suppressWarnings(stagewise_em(table, 2))
  damaged <- whole
  damaged$refine <- NULL
  expect_damaged(explore(damaged, open = FALSE))
  damaged <- whole
  damaged$method <- c("robust", "robust")
  expect_error(explore(damaged, open = FALSE), "method", class = "mdpd_error_damaged")
})

test_that("warnings of what the user gave are passed on as they are", {
  rows <- data.frame(z = rep(c(-1, 1, 2, 3), 10))
  whole_warning <- function(code) {
    cnd <- suppressMessages(expect_warning(code, "NaNs produced|NAs introduced"))
    expect_identical(class(cnd), c("simpleWarning", "warning", "condition"))
  }
  whole_warning(class_regression(fit, ~ log(z), rows))
  whole_warning(distal_outcome(fit, log(z), rows))
  whole_warning(compare_groups(fit, as.integer(rep(c("1", "2", "x", "2"), 10))))
})

test_that("what is given by the dots is evaluated before, too, and may be left out", {
  listed <- guarded(function(object, ...) ...length())
  expect_identical(listed(fit, 1, b = 2), 2L)
  expect_identical(listed(fit, 1, ), 2L)
  expect_error(listed(fit, 1, b = no_such), "`b` cannot be evaluated.*no_such",
               class = "mdpd_error_argument")
  expect_error(listed(fit, b = 1, no_such), "`..2` cannot be evaluated.*no_such",
               class = "mdpd_error_argument")
})

test_that("a warning of R inside is one of the object, and the result is there", {
  odd <- guarded(function(object, k) {
    warning("numbers are odd")
    k
  })
  cnd <- expect_warning(k <- odd(fit, 3), "`object` may have been changed or damaged",
                        class = "mdpd_warning_damaged")
  expect_match(conditionMessage(cnd), "numbers are odd")
  expect_identical(rlang::call_name(cnd$call), "odd")
  expect_equal(k, 3)
  # Of what is no object made before it is R's own.
  expect_identical(class(expect_warning(odd(1, 3)))[1], "simpleWarning")
  expect_false(guard$is_on)
})

test_that("in what the user gave a damaged object is found as elsewhere", {
  damaged <- fit
  damaged$item_probs$a <- NULL
  expect_damaged(compare_groups(fit, predict(damaged)))
  expect_error(distal_outcome(fit, predict(damaged)), "damaged", class = "mdpd_error_argument")
})

test_that("a reader who closes the pipe, the time being over and a device are no damage", {
  stop_inside <- guarded(function(object, text) stop(text))
  for (text in c("ignoring SIGPIPE signal", "reached elapsed time limit")) {
    cnd <- expect_error(stop_inside(fit, gettext(text, domain = "R")), class = "simpleError")
  }
  expect_damaged(stop_inside(fit, "another"))
  skip_if_not_installed("ggplot2")
  pdf_nowhere <- function(...) stop("cannot open the device")
  withr::local_options(device = pdf_nowhere)
  while (grDevices::dev.cur() > 1) grDevices::dev.off()
  expect_error(plot(fit), "cannot open the device", class = "simpleError")
})

test_that("that the time is over is R's error, whatever is at work", {
  text <- gettext("reached elapsed time limit", domain = "R")
  over <- function(...) stop(text)
  expect_over <- function(code) expect_error(code, text, fixed = TRUE, class = "simpleError")
  expect_over(check_parts(list(a = 1), list(a = over), "it", NULL))
  expect_over(predict(fit, over()))
  expect_over(value_or(over(), 1))
  expect_identical(value_or(stop("another"), 1), 1)
})

test_that("letters that a device does not know are no damage, where they are measured or drawn", {
  skip_if_not_installed("ggplot2")
  polish <- name_components(fit, c("\u0141\u00f3d\u017a", paste("c", seq_len(fit$k)[-1])))
  # In one byte for each letter, whatever the system.
  withr::local_pdf(withr::local_tempfile(fileext = ".pdf"), encoding = "ISOLatin1.enc")
  for (type in c("profiles", "posterior")) {
    unknown <- capture_warnings(plot(polish, type = type))
    expect_false(any(grepl("damaged", unknown)))
  }
})

test_that("damaged codes do not reach the engine", {
  damages <- list(
    list("codes", matrix(1L, 40, 4, dimnames = dimnames(fit$coded$codes))),
    list("codes", fit$coded$codes[, -1]), list("codes", NULL),
    list("codes", `[<-`(fit$coded$codes, 1, value = as.raw(200))),
    list("weights", rep(NaN, 40)), list("weights", 1), list("levels", fit$coded$levels[-1]),
    list("known", rep(.Machine$integer.max, 40)), list("known", 1L)
  )
  for (damage in damages) {
    damaged <- fit
    damaged$coded[damage[[1]]] <- damage[2]
    expect_damaged(refine(damaged))
  }
})

test_that("damaged sparse codes do not reach the engine", {
  expect_s3_class(of_crowd$coded$codes, "sparse_codes")
  codes <- of_crowd$coded$codes
  n <- length(codes$item)
  damages <- list(
    row_start = codes$row_start + 1, row_start = rev(codes$row_start), row_start = 0,
    row_start = replace(codes$row_start, 3, NaN), row_start = replace(codes$row_start, 3, 1e300),
    row_start = replace(codes$row_start, 3, -1), item = rep(NA_integer_, n), item = rep(99L, n),
    item = rep(0L, n), item = codes$item[-1], code = codes$code[-1], code = rep(as.raw(9), n),
    code = rep(as.raw(0), n)
  )
  for (part in seq_along(damages)) {
    damaged <- of_crowd
    damaged$coded$codes[names(damages)[part]] <- damages[part]
    expect_error(refine(damaged), class = "mdpd_error")
    expect_damaged(information(damaged))
  }
})

test_that("codes that say they have more items than names are damaged", {
  codes <- of_crowd$coded$codes
  codes$dim[2] <- .Machine$integer.max
  expect_error(codes[1:2, 1], "dimnames", class = "mdpd_error_damaged")
})

test_that("what is given to the engine is checked there too", {
  coded <- fit$coded
  probs <- unname(fit$item_probs)
  weights <- unname(fit$mixing_weights)
  expect_no_answer <- function(code) expect_error(code, class = "C++Error")
  expect_no_answer(core_posterior(coded, weights, probs[-1], 1))
  expect_no_answer(core_posterior(coded, weights, lapply(probs, `[`, , 1, drop = FALSE), 1))
  expect_no_answer(core_posterior(coded, c(NaN, 1), probs, 1))
  expect_no_answer(core_posterior(coded, weights, probs, NaN))
  coded$known <- rep(3L, nrow(coded$codes))
  expect_no_answer(core_posterior(coded, weights, probs, 1))
  coded$known <- NULL
  expect_no_answer(core_information(coded, fit$posterior[-1, ], 0, 1))
  expect_no_answer(core_information(coded, fit$posterior, 3, 1))
  expect_no_answer(core_information(coded, fit$posterior * NaN, 0, 1))
  expect_no_answer(core_vote_gains(fit$posterior, 3L, list(), list(), 1))
  expect_no_answer(core_vote_gains(fit$posterior, integer(), list(diag(2)), list(41L), 1))
  expect_no_answer(core_vote_gains(fit$posterior, integer(), list(diag(3)), list(1L), 1))
  expect_no_answer(core_vote_gains(fit$posterior, integer(), list(diag(2)), list(), 1))
})

test_that("a damaged crowd is refused wherever data are read", {
  damages <- list(
    item = crowd$item * 0L, item = as.double(crowd$item), worker = crowd$worker[-1],
    label = rep(NA_integer_, length(crowd$label)), labels = c("1", "1", "2"), workers = NULL,
    items = "bad"
  )
  for (part in seq_along(damages)) {
    damaged <- crowd
    damaged[names(damages)[part]] <- damages[part]
    class(damaged) <- "crowd_labels"
    for (ask in list(print, as.matrix, as.data.frame, majority_vote, agreement)) {
      expect_damaged(ask(damaged))
    }
    expect_damaged(mdpd(damaged, 3))
    expect_damaged(predict(of_crowd, damaged))
  }
})

test_that("a store that was changed by hand is refused wherever it is read", {
  skip_on_cran()
  store <- row_store(stored_rows, local_folder())
  of_store <- stagewise_em(store, 1)
  changed <- function(field, value) {
    store$manifest[field] <- list(value)
    store
  }
  of_shard <- function(field, value) {
    store$manifest$shards[[field]] <- value
    store
  }
  damages <- list(
    changed("kind", "tables"), changed("shard_rows", -1), changed("items", c("a", "a")),
    changed("levels", store$manifest$levels[2:1]), changed("levels", NULL), changed("types", 1),
    changed("counts", c(30, NaN, 20, 20, 20)), changed("counts", 1), changed("weights", list()),
    changed("n_unweighted", -1),
    changed("has_ids", NA), changed("next_number", "1"), changed("shards", list()),
    changed("columns", list(id = 1)), changed("variable_labels", 1), of_shard("file", "../a"),
    of_shard("rows", 1e300), of_shard("rows", 1.5), of_shard("answers", -1),
    of_shard("checksum", "none"), of_shard("checksum", NULL), of_shard("rows_hash", "none"),
    of_shard("repeats", -1), of_shard("known", -1), of_shard("known", 1e6),
    of_shard("known_hash", "none"),
    of_shard("is_dense", NA), of_shard("ids_file", 1), of_shard("bytes", "1"),
    structure(list(path = 1, manifest = store$manifest), class = "row_store"),
    structure(list(), class = "row_store"), structure(1, class = "row_store")
  )
  asked <- list(
    print, format, summary, dim, dimnames, levels, as.data.frame, verify_store,
    function(store) add_rows(store, stored_rows), function(store) stagewise_em(store, 2),
    function(store) predict(of_store, store), function(store) update(of_store, store),
    function(store) add_known(store, c(a = "x"))
  )
  # An error takes some 20 ms: of each damage two of the questions, in turn.
  for (at in seq_along(damages)) {
    for (ask in asked[(2 * at + 0:1) %% length(asked) + 1]) expect_damaged(ask(damages[[at]]))
  }
  damaged <- structure(list(header = 1), class = "summary.row_store")
  utils::capture.output(expect_damaged(print(damaged)))
})

test_that("a manifest that says what cannot be is refused", {
  path <- local_folder()
  store <- row_store(table, path)
  may_lack <- c("duplicates", "variable_labels", "columns", "n_unweighted")
  for (field in setdiff(names(parts_of_manifest), may_lack)) {
    manifest <- store$manifest
    manifest[field] <- list(NULL)
    saveRDS(manifest, manifest_path(path))
    expect_error(open_row_store(path), "no manifest", class = "mdpd_error_damaged_shard")
  }
})

test_that("a control that was changed by hand is refused", {
  for (value in list("a", NA, -1, quote(x), list(1))) {
    control <- stagewise_control()
    control["tol"] <- list(value)
    expect_error(stagewise_em(table, 2, control = control), class = "mdpd_error_argument")
  }
})

test_that("a name or a date in the place of a count or a call is told", {
  measures <- agreement(crowd, n = 40)
  measures$n_workers <- quote(x)
  expect_damaged(glance(measures))
  fit$call <- as.POSIXlt("2020-01-01")
  expect_error(explore(fit, open = FALSE), class = "mdpd_error_argument")
})

test_that("a name in the place of a number is not evaluated without end", {
  data <- data.frame(a = rep(1:2, 20), b = rep(1:2, 20), c = rep(1:2, each = 20))
  outcome <- distal_outcome(suppressWarnings(mdpd(data, 2)), as.double(1:40))
  expect_named(glance(outcome), c("outcome", "method", "statistic", "df", "p.value", "nobs",
                                  "n_incomplete"))
  outcome$test$statistic <- quote(x)
  expect_error(glance(outcome), class = "mdpd_error_damaged")
})

test_that("an object of another version says so", {
  damaged <- fit
  damaged$version <- "0.0.1"
  damaged$posterior <- NULL
  expect_error(summary(damaged), "version 0.0.1 of mdpd", class = "mdpd_error_damaged")
  for (version in list(c("0.0.1", "0.0.2"), "0.0.\xe4", 1)) {
    damaged$version <- version
    expect_no_match(conditionMessage(expect_damaged(summary(damaged))), "It was made by")
  }
})

test_that("the functions behind the guard answer, return and fail as they did", {
  refined <- refine(fit, type = "full", verbose = FALSE)
  expect_identical(refined$call, quote(refine(object = fit, type = "full", verbose = FALSE)))
  expect_error(worker_quality(fit), class = "mdpd_error_not_a_crowd")
  expect_error(report(fit, 1), "file")
  expect_identical(names(formals(predict.mdpd)), c("object", "newdata", "type", "...", "file"))
})

test_that("the generics refuse what is no fit", {
  generics <- list(bootstrap, goodness_of_fit, information, informative, pair_residuals, refine,
                   standard_errors)
  for (generic in generics) {
    expect_error(generic(1), class = "mdpd_error_argument")
  }
})

test_that("a lack of memory is not blamed on the object", {
  fit <- hand_made_fit()
  no_memory <- function(message, class = NULL) {
    structure(class = c(class, "error", "condition"), list(message = message, call = NULL))
  }
  for (cnd in list(no_memory("std::bad_alloc", c("std::bad_alloc", "C++Error")),
                   no_memory("cannot allocate vector of size 2 Gb"))) {
    summarise <- guarded(function(object) stop(cnd))
    expect_error(summarise(fit), class = "mdpd_error_memory")
    expect_error(summarise(1), class = "mdpd_error_memory")
  }
})

test_that("a number of rows beyond integers is damage, not a warning", {
  huge <- fit
  huge$n_obs <- 1e300
  expect_no_warning(expect_error(plot(huge), class = "mdpd_error_damaged"))
})

# Limits -------------------------------------------------------------------------------------------

# Which of the values a part may be, as check_parts() asks.
expect_part <- function(part, is, is_not, fields = list()) {
  is_whole <- function(x) tryCatch(isTRUE(part(x, fields)), error = function(cnd) FALSE)
  expect_identical(vapply(is, is_whole, NA), rep(TRUE, length(is)))
  expect_identical(vapply(is_not, is_whole, NA), rep(FALSE, length(is_not)))
}

test_that("parts of a model and of a fit are told at their limits", {
  counts <- list(is = list(1, 1L, 7), is_not = list(0, 1.5, c(1, 2), "1", NA))
  for (part in c(parts_of_model["k"], parts_of_fit["n_obs"], parts_of_bootstrap["n"],
                 parts_of_regression["k"])) {
    expect_part(part, counts$is, counts$is_not)
  }
  expect_part(
    parts_of_model$mixing_weights, list(c(a = 1, b = 0), c(a = 0.5, b = 0.5 + 5e-7)),
    list(c(a = 1), c(1, 0), c(a = 0.5, a = 0.5), c(a = 1.5, b = -0.5), c(a = 0.5, b = 0.6)),
    list(k = 2)
  )
  probs <- function(...) matrix(c(...), 2, dimnames = list(c("x", "y"), NULL))
  expect_part(
    parts_of_model$item_probs,
    list(list(a = probs(0, 1, 0.5, 0.5)), list(a = probs(0, 1, 0.5, 0.5 + 5e-7))),
    list(list(probs(0, 1, 0.5, 0.5)), list(a = probs(0, 1)), list(a = probs(0, 1, 0.5, 0.6)),
         list(a = probs(-1, 2, 0.5, 0.5)), list(a = unname(probs(0, 1, 0.5, 0.5))),
         list(a = array(c(0, 1, 0.5, 0.5), c(2, 2, 1), list(c("x", "y"), NULL, NULL))),
         list(a = probs(0, 1, 0.5, 0.5), b = probs(0, 1, NaN, 0.5)),
         stats::setNames(list(probs(0, 1, 0.5, 0.5)), "")),
    list(k = 2)
  )
  of_items <- list(item_probs = list(a = 1, b = 2))
  expect_part(parts_of_model$informative, list(NULL, character(), "b", c("b", "a")),
              list("c", c("a", "c"), c("a", "a"), 1), of_items)
  for (part in c("item_information", "item_evidence", "inclusion")) {
    expect_part(parts_of_model[[part]], list(NULL, c(0, 1)), list(1, c(1L, 2L)), of_items)
  }
  expect_part(parts_of_model$labels, list(NULL, "a"), list(1, c("a", "a"), c("a", NA)))
  for (part in c(parts_of_fit["method"], parts_of_fit["refine"])) {
    expect_part(part, list(NULL, "sparse"), list(1, c("a", "b"), character()))
  }
  expect_part(parts_of_fit$no_answer, list(NULL, integer(), 3L, 1:3), list(4L, 0L, c(1L, 4L)),
              list(n_obs = 3))
  expect_part(parts_of_fit$weights, list(NULL, c(0, 0.25), c(1, 1)),
              list(c(0, 0), c(-1, 2), c(1, NaN), c(1, Inf), 1, c(1L, 1L)), list(n_obs = 2))
  expect_part(parts_of_fit$coded, list(NULL, fit$coded),
              list(list(), fit$coded[-1], replace(fit$coded, "missing", "often")), fit)
  for (part in names(parts_of_fit)) {
    expect_part(parts_of_fit[[part]], unname(fit[part]), list(sum), fit)
  }
  expect_part(parts_of_bootstrap$k, list(c(1L, 2L)), list(c(0L, 2L), 1L, c(1, 2), c(1L, NA)),
              list(n = 2))
})

test_that("parts of crowds, sparse codes and of what comes after are told at their limits", {
  fields <- list(items = c("a", "b"), workers = "w", labels = c("x", "y", "z"), item = 1:2)
  expect_part(parts_of_crowd$workers, list("w", c("w", "v")), list("", c("w", "w"), 1:2))
  expect_part(parts_of_crowd$items, list("w", c("", "v")), list(c("", ""), 1:2))
  expect_part(parts_of_crowd$item, list(1L, c(2L, 1L)),
              list(integer(), 0L, 3L, c(1L, NA), 1, matrix(1L)), fields)
  expect_part(parts_of_crowd$label, list(c(3L, 1L)), list(c(4L, 1L), 1L, c(0L, 1L)), fields)
  expect_false(is_text(c("a", "\xe4")))
  many <- as.character(seq_len(max_levels + 1))
  expect_part(parts_of_crowd$labels, list("a", many[-1]), list(many, c("a", "a"), 1))
  expect_part(parts_of_store$path, list("a"), list(c("a", "b"), 1, "\xe4"))
  expect_part(is_column_of_names, list(NULL, "a"), list(1, NA_character_))
  expect_part(is_column_of_numbers, list(NULL, 1, 2L), list("a", Sys.Date(), new.env()))
  expect_damaged(check_parts(list(a = 1), list(a = function(x, fields) stop("no")), "it", NULL))
  expect_part(parts_of_sparse_codes$dim, list(c(2, 3), 2:1), list(c(1, 2, 3), c("1", "2"), NULL))
  expect_part(
    parts_of_sparse_codes$dimnames,
    list(list(NULL, NULL), list(NULL, letters[1:3]), list("a", letters[1:3])),
    list(list(NULL, "a"), list(letters[1:2], NULL), list(NULL), NULL), list(dim = c(1, 3))
  )
  codes <- new_sparse_codes(2L, 1L, 1L, c(2, 3), list(NULL, NULL))
  expect_part(parts_of_sparse_codes$row_start, list(c(0, 0, 1), c(0, 1, 1)),
              list(c(0, 1), c(0, 0, 2), c(1, 1, 1), c(0, 2, 1), c(0, NA, 1), 0:1, c(0, 2^31, 1)),
              codes)
  expect_part(function(x, fields) is_matrix_of_codes(x), list(codes, matrix(as.raw(1))),
              list(as.raw(1), matrix(1L), replace(codes, "dim", list(c(2, 3, 4))),
                   replace(codes, "dim", list(c(3, 3))), replace(codes, "code", list(raw(2)))))
  of_regression <- list(k = 3, x = matrix(0, 4, 2), coefficients = matrix(0, 2, 2))
  expect_part(parts_of_regression$classes, list(letters[1:3]),
              list(letters[1:2], c("a", "a", "b"), 1:3), of_regression)
  expect_part(parts_of_regression$coefficients, list(matrix(0, 2, 2)),
              list(matrix(0, 2, 3), matrix(0, 2, 1), matrix(0L, 2, 2), numeric(4)), of_regression)
  expect_part(parts_of_regression$covariance, list(diag(4)),
              list(diag(2), numeric(16), array(0, c(4, 4, 4))), of_regression)
  estimates <- data.frame(estimate = c(1, 2), std.error = c(1, NA))
  expect_part(parts_of_outcome$estimates, list(estimates),
              list(estimates[1], estimates[2], as.list(estimates), replace(estimates, 1, "a")))
  expect_part(parts_of_outcome$covariance, list(diag(2)), list(diag(1), matrix(1L, 2, 2)),
              list(estimates = estimates))
  expect_part(function(x, fields) is_list_of_fits(x), list(list(fit), list(fit, of_crowd)),
              list(list(), fit, list(fit, 1), structure(list(fit), class = "fits"), 1))
  expect_part(function(x, fields) has_named_fields(x), list(list(a = 1), list(a = 1, 2)),
              list(list(), list(1), c(a = 1), NULL))
})

test_that("parts of a manifest are told at their limits", {
  manifest <- row_store(stored_rows, local_folder())$manifest
  expect_true(is_manifest(manifest))
  for (other in list(1, unname(manifest), structure(manifest, class = "odd"))) {
    expect_false(is_manifest(other))
  }
  many <- as.character(seq_len(max_levels + 1))
  numbers_with <- function(name, value) replace(manifest$weights, name, value)
  numbers <- c("smallest", "largest", "sum", "unit")
  is <- list(
    shard_rows = list(60, 1e6), next_number = list(1, 1e9), counts = list(numeric(5)),
    has_ids = list(FALSE), variable_labels = list(NULL, c(a = "b")), duplicates = list("none"),
    weights = list(numbers_with("smallest", 1e-300)),
    levels = list(list(a = many[-1], b = "z"))
  )
  is_not <- list(
    kind = list("rows", 1), shard_rows = list(0, 59, 60.5), next_number = list(0, 1.5, 2e9),
    items = list(character(), c("a", "a"), c("a", "")),
    counts = list(numeric(4), c(-1, 1, 1, 1, 1), c(Inf, 1, 1, 1, 1)),
    has_ids = list(NA, 1), types = list(manifest$types[2:1], 1),
    columns = list(1, list(1), list("key", 1)),
    levels = list(list(a = many, b = "z"), list(a = "x", b = character()), list(b = "x", a = "y")),
    weights = c(lapply(numbers, numbers_with, value = 0),
                lapply(numbers, numbers_with, value = Inf),
                list(numbers_with("given", NA), as.list(1:5)))
  )
  part_of <- function(name) {
    function(x, fields) {
      fields[name] <- list(x)
      # Sums of the levels there are.
      if (name == "levels") fields$counts <- numeric(sum(lengths(x)))
      is_manifest(fields)
    }
  }
  for (name in union(names(is), names(is_not))) {
    expect_part(part_of(name), is[[name]], is_not[[name]], manifest)
  }
})

test_that("parts of the manifest of a crowd are told at their limits", {
  manifest <- small_crowd_store(stored_triples, local_folder())$manifest
  expect_true(is_manifest(manifest))
  with <- function(name, value) is_manifest(replace(manifest, name, list(value)))
  for (rule in c("count", "error", "first", "last")) expect_true(with("duplicates", rule))
  expect_false(with("duplicates", "none"))
  expect_false(with("levels", character()))
  expect_false(with("levels", as.character(seq_len(max_levels + 1))))
  # Without workers there is nothing to count.
  expect_false(is_manifest(replace(manifest, c("items", "counts"), list(character(), numeric()))))
})

test_that("shards in a manifest are told at their limits", {
  of_table <- row_store(stored_rows, local_folder())$manifest
  of_crowd <- small_crowd_store(stored_triples, local_folder())$manifest
  hash <- strrep("a", 16)
  is <- list(rows = 1, rows = of_table$shard_rows, answers = 0, most_repeats = 0, is_dense = FALSE,
             weight = 0, bytes = 0, checksum = hash, repeats = 0, rows_hash = hash, known = 0,
             known = 60, known_hash = hash, ids_file = "a", file = "shard-10.bin")
  is_not <- list(rows = 0, rows = of_table$shard_rows + 1, rows = 1.5, answers = -1, answers = NaN,
                 most_repeats = -1, is_dense = NA, is_dense = 1, weight = -1, weight = Inf,
                 bytes = -1, checksum = strrep("a", 15), checksum = strrep("g", 16), repeats = -1,
                 rows_hash = "b", known = -1, known = 61, known_hash = "c", ids_file = 1,
                 file = "shard-.bin", file = "shard-1.bin/", file = "x/shard-1.bin")
  with <- function(manifest, name, value) {
    manifest$shards[[name]] <- value
    is_manifest(manifest)
  }
  expect_identical(mapply(with, name = names(is), value = is, MoreArgs = list(of_table),
                          USE.NAMES = FALSE), rep(TRUE, length(is)))
  expect_identical(mapply(with, name = names(is_not), value = is_not, MoreArgs = list(of_table),
                          USE.NAMES = FALSE), rep(FALSE, length(is_not)))
  expect_false(is_manifest(replace(of_table, "shards", list(of_table$shards[0, ]))))
  # Ids, where there are some, are in files of their own; those of a crowd are found by hashes.
  for (name in c("hash_from", "hash_to")) expect_false(with(of_crowd, name, "1"))
  for (name in c("ids_file", "ids_checksum")) expect_false(with(of_crowd, name, "ids-1"))
  expect_true(with(of_crowd, "ids_file", "ids-12.rds"))
  expect_false(with(of_crowd, "ids_file", NA_character_))
  # One of two that is not as it must be is enough.
  of_two <- small_crowd_store(data.frame(item = 1:1100, worker = 1:2, label = 1:2),
                              local_folder())$manifest
  shards <- of_two$shards
  for (name in setdiff(names(shards), c("hash_from", "hash_to"))) {
    bad <- if (is.numeric(shards[[name]])) -1 else if (is.logical(shards[[name]])) NA else "b"
    expect_false(with(of_two, name, replace(shards[[name]], 2, bad)))
  }
  expect_false(with(of_two, "file", rep(shards$file[1], 2)))
  expect_false(with(of_two, "rows", shards$rows - c(0, 0.5)))
  expect_false(with(of_two, "known", shards$rows + c(0, 1)))
  expect_true(with(of_two, "known", shards$rows))
  of_two$shards <- structure(c(unclass(shards), list(more = 1)), class = "data.frame",
                             row.names = 1:2)
  expect_false(is_manifest(of_two))
})
