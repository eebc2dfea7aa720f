//===- CalibrateCommand.h - `tilec calibrate` --------------------*- C++ -*-===//
//
// Measures the GPU present and writes a machine file.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_CALIBRATECOMMAND_H
#define TILEC_TOOLS_CALIBRATECOMMAND_H

namespace tilec {

/// Runs `tilec calibrate` with the arguments after that word. Returns the exit status.
int runCalibrateCommand(int argc, const char *const *argv);

} // namespace tilec

#endif // TILEC_TOOLS_CALIBRATECOMMAND_H
