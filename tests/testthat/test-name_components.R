# Every part of an object that has the components as names or column names, as a list named by where
# it is.
component_parts <- function(x, components, at = "fit") {
  found <- list()
  names <- if (is.matrix(x)) colnames(x) else names(x)
  if (is.atomic(x) && setequal(names, components)) found[[at]] <- x
  if (is.list(x) && !is.data.frame(x)) {
    inner <- if (is.null(names(x))) seq_along(x) else names(x)
    for (i in seq_along(x)) {
      found <- c(found, component_parts(x[[i]], components, paste(at, inner[i])))
    }
  }
  found
}

# The same parts in another order and under other names.
permuted_part <- function(part, components, order, names) {
  if (is.matrix(part) && identical(rownames(part), colnames(part))) {
    `dimnames<-`(part[components[order], components[order], drop = FALSE], list(names, names))
  } else if (is.matrix(part)) {
    `colnames<-`(part[, components[order], drop = FALSE], names)
  } else {
    stats::setNames(part[components[order]], names)
  }
}

expect_all_permuted <- function(new, old, order, names) {
  components <- names(old$mixing_weights)
  expected <- component_parts(unclass(old), components)
  parts <- component_parts(unclass(new), names)
  where <- if (is.null(old$stands_for) && !is.null(new$stands_for)) "fit stands_for"
  expect_setequal(names(parts), c(names(expected), where))
  for (at in names(expected)) {
    expect_identical(parts[[at]], permuted_part(expected[[at]], components, order, names),
                     label = at)
  }
}

people <- c("Careful", "Hasty", "Other")
named_fit <- function(...) name_components(stagewise_em(answers(k = 3), k = 3, ...), people)

# All fields ---------------------------------------------------------------------------------------

test_that("every field with components gets the names and the order", {
  labels <- small_crowd()$labels
  letters_crowd <- labels
  letters_crowd$labels <- c("a", "b", "c")
  fits <- list(
    stagewise_em(answers(k = 3), k = 3),
    stagewise_em(answers(k = 3), k = 3, method = "paper"),
    mdpd(answers(k = 3), k = 3), stagewise_em(letters_crowd, k = 3), mdpd(letters_crowd, k = 3),
    hand_made_fit(k = 3), answers_model(k = 3)
  )
  for (fit in fits) {
    parts <- component_parts(unclass(fit), names(fit$mixing_weights))
    expect_true("fit mixing_weights" %in% names(parts))
    expect_gt(sum(startsWith(names(parts), "fit item_probs")), 5)
    named <- name_components(fit, people)
    expect_all_permuted(named, fit, 1:3, people)
    order <- c(3, 1, 2)
    moved <- reorder_components(named, order)
    expect_all_permuted(moved, fit, order, people[order])
    # The way back, and nothing else has changed.
    back <- name_components(reorder_components(moved, people), names(fit$mixing_weights))
    expect_identical(back, fit)
  }
})

test_that("the fields with components are these", {
  fit <- stagewise_em(small_crowd()$labels, k = 3)
  parts <- names(component_parts(unclass(fit), c("1", "2", "3")))
  expect_setequal(
    grep("item_probs", parts, value = TRUE, invert = TRUE),
    paste("fit", c("mixing_weights", "crowd_probs", "posterior", "classification", "born"))
  )
})

test_that("components can be named one by one, by their names", {
  fit <- stagewise_em(answers(k = 3), k = 3)
  expect_named(name_components(fit, c("3" = "Rare"))$mixing_weights, c("1", "2", "Rare"))
  swapped <- name_components(fit, c("2" = "1", "1" = "2"))
  expect_named(swapped$mixing_weights, c("2", "1", "3"))
  expect_identical(unname(swapped$mixing_weights), unname(fit$mixing_weights))
  expect_identical(name_components(fit, c("1", "2", "3")), fit)
})

test_that("components are ordered by name, by number and by size", {
  fit <- named_fit()
  by_name <- reorder_components(fit, c("Other", "Careful", "Hasty"))
  expect_named(by_name$mixing_weights, c("Other", "Careful", "Hasty"))
  expect_identical(reorder_components(fit, c(3, 1, 2)), by_name)
  expect_identical(reorder_components(fit, factor(c("Other", "Careful", "Hasty"))), by_name)
  expect_identical(reorder_components(by_name, "size"), fit)
  one <- name_components(mdpd(answers(), k = 1), "All")
  expect_identical(reorder_components(one, "size"), one)
})

