drawn_layer <- function(picture, geom) {
  is_geom <- vapply(picture$layers, function(layer) inherits(layer$geom, geom), NA)
  ggplot2::layer_data(picture, which(is_geom)[1])
}

build <- function(picture) {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  expect_silent(ggplot2::ggplotGrob(picture))
}

crowd <- simulate_crowd(300, 20, 3, accuracy = rep(0.8, 6), missing = 0.5, seed = 1)
fit <- stagewise_em(crowd$labels, k = 3)
full <- simulate_crowd(200, 30, 3, accuracy = rep(0.8, 6), seed = 1)
full <- stagewise_em(full$labels, k = 3)
of_many_labels <- stagewise_em(
  simulate_crowd(300, 15, 8, accuracy = rep(0.9, 12), seed = 1)$labels, k = 8
)

test_that("both pictures build for few and many workers, labels and components", {
  skip_on_cran()
  named <- as.data.frame(crowd$labels)
  named$label <- factor(named$label, labels = c("a long label, and more", "a long label", "c"))
  named <- stagewise_em(crowd_labels(named), k = 3)
  for (each in list(fit, full, named, of_many_labels)) {
    build(autoplot(each, type = "workers"))
    build(autoplot(each, type = "confusion"))
  }
  build(autoplot(fit, type = "confusion", workers = "20"))
  build(autoplot(stagewise_em(crowd$labels, k = 2), type = "confusion"))
  build(autoplot(stagewise_em(crowd$labels, k = 1), type = "confusion"))
})

test_that("points are the workers' accuracy, the line is guessing, experts are named", {
  picture <- autoplot(fit, type = "workers")
  quality <- worker_quality(fit)
  expect_equal(drawn_layer(picture, "GeomPoint")$y, quality$accuracy)
  expect_equal(drawn_layer(picture, "GeomLinerange")$ymin, quality$accuracy_lower)
  expect_equal(drawn_layer(picture, "GeomHline")$yintercept, 1 / 3)
  expect_setequal(drawn_layer(picture, "GeomText")$label, informative(fit))
  expect_match(picture$labels$subtitle, "20 workers, 6 informative, 14 spammers")
  expect_equal(drawn_layer(picture, "GeomPoint")$shape == 4, quality$spammer)
})

test_that("names that would lie over each other are left out", {
  picture <- autoplot(fit, type = "workers")
  is_text <- vapply(picture$layers, function(layer) inherits(layer$geom, "GeomText"), NA)
  expect_true(any(is_text))
  for (layer in picture$layers[is_text]) expect_true(layer$geom_params$check_overlap)
})

test_that("tiles have white lines between them while there is room", {
  line_of <- function(fit) autoplot(fit, type = "confusion")$layers[[1]]$aes_params$linewidth
  expect_gt(line_of(fit), 0)
  expect_identical(line_of(of_many_labels), 0)
})

test_that("workers stand by their counts, or by accuracy where the counts are equal", {
  counts <- autoplot(fit, type = "workers")
  expect_equal(counts$data$x, counts$data$n_labels, tolerance = 0.05)
  expect_equal(counts$labels$x, "Number of labels given")
  equal <- autoplot(full, type = "workers")
  expect_setequal(equal$data$x, 1:30)
  expect_false(is.unsorted(-equal$data$accuracy[order(equal$data$x)]))
  expect_match(equal$labels$x, "200 labels each", fixed = TRUE)
})

test_that("of many labels as many are named as there is room for in a panel", {
  many <- simulate_crowd(120, 30, 12, accuracy = rep(0.9, 9), missing = 0.8, seed = 1)$labels
  of_many <- suppressWarnings(mdpd(many, 12))
  named_of <- function(n_workers, side, labels = of_many$labels) {
    workers <- colnames(of_many$coded$codes)[seq_len(n_workers)]
    picture <- autoplot(of_many, "confusion", workers = workers)
    picture$scales$get_scales(side)$breaks(labels)
  }
  expect_identical(named_of(1, "x"), of_many$labels)
  expect_identical(named_of(1, "y"), rev(of_many$labels))
  # Nine workers: four panels beside each other, three below.
  expect_identical(named_of(9, "x"), of_many$labels[seq(1, 12, 2)])
  expect_identical(named_of(9, "y"), rev(of_many$labels)[seq(1, 12, 2)])
  expect_identical(named_of(2, "x"), of_many$labels)
  # Forty in a row of panels, and twenty-eight in a column.
  n_named <- function(...) length(named_of(...))
  expect_identical(c(n_named(9, "x", 1:10), n_named(9, "x", 1:11)), c(10L, 6L))
  expect_identical(c(n_named(2, "y", 1:28), n_named(2, "y", 1:29)), c(28L, 15L))
})

