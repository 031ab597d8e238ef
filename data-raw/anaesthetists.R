# Builds data/anaesthetists.rda. Run from the root of the package:
#   Rscript data-raw/anaesthetists.R
#
# The ratings of Dawid and Skene (1979), Table 1, doi:10.2307/2346806: a published table of facts.
# A line is a patient; the columns are the anaesthetists 1 to 5, and the three digits of
# anaesthetist 1 are the three sessions.
#
# Checked against three other transcriptions: two agree in all 315 grades; the one in version 1.3.2
# of the R package rater has grade 1 for patient 7 in session 2, where the others have 2.

table_1 <- "
 1 111 1 1 1 1
 2 333 4 3 3 4
 3 112 2 1 2 2
 4 222 3 1 2 1
 5 222 3 2 2 2
 6 222 3 3 2 2
 7 122 2 1 1 1
 8 333 3 4 3 3
 9 222 2 2 2 3
10 232 2 2 2 3
11 444 4 4 4 4
12 222 3 3 4 3
13 111 1 1 1 1
14 222 3 2 1 2
15 121 1 1 1 1
16 111 2 1 1 1
17 111 1 1 1 1
18 111 1 1 1 1
19 222 2 2 2 1
20 222 1 3 2 2
21 222 2 2 2 2
22 222 2 2 2 1
23 222 3 2 2 2
24 221 2 2 2 2
25 111 1 1 1 1
26 111 1 1 1 1
27 232 2 2 2 2
28 111 1 1 1 1
29 111 1 1 1 1
30 112 1 1 2 1
31 111 1 1 1 1
32 333 3 2 3 3
33 111 1 1 1 1
34 222 2 2 2 2
35 222 3 2 3 2
36 433 4 3 4 3
37 221 2 2 3 2
38 232 3 2 3 3
39 333 3 4 3 2
40 111 1 1 1 1
41 111 1 1 1 1
42 121 2 1 1 1
43 232 2 2 2 2
44 121 1 1 1 1
45 222 2 2 2 2
"

patients <- utils::read.table(text = table_1, colClasses = c("integer", rep("character", 5)))
grades <- as.matrix(patients[-1])

anaesthetists <- data.frame(
  patient = rep(patients[[1]], each = 7),
  anaesthetist = rep(c(1L, 1L, 1L, 2:5), times = 45),
  session = rep(c(1:3, 1L, 1L, 1L, 1L), times = 45),
  grade = as.integer(unlist(strsplit(t(grades), "")))
)

save(anaesthetists, file = "data/anaesthetists.rda", version = 2, compress = "bzip2")
