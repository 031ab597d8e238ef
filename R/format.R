# How numbers and names are written, in prints, summaries and pictures.

plural <- function(n, noun) paste0(comma(n), " ", noun, if (n != 1) "s")

comma <- function(x) format(x, big.mark = ",", trim = TRUE, scientific = FALSE)

percent <- function(share, digits = 0) {
  paste0(formatC(100 * share, format = "f", digits = digits), " %")
}

nats <- function(x) formatC(x, format = "f", digits = 1)

nats_about_class <- function(x) formatC(x, format = "f", digits = 3)

format_share <- function(x) {
  text <- formatC(x, format = "f", digits = 2)
  text[is.na(x)] <- "-"
  text
}

# The first way to shorten that keeps different labels different: cut the end, the middle, or
# what all labels begin with; else number them.
shorten <- function(labels, width = 16) {
  if (!any(nchar(labels, "width") > width)) {
    return(labels)
  }
  without_prefix <- paste0(ellipsis, substring(labels, common_prefix(labels) + 1))
  ways <- list(cut_middle(labels, width, 0), cut_middle(labels, width, 6),
               cut_middle(without_prefix, width, 0))
  for (short in ways) {
    if (length(unique(short)) == length(unique(labels))) {
      return(short)
    }
  }
  number_cut(labels, width)
}

# The beginning of every label that is too long, and which of the labels it is.
number_cut <- function(labels, width) {
  end <- paste0(ellipsis, match(labels, unique(labels)))
  ifelse(nchar(labels, "width") > width, paste0(strtrim(labels, width - nchar(end)), end), labels)
}

# At most `width` columns of text, the last `n_last` characters from the end of the label. Columns,
# not characters: Chinese, Japanese and Korean characters are two wide.
cut_middle <- function(labels, width, n_last) {
  n <- nchar(labels)
  end <- substr(labels, n - n_last + 1, n)
  start <- strtrim(labels, pmax(0, width - nchar(ellipsis) - nchar(end, "width")))
  ifelse(nchar(labels, "width") > width, paste0(start, ellipsis, end), labels)
}

# The number of characters that all labels share at their beginning.
common_prefix <- function(labels) {
  letters <- strsplit(labels[c(which.min(rank(labels)), which.max(rank(labels)))], "")
  shortest <- min(lengths(letters))
  differ <- letters[[1]][seq_len(shortest)] != letters[[2]][seq_len(shortest)]
  match(TRUE, c(differ, TRUE)) - 1
}

# Not the single character: a pdf() device does not have it in its encoding.
ellipsis <- "..."

# `equals`: what stands before a p-value that is not small.
format_p <- function(p, equals = "") {
  text <- ifelse(p < 0.001, "< 0.001", paste0(equals, formatC(p, format = "f", digits = 3)))
  replace(text, is.na(p), "-")
}
