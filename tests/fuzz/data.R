# Tables, crowds and spikes that the functions are made for, small and of all types.

# Rows of two or three classes; `n_obs` rows, items of all types a column may have.
some_table <- function(n_obs = whole(6, 40), n_items = whole(2, 6), as = NULL) {
  class <- sample.int(3, n_obs, replace = TRUE)
  columns <- lapply(seq_len(n_items), function(item) {
    n_levels <- whole(2, 4)
    told <- with_chance(0.7) && stats::runif(1) < 0.9
    code <- if (told) (class + item) %% n_levels else sample.int(n_levels, n_obs, TRUE) - 1
    noise <- stats::runif(n_obs) < 0.15
    code[noise] <- sample.int(n_levels, sum(noise), TRUE) - 1
    if (with_chance(0.15)) code[stats::runif(n_obs) < 0.2] <- NA
    code
  })
  names(columns) <- paste0("item", seq_len(n_items))
  kinds <- c("frame", "frame", "factors", "text", "matrix", "strings", "tibble", "logical", "mixed")
  as <- as %||% pick(kinds)
  shape_table(columns, as)
}

shape_table <- function(columns, as) {
  text <- function(code) ifelse(is.na(code), NA, letters[code + 1])
  switch(
    as,
    frame = as.data.frame(columns),
    factors = as.data.frame(lapply(columns, function(code) factor(text(code)))),
    text = as.data.frame(lapply(columns, text)),
    matrix = do.call(cbind, columns),
    strings = do.call(cbind, lapply(columns, text)),
    tibble = structure(lapply(columns, as.integer), class = c("tbl_df", "tbl", "data.frame"),
                       row.names = seq_along(columns[[1]])),
    logical = as.data.frame(lapply(columns, function(code) code > 0)),
    mixed = structure(replace(columns, 1, list(strange_column(columns[[1]]))),
                      class = "data.frame", row.names = seq_along(columns[[1]]))
  )
}

# Codes in a form that a column may have, whether or not it can be an item.
strange_column <- function(code) {
  text <- as.character(code)
  one_of(
    as.Date("2020-01-01") + code, .POSIXct(1000 * code), as.difftime(code, units = "hours"),
    labelled_numbers(code), factor(code, 9:0), ordered(code), code + 0i, I(as.list(code)), code / 3,
    code + 1e9, -code, code * 1e-300, paste0(" ", text), paste0(text, ".0"), code + NA,
    rep("x", length(code)), structure(code, class = "odd"), cbind(code), cbind(code, code),
    seq_along(code), replace(text, code %in% 1, ""), replace(text, code %in% 1, "NA"),
    replace(code, code %in% 1, NaN), replace(code, code %in% 1, Inf), utils::as.roman(code),
    stats::ts(code)
  )
}

some_triples <- function(n_items = whole(4, 25), n_workers = whole(2, 7), repeats = TRUE) {
  truth <- sample.int(3, n_items, TRUE)
  triples <- expand.grid(item = seq_len(n_items), worker = paste0("w", seq_len(n_workers)))
  right <- stats::runif(nrow(triples)) < 0.7
  triples$label <- c("cat", "dog", "owl")[ifelse(right, truth[triples$item],
                                                 sample.int(3, nrow(triples), TRUE))]
  kept <- sample.int(nrow(triples), max(2, ceiling(nrow(triples) * pick(c(1, 0.8, 0.3)))))
  triples <- triples[c(kept, if (repeats && with_chance(0.3)) kept[1:2]), ]
  if (with_chance(0.3)) triples$worker <- as.character(triples$worker)
  triples
}

some_crowd <- function() {
  columns <- as.list(some_triples(repeats = with_chance(0.2)))
  suppressMessages(mdpd::crowd_labels(as.data.frame(columns)))
}

some_data <- function() if (with_chance(0.65)) some_table() else some_crowd()

n_rows <- function(x) if (is.null(dim(x))) 10L else dim(x)[1]

# NULL, ordinary weights, or weights at the ends of what doubles hold.
some_weights <- function(n_obs) {
  one_of(
    NULL, NULL, NULL, stats::runif(n_obs, 0.2, 3), stats::rpois(n_obs, 1.5), rep(2L, n_obs),
    replace(rep(1, n_obs), 1, 0), replace(rep(1, n_obs), 1, 1e-300), rep(1e-300, n_obs),
    rep(1e300, n_obs), replace(rep(1, n_obs), 1, 1e300), rep(0, n_obs), rep(1 / n_obs, n_obs),
    10^stats::runif(n_obs, -20, 20), rep(1e-8, n_obs), replace(rep(1, n_obs), 1, -1)
  )
}

some_seed <- function() one_of(1, 2L, 17, NULL, -5, 123456789)

some_spikes <- function() {
  n <- whole(1, 60)
  as_table <- data.frame(trial = sample.int(6, n, TRUE), neuron = pick(c("a", "b", "c"), n),
                         time = stats::runif(n, -0.2, 1))
  as_list <- lapply(seq_len(whole(1, 5)), function(trial) {
    list(a = sort(stats::runif(3)), b = numeric(), c = if (with_chance(0.7)) stats::runif(2))
  })
  one_of(as_table, as_list, lapply(1:3, function(neuron) stats::runif(5, 0, 2)))
}

# A file of triples, in one of many forms; the last are damaged.
some_file <- function() {
  path <- tempfile(fileext = one_of(".csv", ".txt", ".csv.gz"))
  triples <- some_triples()
  sep <- one_of(",", "\t", ";", " ")
  con <- if (grepl("gz$", path)) gzfile(path, "wb") else file(path, "wb")
  utils::write.table(triples, con, sep = sep, row.names = FALSE, quote = with_chance(0.5),
                     col.names = with_chance(0.7))
  close(con)
  if (with_chance(0.6)) damage_file(path)
  path
}

# Cut short, with bytes changed, put in or repeated.
damage_file <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  n <- length(bytes)
  at <- whole(1, n)
  bytes <- one_of(
    bytes[seq_len(at)], bytes[-seq_len(at)], replace(bytes, at, as.raw(whole(0, 255))),
    append(bytes, as.raw(pick(0:255, 3)), at), rep(bytes[seq_len(at)], 2), raw(0),
    append(bytes, charToRaw("\""), at), append(bytes, charToRaw("\n\n,,,\n"), at),
    append(bytes, as.raw(c(0xff, 0xfe, 0x00)), 0), append(bytes, as.raw(0), at)
  )
  writeBin(bytes, path)
}
