# The points of bench/regimes.R. The product of all factors would be over a thousand. Here are
#
#   grid        items x share of informative items x strength, at 1000 rows, 3 levels and 3 equal
#               classes; two informative items, which reach no strength, are drawn as strong only
#   one by one  rows, levels and classes, one at a time, from a sparse corner (75 items, 10 %
#               informative, medium) and from a dense one (75 items, all, weak)
#   named       data sets with given probabilities
#   crowds      few experts among many, and many weak workers with few labels
#   noise       one class only
#
# Strength is the error of the true model, the share of rows in the wrong class when all
# probabilities are known: weak 15 %, medium 5 %, strong 0.5 %. Many informative items so each tell
# less than few of the same strength.

strengths <- c(weak = 0.15, medium = 0.05, strong = 0.005)

# A point says what it is, how large (`cells` with an answer), how many classes and informative
# items there are, and draws its data: `draw` is called with the seed set. `largest` is the weight
# of the largest class. Points of the grid also say where `on_grid` they are, a list.
new_point <- function(name, group, cells, true_k, n_informative, draw, largest = 1 / true_k,
                      on_grid = NULL) {
  list(name = name, group = group, cells = cells, true_k = true_k, n_informative = n_informative,
       draw = draw, largest = largest, on_grid = on_grid)
}

# Grid --------------------------------------------------------------------------------------------

grid_name <- function(n_items, share, strength, changed) {
  paste0(n_items, " items, ", 100 * share, " % informative, ", strength,
         if (!is.null(changed)) paste0("; ", changed))
}

grid_point <- function(n_items, share, strength, group = "grid", n_rows = 1000, n_levels = 3,
                       weights = rep(1 / 3, 3), changed = NULL) {
  n_informative <- max(2, round(share * n_items))
  new_point(
    grid_name(n_items, share, strength, changed), group, n_rows * n_items, length(weights),
    n_informative,
    draw = function(seed) {
      draw_calibrated(n_rows, n_items, n_informative, n_levels, weights, strengths[[strength]])
    },
    largest = max(weights),
    on_grid = list(n_items = n_items, share = share, strength = strength)
  )
}

grid_points <- function() {
  shares <- list("20" = c(0.1, 1), "75" = c(0.01, 0.1, 0.5, 1), "500" = c(0.01, 0.1, 0.5, 1),
                 "2000" = c(0.01, 0.1, 1))
  points <- lapply(names(shares), function(items) {
    n_items <- as.numeric(items)
    all <- expand.grid(strength = names(strengths), share = shares[[items]],
                       stringsAsFactors = FALSE)
    all <- all[all$share * n_items > 2 | all$strength == "strong", ]
    Map(grid_point, n_items, all$share, all$strength)
  })
  unlist(points, recursive = FALSE)
}

# One by one --------------------------------------------------------------------------------------

changes <- list(
  "200 rows" = list(n_rows = 200), "10000 rows" = list(n_rows = 10000),
  "2 levels" = list(n_levels = 2), "5 levels" = list(n_levels = 5),
  "2 classes" = list(weights = rep(1 / 2, 2)), "5 classes" = list(weights = rep(1 / 5, 5)),
  "classes .6/.3/.1" = list(weights = c(0.6, 0.3, 0.1))
)

changed_points <- function() {
  corners <- list(list(n_items = 75, share = 0.1, strength = "medium"),
                  list(n_items = 75, share = 1, strength = "weak"))
  points <- lapply(corners, function(corner) {
    lapply(names(changes), function(changed) {
      do.call(grid_point, c(corner, changes[[changed]], group = "one by one", changed = changed))
    })
  })
  unlist(points, recursive = FALSE)
}

# Named -------------------------------------------------------------------------------------------

named_points <- function() {
  list(
    new_point("survey: 1000 x 75, 5 levels, 5 classes, share 0.35", "named", 1000 * 75, 5, 75,
              function(seed) draw_mixed(1000, 75, n_levels = 5, k = 5, share = 0.35)),
    new_point("400 x 60 binary, 30 items of .4/.6", "named", 400 * 60, 2, 30,
              function(seed) draw_binary(400, 60, 30, c(0.4, 0.6))),
    new_point("200 x 1000 binary, 20 items of .25/.75", "named", 200 * 1000, 2, 20,
              function(seed) draw_binary(200, 1000, 20, c(0.25, 0.75))),
    new_point("500 x 2000 binary, 20 items of .25/.75", "named", 500 * 2000, 2, 20,
              function(seed) draw_binary(500, 2000, 20, c(0.25, 0.75)))
  )
}

# Crowds ------------------------------------------------------------------------------------------

sparse_crowd_point <- function(n_experts) {
  new_point(paste0("1000 x 100 crowd, ", n_experts, " experts"), "crowds", 1000 * 100, 3,
            n_experts, function(seed) draw_sparse_crowd(n_experts, seed))
}

weak_crowd_point <- function(n_items, n_workers, labels_per_item) {
  new_point(
    paste0(n_items, " x ", n_workers, " weak crowd, ", labels_per_item, " labels an item"),
    "crowds", n_items * labels_per_item, 4, n_workers,
    function(seed) draw_weak_crowd(n_items, n_workers, labels_per_item)
  )
}

crowd_points <- function() {
  c(lapply(c(3, 5, 10, 20), sparse_crowd_point),
    Map(weak_crowd_point, c(3000, 3000, 6000), c(50, 50, 100), c(5, 10, 5)))
}

# Noise -------------------------------------------------------------------------------------------

noise_point <- function(n_rows, n_items, n_levels) {
  new_point(paste0("noise, ", n_rows, " x ", n_items, ", ", n_levels, " levels"), "noise",
            n_rows * n_items, 1, 0, function(seed) draw_noise(n_rows, n_items, n_levels))
}

noise_points <- function() {
  Map(noise_point, c(200, 1000, 200, 200, 1000, 200), c(100, 20, 1000, 100, 75, 20),
      c(2, 2, 2, 5, 5, 3))
}

# All, with a seed each: draw d of point p has seed 1000 p + d.
all_points <- function() {
  points <- c(grid_points(), changed_points(), named_points(), crowd_points(), noise_points())
  Map(function(point, number) c(point, number = number), points, seq_along(points))
}

draw_data <- function(point, draw) {
  seed <- 1000 * point$number + draw
  set.seed(seed)
  point$draw(seed)
}
