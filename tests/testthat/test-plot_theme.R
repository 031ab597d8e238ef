# Of the widest line, in points: bold type of 12 points, as pdf() has it for titles.
title_width <- function(picture) {
  local_pdf()
  lines <- strsplit(picture$title, "\n")[[1]]
  max(graphics::strwidth(lines, "inches", font = 2)) * 72
}

test_that("titles end before the margin, as wide as the picture is and not as high", {
  # Margins of the theme are 6 and 10 points.
  for (width in c(3, 4, 7)) {
    local_picture_size(width, 6)
    title <- picture_titles(strrep("e", 200))
    expect_lte(title_width(title), 72 * width - 16)
    expect_gte(title_width(title), 0.8 * 72 * width)
  }
  # The sentences of a subtitle have lines of their own, none wider than a hundred letters.
  local_picture_size(20, 3)
  subtitle <- picture_titles("T", paste(rep("aaaa", 40), collapse = " "), "b %")$subtitle
  expect_identical(nchar(strsplit(subtitle, "\n")[[1]]), c(99L, 99L, 3L))
  local_picture_size(1, 3)
  expect_identical(max(nchar(strsplit(picture_titles("T", subtitle)$subtitle, "\n")[[1]])), 39L)
})

test_that("titles of a square fit beside it where it stands in the middle", {
  local_picture_size(4, 3.2)
  expect_equal(square_title_room(), 3.6)
  line <- paste(rep("word", 12), collapse = " ")  # 59 columns, of 60 and of 54
  expect_identical(picture_titles("A", line)$subtitle, line)
  narrow <- picture_titles("A", line, room = square_title_room())$subtitle
  expect_identical(narrow, paste0(substr(line, 1, 49), "\n", substr(line, 51, 59)))
  local_picture_size(3, 5)
  expect_equal(square_title_room(), 3)
})

test_that("titles of stages have lines where panels are narrow", {
  n_items <- c(0, 5, 12)
  local_picture_size(7, 5)
  expect_identical(stage_items(n_items), c("0 items in use", "5 items in use", "12 items in use"))
  local_picture_size(3, 3)
  expect_identical(stage_items(n_items), paste0(c(0, 5, 12), " items\nin use"))
  expect_identical(stage_items(12), "12 items in use")
})

test_that("the room of a text is told in columns and lines, one at least, of nine points", {
  # Letters of ten points are 5.5 wide, on average, their lines 11 high.
  expect_identical(text_columns(c(1, 0.3, 0.01), 10), c(13, 3, 1))
  expect_identical(text_lines(c(1, 0.3, 0.01), 10), c(6, 1, 1))
  expect_identical(text_columns(2), text_columns(2, 9))
  expect_identical(text_lines(2), text_lines(2, 9))
  # An inch is 72 points; what is not quite a twentieth letter or a tenth line has no room.
  expect_identical(c(text_columns(1.37), text_lines(1.37)), c(19, 9))
  expect_equal(text_inches(20), 1.375)
  label <- paste(rep("word", 30), collapse = " ")
  expect_identical(fit_labels(label, 1, 0.5), fit_labels(label, 1, 0.5, 9))
  # Labels of rooms of their own.
  expect_identical(fit_labels(rep(label, 2), c(1, 2), 0.3),
                   c(fit_labels(label, 1, 0.3), fit_labels(label, 2, 0.3)))
  expect_identical(fit_labels("abcdef", 0.01, 0.1), "a...")
  # Labels of one room that differ only in what has no room are still told apart.
  like <- paste(label, c("one", "two"))
  expect_identical(anyDuplicated(fit_labels(like, 1, 0.5)), 0L)
  expect_identical(fit_labels(like, 1, c(0.5, 0.5)), fit_labels(like, 1, 0.5))
  # Twelve of them in four columns have no room but for their numbers.
  many <- fit_labels(paste("Question", 1:12, "of the survey"), 0.09, 0.1, 6)
  expect_identical(many[c(1, 12)], c("...1", "..12"))
})

