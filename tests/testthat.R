library(testthat)
library(mdpd)

# A check on CRAN has ten minutes for everything, and all tests take most of them. There, the method
# beside its slow twins in R, what must not change a fit, and what may differ between machines;
# `make test` runs all.
topics <- if (!identical(Sys.getenv("NOT_CRAN"), "true")) {
  c("case_weights", "crowd_labels", "distinct_rows", "encoding", "fingerprint", "fit",
    "identification", "information_kernel", "mdpd", "missing_values", "permutations", "read_crowd",
    "refine_kernel", "same_as_item", "simulate", "solve_covariance", "sparse_codes", "stages",
    "stagewise_em", "stagewise_paper", "starts", "store_predict", "ties")
}
stopifnot(file.exists(sprintf("testthat/test-%s.R", topics)))
test_check("mdpd", filter = if (!is.null(topics)) paste0("^(", paste(topics, collapse = "|"), ")$"))
