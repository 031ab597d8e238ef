# Mutation testing, see tools/mutants: Rscript tools/mutants.R TREE N SEED FILES TESTS. Half of the
# mutants are of the core, half of R/, drawn from all changes that the operators below allow. A
# mutant first meets the tests of its own file, one of the core then the hashes of fits
# (tests/portability) and, if these pass and TESTS is not "near", all tests; of R/ all that come by
# its line. Those that tools/equivalent-mutants.dcf lists, with the reason why no test can tell
# them, are drawn like all others and not judged.
# DeMillo, Lipton and Sayward (1978), doi:10.1109/C-M.1978.218136.

args <- commandArgs(trailingOnly = TRUE)
tree <- args[1]
n_mutants <- as.integer(args[2])
set.seed(as.integer(args[3]))
pattern <- args[4]
all_tests <- args[5] != "near"
most_seconds <- 1200  # of a run of tests
most_seconds_near <- 20  # of tests of a mutant of R/ where not all are asked for

# Changes ------------------------------------------------------------------------------------------

# A pattern and what stands in its place, for both languages; blanks keep templates out.
operators <- list(
  c(" < ", " <= "), c(" <= ", " < "), c(" > ", " >= "), c(" >= ", " > "), c(" == ", " != "),
  c(" != ", " == "), c(" + ", " - "), c(" - ", " + "), c(" * ", " / "), c(" / ", " * "),
  c(" += ", " -= "), c(" -= ", " += "), c(" && ", " || "), c(" || ", " && "), c(" & ", " | "),
  c(" | ", " & "), c("min(", "max("), c("max(", "min("), c("TRUE", "FALSE"), c("FALSE", "TRUE"),
  c("true", "false"), c("false", "true"), c("++", "--"), c("which.max(", "which.min("),
  c("any(", "all("), c("all(", "any("), c("ceil(", "floor("), c("floor(", "ceil(")
)

# The same text with blanks for what is no code: comments and strings.
blank_out_cpp <- function(lines) {
  at <- gregexpr("\"([^\"\\\\]|\\\\.)*\"|'([^'\\\\]|\\\\.)+'|//.*$", lines, perl = TRUE)
  regmatches(lines, at) <- lapply(regmatches(lines, at), function(x) strrep(" ", nchar(x)))
  lines[grepl("^\\s*(#|static_assert|using |namespace |template)", lines)] <- ""
  lines
}

# R's parser knows strings of several lines. Of a template of vapply() only type and length matter.
blank_out_r <- function(lines) {
  tokens <- utils::getParseData(parse(text = lines, keep.source = TRUE, encoding = "UTF-8"))
  of_name <- tokens$token == "SYMBOL_FUNCTION_CALL" & tokens$text == "vapply"
  names <- tokens$parent[of_name]
  templates <- vapply(tokens$parent[match(names, tokens$id)], function(call) {
    tokens$id[tokens$parent == call & tokens$token == "expr"][4]
  }, 0L)
  text <- utils::getParseText(tokens, tokens$id)
  is_value <- tokens$id %in% templates & grepl("^([0-9.]+L?|c\\([0-9L., ]+\\)|TRUE|FALSE)$", text)
  is_text <- tokens$token %in% c("STR_CONST", "COMMENT") | tokens$terminal & grepl("^`", text)
  blanks <- tokens[is_value | is_text, ]
  for (i in seq_len(nrow(blanks))) {
    for (line in blanks$line1[i]:blanks$line2[i]) {
      from <- if (line == blanks$line1[i]) blanks$col1[i] else 1
      to <- if (line == blanks$line2[i]) blanks$col2[i] else nchar(lines[line])
      substr(lines[line], from, to) <- strrep(" ", max(0, to - from + 1))
    }
  }
  lines
}

# All places of a fixed text, as words where it is one.
places <- function(code, text) {
  fixed <- gsub("([.+*|(])", "\\\\\\1", text)
  before <- if (grepl("^[A-Za-z]", text)) "(?<![A-Za-z0-9_.])"
  gregexpr(paste0(before, fixed), code, perl = TRUE)
}