test_that("names of items stand upright where a word is wider than its place in the line", {
  local_picture_size(7, 5)
  # Five places of 1.12 inches, less 0.03 between them: 15 letters of nine points.
  labels <- function(n) c(strrep("a", n), "b", "c", "d", "e")
  expect_false(is_crowded(labels(15)))
  expect_true(is_crowded(labels(16)))
})

test_that("titles of panels are beside their rows or above them", {
  local_picture_size(10, 8)
  cells <- data.frame(panel = factor(c("a", "a", "b")))
  expect_equal(strip_room(cells, TRUE, 1, 0.4),
               list(width = 1.8, height = c(a = 0.8, b = 0.4), size = 8.5))
  expect_equal(strip_room(cells, FALSE, 3, 0.4),
               list(width = 3, height = c(a = 0.7, b = 0.7), size = 9.5))
})

test_that("titles that are wider than their panels end with them", {
  local_picture_size(7, 5)
  side <- function(n_title, n_text) {
    cells <- data.frame(panel = factor(strrep("a", n_title)), text = strrep("b", n_text))
    room <- list(share = 0.14, size = 6)
    strip_side(cells, strip_room(cells, FALSE, 3, 0.4), 3, room)
  }
  # Of the 2.2 inches of a column names have 0.98 at most: 20 bold letters fit beside them and into
  # the margins.
  expect_identical(side(20, 40), 0.5)
  expect_identical(side(21, 40), 1)
  expect_identical(side(21, 5), 0.5)
})

test_that("panels of items stand in as many columns as the names of their levels have room", {
  columns <- function(n_panels, n_letters) {
    mixed_columns(data.frame(panel = factor(seq_len(n_panels)), text = strrep("a", n_letters)))
  }
  # As many below each other, if names of 8 to 10 columns of text in one line, longer ones of 7.5
  # to 14 in two, have room in 42 columns; but five rows at most.
  expect_identical(vapply(c(3, 10, 11, 17, 18, 40), columns, 0, n_panels = 12),
                   c(4, 4, 4, 4, 3, 3))
  # Of 13 letters, in two lines of 8.5, four have room side by side.
  expect_identical(vapply(c(12, 13), columns, 0, n_panels = 20), c(5, 4))
  # The longest name counts.
  expect_identical(columns(12, rep(c(1, 18), 6)), 3)
  expect_identical(vapply(c(1, 4, 9, 16, 25, 36), columns, 0, n_letters = 40), c(1, 2, 3, 4, 5, 8))
})

test_that("broken lines have all letters of the label and no line is too wide", {
  labels <- c("abcdefghijklmnop", "a physician_fee_freeze of the year", "well-known-people-of-a",
              "duty.free.exports = yes, perhaps")
  for (label in labels) {
    for (width in c(2, 5, 6, 9, 16)) {
      lines <- break_lines(label, width)
      expect_identical(gsub(" ", "", paste(lines, collapse = "")), gsub(" ", "", label))
      expect_lte(max(nchar(lines)), width)
    }
  }
})

test_that("legends stand in as many columns as the width has room for, whatever the height", {
  names <- strrep(letters[1:6], 20)
  side <- function(width, height, names) {
    local_picture_size(width, height)
    guide_part(name_legend(names), "ncol")
  }
  # 25 columns of text for a name with its key; 0.8 inches are for the title.
  expect_identical(side(4, 9, names), 1)
  expect_identical(side(5, 3, names), 2)
  expect_identical(side(7, 3, names), 3)
  expect_identical(side(20, 3, names), 6)
  lines <- function(width, height) {
    local_picture_size(width, height)
    strsplit(legend_labels(paste(rep("word", 16), collapse = " ")), "\n")[[1]]
  }
  expect_identical(lines(4, 9), lines(4, 2))
  expect_lt(max(nchar(lines(3, 9))), 30)
  expect_identical(nchar(lines(20, 2)), c(44L, 34L))
  expect_identical(nchar(lines(20, 2)), nchar(lines(7, 9)))
})

