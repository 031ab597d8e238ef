# Stores for the tests: small shards, in folders that go with the test.

local_folder <- function(env = parent.frame()) {
  path <- tempfile("store")
  withr::defer(unlink(path, recursive = TRUE), env)
  path
}

small_store <- function(source, path, ...) row_store(source, path, ..., shard_rows = 1024)

# All shards as one piece: `codes`, `weights` and `ids`.
rows_of_store <- function(store) {
  bind_pieces(lapply(seq_len(nrow(store$manifest$shards)), function(at) {
    read_shard(store$path, store$manifest, at)
  }))
}

# The rows, levels and weights of a store are those of the table in memory.
expect_store_of <- function(store, table, weights = NULL) {
  coded <- suppressWarnings(encode(table, weights))
  rows <- rows_of_store(store)
  expect_identical(unname(as.matrix(rows$codes)), unname(as.matrix(coded$codes)))
  expect_identical(levels(store), coded$levels)
  expect_identical(rows$weights, coded$weights)
  expect_identical(store$manifest$variable_labels, coded$variable_labels)
  expect_equal(store$manifest$counts, unname(unlist(level_counts_twin(coded))))
}

level_counts_twin <- function(coded) {
  lapply(names(coded$levels), function(item) {
    vapply(seq_along(coded$levels[[item]]), function(level) {
      sum(coded$weights[coded$codes[, item] == as.raw(level)])
    }, 0)
  })
}

# The rows of a store's crowd, in the order of the crowd in memory, have its codes.
expect_store_of_crowd <- function(store, crowd) {
  coded <- encode(crowd)
  rows <- rows_of_store(store)
  expect_setequal(rows$ids, crowd$items)
  expect_identical(store$manifest$items, crowd$workers)
  expect_identical(levels(store), coded$levels)
  codes <- select_rows(rows$codes, match(crowd$items, rows$ids))
  expect_identical(is_sparse(codes), is_sparse(coded$codes))
  if (is_sparse(codes)) {
    parts <- c("row_start", "item", "code")
    expect_identical(unclass(codes)[parts], unclass(coded$codes)[parts])
  } else {
    expect_identical(unname(codes), unname(coded$codes))
  }
}

# A function that returns `chunks` one after the other.
chunks_of <- function(chunks) {
  at <- 0
  function() {
    at <<- at + 1
    if (at <= length(chunks)) chunks[[at]]
  }
}

# Columns of all types, some cells missing.
mixed_table <- function(n = 2500, seed = 1) {
  set.seed(seed)
  draw <- function(values) sample(c(values, NA), n, TRUE)
  data.frame(
    number = draw(c(10, 9, -3)), whole = draw(c(2L, 1L)), flag = draw(c(TRUE, FALSE)),
    word = draw(c("b", "a", "\u00e9")), text = draw(c("10", "9", "x")), blank = draw(c("", "z")),
    kind = factor(draw(c("low", "high")), c("low", "unused", "high")), same = "constant"
  )
}

# Labels in any order, of ids that sort in another way as numbers and as strings.
some_triples <- function(n = 6000, n_items = 1500, n_workers = 60, seed = 1) {
  set.seed(seed)
  cell <- sample(n_items * n_workers, n)
  data.frame(
    item = paste0("img", cell %% n_items), worker = as.character(cell %/% n_items),
    label = sample(c("cat", "dog", "bird"), n, TRUE)
  )
}

triples_of <- function(crowd) {
  data.frame(item = crowd$items[crowd$item], worker = crowd$workers[crowd$worker],
             label = crowd$labels[crowd$label])
}

small_crowd_store <- function(source, path, ...) {
  small_store(source, path, item = "item", worker = "worker", label = "label", ...)
}

# Fits of stores -----------------------------------------------------------------------------------

# Twelve items, of which eight tell three classes apart; some cells of one are missing.
three_classes <- function(n = 3000, seed = 1) {
  truth <- list(
    mixing_weights = c(0.5, 0.3, 0.2),
    item_probs = lapply(1:12, function(item) {
      probs <- matrix(0.15, 3, 3) + diag(0.55, 3)
      if (item > 8) probs[] <- 1 / 3
      dimnames(probs) <- list(c("a", "b", "c"), 1:3)
      probs
    })
  )
  names(truth$item_probs) <- paste0("V", 1:12)
  set.seed(seed)
  class <- sample(3, n, TRUE, truth$mixing_weights)
  table <- as.data.frame(lapply(truth$item_probs, function(probs) {
    factor(rownames(probs)[draw_codes(probs, class)], levels = c("a", "b", "c"))
  }))
  is.na(table$V3) <- sample(n, n / 10)
  list(table = table, class = class)
}

# Of the same parameters to the last bit everything else follows.
same_in_both <- c("mixing_weights", "item_probs", "informative", "evidence", "loglik", "inclusion",
                  "item_evidence", "penalised_loglik", "df", "status",
                  "item_prior", "item_shares", "crowd_probs")

expect_same_numbers <- function(a, b) {
  for (field in same_in_both) expect_identical(a[[field]], b[[field]], label = field)
  for (field in c("n_obs", "nobs", "n_missing")) expect_equal(a[[field]], b[[field]], label = field)
}

new_store <- function(source, ..., env = parent.frame()) {
  path <- withr::local_tempdir(.local_envir = env)
  row_store(source, file.path(path, "store"), ...)
}

# Clusters -----------------------------------------------------------------------------------------

# Processes that are started in the test find the packages of this one.
local_libraries <- function(env = parent.frame()) {
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  withr::local_envvar(R_LIBS = libraries, .local_envir = env)
}

local_cluster <- function(n = 2, env = parent.frame()) {
  skip_on_cran()
  skip_if(nzchar(Sys.getenv("MDPD_NO_WORKERS")), "No other process can load the package.")
  local_libraries()
  cluster <- tryCatch(
    suppressWarnings(parallel::makeCluster(n, setup_timeout = 60)),
    error = function(cnd) NULL
  )
  if (is.null(cluster)) skip("No processes can be started.")
  # Some of them are killed.
  withr::defer(for (node in cluster) try(close(node$con), silent = TRUE), env)
  cluster
}

# The two ends of a connection, both in this process.
local_sockets <- function(env = parent.frame()) {
  server <- NULL
  for (port in sample(20000:40000, 20)) {
    server <- tryCatch(suppressWarnings(serverSocket(port)), error = function(cnd) NULL)
    if (!is.null(server)) break
  }
  if (is.null(server)) skip("No socket can be opened.")
  there <- socketConnection("localhost", port, open = "a+b", blocking = FALSE)
  here <- socketAccept(server, open = "a+b", blocking = FALSE)
  close(server)
  withr::defer({
    close(here)
    close(there)
  }, env)
  list(here = here, there = there)
}
