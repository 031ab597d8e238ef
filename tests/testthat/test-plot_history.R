# A trace with the moves given: `component`, `merged_1` and `merged_2` are numbers of the time.
trace_of <- function(...) {
  moves <- rbind(...)
  data.frame(
    phase = ifelse(moves$move %in% c(NA, "split"), "stage", "polish"), moves,
    item_1 = "a", item_2 = "b", n_informative = 2
  )
}
move <- function(move, component = NA, merged_1 = NA, merged_2 = NA) {
  data.frame(move, component, merged_1, merged_2)
}
lanes_of <- function(...) component_lanes(history_events(trace_of(...)))

test_that("every split starts a lane next to its parent's", {
  history <- lanes_of(move("split", 1), move("split", 1), move(NA, 2), move("split", 2))
  expect_equal(history$lanes$from, c(0, 1, 2, 4))
  expect_equal(history$lanes$to, rep(4.5, 4))
  expect_equal(history$now, 1:4)
  # From the top: 1; its younger child 3; its elder child 2 with the child of that.
  expect_equal(history$order, c(1, 3, 2, 4))
  expect_equal(history$at, c(1, 1, 2, 2))
  expect_equal(history$links$from, c(1, 1, 2))
})

test_that("a merge ends a lane and moves the numbers after it up", {
  # 1, 2, 3; the union of 1 and 2 is split anew: 3 is number 2 now, the new one is number 3.
  anew <- lanes_of(move("split", 1), move("split", 1), move("merge-split", 1, 1, 2))
  expect_equal(anew$now, c(1, 3, 4))
  expect_equal(anew$lanes$to[2], 3)
  expect_equal(anew$links[3:4, c("from", "to")], data.frame(from = c(2, 1), to = c(1, 4)),
               ignore_attr = TRUE)
  # 1 is split into 1 and 4, then 2 and 3 are merged: 4 takes the place of 3.
  merged <- lanes_of(move("split", 1), move("split", 1), move("split-merge", 1, 2, 3))
  expect_equal(merged$now, c(1, 2, 4))
  # The new part goes to another component at once: its lane has no length.
  part <- lanes_of(move("split", 1), move("split-merge", 1, 2, 3))
  expect_equal(part$now, 1:2)
  expect_equal(part$lanes[3, c("from", "to")], data.frame(from = 2, to = 2), ignore_attr = TRUE)
})

test_that("moves of items and rows change no lane", {
  history <- lanes_of(move("split", 1), move("items"), move("row"))
  expect_equal(nrow(history$lanes), 2)
  expect_equal(history$at, c(1, NA, NA))
})

test_that("lines end at the components of the fit, in any order of birth", {
  fit <- hand_made_fit(k = 4)
  fit$born <- stats::setNames(c(3, 1, 4, 2), names(fit$mixing_weights))
  lanes <- autoplot(fit, type = "history")$data
  expect_equal(lanes$component[c(3, 1, 4, 2)], names(fit$mixing_weights))
  fit$k <- 1  # all given up by a refinement: no lane ends at a component
  expect_true(all(is.na(lane_components(component_lanes(history_events(fit$trace)), fit))))
})

test_that("the numbers of birth are those of the stages, whatever follows", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 12, n_labels = 4, accuracy = rep(0.8, 8),
                          seed = 1)
  stages <- stagewise_em(crowd$labels, k = 4, refine = "none")
  engine <- engine_fit(stages$coded, 4, refine = "none")
  expect_equal(unname(stages$mixing_weights), engine$mixing_weights[stages$born])
  # By evidence there are other starts.
  by_bic <- stagewise_control(criterion = "bic", polish = FALSE)
  fit <- stagewise_em(crowd$labels, k = 4, control = by_bic)
  refined <- refine(stages, control = by_bic)
  expect_identical(refined$born, fit$born)
  expect_equal(refined$item_probs, fit$item_probs)
  gold <- stats::setNames(crowd$truth[1:50], 1:50)
  known <- stagewise_em(crowd$labels, k = 4, known = gold,
                        control = stagewise_control(criterion = "bic"))
  expect_identical(known$born[names(fit$born)], fit$born)
  expect_identical(refine(known)$born[names(fit$born)], fit$born)
  reversed <- align_components(fit, rev(fit$labels)[as.integer(predict(fit))])
  expect_setequal(reversed$born, 1:4)
  expect_identical(unname(reversed$posterior), unname(fit$posterior[, match(reversed$born,
                                                                            fit$born)]))
})

