# What a part of an object must be, to be asked of anything at all.

are_names <- function(x) is_text(x) && !anyDuplicated(x)

# Of items, or of workers; an empty one names no column.
are_item_names <- function(x) are_names(x) && all(nzchar(x))

is_double <- function(x, n = length(x)) holds(is.double(x), !is.object(x), length(x) == n)

is_finite_number <- function(x) rlang::is_bare_numeric(x, 1) && is.finite(x)

# Strings that can be shown and compared.
is_text <- function(x) holds(is.character(x), !is.object(x), !anyNA(x), all(validUTF8(x)))

# Is all of it true? Each is asked only where those before are.
holds <- function(...) {
  for (at in seq_len(...length())) {
    if (!isTRUE(...elt(at))) {
      return(FALSE)
    }
  }
  TRUE
}

# Weights of a survey are hardly ever all whole numbers, and counts of equal rows always are.
are_counts <- function(weights) all(abs(weights - round(weights)) <= 1e-6)

# `text` says what takes them as counts.
warn_no_counts <- function(weights, text, call) {
  if (!are_counts(weights)) warn_mdpd(text, class = "sampling_weights", call = call)
}
