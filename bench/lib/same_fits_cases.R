# The cases of same_fits.R, which has set `shared_folder`, and the data they are about.

# Data --------------------------------------------------------------------------------------------

# Rows of a mixture: each of the first `n_informative` items leans towards a level that depends on
# the component, the others do not. `missing` is the share of the cells without a value.
draw_rows <- function(n_obs, n_levels, k, seed, n_informative = length(n_levels), lean = 4,
                      sizes = rep(1, k), missing = 0) {
  set_generator(seed)
  class <- sample.int(k, n_obs, replace = TRUE, prob = sizes)
  columns <- lapply(seq_along(n_levels), function(item) {
    probs <- matrix(stats::rexp(n_levels[item]) + 0.3, n_levels[item], k)
    favourite <- cbind(sample.int(n_levels[item], k, replace = TRUE), seq_len(k))
    if (item <= n_informative) probs[favourite] <- probs[favourite] + lean
    upper <- apply(sweep(probs, 2, colSums(probs), "/"), 2, cumsum)
    upper <- t(upper[-n_levels[item], , drop = FALSE])
    code <- 1L + as.integer(rowSums(stats::runif(n_obs) > upper[class, , drop = FALSE]))
    code[stats::runif(n_obs) < missing] <- NA
    factor(code, seq_len(n_levels[item]), paste0("l", seq_len(n_levels[item])))
  })
  names(columns) <- paste0("i", seq_along(n_levels))
  structure(as.data.frame(columns), component = class)
}

# The generators of R 3.6 and later, whatever the session has.
set_generator <- function(seed) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
}

draw_posterior <- function(n_obs, k, seed) {
  set_generator(seed)
  draws <- matrix(stats::rexp(n_obs * k), n_obs)
  draws / rowSums(draws)
}

draw_weights <- function(values, n_obs, seed = 1) {
  set_generator(seed)
  sample(values, n_obs, replace = TRUE)
}

# Two items that are independent until the components are told apart: in one they agree, in the
# other they differ. Among many items they are set aside at first.
draw_hidden_pair <- function(n_obs = 600, n_items = 150, seed = 1) {
  set_generator(seed)
  class <- sample.int(2, n_obs, replace = TRUE)
  x <- matrix(sample.int(2, n_obs * n_items, replace = TRUE), n_obs)
  for (item in 1:8) x[, item] <- ifelse(stats::runif(n_obs) < 0.85, class, 3 - class)
  x[, 141] <- ifelse(xor(stats::runif(n_obs) < 0.1, class == 1), x[, 140], 3 - x[, 140])
  x
}

# A real crowd, all of its workers or those with the most labels.
real <- function(name, n_workers = Inf) {
  file <- file.path(shared_folder, "data", paste0(name, "_labels.csv"))
  if (!file.exists(file)) {
    stop(errorCondition(paste("no", file), class = "no_data"))
  }
  labels <- read_crowd(file)
  triples <- as.data.frame(labels)
  workers <- names(sort(table(triples$worker), decreasing = TRUE))
  workers <- utils::head(workers, n_workers)
  if (ncol(labels) <= n_workers) labels else crowd_labels(triples[triples$worker %in% workers, ])
}

# The same draws in every case.
make_data <- function() {
  list2env(envir = globalenv(), list(
    mixed = draw_rows(600, rep(2:4, 4), 3, seed = 1, n_informative = 7),
    gaps = draw_rows(600, rep(2:4, 4), 3, seed = 2, n_informative = 7, missing = 0.1),
    new_gaps = draw_rows(150, rep(2:4, 4), 3, seed = 2, n_informative = 7, missing = 0.2),
    five = draw_rows(900, rep(3:4, 7), 5, seed = 3, n_informative = 10, sizes = 5:1),
    kinds = draw_rows(30000, c(2, 3, 2, 2, 3), 2, seed = 4),
    votes = house_votes[-1],
    # 3 labels; all, two fifths and a sixteenth of the cells, the last stored as sparse codes
    crowd = simulate_crowd(400, 30, 3, accuracy = rep(0.7, 6), seed = 1),
    some = simulate_crowd(500, 40, 3, accuracy = rep(0.75, 15), missing = 0.6, seed = 2),
    few = simulate_crowd(900, 120, 3, accuracy = rep(0.85, 60), missing = 0.94, seed = 3),
    few_others = simulate_crowd(400, 120, 3, accuracy = rep(0.85, 60), missing = 0.94, seed = 4),
    four = simulate_crowd(300, 15, 4, accuracy = rep(0.8, 8), seed = 1)
  ))
}

