# Stores of rows. They are made once, as other objects are; a call gets copies of its own, in a
# folder that is removed after it, and writes nowhere else.

work_folder <- file.path(tempdir(), "work")
remove_work <- function() unlink(work_folder, recursive = TRUE)

new_path <- function() {
  dir.create(work_folder, showWarnings = FALSE)
  tempfile("store", work_folder)
}

# Of one shard and of several, with ids and weights and without.
make_stores <- function() {
  table <- some_table(40, 4, as = "factors")
  large <- some_table(2100, 4, as = "frame")
  large$key <- sprintf("k%d", 1:2100)
  large$weight <- rep(c(0.5, 1, 2), 700)
  crowd <- function(n_items, n_workers) some_triples(n_items, n_workers, repeats = FALSE)
  store <- function(source, ...) {
    row_store(source, tempfile("kept"), ..., shard_rows = 1024)
  }
  named <- function(triples) store(triples, item = "item", worker = "worker", label = "label")
  list(store(table), store(large, id = "key", weights = "weight"), named(crowd(40, 6)),
       named(crowd(1100, 5)))
}

some_store <- function() {
  store <- copy_store(some("row_store")$path)
  if (with_chance(0.2)) damage_folder(store$path)
  store
}

copy_store <- function(from) {
  path <- new_path()
  dir.create(path)
  file.copy(dir(from, full.names = TRUE), path)
  open_row_store(path)
}

# A fit of a store, and its store as it is or with more rows.
some_fit_of_store <- function() pick(Filter(function(fit) !is.null(fit$store), objects$mdpd))[[1]]

later_store <- function(fit) {
  store <- copy_store(fit$store$path)
  if (with_chance(0.7)) store <- suppressMessages(add_rows(store, rows_for(store)))
  is_crowd <- store$manifest$kind == "crowd"
  if (is_crowd && with_chance(0.5)) store <- add_known(store, some_known(store))
  if (with_chance(0.15)) damage_folder(store$path)
  store
}

# Labels of some of its items, or of a table's something else.
some_known <- function(store) {
  rows <- tryCatch(as.data.frame(store, shards = 1), error = function(cnd) NULL)
  if (is.null(rows$item)) {
    return(c(a = "1"))
  }
  items <- unique(as.character(rows$item))
  items <- items[sample.int(length(items), whole(1, min(20, length(items))))]
  stats::setNames(sample(c(levels(rows$label), NA), length(items), TRUE), items)
}

# What is in a store already, and a new level now and then.
rows_for <- function(store) {
  rows <- as.data.frame(store, shards = 1)
  rows <- rows[sample.int(nrow(rows), whole(1, 30), replace = TRUE), ]
  rows[] <- lapply(rows, as.character)
  if (with_chance(0.3)) rows[1, 1:2] <- c("new", NA)
  if (store$manifest$kind == "crowd") {
    return(rows[!is.na(rows$worker), ])
  }
  columns <- store$manifest$columns
  if (!is.null(columns$id)) rows[[columns$id]] <- paste0("n", seq_len(nrow(rows)))
  if (!is.null(columns$weights)) rows[[columns$weights]] <- 1
  rows
}

# Rows as a data frame, in chunks or in a file.
some_source_of <- function(rows) {
  one_of(rows, rows, function_of_chunks(rows), csv_of(rows))
}

function_of_chunks <- function(rows) {
  parts <- split(rows, rep(1:3, length.out = nrow(rows)))
  at <- 0
  function() {
    at <<- at + 1
    if (at <= length(parts)) parts[[at]]
  }
}

csv_of <- function(rows) {
  path <- paste0(new_path(), one_of(".csv", ".csv.gz"))
  con <- if (grepl("gz$", path)) gzfile(path, "wb") else file(path, "wb")
  utils::write.csv(rows, con, row.names = FALSE)
  close(con)
  if (with_chance(0.3)) damage_file(path)
  path
}

# Where a store may go: nowhere yet, or something is there.
some_place <- function() {
  place <- pick(c("new", "new", "new", "empty", "store", "file", "others"))
  path <- if (place == "store") some_store()$path else new_path()
  if (place %in% c("empty", "others")) dir.create(path)
  if (place == "file") file.create(path)
  if (place == "others") file.create(file.path(path, "notes.txt"))
  path
}

source_arguments <- function() {
  if (with_chance(0.5)) {
    table <- some_table(as = one_of("frame", "factors", "text", "tibble", "matrix"))
    source <- if (is.matrix(table)) table else some_source_of(table)
    return(list(
      source = source, items = maybe(one_of(NULL, c("item1", "item2"))),
      id = maybe(one_of(NULL, "item2")), weights = maybe(some_weights(nrow(table)))
    ))
  }
  list(
    source = one_of(some_crowd(), some_file(), some_source_of(some_triples())), item = "item",
    worker = "worker", label = "label", duplicates = maybe(one_of("count", "error", "first"))
  )
}

# A file of the store or its folder, changed or gone; or its manifest, which is read whole.
damage_folder <- function(path) {
  file <- pick(dir(path, full.names = TRUE))
  manifest <- file.path(path, "manifest.rds")
  switch(
    pick(c("file", "file", "gone", "folder", "manifest", "manifest", "other", "lock")),
    file = damage_file(file),
    gone = unlink(file),
    folder = unlink(path, recursive = TRUE),
    manifest = saveRDS(damage_safely(readRDS(manifest), FALSE), manifest),
    other = file.copy(setdiff(dir(path, full.names = TRUE), file)[1], file, overwrite = TRUE),
    lock = lock_by_another(path)
  )
}

lock_by_another <- function(path) {
  lock <- file.path(path, "lock")
  dir.create(lock)
  owner <- one_of(NULL, 1, list(), list(pid = 1L, host = Sys.info()[["nodename"]]),
                  list(pid = 1L, host = "another"), list(pid = "x", host = NA))
  if (!is.null(owner)) saveRDS(owner, file.path(lock, "owner.rds"))
}
