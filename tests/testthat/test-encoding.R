# Names, levels and ids in any encoding, and results that do not depend on where they are computed.

in_latin1 <- function(text) iconv(text, "UTF-8", "latin1")
bytes <- function(text = "caf\xe9") `Encoding<-`(text, "bytes")
invalid <- function(text = "caf\xe9") `Encoding<-`(text, "UTF-8")
words <- c("caf\u00e9", "\u00fcber", "a", "Z", "\u00e4")
answers <- function(as = identity) {
  table <- data.frame(
    a = as(words[rep(1:5, 8)]), b = as(words[c(rep(1, 18), rep(2, 22))]),
    c = as(words[c(rep(3, 16), rep(4, 24))])
  )
  stats::setNames(table, as(c("\u00e9t\u00e9", "b", "\u00f1")))
}

expect_refused <- function(code) expect_error(code, "caf<e9>", class = "mdpd_error_encoding")

# Of a fit all but the call and what it took.
result_of <- function(fit) unclass(fit)[setdiff(names(fit), c("call", "starts"))]

test_that("text in latin1 and in UTF-8 is the same text", {
  fits <- lapply(list(enc2utf8, in_latin1), function(as) mdpd(answers(as), 2))
  expect_identical(result_of(fits[[1]]), result_of(fits[[2]]))
  expect_true(all(Encoding(unlist(lapply(fits[[2]]$item_probs, rownames))) %in%
                    c("UTF-8", "unknown")))
  mixed <- answers()
  mixed[[1]][c(1, 11)] <- in_latin1(mixed[[1]][c(1, 11)])
  expect_identical(result_of(mdpd(mixed, 2)), result_of(fits[[1]]))
  expect_identical(predict(fits[[1]], answers(in_latin1)), predict(fits[[1]], answers()))
})

test_that("factors, row names, matrices and triples in latin1 are those in UTF-8", {
  as_factors <- function(as) as.data.frame(lapply(answers(as), factor), optional = TRUE)
  expect_identical(code_table(as_factors(in_latin1), NULL)$levels[[2]], sort(words[1:2]))
  rows <- function(as) `rownames<-`(as.matrix(answers(as)), as(paste0("\u00e9", 1:40)))
  fits <- lapply(list(enc2utf8, in_latin1), function(as) mdpd(rows(as), 2))
  expect_identical(fits[[1]]$posterior, fits[[2]]$posterior)
  triples <- function(as) {
    data.frame(item = as(paste0("\u00e9", rep(1:6, 2))),
               worker = as(rep(c("\u00fc", "w"), each = 6)),
               label = as(words[c(1, 2, 1, 2, 1, 2, 1, 2, 2, 1, 1, 2)]))
  }
  expect_identical(crowd_labels(triples(in_latin1)), crowd_labels(triples(enc2utf8)))
})

test_that("text of any encoding is printed, drawn and found by its name", {
  fit <- mdpd(answers(in_latin1), 2)
  expect_output(print(fit), "\u00e9t\u00e9")
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(fit)))
  expect_no_error(suppressWarnings(confint(fit, in_latin1("\u00f1"))))
  named <- name_components(fit, in_latin1(c("\u00e9lan", "b")))
  expect_identical(names(named$mixing_weights), c("\u00e9lan", "b"))
})

test_that("columns of a store, new items and classes may be named in latin1", {
  stored <- function(as) {
    x <- answers()
    x$"\u00e0" <- 1:40
    x$"\u00fc" <- 2
    row_store(x, local_folder(parent.frame()), items = as(c("\u00e9t\u00e9", "\u00f1")),
              id = as("\u00e0"), weights = as("\u00fc"))
  }
  expect_identical(stored(in_latin1)$manifest, stored(enc2utf8)$manifest)
  labels <- data.frame(1:6, rep(c("a", "b", "c"), each = 6), c("x", "y", "y"))
  names(labels) <- c("\u00e9", "\u00e0", "\u00fc")
  crowd_stored <- function(as) {
    row_store(labels, local_folder(parent.frame()), item = as("\u00e9"), worker = as("\u00e0"),
              label = as("\u00fc"))
  }
  expect_identical(crowd_stored(in_latin1)$manifest, crowd_stored(enc2utf8)$manifest)

  crowd <- crowd_labels(stats::setNames(labels, c("item", "worker", "label")))
  combined <- function(as) combine_items(crowd, stats::setNames(list(c("a", "b")), as("\u00e9")))
  expect_identical(combined(in_latin1), combined(enc2utf8))
  expect_setequal(Encoding(combined(in_latin1)$workers), c("unknown", "UTF-8"))
  expect_no_error(mdpd(combined(in_latin1), 1))

  fit <- mdpd(answers(), 2)
  aligned <- function(as) {
    align_components(fit, `colnames<-`(fit$posterior, as(c("\u00e9", "\u00fc"))))
  }
  expect_identical(aligned(in_latin1), aligned(enc2utf8))
  expect_no_error(predict(aligned(in_latin1)))
  expect_refused(align_components(fit, `colnames<-`(fit$posterior, c("a", bytes()))))
})

