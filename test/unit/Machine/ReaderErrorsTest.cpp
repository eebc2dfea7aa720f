//===- ReaderErrorsTest.cpp - What a machine file must not say --*- C++ -*-===//

#include "ToyMachine.h"

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

std::string errorOf(const std::string &text) {
  TargetResult result = parseTarget(text, "t.yaml");
  EXPECT_FALSE(result);
  return result.error;
}

/// The error of the toy machine with the line of `key` replaced.
std::string errorWith(const std::string &key, const std::string &replacement) {
  return errorOf(toyWith(key, replacement));
}

TEST(ReaderErrors, unknownKeys) {
  EXPECT_EQ(errorWith("sms:", "smss: 2"), "t.yaml:3:1: unknown key 'smss'; did you mean 'sms'?");
  EXPECT_EQ(errorWith("dram:", "  dram: {bandwith: 8}"),
            "t.yaml:6:10: unknown key 'bandwith' in 'levels.dram'; did you mean 'bandwidth'?");
  EXPECT_EQ(errorWith("dram:", "  dram: {xyz: 8}"),
            "t.yaml:6:10: unknown key 'xyz' in 'levels.dram'; known keys are bandwidth, "
            "sustained, latency, loaded_latency");
  EXPECT_EQ(errorWith("f32:", "    f23: {rate: 4}"),
            "t.yaml:11:5: unknown key 'f23' in 'units.fma'; known keys are f64, f32, tf32, f16, "
            "bf16, e4m3, e5m2, s8");
  EXPECT_EQ(errorWith("sms:", "sms: {value: 2, units: SMs}"),
            "t.yaml:3:17: unknown key 'units' in 'sms'; known keys are value, unit, source");
  EXPECT_EQ(errorOf(kToyMachine + "features: {tmas: true}\n"),
            "t.yaml:28:12: unknown key 'tmas' in 'features'; did you mean 'tma'?");
}

TEST(ReaderErrors, missing) {
  EXPECT_EQ(errorWith("name:", ""), "t.yaml:1:1: missing 'name'");
  EXPECT_EQ(errorWith("arch:", ""), "t.yaml:1:1: missing 'arch'");
  EXPECT_EQ(errorWith("sms:", ""), "t.yaml:1:1: missing number 'sms' (SMs)");
  EXPECT_EQ(errorWith("dram:", "  dram: {sustained: 0.5}"),
            "t.yaml:1:1: missing number 'levels.dram.bandwidth' (GB/s)");
  EXPECT_EQ(errorWith("sms:", "sms: {unit: SMs}"), "t.yaml:3:6: missing 'value' of 'sms'");
  EXPECT_EQ(errorWith("sms:", "sms: null"), "t.yaml:3:1: missing number 'sms' (SMs)");
  EXPECT_EQ(errorWith("f32:", "    f32: {per_instruction: 4}"),
            "t.yaml:1:1: missing number 'units.fma.f32.rate' (FMA/cycle/SM)");
}

TEST(ReaderErrors, wrongType) {
  EXPECT_EQ(errorWith("sms:", "sms: two"),
            "t.yaml:3:6: expected 'sms' to be a number of SMs, got 'two'");
  EXPECT_EQ(errorWith("sms:", "sms: \"2\""),
            "t.yaml:3:6: expected 'sms' to be a number of SMs, got '2'");
  EXPECT_EQ(errorWith("sms:", "sms: [2]"),
            "t.yaml:3:6: expected 'sms' to be a number of SMs, got a list");
  EXPECT_EQ(errorWith("sms:", "sms: 0x10"),
            "t.yaml:3:6: expected 'sms' to be a number of SMs, got '0x10'");
  EXPECT_EQ(errorWith("sms:", "sms: 1.5"),
            "t.yaml:3:6: expected 'sms' to be a whole number, got '1.5'");
  EXPECT_EQ(errorWith("dram:", "  dram: 8"),
            "t.yaml:6:9: expected 'levels.dram' to be a mapping, got a number or text");
  EXPECT_EQ(errorWith("name:", "name: [a]"), "t.yaml:1:7: expected 'name' to be text, got a list");
  EXPECT_EQ(errorOf(kToyMachine + "features: {tma: yes}\n"),
            "t.yaml:28:17: expected 'features.tma' to be true or false, got 'yes'");
  EXPECT_EQ(errorOf(kToyMachine + "features: {tma: 1}\n"),
            "t.yaml:28:17: expected 'features.tma' to be true or false, got '1'");
  EXPECT_EQ(errorOf(kToyMachine + "features: null\n"),
            "t.yaml:28:11: expected 'features' to be a mapping, got null");
  EXPECT_EQ(errorOf("[1, 2]\n"), "t.yaml:1:1: expected a mapping, got a list");
}

