library(testthat)
library(mdpd)

test_check("mdpd")
