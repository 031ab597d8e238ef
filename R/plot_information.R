plot_information <- function(object, component, newdata, max_items, stage) {
  max_items <- if (is.null(max_items)) 60 else max_items
  if (!is.null(stage)) {
    check_stages(stage, object, component, rlang::caller_env())
    return(plot_information_stages(object, newdata, max_items, stage, rlang::caller_env()))
  }
  values <- information_of_rows(object, newdata, component, "newdata", rlang::caller_env())
  draw_information(values, object, component, max_items)
}

draw_information <- function(values, object, component, max_items) {
  shown <- information_order(values, informative_order(object), max_items)
  n_informative <- sum(shown %in% informative(object))
  size <- square_size(shown)
  ggplot2::ggplot(information_cells(values, shown), ggplot2::aes(.data$item_1, .data$item_2)) +
    ggplot2::geom_raster(ggplot2::aes(fill = .data$information)) +
    information_frame(n_informative, length(shown)) +
    ggplot2::scale_x_discrete(
      breaks = item_breaks(length(shown)),
      labels = square_labels(length(shown), TRUE, size), position = "top", drop = FALSE,
      guide = sparse_axis()
    ) +
    ggplot2::scale_y_discrete(
      breaks = item_breaks(length(shown), vertical = TRUE),
      labels = square_labels(length(shown), size = size), limits = rev, drop = FALSE,
      guide = sparse_axis()
    ) +
    scale_fill_heat(limits = c(0, max(values[shown, shown], .Machine$double.eps))) +
    ggplot2::coord_fixed(expand = FALSE, clip = "off") +
    information_labels(object, component, nrow(values), length(shown), n_informative) +
    theme_information(length(shown), size)
}

# Informative items as they come, then the others: those with the strongest entries are chosen, and
# sorted by their mean. Sorted by the strongest entry the two items of a pair, which share it, would
# be neighbours, and noise would look like a band along the diagonal.
information_order <- function(values, informative, max_items) {
  others <- setdiff(rownames(values), informative)
  values <- values[others, , drop = FALSE]
  strongest <- rank(-apply(values, 1, max), ties.method = "first")
  mean_entry <- rowMeans(values)
  chosen <- strongest <= max_items - length(informative)
  utils::head(c(informative, others[chosen][order(mean_entry[chosen], decreasing = TRUE)]),
              max_items)
}

information_cells <- function(values, shown) {
  cells <- expand.grid(item_1 = shown, item_2 = shown, KEEP.OUT.ATTRS = FALSE,
                       stringsAsFactors = TRUE)
  cells$information <- as.vector(values[shown, shown])
  cells[cells$item_1 != cells$item_2, ]
}

# On the reversed vertical axis the first item has the highest position.
information_frame <- function(n_informative, n_shown) {
  if (n_informative == 0) {
    return(NULL)
  }
  ggplot2::annotate(
    "rect", xmin = 0.5, xmax = n_informative + 0.5, ymin = n_shown - n_informative + 0.5,
    ymax = n_shown + 0.5, fill = NA, colour = "#D55E00", linewidth = 0.8
  )
}

information_labels <- function(object, component, n_items, n_shown, n_informative) {
  where <- if (is.null(component)) {
    if (object$k > 1) paste0("Mean of ", object$k, " components") else "One component"
  } else {
    paste0("Component ", names(object$mixing_weights)[check_component(component, object)])
  }
  many <- if (n_shown < n_items) paste(comma(n_shown), "of", comma(n_items)) else comma(n_items)
  frame <- paste0(
    "Framed: ", if (n_informative < n_informative(object)) paste0(n_informative, " of "),
    plural(n_informative(object), "informative item")
  )
  list(
    picture_titles("What the mixture leaves unexplained",
                   paste0(where, "; ", many, " items, strongest first"),
                   if (n_informative > 0) frame, room = square_title_room()),
    ggplot2::labs(x = "Item", y = "Item", fill = "Conditional\ninformation\n(nats)")
  )
}

# Among more items than can be named no name is better than every tenth.
item_breaks <- function(n_shown, vertical = FALSE) {
  if (n_shown > 100) NULL else thin_breaks(34, vertical)
}

# On top and on the left of a square, which is as high as it can be: there is more room on the left.
square_labels <- function(n_shown, on_top = FALSE, size = label_size(min(n_shown, 34))) {
  function(items) {
    room <- square_room(n_shown)
    fit_labels(items, if (on_top) room$top else room$left, room$row, size)
  }
}

# In inches.
square_room <- function(n_shown) {
  room <- picture_size()
  list(top = min(1.6, 0.36 * room[2] - 0.45),
       left = max(0.2 * room[1], min(0.34 * room[1], room[1] - 0.6 * room[2] - 1.5)),
       row = 0.55 * room[2] / min(n_shown, 34))
}

# Of type in which the names of the items fit on both sides.
square_size <- function(items) {
  room <- square_room(length(items))
  fitted_size(label_size(min(length(items), 34)), function(size) {
    fits_whole(items, min(room$top, room$left), room$row, size)
  })
}

