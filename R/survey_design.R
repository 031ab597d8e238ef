# How the rows were sampled. A `design` is a plain list:
#   cluster     integer, the number of each row's cluster
#   stratum     integer, the number of each cluster's stratum
#   n_clusters  double, how many clusters of each stratum were drawn
#   factor      double, by stratum: n / (n - 1), times the share of the stratum that was not drawn;
#               what the square counts of what its clusters add, where n is 1 from the mean of all
#   replicates  NULL or, instead of all these, a list of `weights` (n_obs x samples) and of what
#               turns the squared distances of their estimates into a covariance: `scale`,
#               `rscales`, and `mse`, from the estimate itself or from their mean

# By `cluster` and `strata` as the user gives them, one value a row; NULL: each row its own cluster,
# one stratum.
new_design <- function(cluster, strata, n_obs, call = rlang::caller_env()) {
  cluster <- sample_codes(cluster %||% seq_len(n_obs), n_obs, "cluster", call)
  strata <- sample_codes(strata %||% rep(1L, n_obs), n_obs, "strata", call)
  check_nested(cluster, strata, call)
  stratum <- strata$codes[match(seq_along(cluster$values), cluster$codes)]
  n_clusters <- tabulate(stratum, length(strata$values))
  complete_design(cluster$codes, stratum, n_clusters, strata$values, call = call)
}

