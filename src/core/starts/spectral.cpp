#include "starts/spectral.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/errors.h"

namespace mdpd {

namespace {

constexpr Index n_views = 3;

/// Singular values below this share of the largest count as zero. Moments are means, good to some
/// 1e-16 times their size; what is left of a dependence this small is rounding.
constexpr double rank_tolerance = 1e-10;

/// Length of a step of the power iteration that counts as none; its error squares at every step.
constexpr double power_tolerance = 1e-13;

/// The standard fixes the engine but not its distributions: these are ours.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52; }

  /// Uniform on the unit sphere, by normal draws (Box and Muller, 1958).
  Vector direction(Index n) {
    constexpr double two_pi = 6.283185307179586;
    Vector out(n);
    for (Index i = 0; i < n; ++i) {
      const double radius = std::sqrt(-2.0 * std::log(uniform()));
      out[i] = radius * std::cos(two_pi * uniform());
    }
    return out.normalized();
  }

  std::vector<Index> permutation(Index n) {
    std::vector<Index> out(n);
    std::iota(out.begin(), out.end(), Index{0});
    for (Index i = n - 1; i > 0; --i) {
      std::swap(out[i], out[static_cast<Index>(uniform() * static_cast<double>(i + 1))]);
    }
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

/// The unit vector that u converges to under u -> T(I, u, u), or where the iterations end.
Vector power_iterations(const Tensor3& tensor, Vector u, Index max_iter) {
  for (Index iteration = 0; iteration < max_iter; ++iteration) {
    const Vector next = tensor.apply(u);
    const double length = next.norm();
    if (!(length > 0.0)) break;  // what deflation left of the tensor is zero along u
    const double step = (next / length - u).norm();
    u = next / length;
    if (step < power_tolerance) break;
  }
  return u;
}

bool has_full_rank(const Vector& singular_values) {
  return singular_values.allFinite() &&
         singular_values.minCoeff() > rank_tolerance * singular_values.maxCoeff();
}

/// Pairs every row with a column, the largest entries first: position r holds r's column.
std::vector<Index> assign_greedily(Matrix affinity) {
  std::vector<Index> column_of(affinity.rows());
  for (Index pass = 0; pass < affinity.rows(); ++pass) {
    Index row = 0;
    Index column = 0;
    affinity.maxCoeff(&row, &column);
    column_of[row] = column;
    affinity.row(row).setConstant(-HUGE_VAL);
    affinity.col(column).setConstant(-HUGE_VAL);
  }
  return column_of;
}

/// One view's decomposition.
struct OneView {
  Vector mixing_weights;
  Matrix means;

  void reorder(const std::vector<Index>& order) {
    const OneView old = *this;
    for (std::size_t h = 0; h < order.size(); ++h) {
      mixing_weights[h] = old.mixing_weights[order[h]];
      means.col(h) = old.means.col(order[h]);
    }
  }
};

Vector unit_sum(const Vector& x) { return x / x.sum(); }

/// The means and weights of view c. Full rank of the pair moments is the caller's to see to.
std::optional<OneView> decompose_view(const ViewMoments& moments, Index c,
                                      const TensorPowerOptions& options) {
  const Index a = (c + 1) % n_views;
  const Index b = (c + 2) % n_views;
  // x_a and x_b mapped so that, given the component, they have the mean of x_c.
  const Matrix map_a = moments.cross(b, a).partialPivLu().solve(moments.cross(b, c)).transpose();
  const Matrix map_b = moments.cross(a, b).partialPivLu().solve(moments.cross(a, c)).transpose();
  const Matrix second = map_a * moments.cross(a, c);

  // Noise may leave a negative eigenvalue; its size is used, as by the source's singular values.
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(0.5 * (second + second.transpose()));
  const Vector sizes = spectrum.eigenvalues().cwiseAbs();
  if (!has_full_rank(sizes)) return std::nullopt;
  const Vector roots = sizes.cwiseSqrt();
  const Matrix whitening = spectrum.eigenvectors() * roots.cwiseInverse().asDiagonal();
  const Matrix unwhitening = spectrum.eigenvectors() * roots.asDiagonal();

  std::array<Matrix, n_views> maps;
  maps[a] = map_a.transpose() * whitening;
  maps[b] = map_b.transpose() * whitening;
  maps[c] = whitening;
  const TensorEigenpairs pairs = tensor_power_method(
      moments.triple.contract(maps[0], maps[1], maps[2]).symmetrised(), options);
  // An eigenvalue is one over the root of a mixing weight, at least 1 but for noise.
  const Vector values = pairs.values.cwiseMax(1.0);
  return OneView{unit_sum(values.cwiseAbs2().cwiseInverse()),
                 unwhitening * pairs.vectors * values.asDiagonal()};
}

/// How much of the whole of component h (column) falls on label r (row).
Matrix label_affinity(const Matrix& means) {
  const Vector sums = means.colwise().sum();
  // A mean of one-hot vectors has sum 1; one that has lost that is taken as it is.
  return means * sums.unaryExpr([](double s) { return s > 0.0 ? 1.0 / s : 1.0; }).asDiagonal();
}

/// How near the means of view c (columns) are to those that `first`, of view 0, implies (rows).
Matrix match_affinity(const ViewMoments& moments, const OneView& first, const OneView& view,
                      Index c) {
  const Matrix weighted = first.means * first.mixing_weights.asDiagonal();
  const Matrix implied = weighted.fullPivLu().solve(moments.cross(0, c)).transpose();
  Matrix affinity(implied.cols(), implied.cols());
  for (Index h = 0; h < implied.cols(); ++h) {
    affinity.row(h) = -(view.means.colwise() - implied.col(h)).colwise().squaredNorm();
  }
  return affinity;
}

std::vector<Index> decreasing(const Vector& x) {
  std::vector<Index> order(x.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return x[i] > x[j]; });
  return order;
}

void align(const ViewMoments& moments, ComponentOrder order, std::array<OneView, n_views>& views) {
  for (Index c = 0; c < n_views; ++c) {
    if (order == ComponentOrder::kByLabel) {
      views[c].reorder(assign_greedily(label_affinity(views[c].means)));
    } else if (c > 0) {
      views[c].reorder(assign_greedily(match_affinity(moments, views[0], views[c], c)));
    }
  }
}

ViewModel combine(std::array<OneView, n_views> views, ComponentOrder order) {
  const Vector mean_weights =
      views[0].mixing_weights + views[1].mixing_weights + views[2].mixing_weights;
  if (order == ComponentOrder::kByMatch) {
    const std::vector<Index> by_weight = decreasing(mean_weights);
    for (OneView& view : views) view.reorder(by_weight);
  }
  return {unit_sum(views[0].mixing_weights + views[1].mixing_weights + views[2].mixing_weights),
          {views[0].means, views[1].means, views[2].means}};
}

/// The items of each group, in order.
using Groups = std::array<ItemSet, n_views>;

Groups make_groups(const CodedData& data, const SpectralOptions& options) {
  Groups groups;
  if (options.groups.empty()) {
    // The power method has the seed's own stream; this one is apart from it.
    Random random(options.power.seed ^ 0x9e3779b97f4a7c15U);
    const std::vector<Index> order = random.permutation(data.n_items);
    for (Index i = 0; i < data.n_items; ++i) groups[i % n_views].push_back(order[i]);
    for (ItemSet& group : groups) std::sort(group.begin(), group.end());
    return groups;
  }
  if (static_cast<Index>(options.groups.size()) != data.n_items) {
    throw DimensionError("Every item needs a group.");
  }
  for (Index i = 0; i < data.n_items; ++i) {
    const Index group = options.groups[i];
    if (group < 0 || group >= n_views) throw DimensionError("A group must be 0, 1 or 2.");
    groups[group].push_back(i);
  }
  for (const ItemSet& group : groups) {
    if (group.empty()) throw DimensionError("No group may be empty.");
  }
  return groups;
}

/// Reads what a group of items shows of the rows.
class View {
 public:
  View(const CodedData& data, const ItemSet& items, ViewKind kind)
      : data_(data), items_(items), first_(data.n_items, not_in_view) {
    const bool averaged = kind == ViewKind::kAveraged;
    share_ = averaged ? 1.0 / static_cast<double>(items_.size()) : 1.0;
    for (const Index item : items_) {
      first_[item] = averaged ? 0 : size_;
      size_ = averaged ? data.n_levels[item] : size_ + data.n_levels[item];
    }
    nothing_ = Eigen::RowVectorXd::Zero(size_);
    for (const Index item : items_) {
      nothing_.segment(first_[item], data.n_levels[item]) += share_ * item_frequencies(item);
    }
  }

