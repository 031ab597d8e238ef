#include "fit/known_rows.h"

#include <testthat.h>

#include "fit/problems.h"

namespace mdpd {

namespace {

/// EM from the labels of `three_components()`, with component i of label `order[i]`.
MixtureFit fit_by_labels(const Table& table, const std::vector<Index>& order) {
  RowMatrix start = RowMatrix::Constant(table.data.n_obs, 3, 0.05);
  const std::vector<Index> labels = labels_of(table);
  for (Index row = 0; row < start.rows(); ++row) {
    for (Index k = 0; k < 3; ++k) {
      if (order[k] == labels[row]) start(row, k) = 0.9;
    }
  }
  Monitor monitor;
  return refine(table.data, start, range(0, 9), {}, monitor).fit;
}

/// The component in which that fit has the label each component is named after.
std::vector<Index> match(const Table& table, const std::vector<Index>& known,
                         const std::vector<Index>& order) {
  const MixtureFit fit = fit_by_labels(table, order);
  return component_of_label(table.data, fit.params, fit.informative,
                            components_of_known(table.data, known, fit.e_step.posterior));
}

}  // namespace

context("known_rows") {
  test_that("the component of a label is the one of its answers, whatever its number") {
    const Table table = three_components(1);
    const std::vector<Index> known = every(10, labels_of(table));
    for (const std::vector<Index>& order :
         {std::vector<Index>{0, 1, 2}, std::vector<Index>{2, 0, 1}, std::vector<Index>{1, 0, 2}}) {
      const std::vector<Index> components = match(table, known, order);
      for (Index label = 0; label < 3; ++label) expect_true(order[components[label]] == label);
    }
  }

  test_that("a few rows known to be what nobody says undo no names") {
    const Table table = three_components(2);
    std::vector<Index> known(500, no_component);
    const std::vector<Index> labels = labels_of(table);
    for (Index n = 0; n < 5; ++n) known[n] = (labels[n] + 1) % 3;
    expect_true(match(table, known, {1, 2, 0}) == std::vector<Index>({2, 0, 1}));
  }

  test_that("a component of no label at all is that of the label that is left") {
    // Of three levels two are labels; in the second component all answer the third.
    const Table table = table_of({{1, 1, 3, 3}}, {3});
    MixtureParameters params;
    params.mixing_weights = Vector::Constant(2, 0.5);
    params.item_probs.resize(3, 2);
    params.item_probs << 0.8, 0.0, 0.2, 0.0, 0.0, 1.0;
    const Matrix none = Matrix::Zero(2, 2);
    expect_true(component_of_label(table.data, params, {0}, none) == std::vector<Index>({0, 1}));
    params.item_probs << 0.2, 0.0, 0.8, 0.0, 0.0, 1.0;
    expect_true(component_of_label(table.data, params, {0}, none) == std::vector<Index>({1, 0}));
  }

  test_that("many known rows say which component it is, whatever the items call it") {
    const Table table = three_components(3);
    std::vector<Index> known = every(2, labels_of(table));
    for (Index& component : known) {
      if (component != no_component) component = (component + 1) % 3;
    }
    expect_true(match(table, known, {0, 1, 2}) == std::vector<Index>({2, 0, 1}));
  }
}

}  // namespace mdpd
