# The folder of a store of rows: its manifest, the names of its files, and who may write.
#
# A store is what its manifest says, a plain list (`manifest.rds`):
#   format         version of the format, 1
#   package        version of mdpd that wrote it
#   kind           "table" or "crowd"
#   shard_rows     rows of each shard but the last, a power of two
#   items          names of the items: columns of a table, workers of a crowd
#   levels         per item its levels, a list named by item; of a crowd the labels, once for all
#   types          per item what its values were: "logical", "integer", "double", "character",
#                  "factor" or "labelled"; of a crowd those of `worker` and `label`
#   duplicates     of a crowd, see crowd_labels()
#   variable_labels
#                  strings named by item, of the items that have one, or NULL
#   columns        what the columns were called: `id` and `weights`, or `item`, `worker` and `label`
#   counts         double, the weighted count of every level, item by item
#   n_unweighted   of a table how many cells have a value that no row with weight has, so that it is
#                  no level; NULL in stores that were made before they were counted
#   weights        list: `given`; of those above 0 the `smallest` and the `largest`; `sum`; and
#                  `unit`, the largest power of two of which all of them are whole multiples
#   has_ids        do rows have ids?
#   shards         data frame, a row for each shard: `file`, `rows`, `answers`, how many of these
#                  are `repeats` of a row's answer to an item, `most_repeats` of one, `is_dense`,
#                  `weight` (the sum), `rows_hash` (see fingerprint.R), `bytes`, `checksum`;
#                  `ids_file` and `ids_checksum`, NA where rows have no ids; of a crowd, the
#                  smallest and largest hash of its ids; and `known`, the number of rows whose
#                  label is known, with the hash of its rows that counts these, `known_hash`
#   next_number    of the next file
#
# A file that a manifest names never changes; what is written anew gets a new name, and the manifest
# comes last, by a rename. So whoever opens the folder finds the old store or the new one. Files
# that no manifest names are removed by the next one who writes.

format_of_stores <- 1L

manifest_path <- function(path) file.path(path, "manifest.rds")
spool_path <- function(path) file.path(path, "spool")
lock_path <- function(path) file.path(path, "lock")

shard_name <- function(number) sprintf("shard-%06d.bin", as.integer(number))
ids_name <- function(number) sprintf("ids-%06d.rds", as.integer(number))

# Files of a store, whether a manifest names them or not.
list_store_files <- function(path) {
  dir(path, "^((shard|ids)-[0-9]+[.](bin|rds)|manifest([.]new)?[.]rds)$")
}

# Manifest -----------------------------------------------------------------------------------------

# What its reader would refuse never takes the place of what it reads.
write_manifest <- function(manifest, path, call = rlang::caller_env()) {
  if (!is_manifest(manifest)) {
    abort_mdpd(
      c("{.file {path}} is left as it was: what was to be written is no manifest.",
        i = "This is a mistake of mdpd; please report it."),
      class = "damaged", call = call
    )
  }
  new <- file.path(path, "manifest.new.rds")
  save_checked(manifest, new)
  rename_file(new, manifest_path(path))
}

# As saveRDS(), which says nothing of a disk that is full when the file is closed. Fast to write and
# to read: ids do not compress much.
save_checked <- function(x, file) {
  con <- gzfile(file, "wb", compression = 1)
  tryCatch(value_or(suppressWarnings(saveRDS(x, con)), NULL), finally = close(con))
  saved <- value_or(suppressWarnings(read_checked(file)), NULL)
  if (!identical(saved, x)) abort_unwritable(file)
}

# As readRDS(), which on bytes that were changed may end R or ask for any amount of memory: none are
# unserialised before they are known to be those that were written, by the checksum and the length
# at the end of a gzip file. R looks at these only where the content seems to be complete.
read_checked <- function(file) {
  trailer <- utils::tail(readBin(file, "raw", file.size(file)), 8)
  written <- readBin(trailer, "integer", 2, endian = "little") %% 2^32
  bytes <- if (length(written) == 2) unzipped(file, written[2])
  if (!identical(written, c(core_crc32(as.raw(bytes)), length(bytes)))) {
    stop("Its content is not what was written", call. = FALSE)
  }
  unserialize(bytes)
}

