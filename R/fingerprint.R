# Hashes of what a fit was made of and of what came out, for people to compare.

#' Fingerprint of a fit
#'
#' Four short texts by which two people see whether they have the same fit: one of its data, one of
#' its settings, one of its result, and one of all three. The same fit has the same fingerprint on
#' every processor, with any number of threads, in every locale, from a table in memory and from a
#' [row_store()] or a cluster, with names in UTF-8 or latin1, and with `keep_data = FALSE`. Where
#' two fits differ, the parts say where to look.
#'
#' Each part is a hash of 64 bits, written in 16 hexadecimal digits, so fits that differ by accident
#' have the same part with a probability of 5e-20. It is no signature: who wants to can make data
#' that have the fingerprint of others.
#'
#' * `data`: the names of the items and their levels, in their order, the labels of a crowd, and the
#'   rows, in any order, with their answers, case weights and known labels. A row counts as often as
#'   it is there. Row names, variable labels and a survey design do not count, and a missing cell is
#'   one whatever `missing` makes of it.
#' * `settings`: `method`, `refine`, `missing`, all of `control` but the threads, the numbers of
#'   components asked for, prior counts, and of [mdpd()] what it starts from; also
#'   `search_rows` where the search had a sample. Of a start that the user gave as classes, as a
#'   matrix or as a model only that it was given, and of what [refine()] went on from nothing.
#' * `result`: how the search ended, the parameters, with all their bits, the informative items and
#'   the evidence of each, the log-likelihoods and the evidence. Names and order of the components
#'   do not count, see [name_components()], but for the labels of a crowd that they stand for.
#'
#' The version of the package is in none of them: fits of two versions that have the same result
#' have the same `result`. Random and spectral starts of [mdpd()], and models that [as_mdpd()] took
#' over, come from functions of R whose last digits may differ between machines; so may then their
#' `result`.
#'
#' @param object A fit, see [stagewise_em()] and [mdpd()].
#' @return A character vector of class `"mdpd_fingerprint"` with the elements `fit` (all three
#'   parts), `data`, `settings` and `result`, such as `"3f06-a1c9-07be-5d12"`. `==` compares two of
#'   them part by part. A part is `NA`, with a message of class `mdpd_message_no_fingerprint`, where
#'   the fit does not hold what it is of: fits of version 0.1.0 hold part of their settings, and
#'   without `keep_data` nothing of their data; fit again then.
#' @section Errors:
#' `mdpd_error_argument` for anything but a model, `mdpd_error_not_stored` for a model that was not
#' fitted.
#' @references
#' Zobrist, A. L. (1970). A new hashing method with application for game playing. Technical report
#' 88, Computer Sciences Department, University of Wisconsin; the rows are hashed as it hashes the
#' positions of a game.
#'
#' Steele, G. L., Lea, D. and Flood, C. H. (2014). Fast splittable pseudorandom number generators.
#' *OOPSLA '14*, 453-472. \doi{10.1145/2660193.2660195}
#' @family results
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' fingerprint(fit)
#' upside_down <- stagewise_em(house_votes[nrow(house_votes):1, -1], k = 2)
#' fingerprint(upside_down) == fingerprint(fit)
#' fingerprint(stagewise_em(house_votes[-1], k = 3)) == fingerprint(fit)
#' @export
fingerprint <- function(object) {
  check_class(object, "mdpd")
  check_fit(object)
  prints <- fingerprint_of(object)
  inform_no_fingerprint(prints)
  prints
}

# Without a word of what it lacks; NULL of a model that was not fitted.
fingerprint_of <- function(object) {
  if (is.null(object$loglik)) {
    return(NULL)
  }
  parts <- c(data = hash_of_data(object), settings = hash_of_settings(object),
             result = hash_of_result(object))
  fit <- if (anyNA(parts)) NA_character_ else hash_value(parts)
  structure(group_digits(c(fit = fit, parts)), class = "mdpd_fingerprint")
}

# "3f06a1c907be5d12" as "3f06-a1c9-07be-5d12"; NA stays.
group_digits <- function(hash) gsub("(.{4})(?=.)", "\\1-", hash, perl = TRUE)

inform_no_fingerprint <- function(prints) {
  lacking <- intersect(c("data", "settings"), names(prints)[is.na(prints)])
  if (length(lacking) > 0) {
    inform_mdpd(
      c("The fit does not hold all of its {.field {lacking}}, so the fingerprint lacks a part.",
        i = "It was made, or its store was, by an older version of mdpd: make it again."),
      class = "no_fingerprint"
    )
  }
}

