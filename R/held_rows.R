# Rows of a store whose label is known, which fits hold in the component of that label.

# Rows with a known label, of each shard and in all.
n_known_of_shards <- function(store) {
  shards <- store$manifest$shards
  shards$known %||% numeric(nrow(shards))
}

n_known <- function(store) sum(n_known_of_shards(store))

#' The known labels of a store
#'
#' @param before A data frame of this kind; what is in the same files is not read again.
#' @return A data frame, a row for each row of the store whose label is known: `item`, `label` and
#'   the `checksum` of its shard.
#' @noRd
known_of_store <- function(store, before = NULL, call = rlang::caller_env()) {
  shards <- store$manifest$shards
  kept <- before[before$checksum %in% shards$checksum, ]
  to_read <- which(n_known_of_shards(store) > 0 & !shards$checksum %in% kept$checksum)
  read <- lapply(to_read, function(at) known_of_shard(store, at, call))
  known <- do.call(rbind, c(list(kept), read))
  `row.names<-`(known, NULL)
}

known_of_shard <- function(store, at, call) {
  shard <- store$manifest$shards[at, ]
  codes <- as.integer(read_known(store$path, store$manifest, at, call))
  rows <- which(codes > 0)
  data.frame(item = read_ids(store$path, shard, call)[rows],
             label = store$manifest$levels[codes[rows]], checksum = shard$checksum)
}

# Of each label how many rows are known to have it; NULL of no data frame of them.
count_known_labels <- function(known, store) {
  levels <- store$manifest$levels
  if (!is.null(known)) tabulate(match(known$label, levels), length(levels))
}

# Are they held? -----------------------------------------------------------------------------------

# Of each label the component in which growth holds the rows that are known to have it.
held_in_growth <- function(store, k, refine, call = rlang::caller_env()) {
  labels <- store$manifest$levels
  why_not <- if (length(k) > 1) {
    "That takes one {.arg k}, the number of labels."
  } else if (k != length(labels)) {
    sprintf("That takes as many components as labels: %d, not %.0f.", length(labels), k)
  } else if (refine == "none") {
    "That takes a refinement: {.arg refine} must not be {.val none}."
  }
  warn_not_held(store, why_not, k, call)
  if (n_known(store) > 0 && is.null(why_not)) seq_along(labels)
}

# Why a fit cannot go on with the known rows of a store held; NULL if it can.
why_not_held <- function(object, store) {
  labels <- store$manifest$levels
  if (object$k != length(labels)) {
    sprintf("That takes as many components as labels: %d, not %d. Fit anew by {.fn stagewise_em}.",
            length(labels), object$k)
  } else if (object$refine == "none") {
    "That takes a fit with a refinement."
  } else if (!stands_for_labels(object) || has_kinds(object)) {
    "That takes components that each stand for one label. Fit anew by {.fn stagewise_em}."
  }
}

warn_not_held <- function(store, why_not, k, call = rlang::caller_env()) {
  n <- n_known(store)
  if (n == 0 || is.null(why_not)) {
    return(invisible())
  }
  is_small <- length(k) == 1 && k < length(store$manifest$levels)
  rarest <- if (is_small) rarest_label(store$manifest)
  warn_mdpd(
    c("The store has {n} known label{?s}, which the fit does not hold.", x = why_not,
      i = if (!is.null(rarest)) "The label {.val {rarest$label}} was given {rarest$times}: if by
                                 mistake, make the store again without it."),
    class = "known_not_held", call = call
  )
}

# What may be a slip of the pen: a label that is less than one in a hundred. NULL: there is none.
rarest_label <- function(manifest) {
  n <- rowSums(matrix(manifest$counts, length(manifest$levels)))
  if (min(n) < sum(n) / 100) {
    list(label = manifest$levels[which.min(n)],
         times = if (min(n) == 1) "once" else paste(comma(min(n)), "times"))
  }
}

may_hold <- function(object, store) n_known(store) > 0 && is.null(why_not_held(object, store))

# Does each component stand for a label, or several for one? Where rows are held no worker need be
# informative.
stands_for_labels <- function(object) {
  is_held <- isTRUE(object$store$holds_known) &&
    setequal(component_labels_of(object), object$labels)
  named_by_labels(object) || is_held
}

# Of each label of the store the component in which a fit holds its rows; NULL where it holds none.
held_components <- function(object, store) {
  held <- if (isTRUE(object$store$holds_known)) {
    match(store$manifest$levels, component_labels_of(object))
  }
  if (!anyNA(held)) held
}

# Going on -----------------------------------------------------------------------------------------

# Which rows of some pieces the fit before held, see new_problem(); of a crowd pieces are whole.
known_before <- function(before, store, pieces, call) {
  known <- before$store$known
  if (NROW(known) == 0) {
    return(NULL)
  }
  at <- find_items(known$item, store$path, store$manifest, call, pieces$shard)
  found <- which(!is.na(at$row))
  start <- cumsum(c(0, pieces$n))[match(at$shard[found], pieces$shard)]
  list(row = start + at$row[found], label = match(known$label[found], store$manifest$levels))
}

# Labels that the fit holds and the one before did not.
n_new_known <- function(fit, before) {
  now <- fit$store$known
  then <- before$store$known
  label_then <- c(then$label, NA)[match(now$item, then$item, nomatch = NROW(then) + 1L)]
  sum(is.na(label_then) | label_then != now$label)
}

# Prediction ---------------------------------------------------------------------------------------

# Of each row of a shard the column of a posterior in which a fit holds it; NA where in none.
held_columns <- function(known, labels, object) {
  if (is.null(known) || !isTRUE(object$store$holds_known)) {
    return(NULL)
  }
  c(NA, match(labels, component_labels_of(object)))[as.integer(known) + 1L]
}

hold_rows <- function(posterior, columns) {
  rows <- which(!is.na(columns))
  posterior[rows, ] <- 0
  posterior[cbind(rows, columns[rows])] <- 1
  posterior
}
