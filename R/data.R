#' Fitness for anaesthesia, graded by five anaesthetists
#'
#' Five anaesthetists graded 45 patients for fitness to undergo a general anaesthetic, from a form
#' that was filled in for each patient. The first anaesthetist saw all the forms three times, weeks
#' apart; the others saw them once. It is the data set by which Dawid and Skene introduced the
#' estimation of observers' error rates without a known truth.
#'
#' To fit it, leave out or keep apart the repeated sessions: a worker may label an item once.
#'
#' @format A data frame with 315 rows, one for each grade given, and 4 integer columns:
#' * `patient`: 1 to 45;
#' * `anaesthetist`: 1 to 5;
#' * `session`: 1 to 3 for anaesthetist 1, else 1;
#' * `grade`: 1 to 4, an ordered scale.
#' @source Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the
#'   EM algorithm, *Applied Statistics* 28, 20-28, Table 1. \doi{10.2307/2346806}
#' @family crowds
#' @examples
#' with(anaesthetists, table(anaesthetist, grade))
#'
#' # every session a worker of its own
#' anaesthetists$worker <- with(anaesthetists, paste(anaesthetist, session, sep = "."))
#' crowd_labels(anaesthetists, item = "patient", worker = "worker", label = "grade")
"anaesthetists"
