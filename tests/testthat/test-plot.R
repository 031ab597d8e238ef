builds_quietly <- function(picture) {
  expect_s3_class(picture, "ggplot")
  grob <- NULL
  expect_silent(grob <- ggplot2::ggplotGrob(picture))
  grob
}

layer <- function(picture, geom) {
  is_geom <- vapply(picture$layers, function(layer) inherits(layer$geom, geom), NA)
  ggplot2::layer_data(picture, which(is_geom)[1])
}

test_that("every picture builds with few and many items, components and levels", {
  skip_on_cran()
  local_pdf()
  fits <- list(
    hand_made_fit(n_items = 5, k = 2, n_obs = 45),
    hand_made_fit(n_items = 100, k = 4, n_levels = 4, n_informative = 30),
    hand_made_fit(n_items = 500, k = 12, n_levels = c(2, 3, 12), n_informative = 60),
    hand_made_fit(n_items = 20, k = 12, n_levels = 12, n_obs = 700),
    hand_made_fit(n_items = 4, k = 1, n_informative = 0)
  )
  # The trace, the history and the posterior have no levels: of fits 2 and 4 they are as of 3.
  types <- c("profiles", "lines", "posterior", "trace", "history")
  for (i in seq_along(fits)) {
    for (type in switch(i, types, types[1:2], types, types[1:3], types)) {
      builds_quietly(autoplot(fits[[i]], type = type))
    }
    builds_quietly(draw_information(hand_made_information(fits[[i]]), fits[[i]], NULL, 60))
  }
})

test_that("a picture has a title, a subtitle and names its axes", {
  fit <- hand_made_fit()
  pictures <- c(
    lapply(c("trace", "history", "profiles", "lines", "posterior"), autoplot, object = fit),
    list(draw_information(hand_made_information(fit), fit, NULL, 60))
  )
  for (picture in pictures) {
    expect_true(all(c("title", "subtitle", "x") %in% names(picture$labels)))
    expect_true(all(nzchar(unlist(picture$labels[c("title", "subtitle", "x")]))))
  }
})

test_that("the first picture shows what the components look like", {
  fit <- hand_made_fit()
  expect_identical(autoplot(fit)$labels, autoplot(fit, type = "profiles")$labels)
  expect_identical(autoplot(hand_made_truth())$labels$title, autoplot(fit)$labels$title)
})

test_that("titles and subtitles fit a picture four inches wide", {
  local_pdf()
  fits <- list(hand_made_fit(n_items = 1000, k = 12, n_informative = 400),
               hand_made_fit(items = paste("a very long question number", 1:6)))
  width <- function(text, size, face) {
    grob <- grid::textGrob(text, gp = grid::gpar(fontsize = size, fontface = face))
    grid::convertWidth(grid::grobWidth(grob), "in", valueOnly = TRUE)
  }
  for (fit in fits) {
    pictures <- lapply(c("profiles", "lines", "posterior", "trace", "history"), autoplot,
                       object = fit)
    pictures <- c(pictures, list(draw_information(hand_made_information(fit), fit, NULL, 60)))
    for (picture in pictures) {
      expect_lt(width(picture$labels$title, 12, "bold"), 3.8)
      expect_lt(width(picture$labels$subtitle, 9.5, "plain"), 3.8)
    }
  }
})

test_that("plot() draws the picture and returns it invisibly", {
  local_pdf()
  fit <- hand_made_fit()
  expect_invisible(picture <- plot(fit, type = "posterior"))
  expect_s3_class(picture, "ggplot")
  expect_equal(picture$labels, autoplot(fit, type = "posterior")$labels)
})

# ---- trace -----------------------------------------------------------------------------

test_that("the trace shows likelihood per row, information and size of S, phase by phase", {
  fit <- hand_made_fit(k = 3)
  points <- layer(autoplot(fit, type = "trace"), "GeomPoint")
  built <- ggplot2::ggplot_build(autoplot(fit, type = "trace"))$layout$layout
  expect_equal(nlevels(built$panel), 3)
  expect_setequal(as.character(built$phase), c("stage", "refine"))
  stage <- fit$trace$phase == "stage"
  drawn <- function(row, phase) {
    panel <- built$PANEL[as.integer(built$panel) == row & built$phase == phase]
    points$y[points$PANEL == panel]
  }
  expect_equal(drawn(1, "stage"), fit$trace$loglik[stage] / fit$nobs)
  expect_equal(drawn(1, "refine"), fit$trace$loglik[!stage] / fit$nobs)
  expect_equal(drawn(2, "refine"), fit$trace$n_informative[!stage])
  expect_equal(drawn(3, "stage"), fit$trace$information[stage])
})

test_that("the legend of the trace takes the place of the panels that have no points", {
  local_pdf()
  fit <- hand_made_fit(k = 3)
  fit$trace$information[fit$trace$phase == "refine"] <- NA
  picture <- autoplot(fit, type = "trace")
  builds_quietly(picture)
  place <- function(picture) picture$theme$legend.position.inside %||% picture$theme$legend.position
  expect_equal(place(picture), c(3 / 4, 1 / 6))  # two columns, three rows: the last panel
  expect_equal(nrow(layer(picture, "GeomRect")), 5)
  fit$trace <- fit$trace[fit$trace$phase == "refine", ]
  expect_equal(place(autoplot(fit, type = "trace")), "bottom")
})

test_that("the trace says why the polish lowers the log-likelihood, where it does", {
  fit <- hand_made_fit(k = 3)
  caption <- function(...) {
    moves <- data.frame(...)
    move <- utils::tail(fit$trace, 1)[rep(1, nrow(moves)), ]
    move$phase <- "polish"
    move[names(moves)] <- moves
    fit$trace <- rbind(fit$trace, move)
    autoplot(fit, type = "trace")$labels$caption
  }
  expect_null(autoplot(fit, type = "trace")$labels$caption)
  loglik <- utils::tail(fit$trace$loglik, 1)
  expect_null(caption(move = "split-merge", loglik = loglik + 1))
  expect_null(caption(move = "split-merge", loglik = loglik))
  expect_match(caption(move = "split-merge", loglik = loglik - 1), "raises the\\s+penalised log")
  expect_match(caption(move = "smoothing", loglik = loglik - 1), "^Smoothing, the last move,")
  fit$evidence <- -400
  expect_match(caption(move = "split-merge", loglik = loglik - 1), "raises the\\s+evidence")
  both <- caption(move = c("split-merge", "smoothing"), loglik = loglik - 1:2)
  expect_match(both, "^A move of the polish .*\\sSmoothing, the last move,")
  # A trace that begins with a polish has no row before.
  fit$trace <- fit$trace[1, ]
  fit$trace$phase <- "polish"
  expect_null(caption(move = "split-merge", loglik = fit$trace$loglik + 1))
})

test_that("points of a trace are smaller above fifty steps, and its axes have few numbers", {
  size <- function(n_steps) {
    fit <- hand_made_fit()
    fit$trace <- fit$trace[rep(2, n_steps), ]
    picture <- autoplot(fit, type = "trace")
    c(picture$layers[vapply(picture$layers, function(layer) {
      inherits(layer$geom, "GeomPoint")
    }, NA)][[1]]$aes_params$size, sum(layer(picture, "GeomBlank")$y == 0))
  }
  expect_identical(size(50), c(2.2, 50))
  expect_identical(size(51), c(1.2, 51))
  expect_equal(few_breaks(c(0, 1.2)), pretty(c(0, 1.2), 4))
  expect_identical(few_breaks(c(0, 2)), c(0, 1, 2))
  expect_identical(few_breaks(c(0, 12)), c(0, 5, 10, 15))
})

test_that("splits are marked with a line and another shape", {
  fit <- hand_made_fit(k = 3)
  picture <- autoplot(fit, type = "trace")
  split <- which(fit$trace$move == "split")
  expect_setequal(layer(picture, "GeomVline")$xintercept, split)
  points <- layer(picture, "GeomPoint")
  expect_equal(sum(points$shape == 17), 3 * length(split))
})

test_that("the line of a split stands only in panels that show its step", {
  fit <- hand_made_fit(k = 3)
  fit$trace$phase[2] <- "grow"
  fit$trace$information[2] <- NA
  picture <- autoplot(fit, type = "trace")
  panels <- ggplot2::ggplot_build(picture)$layout$layout
  growth <- panels$PANEL[panels$phase == "grow" & as.integer(panels$panel) == 3]
  expect_length(growth, 1)
  expect_false(growth %in% layer(picture, "GeomVline")$PANEL)
})

