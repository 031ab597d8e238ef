# The cases of bench/calibration.R. A case draws its data: `x`, which is fitted, and `new`, rows
# that are not (NULL of real crowds), the number of classes `k`, the `truth`, named by row, and the
# names of the `informative` items (NULL where that is not known).
#
# Half the rows drawn are for the fit: 1000 of a table, where nothing else is said.

real_group <- "real crowds"

new_calibration_case <- function(name, group, draw) list(name = name, group = group, draw = draw)

# From data of regimes_data.R, half of them new.
halves <- function(data) {
  rows <- sprintf("%05d", seq_len(nrow(data$x)))
  rownames(data$x) <- rows
  old <- seq_along(rows) <= length(rows) / 2
  list(x = data$x[old, ], new = data$x[!old, ], k = data$k, informative = data$informative,
       truth = stats::setNames(data$truth, rows), is_crowd = FALSE)
}

crowd_halves <- function(data) {
  triples <- as.data.frame(data$x)
  all <- data$x$items
  truth <- if (is.null(names(data$truth))) stats::setNames(data$truth, all) else data$truth
  part <- function(items) crowd_labels(droplevels(triples[triples$item %in% items, ]))
  old <- seq_along(all) <= length(all) / 2
  list(x = part(all[old]), new = part(all[!old]), k = data$k, truth = truth,
       informative = data$informative, is_crowd = TRUE)
}

table_case <- function(name, group, draw) {
  new_calibration_case(name, group, function(seed) halves(draw()))
}

# A point of the grid of bench/regimes.R, 3 classes of 3 levels.
calibrated_case <- function(n_items, share, strength, group) {
  table_case(
    paste0(n_items, " items, ", 100 * share, " % informative, ", strength), group,
    function() {
      draw_calibrated(2000, n_items, round(share * n_items), 3, rep(1 / 3, 3),
                      strengths[[strength]])
    }
  )
}

# All items differ, many by less than these rows can tell: of them nothing is judged.
few_rows_case <- function(group) {
  table_case("150 rows x 100 items", group, function() {
    data <- draw_mixed(300, 100, n_levels = 3, k = 3, share = 0.4)
    data["informative"] <- list(NULL)
    data
  })
}

# Adds items that agree with one of the first `n_copied` ones on a share of the rows; on the others
# they have the level of another row.
with_copies <- function(data, n_copied, copies, alike) {
  of <- rep(seq_len(n_copied), copies)
  copied <- apply(data$x[, of, drop = FALSE], 2, function(codes) {
    ifelse(stats::runif(length(codes)) < alike, codes, sample(codes))
  })
  colnames(copied) <- paste0("copy", seq_along(of))
  data$x <- cbind(data$x, copied)
  data$informative <- c(data$informative, colnames(copied))
  data
}

copies_case <- function(name, n_copied, copies, alike) {
  table_case(paste0("75 items, 8 informative, ", name), "tables with copied items", function() {
    data <- draw_calibrated(2000, 75, 8, 3, rep(1 / 3, 3), strengths[["medium"]])
    with_copies(data, n_copied, copies, alike)
  })
}

# Twice the items of bench/regimes.R.
experts_case <- function(n_experts) {
  new_calibration_case(paste(n_experts, "experts of 100 workers"), "crowds", function(seed) {
    crowd <- simulate_crowd(n_items = 2000, n_workers = 100, n_labels = 3,
                            accuracy = rep(0.6, n_experts), seed = seed)
    crowd_halves(list(x = crowd$labels, k = crowd$k, truth = crowd$truth,
                      informative = crowd$model$informative))
  })
}

weak_crowd_case <- function(labels_per_item) {
  name <- paste0("weak crowd, ", labels_per_item, " labels an item (3000 x 50)")
  new_calibration_case(name, "crowds", function(seed) {
    crowd_halves(draw_weak_crowd(6000, 50, labels_per_item))
  })
}

real_case <- function(name) {
  new_calibration_case(name, real_group, function(seed) {
    crowd <- read_real(name)
    list(x = crowd$labels, k = length(crowd$labels$labels), truth = crowd$truth, is_crowd = TRUE)
  })
}

calibration_cases <- function() {
  sparse <- "sparse tables"
  dense <- "dense tables"
  all_real <- c("bluebird", "dog", "rte", "music", "face", "sentiment", "entities", "mozafari")
  c(
    list(
      calibrated_case(75, 0.1, "weak", sparse), calibrated_case(75, 0.1, "medium", sparse),
      calibrated_case(75, 0.1, "strong", sparse), calibrated_case(500, 0.1, "medium", sparse),
      table_case("200 x 1000 binary, 20 items of .25/.75", sparse,
                 function() draw_binary(400, 1000, 20, c(0.25, 0.75))),
      calibrated_case(20, 1, "weak", dense), calibrated_case(75, 1, "weak", dense),
      calibrated_case(75, 1, "medium", dense),
      table_case("survey: 75 items, 5 levels, 5 classes", dense,
                 function() draw_mixed(2000, 75, n_levels = 5, k = 5, share = 0.35)),
      few_rows_case(dense),
      table_case("400 x 60 binary, 30 items of .4/.6", dense,
                 function() draw_binary(800, 60, 30, c(0.4, 0.6))),
      copies_case("3 of them twice", 3, 1, alike = 1),
      copies_case("3 of them four times", 3, 3, alike = 1),
      copies_case("3 of them four times, 80 % alike", 3, 3, alike = 0.8)
    ),
    lapply(c(5, 10, 20), experts_case), lapply(c(5, 10), weak_crowd_case),
    lapply(real_crowd_names(all_real), real_case)
  )
}
