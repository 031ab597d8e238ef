# The methods of bench/regimes.R. Each takes data as a simulator of regimes_data.R gives them and
# returns classes or a fit; `applies` tells of a point whether the method is for it.

one_thread <- function(criterion) stagewise_control(criterion = criterion, threads = 1)

# A status that is a warning to users shows in the error.
stages_by <- function(criterion, k = function(data) data$k) {
  function(data) {
    suppressWarnings(stagewise_em(data$x, k(data), control = one_thread(criterion),
                                  verbose = FALSE))
  }
}

one_to_two_more <- function(data) seq_len(data$k + 2)

em_from <- function(start) {
  function(data) {
    suppressWarnings(mdpd(data$x, data$k, start = start, n_starts = 10, prior = 0,
                          control = one_thread("bic"), verbose = FALSE))
  }
}

# NULL where it cannot. It takes about 20 seconds for 500,000 answers.
varsellcm_of <- function(data) {
  tryCatch(with_varsellcm(list(x = as.data.frame(data$x), k = data$k))$class,
           bench_cannot = function(e) NULL)
}

has_classes <- function(point) point$true_k > 1
is_crowd_point <- function(point) point$group == "crowds"
is_noise <- function(point) point$group == "noise"
# Fits for every k up to the true one and two more are affordable up to here.
may_choose_k <- function(point) is_noise(point) || point$cells <= 150000

regime_method <- function(name, fit, applies = has_classes) {
  list(name = name, fit = fit, applies = applies)
}

# The methods at the true k; those that choose k, and three components of noise, are named apart.
regime_methods <- list(
  regime_method("true model", function(data) data$by_true_model),
  regime_method("evidence", stages_by("evidence")),
  regime_method("bic", stages_by("bic")),
  regime_method("full EM", em_from("random")),
  regime_method("majority vote", function(data) majority_vote(data$x), is_crowd_point),
  regime_method("Dawid-Skene", em_from("majority"), is_crowd_point),
  regime_method("VarSelLCM", varsellcm_of, function(point) {
    requireNamespace("VarSelLCM", quietly = TRUE) && has_classes(point) &&
      !is_crowd_point(point) && point$cells <= 500000
  }),
  regime_method("evidence, any k", stages_by("evidence", one_to_two_more), may_choose_k),
  regime_method("bic, any k", stages_by("bic", one_to_two_more), is_noise),
  regime_method("evidence, 3", stages_by("evidence", function(data) 3), is_noise)
)

# One row of the results. Items are named at a false discovery rate of 5 %; the others name none.
measure_method <- function(method, data) {
  seconds <- sum(system.time(result <- method$fit(data))[c("user.self", "sys.self")])
  is_fit <- inherits(result, "mdpd")
  named <- if (is_fit && result$refine != "full") informative(result, fdr = 0.05)
  data.frame(
    method = method$name,
    error = if (is.null(result)) NA else round(error_rate(result, data$truth, align = TRUE), 5),
    components = if (is_fit) result$k else NA,
    named = if (is.null(named)) NA else length(named),
    false = if (is.null(named)) NA else length(setdiff(named, data$informative)),
    seconds = round(seconds, 3)
  )
}