test_that("the trace of the paper's method shows the likelihood of all items", {
  fit <- hand_made_fit()
  fit$method <- "paper"
  fit$refine <- "none"
  expect_true(all(is.element(fit$trace$loglik_all / fit$nobs,
                             layer(autoplot(fit, type = "trace"), "GeomPoint")$y)))
  expect_identical(trace_loglik(replace(fit, "refine", "sparse")), fit$trace$loglik)
  expect_identical(trace_loglik(replace(fit, "method", "stagewise")), fit$trace$loglik)
})

test_that("one stage is enough for a trace", {
  local_pdf()
  fit <- hand_made_fit()
  fit$trace <- fit$trace[1, ]
  builds_quietly(autoplot(fit, type = "trace"))
  expect_match(autoplot(fit, type = "trace")$labels$subtitle, "^1 stage, 1 split;")
})

test_that("what a refinement does not know is left out of the trace", {
  local_pdf()
  fit <- hand_made_fit()
  fit$trace$information[fit$trace$phase == "refine"] <- NA
  builds_quietly(autoplot(fit, type = "trace"))
})

# ---- information -----------------------------------------------------------------------

test_that("the cells of the heat map are those of the matrix, without the diagonal", {
  fit <- hand_made_fit(n_items = 8)
  values <- hand_made_information(fit)
  picture <- draw_information(values, fit, NULL, 60)
  cells <- picture$data
  expect_identical(picture$scales$get_scales("fill")$limits, c(0, max(values)))
  expect_equal(nrow(cells), 8 * 7)
  expect_equal(cells$information, values[cbind(as.character(cells$item_1),
                                               as.character(cells$item_2))])
})

test_that("the picture asks information() for its matrix", {
  fit <- hand_made_fit(n_items = 5, n_informative = 3)
  rows <- as.data.frame(lapply(fit$item_probs, function(p) rep(rownames(p), 20)))
  rows$item_2 <- rev(rows$item_1)
  for (component in list(NULL, 2)) {
    picture <- autoplot(fit, "information", newdata = rows, component = component)
    values <- information(fit, rows, component = component)
    cells <- picture$data
    expect_equal(cells$information, values[cbind(as.character(cells$item_1),
                                                 as.character(cells$item_2))])
  }
  expect_match(picture$labels$subtitle, "^Component 2;")
})

test_that("a name in the place of new data is refused, not evaluated", {
  fit <- stagewise_em(answers(), k = 2)
  for (newdata in list(quote(x), quote(stop("evaluated")))) {
    expect_error(autoplot(fit, "information", newdata = newdata), "must be a data frame",
                 class = "mdpd_error_argument")
  }
})

test_that("informative items come first, by information, then the strongest others", {
  fit <- hand_made_fit(n_items = 8, n_informative = 3)
  fit$informative <- c("item_3", "item_1", "item_2")
  values <- hand_made_information(fit)
  values["item_7", "item_1"] <- values["item_1", "item_7"] <- 9
  expect_equal(
    levels(draw_information(values, fit, NULL, 5)$data$item_1),
    c("item_1", "item_2", "item_3", "item_7", "item_4")
  )
})

test_that("the heat map says how many items of how many are shown and frames the informative", {
  fit <- hand_made_fit(n_items = 100, n_informative = 10)
  picture <- draw_information(hand_made_information(fit), fit, NULL, 60)
  expect_match(picture$labels$subtitle, "60 of 100 items, .*\\sFramed: 10 informative items")
  frame <- layer(picture, "GeomRect")
  expect_equal(unlist(frame[c("xmin", "xmax", "ymin", "ymax")], use.names = FALSE),
               c(0.5, 10.5, 50.5, 60.5))
  few <- draw_information(hand_made_information(fit), fit, NULL, 6)
  expect_match(few$labels$subtitle, "Framed: 6 of 10 informative items")
})

test_that("names beside a square have a fifth to a third of the width, above it what is left", {
  room <- function(width, height, n = 10) {
    local_picture_size(width, height)
    square_room(n)
  }
  expect_equal(room(7, 5)[c("left", "top")], list(left = 2.38, top = 1.35))
  # Where the square is as wide as the picture.
  expect_equal(room(5, 5)$left, 1)
  expect_equal(room(7, 7)$left, 1.4)
  expect_equal(room(7, 6)$left, 1.9)
  expect_equal(room(10, 8)$top, 1.6)
  expect_equal(room(7, 4, 20)$row, 0.11)
  expect_equal(room(7, 4, 500), room(7, 4, 34))
  local_picture_size(10, 5)
  name <- strrep("n", 60)
  drawn <- lengths(strsplit(c(square_labels(2)(name), square_labels(2, on_top = TRUE)(name)), "\n"))
  expect_identical(drawn[1] < drawn[2], TRUE)
  # Among more than a hundred items no name helps.
  expect_null(item_breaks(101))
  expect_length(item_breaks(100)(1:100), 34)
  expect_identical(item_breaks(100, vertical = TRUE)(1:100)[1], 100L)
})

test_that("the heat map has sixty items unless asked for more", {
  fit <- hand_made_fit(n_items = 61, n_informative = 2)
  rows <- as.data.frame(lapply(fit$item_probs, function(p) rep(rownames(p), 10)))
  picture <- autoplot(fit, "information", newdata = rows)
  expect_match(picture$labels$subtitle, "60 of 61 items")
  local_picture_size(7, 5)
  key <- function() as.numeric(theme_information(10)$legend.key.height)
  expect_identical(key(), 15)
  local_picture_size(7, 4)
  expect_identical(key(), 12)
})

test_that("four stages stand in a row, and names of many items beside them are small", {
  local_picture_size(7, 5)
  fit <- hand_made_fit(40, n_informative = 4)
  values <- hand_made_information(fit)
  model <- list(posterior = matrix(1, 4, 1), informative = 1:4)
  picture <- function(n) {
    draw_information_stages(rep(list(values), n), rep(list(model), n), seq_len(n), rownames(values))
  }
  expect_identical(c(picture(4)$facet$params$nrow, picture(5)$facet$params$nrow), c(1, 2))
  expect_identical(picture(1)$scales$get_scales("fill")$breaks(c(0, 1)), c(0, 0.5, 1))
  expect_identical(picture(1)$theme$axis.text.y$size, label_size(34))
  expect_false(identical(label_size(34), label_size(35)))
  expect_identical(square_size(as.character(1:40)), label_size(34))
  # Words of 25 letters are 1.34 inches wide in seven points: above a square there are 1.35.
  expect_identical(square_size(paste0(strrep("n", 24), 0:9)), 7)
})

test_that("without informative items nothing is framed", {
  for (fit in list(hand_made_fit(n_informative = 0), hand_made_fit(k = 1, n_informative = 0))) {
    picture <- draw_information(hand_made_information(fit), fit, NULL, 60)
    expect_false(any(vapply(picture$layers, function(x) inherits(x$geom, "GeomRect"), NA)))
    expect_no_match(picture$labels$subtitle, "Framed")
  }
  expect_match(picture$labels$subtitle, "^One component; 6 items, strongest first")
})

test_that("each stage has its frame, and the items on top are the first", {
  fit <- hand_made_fit(40, n_informative = 4)
  values <- hand_made_information(fit)
  stage <- function(k, n) list(posterior = matrix(1 / k, 4, k), informative = seq_len(n))
  models <- list(stage(3, 12), stage(1, 0), stage(2, 2))
  shown <- names(fit$item_probs)[1:10]
  picture <- draw_information_stages(list(values / 4, values, values / 2), models, c(5, 0, 1),
                                     shown)
  expect_identical(levels(picture$data$panel), c(
    "Stage 0\nk = 1\n0 items in use", "Stage 1\nk = 2\n2 items in use",
    "Stage 5\nk = 3\n12 items in use"
  ))
  frames <- layer(picture, "GeomRect")
  expect_identical(as.integer(frames$PANEL), c(3L, 2L))
  expect_equal(as.matrix(frames[c("xmin", "xmax", "ymin", "ymax")]),
               rbind(c(0.5, 10.5, 0.5, 10.5), c(0.5, 2.5, 8.5, 10.5)), ignore_attr = TRUE)
  expect_match(picture$labels$subtitle, "^10 of 40 items, in the order")
  expect_match(picture$labels$subtitle, "Framed", fixed = TRUE)
  expect_identical(picture$scales$get_scales("fill")$limits, c(0, max(values[shown, shown])))
  axis <- ggplot2::ggplot_build(picture)$layout$panel_params[[1]]$y
  expect_identical(axis$limits, rev(shown))
  expect_equal(axis$continuous_range, c(0.5, 10.5))
  none <- draw_information_stages(list(values), models[2], 0, names(fit$item_probs))
  expect_match(none$labels$subtitle, "^40 items, in the order")
  expect_no_match(none$labels$subtitle, "Framed")
})

