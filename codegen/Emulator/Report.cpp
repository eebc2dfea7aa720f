//===- Report.cpp - What a run found and counted --------------*- C++ -*-===//
//
// See tilec/Emulator/Report.h.
//
//===----------------------------------------------------------------------===//

#include "tilec/Emulator/Report.h"

#include "Findings.h"

namespace tilec::emulator {

std::string_view findingKindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out of bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::OperandRole:
    return "operand role";
  case FindingKind::UninitialisedShared:
    return "uninitialised shared memory";
  case FindingKind::UninitialisedRegister:
    return "uninitialised register";
  case FindingKind::SharedRace:
    return "shared race";
  case FindingKind::GlobalRace:
    return "global race";
  case FindingKind::MissingWait:
    return "missing wait";
  case FindingKind::Barrier:
    return "barrier";
  case FindingKind::Shuffle:
    return "shuffle";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::SharedArray:
    return "shared array";
  case FindingKind::MissingFence:
    return "missing fence";
  case FindingKind::EarlyRelease:
    return "early release";
  case FindingKind::Warpgroup:
    return "warpgroup";
  case FindingKind::Registers:
    return "registers";
  case FindingKind::Arithmetic:
    return "arithmetic";
  case FindingKind::Index:
    return "index";
  case FindingKind::Workspace:
    return "workspace";
  }
  return "";
}

const ObjectCounters *Report::findObject(std::string_view name) const {
  for (const ObjectCounters &object : objects)
    if (object.name == name)
      return &object;
  return nullptr;
}

std::string Report::describeFindings(std::string_view name,
                                     const std::function<std::string(int line)> &originOf) const {
  std::string text;
  for (const Finding &finding : findings) {
    text += format("%s:%d: %s: %s (%llu times)", std::string(name).c_str(), finding.line,
                   std::string(findingKindName(finding.kind)).c_str(), finding.message.c_str(),
                   (unsigned long long)finding.count);
    const std::string origin = originOf ? originOf(finding.line) : "";
    text += origin.empty() ? "\n" : "; from " + origin + "\n";
  }
  if (findingsDropped != 0)
    text += format("%s: %llu more findings\n", std::string(name).c_str(),
                   (unsigned long long)findingsDropped);
  return text;
}

} // namespace tilec::emulator
