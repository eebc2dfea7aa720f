//===- Decision.h - What a nest gets that leaves a clause open ---*- C++ -*-===//
//
// Who knows what may be stated of an op also says what it gets where nothing is; a planning pass
// writes that down.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_DECISION_H
#define TILEC_ANALYSIS_DECISION_H

#include "mlir/IR/Attributes.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace tilec::analysis {

struct Decision {
  /// The attribute of the clause, and its value.
  llvm::StringRef clause;
  mlir::Attribute value;
  /// What it means and why, as a remark on the op; empty where nothing was chosen from.
  std::string remark;
};

using Decisions = llvm::SmallVector<Decision, 4>;

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_DECISION_H
