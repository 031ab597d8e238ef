#' Go on from a fit when its store has new rows
#'
#' A day's rows cost about a day's work: EM goes over the rows that [add_rows()] has brought since
#' the fit, or of which [add_known()] has told the true label, while the sums of the others stand as
#' the fit left them: incremental EM (Neal and Hinton 1998). Then a sample of the others says what a
#' full round over all rows would still gain. With `full = TRUE` that round is made: EM over all
#' rows from the fit, without a new search.
#'
#' @param object A fit of a [row_store()], by [stagewise_em()] or by `update()`.
#' @param store The store, with at least the rows of the fit; see [add_rows()].
#' @param ... Must be empty where `store` is given. Without it, `update()` calls again what made the
#'   fit, with these arguments in place of those of the call, see [stats::update()]. Components
#'   that were named or ordered by hand keep that where there are as many of them again: each goes
#'   to the one it is most like, see [align_components()].
#' @param full `TRUE` for EM over all rows; by default (`FALSE`) over the new ones.
#' @param memory,cluster,deadline As in [stagewise_em()]; a `cluster` is for `full = TRUE` only.
#' @param verbose Show a progress bar when it takes long?
#' @return A fit as by [stagewise_em()], with the components under the names and in the order that
#'   they had. `trace` has the new iterations at the end, and there are further
#'   \item{update}{list: `new_rows`, those that came since the fit; `new_known`, items that are held
#'     in the component of a label and were not; `rows` that EM went over; is it `full`; `gain`,
#'     what a full round would gain at once in nats a thousand rows, `NA` where nothing can be said
#'     and 0 after one; the rows it was estimated from, `checked`; and `n_changed`}
#'   \item{changed}{data frame of the rows that EM went over whose class, see [predict()], is
#'     another than by the fit before: `row`, its number in the store, `id` (`NA` where there are
#'     none), `from`, `NA` where that fit knew none of its answers, and `to`; the first 10,000 of
#'     `n_changed`}
#' @details
#' With the posterior \eqn{q_n} that old row n had when EM last went over it, EM climbs
#' \deqn{\sum_{n\ new} \log p(x_n \mid \theta) +
#'       \sum_{n\ old} E_{q_n} \log \frac{p(x_n, y \mid \theta)}{q_n(y)}}{sum_new log p(x_n | theta)
#'       + sum_old E_q[n] log(p(x_n, y | theta) / q_n(y))}
#' in the place of the log-likelihood, under the same criterion (evidence, BIC or none) and with the
#' items weighed after each step, as before. The second sum depends on the old rows through their
#' level counts by component only, which the fit keeps in `sums`: as much as its probabilities. It
#' is a lower bound of their log-likelihood, so `loglik` and `evidence` of the fit are lower than
#' those of all rows at its parameters, and AIC and BIC higher, as far as `gain` estimates. What
#' `summary()` says of the classes is of the posterior that each row had when EM last went over it.
#'
#' `gain` is estimated by the distance of the bound from the log-likelihood in up to 8 stretches of
#' 1,024 old rows, which are chosen by a hash, once, at the first update. Rows of later updates have
#' less to gain: it is taken to fall from that of these rows in proportion to 1/n - 1/N for a row
#' that came as the n-th of N, as the variance of estimates does. EM can gain more when it goes on
#' from there. A gain of more than 0.01 brings a message of class `mdpd_message_full_round`.
#'
#' New levels and new workers begin without any difference between the components. A new label of a
#' crowd has no component: for that, fit anew. No component is added or taken away.
#'
#' Of a table exactly the new rows are gone over. Of a crowd whole shards are: the last one, where
#' it was not full, and others that have an item with new labels, or one whose known label is new,
#' another or taken back; then the other shards are read once to know their sums.
#'
#' Known labels are held as by [stagewise_em()], see 'Rows in a store' there: where the fit has one
#' component a label, each of which stands for its label. Else a warning of class
#' `mdpd_warning_known_not_held` says why they are not. An item that became known is in `changed`
#' where its class was another.
#'
#' The result does not depend on threads, on memory, or on how rows of a table are cut into shards.
#' It does depend, by nature, on how rows came: on which were there at the fit, and in how many
#' updates the others joined.
#' @section Errors:
#' `mdpd_error_in_memory` if the fit is not of a store; `mdpd_error_other_store` if it is of
#' another one, or of other items or levels; `mdpd_error_old_store` if the fit has rows that the
#' store has not; `mdpd_error_not_stored` if it has no sums of its rows;
#' `mdpd_error_damaged_shard` for a file that cannot be read, and `mdpd_error_outdated_store` where
#' the store was written to since it was opened; `mdpd_error_argument` for a bad argument, such as a
#' formula, or a `cluster` without `full = TRUE`. Messages: `mdpd_message_full_round`,
#' `mdpd_message_nothing_new` if the store has nothing new, and `mdpd_message_new_levels` for labels
#' without a component. Warnings are `mdpd_warning_known_not_held` and as of [stagewise_em()].
#' @references
#' Neal, R. M. and Hinton, G. E. (1998). A view of the EM algorithm that justifies incremental,
#' sparse, and other variants. In M. I. Jordan (ed.), *Learning in Graphical Models*, 355-368.
#' \doi{10.1007/978-94-011-5014-9_12}
#' @family stores
#' @examples
#' path <- tempfile("store")
#' crowd <- simulate_crowd(1600, 10, accuracy = rep(0.6, 8), seed = 1)
#' answers <- as.data.frame(as.matrix(crowd$labels))
#' store <- row_store(answers[1:1500, ], path)
#' fit <- stagewise_em(store, k = 3)
#' store <- add_rows(store, answers[1501:1600, ])
#' fit <- update(fit, store)
#' fit
#' head(fit$changed)
#' unlink(path, recursive = TRUE)
#' @importFrom stats update
#' @export
update.mdpd <- function(object, store, ..., full = FALSE, memory = 1e9, cluster = NULL,
                        deadline = 600, verbose = interactive()) {
  call <- rlang::current_env()
  if (missing(store)) {
    check_no_store(object, ...length(), call)
    changes <- as.list(match.call())[-1]
    return(call_again(object, changes[names(changes) != "object"], rlang::caller_env(), call))
  }
  rlang::check_dots_empty()
  check_updated(object, store, call)
  check_flag(full)
  check_number(memory, c(0, Inf))
  check_cluster(cluster)
  if (!full && !is.null(cluster)) {
    abort_mdpd(c("A {.arg cluster} is for {.code full = TRUE}.",
                 i = "Without that EM goes over the new rows only, in this process."),
               class = "argument", call = call)
  }
  check_number(deadline, c(1, 1e6))
  check_flag(verbose)
  check_same_store(object, store, call)

  pieces <- pieces_to_do(object, store, full)
  if (nrow(pieces) == 0) {
    inform_mdpd("The fit has all rows of the store.", class = "nothing_new")
    return(object)
  }
  before <- object
  object <- spread_fit(object, store)
  object$sums <- standing_sums(object, before, store, full, call)
  how <- list(
    full = full, memory = memory, cluster = cluster, deadline = deadline, verbose = verbose
  )
  warn_not_held(store, why_not_held(object, store), object$k)
  result <- go_on(object, store, pieces, how, call)
  fit <- updated_fit(result, object, store, match.call())
  check <- if (fit$k == object$k) check_round(fit, object, before, store, call)
  fit$sums$check <- check
  fit$update <- list(
    new_rows = nrow(store) - before$n_obs, new_known = n_new_known(fit, before),
    rows = sum(pieces$n), full = full,
    gain = if (fit$k == object$k) gain_of_round(check, object, fit) else NA_real_,
    checked = check$sums$n_obs %||% 0, n_changed = result$changed$n
  )
  fit$changed <- changed_table(result, object, fit, store, pieces, call)
  warn_status(fit, object$k)
  inform_update(fit, before)
  fit
}

