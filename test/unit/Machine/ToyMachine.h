//===- ToyMachine.h - A machine small enough for mental sums ----*- C++ -*-===//

#ifndef TILEC_TEST_UNIT_MACHINE_TOYMACHINE_H
#define TILEC_TEST_UNIT_MACHINE_TOYMACHINE_H

#include <string>

namespace tilec {

/// 2 SMs at 1 GHz, 4 banks of 4 bytes, warps of 4 threads; everything that is required and
/// nothing more.
inline const std::string kToyMachine = R"(name: toy
arch: sm_80
sms: 2
clocks: {boost: 1}
levels:
  dram: {bandwidth: 8}
  smem: {capacity: 2048, bandwidth: 16}
  rf: {capacity: 1024}
units:
  fma:
    f32: {rate: 4, per_instruction: 4}
limits:
  smem_per_block: 1024
  smem_reserved_per_block: 0
  smem_allocation_unit: 16
  registers_per_thread: 16
  register_allocation_unit: 8
  warp_size: 4
  threads_per_block: 16
  threads_per_sm: 32
  blocks_per_sm: 4
  grid_x: 1024
  smem_banks: 4
  smem_bank_width: 4
  sector_bytes: 8
  line_bytes: 16
  issue_slots: 1
)";

/// The toy machine with the line that starts with `key` (after blanks) replaced; an empty
/// replacement removes it.
inline std::string toyWith(const std::string &key, const std::string &replacement) {
  std::string text = kToyMachine;
  size_t at = text.find(key);
  size_t start = text.rfind('\n', at) + 1;
  size_t end = text.find('\n', at) + 1;
  return text.substr(0, start) + (replacement.empty() ? "" : replacement + "\n") + text.substr(end);
}

} // namespace tilec

#endif // TILEC_TEST_UNIT_MACHINE_TOYMACHINE_H
