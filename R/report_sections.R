# The sections of a report. Each takes a fit and returns a section of the page, see
# report_section().

# Title, what was analysed in one sentence, the main numbers, and where the sections are.
report_head <- function(object, title, sections, data) {
  links <- lapply(sections, function(section) {
    link <- htmltools::a(attr(section, "heading"), href = paste0("#", attr(section, "id")))
    htmltools::tags$li(link)
  })
  figures <- report_figures(object)
  htmltools::tags$header(
    htmltools::h1(title),
    paragraph("Written by the R package mdpd ", mdpd_version(), " on ",
              format(Sys.Date(), "%d %B %Y"), ". ",
              if (data) "The file contains the rows of the data."
              else "The file contains no rows of the data.", class = "lead"),
    htmltools::tags$dl(class = "figures", unname(Map(function(name, value) {
      htmltools::div(htmltools::tags$dt(name), htmltools::tags$dd(value))
    }, names(figures), figures))),
    htmltools::tags$nav(`aria-label` = "Sections", htmltools::tags$ul(unname(links)))
  )
}

report_figures <- function(object) {
  noun <- item_noun(object)
  figures <- list(
    Classes = object$k,
    items = paste(n_informative(object), "of", comma(length(object$item_probs))),
    Rows = comma(object$n_obs),
    "Expected error" = if (object$k > 1) percent(expected_error(object), 1)
  )
  names(figures)[2] <- paste0("Informative ", noun, "s")
  if (!is.null(object$labels)) names(figures)[3] <- "Items labelled"
  Filter(Negate(is.null), figures)
}

# A crowd's items are its workers.
item_noun <- function(object) if (is.null(object$labels)) "item" else "worker"

section_classes <- function(object) {
  components <- component_table(object)
  shares <- components$mixing_weight
  colours <- component_colours(components$component)
  report_section(
    "classes", "Classes",
    paragraph(class_sentence(object), if (object$k > 1) {
      paste0(" The table names the answers that set it apart most from all rows, with their ",
             "probability in the class.")
    }),
    report_table(
      list(
        Class = lapply(seq_along(shares), function(k) {
          class_cell(components$component[k], colours[k])
        }),
        "Share" = lapply(seq_along(shares), function(k) share_bar(shares[k], colours[k])),
        "Rows assigned" = number_column(components$size, function(x) comma(round(x))),
        "Mean probability" = number_column(components$mean_posterior, format_share),
        "What sets it apart" = if (object$k > 1) vapply(seq_along(shares), function(k) {
          paste(answers_apart(object, k, width = 40, level_width = 60), collapse = "; ")
        }, "")
      ),
      "Classes by size; the mean probability is that of the class among the rows assigned to it."
    )
  )
}

# A short name stays beside its colour.
class_cell <- function(name, colour) {
  cell <- htmltools::tagList(chip(colour), name)
  if (nchar(name) <= 24) htmltools::span(style = "white-space:nowrap", cell) else cell
}

class_sentence <- function(object) {
  if (object$k == 1) {
    "All rows are in one class."
  } else if (named_by_labels(object)) {
    "Each class is a true label, as estimated from what the workers say."
  } else {
    "Each class is a group of rows that answer alike."
  }
}

chip <- function(colour) {
  htmltools::span(class = "chip", style = paste0("background:", colour), `aria-hidden` = "true")
}

share_bar <- function(share, colour) {
  width <- paste0("width:", round(100 * share, 1), "%;background:", colour)
  htmltools::span(
    style = "white-space:nowrap",
    htmltools::span(class = "bar", `aria-hidden` = "true", htmltools::span(style = width)),
    percent(share, 1)
  )
}

section_profiles <- function(object) {
  most <- 60
  items <- informative_order(object)
  if (length(items) == 0) {
    return(report_section("profiles", "Profiles", paragraph(no_profiles(object))))
  }
  report_section(
    "profiles", "Profiles", profile_picture(object),
    profile_table(object, utils::head(items, most)),
    if (length(items) > most) {
      paragraph("The table has ", most, " of ", plural(length(items), "informative item"),
                ", those that tell most.", class = "note")
    }
  )
}

no_profiles <- function(object) {
  if (object$k > 1) {
    return("No item tells the classes apart by more than chance explains.")
  }
  paste0("With one class there is nothing to tell apart. That rows differ by chance alone is what ",
         "such a model says, not what the data say",
         if (may_be_tested(object)) ": whether it holds is tested below", ".")
}

