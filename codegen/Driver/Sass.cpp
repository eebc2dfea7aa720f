//===- Sass.cpp - What a compiler made of products --------------*- C++ -*-===//
//
// An instruction takes two lines: address, text and the low half of its 128 bits; the high half, in which bits 41 to 61 control it
// (since sm_70; docs/results/gpu.md says how figures from them agree with times).
//
//===----------------------------------------------------------------------===//

#include "Sass.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <array>

using namespace tilec;
using llvm::StringRef;

namespace {

/// Products that make a loop worth reading.
constexpr unsigned kFewestProducts = 64;
/// Cycles of a product, of a stall, of a register that the busier bank delivers and of a conflict, fitted to 34 texts of one loop on an H100
/// (docs/results/gpu.md, "Main loops").
constexpr double kProductCycles = 0.48, kStallCycles = 0.54, kReadCycles = 0.18, kConflictCycles = 0.09;

struct Instruction {
  uint64_t address;
  StringRef text, opcode;
  uint64_t control;

  unsigned getStall() const { return std::max<unsigned>(1, control & 15); }
  /// Is the register of source `slot` kept for the next instruction?
  bool reuses(unsigned slot) const { return control >> (17 + slot) & 1; }
};

} // namespace

/// What stands between `/* 0x` and ` */` at the end of a line, as a number.
static std::optional<uint64_t> readWord(StringRef line) {
  line = line.rtrim();
  if (!line.consume_back("*/"))
    return std::nullopt;
  uint64_t word;
  StringRef digits = line.rsplit("/*").second.trim();
  if (!digits.consume_front("0x") || digits.size() != 16 || digits.getAsInteger(16, word))
    return std::nullopt;
  return word;
}

/// The opcode without its predicate and its suffixes: FFMA.
static StringRef readOpcode(StringRef text) {
  if (text.starts_with("@"))
    text = text.split(' ').second.ltrim();
  return text.take_while([](char c) { return llvm::isAlnum(c); });
}

/// The instructions of the first kernel, and the addresses of labels.
static std::vector<Instruction> readInstructions(StringRef disassembly, llvm::StringMap<uint64_t> &labels) {
  std::vector<Instruction> code;
  llvm::SmallVector<StringRef> waiting, lines;
  disassembly.split(lines, '\n');
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    StringRef line = lines[i].trim();
    if (line.starts_with(".L_") && line.ends_with(":"))
      waiting.push_back(line.drop_back());
    uint64_t address;
    if (!line.consume_front("/*") || line.take_while(llvm::isHexDigit).getAsInteger(16, address) || !line.contains("*/"))
      continue;
    auto [place, rest] = line.split("*/");
    std::optional<uint64_t> low = readWord(lines[i]), high = readWord(lines[i + 1]);
    if (!low || !high || place.size() < 4)
      continue;
    // Another kernel begins again.
    if (!code.empty() && address <= code.back().address)
      break;
    for (StringRef label : waiting)
      labels[label] = address;
    waiting.clear();
    StringRef text = rest.split(';').first.trim();
    code.push_back({address, text, readOpcode(text), *high >> 41 & 0x1fffff});
    ++i;
  }
  return code;
}

/// Where a branch goes.
static std::optional<uint64_t> readTarget(StringRef text, const llvm::StringMap<uint64_t> &labels) {
  uint64_t address;
  if (size_t place = text.rfind("0x"); place != StringRef::npos && !text.substr(place + 2).take_while(llvm::isHexDigit).getAsInteger(16, address))
    return address;
  size_t place = text.find(".L_");
  auto label = place == StringRef::npos ? labels.end() : labels.find(text.substr(place).take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }));
  return label == labels.end() ? std::nullopt : std::optional(label->second);
}

/// The numbers of the registers that a product reads; none for RZ.
static std::array<std::optional<unsigned>, 3> readSources(StringRef text) {
  std::array<std::optional<unsigned>, 3> sources;
  llvm::SmallVector<StringRef> operands;
  text.split(operands, ',');
  for (unsigned slot = 0; slot < 3 && slot + 1 < operands.size(); ++slot) {
    StringRef operand = operands[slot + 1].trim().ltrim("-|");
    unsigned number;
    if (operand.consume_front("R") && !operand.take_while(llvm::isDigit).getAsInteger(10, number))
      sources[slot] = number;
  }
  return sources;
}

static SassLoop readLoop(llvm::ArrayRef<Instruction> body) {
  SassLoop loop;
  std::array<std::optional<unsigned>, 3> kept;
  for (const Instruction &instruction : body) {
    ++loop.instructions;
    loop.stalls += instruction.getStall();
    if (instruction.opcode != "FFMA") {
      kept = {};
      continue;
    }
    ++loop.products;
    std::array<std::optional<unsigned>, 3> sources = readSources(instruction.text);
    std::array<unsigned, 2> fresh = {0, 0};
    for (unsigned slot = 0; slot < 3; ++slot)
      if (sources[slot] && kept[slot] != sources[slot])
        ++fresh[*sources[slot] % 2];
    for (unsigned bank = 0; bank < 2; ++bank)
      loop.fresh[bank] += fresh[bank];
    loop.conflicts += std::min(fresh[0], fresh[1]) == 0 && std::max(fresh[0], fresh[1]) >= 2;
    for (unsigned slot = 0; slot < 3; ++slot)
      kept[slot] = instruction.reuses(slot) ? sources[slot] : std::nullopt;
  }
  return loop;
}

SassFigures tilec::readSass(StringRef disassembly) {
  SassFigures figures;
  llvm::StringMap<uint64_t> labels;
  std::vector<Instruction> code = readInstructions(disassembly, labels);
  std::vector<std::pair<size_t, size_t>> loops;
  for (auto [last, instruction] : llvm::enumerate(code)) {
    figures.spills += instruction.opcode == "LDL" || instruction.opcode == "STL";
    std::optional<uint64_t> target = instruction.opcode == "BRA" ? readTarget(instruction.text, labels) : std::nullopt;
    if (!target || *target >= instruction.address)
      continue;
    size_t first = llvm::find_if(code, [&](const Instruction &one) { return one.address >= *target; }) - code.begin();
    if (readLoop(llvm::ArrayRef(code).slice(first, last + 1 - first)).products >= kFewestProducts)
      loops.push_back({first, last});
  }
  for (auto [first, last] : loops) {
    bool innermost = llvm::none_of(loops, [&, first = first, last = last](auto other) {
      return other != std::pair(first, last) && other.first >= first && other.second <= last;
    });
    if (innermost)
      figures.loops.push_back(readLoop(llvm::ArrayRef(code).slice(first, last + 1 - first)));
  }
  return figures;
}

std::optional<double> SassFigures::getCyclesPerProduct() const {
  if (loops.empty())
    return std::nullopt;
  const SassLoop &loop = *llvm::max_element(loops, [](const SassLoop &a, const SassLoop &b) { return a.products < b.products; });
  unsigned reads = std::max(loop.fresh[0], loop.fresh[1]);
  return kProductCycles + (kStallCycles * loop.stalls + kReadCycles * reads + kConflictCycles * loop.conflicts) / loop.products;
}
