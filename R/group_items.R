# How the model of compare_groups() has groups: the group is an item, and a freed item is one of
# each group.

group_item <- "(group)"
item_of_group <- function(item, level) paste0(item, " [", level, "]")

# The column of new rows that has the group: its variable, but for one that has the name of an item,
# which would be taken for the other.
group_column <- function(variable, items) {
  if (!variable %in% items) {
    return(variable)
  }
  names <- make.unique(c(items, "group"))
  names[length(names)]
}

# New rows as that model has them. What has these items already is left.
rows_by_group <- function(x, object, arg, call) {
  groups <- object$groups
  if (is.null(groups) || !is.data.frame(x) || group_item %in% names(x)) {
    return(x)
  }
  check_has_items(c(groups$items, groups$variable), names(x), arg, call)
  coded <- code_values(x[[groups$variable]], call = call)
  group <- c(NA, coded$levels)[coded$codes + 1]
  names <- setdiff(names(object$item_probs), group_item)
  columns <- lapply(names, function(name) {
    if (name %in% groups$items) {
      return(x[[name]])
    }
    # Of the freed items, those of a group in each row.
    at <- which(outer(groups$free, groups$levels, item_of_group) == name, arr.ind = TRUE)
    replace(x[[groups$free[at[1, 1]]]], !group %in% groups$levels[at[1, 2]], NA)
  })
  # With the row names, if there are any.
  table <- as.data.frame(x)[integer()]
  table[c(names, group_item)] <- c(columns, list(group))
  table
}
