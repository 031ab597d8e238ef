# The experiments of the paper, for vignette("experiments"): what takes longer than a vignette may.
#
#   Rscript bench/experiments.R [stages] [error] [crowds] [steps]
#
# Without arguments all four. Writes vignettes/results/experiments-*.csv:
#   stages   the 0.3-sparse simulation, 10 draws: how 20 stages of the paper's method go
#   error    3-label crowds with 5 to 20 experts among 100 workers, 10 draws each: wrong items
#   crowds   bluebird, dog and rte (from the folder described in lib/common.R): wrong items
#   steps    bluebird and dog under other lengths of a split; dog under other codings of its labels
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common.R", "cases.R", "methods.R")) {
  source(file.path(dirname(script), "lib", part))
}

write_result <- function(table, name) {
  folder <- file.path(here, "..", "vignettes", "results")
  dir.create(folder, showWarnings = FALSE)
  file <- file.path(folder, paste0("experiments-", name, ".csv"))
  utils::write.csv(table, file, row.names = FALSE, quote = FALSE)
  message(nrow(table), " rows in ", basename(file))
}


# How the stages go -------------------------------------------------------------------------------

# 30 experts, from 0.7 down to 0.45, as in the paper's first simulation.
stages_of_draw <- function(seed) {
  case <- simulated_case("30 graded experts", seq(0.7, 0.45, length.out = 30), seed)$load()
  fit <- stagewise_em(
    case$x, case$k, method = "paper", refine = "none",
    control = stagewise_control(max_stages = 20), verbose = FALSE
  )
  default <- stagewise_em(case$x, case$k, verbose = FALSE)
  n <- nrow(case$x)
  trace <- fit$trace
  data.frame(
    seed = seed, stage = trace$stage, loglik = signif(trace$loglik_all / n, 8),
    # The trace has the information before each stage; the last row is that of the fit.
    information = signif(c(trace$information[-1], max_by_component(fit)), 5),
    n_informative = trace$n_informative,
    true_loglik = signif(sum(predict(case$model, case$x, type = "density")) / n, 8),
    true_information = signif(max_by_component(case$model, case$x), 5),
    error = error_rate(fit, case$truth), default_error = error_rate(default, case$truth),
    true_error = error_rate(predict(case$model, case$x), case$truth),
    default_informative = length(informative(default)),
    default_loglik = signif(sum(predict(default, type = "density")) / n, 8)
  )
}

# The largest I_k(i, j) over pairs and components.
max_by_component <- function(model, x = NULL) {
  max(vapply(seq_len(model$k), function(k) max(information(model, x, component = k)), 0))
}

# Error by method ---------------------------------------------------------------------------------

# Sparse refinement is by BIC after the paper's stages and in `default_bic`, by evidence in the
# others. The last three show what each step of the default call adds; it is their sum.
error_methods <- c(
  list(true = true_model, vote = majority_vote_of, vote_em = ordinary_em("majority"),
       spectral_em = from_spectral),
  list(
    paper = stages(method = "paper", refine = "none"),
    paper_sparse = stages(method = "paper", refine = "sparse"),
    paper_full = stages(method = "paper", refine = "full"),
    default_bic = stages(control = stagewise_control(criterion = "bic")),
    default_stages = stages(refine = "none"),
    default_unpolished = stages(control = stagewise_control(polish = FALSE)),
    default = stages()
  )
)

error_of_draw <- function(n_experts, seed) {
  case <- simulated_case("sparse", rep(0.6, n_experts), seed)$load()
  outcomes <- lapply(error_methods, function(method) method(case))
  experts <- case$model$informative
  data.frame(
    experts = n_experts, seed = seed, method = names(outcomes),
    wrong = vapply(outcomes, function(outcome) wrong(outcome, case), 0),
    n_informative = vapply(outcomes, function(outcome) {
      if (is.null(outcome$informative)) NA_integer_ else length(outcome$informative)
    }, 0L),
    exact = vapply(outcomes, function(outcome) {
      if (is.null(outcome$informative)) NA else setequal(outcome$informative, experts)
    }, NA),
    penalised = vapply(outcomes, function(outcome) round(outcome$penalised, 1), 0)
  )
}

wrong <- function(outcome, case) {
  round(error_rate(outcome$class, case$truth, align = !outcome$named) * length(case$truth))
}

