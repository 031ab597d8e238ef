# How well the fit does from sparse to dense and from weak to strong: simulated tables and crowds,
# fitted by the evidence, by BIC and by ordinary EM.
#
#   Rscript bench/regimes.R [--draws N] [--report] [--fresh] [--points TEXT]
#
# Writes regimes.md, regimes.png and regimes-others.png in bench/results. All points are drawn once,
# then all again, so that a run that is interrupted has as many draws of each. Results are kept in
# .build/bench/regimes.csv, a row for each point, draw and method, and the next run goes on where it
# was.
#   --draws   draws of each point, by default 10; of noise five times as many
#   --report  writes the report of the draws there are
#   --fresh   computes everything anew
#   --points  only the points with this in their name, whose report is printed, not written
# In lib/ are the simulators (regimes_data.R), the points (regimes_design.R), the methods
# (regimes_methods.R), what is asked of them (regimes_verdicts.R), the report and the picture.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
parts <- c("common", "pictures", "methods", "regimes_data", "regimes_design", "regimes_methods",
           "regimes_verdicts", "regimes_report", "regimes_picture")
for (part in parts) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

arguments <- commandArgs(trailingOnly = TRUE)
draws_file <- file.path(dirname(here), ".build", "bench", "regimes.csv")
noise_draws <- 5

# Running -----------------------------------------------------------------------------------------

read_draws <- function() {
  if (file.exists(draws_file)) utils::read.csv(draws_file)
}

# All rows of a draw at once, so that there is a draw as a whole or not at all.
append_draw <- function(rows) {
  utils::write.table(rows, draws_file, append = file.exists(draws_file), sep = ",",
                     row.names = FALSE, col.names = !file.exists(draws_file))
}

measure_draw <- function(point, draw) {
  data <- draw_data(point, draw)
  methods <- Filter(function(method) method$applies(point), regime_methods)
  rows <- do.call(rbind, lapply(methods, measure_method, data = data))
  share <- if (is.null(data$share)) NA else round(data$share, 3)
  data.frame(point = point$name, draw = draw, share = share, rows)
}

# The draws of a point in one round of all points.
draws_of_round <- function(point, round) {
  if (is_noise(point)) noise_draws * (round - 1) + seq_len(noise_draws) else round
}

run_round <- function(points, round) {
  for (point in points) {
    there <- read_draws()
    for (draw in setdiff(draws_of_round(point, round), there$draw[there$point == point$name])) {
      rows <- measure_draw(point, draw)
      append_draw(rows)
      message(point$name, ", draw ", draw, ": ", number(sum(rows$seconds), 1), " s")
    }
  }
}

value_of <- function(option) {
  at <- match(option, arguments)
  if (!is.na(at)) arguments[at + 1]
}

n_draws <- function() if ("--draws" %in% arguments) as.integer(value_of("--draws")) else 10

some <- value_of("--points")
points <- Filter(function(point) is.null(some) || grepl(some, point$name, fixed = TRUE),
                 all_points())
dir.create(dirname(draws_file), showWarnings = FALSE, recursive = TRUE)
if ("--fresh" %in% arguments) unlink(draws_file)
if (!"--report" %in% arguments) {
  for (round in seq_len(n_draws())) {
    run_round(points, round)
  }
}

# Report ------------------------------------------------------------------------------------------

draws <- read_draws()
if (is.null(some)) {
  write_report("regimes", report_lines(points, draws))
  draw_picture(points, draws)
} else {
  writeLines(report_lines(points, draws))
}
