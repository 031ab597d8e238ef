# One call: all of it, from the arguments to the verdict, follows from its seed.

# The arguments, whether any is damaged and whether it is an object made before. The object of a
# method or of another package's generic keeps its class, or another method would be called.
draw_call <- function(name, seed) {
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  args <- Filter(function(x) !identical(x, absent), targets[[name]]())
  # That of a method or of another package's generic is what finds the function.
  needs_first <- is_method(name) || name %in% generics_of_others
  n_damaged <- pick(c(0, 1, 1, 2))
  before <- args
  for (at in pick(seq_along(args), n_damaged)) {
    args[at] <- list(damage_argument(args[[at]], needs_first && at == 1))
  }
  for (size in intersect(c("k", "n"), names(args))) {
    args[size] <- list(bound_size(args[[size]], c(k = 20, n = 100)[[size]]))
  }
  changed <- !mapply(identical, args, before)
  object_damaged <- any(vapply(c(before[changed], args[changed]), is_made, NA))
  if (n_damaged > 0 && with_chance(0.05) && !needs_first) args <- args[-pick(seq_along(args))]
  list(name = name, args = args, damaged = n_damaged > 0, object_damaged = object_damaged)
}

# A path of 300 fits takes its time, a fit of 255 components, and fits of 255 samples.
bound_size <- function(x, most) {
  if (!is.numeric(x) || is.object(x)) {
    return(x)
  }
  x[which(x > most & x < 1000)] <- most
  if (length(x) > 20) x[1:20] else x
}

damage_argument <- function(x, keep_class) {
  if (keep_class || with_chance(0.5)) damage_safely(x, keep_class) else strange_value()
}

# Is it, or does it hold, an object made before?
is_made <- function(x) {
  inherits(x, names(objects)) || is.list(x) && any(vapply(unclass(x), inherits, NA, names(objects)))
}

generics_of_others <- c("augment", "autoplot", "glance", "tidy")

# Some values cannot be changed as was drawn, such as a raw of NA.
damage_safely <- function(x, keep_class) {
  changed <- tryCatch(suppressWarnings(damage(x)), error = function(e) strange_value())
  if (keep_class && !identical(class(changed), class(x))) x else changed
}

is_method <- function(name) name %in% names(generic_of)

# The call as a user writes it, so that what a fit keeps of its call is short.
run_call <- function(call) {
  args <- call$args
  arguments <- stats::setNames(lapply(sprintf("arg%d", seq_along(args)), as.name), names(args))
  values <- stats::setNames(args, sprintf("arg%d", seq_along(args)))
  environment <- list2env(values, parent = session)
  called <- if (is_method(call$name)) generic_of[[call$name]] else call$name
  expression <- as.call(c(as.name(called), arguments))
  conditions <- list()
  keep <- function(restart) {
    function(cnd) {
      conditions[[length(conditions) + 1]] <<- cnd
      tryInvokeRestart(restart)
    }
  }
  # Paths that are nearly right are in the working directory.
  dir.create(work_folder, showWarnings = FALSE)
  old <- setwd(work_folder)
  on.exit(setwd(old))
  set.seed(1)
  setTimeLimit(elapsed = 30, transient = TRUE)
  on.exit(setTimeLimit(), add = TRUE)
  result <- tryCatch(
    withCallingHandlers(eval(expression, environment), warning = keep("muffleWarning"),
                        message = keep("muffleMessage")),
    error = identity
  )
  list(result = result, conditions = conditions)
}

# Over half of the time of a call goes to the layout of its message: nine in ten have a bare one.
# Which call it is, not chance, says so, so that a call drawn again is the same.
signal_as_ours <- get("abort_mdpd", asNamespace("mdpd"))
layout <- new.env()
layout$is_due <- TRUE
utils::assignInNamespace("abort_mdpd", function(message, class = NULL, call = .envir, ...,
                                                .envir = parent.frame()) {
  if (layout$is_due) signal_as_ours(message, class, call, ..., .envir = .envir)
  bare <- structure(class = c(mdpd:::condition_classes("error", class), "error", "condition"),
                    list(message = "not laid out", call = NULL, body = message[-1], ...))
  stop(bare)
}, "mdpd")

# R asks for the text of an error when it is signalled, then we do, and cli lays it out each time:
# it is kept with the error, of which there is one at a time.
last_error <- new.env()
conditionMessage.mdpd_error <- function(c) {
  address <- rlang::obj_address(c)
  if (!identical(last_error$address, address)) {
    last_error$text <- NextMethod()
    last_error$address <- address
    last_error$error <- c  # so that no other error takes its place in memory
  }
  last_error$text
}

# Sentences on what does not hold; none where all does.
judge_call <- function(call) {
  outcome <- run_call(call)
  found <- unlist(lapply(outcome$conditions, judge_condition, call$object_damaged))
  if (inherits(outcome$result, "error")) {
    return(c(found, judge_condition(outcome$result, call$object_damaged)))
  }
  found <- c(found, judge_drawing(outcome$result))
  if (call$damaged) {
    return(found)
  }
  c(found, judge_result(outcome$result, call$args), judge_again(call, outcome))
}

# Of some pictures whether they can be drawn.
judge_drawing <- function(plot) {
  if (!inherits(plot, "gg") || with_chance(0.7)) {
    return(NULL)
  }
  drawn <- tryCatch(ggplot2::ggplot_build(plot), error = identity)
  if (inherits(drawn, "error")) paste("picture cannot be drawn:", conditionMessage(drawn))
}

# Of some calls whether they give the same twice, on another number of threads and with the rows in
# another order.
judge_again <- function(call, outcome) {
  is_fit <- inherits(outcome$result, "mdpd") && call$name %in% fitters
  has_rows <- !inherits(call$args$x, "row_store")
  way <- pick(c("twice", if (is_fit) c("threads", if (has_rows) "rows"), "not", "not", "not"))
  if (way == "not" || call$name %in% writers) {
    return(NULL)
  }
  first <- outcome$result
  second <- run_call(change_call(call, way))$result
  if (way == "rows" && inherits(second, "mdpd") && !is_crowd(call)) {
    n <- NROW(second$posterior)
    second$posterior <- second$posterior[rev(seq_len(n)), , drop = FALSE]
    rownames(second$posterior) <- rownames(first$posterior)
  }
  what <- c(twice = "twice", threads = "on other threads", rows = "with rows in another order")
  judge_same(first, second, what[[way]])
}

fitters <- c("stagewise_em", "stagewise_em.default", "stagewise_em.row_store", "mdpd",
             "mdpd.default")
# After them the folder is another.
writers <- c("row_store", "add_rows", "add_known")
is_crowd <- function(call) inherits(call$args$x, "crowd_labels")

change_call <- function(call, way) {
  if (way == "threads") {
    control <- unclass(call$args$control %||% stagewise_control())
    control$threads <- if (identical(control$threads, 2)) 1 else 2
    call$args$control <- do.call(stagewise_control, control)
  } else if (way == "rows" && is_crowd(call)) {
    parts <- c("item", "worker", "label")
    call$args$x[parts] <- lapply(unclass(call$args$x)[parts], rev)
  } else if (way == "rows") {
    n <- nrow(call$args$x)
    turn <- function(x) {
      if (NROW(x) != n || inherits(x, "mdpd")) x else if (is.null(dim(x))) rev(x) else
        x[rev(seq_len(n)), , drop = FALSE]
    }
    for (part in intersect(c("x", "weights", "start"), names(call$args))) {
      call$args[part] <- list(turn(call$args[[part]]))
    }
  }
  call
}
