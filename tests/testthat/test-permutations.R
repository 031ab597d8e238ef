test_that("permuting rows permutes the posterior and changes nothing else", {
  x <- with_gaps(answers())
  rows <- order(seq_len(nrow(x)) * 61 %% 299)
  for (name in names(fit_variants)) {
    fit <- fit_variant(x, 2, name)
    expect_same_model(fit_variant(x[rows, ], 2, name), fit, rows)
    expect_same_model(fit_variant(as.matrix(x)[rows, ], 2, name), fit, rows)
  }
})

test_that("permuting items permutes their results and changes nothing else", {
  x <- with_gaps(answers())
  items <- c(6, 3, 8, 1, 5, 7, 2, 4)
  for (name in names(fit_variants)) {
    fit <- fit_variant(x, 2, name)
    permuted <- fit_variant(x[items], 2, name)
    expect_identical(names(permuted$item_probs), names(x)[items])
    expect_same_model(permuted, fit)
    expect_same_model(fit_variant(as.matrix(x)[, items], 2, name), fit)
  }
})

test_that("other names of levels, in another order, change nothing but the names", {
  x <- with_gaps(answers())
  # The last level comes first and is called "z", the one before it "y", ...
  new_names <- rev(letters)
  renamed <- as.data.frame(lapply(x, function(column) {
    factor(column, rev(levels(column)), new_names[seq_along(levels(column))])
  }))
  rename_probs <- function(probs, order) {
    probs <- probs[rev(seq_len(nrow(probs))), ]
    rownames(probs) <- new_names[seq_len(nrow(probs))]
    probs[order(rownames(probs), decreasing = order == "factor"), ]
  }
  for (name in setdiff(names(fit_variants), "level")) {
    fit <- fit_variant(x, 2, name)
    item_probs <- fit$item_probs
    fit$item_probs <- lapply(item_probs, rename_probs, "factor")
    expect_same_model(fit_variant(renamed, 2, name), fit)
    fit$item_probs <- lapply(item_probs, rename_probs, "strings")
    expect_same_model(fit_variant(as.matrix(renamed), 2, name), fit)
  }
})

test_that("permuting the triples of a crowd changes nothing at all", {
  triples <- as.data.frame(small_crowd(missing = 0.4)$labels)
  rows <- order(seq_len(nrow(triples)) * 61 %% 997)
  fit <- stagewise_em(crowd_labels(triples), k = 3)
  permuted <- stagewise_em(crowd_labels(triples[rows, ]), k = 3)
  expect_identical(without(permuted, "call"), without(fit, "call"))
})

test_that("other ids of items, workers and labels permute a crowd's fit, nothing else", {
  crowd <- small_crowd(missing = 0.4)$labels
  ids <- list(items = order(seq_len(300) * 61 %% 299), workers = order(1:15 * 4 %% 15),
              labels = c("no", "maybe", "absent"))
  renamed <- crowd_labels(data.frame(
    item = ids$items[crowd$item], worker = paste0("w", ids$workers)[crowd$worker],
    label = ids$labels[crowd$label]
  ))
  for (name in setdiff(names(fit_variants), "level")) {
    fit <- fit_variant(crowd, 3, name)
    permuted <- fit_variant(renamed, 3, name)
    # Back to the first names.
    components <- ids$labels[as.integer(names(fit$mixing_weights))]
    expect_identical(names(permuted$mixing_weights), components)
    names(permuted$mixing_weights) <- names(fit$mixing_weights)
    workers <- match(names(permuted$item_probs), paste0("w", ids$workers))
    for (field in c("item_probs", "item_information", "item_evidence")) {
      names(permuted[[field]]) <- workers
    }
    permuted$informative <- as.character(match(permuted$informative, paste0("w", ids$workers)))
    permuted$item_probs <- lapply(permuted$item_probs, function(probs) {
      probs <- probs[ids$labels, components]
      dimnames(probs) <- list(crowd$labels, names(fit$mixing_weights))
      probs
    })
    expect_same_model(permuted, fit, rows = order(ids$items))
  }
})
