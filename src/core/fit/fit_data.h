#pragma once

#include "data/distinct_rows.h"
#include "fit/problem.h"
#include "model/refine.h"

namespace mdpd {

/// Kinds of rows for each row up to which it pays to compute with kinds: the copy costs next to
/// nothing, but with more the fit hardly costs less.
constexpr double most_kinds_per_row = 0.5;

/// Of so few cells all equal rows are one: how large a table is, by which starts and moves are chosen,
/// then does not depend on whether rows are written out or weighted.
constexpr Index most_cells_of_kinds = 1000000;

/// The rows of a problem as the method computes with them: where at most half of them are different,
/// and in small tables always, one of each kind with the weight of all. EM, penalties and information are sums over rows, in
/// which a row of weight 2 is two rows, and equal rows have equal posteriors.
class FitData {
 public:
  /// @param problem whose cells these are.
  FitData(Cells cells, const Problem& problem);
  FitData(const FitData&) = delete;
  FitData& operator=(const FitData&) = delete;

  const CodedData& data() const { return data_; }

  /// From here on the rows whose component is known stay in it.
  void hold_known() { data_.known = known_; }
  /// Likewise these rows, by component, no_component where they are free; empty for none.
  void hold(std::vector<Index> rows) { data_.known = std::move(rows); }
  const std::vector<Index>& known() const { return known_; }

  /// A posterior to start from, for the kinds of rows: the first M-step takes the sum over rows of a
  /// kind, which need not be equal in a start.
  RowMatrix of_kinds(const RowMatrix& posterior, const Vector& case_weights) const;

  /// A fit of the kinds, for all rows.
  void expand(MixtureFit& fit) const;

 private:
  CodedData data_;
  std::vector<Code> codes_;   ///< of the kinds; empty where the rows are computed with as they are
  DistinctRows kinds_;        ///< likewise
  std::vector<Index> known_;  ///< of the rows computed with
};

}  // namespace mdpd