test_that("the stages done again are those of the fit, and S is the upper left square", {
  local_pdf()
  x <- answers(400, k = 3)
  robust <- stagewise_em(x, k = 3)
  for (fit in list(robust, stagewise_em(x, k = 3, method = "paper"))) {
    for (stage in seq_len(min(5, sum(fit$trace$phase == "stage")))) {
      model <- model_at_stage(stage, fit, fit$coded)
      expect_equal(model$loglik, fit$trace$loglik[stage])
      expect_length(model$informative, fit$trace$n_informative[stage])
    }
    picture <- autoplot(fit, type = "information", stage = c(0, 2, 1))
    builds_quietly(picture)
    cells <- picture$data
    expect_equal(levels(cells$panel), sort(levels(cells$panel)))
    first <- cells[cells$panel == levels(cells$panel)[1], ]
    expect_equal(max(first$information), fit$trace$information[1])
    expect_setequal(levels(cells$item_1)[1:2], c(fit$trace$item_1[1], fit$trace$item_2[1]))
    frames <- layer(picture, "GeomRect")
    expect_equal(sort(as.double(frames$xmax)), fit$trace$n_informative[1:2] + 0.5)
  }
  shown <- autoplot(fit, type = "information", stage = 1, max_items = 4)$data
  expect_equal(nlevels(shown$item_1), 4)
  without <- stagewise_em(x, k = 3, keep_data = FALSE)
  expect_equal(autoplot(without, "information", stage = 0, newdata = x)$data,
               autoplot(robust, "information", stage = 0)$data)
})

test_that("a stage that the fit does not have is an error", {
  fit <- stagewise_em(answers(), k = 2)
  bad <- list(-1, 99, 0.5, NA, NA_real_, c(0, NA), Inf, c(1, 1), "first", integer(),
              factor(c("a", NA)), matrix(1, 1, 2))
  for (stage in bad) {
    expect_error(autoplot(fit, "information", stage = stage), "`stage` must be",
                 class = "mdpd_error_argument")
  }
  expect_error(autoplot(fit, "information", stage = 1, component = 1), "`component`",
               class = "mdpd_error_argument")
  expect_error(autoplot(hand_made_truth(), "information", stage = 0),
               class = "mdpd_error_not_stored")
  without <- stagewise_em(answers(), k = 2, keep_data = FALSE)
  expect_error(autoplot(without, "information", stage = 0), class = "mdpd_error_no_data")
})

test_that("a heat map of nothing but zeros builds", {
  local_pdf()
  fit <- hand_made_fit()
  builds_quietly(draw_information(0 * hand_made_information(fit), fit, NULL, 60))
})

# ---- profiles --------------------------------------------------------------------------

expect_profiles <- function(fit, n_items) {
  cells <- autoplot(fit, type = "profiles")$data
  expected <- mapply(function(item, level, component) fit$item_probs[[item]][level, component],
                     as.character(cells$item), as.character(cells$level),
                     as.character(cells$component))
  expect_equal(cells$probability, unname(expected))
  expect_equal(nlevels(cells$item), n_items)
  invisible(cells)
}

test_that("profiles hold the item-response probabilities in each of the three layouts", {
  binary <- expect_profiles(hand_made_fit(k = 3), 4)
  expect_equal(unique(binary$level), "b")
  shared <- expect_profiles(hand_made_fit(k = 3, n_levels = 4), 4)
  expect_equal(nrow(shared), 4 * 4 * 3)
  mixed <- expect_profiles(hand_made_fit(k = 3, n_levels = c(2, 10, 3)), 4)
  expect_equal(nrow(mixed), (2 + 10 + 3 + 2) * 3)
})

test_that("of an odd item with many levels those that tell most are shown, and the others' sum", {
  fit <- hand_made_fit(k = 3, n_levels = c(2, 26, 3))
  cells <- autoplot(fit)$data
  odd <- cells[cells$item == "item_2", ]
  expect_equal(nrow(odd), 10 * 3)
  expect_equal(as.vector(tapply(odd$probability, odd$component, sum)), rep(1, 3))
  probs <- fit$item_probs$item_2
  apart <- drop(abs(probs - drop(probs %*% fit$mixing_weights)) %*% fit$mixing_weights)
  named <- setdiff(odd$level, "17 others")
  # Each of them tells as much as any that is not shown.
  expect_gte(min(apart[named]), max(apart[setdiff(rownames(probs), named)]))
  others <- odd$probability[odd$level == "17 others"]
  expect_equal(others, unname(colSums(probs[setdiff(rownames(probs), named), ])))
  # Of one component, too.
  one <- autoplot(hand_made_fit(k = 1, n_levels = c(2, 26, 3)))$data
  odd <- one[one$item == "item_2", ]
  expect_equal(c(nrow(odd), sum(odd$probability)), c(10, 1))
})

test_that("items asked for are shown in that order, and no others", {
  fit <- hand_made_fit(n_items = 6)
  for (type in c("profiles", "lines")) {
    picture <- autoplot(fit, type = type, items = c("item_6", "item_1"))
    expect_equal(levels(picture$data$item), c("item_6", "item_1"))
    expect_match(picture$labels$subtitle, "^2 items")
    few <- autoplot(fit, type = type, items = c("item_6", "item_1", "item_2"), max_items = 2)
    expect_match(few$labels$subtitle, "^2 of 3 items")
  }
  expect_snapshot(show_conditions(autoplot(fit, items = c("item_1", "age"))))
  expect_snapshot(show_conditions(autoplot(fit, type = "lines", items = 2)))
})

test_that("colours of probabilities go from zero to one in every layout", {
  for (n_levels in list(2, 4, c(2, 5, 3))) {
    for (type in c("profiles", "lines")) {
      picture <- autoplot(hand_made_fit(n_levels = n_levels), type = type)
      scale <- picture$scales$get_scales(if (type == "lines") "y" else "fill")
      expect_identical(scale$limits, c(0, 1))
    }
  }
  expect_identical(picture$scales$get_scales("x")$expand, ggplot2::expansion(0, 0.4))
})

test_that("names below profiles lie flat where the width has room for them, and else stand", {
  text <- function(fit, width = 7, height = 5) {
    local_picture_size(width, height)
    autoplot(fit)$theme$axis.text.x
  }
  shared <- hand_made_fit(k = 2, n_levels = 4, level_names = paste("answer", 1001:1004))
  expect_identical(text(shared, 7, 9)$angle, 90)
  expect_null(text(shared, 9, 5)$angle)
  # Two panels of items, side by side: the weights of seven components are too wide to lie flat.
  mixed <- function(k) hand_made_fit(2, k = k, n_levels = c(3, 4))
  expect_null(text(mixed(6))$angle)
  expect_identical(text(mixed(7))$angle, 90)
  # Items of two levels share one panel, above that of the odd item.
  together <- function(k) hand_made_fit(4, k = k, n_levels = c(2, 2, 2, 3))
  expect_null(text(together(12))$angle)
  expect_identical(text(together(14))$angle, 90)
  local_picture_size(7, 5)
  label <- function(fit) autoplot(fit)$scales$get_scales("x")$labels("2")
  expect_match(label(together(6)), "^2\n\\([0-9]+ %\\)$")
  expect_match(label(together(14)), "^2 \\([0-9]+ %\\)$")
  expect_identical(text(hand_made_fit(k = 2))$size, 9)
  expect_lt(text(hand_made_fit(k = 12))$size, 7)
})

test_that("names of levels have no more than their share of the width beside each column", {
  local_picture_size(7, 5)
  levels <- paste(c("never", "sometimes", "often"), "in the course of an ordinary week")
  fit <- hand_made_fit(4, n_levels = 3, n_informative = 4)
  for (i in 1:4) rownames(fit$item_probs[[i]]) <- paste(levels, i)
  picture <- autoplot(fit)
  expect_s3_class(picture$facet, "FacetWrap")
  labels <- picture$scales$get_scales("y")$labels(levels(picture$data$row))
  expect_lte(max(nchar(unlist(strsplit(labels, "\n")))), text_columns(0.42 * 7 / 2, 6))
})

