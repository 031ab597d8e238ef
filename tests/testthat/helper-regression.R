# Rows of three classes, whose sizes go with a number `z` and a group `g`, and six items of two
# levels that tell them apart; `accuracy` is how often an item says what its class says.
regression_coefficients <- cbind("1" = c(0, 0, 0), "2" = c(-0.5, 1, 0.5), "3" = c(-1, -0.7, 0.8))

regression_rows <- function(n_obs = 600, accuracy = 0.9, seed = 1, n_items = 6) {
  with_seed(seed, {
    z <- stats::rnorm(n_obs)
    g <- stats::rbinom(n_obs, 1, 0.5)
    shares <- exp(cbind(1, z, g) %*% regression_coefficients)
    class <- apply(shares, 1, function(p) sample.int(3, 1, prob = p))
    yes <- matrix(accuracy, n_items, 3)
    yes[, 3] <- 1 - accuracy
    yes[seq_len(n_items / 2), 2] <- 1 - accuracy
    items <- matrix(stats::runif(n_obs * n_items), n_obs) < t(yes)[class, ]
    y <- 2 * (class == 2) - (class == 3) + stats::rnorm(n_obs)
    answer <- c("a", "b", "c")[(class + stats::rbinom(n_obs, 2, 0.5)) %% 3 + 1]
  })
  items <- as.data.frame(ifelse(items, "yes", "no"))
  names(items) <- paste0("item_", seq_len(n_items))
  list(
    items = items, class = as.character(class), y = y, answer = answer,
    covariates = data.frame(z, g = factor(g, labels = c("here", "there")))
  )
}

# EM from the true classes, to its end, the components in their order.
regression_fit <- function(rows, weights = NULL, ...) {
  start <- outer(rows$class, c("1", "2", "3"), `==`) + 0
  control <- stagewise_control(tol = 1e-13, max_iter = 5000)
  fit <- mdpd(rows$items, k = 3, start = start, weights = weights, control = control, ...)
  align_components(fit, rows$class)
}

# The same fit, of which rows are assigned to a wrong class as often as their posterior says, and
# not as held-out rows: so it goes where the posterior is moved.
of_posterior_alone <- function(fit) {
  fit$classification <- NULL
  fit
}

# The rows and six more without any answer.
with_empty_rows <- function(rows) {
  more <- nrow(rows$items) + 1:6
  rows$items[more, ] <- NA
  rows$class[more] <- "1"
  rows
}

regression_methods <- c("two-step", "ml", "bch", "one-step")

# What a later step finds when the first had found a little other parameters: the derivative of the
# estimates by the sizes and by the probability of each item's first level, of items of two levels,
# and the covariance of these. `later` is a function of a fit.
first_step_twin <- function(fit, later, step = 1e-5) {
  moved <- function(change) {
    fit <- change(fit)
    posterior <- twin_posterior(
      fit$coded, list(mixing_weights = fit$mixing_weights, item_probs = unname(fit$item_probs)),
      seq_along(fit$item_probs)
    )$posterior
    fit$posterior[] <- posterior
    later(fit)
  }
  slope <- function(change) (moved(change(step)) - moved(change(-step))) / (2 * step)
  move_size <- function(class) {
    function(h) {
      function(fit) {
        fit$mixing_weights[c("1", class)] <- fit$mixing_weights[c("1", class)] + c(-h, h)
        fit
      }
    }
  }
  move_prob <- function(item, class) {
    function(h) {
      function(fit) {
        fit$item_probs[[item]][, class] <- fit$item_probs[[item]][, class] + c(h, -h)
        fit
      }
    }
  }
  classes <- c("2", "3")
  cells <- expand.grid(class = names(fit$mixing_weights), item = fit$informative,
                       stringsAsFactors = FALSE)
  first_level <- vapply(fit$item_probs, function(probs) rownames(probs)[1], "")
  names <- c(paste0("weight|", classes),
             paste0(cells$item, ":", first_level[cells$item], "|", cells$class))
  slopes <- c(lapply(classes, function(class) slope(move_size(class))),
              Map(function(item, class) slope(move_prob(item, class)), cells$item, cells$class))
  slopes <- do.call(cbind, slopes)
  slopes %*% vcov(fit)[names, names] %*% t(slopes)
}

# What a print says, whatever its numbers are on this machine.
without_digits <- function(lines) {
  gsub("-?[0-9][0-9.]*(e[-+]?[0-9]+)?", "#", gsub(" +", " ", lines))
}

# The fit of 300 rows of four classes, of which 1 and 2 have levels of their own; two items of two
# levels do not tell 3 from 4.
fit_that_tells_some <- function(class) {
  items <- with_seed(1, lapply(1:2, function(i) {
    yes <- stats::runif(300) < c(1, 1, 0.8, 0.3)[class]
    ifelse(class < 3, c("c", "d")[class], ifelse(yes, "a", "b"))
  }))
  fit <- suppressWarnings(mdpd(as.data.frame(items, col.names = c("one", "two")), k = 4,
                               start = outer(class, 1:4, `==`) + 0, prior = 0))
  align_components(fit, as.character(class))
}