test_that("a component that a path adds has a parent, and its stage is drawn", {
  votes <- stagewise_em(answers(400, k = 4), k = 1:5)
  for (k in 2:5) {
    fit <- choose_k(votes, k)
    events <- history_events(fit$trace)
    expect_true(all(events$component[events$phase == "grow"] < events$k[events$phase == "grow"]))
    expect_setequal(stats::na.omit(autoplot(fit, type = "history")$data$component),
                    if (fit$k > 1) names(fit$mixing_weights) else "1")
  }
})

test_that("where another start was better, its lines follow on the rows of those it replaced", {
  fit <- hand_made_fit(k = 3)
  start <- utils::tail(fit$trace, 1)
  start[c("phase", "move", "component", "item_1", "item_2")] <- list("refine", "correspondence", NA,
                                                                    NA, NA)
  start$k <- 3
  fit$trace <- rbind(fit$trace, start)
  picture <- autoplot(fit, type = "history")
  lanes <- picture$data
  before <- is.na(lanes$component)
  expect_setequal(lanes$component[!before], names(fit$mixing_weights))
  expect_setequal(lanes$y[!before], 1:3)
  expect_setequal(lanes$y[before], 1:3)
  # A gap, and lines long enough to be seen.
  expect_lt(max(lanes$to[before]), min(lanes$from[!before]))
  expect_gte(min((lanes$to - lanes$from)[!before]), 0.12 * max(lanes$to))
  expect_match(picture$labels$subtitle, "another start was better \\(clusters of the rows\\)")
  # From here on its shapes have a scale; where no event has one, ggplot2 3.5 warns of it.
  expect_false(is.null(picture$scales$get_scales("shape")))
  fit$trace <- start
  unmarked <- autoplot(fit, type = "history")
  expect_null(unmarked$scales$get_scales("shape"))
  expect_warning(ggplot2::ggplotGrob(unmarked), NA)
  expect_false("another start" %in% picture$layers[[length(picture$layers)]]$data$event)
  expect_picture("history another start", picture)
})

test_that("a move of items or rows is marked on every line there is", {
  events <- history_events(trace_of(move("split", 1), move("items"), move("split", 1)))
  marks <- history_marks(events, component_lanes(events))
  expect_equal(marks$x, c(1, 2, 2, 3))
  expect_setequal(marks$y[marks$x == 2], component_lanes(events)$lanes$y[1:2])
})

test_that("histories of one component and of thirty build", {
  local_pdf()
  for (fit in list(hand_made_fit(k = 1, n_informative = 0), hand_made_fit(k = 30),
                   stagewise_em(answers(), k = 2, method = "paper"))) {
    expect_silent(ggplot2::ggplotGrob(autoplot(fit, type = "history")))
  }
  expect_error(autoplot(hand_made_truth(), type = "history"), class = "mdpd_error_not_stored")
})

test_that("components of ordinary EM are there from the start", {
  fit <- mdpd(small_crowd()$labels, k = 3)
  picture <- autoplot(fit, type = "history")
  expect_setequal(picture$data$component, names(fit$mixing_weights))
  expect_identical(picture$data$from, c(0, 0, 0))
  expect_identical(picture$labels$subtitle, "EM began with 3 components")
  expect_identical(n_at_start(trace_of(move("split", 1), move(NA, 1))), 1)
})

test_that("names of a split are where its lane has most room, and all cut alike", {
  local_picture_size(7, 5)
  # The third split is of the second component, and its lane below that of the first split.
  trace <- trace_of(move("split", 1), move("split", 1), move("split", 2))
  trace$item_1 <- c("apple", "berry", "cherry")
  trace$item_2 <- strrep(c("a", "b", "c"), 100)
  events <- history_events(trace)
  history <- component_lanes(events)
  # After the first split the third begins on its lane; back from the second is the line of the
  # first, and back from the third none.
  expect_equal(room_beside(history$links, history),
               data.frame(before = c(1, 1, 3), after = c(2, 1.5, 0.5)))
  names <- split_names(events, history)$data
  expect_identical(names$hjust, c(0, 0, 1))
  columns <- text_columns(0.65 * 7 * 1.5 / 3.5, 7.1)
  long <- paste0(strrep("a", columns - 4), "...")
  expect_identical(names$label[1], paste0("apple,\n", long))
  expect_true(all(nchar(sub(".*\n", "", names$label)) == columns - 1))
  # Where lanes are close to each other the two are in one line.
  local_picture_size(7, 2)
  flat <- split_names(events, history)$data
  expect_identical(flat$label[1], paste0("apple, ", strrep("a", (columns - 2) %/% 2 - 3), "..."))
  # No name ends outside of the picture: the last has no room after its split.
  events$item_2 <- "berry"
  events <- events[c(rep(1, 8), 2), ]
  expect_identical(utils::tail(split_names(events, component_lanes(events))$data$hjust, 1), 1)
})