theme_information <- function(n_shown, size = label_size(min(n_shown, 34))) {
  theme_heat_map() +
    ggplot2::theme(
      legend.position = "right",
      legend.key.width = ggplot2::unit(9, "pt"),
      legend.key.height = ggplot2::unit(min(15, 3 * picture_size()[2]), "pt"),
      legend.justification = "centre",
      axis.text.x.top = ggplot2::element_text(angle = 90, hjust = 0, vjust = 0.5, size = size),
      axis.text.y = ggplot2::element_text(size = size),
      panel.background = ggplot2::element_rect(fill = "grey88", colour = NA)
    )
}

# Stage by stage -----------------------------------------------------------------------------------

# A panel for each stage, items in the order in which they joined, so that the informative set of a
# stage is the upper left square.
plot_information_stages <- function(object, newdata, max_items, stage, call) {
  coded <- data_of(object, newdata, arg = "newdata", call = call)
  models <- lapply(stage, model_at_stage, object = object, coded = coded)
  values <- lapply(models, function(model) information_at(model$posterior, object, coded))
  joined <- colnames(coded$codes)[models[[which.max(stage)]]$informative]
  shown <- information_order(values[[which.min(stage)]], joined, max_items)
  draw_information_stages(values, models, stage, shown)
}

check_stages <- function(stage, object, component, call) {
  check_stored(object, "trace", call)
  if (!is.null(component)) {
    abort_mdpd("{.arg component} must be left out with {.arg stage}: the components of a stage are
                not those of the fit.", class = "argument", call = call)
  }
  n_stages <- sum(object$trace$phase == "stage")
  are_counts <- rlang::is_bare_numeric(stage) && is.null(dim(stage)) && length(stage) > 0 &&
    rlang::is_integerish(stage, finite = TRUE)
  if (!are_counts || anyDuplicated(stage) || !all(is_within(stage, c(0, n_stages)))) {
    abort_mdpd(
      "{.arg stage} must be different whole numbers from 0 to {n_stages}, the number of stages of
       the fit, not {describe(stage)}.",
      class = "argument", call = call
    )
  }
}

draw_information_stages <- function(values, models, stage, shown) {
  k <- vapply(models, function(model) ncol(model$posterior), 0L)
  n_joined <- lengths(lapply(models, `[[`, "informative"))
  panels <- paste0("Stage ", stage, "\nk = ", k, "\n", stage_items(n_joined))
  panels <- factor(panels, panels[order(stage)])
  cells <- do.call(rbind, Map(function(values, panel) {
    data.frame(information_cells(values, shown), panel = panel)
  }, values, panels))
  ggplot2::ggplot(cells, ggplot2::aes(.data$item_1, .data$item_2)) +
    ggplot2::geom_raster(ggplot2::aes(fill = .data$information)) +
    stage_frames(pmin(n_joined, length(shown)), panels, length(shown)) +
    ggplot2::facet_wrap("panel", nrow = ceiling(length(stage) / 4)) +
    ggplot2::scale_x_discrete(breaks = NULL, drop = FALSE) +
    ggplot2::scale_y_discrete(breaks = item_breaks(length(shown), vertical = TRUE),
                              labels = square_labels(length(shown)), limits = rev, drop = FALSE,
                              guide = sparse_axis()) +
    scale_fill_heat(limits = c(0, max(cells$information, .Machine$double.eps)),
                    breaks = function(limits) pretty(limits, 2)) +
    ggplot2::coord_fixed(expand = FALSE) +
    picture_titles(
      "What the stages leave unexplained",
      paste0(if (length(shown) < nrow(values[[1]])) paste0(length(shown), " of "),
             plural(nrow(values[[1]]), "item"), ", in the order in which they came into use"),
      if (any(n_joined > 0)) "Framed: the items in use (the informative set S)"
    ) +
    ggplot2::labs(x = NULL, y = "Item", fill = "Conditional\ninformation (nats)") +
    theme_heat_map() +
    ggplot2::theme(
      axis.text.y = ggplot2::element_text(size = label_size(min(length(shown), 34))),
      strip.text = ggplot2::element_text(size = 8), strip.clip = "off",
      panel.background = ggplot2::element_rect(fill = "grey88", colour = NA),
      panel.spacing = ggplot2::unit(6, "pt")
    )
}

# In lines where narrow panels, up to four beside the names of the items, have no room for one. Bold
# titles of 8 points are as wide as others of 8.8.
stage_items <- function(n_joined) {
  width <- 0.65 * picture_size()[1] / min(4, length(n_joined))
  words <- paste(vapply(n_joined, plural, "", "item"), "in use")
  wrap_labels(words, max(7, text_columns(width, 8.8)), 3)
}

stage_frames <- function(n_joined, panels, n_shown) {
  frames <- data.frame(
    panel = panels, xmin = 0.5, xmax = n_joined + 0.5, ymin = n_shown - n_joined + 0.5,
    ymax = n_shown + 0.5
  )[n_joined > 0, ]
  ggplot2::geom_rect(
    ggplot2::aes(xmin = .data$xmin, xmax = .data$xmax, ymin = .data$ymin, ymax = .data$ymax),
    data = frames, inherit.aes = FALSE, fill = NA, colour = "#D55E00", linewidth = 0.6
  )
}
