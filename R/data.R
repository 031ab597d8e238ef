#' Fitness for anaesthesia, graded by five anaesthetists
#'
#' Five anaesthetists graded 45 patients for fitness to undergo a general anaesthetic, from a form
#' that was filled in for each patient. The first anaesthetist saw all the forms three times, weeks
#' apart; the others saw them once. It is the data set by which Dawid and Skene introduced the
#' estimation of observers' error rates without a known truth.
#'
#' Anaesthetist 1 is one worker with three labels a patient, which all count, see `duplicates` in
#' [crowd_labels()].
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
#' doctors <- crowd_labels(anaesthetists, "patient", "anaesthetist", "grade", duplicates = "count")
#' doctors
#' # Dawid and Skene's estimate of how often doctor 1 is right
#' fit <- mdpd(doctors, k = 4, prior = 0)
#' round(confusion(fit, "1"), 2)
"anaesthetists"

#' Votes of the House of Representatives in 1984
#'
#' How the 435 members of the United States House of Representatives stood on 16 votes that the
#' *Congressional Quarterly Almanac* chose as the key votes of 1984, and their party. `"y"` is voted
#' for, paired for or announced for; `"n"` the same against; `NA` is everything else: voted present,
#' did not vote, made no position known. It is the table known as `HouseVotes84`, with the votes
#' named.
#'
#' @format A data frame with 435 rows, one for each member, and 17 factor columns, of whose vote
#'   cells 392 are missing:
#' * `party`: `"democrat"` (267) or `"republican"` (168);
#' * `handicapped_infants`, `water_project` (cost sharing), `budget_resolution` (adoption),
#'   `physician_fee_freeze`, `el_salvador_aid`, `religion_in_schools` (religious groups),
#'   `satellite_test_ban` (anti-satellite weapons), `contras_aid` (Nicaragua), `mx_missile`,
#'   `immigration`, `synfuels_cutback`, `education_spending`, `superfund_right_to_sue`, `crime`,
#'   `duty_free_exports`, `south_africa_exports` (Export Administration Act): `"n"` or `"y"`.
#' @source *Congressional Quarterly Almanac*, 98th Congress, 2nd session 1984, volume XL (1985),
#'   tabulated by Schlimmer (1987) for the UCI Machine Learning Repository, Congressional Voting
#'   Records, \doi{10.24432/C5C01P}, licence CC BY 4.0. The votes are on the public record.
#' @examples
#' with(house_votes, table(party, physician_fee_freeze, useNA = "ifany"))
#'
#' votes <- house_votes[-1]
#' table(house_votes$party, predict(stagewise_em(votes, k = 2)))
"house_votes"
