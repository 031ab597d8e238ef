#include "growth/split.h"

#include <cmath>
#include <functional>
#include <limits>

#include "base/matrices.h"
#include "base/numerics.h"
#include "data/row_sums.h"
#include "model/m_step.h"
#include "model/posterior.h"

namespace mdpd {

namespace {

/// Smallest probability of a component before and after its split.
constexpr double split_floor = 0.002;

/// L[r, s] = log( J W / (J_r. J_.s) ), 0 where the cell is empty.
Matrix log_ratio(const Matrix& joint) {
  const Vector rows = joint.rowwise().sum();
  const Vector cols = joint.colwise().sum();
  const double weight = joint.sum();
  Matrix out = Matrix::Zero(joint.rows(), joint.cols());
  for (Index r = 0; r < joint.rows(); ++r) {
    for (Index s = 0; s < joint.cols(); ++s) {
      if (joint(r, s) > 0.0) out(r, s) = log_of(joint(r, s) * weight / (rows[r] * cols[s]));
    }
  }
  return out;
}

/// Q_l[r, s]: pair tables with the product of two components' posteriors as row weight.
PairTable overlap_tables(const SplitProblem& problem) {
  const RowMatrix& weights = problem.row_weights;
  // Row weights are posterior x case weight / N: dividing by their row sum gives the posterior
  // back. No product is larger than the weight, and it is rounded as that is.
  const Vector row_sums = weights.rowwise().sum();
  const Eigen::ArrayXd own =
      (row_sums.array() > 0.0).select(weights.col(problem.component).cwiseQuotient(row_sums), 0.0);
  const RowMatrix products = (weights.array().colwise() * own + 1.0) - 1.0;
  PairTable table;
  fill_pair_table(problem.data, products, problem.item_1, problem.item_2, problem.missing, table);
  return table;
}

/// Coefficients C[r, s] of a_r b_s that come from the change of the posterior:
/// L_k (J_k - Q_k) - sum over l != k of L_l Q_l.
Matrix posterior_terms(const SplitProblem& problem, const PairTable& joint) {
  const PairTable overlap = overlap_tables(problem);
  Matrix terms = Matrix::Zero(joint.n_rows, joint.n_cols);
  for (Index l = 0; l < joint.n_components; ++l) {
    const Matrix joint_l = joint.component(l);
    Matrix moved = -overlap.component(l);
    if (l == problem.component) moved += joint_l;
    terms += log_ratio(joint_l).cwiseProduct(moved);
  }
  return terms;
}

/// 1 / x, 0 where x is 0: an empty row or column adds nothing.
Vector reciprocal(const Vector& x) {
  return x.unaryExpr([](double v) { return v > 0.0 ? 1.0 / v : 0.0; });
}

/// Hessian in (a, b), the relative changes a = d_i / mu_i and b = d_j / mu_j, of which the missing
/// levels have none.
Matrix relative_hessian(const Matrix& joint, const Matrix& posterior_part) {
  const Vector rows = joint.rowwise().sum();
  const Vector cols = joint.colwise().sum();
  const double weight = joint.sum();
  const double inverse_weight = weight > 0.0 ? 1.0 / weight : 0.0;
  const Matrix first = rows * rows.transpose() * inverse_weight -
                       product(joint * reciprocal(cols).asDiagonal(), joint.transpose());
  const Matrix second = cols * cols.transpose() * inverse_weight -
                        product(joint.transpose() * reciprocal(rows).asDiagonal(), joint);
  const Matrix both = rows * cols.transpose() * inverse_weight - joint + posterior_part;
  const Index n_1 = joint.rows() - 1;
  const Index n_2 = joint.cols() - 1;
  Matrix hessian(n_1 + n_2, n_1 + n_2);
  hessian << first.bottomRightCorner(n_1, n_1), both.bottomRightCorner(n_1, n_2),
      both.bottomRightCorner(n_1, n_2).transpose(), second.bottomRightCorner(n_2, n_2);
  return hessian;
}

/// Levels with a probability; one at least.
std::vector<Index> live_levels(const Vector& probs) {
  std::vector<Index> live;
  for (Index r = 0; r < probs.size(); ++r) {
    if (probs[r] > 0.0) live.push_back(r);
  }
  return live;
}

/// Block-diagonal orthonormal basis of the moves: both blocks sum to zero and a level without
/// probability stays where it is.
Matrix move_basis(const Vector& probs_1, const Vector& probs_2) {
  const std::vector<Index> live_1 = live_levels(probs_1);
  const std::vector<Index> live_2 = live_levels(probs_2);
  const auto n_moves_1 = static_cast<Index>(live_1.size()) - 1;
  const auto n_moves_2 = static_cast<Index>(live_2.size()) - 1;
  Matrix basis = Matrix::Zero(probs_1.size() + probs_2.size(), n_moves_1 + n_moves_2);
  const auto fill = [&](const std::vector<Index>& live, Index first_row, Index first_move) {
    const auto n_live = static_cast<Index>(live.size());
    if (n_live < 2) return;
    const Matrix contrasts = zero_sum_basis(n_live);
    for (Index r = 0; r < n_live; ++r) {
      basis.row(first_row + live[r]).segment(first_move, n_live - 1) = contrasts.row(r);
    }
  };
  fill(live_1, 0, 0);
  fill(live_2, probs_1.size(), n_moves_1);
  return basis;
}

double golden_section(const std::function<double(double)>& objective, double low, double high) {
  const double golden = 0.6180339887498949;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = objective(left);
  double at_right = objective(right);
  for (int i = 0; i < 20; ++i) {  // shrinks the bracket by 1e-4: finer than EM will keep
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = objective(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = objective(right);
    }
  }
  return 0.5 * (low + high);
}

/// The move of the two items: a fixed length on each, or the length with the smallest objective.
Vector split_move(const SplitProblem& problem, double step) {
  const SplitDirection direction = split_direction(problem);
  if (!(direction.curvature < 0.0)) return Vector::Zero(direction.d.size());
  if (step > 0.0) {
    Vector d = direction.d;
    d.head(problem.probs_1.size()).normalize();
    d.tail(problem.probs_2.size()).normalize();
    return step * d;
  }
  const double longest = longest_step(problem, direction.d);
  return best_step(problem, direction.d, longest) * direction.d;
}

}  // namespace

Matrix split_hessian(const SplitProblem& problem) {
  PairTable joint;
  fill_pair_table(problem.data, problem.row_weights, problem.item_1, problem.item_2,
                  problem.missing, joint);
  const Matrix relative =
      relative_hessian(joint.component(problem.component), posterior_terms(problem, joint));
  Vector scale(relative.rows());
  scale << reciprocal(problem.probs_1), reciprocal(problem.probs_2);
  return scale.asDiagonal() * relative * scale.asDiagonal();
}

SplitDirection split_direction(const SplitProblem& problem) {
  const Matrix basis = move_basis(problem.probs_1, problem.probs_2);
  if (basis.cols() == 0) return {Vector::Zero(basis.rows()), 0.0};
  const Matrix reduced = product(product(basis.transpose(), split_hessian(problem)), basis);
  const Spectrum spectrum = spectrum_of(reduced);
  return {product(basis, spectrum.vectors.col(0)), spectrum.values[0]};
}

double longest_step(const SplitProblem& problem, const Vector& d) {
  Vector probs(problem.probs_1.size() + problem.probs_2.size());
  probs << problem.probs_1, problem.probs_2;
  const double longest =
      (d.array() == 0.0).select(HUGE_VAL, probs.array() / d.array().abs()).minCoeff();
  return std::isfinite(longest) ? longest : 0.0;
}

double best_step(const SplitProblem& problem, const Vector& d, double longest) {
  const SplitObjective objective_of(problem);
  const auto objective = [&](double length) { return objective_of(length * d); };
  constexpr int n_grid = 16;
  int best = 1;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= n_grid; ++i) {
    const double value = objective(longest * i / n_grid);
    if (value < smallest) {
      smallest = value;
      best = i;
    }
  }
  const double step = longest / n_grid;
  const double refined =
      golden_section(objective, (best - 1) * step, std::min(longest, (best + 1) * step));
  // At the edge of the simplex, where many optima lie, golden section ends a little short of it.
  return objective(refined) <= smallest ? refined : best * step;
}

