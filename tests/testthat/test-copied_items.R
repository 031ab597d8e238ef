# Items that follow a class with the probability `accuracy`, and copies of the first, each changed
# in a share of the rows.
table_with_copies <- function(n_copies, changed = 0.1, n_rows = 500, n_items = 9, accuracy = 0.8,
                              seed = 1) {
  with_seed(seed, {
    class <- sample(2, n_rows, TRUE)
    flip <- function(code, p) ifelse(stats::runif(length(code)) < p, 3 - code, code)
    x <- vapply(seq_len(n_items), function(item) flip(class, 1 - accuracy), numeric(n_rows))
    copies <- vapply(seq_len(n_copies), function(copy) flip(x[, 1], changed), numeric(n_rows))
    colnames(x) <- paste0("item_", seq_len(n_items))
    if (n_copies > 0) colnames(copies) <- paste0("copy_", seq_len(n_copies))
    list(table = as.data.frame(cbind(x, copies)), class = class)
  })
}

without_warning <- function(code) {
  withCallingHandlers(
    suppressMessages(code),
    mdpd_warning_copied_items = function(cnd) tryInvokeRestart("muffleWarning")
  )
}

test_that("copies are found and named where components stand for their answers", {
  x <- table_with_copies(3)
  expect_warning(
    fit <- suppressMessages(stagewise_em(x$table, 1:4)), "item_1, copy_1, copy_2, and copy_3",
    class = "mdpd_warning_copied_items"
  )
  expect_gt(fit$k, 2)
  copied <- copied_items(fit)
  expect_identical(copied$group, rep(1L, 4))
  expect_identical(copied$item, c("item_1", "copy_1", "copy_2", "copy_3"))
  expect_true(all(copied$strength > 0.08 & copied$strength < 1))
})

test_that("copies are found where the components are too few to stand for them", {
  x <- table_with_copies(3)
  fit <- without_warning(stagewise_em(x$table, 2))
  expect_identical(copied_items(fit)$item, c("item_1", "copy_1", "copy_2", "copy_3"))
})

test_that("a single pair, exact copies, and copies without the original are found", {
  pair <- without_warning(stagewise_em(table_with_copies(1)$table, 1:4))
  expect_identical(copied_items(pair)$item, c("item_1", "copy_1"))
  exact <- table_with_copies(2, changed = 0)$table
  expect_warning(fit <- without_warning(stagewise_em(exact, 2)), "repeat another exactly")
  expect_identical(copied_items(fit)$item, c("item_1", "copy_1", "copy_2"))
  expect_true(all(copied_items(fit)$strength > 0.6))
  noisy <- table_with_copies(4, n_rows = 1000)$table[-1]
  fit <- without_warning(stagewise_em(noisy, 2))
  expect_identical(copied_items(fit)$item, paste0("copy_", 1:4))
})

test_that("each of two groups is found", {
  x <- table_with_copies(2)$table
  x$again <- with_seed(2, ifelse(stats::runif(500) < 0.1, 3 - x$item_2, x$item_2))
  x <- x[c(1:9, 12, 10:11)]
  fit <- without_warning(stagewise_em(x, 2))
  expect_identical(
    split(copied_items(fit)$item, copied_items(fit)$group),
    list("1" = c("item_1", "copy_1", "copy_2"), "2" = c("item_2", "again"))
  )
})

test_that("strong items of a good model are no copies, nor are items that a class decides", {
  for (accuracy in c(0.7, 0.9, 0.98)) {
    for (seed in 1:3) {
      x <- table_with_copies(0, accuracy = accuracy, n_rows = 300, seed = seed)$table
      expect_no_warning(fit <- stagewise_em(x, 2))
      expect_identical(copied_items(fit), copies_table(list()))
    }
  }
})

test_that("items that a class too few leaves dependent are no copies", {
  crowd <- simulate_crowd(500, 10, n_labels = 3, accuracy = rep(0.85, 8), seed = 1)
  fit <- stagewise_em(as.data.frame(as.matrix(crowd$labels)), 2)
  expect_gt(max(information(fit)), 0.1)
  expect_identical(nrow(copied_items(fit)), 0L)
})

test_that("exact copies are told of once, and others beside them still", {
  warned <- function(x) {
    found <- character()
    withCallingHandlers(suppressMessages(stagewise_em(x, 2)), warning = function(cnd) {
      found <<- c(found, class(cnd)[1])
      tryInvokeRestart("muffleWarning")
    })
    found
  }
  x <- table_with_copies(2, changed = 0)
  # Under other names of the levels it is the same item.
  x$table$copy_2 <- 3 - x$table$copy_2
  expect_identical(warned(x$table[c(1:9, 10)]), "mdpd_warning_duplicated_items")
  expect_identical(warned(x$table), "mdpd_warning_duplicated_items")
  x$table$nearly <- table_with_copies(1, changed = 0.05)$table$copy_1
  expect_identical(warned(x$table),
                   c("mdpd_warning_duplicated_items", "mdpd_warning_copied_items"))
  expect_identical(warned(x$table[c(1:9, 12)]), "mdpd_warning_copied_items")
})

