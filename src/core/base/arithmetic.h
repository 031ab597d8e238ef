#pragma once

// Included before all else that computes, Eigen too: the same numbers to the last bit with every
// compiler and on every processor. Beside this it takes functions of numbers of our own, see
// numerics.h, and products of matrices that add up in order, see matrices.h.

/// The x87 unit, by which compilers calculate for i686, has more digits than a double: functions of
/// our own would be wrong.
#if defined(__i386__) && !defined(__SSE2_MATH__)
#error "mdpd calculates by SSE2 on i686: add -msse2 -mfpmath=sse to the flags of the compiler"
#endif

/// A product and a sum are rounded apart, also where the processor has one instruction for both. A
/// package may not choose flags of the compiler, which would say this.
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#if defined(__FMA__)
// GCC 12 makes vectors of a difference and a sum side by side, of products rounded with them.
#pragma GCC optimize("no-tree-slp-vectorize")
#endif
#endif

/// Eigen's sums go by the width of the vectors that it finds; without them, from first to last. All
/// files of a program must agree: those that include Eigen before this are to define it as well.
#if defined(EIGEN_WORLD_VERSION) && !defined(EIGEN_DONT_VECTORIZE)
#error "Eigen was included before, with sums that depend on the processor"
#endif
#ifndef EIGEN_DONT_VECTORIZE
#define EIGEN_DONT_VECTORIZE
#endif
