# Parameters to start EM from, by the moments of three groups of items: a consistent estimate, found
# without a search. Zhang, Chen, Zhou and Jordan (2016), JMLR 17 (102), 1-44, algorithm 1.
#
# Given the component, what the three groups show of a row, the views x_1, x_2 and x_3, is
# independent. A missing answer enters its view as the item's observed frequencies: where answers
# are missing at random the views stay independent, and no row is lost. Known classes are not used.

# `averaged`: an answer means the same for all items, as for the workers of a crowd, and a view is
# the mean of its group's answers, one-hot; else it is all of them, side by side. `groups`: 1, 2 or
# 3 for each item, each used; by default a random partition by `seed`.
# The value has `mixing_weights`, `item_probs` and `status`, "found"; with averaged views of k
# levels component r is the one that favours level r. Or `status` alone: "too_few_items", fewer than
# three; "rank_too_low", a group tells fewer than k components apart.
spectral_start <- function(coded, k, seed, averaged, groups = NULL) {
  items <- names(coded$levels)
  if (length(items) < 3) {
    return(list(status = "too_few_items"))
  }
  weights <- coded$weights / sum(coded$weights)
  with_seed(seed, {
    groups <- split(items, groups %||% sample(rep_len(1:3, length(items))))
    views <- lapply(groups, view_of, coded = coded, weights = weights, averaged = averaged)
    by_label <- averaged && ncol(views[[1]]) == k
    model <- if (all(vapply(views, ncol, 0L) >= k)) {
      views <- if (by_label) views else narrow_views(views, weights, k)
      decompose_views(views, weights, by_label)
    }
  })
  if (is.null(model)) {
    return(list(status = "rank_too_low"))
  }
  probs <- lapply(1:3, function(g) {
    # E[e x'] = C W A': an answer one-hot, its item's probabilities, the means of the other views.
    solver <- qr(do.call(rbind, model$means[-g]) %*% diag(model$mixing_weights, k), tol = 1e-12)
    cross <- means_by_level(groups[[g]], coded, weights, do.call(cbind, views[-g]))
    lapply(cross, function(means) as_distributions(t(qr.coef(solver, t(means)))))
  })
  list(mixing_weights = model$mixing_weights, item_probs = unlist(probs, recursive = FALSE)[items],
       status = "found")
}

# For each item E[e x'] over the rows that answer it, e the answer one-hot: n_levels x ncol(x).
means_by_level <- function(items, coded, weights, x) {
  answers <- answers_by_item(coded$codes, items)
  lapply(rlang::set_names(items), function(item) {
    seen <- answers(item)
    sums <- rowsum(weights[seen$row] * x[seen$row, , drop = FALSE], seen$code, reorder = FALSE)
    # Zero for an item that nobody answered: it says the same about every row, nothing.
    means <- matrix(0, length(coded$levels[[item]]), ncol(x))
    means[as.integer(rownames(sums)), ] <- sums / max(sum(weights[seen$row]), 1e-300)
    means
  })
}

# Columns lifted to at least 1e-6, the source's Delta, and scaled to sum to 1.
as_distributions <- function(estimate) {
  estimate[is.na(estimate) | estimate < 1e-6] <- 1e-6
  estimate / rep(colSums(estimate), each = nrow(estimate))
}

# What a group of items shows of each row.
view_of <- function(items, coded, weights, averaged) {
  frequencies <- means_by_level(items, coded, weights, matrix(1, length(weights)))
  answers <- answers_by_item(coded$codes, items)
  n_levels <- lengths(frequencies)
  before <- if (averaged) 0 * n_levels else cumsum(n_levels) - n_levels
  nothing <- if (averaged) Reduce(`+`, frequencies) else unlist(frequencies)
  view <- matrix(nothing, length(weights), length(nothing), byrow = TRUE)
  for (item in items) {
    seen <- answers(item)
    levels <- seq_len(n_levels[[item]])
    gain <- diag(nrow = length(levels)) - rep(frequencies[[item]], each = length(levels))
    at <- before[[item]] + levels
    if (anyDuplicated(seen$row)) {
      # A row shows the mean of its answers.
      sums <- rowsum(cbind(1, gain[seen$code, ]), seen$row, reorder = FALSE)
      rows <- as.integer(rownames(sums))
      view[rows, at] <- view[rows, at] + sums[, -1] / sums[, 1]
    } else {
      view[seen$row, at] <- view[seen$row, at] + gain[seen$code, ]
    }
  }
  if (averaged) view / length(items) else view
}