test_that("tiles are the confusion matrices of the workers asked for, in that order", {
  picture <- autoplot(fit, type = "confusion", workers = c("9", "2"))
  expect_equal(levels(picture$data$worker), c("9", "2"))
  cells <- subset(picture$data, worker == "2")
  expect_equal(cells$probability,
               confusion(fit, "2")[cbind(as.character(cells$class), as.character(cells$label))])
})

test_that("the most informative workers are shown by default, twelve at most", {
  expect_equal(levels(autoplot(fit, type = "confusion")$data$worker),
               worker_quality(fit)$worker[1:6])
  few <- autoplot(fit, type = "confusion", max_items = 2)
  expect_equal(levels(few$data$worker), worker_quality(fit)$worker[1:2])
  expect_match(few$labels$subtitle, "2 of 6 informative workers, strongest first")
  full$inclusion <- NULL
  full$informative <- colnames(full$coded$codes)
  twelve <- autoplot(full, type = "confusion")
  expect_identical(nlevels(twelve$data$worker), 12L)
  expect_match(twelve$labels$subtitle, "^12 of 30 informative workers, strongest first")
  full$informative <- character()
  none <- autoplot(full, type = "confusion")
  expect_identical(levels(none$data$worker), colnames(full$coded$codes)[1:12])
  expect_match(none$labels$subtitle, "^No worker is informative: 12 workers")
})

test_that("tiles of workers have numbers where they have room, and else a legend", {
  has_numbers <- function(width, height, ...) {
    local_picture_size(width, height)
    picture <- autoplot(..., type = "confusion")
    is_text <- vapply(picture$layers, function(layer) inherits(layer$geom, "GeomText"), NA)
    expect_identical(picture$theme$legend.position, if (any(is_text)) "none" else "bottom")
    any(is_text)
  }
  # Three tables of three labels side by side.
  expect_false(has_numbers(2, 9, fit))
  expect_true(has_numbers(2.3, 4, fit))
  # Four in three rows.
  twelve <- colnames(fit$coded$codes)[1:12]
  expect_false(has_numbers(7, 2.9, fit, workers = twelve))
  expect_true(has_numbers(7, 3.1, fit, workers = twelve))
})

test_that("heads of the tables say how often a worker is right, of how many labels", {
  strips <- confusion_strips(fit, label_counts(fit, "3"), 1)
  counts <- label_counts(fit, "3")[[1]]
  right <- sum(diag(counts)) / sum(counts)
  expect_identical(strips, c("3" = sprintf("3\n%.0f %% of %.0f", 100 * right, sum(counts))))
  # Eight characters of an id are there however narrow the panel is.
  long <- stats::setNames(label_counts(fit, "3"), strrep("w", 20))
  local_picture_size(2, 5)
  expect_identical(sub("\n.*", "", confusion_strips(fit, long, 6)[[1]]),
                   shorten(strrep("w", 20), 8))
  two <- stagewise_em(crowd$labels, k = 2)
  expect_match(confusion_strips(two, label_counts(two, "3"), 1), "^3\n[0-9]+ labels$")
  expect_identical(autoplot(two, "confusion")$labels$y, "Component")
  expect_identical(autoplot(fit, "confusion")$labels$y, "True label, as estimated")
})

test_that("labels beside tables have twelve characters, and stand upright where they are many", {
  picture <- autoplot(fit, "confusion", workers = "3")
  for (side in c("x", "y")) {
    shown <- picture$scales$get_scales(side)$labels(strrep("n", 12:13))
    expect_identical(shown, c(strrep("n", 12), paste0(strrep("n", 9), "...")))
  }
  # Sixty characters have room below all panels.
  angle <- function(...) theme_confusion(list(labels = c(...)), 1, FALSE)$axis.text.x$angle
  expect_null(angle(letters[1:5], strrep("n", 10)))
  expect_identical(angle(letters, LETTERS, 0:8), 90)
  expect_identical(theme_confusion(list(labels = letters[1:11]), 6, FALSE)$axis.text.x$angle, 90)
  # Names of labels beyond twelve characters are cut, and take no more room.
  expect_null(angle(letters[1:4], strrep("n", 20)))
})

test_that("a class without items is grey", {
  one <- as.data.frame(crowd$labels)
  one <- rbind(one, data.frame(item = "1", worker = "new", label = "2"))
  picture <- autoplot(stagewise_em(crowd_labels(one), k = 3), "confusion", workers = "new")
  expect_gte(sum(is.na(picture$data$probability)), 6)
  build(picture)
})

test_that("what cannot be drawn is an error that says why", {
  table <- stagewise_em(as.data.frame(as.matrix(crowd$labels)), k = 3)
  expect_error(autoplot(table, type = "workers"), class = "mdpd_error_not_a_crowd")
  expect_error(autoplot(table, type = "confusion"), class = "mdpd_error_not_a_crowd")
  error <- expect_error(autoplot(fit, type = "confusion", workers = "x"),
                        class = "mdpd_error_argument")
  expect_identical(error$call[[1]], quote(autoplot))
  two <- stagewise_em(crowd$labels, k = 2)
  expect_error(autoplot(two, type = "workers"), class = "mdpd_error_unnamed_components")
  expect_snapshot(show_conditions(autoplot(two, type = "workers")))
})