  Index size() const { return size_; }

  /// Rows first, ..., first + n - 1 (n x size): of an answer its indicator, of an item without one
  /// its frequencies.
  RowMatrix rows(Index first, Index n) const {
    return data_.is_sparse() ? sparse_rows(first, n) : dense_rows(first, n);
  }

 private:
  static constexpr Index not_in_view = -1;

  RowMatrix dense_rows(Index first, Index n) const {
    RowMatrix out = RowMatrix::Zero(n, size_);
    for (const Index item : items_) {
      const Eigen::RowVectorXd frequencies = item_frequencies(item);
      const Code* codes = data_.item_codes(item) + first;
      for (Index row = 0; row < n; ++row) {
        if (codes[row] == 0) {
          out.row(row).segment(first_[item], frequencies.size()) += share_ * frequencies;
        } else {
          out(row, first_[item] + codes[row] - 1) += share_;
        }
      }
    }
    return out;
  }

  /// Each answer takes the place of its item's frequencies.
  RowMatrix sparse_rows(Index first, Index n) const {
    RowMatrix out = nothing_.replicate(n, 1);
    for (Index row = 0; row < n; ++row) {
      for_each_item_of_row(data_, first + row, [&](Index item, Code code) {
        const Index at = first_[item];
        if (at == not_in_view) return;
        out.row(row).segment(at, data_.n_levels[item]) -= share_ * item_frequencies(item);
        out(row, at + code - 1) += share_;
      });
    }
    return out;
  }