test_that("a dependent pair is found where chance makes a third item informative", {
  x <- with_seed(7, {
    codes <- matrix(sample.int(3, 500 * 12, replace = TRUE), 500)
    codes[, 2] <- ifelse(stats::runif(500) < 0.5, codes[, 1], codes[, 2])
    as.data.frame(codes)
  })
  expect_warning(fit <- stagewise_em(x, 3), "V1 and V2", class = "mdpd_warning_copied_items")
  expect_length(informative(fit), 3)
})

test_that("three experts among noise are no copies", {
  for (seed in 1:3) {
    crowd <- simulate_crowd(500, 15, accuracy = rep(0.9, 3), seed = seed)
    expect_no_warning(fit <- stagewise_em(crowd$labels, 3))
    expect_length(informative(fit), 3)
  }
})

test_that("nothing is said of one component, nor where all that is informative are copies", {
  x <- table_with_copies(2, n_items = 1)$table
  x$other <- with_seed(3, sample(2, 500, TRUE))
  expect_identical(nrow(copied_items(stagewise_em(x, 1))), 0L)
  # Where none says which items are informative, all are.
  all <- mdpd(table_with_copies(3)$table, 1)
  expect_identical(nrow(copied_items(all)), 0L)
  fit <- stagewise_em(x, 2)
  expect_length(informative(fit), 3)
  expect_identical(nrow(copied_items(fit)), 0L)
})

test_that("the order of rows, items and components has no say, nor have names of levels", {
  x <- table_with_copies(2)$table
  fit <- without_warning(stagewise_em(x, 3))
  copied <- copied_items(fit)
  order <- with_seed(4, sample(500))
  y <- x[order, rev(names(x))]
  y[] <- lapply(y, function(column) c("no", "yes")[column])
  other <- copied_items(without_warning(stagewise_em(y, 3)))
  expect_setequal(other$item, copied$item)
  # Both fits end where a step of EM gains less than `tol`, 1e-8 relative.
  expect_equal(other$strength[match(copied$item, other$item)], copied$strength, tolerance = 1e-3)
})

test_that("a row of weight two counts like two", {
  x <- table_with_copies(2, n_rows = 300)$table
  weights <- rep(1:2, 150)
  weighted <- copied_items(without_warning(stagewise_em(x, 2, weights = weights)))
  repeated <- copied_items(without_warning(stagewise_em(x[rep(1:300, weights), ], 2)))
  expect_identical(weighted$item, repeated$item)
  expect_equal(weighted$strength, repeated$strength, tolerance = 1e-3)  # as above
})

test_that("missing cells are left out", {
  x <- table_with_copies(2, n_rows = 800)$table
  x[with_seed(5, matrix(stats::runif(800 * 11) < 0.2, 800))] <- NA
  fit <- without_warning(stagewise_em(x, 2))
  expect_identical(copied_items(fit)$item, c("item_1", "copy_1", "copy_2"))
})

test_that("workers of a crowd who copy are found, labels given twice or not", {
  crowd <- simulate_crowd(600, 10, accuracy = rep(0.7, 10), missing = 0.4, seed = 1)
  triples <- as.data.frame(crowd$labels)
  copy <- transform(triples[triples$worker == "2", ], worker = "copy")
  copy$label[seq(1, nrow(copy), 10)] <- "1"
  fit <- without_warning(stagewise_em(crowd_labels(rbind(triples, copy)), 3))
  expect_identical(copied_items(fit)$item, c("2", "copy"))
  twice <- crowd_labels(rbind(triples, triples[1:50, ], copy), duplicates = "count")
  fit <- without_warning(stagewise_em(twice, 3))
  expect_identical(copied_items(fit)$item, c("2", "copy"))
})