swaps <- function(code) {
  found <- lapply(operators, function(operator) {
    at <- places(code, operator[1])
    line <- rep(seq_along(code), lengths(at))
    at <- unlist(at)
    data.frame(line, at, n = nchar(operator[1]), to = rep(operator[2], length(at)))[at > 0, ]
  })
  do.call(rbind, found)
}

# Whole numbers, one more, but for the exponents of what keeps a divisor from 0, such as 1e-300.
numbers <- function(code) {
  number <- "(?<![A-Za-z0-9_.\\]])(?!(?<=e-)[0-9]{3})[0-9]+(?![A-Za-z0-9_.])"
  at <- gregexpr(number, code, perl = TRUE)
  n <- unlist(lapply(at, attr, "match.length"))
  line <- rep(seq_along(code), lengths(at))
  at <- unlist(at)
  number <- suppressWarnings(as.numeric(substr(code[line], at, at + n - 1)))
  keep <- at > 0 & !is.na(number) & number < 1e6
  data.frame(line, at, n, to = format(number + 1, trim = TRUE, scientific = FALSE))[keep, ]
}

# if (!(...)): the condition must end in its line.
conditions <- function(code, lines) {
  at <- regexpr("\\bif (\\((?:[^()]++|(?1))*+\\))", code, perl = TRUE)
  line <- which(at > 0)
  start <- attr(at, "capture.start")[line, 1] + 1
  n <- attr(at, "capture.length")[line, 1] - 2
  data.frame(line, at = start, n, to = sprintf("!(%s)", substr(lines[line], start, start + n - 1)))
}

# A statement in a line of its own that gives no value: a call, or an assignment to what is there.
statements <- function(code, is_r) {
  is_one <- if (is_r) {
    grepl("^  +[a-z_.]+\\(.*\\)$", code) & grepl("([{}]|^)\\s*$", c("", utils::head(code, -1)))
  } else {
    target <- "^  +(\\+\\+)?[a-z][A-Za-z_.>\\[\\]()-]*"
    grepl(paste0(target, "( [-+*|&^]?= .*|\\(.*\\)|);$"), code, perl = TRUE) &
      !grepl("^  +(return|throw|continue|break)\\b", code)
  }
  count <- function(what) lengths(regmatches(code, gregexpr(what, code, fixed = TRUE)))
  line <- which(is_one & count("(") == count(")") & !grepl("[{}]", code))
  data.frame(line, at = rep(1, length(line)), n = nchar(code[line]), to = rep("", length(line)))
}

mutants_of <- function(file) {
  lines <- readLines(file.path(tree, file), encoding = "UTF-8")
  is_r <- grepl("[.]R$", file)
  code <- if (is_r) blank_out_r(lines) else blank_out_cpp(lines)
  sites <- rbind(swaps(code), numbers(code), conditions(code, lines), statements(code, is_r))
  changed <- paste0(substr(lines[sites$line], 1, sites$at - 1), sites$to,
                    substring(lines[sites$line], sites$at + sites$n))
  data.frame(
    file = rep(file, nrow(sites)), line = sites$line, from = lines[sites$line], to = changed
  )
}

# Whether each of the mutants is listed; an entry without `To` lists every change of its line.
is_equivalent <- function(mutants) {
  known <- read.dcf("tools/equivalent-mutants.dcf")
  at <- paste(known[, "File"], known[, "From"])
  of_line <- paste(mutants$file, trimws(mutants$from))
  is_any <- is.na(known[, "To"])
  of_line %in% at[is_any] |
    paste(of_line, trimws(mutants$to)) %in% paste(at, known[, "To"])[!is_any]
}

# The sample: as many of the core as of R.
draw_mutants <- function() {
  core <- dir(file.path(tree, "src/core"), "[.](cpp|h)$", recursive = TRUE)
  r <- setdiff(dir(file.path(tree, "R")), "RcppExports.R")
  files <- grep(pattern, c(file.path("src/core", core), file.path("R", r)), value = TRUE)
  all <- do.call(rbind, lapply(files, mutants_of))
  all$listed <- is_equivalent(all)
  cat(nrow(all), "mutants are possible,", sum(all$listed), "of them listed as equivalent.\n")
  halves <- split(seq_len(nrow(all)), grepl("^R/", all$file))
  share <- if (length(halves) == 2) ceiling(n_mutants / 2) else n_mutants
  chosen <- unlist(lapply(halves, function(rows) {
    rows[sample.int(length(rows), min(share, length(rows)))]
  }))
  all[sample(chosen), ]
}

