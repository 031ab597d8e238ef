# Random models and random coded data, and what is expected of them. All draws come from `seed`, and
# the session's random numbers are left as they were.

with_seed <- function(seed, code) {
  if (exists(".Random.seed", globalenv())) {
    before <- get(".Random.seed", globalenv())
    on.exit(assign(".Random.seed", before, globalenv()))
  } else {
    on.exit(rm(".Random.seed", envir = globalenv()))
  }
  set.seed(seed)
  code
}

# A point of the simplex with no coordinate near zero, so that differences of first order are small.
random_simplex <- function(n) {
  draws <- stats::rexp(n) + 0.2
  draws / sum(draws)
}

random_model <- function(k, n_levels) {
  list(
    mixing_weights = random_simplex(k),
    item_probs = lapply(n_levels, function(r) {
      matrix(vapply(seq_len(k), function(component) random_simplex(r), numeric(r)), r, k)
    })
  )
}

random_posterior <- function(n_obs, k) {
  draws <- matrix(stats::rexp(n_obs * k), n_obs, k)
  draws / rowSums(draws)
}

# For each of `class` a level of an item, drawn all at once: of the levels of the class, likely ones
# first, the one at which the probabilities reach a uniform number.
draw_codes <- function(probs, class) {
  levels <- apply(probs, 2, function(p) order(p, seq_along(p), decreasing = TRUE))
  ends <- apply(probs, 2, function(p) cumsum(sort(p, decreasing = TRUE)))
  ends <- ends[-nrow(probs), class, drop = FALSE]
  place <- 1 + colSums(ends < rep(stats::runif(length(class)), each = nrow(ends)))
  levels[cbind(place, class)]
}

# Rows drawn from `model`; a cell is missing with probability `missing`, but no item everywhere.
random_coded <- function(n_obs, model, missing = 0, weighted = FALSE) {
  n_levels <- vapply(model$item_probs, nrow, 0L)
  k <- length(model$mixing_weights)
  class <- sample.int(k, n_obs, TRUE, model$mixing_weights)
  codes <- vapply(model$item_probs, draw_codes, integer(n_obs), class)
  codes <- matrix(codes, n_obs)
  gone <- matrix(stats::runif(length(codes)) < missing, n_obs)
  gone[1, ] <- FALSE
  codes[gone] <- 0L
  weights <- if (weighted) stats::runif(n_obs, 0.2, 3) else rep(1, n_obs)
  coded_from_codes(codes, n_levels, weights)
}

coded_from_codes <- function(codes, n_levels = apply(codes, 2, max),
                             weights = rep(1, nrow(codes)), missing = "ignore") {
  items <- paste0("item_", seq_len(ncol(codes)))
  levels <- lapply(n_levels, function(r) letters[seq_len(r)])
  structure(
    list(
      codes = matrix(as.raw(codes), nrow(codes), dimnames = list(NULL, items)),
      levels = stats::setNames(levels, items), weights = weights, missing = missing
    ),
    class = "mdpd_coded"
  )
}

# One case of each kind: K = 1..4, mixed numbers of levels, complete or not, weighted or not.
random_cases <- function(n_obs = 60, n_items = 5, seed = 1) {
  grid <- expand.grid(k = 1:4, missing = c(0, 0.3), weighted = c(FALSE, TRUE))
  with_seed(seed, lapply(seq_len(nrow(grid)), function(case) {
    n_levels <- sample(2:5, n_items, TRUE)
    coded <- random_coded(
      n_obs, random_model(2, n_levels), grid$missing[case], grid$weighted[case]
    )
    list(
      k = grid$k[case], coded = coded, model = random_model(grid$k[case], n_levels),
      posterior = random_posterior(n_obs, grid$k[case]), n_levels = n_levels,
      label = paste(names(grid), format(grid[case, ]), collapse = ", ")
    )
  }))
}

subset_rows <- function(coded, rows) {
  coded$codes <- coded$codes[rows, , drop = FALSE]
  coded$weights <- coded$weights[rows]
  coded
}

subset_items <- function(coded, items) {
  coded$codes <- coded$codes[, items, drop = FALSE]
  coded$levels <- coded$levels[items]
  coded
}

# Level r of every item is called levels + 1 - r.
reverse_levels <- function(coded) {
  for (item in seq_len(ncol(coded$codes))) {
    codes <- as.integer(coded$codes[, item])
    n_levels <- length(coded$levels[[item]])
    coded$codes[, item] <- as.raw(ifelse(codes == 0, 0L, n_levels + 1L - codes))
    coded$levels[[item]] <- rev(coded$levels[[item]])
  }
  coded
}

reverse_rows <- function(x) x[rev(seq_len(nrow(x))), , drop = FALSE]

# The kernels add up at most a few hundred terms, in another order than the twin: 1e-13 relative.
# 1e-10 leaves room for logarithms of ratios close to one.
kernel_tolerance <- 1e-10

# Largest difference relative to the largest entry; dimensions and names are not compared.
expect_close <- function(actual, expected, tolerance = kernel_tolerance, label = NULL) {
  actual <- as.vector(unlist(actual, use.names = FALSE))
  expected <- as.vector(unlist(expected, use.names = FALSE))
  gap <- if (length(actual) == length(expected)) {
    max(0, abs(actual - expected)) / max(abs(expected), 1e-8)
  } else {
    Inf
  }
  testthat::expect(
    !is.na(gap) && gap <= tolerance,
    sprintf(
      "%s: relative difference %.2e is more than %.0e (lengths %d and %d).",
      if (is.null(label)) "values" else label, gap, tolerance, length(actual), length(expected)
    )
  )
  invisible(actual)
}

# `tolerance` is relative to the size of the values: rounding of a sum of logarithms.
expect_non_decreasing <- function(x, tolerance = 1e-12) {
  drop <- max(0, -diff(x)) / max(abs(x))
  testthat::expect(
    length(x) > 1 && !anyNA(x) && drop <= tolerance,
    sprintf("The largest relative decrease is %.2e in %d values.", drop, length(x))
  )
  invisible(x)
}

skip_below_level_2 <- function() {
  testthat::skip_if(test_level() < 2, "MDPD_TEST_LEVEL is below 2")
}

test_level <- function() {
  level <- suppressWarnings(as.integer(Sys.getenv("MDPD_TEST_LEVEL", "1")))
  if (is.na(level)) 1L else level
}

# Coded data and the truth of a shared crowd, read here and not by the package; `n_workers` keeps
# those with the most labels.
shared_coded <- function(name, n_workers = Inf) {
  triples <- utils::read.csv(shared_file(paste0(name, "_labels.csv")))
  truth <- utils::read.csv(shared_file(paste0(name, "_truth.csv")))
  n_labels <- sort(table(triples$worker), decreasing = TRUE)
  workers <- sort(as.integer(names(n_labels)[seq_len(min(n_workers, length(n_labels)))]))
  triples <- triples[triples$worker %in% workers, ]
  codes <- matrix(0L, nrow(truth), length(workers))
  codes[cbind(match(triples$item, truth$item), match(triples$worker, workers))] <- triples$label
  k <- max(truth$label)
  list(
    coded = coded_from_codes(codes, rep(k, length(workers))), truth = truth$label, k = k,
    workers = workers
  )
}

# Number wrong under the best one-to-one naming of the components.
n_wrong <- function(posterior, truth) {
  class <- max.col(posterior, "first")
  agreement <- table(factor(class, seq_len(ncol(posterior))), factor(truth))
  length(truth) - sum(agreement[cbind(
    seq_len(nrow(agreement)), as.integer(clue::solve_LSAP(agreement, maximum = TRUE))
  )])
}
