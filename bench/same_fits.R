# Are the fits of two builds of the package the same? For a change that is to change no result.
#
#   Rscript bench/same_fits.R store FOLDER [LIBRARY] [--only=CASE]
#   Rscript bench/same_fits.R compare OLD NEW [--tolerance=1e-10] [--allow=CASE:FIELD]...
#
# `store` does every case of lib/same_fits_cases.R with the package in LIBRARY (else the one R
# finds, see R_LIBS) and writes FOLDER/<case>.rds, in a minute or two. `compare` tells what differs
# between two such folders, and exits with 1 unless it is nothing, rounding below the tolerance, or
# what `--allow` lists, such as `--allow='rte:*informative'`; CASE and FIELD may hold `*`. As in
#
#   Rscript bench/same_fits.R store old-fits ../base/.lib
#   Rscript bench/same_fits.R store new-fits .lib
#   Rscript bench/same_fits.R compare old-fits new-fits
#
# Only exported functions are used, so that the script of one build does for both. Real crowds are
# read from the folder `data` in the one named by MDPD_SHARED, else in ../shared beside the clone;
# cases without their data are left out.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
shared_folder <- Sys.getenv(
  "MDPD_SHARED", file.path(dirname(normalizePath(script)), "..", "..", "shared")
)
source(file.path(dirname(script), "lib/same_fits_cases.R"))

# Store -------------------------------------------------------------------------------------------

store <- function(folder, library = NULL, only = "*") {
  library(mdpd, lib.loc = library)
  message("mdpd of ", dirname(find.package("mdpd")))
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  make_data()
  chosen <- names(cases)[matches(only, names(cases))]
  results <- vapply(chosen, store_case, "", folder = folder)
  message(sum(results == "stored"), " of ", length(results), " cases stored in ", folder)
  !any(results == "failed")
}

# Only what could be done is stored, so that a case that fails is missed in the comparison.
store_case <- function(name, folder) {
  file <- file.path(folder, paste0(name, ".rds"))
  unlink(file)
  result <- do_case(cases[[name]])
  is_error <- inherits(result$value, "error")
  if (!is_error) saveRDS(result, file)
  message(sprintf("%6.1f s  %s%s", result$seconds, name,
                  if (is_error) paste0(": ", conditionMessage(result$value)) else ""))
  if (inherits(result$value, "no_data")) "no data" else if (is_error) "failed" else "stored"
}

# What a case gives, and the classes of the warnings and messages on its way.
do_case <- function(call) {
  seen <- character()
  note <- function(cnd) {
    class <- class(cnd)[1]
    seen <<- c(seen, if (startsWith(class, "mdpd_")) class else conditionMessage(cnd))
    tryInvokeRestart("muffleWarning")
    tryInvokeRestart("muffleMessage")
  }
  seconds <- system.time(value <- tryCatch(
    withCallingHandlers(eval(call, new.env(parent = globalenv())), warning = note, message = note),
    error = identity
  ))[["elapsed"]]
  if (!inherits(value, "error")) value <- without_settings(value)
  list(value = value, conditions = seen, seconds = seconds)
}

# Fits without what two builds need not share: how they were called, by which version, the settings.
left_out <- list(
  mdpd = c("call", "version", "control"), summary_mdpd = c("call", "control"),
  mdpd_coded = "threads"
)

without_settings <- function(x) {
  if (!is.list(x) || is.data.frame(x)) {
    return(x)
  }
  parts <- unclass(x)
  parts[unlist(left_out[intersect(names(left_out), class(x))])] <- NULL
  names <- names(parts)
  parts <- lapply(parts, without_settings)
  attributes(parts) <- attributes(x)[setdiff(names(attributes(x)), "names")]
  names(parts) <- names
  parts
}

# Compare -----------------------------------------------------------------------------------------

compare <- function(old, new, tolerance = 1e-10, allow = character()) {
  stored <- function(folder) sub("[.]rds$", "", dir(folder, "[.]rds$"))
  names <- union(stored(old), stored(new))
  if (length(names) == 0) stop("There are no cases in ", old, " and ", new, ".")
  names <- names[order(match(names, names(cases)))]
  tables <- sapply(names, compare_case, old = old, new = new, simplify = FALSE)
  report(Map(judge, tables, names, tolerance, list(allow)))
}

compare_case <- function(name, old, new) {
  files <- file.path(c(old, new), paste0(name, ".rds"))
  if (!all(file.exists(files))) {
    return(difference("case", "only in ", c(old, new)[file.exists(files)]))
  }
  results <- lapply(files, function(file) readRDS(file)[c("value", "conditions")])
  found <- differences(results[[1]]$value, results[[2]]$value)
  conditions <- differences(results[[1]]$conditions, results[[2]]$conditions, "conditions")
  worst_by_field(rbind(found, conditions))
}