TEST(ReaderErrors, range) {
  EXPECT_EQ(errorWith("sms:", "sms: 0"),
            "t.yaml:3:6: expected 'sms' to lie between 1 and 1048576 SMs, got '0'");
  EXPECT_EQ(errorWith("sms:", "sms: -2"),
            "t.yaml:3:6: expected 'sms' to lie between 1 and 1048576 SMs, got '-2'");
  EXPECT_EQ(errorWith("dram:", "  dram: {bandwidth: 8, sustained: 1.5}"),
            "t.yaml:6:35: expected 'levels.dram.sustained' to lie between 1e-06 and 1 of bandwidth, "
            "got '1.5'");
  EXPECT_EQ(errorWith("dram:", "  dram: {bandwidth: 0}"),
            "t.yaml:6:21: expected 'levels.dram.bandwidth' to lie between 1e-06 and "
            "1099511627776 GB/s, got '0'");
  EXPECT_EQ(errorWith("dram:", "  dram: {bandwidth: 1e999}"),
            "t.yaml:6:21: expected 'levels.dram.bandwidth' to lie between 1e-06 and "
            "1099511627776 GB/s, got '1e999'");
  for (const char *text : {"nan", ".nan", "inf", ".inf", "-.inf", "e", "1e", "--1", "1.2.3"})
    EXPECT_EQ(errorWith("dram:", std::string("  dram: {bandwidth: ") + text + "}"),
              std::string("t.yaml:6:21: expected 'levels.dram.bandwidth' to be a number of GB/s, "
                          "got '") +
                  text + "'");
  // 2^40 + 1
  EXPECT_EQ(errorWith("grid_x:", "  grid_x: 1099511627777"),
            "t.yaml:22:11: expected 'limits.grid_x' to lie between 1 and 1099511627776 blocks, "
            "got '1099511627777'");
  EXPECT_EQ(errorWith("clocks:", "clocks: {boost: 1410}"),
            "t.yaml:4:17: expected 'clocks.boost' to lie between 1e-06 and 100 GHz, got '1410'");
}

TEST(ReaderErrors, unitsAreFixed) {
  EXPECT_EQ(errorWith("dram:", "  dram: {bandwidth: {value: 2, unit: TB/s}}"),
            "t.yaml:6:38: expected the unit of 'levels.dram.bandwidth' to be 'GB/s', got 'TB/s'");
}

TEST(ReaderErrors, text) {
  EXPECT_EQ(errorWith("name:", "name: \"a b\""),
            "t.yaml:1:7: expected 'name' to consist of letters, digits, '-', '_' and '.', got "
            "'a b'");
  EXPECT_EQ(errorWith("name:", "name: h200"),
            "t.yaml:1:7: name 'h200' belongs to a built-in machine");
  EXPECT_EQ(errorWith("name:", "name: \"a\\nb\""),
            "t.yaml:1:7: 'name' contains a control character");
  EXPECT_EQ(errorWith("sms:", "sms: {value: 2, source: \"\"}"),
            "t.yaml:3:25: expected 'sms.source' to have 1 to 400 characters, got 0");
  EXPECT_EQ(errorWith("name:", "name: toy\naliases: [t]"),
            "t.yaml:2:1: only built-in machines have aliases; a machine file is chosen by its "
            "path");
  EXPECT_EQ(errorWith("arch:", "arch: gfx942"),
            "t.yaml:2:1: expected arch to be 'sm_' and two or three digits, got 'gfx942'");
  EXPECT_EQ(errorWith("arch:", "arch: sm_80\nfeature_arch: sm_90a"),
            "t.yaml:3:1: expected feature_arch to be 'sm_80' and a letter, got 'sm_90a'");
}

