# Large data, and the memory that a process took for them.

# A table of items whose levels depend on the class (the first ones) or not.
draw_items <- function(n_obs, n_items, n_levels, n_informative, k) {
  class <- sample.int(k, n_obs, TRUE)
  log_joint <- matrix(0, n_obs, k)
  x <- matrix(0L, n_obs, n_items)
  for (item in seq_len(n_items)) {
    probs <- matrix(stats::rexp(n_levels * if (item <= n_informative) k else 1), n_levels, k)
    probs <- sweep(probs, 2, colSums(probs), "/")
    u <- stats::runif(n_obs)
    level <- rep(1L, n_obs)
    cumulative <- 0
    for (r in seq_len(n_levels - 1)) {
      cumulative <- cumulative + probs[r, class]
      level <- level + (u > cumulative)
    }
    x[, item] <- level
    if (item <= n_informative) log_joint <- log_joint + log(probs)[level, ]
  }
  list(x = x, k = k, class = class, bayes = max.col(log_joint, "first"))
}

# A fifth of the workers looks at the items, right with probability 0.55 to 0.95; some label much.
draw_crowd <- function(n_items, n_workers, n_each, k) {
  class <- sample.int(k, n_items, TRUE)
  accuracy <- ifelse(stats::runif(n_workers) < 0.2, stats::runif(n_workers, 0.55, 0.95), 0)
  noise <- matrix(stats::rexp(n_workers * k), n_workers)
  noise <- noise / rowSums(noise)
  item <- rep(seq_len(n_items), each = n_each)
  worker <- as.integer(stats::runif(length(item)) * stats::runif(length(item)) * n_workers) + 1L
  cell <- !duplicated((item - 1) * n_workers + worker)
  item <- item[cell]
  worker <- worker[cell]
  u <- stats::runif(length(item))
  other <- 1L + (class[item] + sample.int(k - 1, length(item), TRUE) - 1L) %% k
  expert <- ifelse(u < accuracy[worker], class[item], other)
  guess <- rep(1L, length(item))
  cumulative <- 0
  for (r in seq_len(k - 1)) {
    cumulative <- cumulative + noise[worker, r]
    guess <- guess + (u > cumulative)
  }
  label <- ifelse(accuracy[worker] > 0, expert, guess)
  log_joint <- vapply(seq_len(k), function(at) {
    right <- accuracy[worker]
    share <- ifelse(right == 0, 1, ifelse(label == at, right, (1 - right) / (k - 1)))
    rowsum(log(share), item)[, 1]
  }, numeric(n_items))
  triples <- data.frame(item = item, worker = worker, label = label)
  list(x = crowd_labels(triples), k = k, class = class, bayes = max.col(log_joint, "first"))
}

# A list of the table or crowd `x`, the number of classes `k`, the `class` of each row and its class
# by the true model, `bayes`.
large_data <- function(case) {
  set.seed(1)
  switch(
    case,
    wide = draw_items(2000, 5000, 2, 50, 4),
    wider = draw_items(1000, 20000, 2, 50, 4),
    tall = draw_items(1e6, 100, 3, 20, 3),
    crowd = draw_crowd(1e6, 1e4, 10, 4)
  )
}

# Most memory that this process had so far, or since forget_peak_memory() (MB).
peak_memory <- function() {
  status <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
}

# Drawing data may take more memory than a fit to them.
forget_peak_memory <- function() {
  invisible(gc())
  writeLines("5", "/proc/self/clear_refs")
}
