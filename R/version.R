# Of the code that runs: the files of the package may be another version's by now.
mdpd_version <- function() unname(getNamespaceVersion("mdpd"))