# What is made of a fit ----------------------------------------------------------------------------

test_that("prints, summaries, tables, predictions and pictures have the names", {
  fit <- reorder_components(named_fit(), c("Other", "Careful", "Hasty"))
  shown <- c("Other", "Careful", "Hasty")
  expect_match(capture.output(print(fit)), "^  Other ", all = FALSE)
  expect_match(capture.output(print(summary(fit))), "^ *Careful ", all = FALSE)
  expect_identical(summary(fit)$components$component, shown)
  expect_identical(rownames(summary(fit)$overlap), shown)
  expect_identical(levels(predict(fit)), shown)
  expect_identical(colnames(predict(fit, type = "prob")), shown)
  expect_identical(colnames(predict(fit, answers(10, k = 3), type = "prob")), shown)
  expect_identical(levels(predict(fit, answers(10, k = 3), type = "component")), shown)
  expect_identical(levels(augment(fit)$.class), shown)
  expect_named(coef(fit)$mixing_weights, shown)
  expect_named(standard_errors(fit)$mixing_weights, shown)
  expect_identical(levels(tidy(fit)$class), shown)
  expect_identical(levels(attr(simulate(fit, seed = 1)[[1]], "component")), shown)
  expect_identical(information(fit, component = "Hasty"),
                   information(named_fit(), component = "Hasty"))
  profiles <- autoplot(fit)
  expect_identical(levels(profiles$data$component), shown)
  expect_identical(levels(autoplot(fit, "posterior")$data$component), shown)
  expect_setequal(stats::na.omit(autoplot(fit, "history")$data$component), shown)
})

test_that("the class of a row and its standard errors are the same under other names", {
  fit <- stagewise_em(answers(k = 3), k = 3)
  named <- reorder_components(name_components(fit, people), c(2, 3, 1))
  expect_identical(as.integer(factor(predict(named), people)), as.integer(predict(fit)))
  errors <- standard_errors(named)$item_probs[[1]]
  # The information is inverted in another order.
  expect_equal(errors[, people], `colnames<-`(standard_errors(fit)$item_probs[[1]], people),
               tolerance = 1e-8)
  limits <- confint(named, "mixing_weights")
  expect_identical(rownames(limits), paste0("weight|", c("Hasty", "Other", "Careful")))
})

test_that("a tie goes to the larger component whatever the order", {
  fit <- hand_made_fit(k = 3, n_items = 2)
  fit$posterior[1, ] <- c(0.5, 0.5, 0)
  expect_identical(predict(fit)[1], predict(reorder_components(fit, c(3, 2, 1)))[1] |>
                     factor(levels = c("1", "2", "3")))
})

test_that("the path keeps names and order of the fit that has them", {
  fit <- stagewise_em(answers(k = 3), k = 1:4)
  k <- fit$k
  named <- reorder_components(name_components(fit, letters[1:k]), k:1)
  other <- choose_k(named, 1)
  expect_named(other$mixing_weights, "1")
  again <- choose_k(other, k)
  expect_named(again$mixing_weights, letters[k:1])
  expect_identical(again$posterior, named$posterior)
  expect_identical(again, named)
  expect_identical(named$path, fit$path)
  # A name of the other is its own.
  expect_named(choose_k(name_components(other, "All"), 1)$mixing_weights, "All")
})

test_that("refine() keeps names and order, on the same data and on other", {
  stages <- stagewise_em(answers(k = 3), k = 3, refine = "none")
  fit <- reorder_components(name_components(stages, people), c(3, 1, 2))
  plain <- refine(stages)
  for (refined in list(refine(fit), refine(fit, x = answers(k = 3)))) {
    expect_named(refined$mixing_weights, people[c(3, 1, 2)])
    # EM begins at the same point; other data at the parameters, so an E-step later.
    expect_lt(abs(refined$loglik - plain$loglik), 0.05)
  }
  refined <- refine(fit)
  expect_equal(unname(sort(refined$mixing_weights)), unname(sort(plain$mixing_weights)))
  overlap <- crossprod(fit$posterior, refined$posterior)
  expect_identical(max.col(overlap), 1:3)
  expect_identical(names(refined$born), people[c(3, 1, 2)])
  # A fit as it comes is ordered by size, as before.
  expect_named(plain$mixing_weights, c("1", "2", "3"))
  expect_false(is.unsorted(-plain$mixing_weights))
})

