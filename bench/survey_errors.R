# Coverage of the confidence intervals on stratified samples of clusters with sampling weights, by
# the standard errors of the model and by those of the design: of the classes themselves, of a
# regression of the class on a covariate and of the mean of an outcome by class.
#
#   Rscript bench/survey_errors.R [n_sim = 300] [processes = 1]
#
# writes bench/results/survey_errors.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

# Four strata of which a different share of the population and of the sample is: their clusters
# have shares of class 1 around a mean of the stratum.
strata <- data.frame(
  name = c("a", "b", "c", "d"), population = c(0.5, 0.3, 0.15, 0.05), n_clusters = 20,
  share = c(0.75, 0.6, 0.4, 0.2)
)
cluster_size <- 12
concentration <- 4  # of the Beta distribution of a cluster's share: a correlation of 0.2

# Two classes and ten items of three levels, of which six differ.
item_probs <- c(
  rep(list(cbind(c(0.65, 0.25, 0.1), c(0.15, 0.25, 0.6))), 6),
  rep(list(cbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2))), 4)
)
names(item_probs) <- sprintf("item_%02d", seq_along(item_probs))
levels <- c("low", "middle", "high")
item_probs <- lapply(item_probs, `dimnames<-`, list(levels, c("1", "2")))
sizes <- c(sum(strata$population * strata$share), sum(strata$population * (1 - strata$share)))
truth <- structure(
  list(k = 2L, mixing_weights = c("1" = sizes[1], "2" = sizes[2]), item_probs = item_probs,
       informative = names(item_probs)[1:6]),
  class = "mdpd"
)

# A covariate of 0 and 1, of which a class has a rate that is higher in one half of the clusters
# than in the other, and an outcome whose mean is that of the class and, around it, of the cluster.
rates <- c(0.3, 0.6)
between_clusters <- c(rate = 0.2, outcome = 0.5)
log_odds <- log(sizes[2] / sizes[1])
true_later <- c(
  intercept = log_odds + log((1 - rates[2]) / (1 - rates[1])),
  slope = log(rates[2] / rates[1]) - log((1 - rates[2]) / (1 - rates[1])),
  "mean of class 1" = 0, "mean of class 2" = 1
)

draw_sample <- function(seed) {
  set.seed(seed)
  rows <- do.call(rbind, draw_parts())
  cluster <- match(rows$cluster, unique(rows$cluster))
  shift <- between_clusters[["rate"]] * sample(c(-1, 1), max(cluster), replace = TRUE)
  effect <- between_clusters[["outcome"]] * stats::rnorm(max(cluster))
  rows$z <- (stats::runif(nrow(rows)) < rates[rows$class] + shift[cluster]) + 0
  rows$y <- rows$class - 1 + effect[cluster] + stats::rnorm(nrow(rows))
  rows
}

draw_parts <- function() {
  lapply(seq_len(nrow(strata)), function(h) {
    at <- strata[h, ]
    share <- stats::rbeta(at$n_clusters, concentration * at$share, concentration * (1 - at$share))
    cluster <- rep(seq_len(at$n_clusters), each = cluster_size)
    class <- 2 - (stats::runif(length(cluster)) < share[cluster])
    x <- lapply(item_probs, function(probs) {
      vapply(class, function(k) sample(levels, 1, prob = probs[, k]), "")
    })
    data.frame(x, class = class, stratum = at$name, cluster = paste(at$name, cluster),
               weight = at$population / length(cluster))
  })
}

designs <- list(
  "of the model, weights as counts" = function(fit, rows) list(type = "observed"),
  "robust, rows" = function(fit, rows) list(type = "robust"),
  "robust, clusters" = function(fit, rows) list(cluster = rows$cluster),
  "robust, clusters in strata" = function(fit, rows) {
    list(cluster = rows$cluster, strata = rows$stratum)
  }
)

# For each way: which values its interval holds; and the estimates and standard errors.
one_sample <- function(seed, name) {
  rows <- draw_sample(seed)
  weights <- rows$weight / mean(rows$weight)
  fit <- fits[[name]](rows[names(item_probs)], weights)
  fit <- align_components(fit, truth)
  parameters <- parameter_names(fit)
  values <- lapply(designs, function(design) {
    arguments <- design(fit, rows)
    limits <- suppressWarnings(do.call(confint, c(list(fit), arguments)))
    limits <- limits[match(parameters$name, rownames(limits)), ]
    errors <- sqrt(diag(suppressWarnings(do.call(vcov, c(list(fit), arguments)))))
    list(covered = limits[, 1] <= parameters$value & parameters$value <= limits[, 2],
         error = unname(errors[parameters$name]))
  })
  list(values = values, estimate = parameters$estimate, kind = parameters$kind,
       known = known_classes(rows),
       later = if (name == "`stagewise_em(x, k = 2)`") later_steps(fit, rows))
}

