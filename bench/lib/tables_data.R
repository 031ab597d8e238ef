# The real tables of bench/tables.R: data sets of packages, as factors, rows with missing values
# kept. A table says of which package it is in the attribute "package".

# Makes the items of each data set. A function takes the data set as its package has it.
table_makers <- list(
  poLCA = list(
    carcinoma = identity, cheating = function(x) x[1:4], election = function(x) x[1:12],
    gss82 = identity, values = identity
  ),
  mlbench = list(
    BreastCancer = function(x) x[2:10], HouseVotes84 = function(x) x[-1],
    Servo = function(x) x[1:4], Soybean = function(x) x[-1], Zoo = function(x) x[-17]
  ),
  FactoMineR = list(
    hobbies = function(x) x[1:18], poison = function(x) x[3:15], tea = function(x) x[1:18]
  ),
  MASS = list(
    Aids2 = function(x) x[c("state", "sex", "status", "T.categ")],
    birthwt = function(x) x[c("low", "race", "smoke", "ptl", "ht", "ui", "ftv")],
    Cars93 = function(x) {
      x[c("Type", "AirBags", "DriveTrain", "Cylinders", "Man.trans.avail", "Origin")]
    },
    housing = function(x) one_row_each(x, x$Freq)[1:4],
    minn38 = function(x) one_row_each(x, x$f)[1:4],
    quine = function(x) x[1:4], shuttle = identity,
    survey = function(x) x[c("Sex", "W.Hnd", "Fold", "Clap", "Exer", "Smoke", "M.I")]
  ),
  datasets = list(
    esoph = function(x) {
      both <- rbind(cbind(x[1:3], case = TRUE), cbind(x[1:3], case = FALSE))
      one_row_each(both, c(x$ncases, x$ncontrols))
    },
    HairEyeColor = function(x) of_counts(x),
    infert = function(x) x[c("education", "parity", "induced", "case", "spontaneous")],
    mtcars = function(x) x[c("cyl", "vs", "am", "gear", "carb")],
    Titanic = function(x) of_counts(x), UCBAdmissions = function(x) of_counts(x)
  ),
  vcd = list(PreSex = function(x) of_counts(x), Rochdale = function(x) of_counts(x)),
  ade4 = list(banque = identity)
)

# A row for each one counted.
one_row_each <- function(x, count) x[rep(seq_len(nrow(x)), count), ]

of_counts <- function(counts) {
  cells <- as.data.frame(counts)
  one_row_each(cells, cells$Freq)[seq_along(dim(counts))]
}

read_table <- function(name, package) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  x <- as_factors(as.data.frame(table_makers[[package]][[name]](place[[name]])))
  rownames(x) <- NULL
  structure(x, package = package)
}

# All tables of installed packages, by name.
real_tables <- function() {
  installed <- vapply(names(table_makers), requireNamespace, NA, quietly = TRUE)
  if (!all(installed)) {
    message("Left out, not installed: data of ", toString(names(table_makers)[!installed]))
  }
  tables <- lapply(names(table_makers)[installed], function(package) {
    names <- names(table_makers[[package]])
    stats::setNames(lapply(names, read_table, package = package), names)
  })
  unlist(tables, recursive = FALSE)
}
