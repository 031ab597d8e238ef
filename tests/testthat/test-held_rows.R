# Of stores and fits only what says which rows are held; whole ones are in test-add_known.R.
hand_made_store <- function(known = c(2, 0), levels = c("a", "b"), counts = c(50, 0, 20, 30)) {
  list(manifest = list(levels = levels, counts = counts,
                       shards = data.frame(checksum = c("x", "y"), known = known)))
}
holding_fit <- function(...) {
  fit <- list(k = 2L, refine = "sparse", labels = c("a", "b"), informative = "1",
              mixing_weights = c(b = 0.6, a = 0.4), store = list(holds_known = TRUE))
  parts <- list(...)
  fit[names(parts)] <- parts
  structure(fit, class = "mdpd")
}
not_held <- function(code) {
  conditionMessage(expect_warning(code, class = "mdpd_warning_known_not_held"))
}

test_that("growth holds known rows where a component is for each label, and says why not", {
  store <- hand_made_store()
  expect_silent(held <- held_in_growth(store, 2, "sparse"))
  expect_identical(held, 1:2)
  expect_match(not_held(expect_null(held_in_growth(store, 1:2, "sparse"))), "takes one `k`")
  expect_match(not_held(expect_null(held_in_growth(store, 3, "sparse"))),
               "as many components as labels: 2, not 3[.]")
  expect_match(not_held(expect_null(held_in_growth(store, 2, "none"))), "must not be \"none\"")
  expect_identical(held_in_growth(hand_made_store(known = c(0, 1)), 2, "sparse"), 1:2)
  # Nothing is known.
  none <- hand_made_store(known = c(0, 0))
  for (k in 2:3) expect_silent(expect_null(held_in_growth(none, k, "sparse")))
  # Stores of before do not count known rows.
  before <- hand_made_store()
  before$manifest$shards$known <- NULL
  expect_identical(n_known(before), 0)
  expect_identical(n_known(store), 2)
})

test_that("a fit goes on with known rows held, or it is told why not", {
  store <- hand_made_store()
  expect_null(why_not_held(holding_fit(), store))
  expect_true(may_hold(holding_fit(), store))
  expect_true(may_hold(holding_fit(), hand_made_store(known = c(0, 1))))
  expect_false(may_hold(holding_fit(), hand_made_store(known = c(0, 0))))
  expect_false(may_hold(holding_fit(k = 3L), store))
  expect_match(why_not_held(holding_fit(k = 3L), store), "labels: 2, not 3[.] Fit anew")
  expect_match(why_not_held(holding_fit(refine = "none"), store), "fit with a refinement")
  one_label <- c(b = "b", a = "b")
  for (fit in list(holding_fit(mixing_weights = c("1" = 0.6, "2" = 0.4)),
                   holding_fit(stands_for = one_label))) {
    expect_match(why_not_held(fit, store), "each stand for one label")
  }
  # Where rows are held no worker need be informative.
  expect_null(why_not_held(holding_fit(informative = character()), store))
  loose <- holding_fit(informative = character(), store = NULL)
  expect_match(why_not_held(loose, store), "each stand for one label")
})

test_that("a label that is less than one in a hundred may be a slip of the pen", {
  rarest <- function(...) rarest_label(hand_made_store(counts = c(...))$manifest)
  expect_null(rarest(99, 1))
  expect_identical(rarest(100, 1), list(label = "b", times = "once"))
  # Of two workers: 1,000 and 2 labels.
  expect_identical(rarest(1, 900, 1, 100), list(label = "a", times = "2 times"))
  slip <- hand_made_store(counts = c(1000, 1))
  expect_match(not_held(held_in_growth(slip, 1, "sparse")), "label \"b\" was given once")
  expect_match(not_held(held_in_growth(slip, 1, "sparse")), "has 2 known labels,")
  expect_match(not_held(held_in_growth(hand_made_store(c(1, 0)), 1, "sparse")), "1 known label,")
  for (k in list(2, 3, 1:2)) {
    expect_no_match(not_held(warn_not_held(slip, "It cannot.", k)), "was given")
  }
})

test_that("rows are held in the component of their label, for certain", {
  expect_identical(held_components(holding_fit(), hand_made_store()), 2:1)
  expect_null(held_components(holding_fit(store = NULL), hand_made_store()))
  expect_null(held_components(holding_fit(), hand_made_store(levels = c("a", "b", "c"))))
  known <- as.raw(c(0, 2, 1))
  expect_identical(held_columns(known, c("a", "b"), holding_fit()), c(NA, 1L, 2L))
  expect_null(held_columns(known, c("a", "b"), holding_fit(store = NULL)))
  expect_null(held_columns(NULL, c("a", "b"), holding_fit()))
  posterior <- matrix(c(0.2, 0.3, 0.4, 0.8, 0.7, 0.6), 3)
  expect_identical(hold_rows(posterior, c(NA, 1L, 2L)), rbind(c(0.2, 0.8), c(1, 0), c(0, 1)))
  expect_identical(hold_rows(posterior, rep(NA_integer_, 3)), posterior)
})

test_that("labels that the fit before did not hold are counted, changed ones too", {
  known <- function(item, label) list(store = list(known = data.frame(item, label)))
  before <- known(c("x", "y"), c("a", "b"))
  expect_identical(n_new_known(known(c("y", "x"), c("b", "a")), before), 0L)
  expect_identical(n_new_known(known(c("y", "x", "z"), c("a", "a", "b")), before), 2L)
  expect_identical(n_new_known(before, list(store = NULL)), 2L)
  expect_identical(n_new_known(list(store = NULL), before), 0L)
})