test_that("panels stand in as many columns as leave room for the levels beside them", {
  columns <- function(n_panels, width) {
    mixed_columns(data.frame(panel = factor(seq_len(n_panels)), text = strrep("n", width)))
  }
  expect_equal(columns(1, 3), 1)
  expect_equal(columns(25, 3), 5)
  expect_equal(columns(25, 8), 5)
  expect_equal(columns(16, 10), 4)
  # Longer names stand in two lines.
  expect_equal(c(columns(20, 8), columns(20, 10), columns(20, 11)), c(5, 4, 5))
  expect_equal(columns(25, 11), 5)
  expect_equal(columns(9, 24), 3)
  expect_equal(columns(9, 60), 3)
  # But no more than five panels below each other.
  expect_equal(columns(16, 60), 4)
  expect_equal(columns(15, 60), 3)
})

test_that("of many items that share their levels forty are named, fewer in two rows of panels", {
  named_of <- function(n_items, ...) {
    fit <- hand_made_fit(n_items = n_items, n_informative = n_items, ...)
    picture <- autoplot(fit, type = "profiles", max_items = 100)
    length(picture$scales$get_scales("y")$breaks(names(fit$item_probs)))
  }
  expect_identical(named_of(40, k = 2, n_levels = 4), 40L)
  expect_identical(named_of(41, k = 2, n_levels = 4), 21L)
  # 20 components of 4 levels have two rows.
  expect_identical(named_of(13, k = 20, n_levels = 4), 13L)
  expect_identical(named_of(14, k = 20, n_levels = 4), 7L)
  expect_identical(named_of(27, k = 20, n_levels = 4), 9L)
})

# How large the type is, how many values are named on both axes, the first and the last of these,
# and what else depends on the room of a picture.
layout_of <- function(picture) {
  cells <- picture$data
  type <- function(name) {
    element <- picture$theme[[name]]
    paste0(name, " ", signif(element$size, 4), if (identical(element$angle, 90)) " upright")
  }
  axis <- function(name, values) {
    scale <- picture$scales$get_scales(name)
    named <- if (is.function(scale$breaks)) scale$breaks(values) else values
    ends <- gsub("\n", "|", scale$labels(named[c(1, length(named))]))
    paste0(name, ": ", length(named), " of ", length(values), ", ", paste(ends, collapse = " ... "))
  }
  columns <- if (is.null(cells$row) && is.factor(cells$level)) cells$level else cells$component
  c(
    toString(vapply(c("axis.text.x", "axis.text.y", "strip.text"), type, "")),
    paste(toString(unlist(picture$facet$params[c("nrow", "ncol")])), "panels,",
          length(picture$layers), "layers, lines", picture$layers[[1]]$aes_params$linewidth),
    axis("x", levels(columns)), axis("y", levels(if (is.null(cells$row)) cells$item else cells$row))
  )
}

test_that("profiles have the type and as many labels as there is room for", {
  testthat::skip_on_cran()
  skip_other_ggplot2()
  words <- function(what, n) paste(what, c("one", "two", "three", "four", "five", "six"))[1:n]
  fits <- list(
    "two levels" = hand_made_fit(24, 6, n_informative = 24, components = words("class", 6)),
    "shared levels" = hand_made_fit(6, 4, 5, n_informative = 6, items = words("question", 6)),
    "long levels" = hand_made_fit(30, 5, 5, n_informative = 30, level_names = words("answer", 5)),
    "two rows of panels" = hand_made_fit(16, 16, 6, n_informative = 16),
    "three items of two levels or more" = hand_made_fit(12, 5, c(2, 2, 4), n_informative = 12),
    "own levels" = hand_made_fit(4, 3, c(3, 12, 5), n_informative = 4),
    "own levels, many classes" = hand_made_fit(4, 9, c(3, 12, 5), n_informative = 4)
  )
  expect_snapshot_output({
    for (name in names(fits)) {
      for (size in list(c(5, 4), c(6.5, 4.8))) {
        local_picture_size(size[1], size[2])
        cat(name, "in", paste(size, collapse = " x "), "inches\n")
        writeLines(layout_of(autoplot(fits[[name]], max_items = 60)))
      }
    }
  })
})

test_that("panels of many components stand in rows, with as many levels named as have room", {
  panels <- function(k, n_levels) {
    picture <- autoplot(hand_made_fit(2, k = k, n_levels = n_levels, n_informative = 2))
    levels <- levels(picture$data$level)
    c(picture$facet$params$nrow, length(picture$scales$get_scales("x")$breaks(levels)))
  }
  # 72 columns of tiles side by side, and 44 names of levels.
  expect_equal(panels(24, 3), c(1, 1))
  expect_equal(panels(29, 5)[1], 3)
  expect_equal(panels(3, 14)[2], 14)
  expect_equal(panels(3, 15)[2], 8)
})

test_that("upright names of levels have six to nine points, fewer in a flat picture", {
  size <- function(width, height, k) {
    local_picture_size(width, height)
    autoplot(hand_made_fit(2, k, 5, level_names = paste("an answer", 1:5)))$theme$axis.text.x$size
  }
  expect_identical(size(5, 4, 12), 6)
  expect_identical(size(9, 4, 4), 9)
  expect_equal(size(9, 3, 4), 7.8)
})

test_that("items of two levels share a panel while there are forty rows at most", {
  facet <- function(n_binary) {
    fit <- hand_made_fit(n_binary + 1, 2, c(rep(2, n_binary), 3), n_informative = n_binary + 1)
    autoplot(fit, max_items = 60)$facet
  }
  expect_s3_class(facet(37), "FacetGrid")
  expect_s3_class(facet(38), "FacetWrap")
})

test_that("the title beside a panel is no higher than the rows of the panel", {
  local_picture_size(7, 3.5)
  asked <- paste("How often did you see a doctor in the last twelve months, for yourself or with",
                 "somebody else of the family?")
  fit <- hand_made_fit(9, k = 4, n_levels = c(rep(2, 8), 3), n_informative = 9,
                       items = c(letters[1:8], asked))
  picture <- autoplot(fit)
  title <- picture$facet$params$labeller(data.frame(panel = asked))$panel
  # Three of eleven rows; some 1.7 inches are title, legend and axis.
  height <- 3 * row_height(11, 1.7)
  expect_lte(lengths(strsplit(title, "\n")), text_lines(height, picture$theme$strip.text$size))
})

test_that("the title of the colours is broken before a level of more than six letters", {
  expect_identical(probability_of("sixsix"), "Probability of \"sixsix\"")
  expect_identical(probability_of("sevenly"), "Probability of\n\"sevenly\"")
})

# ---- lines -----------------------------------------------------------------------------

test_that("lines hold the probability of the second level, or the mean place of the answer", {
  score <- function(fit) {
    points <- autoplot(fit, type = "lines")$data
    stats::setNames(points$score, paste(points$item, points$component))
  }
  fit <- hand_made_fit(k = 3, n_levels = c(2, 5, 3))
  scores <- score(fit)
  for (item in fit$informative) {
    for (component in names(fit$mixing_weights)) {
      probs <- fit$item_probs[[item]][, component]
      place <- (match(names(probs), letters) - 1) / (length(probs) - 1)
      expect_equal(scores[[paste(item, component)]], sum(place * probs))
    }
  }
  expect_equal(scores[["item_1 2"]], fit$item_probs$item_1["b", "2"])
  # Where all answers are the last level it is 1, where all are the first 0.
  fit$item_probs$item_2[] <- rbind(0, 0, 0, 0, 1)[, c(1, 1, 1)]
  fit$item_probs$item_3[] <- rbind(1, 0, 0)[, c(1, 1, 1)]
  expect_equal(unname(score(fit)[c("item_2 1", "item_3 1")]), c(1, 0))
})

test_that("lines go through the informative items in the order of the table", {
  fit <- hand_made_fit(n_items = 8, n_informative = 5)
  fit$item_evidence[fit$informative] <- c(1, 5, 2, 4, 3)
  fit$informative <- rev(fit$informative)
  picture <- autoplot(fit, type = "lines")
  expect_equal(levels(picture$data$item), paste0("item_", 1:5))
  few <- autoplot(fit, type = "lines", max_items = 3)
  expect_equal(levels(few$data$item), c("item_2", "item_4", "item_5"))
  expect_match(few$labels$subtitle, "^3 of 5 informative items, the strongest")
})

