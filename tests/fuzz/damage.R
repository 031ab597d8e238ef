# Values that are nearly right: what a generator gave, changed in one place.

damage <- function(x) {
  if (is.null(x) || is.function(x) || is.environment(x) || is.language(x)) {
    return(strange_value())
  }
  if (is.list(x)) damage_list(x) else damage_vector(x)
}

# Any part of a list or data frame, also deep inside; classes are kept, so that methods are found.
damage_list <- function(x) {
  if (length(x) == 0) {
    return(strange_value())
  }
  at <- whole(1, length(x))
  changed <- unclass(x)
  way <- pick(c("inside", "inside", "inside", "inside", "replace", "drop", "swap", "name", "add"))
  switch(
    way,
    inside = changed[at] <- list(damage(changed[[at]])),
    replace = changed[at] <- list(strange_value()),
    drop = changed[[at]] <- NULL,
    swap = changed[c(at, whole(1, length(x)))] <- changed[c(whole(1, length(x)), at)],
    name = if (!is.null(names(changed))) names(changed)[at] <- strange_text(),
    add = changed[[length(x) + 1]] <- strange_value()
  )
  kept <- attributes(x)[setdiff(names(attributes(x)), c("names", "dim", "dimnames"))]
  attributes(changed) <- c(attributes(changed)["names"], kept)
  changed
}

damage_vector <- function(x) {
  ways <- list(change_value, change_length, change_type, change_names, change_shape, permute)
  pick(ways)[[1]](x)
}

change_value <- function(x) {
  if (length(x) == 0) {
    return(strange_value())
  }
  at <- whole(1, length(x))
  if (is.factor(x)) {
    levels(x)[pmin(at, nlevels(x))] <- one_of("b", "a", "", encoded("latin1"), encoded("bytes"))
  } else if (is.character(x)) {
    x[at] <- strange_text()
  } else if (is.raw(x)) {
    x[at] <- as.raw(pick(c(0, 5, 254, 255)))
  } else if (is.integer(x)) {
    x[at] <- pick(c(NA, 0L, -1L, .Machine$integer.max, -.Machine$integer.max, 7L))
  } else {
    x[at] <- strange_number()
  }
  x
}

change_length <- function(x) {
  one_of(x[0], x[-1], c(x, x[1]), rep(x, 2), x[seq_len(min(1, length(x)))])
}

change_type <- function(x) {
  suppressWarnings(one_of(
    as.character(x), as.list(x), factor(as.character(x)), tryCatch(as.complex(x), error = identity),
    tryCatch(as.raw(x), error = identity), is.na(x), tryCatch(as.double(x), error = identity),
    structure(x, class = "odd"), data.frame(x = as.vector(x))
  ))
}

change_names <- function(x) {
  n <- length(x)
  texts <- one_of(
    rep("a", n), rep("", n), rep(NA_character_, n), paste0("x", seq_len(n)), NULL,
    if (n > 0) c(strange_text(), paste0("n", seq_len(n)))[seq_len(n)]
  )
  if (!is.null(dim(x))) {
    return(one_of(unname(x), `dimnames<-`(x, lapply(dim(x), function(n) rep("a", n))),
                  `dimnames<-`(x, lapply(dim(x), function(n) rep(encoded("bytes"), n)))))
  }
  stats::setNames(x, texts)
}

change_shape <- function(x) {
  if (length(dim(x)) == 2 && length(x) > 0) {
    return(one_of(t(x), x[, 1], x[-1, , drop = FALSE], x[, -1, drop = FALSE], as.vector(x),
                  cbind(x, x[, 1]), rbind(x, x[1, ]), array(x, c(dim(x), 1))))
  }
  if (is.factor(x)) {
    return(one_of(droplevels(x), factor(x, rev(levels(x))), addNA(x), as.integer(x)))
  }
  one_of(as.matrix(x), t(x), array(x, length(x)), matrix(x, 1))
}

permute <- function(x) if (length(x) > 1) one_of(rev(x), sort(x), x[sample.int(length(x))]) else x