  Eigen::RowVectorXd item_frequencies(Index item) const {
    // An item that nobody answered says the same about every row: nothing.
    if (!(data_.observed_weight[item] > 0.0)) return Eigen::RowVectorXd::Zero(data_.n_levels[item]);
    return data_.level_weight.segment(data_.offset[item], data_.n_levels[item]).transpose() /
           data_.observed_weight[item];
  }

  const CodedData& data_;
  const ItemSet& items_;
  double share_ = 1.0;  ///< of an item in its coordinates
  Index size_ = 0;
  std::vector<Index> first_;    ///< per item: where its levels begin
  Eigen::RowVectorXd nothing_;  ///< what a row without answers shows
};

using Views = std::array<View, n_views>;
using ViewRows = std::array<RowMatrix, n_views>;  ///< rows x coordinates, one matrix a view

/// Calls visit(first, n) on blocks of rows: views are wide, and never held for all rows at once.
template <class Visit>
void for_row_blocks(Index n_obs, Monitor& monitor, Visit visit) {
  constexpr Index block = 1024;
  for (Index first = 0; first < n_obs; first += block) {
    monitor.on_work();
    visit(first, std::min(block, n_obs - first));
  }
}

/// E[z_a z_b'], at place a, for b = (a + 1) mod 3.
std::array<Matrix, n_views> pair_moments(const CodedData& data, const Views& views,
                                         Monitor& monitor) {
  std::array<Matrix, n_views> out;
  for (Index a = 0; a < n_views; ++a) {
    out[a] = Matrix::Zero(views[a].size(), views[(a + 1) % n_views].size());
  }
  for_row_blocks(data.n_obs, monitor, [&](Index first, Index n) {
    const ViewRows z = {views[0].rows(first, n), views[1].rows(first, n), views[2].rows(first, n)};
    const Vector weights = data.case_weights.segment(first, n) / data.total_weight;
    for (Index a = 0; a < n_views; ++a) {
      out[a].noalias() += z[a].transpose() * weights.asDiagonal() * z[(a + 1) % n_views];
    }
  });
  return out;
}

/// Orthonormal basis of what a view shares with the other two, k directions at most.
Matrix shared_directions(const Matrix& with_next, const Matrix& with_previous, Index k) {
  if (with_next.rows() == k) return Matrix::Identity(k, k);
  Matrix both(with_next.rows(), with_next.cols() + with_previous.rows());
  both << with_next, with_previous.transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(both * both.transpose());
  return spectrum.eigenvectors().rightCols(k);
}

ViewRows project(const CodedData& data, const Views& views, Index k, Monitor& monitor) {
  const std::array<Matrix, n_views> pairs = pair_moments(data, views, monitor);
  std::array<Matrix, n_views> directions;
  for (Index a = 0; a < n_views; ++a) {
    directions[a] = shared_directions(pairs[a], pairs[(a + 2) % n_views], k);
  }
  ViewRows out;
  for (Index a = 0; a < n_views; ++a) {
    out[a].resize(data.n_obs, k);
    for_row_blocks(data.n_obs, monitor, [&](Index first, Index n) {
      out[a].middleRows(first, n).noalias() = views[a].rows(first, n) * directions[a];
    });
  }
  return out;
}

ViewMoments moments_of(const CodedData& data, const ViewRows& x) {
  const Vector weights = data.case_weights / data.total_weight;
  ViewMoments out;
  for (Index a = 0; a < n_views; ++a) {
    out.pair[a] = x[a].transpose() * weights.asDiagonal() * x[(a + 1) % n_views];
  }
  for (Index l = 0; l < x[2].cols(); ++l) {
    const Vector slice_weights = weights.cwiseProduct(x[2].col(l));
    out.triple.slices.push_back(x[0].transpose() * slice_weights.asDiagonal() * x[1]);
  }
  return out;
}

/// Columns lifted to at least `floor` and scaled to sum to 1.
RowMatrix probability_columns(const RowMatrix& estimate, double floor) {
  RowMatrix out = estimate.cwiseMax(floor);
  for (Index h = 0; h < out.cols(); ++h) out.col(h) /= out.col(h).sum();
  return out;
}

/// Item-response probabilities of the items of group g, by least squares from the cross moments of
/// each with the other two views: E[e_i x'] = C_i W A', with A the means of both views.
void add_item_probs(const CodedData& data, const ItemSet& items, Index g, const ViewRows& x,
                    const ViewModel& model, double floor, RowMatrix& item_probs) {
  const Index a = (g + 1) % n_views;
  const Index b = (g + 2) % n_views;
  const Index k = model.mixing_weights.size();
  Matrix means(2 * k, k);
  means << model.means[a], model.means[b];
  const Matrix scaled = means * model.mixing_weights.asDiagonal();
  const Eigen::ColPivHouseholderQR<Matrix> solver(scaled);
  for (const Index item : items) {
    const Index n_levels = data.n_levels[item];
    RowMatrix cross = RowMatrix::Zero(n_levels, 2 * k);
    for_each_answer(data, item, [&](Index row, Code code) {
      cross.row(code - 1).head(k) += data.case_weights[row] * x[a].row(row);
      cross.row(code - 1).tail(k) += data.case_weights[row] * x[b].row(row);
    });
    // By answers, so that the floor means the same for an item with few of them.
    cross /= std::max(data.observed_weight[item], 1e-300);
    const RowMatrix probs = solver.solve(Matrix(cross.transpose())).transpose();
    item_probs.middleRows(data.offset[item], n_levels) = probability_columns(probs, floor);
  }
}

SpectralStart not_found(const CodedData& data, Index k, SpectralStatus status) {
  const MixtureParameters one = independence_model(data);
  const double share = 1.0 / static_cast<double>(k);
  return {status, {Vector::Constant(k, share), one.item_probs.col(0).replicate(1, k)}};
}

void require_same_levels(const CodedData& data) {
  for (const Index n_levels : data.n_levels) {
    if (n_levels != data.n_levels.front()) {
      throw DimensionError("Averaged views need items with the same levels.");
    }
  }
}

}  // namespace

Tensor3 Tensor3::contract(const Matrix& a, const Matrix& b, const Matrix& c) const {
  Tensor3 out{std::vector<Matrix>(c.cols(), Matrix::Zero(a.cols(), b.cols()))};
  for (std::size_t l = 0; l < slices.size(); ++l) {
    const Matrix slice = a.transpose() * slices[l] * b;
    for (Index m = 0; m < c.cols(); ++m) out.slices[m] += c(l, m) * slice;
  }
  return out;
}

Vector Tensor3::apply(const Vector& u) const {
  Vector out = Vector::Zero(u.size());
  for (std::size_t l = 0; l < slices.size(); ++l) out += u[l] * (slices[l] * u);
  return out;
}

Tensor3 Tensor3::symmetrised() const {
  const Index n = static_cast<Index>(slices.size());
  Tensor3 out = *this;
  for (Index l = 0; l < n; ++l) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        out.slices[l](i, j) = (slices[l](i, j) + slices[l](j, i) + slices[j](i, l) +
                               slices[j](l, i) + slices[i](j, l) + slices[i](l, j)) /
                              6.0;
      }
    }
  }
  return out;
}

