# A picture must be measured on some device; a file nobody keeps.
local_pdf <- function(envir = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".pdf", .local_envir = envir)
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off(), envir = envir)
}

# Other versions of ggplot2 draw other details: pictures are compared under the one they were made
# with, Debian 12's.
skip_other_ggplot2 <- function() {
  version <- utils::packageVersion("ggplot2")
  testthat::skip_if(version < "3.4" || version >= "3.5", "the pictures are of ggplot2 3.4")
}

# What a legend was asked for: ggplot2 3.5 keeps it elsewhere.
guide_part <- function(guide, part) {
  if (utils::packageVersion("ggplot2") < "3.5.0") {
    return(guide[[part]])
  }
  guide$params[[part]] %||% guide$params$theme[[paste0("legend.", part)]]
}

# A picture as it was when it was looked at.
expect_picture <- function(title, picture) {
  testthat::skip_if_not_installed("vdiffr", "1.0.0")
  skip_other_ggplot2()
  # As large as vdiffr draws it, whatever is open when it is made.
  withr::local_options(mdpd.picture_size = c(10, 8))
  vdiffr::expect_doppelganger(title, picture)
}

# The texts of a picture of so many inches: labels of axes, panels and legends, titles, and what is
# written in panels. A line for each kind of text: its size, and the first and the last there is.
texts_of <- function(make, width, height) {
  local_pdf()
  local_picture_size(width, height)
  texts <- list()
  look_at <- function(grob) {
    if (inherits(grob, "text") && any(nzchar(grob$label))) {
      size <- grob$gp$fontsize[1]
      ends <- unique(as.character(grob$label[c(1, length(grob$label))]))
      label <- gsub("\n", "|", paste(ends, collapse = " ... "))
      texts[[length(texts) + 1]] <<- paste0(format(round(size, 2)), ": ", label)
    }
    for (part in c(grob$grobs, grob$children)) look_at(part)
  }
  look_at(ggplot2::ggplotGrob(make()))
  unique(unlist(texts))
}

# What is written in a picture of so many inches, made and drawn there: the texts that a PDF holds,
# with the place where each begins and ends in points from the lower left corner.
drawn_text <- function(picture, width, height) {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file, width, height, compress = FALSE, useKerning = FALSE)
  print(picture)
  grDevices::dev.off()
  shown <- grep(" Tm .*\\) Tj", readLines(file, warn = FALSE), value = TRUE, useBytes = TRUE)
  parts <- regmatches(shown, regexec(
    "/F([0-9]+) 1 Tf +(\\S+) (\\S+) \\S+ \\S+ (\\S+) (\\S+) Tm \\((.*)\\) Tj", shown
  ))
  parts <- do.call(rbind, parts)
  number <- function(column) as.double(parts[, column])
  text <- gsub("\\\\(.)", "\\1", parts[, 7])
  bold <- parts[, 2] == "3"
  size <- sqrt(number(3)^2 + number(4)^2)
  grDevices::pdf(NULL)
  graphics::plot.new()
  ems <- ifelse(bold, graphics::strwidth(text, "inches", font = 2),
                graphics::strwidth(text, "inches")) * 72 / 12
  grDevices::dev.off()
  data.frame(text, x = number(5), y = number(6), x_end = number(5) + ems * number(3),
             y_end = number(6) + ems * number(4))
}
