# What bench/regimes.R asks of the evidence at each point, and whether it is so.

largest_ratio <- 1.03
largest_excess <- 0.01
least_right <- 0.90
least_one <- 0.98
largest_false <- 0.05
# Where the classes can be learned at all, and where there is something to name.
learnable <- 0.25
enough_items <- 5
# A method that errs at least this part of what one class for all rows would is at chance.
at_chance <- 0.9

# The mean over the draws of a point of one column of one method; NaN where it was not run.
mean_of <- function(rows, method, column) mean(rows[[column]][rows$method == method])

# The share of false ones among the named items in each draw; none are false of none.
false_shares <- function(rows, method) {
  rows <- rows[rows$method == method, ]
  rows$false / pmax(rows$named, 1)
}

standard_error <- function(x) stats::sd(x) / sqrt(length(x))

share_with_components <- function(rows, method, k) {
  mean(rows$components[rows$method == method] == k)
}

# Means of the draws of a point, one row.
summarise_point <- function(point, rows) {
  error <- function(method) mean_of(rows, method, "error")
  seconds <- function(method) mean_of(rows, method, "seconds")
  false <- false_shares(rows, "evidence")
  excess <- excess_error(rows)
  data.frame(
    point = point$name, group = point$group, draws = length(unique(rows$draw)),
    share = stats::median(rows$share),
    # Rows in the wrong class, and what the evidence has more than the best of its rivals.
    true_model = error("true model"), evidence = error("evidence"), bic = error("bic"),
    full_em = error("full EM"), vote = error("majority vote"), dawid_skene = error("Dawid-Skene"),
    varsellcm = error("VarSelLCM"), one_class = 1 - point$largest,
    excess = mean(excess), excess_se = standard_error(excess),
    # Components.
    true_k = point$true_k, k_right = share_with_components(rows, "evidence, any k", point$true_k),
    k_right_bic = share_with_components(rows, "bic, any k", point$true_k),
    k_right_single = share_with_components(rows, "evidence, 3", point$true_k),
    k_chosen = toString(sort(rows$components[rows$method == "evidence, any k"])),
    # Items.
    n_informative = point$n_informative, named = mean_of(rows, "evidence", "named"),
    false = mean(false), false_se = standard_error(false),
    false_bic = mean(false_shares(rows, "bic")),
    seconds = seconds("evidence"), seconds_bic = seconds("bic"), seconds_em = seconds("full EM")
  )
}

# VarSelLCM is one where it ran in all draws.
rivals <- c("bic", "full EM", "VarSelLCM")

# In each draw, against the rival with the smallest mean; NA of noise. The methods have the same
# draws, in the same order.
excess_error <- function(rows) {
  means <- vapply(rivals, function(method) mean_of(rows, method, "error"), 0)
  best <- rivals[which.min(means)]
  if (length(best) == 0) return(NA)
  rows$error[rows$method == "evidence"] - rows$error[rows$method == best]
}

# The verdicts beside what summarise_point() gives; NA where one is not asked for.
add_verdicts <- function(means) {
  has_classes <- means$true_k > 1
  if_asked <- function(asked, ok) ifelse(asked, ok, NA)
  best <- pmin(means$bic, means$full_em, means$varsellcm, na.rm = TRUE)
  means$ok_error <- if_asked(
    has_classes, means$evidence <= pmax(largest_ratio * best, best + largest_excess)
  )
  means$ok_k <- if_asked(has_classes & means$full_em < learnable, means$k_right >= least_right)
  means$ok_noise <- if_asked(!has_classes, pmin(means$k_right, means$k_right_single) >= least_one)
  means$ok_false <- if_asked(means$n_informative >= enough_items, means$false <= largest_false)
  means$all_at_chance <- pmin(best, means$evidence) >= at_chance * means$one_class
  means
}

# One row for each point that was drawn.
judge <- function(points, draws) {
  drawn <- Filter(function(point) point$name %in% draws$point, points)
  add_verdicts(do.call(rbind, lapply(drawn, function(point) {
    summarise_point(point, draws[draws$point == point$name, ])
  })))
}
