# Equal rows as one row of their weight. EM, penalties and information are sums over rows, in which
# a row of weight 2 is two rows, and equal rows have equal posteriors: a fit of few kinds of rows
# costs what these cost.

# Kinds of rows for each row up to which it pays: the copy costs next to nothing, but with more the
# fit hardly costs less.
most_kinds_per_row <- 0.5

#' Rows of each kind as one
#'
#' Rows are of one kind where they agree in all items and in the class they are known to have.
#' Their order depends on what is in them, not on where they are in the data.
#'
#' @param coded An `mdpd_coded` object.
#' @param known The component each row is known to belong to, or `NA`; by default that of `coded`.
#' @return An `mdpd_coded` object with a row for each kind, and
#'   whole  `coded` as it was
#'   first  the first row of each kind in it
#'   kind   the kind of each of its rows
#'   or `coded` itself, if it is sparse or has many kinds of rows.
#' @noRd
collapse_rows <- function(coded, known = coded$known) {
  if (is_sparse(coded$codes)) {
    return(coded)
  }
  most <- floor(most_kinds_per_row * nrow(coded$codes))
  rows <- core_distinct_rows(coded$codes, known, coded$weights, most)
  if (is.null(rows)) {
    return(coded)
  }
  kinds <- coded
  kinds$codes <- coded$codes[rows$first, , drop = FALSE]
  rownames(kinds$codes) <- NULL
  kinds$weights <- rows$weights
  kinds$known <- coded$known[rows$first]
  kinds$whole <- coded
  kinds[c("first", "kind")] <- rows[c("first", "kind")]
  kinds
}

# The data that `coded` was before its rows were collapsed.
whole_data <- function(coded) coded$whole %||% coded

# The known component of each kind of rows, or NULL.
collapse_known <- function(known, coded) {
  if (is.null(coded$kind)) known else known[coded$first]
}

# What was found for kinds of rows, for all rows.
expand_rows <- function(result, coded) {
  if (!is.null(coded$kind)) {
    result$fit$posterior <- result$fit$posterior[coded$kind, , drop = FALSE]
    result$known <- result$known[coded$kind]
  }
  result
}

# A start of EM for all rows, for kinds of rows: the first M-step takes the sum over rows of a kind,
# which need not be equal in a start.
collapse_posterior <- function(posterior, coded) {
  if (is.null(coded$kind)) {
    return(posterior)
  }
  weighted <- rowsum(whole_data(coded)$weights * posterior, coded$kind)
  out <- unname(weighted) / coded$weights
  # Of a kind without weight any row will do.
  empty <- coded$weights == 0
  out[empty, ] <- posterior[coded$first[empty], ]
  out
}
