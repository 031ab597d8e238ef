#' Pictures of a fitted mixture
#'
#' `autoplot()` makes one picture as a ggplot object, to which layers, scales and themes can be
#' added; `plot()` draws it. Names that are too long for the picture are set in lines, and cut only
#' where these are full.
#'
#' * `"profiles"`: the item-response probabilities of the informative items by component, those with
#'   most evidence first: \eqn{P(X_i = r | Y = k)}{P(X_i = r | Y = k)}. Where no item is
#'   informative, the first items of the table are shown.
#'   Items of two levels share a panel where the others have levels of their own.
#'   For an item with more than ten levels that has a panel of its own, those that tell the
#'   components apart most are shown, and the sum of the others.
#' * `"lines"`: a line for each component through the items, in the order of the table: for items of
#'   two levels the probability of the second, for others the mean place of the answer among the
#'   levels, \eqn{\sum_r \frac{r - 1}{R - 1} P(X_i = r | Y = k)}{sum_r (r - 1) / (R - 1)
#'   P(X_i = r | Y = k)} with R levels, which is 0 where every answer is the first level and 1 where
#'   every answer is the last. It takes levels in their order for equal steps: leave out items
#'   without such an order by `items`. The subtitle names those whose levels stand in alphabetical
#'   order, as `factor()` leaves them. The usual picture of latent class analysis (Collins and Lanza
#'   2010).
#' * `"posterior"`: how sure the class of each row is. Rows are grouped by their predicted class,
#'   the surest first; the height of a colour is the posterior probability of that component. What
#'   is not in the colour of the predicted class,
#'   \eqn{1 - \max_k P(Y = k | x_n)}{1 - max_k P(Y = k | x_n)}, is the row's part of the expected
#'   error, by evidence a little less: the subtitle has that of held-out rows, see `classification`
#'   in [stagewise_em()]. Above 500 rows, neighbours are averaged.
#' * `"information"`: heat map of the conditional information of pairs of items (nats), the
#'   dependence that the mixture leaves unexplained, see [information()]. Informative items come
#'   first, in a frame, then the items with the strongest entries. The diagonal is left out. With
#'   `stage`, the same after some of the stages, items in the order in which they joined.
#' * `"trace"`: how the fit went. The log-likelihood per row (nats; for `method = "paper"` that of
#'   all items by component, as in the paper), the largest conditional information of a pair of
#'   items (nats; as found before the stage, so for the stages alone) and the number of items in
#'   use, the informative set S of the paper, against the stage, the iteration of the refinement and
#'   the move of the polish. Stages that split a component are marked. A caption says why where the
#'   polish lowers the log-likelihood.
#' * `"history"`: how the components came about, a line for each from the left to the right. A split
#'   starts the line of the new component below that of its parent, at the stage at which it was
#'   made, with the names of the two items whose dependence asked for it; where the polish merged
#'   components, the line of one ends in that of the other. The lines end at the components of the
#'   fit, in their colours. Those of ordinary EM, see [mdpd()], are there from the start. Where
#'   another start was better than the stages, their lines end before it, in grey, and those of its
#'   components follow.
#' * `"path"`: for a fit made with several `k`, how far each number of components is behind the best
#'   by the evidence or, without, the penalised log-likelihood, and by AIC and ICL (the last two
#'   halved, in nats), on the scale of log(1 + nats). Less than 3 nats, shaded, are no strong
#'   evidence (Kass and Raftery 1995); more need not be against more components, see [choose_k()].
#' * `"workers"`: for crowds, the estimated accuracy of each worker against the number of labels
#'   given, with intervals, see [worker_quality()]. Workers with the same number are spread a
#'   little; where all gave about as many they stand in order of accuracy. The informative workers
#'   whose labels tell most in all are named.
#' * `"confusion"`: for crowds, what workers say to items of each class, see [confusion()]; the most
#'   informative workers by default. Grey: a class with less than half an expected item.
#'
#' Items whose columns have a variable label, the attribute `label`, are shown by it.
#'
#' Components have the colours of Okabe and Ito (2008), continuous scales are perceptually uniform:
#' both can be read by the colour-blind and in grey.
#'
#' @param object,x A fitted mixture, see [stagewise_em()]. A true model of [simulate_crowd()] has
#'   profiles, and an information for given data, but no trace and no posterior.
#' @param type One of `"profiles"`, `"lines"`, `"posterior"`, `"information"`, `"trace"`,
#'   `"history"`, `"path"`, `"workers"`, `"confusion"`; by default the first.
#' @param component For `type = "information"`: name or number of the component to look into; by
#'   default, `NULL`, the mean over all components by their weight.
#' @param newdata For `type = "information"`: data frame, matrix or crowd labels with the items
#'   of the fit; by default, `NULL`, the training data. Rows have the weights that they have in
#'   [information()].
#' @param max_items The largest number of items shown, at least 2; by default, `NULL`, 60 for
#'   `"information"` and `"lines"`, 20 for `"profiles"` and 12 workers for `"confusion"`. The
#'   subtitle says how many are left out.
#' @param items For `type = "profiles"` and `"lines"`: names of the items to show, in this order; by
#'   default, `NULL`, the informative ones.
#' @param workers For `type = "confusion"`: ids of the workers to show, in this order; by default,
#'   `NULL`, the most informative.
#' @param stage For `type = "information"`: numbers of stages, from 0 (one component) to the number
#'   of stages of the fit, for a panel each: how the informative set grows and what it explains. By
#'   default, `NULL`, the fit itself. The stages are done again for it.
#' @param ... For `autoplot()`: must be empty. For `plot()`: arguments passed on to `autoplot()`.
#' @return `autoplot()` returns a ggplot object; `plot()` draws it and returns it invisibly.
#' @section Errors:
#' `mdpd_error_argument` for an argument out of range, or of another type of picture,
#' `mdpd_error_not_stored` when the model does not hold what the picture shows, such as the
#' posterior of a true model. For pictures of workers also `mdpd_error_not_a_crowd`,
#' `mdpd_error_no_data` and, for their accuracy, `mdpd_error_unnamed_components`, see
#' [worker_quality()].
#' @references Collins, L. M. and Lanza, S. T. (2010), *Latent Class and Latent Transition
#'   Analysis*. \doi{10.1002/9780470567333}. Kass and Raftery (1995), Bayes factors, *Journal of the
#'   American Statistical Association* 90, 773-795. \doi{10.1080/01621459.1995.10476572}. Okabe and
#'   Ito (2008), Color Universal Design. Zhao and Zucker, Stagewise Learning for Sparse Clustering
#'   of Discretely-Valued Data, figures 3 and 4.
#' @family diagnostics
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 12, n_labels = 3, seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' plot(fit)
#' plot(fit, type = "history")
#' survey <- stagewise_em(~ cyl + vs + am + gear + carb, k = 2, data = mtcars)
#' plot(survey, type = "lines", items = c("cyl", "vs", "am", "gear", "carb"))
#' autoplot(fit, type = "posterior") + ggplot2::labs(title = "My crowd")
#' @name plot.mdpd
NULL