later_methods <- c("two-step", "ml", "bch", "one-step")
later_designs <- designs[c(1, 4)]

# Of a regression of the class and of the mean of an outcome, by each method and design: estimates,
# standard errors and whether the intervals hold the truth.
later_steps <- function(fit, rows) {
  do.call(rbind, lapply(names(later_designs), function(design) {
    drawn <- later_designs[[design]](fit, rows)[c("cluster", "strata")]
    names(drawn) <- c("cluster", "strata")
    found <- do.call(rbind, c(lapply(later_methods, regression_of, fit, rows, drawn),
                              lapply(c("ml", "bch"), outcome_of, fit, rows, drawn)))
    found$truth <- true_later[found$what]
    found$covered <- found$low <= found$truth & found$truth <= found$high
    cbind(design, found)
  }))
}

regression_of <- function(method, fit, rows, drawn) {
  found <- suppressWarnings(suppressMessages(class_regression(
    fit, ~ z, rows, method = method, reference = "1", cluster = drawn$cluster,
    strata = drawn$strata
  )))
  limits <- confint(found)
  data.frame(method = method, what = c("intercept", "slope"), estimate = as.vector(coef(found)),
             error = sqrt(diag(vcov(found))), low = limits[, 1], high = limits[, 2])
}

outcome_of <- function(method, fit, rows, drawn) {
  found <- tidy(suppressWarnings(suppressMessages(distal_outcome(
    fit, rows$y, method = method, cluster = drawn$cluster, strata = drawn$strata
  ))), conf.int = TRUE)
  data.frame(method = method, what = paste("mean of class", found$class),
             estimate = found$estimate, error = found$std.error, low = found$conf.low,
             high = found$conf.high)
}

# What the same sample tells where the classes are seen: the share of class 1, its standard error
# and whether the interval holds the truth.
known_classes <- function(rows) {
  shares <- tapply(rows$class == 1, rows$cluster, mean)
  of <- substr(names(shares), 1, 1)
  by_stratum <- function(f) tapply(shares, of, f)[strata$name]
  p <- sum(strata$population * by_stratum(mean))
  error <- sqrt(sum(strata$population^2 * by_stratum(stats::var) / strata$n_clusters))
  limits <- stats::plogis(stats::qlogis(p) + c(-1, 1) * stats::qnorm(0.975) * error / (p * (1 - p)))
  c(estimate = p, error = error, covered = limits[1] <= sizes[1] && sizes[1] <= limits[2])
}

# The size of class 1 and the probabilities of the items that differ.
parameter_names <- function(fit) {
  cells <- do.call(rbind, lapply(truth$informative, function(item) {
    probs <- truth$item_probs[[item]]
    data.frame(
      name = paste0(item, ":", rownames(probs)[row(probs)], "|", colnames(probs)[col(probs)]),
      value = as.vector(probs), estimate = as.vector(fit$item_probs[[item]][rownames(probs), ]),
      kind = "item probabilities"
    )
  }))
  rbind(data.frame(name = "weight|1", value = sizes[1], estimate = fit$mixing_weights[["1"]],
                   kind = "class size"), cells)
}

fits <- list(
  "`mdpd(x, k = 2)`" = function(x, weights) {
    mdpd(x, k = 2, weights = weights, start = truth, verbose = FALSE)
  },
  "`stagewise_em(x, k = 2)`" = function(x, weights) {
    stagewise_em(x, k = 2, weights = weights, verbose = FALSE)
  }
)

cell <- function(shares, ratio) {
  sprintf("%.1f (%.1f) / %.2f", 100 * mean(shares),
          100 * stats::sd(shares) / sqrt(length(shares)), ratio)
}