# Cases -------------------------------------------------------------------------------------------

# f(value) for each of the values, named by them.
each <- function(values, f) sapply(values, f, simplify = FALSE, USE.NAMES = TRUE)

refines <- c("sparse", "full", "none")
methods <- c("robust", "paper")
rules <- c("ignore", "frozen", "level", "fail")

control <- function(...) stagewise_control(...)

# What is expected to fail is its class.
attempt <- function(code) tryCatch(code, mdpd_error = function(cnd) class(cnd)[1])

# The true labels of the first items.
gold <- function(crowd, n) replace(as.character(crowd$truth), -seq_len(n), NA)

all_k <- function(fit) {
  list(
    fit = fit,
    by_k = each(as.character(fit$path$k), function(k) choose_k(fit, as.numeric(k))),
    by_criterion = each(c("penalised", "BIC", "AIC", "ICL"), function(criterion) {
      choose_k(fit, criterion = criterion)$k
    })
  )
}

# What a picture draws: its own data and those of its layers.
drawn <- function(object, ...) {
  picture <- autoplot(object, ...)
  layers <- lapply(picture$layers, function(layer) layer$data)
  list(data = picture$data, layers = Filter(is.data.frame, layers))
}

uncertainty <- function(fit, ...) {
  list(
    exact = standard_errors(fit, ...), score = standard_errors(fit, type = "score", ...),
    vcov = vcov(fit, ...), logit = confint(fit, ...),
    linear = confint(fit, scale = "linear", level = 0.9, ...)
  )
}

# The classic, without a prior.
dawid_skene <- function(x, k, ...) mdpd(x, k, ..., prior = 0)

worker_tables <- function(fit) {
  list(items = item_quality(fit), gain = item_quality(fit, min_gain = 0.1),
       workers = worker_quality(fit), confusion = confusion(fit, type = "count"))
}

# A small table that is like no other: its seed decides on everything.
table_of_seed <- function(seed) {
  set_generator(100 + seed)
  n_items <- sample(5:30, 1)
  draw_rows(
    sample(100:800, 1), sample(2:5, n_items, replace = TRUE), sample(2:6, 1), seed,
    n_informative = sample(3:n_items, 1), lean = stats::runif(1, 1, 5),
    missing = sample(c(0, 0.15), 1)
  )
}

crowd_of_seed <- function(seed) {
  set_generator(200 + seed)
  n_workers <- sample(10:80, 1)
  accuracy <- stats::runif(sample(5:n_workers, 1), 0.5, 0.95)
  simulate_crowd(sample(100:600, 1), n_workers, sample(2:5, 1), accuracy,
                 missing = sample(c(0, 0.5, 0.8, 0.92), 1), seed = seed)$labels
}