# Without a store ----------------------------------------------------------------------------------

# The call that made the fit with other arguments, `changes`, which are code, or the call itself
# where `evaluate = FALSE` is among them.
call_again <- function(object, changes, users, call) {
  check_own_call(object, call)
  evaluate <- changes[["evaluate"]]
  changes <- changes[setdiff(seq_along(changes), match("evaluate", names(changes)))]
  again <- rlang::call_modify(object$call, !!!Filter(Negate(rlang::is_missing), changes))
  if (isFALSE(eval(evaluate, users))) {
    return(again)
  }
  fit <- as_users(eval(again, users))
  same_k <- inherits(fit, "mdpd") && fit$k == object$k
  if (!same_k || !any(names(fit$item_probs) %in% names(object$item_probs))) {
    return(fit)
  }
  keep_arrangement(fit, object, if (has_same_rows(fit, object)) object$posterior)
}

# By their names, else by all that they answer: another table of that size has other rows. The hash
# of the data will not do, as it does not know the order of the rows.
has_same_rows <- function(fit, object) {
  names <- rownames(fit$posterior)
  answers <- c("codes", "levels")
  identical(dim(fit$posterior), dim(object$posterior)) &&
    identical(names, rownames(object$posterior)) &&
    (!is.null(names) ||
       !is.null(fit$coded) && identical(fit$coded[answers], object$coded[answers]))
}