test_that("the association of two items is that of the table of the rows that answer both", {
  for (n_whole in c(0, 4, 11)) {
    x <- table_with_copies(2, n_rows = 200)$table
    some <- seq_len(ncol(x)) > n_whole
    with_seed(3, x[some] <- lapply(x[some], function(answers) {
      replace(answers, sample(200, 30), NA)
    }))
    fit <- without_warning(stagewise_em(x, 2, weights = rep(c(2, 5), 100)))
    view <- view_answers(fit, fit$coded)
    relative <- relative_information(view)
    entropy <- function(p) -sum(p_log_p(p))
    pairs <- utils::combn(colnames(relative), 2)
    expected <- apply(pairs, 2, function(pair) {
      both <- rowSums(view$codes[, pair] > 0) == 2
      answers <- list(view$codes[both, pair[1]], view$codes[both, pair[2]])
      table <- tapply(view$weights[both], answers, sum, default = 0)
      seen <- table / sum(table)
      of_items <- c(entropy(rowSums(seen)), entropy(colSums(seen)))
      share <- sum(table) / sum(view$weights)
      information <- share * (sum(of_items) - entropy(seen)) - 1 / (2 * sum(view$weights))
      min(1, max(0, information / (share * min(of_items))))
    })
    expect_equal(relative[t(pairs)], expected)
    expect_equal(relative[t(pairs[2:1, ])], expected)
  }
})

test_that("the posterior without some answers is that of others' parameters and the other items", {
  x <- table_with_copies(2, n_rows = 200)$table
  x[3:102, 2] <- NA
  fit <- without_warning(stagewise_em(x, 2))
  view <- view_posterior(view_answers(fit, fit$coded), fit, fit$coded, fit$posterior)
  left <- posterior_without(view, c("item_1", "copy_2"))
  n_rows <- fit$mixing_weights * 200
  for (row in c(1, 3, 200)) {
    own <- fit$posterior[row, ]
    joint <- (n_rows - own) / 199
    for (item in setdiff(names(x)[!is.na(x[row, ])], c("item_1", "copy_2"))) {
      n_item <- n_rows * mean(!is.na(x[[item]]))
      column <- n_item * fit$item_probs[[item]][as.character(x[row, item]), ]
      joint <- joint * (column - own) / (n_item - own)
    }
    # The posterior of the fit is one step of EM from that of its parameters.
    expect_equal(unname(left[row, ]), unname(joint / sum(joint)), tolerance = 1e-4)
  }
})

# The formulas of the help, one row and one pair of levels at a time.
twin_strength <- function(h, x, y, columns_x, columns_y) {
  k <- seq_len(ncol(h))
  divergence <- 0
  open <- c(0, 0)
  entropy <- function(p) -sum(ifelse(p > 0, p * log(p), 0))
  for (component in k) {
    seen <- table(factor(x, seq_len(nrow(columns_x))), factor(y, seq_len(nrow(columns_y)))) * 0
    expected <- seen
    for (n in seq_along(x)) {
      seen[x[n], y[n]] <- seen[x[n], y[n]] + h[n, component]
      for (l in k) {
        expected <- expected +
          h[n, component] * h[n, l] * outer(columns_x[, l], columns_y[, l])
      }
    }
    divergence <- divergence + sum(ifelse(seen > 0, seen * log(seen / expected), 0))
    open <- open + sum(seen) * c(entropy(rowSums(seen) / sum(seen)),
                                 entropy(colSums(seen) / sum(seen)))
  }
  df <- length(k) * (nrow(columns_x) - 1) * (nrow(columns_y) - 1)
  max(0, divergence - df / 2) / min(open)
}

test_that("the strength of a pair is what the help says, less what chance makes of it", {
  h <- with_seed(6, stats::runif(200))
  h <- cbind(h, 1 - h)
  x <- with_seed(7, sample(3, 200, TRUE))
  y <- with_seed(8, ifelse(stats::runif(200) < 0.5, pmin(x, 2), sample(2, 200, TRUE)))
  view <- list(codes = cbind(x = x, y = y), weights = rep(1, 200),
               levels = list(x = letters[1:3], y = letters[1:2]))
  columns <- columns_of(c("x", "y"), h, view)
  strength <- pair_strength(c("x", "y"), h, view, columns, alpha = 1)
  expect_equal(strength, twin_strength(h, x, y, columns$x, columns$y))
  expect_gt(strength, 0.1)
  expect_identical(pair_strength(c("x", "y"), h, view, columns, alpha = 0), 0)
  expect_equal(pair_strength(c("y", "x"), h, view, columns, alpha = 1), strength)
})

test_that("columns that predict best are not beaten by others", {
  h <- with_seed(9, stats::runif(300))
  h <- cbind(h, 1 - h)
  code <- with_seed(10, ifelse(stats::runif(300) < h[, 1], 1L, sample(2L, 300, TRUE)))
  view <- list(codes = cbind(x = code), weights = rep(1, 300), levels = list(x = c("a", "b")))
  loglik <- function(columns) sum(log(rowSums(h * columns[code, ])))
  best <- loglik(best_columns("x", h, view, n_steps = 500))
  search <- stats::optim(c(0.5, 0.5), function(p) loglik(rbind(p, 1 - p)), method = "L-BFGS-B",
                         lower = 1e-6, upper = 1 - 1e-6, control = list(fnscale = -1))
  expect_equal(best, search$value, tolerance = 1e-6)  # both stop near the maximum
})

