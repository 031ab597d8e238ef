# Words of help, vignettes, NEWS, README and DESCRIPTION that no dictionary has, but for those of
# inst/WORDLIST. Fails if there are any.
misspelled <- spelling::spell_check_package(".")
if (nrow(misspelled) > 0) {
  print(misspelled)
  quit(status = 1)
}
