# The data sets of bench/accuracy.R. A case says what it is and loads itself: `x` (crowd labels or a
# data frame), `k`, the `truth` (one class a row, or NULL) and, where the data are simulated, the
# true `model`.

new_case <- function(data, load, kind, experts = NA, seed = NA) {
  id <- if (is.na(seed)) data else paste0(data, ", seed ", seed)
  list(id = id, data = data, kind = kind, experts = experts, seed = seed, load = load)
}

# Real crowds -------------------------------------------------------------------------------------

crowd_case <- function(name, n_workers = NULL) {
  data <- if (is.null(n_workers)) name else paste0(name, " (", n_workers, " workers)")
  new_case(data, kind = "real crowd", load = function() {
    crowd <- read_real(name)
    labels <- if (is.null(n_workers)) crowd$labels else most_active(crowd$labels, n_workers)
    list(x = labels, k = length(labels$labels), truth = crowd$truth)
  })
}

real_crowd_cases <- function() {
  names <- real_crowd_names()
  c(lapply(names, crowd_case), if ("dog" %in% names) list(crowd_case("dog", n_workers = 52)))
}

# Tables from packages ----------------------------------------------------------------------------

# A data set of a package; `class` is the column with the true classes, one component for each.
package_case <- function(data, package, class = NULL, k = NULL) {
  new_case(data, kind = "table", load = function() {
    place <- new.env()
    utils::data(list = data, package = package, envir = place)
    x <- place[[data]]
    truth <- if (!is.null(class)) stats::setNames(x[[class]], rownames(x))
    list(x = x[setdiff(names(x), class)], k = if (is.null(k)) nlevels(truth) else k, truth = truth)
  })
}

table_cases <- function() {
  cases <- list(
    mlbench = list(
      package_case("DNA", "mlbench", "Class"), package_case("HouseVotes84", "mlbench", "Class"),
      package_case("Soybean", "mlbench", "Class")
    ),
    poLCA = list(package_case("carcinoma", "poLCA", k = 3))
  )
  installed <- vapply(names(cases), requireNamespace, NA, quietly = TRUE)
  if (!all(installed)) {
    message("Left out, not installed: data of ", toString(names(cases)[!installed]))
  }
  unlist(unname(cases[installed]), recursive = FALSE)
}

# The paper's simulations -------------------------------------------------------------------------

simulated_case <- function(data, accuracy, seed) {
  new_case(data, kind = "simulated", experts = length(accuracy), seed = seed, load = function() {
    crowd <- simulate_crowd(
      n_items = 1000, n_workers = 100, n_labels = 3, accuracy = accuracy, seed = seed
    )
    list(x = crowd$labels, k = crowd$k, truth = crowd$truth, model = crowd$model)
  })
}

# 3 experts are below the paper's range of 5 to 20.
simulated_cases <- function(n_experts = c(3, 5, 8, 10, 15, 20), seeds = 1:10) {
  sparse <- lapply(n_experts, function(n) {
    lapply(seeds, simulated_case, data = paste(n, "experts"), accuracy = rep(0.6, n))
  })
  graded <- lapply(seeds, simulated_case, data = "30 graded experts",
                   accuracy = seq(0.7, 0.45, length.out = 30))
  c(unlist(sparse, recursive = FALSE), graded)
}

all_cases <- function() c(real_crowd_cases(), table_cases(), simulated_cases())