# At most a part more than `n` bytes: a device has no end.
unzipped <- function(file, n) {
  con <- gzfile(file, "rb")
  on.exit(close(con))
  parts <- list()
  while (sum(lengths(parts)) <= n && length(part <- readBin(con, "raw", 2^20)) > 0) {
    parts <- c(parts, list(part))
  }
  as.raw(unlist(parts))
}

# What R says of it does not name the file that the user asked for.
while_writing <- function(code, file, call) {
  abort <- function(cnd) abort_unwritable(file, call)
  tryCatch(code, error = abort, warning = abort)
}

rename_file <- function(from, to, call = rlang::caller_env()) {
  if (!suppressWarnings(file.rename(from, to))) abort_unwritable(to, call)
}

abort_unwritable <- function(file, call = rlang::caller_env()) {
  abort_mdpd(
    c("File {.file {file}} cannot be written.", i = "Is the disk full, or the folder read-only?"),
    class = "file", call = call
  )
}

read_manifest <- function(path, call = rlang::caller_env()) {
  if (!file.exists(manifest_path(path))) {
    abort_damaged_file(manifest_path(path), "It is not there", call)
  }
  manifest <- tryCatch(
    suppressWarnings(read_checked(manifest_path(path))),
    error = function(cnd) abort_damaged_file(manifest_path(path), conditionMessage(cnd), call)
  )
  if (!has_named_fields(manifest) || !is_whole_number(manifest$format)) {
    abort_damaged_file(manifest_path(path), "It is no manifest", call)
  }
  if (manifest$format != format_of_stores) {
    abort_mdpd(
      c("{.file {path}} must be a store of this version of mdpd.",
        x = "It was written by mdpd {manifest$package}, in format {manifest$format} instead of
             {format_of_stores}.",
        i = "Make it again by {.fn row_store}."),
      class = "file", call = call
    )
  }
  if (!is_manifest(manifest)) abort_damaged_file(manifest_path(path), "It is no manifest", call)
  # Stores that were made before did not count what was given again, and had no known labels.
  manifest$shards$repeats <- manifest$shards$repeats %||% 0
  if (is.null(manifest$shards$known)) {
    manifest$shards$known <- 0
    manifest$shards$known_hash <- manifest$shards$rows_hash
  }
  manifest
}

# Of the store that is there; NULL where there is none, or none that can be read.
old_manifest <- function(path) {
  if (!file.exists(manifest_path(path))) {
    return(NULL)
  }
  tryCatch(read_manifest(path), mdpd_error = function(cnd) NULL)
}

# What `read()` gives, again where it failed while another process wrote to the store.
read_settled <- function(path, read) {
  written <- tools::md5sum(manifest_path(path))
  tryCatch(read(), mdpd_error = function(cnd) {
    if (identical(tools::md5sum(manifest_path(path)), written)) rlang::cnd_signal(cnd)
    read_settled(path, read)
  })
}

new_row_store <- function(path, manifest) {
  structure(
    list(path = normalizePath(path, "/"), manifest = manifest), class = "row_store"
  )
}

abort_damaged_file <- function(file, problem, call) {
  if (is_replaced(file)) abort_outdated(file, call)
  abort_mdpd(
    c("File {.file {file}} is damaged or missing.", x = "{problem}.",
      i = "Make the store again by {.fn row_store}, or put back a copy of the file."),
    class = "damaged_shard", call = call, file = file
  )
}

# Is it a file that the store, as it is now, has no longer?
is_replaced <- function(file) {
  manifest <- if (basename(file) != basename(manifest_path(""))) old_manifest(dirname(file))
  !is.null(manifest) && !basename(file) %in% c(manifest$shards$file, manifest$shards$ids_file)
}

abort_outdated <- function(file, call) {
  path <- dirname(file)
  abort_mdpd(
    c("The store object must be as new as its folder, {.file {path}}.",
      x = "The store was written to since it was opened, and no longer has the file
           {.file {basename(file)}}.",
      i = "Open it again by {.fn open_row_store}."),
    class = "outdated_store", call = call, file = file
  )
}