test_that("of many rows some are looked at, more where cells are missing", {
  some <- rows_to_compare(matrix(as.raw(1), 5000, 3))
  expect_length(some, 1000)
  expect_identical(range(some), c(1L, 5000L))
  expect_true(all(diff(some) %in% 5:6))
  expect_identical(rows_to_compare(matrix(as.raw(1), 30, 3)), 1:30)
  # There is an end to more.
  few <- rbind(matrix(as.raw(1), 2, 6000), matrix(as.raw(0), 8, 6000))
  expect_length(rows_to_compare(t(few)), 5000)
  codes <- matrix(as.raw(c(1, 1, 0, 0)), 5000, 4, byrow = TRUE)
  expect_length(rows_to_compare(codes), 4000)
  expect_identical(rows_to_compare(as_sparse_codes(codes)), rows_to_compare(codes))
  expect_identical(rows_to_compare(matrix(as.raw(c(1, 0, 1, 0, 0, 0)), 2)), 1L)
  expect_length(rows_to_compare(matrix(as.raw(0), 5, 4)), 0)
  # Rows without weight say nothing.
  weights <- replace(rep(0, 5000), c(7, 400, 4999), 1)
  expect_identical(rows_to_compare(matrix(as.raw(1), 5000, 3), weights), c(7L, 400L, 4999L))
})

test_that("a table of which nearly all rows have no weight is looked at by the others", {
  x <- table_with_copies(2)$table
  empty <- x[rep(1, 20 * nrow(x)), ]
  fit <- function(x, ...) stagewise_em(x, 2, ...)
  alone <- without_warning(fit(x))
  among <- without_warning(fit(rbind(empty, x), weights = rep(0:1, c(nrow(empty), nrow(x)))))
  expect_equal(copied_items(among), copied_items(alone))
})

test_that("other data than those of the fit can be asked about", {
  x <- table_with_copies(2)$table
  fit <- without_warning(stagewise_em(x, 2, keep_data = FALSE))
  expect_error(copied_items(fit), class = "mdpd_error_no_data")
  expect_identical(copied_items(fit, x)$item, c("item_1", "copy_1", "copy_2"))
  expect_error(copied_items(1), class = "mdpd_error_argument")
  model <- simulate_crowd(10, 6, seed = 1)$model
  expect_error(copied_items(model), class = "mdpd_error_not_stored")
})

test_that("the warning tells which copies combine_items() takes only recoded", {
  x <- table_with_copies(2)$table
  told <- function(x) {
    cnd <- rlang::catch_cnd(stagewise_em(x, 2), "mdpd_warning_copied_items")
    gsub("\\s+", " ", conditionMessage(cnd))
  }
  expect_no_match(told(x), "Recode")
  reversed <- transform(x, copy_2 = 3 - copy_2)
  expect_match(told(reversed), "Recode first what asks the other way round.*group: copy_2\\.")
  fit <- without_warning(stagewise_em(reversed, 2))
  expect_error(combine_items(reversed, copied_items(fit)), class = "mdpd_error_data")
  expect_named(combine_items(x, copied_items(fit))[1], "item_1+copy_1+copy_2")
  expect_match(told(transform(x, copy_1 = letters[copy_1])), "group: copy_1\\.")
})

test_that("items to recode are those that combine_items() refuses, one by one", {
  x <- with_seed(1, data.frame(a = sample(3, 90, TRUE), alone = sample(3, 90, TRUE)))
  x$same <- replace(x$a, 1:9, NA)
  x$fewer <- pmin(x$a, 2)
  x$reversed <- 3 - pmin(x$a, 2)
  x$other <- x$a + 1
  coded <- suppressWarnings(encode(x), "mdpd_warning_duplicated_items")
  for (item in setdiff(names(x), c("a", "alone"))) {
    refused <- inherits(try(combine_items(x, c("a", item)), silent = TRUE), "try-error")
    expect_identical(length(items_to_recode(c("a", item), coded)) > 0, refused, label = item)
  }
  expect_identical(items_to_recode(c("reversed", "a", "same", "other"), coded),
                   c("reversed", "other"))
})

