# A fit of four classes up to the growth from one component, in the engine's terms.
chain_case <- function() {
  crowd <- simulate_crowd(300, 15, 4, accuracy = rep(0.8, 8), seed = 1)
  coded <- encode(crowd$labels, NULL, "ignore", arg = "x")
  settings <- list(
    method = "robust", refine = "sparse", verbose = FALSE,
    control = complete_control(stagewise_control(), "robust")
  )
  stages <- core_stagewise(coded, 4, "robust", FALSE, settings$control, FALSE)
  refined <- refine_core(coded, stages$fit, "sparse", settings$control, FALSE)
  list(coded = coded, settings = settings, stages = stages, refined = refined)
}

test_that("growth that ends where a polish has ended is polished no more, which changes nothing", {
  case <- chain_case()
  chain <- function(optimum) {
    refine_chain(case$coded, 4, case$settings, case$stages, optimum)
  }
  expect_null(chain(case$refined$optimum))
  polished <- chain(NULL)
  expect_false(is.null(polished))
  expect_identical(better_result(case$refined, polished), case$refined)
})

test_that("an optimum is told by its items and rows, whatever the order of its components", {
  case <- chain_case()
  same <- function(change) {
    is_same_optimum(case$refined$optimum, change(case$refined$optimum), case$coded,
                    case$settings$control)
  }
  expect_true(same(identity))
  expect_true(same(function(fit) {
    fit$posterior <- fit$posterior[, c(3, 1, 4, 2)]
    fit$informative <- rev(fit$informative)
    fit
  }))
  expect_false(same(function(fit) replace(fit, "informative", list(fit$informative[-1]))))
  expect_false(same(function(fit) {
    fit$posterior[1:3, ] <- fit$posterior[1:3, c(2, 3, 4, 1)]
    fit
  }))
  expect_false(same(function(fit) {
    replace(fit, "penalised_loglik", list(fit$penalised_loglik - 0.1))
  }))
})
