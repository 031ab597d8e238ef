# Fits of rows in a store: the engine reads them shard by shard.

#' @rdname stagewise_em
#' @param memory Of a [row_store()]: bytes of shards that stay in memory while EM goes over them
#'   again and again, at least 0. The others are read from disk each time.
#' @param cluster Of a [row_store()]: where EM goes over the rows. `NULL`, the default, in this
#'   process; `"mirai"`, by the daemons that `mirai::daemons()` has set, here, by ssh, Slurm or
#'   Kubernetes; or a cluster of [parallel::makeCluster()]; see 'A cluster'.
#' @param deadline With a `cluster`: seconds, from 1 to 1e6, within which a worker must have gone
#'   over its rows once; by default 600. One that has not counts as lost.
#' @section Rows in a store:
#' Rows of a [row_store()] are read shard by shard and need not fit in memory. A store of at most
#' `search_rows` rows, or of at most as many different rows, if they are at most half of all, is
#' fitted as the same rows in memory are, to the last bit. Of a larger one a sample of about
#' `search_rows` rows is taken into memory, by a hash of the rows' numbers: with it the stages, the
#' polish and the other starts search for the components, for each `k`. From there EM goes over all
#' rows. So what the fit says of the parameters, the items, the evidence and the log-likelihood is
#' of all rows and exact; what is sampled is the search, which can miss a component that is rare in
#' the sample. The fit does not depend on how the rows are cut into shards, nor on threads. It
#' keeps no posterior and no data: `predict(fit, store, file = )` writes the classes of all rows. It
#' does keep their sums, from which `update(fit, store)` goes on when rows are added, see
#' [update.mdpd()].
#' Sampled, `trace` has the iterations over all rows only. Case weights are the store's;
#' `missing` can be `"ignore"`, `"frozen"` or `"fail"`.
#'
#' Rows in memory of which there are more than `search_rows` are fitted in the same way, with the
#' bits of a store that has them in this order; the fit keeps their posterior and data.
#'
#' Labels that are known are the store's too, see [add_known()]: with one component a label and a
#' refinement their items keep their class, as by `known` for a crowd in memory. Of more than
#' `search_rows` rows there is then a sample, whatever rows repeat others; the items are held in EM
#' over all rows, and all of them count where the components are given their labels. Where known
#' labels cannot be held a warning of class `mdpd_warning_known_not_held` says why. Whether they are
#' is in `fit$store$holds_known`; if so, [predict()] gives these items of the store their labels,
#' with probability 1.
#' @section A cluster:
#' With a `cluster` the fit is the same to the last bit, whatever the number of workers and
#' whichever of them fail. This process reads the store to know its totals, and searches; then the
#' workers go over the rows, each over the shards that it was dealt, as often as EM needs.
#' Parameters go out and sums come back, 8 bytes for each level of an item in each component, both
#' ways, a pass. A store that is fitted in memory (see above) needs no worker.
#'
#' Workers need mdpd in the same version and the same arithmetic: processors, compilers and
#' libraries of mathematics that add up to the same last bit, which a fixed pass tells. Another
#' worker is refused: with a warning, or of mirai, where any daemon may be given any task, with an
#' error. They read the shards from the path of the store, or are sent the files, once, where they
#' do not see it; they keep up to `memory` bytes of them, until they work for another store. Each
#' uses the `threads` of `control`, so for workers on one machine they should be its processors
#' divided by the workers.
#'
#' A worker that is lost, killed or late brings a warning of class `mdpd_warning_lost_worker`, and
#' the others get its shards; when no worker is left, one of class `mdpd_warning_no_worker`, and
#' the fit goes on in this process. What was lost three times in a pass is done in this process
#' too. Errors of the computation are not tried again. Replies that belong to another call, as they
#' are left in a cluster by an interrupt, are thrown away. After an interrupt the workers end the
#' pass that they are at, and the cluster can be used again. MPI ends as a whole when a process of
#' it dies, and has no deadline.
#' @export
stagewise_em.row_store <- function(x, k, ..., # nolint: object_name_linter.
                                   method = c("robust", "paper"),
                                   refine = c("sparse", "full", "none"),
                                   missing = c("ignore", "frozen", "fail"),
                                   control = stagewise_control(), search_rows = NULL,
                                   memory = 1e9, cluster = NULL, deadline = 600,
                                   verbose = interactive()) {
  check_foreign_arguments(rlang::enexprs(...), not_of_stores)
  rlang::check_dots_empty()
  method <- check_choice(method, c("robust", "paper"))
  refine <- check_choice(refine, c("sparse", "full", "none"))
  missing <- check_choice(missing, c("ignore", "frozen", "fail"))
  check_control(control)
  check_search_rows(search_rows)
  check_number(memory, c(0, Inf))
  check_cluster(cluster)
  check_number(deadline, c(1, 1e6))
  check_flag(verbose)
  check_k_given(k, rlang::current_env())
  check_counts(k)
  coded <- coded_store(x, missing)
  check_k_against_rows(min(k), coded, rlang::current_env())

  search_rows <- search_rows %||% rows_to_search(ncol(x), x$manifest$kind == "crowd")
  held <- held_in_growth(x, k, refine)
  known <- if (!is.null(held)) known_of_store(x)
  problem <- new_problem(coded, if (x$manifest$kind == "crowd") x$manifest$levels, held = held,
                         known_weight = count_known_labels(known, x))
  ks <- k_within_rows(k, coded)
  settings <- new_settings("grow", ks, method, refine, complete_control(control, method), verbose)
  call <- match.call()
  call[[1]] <- quote(stagewise_em)
  about <- list(class = "stagewise_em", call = call, keep_data = FALSE)
  at_work <- list(threads = settings$control$threads, memory = memory, deadline = deadline,
                  verbose = verbose)
  ask <- if (!is.null(cluster)) {
    ask_by(carrier_of(cluster, deadline), x, at_work, rlang::current_env())
  }
  limits <- list(search_rows = search_rows, memory = memory)
  result <- run_engine_on_store(problem, settings, x, limits, ask)
  about$store <- about_store(x, result, list(known = known))
  about$data_hash <- hash_of_store(x, about$store$holds_known)
  if (length(k) > 1) {
    return(keep_last_shard(new_path(result$fits, problem, settings, about), x))
  }
  fit <- keep_last_shard(new_mdpd(result$fits[[1]], problem, settings, about), x)
  warn_of_fit(fit, k, result$fits[[1]], coded)
  fit
}

