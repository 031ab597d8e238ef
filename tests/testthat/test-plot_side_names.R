names_6 <- c("Conservative bloc", "Liberal bloc", "Moderate republicans", "Southern democrats",
             "Test ban", "Religious")

test_that("names stand upright only where a word would be broken in the smallest type", {
  stand <- function(width, ...) {
    local_picture_size(width, 5)
    side_names(names_6, 1 / 6, 9, ...)
  }
  # "Conservative" and "republicans" in nine points and in six.
  wide <- text_inches(12, 9) + 0.06
  narrow <- text_inches(12, 6) + 0.06
  expect_identical(stand(6 * wide)[c("upright", "size")], list(upright = FALSE, size = 9))
  expect_identical(stand(6 * narrow)[c("upright", "size")], list(upright = FALSE, size = 6))
  expect_true(stand(6 * narrow - 0.1)$upright)
  expect_true(stand(6 * narrow, bold = TRUE)$upright)
  # Short names, and weights which are wider.
  local_picture_size(2.4, 5)
  expect_false(side_names(letters[1:6], 1 / 6, 9)$upright)
  weights <- stats::setNames(rep("(17 %)", 6), letters[1:6])
  expect_true(side_names(letters[1:6], 0.12, 9, weights)$upright)
})

test_that("upright names have their weight beside or below them, and more of the height", {
  local_picture_size(4, 4)
  weights <- stats::setNames(rep("(17 %)", 6), names_6)
  side <- side_names(names_6, 0.1, 9, weights)
  expect_true(side$upright)
  labels <- side_labels(side)(names_6)
  expect_identical(labels[5], "Test ban (17 %)")
  expect_identical(labels[4], "Southern democrats\n(17 %)")
  expect_identical(side_text(side)$angle, 90)
  expect_identical(side_text(side)$hjust, 1)
  expect_identical(side_text(side, above = TRUE)$hjust, 0)
  expect_lte(height_of_upright(side), 0.27 * 4)
  expect_gt(height_of_upright(side), 0)
  # Where there is one line alone, the name is cut and not the weight.
  narrow <- side_labels(side_names(names_6, 0.05, 9, weights))(names_6)
  expect_match(narrow, "^[^\n]+ [(]17 %[)]$")
  expect_match(narrow[1], "...", fixed = TRUE)
  flat <- side_names(letters[1:6], 0.16, 9)
  expect_identical(height_of_upright(flat), 0)
  expect_null(side_text(flat)$angle)
  expect_identical(side_labels(flat)("a"), "a")
})

test_that("upright names take what is longer than 0.4 inches, up to 0.27 of the height", {
  local_picture_size(7, 10)
  more <- function(names, below = NULL, wide = 1) {
    height_of_upright(list(upright = TRUE, names = names, below = below, wide = wide, size = 9))
  }
  # Letters of nine points are 0.06875 inches wide; a blank is behind each name.
  expect_equal(more(c("a", strrep("b", 20))), 21 * 0.06875 - 0.4)
  expect_equal(more(strrep("b", 20), "(9 %)"), 26 * 0.06875 - 0.4)
  expect_equal(more(strrep("b", 20), wide = 1.1), 1.1 * 21 * 0.06875 - 0.4)
  expect_identical(more("abcd"), 0)
  expect_equal(more(strrep("b", 60)), 2.7 - 0.4)
})

test_that("an upright name has what its weight leaves of one line, or lines above it", {
  label <- function(length, width) upright_labels("abcdefghijkl", "(17 %)", length, width, 9)
  # An inch holds 14 columns of nine points, a line is 0.1375 inches high.
  expect_identical(label(1, 0.2), "abcd... (17 %)")
  expect_identical(label(0.3, 0.2), "a... (17 %)")
  # All names have the same room.
  expect_identical(upright_labels(rep("abcdefghijkl", 2), c("(7 %)", "(17 %)"), 1, 0.2, 9),
                   c("abcd... (7 %)", "abcd... (17 %)"))
  expect_identical(label(1.4, 0.2), "abcdefghijkl (17 %)")
  expect_identical(label(1, 0.28), "abcdefghijkl\n(17 %)")
  expect_identical(label(0.5, 0.28), "abcd...\n(17 %)")
  expect_identical(label(0.5, 0.42), "abcdefg\nhijkl\n(17 %)")
  expect_identical(upright_labels("abcdefghijkl", NULL, 0.5, 0.28, 9), "abcdefg\nhijkl")
})

