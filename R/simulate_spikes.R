#' Simulate neurons that see gratings
#'
#' Draws the spikes of a population of neurons in trials, in each of which a grating of one
#' orientation is shown. Some neurons are tuned to the orientation, most are not. What is returned
#' is what an experimenter has, spike times and whether each neuron spiked in each trial, and what
#' is behind it: orientations, tuning curves, the true model.
#'
#' The orientations divide the half turn evenly: 12 of them are 0, 15, ..., 165 degrees. Each is
#' shown equally often (but for a remainder), in random order. Tuned neuron i fires at the rate of a
#' von Mises curve (Swindale 1998) of the orientation \eqn{\theta}, in radians,
#' \deqn{f_i(\theta) = b_i + a_i \exp(\kappa (\cos 2(\theta - \phi_i) - 1)), \quad
#'   \kappa = \log 2 / (1 - \cos 2w)}{
#'   f[i](theta) = b[i] + a[i] exp(kappa (cos 2(theta - phi[i]) - 1)),
#'   kappa = log 2 / (1 - cos 2 w),}
#' with its preferred orientation \eqn{\phi_i}{phi[i]} drawn uniformly, its baseline
#' \eqn{b_i}{b[i]} and its rise \eqn{a_i}{a[i]} from gamma distributions with means `baseline` and
#' `peak` and coefficients of variation of 0.7 and 0.5. An untuned neuron fires at one rate
#' whatever is shown, its \eqn{b_i}{b[i]} plus what its \eqn{a_i}{a[i]} would give on average over
#' the orientations, so that tuned and untuned neurons are about equally active.
#'
#' In each trial the rate of each neuron is multiplied by a gain, gamma with mean 1 and standard
#' deviation s = `gain_sd`, and the number of spikes in the window is Poisson: the modulated Poisson
#' model of Goris et al. (2014). The gain is the sum of a part that all neurons of the trial share
#' and a part of the neuron's own, so that the gains of two neurons have the correlation
#' r = `gain_correlation`. Two neurons that expect \eqn{\lambda} spikes then have counts with the
#' correlation \eqn{r s^2 \lambda / (1 + s^2 \lambda)}{r s^2 lambda / (1 + s^2 lambda)} within an
#' orientation. By default that is 0.017 for one spike; measured values go from 0.01 in awake to 0.4
#' in anaesthetised monkeys (Ecker et al. 2014).
#'
#' A neuron spikes at least once with probability
#' \eqn{1 - (1 + s^2 \lambda)^{-1/s^2}}{1 - (1 + s^2 lambda)^(-1 / s^2)}. The true model holds these
#' probabilities. It is exact for each neuron; what is shared of the gain makes neurons dependent
#' within an orientation, which no mixture of products is: with much of it, classes of trials differ
#' in their gain too.
#'
#' @param n_trials,n_neurons,n_orientations Counts: trials (at least 1, default 2400), neurons (2
#'   to 1,000,000, default 240) and orientations (2 to 180, default 12).
#' @param n_tuned Number of tuned neurons, from 0 to `n_neurons`, by default a quarter of them. They
#'   come first.
#' @param width Half-width of the tuning curves at half their height, in degrees, from 0.01
#'   to 90. Default 20.
#' @param peak,baseline Mean rise of the rate at the preferred orientation, and mean rate far from
#'   it, in spikes a second, at least 0. Default 30 and 3.
#' @param window Length of the window in which spikes are counted, in seconds, above 0. Default 0.1.
#'   The rates and the window may not give more than 1e8 spikes.
#' @param gain_sd Standard deviation of each neuron's gain from trial to trial, at least 0. Default
#'   0.3.
#' @param gain_correlation Correlation between the gains of two neurons, from 0, each has its own,
#'   to 1, there is one for all. Default 0.2.
#' @inheritParams simulate_crowd
#' @return A list:
#'   * `spikes`: integer matrix, n_trials x n_neurons: 1 where the neuron spiked in the window, else
#'     0; row names are the trials, `"1"`, `"2"`, ..., column names the neurons, `"n1"`, `"n2"`, ...
#'   * `times`: data frame with a row for each spike: `trial` and `neuron`, factors, and `time`,
#'     seconds from the onset of the grating, in \[0, `window`); what [bin_spikes()] reads;
#'   * `truth`: factor, the orientation shown in each trial (degrees), named by the trials;
#'   * `neurons`: data frame with a row for each neuron: `neuron`, `tuned`, `preferred` (degrees, in
#'     \[0, 180), `NA` if untuned), `baseline` and `peak` (spikes a second);
#'   * `rates`: n_neurons x n_orientations matrix, the tuning curves at a gain of 1, spikes a
#'     second;
#'   * `model`: the true model, of class `mdpd`: `k`, `mixing_weights`, `item_probs`, `informative`
#'     (the tuned neurons) and `item_information` (nats);
#'   * `k`: the number of components, `n_orientations`.
#' @section Errors: `mdpd_error_argument`, naming the argument.
#' @references
#' Swindale, N. V. (1998). Orientation tuning curves: empirical description and estimation of
#' parameters. *Biological Cybernetics* 78, 45-56. \doi{10.1007/s004220050411}
#'
#' Goris, R. L. T., Movshon, J. A. and Simoncelli, E. P. (2014). Partitioning neuronal variability.
#' *Nature Neuroscience* 17, 858-865. \doi{10.1038/nn.3711}
#'
#' Ecker, A. S., Berens, P., Cotton, R. J. and others (2014). State dependence of noise correlations
#' in macaque primary visual cortex. *Neuron* 82, 235-248. \doi{10.1016/j.neuron.2014.02.006}
#'
#' Niell, C. M. and Stryker, M. P. (2008). Highly selective receptive fields in mouse visual cortex.
#' *Journal of Neuroscience* 28, 7520-7536. \doi{10.1523/JNEUROSCI.0623-08.2008}
#'
#' Zhao and Zucker (2015), Stagewise Learning for Sparse Clustering of Discretely-Valued Data: the
#' example of the neurons. \doi{10.48550/arXiv.1506.02975}
#' @family spike trains
#' @family simulators
#' @examples
#' visual <- simulate_spikes(n_trials = 200, n_neurons = 40, n_tuned = 15, n_orientations = 4,
#'                           seed = 1)
#' visual$spikes[1:3, 1:8]
#' fit <- stagewise_em(visual$spikes, k = 4)
#' error_rate(fit, visual$truth, align = TRUE)
#' setdiff(informative(fit), visual$model$informative)
#' @export
simulate_spikes <- function(n_trials = 2400, n_neurons = 240, n_tuned = n_neurons %/% 4,
                            n_orientations = 12, width = 20, peak = 30, baseline = 3, window = 0.1,
                            gain_sd = 0.3, gain_correlation = 0.2, seed = NULL) {
  check_count(n_trials)
  check_n_columns(n_neurons)
  check_n_cells(n_trials, n_neurons)
  check_count(n_tuned, min = 0, max = n_neurons)
  check_count(n_orientations, min = 2, max = 180)
  positive <- .Machine$double.xmin
  check_number(width, c(0.01, 90))
  check_number(peak, c(0, Inf))
  check_number(baseline, c(0, Inf))
  check_number(window, c(positive, Inf))
  check_number(gain_sd, c(0, Inf))
  check_number(gain_correlation, c(0, 1))
  check_seed(seed)
  orientations <- 180 * (seq_len(n_orientations) - 1) / n_orientations
  with_seed(seed, {
    neurons <- draw_neurons(n_neurons, n_tuned, peak, baseline)
    rates <- tuning_rates(neurons, orientations, width)
    shown <- rep_len(seq_len(n_orientations), n_trials)[sample.int(n_trials)]
    gain <- draw_gain(n_trials, n_neurons, gain_sd, gain_correlation)
    expected <- gain * window * t(rates)[shown, , drop = FALSE]
    check_n_spikes(sum(expected))
    counts <- matrix(stats::rpois(length(expected), expected), n_trials,
                     dimnames = list(seq_len(n_trials), neurons$neuron))
    times <- draw_times(counts, window)
  })
  list(
    spikes = pmin(counts, 1L),
    times = times,
    truth = stats::setNames(code_to_factor(shown, colnames(rates)), seq_len(n_trials)),
    neurons = neurons,
    rates = rates,
    model = spike_model(window * rates, gain_sd),
    k = n_orientations
  )
}