test_that("eight colours come again darker, then lighter, and beyond 24 there is a ramp", {
  lightness <- function(colours) colSums(grDevices::col2rgb(colours))
  colours <- component_colours(paste0("c", 1:24))
  expect_named(colours, paste0("c", 1:24))
  expect_identical(unname(colours[1:8]), okabe_ito)
  expect_true(all(lightness(colours[9:16]) < lightness(colours[1:8])))
  expect_true(all(lightness(colours[17:24]) > lightness(colours[1:8])))
  expect_identical(component_colours(letters[1:3]), stats::setNames(okabe_ito[1:3], letters[1:3]))
  many <- component_colours(paste0("c", 1:25))
  expect_identical(anyDuplicated(many), 0L)
  expect_false(any(okabe_ito %in% many))
  expect_identical(blend(c("#FF0000", "#000000"), "white", 0.2), c("#FF3333", "#333333"))
  expect_identical(blend("#64C832", "black", 1), "#000000")
})

test_that("what fits whole has no word broken but at a mark", {
  expect_identical(words_of(c("the worker_with-id 7", "b")), c("the", "worker_", "with-", "id", "7",
                                                               "b"))
  # Nine letters of nine points are 0.62 inches.
  expect_true(fits_whole("Southern democrats", 0.62, 0.3, 9))
  expect_false(fits_whole("Southern democrats", 0.61, 1, 9))
  expect_true(fits_whole("democrats_of_the_south", 0.7, 0.5, 9))
  expect_true(fits_whole(character(), 1, 1, 9))
})

test_that("names above their weights have lines while there is room", {
  name <- "Satisfied and trusting citizens of the country"
  fit <- hand_made_fit(k = 2, components = c(name, "b"))
  labels <- function(width, height, share) {
    local_picture_size(width, height)
    side <- side_names(c("b", name), share, 9, weight_labels(fit))
    expect_false(side$upright)
    # In the type that was asked for.
    side$size <- 9
    side_labels(side)(c("b", name))
  }
  expect_identical(labels(7, 5, 1), c("b\n(40 %)", paste0(name, "\n(60 %)")))
  lines <- strsplit(labels(10, 8, 0.1)[2], "\n")[[1]]
  expect_identical(paste(lines, collapse = " "), paste(name, "(60 %)"))
  expect_lte(max(nchar(lines)), text_columns(1))
  expect_gt(length(lines), 3)
  # Of 1.5 inches the name has a line, of 5 three of them.
  expect_identical(lengths(strsplit(c(labels(7, 1.5, 0.1)[2], labels(7, 4, 0.1)[2]), "\n")),
                   c(2L, 4L))
})

test_that("type is as large as the rows allow, from 5.5 to 9 points", {
  local_picture_size(7, 5)
  expect_identical(row_height(4, 1), 1)
  expect_identical(row_height(2, 4.8), 0.4)  # titles leave 0.8 inches at least
  expect_identical(label_size(1), 9)
  expect_equal(label_size(31, 1), 8)
  expect_identical(label_size(500), 5.5)
  expect_identical(fitted_size(9, function(size) size <= 7.2), 7)
  expect_identical(fitted_size(9, function(size) size == 7), 7)
  expect_identical(fitted_size(9, function(size) size <= 4), 6)
  expect_identical(fitted_size(9, function(size) FALSE, least = 8), 8)
  expect_identical(fitted_size(5.5, function(size) FALSE), 5.5)
  expect_identical(fitted_size(9, function(size) TRUE), 9)
  expect_identical(fitted_size(9, function(size) FALSE, least = 4), 5)
})

test_that("long names get more of the width first, then smaller type", {
  local_picture_size(7, 5)
  expect_identical(name_room(letters, 5, 1, 0.3), list(share = 0.3, size = 9))
  long <- strrep("n", c(5, 45))
  expect_identical(name_room(long, 30, 1, 0.3)[["share"]], 0.42)
  longer <- name_room(strrep("n", c(5, 48)), 20, 1, 0.3, most = 0.4)
  expect_identical(longer$share, 0.4)
  # 48 columns in 2.8 inches.
  expect_identical(longer$size, 7.5)
})

