# The look of the pictures in bench/results, and where they go.
library(ggplot2)

bench_theme <- function() {
  theme_minimal(base_size = 11) +
    theme(
      panel.grid.minor = element_blank(), plot.title.position = "plot",
      legend.key.height = unit(14, "pt"), strip.text = element_text(hjust = 0, face = "bold"),
      plot.background = element_rect(fill = "white", colour = NA)
    )
}

# Writes bench/results/<name>.png.
save_picture <- function(name, plot, width, height) {
  ggsave(result_file(paste0(name, ".png")), plot, width = width, height = height, dpi = 130)
}
