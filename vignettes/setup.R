# What all pages have in common. Where the machine has pngquant, pictures have a palette of 256
# colours, in a third of the bytes.
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 7, fig.height = 4.2, out.width = "98%", dpi = 88,
  dev = "png"
)
if (nzchar(Sys.which("pngquant"))) {
  knitr::knit_hooks$set(pngquant = knitr::hook_pngquant)
  knitr::opts_chunk$set(pngquant = "--speed 1 --quality 60-95")
}
options(width = 76)