coverage_rows <- function(name, n_sim, processes) {
  runs <- parallel::mclapply(seq_len(n_sim), one_sample, name = name,
                             mc.cores = processes)
  # An item that a fit shares between the classes has no such parameter.
  whole <- vapply(runs, function(run) !anyNA(run$values[[1]]$error), NA)
  runs <- runs[whole]
  kind <- runs[[1]]$kind
  spread <- apply(vapply(runs, `[[`, numeric(length(kind)), "estimate"), 1, stats::sd)
  rows <- lapply(names(designs), function(design) {
    covered <- vapply(runs, function(run) run$values[[design]]$covered, logical(length(kind)))
    error <- vapply(runs, function(run) run$values[[design]]$error, numeric(length(kind)))
    cells <- vapply(unique(kind), function(of) {
      shares <- colMeans(covered[kind == of, , drop = FALSE])
      cell(shares, mean(rowMeans(error)[kind == of] / spread[kind == of]))
    }, "")
    c(fit = name, "standard errors" = design, cells)
  })
  known <- vapply(runs, `[[`, numeric(3), "known")
  later <- do.call(rbind, lapply(runs, `[[`, "later"))
  list(rows = do.call(rbind, rows), left_out = n_sim - length(runs), known = known, later = later)
}

# Coverage of what a later step estimates, a row for each method and design.
later_rows <- function(later, whats) {
  do.call(rbind, lapply(unique(later$method), function(method) {
    do.call(rbind, lapply(names(later_designs), function(design) {
      own <- later[later$method == method & later$design == design & later$what %in% whats, ]
      cells <- vapply(whats, function(what) {
        at <- own[own$what == what, ]
        sprintf("%.1f / %.2f / %.2f", 100 * mean(at$covered), mean(at$estimate),
                mean(at$error) / stats::sd(at$estimate))
      }, "")
      names(cells) <- sprintf("%s (%.2f)", whats, true_later[whats])
      c(method = method, "standard errors" = design, cells)
    }))
  }))
}

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_sim <- if (length(arguments) > 0) arguments[1] else 300L
processes <- if (length(arguments) > 1) arguments[2] else 1L
started <- proc.time()[["elapsed"]]
tables <- lapply(names(fits), coverage_rows, n_sim = n_sim, processes = processes)
seconds <- proc.time()[["elapsed"]] - started

known <- tables[[1]]$known
seen <- cell(known["covered", ], mean(known["error", ]) / stats::sd(known["estimate", ]))
table <- rbind(
  do.call(rbind, lapply(tables, `[[`, "rows")),
  c("classes seen, no fit", "clusters in strata", seen, "")
)
later <- tables[[2]]$later
regressions <- later_rows(later, c("intercept", "slope"))
later <- later[later$method %in% c("ml", "bch"), ]
outcomes <- later_rows(later, c("mean of class 1", "mean of class 2"))
write_report("survey_errors", c(
  "# Confidence intervals on stratified samples of clusters", "",
  sprintf("Made by `Rscript bench/survey_errors.R %d`.", n_sim), "",
  sprintf("%d samples of 960 rows: 4 strata with 50, 30, 15 and 5 %% of the population, of each 20",
          n_sim),
  "clusters of 12 rows; the share of class 1 is 75, 60, 40 and 20 % on average and varies between",
  "clusters (Beta, intraclass correlation 0.2). Two classes, 6 items of 3 levels that differ",
  "between them and 4 that do not; weights are sampling weights, scaled to a mean of 1. Percent of",
  "the true values that a 95 % interval of `confint()` holds, with its Monte-Carlo standard error,",
  "and the mean standard error over the standard deviation of the estimates. The target is 93 to",
  "97, and 1; the last row is what the same samples say where the classes of the rows are seen.",
  "",
  table_lines(table, right = colnames(table)[3:4]), "",
  sprintf("Left out: %s samples in which an item that differs was not informative.",
          paste(vapply(tables, `[[`, 0, "left_out"), collapse = " and ")), "",
  "## What follows from the classes", "",
  prose("Of the same samples and the fit by `stagewise_em()`: a regression of the class on a",
        "covariate of 0 and 1, of which 30 % of class 1 and 60 % of class 2 have a 1, 20 points",
        "more in one half of the clusters and less in the other; and the mean of an outcome of",
        "standard deviation 1 around the class and 0.5 around the cluster. Percent of the samples",
        sprintf("whose 95 %% interval holds the true value, in brackets (Monte-Carlo error %.1f),",
                100 * sqrt(0.05 * 0.95 / n_sim)),
        "the mean estimate, and the mean standard error over the spread of the estimates."), "",
  table_lines(regressions, right = colnames(regressions)[3:4]), "",
  table_lines(outcomes, right = colnames(outcomes)[3:4]), "",
  sprintf("mdpd %s, R %s, %d process%s, %.0f s.", utils::packageVersion("mdpd"), getRversion(),
          processes, if (processes > 1) "es" else "", seconds)
))
