#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Are a crowd's mistakes alike: is each wrong label as likely as any other, by how often two answers
/// to one row are any two labels? Posteriors would blur which answers are mistakes; pairs need none.
/// Of pairs a^2 + (R - 1) w^2 agree where answers are right with probability a, w = (1 - a) / (R - 1).
/// With f a label's share of the answers the others are labels r and s as f_r + f_s - w, and where
/// mistakes do differ they stray from that by more than rows by themselves do. False of two labels,
/// which have one mistake each, and where no two answers to a row differ. Mistakes in a circle, 2 for
/// 1, 3 for 2 and 1 for 3, look alike. Cost O(rows x labels^2 + answers).
bool has_like_mistakes(const CodedData& data, Index n_labels);

/// Do answers to one row agree more often than those of workers who do not look at it, each of whom
/// gives the labels that it gives as often, up to chance of one in twenty? Of several answers of a
/// worker to a row the first counts. Cost O(answers x labels).
bool agrees_above_chance(const CodedData& data);

/// Posterior of the labels of a crowd, whose items have n_labels levels each, if every worker is right
/// with one probability, that by which as many pairs of answers agree, and wrong labels are as likely.
/// Cost O(answers x labels).
RowMatrix posterior_of_alike(const CodedData& data, Index n_labels);

}  // namespace mdpd
