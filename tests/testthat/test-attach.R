test_that("a package exports bootstrap() where its files say so", {
  expect_true(exports_bootstrap("mdpd"))
  expect_false(exports_bootstrap("stats"))
  expect_false(exports_bootstrap("no.such.package"))
})

test_that("broom's bootstrap() is left out while the package is attached, besides what was", {
  skip_if_not(exports_bootstrap("broom"))
  before <- conflictRules("broom")
  withr::defer(conflictRules("broom", before$mask.ok, before$exclude))
  conflictRules("broom", NULL, NULL)
  .onAttach()
  expect_identical(conflictRules("broom")$exclude, "bootstrap")
  .onDetach()
  expect_null(conflictRules("broom")$exclude)
  conflictRules("broom", "tidy", "glance")
  .onAttach()
  expect_identical(conflictRules("broom"),
                   list(mask.ok = "tidy", exclude = c("glance", "bootstrap")))
  .onDetach()
  expect_identical(conflictRules("broom"), list(mask.ok = "tidy", exclude = "glance"))
})