# For a line of a summary.
short_fingerprint <- function(prints) {
  prints <- unclass(prints)
  if (anyNA(prints)) paste(prints["result"], "(of the result alone)") else unname(prints["fit"])
}

#' @export
print.mdpd_fingerprint <- function(x, ...) {
  rlang::check_dots_empty()
  shown <- unclass(x)[c("fit", "data", "settings", "result")]
  names(shown) <- c("fit", "data", "settings", "result")
  shown[is.na(shown)] <- "unknown"
  if (!is_text(shown)) {
    abort_mdpd("{.arg x} must be a fingerprint as {.fn fingerprint} gives it.", class = "argument")
  }
  cat_rule(paste("Fingerprint", shown[["fit"]]))
  cat_fields(c(Data = shown[["data"]], Settings = shown[["settings"]],
               Result = shown[["result"]]))
  invisible(x)
}

# Parts --------------------------------------------------------------------------------------------

# A fit that keeps no data has had its hash taken before.
hash_of_data <- function(object) {
  if (is.null(object$coded)) {
    return(object$data_hash %||% NA_character_)
  }
  hash_of_coded(object$coded, object$labels)
}

# The level that stands for missing cells is none here, so that `missing` is a setting only.
hash_of_coded <- function(coded, labels) {
  absent <- integer()
  levels <- coded$levels
  if (coded$missing == "level") {
    absent <- vapply(levels, function(levels) match(missing_level, levels, nomatch = 0L), 0L)
    levels <- lapply(levels, setdiff, missing_level)
  }
  hash_of_rows(core_hash_rows(coded, absent), levels, labels)
}

# Of a store the hash of the rows stands in its manifest, shard by shard. Known labels count where
# the fit holds their rows.
hash_of_store <- function(store, holds_known) {
  manifest <- store$manifest
  labels <- if (manifest$kind == "crowd") manifest$levels
  rows <- manifest$shards[[if (holds_known) "known_hash" else "rows_hash"]]
  if (is.null(rows)) NA_character_ else hash_of_rows(core_add_hashes(rows), levels(store), labels)
}

hash_of_rows <- function(rows, levels, labels) {
  hash_value(list(rows, names(levels), lengths(levels), unlist(levels), labels))
}

hash_of_settings <- function(object) {
  asked <- object$asked
  if (is.null(asked)) {
    return(NA_character_)
  }
  control <- unclass(object$control)
  control$threads <- NULL
  control <- control[order(names(control), method = "radix")]
  hash_value(list(
    object$method, object$refine, object$missing, names(control), control, asked$task, asked$k,
    asked$start, object$prior, object$search_rows %||% (
      if (identical(object$store$reading, "sample")) object$store$search_rows
    )
  ))
}

# Items and labels by number: names are in the data.
hash_of_result <- function(object) {
  probs <- unname(do.call(rbind, unname(object$item_probs)))
  sizes <- unname(object$mixing_weights)
  # By size, as fits come; those of one size by what they answer.
  answers <- vapply(seq_len(object$k), function(k) hash_value(probs[, k]), "")
  order <- order(-sizes, answers, method = "radix")
  hash_value(list(
    object$k, object$status, sizes[order], probs[, order],
    match(object$informative, names(object$item_probs)), unname(object$item_evidence),
    unname(object$inclusion), object$loglik, object$penalised_loglik, object$evidence, object$df,
    if (named_by_labels(object)) match(component_labels_of(object)[order], object$labels)
  ))
}

# Values -------------------------------------------------------------------------------------------

# A hash of a value that does not depend on the machine, nor on how R holds it: 1L is 1 and TRUE is
# 1, a matrix its numbers column by column. serialize() would tell these apart, and encodings too.
hash_value <- function(x) core_hash_bytes(value_bytes(x))

value_bytes <- function(x) {
  if (is.list(x)) {
    x <- unname(unclass(x))  # a time may be a list whose parts are times
    return(c(as.raw(1), number_bytes(length(x)), unlist(lapply(x, value_bytes))))
  }
  if (is.character(x)) {
    x <- enc2utf8(as.vector(x))
    size <- replace(nchar(x, "bytes"), is.na(x), -1)
    return(c(as.raw(2), number_bytes(size), charToRaw(paste(x, collapse = ""))))
  }
  c(as.raw(3), number_bytes(x))
}

# How many, which are no numbers, and all of them, little end first. Of what is no number there are
# many bit patterns and of zero two.
number_bytes <- function(x) {
  x <- as.double(x)
  none <- which(is.na(x))
  writeBin(c(length(x), length(none), none, replace(x, none, 0) + 0), raw(), endian = "little")
}
