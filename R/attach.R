# broom, attached after this package, would hide bootstrap() behind a deprecated function of its
# own. R's rules for conflicts leave that one out; broom::bootstrap() stays.

.onAttach <- function(libname, pkgname) { # nolint: object_name_linter.
  if (exports_bootstrap("broom")) {
    rule <- conflictRules("broom")
    conflictRules("broom", rule$mask.ok, union(rule$exclude, "bootstrap"))
  }
}

.onDetach <- function(libpath) { # nolint: object_name_linter.
  rule <- conflictRules("broom")
  kept <- setdiff(rule$exclude, "bootstrap")
  conflictRules("broom", rule$mask.ok, if (length(kept) > 0) kept)
}

# Told by its files: loading it takes longer than all of this package.
exports_bootstrap <- function(package) {
  path <- system.file(package = package)
  path != "" && "bootstrap" %in% parseNamespaceFile(package, dirname(path))$exports
}