test_that("bootstrap samples have the names", {
  fit <- stagewise_em(answers(), k = 2)
  named <- reorder_components(name_components(fit, c("Yes", "No")), 2:1)
  for (refit in c(TRUE, FALSE)) {
    plain <- bootstrap(fit, n = 3, refit = refit)
    samples <- bootstrap(named, n = 3, refit = refit)
    expect_named(standard_errors(samples)$mixing_weights, c("No", "Yes"))
    expect_equal(unname(samples$estimates[, c("weight|Yes", "weight|No")]),
                 unname(plain$estimates[, c("weight|1", "weight|2")]), tolerance = 1e-6)
  }
  expect_match(capture.output(print(samples)), "^ *Yes", all = FALSE)
})

test_that("align_components() takes the names of a named fit and gives others theirs", {
  fit <- stagewise_em(answers(k = 3), k = 3)
  named <- reorder_components(name_components(fit, people), c(2, 3, 1))
  expect_identical(align_components(fit, named), named)
  expect_identical(align_components(named, fit), fit)
  expect_identical(align_components(reorder_components(named, 3:1), named$posterior), named)
})

# Crowds -------------------------------------------------------------------------------------------

letter_crowd <- function() {
  crowd <- small_crowd()
  crowd$labels$labels <- c("a", "b", "c")
  crowd$truth <- factor(c("a", "b", "c")[crowd$truth])
  crowd$truth[41:300] <- NA
  crowd
}

test_that("what is said of workers is the same under other names", {
  crowd <- letter_crowd()
  fit <- stagewise_em(crowd$labels, k = 3)
  named <- name_components(fit, c(a = "Cat", b = "Dog", c = "Owl"))
  moved <- reorder_components(named, c("Owl", "Cat", "Dog"))
  for (other in list(named, moved)) {
    expect_equal(worker_quality(other), worker_quality(fit))
    expect_identical(dimnames(confusion(other, "1")),
                     list(class = c("Cat", "Dog", "Owl"), label = c("a", "b", "c")))
    expect_equal(unname(confusion(other, "1")), unname(confusion(fit, "1")))
    items <- item_quality(other)
    expect_identical(levels(items$label), c("Cat", "Dog", "Owl"))
    expect_equal(items[-2], item_quality(fit)[-2])
    expect_identical(levels(predict(other)), c("Cat", "Dog", "Owl"))
    expect_s3_class(autoplot(other, "workers"), "ggplot")
    expect_s3_class(autoplot(other, "confusion"), "ggplot")
  }
  expect_identical(moved$stands_for, c(Owl = "c", Cat = "a", Dog = "b"))
  # Names that are the labels say what components stand for.
  expect_null(name_components(moved, c("c", "a", "b"))$stands_for)
  swapped <- name_components(fit, c(a = "b", b = "a"))
  expect_identical(unname(confusion(swapped, "1")["b", ]), unname(confusion(fit, "1")["a", ]))
})

test_that("names that stand for no label go to the components of the same rows", {
  fit <- stagewise_em(letter_crowd()$labels, k = 3)
  named <- reorder_components(name_components(fit, c("Owl", "Cat", "Dog")), c(3, 1, 2))
  named$stands_for <- NULL
  kept <- keep_arrangement(fit, named, named$posterior)
  expect_identical(kept$mixing_weights, named$mixing_weights)
  expect_identical(kept$item_probs, named$item_probs)
})

test_that("refine() of a named crowd goes on with labels, gold and prior counts", {
  crowd <- letter_crowd()
  fits <- list(
    stagewise_em(crowd$labels, k = 3, refine = "none"),
    stagewise_em(crowd$labels, k = 3, known = crowd$truth),
    mdpd(crowd$labels, k = 3, prior = diag(3) + 0.5)
  )
  for (fit in fits) {
    names <- c(a = "Cat", b = "Dog", c = "Owl")[names(fit$mixing_weights)]
    named <- reorder_components(name_components(fit, unname(names)), c(2, 3, 1))
    plain <- refine(fit)
    refined <- refine(named)
    expect_named(refined$mixing_weights, unname(names[c(2, 3, 1)]))
    expect_identical(refined$stands_for, named$stands_for)
    by_label <- unname(names[colnames(plain$posterior)])
    expect_equal(unname(refined$posterior[, by_label]), unname(plain$posterior), tolerance = 1e-6)
    expect_equal(unname(standard_errors(refined)$mixing_weights[by_label]),
                 unname(standard_errors(plain)$mixing_weights), tolerance = 1e-6)
  }
  samples <- bootstrap(named, n = 2, refit = FALSE)
  expect_equal(
    unname(samples$estimates[, paste0("weight|", names)]),
    unname(bootstrap(fit, n = 2, refit = FALSE)$estimates[, paste0("weight|", names(names))]),
    tolerance = 1e-6
  )
})

