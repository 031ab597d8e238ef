# How the components of a fit came about, read from its trace alone, so that a fit without data has
# its history too. A component is a lane from left to right: a split starts a lane below that of its
# parent, a merge ends one.

# Stages and moves of the polish; EM iterations and smoothing have no part in it.
history_events <- function(trace) {
  is_move <- !is.na(trace$move) & trace$move != "smoothing"
  events <- trace[trace$phase == "stage" | is_move, ]
  kind <- ifelse(is.na(events$move), "items joined", move_kinds[events$move])
  events$event <- factor(kind, intersect(event_kinds, kind))
  events
}

event_kinds <- c("split", "items joined", "merge and split", "items or rows moved",
                 "another start")

move_kinds <- c(
  split = "split", "split-merge" = "merge and split", "merge-split" = "merge and split",
  items = "items or rows moved", row = "items or rows moved", vote = "another start",
  correspondence = "another start", scattered = "another start"
)

# `lanes`: where each begins and ends; `links`: the splits and merges between lanes; `now`: the lane
# of each component, in the numbering of the trace, at the end; `at`: the lane of each event.
# `n_first`: how many components there are before the first event.
component_lanes <- function(events, n_first = 1) {
  first <- seq_len(n_first)
  history <- list(lanes = data.frame(from = 0 * first, to = NA, y = NA), order = first, now = first,
                  at = NULL)
  for (x in seq_len(nrow(events))) {
    event <- events[x, ]
    history$at[x] <- history$now[event$component]
    history <- switch(
      event$move,
      split = split_lane(history, x, event$component),
      "split-merge" = merge_lanes(split_lane(history, x, event$component), x, event),
      "merge-split" = split_lane(merge_lanes(history, x, event), x, event$merged_1),
      vote = ,
      correspondence = ,
      scattered = new_lanes(history, x, event$k),
      history
    )
  }
  history <- place_lanes(history)
  # Components that begin anew at the last event need lines long enough to be seen.
  begins_late <- any(utils::tail(events$event, 1) == "another start")
  end <- nrow(events) + if (begins_late) max(0.5, 0.15 * nrow(events)) else 0.5
  history$lanes$to[is.na(history$lanes$to)] <- end
  history
}

# Stages and growth begin with one component. Ordinary EM has all of them from the start.
n_at_start <- function(trace) {
  begins_by_em <- nrow(trace) > 0 && trace$phase[1] == "refine" && is.na(trace$move[1])
  if (begins_by_em) trace$k[1] else 1
}

# Rows from the top, in the order of the lanes since the last start; those before it have theirs.
place_lanes <- function(history) {
  history$lanes$y[history$order] <- seq_along(history$order)
  history
}

# The new lane comes next to its parent's, so that no lane is crossed.
split_lane <- function(history, x, component) {
  parent <- history$now[component]
  child <- nrow(history$lanes) + 1
  history$lanes[child, ] <- c(x, NA, NA)
  history$order <- append(history$order, child, after = match(parent, history$order))
  history$now <- c(history$now, child)
  history$links <- rbind(history$links, data.frame(x, from = parent, to = child, kind = "split"))
  history
}

# Another start took the place of what the stages had found: all components begin anew, on the rows
# of the lanes that end, after a gap.
new_lanes <- function(history, x, k) {
  history <- place_lanes(history)
  history$lanes$to[history$now] <- x - 0.3
  history$now <- nrow(history$lanes) + seq_len(k)
  history$lanes[history$now, c("from", "to", "y")] <- data.frame(rep(x, k), NA, NA)
  history$order <- history$now
  history
}

merge_lanes <- function(history, x, event) {
  gone <- history$now[event$merged_2]
  kept <- history$now[event$merged_1]
  history$lanes$to[gone] <- x
  history$links <- rbind(history$links, data.frame(x, from = gone, to = kept, kind = "merge"))
  history$now <- history$now[-event$merged_2]
  history
}

# The component each lane ends as; NA for lanes that have been merged, and for all where a
# refinement has given the components up.
lane_components <- function(history, object) {
  components <- rep(NA_character_, nrow(history$lanes))
  if (length(history$now) == object$k) {
    components[history$now[object$born]] <- names(object$born)
  }
  components
}

# A fit that grew by the best of all splits has no stages.
stages_and_splits <- function(events) {
  n_stages <- sum(events$phase == "stage")
  paste0(if (n_stages > 0) paste0(plural(n_stages, "stage"), ", "),
         plural(sum(events$move %in% "split"), "split"))
}
