# The methods of bench/accuracy.R. Each takes a loaded case (see cases.R) and returns the outcome:
# `class` (a class a row, named by row), `named` (do classes carry the names of the true ones, or
# are they to be matched?), `informative` (names of the items, the strongest first; NULL if the
# method chooses none) and `penalised` (nats, NA where there is no estimate).

# Tells the runner that a method failed on a case, and why.
cannot <- function(reason) {
  stop(errorCondition(reason, class = "bench_cannot"))
}

# Methods of mdpd ---------------------------------------------------------------------------------

# A status that is a warning to users is for the table to show.
outcome_of_fit <- function(fit, x) {
  named <- inherits(x, "crowd_labels") && setequal(names(fit$mixing_weights), x$labels)
  list(
    class = predict(fit), named = named,
    # Full EM lets all items differ.
    informative = if (fit$refine != "full") strongest_first(informative(fit), fit$item_information),
    penalised = fit$penalised_loglik
  )
}

strongest_first <- function(items, power) items[order(power[items], decreasing = TRUE)]

stages <- function(...) {
  function(case) {
    outcome_of_fit(suppressWarnings(stagewise_em(case$x, case$k, ..., verbose = FALSE)), case$x)
  }
}

ordinary_em <- function(start) {
  function(case) {
    fit <- suppressWarnings(mdpd(case$x, case$k, start = start, prior = 0, verbose = FALSE))
    outcome_of_fit(fit, case$x)
  }
}

majority_vote_of <- function(case) {
  list(class = majority_vote(case$x), named = TRUE, informative = NULL,
       penalised = NA_real_)
}

from_spectral <- function(case) {
  tryCatch(
    ordinary_em("spectral")(case),
    mdpd_error_no_spectral_start = function(e) cannot("the moments show no start")
  )
}

true_model <- function(case) {
  list(
    class = predict(case$model, case$x), named = TRUE, informative = case$model$informative,
    # The criterion is for estimates; the truth lies below them on their own data.
    penalised = NA_real_
  )
}

# The optimum next to the truth: what a search that misses nothing must reach.
from_true_model <- function(criterion) {
  alone <- stagewise_control(polish = FALSE, criterion = criterion)
  function(case) {
    outcome_of_fit(refine(case$model, case$x, control = alone, verbose = FALSE), case$x)
  }
}

# Other programs ----------------------------------------------------------------------------------

# The table as other programs want it: factors, no constant item, rows named.
as_factors <- function(x) {
  table <- if (inherits(x, "crowd_labels")) as.data.frame(as.matrix(x)) else x
  table[] <- lapply(table, function(column) factor(as.character(column)))
  table[vapply(table, nlevels, 0L) > 1]
}

# The package's criterion for any model of the table: log-likelihood minus the BIC penalties of the
# informative items and of the mixing weights. Other programs hold other constants.
penalised <- function(model, table) {
  loglik <- sum(predict(model, table, type = "density"))
  items <- table[model$informative]
  n_observed <- vapply(items, function(item) sum(!is.na(item)), 0)
  free <- vapply(items, nlevels, 0L) - 1
  loglik - (model$k - 1) / 2 * (log(nrow(table)) + sum(free * log(n_observed)))
}

# A model of class mdpd from another program's estimates, components in the rows of `item_probs`.
as_model <- function(mixing_weights, item_probs, informative, table) {
  k <- length(mixing_weights)
  item_probs <- Map(function(item, probs) {
    matrix(t(probs), ncol = k, dimnames = list(levels(item), seq_len(k)))
  }, table, item_probs)
  structure(
    list(k = k, mixing_weights = stats::setNames(mixing_weights, seq_len(k)),
         item_probs = item_probs, informative = informative),
    class = "mdpd"
  )
}

# Also an answer that holds no numbers is a failure.
or_cannot <- function(fit) {
  tryCatch(fit, bench_cannot = stop, error = function(e) cannot(conditionMessage(e)))
}

with_polca <- function(case) {
  table <- as_factors(case$x)
  codes <- as.data.frame(lapply(table, as.integer))
  formula <- stats::as.formula(paste0("cbind(", toString(names(codes)), ") ~ 1"))
  set.seed(1)
  # Its 1000 iterations are too few for some of the simulated crowds.
  fit <- or_cannot(poLCA::poLCA(
    formula, codes, nclass = case$k, nrep = 10, maxiter = 5000, na.rm = FALSE, calc.se = FALSE,
    verbose = FALSE
  ))
  model <- as_model(fit$P, fit$probs, names(table), table)
  list(
    class = stats::setNames(fit$predclass, rownames(table)), named = FALSE, informative = NULL,
    penalised = penalised(model, table)
  )
}

with_varsellcm <- function(case) {
  table <- as_factors(case$x)
  set.seed(1)
  fit <- or_cannot(suppressWarnings(VarSelLCM::VarSelCluster(
    table, gvals = case$k, vbleSelec = TRUE, crit.varsel = "BIC", nbcores = 1
  )))
  if (length(fit@partitions@zMAP) == 0) cannot("all its starts degenerate")
  items <- names(table)[fit@model@omega == 1]
  model <- as_model(fit@param@pi, fit@param@paramCategorical@alpha, items, table)
  list(
    class = stats::setNames(fit@partitions@zMAP, rownames(table)), named = FALSE,
    informative = strongest_first(items, fit@criteria@discrim),
    penalised = penalised(model, table)
  )
}

# All of them -------------------------------------------------------------------------------------

# `key` names a method on the command line, `package` is the program whose version counts, and
# `applies` tells of a loaded case whether the method is for such data at all.
new_method <- function(name, key, fit, package = "mdpd", applies = function(case) TRUE) {
  list(name = name, key = key, fit = fit, package = package, applies = applies)
}

has_model <- function(case) !is.null(case$model)
is_crowd <- function(case) inherits(case$x, "crowd_labels")
has_missing <- function(case) anyNA(if (is_crowd(case)) as.matrix(case$x) else case$x)

default_call <- new_method("default call", "default", stages())
default_by_bic <- new_method("default call by BIC", "bic",
                             stages(control = stagewise_control(criterion = "bic")))

all_methods <- list(
  new_method("true model", "true", true_model, applies = has_model),
  new_method("true model, then EM", "true-em", from_true_model("evidence"), applies = has_model),
  new_method("true model, then EM by BIC", "true-em-bic", from_true_model("bic"),
             applies = has_model),
  new_method("majority vote", "vote", majority_vote_of, applies = is_crowd),
  new_method("majority vote, then EM", "vote-em", ordinary_em("majority"), applies = is_crowd),
  new_method("spectral, then EM", "spectral", from_spectral),
  new_method("random EM, 10 starts", "random", ordinary_em("random")),
  new_method("poLCA, 10 starts", "polca", with_polca, "poLCA"),
  new_method("VarSelLCM", "varsellcm", with_varsellcm, "VarSelLCM"),
  new_method("paper", "paper", stages(method = "paper", refine = "none")),
  new_method("paper, then full EM", "paper-em", stages(method = "paper", refine = "full")),
  new_method("paper, missing frozen", "frozen",
             stages(method = "paper", refine = "none", missing = "frozen"), applies = has_missing),
  new_method("paper, missing frozen, then full EM", "frozen-em",
             stages(method = "paper", refine = "full", missing = "frozen"), applies = has_missing),
  default_by_bic,
  default_call
)