test_that("the warning names a handful", {
  expect_identical(name_some(c("a", "b")), "a and b")
  expect_identical(name_some(letters[1:6]), "a, b, c, d, e, and f")
  expect_identical(name_some(letters[1:7]), "a, b, c, d, e and 2 more")
  expect_identical(name_some(letters[1:9]), "a, b, c, d, e and 4 more")
  told <- function(...) warn_groups(list(...), call = rlang::call2("stagewise_em"))
  expect_snapshot({
    show_conditions(told(c("a", "b")))
    show_conditions(told(c("a", "b"), letters[3:9], c("x", "y"), c("v", "w")))
  })
  three <- expect_warning(told(c("a", "b"), c("v", "w"), c("x", "y")))
  expect_match(conditionMessage(three), "x and y")
  expect_no_match(conditionMessage(three), "more group")
})

test_that("a scale of many items is not warned of, the same question is", {
  group <- function(n, strength) list(items = letters[seq_len(n)], strength = rep(strength, n))
  expect_length(groups_to_warn_of(list(group(3, 0.5), group(2, 0.1)), 6), 2)
  expect_length(groups_to_warn_of(list(group(3, 0.2)), 6), 0)
  # From a mean strength of a quarter, where they are at most half of all.
  expect_length(groups_to_warn_of(list(group(3, 0.25)), 3), 1)
  expect_length(groups_to_warn_of(list(group(3, 0.25)), 2.5), 0)
  # Most items agree in threes.
  expect_length(groups_to_warn_of(list(group(3, 0.5), group(3, 0.5)), 4.5), 0)
  expect_length(groups_to_warn_of(list(), 2.5), 0)
})

test_that("the strongest group is in no other, and small among few items", {
  group <- function(items, strength) list(items = items, strength = rep(strength, length(items)))
  strongest <- function(n_informative, ...) strongest_group(list(...), n_informative)$items
  two <- c("a", "b")
  three <- c("c", "d", "e")
  expect_identical(strongest(12, group(two, 0.9), group(c(two, "c"), 0.3)), c("a", "b", "c"))
  expect_identical(strongest(60, group(two, 0.5), group(three, 0.55)), three)
  expect_identical(strongest(6, group(two, 0.5), group(three, 0.55)), two)
  expect_identical(strongest(6, group(two, 0.5), group(c("c", "d"), 0.5)), two)
})

test_that("candidates are the branches of a tree, associated and not too many", {
  items <- c("a", "b", "c", "d")
  codes <- matrix(0, 0, 4, dimnames = list(NULL, items))
  view <- list(association = matrix(0.01, 4, 4), codes = codes)
  associate <- function(i, j, by) {
    view$association[i, j] <<- view$association[j, i] <<- by
  }
  associate(1, 2, 0.5)
  associate(1, 3, 0.3)
  associate(2, 3, 0.1)
  nodes <- candidate_groups(view, 3)
  expect_identical(lapply(nodes, function(node) sort(unlist(node))), list(items[1:2], items[1:3]))
  expect_setequal(lapply(nodes[[2]], sort), list("c", c("a", "b")))
  expect_length(candidate_groups(view, 2), 1)
  # On average less than 0.15.
  associate(1, 3, 0.19)
  expect_length(candidate_groups(view, 3), 1)
})

test_that("the table of copies has a row for each item of a group", {
  groups <- list(list(items = c("a", "b"), strength = c(0.5, 0.25)),
                 list(items = c("c", "d", "e"), strength = c(0.1, 0.2, 0.3)))
  expect_identical(copies_table(groups), data.frame(
    group = rep(1:2, 2:3), item = letters[1:5], strength = c(0.5, 0.25, 0.1, 0.2, 0.3)
  ))
  expect_identical(dim(copies_table(list())), c(0L, 3L))
})

test_that("an answer that is impossible in a component hides nothing of it", {
  # Of BIC the second component has no "a" of the first item; what the others say is still known.
  set.seed(8)
  class <- rep(1:2, each = 150)
  x <- as.data.frame(lapply(1:6, function(item) {
    ifelse(runif(300) < c(0.15, 0.85)[class], "b", "a")
  }), col.names = paste0("item_", 1:6))
  fit <- stagewise_em(x, 2, control = stagewise_control(criterion = "bic", smoothing_loss = 0))
  at <- function(p) {
    fit$item_probs$item_1[, 2] <- c(p, 1 - p)
    fit$posterior[] <- posterior_of(fit, fit$coded)$posterior
    view <- view_answers(fit, fit$coded)
    view <- view_posterior(view, fit, fit$coded, fit$posterior)
    posterior_without(view, "item_1")
  }
  expect_equal(at(0), at(1e-45), tolerance = 1e-8)
  expect_equal(at(0), at(1e-12), tolerance = 1e-8)
})

test_that("rows of which none has two answers have no copies", {
  crowd <- simulate_crowd(n_items = 40, n_workers = 6, n_labels = 3, seed = 1)$labels
  fit <- suppressWarnings(mdpd(crowd, 3))
  triples <- as.data.frame(crowd)
  single <- crowd_labels(triples[!duplicated(triples$item), ])
  expect_identical(nrow(copied_items(fit, single)), 0L)
})