void Tensor3::add_power(double scale, const Vector& u) {
  for (std::size_t l = 0; l < slices.size(); ++l) {
    slices[l] += (scale * u[l]) * (u * u.transpose());
  }
}

TensorEigenpairs tensor_power_method(Tensor3 tensor, const TensorPowerOptions& options) {
  const Index n = static_cast<Index>(tensor.slices.size());
  Random random(options.seed);
  TensorEigenpairs out{Vector(n), Matrix(n, n)};
  for (Index h = 0; h < n; ++h) {
    Vector best = Vector::Unit(n, h);
    double largest = -HUGE_VAL;
    for (Index restart = 0; restart < options.n_restarts; ++restart) {
      const Vector u = power_iterations(tensor, random.direction(n), options.max_iter);
      const double value = u.dot(tensor.apply(u));
      if (value > largest) {
        largest = value;
        best = u;
      }
    }
    best = power_iterations(tensor, best, options.max_iter);
    const double value = best.dot(tensor.apply(best));
    out.values[h] = std::abs(value);  // an odd power: the sign belongs to the vector
    out.vectors.col(h) = value < 0.0 ? Vector(-best) : best;
    tensor.add_power(-value, best);
  }
  return out;
}

Matrix ViewMoments::cross(Index a, Index b) const {
  return b == (a + 1) % n_views ? pair[a] : Matrix(pair[b].transpose());
}