test_that("colours of a heat map are as wide as the picture allows, and text stands upright", {
  width <- function(inches) {
    local_picture_size(inches, 5)
    as.double(theme_heat_map()$legend.key.width)
  }
  expect_equal(c(width(4), width(5), width(7)), c(20.8, 26, 26))
  text <- vertical_text(8)
  expect_identical(c(text$angle, text$hjust, text$vjust, text$size), c(90, 1, 0.5, 8))
})

test_that("tiles have numbers from 0.19 by 0.1 inches on, white ones where the tile is dark", {
  cells <- data.frame(item = "a", probability = c(0.1234, NA, 0.46, 0.45))
  expect_null(tile_numbers(cells, 0.18, 1))
  expect_null(tile_numbers(cells, 1, 0.09))
  expect_null(tile_numbers(cells[2, ], 1, 1))
  numbers <- tile_numbers(cells, 0.19, 0.1)
  expect_identical(numbers$data$probability, c(0.1234, 0.46, 0.45))
  expect_identical(numbers$aes_params$colour, c("grey10", "white", "grey10"))
  expect_identical(nrow(tile_numbers(cells[1, ], 0.19, 0.1)$data), 1L)
  expect_false(numbers$show.legend)
  expect_true(numbers$geom_params$check_overlap)
  expect_gt(heat_tiles(30)$aes_params$linewidth, 0)
  expect_identical(heat_tiles(31)$aes_params$linewidth, 0)
})

test_that("axes of counts have whole numbers, and steps are called after what is there", {
  expect_identical(whole_breaks(c(0, 10)), c(2, 4, 6, 8, 10))
  expect_identical(whole_breaks(c(0.6, 3.2)), c(1, 2, 3, 4))
  # Of five stages each.
  expect_identical(whole_breaks(c(-0.1, 5.6)), c(1, 2, 3, 4, 5, 6))
  expect_identical(whole_breaks(c(0, 9.9)), as.double(1:10))
  expect_identical(whole_breaks(c(0, 12)), c(5, 10, 15))
  steps <- c(stage = "stage", grow = "split", polish = "move")
  expect_identical(step_names(steps, c("polish", "stage", "stage")), "Stage; move")
  expect_identical(step_names(steps, "grow"), "Split")
})

test_that("a page that says class has no components in its titles", {
  picture <- autoplot(hand_made_fit())
  picture$labels$caption <- "components of the componentwise"
  titles <- in_classes(picture)$labels
  expect_identical(titles$title, "What each class answers")
  expect_identical(titles$x, "Class (share of the rows)")
  expect_identical(titles$caption, "classes of the componentwise")
  expect_identical(titles$y, picture$labels$y)
})

test_that("numbers below narrow pictures and panels stand apart", {
  local_picture_size(4, 4)
  expect_identical(heat_breaks(), c(0, 0.5, 1))
  # Three panels side by side have room for two numbers each, one has room for five.
  expect_lte(length(sample_breaks(3)(c(0, 1e10))), 3)
  expect_gt(length(sample_breaks(1)(c(0, 1e10))), 4)
  expect_identical(short_numbers(c(0, 1200, 0.5, 5e9))[4], "5e+09")
  expect_identical(short_numbers(c(0, 1200)), c("0", "1,200"))
  for (width in c(5, 7)) {
    local_picture_size(width, 5)
    expect_identical(heat_breaks(), (0:4) / 4)
  }
})

test_that("a picture is made for what is open, or for seven by five inches", {
  withr::local_options(mdpd.picture_size = NULL)
  grDevices::graphics.off()
  expect_identical(picture_size(), c(7, 5))
  grDevices::pdf(NULL, 4, 3)
  withr::defer(grDevices::dev.off())
  expect_equal(picture_size(), c(4, 3))
})