profile_table <- function(object, items) {
  probs <- do.call(rbind, unname(object$item_probs[items]))
  levels <- lapply(object$item_probs[items], rownames)
  classes <- lapply(seq_len(object$k), function(k) {
    number_column(unname(probs[, k]), function(x) percent(x, 1), shade = unname(probs[, k]))
  })
  names(classes) <- names(object$mixing_weights)
  report_table(
    c(list(Item = rep(items, lengths(levels)),
           Answer = sorted_column(unlist(levels, use.names = FALSE), sequence(lengths(levels)))),
      classes),
    "Probability of each answer in each class."
  )
}

section_items <- function(object) {
  most <- 200
  items <- names(sort(-object$item_information))
  first <- informative_order(object)
  items <- c(first, setdiff(items, first))
  shown <- utils::head(items, most)
  report_section(
    "items", "Items",
    paragraph(
      plural(length(first), "item"), " of ", comma(length(items)),
      if (length(first) == 1) " tells" else " tell", " the classes apart. ",
      "The information is what the answer tells about the class (nats). ",
      if (!is.null(object$item_evidence)) {
        paste0("The evidence says how sure it is that the item differs between the classes: above ",
               weak_evidence, " nats is strong.")
      }
    ),
    report_table(
      list(
        Item = shown, Informative = ifelse(shown %in% first, "yes", "no"),
        Evidence = if (!is.null(object$item_evidence)) {
          number_column(unname(object$item_evidence[shown]), nats)
        },
        "Probability that it differs" = if (!is.null(object$inclusion)) {
          number_column(unname(object$inclusion[shown]), function(x) percent(x, 1))
        },
        Information = number_column(unname(object$item_information[shown]), nats_about_class)
      ),
      "Items, those that tell most first."
    ),
    if (length(items) > most) {
      paragraph("The table has the first ", most, " of ", comma(length(items)), " items.",
                class = "note")
    }
  )
}

section_workers <- function(object) {
  most <- 500
  # Without labels for classes accuracy and bias are not known, which the table shows by a dash.
  quality <- suppressMessages(worker_quality(object), "mdpd_message_unnamed_components")
  has_accuracy <- any(!is.na(quality$accuracy))
  shown <- utils::head(quality, most)
  report_section(
    "workers", "Workers and labels",
    paragraph("The labels of ", plural(nrow(quality), "worker"), " for ",
              plural(object$n_obs, "item"), ": ", sum(quality$informative),
              " tell about the true label, ", sum(quality$spammer %in% TRUE),
              " answer without looking (spammers)."),
    label_table(object),
    if (has_accuracy) worker_picture(object),
    worker_table(shown),
    if (nrow(quality) > most) {
      paragraph("The table has ", most, " of ", plural(nrow(quality), "worker"), ".",
                class = "note")
    },
    htmltools::h3("What workers say to each class"),
    confusion_tables(object)
  )
}

# How often each label was given, and how many items have it by the model.
label_table <- function(object) {
  given <- labels_given(object)
  counts <- lapply(colnames(object$coded$codes), function(worker) given(worker)$label)
  counts <- tabulate(unlist(counts), length(object$labels))
  names <- if (named_by_labels(object)) label_names(object)
  items <- if (!is.null(names)) tabulate(match(predict.mdpd(object), names), length(names))
  report_table(
    list(
      Label = object$labels, "Times given" = number_column(counts, comma),
      "Share of the labels" = number_column(counts / sum(counts), function(x) percent(x, 1)),
      "Items with this label" = if (!is.null(items)) number_column(items, comma)
    ),
    "Labels: how often workers gave each, and how many items have it by the model."
  )
}

worker_table <- function(quality) {
  share <- function(x) percent(x)
  report_table(
    list(
      Worker = quality$worker, Labels = number_column(quality$n_labels, comma),
      Kind = worker_kind(quality), Accuracy = number_column(quality$accuracy, share),
      from = number_column(quality$accuracy_lower, share),
      to = number_column(quality$accuracy_upper, share),
      Evidence = number_column(quality$evidence, nats),
      Score = number_column(quality$score, format_share),
      Bias = number_column(quality$bias, format_share)
    ),
    paste0("Workers, the best first: how often each is right with a 95 % interval, evidence that ",
           "the labels depend on the truth (nats), spammer score (0 to 1) and how far the labels ",
           "lean.")
  )
}