# What fits of rows in memory are given here.
not_of_stores <- c(
  weights = "The case weights of a store are given to {.fn row_store}.",
  known = "Known labels are put into the store by {.fn add_known}.",
  keep_data = "A fit of a store keeps none of its rows."
)

check_search_rows <- function(search_rows, call = rlang::caller_env()) {
  if (!is.null(search_rows)) check_count(search_rows, 1000, call = call)
}

# As many as keep the pairs of items times the rows of a wide table to those of one of 2000 items.
rows_to_search <- function(n_items, is_crowd) {
  if (is_crowd) n_items <- 0
  max(4096, floor(131072 * min(1, 2000 / n_items)^2))
}

# Of rows in memory, where only pairs are too many.
rows_to_search_of <- function(coded, x) {
  n_items <- length(coded$levels)
  if (inherits(x, "crowd_labels") || n_items <= 2000) Inf else rows_to_search(n_items, FALSE)
}

# What coded data say but for the rows.
coded_store <- function(store, missing, call = rlang::caller_env()) {
  manifest <- store$manifest
  shards <- manifest$shards
  n_cells <- nrow(store) * ncol(store)
  n_missing <- n_cells - sum(shards$answers) + sum(shards$repeats)
  if (missing == "fail") check_complete_store(n_missing - (manifest$n_unweighted %||% 0), call)
  if (missing == "frozen" && manifest$kind == "crowd") {
    abort_mdpd(
      "{.code missing = \"frozen\"} needs a table, not the labels of a crowd.",
      class = "argument", call = call
    )
  }
  list(
    levels = levels(store), missing = missing, variable_labels = manifest$variable_labels,
    totals = list(
      n_obs = nrow(store), n_missing = n_missing
    )
  )
}

# Missing is what was not given, as in memory.
check_complete_store <- function(n_missing, call) {
  if (n_missing > 0) {
    abort_mdpd(
      c("No cell may be missing with {.code missing = \"fail\"}.",
        x = "{comma(n_missing)} {quantity(n_missing)}cell{?s} of the store {?is/are}."),
      class = "missing_value", call = call
    )
  }
}

# @param limits How many rows are searched at most, `search_rows`, and the `memory` that rows may
#   stay in (bytes).
# @param ask NULL: EM goes over the rows here; or of ask_by().
# @param pieces The rows, see pieces_between(); NULL: all.
run_engine_on_store <- function(problem, settings, store, limits, ask = NULL, pieces = NULL) {
  on.exit(core_forget_rows())
  shards <- store$manifest$shards
  files <- list(path = file.path(store$path, shards$file), checksum = shards$checksum)
  if (!is.null(pieces)) files <- files_of(store, pieces)
  result <- with_shard_files(core_fit_shards(
    problem, settings, files, limits$search_rows, limits$memory, ask
  ))
  read_engine(result, problem)
}

# How the rows of a fit came from a store. `before`: the same of the fit that it went on from.
about_store <- function(store, result, before = NULL) {
  holds_known <- result$fits[[1]]$holds_known
  hashes <- store$manifest$shards$rows_hash
  list(
    path = store$path, rows = nrow(store),
    is_weighted = weighs_other(nrow(store), store$manifest$weights$sum),
    shards = nrow(store$manifest$shards), reading = result$reading,
    search_rows = result$n_search_rows,
    files = store$manifest$shards[c("checksum", "rows")],
    rows_hash = if (!is.null(hashes)) core_add_hashes(hashes),
    holds_known = holds_known, known = if (holds_known) known_of_store(store, before$known)
  )
}
