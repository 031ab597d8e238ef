# Whether the likelihood refinement ends as high as the best of 20 random starts of poLCA, and a fit
# of one k where the path over several ends: on real tables of installed packages, k from 2 to 6.
#
#   Rscript bench/tables.R [--fresh]
#
# Writes tables.md and tables.csv in bench/results. What poLCA finds takes most of the time; it is
# kept in .build/bench/tables-polca.csv and taken up again, but for --fresh. Tables of packages that
# are not installed are left out. In lib/ are the tables (tables_data.R).
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "methods", "tables_data")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

n_starts <- 20
# Nats within which two fits are at the same optimum.
same <- 0.01
all_k <- 2:6

# poLCA -------------------------------------------------------------------------------------------

polca_file <- file.path(dirname(here), ".build", "bench", "tables-polca.csv")

# The highest log-likelihood (nats), how many starts come as high, and processor seconds. Its 1000
# iterations are too few for some of these tables. A start at which it stops with an error, as where
# a class has no answer to an item, is lost.
polca_row <- function(name, x, k) {
  codes <- stats::setNames(as.data.frame(lapply(x, as.integer)), paste0("item", seq_along(x)))
  formula <- stats::as.formula(paste0("cbind(", toString(names(codes)), ") ~ 1"))
  from_start <- function(start) {
    tryCatch(
      poLCA::poLCA(formula, codes, nclass = k, maxiter = 2000, na.rm = FALSE, calc.se = FALSE,
                   verbose = FALSE)$llik,
      error = function(e) -Inf
    )
  }
  set.seed(1)
  time <- system.time(ends <- vapply(seq_len(n_starts), from_start, 0))
  data.frame(table = name, k = k, polca = max(ends), hits = sum(ends > max(ends) - same),
             lost = sum(is.infinite(ends)), polca_seconds = sum(time[c("user.self", "sys.self")]))
}

# All rows of one table, from the file where they are there.
polca_rows <- function(name, x) {
  kept <- if (file.exists(polca_file)) utils::read.csv(polca_file)
  if (!name %in% kept$table) {
    rows <- do.call(rbind, lapply(all_k, polca_row, name = name, x = x))
    kept <- rbind(kept, rows)
    utils::write.csv(kept, polca_file, row.names = FALSE)
  }
  kept[kept$table == name, ]
}

# mdpd --------------------------------------------------------------------------------------------

# Fits of every k, each asked for alone, and those of one call for all k.
fits_of <- function(x, refine) {
  fit <- function(k) {
    suppressMessages(suppressWarnings(stagewise_em(x, k, refine = refine, verbose = FALSE)))
  }
  list(single = lapply(all_k, fit), path = fit(c(1, all_k)))
}

# How far (nats) single fits are from those of the path, by what the fits are compared by.
apart <- function(fits, value) {
  of_path <- vapply(all_k, function(k) choose_k(fits$path, k)[[value]], 0)
  vapply(fits$single, `[[`, 0, value) - of_path
}

table_rows <- function(name, x) {
  message(name)
  polca <- polca_rows(name, x)
  seconds <- system.time(full <- fits_of(x, "full"))
  default <- fits_of(x, "sparse")
  data.frame(
    table = name, package = attr(x, "package"), rows = nrow(x), items = ncol(x),
    missing = round(mean(is.na(x)), 3), k = all_k,
    loglik = vapply(full$single, `[[`, 0, "loglik"),
    components = vapply(full$single, `[[`, 0L, "k"),
    status = vapply(full$single, `[[`, "", "status"),
    polca = polca$polca, polca_hits = polca$hits, polca_lost = polca$lost,
    from_path = apart(full, "loglik"), default_from_path = apart(default, "evidence"),
    seconds = sum(seconds[c("user.self", "sys.self")]), polca_seconds = sum(polca$polca_seconds)
  )
}

# Report ------------------------------------------------------------------------------------------

# How far above poLCA, bold where below; "=" where at the same optimum.
against_polca <- function(above) {
  text <- ifelse(abs(above) <= same, "=", sprintf("%+.2f", above))
  ifelse(is.na(above), "-", ifelse(above < -same, paste0("**", text, "**"), text))
}

