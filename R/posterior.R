# What the posterior says of the rows.

# Numbers that differ by less are tied. Rounding, which depends on the processor, moves a posterior
# by some 1e-12: sums of thousands of logarithms, each good to 1e-16 of its size. What no data can
# tell apart is larger by far.
tie_tolerance <- 1e-9

# Which columns of each row are its largest, within rounding.
is_largest <- function(x) x >= x[row_maxima(x)] - tie_tolerance
row_maxima <- function(x) cbind(seq_len(nrow(x)), max.col(x, ties.method = "first"))
first_largest <- function(x) max.col(is_largest(x) + 0, ties.method = "first")

largest_posterior <- function(posterior) posterior[row_maxima(posterior)]

# The number of each row's column of a posterior, of components or classes: the one rule of all
# results. A tie within rounding goes to the label that the row was given most, by workers whose
# answers differ between the components, where the columns are labels and the data are at hand; then
# to the first: in the order of the labels, else to the larger component.
#
# `coded`: the data of the posterior's rows, or NULL.
predicted_column <- function(object, posterior = object$posterior, coded = object$coded) {
  levels <- posterior_levels(object, posterior)
  by_label <- identical(levels, label_names(object))
  # Whatever order the user has given to the components.
  order <- if (by_label) match(levels, colnames(posterior)) else order(-object$mixing_weights)
  largest <- is_largest(posterior[, order, drop = FALSE])
  class <- max.col(largest + 0, ties.method = "first")
  tied <- which(rowSums(largest) > 1)
  are_labels <- named_by_labels(object) && by_label
  if (length(tied) > 0 && !is.null(coded) && are_labels) {
    workers <- intersect(differing_items(object), colnames(coded$codes))
    votes <- votes_by_row(coded, workers, object$labels, tied)
    class[tied] <- max.col(ifelse(largest[tied, , drop = FALSE], votes, -1), ties.method = "first")
  }
  order[class]
}

# The same for the fit's own rows, NA for those without any answer.
assigned_column <- function(object, posterior = object$posterior) {
  replace(predicted_column(object, posterior), object$no_answer, NA)
}

# `by`: the type of prediction that such rows have, and what it `is` of them.
inform_no_answer <- function(rows, by = "prob", is = "the sizes of the components") {
  n <- length(rows)
  if (n > 0) {
    inform_mdpd(
      c("{n} row{?s} without any answer {?has/have} no class: {.code NA}.",
        i = 'By {.code type = "{by}"} its probabilities are {is}.'),
      class = "no_answer"
    )
  }
}

# How often some rows were given each label by some workers, rows x labels.
votes_by_row <- function(coded, workers, labels, rows) {
  answers <- answers_by_item(select_rows(coded$codes, rows), workers)
  votes <- matrix(0, length(rows), length(labels))
  for (worker in workers) {
    given <- answers(worker)
    cells <- cbind(given$row, match(coded$levels[[worker]], labels)[given$code])
    cells <- cells[!is.na(cells[, 2]), , drop = FALSE]
    votes[cells] <- votes[cells] + 1
  }
  votes
}

# Case weights, where the fit keeps them; else every row counts the same.
row_weights <- function(object) {
  object$weights %||% object$coded$weights %||% rep(1, nrow(object$posterior))
}

# Of rows of which nothing is known 0: they are in no class, and the fit does not count them.
weights_of_classes <- function(object) replace(row_weights(object), object$no_answer, 0)

has_weights <- function(object) any(row_weights(object) != 1)

# The share of wrong classes to be expected if the model holds, among the rows whose class is not
# known.
expected_error <- function(object) {
  known <- share_known(object)
  if (known < 1) expected_share_wrong(object) / (1 - known) else 0
}

# Among all rows. Without a posterior the label of a row is taken to be that of its most probable
# component: the most probable one but for rows between labels of several components, so it is at
# most a little too large.
expected_share_wrong <- function(object) {
  classification <- object$classification
  if (is.null(classification) || has_kinds(object) && !is.null(object$posterior)) {
    largest <- largest_posterior(class_posterior(object$posterior, object))
    return(stats::weighted.mean(1 - largest, weights_of_classes(object)))
  }
  class <- if (has_kinds(object)) object$stands_for else seq_len(object$k)
  1 - sum(classification[outer(class, class, `==`)]) / sum(classification)
}

share_known <- function(object) {
  known <- object$coded$known
  if (is.null(known)) {
    n <- n_gold(object)
    return(if (n > 0) n / object$n_obs else 0)
  }
  stats::weighted.mean(!is.na(known), weights_of_classes(object))
}

# Is its `classification` of held-out rows?
holds_rows_out <- function(object) !is.null(object$evidence) && is.null(object$crowd_probs)

# `classification` of a fit, k x k in shares. What was not fitted has that of its posterior.
classification_table <- function(object) {
  object$classification %||% {
    in_class <- outer(predicted_column(object, object$posterior), seq_len(object$k), `==`)
    crossprod(in_class, object$posterior * weights_of_classes(object)) / object$nobs
  }
}

# The share of the rows whose class is at least that probable.
share_sure <- function(object, probability) {
  largest <- largest_posterior(class_posterior(object$posterior, object))
  stats::weighted.mean(largest >= probability, weights_of_classes(object))
}

# The entropy of the components of all rows (nats).
class_entropy <- function(object) {
  object$sums$entropy %||% -sum(weights_of_classes(object) * p_log_p(object$posterior))
}

# One minus that entropy divided by its largest value.
relative_entropy <- function(object) {
  if (object$k > 1) 1 - class_entropy(object) / (object$nobs * log(object$k)) else 1
}

# Levels of the class factor: the labels in their order where components stand for them.
class_levels <- function(object) {
  if (has_kinds(object)) object$labels else component_levels(object)
}

component_levels <- function(object) labels_first(names(object$mixing_weights), object)

posterior_levels <- function(object, posterior) labels_first(colnames(posterior), object)

# Names, in the order of the labels if they are those of all of these.
labels_first <- function(names, object) {
  labels <- label_names(object)
  if (setequal(names, labels)) labels else names
}

# A row without any answer has none.
#
# `no_answer`: the numbers of these rows.
posterior_class <- function(object, posterior, coded = object$coded, no_answer = object$no_answer) {
  class <- colnames(posterior)[predicted_column(object, posterior, coded)]
  class[no_answer] <- NA
  levels <- posterior_levels(object, posterior)
  stats::setNames(factor(class, levels = levels), rownames(posterior))
}

# The items without which rows of those `given` cannot be classified. By evidence nearly all items
# differ a little, but those that are not named tell next to nothing beside those that are.
items_to_classify <- function(object, given) {
  items <- differing_items(object)
  lacking <- setdiff(items, given)
  named <- informative_items(object)
  if (is.null(object$inclusion) || length(named) == 0) {
    return(items)
  }
  if (length(lacking) > 0 && !any(lacking %in% named)) {
    inform_mdpd(
      c("{length(lacking)} of the {column_words(object)} of the fit {cli::qty(lacking)}{?is/are} not
         in {.arg newdata} and left out, as missing answers are: {name_some(lacking)}.",
        i = "{.fn informative} does not name {cli::qty(lacking)}{?it/any of them}."),
      class = "left_out", items = lacking
    )
  }
  setdiff(items, setdiff(lacking, named))
}

# Of coded data, at the parameters of the fit.
named_posterior <- function(coded, object) {
  posterior <- posterior_of(object, coded)$posterior
  dimnames(posterior) <- list(rownames(coded$codes), names(object$mixing_weights))
  posterior
}