# Answers of rows to two items, of which one row has none, and what is known of their classes.
small_view <- function(weights = rep(10, 8)) {
  list(
    codes = cbind(x = c(1, 1, 2, 2, 1, 2, 0, 1), y = c(1, 2, 3, 3, 1, 3, 2, 1),
                  z = c(2, 2, 1, 1, 2, 2, 1, 0)),
    weights = weights, levels = list(x = letters[1:2], y = letters[1:3], z = letters[1:2])
  )
}

small_classes <- function() {
  h <- c(0.9, 0.8, 0.3, 0.2, 0.6, 0.1, 0.5, 0.7)
  cbind(h, 1 - h)
}

test_that("a weight counts as rows do, in the columns and in the strength of a pair", {
  weights <- c(3, 1, 2, 4, 2, 1, 1, 5) * 6
  view <- small_view(weights)
  long <- small_view()
  long$codes <- long$codes[rep(1:8, weights), ]
  long$weights <- rep(1, sum(weights))
  h <- small_classes()
  h_long <- h[rep(1:8, weights), ]
  for (n_steps in c(0, 5)) {
    columns <- columns_of(c("x", "y", "z"), h, view, n_steps)
    expect_equal(columns, columns_of(c("x", "y", "z"), h_long, long, n_steps))
    expect_equal(lapply(columns, dim), list(x = c(2L, 2L), y = c(3L, 2L), z = c(2L, 2L)))
  }
  strength <- pair_strength(c("x", "y"), h, view, columns, alpha = 1)
  expect_gt(strength, 0.1)
  expect_equal(pair_strength(c("x", "y"), h_long, long, columns, alpha = 1), strength)
})

test_that("pairs are all that are asked for, both ways, and none of an item with itself", {
  view <- small_view()
  columns <- columns_of(c("x", "y", "z"), small_classes(), view)
  of_pair <- function(...) pair_strength(c(...), small_classes(), view, columns, alpha = 1)
  expected <- c(of_pair("x", "y"), of_pair("x", "z"), of_pair("y", "z"))
  expect_true(all(expected > 0), anyDuplicated(expected) == 0)
  all <- pairwise(c("x", "y", "z"), small_classes(), view, columns, alpha = 1)
  expect_identical(dimnames(all), list(c("x", "y", "z"), c("x", "y", "z")))
  expect_equal(all[upper.tri(all)], expected)
  expect_identical(all, t(all))
  expect_identical(unname(diag(all)), numeric(3))
  across <- cross_strength(list(c("z", "x"), "y"), small_classes(), view, columns, alpha = 1)
  expect_equal(unname(across), expected[c(3, 1)])
})

test_that("two items have no strength where they share a row at most, or one never varies", {
  one <- matrix(1, 4, 1)
  strength <- function(x, y, weights = rep(1, 4), alpha = 1) {
    view <- list(codes = cbind(x = x, y = y), weights = weights,
                 levels = list(x = c("a", "b"), y = c("a", "b")))
    pair_strength(c("x", "y"), one, view, columns_of(c("x", "y"), one, view), alpha)
  }
  expect_identical(strength(c(1, 2, 0, 0), c(0, 0, 1, 2)), 0)
  expect_identical(strength(c(1, 2, 2, 0), c(0, 0, 1, 2)), 0)
  expect_identical(strength(c(1, 1, 1, 1), c(1, 2, 1, 2)), 0)
  # Independent answers agree less than by chance: not below zero.
  expect_identical(strength(c(1, 1, 2, 2), c(1, 2, 1, 2)), 0)
  # Four answers that are all the same: 4 log 2 less a half, of 4 log 2 that are open.
  same <- c(1, 1, 2, 2)
  expect_equal(strength(same, same), 1 - 0.5 / (4 * log(2)), tolerance = 1e-5)
  expect_equal(strength(same, same, rep(0.3, 4)), 1 - 0.5 / (1.2 * log(2)), tolerance = 1e-5)
  # What chance does with the probability alpha or more is none.
  p_value <- stats::pchisq(8 * log(2), 1, lower.tail = FALSE)
  expect_identical(strength(same, same, alpha = 0.999 * p_value), 0)
  expect_gt(strength(same, same, alpha = 1.001 * p_value), 0)
  # Two rows are enough.
  expect_equal(strength(c(1, 2, 2, 0), c(1, 2, 0, 1)), strength(c(1, 2, 0, 1), c(1, 2, 2, 0)))
  expect_gt(strength(c(1, 2, 2, 0), c(1, 2, 0, 1)), 0)
})