# A small table for each of the informative workers, the strongest first.
confusion_tables <- function(object, most = 12) {
  workers <- confusion_workers(object, NULL, most)
  counts <- label_counts(object, workers)
  tables <- Map(function(worker, counts) {
    shares <- row_shares(counts)
    columns <- lapply(seq_len(ncol(shares)), function(r) {
      number_column(unname(shares[, r]), function(x) percent(x), shade = unname(shares[, r]))
    })
    names(columns) <- colnames(shares)
    report_table(c(list("Class" = rownames(shares)), columns),
                 paste0("Worker ", worker, ", ", comma(round(sum(counts))), " labels"),
                 class = "plain")
  }, workers, counts)
  htmltools::tagList(
    paragraph("Rows are the true labels, as estimated, columns the labels given; rows sum to ",
              "100 %.",
              if (n_informative(object) > most) {
                paste0(" Shown are ", most, " of ", n_informative(object),
                       " informative workers, the strongest first.")
              }),
    htmltools::div(class = "tiles", unname(tables))
  )
}

section_certainty <- function(object) {
  has_rows <- !is.null(object$posterior)  # fits of a store keep their sums alone
  overlap <- component_overlap(object)
  columns <- lapply(seq_len(object$k), function(k) {
    number_column(unname(overlap[, k]), format_share, shade = unname(overlap[, k]))
  })
  names(columns) <- colnames(overlap)
  report_section(
    "certainty", "Certainty",
    paragraph("If the model holds, ", percent(expected_error(object), 1),
              " of the rows are expected to be in the wrong class",
              if (has_rows) paste0("; ", percent(share_sure(object, 0.95)),
                                   " of all rows have a class that is at least 95 % probable"),
              ". Where items depend on each other within a class, the model is too sure."),
    if (has_rows) certainty_picture(object),
    report_table(
      c(list("Assigned to" = rownames(overlap)), columns),
      paste0("Mean probability of each class (columns) among the rows assigned to a class",
             if (holds_rows_out(object)) ", each row judged by the others", "; rows sum to 1.")
    )
  )
}

section_fit <- function(object) {
  fields <- report_statistics(object)
  report_section(
    "fit", "Fit",
    if (!is.null(object$path)) {
      htmltools::tagList(paragraph(path_sentence(object)), path_picture(object), path_table(object))
    },
    report_table(list(Statistic = names(fields), Value = unname(fields)), "This fit in numbers.",
                 class = "plain")
  )
}

report_statistics <- function(object) {
  c(
    "Log-likelihood (nats)" = nats(object$loglik),
    "Evidence, the log marginal likelihood (nats)" = if (!is.null(object$evidence)) {
      nats(object$evidence)
    },
    "Penalised log-likelihood (nats)" = if (is.null(object$evidence)) nats(object$penalised_loglik),
    "Free parameters" = comma(object$df),
    BIC = nats(stats::BIC(object)), AIC = nats(stats::AIC(object)),
    "Rows" = comma(object$n_obs),
    "Sum of the case weights" = if (weighs_other(n_counted(object), object$nobs)) {
      comma(round(object$nobs, 1))
    },
    "Missing cells" = paste0(comma(object$n_missing), " (", percent(missing_share(object), 1), ")"),
    "How the search ended" = gsub("_", " ", object$status)
  )
}

path_sentence <- function(object) {
  paste0("Numbers of classes were compared by the ", main_name(object$path), ": ",
         path_choice(object), ".")
}

path_table <- function(object) {
  path <- object$path
  report_table(
    list(
      k = number_column(path$k),
      "Behind the best" = number_column(behind_best(path)$main, nats),
      Probability = if (!is.null(path$probability)) {
        number_column(path$probability, function(x) percent(x, 1))
      },
      "Log-likelihood" = number_column(path$loglik, nats),
      BIC = number_column(path$BIC, nats), AIC = number_column(path$AIC, nats),
      ICL = number_column(path$ICL, nats), Entropy = number_column(path$entropy, format_share),
      Informative = number_column(path$n_informative, comma),
      Status = gsub("_", " ", path$status)
    ),
    paste0("Numbers of classes: how far each is behind the best by the ", main_name(path),
           " (nats), information criteria, and the entropy (1: all rows are certain).")
  )
}

# Of a table whose rows are there. In a crowd hardly two workers label the same items.
may_be_tested <- function(object) {
  is.null(object$labels) && !is.null(object$coded) && !identical(object$refine, "none") &&
    sum(lengths(object$coded$levels) > 1) > 1
}

section_tests <- function(object, samples) {
  tested <- with_notes(list(
    whole = goodness_of_fit(object, n = samples, verbose = FALSE),
    pairs = pair_residuals(object, n = samples, verbose = FALSE)
  ))
  whole <- tested$value$whole
  notes <- c(fit_notes(whole, "report(fit, file, samples = 200)"), tested$notes)
  report_section(
    "tests", "Does the model hold?",
    paragraph("How often each pattern of answers was given, against how often the model expects ",
              "it. A small p-value says that the model is not the whole truth; with many rows ",
              "it hardly ever is."),
    statistics_table(whole), pairs_part(tested$value$pairs),
    htmltools::tags$ul(unname(lapply(notes, htmltools::tags$li)))
  )
}

