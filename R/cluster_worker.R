# What a process of a cluster does: it answers tasks about shards, of which it keeps some in memory.
#
# A task is a list:
#   version, fingerprint  of the mdpd that asks, and of its arithmetic
#   sums                  the question, raw, or NULL: only to know who is there
#   frame_name, frame     what is known of all rows: its checksum, and the raw itself or NULL
#   files                 of the shards asked for: `path`, `checksum` and `bytes` of each file
#   contents              a list of raw vectors named by checksum: files that the worker lacked
#   threads, memory       see stagewise_control() and stagewise_em()
# The answer is a list with one of:
#   sums     raw; NULL if nothing was asked
#   lacks    what the worker has not got: checksums of files, or "frame"
#   refused  a sentence: why it cannot take part
#   error    a condition

# Goes to the worker and is called there. It stands outside of this package, so that a worker
# without it, or with another version, can say so.
ask_worker <- `environment<-`(function(task) {
  found <- tryCatch(as.character(utils::packageVersion("mdpd")), error = function(cnd) "none")
  if (!identical(found, task$version)) {
    return(list(refused = paste0("It has mdpd ", found, " instead of ", task$version, ".")))
  }
  get("answer_task", envir = asNamespace("mdpd"))(task)
}, baseenv())

answer_task <- function(task) {
  reply_whole()
  if (!identical(arithmetic(), task$fingerprint)) {
    return(list(refused = "Its arithmetic is not the same to the last bit."))
  }
  if (is.null(task$sums)) {
    return(list(sums = NULL))
  }
  tryCatch(
    {
      if (!is.null(task$frame)) core_set_frame(task$frame)
      paths <- files_here(task$files, task$contents)
      lacks <- c(if (!core_has_frame(task$frame_name)) "frame", task$files$checksum[is.na(paths)])
      if (length(lacks) > 0) {
        return(list(lacks = lacks))
      }
      files <- list(path = paths, checksum = task$files$checksum)
      list(sums = with_shard_files(
        core_answer_task(task$sums, files, task$threads, task$memory), NULL
      ))
    },
    error = function(cnd) {
      # A copy that was damaged where it came from, or since, is asked for once more.
      sent <- sent_path(task$files$checksum)
      is_damaged <- sent %in% cnd[["file"]]
      if (!any(is_damaged)) {
        return(list(error = plain_error(cnd)))
      }
      unlink(sent[is_damaged])
      list(lacks = task$files$checksum[is_damaged])
    }
  )
}

# A few milliseconds, so once a process.
worker_state <- new.env(parent = emptyenv())

arithmetic <- function() {
  if (is.null(worker_state$fingerprint)) worker_state$fingerprint <- core_fingerprint()
  worker_state$fingerprint
}

# Where this process has each file: the path itself, or a copy of what was sent; NA where it has
# none. That it is the right one the engine sees by the checksum.
files_here <- function(files, contents) {
  for (name in names(contents)) keep_sent(contents[[name]], name)
  sent <- sent_path(files$checksum)
  paths <- ifelse(file.exists(sent), sent, files$path)
  size <- file.size(paths)
  is.na(paths) <- is.na(size) | size != files$bytes
  paths
}

# Where it cannot be kept, as in a folder that is gone or on a full disk, the file is lacking.
keep_sent <- function(content, checksum) {
  new <- tempfile("shard-")
  on.exit(unlink(new))
  try(suppressWarnings({
    writeBin(content, new)
    file.rename(new, sent_path(checksum))
  }), silent = TRUE)
}

sent_path <- function(checksum) file.path(tempdir(), paste0("mdpd-", checksum, ".bin"))

# Without what belongs to the worker's session.
plain_error <- function(cnd) {
  cnd$call <- NULL
  cnd$trace <- NULL
  cnd
}