# Each view in the k directions that it shares most with the others.
narrow_views <- function(views, weights, k) {
  lapply(1:3, function(g) {
    shared <- crossprod(views[[g]], weights * do.call(cbind, views[-g]))
    views[[g]] %*% eigen(tcrossprod(shared), symmetric = TRUE)$vectors[, seq_len(k), drop = FALSE]
  })
}

# What the moments of three views of k columns determine: `mixing_weights`, and `means`, E[x_g |
# component h] in column h of the g-th. NULL if a moment has a lower rank.
decompose_views <- function(views, weights, by_label) {
  models <- lapply(1:3, decompose_view, views = views, weights = weights)
  if (any(vapply(models, is.null, NA))) {
    return(NULL)
  }
  # Each has an order of its own; scores of different components are uncorrelated, up to noise.
  scores <- Map(function(view, model) view %*% model$scoring, views, models)
  models <- Map(function(model, score) {
    order <- best_match(if (by_label) model$means else crossprod(scores[[1]], weights * score))
    lapply(model, function(x) x[, order, drop = FALSE])
  }, models, scores)
  list(mixing_weights = colMeans(do.call(rbind, lapply(models, `[[`, "mixing_weights"))),
       means = lapply(models, `[[`, "means"))
}

# The model of view g; `scoring` maps it to k scores, of mean zero in all components but their own.
decompose_view <- function(views, weights, g) {
  a <- g %% 3 + 1
  b <- a %% 3 + 1
  pair <- function(i, j) crossprod(views[[i]], weights * views[[j]])
  # Moments are good to some 1e-16 times their size: the rest of a lower rank is rounding.
  if (rcond(pair(a, b)) < 1e-10) {
    return(NULL)
  }
  # x_a and x_b mapped so that, given the component, they have the mean of x_g.
  views[c(a, b)] <- list(views[[a]] %*% solve(pair(b, a), pair(b, g)),
                         views[[b]] %*% solve(pair(a, b), pair(a, g)))
  second <- (pair(a, g) + pair(g, a)) / 2
  if (rcond(second) < 1e-10) {
    return(NULL)
  }
  whitening <- whiten(second)
  y <- lapply(views, `%*%`, whitening$there)
  third <- apply(y[[3]], 2, function(x) crossprod(y[[1]], weights * x * y[[2]]))
  orders <- list(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), 3:1)
  symmetric <- Reduce(`+`, lapply(orders, aperm, a = array(third, rep(ncol(second), 3)))) / 6
  pairs <- tensor_power_method(symmetric)
  # An eigenvalue is one over the root of a mixing weight, at least 1 but for noise.
  values <- pmax(pairs$values, 1)
  list(mixing_weights = rbind(values^-2 / sum(values^-2)),
       scoring = whitening$there %*% pairs$vectors,
       means = whitening$back %*% pairs$vectors %*% diag(values, length(values)))
}

# W, `there`, with W' M W = I, and `back`, its inverse transposed. Noise may leave a negative
# eigenvalue; its size is used, as by the source's singular values.
whiten <- function(second) {
  spectrum <- eigen(second, symmetric = TRUE)
  roots <- sqrt(abs(spectrum$values))
  list(there = spectrum$vectors %*% diag(1 / roots, length(roots)),
       back = spectrum$vectors %*% diag(roots, length(roots)))
}

# The eigenpairs, T = sum_h values[h] v_h (x) v_h (x) v_h, of a symmetric tensor that is nearly
# orthogonal. Anandkumar, Ge, Hsu, Kakade and Telgarsky (2014), JMLR 15, 2773-2832, algorithm 1.
tensor_power_method <- function(tensor, n_restarts = 20, max_iter = 200) {
  k <- dim(tensor)[1]
  out <- list(values = numeric(k), vectors = matrix(0, k, k))
  unit <- function(u) u / rep(sqrt(colSums(u^2)) + 1e-300, each = k)
  # T(I, u, u) of every column u.
  i <- rep(seq_len(k), k)
  j <- rep(seq_len(k), each = k)
  image <- function(u) matrix(tensor, k) %*% (u[i, , drop = FALSE] * u[j, , drop = FALSE])
  for (h in seq_len(k)) {
    u <- unit(matrix(stats::rnorm(k * n_restarts), k))
    for (iteration in seq_len(max_iter)) {
      last <- u
      u <- unit(image(u))
      if (max(abs(u - last)) < 1e-13) break # the error squares at every step
    }
    values <- colSums(u * image(u))
    best <- which.max(values)
    out$values[h] <- values[best]
    out$vectors[, h] <- u[, best]
    tensor <- tensor - values[best] * outer(outer(u[, best], u[, best]), u[, best])
  }
  out
}