draw_neurons <- function(n_neurons, n_tuned, peak, baseline) {
  tuned <- seq_len(n_neurons) <= n_tuned
  data.frame(
    neuron = paste0("n", seq_len(n_neurons)),
    tuned = tuned,
    preferred = ifelse(tuned, stats::runif(n_neurons, 0, 180), NA_real_),
    baseline = stats::rgamma(n_neurons, shape = 2, scale = baseline / 2),
    peak = stats::rgamma(n_neurons, shape = 4, scale = peak / 4)
  )
}

# Neurons x orientations, spikes a second. An untuned neuron has the mean of a curve everywhere; the
# curve is that of a neuron which prefers the first orientation.
tuning_rates <- function(neurons, orientations, width) {
  radians <- pi / 180
  sharpness <- log(2) / (1 - cos(2 * width * radians))
  from_preferred <- outer(neurons$preferred, orientations, `-`)
  from_preferred[!neurons$tuned, ] <- rep(orientations, each = sum(!neurons$tuned))
  curve <- exp(sharpness * (cos(2 * from_preferred * radians) - 1))
  curve[!neurons$tuned, ] <- rowMeans(curve)[!neurons$tuned]
  rates <- neurons$baseline + neurons$peak * curve
  shown <- format(orientations, trim = TRUE, digits = 4, decimal.mark = ".")
  dimnames(rates) <- list(neurons$neuron, shown)
  rates
}

