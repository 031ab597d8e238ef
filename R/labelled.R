# Columns as haven reads them from SPSS, Stata and SAS: numbers or strings, some of which have a
# label or are missing by the user's word. Tagged missing values are NA to R as they are.

is_time <- function(x) inherits(x, c("Date", "POSIXt", "difftime"))

# Other packages give a factor or a time a label of its own by the same class.
is_labelled <- function(x) {
  inherits(x, c("haven_labelled", "labelled")) && !is.factor(x) && !is_time(x) &&
    !inherits(x, "integer64")
}

# The plain values, those that the user has declared missing as NA.
plain_values <- function(x) {
  if (!is_labelled(x)) {
    return(x)
  }
  values <- as.vector(unclass(x))
  replace(values, which(is_declared_missing(values, x)), NA)
}

is_declared_missing <- function(values, x) {
  range <- attr(x, "na_range", exact = TRUE)
  is_missing <- values %in% attr(x, "na_values", exact = TRUE)
  if (!is.null(range)) is_missing <- is_missing | values >= range[1] & values <= range[2]
  is_missing
}
