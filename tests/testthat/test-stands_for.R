# A crowd of labels "no" and "yes" with hard items of "yes", which workers mistake in four of ten
# answers; they are right in 19 of 20 others.
crowd_of_kinds <- function(n_items = 300, n_workers = 20, seed = 1) {
  with_seed(seed, {
    truth <- sample(c("no", "yes"), n_items, replace = TRUE)
    is_hard <- truth == "yes" & stats::runif(n_items) < 0.3
    cells <- expand.grid(item = seq_len(n_items), worker = seq_len(n_workers))
    cells <- cells[stats::runif(nrow(cells)) < 0.7, ]
    is_right <- stats::runif(nrow(cells)) < ifelse(is_hard[cells$item], 0.6, 0.95)
  })
  other <- c(no = "yes", yes = "no")
  cells$label <- ifelse(is_right, truth[cells$item], other[truth[cells$item]])
  list(labels = crowd_labels(cells), truth = stats::setNames(truth, seq_len(n_items)))
}

# Two kinds of the first of three labels, and hardly an item of the third.
crowd_with_rare_label <- function(n_items = 300, seed = 1) {
  labels <- c("a", "b", "rare")
  with_seed(seed, {
    truth <- labels[c(sample(1:2, n_items - 2, replace = TRUE), 3, 3)]
    is_hard <- truth == "a" & stats::runif(n_items) < 0.4
    cells <- expand.grid(item = seq_len(n_items), worker = 1:15)
    u <- stats::runif(nrow(cells))
    any <- sample(labels, nrow(cells), replace = TRUE)
  })
  own <- truth[cells$item]
  cells$label <- ifelse(u < 0.05, any, ifelse(is_hard[cells$item] & u < 0.45, "b", own))
  list(labels = crowd_labels(cells), truth = stats::setNames(truth, seq_len(n_items)))
}

test_that("kinds of the items of a label are its name with a number, and the fit says whose", {
  crowd <- crowd_of_kinds()
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_setequal(names(fit$mixing_weights), c("no", "yes.1", "yes.2"))
  expect_identical(fit$stands_for[c("no", "yes.1", "yes.2")],
                   c(no = "no", yes.1 = "yes", yes.2 = "yes"))
  expect_named(fit$stands_for, names(fit$mixing_weights))
  # The larger kind comes first.
  expect_gt(fit$mixing_weights[["yes.1"]], fit$mixing_weights[["yes.2"]])
  expect_gt(fit$label_agreement, 0.8)
  expect_null(stagewise_em(crowd$labels, k = 2)$stands_for)
})

test_that("a fit of a store expects errors of labels, not of their kinds", {
  crowd <- crowd_of_kinds()$labels
  in_memory <- stagewise_em(crowd, k = 3)
  store <- new_store(as.data.frame(crowd), item = "item", worker = "worker", label = "label")
  # Few rows are between the label of one component and that of two others.
  fit <- stagewise_em(store, k = 3)
  expect_equal(expected_error(fit), expected_error(in_memory), tolerance = 0.05)
  # Its rows are given labels, too.
  prob <- predict(fit, store, type = "prob")
  expect_identical(colnames(prob), c("no", "yes"))
  expect_identical(as.character(predict(fit, store)), unname(c("no", "yes")[max.col(prob)]))
  expect_setequal(levels(predict(fit, store, type = "component")), names(fit$mixing_weights))
})

test_that("the names of kinds are unique, whatever the labels are called", {
  expect_identical(number_kinds(c("a", "b", "a")), c("a.1", "b", "a.2"))
  expect_identical(number_kinds(c("a", "a.1", "a")), c("a.1", "a.1_1", "a.2"))
  expect_identical(number_kinds(c("b", "a")), c("b", "a"))
})

test_that("components are called by known rows, else by prior counts, else by their labels", {
  names_of <- function(known, prior, labels = 2:1) {
    component_names(list(holds_known = known, labels = labels),
                    list(labels = c("a", "b"), prior = prior), 1:2)
  }
  expect_identical(names_of(TRUE, c(1, 2)), c("b", "a"))
  expect_identical(names_of(FALSE, c(1, 2)), c("a", "b"))
  expect_identical(names_of(FALSE, c(1, 1)), c("b", "a"))
  expect_identical(names_of(FALSE, c(1, 1), c(2L, 2L)), c("b.1", "b.2"))
  expect_identical(names_of(FALSE, c(1, 1), integer()), c("1", "2"))
})