test_that("upright names have type as large as leaves a line to their weights", {
  local_picture_size(10, 10)
  name <- paste(strrep("a", 30), strrep("b", 30))
  weight <- stats::setNames("(17 %)", name)
  size <- function(points, ...) side_names(name, (points / 72 + 0.05) / 10, 9, ...)$size
  # Two lines and that of the weight, each of 1.1 times the size, and bold type 1.1 times larger.
  expect_identical(size(3 * 1.1 * 9 + 0.1, weight), 9)
  expect_identical(size(3 * 1.1 * 9 - 0.1, weight), 8.5)
  expect_identical(size(3 * 1.21 * 9 + 0.1, weight, bold = TRUE), 9)
  expect_identical(size(3 * 1.21 * 9 - 0.1, weight, bold = TRUE), 8.5)
  expect_identical(size(2 * 1.1 * 9 + 0.1), 9)
  expect_identical(size(2 * 1.1 * 9 - 0.1), 8.5)
  # Flat ones of two lines, in six columns.
  flat <- function(points) {
    side_names("aaaa bbbb", (text_inches(6, 9) + 0.06) / 10, 9, high = points / 720)
  }
  expect_identical(flat(2 * 1.1 * 9 + 0.1)[c("upright", "size")], list(upright = FALSE, size = 9))
  expect_identical(flat(2 * 1.1 * 9 - 0.1)[c("upright", "size")], list(upright = FALSE, size = 8.5))
})

test_that("names of rows and of components share the width, upright ones the height", {
  fit <- hand_made_fit(k = 2, components = c("one", "two"))
  placed <- function(n_across) {
    profile_names(fit, c("item", "longer item"), 10, 1.5, 0.3,
                  components_across(n_across, 9, gap = 0.1, blocks = 2))
  }
  local_picture_size(7, 5)
  flat <- placed(2)
  expect_equal(flat$side$share, share_beside("longer item", flat$room) / 2 - 0.1 / 7)
  expect_identical(flat$rest, 1.5)
  upright <- placed(40)
  expect_true(upright$side$upright)
  expect_equal(upright$rest, 1.5 + 2 * height_of_upright(upright$side))
  expect_identical(upright$room, name_room(c("item", "longer item"), 10, upright$rest, 0.3))
  # Without more said: no gap, one block and no bold type.
  plain <- profile_names(fit, c("item", "longer item"), 10, 1.5, 0.3, components_across(40, 9))
  expect_equal(plain$side$share, share_beside("longer item", plain$room) / 40)
  expect_equal(plain$rest, 1.5 + height_of_upright(plain$side))
  expect_identical(plain$side$wide, 1)
})

test_that("every picture has all names of the components with no word broken", {
  fits <- list(
    binary = hand_made_fit(16, k = 6, n_informative = 16, components = names_6),
    shared = hand_made_fit(12, k = 4, n_levels = 5, n_informative = 12,
                           components = c("Liberal cosmopolitans", "Traditional authoritarians",
                                          "Disaffected nonvoters", "Satisfied centrists"),
                           items = paste("Trust in institution", 1:12)),
    mixed = hand_made_fit(5, k = 4, n_levels = c(2, 2, 2, 4, 7), components = names_6[1:4])
  )
  for (name in names(fits)) {
    for (size in list(c(7, 5), c(4, 4))) {
      local_picture_size(size[1], size[2])
      shown <- drawn_text(autoplot(fits[[name]]), size[1], size[2])
      words <- strsplit(names(fits[[name]]$mixing_weights), " ")
      expect_true(all(unlist(words) %in% unlist(strsplit(shown$text, " "))),
                  info = paste(name, size[1]))
    }
  }
})

test_that("heads of neighbouring panels do not run into each other", {
  heads <- c("Liberal cosmopolitans", "Traditional authoritarians", "Disaffected nonvoters",
             "Satisfied centrists")
  fit <- hand_made_fit(12, k = 4, n_levels = 5, n_informative = 12, components = heads,
                       items = paste("Trust in the institutions of the state", 1:12))
  local_picture_size(7, 5)
  shown <- drawn_text(autoplot(fit), 7, 5)
  lines <- shown[shown$text %in% unlist(strsplit(heads, " ")), ]
  expect_identical(nrow(lines), 8L)
  for (row in split(lines, lines$y)) {
    row <- row[order(row$x), ]
    expect_true(all(row$x_end[-nrow(row)] < row$x[-1]))
  }
})
