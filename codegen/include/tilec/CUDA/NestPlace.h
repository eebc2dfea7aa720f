//===- NestPlace.h - Where text comes from -----------------------*- C++ -*-===//
//
// Ties lines of CUDA text to ops of the nest. Standard types only.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CUDA_NESTPLACE_H
#define TILEC_CUDA_NESTPLACE_H

#include <string>

namespace tilec {

/// The place of an op in the nest's file, from 1; 0 where that is not known.
struct NestPlace {
  unsigned line = 0, column = 0;
  bool operator==(const NestPlace &other) const {
    return line == other.line && column == other.column;
  }
};

/// An array in shared memory: its name in the text, and the op that it was made for.
struct SharedArrayOrigin {
  std::string name;
  NestPlace place;
};

/// An array in constant memory: its name in the text, and the number of the launch's tensor.
struct ConstantArray {
  std::string name;
  unsigned tensor = 0;
};

} // namespace tilec

#endif // TILEC_CUDA_NESTPLACE_H
