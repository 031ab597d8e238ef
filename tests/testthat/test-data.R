test_that("the anaesthetists' data have the design of the published table", {
  expect_identical(dim(anaesthetists), c(315L, 4L))
  expect_named(anaesthetists, c("patient", "anaesthetist", "session", "grade"))
  expect_identical(anyDuplicated(anaesthetists[c("patient", "anaesthetist", "session")]), 0L)
  sessions <- with(anaesthetists, table(anaesthetist, session))
  expect_identical(unname(sessions[, "1"]), rep(45L, 5))
  expect_identical(unname(sessions[, "3"]), c(45L, 0L, 0L, 0L, 0L))
})

test_that("the anaesthetists' grades have the marginals of the published table", {
  counts <- with(anaesthetists, table(anaesthetist, grade))
  expected <- rbind(
    c(52, 61, 18, 4), c(16, 15, 11, 3), c(20, 17, 5, 3), c(18, 17, 7, 3), c(21, 15, 7, 2)
  )
  expect_equal(unclass(counts), expected, ignore_attr = TRUE)
  first <- subset(anaesthetists, anaesthetist == 1)
  counts <- table(first$session, first$grade)
  expect_equal(
    unclass(counts), rbind(c(19, 20, 4, 2), c(15, 20, 9, 1), c(18, 21, 5, 1)), ignore_attr = TRUE
  )
})

test_that("the votes of the House have the design and the marginals of the published table", {
  expect_identical(dim(house_votes), c(435L, 17L))
  expect_equal(c(table(house_votes$party)), c(democrat = 267, republican = 168))
  votes <- house_votes[-1]
  expect_true(all(vapply(votes, function(x) identical(levels(x), c("n", "y")), NA)))
  # The marginals in the documentation of the UCI repository.
  missing <- c(12L, 48L, 11L, 11L, 15L, 11L, 14L, 15L, 22L, 7L, 21L, 31L, 25L, 17L, 28L, 104L)
  expect_identical(unname(vapply(votes, function(x) sum(is.na(x)), 0L)), missing)
})
