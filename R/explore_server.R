# What the page of explore() does: inputs change the state, the state is drawn.

explore_server <- function(state, input, output, session) {
  now <- shiny::reactiveVal(state)
  seconds <- shiny::reactiveVal(0)
  # A change that cannot be leaves the state as it is, and the controls go back to it.
  change <- function(how) {
    started <- proc.time()[["elapsed"]]
    before <- now()
    after <- tryCatch(
      telling_notes(how(before), session),
      error = function(cnd) {
        shiny::showNotification(plain_message(cnd), type = "error", session = session)
        before
      }
    )
    seconds(proc.time()[["elapsed"]] - started)
    now(after)
    show_controls(after, input, session)
  }
  if (is_crowd(state$x)) {
    shiny::updateSelectizeInput(session, "gold_item", choices = state$x$items, server = TRUE)
  }
  show_controls(state, input, session)
  watch_controls(input, now, change)
  draw_views(output, shiny::reactive(state_fit(now())), now, seconds)
  shiny::observeEvent(input$done, shiny::stopApp(state_fit(now())))
}

# The fit is made here, so that what the engine says is told as a note.
telling_notes <- function(state, session) {
  tell <- function(restart) {
    function(cnd) {
      shiny::showNotification(plain_message(cnd), type = "message", session = session)
      tryInvokeRestart(restart)
    }
  }
  withCallingHandlers({
    state_fit(state)
    state
  }, message = tell("muffleMessage"), warning = tell("muffleWarning"))
}

plain_message <- function(cnd) cli::ansi_strip(conditionMessage(cnd))

watch_controls <- function(input, now, change) {
  shiny::observeEvent(input$k, ignoreInit = TRUE, {
    if (input$k != now()$k) change(function(state) set_k(state, input$k))
  })
  shiny::observeEvent(input$compare, change(function(state) compare_k(state, 1:6)))
  shiny::observeEvent(input$dropped, ignoreInit = TRUE, ignoreNULL = FALSE, {
    if (!setequal(input$dropped, now()$dropped)) {
      change(function(state) set_dropped(state, as.character(input$dropped)))
    }
  })
  shiny::observeEvent(input$rename, {
    change(function(state) rename_class(state, input$class, input$name))
  })
  shiny::observeEvent(input$gold_add, {
    change(function(state) add_gold(state, input$gold_item, input$gold_label))
  })
  shiny::observeEvent(input$gold, ignoreInit = TRUE, ignoreNULL = FALSE, {
    gone <- setdiff(names(now()$known), input$gold)
    if (length(gone) > 0) {
      change(function(state) Reduce(function(state, item) add_gold(state, item, NA), gone, state))
    }
  })
}

# The controls as the state has them. One that is right is left alone: to set it again would count
# as a change.
show_controls <- function(state, input, session) {
  shiny::isolate({
    if (!identical(as.integer(input$k), as.integer(state$k))) {
      shiny::updateSliderInput(session, "k", value = state$k, max = most_classes(state))
    }
    if (!setequal(input$dropped, state$dropped)) {
      shiny::updateSelectizeInput(session, "dropped", selected = state$dropped)
    }
    if (is_crowd(state$x)) show_gold(state, input, session) else show_names(state, session)
  })
}

show_names <- function(state, session) {
  shiny::updateSelectInput(session, "class", choices = names(state_fit(state)$mixing_weights))
  shiny::updateTextInput(session, "name", value = "")
}

show_gold <- function(state, input, session) {
  items <- names(state$known)
  if (!setequal(input$gold, items)) {
    choices <- stats::setNames(items, paste0(items, ": ", state$known, recycle0 = TRUE))
    shiny::updateSelectizeInput(session, "gold", choices = choices, selected = items)
  }
}

draw_views <- function(output, fit, now, seconds) {
  output$summary <- shiny::renderUI(explore_summary(fit(), seconds()))
  output$items <- shiny::renderTable(item_view(fit()), spacing = "s", digits = 2)
  output$code <- shiny::renderText(paste(c("library(mdpd)", state_code(now())), collapse = "\n"))
  output$profiles <- render_picture(fit, "profiles", "What each class answers.", tall = TRUE)
  output$posterior <- render_picture(fit, "posterior", "How sure the class of each row is.")
  output$path <- render_picture(fit, "path", "How far each k is behind the best.")
  output$workers <- render_picture(fit, "workers", "How often each worker is right.")
}

# As wide as its place, and readable on a narrow screen.
render_picture <- function(fit, type, alt, tall = FALSE) {
  height <- if (tall) function() tall_height(fit()) else 420
  shiny::renderPlot({
    shiny::validate(shiny::need(
      type != "path" || NROW(fit()$path) > 1,
      "No path of these data was fitted: press \"Compare 1 to 6\"."
    ))
    picture <- in_classes(autoplot.mdpd(fit(), type))
    # On a narrow screen the colour bar has no room beside its title.
    title_above <- ggplot2::guides(fill = ggplot2::guide_colourbar(title.position = "top"))
    if (tall) picture + title_above else picture
  }, height = height, res = 84, alt = alt)
}

# Pixels that leave room for each row of tiles.
tall_height <- function(fit) {
  n_shown <- min(20, length(informative(fit)))
  max(170 + 24 * n_shown, 84 * profile_height(plot_profiles(fit, NULL, NULL)$data))
}

# The main numbers of the fit, and how long the last change took.
explore_summary <- function(fit, seconds) {
  facts <- c(
    "Classes" = fit$k,
    "Informative" = paste(n_informative(fit), "of", length(fit$item_probs)),
    "Expected error" = if (fit$k > 1) percent(expected_error(fit), 1),
    BIC = if (is.null(fit$evidence)) nats(stats::BIC(fit)),
    Evidence = if (!is.null(fit$evidence)) nats(fit$evidence),
    "Seconds for the last change" = decimals(seconds, 2)
  )
  shiny::tags$dl(class = "figures", unname(Map(function(name, value) {
    shiny::div(shiny::tags$dt(name), shiny::tags$dd(value))
  }, names(facts), facts)))
}

# The items (workers), those that tell most first.
item_view <- function(fit, most = 200) {
  first <- informative_order(fit)
  items <- utils::head(c(first, setdiff(names(sort(-fit$item_information)), first)), most)
  view <- data.frame(
    item = items, informative = ifelse(items %in% first, "yes", "no"),
    evidence = unname(fit$item_evidence[items]),
    information = unname(fit$item_information[items]), check.names = FALSE
  )
  if (!is.null(fit$labels)) names(view)[1] <- "worker"
  if (!is.null(fit$variable_labels)) {
    about <- unname(fit$variable_labels[items])
    view <- cbind(view[1], label = ifelse(is.na(about), "", about), view[-1])
  }
  view
}
