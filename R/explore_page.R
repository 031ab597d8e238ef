# The page of explore(): controls at the side, what the fit looks like beside them.

explore_page <- function(state) {
  shiny::fluidPage(
    theme = bslib::bs_theme(version = 5, primary = "#005A8C", "font-size-base" = "0.95rem"),
    lang = "en", title = "mdpd: explore",
    shiny::tags$head(
      shiny::tags$link(rel = "icon", href = "data:,"),
      shiny::includeCSS(explore_part("explore.css")),
      shiny::includeScript(explore_part("explore.js"))
    ),
    shiny::tags$header(
      shiny::h1("Explore a fit"), shiny::uiOutput("summary", `aria-live` = "polite")
    ),
    shiny::sidebarLayout(
      shiny::sidebarPanel(width = 3, explore_controls(state)),
      shiny::mainPanel(width = 9, explore_views(state))
    )
  )
}

explore_part <- function(name) system.file("explore", name, package = "mdpd", mustWork = TRUE)

explore_controls <- function(state) {
  crowd <- is_crowd(state$x)
  shiny::tagList(
    # With known labels there is a class a label.
    shiny::conditionalPanel("!(input.gold && input.gold.length)", number_controls(state)),
    shiny::selectizeInput(
      "dropped", if (crowd) "Workers left out" else "Items left out", item_choices(state),
      state$dropped, multiple = TRUE,
      options = list(placeholder = "none", plugins = list("remove_button"))
    ),
    if (crowd) gold_controls(state$x$labels) else name_controls(),
    shiny::actionButton("done", "Done: return the fit", class = "btn-primary w-100")
  )
}

number_controls <- function(state) {
  shiny::tagList(
    shiny::sliderInput("k", "Classes (k)", 1, most_classes(state), state$k, step = 1,
                       ticks = FALSE),
    if (state$engine == "stagewise_em") {
      shiny::actionButton("compare", "Compare 1 to 6", class = "btn-outline-primary btn-sm")
    }
  )
}

# Items by name, with what they are about behind it.
item_choices <- function(state) {
  items <- state_items(state)
  about <- variable_labels(state$x)[items]
  if (length(about) == 0) {
    return(items)
  }
  stats::setNames(items, ifelse(is.na(about), items, paste0(items, ": ", about)))
}

# The end of the slider.
most_classes <- function(state) min(nrow(state$x), max(8, state$ks, state$k))

gold_controls <- function(labels) {
  shiny::tags$fieldset(
    shiny::tags$legend("Known labels"),
    shiny::selectizeInput("gold_item", "Item", NULL),
    shiny::selectInput("gold_label", "Its label", labels, selectize = FALSE),
    shiny::actionButton("gold_add", "Add", class = "btn-outline-primary btn-sm"),
    shiny::selectizeInput(
      "gold", "Added (remove by the cross)", NULL, multiple = TRUE,
      options = list(placeholder = "none", plugins = list("remove_button"))
    )
  )
}

name_controls <- function() {
  shiny::tags$fieldset(
    shiny::tags$legend("Name a class"),
    shiny::selectInput("class", "Class", NULL, selectize = FALSE),
    shiny::textInput("name", "New name"),
    shiny::actionButton("rename", "Rename", class = "btn-outline-primary btn-sm")
  )
}

explore_views <- function(state) {
  view <- function(title, id) shiny::tabPanel(title, shiny::plotOutput(id, height = "auto"))
  tabs <- list(
    view("Profiles", "profiles"),
    shiny::tabPanel(
      if (is_crowd(state$x)) "Workers" else "Items",
      shiny::div(class = "scroll", shiny::tableOutput("items"))
    ),
    view("Certainty", "posterior"),
    if (state$engine == "stagewise_em") view("Number of classes", "path"),
    if (is_crowd(state$x)) view("Accuracy", "workers"),
    shiny::tabPanel(
      "R code",
      shiny::p("This makes the fit from your data:"),
      shiny::verbatimTextOutput("code"),
      shiny::actionButton("copy", "Copy", class = "btn-outline-primary btn-sm")
    )
  )
  do.call(shiny::tabsetPanel, c(list(id = "view"), Filter(Negate(is.null), tabs)))
}