test_that("names leave the others of a line what they do not need", {
  local_picture_size(7, 5)
  # Eight letters of nine points are 0.55 inches; 0.7 are for margins and the title.
  expect_equal(share_beside(c("a", strrep("n", 8)), list(share = 0.3, size = 9)),
               1 - 0.55 / 7 - 0.1)
  expect_equal(share_beside(strrep("n", 80), list(share = 0.3, size = 9)), 0.6)
})

test_that("components stand side by side in a legend as far as their labels have room", {
  side <- function(width, k, ...) {
    local_picture_size(width, 5)
    guide_part(component_legend(hand_made_fit(k = k, ...)), "ncol")
  }
  # Labels of eight letters, "1 (14 %)", and five columns of text for the key.
  expect_identical(side(7, 9), 8)
  expect_identical(side(4, 9), 4)
  expect_identical(side(7, 3), 3)
  expect_identical(side(4, 2, components = strrep(c("a", "b"), 60)), 1)
  fit <- hand_made_fit(k = 9)
  local_picture_size(4, 5)
  expect_true(guide_part(component_legend(fit), "byrow"))
  expect_equal(component_legend_height(fit), 0.17 * 3)
  # On one line up to fifty columns of text, else the weight is below.
  label <- function(n) component_labels(hand_made_fit(k = 2, components = c(strrep("n", n), "b")))
  expect_identical(label(43)[[1]], paste(strrep("n", 43), "(60 %)"))
  expect_identical(label(44)[[1]], paste0(strrep("n", 44), "\n(60 %)"))
  expect_identical(lengths(strsplit(label(150)[[1]], "\n")), 3L)
})

test_that("a legend of names leaves the rest of the height to the picture", {
  local_picture_size(7, 5)
  expect_true(guide_part(name_legend(letters), "byrow"))
  # 90 columns of text: fifteen names of a letter and five columns each, in two lines.
  expect_identical(legend_side(letters), 15)
  expect_equal(height_beside_names(letters), 1.4 + 0.17 * 2)
  long <- paste(strrep("a", 30), strrep("b", 30))
  expect_equal(height_beside_names(rep(long, 3)), 1.4 + 0.17 * 2 * 3)
})

test_that("labels of an axis that run into each other are left out", {
  skip_other_ggplot2()
  expect_true(sparse_axis()$check.overlap)
})

test_that("every second, third, ... value is named, from the one that is drawn first", {
  expect_identical(thin_breaks(5)(1:5), 1:5)
  expect_identical(thin_breaks(5)(1:6), c(1L, 3L, 5L))
  expect_identical(thin_breaks(2, vertical = TRUE)(1:6), c(6L, 3L))
})

test_that("the title of an axis is broken beside what stands on the left", {
  local_picture_size(4, 3)
  # 36 columns of eleven points in 3.1 inches.
  title <- function(n, ...) axis_title(paste(strrep("a", n), "b"), ...)
  expect_identical(title(34), paste(strrep("a", 34), "b"))
  expect_identical(title(35), paste0(strrep("a", 35), "\nb"))
  expect_identical(title(35, left = 0.5), paste(strrep("a", 35), "b"))
})

test_that("names of items leave an inch of the height for the lines above a tall legend", {
  names <- strrep("n", 60)
  columns <- function(legend) {
    local_picture_size(4, 4)
    nchar(line_x_scale(rep(names, 40), legend)$labels(1))
  }
  expect_lt(columns(1.4), columns(0.2))
  # A third of the height, what the legend leaves below an inch of lines and one of titles, and no
  # less than 0.4 inches.
  room <- function(inches) nchar(fit_labels(names, inches, 0.08, line_text_size(rep(names, 40))))
  local_picture_size(4, 4)
  expect_identical(c(columns(0.2), columns(1.4), columns(3)), c(room(1.28), room(0.6), room(0.4)))
  # A legend of eight long labels stands in one column, of two lines each.
  fit <- hand_made_fit(k = 8, components = paste(strrep("c", 47), 1:8))
  local_picture_size(4, 4)
  expect_equal(component_legend_height(fit), 0.17 * 2 * 8)
})