# poLCA's functions know other arguments; a true model was not fitted.
check_own_call <- function(object, call) {
  made_by <- if (is.call(object$call)) rlang::call_name(object$call)
  if (!isTRUE(made_by %in% c("stagewise_em", "mdpd", "refine"))) {
    abort_mdpd(
      c("{.arg object} must be a fit of {.fn stagewise_em}, {.fn mdpd} or {.fn refine}: its call is
         repeated.",
        x = if (!is.null(made_by)) "It was made by {.fn {made_by}}.",
        i = "Use {.fn refine} to go on from it, or {.fn stagewise_em} with its data."),
      class = "argument", call = call
    )
  }
}

# Checks -------------------------------------------------------------------------------------------

check_no_store <- function(object, n_others, call) {
  if (!is.null(object$store) && n_others == 0) {
    abort_mdpd(
      c("{.arg store} must be given: the store of the fit, with its new rows.",
        i = "See {.fn add_rows}."),
      class = "argument", call = call
    )
  }
}

check_updated <- function(object, store, call) {
  if (!inherits(store, "row_store")) {
    abort_mdpd(
      c("{.arg store} must be a {.fn row_store}, not {describe(store)}.",
        i = if (rlang::is_formula(store)) {
          "For other items, call {.fn stagewise_em} again."
        } else if (is.null(object$store)) {
          "The fit is of rows in memory: call {.fn stagewise_em} with the old and the new rows."
        }),
      class = "argument", call = call
    )
  }
  if (is.null(object$store)) {
    abort_mdpd(
      c("{.arg object} must be a fit of a {.fn row_store}, not of rows in memory.",
        i = "Call {.fn stagewise_em} with the old and the new rows, or with the store."),
      class = "in_memory", call = call
    )
  }
  if (!has_sums(object)) {
    abort_mdpd(
      "{.arg object} must have the sums of its rows; call {.fn stagewise_em} again.",
      class = "not_stored", call = call
    )
  }
}

has_sums <- function(object) {
  standing <- object$sums$standing
  n_levels <- sum(vapply(object$item_probs, nrow, 0L))
  is.list(standing) && is.data.frame(object$store$files) &&
    identical(dim(standing$levels), as.integer(c(n_levels, object$k))) &&
    length(standing$level_weight) == n_levels &&
    length(standing$reliance) == length(object$item_probs)
}

