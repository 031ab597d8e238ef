# Whatever dies while a store is written or read: 10 moments of each kind here, 50 at level 2.

n_moments <- function() {
  if (identical(Sys.getenv("MDPD_TEST_LEVEL"), "2")) 50 else 10
}

# Runs `write()` in a process that is killed after some time; TRUE if it was, FALSE if it was done.
kill_after <- function(seconds, write) {
  child <- parallel::mcparallel(suppressMessages(write()), mc.set.seed = FALSE)
  Sys.sleep(seconds)
  tools::pskill(child$pid, tools::SIGKILL)
  while (is_running(list(pid = child$pid, host = host_name()))) Sys.sleep(0.01)
  # A child that was killed has no result, with a warning in new versions of R.
  is.null(suppressWarnings(parallel::mccollect(child))[[1]])
}

skip_without_fork <- function() {
  skip_on_os("windows")
  skip_on_cran()
}

test_that("a build that is killed leaves the old store or none, and can be done again", {
  skip_on_cran()
  skip_without_fork()
  withr::local_seed(1)
  sources <- list(
    table = function(path) small_store(mixed_table(20000), path, replace = TRUE),
    crowd = function(path) small_crowd_store(some_triples(30000, 5000), path, replace = TRUE)
  )
  for (build in sources) {
    path <- local_folder()
    seconds <- system.time(expected <- build(local_folder()))[["elapsed"]]
    killed <- 0
    for (at in seq_len(n_moments() / 2)) {
      before <- dir.exists(path) && file.exists(file.path(path, "manifest.rds"))
      killed <- killed + kill_after(runif(1, 0, seconds), function() build(path))
      opened <- tryCatch(open_row_store(path), mdpd_error_file = function(cnd) NULL)
      if (before) expect_false(is.null(opened))
      if (!is.null(opened)) {
        expect_identical(nrow(verify_store(opened)), 0L)
        expect_identical(opened$manifest$shards$checksum, expected$manifest$shards$checksum)
      }
      # Every second time on what the last one left.
      if (at %% 2 == 0) unlink(path, recursive = TRUE)
    }
    expect_gt(killed, 0)
    again <- suppressMessages(build(path))
    expect_identical(again$manifest$shards$checksum, expected$manifest$shards$checksum)
    expect_setequal(
      dir(path),
      c("manifest.rds", stats::na.omit(unlist(again$manifest$shards[c("file", "ids_file")])))
    )
  }
})

test_that("an addition that is killed leaves the old rows or all", {
  skip_on_cran()
  skip_without_fork()
  withr::local_seed(2)
  triples <- some_triples(30000, 5000)
  table <- mixed_table(20000)
  cases <- list(
    list(store = small_store(table[1:1500, ], local_folder()), new = table[1501:20000, ]),
    list(store = small_crowd_store(triples[1:10000, ], local_folder()), new = triples[-(1:10000), ])
  )
  for (case in cases) {
    store <- case$store
    backup <- local_folder()
    dir.create(backup)
    file.copy(dir(store$path, full.names = TRUE), backup)
    seconds <- system.time(done <- add_rows(store, case$new))[["elapsed"]]
    checksums <- list(store$manifest$shards$checksum, done$manifest$shards$checksum)
    killed <- 0
    for (at in seq_len(n_moments() / 2)) {
      unlink(dir(store$path, full.names = TRUE), recursive = TRUE)
      file.copy(dir(backup, full.names = TRUE), store$path)
      killed <- killed + kill_after(runif(1, 0, seconds), function() add_rows(store, case$new))
      opened <- open_row_store(store$path)
      expect_identical(nrow(verify_store(opened)), 0L)
      is_done <- identical(opened$manifest$shards$checksum, checksums[[2]])
      expect_true(is_done || identical(opened$manifest$shards$checksum, checksums[[1]]))
      if (!is_done) {
        again <- add_rows(opened, case$new)
        expect_identical(again$manifest$shards$checksum, checksums[[2]])
      }
    }
    expect_gt(killed, 0)
  }
})

test_that("known labels that are killed on their way leave the old ones or have all", {
  skip_on_cran()
  skip_without_fork()
  withr::local_seed(4)
  store <- small_crowd_store(some_triples(30000, 5000), local_folder())
  ids <- rows_of_store(store)$ids[9 * 1:500]
  known_by <- function(label) stats::setNames(rep(label, 500), ids)
  store <- add_known(store, known_by("cat"))
  seconds <- system.time(done <- add_known(store, known_by("dog")))[["elapsed"]]
  label_of <- function(store) unique(known_of_store(store)$label)
  killed <- 0
  for (at in seq_len(n_moments() / 2)) {
    before <- label_of(open_row_store(store$path))
    new <- if (before == "cat") "dog" else "cat"
    killed <- killed + kill_after(runif(1, 0, seconds), function() add_known(store, known_by(new)))
    opened <- open_row_store(store$path)
    expect_identical(nrow(verify_store(opened)), 0L)
    expect_true(label_of(opened) %in% c(before, new))
    expect_equal(n_known(opened), 500)
  }
  expect_gt(killed, 0)
  expect_identical(label_of(add_known(store, known_by("bird"))), "bird")
})