test_that("text that is none is refused by a name that can be shown", {
  for (bad in c(bytes(), invalid())) {
    table <- answers()
    table[[2]][3] <- bad
    expect_refused(mdpd(table, 2))
    expect_refused(predict(mdpd(answers(), 2), table))
    table[[2]] <- factor(c("a", "b"), labels = c("a", "b"))
    levels(table[[2]]) <- c(bad, "b")
    expect_refused(stagewise_em(table, 2))
    renamed <- stats::setNames(answers(), c("a", bad, "b"))
    expect_match(conditionMessage(expect_refused(mdpd(renamed, 2))), "names of the columns of `x`")
    expect_refused(mdpd(`rownames<-`(as.matrix(answers()), c(bad, 2:40)), 2))
    labelled <- answers()
    attr(labelled[[1]], "label") <- bad
    expect_refused(mdpd(labelled, 2))
  }
})

test_that("triples, groups, ids and names of arguments are checked too", {
  triples <- data.frame(item = c(1, 2, 1, 2), worker = c("v", "v", "w", "w"), label = c(1, 2, 2, 1))
  crowd <- crowd_labels(triples)
  fit <- mdpd(answers(), 2)
  for (bad in c(bytes(), invalid())) {
    expect_refused(crowd_labels(replace(triples, "worker", list(c("v", "v", bad, "w")))))
    expect_refused(crowd_labels(triples, item = bad))
    expect_refused(crowd_labels(stats::setNames(triples, c(bad, "worker", "label")), 1))
    expect_refused(combine_items(answers(), list(c("b", bad))))
    expect_refused(combine_items(answers(), stats::setNames(list(c("b", "c")), bad)))
    expect_refused(name_components(fit, c(bad, "b")))
    expect_refused(confint(fit, bad))
    expect_refused(pair_residuals(fit, items = c("b", bad)))
    expect_refused(confint(fit, bad))
    expect_refused(compare_groups(fit, rep(c(bad, "b"), 20)))
    expect_refused(error_rate(fit, rep(c(bad, "b"), 20)))
    expect_refused(standard_errors(fit, type = "robust", cluster = c(bad, 2:40)))
    expect_refused(mdpd(crowd, 2, known = stats::setNames("1", bad)))
    expect_refused(confusion(suppressWarnings(mdpd(crowd, 2)), bad))
    expect_refused(report(fit, bad))
    expect_refused(bin_spikes(data.frame(trial = bad, neuron = 1, time = 0.5), c(0, 1)))
    expect_refused(row_store(answers(), local_folder(), items = c("b", bad)))
    expect_refused(row_store(answers(), local_folder(), na_values = bad))
  }
})

test_that("names that the names of columns have are nothing", {
  triples <- data.frame(item = c(1, 2, 1, 2), worker = c("v", "v", "w", "w"), label = c(1, 2, 2, 1))
  store <- row_store(triples, local_folder(), item = "item", worker = "worker",
                     label = stats::setNames("label", bytes()))
  expect_identical(store$manifest$columns$label, "label")
  expect_error(
    row_store(triples, local_folder(), item = "item", worker = "worker", label = c(a = "item")),
    "three different columns", class = "mdpd_error_argument"
  )
})

test_that("a value that is shown in a message is shown whatever its encoding", {
  expect_error(mdpd(answers(), bytes()), "caf<e9>", class = "mdpd_error_argument")
  expect_error(mdpd(answers(), 2, missing = invalid()), "caf<e9>", class = "mdpd_error_argument")
})

# Those that are there of locales that sort otherwise, have another lower case or another encoding.
locales <- c("C", "C.UTF-8", "en_US.UTF-8", "sv_SE.UTF-8", "tr_TR.UTF-8", "cs_CZ.UTF-8",
             "en_US.ISO-8859-1")
in_locale <- function(locale, code) {
  before <- Sys.getlocale("LC_COLLATE")
  before_type <- Sys.getlocale("LC_CTYPE")
  on.exit({
    Sys.setlocale("LC_COLLATE", before)
    Sys.setlocale("LC_CTYPE", before_type)
  })
  set <- suppressWarnings(c(Sys.setlocale("LC_COLLATE", locale), Sys.setlocale("LC_CTYPE", locale)))
  if (any(set == "")) return(NULL)
  code()
}

test_that("collation and the locale's encoding change no result", {
  analyse <- function() {
    fit <- mdpd(answers(), 2)
    workers <- c("\u00e4", "Z", "a", "ch", "h", "I")
    triples <- data.frame(item = rep(c("I", "i", "B", "a", "\u00e9", "z"), 2),
                          worker = c(workers, rev(workers)),
                          label = words[c(1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 3, 3)])
    crowd <- crowd_labels(triples)
    list(result_of(fit), result_of(stagewise_em(answers(), 1:2)), crowd, majority_vote(crowd),
         agreement(crowd, n = 40)$measures, tidy(fit), simulate(fit, seed = 1, n_obs = 5))
  }
  found <- suppressWarnings(suppressMessages(lapply(locales, in_locale, analyse)))
  found <- Filter(Negate(is.null), found)
  expect_gte(length(found), 2)
  for (other in found[-1]) {
    expect_identical(other, found[[1]])
  }
})
