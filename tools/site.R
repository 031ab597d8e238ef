# Builds the website with pkgdown, gives its pages their contents and checks them.
# Usage: Rscript tools/site.R, with mdpd installed
options(pkgdown.internet = FALSE)  # nothing is asked of CRAN
site <- ".build/site"

# The reference ------------------------------------------------------------------------------------

# pkgdown::check_pkgdown() sees that no topic is left out, and this that none comes twice.
check_topics <- function(pkg) {
  index <- pkgdown:::data_reference_index(pkg)
  topics <- unlist(lapply(index$rows, `[[`, "names"))
  twice <- unique(topics[duplicated(topics)])
  if (length(twice) > 0) {
    stop("In several groups of the reference: ", toString(twice), call. = FALSE)
  }
}

# Pages --------------------------------------------------------------------------------------------

read_page <- function(file) paste(readLines(file, encoding = "UTF-8"), collapse = "\n")

write_page <- function(page, file) writeLines(enc2utf8(page), file, useBytes = TRUE)

# Debian's pkgdown asks for the MathJax of the machine that builds before that of the network.
drop_local_scripts <- function(page) gsub("<script src=\"file:///[^>]*></script>\\s*", "", page)

# Contents -----------------------------------------------------------------------------------------

# "On this page", which pkgdown leaves to a script from the network: the headings of levels 2 and 3.
set_contents <- function(page) {
  pattern <- "(?s)(<nav id=\"toc\"[^>]*>.*?</h2>).*?</nav>"
  path <- "//main//*[self::h2 or self::h3][@id]"
  headings <- xml2::xml_find_all(xml2::read_html(page), path)
  if (!grepl(pattern, page, perl = TRUE) || length(headings) == 0) {
    return(page)
  }
  level <- ifelse(xml2::xml_name(headings) == "h3", " ms-3", "")
  links <- sprintf(
    "<a class=\"nav-link%s\" href=\"#%s\">%s</a>", level, xml2::xml_attr(headings, "id"),
    htmltools::htmlEscape(trimws(xml2::xml_text(headings)))
  )
  list <- paste(c("<div class=\"nav flex-column\">", links, "</div></nav>"), collapse = "\n")
  page <- sub(pattern, paste0("\\1", gsub("\\", "\\\\", list, fixed = TRUE)), page, perl = TRUE)
  # What pkgdown's own script calls, with nothing left to do.
  gsub("<script[^>]*bootstrap-toc[^>]*></script>",
       "<script>var Toc = {init: function() {}};</script>", page)
}

# Links --------------------------------------------------------------------------------------------

# What the attributes `names` of a page say, as XPath finds it.
attribute_values <- function(page, names) {
  path <- paste0("//@", names, collapse = " | ")
  unique(xml2::xml_text(xml2::xml_find_all(page, path)))
}

# Links of a page that lead to no file of the site, or to no place on its page. What is elsewhere in
# the network is not asked for.
broken_links <- function(file, pages) {
  links <- attribute_values(pages[[file]], c("href", "src"))
  links <- links[!grepl("^(https?:|mailto:|data:|//)", links)]
  path <- utils::URLdecode(sub("[?#].*", "", links))
  target <- ifelse(path == "", file, file.path(dirname(file), path))
  target <- ifelse(dir.exists(target), file.path(target, "index.html"), target)
  place <- ifelse(grepl("#.", links), sub("^[^#]*#", "", links), NA)
  is_there <- file.exists(target) & mapply(has_place, target, place, MoreArgs = list(pages))
  paste0(file, ": ", links[!is_there], recycle0 = TRUE)
}

has_place <- function(target, place, pages) {
  page <- pages[[normalizePath(target, mustWork = FALSE)]]
  is.na(place) || is.null(page) || place %in% attribute_values(page, c("id", "name"))
}

# A file of this machine is none elsewhere.
check_pages <- function(files) {
  files <- normalizePath(files)
  text <- vapply(files, read_page, "")
  pages <- lapply(stats::setNames(nm = files), xml2::read_html, encoding = "UTF-8")
  local <- files[grepl("file:///", text, fixed = TRUE)]
  problems <- c(
    unlist(lapply(files, broken_links, pages = pages)),
    paste0(local, ": a path of this machine", recycle0 = TRUE)
  )
  if (length(problems) > 0) {
    stop("In the website:\n", paste(problems, collapse = "\n"), call. = FALSE)
  }
}

# The work -----------------------------------------------------------------------------------------

pkg <- pkgdown::as_pkgdown(".")
pkgdown::check_pkgdown(pkg)
check_topics(pkg)
unlink(site, recursive = TRUE)
pkgdown::build_site(pkg, install = FALSE, new_process = FALSE, devel = FALSE, preview = FALSE)
# pkgdown itself shows files of the top folder only.
pkgdown:::render_md(pkg, file.path(pkg$src_path, "inst/standards.md"))
files <- dir(site, "[.]html$", recursive = TRUE, full.names = TRUE)
for (file in files) {
  write_page(set_contents(drop_local_scripts(read_page(file))), file)
}
check_pages(files)