test_that("the axis of the lines names the level, the levels, or what 0 and 1 are", {
  labels <- function(fit, ...) autoplot(fit, type = "lines", ...)$labels
  expect_equal(labels(hand_made_fit())$y, 'Probability of "b"')
  shared <- autoplot(hand_made_fit(n_levels = 4), type = "lines")
  expect_equal(shared$labels$y, "Mean answer")
  built <- ggplot2::ggplot_build(shared)$layout$panel_params[[1]]
  expect_equal(as.character(built$y$get_labels()), letters[1:4])
  expect_equal(built$y$get_breaks(), (0:3) / 3)
  expect_match(labels(hand_made_fit(n_levels = c(4, 3)))$subtitle, "0: the first level of an item")
  named <- hand_made_fit(n_items = 2)
  rownames(named$item_probs$item_1) <- c("no", "yes")
  built <- ggplot2::ggplot_build(autoplot(named, type = "lines"))$layout$panel_params[[1]]
  expect_equal(as.character(built$x$get_labels()), c("item_1 = yes", "item_2 = b"))
  for (fit in list(named, hand_made_fit(), hand_made_fit(n_levels = c(4, 3)))) {
    expect_identical(line_scale(fit$item_probs, fit$k)$breaks, (0:4) / 4)
  }
  # Three to nine levels have names beside the lines.
  few <- function(n) identical(labels(hand_made_fit(n_levels = n))$y, "Mean answer")
  expect_identical(vapply(c(3, 9, 10), few, NA), c(TRUE, TRUE, FALSE))
})

test_that("points of lines are smaller where there are more than thirty items", {
  size <- function(n_items) {
    picture <- autoplot(hand_made_fit(n_items = n_items, n_informative = n_items), type = "lines")
    unique(ggplot2::layer_data(picture, 2)$size)
  }
  expect_identical(size(30), 2)
  expect_identical(size(31), 1.3)
})

test_that("lines build for one item, one component, one level and many of each", {
  local_pdf()
  fits <- list(hand_made_fit(k = 1, n_informative = 0), hand_made_fit(n_items = 1),
               hand_made_fit(100, k = 12, n_levels = c(2, 26), n_informative = 90),
               hand_made_fit(5, items = paste("a very long question number", 1:5)))
  for (fit in fits) builds_quietly(autoplot(fit, type = "lines"))
  constant <- hand_made_fit(2)
  constant$item_probs$item_1 <- matrix(1, 1, 2, dimnames = list("a", c("1", "2")))
  builds_quietly(autoplot(constant, type = "lines"))
  builds_quietly(autoplot(hand_made_truth(), type = "lines"))
})

test_that("lines go through sixty items unless asked for more, and through one by a point", {
  many <- hand_made_fit(n_items = 61, n_informative = 61)
  expect_identical(nlevels(autoplot(many, type = "lines")$data$item), 60L)
  expect_match(autoplot(many, type = "lines")$labels$subtitle, "^60 of 61 informative items")
  n_layers <- function(n_items) length(autoplot(hand_made_fit(n_items), type = "lines")$layers)
  expect_identical(c(n_layers(1), n_layers(2)), 1:2)
})

test_that("long names of levels are cut where the lines name them", {
  fit <- hand_made_fit(3, n_levels = c(2, 2, 3), n_informative = 3)
  long <- strrep("v", 20)
  rownames(fit$item_probs$item_1)[2] <- long
  scale <- line_scale(fit$item_probs, 2)
  expect_identical(unname(scale$items),
                   c(paste("item_1 =", shorten(long, 14)), "item_2 = b", "item_3"))
  rownames(fit$item_probs$item_2)[2] <- long
  expect_match(line_scale(fit$item_probs, 2)$subtitle,
               paste0("(of two: ", shorten(long, 12), ")"), fixed = TRUE)
})

test_that("three items without an order are named, and how many more there are", {
  item <- matrix(0.5, 3, 2, dimnames = list(c("Catholic", "Muslim", "None"), NULL))
  items <- function(names) stats::setNames(rep(list(item), length(names)), names)
  expect_match(order_note(items(letters[1:3])), "scale: a, b, c$")
  expect_match(order_note(items(letters[1:4])), "scale: a, b, c and 1 more$")
  long <- strrep("n", 50)
  expect_match(order_note(items(long)), paste("scale:", shorten(long, 40)), fixed = TRUE)
})

test_that("type below the lines is as large as there is room, and names stand up in many lines", {
  local_picture_size(7, 5)
  expect_equal(line_text_size(1:38), 9)
  expect_equal(line_text_size(1:50), 62 * 5.6 / 50)
  expect_equal(line_text_size(1:64), 5.5)
  crowded <- function(n_items, n_words) {
    is_crowded(c(paste(rep("aaaa", n_words), collapse = " "), rep("b", n_items - 1)))
  }
  # Ten columns: two words in a line, and three lines at most.
  expect_identical(c(crowded(7, 6), crowded(7, 7)), c(FALSE, TRUE))
  # Twelve columns: as many lines as the picture has inches.
  expect_identical(c(crowded(6, 10), crowded(6, 11)), c(FALSE, TRUE))
})

test_that("lines of up to eight components have different signs", {
  signs <- function(k) layer(autoplot(hand_made_fit(1, k = k), "lines"), "GeomPoint")$shape
  expect_identical(anyDuplicated(signs(8)), 0L)
  expect_identical(signs(10)[9:10], signs(10)[1:2])
})

test_that("answers beside the lines have the height that the legend leaves", {
  levels <- paste("to a certain degree", letters[1:9])
  lines <- function(k, height) {
    local_picture_size(7, height)
    max(lengths(strsplit(answer_labels(levels, k)(NULL), "\n")))
  }
  expect_identical(lines(2, 5), 2L)
  expect_identical(lines(3, 5), 1L)
  # A legend has four lines at most.
  expect_identical(lines(4, 5.3), 1L)
  expect_identical(lines(4, 5.5), 2L)
  expect_identical(lines(12, 5.5), 2L)
  # Two lines, not more, whatever the height.
  expect_identical(lines(2, 20), 2L)
})

test_that("lines of items with levels of their own say what zero and one are", {
  subtitle <- function(...) autoplot(hand_made_fit(...), type = "lines")$labels$subtitle
  expect_match(subtitle(2, n_levels = c(2, 4)), "the last (of two: b)", fixed = TRUE)
  expect_match(subtitle(2, n_levels = c(3, 4)), "the last$")
  named <- hand_made_fit(3, n_levels = c(2, 2, 3))
  rownames(named$item_probs$item_1) <- c("no", "yes")
  picture <- autoplot(named, type = "lines")
  expect_match(picture$labels$subtitle, "the last (the one named)", fixed = TRUE)
  expect_identical(picture$labels$y, "Mean answer\n(0 to 1)")
})

test_that("tiles of all three layouts carry their number while there is room", {
  numbers <- function(fit) {
    picture <- autoplot(fit, type = "profiles")
    has_text <- any(vapply(picture$layers, function(layer) inherits(layer$geom, "GeomText"), NA))
    if (has_text) layer(picture, "GeomText")$label
  }
  for (n_levels in list(2, 4, c(2, 5, 3))) {
    fit <- hand_made_fit(k = 3, n_levels = n_levels)
    expect_equal(numbers(fit), round(100 * autoplot(fit, type = "profiles")$data$probability))
  }
  expect_null(numbers(hand_made_fit(20, k = 12, n_levels = c(2, 12, 3), n_informative = 20)))
})

test_that("numbers in tiles need their width, of all columns and components of the picture", {
  has_numbers <- function(fit, width) {
    local_picture_size(width, 30)
    layers <- autoplot(fit, type = "profiles")$layers
    any(vapply(layers, function(layer) inherits(layer$geom, "GeomText"), NA))
  }
  # Twelve of four levels and three components in 0.58 of the width, and twelve components in each
  # of two columns of panels in 0.6 of it: 0.19 inches each.
  shared <- hand_made_fit(k = 3, n_levels = 4)
  expect_identical(c(has_numbers(shared, 3.9), has_numbers(shared, 4)), c(FALSE, TRUE))
  mixed <- hand_made_fit(5, k = 12, n_levels = c(2, 5, 3))
  expect_identical(c(has_numbers(mixed, 7.5), has_numbers(mixed, 7.7)), c(FALSE, TRUE))
  binary <- hand_made_fit(6, k = 12, n_levels = 2)
  expect_identical(c(has_numbers(binary, 3.2), has_numbers(binary, 3.5)), c(FALSE, TRUE))
})