MixtureParameters split_component(const MixtureParameters& params, const SplitProblem& problem,
                                  const Vector& d) {
  const Index n_components = params.n_components();
  const Index component = problem.component;
  MixtureParameters out{Vector(n_components + 1),
                        RowMatrix(params.item_probs.rows(), n_components + 1)};
  out.mixing_weights << params.mixing_weights, 0.5 * params.mixing_weights[component];
  out.mixing_weights[component] *= 0.5;
  out.item_probs << params.item_probs, params.item_probs.col(component);
  const auto place = [&](Index item, const Vector& probs, const Vector& move) {
    const Index first = problem.data.offset[item];
    out.item_probs.col(component).segment(first, probs.size()) = probs + move;
    out.item_probs.col(n_components).segment(first, probs.size()) = probs - move;
  };
  place(problem.item_1, problem.probs_1, d.head(problem.probs_1.size()));
  place(problem.item_2, problem.probs_2, d.tail(problem.probs_2.size()));
  return out;
}

Split split_at_pair(const CodedData& data, MixtureParameters params, const ItemSet& informative,
                    const PairChoice& pair, double step, MissingCells missing) {
  apply_floor(data, split_floor, params.item_probs);
  const RowMatrix row_weights = row_shares(data, e_step(data, params, informative).posterior);
  const auto probs = [&](Index item) -> Vector {
    return params.item_probs.col(pair.component).segment(data.offset[item], data.n_levels[item]);
  };
  const SplitProblem problem{data,        row_weights,        pair.component,     pair.item_1,
                             pair.item_2, probs(pair.item_1), probs(pair.item_2), missing};
  const Vector d = split_move(problem, step);
  const double length = d.norm();
  if (!(length > 0.0)) return {std::move(params), 0.0};
  Split split{split_component(params, problem, d), length};
  apply_floor(data, split_floor, split.params.item_probs);
  return split;
}

ItemSet with_pair(ItemSet items, const PairChoice& pair) {
  for (const Index item : {pair.item_1, pair.item_2}) {
    if (!contains(items, item)) items.push_back(item);
  }
  return items;
}

MixtureFit split_start(const CodedData& data, const MixtureParameters& params,
                       const ItemSet& informative, const PairChoice& pair, MissingCells missing) {
  const ItemSet items = with_pair(informative, pair);
  const Split split = split_at_pair(data, params, items, pair, 0.0, missing);
  if (!(split.length > 0.0)) return start_at({}, items);
  return start_at(e_step(data, split.params, items).posterior, items);
}

}  // namespace mdpd
