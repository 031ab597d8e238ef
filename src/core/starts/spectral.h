#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/monitor.h"
#include "model/parameters.h"

namespace mdpd {

/// Tensor of order three: entry (i, j, l) is slices[l](i, j).
struct Tensor3 {
  std::vector<Matrix> slices;

  /// T(A, B, C): every index contracted with a matrix (old size x new size).
  Tensor3 contract(const Matrix& a, const Matrix& b, const Matrix& c) const;
  /// T(I, u, u).
  Vector apply(const Vector& u) const;
  /// Mean over the six orders of the indices; the tensor must be a cube.
  Tensor3 symmetrised() const;
  /// Adds scale times the third outer power of `u`.
  void add_power(double scale, const Vector& u);
};

/// Random restarts of the tensor power method, the same on every platform.
struct TensorPowerOptions {
  Index n_restarts = 10;   ///< per component: L of the source
  Index max_iter = 200;    ///< power iterations each: N of the source
  std::uint64_t seed = 1;  ///< of the standard's 64-bit Mersenne twister
};

/// sum_h values[h] v_h (x) v_h (x) v_h, with v_h in column h.
struct TensorEigenpairs {
  Vector values;   ///< n, >= 0
  Matrix vectors;  ///< n x n, columns of length 1
};

/// Robust tensor power method with deflation, for a symmetric tensor that is nearly orthogonal.
/// Recovers an exact orthogonal decomposition to rounding, in an order that depends on the seed.
/// Anandkumar, Ge, Hsu, Kakade and Telgarsky (2014), JMLR 15, 2773-2832, algorithm 1.
TensorEigenpairs tensor_power_method(Tensor3 tensor, const TensorPowerOptions& options);

/// Cross moments of three views x_0, x_1, x_2 that are independent given the component (k each).
struct ViewMoments {
  std::array<Matrix, 3> pair;  ///< pair[a] = E[x_a x_b'], b = (a + 1) mod 3; k x k
  Tensor3 triple;              ///< E[x_0 (x) x_1 (x) x_2]; k x k x k

  /// E[x_a x_b'] for a != b.
  Matrix cross(Index a, Index b) const;
};

/// How the three decompositions, one a view, agree on the order of the components.
enum class ComponentOrder {
  kByLabel,  ///< coordinate r of every view is label r: component r is the one that favours it
  kByMatch   ///< by the cross moments of the views, largest mixing weight first
};

/// What the moments determine: E[x_g | component h] is column h of means[g].
struct ViewModel {
  Vector mixing_weights;        ///< k, > 0, sums to 1
  std::array<Matrix, 3> means;  ///< k x k each
};

/// The model of the three views: for each in turn the other two are mapped onto it, the moments are
/// whitened, the tensor decomposed and the whitening undone. Exact moments of k components give
/// their model to rounding. Nothing is returned when a moment has rank below k: then it cannot be
/// whitened. Zhang, Chen, Zhou and Jordan (2016), JMLR 17(102), algorithm 1, steps 1 and 2.
std::optional<ViewModel> decompose_views(const ViewMoments& moments, ComponentOrder order,
                                         const TensorPowerOptions& options);

/// What a group of items shows of a row.
enum class ViewKind {
  kAveraged,  ///< mean of its answers, one-hot, as the source has it: for items that share one set
              ///< of levels, where an answer has the same meaning everywhere
  kStacked    ///< all its answers, one-hot, one below the other: for items of any kind
};

struct SpectralOptions {
  ViewKind view = ViewKind::kStacked;
  /// Smallest item-response probability of the start; the source calls it Delta.
  double floor = 1e-6;
  /// 0, 1 or 2 for each item, each used; empty: a random partition into equal parts, by the seed.
  std::vector<Index> groups;
  TensorPowerOptions power;
};

enum class SpectralStatus {
  kFound,
  kTooFewItems,  ///< three groups need three items
  kRankTooLow    ///< some group of items tells fewer than n_components components apart
};

struct SpectralStart {
  SpectralStatus status;
  MixtureParameters params;  ///< equal components at the observed frequencies unless kFound
};

/// Parameters to start EM from, by moments of three groups of items: a consistent estimate, found
/// without a search. Mixtures of k components need k linearly independent columns in each group.
///
/// A missing answer enters the views as the item's observed frequencies. Where answers are missing
/// at random the views stay independent given the component, and no row is lost. Known components
/// of rows are not used.
/// With averaged views and as many components as levels, component r is the one in which level r is
/// most frequent; otherwise components come by decreasing mixing weight.
/// @throws DimensionError if `groups` does not fit `data`, or the view is averaged and the items
///   differ in their number of levels.
/// Cost O(n_obs * (D^2 + n_components^3)), D levels in a group (stacked) or of an item (averaged).
/// Zhang, Chen, Zhou and Jordan (2016), JMLR 17(102), 1-44, algorithm 1.
SpectralStart spectral_start(const CodedData& data, Index n_components,
                             const SpectralOptions& options, Monitor& monitor);

}  // namespace mdpd