differences <- function(results) {
  above <- matrix(against_polca(results$loglik - results$polca), ncol = length(all_k), byrow = TRUE,
                  dimnames = list(NULL, paste("k =", all_k)))
  first <- results[results$k == all_k[1], ]
  data.frame(
    table = paste0(first$table, " (", first$package, ")"),
    size = paste(first$rows, "x", first$items), missing = percent_missing(first$missing), above,
    seconds = paste(number(first$seconds, 1), number(first$polca_seconds, 1), sep = " / "),
    check.names = FALSE
  )
}

percent_missing <- function(share) ifelse(share == 0, "", sprintf("%.1f %%", 100 * share))

failures <- function(results) {
  cell <- function(rows, text) if (nrow(rows) > 0) paste0(rows$table, ", k = ", rows$k, ": ", text)
  below <- results[results$loglik - results$polca < -same & !is.na(results$polca), ]
  full <- results[abs(results$from_path) > same, ]
  default <- results[abs(results$default_from_path) > same, ]
  c(
    cell(below, sprintf("%.2f, poLCA %.2f (%d of %d starts)", below$loglik, below$polca,
                        below$polca_hits, n_starts)),
    cell(full, sprintf("the single fit is %+.2f nats from that of the path", full$from_path)),
    cell(default, sprintf("the default call is %+.2f nats of evidence from that of the path",
                          default$default_from_path))
  )
}

report_lines <- function(results) {
  above <- results$loglik - results$polca
  compared <- !is.na(above)
  failed <- failures(results)
  gss82 <- results$loglik[results$table == "gss82" & results$k == 3]
  c(
    "# Real tables: the likelihood against poLCA's, and one k against several",
    "",
    "Written by `Rscript bench/tables.R`; do not edit by hand.",
    "",
    prose(machine_line(), paste0("poLCA ", utils::packageVersion("poLCA"), ".")),
    "",
    prose(
      length(unique(results$table)), "tables,", "k from 2 to 6: `stagewise_em(x, k, refine =",
      "\"full\")` once, against the best of 20 random starts of poLCA (`maxiter = 2000, na.rm =",
      "FALSE`). Two fits are at the same optimum within", same, "nats."
    ),
    "",
    bullet(sprintf("Below poLCA at %d of %d; as high at %d; higher at %d, by up to %.1f nats.",
                   sum(above[compared] < -same), sum(compared), sum(abs(above[compared]) <= same),
                   sum(above[compared] > same), max(above[compared]))),
    bullet(sprintf("`k` alone and `k = 1:6` end at the same fit at %d of %d; by the default call",
                   sum(abs(results$from_path) <= same), nrow(results)),
           sprintf("(evidence) at %d.", sum(abs(results$default_from_path) <= same))),
    bullet(sprintf("All starts of poLCA end at its best at %d of %d, fewer than half at %d.",
                   sum(results$polca_hits == n_starts), sum(compared),
                   sum(results$polca_hits < n_starts / 2))),
    if (length(gss82) > 0) bullet(sprintf("gss82 ends with three components at %.2f.", gss82)),
    "",
    "## Where it fails",
    "",
    if (is.null(failed)) "Nowhere." else unlist(lapply(failed, bullet)),
    "",
    "## All tables",
    "",
    prose(
      "How many nats the log-likelihood is above poLCA's best; = at the same optimum, bold below",
      "it. *seconds*: processor time of mdpd for `k` one by one and for `k = 1:6`, and of poLCA",
      "for `k` one by one. All numbers are in `tables.csv`."
    ),
    "",
    table_lines(differences(results), right = c(paste("k =", all_k), "missing", "seconds"))
  )
}

# Running -----------------------------------------------------------------------------------------

dir.create(dirname(polca_file), showWarnings = FALSE, recursive = TRUE)
if ("--fresh" %in% commandArgs(trailingOnly = TRUE)) unlink(polca_file)
tables <- real_tables()
results <- do.call(rbind, Map(table_rows, names(tables), tables))
numbers <- vapply(results, is.double, NA)
stored <- results
stored[numbers] <- lapply(stored[numbers], round, 4)
utils::write.csv(stored, result_file("tables.csv"), row.names = FALSE, quote = FALSE)
write_report("tables", report_lines(results))