# Is it the store of the fit, in that state or a later one?
check_same_store <- function(object, store, call) {
  levels <- lapply(object$item_probs, rownames)
  now <- levels(store)
  if (has_other_items(levels, now, is_crowd = !is.null(object$labels))) {
    abort_other_store("Its items or their levels are others.", call)
  }
  standing <- object$sums$standing
  counts <- store$manifest$counts
  lacks_some <- nrow(store) < object$n_obs || length(now) < length(levels) ||
    any(lengths(now[seq_along(levels)]) < lengths(levels)) ||
    sum(counts) < sum(standing$level_weight) * least_share
  if (lacks_some) {
    abort_mdpd(
      c("{.arg object} must not have rows that {.arg store} does not have.",
        x = "The fit has {plural(object$n_obs, 'row')}, the store {comma(nrow(store))}.",
        i = "Is the store's object an old one? Then open it anew by {.fn open_row_store}."),
      class = "old_store", call = call
    )
  }
  before <- spread_counts(standing$level_weight, lengths(levels), lengths(now))
  if (any(counts < before * least_share) || !has_rows_of(object, store, call)) {
    abort_other_store("It has other rows in the place of those of the fit.", call)
  }
}

# But for rounding, counts of weights do not fall.
least_share <- 1 - 1e-9

# Levels, and workers of a crowd, come behind those that are there.
has_other_items <- function(levels, now, is_crowd) {
  both <- seq_len(min(length(levels), length(now)))
  !identical(names(now)[both], names(levels)[both]) ||
    !is_crowd && length(now) != length(levels) ||
    !all(mapply(is_same_start, levels[both], now[both]))
}

is_same_start <- function(x, y) {
  n <- min(length(x), length(y))
  identical(x[seq_len(n)], y[seq_len(n)])
}

# Are the first rows of a table those of the fit, with their weights? Hashes of rows add up, so but
# for the last shard, which may have been filled up, none is read. Of a crowd EM goes over all
# shards that are not the same.
has_rows_of <- function(object, store, call) {
  before <- object$store$rows_hash
  if (store$manifest$kind == "crowd" || is.null(before)) {
    return(TRUE)
  }
  shards <- store$manifest$shards
  pieces <- pieces_between(store, 0, object$n_obs)
  hashes <- shards$rows_hash[pieces$shard]
  last <- nrow(pieces)
  if (pieces$n[last] < shards$rows[last]) {
    rows <- piece_rows(read_shard(store$path, store$manifest, last, call), 0, pieces$n[last])
    coded <- new_coded(rows$codes, levels(store), rows$weights, "ignore")
    hashes[last] <- core_hash_rows(coded, integer())
  }
  core_add_hashes(hashes) == before
}

abort_other_store <- function(problem, call) {
  abort_mdpd(
    c("{.arg store} must be the store of the fit.", x = "{problem}",
      i = "A new store needs a new fit, by {.fn stagewise_em}."),
    class = "other_store", call = call
  )
}

# What EM goes over --------------------------------------------------------------------------------

# Rows that are new since the fit; of a crowd all rows of shards that are.
pieces_to_do <- function(object, store, full) {
  if (full) {
    return(whole_shards(store, seq_len(nrow(store$manifest$shards))))
  }
  if (store$manifest$kind == "table") {
    return(pieces_between(store, object$n_obs, nrow(store)))
  }
  whole_shards(store, setdiff(seq_len(nrow(store$manifest$shards)), same_shards(object, store)))
}

# Files with the same checksum in the same place, whose known rows were held if they are now.
same_shards <- function(object, store) {
  before <- object$store$files$checksum
  same <- which(store$manifest$shards$checksum[seq_along(before)] == before)
  if (isTRUE(object$store$holds_known) == may_hold(object, store)) {
    return(same)
  }
  same[n_known_of_shards(store)[same] == 0]
}

