#' Stagewise EM for sparse mixtures of categorical data
#'
#' Learns a mixture of product distributions (a latent class model) in which only some items differ
#' between the components. The fit starts from one component; each stage finds the two items whose
#' dependence the mixture explains worst, makes them informative, splits a component along them and
#' does EM on the informative items. There are no random starts: the same data give the same answer.
#' With four components or more, up to 20,000 rows and with the polish, the fit also grows from one
#' component by the best of all splits, each refined to the end, and the better of the two stays.
#' By evidence and with full refinement, a table of up to 10,000 cells is fitted with every smaller
#' number of components first, each also by splitting the one before, and has the same fit whichever
#' numbers are asked for.
#' Where each different row occurs twice or more on average, only the different rows are computed
#' with, each with the weight of its copies: time and the numbers of rows named here are then
#' theirs.
#'
#' By evidence, the default, there is a second start for what the stages cannot see: clusters of the
#' rows by correspondence analysis, up to 20,000 rows, or, for a crowd with one component a label,
#' the majority vote with all workers alike. By BIC only a crowd has a second start, the majority
#' vote, and that where the fit was split at a pair that is not significant, as where workers share
#' few items. The better end stays. By evidence, a crowd of up to 20,000 labels keeps the end that
#' EM comes to from the vote, with all workers counted, unless another end has a component for each
#' label and more evidence by 3 nats and log K!, the number of ways to name K components: away from
#' the vote the answers do not say which component is which label. Of more labels, or of more than
#' 8,000 cells in all columns, a better end is looked for only from above that one. Where all
#' columns end the same though answers to one item agree above chance, EM goes on from workers who
#' are all right as often.
#'
#' By evidence, EM ends, but for crowds, with E-steps that discount what is not known of the columns
#' of small components, see `vignette("method")`: else these draw rows from large ones.
#'
#' By evidence, where one component has more of it than `k`, there is one component: it is what
#' independent items give. The evidence has to pay for every probability, though, and where each of
#' many items tells a little, rows can be told apart better than at random before that pays. So for
#' data of up to 20,000 rows whose weights are counts the largest roots of what the rows have in
#' common, as in correspondence analysis, are compared with those of independent items: where at
#' most 5 % of the cells are missing the first by its law (El Karoui 2007,
#' \doi{10.1214/009117906000000917}; Lee and Schnelli 2016, \doi{10.1214/16-AAP1193}), which at most
#' one table of independent items in a hundred is above, and up to 50,000 cells the sum of the first
#' `k - 1` with those of 66 tables in which the answers to every item are shuffled, which one in 67
#' is above. Where they are larger, the `k` components asked for are shown, from EM that begins with
#' the leading scores, with a warning (`mdpd_warning_independent`) and without informative items. Of
#' several `k` the best is still the one with most evidence.
#'
#' With `refine = "full"` the highest likelihood is looked for. Up to 50,000 cells (rows, or
#' different rows, times items) there are also 50 random starts, whose numbers come from the data
#' alone: the ten that are best after 20 iterations are carried on and polished (Biernacki, Celeux
#' and Govaert 2003, \doi{10.1016/S0167-9473(02)00163-9}).
#'
#' @param x The data, n_obs rows and n_items columns: a matrix or a data frame (tibble, data.table)
#'   whose columns are factors, characters, whole numbers or logicals, in any mixture; a
#'   [crowd_labels()] object (rows are its items, columns its workers); or a one-sided formula
#'   naming columns of `data`, such as `~ a + b` or `~ .`. `NA` is missing; no row is dropped.
#' @param k Number of components, a whole number from 1 to the number of rows; or several, such as
#'   `1:6`: then the fit with most evidence is returned, or, for fits without, the one with the
#'   highest penalised log-likelihood; the others are in its `path`, see [choose_k()]. Those of
#'   several that are above the number of rows are left out.
#' @param ... For a formula: the arguments below. Otherwise not used; must be empty.
#' @param data For a formula: the data frame its names are looked up in, or a design of the package
#'   survey, see Survey designs.
#' @param method `"robust"`, the default, selects pairs by a significance test and chooses the
#'   length of a split by search; `"paper"` does what the paper describes.
#' @param refine What follows the stages: `"sparse"`, the default, does EM on the evidence, or
#'   another `criterion` of [stagewise_control()], which also decides which items are informative;
#'   `"full"` does ordinary EM on all items; `"none"` leaves the result of the stages.
#' @param missing What a missing value means. `"ignore"`, the default: missing at random, tables use
#'   what is observed. `"frozen"`: as in the paper, one more level with the same probability in
#'   every component, which also counts when pairs are compared. `"level"`: an answer like any
#'   other, named `"(missing)"`. `"fail"`: an error.
#' @param weights Case weights, a non-negative finite number for every row; a row of weight 2 counts
#'   like two equal rows, and their sum, from 1 to 1e15, like the number of rows. Default: all 1.
#'   With a formula it is looked up in `data` first, such as `weights = Freq` for the data frame of
#'   a [table()]; the dot of `~ .` leaves that column out. Or a design of the package survey, see
#'   Survey designs.
#' @param known For crowds with as many components as labels: true labels of some items (gold
#'   questions), as a vector with one value or `NA` an item, or a vector named by item ids. These
#'   items keep their class in a last refinement.
#' @param control Settings of the algorithm, see [stagewise_control()].
#' @param keep_data Keep the coded data (one byte a cell) in the fit, so that [information()],
#'   [refine()] and plots need no data again? Default `TRUE`.
#' @param search_rows Rows that the search has, a count of at least 1000: the stages, the polish and
#'   the other starts. Of more rows they have a sample, by a hash of the rows' numbers, and EM goes
#'   on over all rows; see 'Rows in a store'. `NULL`, the default, is 131,072 of a [row_store()] and
#'   all of rows in memory; of a table of \eqn{M} above 2000 items, in memory too, it is
#'   \eqn{131072 (2000 / M)^2}, but no fewer than 4096, as the search goes over all pairs of items.
#' @param verbose Show a progress bar when the fit takes long? Default: in interactive sessions.
#'
#' @return A list of class `c("stagewise_em", "mdpd")`:
#'   \item{k}{number of components found}
#'   \item{mixing_weights}{k probabilities, decreasing}
#'   \item{item_probs}{for each item a levels x k matrix; columns sum to 1. Items that are not
#'     informative have the same column k times.}
#'   \item{informative}{names of the items whose columns differ, in the order they joined; by
#'     evidence those that differ with a probability of 0.01 or more under the learned prior, in the
#'     order of the data, of which [informative()] names the surest}
#'   \item{item_information}{mutual information of each item with the component (nats)}
#'   \item{item_evidence}{the log-likelihood that each informative item gains, on the rows that
#'     observe it, by differing between the components, minus its BIC penalty \eqn{\frac12
#'     (K-1)(R_i-1) \log N_i}{1/2 (K-1)(R_i-1) log N_i} (nats); 0 for the others. By evidence: the
#'     log Bayes factor of differing, as far as the prior has it, against one column. Pictures,
#'     prints and [worker_quality()] put items in this order.}
#'   \item{evidence, inclusion, item_prior}{by evidence, else `NULL`: the log marginal likelihood,
#'     up to approximation (nats), for each item the probability that it differs between the
#'     components, and the learned weights of one column (`"same"`), of each concentration of
#'     columns around the item's frequencies and, for a crowd, around the crowd's answers
#'     (`"crowd"`) and of workers of one accuracy (`"accuracy"`); they sum to 1. The inclusion is
#'     meant to be calibrated: of the items with an inclusion near p about a share p differs, see
#'     `vignette("method")`. Where differences are of all sizes, "differs" is by roughly half a
#'     logit or more (in 300 rows): many items with a small inclusion differ by less}
#'   \item{item_shares, crowd_probs}{by evidence, else `NULL`: for each item its posterior
#'     probability of each of these (n_items x weights, rows sum to 1); for a crowd what it answers
#'     in each component (labels x k, columns sum to 1), the centre of its workers}
#'   \item{posterior}{n_obs x k posterior probabilities; rows sum to 1}
#'   \item{classification}{k x k shares of all rows, which sum to 1: of the rows whose most probable
#'     component is the row's, the part that is expected to be of the column's. A row has drawn its
#'     component's estimates to itself, so that its own posterior is too sure, the more so the fewer
#'     rows tell of an item. So by evidence, but of a crowd, these are the rows' *held-out*
#'     posteriors, with each row's own answers taken out of the estimates (as in collapsed Gibbs
#'     sampling: Griffiths and Steyvers 2004, \doi{10.1073/pnas.0307752101}; formula in
#'     `vignette("method")`); else the posterior}
#'   \item{loglik, penalised_loglik}{log-likelihood of all items, and the same minus the BIC penalty
#'     of each informative item and of the mixing weights (nats)}
#'   \item{df, nobs}{number of free parameters; sum of the case weights, but of the
#'     rows in `no_answer`, which count in no sum}
#'   \item{n_obs, n_missing, n_known, weights}{numbers of rows, of missing cells and of `known`
#'     classes; the case weights, or `NULL` where all are 1}
#'   \item{no_answer}{numbers of the rows without any answer or `known` class, or `NULL`
#'     where there are none or of a store}
#'   \item{trace}{data frame with a row for every stage, every EM iteration of the refinement and
#'     every accepted move of the polish: `stage`, `phase` (`"stage"`, `"grow"` where a component is
#'     added to a fit with one less, `"refine"`, `"polish"`), `move` (`"split"`, `"split-merge"`,
#'     `"merge-split"`, `"row"`, by BIC also `"items"` and `"smoothing"`, see `smoothing_loss` in
#'     [stagewise_control()], or `"vote"`, `"penalised"` (where the search by BIC ends, of tables
#'     with no more rows than items), `"correspondence"` and `"scattered"` (at random) where that
#'     was the better start, or `"majorities"`, see *Majorities that are overruled*),
#'     `k`, the pair `item_1`, `item_2` and the `component` (numbered as they were born: a split
#'     gives the next number, a merge of `merged_1` and `merged_2` takes away the second and moves
#'     those after it up; after another start they begin anew), the largest conditional
#'     `information` of the pairs searched before the stage (nats: after the first stage those of
#'     two items that showed nothing may be left out), the pair's corrected `p_value`,
#'     `n_informative`, `loglik` (items outside the informative set at their observed frequencies),
#'     `loglik_all` (all items by component, as in the paper),
#'     `penalised_loglik`, by evidence `evidence`, and `split_length`}
#'   \item{born}{the number of each component in the `trace`}
#'   \item{search_rows}{rows of the sample that the search had; `NULL` where it had all. The `trace`
#'     then has the iterations over all rows only}
#'   \item{status, converged}{how the fit ended: `"converged"`, `"iteration_limit"`, `"stage_limit"`
#'     (stages only, none left), `"search_limit"` (converged, and the search for a better optimum
#'     was ended, see `polish` in [stagewise_control()]) or `"fewer_components"`; and whether that
#'     is a converged fit}
#'   \item{path}{when several `k` were asked for: the table described in [choose_k()]}
#'   \item{method, refine, missing, control, call, version}{how it was made}
#'   \item{smoothing}{pseudo-count of each item in each component with which the probabilities were
#'     estimated, see `smoothing_loss` in [stagewise_control()]; 0 by evidence, whose probabilities
#'     are posterior means}
#'   \item{coded}{the coded data, or `NULL`}
#'   \item{asked, data_hash}{what was asked for, and a hash of data that are not kept, for
#'     [fingerprint()]}
#'   \item{variable_labels}{what the items are about, strings named by item, where columns of the
#'     data have an attribute `label`; else `NULL`}
#'   \item{design}{of a survey design the clusters and strata or the replicate weights, else `NULL`}
#'   \item{labels}{the labels of a [crowd_labels()] fit, else `NULL`}
#'   \item{stands_for}{of a crowd in which several components stand for one label, or in which they
#'     have other names than their labels ([name_components()]): the label of each component, named
#'     by component; else `NULL`}
#'   \item{label_agreement}{of a crowd with more components than labels: the smallest share, from 0
#'     to 1, of a component's rows to which the fit with one component a label gives its label,
#'     among components of more than 1 % of the rows; else `NULL`}
#'   Components are ordered by decreasing mixing weight and named `"1"`, `"2"`, and so on. On crowd
#'   labels with `k` equal to the number of labels they carry the names of the labels they stand
#'   for, matched without knowing the truth.
#'
#' @section Several components a label:
#' Items of one label can be of several kinds, easy and hard ones say, and workers share the
#' mistakes they make with the hard ones. In a crowd fitted by evidence, components above the number
#' of labels stand for such kinds. They begin at the fit with one component a label: one of its
#' components is split in rows whose answers say its label and rows whose answers dispute it, each
#' component in turn, and what ends in most evidence stays. A kind keeps the label that it was split
#' from, unless another label got more than twice as many answers in it; by the same rule, with as
#' many components as labels, a kind of a common label is not given the name of a rare one.
#' Components that share a label have its name with a number, `"yes.1"` and `"yes.2"`, the larger
#' first. [predict()] and what is said of workers and items is of labels, each the sum over its
#' components; `predict(type = "component")` gives the components. `known` takes as many components
#' as labels.
#'
#' The evidence tells how many kinds there are; it does not tell that a kind has one label, or
#' which. So of several `k` a fit whose `label_agreement` is below 0.8 is not chosen: a message of
#' class `mdpd_message_unsure_labels` names those with more evidence. With one `k` that is yours to
#' judge.
#'
#' @section Majorities that are overruled:
#' In a crowd with one component a label, fitted by evidence, a component can be what workers answer
#' alike and no label: the hard items of two labels, say, where items of a label differ in how hard
#' they are. Such a fit overrules clear majorities, and many more of them than its own columns
#' explain if answers depend on the label alone. Majorities are counted among the informative
#' workers, who tell at least half as much as an answer does on average, and clear are more than two
#' thirds of three or more answers. Where more than 5 % of these are overruled, and more than 1.5
#' times the number expected and 3, EM goes on from the vote with all items held at the label of
#' more than half of these answers, and lets them go in its last step. The warning
#' `mdpd_warning_held_majorities` says so. Workers who copy each other can lead there as well: see
#' [copied_items()].
#'
#' @section Survey designs:
#' With a formula `data` may be a design made by `survey::svydesign()` or `survey::svrepdesign()`:
#' the items are looked up in its variables, of which the dot of `~ .` leaves out the clusters, the
#' strata and the weights. A design of replicate weights does not say which are its clusters and
#' strata: take them off by name, `~ . - psu`. A design may also be given as `weights`, one row for
#' each row of `x`. Its weights \eqn{w_n} are scaled to a sum of
#' \eqn{(\sum_n w_n)^2 / \sum_n w_n^2}{(sum w)^2 / sum w^2}, the number of rows with equal weights
#' of which shares vary as much (Kish 1965): so the evidence is neither that of the population nor
#' of more than was observed. What clusters add is not in it. The clusters of the first stage and
#' the strata, or the replicate weights, stay in the fit as `design`, and [standard_errors()] are
#' then robust by default.
#'
#' @section Errors and warnings:
#' Errors of class `mdpd_error_data` name the column that cannot be used (fractions, `NaN`, infinite
#' values, lists, dates, all missing, more than 254 levels) or say that the table is empty or has
#' one column; `mdpd_error_missing_value` names a column with a missing value where
#' `missing = "fail"`; errors of class `mdpd_error_argument` name the argument. Warnings:
#' `mdpd_warning_fewer_components` when the data show fewer components than asked for,
#' `mdpd_warning_not_converged` when the refinement reached `max_iter`,
#' `mdpd_warning_independent` when one component has more evidence, or without it the higher
#' penalised log-likelihood, see Details, and when [informative()] names no item of a table, where
#' the share of wrong classes was about twice what the posterior said,
#' `mdpd_warning_one_pair` when by evidence two items alone tell the components apart,
#' `mdpd_warning_held_majorities`, see *Majorities that are overruled*,
#' `mdpd_warning_copied_items` when items agree with each other far more than the classes explain,
#' see [copied_items()] and [combine_items()],
#' `mdpd_warning_unlinked_items` when no row answers items of two parts of a table, so that nothing
#' tells which classes of one part are which of the other,
#' `mdpd_warning_not_identified` when the components have more parameters than the table of their
#' items has cells to tell them from, or when, with at most 200 parameters, these can be moved
#' without any change of what the model says of answers (Goodman 1974,
#' \doi{10.1093/biomet/61.2.215}),
#' `mdpd_warning_sampling_weights` when `weights` without a design are no whole numbers, or are
#' rounded as those of a survey are: 10 or more in the mean of at least 100 rows, most of which
#' equal another of other weight,
#' `mdpd_warning_duplicated_items` when one item repeats another and independent items would hardly
#' by chance (in a thousandth of such tables),
#' `mdpd_warning_blank_level` when empty strings, or spaces alone, are taken for an answer,
#' `mdpd_warning_large_k` when some of several `k` are above the number of rows. With several `k` a
#' message of class `mdpd_message_largest_k` says that the best is the largest asked for, unless
#' components of that fit repeat each other, and one of class `mdpd_message_weak_classes` that by
#' evidence one component is chosen though the items hang together, so that the fits of others kept
#' theirs. A message of class `mdpd_message_search_limit` says that the search for a better optimum
#' was ended, see `polish` in [stagewise_control()], and one of class `mdpd_message_id_column`
#' names columns that have another value in each of ten rows or more.
#'
#' @section Input:
#' Levels may have any names and differ between items; a level that occurs in no row is not a
#' parameter. The order of factor levels is kept but has no meaning to the model. A constant item is
#' kept and never informative. Row names are kept; attributes of columns other than those named
#' below are not. Upper and lower case are different letters, in names, levels and choices.
#'
#' In columns as haven reads them (`haven_labelled`) the value labels are the levels, in the order
#' of the values; a value without a label is a level by itself; what the user has declared missing
#' (`na_values`, `na_range`, tagged values) is missing. Variable labels, the attribute `label`,
#' stand for the items in prints and pictures.
#'
#' @references
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#'
#' Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data
#' via the EM algorithm. *Journal of the Royal Statistical Society B* 39, 1-38.
#' \doi{10.1111/j.2517-6161.1977.tb01600.x}
#'
#' Kish, L. (1965). *Survey Sampling*. Wiley, New York: section 11.7.
#' @family fitting
#' @seealso [predict.mdpd()], [informative()], [plot.mdpd()], [summary.mdpd()].
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' fit
#' error_rate(fit, crowd$truth)
#'
#' # A data frame, by formula; a table of counts
#' stagewise_em(~ cyl + vs + am + gear + carb, k = 2, data = mtcars)
#' stagewise_em(~ ., k = 2, data = as.data.frame(Titanic), weights = Freq)
#' @export
stagewise_em <- function(x, k, ...) {
  check_given(x)
  UseMethod("stagewise_em")
}

