#pragma once

#include <map>

#include "data/blocked_rows.h"
#include "model/row_pass.h"

namespace mdpd {

/// By which a row is told to be of a class: the most probable one.
struct Classifier {
  RowPoint at;
  std::vector<Index> labels = {};     ///< of each component the class; empty: its own number
  std::map<Index, Index> known = {};  ///< by the row's number: rows that are known to be of a class
  std::vector<Index> n_levels = {};   ///< of each item those that tell anything; empty: all
};

/// A row that two classifiers tell to be of different classes.
struct ChangedRow {
  Index row;   ///< its number
  Index from;  ///< no_component where no answer told anything
  Index to;
};

struct ChangedRows {
  std::vector<ChangedRow> rows;  ///< the first of them
  Index n = 0;                   ///< of all
};

/// Goes over rows and compares. Rows that the blocks hold are known to be of their class afterwards.
/// Rows without an answer have no class. Of classes that are equally probable within rounding it is
/// the first: of labels the lowest, else the largest component.
/// @param most rows that are listed.
ChangedRows changed_rows(const BlockedRows& rows, const Classifier& before, const Classifier& after,
                         Index most);

}  // namespace mdpd
