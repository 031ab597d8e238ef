# Names side by side, of components for the most part, below or above what they name: flat in the
# largest type that breaks no word, and upright where there is none.

# How they stand, each in `share` of the picture's width (or in one for each), flat ones in `high`
# of its height, in type of `usual` size or smaller. `below`: what stands below each, if anything,
# named by them.
side_names <- function(names, share, usual, below = NULL, high = 0.11, bold = FALSE) {
  room <- picture_size()
  width <- share * room[1] - 0.05
  height <- high * room[2]
  wide <- if (bold) 1.1 else 1
  fits <- function(labels, width, height, n_below = 0) {
    function(size) {
      height <- height - n_below * 1.1 * wide * size / 72
      all(mapply(fits_whole, labels, width, height, wide * size))
    }
  }
  # What stands below, such as a weight, is one word.
  whole_words <- fits(c(names, gsub(" ", "\u00a0", below)), width, Inf)
  size <- fitted_size(usual, whole_words)
  upright <- !whole_words(size)
  size <- if (upright) {
    fitted_size(usual, fits(names, upright_share * room[2], width, !is.null(below)))
  } else {
    fitted_size(size, fits(names, width, height))
  }
  list(names = names, below = below, share = share, high = high, upright = upright, size = size,
       wide = wide)
}

# What upright names have at most of the height of the picture.
upright_share <- 0.27

# How much more of the height than flat ones, in inches.
height_of_upright <- function(side) {
  if (!side$upright) {
    return(0)
  }
  columns <- max(nchar(paste(side$names, side$below), "width"))
  length <- text_inches(columns, side$wide * side$size)
  max(0, min(length, upright_share * picture_size()[2]) - 0.4)
}

# How the components of a picture stand: `n` side by side, `gap` inches apart, in so many `blocks`
# below each other, named in type of `usual` size.
components_across <- function(n, usual, gap = 0, blocks = 1, bold = FALSE) {
  list(n = n, usual = usual, gap = gap, blocks = blocks, bold = bold)
}

# Names of `n` rows of items and of the components `across`, see components_across(): what the ones
# leave of the picture the others have.
profile_names <- function(object, titles, n, rest, share, across) {
  place <- function(rest) {
    room <- name_room(titles, n, rest, share)
    each <- share_beside(titles, room) / across$n - across$gap / picture_size()[1]
    side <- side_names(names(object$mixing_weights), each, across$usual, weight_labels(object),
                       bold = across$bold)
    list(room = room, side = side, rest = rest)
  }
  placed <- place(rest)
  # Upright names leave rows less height, so that their type is smaller and leaves more width.
  if (placed$side$upright) place(rest + across$blocks * height_of_upright(placed$side)) else placed
}

# The labels of the names, in the room that each has when the picture is drawn.
side_labels <- function(side) {
  function(names) {
    names <- as.character(names)
    room <- picture_size()
    size <- side$wide * side$size
    width <- side$share * room[1] - 0.05
    # By position: no name is found that is the empty string.
    below <- unname(side$below[match(names, names(side$below))])
    if (side$upright) {
      return(upright_labels(names, below, upright_share * room[2], width, size))
    }
    labels <- fit_labels(names, width, side$high * room[2], size)
    if (is.null(below)) labels else paste0(labels, "\n", below)
  }
}

upright_labels <- function(names, below, length, width, size) {
  if (is.null(below)) {
    return(fit_labels(names, length, width, size))
  }
  columns <- text_columns(length, size)
  n_lines <- text_lines(width, size)
  if (n_lines > 1) {
    return(labels_with(names, below, columns, n_lines - 1))
  }
  paste(wrap_labels(names, max(4, columns - 1 - max(nchar(below))), 1), below)
}

side_text <- function(side, above = FALSE) {
  if (!side$upright) {
    return(ggplot2::element_text(size = side$size, lineheight = 0.9))
  }
  ggplot2::element_text(angle = 90, hjust = if (above) 0 else 1, vjust = 0.5, size = side$size,
                        lineheight = 0.9)
}
