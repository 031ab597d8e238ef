# Whether two fits of the main interface are the same one.

# A fit without some of its fields, and a matrix without row names.
without <- function(fit, ...) unclass(fit)[setdiff(names(fit), c(...))]
unname_rows <- function(x) `rownames<-`(x, NULL)

# Sums in another order differ by 1e-15; the iterations of EM, the same in both fits, spread that
# to less than 1e-8.
fit_tolerance <- 1e-8

# The same model up to rounding, whatever the order of rows and items.
expect_same_model <- function(object, expected, rows = seq_len(nrow(expected$posterior))) {
  sizes <- c("k", "df", "nobs", "n_obs", "n_missing", "status")
  expect_equal(unclass(object)[sizes], unclass(expected)[sizes])
  expect_setequal(object$informative, expected$informative)
  expect_equal(object$loglik, expected$loglik, tolerance = fit_tolerance)
  expect_equal(object$penalised_loglik, expected$penalised_loglik, tolerance = fit_tolerance)
  expect_equal(object$mixing_weights, expected$mixing_weights, tolerance = fit_tolerance)
  items <- names(expected$item_probs)
  expect_equal(object$item_probs[items], expected$item_probs, tolerance = fit_tolerance)
  expect_equal(object$item_information[items], expected$item_information,
               tolerance = fit_tolerance)
  expect_equal(object$item_evidence[items], expected$item_evidence, tolerance = fit_tolerance)
  expect_equal(unname(object$posterior), unname(expected$posterior[rows, , drop = FALSE]),
               tolerance = fit_tolerance)
}

# The kinds of fit: what holds for one must hold for all.
fit_variants <- list(
  default = list(), full = list(refine = "full"), stages = list(refine = "none"),
  paper = list(method = "paper"), frozen = list(method = "paper", missing = "frozen"),
  level = list(missing = "level")
)
fit_variant <- function(x, k, name) do.call(stagewise_em, c(list(x, k = k), fit_variants[[name]]))