# `drawn`: the share of each stratum's clusters that is in the sample; where it is all of them they
# add nothing. `lonely`: what a single cluster of several adds, as the package survey names it:
# nothing, `"adjust"`, or `"average"`, as much as those of other strata; else it is an error.
complete_design <- function(cluster, stratum, n_clusters, values, drawn = 0, lonely = NULL, call) {
  alone <- n_clusters < 2 & drawn < 1 - 1e-7
  if (any(alone) && !isTRUE(lonely %in% c("remove", "certainty", "adjust", "average"))) {
    where <- if (length(values) > 1) " in stratum {.val {as.character(values[alone][1])}}"
    abort_mdpd(
      c(paste0("There must be at least two clusters in every stratum; there is one", where, "."),
        i = "What a single cluster varies by cannot be told: join its stratum with a similar one.",
        i = if (!is.null(lonely)) "Or set {.code options(survey.lonely.psu = \"adjust\")}, see
                                   {.code ?survey::surveyoptions}."),
      class = "single_cluster", call = call
    )
  }
  factor <- n_clusters / pmax(n_clusters - 1, 1) * (1 - drawn)
  if (!identical(lonely, "adjust")) factor[alone] <- 0
  if (identical(lonely, "average")) factor <- factor * length(alone) / sum(!alone)
  list(cluster = cluster, stratum = stratum, n_clusters = n_clusters, factor = factor)
}

# Of these rows: clusters and strata without any of them were drawn too.
design_of_rows <- function(design, rows) {
  design$cluster <- design$cluster[rows]
  if (!is.null(design$replicates)) {
    design$replicates$weights <- design$replicates$weights[rows, , drop = FALSE]
  }
  design
}

# The degrees of freedom of intervals from a design, or from none: by the clusters and strata with a
# row that counts by its `weights`, as survey::degf() has it. NA where there is one cluster.
interval_df <- function(design, weights) {
  if (is.null(design)) {
    return(Inf)
  }
  that_count <- design_of_rows(design, weights > 0)
  df <- if (is.null(design$replicates)) {
    clusters <- unique(that_count$cluster)
    length(clusters) - length(unique(design$stratum[clusters]))
  } else {
    qr(that_count$replicates$weights, tol = 1e-5)$rank - 1
  }
  if (df > 0) as.double(df) else NA_real_
}

sample_codes <- function(x, n_obs, arg, call) {
  if (!holds_values(x) || length(x) != n_obs) {
    abort_mdpd(
      c("{.arg {arg}} must be a vector with one value for each of the {n_obs} row{?s}.",
        x = "It is {describe(x)}."),
      class = "argument", call = call
    )
  }
  if (anyNA(x)) {
    abort_mdpd(
      c("{.arg {arg}} must have no missing value.", x = "Row {which(is.na(x))[1]} has none."),
      class = "argument", call = call
    )
  }
  check_encoding(if (is.factor(x)) levels(x) else x, "{.arg {arg}}", call)
  values <- unique(x)
  list(codes = match(x, values), values = values)
}

check_nested <- function(cluster, strata, call) {
  pairs <- unique(data.frame(cluster = cluster$codes, stratum = strata$codes))
  if (anyDuplicated(pairs$cluster)) {
    twice <- pairs$cluster[anyDuplicated(pairs$cluster)]
    given <- as.character(cluster$values[twice])
    found <- as.character(strata$values[pairs$stratum[pairs$cluster == twice]])
    abort_mdpd(
      c("Every cluster must be in one stratum; {.val {given}} is in {.val {found}}.",
        i = "If clusters are numbered anew in each stratum, give
             {.code cluster = interaction(strata, cluster)}."),
      class = "argument", call = call
    )
  }
}

# Objects of survey --------------------------------------------------------------------------------

is_survey_design <- function(x) inherits(x, c("survey.design", "svyrep.design", "twophase"))

# Case weights as the user gives them, and the design that comes with them, if they are an object of
# the package survey. Its weights are scaled: what was observed is not the population, and no more
# than equally weighted rows of which shares vary as much.
read_sample <- function(weights, call = rlang::caller_env()) {
  check_found(weights, call)
  if (!is_survey_design(weights)) {
    return(list(weights = weights, design = NULL))
  }
  rlang::check_installed("survey", "to read its designs.", call = call)
  inform_calibrated(weights)
  by_replicates <- inherits(weights, "svyrep.design")
  design <- if (by_replicates) replicate_design(weights) else linearised_design(weights, call)
  sampled <- unname(stats::weights(weights, type = "sampling"))
  list(weights = weights_of_total(sampled, effective_rows(sampled)), design = design)
}

# Kish, L. (1965), Survey Sampling, section 11.7: of rows with unequal weights shares vary as of so
# many with equal ones.
effective_rows <- function(weights) sum(weights)^2 / sum(weights^2)

weights_of_total <- function(weights, total) weights * (total / sum(weights))

# A fit takes weights that come without a design for counts of rows. Those of a survey are many more
# rows, or vary more than as many: components and informative items are found that are not there.
warn_survey_weights <- function(sample, coded, call = rlang::caller_env()) {
  if (is.null(sample$weights) || !is.null(sample$design)) {
    return(invisible())
  }
  problem <- if (!are_counts(sample$weights)) {
    "The case weights are not whole numbers."
  } else if (are_rounded_weights(sample$weights, coded)) {
    "The case weights are whole numbers, but most rows equal another that has another weight, as
     rounded weights of a survey do."
  }
  if (!is.null(problem)) {
    warn_mdpd(
      c(problem,
        "Each row counts as many times as it weighs: in the number of components, the evidence and
         which items are informative.",
        i = "If they are weights of a sample survey, give a design:
             {.code weights = survey::svydesign(~1, weights = w, data = table)}."),
      class = "sampling_weights", call = call
    )
  }
}

# A table of counts has each pattern once, or a few times where columns were left out.
are_rounded_weights <- function(weights, coded, least_mean = 10, least_rows = 100) {
  if (mean(weights) < least_mean || length(weights) < least_rows || !is.matrix(coded$codes)) {
    return(FALSE)
  }
  pattern <- do.call(paste, as.data.frame(matrix(as.integer(coded$codes), nrow(coded$codes))))
  pattern <- match(pattern, pattern)
  differs <- weights != weights[pattern]
  mean(pattern %in% pattern[differs]) > 0.5
}

# The name of a column is looked up with a formula only.
check_found <- function(weights, call) {
  rlang::try_fetch(
    force(weights),
    error = function(cnd) {
      abort_mdpd(
        c("{.arg weights} must be there: numbers, or a survey design.",
          x = "{conditionMessage(cnd)}",
          i = "A column is {.code table$column}; its name is enough with a formula and
               {.arg data}."),
        class = "argument", call = call
      )
    }
  )
}

replicate_design <- function(x) {
  list(replicates = list(
    weights = unname(as.matrix(stats::weights(x, type = "analysis"))), scale = x$scale,
    rscales = x$rscales, mse = isTRUE(x$mse)
  ))
}

# Clusters of the first stage. With one stage the share of the population in the sample is known
# where the design says so. With more than one the later stages add to the variance, and drawn with
# unequal probabilities each cluster has its own: then it is left out.
linearised_design <- function(x, call) {
  if (!inherits(x, "survey.design2") || inherits(x, c("twophase2", "DBIsvydesign"))) {
    abort_mdpd(
      c("The design must be one of {.fn survey::svydesign} or {.fn survey::svrepdesign}.",
        x = "It is {.cls {class(x)[1]}}."),
      class = "argument", call = call
    )
  }
  strata <- if (x$has.strata) as.character(x$strata[[1]]) else rep("1", nrow(x$cluster))
  cluster <- match(x$cluster[[1]], unique(x$cluster[[1]]))
  first <- !duplicated(cluster)
  values <- unique(strata)
  in_stratum <- match(values, strata)
  n_clusters <- as.double(x$fpc$sampsize[in_stratum, 1])
  is_known <- ncol(x$cluster) == 1 && !is.null(x$fpc$popsize) && !isTRUE(x$pps)
  drawn <- if (is_known) n_clusters / x$fpc$popsize[in_stratum, 1] else 0
  complete_design(cluster, match(strata[first], values), n_clusters, values, drawn,
                  getOption("survey.lonely.psu", "fail"), call)
}

inform_calibrated <- function(x) {
  if (!is.null(x$postStrata)) {
    inform_mdpd(
      c("The survey design is calibrated or post-stratified.",
        i = "Robust standard errors take its weights as they are: what calibration gains is not
             counted, and they are rather too large."),
      class = "calibrated"
    )
  }
}

# A table for a formula: the columns of the design that do not say how the rows were drawn. One of
# replicates names none, and does not keep clusters and strata.
survey_variables <- function(x) {
  apart <- unlist(lapply(unclass(x)[c("cluster", "strata", "allprob")], names))
  if (inherits(x, "svyrep.design")) {
    apart <- names(Filter(weight_finder(x), x$variables))
  }
  x$variables[setdiff(names(x$variables), apart)]
}

# A function of a column: is it the weights of the replicate design or one of its replicates?
weight_finder <- function(x) {
  weights <- cbind(x$pweights, as.matrix(stats::weights(x, type = "replication")))
  function(column) {
    # The package survey keeps probabilities, of which the weights are the inverse, rounded.
    is.numeric(column) && is.null(dim(column)) &&
      any(colSums(abs(weights - column) > 1e-9 * abs(weights)) == 0, na.rm = TRUE)
  }
}

check_not_design <- function(x, call = rlang::caller_env()) {
  if (is_survey_design(x)) {
    abort_mdpd(
      c("{.arg x} must be the items: a survey design holds other columns too.",
        i = "Name the items, {.code stagewise_em(~ item_1 + item_2, k = 2, data = design)}, or give
             their table and {.code weights = design}."),
      class = "argument", call = call
    )
  }
}

# "162 clusters in 3 strata"
design_title <- function(design) {
  if (!is.null(design$replicates)) {
    return(paste0(ncol(design$replicates$weights), " replicate weights"))
  }
  n_strata <- length(design$n_clusters)
  strata <- if (n_strata == 1) "1 stratum" else paste(n_strata, "strata")
  in_clusters <- anyDuplicated(design$cluster) > 0
  if (!in_clusters && n_strata == 1) {
    return("rows drawn one by one")
  }
  clusters <- if (in_clusters) plural(sum(design$n_clusters), "cluster") else "rows"
  paste(clusters, "in", strata)
}
