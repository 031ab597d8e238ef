# How numbers and names are written, in prints, summaries and pictures.

plural <- function(n, noun) paste0(comma(n), " ", noun, if (n != 1) "s")

# By which cli chooses words, of a number that may be larger than the integers that it takes, or no
# whole one.
quantity <- function(n) cli::qty(if (n == 1) 1L else 2L)

# As in the English words around them, whatever options(OutDec = ) says.
format_number <- function(x, ...) format(x, ..., decimal.mark = ".")

decimals <- function(x, digits, format = "f") {
  formatC(x, digits = digits, format = format, decimal.mark = ".")
}

comma <- function(x) format_number(x, big.mark = ",", trim = TRUE, scientific = FALSE)

percent <- function(share, digits = 0) {
  paste0(decimals(100 * share, digits), " %")
}

# Without a sign where nothing is left of the number.
nats <- function(x) {
  text <- decimals(x, 1)
  text[text == "-0.0"] <- "0.0"
  text
}

nats_about_class <- function(x) decimals(x, 3)

format_share <- function(x) {
  text <- decimals(x, 2)
  text[is.na(x)] <- "-"
  text
}

# Cut at the end; labels that are then alike in the middle, else so that what they begin with alike
# gives way to what tells them apart, and all else numbered: different labels stay different.
shorten <- function(labels, width = 16) {
  different <- unique(labels)
  if (!any(nchar(different, "width") > width)) {
    return(labels)
  }
  ways <- list(
    function(labels) cut_middle(labels, width, max(1, min(6, (width - nchar(ellipsis)) %/% 2))),
    function(labels) {
      start <- strtrim(labels, (width - nchar(ellipsis)) %/% 3)
      apart <- substring(labels, common_prefix(labels) + 1)
      cut_middle(paste0(start, ellipsis, apart), width, 0)
    }
  )
  short <- cut_middle(different, width, 0)
  for (way in ways) {
    for (same in unique(short[duplicated(short)])) {
      alike <- short == same
      short[alike] <- way(different[alike])
    }
  }
  if (anyDuplicated(short)) short <- number_cut(different, width)
  short[match(labels, different)]
}

# Cut so that none looks like another of `all`, and each the same wherever it is shown. An empty
# string would print as nothing.
short_levels <- function(levels, width, all = levels) {
  short <- utils::tail(shorten(c(all, levels), width), length(levels))
  replace(short, levels %in% "", '""')
}

# Of these items, each once.
all_levels <- function(item_probs) unique(unlist(lapply(item_probs, rownames), use.names = FALSE))

# The beginning of every label that is too long, and which of the labels it is. In a narrow room
# dots give way to the number, which is whole in four columns of up to 9999 labels.
number_cut <- function(labels, width) {
  number <- match(labels, unique(labels))
  end <- paste0(substring(ellipsis, 1, pmax(0, width - nchar(number))), number)
  start <- strtrim(labels, pmax(0, width - nchar(end)))
  ifelse(nchar(labels, "width") > width, paste0(start, end), labels)
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
  text <- ifelse(p < 0.001, "< 0.001", paste0(equals, decimals(p, 3)))
  replace(text, is.na(p), "-")
}

# " of total weight 1,050", where that is not the number of the rows.
weight_title <- function(n_rows, weight) {
  if (weighs_other(n_rows, weight)) paste0(" of total weight ", comma(round(weight, 1)))
}

# Sums of weights are rounded.
weighs_other <- function(n_rows, weight) abs(weight - n_rows) > 1e-9 * n_rows

# "; 3 more without a covariate and 1 without any answer do not count"
left_out_title <- function(n) {
  n <- n[n > 0]
  if (length(n) > 0) {
    paste0("; ", paste(paste0(comma(n), c(" more", rep("", length(n) - 1))), names(n),
                       collapse = " and "),
           if (sum(n) == 1) " does" else " do", " not count")
  }
}

# At most six names, or five and how many more there are.
name_some <- function(items) {
  more <- length(items) - 5
  if (more < 2) {
    return(cli::format_inline("{.field {items}}"))
  }
  first <- vapply(items[1:5], function(item) cli::format_inline("{.field {item}}"), "")
  paste(toString(first), "and", more, "more")
}