test_that("components called by numbers stand for labels where some worker is informative", {
  by_labels <- function(names, informative = "w", k = 2) {
    named_by_labels(list(k = k, labels = c("1", "2"), informative = informative,
                         mixing_weights = stats::setNames(rep(1, k), names)))
  }
  expect_true(by_labels(c("2", "1")))
  expect_false(by_labels(c("1", "3")))
  expect_false(by_labels(c("1", "2"), informative = character()))
  expect_false(by_labels(c("1", "2", "2"), k = 3))
})

test_that("rows are given labels, the sums over the components of each", {
  crowd <- crowd_of_kinds()
  fit <- stagewise_em(crowd$labels, k = 3)
  prob <- predict(fit, type = "prob")
  expect_identical(colnames(prob), c("no", "yes"))
  expect_equal(prob[, "yes"], rowSums(fit$posterior[, c("yes.1", "yes.2")]), tolerance = 1e-12)
  expect_identical(levels(predict(fit)), c("no", "yes"))
  expect_identical(as.character(predict(fit)), c("no", "yes")[max.col(prob)])
  expect_identical(as.character(predict(fit, type = "component")),
                   colnames(fit$posterior)[max.col(fit$posterior, "first")])
  expect_setequal(levels(predict(fit, type = "component")), names(fit$mixing_weights))
  # New rows likewise.
  expect_equal(predict(fit, crowd$labels, type = "prob"), prob, tolerance = 1e-6)
  expect_identical(predict(fit, crowd$labels, type = "component"), predict(fit, type = "component"))
  expect_identical(error_rate(fit, crowd$truth), error_rate(predict(fit), crowd$truth))
  expect_identical(as.character(augment(fit)$.class), as.character(predict(fit)))
  expect_equal(augment(fit)$.probability, unname(apply(prob, 1, max)))
  expect_equal(summary(fit)$expected_error, mean(1 - apply(prob, 1, max)))
  expect_identical(as.character(tidy(fit, "mixing_weights", se = FALSE)$class),
                   names(fit$mixing_weights))
})

test_that("kinds find the labels that one component a label misses", {
  crowd <- crowd_of_kinds(seed = 2)
  expect_lt(error_rate(stagewise_em(crowd$labels, k = 3), crowd$truth), 0.01)
  expect_lte(error_rate(stagewise_em(crowd$labels, k = 3), crowd$truth),
             error_rate(stagewise_em(crowd$labels, k = 2), crowd$truth))
  expect_lt(error_rate(stagewise_em(crowd$labels, k = 3), crowd$truth),
            error_rate(majority_vote(crowd$labels), crowd$truth))
})

test_that("what is said of workers and items is of labels", {
  crowd <- crowd_of_kinds()
  fit <- stagewise_em(crowd$labels, k = 3)
  prob <- predict(fit, type = "prob")
  expect_message(workers <- worker_quality(fit), NA)
  given <- as.matrix(crowd$labels)
  one <- given[, "7"]
  seen <- !is.na(one)
  expect_equal(workers$accuracy[workers$worker == "7"],
               mean(prob[cbind(which(seen), match(one[seen], c("no", "yes")))]), tolerance = 1e-12)
  counts <- confusion(fit, "7", type = "count")
  expect_identical(dimnames(counts), list(class = c("no", "yes"), label = c("no", "yes")))
  expect_equal(counts["yes", "no"], sum(prob[which(one == "no"), "yes"]), tolerance = 1e-12)
  items <- item_quality(fit)
  expect_identical(items$label, unname(predict(fit)))
  expect_equal(items$probability, unname(apply(prob, 1, max)))
  entropy <- -rowSums(ifelse(prob > 0, prob * log(prob), 0))
  expect_equal(items$entropy, unname(entropy), tolerance = 1e-9)
  # A vote tells no more of a label than there is to know.
  expect_true(all(items$gain <= items$entropy + 1e-9))
  for (type in c("workers", "confusion", "posterior", "profiles")) {
    expect_s3_class(plot(fit, type = type), "ggplot")
  }
  expect_output(print(fit), "yes.2", fixed = TRUE)
  expect_output(print(summary(fit)), "yes.2", fixed = TRUE)
})

test_that("a refinement goes on with the labels of the components", {
  crowd <- crowd_of_kinds()
  fit <- stagewise_em(crowd$labels, k = 3)
  again <- refine(fit)
  expect_identical(again$stands_for[names(fit$stands_for)], fit$stands_for)
  # Its prior is begun anew, so that single rows on the edge may change.
  expect_gt(mean(predict(again) == predict(fit)), 0.99)
  # As what a test of fit makes of a sample.
  expect_identical(refit_from(fit, fit$coded)$labels, match(fit$stands_for, c("no", "yes")))
})

