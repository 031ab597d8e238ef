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