# What the engine says of files, as conditions of the package.
with_shard_files <- function(expr, call = rlang::caller_env()) {
  tryCatch(
    expr,
    "mdpd::DamagedShard" = function(cnd) {
      # The file, a colon, and what is wrong, which has no colon.
      parts <- "^(.*): ([^:]*)$"
      file <- sub(parts, "\\1", conditionMessage(cnd))
      abort_damaged_file(file, to_sentence(sub(parts, "\\2", conditionMessage(cnd))), call)
    },
    "mdpd::UnwritableFile" = function(cnd) {
      abort_unwritable(sub(": it cannot be written$", "", conditionMessage(cnd)), call)
    }
  )
}

to_sentence <- function(x) paste0(toupper(substr(x, 1, 1)), substring(x, 2))

# Who may write ------------------------------------------------------------------------------------

# A folder cannot be renamed to one that is there and holds a file, so only one process gets the
# lock, and it says at once whose it is. The lock of a process that is gone is no lock.
lock_store <- function(path, call = rlang::caller_env()) {
  for (trial in 1:2) {
    if (take_lock(path, call)) {
      return(invisible(path))
    }
    owner <- lock_owner(path)
    if (!is.null(owner) && is_running(owner)) {
      abort_locked(path, owner, call)
    }
    drop_lock(path, owner)
  }
  abort_locked(path, lock_owner(path), call)
}

take_lock <- function(path, call) {
  mine <- tempfile("lock-", path)
  if (!dir.create(mine, showWarnings = FALSE)) {
    abort_mdpd("The folder {.file {path}} cannot be written to.", class = "file", call = call)
  }
  saveRDS(list(pid = Sys.getpid(), host = host_name()), file.path(mine, "owner.rds"))
  got_it <- suppressWarnings(file.rename(mine, lock_path(path)))
  remove_files(mine)
  got_it
}

lock_owner <- function(path) read_owner(lock_path(path))

# NULL where there is none, or none that can be read.
read_owner <- function(lock) {
  owner <- value_or(suppressWarnings(read_checked(file.path(lock, "owner.rds"))), NULL)
  if (is_owner(owner)) owner
}

is_owner <- function(x) {
  holds(is.list(x), is_whole_number(x$pid), rlang::is_string(x$host) && is_text(x$host))
}

# Of two that find the same old lock only one renames it.
drop_lock <- function(path, owner) {
  old <- tempfile("lock-", path)
  renamed <- suppressWarnings(file.rename(lock_path(path), old))
  if (!renamed) {
    return(invisible())
  }
  # Somebody took the lock in between.
  if (!identical(read_owner(old), owner)) file.rename(old, lock_path(path))
  remove_files(old)
}

unlock_store <- function(path) remove_files(lock_path(path))

# A process of another machine is taken to be there. A zombie, killed but not yet taken leave of by
# its parent, is not.
is_running <- function(owner) {
  if (owner$host != host_name()) {
    return(TRUE)
  }
  if (!file.exists("/proc/self/stat")) {
    return(tools::pskill(owner$pid, 0L))
  }
  status <- tryCatch(
    suppressWarnings(readLines(file.path("/proc", owner$pid, "stat"))),
    error = function(cnd) character()
  )
  length(status) > 0 && !grepl("[)] [ZX] ", status[1])
}

host_name <- function() unname(Sys.info()[["nodename"]])

abort_locked <- function(path, owner, call) {
  abort_mdpd(
    c("{.file {path}} must not be written by two processes at once.",
      x = "Process {owner$pid} on {owner$host} is writing to it.",
      i = "If it is not, remove the folder {.file {lock_path(path)}}."),
    class = "locked_store", call = call
  )
}

# Cleaning -----------------------------------------------------------------------------------------

# What a writer who was interrupted has left, and files that were replaced. The caller has the lock.
clean_store <- function(path, manifest = NULL) {
  remove_files(spool_path(path))
  others <- setdiff(dir(path, "^lock-"), basename(lock_path(path)))
  remove_files(file.path(path, others))
  named <- c(manifest$shards$file, manifest$shards$ids_file, "manifest.rds")
  remove_files(file.path(path, setdiff(list_store_files(path), named)))
}

# Files and folders of just these names: `*` and `[` in the name of a folder stand for themselves.
remove_files <- function(path) unlink(path, recursive = TRUE, expand = FALSE)