#' @rdname stagewise_em
#' @export
stagewise_em.formula <- function(x, k, data, ..., weights = NULL) {
  table <- formula_table(x, data, rlang::enquo(weights))
  # Through the generic, so that errors show it as their call.
  fit <- stagewise_em(table$items, k, ..., weights = table$weights)
  fit$call <- match.call()
  fit$call[[1]] <- quote(stagewise_em)
  fit
}

#' @rdname stagewise_em
#' @export
stagewise_em.default <- function(x, k, ..., method = c("robust", "paper"),
                                 refine = c("sparse", "full", "none"),
                                 missing = c("ignore", "frozen", "level", "fail"),
                                 weights = NULL, known = NULL, control = stagewise_control(),
                                 keep_data = TRUE, search_rows = NULL,
                                 verbose = interactive()) {
  check_foreign_arguments(rlang::enexprs(...))
  rlang::check_dots_empty()
  check_is_column(rlang::enquo(weights), "weights")
  check_is_column(rlang::enquo(known), "known")
  method <- check_choice(method, c("robust", "paper"))
  refine <- check_choice(refine, c("sparse", "full", "none"))
  missing <- check_choice(missing, c("ignore", "frozen", "level", "fail"))
  check_control(control)
  check_flag(keep_data)
  check_search_rows(search_rows)
  check_flag(verbose)
  check_not_design(x)
  sample <- read_sample(weights)
  coded <- open_fit(x, k, sample$weights, missing, several = TRUE)
  warn_survey_weights(sample, coded)
  check_known(known, k, refine)
  known <- known_components(known, x, k)

  problem <- new_problem(coded, labels_of(x), known)
  ks <- if (length(k) > 1) k_within_rows(k, coded) else k
  settings <- new_settings(
    "grow", ks, method, refine, complete_control(control, method), verbose
  )
  call <- match.call()
  call[[1]] <- quote(stagewise_em)
  result <- run_engine(problem, settings, search_rows %||% rows_to_search_of(coded, x))
  fits <- result$fits
  about <- list(
    class = "stagewise_em", call = call, keep_data = keep_data, design = sample$design,
    search_rows = if (identical(result$reading, "sample")) result$n_search_rows
  )
  if (length(k) > 1) {
    return(new_path(fits, problem, settings, about))
  }
  fit <- new_mdpd(fits[[1]], problem, settings, about)
  warn_of_fit(fit, k, fits[[1]], coded)
  fit
}