# What the fit kept before, in the levels of the store now.
spread_kept <- function(before, store) {
  kept <- before$sums
  n_before <- vapply(before$item_probs, nrow, 0L, USE.NAMES = FALSE)
  n_now <- store_n_levels(store$manifest)
  for (part in intersect(c("standing", "last"), names(kept))) {
    kept[[part]] <- spread_sums(kept[[part]], n_before, n_now)
  }
  if (!is.null(kept$check)) kept$check$sums <- spread_sums(kept$check$sums, n_before, n_now)
  if (!is.null(kept$pseudo_counts)) kept$pseudo_counts <- spread_crowd(kept$pseudo_counts, n_now[1])
  kept
}

# The rows that stand: those of the fit without what EM goes over again.
standing_sums <- function(object, before, store, full, call) {
  kept <- spread_kept(before, store)
  if (full) {
    kept[c("standing", "last", "check")] <- NULL
    return(kept)
  }
  is_crowd <- store$manifest$kind == "crowd"
  last <- nrow(object$store$files)
  same <- same_shards(object, store)
  known <- c(same, if (!is.null(kept$last)) last)
  if (is_crowd && length(setdiff(seq_len(last), known)) > 0) {
    # Nobody knows the sums of single shards: the others are gone over once, here.
    pieces <- whole_shards(store, same)
    kept["check"] <- list(NULL)
    kept["standing"] <- list(if (nrow(pieces) > 0) sums_of_pieces(object, store, pieces, call))
  } else if (is_crowd && !last %in% same) {
    kept["standing"] <- list(subtract_sums(kept$standing, kept$last))
  }
  kept$last <- NULL
  # What is looked at must stand.
  if (!all(kept$check$files %in% store$manifest$shards$checksum[same])) kept["check"] <- list(NULL)
  kept
}

# A fit whose items have the levels of the store, and its items; it had `n_levels_before`. What is
# new has no difference between the components, so it says nothing of a row.
spread_fit <- function(object, store) {
  levels <- levels(store)
  probs <- stats::setNames(object$item_probs[names(levels)], names(levels))
  n_before <- vapply(probs, NROW, 0L)
  for (item in which(n_before < lengths(levels))) {
    n_new <- length(levels[[item]]) - n_before[item]
    share <- if (n_before[item] == 0) 1 / n_new else share_of_new
    both <- rbind(probs[[item]] * (1 - n_new * share), matrix(share, n_new, object$k))
    probs[[item]] <- `dimnames<-`(both, list(levels[[item]], names(object$mixing_weights)))
  }
  object$item_probs <- probs
  object$n_levels_before <- unname(n_before)
  if (!is.null(object$crowd_probs)) {
    object$crowd_probs <- spread_crowd(object$crowd_probs, length(store$manifest$levels))
  }
  object
}

# Of a level that was not there, before EM says more.
share_of_new <- 0.001

# The crowd's columns, or pseudo-counts of them.
spread_crowd <- function(columns, n_levels) {
  n_new <- n_levels - nrow(columns)
  if (n_new == 0) {
    return(columns)
  }
  rbind(columns, matrix(share_of_new * colSums(columns), n_new, ncol(columns), byrow = TRUE))
}

# EM -----------------------------------------------------------------------------------------------

go_on <- function(object, store, pieces, how, call) {
  problem <- update_problem(object, store, pieces, call)
  settings <- new_settings("continue", object$k, object$method, object$refine, control_of(object),
                           how$verbose)
  ask <- if (how$full && !is.null(how$cluster)) {
    at_work <- c(list(threads = settings$control$threads), how[c("memory", "deadline", "verbose")])
    ask_by(carrier_of(how$cluster, how$deadline), store, at_work, call)
  }
  limits <- list(search_rows = 1, memory = how$memory)
  result <- run_engine_on_store(problem, settings, store, limits, ask, if (!how$full) pieces)
  c(result, list(problem = problem, settings = settings))
}