test_that("a split without a pair of items beside others is drawn without a name", {
  crowd <- simulate_crowd(n_items = 500, n_workers = 12, n_labels = 3, seed = 2)
  fit <- stagewise_em(crowd$labels, k = 3)
  fit$trace[which(fit$trace$move == "split")[1], c("item_1", "item_2")] <- NA
  expect_s3_class(ggplot2::ggplotGrob(autoplot(fit, type = "history")), "gtable")
})

test_that("EM and smoothing are no events, and lines end half a step or more after the last", {
  trace <- trace_of(move("split", 1), move("smoothing"), move("items"), move(NA, 1))
  trace$phase <- c("stage", "polish", "polish", "refine")
  events <- history_events(trace)
  expect_identical(as.character(events$event), c("split", "items or rows moved"))
  ends <- function(...) {
    moves <- rbind(...)
    trace <- trace_of(moves)
    trace$k <- 2
    unique(utils::tail(component_lanes(history_events(trace))$lanes$to, 2))
  }
  start <- move("vote")
  expect_equal(ends(move("split", 1), start), 2.5)
  expect_equal(ends(move("split", 1), start, move("items")), 3.5)
  # Another start of many steps has lines of a seventh or so.
  items <- move("items")[rep(1, 8), ]
  expect_equal(ends(move("split", 1), items, start), 11.5)
  expect_equal(ends(move("split", 1), items, start, move("items")), 11.5)
})

test_that("another start is marked by a line in the gap before it, and named by the last", {
  fit <- hand_made_fit(k = 3)
  start <- utils::tail(fit$trace, 1)
  start[c("phase", "move", "component")] <- list("refine", "scattered", NA)
  start$k <- 3
  fit$trace <- rbind(fit$trace, start)
  picture <- autoplot(fit, type = "history")
  n_events <- nrow(history_events(fit$trace))
  expect_equal(ggplot2::layer_data(picture, 1)$xintercept, n_events - 0.15)
  expect_identical(picture$data$to[is.na(picture$data$component)],
                   rep(n_events - 0.3, 3))
  start$move <- "vote"
  expect_identical(last_start(history_events(rbind(fit$trace, start))), "vote")
  expect_no_match(picture$labels$subtitle, "polish")
  move <- start
  move[c("phase", "move")] <- list("polish", "items")
  polished <- fit
  polished$trace <- rbind(fit$trace, move)
  expect_match(autoplot(polished, type = "history")$labels$subtitle,
               "Then 1 move of the polish", fixed = TRUE)
})

test_that("marks are smaller where there are more than forty events", {
  size <- function(n) {
    fit <- hand_made_fit(k = 2)
    fit$trace <- fit$trace[c(1, rep(2, n - 1)), ]
    fit$trace$phase <- "stage"
    fit$trace[-1, c("move", "component")] <- list("items", NA)
    layers <- autoplot(fit, type = "history")$layers
    layers[[length(layers)]]$aes_params$size
  }
  expect_identical(c(size(40), size(41)), c(2.2, 1.2))
})

test_that("names of splits stand beside their lanes", {
  trace <- trace_of(move("split", 1), move("split", 2), move("split", 1), move(NA, 1), move(NA, 1))
  events <- history_events(trace)
  history <- component_lanes(events)
  names <- split_names(events, history)$data
  expect_identical(names$hjust, c(0, 0, 0))
  expect_equal(names$x, 1:3 + 0.012 * 5.5)
  expect_identical(names$y, history$lanes$y[2:4])
  events$item_1[2] <- NA
  expect_equal(split_names(events, history)$data$x, c(1, 3) + 0.012 * 5.5)
  late <- split_names(events[1:3, ], component_lanes(events[1:3, ]))$data
  expect_equal(late$x[2], 3 - 0.01 * 3.5)
})
