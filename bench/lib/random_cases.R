# Crowds and tables of which everything is drawn at random: sizes, classes, how much the items tell,
# what is missing. A case is its data `x`, the number of classes `k`, the true class of each row and
# what was drawn, as text and as numbers.

log_uniform <- function(from, to) round(exp(stats::runif(1, log(from), log(to))))

# Rows are draws of a Dirichlet distribution.
dirichlet_rows <- function(n, parameters) {
  gammas <- matrix(stats::rgamma(n * length(parameters), rep(parameters, each = n)), n) + 1e-9
  gammas / rowSums(gammas)
}

# Crowds ------------------------------------------------------------------------------------------

# The accuracy of a worker; not known of one who answers without looking.
worker_kinds <- list(
  good = function() stats::rbeta(1, 16, 4),
  weak = function() stats::rbeta(1, 6, 5),
  mixed = function() stats::rbeta(1, 2, 1.3),
  "some do not look" = function() if (stats::runif(1) < 0.4) NA else stats::rbeta(1, 10, 3),
  "some are hostile" = function() if (stats::runif(1) < 0.15) 0.1 else stats::rbeta(1, 10, 4),
  "mistakes alike" = function() stats::rbeta(1, 8, 4),
  "one wrong label" = function() if (stats::runif(1) < 0.5) 0.3 else stats::rbeta(1, 8, 4)
)

# labels x labels: what is answered of each true label.
worker_columns <- function(kind, n_labels) {
  accuracy <- worker_kinds[[kind]]()
  if (is.na(accuracy)) {
    return(matrix(dirichlet_rows(1, rep(0.7, n_labels)), n_labels, n_labels, byrow = TRUE))
  }
  if (kind == "one wrong label") return(one_wrong_label(accuracy, n_labels))
  spread <- if (kind == "mistakes alike") 0.5 else 3
  columns <- matrix(stats::rgamma(n_labels^2, spread), n_labels)
  diag(columns) <- 0
  columns <- (1 - accuracy) * columns / rowSums(columns)
  diag(columns) <- accuracy
  columns
}

# Of each label most workers who are wrong answer the next one.
one_wrong_label <- function(accuracy, n_labels) {
  labels <- seq_len(n_labels)
  columns <- matrix(0.2 * (1 - accuracy) / n_labels, n_labels, n_labels)
  following <- cbind(labels, labels %% n_labels + 1)
  columns[following] <- columns[following] + 0.8 * (1 - accuracy)
  diag(columns) <- diag(columns) + accuracy
  columns
}

random_crowd <- function(seed) {
  set.seed(seed)
  n_items <- log_uniform(60, 3000)
  n_workers <- log_uniform(5, 200)
  n_labels <- sample(c(2, 2, 3, 4, 5, 8), 1)
  per_item <- min(n_workers, sample(c(2, 3, 5, 8, 12), 1))
  shares <- dirichlet_rows(1, rep(sample(c(20, 3, 1), 1), n_labels))
  truth <- sample.int(n_labels, n_items, replace = TRUE, prob = shares)
  kind <- sample(names(worker_kinds), 1)
  columns <- lapply(seq_len(n_workers), function(worker) worker_columns(kind, n_labels))
  activity <- stats::rgamma(n_workers, 1.2) + 0.02
  worker <- replicate(n_items, sample.int(n_workers, per_item, prob = activity))
  item <- rep(seq_len(n_items), each = per_item)
  label <- mapply(function(w, k) sample.int(n_labels, 1, prob = columns[[w]][k, ]), c(worker),
                  truth[item])
  crowd <- crowd_labels(data.frame(item = item, worker = c(worker), label = label))
  list(x = crowd, k = length(crowd$labels), truth = stats::setNames(truth, seq_len(n_items)),
       kind = kind, n_answers = length(label))
}

# Tables ------------------------------------------------------------------------------------------

# Columns of an item, classes x levels: what all have in common and what is each one's own.
item_columns <- function(n_levels, k, strength) {
  common <- dirichlet_rows(1, rep(2, n_levels))[rep(1, k), ]
  (1 - strength) * common + strength * dirichlet_rows(k, rep(1, n_levels))
}

random_table <- function(seed) {
  set.seed(seed)
  n_rows <- log_uniform(100, 3000)
  n_items <- log_uniform(4, 150)
  k <- sample(2:5, 1)
  n_levels <- sample(2:6, n_items, replace = TRUE)
  share <- sample(c(0.1, 0.3, 0.6, 1), 1)
  is_informative <- stats::runif(n_items) < share
  is_informative[1:3] <- TRUE
  strength <- ifelse(is_informative, sample(c(0.15, 0.3, 0.5, 0.8), 1), 0)
  missing <- sample(c(0, 0, 0.2), 1)
  shares <- dirichlet_rows(1, rep(sample(c(2, 20), 1), k))
  class <- sample.int(k, n_rows, replace = TRUE, prob = shares)
  log_joint <- matrix(log(shares), n_rows, k, byrow = TRUE)
  codes <- matrix(NA_integer_, n_rows, n_items, dimnames = list(NULL, paste0("i", 1:n_items)))
  for (item in seq_len(n_items)) {
    columns <- item_columns(n_levels[item], k, strength[item])
    answers <- seq_len(n_rows)[stats::runif(n_rows) >= missing]
    code <- vapply(class[answers], function(of_row) {
      sample.int(n_levels[item], 1, prob = columns[of_row, ])
    }, 0L)
    codes[answers, item] <- code
    log_joint[answers, ] <- log_joint[answers, ] + t(log(columns))[code, ]
  }
  list(x = codes, k = k, truth = class, by_true_model = max.col(log_joint), strength = strength[1],
       share = share)
}
