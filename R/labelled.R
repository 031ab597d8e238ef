# Columns as haven reads them from SPSS, Stata and SAS: numbers or strings, some of which have a
# label or are missing by the user's word. Tagged missing values are NA to R as they are.

is_labelled <- function(x) inherits(x, c("haven_labelled", "labelled"))

# The plain values, those that the user has declared missing as NA.
plain_values <- function(x) {
  if (!is_labelled(x)) {
    return(x)
  }
  values <- as.vector(unclass(x))
  range <- attr(x, "na_range", exact = TRUE)
  is_missing <- values %in% attr(x, "na_values", exact = TRUE)
  if (!is.null(range)) is_missing <- is_missing | values >= range[1] & values <= range[2]
  replace(values, which(is_missing), NA)
}

# A factor of the labels, in the order of the values; a value without a label is called by itself,
# and two values that would be called the same are told apart by theirs.
read_labelled <- function(x) {
  values <- plain_values(x)
  labels <- attr(x, "labels", exact = TRUE)
  if (is.null(names(labels))) {
    return(values)
  }
  seen <- sort(unique(values), method = "radix")
  text <- value_text(seen)
  label <- names(labels)[match(seen, labels)]
  level <- ifelse(is.na(label) | label == "", text, label)
  twice <- level %in% level[duplicated(level)]
  level[twice] <- paste0(level[twice], " [", text[twice], "]")
  code_to_factor(match(values, seen), make.unique(level))
}
