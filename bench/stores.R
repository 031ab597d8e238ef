# Time and memory of coding rows into a store, by source. Usage:
#   R_LIBS=.lib Rscript bench/stores.R [N_ROWS [N_LABELS]]
# By default 1e6 rows of 20 items and 1e7 labels, of 1e6 items by 1e5 workers. Each source is coded
# in a process of its own; prints seconds elapsed and of the processor, cells or labels a second of
# the processor, peak memory (MB; R with the package has some 120), and the size of the store.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
arguments <- commandArgs(trailingOnly = TRUE)

# Sources ------------------------------------------------------------------------------------------

answers <- function(n_rows, seed = 1) {
  set.seed(seed)
  columns <- lapply(1:20, function(j) sample.int(4, n_rows, TRUE))
  stats::setNames(as.data.frame(columns), paste0("q", 1:20))
}

# Chunks of a million, made when they are asked for: drawing them is part of the time.
labels_in_chunks <- function(n_labels) {
  left <- n_labels
  items <- paste0("item", seq_len(n_labels / 10))
  workers <- paste0("w", seq_len(1e5))
  function() {
    n <- min(left, 1e6)
    if (n == 0) {
      return(NULL)
    }
    set.seed(left)
    left <<- left - n
    data.frame(
      item = sample(items, n, TRUE), worker = sample(workers, n, TRUE),
      label = sample(c("a", "b", "c"), n, TRUE)
    )
  }
}

# A function that codes into `path`, all but the coding done before.
coding <- function(case, n_rows, n_labels, path) {
  if (case == "crowd") {
    source <- labels_in_chunks(n_labels)
    return(function() {
      row_store(source, path, item = "item", worker = "worker", label = "label",
                duplicates = "count")
    })
  }
  table <- answers(n_rows)
  if (case == "strings") table[] <- lapply(table, function(x) c("aa", "bb", "cc", "dd")[x])
  if (case %in% c("data frame", "strings")) {
    return(function() row_store(table, path))
  }
  file <- paste0(path, if (case == "parquet") ".parquet" else paste0(".", case))
  if (case == "parquet") {
    nanoparquet::write_parquet(table, file, row_groups = as.integer(seq(1, n_rows, 1e5)))
  } else {
    con <- if (case == "csv.gz") gzfile(file, "w") else file(file, "w")
    utils::write.csv(table, con, row.names = FALSE, quote = FALSE)
    close(con)
  }
  rm(table)
  function() row_store(file, path)
}

# Runs ---------------------------------------------------------------------------------------------

# Most memory that the process has had, where the system says so.
peak_megabytes <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) {
    return(NA)
  }
  line <- grep("^VmHWM", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

run_once <- function(case, n_rows, n_labels) {
  library(mdpd)
  path <- tempfile("store")
  code <- coding(case, n_rows, n_labels, path)
  time <- system.time(store <- suppressWarnings(code()))
  cpu <- sum(time[c("user.self", "sys.self")])
  cells <- if (case == "crowd") n_labels else 20 * n_rows
  cat(sprintf(
    "%-10s %7.1f s, %7.1f s of the processor, %5.1f million/s, peak %5.0f MB, store %7.1f MB\n",
    case, time[["elapsed"]], cpu, cells / cpu / 1e6, peak_megabytes(),
    sum(summary(store)$shards$bytes) / 1e6
  ))
}

if (identical(arguments[1], "--run")) {
  run_once(arguments[2], as.numeric(arguments[3]), as.numeric(arguments[4]))
} else {
  sizes <- c(arguments, c("1e6", "1e7")[seq_len(2) > length(arguments)])
  cases <- c("data frame", "strings", "csv", "csv.gz", "crowd",
             if (requireNamespace("nanoparquet", quietly = TRUE)) "parquet")
  for (case in cases) system2("Rscript", c(shQuote(script), "--run", shQuote(case), sizes))
}