# Tests --------------------------------------------------------------------------------------------

# TRUE: it ended well, in time. A mutant may run for ever.
# @param seconds of the processor, several times what the command takes.
run <- function(command, arguments = NULL, seconds = 600) {
  line <- paste(c(sprintf("ulimit -t %d; exec", seconds), command, arguments),
                collapse = " ")
  log <- file.path(tree, "log")
  status <- suppressWarnings(
    system2("sh", c("-c", shQuote(line)), stdout = log, stderr = log, timeout = most_seconds)
  )
  identical(as.integer(status), 0L)
}

core <- ".build/core-plain"

# Only what has changed is compiled.
make_core <- function() run("tools/core-tests", "plain build")

# testthat.h adds the file to the name of a context.
test_core <- function(context = NULL) {
  name <- if (!is.null(context)) shQuote(paste(context, "|*"))
  run(file.path(core, "run"), c("--abort", name), 120)
}

test_hashes <- function() {
  hashes <- suppressWarnings(system2(file.path(core, "hashes"), stdout = TRUE, timeout = 120))
  identical(as.vector(hashes), readLines("tests/portability/hashes.txt"))
}

core_survives <- function(file) {
  own <- sub("^src/core/(.*)/(.*)[.](cpp|h)$", "tests/core/\\1/test-\\2.cpp", file)
  contexts <- if (file.exists(own)) grep("^context\\(", readLines(own), value = TRUE)
  contexts <- sub(".*\"(.*)\".*", "\\1", contexts)
  for (name in contexts) if (!test_core(name)) return(FALSE)
  test_hashes() && (!all_tests && length(contexts) > 0 || test_core())
}

# One mutant: "killed", "survived", or "stillborn" where it cannot be built.
judge_core <- function(mutant, original, changed) {
  on.exit(writeLines(original, mutant$file, useBytes = TRUE))
  writeLines(changed, mutant$file, useBytes = TRUE)
  if (!make_core()) {
    return("stillborn")
  }
  if (core_survives(mutant$file)) "survived" else "killed"
}

judge <- function(mutant) {
  if (mutant$listed) {
    return("equivalent")
  }
  original <- readLines(mutant$file, encoding = "UTF-8")
  changed <- replace(original, mutant$line, mutant$to)
  if (!grepl("^R/", mutant$file)) {
    return(judge_core(mutant, original, changed))
  }
  judge_r(trace, mutant, changed, if (all_tests) Inf else most_seconds_near)
}

mutants <- draw_mutants()
in_r <- grepl("^R/", mutants$file)
for_r <- normalizePath("tools/mutants-in-r.R")
setwd(tree)
if (any(in_r)) {
  source(for_r)
  cat("Running all tests of R/, to see which come by which line.\n")
  trace <- trace_tests()
}
if (!all(in_r) && !make_core()) stop("The core cannot be built: see ", file.path(tree, "log"))
outcomes <- character(nrow(mutants))
for (at in seq_len(nrow(mutants))) {
  mutant <- mutants[at, ]
  outcomes[at] <- judge(mutant)
  cat(sprintf("%s  %s:%d\n", outcomes[at], mutant$file, mutant$line))
  if (outcomes[at] == "survived") {
    cat(paste0("  - ", trimws(mutant$from), "\n  + ", trimws(mutant$to), "\n"))
  }
}
for (part in c("src/core/", "R/")) {
  of_part <- outcomes[startsWith(mutants$file, part)]
  n <- table(factor(of_part, c("killed", "survived", "equivalent", "stillborn")))
  cat(sprintf("%s %d killed, %d survived (%.0f %% killed), %d equivalent, %d could not be built\n",
              part, n[1], n[2], 100 * n[1] / max(1, n[1] + n[2]), n[3], n[4]))
}