# Trials x neurons. The shapes of gamma numbers of one scale add up: so do the shared and the own
# part of a gain, and a shape of 0 is the number 0.
draw_gain <- function(n_trials, n_neurons, gain_sd, gain_correlation) {
  if (gain_sd < 1e-75) {  # the square is far from too small for a double
    return(matrix(1, n_trials, n_neurons))
  }
  draw <- function(n, share) stats::rgamma(n, share * gain_sd^-2, scale = gain_sd^2)
  shared <- draw(n_trials, gain_correlation)
  shared + matrix(draw(n_trials * n_neurons, 1 - gain_correlation), n_trials)
}

# A row for each spike, in the order of trial, neuron and time: given their number, the spikes of a
# Poisson process are spread uniformly.
draw_times <- function(counts, window) {
  trial <- rep(row(counts), counts)
  neuron <- rep(col(counts), counts)
  time <- stats::runif(length(trial), 0, window)
  order <- order(trial, neuron, time)
  data.frame(
    trial = code_to_factor(trial[order], rownames(counts)),
    neuron = code_to_factor(neuron[order], colnames(counts)),
    time = time[order]
  )
}

# `expected`: neurons x orientations, expected number of spikes at a gain of 1. The gamma gain is
# integrated out: (1 + s^2 lambda)^(-1 / s^2), of which rounding makes 1 where s is small. Beyond
# these ends of s^2 it is what it is there, exp(-lambda) and 1.
spike_model <- function(expected, gain_sd) {
  variance <- min(max(gain_sd^2, 1e-150), 1e150)
  silent <- exp(-log1p(variance * expected) / variance)
  names <- colnames(expected)
  item_probs <- lapply(seq_len(nrow(expected)), function(neuron) {
    rbind("0" = silent[neuron, ], "1" = 1 - silent[neuron, ])
  })
  item_probs <- stats::setNames(item_probs, rownames(expected))
  true_model(stats::setNames(rep(1 / length(names), length(names)), names), item_probs)
}

# Checks -------------------------------------------------------------------------------------------

# A row for each spike.
check_n_spikes <- function(expected, call = rlang::caller_env()) {
  if (!isTRUE(expected <= 1e8)) {
    abort_mdpd(
      c("{.arg peak}, {.arg baseline} and {.arg window} must give fewer spikes: at most 1e8, which
         take some 4 GB and a minute.",
        x = "They give about {signif(expected, 2)}."),
      class = "argument", call = call
    )
  }
}