update_problem <- function(object, store, pieces, call) {
  coded <- coded_store(store, object$missing)
  labels <- if (store$manifest$kind == "crowd") store$manifest$levels
  start <- c(
    point_of(object, store$manifest$items),
    list(n_levels = object$n_levels_before),
    if (!is.null(object$item_prior)) list(item_prior = unname(object$item_prior)),
    if (!is.null(object$crowd_probs)) {
      list(crowd_probs = unname(object$crowd_probs), pseudo_counts = object$sums$pseudo_counts)
    },
    if (stands_for_labels(object)) {
      list(labels = match(component_labels_of(object), labels))
    }
  )
  holds <- may_hold(object, store)
  known <- if (holds) known_of_store(store, object$store$known, call)
  new_problem(
    coded, labels, starts = list(start), standing = object$sums$standing,
    held = if (holds) match(labels, component_labels_of(object)),
    known_weight = count_known_labels(known, store),
    known_before = known_before(object, store, pieces, call)
  )
}

# With the components as they were.
updated_fit <- function(result, object, store, call) {
  found <- result$fits[[1]]
  found$trace <- bind_traces(object$trace, found$trace)
  keeps_all <- length(found$mixing_weights) == object$k
  found["born"] <- list(if (keeps_all) object$born)
  order <- order(found$mixing_weights, decreasing = TRUE)
  call[[1]] <- quote(update)
  fit <- new_mdpd(found, result$problem, result$settings, list(
    class = "stagewise_em", call = call, keep_data = FALSE,
    data_hash = hash_of_store(store, found$holds_known),
    store = about_store(store, result, object$store)
  ))
  # The search was that of the first fit.
  fit$store[c("reading", "search_rows")] <- object$store[c("reading", "search_rows")]
  if (keeps_all) {
    names <- names(fit$mixing_weights)[order(order)]
    if (keeps_labels(found, result$problem)) names <- names(object$mixing_weights)
    fit <- permute_components(fit, order(order), names)
  }
  keep_last_shard(fit, store)
}

# Do the components stand for what they stood for, if for anything?
keeps_labels <- function(found, problem) {
  identical(as.integer(found$labels), as.integer(problem$starts[[1]]$labels %||% integer()))
}

# What a full round would gain ---------------------------------------------------------------------

rows_of_stretch <- 1024
most_stretches <- 8

# What of the rows that stand is looked at, see choose_stretches(), with their `sums` and what a
# round over them would `gain` (nats); NULL where no rows stand.
#
# `object`: in the levels of the store; `before`: as it was.
check_round <- function(fit, object, before, store, call) {
  if (is.null(object$sums$standing)) {
    return(NULL)
  }
  check <- object$sums$check %||% choose_stretches(before, store)
  points <- lapply(list(now = fit, before = object), point_of, store$manifest$items)
  found <- with_shard_files(core_gain_of_round(
    rows_alone(fit, store), points, files_of(store, pieces_of_check(check, store)), check$sums,
    !is.null(fit$evidence), threads_of(fit)
  ), call)
  check[c("gain", "sums")] <- found[c("gain", "sums")]
  check
}

# In nats a thousand rows of all.
gain_of_round <- function(check, object, fit) {
  if (is.null(check)) {
    return(0)
  }
  standing <- object$sums$standing
  share <- gain_of_later(check$n_fitted %||% Inf, standing$n_obs, fit$n_obs)
  1000 * share * check$gain / check$sums$weight * standing$weight / fit$nobs
}

# What rows that stand have to gain on average, as a share of what the first `n_first` have, some of
# which are looked at. Parameters learned from n rows differ from those of all `n_all` by a variance
# in proportion to 1/n - 1/n_all, and so does what a row has to gain that came when there were n:
# the mean of this over the `n_standing`.
gain_of_later <- function(n_first, n_standing, n_all) {
  if (n_standing <= n_first) {
    return(1)
  }
  later <- log(n_standing / n_first) - (n_standing - n_first) / n_all
  (n_first + later / (1 / n_first - 1 / n_all)) / n_standing
}