test_that("workers of the same count are spread over a hundredth of all counts, or of their logs", {
  points <- function(n) data.frame(n_labels = n, accuracy = seq_along(n) / 10)
  spread <- 0.008 * c((1:2 * 0.618) %% 1 - 0.5, 0)
  expect_equal(worker_positions(points(c(20, 20, 50)))$x, c(20, 20, 50) + 30 * spread)
  expect_equal(worker_positions(points(c(2, 2, 50)))$x, c(2, 2, 50) * 25^spread)
  # At most six hundredths to each side.
  many <- worker_positions(points(c(rep(20, 80), 50)))$x[1:80]
  expect_true(all(abs(many - 20) <= 0.06 * 30))
  expect_gt(diff(range(many)), 0.11 * 30)
  expect_identical(worker_positions(points(c(20, 20, 21)))$x, c(3L, 2L, 1L))
})

test_that("counts are drawn by how far they differ", {
  scale_of <- function(...) worker_scale(data.frame(n_labels = c(...)))
  expect_identical(scale_of(1, 10), "log")
  expect_identical(scale_of(1, 9.9), "linear")
  expect_identical(scale_of(5, 6), "linear")
  expect_identical(scale_of(6, 7), "rank")
})

test_that("labels below the tables stand upright where more than sixty letters are in a line", {
  angle <- function(n_letters) {
    object <- list(labels = strrep(letters[1:3], n_letters))
    theme_confusion(object, n_columns = 2, legend = TRUE)$axis.text.x$angle
  }
  expect_null(angle(10))
  expect_identical(angle(11), 90)
  # Long ones are cut to twelve.
  five <- list(labels = strrep(letters[1:5], 20))
  expect_null(theme_confusion(five, n_columns = 1, legend = TRUE)$axis.text.x$angle)
  scales <- autoplot(fit, type = "confusion")$scales
  long <- strrep("n", 20)
  for (side in c("x", "y")) {
    expect_identical(scales$get_scales(side)$labels(long), shorten(long, 12))
  }
})

test_that("up to 24 workers are named, those with most evidence, above their accuracy", {
  points <- data.frame(
    worker = paste("worker", 1:26), accuracy = 0.5, accuracy_upper = 0.75, evidence = 1:26,
    informative = rep(c(TRUE, FALSE), c(25, 1)), n_labels = c(10, rep(20, 25))
  )
  named <- worker_names(worker_positions(points))
  expect_identical(named$data$worker, paste("worker", 25:2))
  expect_identical(named$data$y, rep(0.5, 24))
  expect_false(named$show.legend)
  points$worker[25] <- strrep("w", 13)
  points$n_labels <- 20
  side_by_side <- worker_names(worker_positions(points))
  expect_identical(side_by_side$data$name[1], "wwwwwwwww...")
  # Above the intervals, which would cross them.
  expect_identical(side_by_side$data$y, rep(0.75, 24))
})

test_that("names on which the point of another worker lies are left out", {
  local_picture_size(7, 5)
  # 0.11 of the 3.4 inches above the first is the point of the second.
  points <- data.frame(
    worker = letters[1:3], accuracy = c(0.5, 0.532, 0.5), accuracy_upper = 0.75, evidence = 3:1,
    informative = TRUE, n_labels = c(100, 101, 200)
  )
  shown <- function(points) worker_names(worker_positions(points))$data$worker
  expect_identical(shown(points), c("b", "c"))
  expect_identical(shown(transform(points, accuracy = c(0.5, 0.6, 0.5))), letters[1:3])
  expect_identical(shown(transform(points, n_labels = c(100, 150, 200))), letters[1:3])
  # Of counts that differ by much the distance is that of their logarithms.
  expect_identical(shown(transform(points, n_labels = c(100, 105, 200000))), c("b", "c"))
  expect_identical(shown(points[1, ]), "a")
})

test_that("intervals of more than sixty workers are paler, and accuracy goes from zero to one", {
  points <- data.frame(
    worker = as.character(1:61), accuracy = 0.5, accuracy_lower = 0.25, accuracy_upper = 0.75,
    evidence = 1, informative = TRUE, spammer = FALSE, n_labels = 1:61,
    kind = factor("informative")
  )
  picture <- function(n) {
    local_in_package(list(worker_points = function(object) points[seq_len(n), ]))
    plot_workers(fit)
  }
  interval <- function(n) picture(n)$layers[[2]]
  expect_identical(interval(60)$aes_params$alpha, 0.45)
  expect_identical(interval(61)$aes_params$alpha, 0.25)
  expect_false(interval(61)$show.legend)
  accuracy <- picture(60)$scales$get_scales("y")
  expect_identical(accuracy$limits, c(0, 1.03))
  expect_identical(accuracy$breaks, (0:4) / 4)
})
