# Builds data/house_votes.rda. Run from the root of the package, with the package mlbench installed:
#   Rscript data-raw/house_votes.R
#
# The table is HouseVotes84 of mlbench, which has it from the UCI Machine Learning Repository,
# doi:10.24432/C5C01P: votes on the public record. The columns get the names of UCI's documentation,
# shortened; mlbench calls them V1 to V16.

roll_calls <- c(
  "handicapped_infants", "water_project", "budget_resolution", "physician_fee_freeze",
  "el_salvador_aid", "religion_in_schools", "satellite_test_ban", "contras_aid", "mx_missile",
  "immigration", "synfuels_cutback", "education_spending", "superfund_right_to_sue", "crime",
  "duty_free_exports", "south_africa_exports"
)

utils::data("HouseVotes84", package = "mlbench", envir = environment())
house_votes <- stats::setNames(HouseVotes84, c("party", roll_calls))

save(house_votes, file = "data/house_votes.rda", version = 2, compress = "xz")
