# Random numbers: those of a seed are the same on every machine, and the session's go on as if
# nothing had been drawn.

# Evaluates `code` with the generator set by `seed`, of one fixed kind, and puts the session's back.
with_seed <- function(seed, code) {
  if (is.null(seed)) {
    return(code)
  }
  kind <- RNGkind()
  state <- globalenv()[[".Random.seed"]]
  on.exit(restore_generator(kind, state))
  set.seed(
    seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection"
  )
  code
}

restore_generator <- function(kind, state) {
  # The old kind may be "Rounding", of which R warns each time it is set.
  suppressWarnings(RNGkind(kind[1], kind[2], kind[3]))
  if (is.null(state)) {
    rm(".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", state, envir = globalenv())
  }
}

generator_state <- function(seed) {
  if (!is.null(seed)) {
    return(structure(seed, kind = as.list(RNGkind())))
  }
  if (is.null(globalenv()[[".Random.seed"]])) {
    stats::runif(1)  # makes a state where there was none
  }
  globalenv()[[".Random.seed"]]
}