test_that("numbers in tiles need a tenth of an inch for each row below each other", {
  height <- function(...) {
    fit <- hand_made_fit(...)
    has_numbers <- function(height) {
      local_picture_size(30, height)
      layers <- autoplot(fit)$layers
      any(vapply(layers, function(layer) inherits(layer$geom, "GeomText"), NA))
    }
    # A margin for rounding.
    Find(has_numbers, seq(2.01, 6, by = 0.1))
  }
  # Titles, axes and legends take 1.7 inches, and heads of panels more.
  expect_equal(height(20, k = 2, n_informative = 20), 1.7 + 2 + 0.01)
  # Two rows of panels of ten items each.
  expect_equal(height(10, k = 20, n_levels = 4, n_informative = 10), 1.8 + 2 + 0.01)
  # Three panels of five levels each, at most; then three of five levels below nine items of two.
  expect_equal(height(9, k = 2, n_levels = 3:5, n_informative = 9), 1.5 + 0.3 * 3 + 1.5 + 0.01)
  expect_equal(height(12, k = 2, n_levels = c(2, 2, 2, 5), n_informative = 12), 1.7 + 2.4 + 0.01)
})

test_that("profiles show the most informative items first and say how many are left out", {
  fit <- hand_made_fit(n_items = 40, n_informative = 25)
  fit$informative <- rev(fit$informative)
  picture <- autoplot(fit, type = "profiles")
  expect_equal(levels(picture$data$item), paste0("item_", 1:20))
  expect_match(picture$labels$subtitle, "20 of 25 informative items, strongest first",
               fixed = TRUE)
  expect_equal(nlevels(autoplot(fit, type = "profiles", max_items = 3)$data$item), 3)
  fit$informative <- "item_7"
  expect_match(autoplot(fit)$labels$subtitle, "^1 informative item, strongest first")
  fit$informative <- character()
  fit$item_information[] <- 0
  expect_match(autoplot(fit)$labels$subtitle, "^No item is informative: 20 of 40 items; in percent")
  # Of components between which none is sure to differ those are shown that differ most.
  weak <- fit
  weak$item_information <- stats::setNames(seq_along(fit$item_probs), names(fit$item_probs)) / 1e4
  shown <- autoplot(weak)
  expect_match(shown$labels$subtitle, "20 of 40 items, strongest first", fixed = TRUE)
  expect_setequal(as.character(shown$data$item), utils::tail(names(fit$item_probs), 20))
})

test_that("components are labelled with their mixing weight", {
  fit <- hand_made_fit(k = 2)
  expect_equal(component_labels(fit), c("1" = "1 (60 %)", "2" = "2 (40 %)"))
})

test_that("items that name their levels differently name the level that is drawn", {
  fit <- hand_made_fit(n_items = 2, n_informative = 2)
  rownames(fit$item_probs$item_1) <- c("no", "yes")
  built <- ggplot2::ggplot_build(autoplot(fit, type = "profiles"))
  expect_setequal(built$layout$panel_params[[1]]$y$get_labels(), c("item_1 = yes", "item_2 = b"))
  expect_identical(built$plot$labels$fill, "Probability of\nthe level named")
  rownames(fit$item_probs$item_1) <- c("no", "twelve marks")
  rownames(fit$item_probs$item_2) <- c("no", "thirteen mark")
  expect_identical(unname(level_titles(fit, c("item_2", "item_1"))),
                   c("item_2 = thirteen ...", "item_1 = twelve marks"))
})

test_that("a true model has profiles", {
  local_pdf()
  builds_quietly(autoplot(hand_made_truth(), type = "profiles"))
})

# ---- posterior -------------------------------------------------------------------------

test_that("the bars of the predicted class are the largest posterior of each row", {
  fit <- hand_made_fit(k = 3, n_levels = 3, n_obs = 45)
  bars <- autoplot(fit, type = "posterior")$data
  bars <- bars[bars$bottom == 0, ]
  largest <- apply(fit$posterior, 1, max)
  expect_equal(nrow(bars), 45)
  expect_equal(sort(bars$top), sort(unname(largest)))
  expect_equal(as.vector(table(bars$component)),
               tabulate(max.col(fit$posterior, ties.method = "first"), 3))
})

test_that("the bars of a row reach from zero to one without a gap", {
  bins <- posterior_bins(hand_made_fit(k = 3, n_levels = 3), 500)
  bars <- posterior_bars(bins, colnames(bins$posterior))
  heights <- tapply(bars$top - bars$bottom, bars$from, sum)
  expect_true(all(heights > 1 - 3e-3))  # bars thinner than a thousandth are not drawn
  expect_true(all(bars$top < 1 + 1e-12))
})

test_that("a hundred thousand rows are drawn as some hundred bins with the same area", {
  fit <- hand_made_fit(n_items = 4, n_obs = 1e5)
  bins <- posterior_bins(fit, 500)
  expect_lte(nrow(bins), 500 + fit$k)
  expect_equal(sum((bins$to - bins$from) * bins$sure), sum(apply(fit$posterior, 1, max)))
})

test_that("bins hold as many rows each, the surest of a class first", {
  fit <- hand_made_fit(n_obs = 1000)
  sure <- c(seq(0.99, 0.6, length.out = 996), 0.9, 0.8, 0.7, 0.6)
  fit$posterior[, 1] <- c(sure[1:996], 1 - sure[997:1000])
  fit$posterior[, 2] <- 1 - fit$posterior[, 1]
  bins <- posterior_bins(fit, 250)
  expect_identical(bins$class, rep(1:2, c(249, 1)))
  expect_equal(bins$to - bins$from, rep(4, 250))
  expect_equal(bins$sure[250], 0.75)
  expect_identical(order(-bins$sure[1:249]), 1:249)
  # The last bin of a class is none of the next, as many as there may be.
  expect_identical(posterior_bins(fit, 249), bins)
  # 999 * (250 / 999) is above 250.
  expect_identical(nrow(posterior_bins(hand_made_fit(k = 1, n_obs = 999), 250)), 250L)
  blocks <- posterior_blocks(bins)
  expect_equal(blocks[c("from", "to")], data.frame(from = c(0, 996), to = c(996, 1000)))
  # No name for a class with hardly a row.
  named <- named_blocks(blocks)
  top <- posterior_x_scale(named, side_names(named$component, named$share, 8))$secondary.axis
  expect_equal(top$breaks, 498)
  expect_identical(top$labels(498), "1")
})

test_that("a picture has 500 bins of one class", {
  one <- hand_made_fit(2, k = 1, n_informative = 0, n_obs = 1000)
  expect_identical(nrow(autoplot(one, type = "posterior")$data), 500L)
})

test_that("rows without weight have no bin, and what is nearly nothing has no bar", {
  fit <- hand_made_fit(n_obs = 4)
  fit$posterior[] <- c(0.9, 0.9992, 0.998, 0.7, 0.1, 0.0008, 0.002, 0.3)
  fit$weights <- c(1, 1, 1, 0)
  bins <- posterior_bins(fit, 500)
  expect_equal(bins$sure, c(0.9992, 0.998, 0.9))
  bars <- posterior_bars(bins, c("1", "2"))
  expect_equal(bars$top[bars$component == "2"], c(1, 1))
  expect_equal(bars$bottom[bars$component == "2"], c(0.998, 0.9))
})

test_that("classes of one row each have bins of their own", {
  fit <- hand_made_fit(k = 3, n_levels = 3, n_obs = 8)
  fit$posterior[] <- 0.1
  fit$posterior[cbind(1:8, c(rep(1, 6), 2, 3))] <- 0.8
  expect_identical(posterior_bins(fit, 500)$class, rep(1:3, c(6, 1, 1)))
})

test_that("a class whose name would be broken has it in the legend alone", {
  named <- function(width, ends) {
    local_picture_size(width, 5)
    blocks <- data.frame(component = c("Southern democrats", "Test ban"), from = c(0, ends[1]),
                         to = ends)
    named_blocks(blocks)$component
  }
  expect_identical(named(7, c(50, 100)), c("Southern democrats", "Test ban"))
  # A tenth of the width: nine letters have no room, four have.
  expect_identical(named(4, c(90, 100)), c("Southern democrats", "Test ban"))
  expect_identical(named(4, c(10, 100)), "Test ban")
  expect_identical(named(0.5, c(50, 100)), character())
  local_picture_size(0.5, 5)
  none <- named_blocks(posterior_blocks(posterior_bins(hand_made_fit(
    components = c("Southern democrats", "Supporters")), 100)))
  expect_s3_class(posterior_x_scale(none, NULL)$secondary.axis, "waiver")
})

