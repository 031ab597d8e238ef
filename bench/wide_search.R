# What the search misses that takes fewer rows of a wide table than there are. Usage:
#   R_LIBS=.lib Rscript bench/wide_stores.R [N_ROWS [N_ITEMS [N_DRAWS]]]    (80,000, 4000, 3)
# Items of three levels; in four classes of 50, 35, 14 and 1 % of the rows 30 of the items are what
# the class says with probability .5 more than by chance, in the smallest 10 further ones. Fits of a
# store with the default `search_rows` and with all rows, k = 2:6. Prints k, seconds of the
# processor, the error under the best matching, informative items that are missed and false, and
# nats of evidence a thousand rows behind the better of the two.
library(mdpd)
sizes <- as.numeric(commandArgs(trailingOnly = TRUE))
sizes <- c(sizes, c(80000, 4000, 3)[seq_len(3) > length(sizes)])
n_rows <- sizes[1]
n_items <- sizes[2]

draw <- function(seed) {
  set.seed(seed)
  class <- sample(4, n_rows, TRUE, c(0.5, 0.35, 0.14, 0.01))
  items <- lapply(seq_len(n_items), function(item) {
    answers <- sample.int(3, n_rows, TRUE)
    said <- if (item <= 30) c(1, 2, 3, sample(3, 1))[class] else if (item <= 40) 1 else NA
    told <- stats::runif(n_rows) < 0.5 & !is.na(said) & (item <= 30 | class == 4)
    answers[told] <- rep_len(said, n_rows)[told]
    answers
  })
  list(class = class, table = stats::setNames(as.data.frame(items), paste0("V", seq_len(n_items))))
}

summarise <- function(fit, seconds, store, class) {
  found <- match(informative(fit), names(levels(store)))
  data.frame(
    searched = fit$store$search_rows, k = fit$k, seconds,
    error = error_rate(unname(predict(fit, store)), class),
    missed = sum(!1:40 %in% found), false = sum(found > 40), evidence = fit$evidence
  )
}

for (seed in seq_len(sizes[3])) {
  data <- draw(seed)
  store <- row_store(data$table, tempfile("store-"))
  data$table <- NULL
  both <- lapply(list(NULL, n_rows), function(search_rows) {
    seconds <- system.time(
      fit <- stagewise_em(store, 2:6, search_rows = search_rows, verbose = FALSE)
    )[["user.self"]]
    summarise(fit, seconds, store, data$class)
  })
  both <- do.call(rbind, both)
  both$evidence <- (max(both$evidence) - both$evidence) / (n_rows / 1000)
  names(both)[7] <- "behind"
  print(cbind(draw = seed, both), digits = 3, row.names = FALSE)
  unlink(store$path, recursive = TRUE)
}
