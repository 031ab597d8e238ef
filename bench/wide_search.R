# What the search misses that takes fewer rows of a wide table than there are, and what would travel
# in a cluster. Usage:
#   R_LIBS=.lib Rscript bench/wide_search.R [N_ROWS [N_ITEMS [SEARCH_ROWS [N_DRAWS]]]]
# (10,000, 2100, 4096, 2) writes bench/results/wide_search.md. Items of three levels; 30 of them are
# what the class of a row says with probability .5 more than by chance, and 10 further ones in a
# rare class only, whose share is varied. Each table is fitted by the default call with k = 4, once
# with a sample of SEARCH_ROWS in the search and once with all rows; EM goes over all rows in both.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(dirname(script), "lib", "passes.R"))
sizes <- as.numeric(commandArgs(trailingOnly = TRUE))
sizes <- c(sizes, c(10000, 2100, 4096, 2)[seq_len(4) > length(sizes)])
names(sizes) <- c("rows", "items", "search", "draws")
rare_shares <- c(0.04, 0.02, 0.01, 0.005)

draw <- function(seed, rare) {
  set.seed(seed)
  class <- sample(4, sizes[["rows"]], TRUE, c(c(0.5, 0.35, 0.15) * (1 - rare), rare))
  items <- lapply(seq_len(sizes[["items"]]), function(item) {
    answers <- sample.int(3, sizes[["rows"]], TRUE)
    said <- if (item <= 30) c(1, 2, 3, sample(3, 1))[class] else if (item <= 40) 1 else NA
    told <- stats::runif(sizes[["rows"]]) < 0.5 & !is.na(said) & (item <= 30 | class == 4)
    answers[told] <- rep_len(said, length(class))[told]
    answers
  })
  list(class = class, table = stats::setNames(as.data.frame(items), paste0("V", seq_along(items))))
}

# Of the rare class the share of rows in the component that has most of them, where more of that are
# the class's than not; else nobody has found it.
found_of_rare <- function(class, truth) {
  counts <- table(class, truth == 4)
  at <- which.max(counts[, "TRUE"])
  is_own <- counts[at, "TRUE"] > counts[at, "FALSE"]
  if (is_own) counts[at, "TRUE"] / sum(counts[, "TRUE"]) else 0
}

fit_once <- function(data, search_rows) {
  spent <- system.time(
    fit <- stagewise_em(data$table, 4, search_rows = search_rows, verbose = FALSE)
  )
  said <- match(informative(fit), names(data$table))
  data.frame(
    k = fit$k, error = error_rate(predict(fit), data$class),
    found = found_of_rare(predict(fit), data$class), missed = sum(!1:40 %in% said),
    false = sum(said > 40), evidence = fit$evidence, seconds = sum(spent[1:2])
  )
}

compare <- function(rare, seed) {
  data <- draw(seed, rare)
  by <- lapply(sizes[c("search", "rows")], function(n) fit_once(data, n))
  best <- max(by$search$evidence, by$rows$evidence)
  rows <- do.call(rbind, by)
  rows$behind <- (best - rows$evidence) / (sizes[["rows"]] / 1000)
  out <- cbind(rare = rare, draw = seed, searched = c("sample", "all"), rows)
  print(out, digits = 3, row.names = FALSE)
  out
}

# What travels ------------------------------------------------------------------------------------

# Bytes of a task and of its answer, as one worker gets and gives them in a pass of EM with three
# components, and of the exact tables of all pairs of items, which never travel.
message_bytes <- function(n_items) {
  set.seed(1)
  store <- random_store(1024, n_items)
  on.exit(unlink(store$path, recursive = TRUE))
  question <- question_of(store)
  data.frame(
    items = n_items, task = length(question$task),
    sums = length(answer_here(question, files_of_store(store))), frame = length(question$frame),
    pairs = 8 * 3 * 9 * n_items * (n_items - 1) / 2,
    sample = internal("rows_to_search")(n_items, FALSE)
  )
}

# Report -------------------------------------------------------------------------------------------

mean_text <- function(x, digits, by) number(tapply(x, by, mean), digits)

search_lines <- function(rows) {
  by <- interaction(rows$searched, -rows$rare)
  first <- rows[match(levels(by), by), ]
  in_sample <- first$rare * ifelse(first$searched == "sample", sizes[["search"]], sizes[["rows"]])
  table <- data.frame(
    "rare class" = paste(number(100 * first$rare, 1), "%"), searched = first$searched,
    "its rows there" = number(in_sample, 0), found = mean_text(100 * (rows$found > 0), 0, by),
    k = tapply(rows$k, by, toString), error = mean_text(100 * rows$error, 2, by),
    "items missed" = mean_text(rows$missed, 1, by), "items false" = mean_text(rows$false, 1, by),
    behind = mean_text(rows$behind, 4, by), seconds = mean_text(rows$seconds, 1, by),
    check.names = FALSE
  )
  names(table)[c(4, 6)] <- c("found (%)", "error (%)")
  table_lines(table, right = setdiff(names(table), c("searched", "k")))
}

bytes_lines <- function(bytes) {
  table <- data.frame(
    items = bytes$items, "rows searched" = number(bytes$sample, 0),
    "parameters out (kB)" = number(bytes$task / 1e3, 1),
    "sums back (kB)" = number(bytes$sums / 1e3, 1), "once (kB)" = number(bytes$frame / 1e3, 1),
    "tables of all pairs (MB)" = number(bytes$pairs / 1e6, 0), check.names = FALSE
  )
  table_lines(table, right = names(table))
}

bytes <- do.call(rbind, lapply(c(100, 2000, 5000, 10000), message_bytes))
rows <- do.call(rbind, unlist(lapply(rare_shares, function(rare) {
  lapply(seq_len(sizes[["draws"]]), function(seed) compare(rare, seed))
}), recursive = FALSE))
count <- function(x) format(x, big.mark = ",", scientific = FALSE)
write_report("wide_search", c(
  "# Wide tables: what the search misses that has a sample", "",
  prose("Made by `Rscript bench/wide_search.R`, which says what the tables are:",
        count(sizes[["rows"]]), "rows of", paste0(count(sizes[["items"]]), " items,"),
        sizes[["draws"]], "draws. *Found* is the rare class where more rows of a component are its",
        "own than not; the error is under the best matching of components to the four classes;",
        "*behind* are nats of evidence a thousand rows behind the better of the two; seconds are",
        "of",
        "the processor, of `stagewise_em(k = 4)`. A sample of", count(sizes[["search"]]),
        "rows is the smallest that the default takes; it is that of tables of 11,314 items and",
        "more."),
  "", search_lines(rows), "", "## What travels in a cluster", "",
  prose("Bytes of the messages of one pass of EM over all rows, to and from each worker, with",
        "three",
        "components and items of three levels; *once* is what a worker is told of the rows as a",
        "whole. Pairs of items are searched where the fit was asked for, so that none of their",
        "tables travel; those of all pairs and components, a double a cell, would be as large as",
        "the last column says."), "",
  bytes_lines(bytes), "", machine_line()
))
