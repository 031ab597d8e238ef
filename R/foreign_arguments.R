# What users of other packages write by habit, and what to write here instead.

# The number of components as mclust, poLCA, glca, flexmix, StepMix, kmeans() and others call it.
names_of_k <- c("G", "K", "nclass", "nclust", "n_class", "n_classes", "n_components", "n_clusters",
                "nclasses", "nclusters", "ncomp", "centers", "classes", "clusters", "gvals")

foreign_arguments <- c(
  maxiter = "The limit of iterations is in {.code control = stagewise_control(max_iter = )}.",
  max_iter = "The limit of iterations is in {.code control = stagewise_control(max_iter = )}.",
  tol = "The tolerance is in {.code control = stagewise_control(tol = )}.",
  na.rm = "No row is dropped for a missing value, see {.arg missing}.",
  na.action = "No row is dropped for a missing value, see {.arg missing}.",
  nrep = "{.fn stagewise_em} has no random starts; those of {.fn mdpd} are {.arg n_starts}.",
  nstart = "{.fn stagewise_em} has no random starts; those of {.fn mdpd} are {.arg n_starts}.",
  n_starts = "{.fn stagewise_em} has no random starts; those of {.fn mdpd} are {.arg n_starts}.",
  seed = "{.fn stagewise_em} draws no random numbers: the same data give the same fit.",
  weight = "The case weights are {.arg weights}, of a store those of {.fn row_store}.",
  wt = "The case weights are {.arg weights}, of a store those of {.fn row_store}.",
  wts = "The case weights are {.arg weights}, of a store those of {.fn row_store}.",
  data = "{.arg data} goes with a formula: {.code stagewise_em(~ ., k, data)}."
)

# `dots`: the expressions of arguments that the function does not have; `hints`: what to write in
# the place of these.
check_foreign_arguments <- function(dots, hints = character(), call = rlang::caller_env()) {
  names <- rlang::names2(dots)
  formula <- Filter(function(code) rlang::is_call(code, "~"), dots[names == ""])
  if (length(formula) > 0) {
    abort_mdpd(
      c("A formula must be the first argument.",
        i = "Give the table as {.arg data}:
             {.code stagewise_em({rlang::as_label(formula[[1]])}, k, data)}."),
      class = "argument", call = call
    )
  }
  of_k <- intersect(names, names_of_k)
  if (length(of_k) > 0) {
    value <- rlang::as_label(dots[[match(of_k[1], names)]])
    abort_mdpd(
      c("There is no argument {.arg {of_k[1]}}.",
        i = "The number of components is {.arg k}: write {.code k = {value}}."),
      class = "argument", call = call
    )
  }
  hints <- c(hints, foreign_arguments)
  known <- intersect(names, names(hints))
  if (length(known) > 0) {
    abort_mdpd(
      c("There is no argument {.arg {known[1]}}.", i = hints[[known[1]]]),
      class = "argument", call = call
    )
  }
}

# Of `predict()`: what other packages call its types.
check_predict_type <- function(type, choices, call = rlang::caller_env()) {
  ours <- c(posterior = "prob", probs = "prob", probability = "prob", probabilities = "prob",
            response = "prob", raw = "prob", classification = "class", cluster = "class",
            clusters = "class", classes = "class", loglik = "density", logdensity = "density")
  if (rlang::is_string(type) && type %in% names(ours)) {
    abort_mdpd(
      c("{.arg type} must be {.or {.val {choices}}}, not {.val {type}}.",
        i = 'Write {.code type = "{ours[[type]]}"}.'),
      class = "argument", call = call
    )
  }
  check_choice(type, choices, arg = "type", call = call)
}

# A response. Of poLCA's `cbind(a, b) ~ 1` the items stand on the left, and covariates of the class
# on the right.
abort_two_sided <- function(formula, call) {
  response <- formula[[2]]
  items <- if (rlang::is_call(response, "cbind")) polca_items(response)
  covariates <- setdiff(all.vars(formula[[3]]), ".")
  abort_mdpd(
    c("The formula must be one-sided, such as {.code ~ a + b} or {.code ~ .}.",
      x = "It has a response, {.code {rlang::as_label(response)}}.",
      i = if (!is.null(items)) "The items stand on the right: {.code ~ {items}}.",
      i = if (!is.null(items) && length(covariates) > 0) {
        "Covariates of the class, {.var {covariates}}, come after the fit: {.fn class_regression}."
      }),
    class = "argument", call = call
  )
}

polca_items <- function(response) {
  items <- vapply(as.list(response)[-1], rlang::expr_deparse, "", width = 500L)
  if (length(items) > 8) items <- c(items[1:7], "...")
  paste(items, collapse = " + ")
}