# Real crowds -------------------------------------------------------------------------------------

crowd_methods <- c(
  list(vote = majority_vote_of, vote_em = ordinary_em("majority")),
  stats::setNames(
    lapply(1:10, function(seed) {
      force(seed)
      function(case) {
        fit <- suppressWarnings(mdpd(case$x, case$k, start = "spectral", n_starts = 1, seed = seed))
        outcome_of_fit(fit, case$x)
      }
    }),
    paste0("spectral_em_", 1:10)
  ),
  list(
    paper = stages(method = "paper", refine = "none"),
    paper_full = stages(method = "paper", refine = "full"),
    frozen = stages(method = "paper", refine = "none", missing = "frozen"),
    frozen_full = stages(method = "paper", refine = "full", missing = "frozen"),
    default_bic = stages(control = stagewise_control(criterion = "bic")),
    default = stages()
  )
)

measure_crowd <- function(case, methods) {
  loaded <- case$load()
  outcomes <- lapply(methods, function(method) {
    tryCatch(method(loaded), bench_cannot = function(e) NULL, mdpd_error_no_spectral_start =
               function(e) NULL)
  })
  outcomes <- Filter(Negate(is.null), outcomes)
  data.frame(
    crowd = case$data, items = nrow(loaded$x), workers = ncol(loaded$x), method = names(outcomes),
    wrong = vapply(outcomes, wrong, 0, loaded),
    n_informative = vapply(outcomes, function(outcome) {
      if (is.null(outcome$informative)) NA_integer_ else length(outcome$informative)
    }, 0L)
  )
}

measure_crowds <- function(cases, methods) {
  do.call(rbind, lapply(cases, measure_crowd, methods))
}

bluebird <- crowd_case("bluebird")
dog_active <- crowd_case("dog", n_workers = 52)
dog <- crowd_case("dog")

# The length of a split, and the coding of the labels ---------------------------------------------

step_methods <- function(steps = c(0.01, 0.02, 0.05, 0.1, 0.2, 0)) {
  methods <- lapply(steps, function(step) {
    stages(method = "paper", refine = "none", control = stagewise_control(split_step = step))
  })
  stats::setNames(methods, ifelse(steps > 0, steps, "search"))
}

# The same labels under other names come in another order: the paper's method must not notice.
recoded <- function(case, order) {
  new_case(case$data, kind = case$kind, load = function() {
    loaded <- case$load()
    old <- loaded$x$labels
    rename <- function(labels) order[match(as.character(labels), old)]
    triples <- as.data.frame(loaded$x)
    triples$label <- rename(triples$label)
    truth <- stats::setNames(rename(loaded$truth), names(loaded$truth))
    list(x = crowd_labels(triples), k = loaded$k, truth = truth)
  })
}

permutations <- function(x) {
  if (length(x) == 1) {
    return(list(x))
  }
  do.call(c, lapply(seq_along(x), function(i) lapply(permutations(x[-i]), function(p) c(x[i], p))))
}

codings <- function(case) {
  orders <- permutations(seq_along(case$load()$x$labels))
  tables <- lapply(orders, function(order) {
    method <- list(paper = stages(method = "paper", refine = "none"))
    cbind(measure_crowd(recoded(case, order), method), coding = paste(order, collapse = ""))
  })
  do.call(rbind, tables)
}

# Running -----------------------------------------------------------------------------------------

parts <- list(
  stages = function() {
    write_result(do.call(rbind, lapply(1:10, stages_of_draw)), "stages")
  },
  error = function() {
    cases <- expand.grid(seed = 1:10, n_experts = 5:20)
    write_result(do.call(rbind, Map(error_of_draw, cases$n_experts, cases$seed)), "error")
  },
  crowds = function() {
    cases <- list(bluebird, dog_active, dog, crowd_case("rte"))
    write_result(measure_crowds(cases, crowd_methods), "crowds")
  },
  steps = function() {
    write_result(measure_crowds(list(bluebird, dog_active, dog), step_methods()), "steps")
    write_result(codings(dog_active), "codings")
  }
)

asked <- commandArgs(trailingOnly = TRUE)
for (part in if (length(asked) > 0) match.arg(asked, names(parts), TRUE) else names(parts)) {
  message(part)
  parts[[part]]()
}