test_that("of an item that a single row answers the columns are its answer", {
  view <- small_view()
  view$codes[-3, "y"] <- 0
  expect_equal(best_columns("y", small_classes(), view, n_steps = 2), rbind(c(0, 0), 0, 1),
               tolerance = 1e-5, ignore_attr = TRUE)
  # A level that is never seen keeps a millionth of an answer, of 70 here.
  view$codes[, "x"] <- pmin(view$codes[, "x"], 1)
  unseen <- best_columns("x", cbind(rep(1, 8)), view, n_steps = 0)[2, ]
  expect_equal(unseen * 70 * 1e6, 1, tolerance = 1e-5)
})

test_that("a row's answer is taken out of the column that was estimated with it", {
  # Of ten rows five answer so, this one of them: four of nine others do.
  expect_equal(log_of_others(matrix(log(0.5)), 10, matrix(1), TRUE), matrix(log(4 / 9)))
  # Without an answer there is nothing to take out.
  expect_equal(log_of_others(matrix(0), 10, matrix(1), FALSE), matrix(0))
  # Of an answer that no other row gives a thousandth is left; a row alone leaves what there was.
  expect_equal(log_of_others(matrix(log(0.5)), 2, matrix(1), TRUE), matrix(log(0.001)))
  expect_equal(log_of_others(matrix(log(0.5)), 1, matrix(1), TRUE), matrix(log(0.5)))
  # Half a row of the nine of one component, and all of the half that the other is of.
  view <- list(codes = cbind(x = 1), levels = list(x = c("a", "b")))
  object <- list(mixing_weights = c(0.9, 0.05), nobs = 10, item_probs = list(x = matrix(0.5, 2, 2)))
  view <- add_posterior(view, object, cbind(0.5, 0.5), list(x = 0.5))
  left <- posterior_without(view, "x")
  expect_equal(drop(left), c(1 - 0.5 / 9, 0.001) / (1 - 0.5 / 9 + 0.001))
  # Half of the rows answer: of the first component 2.25 of 4.5 so, without this one 1.75 of 4.
  expect_equal(drop(exp(view$log_probs$x)), c(1.75 / 4, 0.5))
  far <- list(log_joint = cbind(-2000, -2000 - log(3)), log_probs = list(x = cbind(0, 0)))
  expect_equal(posterior_without(far, "x"), cbind(0.75, 0.25))
  view <- small_view()
  probs <- cbind(c(0.1, 0.7, 0.2), c(0.3, 0.3, 0.4))
  expect_equal(log_of_answers(view, "y", probs), log(probs[view$codes[, "y"], ]))
  expect_equal(log_of_answers(view, "x", probs[1:2, ])[7, ], c(0, 0))
})

test_that("the data given are those of the fit", {
  x <- answers(40)
  fit <- suppressWarnings(mdpd(x, k = 2, weights = rep(1:2, 20), keep_data = FALSE))
  expect_error(copied_items(fit, x[1:10, ]), "`x` must have the 40 rows of the fit, not 10",
               class = "mdpd_error_argument")
  expect_identical(copied_items(fit, x),
                   copied_items(suppressWarnings(mdpd(x, k = 2, weights = rep(1:2, 20)))))
})

test_that("up to a hundred items are looked at, those with the most evidence", {
  fit <- hand_made_fit(n_items = 120, n_informative = 110)
  coded <- coded_from_codes(matrix(1, 3, 120), rep(2, 120))
  items <- colnames(view_answers(fit, coded)$codes)
  expect_identical(items, names(fit$item_probs)[names(fit$item_probs) %in%
                                                  informative_order(fit)[1:100]])
  expect_length(items, 100)
})

test_that("a group has at most ten items and two thirds of those that are informative", {
  largest <- NULL
  local_in_package(list(candidate_groups = function(view, largest) {
    largest <<- largest
    list()
  }))
  of <- function(n) {
    largest <<- NULL
    coded <- coded_from_codes(matrix(1:2, 10, 20))
    find_copies(hand_made_fit(n_items = 20, n_informative = n), coded, NULL)
    largest
  }
  expect_null(of(2))
  expect_equal(c(of(3), of(6), of(15), of(18)), c(2, 4, 10, 10))
})

test_that("what chance may do is shared among all pairs", {
  local_in_package(list(judge_group = function(node, view, alpha) alpha))
  expect_equal(judge_groups(list("a"), list(codes = matrix(1, 2, 6))), list(1e-4 / 15))
})