# One call a case; several fits of one kind are a list.
cases <- alist(
  # Where what is drawn differs, so does what is fitted to it.
  simulators = {
    visual <- simulate_spikes(100, 12, seed = 1)
    bins <- function(...) bin_spikes(visual$times, c(0, 0.1), ..., trials = names(visual$truth))
    level <- stagewise_em(gaps, 3, missing = "level")
    list(crowd = crowd, few = few, spikes = visual, model = simulate(crowd$model, 2, 1, n_obs = 50),
         level = simulate(level, seed = 2), items = bins(bin_width = 0.05, what = "count"),
         rows = bins(bin_width = 0.02, bins = "rows"), matrix = as.matrix(some$labels),
         vote = majority_vote(some$labels))
  },

  # Methods, refinements, missing values
  methods_table = each(methods, function(method) {
    each(refines, function(type) stagewise_em(gaps, 3, method = method, refine = type))
  }),
  methods_complete = each(refines, function(type) stagewise_em(mixed, 4, refine = type)),
  methods_crowd = each(methods, function(method) {
    each(refines, function(type) stagewise_em(crowd$labels, 3, method = method, refine = type))
  }),
  missing_robust = list(
    gaps = each(rules, function(rule) attempt(stagewise_em(gaps, 3, missing = rule))),
    complete = each(rules, function(rule) stagewise_em(mixed, 3, missing = rule))
  ),
  missing_paper = each(rules, function(rule) {
    attempt(stagewise_em(gaps, 3, method = "paper", refine = "none", missing = rule))
  }),
  missing_em = each(rules, function(rule) attempt(mdpd(gaps, 3, n_starts = 2, missing = rule))),
  missing_crowd = each(rules, function(rule) attempt(stagewise_em(some$labels, 3, missing = rule))),
  missing_sparse = each(rules, function(rule) attempt(stagewise_em(few$labels, 3, missing = rule))),
  votes = each(as.character(1:4), function(k) stagewise_em(votes, as.numeric(k))),
  weak = each(as.character(c(1, 2, 4)), function(seed) {
    x <- draw_rows(250, rep(2:3, 5), 2, as.numeric(seed), lean = if (seed == 4) 0.3 else 1.2)
    stagewise_em(x, 3)
  }),

  # Many small tables and crowds: many choices of the search
  draws_table = each(as.character(1:30), function(seed) {
    stagewise_em(table_of_seed(as.numeric(seed)), 2 + as.numeric(seed) %% 5)
  }),
  draws_crowd = each(as.character(1:20), function(seed) {
    labels <- crowd_of_seed(as.numeric(seed))
    stagewise_em(labels, length(labels$labels))
  }),
  draws_path = each(as.character(31:36), function(seed) {
    stagewise_em(table_of_seed(as.numeric(seed)), 1:5)
  }),

  # Ordinary EM and its starts
  em_majority = each(c("crowd", "some", "few"), function(name) dawid_skene(get(name)$labels, 3)),
  em_crowd = each(c("crowd", "some", "few"), function(name) mdpd(get(name)$labels, 3)),
  em_random = list(
    table = mdpd(gaps, 3, n_starts = 4, seed = 5), single = mdpd(mixed, 5, n_starts = 1),
    crowd = mdpd(some$labels, 2, n_starts = 3), sparse = mdpd(few$labels, 4, n_starts = 2)
  ),
  em_spectral = list(
    crowd = mdpd(crowd$labels, 3, start = "spectral", n_starts = 3),
    sparse = attempt(mdpd(few$labels, 3, start = "spectral", n_starts = 2)),
    table = attempt(mdpd(mixed, 3, start = "spectral", n_starts = 3)),
    gaps = attempt(mdpd(gaps, 2, start = "spectral", n_starts = 2, seed = 7)),
    none = attempt(mdpd(mixed[1:2], 3, start = "spectral"))
  ),
  em_given = list(
    matrix = mdpd(gaps, 3, start = draw_posterior(600, 3, 1)),
    class = mdpd(mixed, 3, start = attr(mixed, "component")),
    factor = mdpd(votes, 2, start = house_votes$party),
    model = mdpd(crowd$labels, 3, start = crowd$model),
    fit = mdpd(gaps, 3, start = stagewise_em(gaps, 3)),
    sparse = mdpd(few$labels, 3, start = stagewise_em(few$labels, 3)),
    equal = mdpd(mixed, 3, start = matrix(1 / 3, 600, 3))
  ),

  # Case weights
  weights_whole = each(refines, function(type) {
    stagewise_em(mixed, 3, refine = type, weights = draw_weights(1:4, 600))
  }),
  weights_fraction = {
    weights <- draw_weights(c(0.3, 1, 2.7), 600)
    list(
      robust = stagewise_em(gaps, 3, weights = weights),
      paper = stagewise_em(gaps, 3, method = "paper", weights = weights),
      em = mdpd(gaps, 3, n_starts = 2, weights = weights),
      small = stagewise_em(mixed, 3, weights = rep(0.01, 600)),
      sparse = stagewise_em(few$labels, 3, weights = draw_weights(c(0.5, 1.5), 900))
    )
  },
  weights_zero = list(
    rows = stagewise_em(gaps, 3, weights = draw_weights(0:2, 600)),
    level = stagewise_em(mixed, 3, weights = (mixed$i3 != "l4") + 0),
    em = mdpd(mixed, 3, n_starts = 2, weights = (mixed$i3 != "l4") + 0),
    crowd = stagewise_em(some$labels, 3, weights = draw_weights(0:2, 500))
  ),
  weights_formula = list(
    titanic = stagewise_em(~ ., 2, data = as.data.frame(Titanic), weights = Freq),
    hair = stagewise_em(~ Hair + Eye + Sex, 1:3, data = as.data.frame(HairEyeColor),
                        weights = Freq),
    berkeley = mdpd(~ . - Dept, 2, data = as.data.frame(UCBAdmissions), weights = Freq),
    cars = stagewise_em(~ cyl + vs + am + gear + carb, 2, data = mtcars)
  ),

  # Gold labels and prior counts
  known_stages = {
    known <- gold(some, 60)
    list(
      vector = stagewise_em(crowd$labels, 3, known = gold(crowd, 40)),
      named = stagewise_em(some$labels, 3, known = some$truth[c("7", "3", "500")]),
      paper = stagewise_em(some$labels, 3, method = "paper", known = known),
      full = stagewise_em(some$labels, 3, refine = "full", known = known),
      sparse = stagewise_em(few$labels, 3, known = gold(few, 100)),
      weights = stagewise_em(some$labels, 3, known = known, weights = draw_weights(1:2 / 2, 500)),
      four = stagewise_em(four$labels, 4, known = gold(four, 30))
    )
  },
  known_em = list(
    vector = dawid_skene(crowd$labels, 3, known = gold(crowd, 40)),
    random = mdpd(some$labels, 3, start = "random", n_starts = 2, known = gold(some, 60)),
    sparse = dawid_skene(few$labels, 3, known = gold(few, 100), missing = "level"),
    prior = mdpd(few$labels, 3, known = gold(few, 100), prior = 0.5)
  ),
  prior = list(
    number = mdpd(some$labels, 3, prior = 1),
    matrix = mdpd(few$labels, 3, prior = matrix(c(6, 1, 1, 2, 7, 1, 1, 1, 5), 3)),
    diagonal = mdpd(some$labels, 3, prior = diag(3), missing = "level"),
    random = mdpd(crowd$labels, 3, start = "random", n_starts = 2, prior = diag(2, 3))
  ),

  # Several numbers of components
  path_table = all_k(stagewise_em(five, 1:6)),
  path_gaps = all_k(stagewise_em(gaps, 1:4, missing = "frozen")),
  path_crowd = all_k(stagewise_em(some$labels, 1:4)),
  path_sparse = all_k(stagewise_em(few$labels, c(2, 4))),
  path_full = all_k(stagewise_em(mixed, 1:4, refine = "full")),
  path_paper = all_k(stagewise_em(gaps, 1:4, method = "paper")),
  path_others = list(
    none = stagewise_em(gaps, 1:4, refine = "none"),
    weights = stagewise_em(gaps, 1:3, weights = draw_weights(c(0.5, 1, 2), 600)),
    large = stagewise_em(mixed[1:6, ], c(2, 3, 8)),
    no_data = stagewise_em(votes, 1:4, keep_data = FALSE)
  ),

  # Numbers of components
  components_five = each(as.character(c(3, 5, 7)), function(k) stagewise_em(five, as.numeric(k))),
  components_twelve = stagewise_em(
    draw_rows(1500, rep(4, 20), 12, seed = 5, lean = 8, sizes = 12:1), 12
  ),
  components_four = list(
    crowd = stagewise_em(four$labels, 4), full = stagewise_em(five, 4, refine = "full"),
    frozen = stagewise_em(gaps, 4, missing = "frozen"), more = stagewise_em(crowd$labels, 6),
    plain = stagewise_em(five, 5, control = control(polish = FALSE))
  ),
  spikes = {
    visual <- simulate_spikes(600, 120, n_orientations = 8, seed = 3)
    x <- bin_spikes(visual$times, c(0, 0.1), trials = names(visual$truth),
                    neurons = visual$neurons$neuron)
    list(stages = stagewise_em(x, 8), em = mdpd(x, 8, n_starts = 2))
  },

  # Numbers of rows: on both sides of 20,000, more than one block of 65,536; equal rows
  rows_19000 = stagewise_em(draw_rows(19000, rep(3:4, 7), 4, seed = 6, lean = 2), 4),
  rows_24000 = {
    x <- draw_rows(24000, rep(3:4, 7), 4, seed = 7, lean = 1, n_informative = 9, missing = 0.05)
    list(robust = stagewise_em(x, 4), plain = stagewise_em(x, 3, control = control(polish = FALSE)))
  },
  rows_24000_crowd = {
    large <- simulate_crowd(24000, 150, 3, accuracy = rep(0.7, 60), missing = 0.95, seed = 8)
    list(stages = stagewise_em(large$labels, 3),
         em = dawid_skene(large$labels, 3, control = control(tol = 1e-5)))
  },
  rows_70000 = {
    x <- draw_rows(70000, rep(4, 12), 2, seed = 9, lean = 1.5)
    weights <- draw_weights(c(0.5, 1, 2), 70000)
    list(robust = stagewise_em(x, 2, control = control(polish = FALSE)),
         em = mdpd(x, 2, n_starts = 1, weights = weights, control = control(tol = 1e-5)))
  },
  rows_equal = list(
    robust = stagewise_em(kinds, 2), path = stagewise_em(kinds, 1:3),
    weights = stagewise_em(kinds, 2, weights = draw_weights(c(0, 0.3, 2), 30000)),
    random = mdpd(kinds, 2, n_starts = 2),
    matrix = mdpd(kinds, 2, start = draw_posterior(30000, 2, 1))
  ),
  rows_equal_crowd = {
    equal <- simulate_crowd(3000, 5, 2, accuracy = rep(0.8, 4), seed = 4)
    known <- gold(equal, 200)
    fit <- stagewise_em(equal$labels, 2, known = known)
    weights <- draw_weights(1:3, 3000)
    list(fit = fit, refined = refine(fit, type = "full"),
         em = dawid_skene(equal$labels, 2, known = known),
         weights = refine(stagewise_em(equal$labels, 2), x = equal$labels, weights = weights))
  },

  # Wide tables, items that are set aside
  wide = {
    x <- draw_rows(200, rep(2, 1000), 2, seed = 10, n_informative = 20, lean = 3)
    list(robust = stagewise_em(x, 2), em = mdpd(x, 2, n_starts = 2),
         paper = stagewise_em(x, 2, method = "paper", refine = "none"))
  },
  wide_path = stagewise_em(draw_rows(300, rep(2:3, 150), 3, seed = 11, n_informative = 25), 1:4),
  screened = {
    x <- draw_rows(400, rep(2:4, 40), 4, seed = 12, n_informative = 15, missing = 0.1)
    list(ignore = stagewise_em(x, 4), frozen = stagewise_em(x, 3, missing = "frozen"),
         again = stagewise_em(draw_hidden_pair(), 4))
  },

  # Odd items and few rows
  levels_many = {
    x <- draw_rows(1200, c(12, 3, 12, 2, 40, 7, 12, 200, 11, 3), 3, seed = 13, missing = 0.05)
    twelve <- draw_rows(1500, rep(12, 25), 3, seed = 14, n_informative = 10, lean = 12)
    list(robust = stagewise_em(x, 3), em = mdpd(x, 3, n_starts = 2),
         twelve = stagewise_em(twelve, 3))
  },
  items_odd = list(
    constant = stagewise_em(cbind(gaps, same = "a", always = TRUE), 3),
    unused = stagewise_em(transform(gaps, i2 = factor(i2, c("none", levels(i2), "other"))), 3),
    repeated = stagewise_em(cbind(gaps, again = gaps$i3), 3),
    matrix = stagewise_em(unname(as.matrix(votes)), 2),
    integers = stagewise_em(as.data.frame(lapply(mixed, as.integer)), 3),
    doubles = stagewise_em(as.data.frame(lapply(mixed, as.numeric)), 3),
    independent = stagewise_em(expand.grid(a = 1:2, b = 1:3, c = 1:4, d = 1:2)[rep(1:48, 5), ], 2)
  ),
  tiny = list(
    five_rows = stagewise_em(mixed[1:5, ], 2), one_row = stagewise_em(mixed[1, ], 1),
    two_items = stagewise_em(mixed[1:2], 2), two_rows = stagewise_em(gaps[1:2, ], 1:2),
    em_five = mdpd(mixed[1:5, ], 2, n_starts = 2), em_one = mdpd(mixed[1, ], 1),
    em_items = mdpd(mixed[1:2], 2, n_starts = 2), eight_rows = stagewise_em(mixed[1:8, ], 5),
    pair = stagewise_em(data.frame(a = rep(1:2, 40), b = rep(1:2, 40)), 2),
    paper = stagewise_em(mixed[1:5, ], 2, method = "paper")
  ),

  # Settings
  control_stages = each(
    list(
      alpha = control(alpha = 0.3), strict = control(alpha = 1e-12),
      stages = control(max_stages = 2), em_steps = control(em_steps = 20),
      step = control(split_step = 0.1), floor = control(floor = 0.01)
    ),
    function(settings) {
      each(c("sparse", "none"), function(type) {
        stagewise_em(gaps, 3, refine = type, control = settings)
      })
    }
  ),
  control_refinement = each(
    list(
      smoothing = control(smoothing = 0.5), maximum = control(smoothing_loss = 0),
      loss = control(smoothing_loss = 5), plain = control(polish = FALSE),
      tol = control(tol = 1e-3), strict = control(tol = 1e-12), iterations = control(max_iter = 3)
    ),
    function(settings) {
      list(sparse = stagewise_em(gaps, 3, control = settings),
           full = stagewise_em(gaps, 3, refine = "full", control = settings),
           crowd = stagewise_em(some$labels, 3, control = settings),
           em = mdpd(gaps, 3, n_starts = 2, control = settings))
    }
  ),
  control_paper = each(
    list(polish = control(polish = TRUE), step = control(split_step = 0.2, floor = 0),
         search = control(split_step = 0), stages = control(max_stages = 5, em_steps = 3)),
    function(settings) stagewise_em(gaps, 3, method = "paper", control = settings)
  ),
  threads = each(list(one = 1, two = 2), function(threads) {
    labels <- simulate_crowd(20000, 40, seed = 11)$labels
    list(shared = stagewise_em(labels, 3, control = control(threads = threads, polish = FALSE)),
         sparse = stagewise_em(few$labels, 3, control = control(threads = threads)),
         table = stagewise_em(five, 5, control = control(threads = threads)))
  }),

  # Fits that are refined
  refined = each(methods, function(method) {
    fit <- stagewise_em(gaps, 3, method = method, refine = "none")
    list(sparse = refine(fit), full = refine(fit, type = "full"), twice = refine(refine(fit)),
         new = refine(fit, x = new_gaps), weights = refine(fit, weights = draw_weights(1:2, 600)),
         both = refine(fit, x = new_gaps, weights = draw_weights(c(0, 1, 2), 150)),
         control = refine(fit, control = control(smoothing = 1, polish = TRUE, tol = 1e-6)))
  }),
  refined_em = list(
    table = refine(mdpd(gaps, 3, n_starts = 2)), crowd = refine(dawid_skene(some$labels, 3)),
    full = refine(dawid_skene(few$labels, 3), type = "full", control = control(polish = TRUE)),
    prior = refine(mdpd(some$labels, 3, prior = diag(2, 3)), type = "full"),
    known = refine(dawid_skene(some$labels, 3, known = gold(some, 60))),
    model = refine(crowd$model, x = crowd$labels)
  ),
  refined_crowd = list(
    paper = refine(stagewise_em(few$labels, 3, method = "paper", refine = "none")),
    known = refine(stagewise_em(some$labels, 3, known = gold(some, 60)), type = "full"),
    frozen = refine(stagewise_em(some$labels, 3, missing = "frozen", refine = "none")),
    new = refine(stagewise_em(few$labels, 3), x = few_others$labels)
  ),

  # What follows from a fit
  predictions = each(c("class", "prob", "density"), function(type) {
    fit <- stagewise_em(gaps, 3)
    level <- stagewise_em(few$labels, 3, missing = "level")
    list(own = predict(fit, type = type), new = predict(fit, new_gaps, type = type),
         unseen = predict(fit, transform(new_gaps, i1 = "other"), type = type),
         matrix = predict(fit, unname(as.matrix(new_gaps)), type = type),
         table = predict(stagewise_em(gaps, 3, missing = "level"), new_gaps, type = type),
         crowd = predict(stagewise_em(few$labels, 3), few_others$labels, type = type),
         level = predict(level, few_others$labels, type = type),
         model = predict(crowd$model, some$labels, type = type))
  }),
  information = {
    fit <- stagewise_em(gaps, 3)
    labels <- simulate_crowd(300, 210, seed = 6)$labels
    list(all = information(fit), second = information(fit, component = 2),
         new = information(fit, x = new_gaps), informative = informative(fit),
         frozen = information(stagewise_em(gaps, 3, missing = "frozen")),
         sparse = information(stagewise_em(few$labels, 3)),
         wide = information(stagewise_em(labels, 3)), model = informative(crowd$model))
  },
  quality = each(c("crowd", "some", "few", "four"), function(name) {
    labels <- get(name)$labels
    k <- length(labels$labels)
    list(robust = worker_tables(stagewise_em(labels, k)),
         em = worker_tables(dawid_skene(labels, k)))
  }),
  quality_odd = {
    fit <- stagewise_em(some$labels, 3, missing = "level", weights = draw_weights(1:2 / 2, 500))
    list(items = item_quality(fit), workers = worker_quality(fit, level = 0.8, alpha = 0.2),
         confusion = confusion(fit, c("1", "20")), vote = majority_vote(some$labels, "prob"),
         others = worker_tables(stagewise_em(some$labels, 2)),
         one = worker_tables(stagewise_em(some$labels, 1)))
  },
  bootstrap = {
    fit <- stagewise_em(gaps, 3, control = control(polish = FALSE))
    sparse <- stagewise_em(few$labels, 3)
    known <- stagewise_em(some$labels, 3, known = gold(some, 60))
    weighted <- stagewise_em(mixed, 2, weights = draw_weights(1:2 / 2, 600))
    unseen <- stagewise_em(cbind(gaps, rare = c("a", "b", rep(NA, 598))), 2)
    samples <- list(
      refit = bootstrap(fit, 3), parametric = bootstrap(fit, 3, type = "parametric", threads = 2),
      held = bootstrap(fit, 4, refit = FALSE), none = bootstrap(stagewise_em(gaps, 1), 2),
      sparse = bootstrap(sparse, 3, type = "parametric", refit = FALSE),
      em = bootstrap(mdpd(some$labels, 3, prior = 1), 3), known = bootstrap(known, 2),
      classes = bootstrap(known, 2, type = "parametric", refit = FALSE),
      weights = bootstrap(weighted, 2, type = "parametric", seed = 9),
      unseen = bootstrap(unseen, 6, refit = FALSE)
    )
    list(samples = samples, vcov = vcov(samples$held), tidy = lapply(samples, tidy),
         limits = lapply(samples, confint, level = 0.5), picture = drawn(samples$refit))
  },
  uncertainty = list(
    robust = uncertainty(stagewise_em(gaps, 3)),
    full = uncertainty(stagewise_em(gaps, 2, refine = "full")),
    stages = uncertainty(stagewise_em(gaps, 3, refine = "none")),
    boundary = uncertainty(mdpd(mixed, 5, n_starts = 2)),
    sparse = standard_errors(stagewise_em(few$labels, 3)),
    weights = uncertainty(stagewise_em(gaps, 3, weights = draw_weights(1:3, 600))),
    new = uncertainty(stagewise_em(gaps, 3), x = new_gaps),
    prior = standard_errors(mdpd(some$labels, 3, prior = 1)),
    smoothing = confint(stagewise_em(votes, 2, control = control(smoothing = 1)), "crime")
  ),
  tables = {
    fit <- stagewise_em(gaps, 3)
    sparse <- stagewise_em(few$labels, 3)
    class <- attr(gaps, "component")
    list(tidy = tidy(fit, conf.int = TRUE), weights = tidy(fit, what = "mixing_weights"),
         glance = glance(fit), augment = augment(fit), new = augment(fit, newdata = new_gaps),
         with = augment(fit, cbind(gaps, class)), crowd = augment(sparse),
         crowd_new = augment(sparse, newdata = few_others$labels),
         level = augment(stagewise_em(gaps, 3, missing = "level")),
         no_data = stagewise_em(gaps, 3, keep_data = FALSE), aligned = align_components(fit, class),
         error = error_rate(fit, class, align = TRUE), loglik = logLik(fit), coef = coef(fit),
         summary = summary(stagewise_em(five, 1:6)), summary_crowd = summary(sparse))
  },
  pictures = {
    fits <- list(table = stagewise_em(gaps, 3), five = stagewise_em(five, 1:6),
                 crowd = stagewise_em(crowd$labels, 3), sparse = stagewise_em(few$labels, 3),
                 votes = stagewise_em(votes, 2), one = stagewise_em(votes, 1),
                 paper = stagewise_em(gaps, 3, method = "paper", missing = "frozen"))
    types <- c("profiles", "posterior", "information", "trace", "history")
    list(
      each = lapply(fits[names(fits) != "one"], function(fit) {
        each(types, function(type) drawn(fit, type))
      }),
      stages = lapply(fits[c("table", "crowd", "sparse", "paper")], function(fit) {
        drawn(fit, type = "information", stage = 0:2)
      }),
      path = drawn(fits$five, type = "path"), one = drawn(fits$one),
      workers = lapply(fits[c("crowd", "sparse")], function(fit) {
        each(c("workers", "confusion"), function(type) drawn(fit, type))
      })
    )
  },

  # Growth was by chance: the majority vote is another start
  vote = {
    thin <- simulate_crowd(2000, 200, accuracy = rep(0.75, 100), missing = 0.97, seed = 5)
    fit <- stagewise_em(thin$labels, 3)
    list(fit = fit, history = drawn(fit, type = "history"),
         known = stagewise_em(thin$labels, 3, known = gold(thin, 100)),
         small = stagewise_em(simulate_crowd(300, 60, 4, rep(0.7, 30), 0.93, seed = 2)$labels, 4))
  },

  # Real crowds
  bluebird = {
    labels <- real("bluebird")
    paper <- function(type) stagewise_em(labels, 2, method = "paper", refine = type)
    list(robust = stagewise_em(labels, 2), path = stagewise_em(labels, 1:4),
         em = dawid_skene(labels, 2), crowd = mdpd(labels, 2),
         paper = each(refines, paper), spectral = mdpd(labels, 2, start = "spectral"))
  },
  dog = {
    active <- real("dog", 52)
    list(all = stagewise_em(real("dog"), 4), em = dawid_skene(real("dog"), 4),
         active = stagewise_em(active, 4), frozen = stagewise_em(active, 4, missing = "frozen"),
         paper = stagewise_em(active, 4, method = "paper", refine = "full", missing = "frozen"))
  },
  rte = {
    fit <- stagewise_em(real("rte"), 2)
    list(fit = fit, full = refine(fit, type = "full"), quality = worker_tables(fit),
         level = stagewise_em(real("rte"), 2, missing = "level"))
  },
  music = list(robust = stagewise_em(real("music"), 10), em = dawid_skene(real("music"), 10)),
  face = list(robust = stagewise_em(real("face"), 4), three = stagewise_em(real("face"), 3)),
  sentiment = {
    fit <- stagewise_em(real("sentiment"), 2)
    list(fit = fit, items = item_quality(fit), em = mdpd(real("sentiment"), 2, prior = 1))
  },
  entities = stagewise_em(real("entities"), 1:3),
  mozafari = list(robust = stagewise_em(real("mozafari"), 2),
                  em = mdpd(real("mozafari"), 2, prior = diag(2)))
)