# What a computation gives, and what its messages and warnings say, without advice on arguments.
with_notes <- function(code) {
  # A note is one line, whatever the width of the console: what comes after is the advice.
  rlang::local_options(cli.width = 1e5)
  notes <- character()
  keep_note <- function(cnd) {
    notes <<- unique(c(notes, sub("\n.*", "", cli::ansi_strip(conditionMessage(cnd)))))
    rlang::cnd_muffle(cnd)
  }
  value <- withCallingHandlers(code, message = keep_note, warning = keep_note)
  list(value = value, notes = notes)
}

statistics_table <- function(tests) {
  table <- tests$statistics
  text <- format_statistics(tests)
  report_table(
    list(
      Statistic = rownames(text),
      Value = number_column(table$value, function(x) text[, "value"]),
      "Degrees of freedom" = number_column(rep(tests$df, nrow(table)), function(x) {
        rep(big_number(tests$df), nrow(table))
      }),
      "p (chi-square)" = number_column(table$p_value, format_p),
      "p (samples)" = if (tests$n > 0) number_column(table$p_bootstrap, format_p)
    ),
    paste0("Goodness of fit: ", comma(tests$n_patterns), " different patterns of answers; cells ",
           "of the table: ", cell_words(tests), "."),
    class = "plain"
  )
}

pairs_part <- function(pairs, most = 10) {
  pairs <- pairs[!sparse_pairs(pairs), ]
  if (nrow(pairs) == 0) {
    return(NULL)
  }
  shown <- show_pair_labels(utils::head(pairs, most))
  n_sure <- sum(pairs$p_adjusted < 0.05)
  htmltools::tagList(
    paragraph("Within a class items should not depend on each other. Of ",
              plural(nrow(pairs), "pair"), " of items ", if (n_sure == 0) "none" else comma(n_sure),
              if (n_sure == 1) " is" else " are", " more dependent than chance explains."),
    pairs_picture(pairs),
    report_table(
      list(
        Item = shown$item_1, "and item" = shown$item_2,
        Effect = number_column(shown$effect, format_share),
        "p-value" = number_column(shown$p_value, format_p),
        "Corrected p-value" = number_column(shown$p_adjusted, format_p)
      ),
      paste0("Pairs of items, the most conspicuous first",
             if (nrow(pairs) > most) paste0(" (", most, " of ", comma(nrow(pairs)), ")"),
             ": the effect is 0 where the classes explain all; the corrected p-value counts how ",
             "many pairs were looked at.")
    )
  )
}

section_rows <- function(object) {
  # That some rows have no class stands in the table, and was said before it.
  rows <- suppressMessages(augment(object), "mdpd_message_no_answer")
  answers <- lapply(rows[setdiff(names(rows), c(".rownames", ".class", ".probability",
                                                ".uncertainty"))], function(column) {
    ifelse(is.na(column), "", as.character(column))
  })
  report_section(
    "rows", "Rows",
    report_table(
      c(
        list(Row = rows[[".rownames"]] %||% as.character(seq_len(nrow(rows))),
             Class = as.character(rows$.class),
             Probability = number_column(rows$.probability, format_share)),
        answers
      ),
      "The rows of the data with their class and its probability; empty cells are missing."
    )
  )
}

section_method <- function(object) {
  report_section(
    "method", "Method", paragraph(method_text(object)),
    htmltools::tags$ul(unname(lapply(method_sources(object), htmltools::tags$li)))
  )
}

section_code <- function(object) {
  session <- utils::capture.output(print(utils::sessionInfo(), locale = FALSE))
  report_section(
    "code", "Code and versions",
    paragraph("This R code makes the fit again from the same data."),
    as_written(repeat_code(object)),
    fingerprint_table(object),
    htmltools::tags$details(
      htmltools::tags$summary("Session: versions of R and of packages"), as_written(session)
    )
  )
}

fingerprint_table <- function(object) {
  prints <- unclass(fingerprint_of(object))
  report_table(
    list(Part = c("All of the fit", "Data", "Settings", "Result"),
         Fingerprint = ifelse(is.na(prints), "not known", unname(prints))),
    paste("Fingerprints, by fingerprint() in R: the same fit has the same ones on every machine,",
          "and where two fits differ they say in what."),
    class = "plain"
  )
}