# The table of what differs: `field`, `what`, and `gap`, the largest relative difference of numbers
# or Inf where it is not one of numbers.
difference <- function(field, ..., gap = Inf) {
  data.frame(field = sub("^[$]", "", field), what = paste0(...), gap = gap)
}

differences <- function(old, new, field = "") {
  if (identical(old, new)) {
    return(NULL)
  }
  shape <- differing_shape(old, new, field)
  if (!is.null(shape)) {
    return(shape)
  }
  compare_values <- if (is.list(old)) {
    differing_parts
  } else if (is.double(old)) {
    differing_numbers
  } else {
    differing_values
  }
  rbind(compare_values(old, new, field), differing_classes(old, new, field),
        differing_attributes(old, new, field))
}

# Where type or size differ the values are not compared one by one.
differing_shape <- function(old, new, field) {
  if (is.null(old)) return(difference(field, "is new"))
  if (is.null(new)) return(difference(field, "is gone"))
  if (type_of(old) != type_of(new)) {
    same <- if (is_same_number(old, new)) ", of the same values"
    return(difference(field, type_of(new), ", not ", type_of(old), same))
  }
  if (size_of(old) != size_of(new)) {
    difference(field, size_of(new), ", not ", size_of(old), differing_sets(old, new))
  }
}

is_same_number <- function(old, new) {
  is.numeric(old) && is.numeric(new) && identical(as.double(old), as.double(new))
}

type_of <- function(x) paste(c(typeof(x), attr(x, "class")), collapse = " ")

# Of a list with names, what is new or gone is told by name.
size_of <- function(x) {
  if (is.data.frame(x)) return(paste(length(attr(x, "row.names")), "rows"))
  if (is.list(x) && !is.null(names(x))) return("parts with names")
  dim <- attr(x, "dim")
  if (is.null(dim)) paste(length(x), "values") else paste(dim, collapse = " x ")
}

differing_parts <- function(old, new, field) {
  old <- unclass(old)
  new <- unclass(new)
  same_names <- identical(names(old), names(new))
  parts <- if (same_names) seq_along(old) else union(names(old), names(new))
  labels <- if (is.null(names(old)) || !same_names) parts else names(old)
  found <- Map(function(part, label) {
    differences(old[[part]], new[[part]], paste0(field, "$", label))
  }, parts, labels)
  moved <- !same_names && setequal(names(old), names(new))
  rbind(do.call(rbind, unname(found)), if (moved) difference(field, "parts in another order"))
}

differing_numbers <- function(old, new, field) {
  kind <- function(x) ifelse(is.finite(x), "finite", paste(x))  # NA is not NaN
  at <- which(kind(old) != kind(new))
  if (length(at) > 0) {
    return(difference(field, new[at[1]], ", not ", old[at[1]], " at ", at[1]))
  }
  differs <- which(old != new)
  if (length(differs) == 0) {
    return(NULL)
  }
  numbers <- lapply(list(old, new), function(x) {
    x <- as.vector(x)[is.finite(old)]
    # Most p-values are nothing beside the floor.
    if (endsWith(field, "p_value")) log(pmax(x, .Machine$double.xmin)) else x
  })
  difference(field, length(differs), " of ", length(old), " numbers",
             gap = relative_difference(numbers[[1]], numbers[[2]]))
}

# The largest |a - b| / max(|a|, |b|, floor). The floor is 1e-4, or 1e-4 of the largest number
# beside it where that is above 1. Below it a number has few digits of its own: it is what rounding
# leaves of sums and differences of larger ones, such as a probability of 1e-9 or the information of
# two items, a difference of entropies. With a tolerance of 1e-10 these may differ by 1e-14, some
# ten times the rounding of such a difference.
relative_difference <- function(old, new) {
  size <- pmax(abs(old), abs(new))
  max(abs(old - new) / pmax(size, 1e-4 * max(1, size)))
}

differing_values <- function(old, new, field) {
  text <- lapply(list(old, new), function(x) if (is.factor(x)) as.character(x) else as.vector(x))
  differs <- is.na(text[[1]]) != is.na(text[[2]]) | (text[[1]] != text[[2]]) %in% TRUE
  at <- which(differs)
  if (length(at) > 0) {
    difference(field, length(at), " of ", length(old), " values, the first ", text[[2]][at[1]],
               ", not ", text[[1]][at[1]], differing_sets(old, new))
  }
}

# Of names, such as those of the informative items: is it the set or the order?
differing_sets <- function(old, new) {
  if (!is.character(old)) {
    return("")
  }
  told <- function(how, x) if (length(x) > 0) paste0("; ", how, " ", toString(utils::head(x, 8)))
  if (setequal(old, new)) return("; the same in another order")
  paste0(told("without", setdiff(old, new)), told("with", setdiff(new, old)))
}

