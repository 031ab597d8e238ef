# Coverage of the confidence intervals of confint(): simulates a sparse, well-identified model, fits
# each data set by the default call and counts how often the intervals hold the true value.
#
# And what becomes of a small class that items tell weakly.
#
#   Rscript bench/coverage.R [n_sim = 500] [processes = 1]       writes bench/results/coverage.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

model_of <- function(sizes, item_probs, informative) {
  structure(
    list(k = 3L, mixing_weights = stats::setNames(sizes, 1:3), item_probs = item_probs,
         informative = informative),
    class = "mdpd"
  )
}

# Three components; 8 items of 3 levels that differ between them and 12 that do not.
true_model <- function() {
  levels <- c("a", "b", "c")
  components <- c("1", "2", "3")
  shifted <- function(i) {
    first <- c(0.7, 0.2, 0.1)
    vapply(1:3, function(k) first[(0:2 + k * (1 + i %% 2)) %% 3 + 1], numeric(3))
  }
  shared <- function(i) matrix(c(0.5, 0.3, 0.2), 3, 3)
  item_probs <- lapply(c(lapply(1:8, shifted), lapply(1:12, shared)), `dimnames<-`,
                       list(levels, components))
  names(item_probs) <- sprintf("item_%02d", 1:20)
  model_of(c(0.5, 0.3, 0.2), item_probs, names(item_probs)[1:8])
}

# One row for each true value; an item that the fit shares between components has one interval.
true_values <- function(model) {
  cells <- do.call(rbind, lapply(names(model$item_probs), function(item) {
    probs <- model$item_probs[[item]]
    data.frame(
      kind = if (item %in% model$informative) "informative items" else "uninformative items",
      own = paste0(item, ":", rownames(probs)[row(probs)], "|", colnames(probs)[col(probs)]),
      shared = paste0(item, ":", rownames(probs)[row(probs)]), value = as.vector(probs)
    )
  }))
  weights <- paste0("weight|", names(model$mixing_weights))
  rbind(
    data.frame(kind = "mixing weights", own = weights, shared = weights,
               value = unname(model$mixing_weights)),
    cells
  )
}

intervals <- list(
  "observed, logit" = list(type = "observed", scale = "logit"),
  "observed, linear" = list(type = "observed", scale = "linear"),
  "score, logit" = list(type = "score", scale = "logit")
)

# Share of the true values of each kind that their interval holds; an interval that is NA holds
# none.
one_data_set <- function(seed, model, n_obs) {
  truth <- true_values(model)
  x <- simulate(model, seed = seed, n_obs = n_obs)[[1]]
  fit <- align_components(stagewise_em(x, k = model$k, verbose = FALSE), model)
  covered <- vapply(intervals, function(interval) {
    limits <- suppressWarnings(do.call(confint, c(list(fit), interval)))
    at <- match(truth$own, rownames(limits))
    at <- ifelse(is.na(at), match(truth$shared, rownames(limits)), at)
    inside <- limits[at, 1] <= truth$value & truth$value <= limits[at, 2]
    c(tapply(inside %in% TRUE, truth$kind, mean))
  }, numeric(3))
  list(covered = covered, same_set = setequal(informative(fit), model$informative),
       undefined = anyNA(unlist(suppressWarnings(standard_errors(fit)))))
}

cell <- function(shares) {
  sprintf("%.1f (%.1f)", 100 * mean(shares), 100 * stats::sd(shares) / sqrt(length(shares)))
}

coverage_table <- function(n_obs, n_sim, processes, model) {
  runs <- parallel::mclapply(seq_len(n_sim), one_data_set, model = model, n_obs = n_obs,
                             mc.cores = processes)
  covered <- simplify2array(lapply(runs, `[[`, "covered"))
  kinds <- c("mixing weights", "informative items", "uninformative items")
  rows <- vapply(names(intervals), function(interval) {
    cells <- vapply(kinds, function(kind) cell(covered[kind, interval, ]), "")
    c(rows = n_obs, "information, scale" = interval, cells)
  }, character(5))
  same <- mean(vapply(runs, `[[`, NA, "same_set"))
  undefined <- sum(vapply(runs, `[[`, NA, "undefined"))
  note <- sprintf(
    "%d rows: the informative set was the true one in %.1f %% of the fits; %d had boundary cases.",
    n_obs, 100 * same, undefined
  )
  list(rows = t(rows), note = note)
}

# A small class -----------------------------------------------------------------------------------