# Some of the rows that stand, chosen by a hash: the numbers of rows before the `first` and of the
# `last` of each stretch; of a crowd those among the rows of some `files`; and how many rows the fit
# had, `n_fitted`.
choose_stretches <- function(before, store) {
  shards <- store$manifest$shards
  is_crowd <- store$manifest$kind == "crowd"
  stand <- if (is_crowd) same_shards(before, store)
  n <- if (is_crowd) sum(shards$rows[stand]) else before$n_obs
  n_stretches <- max(1, n %/% rows_of_stretch)
  hash <- core_hash(as.character(seq_len(n_stretches)))
  first <- (sort(utils::head(order(hash), most_stretches)) - 1) * rows_of_stretch
  list(
    first = first, last = pmin(n, first + rows_of_stretch), n_fitted = before$n_obs,
    files = if (is_crowd) shards$checksum[stand]
  )
}

# Where these rows are now: of a crowd their numbers are those among the rows of some files.
pieces_of_check <- function(check, store) {
  shards <- store$manifest$shards
  if (!is.null(check$files)) {
    at <- match(check$files, shards$checksum)
    store$manifest$shards <- shards[at, ]
  }
  found <- do.call(rbind, Map(function(first, last) pieces_between(store, first, last),
                              check$first, check$last))
  if (!is.null(check$files)) found$shard <- at[found$shard]
  found
}

# Decisions ----------------------------------------------------------------------------------------

changed_table <- function(result, object, fit, store, pieces, call) {
  changed <- result$changed
  end <- cumsum(pieces$n)
  piece <- findInterval(changed$row - 1, end) + 1
  # A row's place in its shard, and the number of that shard's first row.
  place <- changed$row - c(0, end)[piece] + pieces$first[piece]
  before <- cumsum(c(0, store$manifest$shards$rows))
  shard <- pieces$shard[piece]
  names_of <- function(labels, object, class) {
    if (length(labels) > 0) label_names(object)[class] else names(object$mixing_weights)[class]
  }
  data.frame(
    row = place + before[shard], id = ids_of_rows(store, shard, place, call),
    from = names_of(result$problem$starts[[1]]$labels, object, changed$from),
    to = names_of(result$fits[[1]]$labels, fit, changed$to)
  )
}

ids_of_rows <- function(store, shard, place, call) {
  ids <- rep(NA_character_, length(shard))
  for (at in if (store$manifest$has_ids) unique(shard)) {
    of_shard <- read_ids(store$path, store$manifest$shards[at, ], call)
    ids[shard == at] <- of_shard[place[shard == at]]
  }
  ids
}

# What is said -------------------------------------------------------------------------------------

# Nats a thousand rows that are worth a message.
least_gain <- 0.01

inform_update <- function(fit, before) {
  new <- setdiff(fit$labels, before$labels)
  if (length(new) > 0) {
    inform_mdpd(
      c("No component stands for the new label{?s} {.val {new}}.",
        i = "For that, fit anew by {.fn stagewise_em}."),
      class = "new_levels"
    )
  }
  if (isTRUE(fit$update$gain > least_gain)) {
    inform_mdpd(
      c("A full round over all rows would gain at least about {signif(fit$update$gain, 2)} nats a
         thousand rows.",
        i = "Do it by {.code update(fit, store, full = TRUE)}."),
      class = "full_round"
    )
  }
}

# For print().
describe_update <- function(update) {
  gain <- if (update$full) {
    "over all rows"
  } else if (is.na(update$gain)) {
    "EM went over these"
  } else {
    paste0("a full round would gain ", format_gain(update$gain), " nats a thousand rows")
  }
  known <- if (isTRUE(update$new_known > 0)) paste0(", ", plural(update$new_known, "known label"))
  paste0(plural(update$new_rows, "new row"), known, ", ", gain, "; ",
         plural(update$n_changed, "decision"), " changed")
}

format_gain <- function(gain) {
  if (gain < 1e-4) "less than 0.0001" else format_number(signif(gain, 2))
}