test_that("readers that are killed leave the store as it was", {
  skip_on_cran()
  skip_without_fork()
  withr::local_seed(5)
  store <- small_store(three_classes(8000)$table, local_folder())
  state_of <- function() {
    tools::md5sum(dir(store$path, full.names = TRUE, all.files = TRUE, no.. = TRUE))
  }
  fit_store <- function() stagewise_em(store, 3, search_rows = 2000, verbose = FALSE)
  fit <- fit_store()
  before <- state_of()
  readers <- list(
    fit_store,
    function() predict(fit, store, file = tempfile()),
    function() verify_store(store),
    function() as.data.frame(store)
  )
  killed <- 0
  for (read in readers) {
    seconds <- system.time(read())[["elapsed"]]
    for (at in seq_len(ceiling(n_moments() / 4))) {
      killed <- killed + kill_after(runif(1, 0, seconds), read)
      expect_identical(state_of(), before)
    }
  }
  expect_gt(killed, 0)
  # Nothing of theirs is in the way of another reader, or of a writer.
  expect_same_numbers(fit_store(), fit)
  expect_identical(nrow(add_rows(store, three_classes(100)$table)), 8100)
})

test_that("a source several times larger than the memory that there is can be coded", {
  skip_below_level_2()
  skip_on_os(c("windows", "mac"))
  # Some 4 GB of text, in a compressed file; the process may have 800 MB in all.
  withr::local_seed(3)
  file <- withr::local_tempfile(fileext = ".csv.gz")
  answers <- vapply(1:4, function(i) strrep(letters[i], 100), "")
  block <- replicate(10, sample(answers, 40000, TRUE))
  con <- gzfile(file, "w", compression = 1)
  writeLines(paste(paste0("q", 1:10), collapse = ","), con)
  lines <- do.call(paste, c(as.data.frame(block), sep = ","))
  for (copy in 1:100) writeLines(lines, con)
  close(con)
  path <- local_folder()
  code <- sprintf("store <- mdpd::row_store(%s, %s); cat(as.integer(dim(store)))",
                  dQuote(file, FALSE), dQuote(path, FALSE))
  output <- output_within("ulimit -v 800000; ", code)
  expect_identical(utils::tail(output, 1), "4000000 10")
  store <- open_row_store(path)
  rows <- as.data.frame(store, shards = 1)[1:40000, ]
  expect_identical(unname(as.matrix(rows)), unname(block))
})

test_that("a store larger than the memory that there is can be fitted and predicted", {
  skip_below_level_2()
  skip_on_os(c("windows", "mac"))
  # 160 MB in a process that may have 280 MB, of which R and the package take 180.
  withr::local_seed(6)
  class <- sample(3, 1e5, TRUE)
  columns <- lapply(1:40, function(item) {
    ifelse(stats::runif(1e5) < 0.4, class, sample(3, 1e5, TRUE))
  })
  chunk <- as.data.frame(stats::setNames(columns, paste0("V", 1:40)))
  path <- local_folder()
  store <- row_store(chunks_of(rep(list(chunk), 40)), path)
  file <- withr::local_tempfile(fileext = ".csv")
  output <- output_within("ulimit -v 280000; ", c(
    sprintf("store <- mdpd::open_row_store(%s)", dQuote(path, FALSE)),
    "fit <- mdpd::stagewise_em(store, 3, memory = 1e6, search_rows = 20000)",
    sprintf("invisible(predict(fit, store, file = %s))", dQuote(file, FALSE)),
    "cat(fit$k, fit$n_obs)"
  ))
  expect_identical(utils::tail(output, 1), "3 4e+06")
  expect_length(readLines(file), 4e6 + 1)
})

test_that("a store that is written to while it is read is read again", {
  store <- row_store(data.frame(a = 1:2, b = c(1, 1)), local_folder())
  n_reads <- 0
  read <- function() {
    manifest <- read_manifest(store$path)
    n_reads <<- n_reads + 1
    # The second removes what the first replaced.
    if (n_reads == 1) {
      for (trial in 1:2) add_rows(open_row_store(store$path), data.frame(a = 1, b = 1))
    }
    check_files(store$path, manifest, rlang::current_env())
    manifest
  }
  expect_identical(read_settled(store$path, read), open_row_store(store$path)$manifest)
  expect_identical(n_reads, 2)
  unlink(file.path(store$path, dir(store$path, "shard")))
  expect_error(open_row_store(store$path), class = "mdpd_error_damaged_shard")
})
