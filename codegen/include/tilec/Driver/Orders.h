//===- Orders.h - The order of a product that ptxas likes best ----*- C++ -*-===//
//
// How fast a loop of products runs depends on the registers that ptxas gives them, and so on the order in which they stand.
// A few orders are compiled and what became of them is read; no GPU is needed. Standard types only, as Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_ORDERS_H
#define TILEC_DRIVER_ORDERS_H

#include "tilec/Driver/Answers.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Runtime/TemporaryFolders.h"

#include <string>
#include <vector>

namespace tilec {

struct OrdersResult {
  /// Done, or why nothing was compared; `lines` say it.
  Status status = Status::Done;
  /// A table for the user: each order with what its loop costs.
  std::vector<std::string> lines;
  /// The nests with the best orders, as a file of their own; empty where all stay as they are.
  std::string nest;
};

/// Compares `count` orders of the inner product of each kernel of `compiled` that has one, and for the best of them ways of parting registers
/// among producers and the others. What `answers` have for the same nests, instruction set, tilec and NVRTC is not compiled again.
OrdersResult chooseOrder(const CompileResult &compiled, const CompileOptions &compiling, unsigned count, const Answers &answers,
                         const runtime::TemporaryFolders &folders);

} // namespace tilec

#endif // TILEC_DRIVER_ORDERS_H