test_that("a component that moves keeps its label", {
  fit <- stagewise_em(crowd_of_kinds()$labels, k = 3)
  turned <- permute_components(fit, 3:1, names(fit$mixing_weights)[3:1])
  expect_identical(turned$stands_for, fit$stands_for[3:1])
  expect_identical(predict(turned), predict(fit))
})

test_that("of a path the evidence chooses the kinds where they are sure of their labels", {
  crowd <- crowd_of_kinds()
  expect_message(fit <- stagewise_em(crowd$labels, k = 2:4), NA)
  expect_identical(fit$k, 3L)
  expect_gt(fit$path$probability[2], 0.9)
  expect_identical(is.na(fit$path$label_agreement), c(TRUE, FALSE, FALSE))
  expect_identical(choose_k(fit, 3)$posterior, stagewise_em(crowd$labels, k = 3)$posterior)
  # Without kinds one component a label is enough.
  simple <- simulate_crowd(n_items = 300, n_workers = 20, n_labels = 2, accuracy = rep(0.8, 8),
                           seed = 1)
  path <- suppressMessages(stagewise_em(simple$labels, k = 2:4))
  expect_identical(path$k, 2L)
  expect_identical(names(path$mixing_weights)[order(names(path$mixing_weights))], c("1", "2"))
})

test_that("kinds that are not sure of their labels are told, and not chosen", {
  path <- data.frame(k = 2:4, components = 2:4, evidence = c(-50, -40, -45), status = "converged",
                     label_agreement = c(NA, 0.5, 0.9))
  expect_identical(best_row(path, "evidence"), 3L)
  expect_message(inform_unsure_labels(path), class = "mdpd_message_unsure_labels")
  expect_message(inform_unsure_labels(path[c(1, 3), ]), NA)
  expect_identical(has_sure_labels(data.frame(label_agreement = c(0.8, 0.79, NA))),
                   c(TRUE, FALSE, TRUE))
  expect_identical(has_sure_labels(data.frame(k = 1:2)), c(TRUE, TRUE))
  # If none is sure there is nothing else to choose.
  expect_identical(best_row(path[2, ], "evidence"), 1L)
  expect_message(inform_unsure_labels(path[2, ]), NA)
})

test_that("a kind of a common label is not given the name of a rare one", {
  crowd <- crowd_with_rare_label()
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_identical(sort(unname(fit$stands_for)), c("a", "a", "b"))
  expect_setequal(names(fit$mixing_weights), c("a.1", "a.2", "b"))
  expect_lt(error_rate(fit, crowd$truth), 0.02)
  expect_identical(levels(predict(fit)), c("a", "b", "rare"))
  expect_true(all(predict(fit, type = "prob")[, "rare"] == 0))
  expect_message(quality <- worker_quality(fit), NA)
  expect_gt(min(quality$accuracy), 0.7)
  expect_true(all(is.na(confusion(fit, "1")["rare", ])))
  expect_equal(sum(item_quality(fit)$label == "rare"), 0)
})

test_that("the labels of components do not depend on the order of rows and workers, or on names", {
  crowd <- crowd_of_kinds()
  fit <- stagewise_em(crowd$labels, k = 3)
  triples <- as.data.frame(crowd$labels)
  turned <- stagewise_em(crowd_labels(triples[rev(seq_len(nrow(triples))), ]), k = 3)
  expect_equal(predict(turned, type = "prob")[rownames(fit$posterior), ],
               predict(fit, type = "prob"), tolerance = 1e-6)
  triples$label <- c(no = "z", yes = "a")[as.character(triples$label)]
  renamed <- stagewise_em(crowd_labels(triples), k = 3)
  expect_setequal(names(renamed$mixing_weights), c("z", "a.1", "a.2"))
})

test_that("by BIC more components than labels have numbers", {
  by_bic <- stagewise_control(criterion = "bic")
  fit <- stagewise_em(crowd_of_kinds()$labels, k = 3, control = by_bic)
  expect_named(fit$mixing_weights, as.character(seq_len(fit$k)))
  expect_null(fit$stands_for)
})

test_that("without refinement more components than labels are those of the stages", {
  fit <- stagewise_em(crowd_of_kinds()$labels, k = 3, refine = "none")
  expect_identical(unique(fit$trace$phase), "stage")
  expect_null(fit$evidence)
})