test_that("the subtitle has the expected error", {
  fit <- hand_made_fit()
  fit$posterior[] <- c(rep(0.9, 30), rep(0.2, 30), rep(0.1, 30), rep(0.8, 30))
  expect_match(autoplot(fit, type = "posterior")$labels$subtitle, "^Expected error 15.0 %")
})

test_that("case weights are the widths of the rows", {
  fit <- hand_made_fit(n_obs = 10)
  expect_match(posterior_axis(fit), "^Rows \\(10\\), the surest")
  fit$coded <- list(weights = rep(c(1, 3), 5))
  expect_match(posterior_axis(fit), "^Weight of the 10 rows, the surest")
  bins <- posterior_bins(fit, 500)
  expect_equal(max(bins$to), 20)
  expect_setequal(bins$to - bins$from, c(1, 3))
  # In a bin of several rows they weigh the mean.
  bins <- posterior_bins(fit, 4)
  expect_lt(nrow(bins), 6)
  expect_equal(colSums((bins$to - bins$from) * bins$posterior),
               colSums(fit$posterior * rep(c(1, 3), 5)))
})

# ---- groups, pairs and samples ---------------------------------------------------------

test_that("words beside the bars of groups are cut, and left out where there is hardly room", {
  item <- data.frame(level = "always and everywhere", component = "1", p_adjusted = 0.01)
  words <- function(width) {
    local_picture_size(width, 5)
    effect_text(item[rep(1, 30), ])[1]  # a line for each
  }
  expect_identical(words(8.4), "p = 0.010, always and everywhere in c...")
  expect_identical(words(8.2), "p = 0.010")
})

test_that("names of free items have a fifth of the width, in the lines of their rows", {
  name <- function(width, height, n_items) {
    local_picture_size(width, height)
    label <- free_item_strips(n_items, NULL)(data.frame(variable = strrep("nnn ", 60)))$variable
    lines <- strsplit(label[[1]], "\n")[[1]]
    c(length(lines), max(nchar(lines)))
  }
  narrow <- name(5, 5, 2)
  expect_lte(narrow[2], text_columns(1, 8.5))
  expect_identical(name(5, 9, 2)[2], narrow[2])
  expect_gt(name(7, 5, 2)[2], narrow[2])
  # Half as high for twice the items.
  expect_equal(c(narrow[1], name(5, 5, 4)[1]), text_lines(c(1.7, 0.85), 8.5))
})

test_that("pictures of pairs say how many of how many they show", {
  subtitle <- function(...) autoplot(hand_made_pairs(), ...)$labels$subtitle
  expect_match(subtitle(max_shown = 6), "^6 items, the most dependent first")
  expect_match(subtitle(max_shown = 5), "^5 of 6 items, the most dependent first")
  expect_match(subtitle("bars", max_pairs = 15), "^15 pairs, the largest effects first")
  expect_match(subtitle("bars", max_pairs = 14), "^14 of 15 pairs, the largest")
  many <- hand_made_pairs(41)
  expect_match(autoplot(many)$labels$subtitle, "^40 of 41 items")
  expect_match(autoplot(many, "bars")$labels$subtitle, "^20 of 820 pairs")
  none <- hand_made_pairs(n = 1000)
  none$p_adjusted <- pmax(0.05, none$p_adjusted)
  picture <- autoplot(none)
  expect_match(picture$labels$subtitle, "No pair .* below 0.05 \\(1,000 samples\\)$")
  expect_length(picture$layers, 1)
  expect_setequal(autoplot(none, "bars")$data$sure, "0.05 and more")
})

test_that("dots stand on both places of each pair that chance does not explain", {
  pairs <- hand_made_pairs()
  picture <- autoplot(pairs)
  dots <- layer(picture, "GeomPoint")
  sure <- pairs$p_adjusted < 0.05
  expect_identical(nrow(dots), 2L * sum(sure))
  expect_match(picture$labels$subtitle, paste(sum(sure), "pairs$"))
  shown <- levels(picture$data$first)
  expect_setequal(paste(shown[dots$x], rev(shown)[dots$y]),
                  c(paste(pairs$item_1, pairs$item_2)[sure],
                    paste(pairs$item_2, pairs$item_1)[sure]))
  size <- function(n) pair_dots(picture$data, n)$aes_params$size
  expect_identical(c(size(4), size(20), size(40), size(80), size(500)), c(2, 2, 1, 0.5, 0.5))
})

test_that("the items of a pair stand side by side where they fit, else below each other", {
  names <- function(items, n = 1, height = 5) {
    local_picture_size(7, height)
    pairs <- data.frame(item_1 = rep(items[1], n), item_2 = items[2])
    pair_scale(pairs)$labels(factor(seq_len(n)))[n]
  }
  expect_identical(names(c("age", "sex")), "age - sex")
  # 50 columns of text are half of the picture.
  expect_identical(names(strrep("n", c(20, 27))), paste(strrep("n", 20), "-", strrep("n", 27)))
  expect_identical(names(strrep("n", c(20, 28))), paste0(strrep("n", 20), " -\n", strrep("n", 28)))
  # Rows of one line, in smaller type: both are cut.
  cut <- names(paste0(letters[1:2], strrep("n", 39)), n = 30)
  expect_match(cut, "^an+\\.\\.\\. - bn+\\.\\.\\.$")
  expect_identical(nchar(cut), 61L)
  # Ten rows of 0.28 inches have two lines of nine points each, of 0.27 only one.
  long <- strrep(c("a", "b"), 40)
  expect_identical(names(long, n = 10, height = 1.4 + 2.8), paste0(long[1], " -\n", long[2]))
  expect_match(names(long, n = 10, height = 1.4 + 2.7), "^a+\\.\\.\\. - b+\\.\\.\\.$")
  side <- function(columns) nchar(fit_pair_side(strrep("n", 30), 64, columns))
  expect_identical(c(side(64), side(63), side(22), side(17)), c(30L, 30L, 9L, 8L))
})

test_that("the picture of a selection says how many of how many items it shows", {
  fit <- hand_made_fit(n_items = 5)
  samples <- structure(
    list(selection = stats::setNames(5:1 / 5, names(fit$item_probs)), k = rep(2L, 9),
         estimates = matrix(0, 9, 1), fit = fit, n = 9, type = "nonparametric", refit = TRUE),
    class = "mdpd_bootstrap"
  )
  subtitle <- function(...) gsub("\n", " ", autoplot(samples, ...)$labels$subtitle)
  expect_match(subtitle(), "5 items, the most frequent first$")
  expect_no_match(subtitle(max_items = 5), " of 5 items")
  expect_match(subtitle(max_items = 4), "4 of 5 items, the most frequent first$")
  expect_error(autoplot(samples, max_items = 0), "`max_items`", class = "mdpd_error_argument")
})

test_that("bars of samples count each once, the largest in the last bar", {
  bars <- sample_bars(c(0, 0.5, 15, NA, -Inf))
  expect_equal(bars, data.frame(from = c(0, 14), to = c(1, 15), n = c(2L, 1L)),
               ignore_attr = "row.names")
})

# ---- arguments and looks ---------------------------------------------------------------

test_that("a model without posterior or trace says so", {
  truth <- hand_made_truth()
  expect_error(autoplot(truth, type = "posterior"), class = "mdpd_error_not_stored")
  expect_error(autoplot(truth, type = "trace"), class = "mdpd_error_not_stored")
  expect_snapshot(show_conditions(autoplot(truth, type = "posterior")))
})

test_that("arguments out of range are errors", {
  fit <- hand_made_fit()
  expect_error(autoplot(fit, type = "pie"), class = "mdpd_error_argument")
  expect_error(autoplot(fit, type = "information", component = 3), class = "mdpd_error_argument")
  expect_error(autoplot(fit, type = "profiles", max_items = 1), class = "mdpd_error_argument")
  expect_error(plot(fit, main = "Title"), class = "rlib_error_dots_nonempty")
})