std::optional<ViewModel> decompose_views(const ViewMoments& moments, ComponentOrder order,
                                         const TensorPowerOptions& options) {
  for (const Matrix& pair : moments.pair) {
    if (!has_full_rank(Eigen::JacobiSVD<Matrix>(pair).singularValues())) return std::nullopt;
  }
  std::array<OneView, n_views> views;
  for (Index c = 0; c < n_views; ++c) {
    std::optional<OneView> view = decompose_view(moments, c, options);
    if (!view) return std::nullopt;
    views[c] = *std::move(view);
  }
  align(moments, order, views);
  return combine(std::move(views), order);
}

SpectralStart spectral_start(const CodedData& data, Index n_components,
                             const SpectralOptions& options, Monitor& monitor) {
  const bool averaged = options.view == ViewKind::kAveraged;
  if (averaged) require_same_levels(data);
  if (data.n_items < n_views) return not_found(data, n_components, SpectralStatus::kTooFewItems);
  const Groups groups = make_groups(data, options);
  const Views views = {View(data, groups[0], options.view), View(data, groups[1], options.view),
                       View(data, groups[2], options.view)};
  for (const View& view : views) {
    if (view.size() < n_components) {
      return not_found(data, n_components, SpectralStatus::kRankTooLow);
    }
  }
  const ViewRows x = project(data, views, n_components, monitor);
  const bool by_label = averaged && views[0].size() == n_components;
  const std::optional<ViewModel> model = decompose_views(
      moments_of(data, x), by_label ? ComponentOrder::kByLabel : ComponentOrder::kByMatch,
      options.power);
  if (!model) return not_found(data, n_components, SpectralStatus::kRankTooLow);

  MixtureParameters params{model->mixing_weights, RowMatrix(data.n_total_levels(), n_components)};
  for (Index g = 0; g < n_views; ++g) {
    add_item_probs(data, groups[g], g, x, *model, options.floor, params.item_probs);
  }
  return {SpectralStatus::kFound, std::move(params)};
}

}  // namespace mdpd
