# Values of any type as codes and levels: code r is the r-th level, 0 is missing.

max_levels <- 254L  # a code is one byte: 0 is missing, 255 is kept free
missing_level <- "(missing)"  # of missing = "level", where a missing cell is an answer

# Codes (0 is missing) and levels of one vector. Levels are in factor order, numbers ascending,
# FALSE before TRUE, strings in the C locale so that results do not depend on where they are made.
# `numbers_first` sorts strings that all are numbers as numbers: ids read from a file.
code_values <- function(x, numbers_first = FALSE, call = rlang::caller_env()) {
  x <- read_labelled(x)
  check_encoding(if (is.factor(x)) levels(x) else x, "Values", call)
  if (is.factor(x)) {
    return(code_factor(x))
  }
  x <- round_fractions(plain_vector(x, call))
  if (is.character(x)) x <- enc2utf8(x)
  values <- unique(x)
  values <- if (numbers_first && is_number_text(values)) {
    values[order(as.double(values), values, method = "radix")]
  } else {
    sort(values, method = "radix")
  }
  list(codes = match(x, values[!is.na(values)], nomatch = 0L), levels = value_text(values))
}

# Fractions that print alike, by 15 digits, are one number; whole ones print in full.
round_fractions <- function(x) {
  if (is.double(x)) {
    is_fraction <- is.finite(x) & x != trunc(x)
    x[is_fraction] <- signif(x[is_fraction], 15)
  }
  x
}

# Values without their class: times, and integers that R has no type for, as strings.
plain_vector <- function(x, call = rlang::caller_env()) {
  check_can_read(x, call)
  if (inherits(x, "POSIXt")) {
    time_text(x)
  } else if (inherits(x, c("Date", "integer64"))) {
    as.character(x)
  } else {
    as.vector(unclass(x))
  }
}

# Of each time a text of its own, whichever others there are: to the microsecond, and with the zone
# in the hour that the end of summer time repeats.
time_text <- function(x) {
  microseconds <- round(as.double(as.POSIXct(x)) * 1e6)
  shown <- function(later, format = "%Y-%m-%d %H:%M:%S") {
    format(.POSIXct(microseconds %/% 1e6 + later, attr(x, "tzone")), format)
  }
  fraction <- sub("[.]?0+$", "", sprintf(".%06.0f", microseconds %% 1e6))
  text <- sub(" 00:00:00$", "", paste0(shown(0), fraction))
  is_repeated <- shown(0) == shown(3600) | shown(0) == shown(-3600)
  ifelse(is_repeated, paste(text, shown(0, "%Z")), text)
}

# Of a labelled column a factor of the labels, in the order of the values; another as it is. A value
# without a label is called by itself, and two that would be called the same are told apart by their
# values, also where the rows have but one of them: other rows may have the other.
read_labelled <- function(x) {
  if (!is_labelled(x)) {
    return(x)
  }
  values <- plain_values(x)
  labels <- attr(x, "labels", exact = TRUE)
  if (is.null(names(labels))) {
    return(values)
  }
  all <- sort(unique(c(values, labels[!is_declared_missing(labels, x)])), method = "radix")
  text <- value_text(all)
  label <- names(labels)[match(all, labels)]
  level <- ifelse(is.na(label) | label == "", text, label)
  twice <- level %in% level[duplicated(level)]
  level[twice] <- paste0(level[twice], " [", text[twice], "]")
  seen <- all %in% values
  code_to_factor(match(values, all[seen]), make.unique(level)[seen])
}

code_factor <- function(x) {
  codes <- as.integer(x)
  used <- tabulate(codes, nlevels(x)) > 0 & !is.na(levels(x))
  codes <- ifelse(used, cumsum(used), 0L)[codes]
  codes[is.na(codes)] <- 0L
  list(codes = codes, levels = enc2utf8(levels(x)[used]))
}

# A factor whose missing values are not a level, as addNA() makes them, which is.na() does not see.
without_na_level <- function(x) {
  if (is.factor(x) && anyNA(levels(x))) factor(x, levels(x)[!is.na(levels(x))]) else x
}

# Of the numbers that core_code_table() has found in a column.
level_text <- function(column, values) {
  if (is.factor(column)) {
    enc2utf8(levels(column)[values])
  } else {
    as.character(if (is.logical(column)) as.logical(values) else values)
  }
}

# Strings without loss: whole numbers are never written 1e+05. A level is the same in every session,
# whatever that writes for a decimal point and from which length on with an exponent.
value_text <- function(values) {
  old <- options(OutDec = ".", scipen = 0)
  on.exit(options(old))
  values <- values[!is.na(values)]
  text <- enc2utf8(as.character(values))
  if (is.double(values)) {
    whole <- values == trunc(values) & is.finite(values)
    text[whole] <- sprintf("%.0f", values[whole] + 0)  # + 0: no minus before a zero
  }
  text
}

is_number_text <- function(x) {
  is.character(x) && all(grepl("^[-+]?[0-9]+([.][0-9]+)?$", x[!is.na(x)]))
}

all_whole <- function(x) all(is.na(x) | is.finite(x) & x == trunc(x))

# Codes of a new column by the levels of the fit, and the levels the fit does not have.
recode <- function(x, levels, missing) {
  coded <- code_values(x)
  code_of <- codes_by_levels(coded$levels, levels, missing)
  list(codes = code_of[coded$codes + 1L], unseen = coded$levels[code_of[-1] == 0L])
}

# Of the code 0, which is a missing cell, and of each level in `from` the code by the levels `to` of
# a fit, 0 where it has none.
codes_by_levels <- function(from, to, missing) {
  absent <- if (missing == "level") match(missing_level, to, nomatch = 0L) else 0L
  c(absent, match(from, to, nomatch = 0L))
}

# No search: the codes are known to be those of the levels.
code_to_factor <- function(codes, levels) {
  structure(codes, levels = levels, class = "factor")
}