test_that("a group is held whose branches depend by 0.08 on average, and each pair by half of it", {
  items <- c("a", "b", "c")
  view <- list(codes = matrix(1, 2, 3, dimnames = list(NULL, items)))
  by_means <- 0.08
  pairs <- c(ab = 0.08, ac = 0.08, bc = 0.04)
  is_shared <- FALSE
  steps <- NULL
  local_in_package(list(
    posterior_without = function(...) NULL,
    columns_of = function(items, h, view, n_steps = 30) {
      steps <<- c(steps, n_steps)
      NULL
    },
    cross_strength = function(...) by_means,
    pairwise = function(items, h, view, columns, alpha) {
      force(columns)
      strength <- matrix(0, 3, 3, dimnames = list(items, items))
      strength[upper.tri(strength)] <- pairs
      strength + t(strength)
    },
    is_shared = function(...) is_shared
  ))
  judge <- function() judge_group(list("a", c("c", "b")), view, 1e-4)
  expect_equal(judge(), list(items = items, strength = c(0.08, 0.06, 0.06),
                             node = list("a", c("c", "b"))))
  expect_identical(steps, c(0, 30))
  by_means <- 0.079
  expect_null(judge())
  by_means <- 0.08
  pairs[["ab"]] <- 0.079
  expect_null(judge())
  pairs[["ab"]] <- 0.08
  pairs[["bc"]] <- 0.039
  expect_null(judge())
  pairs[["bc"]] <- 0.9
  expect_identical(judge()$items, items)
  is_shared <- TRUE
  expect_null(judge())
})

test_that("a group is shared with one of the three items nearest to it, if a third as strongly", {
  items <- c("a", "b", "c", "d", "e", "f")
  view <- list(codes = matrix(1, 2, 6, dimnames = list(NULL, items)),
               association = matrix(0, 6, 6, dimnames = list(items, items)))
  view$association[c("a", "b"), ] <- rep(c(0, 0, 0.1, 0.4, 0.3, 0.2), each = 2)
  at_first <- c(c = 0, d = 0, e = 0, f = 0)
  in_the_end <- at_first
  local_in_package(list(
    posterior_without = function(...) NULL,
    columns_of = function(items, h, view, n_steps) n_steps,
    cross_strength = function(node, h, view, columns, alpha) {
      switch(as.character(columns), "0" = at_first, "30" = in_the_end)[[node[[2]]]]
    }
  ))
  shared <- function(item, before, after = before) {
    at_first[[item]] <<- before
    in_the_end[[item]] <<- after
    on.exit(at_first[[item]] <<- in_the_end[[item]] <<- 0)
    is_shared(c("a", "b"), 0.6, view, 1e-4)
  }
  for (item in c("d", "e", "f")) {
    expect_true(shared(item, 0.201))
    expect_false(shared(item, 0.199))
    expect_false(shared(item, 0.9, 0.199))
  }
  expect_false(shared("c", 0.9))
  # The only other one.
  view$codes <- view$codes[, 1:3]
  expect_true(shared("c", 0.201))
})

test_that("probabilities below 1e-10 are lifted to it", {
  lifted <- lift_probabilities(list(item_probs = list(a = cbind(c(0, 5e-11, 5e-10, 1)))))
  expect_identical(lifted$item_probs$a, cbind(c(1e-10, 1e-10, 5e-10, 1)))
})

test_that("columns are those of thirty steps, and copies in a crowd were not told of before", {
  view <- small_view()
  expect_identical(columns_of(c("x", "y"), small_classes(), view),
                   columns_of(c("x", "y"), small_classes(), view, n_steps = 30))
  expect_false(identical(columns_of("y", small_classes(), view, n_steps = 30),
                         columns_of("y", small_classes(), view, n_steps = 31)))
  expect_false(are_told_of(c("a", "b"), list(labels = "no"), NULL))
})

test_that("of a crowd copies are told of also where they are most of the informative workers", {
  set <- with_seed(3, {
    truth <- sample(3, 500, TRUE)
    says <- function(right, items) {
      ifelse(stats::runif(length(items)) < right, truth[items], sample(3, length(items), TRUE))
    }
    honest <- lapply(1:10, function(worker) {
      items <- sort(sample(500, 200))
      data.frame(item = items, worker = paste0("h", worker), label = says(0.6, items))
    })
    bot <- says(0.15, 1:500)
    bots <- lapply(1:6, function(worker) {
      items <- sort(sample(500, 300))
      own <- stats::runif(300) < 0.05
      data.frame(item = items, worker = paste0("bot", worker),
                 label = ifelse(own, sample(3, 300, TRUE), bot[items]))
    })
    do.call(rbind, c(honest, bots))
  })
  expect_warning(fit <- suppressMessages(stagewise_em(crowd_labels(set), k = 3)), "bot1.*bot6",
                 class = "mdpd_warning_copied_items")
  expect_setequal(copied_items(fit)$item, paste0("bot", 1:6))
})
