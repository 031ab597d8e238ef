# Small data for tests of the main interface.

# Rows of 8 items with 2, 3 or 4 levels, of which the first five tell k components apart.
answers <- function(n_obs = 300, seed = 1, k = 2) {
  x <- simulate(answers_model(k), seed = seed, n_obs = n_obs)[[1]]
  attr(x, "component") <- NULL
  x
}

answers_model <- function(k = 2) {
  hand_made_fit(n_items = 8, k = k, n_levels = c(2, 3, 4), n_informative = 5)
}

# A tenth of the cells missing, in a pattern that has nothing to do with the answers.
with_gaps <- function(x) {
  gap <- (row(x) * 7 + col(x) * 11) %% 10 == 0
  for (j in seq_along(x)) x[[j]][gap[, j]] <- NA
  x
}

# Items in a full factorial design: exactly independent.
independent_items <- function() {
  expand.grid(a = 1:2, b = 1:3, c = 1:4, d = 1:2)[rep(1:48, 5), ]
}

# Five experts among 15 workers.
small_crowd <- function(seed = 1, missing = 0) {
  simulate_crowd(n_items = 300, n_workers = 15, accuracy = rep(0.75, 5), missing = missing,
                 seed = seed)
}

# A table that comes with poLCA.
polca_data <- function(name) {
  skip_if_not_installed("poLCA")
  here <- environment()
  utils::data(list = name, package = "poLCA", envir = here)
  here[[name]]
}
