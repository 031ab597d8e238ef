# Is what the user gives beside a fit, the groups, an outcome or a covariate, an item of it?

# The first of `items` whose answers are the codes, one for each row, 0 where it has none; or NULL.
# An item that at most half of these rows answer may say the same by chance, as a worker of a crowd
# with three labels.
same_item <- function(codes, items, answers) {
  Find(function(item) {
    given <- answers(item)
    code <- codes[given$row]
    sum(code > 0) > sum(codes > 0) / 2 &&
      is_same_partition(given$code[code > 0], code[code > 0])
  }, items)
}

# Has each code of the one a code of its own of the other, the same in all of its rows?
is_same_partition <- function(a, b) {
  seen <- matrix(tabulate(a + max(a) * (b - 1), max(a) * max(b)), max(a)) > 0
  sum(seen) > 1 && all(rowSums(seen) <= 1) && all(colSums(seen) <= 1)
}

# Of a later step: `x` has the values of the `rows` that count in it.
warn_if_item <- function(x, rows, first, kind, what, call) {
  values <- unique(x)
  if (length(values) > max_levels) {
    return(invisible())
  }
  codes <- replace(integer(length(first$weights)), rows, match(x, values))
  items <- informative(first$object)
  item <- same_item(codes, items, answers_by_item(first$coded$codes, items))
  warn_same_as_item(item, kind, paste(what, "has"), "It goes with the classes for that alone: fit
                    without the {column} first.", is_crowd = !is.null(first$object$labels), call)
}

# `what`: a subject and its verb. `item`: NULL for none. `advice` may name the kind of `column`.
warn_same_as_item <- function(item, kind, what, advice, is_crowd, call) {
  if (!is.null(item)) {
    column <- if (is_crowd) "worker" else "item"
    given <- if (is_crowd) "labels of" else "answers to"
    warn_mdpd(
      c("{what} the {given} {column} {.field {item}}, which is one of those that make the classes.",
        i = advice),
      class = paste0(kind, "_is_item"), call = call, item = item
    )
  }
}