#' @rdname plot.mdpd
#' @export
autoplot.mdpd <- function(object, type = c("profiles", "lines", "posterior", "information", "trace",
                                           "history", "path", "workers", "confusion"),
                          component = NULL, newdata = NULL, max_items = NULL, workers = NULL,
                          stage = NULL, items = NULL, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("profiles", "lines", "posterior", "information", "trace", "history",
                               "path", "workers", "confusion"))
  check_of_type(
    list(component = component, newdata = newdata, max_items = max_items, workers = workers,
         stage = stage, items = items),
    of = picture_arguments, type
  )
  check_component(component, object)
  if (!is.null(max_items)) check_count(max_items, min = 2)
  newdata <- show_column_labels(newdata, object)
  object <- show_variable_labels(object)
  switch(
    type,
    profiles = plot_profiles(object, items, max_items),
    lines = plot_lines(object, items, max_items),
    posterior = plot_posterior(object),
    information = plot_information(object, component, newdata, max_items, stage),
    trace = plot_trace(object),
    history = plot_history(object),
    path = plot_path(object),
    workers = plot_workers(object),
    confusion = plot_confusion(object, workers, max_items)
  )
}

# The types of pictures that each argument is of.
picture_arguments <- list(
  component = "information", newdata = "information", stage = "information",
  max_items = c("profiles", "lines", "information", "confusion"), workers = "confusion",
  items = c("profiles", "lines")
)

#' @rdname plot.mdpd
#' @export
plot.mdpd <- function(x, ...) draw_picture(autoplot(x, ...))

#' @importFrom ggplot2 autoplot
#' @export
ggplot2::autoplot

#' @importFrom rlang .data
NULL
