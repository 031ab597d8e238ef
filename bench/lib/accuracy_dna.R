# The section of bench/results/accuracy.md about the columns of DNA that each method selects.

# About the splice site, which is between columns 90 and 91.
dna_site <- 55:105

# Mutual information of each column of a table with the classes (nats).
class_information <- function(x, truth) {
  vapply(x, function(column) {
    shares <- table(column, truth) / length(truth)
    expected <- outer(rowSums(shares), colSums(shares))
    sum(ifelse(shares > 0, shares * log(shares / expected), 0))
  }, 0)
}

# The selected columns, the strongest first, in one row of text. `strong` and `worth` are columns.
dna_row <- function(method, columns, strong, worth) {
  outside <- setdiff(columns, dna_site)
  first <- columns[seq_len(min(length(columns), length(strong)))]
  c(
    "method" = method, "columns" = length(columns), "55 to 105" = sum(columns %in% dna_site),
    "others" = length(outside), "others worth it" = length(intersect(outside, worth)),
    "strongest at 55 to 105" = paste(sum(first %in% dna_site), "of", length(first)),
    "the others" = paste(sort(outside), collapse = " ")
  )
}

dna_lines <- function(results) {
  chosen <- Filter(function(result) result$data == "DNA" && !is.null(result$informative), results)
  if (length(chosen) == 0) {
    return(NULL)
  }
  case <- package_case("DNA", "mlbench", "Class")$load()
  information <- unname(class_information(case$x, case$truth))
  strong <- which(information > 0.02)
  # With three classes and two levels the penalty of an item is log(n) nats.
  worth <- which(information * nrow(case$x) > log(nrow(case$x)))
  table <- do.call(rbind, lapply(chosen, function(result) {
    dna_row(result$method, match(result$informative, names(case$x)), strong, worth)
  }))
  c(
    "### Columns of DNA",
    "",
    prose(
      "Three columns code a nucleotide; the splice site is between columns 90 and 91.",
      sprintf("%d columns tell more than 0.02 nats about the class, all from %d to %d.",
              length(strong), min(strong), max(strong)),
      sprintf("Were the classes known, %d columns would be worth their BIC penalty, %d of them",
              length(worth), length(setdiff(worth, dna_site))),
      "outside 55 to 105: columns there tell the classes apart as well, if less. *others worth it*",
      "counts these; *strongest*: of the", length(strong), "selected columns that tell most about",
      "the component, or of all where they are fewer."
    ),
    "",
    table_lines(table, right = colnames(table)[2:6])
  )
}
