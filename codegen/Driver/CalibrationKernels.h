//===- CalibrationKernels.h - What `tilec calibrate` runs --------*- C++ -*-===//
//
// Nests, and kernel IR where no nest says it, from calibration/.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_CALIBRATIONKERNELS_H
#define TILEC_CODEGEN_DRIVER_CALIBRATIONKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// The text of calibration/NAME.mlir.
llvm::StringRef getCalibrationKernel(llvm::StringRef name);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_CALIBRATIONKERNELS_H
