# The demo: what mdpd finds in crowdsourced labels, in words and in pictures.
# Usage: Rscript tools/demo.R [DATA] [K]
#   DATA  a file of item,worker,label triples (csv, tsv; .gz too); without it, two built-in examples
#   K     number of classes; without it, the number of labels in DATA
library(mdpd)

folder <- "demo-output"

heading <- function(text) cat("\n", text, "\n", strrep("-", nchar(text)), "\n", sep = "")
say <- function(...) cat(strwrap(paste0(...), width = 78, exdent = 2), sep = "\n")
percent <- function(share) sprintf("%.1f %%", 100 * share)

stop_demo <- function(...) {
  message("The demo cannot run: ", ...)
  quit(status = 1)
}

# The number of classes: what the user gave, else one for each label.
read_k <- function(k, n_labels) {
  if (k == "") {
    return(n_labels)
  }
  if (!grepl("^[1-9][0-9]*$", k)) {
    stop_demo("K must be a whole number of at least 1, not '", k, "'.")
  }
  as.integer(k)
}

read_triples <- function(path) {
  if (!file.exists(path)) {
    stop_demo("there is no file '", path, "' (DATA, seen from ", getwd(), ").")
  }
  tryCatch(read_crowd(path), error = function(e) stop_demo(conditionMessage(e)))
}

# Fits, says how long it took, and passes on what the fit warns of.
fit_and_time <- function(labels, k) {
  started <- proc.time()[["elapsed"]]
  fit <- tryCatch(
    stagewise_em(labels, k = k, verbose = FALSE),
    error = function(e) stop_demo(conditionMessage(e))
  )
  say(sprintf("Fitted in %.2f seconds.", proc.time()[["elapsed"]] - started))
  fit
}

say_size <- function(labels) {
  triples <- as.data.frame(labels)
  say(
    dim(labels)[1], " items, ", dim(labels)[2], " workers, ", nrow(triples), " labels given, ",
    length(labels$labels), " different ones."
  )
}

say_informative <- function(fit, n_workers) {
  names <- informative(fit)
  say(
    "Informative workers found, the surest first: ", toString(names), "; ",
    length(names), " of ", n_workers, "."
  )
}

# Without a truth the majority vote is no judge, only a familiar point of comparison.
say_agreement <- function(fit, labels) {
  if (fit$k != length(labels$labels)) {
    return(invisible())
  }
  differs <- error_rate(fit, majority_vote(labels))
  say(
    "No truth is known here. The classes differ from a majority vote on ",
    percent(differs), " of the items."
  )
}

draw <- function(fit, name) {
  for (type in c("profiles", "posterior", "information", "trace", "history")) {
    file <- file.path(folder, paste0(name, "-", type, ".png"))
    picture <- ggplot2::autoplot(fit, type = type)
    ggplot2::ggsave(file, picture, width = 8, height = 5.5, dpi = 150, bg = "white")
  }
  say("Pictures: ", file.path(folder, paste0(name, "-*.png")))
}

show_real_crowd <- function(labels, k, name) {
  say_size(labels)
  fit <- fit_and_time(labels, k)
  print(fit)
  say_agreement(fit, labels)
  draw(fit, name)
}

# Anaesthetist 1 graded everyone three times; each session is a rater of its own: 1a, 1b, 1c.
anaesthetist_labels <- function() {
  triples <- anaesthetists
  repeated <- triples$anaesthetist == 1
  triples$rater <- as.character(triples$anaesthetist)
  triples$rater[repeated] <- paste0("1", letters[triples$session[repeated]])
  crowd_labels(triples, item = "patient", worker = "rater", label = "grade")
}

show_simulated_crowd <- function() {
  crowd <- simulate_crowd(
    n_items = 1000, n_workers = 100, n_labels = 3, accuracy = rep(0.6, 5), seed = 1
  )
  say_size(crowd$labels)
  say(
    "Only workers 1 to 5 know anything: each is right with probability 0.6. The other 95 ",
    "answer without looking."
  )
  fit <- fit_and_time(crowd$labels, crowd$k)
  say_informative(fit, dim(crowd$labels)[2])
  say_errors(c(
    "majority vote" = error_rate(majority_vote(crowd$labels), crowd$truth),
    "stagewise EM (this fit)" = error_rate(fit, crowd$truth),
    "the true model: nobody does better on average" =
      error_rate(predict(crowd$model, crowd$labels), crowd$truth)
  ))
  draw(fit, "simulated")
}

say_errors <- function(errors) {
  say("Share of items put in the wrong class:")
  cat(sprintf("  %7s  %s\n", percent(errors), names(errors)), sep = "")
}

show_built_in <- function() {
  heading("45 patients, graded 1 to 4 by 5 anaesthetists (Dawid and Skene, 1979)")
  labels <- anaesthetist_labels()
  say("Anaesthetist 1 graded everyone three times: raters 1a, 1b and 1c.")
  show_real_crowd(labels, length(labels$labels), "anaesthetists")
  heading("A simulated crowd: 5 experts among 100 workers, 3 labels")
  show_simulated_crowd()
}

arguments <- commandArgs(trailingOnly = TRUE)
data <- c(arguments, "", "")[1]
k <- c(arguments, "", "")[2]

dir.create(folder, showWarnings = FALSE)
if (data == "") {
  if (k != "") {
    stop_demo("K goes with DATA: make demo DATA=path/labels.csv K=", k)
  }
  show_built_in()
} else {
  heading(basename(data))
  labels <- read_triples(data)
  name <- sub("[.].*", "", basename(data))
  show_real_crowd(labels, read_k(k, length(labels$labels)), name)
}
cat("\nLook at the pictures in ", normalizePath(folder), "\n", sep = "")