test_that("components that share a label can be named, and rows are still given labels", {
  fit <- hand_made_crowd_fit()
  fit$labels <- c("cat", "dog")
  names(fit$mixing_weights) <- colnames(fit$posterior) <- names(fit$born) <-
    c("cat.1", "dog", "cat.2")
  fit$item_probs <- lapply(fit$item_probs, `colnames<-`, names(fit$mixing_weights))
  fit$stands_for <- c(cat.1 = "cat", dog = "dog", cat.2 = "cat")
  named <- reorder_components(name_components(fit, c(cat.1 = "Easy", cat.2 = "Hard")), 3:1)
  expect_identical(named$stands_for, c(Hard = "cat", dog = "dog", Easy = "cat"))
  expect_identical(predict(named), predict(fit))
  expect_identical(levels(predict(named, type = "component")), c("Hard", "dog", "Easy"))
  expect_error(name_components(fit, c(cat.1 = "dog", dog = "x")), "another component",
               class = "mdpd_error_argument")
})

# Bad input ----------------------------------------------------------------------------------------

test_that("bad names and orders are errors", {
  fit <- hand_made_fit(k = 3)
  crowd <- hand_made_crowd_fit()
  expect_snapshot({
    show_conditions(name_components(1, "a"))
    show_conditions(name_components(fit, 1:3))
    show_conditions(name_components(fit, c("a", "b")))
    show_conditions(name_components(fit, c("a", "b", "a")))
    show_conditions(name_components(fit, c("a", NA, "b")))
    show_conditions(name_components(fit, c("a", "b", " ")))
    show_conditions(name_components(fit, c("4" = "a", x = "b")))
    show_conditions(name_components(fit, c("1" = "a", "1" = "b")))
    show_conditions(name_components(fit, c("1" = "2")))
    show_conditions(name_components(crowd, c(cat = "dog", dog = "x")))
    show_conditions(reorder_components(fit, 1:2))
    show_conditions(reorder_components(fit, c(1, 1, 2)))
    show_conditions(reorder_components(fit, c("1", "2", "4")))
    show_conditions(reorder_components(fit, "weight"))
    show_conditions(reorder_components(fit, c(0.5, 2, 3)))
  })
  expect_error(reorder_components(fit, structure(1:3, levels = "1", class = "factor")),
               "`order`.*not a damaged factor", class = "mdpd_error_argument")
})

test_that("names and order stay where update() repeats the call with as many components", {
  x <- simulate(simulate_crowd(6, 6, 2, accuracy = rep(0.8, 6), seed = 1)$model, seed = 1,
                n_obs = 300)[[1]]
  fit <- stagewise_em(x, k = 2)
  named <- reorder_components(name_components(fit, c("A", "B")), 2:1)
  again <- update(named, control = stagewise_control(tol = 1e-9))
  expect_identical(names(again$mixing_weights), c("B", "A"))
  expect_equal(again$posterior, named$posterior, tolerance = 1e-4)  # two tolerances of EM
  expect_identical(again$call, quote(stagewise_em(x = x, k = 2,
                                                  control = stagewise_control(tol = 1e-9))))
  # The same rows in the opposite order, with nothing to tell which is which.
  sorted <- `row.names<-`(x[order(fit$posterior[, 1]), ], NULL)
  of_sorted <- name_components(stagewise_em(sorted, k = 2), c("A", "B"))
  turned <- update(of_sorted, x = `row.names<-`(sorted[300:1, ], NULL))
  expect_equal(turned$item_probs, of_sorted$item_probs, tolerance = 1e-4)  # as above
  # Other rows, and another number of components.
  part <- x[1:200, ]
  expect_identical(names(update(named, x = part)$mixing_weights), c("B", "A"))
  expect_identical(names(update(named, k = 1)$mixing_weights), "1")
  expect_identical(update(named, k = 1, evaluate = FALSE), quote(stagewise_em(x = x, k = 1)))
  expect_s3_class(update(refine(fit), type = "full"), "mdpd")
  model <- simulate_crowd(seed = 1)$model
  expect_error(update(model, k = 3), class = "mdpd_error_argument")
})