# The most probable class of each row of a posterior.
differing_classes <- function(old, new, field) {
  if (!endsWith(field, "posterior") || !is.matrix(old)) {
    return(NULL)
  }
  moved <- sum(max.col(old, "first") != max.col(new, "first"), na.rm = TRUE)
  if (moved > 0) difference(paste(field, "classes"), moved, " of ", nrow(old), " rows")
}

# Names, levels and the like.
differing_attributes <- function(old, new, field) {
  told <- c("class", "dim", if (is.list(old)) "names")
  of <- lapply(list(old, new), function(x) attributes(x)[setdiff(names(attributes(x)), told)])
  kinds <- union(names(of[[1]]), names(of[[2]]))
  do.call(rbind, lapply(kinds, function(kind) {
    differences(of[[1]][[kind]], of[[2]][[kind]], paste0(field, "@", kind))
  }))
}

# One row a field, the worst; the tables of all items are one field.
worst_by_field <- function(found) {
  if (is.null(found)) {
    return(NULL)
  }
  found$field <- sub("(item_probs|levels)[$][^$@]*", "\\1", found$field)
  worst <- found[order(-found$gap), ]
  n <- as.vector(table(worst$field)[worst$field])
  worst$what <- paste0(worst$what, ifelse(n > 1, paste0(" (the worst of ", n, ")"), ""))
  worst[!duplicated(worst$field), ]
}

# Is a difference rounding, or one of those that are listed?
judge <- function(found, case, tolerance, allow) {
  if (is.null(found)) {
    return(NULL)
  }
  names <- paste0(case, ":", found$field)
  is_listed <- Reduce(`|`, lapply(allow, matches, names), logical(nrow(found)))
  found$verdict <- ifelse(is_listed, "allowed", "DIFFERS")
  found$verdict[found$gap <= tolerance] <- "rounding"
  found
}

# Prints a line a case, what differs, and the worst; are all cases the same?
report <- function(tables) {
  lines <- do.call(rbind, Map(summary_line, names(tables), tables))
  print(lines, row.names = FALSE, right = FALSE)
  for (case in lines$case[lines$result == "DIFFERS"]) {
    cat("\n", case, "\n", sep = "")
    table <- tables[[case]][tables[[case]]$verdict == "DIFFERS", ]
    shown <- utils::head(table, 20)
    gap <- ifelse(shown$gap < Inf, paste(", relative difference", signif(shown$gap, 2)), "")
    cat(paste0("  ", shown$field, ": ", shown$what, gap, "\n"), sep = "")
    if (nrow(table) > 20) cat("  and", nrow(table) - 20, "other fields\n")
  }
  kinds <- table(factor(lines$result, c("identical", "rounding", "allowed", "DIFFERS")))
  counts <- toString(paste(kinds, names(kinds))[kinds > 0])
  cat("\n", nrow(lines), " cases: ", counts, ".\n", sep = "")
  worst <- which.max(lines$largest)
  if (length(worst) > 0) {
    cat("Largest relative difference of numbers: ", format(lines$largest[worst], digits = 2), ", ",
        lines$case[worst], ".\n", sep = "")
  }
  kinds[["DIFFERS"]] == 0
}

summary_line <- function(case, table) {
  verdicts <- c("DIFFERS", "allowed", "rounding")
  numbers <- table$gap[table$gap < Inf]
  data.frame(
    case = case,
    result = c(intersect(verdicts, table$verdict), "identical")[1],
    largest = if (length(numbers) > 0) signif(max(numbers), 2) else NA,
    where = if (is.null(table)) "" else table$field[order(match(table$verdict, verdicts))[1]]
  )
}

# -------------------------------------------------------------------------------------------------

# `*` stands for anything; the `$` of a field is a character like others.
matches <- function(pattern, names) {
  grepl(paste0("^\\Q", gsub("*", "\\E.*\\Q", pattern, fixed = TRUE), "\\E$"), names, perl = TRUE)
}

usage <- "Usage: same_fits.R store FOLDER [LIBRARY] [--only=CASE]
       same_fits.R compare OLD NEW [--tolerance=1e-10] [--allow=CASE:FIELD]..."

main <- function(arguments) {
  is_option <- startsWith(arguments, "--")
  option <- function(name) {
    start <- paste0("--", name, "=")
    sub(start, "", arguments[startsWith(arguments, start)], fixed = TRUE)
  }
  places <- arguments[!is_option]
  what <- if (length(places) %in% 2:3) places[1] else ""
  if (what == "store") {
    store(places[2], if (length(places) == 3) places[3], only = c(option("only"), "*")[1])
  } else if (what == "compare" && length(places) == 3) {
    compare(places[2], places[3], as.numeric(c(option("tolerance"), "1e-10")[1]), option("allow"))
  } else {
    stop(usage, call. = FALSE)
  }
}

quit(status = !main(commandArgs(trailingOnly = TRUE)))