test_that("an argument of another type of picture is an error that names its types", {
  fit <- hand_made_fit()
  others <- list(lines = list(stage = 1), posterior = list(items = "item_1"),
                 posterior = list(newdata = data.frame(a = 1)), profiles = list(component = 1),
                 trace = list(max_items = 5), information = list(workers = "w"))
  for (i in seq_along(others)) {
    cnd <- expect_error(do.call(autoplot, c(list(fit, names(others)[i]), others[[i]])),
                        paste0("`", names(others[[i]]), "` must be left out"),
                        class = "mdpd_error_argument")
    expect_match(conditionMessage(cnd), picture_arguments[[names(others[[i]])]][1], fixed = TRUE)
  }
  # All arguments have types.
  arguments <- setdiff(names(formals(autoplot.mdpd)), c("object", "type", "..."))
  expect_setequal(names(picture_arguments), arguments)
  expect_true(all(unlist(picture_arguments) %in% eval(formals(autoplot.mdpd)$type)))
  expect_error(check_of_type(list(a = 1, b = NULL), list(a = c("map", "bars"), b = "map"), "pie"),
               'with `type = "pie"`: it is of `type = "map" or "bars"`', fixed = TRUE)
})

test_that("up to 24 components have different colours, and more still have one each", {
  expect_equal(anyDuplicated(component_colours(as.character(1:24))), 0)
  expect_length(component_colours(as.character(1:40)), 40)
})

test_that("long labels are shortened so that they stay different", {
  labels <- c("short", "a long label that ends in one", "another long label, ends in two")
  expect_equal(shorten(labels[1]), "short")
  expect_true(all(nchar(shorten(labels)) <= 16))
  same_beginning <- paste("question number", 1:20, "about life")
  expect_equal(anyDuplicated(shorten(same_beginning)), 0)
  same_ends <- paste("the same beginning", letters, "and the same end, at length")
  expect_equal(anyDuplicated(shorten(same_ends)), 0)
  expect_equal(shorten(rep("the same long label", 2)), shorten(rep("the same long label", 2)))
})

test_that("shortened labels can be drawn by every device and are cut by their width", {
  expect_true(all(validUTF8(shorten(strrep("a", 30:31))) & nchar(shorten(strrep("a", 30))) == 16))
  expect_false(any(grepl("[^ -~]", shorten(paste("a very long question", 1:9)))))
  wide <- strrep("\u6f22", 5:15)
  expect_lte(max(nchar(shorten(wide), "width")), 16)
  expect_equal(anyDuplicated(shorten(wide)), 0)
})

test_that("labels are wrapped first and cut only where the lines are full", {
  expect_equal(wrap_labels("short"), "short")
  # In two lines of sixteen columns, where nothing else is asked for.
  expect_equal(wrap_labels("abcdefgh abcdefg"), "abcdefgh abcdefg")
  expect_equal(wrap_labels("abcdefgh abcdefgh"), "abcdefgh\nabcdefgh")
  expect_equal(wrap_labels("abcdefgh abcdefgh abcdefgh"), "abcdefgh\nabcdefgh abcd...")
  expect_equal(wrap_labels("strongly disagree", 12), "strongly\ndisagree")
  question <- "How often do you read a newspaper in an ordinary week?"
  expect_equal(gsub("\n", " ", wrap_labels(question, 20, 3)), question)
  many <- paste(question, "Part", 1:30)
  for (n_lines in 1:3) {
    lines <- strsplit(wrap_labels(many, 16, n_lines), "\n")
    expect_lte(max(lengths(lines)), n_lines)
    expect_lte(max(nchar(unlist(lines), "width")), 16)
    expect_equal(anyDuplicated(lines), 0)
  }
  expect_equal(wrap_labels(strrep("a", 20), 12), paste0(strrep("a", 12), "\n", strrep("a", 8)))
  wide <- wrap_labels(strrep("\u6f22", 12), 16)
  expect_equal(wide, paste0(strrep("\u6f22", 8), "\n", strrep("\u6f22", 4)))
  expect_equal(wrap_labels(c("", "a")), c("", "a"))
})

test_that("every picture has a white background", {
  fit <- hand_made_fit()
  for (type in c("profiles", "lines", "posterior", "trace", "history")) {
    background <- ggplot2::calc_element("plot.background", autoplot(fit, type = type)$theme)
    expect_equal(background$fill, "white")
  }
})

test_that("axes with too many labels are thinned, from the first item on", {
  expect_equal(thin_breaks(40)(letters), letters)
  expect_equal(thin_breaks(3)(letters[1:9]), c("a", "d", "g"))
  expect_equal(thin_breaks(3, vertical = TRUE)(rev(letters[1:9])), c("a", "d", "g"))
  # Levels of mixed items: beside other panels and above them there is less room.
  cells <- data.frame(row = 1:60, text = paste0("r", 1:60))
  n_shown <- function(n_columns, n_rows, n) {
    scale <- mixed_y_scale(cells, n_columns, n_rows, 10, 1, list(share = 0.3, size = 8))
    length(scale$breaks(as.character(seq_len(n))))
  }
  expect_identical(n_shown(1, 1, 40), 40L)
  expect_identical(n_shown(1, 1, 41), 21L)
  expect_identical(n_shown(2, 1, 30), 30L)
  expect_identical(n_shown(2, 1, 31), 16L)
  expect_identical(n_shown(2, 2, 15), 15L)
  expect_identical(n_shown(2, 2, 16), 8L)
  expect_identical(c(n_shown(2, 12, 3), n_shown(2, 12, 4)), c(3L, 2L))
})

test_that("questions stand whole beside profiles where they fit in lines", {
  questions <- c(
    "How often do you discuss politics with your friends and family?",
    "In general, how much do you trust the government in the capital to do what is right?",
    "The country would be a better place to live in if more people took part in elections",
    "Have you signed a petition, on paper or online, in the last twelve months?"
  )
  x <- sharp_rows(200)[1:4]
  for (i in 1:4) attr(x[[i]], "label") <- questions[i]
  fit <- stagewise_em(x, k = 2)
  local_picture_size(7, 4.5)
  picture <- autoplot(fit)
  shown <- drawn_text(picture, 7, 4.5)
  expect_false(any(grepl("...", shown$text, fixed = TRUE)))
  for (word in unlist(strsplit(questions, " "))) {
    expect_true(any(grepl(word, shown$text, fixed = TRUE)), info = word)
  }
})

test_that("subtitles are as wide as the picture, and no line begins with a percent sign", {
  subtitle <- function(width, text) {
    local_picture_size(width, 4)
    picture_titles("Title", text)$subtitle
  }
  words <- paste(rep("aaaa", 18), collapse = " ")
  expect_identical(subtitle(7, words), words)
  expect_match(subtitle(4, words), "\n")
  for (width in seq(3, 7, by = 0.25)) {
    expect_false(grepl("\n%", subtitle(width, paste(words, "95 % intervals"))))
  }
})

test_that("long names of classes, groups and items stay in a picture four inches wide", {
  classes <- c("Supporters of the foreign policy of the president",
               "Opponents of the foreign policy of the president")
  fit <- name_components(stagewise_em(house_votes[-1], k = 2), classes)
  asked <- "Was there a vote for the water project which the states share?"
  fit$variable_labels <- stats::setNames(asked, informative(fit)[1])
  party <- paste("Members of the caucus of the", house_votes$party, "party")
  groups <- suppressWarnings(compare_groups(fit, party, free = informative(fit)[1:2]))
  outcome <- suppressMessages(distal_outcome(fit, party))
  regression <- class_regression(fit, ~ party, data.frame(party))
  pictures <- list(
    sizes = function() autoplot(groups), items = function() autoplot(groups, "items"),
    free = function() autoplot(groups, "item_probs"), outcome = function() autoplot(outcome),
    coefficients = function() autoplot(regression),
    shares = function() autoplot(regression, "shares"),
    selection = function() autoplot(bootstrap(fit, n = 2, type = "parametric"))
  )
  # Made for the page that they are drawn on.
  local_picture_size(4, 3)
  drawn <- lapply(pictures, function(make) drawn_text(make(), 4, 3))
  for (name in names(drawn)) {
    shown <- drawn[[name]]
    expect_true(all(shown$x >= 0 & shown$x_end <= 4 * 72), info = name)
    expect_false(any(grepl("...", shown$text[shown$text != "..."], fixed = TRUE) &
                       grepl("Support|Oppon|Members", shown$text)), info = name)
  }
  expect_lte(drawn$outcome$x_end[drawn$outcome$text == "100 %"], 4 * 72)
})