TEST(ReaderErrors, numbersThatDisagree) {
  EXPECT_EQ(errorWith("smem_reserved_per_block:", "  smem_reserved_per_block: 1536"),
            "t.yaml:13:3: limits.smem_per_block + limits.smem_reserved_per_block is 2560 B, but "
            "levels.smem.capacity is 2048 B");
  // 2 banks * 4 B = 8 < 16
  EXPECT_EQ(errorWith("smem_banks:", "  smem_banks: 2"),
            "t.yaml:7:26: levels.smem.bandwidth is 16 B/cycle/SM, but limits.smem_banks * "
            "limits.smem_bank_width is 8 B/cycle/SM");
  EXPECT_EQ(errorWith("line_bytes:", "  line_bytes: 20"),
            "t.yaml:26:3: limits.line_bytes is 20 B, not a multiple of limits.sector_bytes, "
            "which is 8 B");
  EXPECT_EQ(errorWith("rf:", "  rf: {capacity: 1022}"),
            "t.yaml:8:8: levels.rf.capacity is 1022 B, not a multiple of the 4 bytes of a "
            "register");
  // 128 registers * 4 threads = 512 > 1024 B / 4 B = 256
  EXPECT_EQ(errorWith("registers_per_thread:", "  registers_per_thread: 128"),
            "t.yaml:16:3: limits.registers_per_thread * limits.warp_size is 512 registers, but "
            "levels.rf.capacity holds 256");
  EXPECT_EQ(errorWith("threads_per_block:", "  threads_per_block: 64"),
            "t.yaml:19:3: limits.threads_per_block is 64 threads, but limits.threads_per_sm is "
            "32 threads");
  EXPECT_EQ(errorWith("threads_per_block:", "  threads_per_block: 15"),
            "t.yaml:19:3: limits.threads_per_block is 15 threads, not a multiple of "
            "limits.warp_size, which is 4 threads");
  EXPECT_EQ(errorWith("clocks:", "clocks: {boost: 1, load: 2}"),
            "t.yaml:4:20: clocks.load is 2 GHz, but clocks.boost is 1 GHz");
  EXPECT_EQ(errorOf(kToyMachine + "features: {multicast: true}\n"),
            "t.yaml:28:12: features.multicast is true, but features.clusters is false");
  EXPECT_EQ(errorWith("f32:", "    f32: {rate: 4}\n  wgmma:\n    f16: {rate: 8}"),
            "t.yaml:13:11: units.wgmma.f16.rate is given, but features.wgmma is false");
}

TEST(ReaderErrors, yaml) {
  EXPECT_EQ(errorOf(kToyMachine + "sms: 3\n"),
            "t.yaml:28:1: key 'sms' is given twice, first in line 3");
  EXPECT_EQ(errorOf(""), "t.yaml:1:1: expected a mapping, got null");
  EXPECT_EQ(errorWith("sms:", "sms: &n 2"), "t.yaml:3:9: anchors and aliases are not allowed");
  EXPECT_EQ(errorWith("sms:", "sms: !!int 2"), "t.yaml:3:12: tags are not allowed, got '!!int'");
  EXPECT_EQ(errorOf(kToyMachine + "---\nname: b\n"),
            "t.yaml:1:1: expected one document, got several");
  EXPECT_EQ(errorOf("? [a]\n: b\n"), "t.yaml:1:1: expected every key to be plain text");
  EXPECT_EQ(errorWith("name:", "title: |\n  a"), "t.yaml:2:1: block scalars are not allowed");
  EXPECT_EQ(errorOf("name: {a: \n").substr(0, 26), "t.yaml:1:11: invalid YAML:");
}

TEST(ReaderErrors, hostileTextIsNotRepeated) {
  EXPECT_EQ(errorOf("\"\\e[2J\": 1\n"),
            "t.yaml:1:1: unknown key '?[2J'; known keys are name, title, aliases, inherit, arch, "
            "feature_arch, sms, clocks, levels, units, limits, costs, compiler, timing, features");
  EXPECT_EQ(errorWith("sms:", "sms: " + std::string(100000, '9')),
            "t.yaml:3:6: expected 'sms' to lie between 1 and 1048576 SMs, got '" +
                std::string(64, '9') + "...'");
}

TEST(ReaderErrors, sizeAndDepthAreCapped) {
  EXPECT_EQ(errorOf(std::string((1 << 20) + 1, '#')),
            "t.yaml: expected a machine file of at most 1048576 bytes, got 1048577");
  EXPECT_EQ(errorOf("name: " + std::string(100000, '[')),
            "t.yaml:1:15: expected at most 8 levels of nesting");
  std::string manyKeys;
  for (int i = 0; i < 100000; ++i)
    manyKeys += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(errorOf(manyKeys).substr(0, 31), "t.yaml:1:1: unknown key 'k0'; k");
}

} // namespace
