# Nobody reads what is printed, or the time that setTimeLimit() gave is over. Only the text of these
# errors, in the language of the session, tells.
is_of_session <- function(cnd) {
  texts <- c("ignoring SIGPIPE signal", "reached elapsed time limit", "reached CPU time limit")
  conditionMessage(cnd) %in% c(texts, gettext(texts, domain = "R"))
}

# The value of the code, or `otherwise` where that fails, unless by what is of the session.
value_or <- function(code, otherwise) {
  tryCatch(code, error = function(cnd) if (is_of_session(cnd)) stop(cnd) else otherwise)
}
