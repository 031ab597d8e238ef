# Does compare_groups() hold its levels, and does it find an item that works differently? Simulated
# tables in which nothing differs between the groups, and in which one item does in half of them.
#
#   Rscript bench/compare_groups.R [draws = 500]          writes bench/results/compare_groups.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

n_items <- 6
accuracy <- 0.85
# Of the item that differs, what class 1 says in the second half of the groups.
elsewhere <- 0.5
group_counts <- c(2, 4, 12)
group_sizes <- c(20, 40, 80, 160)
level <- 0.05

# Two equal classes; an item says what its class says with probability `accuracy`.
draw_rows <- function(seed, n_groups, size, differs) {
  set.seed(seed)
  n_obs <- n_groups * size
  group <- rep(seq_len(n_groups), each = size)
  class <- stats::rbinom(n_obs, 1, 0.5)
  yes <- matrix(ifelse(class == 1, accuracy, 1 - accuracy), n_obs, n_items)
  if (differs) yes[class == 1 & group > n_groups / 2, 1] <- elsewhere
  items <- as.data.frame((matrix(stats::runif(n_obs * n_items), n_obs) < yes) + 0)
  list(items = items, group = group)
}

# NULL where there are no two classes to compare.
one_draw <- function(seed, n_groups, size, differs) {
  rows <- draw_rows(seed, n_groups, size, differs)
  fit <- suppressWarnings(stagewise_em(rows$items, k = 2, verbose = FALSE))
  if (fit$k < 2 || length(informative(fit)) < 2) {
    return(NULL)
  }
  found <- suppressMessages(suppressWarnings(compare_groups(fit, rows$group)))
  freed <- found$items$item[found$items$free]
  data.frame(sizes = found$test$p_value < level, item = "V1" %in% freed,
             others = length(setdiff(freed, "V1")) > 0)
}

# One row of the table.
one_point <- function(n_groups, size, differs) {
  draws <- do.call(rbind, lapply(seq_len(n_draws), one_draw, n_groups, size, differs))
  share <- function(x) number(100 * mean(x), 1)
  common <- c(groups = n_groups, "rows a group" = size, draws = nrow(draws),
              "sizes differ, %" = share(draws$sizes))
  freed <- if (differs) {
    c("the item freed, %" = share(draws$item), "another freed, %" = share(draws$others))
  } else {
    c("some item freed, %" = share(draws$item | draws$others))
  }
  c(common, freed)
}

points_table <- function(differs) {
  points <- expand.grid(size = group_sizes, n_groups = group_counts)
  table <- do.call(rbind, Map(one_point, points$n_groups, points$size, differs))
  table_lines(table, right = colnames(table))
}

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 500L
started <- proc.time()[["user.self"]]
nothing <- points_table(FALSE)
one_item <- points_table(TRUE)
seconds <- proc.time()[["user.self"]] - started

write_report("compare_groups", c(
  "# Groups that are compared", "",
  sprintf("Made by `Rscript bench/compare_groups.R %d`, in %.0f s of processor time.", n_draws,
          seconds), "",
  prose(sprintf("%d draws of each point: %d items of two levels, two equal classes, an item says",
                n_draws, n_items),
        sprintf("what its class says in %.0f %%. The fit is `stagewise_em(items, k = 2)`;",
                100 * accuracy),
        "fits with fewer components or informative items are left out. *Sizes differ*: their test",
        sprintf("has a p-value below %g. Items are freed at `alpha = %g`. The Monte-Carlo error of",
                level, level),
        sprintf("5 %% is %.1f points.", 100 * sqrt(0.05 * 0.95 / n_draws))), "",
  "## Nothing differs", "",
  nothing, "",
  "## One item differs", "",
  prose("In the second half of the groups class 1 says yes to the first item in",
        sprintf("%.0f %%, for %.0f %%.", 100 * elsewhere, 100 * accuracy)), "",
  one_item, "",
  machine_line()
))
