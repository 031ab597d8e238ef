# Values that no argument asks for, and the draws that all generators share. Every draw comes from
# the session's random numbers, so that the seed of a call repeats it.

one_of <- function(...) sample(list(...), 1)[[1]]
pick <- function(x, n = 1) x[sample.int(length(x), n, replace = n > length(x))]
whole <- function(from, to) from - 1L + sample.int(to - from + 1L, 1)
with_chance <- function(share) stats::runif(1) < share

# Text as it comes from elsewhere; "invalid" is no character in UTF-8.
strange_text <- function() {
  one_of(
    "", NA_character_, " ", "a b", "{x}", "{.val y}", "%s%d", "<b>&amp;", "NA", "NULL", "\u00e9",
    "e\u0301", "\u65e5\u672c", "\U1F600", "a\nb", "a\tb", "\\", "'\"`", strrep("x", 500),
    strrep("long ", 3000),
    "-1", "1e5", "(missing)", "TRUE", encoded("latin1"), encoded("bytes"), encoded("invalid"),
    strange_name()
  )
}

# What a formula, a path, a pattern, cli or R itself may take for something of its own.
strange_name <- function() {
  one_of(
    "\u200b", "\ufeff", "\u202e", "\u00a0", "\r", "\033[31mx", "a\\b/c", "..", "~", "...", "..1",
    "if", "$", "^a", "a,b", "a;b", "#", "1", "0", "NaN", "Inf", "%", "`", "{", "}}", "{{x}}", "a.b",
    "item1", "item", "level", "value", "class", "component", "posterior", "weights", "(Intercept)"
  )
}

encoded <- function(how) {
  text <- "caf\xe9"
  Encoding(text) <- switch(how, latin1 = "latin1", bytes = "bytes", invalid = "UTF-8")
  text
}

strange_number <- function() {
  one_of(
    NA, NA_real_, NaN, Inf, -Inf, 0, -0.0, -1, 0.5, 1.5, 1e-300, 1e300, -1e300, 2^31, 2^53, -2^31,
    .Machine$integer.max, 1e10, 5e-324, 1 + 1e-12, 1L, -1L, NA_integer_, 254, 255, 256
  )
}

# Tables are small, and none is larger than that; a size that is asked for is small or beyond all.
strange_value <- function() {
  if (with_chance(0.25)) {
    return(if (with_chance(0.5)) strange_object() else strange_table())
  }
  one_of(
    NULL, strange_number(), strange_number(), strange_text(), strange_text(), TRUE, FALSE,
    integer(0), character(0), numeric(0), logical(0), list(), c(1, NA), c(1, NaN, 2), 1:3, 1:300,
    letters[1:4], c(a = 1, a = 2), stats::setNames(1:2, c(NA, "")), 1i, c(1i, NA), as.raw(3),
    raw(0), as.raw(0:5), factor(character()), factor(c("a", NA, "b")), factor(1:3, 1:5),
    addNA(factor(c("a", NA))), ordered(c("x", "y")), sum, function(x) stop("called"), globalenv(),
    new.env(), quote(x), quote(x + y), y ~ x, ~z, expression(1, x), Sys.Date(), .POSIXct(0),
    as.POSIXlt("2020-01-01"), as.difftime(3, units = "mins"), data.frame(), data.frame(a = 1)[0, ],
    data.frame(a = 1:3)[0, , drop = FALSE], data.frame(row.names = 1:3), data.frame(a = 1:3, b = 3),
    data.frame(a = I(list(1, 2)), b = 1:2), matrix(0, 0, 3), matrix(0, 3, 0), matrix(1:6, 3),
    matrix(list(1, "a", NULL, 2), 2), matrix(1i, 2, 2), matrix(as.raw(1:4), 2),
    array(1, c(2, 2, 2)), array(1:3, 3), table(c("a", "b", "a")), list(1, "a"),
    list(a = list(b = 1)),
    list(NULL, NULL), structure(1:3, class = "odd"), structure(list(1), class = "odd"),
    structure(list(), class = "mdpd"), structure(list(k = 2L), class = c("stagewise_em", "mdpd")),
    structure(1, class = "mdpd"), structure(list(), class = "crowd_labels"),
    structure(list(), class = "row_store"), structure(list(path = "a"), class = "row_store"),
    structure(list(), class = "stagewise_control"), structure(list(), class = "mdpd_bootstrap"),
    asNamespace("stats"), as.name("mdpd"), c(strange_text(), strange_text()),
    c(strange_number(), strange_number())
  )
}

# Of classes that say more than their values, or that are damaged.
strange_object <- function() {
  one_of(
    structure(1:3, levels = c("a", "b"), class = "factor"),
    structure(c(1.2, 2), levels = c("a", "b"), class = "factor"),
    structure(1:2, levels = c("a", "a"), class = "factor"), structure(1:2, class = "factor"),
    structure(c(1.5, 2), class = "integer64"), labelled_numbers(1:2),
    structure(c(3600, 7200), class = c("hms", "difftime"), units = "secs"),
    pairlist(1, a = 2), methods::new("numeric"), methods::getGeneric("show"), emptyenv(), baseenv(),
    stats::ts(1:5), numeric_version("1.2"), as.octmode(8L), utils::as.roman(3), R.version,
    quote(f(x)[[1]]), call("f"), rlang::quo(x), stdin(), Negate(is.null), `+`, `if`, 2^62, -1:3,
    seq(-1, 1, 0.5), rep(NA, 5), c(NaN, NA, Inf), c("a", NA, ""), as.character(1:400), c(one = 1),
    list(a = 1, 2, NULL), stats::setNames(list(1, 2), c("a", "a")), list(list(list()))
  )
}

strange_table <- function() {
  as_frame <- function(columns, n = length(columns[[1]])) {
    structure(columns, class = "data.frame", row.names = seq_len(n))
  }
  one_of(
    structure(list(1:2, c(3, 4)), class = "data.frame"), as_frame(list(a = 1:3, b = 1:2)),
    data.frame(a = I(matrix(1:6, 3)), b = 1:3), data.frame(a = 1:3, a = 3:1, check.names = FALSE),
    data.frame(d = Sys.Date() + 0:2, e = .POSIXct(0:2)), data.frame(x = complex(3, 1:3)),
    as_frame(list(t = as.POSIXlt(.POSIXct(0:2))), 3),
    as_frame(list(d = data.frame(u = 1:3, v = 2), w = 1:3), 3),
    structure(list(a = 1), class = c("tbl_df", "tbl", "data.frame")),
    if (requireNamespace("Matrix", quietly = TRUE)) Matrix::Matrix(c(0, 1, 1, 0), 2, sparse = TRUE),
    structure(diag(2), class = "odd"),
    array(0, c(0, 0)), array(0, 0), array(1, c(1, 1, 1, 1)), array(list(), c(0, 2)),
    matrix(NA, 3, 3), matrix(NaN, 2, 2), matrix("a", 2, 2, dimnames = list(NULL, c("x", NA)))
  )
}

# As the package haven reads them, without it.
labelled_numbers <- function(x) {
  structure(as.double(x), labels = c(no = 1, yes = 2),
            class = c("haven_labelled", "vctrs_vctr", "double"))
}
