# The shares of the classes given covariates, a multinomial logit model, and its coefficients where
# the classes are known up to a density or up to weights.
#
# A `problem` is a list of
#   q            the design, rows x terms, in columns that are orthonormal by weight over the rows
#   back         terms x terms: the coefficients of the covariates are back %*% those of q
#   offset       rows x classes, what is added to the logits, less what q could add as well
#   shift        terms x (k - 1): that, as coefficients of q, which those of the covariates lack
#   weights      case weights of the rows
#   k, reference the number of classes, and of the one with logit 0
#   log_density  rows x classes: the log-density of what is known of a row given its class;
#   shares       or rows x classes: weights of the classes, which sum to 1 and may be negative

new_share_problem <- function(design, k, reference, evidence) {
  scaled <- scaled_qr(design$x, design$weights)
  root <- qr.R(scaled$qr) / sqrt(sum(design$weights))
  back <- solve(root) / scaled$size
  q <- unname(design$x %*% back)
  # Coefficients are sought around zero, as they are of logits of some size.
  shift <- crossprod(q * design$weights, design$offset) / sum(design$weights)
  c(
    list(q = q, back = unname(back), offset = design$offset - q %*% shift,
         shift = shift[, -reference, drop = FALSE], weights = design$weights, k = k,
         reference = reference),
    evidence
  )
}

coefficients_of <- function(problem, gamma) problem$back %*% (gamma - problem$shift)

log_shares <- function(x, offset, coefficients, reference) {
  logits <- offset
  logits[, -reference] <- logits[, -reference] + x %*% coefficients
  logits - log_row_sums(logits)
}

# log(rowSums(exp(x))) without overflow.
log_row_sums <- function(x) {
  largest <- x[row_maxima(x)]
  largest + log(rowSums(exp(x - largest)))
}

# Shares by covariates, what is known of the classes of the rows with them (`target`, the posterior
# where there is a density), and the log-likelihood.
evaluate_shares <- function(problem, gamma) {
  log_share <- log_shares(problem$q, problem$offset, gamma, problem$reference)
  if (!is.null(problem$shares)) {
    value <- sum(problem$weights * problem$shares * log_share)
    return(list(share = exp(log_share), target = problem$shares, value = value))
  }
  joint <- log_share + problem$log_density
  row_loglik <- log_row_sums(joint)
  list(share = exp(log_share), target = exp(joint - row_loglik),
       value = sum(problem$weights * row_loglik))
}

share_gradient <- function(problem, at) {
  crossprod(problem$q, problem$weights * (at$target - at$share)[, -problem$reference, drop = FALSE])
}

# Minus the second derivatives, class by class: of the shares those of a multinomial logit model,
# of which a density takes off what it does not tell of the class.
share_information <- function(problem, at) {
  information <- class_blocks(problem, at$share)
  if (is.null(problem$shares)) information - class_blocks(problem, at$target) else information
}

# sum_n c_n p_nl (1[l = m] - p_nm) q_n q_n'
class_blocks <- function(problem, p) {
  free <- setdiff(seq_len(problem$k), problem$reference)
  n_terms <- ncol(problem$q)
  blocks <- matrix(0, n_terms * length(free), n_terms * length(free))
  for (i in seq_along(free)) {
    for (j in seq_len(i)) {
      spread <- p[, free[i]] * ((i == j) - p[, free[j]])
      block <- crossprod(problem$q, problem$weights * spread * problem$q)
      at <- list((i - 1) * n_terms + seq_len(n_terms), (j - 1) * n_terms + seq_len(n_terms))
      blocks[at[[1]], at[[2]]] <- block
      blocks[at[[2]], at[[1]]] <- block
    }
  }
  blocks
}

# The score of each row, rows x (terms of the first class, of the second, ...).
share_scores <- function(problem, at) {
  products_by_class(problem, (at$target - at$share))
}

products_by_class <- function(problem, values) {
  free <- setdiff(seq_len(problem$k), problem$reference)
  do.call(cbind, lapply(free, function(class) values[, class] * problem$q))
}

# Of equal shares by covariates: the classes' sizes.
null_shares <- function(problem, sizes) {
  logits <- log(pmax(sizes, 1e-10))
  logits <- (logits - logits[problem$reference])[-problem$reference]
  outer(colSums(problem$q * problem$weights) / sum(problem$weights), logits)
}

# A coefficient of q beyond this has no finite estimate: it moves the logits by as much from one
# typical row to another.
largest_gamma <- 30

# Newton's steps in a trust region, of the mean log-likelihood.
solve_shares <- function(problem, start, max_iter) {
  total <- sum(problem$weights)
  last <- NULL
  at <- function(gamma) {
    if (is.null(last) || !identical(last$gamma, gamma)) {
      gamma_matrix <- matrix(gamma, ncol(problem$q))
      last <<- c(list(gamma = gamma), evaluate_shares(problem, gamma_matrix))
    }
    last
  }
  found <- stats::nlminb(
    as.vector(start), lower = -largest_gamma, upper = largest_gamma,
    objective = function(gamma) -at(gamma)$value / total,
    gradient = function(gamma) -as.vector(share_gradient(problem, at(gamma))) / total,
    hessian = function(gamma) share_information(problem, at(gamma)) / total,
    control = list(
      iter.max = max_iter, eval.max = min(2 * max_iter, .Machine$integer.max),
      rel.tol = 1e-13, x.tol = 1e-9
    )
  )
  end <- at(found$par)
  inside <- abs(found$par) < largest_gamma
  gradient <- max(0, abs(share_gradient(problem, end))[inside]) / total
  list(
    gamma = matrix(found$par, ncol(problem$q)), at = end, iterations = found$iterations,
    # Rounding leaves some 1e-9; a step from here moves no coefficient by what can be seen.
    converged = gradient < 1e-6
  )
}