# Classes of 0.6, 0.3 and 0.1 that 8 items of 2 to 5 levels tell weakly.
weak_model <- function() {
  components <- c("1", "2", "3")
  probs_of <- function(item) {
    n_levels <- 2 + item %% 4
    probs <- matrix(0.7 / n_levels, n_levels, 3, dimnames = list(seq_len(n_levels), components))
    own <- 1 + (item + c(0, 1, item %/% 4)) %% n_levels
    probs[cbind(own, 1:3)] <- probs[cbind(own, 1:3)] + 0.3
    probs
  }
  item_probs <- stats::setNames(lapply(1:8, probs_of), sprintf("item_%d", 1:8))
  model_of(c(0.6, 0.3, 0.1), item_probs, names(item_probs))
}

small_class_fits <- list(
  "evidence" = function(x) stagewise_em(x, k = 3, verbose = FALSE),
  "likelihood" = function(x) stagewise_em(x, k = 3, refine = "full", verbose = FALSE)
)

# Of the smallest class its share, whether the interval holds the true one, and the rows that are
# wrong and that are expected to be; nothing of a fit that has fewer classes.
small_class_once <- function(seed, n_obs) {
  model <- weak_model()
  x <- simulate(model, seed = seed, n_obs = n_obs)[[1]]
  truth <- attr(x, "component")
  vapply(small_class_fits, function(fit_to) {
    fit <- suppressMessages(suppressWarnings(fit_to(x)))
    if (fit$k < 3) {
      return(rep(NA_real_, 4))
    }
    fit <- align_components(fit, model)
    limits <- suppressWarnings(stats::confint(fit, "mixing_weights"))[3, ]
    c(fit$mixing_weights[[3]], isTRUE(limits[1] <= 0.1 && 0.1 <= limits[2]),
      mean(predict(fit) != truth), summary(fit)$expected_error)
  }, numeric(4))
}

small_class_rows <- function(n_obs, n_sim, processes) {
  runs <- simplify2array(parallel::mclapply(seq_len(n_sim), small_class_once, n_obs = n_obs,
                                            mc.cores = processes))
  t(vapply(names(small_class_fits), function(name) {
    found <- runs[, name, ]
    has_three <- !is.na(found[1, ])
    means <- rowMeans(found[, has_three, drop = FALSE])
    c(rows = n_obs, fit = name, "three classes" = number(100 * mean(has_three), 0),
      share = number(means[1], 3), "holds 0.1" = number(100 * means[2], 0),
      wrong = number(100 * means[3], 1), expected = number(100 * means[4], 1))
  }, character(7)))
}

weak_error <- function() {
  x <- simulate(weak_model(), seed = 1, n_obs = 50000)[[1]]
  mean(predict(weak_model(), x) != attr(x, "component"))
}

# Report ------------------------------------------------------------------------------------------

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_sim <- if (length(arguments) > 0) arguments[1] else 500L
processes <- if (length(arguments) > 1) arguments[2] else 1L
started <- proc.time()[["elapsed"]]
tables <- lapply(c(300, 1000), coverage_table, n_sim = n_sim, processes = processes,
                 model = true_model())
n_small <- max(1, n_sim %/% 10)
small <- do.call(rbind, lapply(c(1000, 4000), small_class_rows, n_small, processes))
seconds <- proc.time()[["elapsed"]] - started

table <- do.call(rbind, lapply(tables, `[[`, "rows"))
write_report("coverage", c(
  "# Coverage of the 95 % confidence intervals", "",
  sprintf("Made by `Rscript bench/coverage.R %d`.", n_sim), "",
  sprintf("%d data sets each from a model of 3 components (weights 0.5, 0.3, 0.2), 8", n_sim),
  "informative and 12 uninformative items of 3 levels, nothing missing, fitted by the default call",
  "`stagewise_em(x, k = 3)`, which also chooses the informative items. Percent of the true values",
  "that `confint()` holds, with its Monte-Carlo standard error; the target is 93 to 97.", "",
  table_lines(table, right = colnames(table)[-2]), "",
  unlist(lapply(tables, function(table) bullet(table$note))), "",
  "## A small class", "",
  prose(sprintf("%d data sets each from classes of 0.6, 0.3 and 0.1", n_small),
        "that 8 items of 2 to 5 levels tell weakly, fitted by the default call and by the",
        "likelihood, `refine = \"full\"`: percent of the fits with three classes, and of these the",
        "mean share of the smallest one, percent of its intervals that hold 0.1, and percent of",
        "the rows that are wrong and that `summary()` expects. The true model errs on",
        paste0(number(100 * weak_error(), 1), " %.")), "",
  table_lines(small, right = colnames(small)[-2]), "",
  sprintf("mdpd %s, R %s, %d process%s, %.0f s.", utils::packageVersion("mdpd"), getRversion(),
          processes, if (processes > 1) "es" else "", seconds)
))
