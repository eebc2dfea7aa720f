//===- Warpgroups.cpp - Multiplications by four warps ---------*- C++ -*-===//
//
// See Warpgroups.h.
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"

#include "Poison.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

namespace {

constexpr unsigned tileRows = 64;

/// Where value `v` of a thread's accumulators is (PTX ISA 9.7.15.5.1.2, figure of the accumulators of .m64nN).
unsigned placeOf(unsigned thread, unsigned v, unsigned columns) {
  const unsigned row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (v / 2 % 2);
  const unsigned column = 8 * (v / 4) + 2 * (thread % 4) + v % 2;
  return row * columns + column;
}

bool isSame(const MatrixTile &a, const MatrixTile &b) {
  return a.descriptor.encode() == b.descriptor.encode() && a.type == b.type && a.rows == b.rows && a.transposed == b.transposed;
}

} // namespace

void Warpgroups::start() {
  warpgroups.assign((threads.size() + size - 1) / size, {});
  issuers.assign(threads.size(), {});
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

long long Warpgroups::describeMatrix(const void *from, int swizzle, int leading, int stride, int line) {
  const uintptr_t address = addressOf(from);
  const MatrixDescriptor descriptor{memory.offsetOf(address), uint64_t(leading), uint64_t(stride), unsigned(swizzle)};
  if (!memory.shared.findHolder(address, MatrixTile::chunkBytes)) {
    sites.reportOutOfBounds(address, MatrixTile::chunkBytes, AccessOp::ReadMatrix, line);
    witness.abandon();
  }
  if (address % MatrixTile::chunkBytes != 0)
    sites.isAligned(address, MatrixTile::chunkBytes, AccessOp::ReadMatrix, line);
  return static_cast<long long>(descriptor.encode());
}

void Warpgroups::checkWhole(int line) {
  const unsigned first = threads.getThread() / size * size;
  if (first + size <= threads.size())
    return;
  witness.report(FindingKind::Warpgroup, line, "", [&] {
    return format("%s multiplies; a warpgroup is %u threads, and block %d has %u from thread %u on", witness.who().c_str(), size,
                  witness.getNumber(), threads.size() - first, first);
  });
  witness.abandon();
}

void Warpgroups::reportApart(int line, int other) {
  witness.report(FindingKind::Warpgroup, line, "", [&] {
    return format("%s multiplies here, with operands or accumulators that other threads of its warpgroup do not name at line %d",
                  witness.who().c_str(), other);
  });
  witness.abandon();
}

Warpgroups::Multiplication &Warpgroups::join(Issuer &issuer, const Multiplication &asked) {
  std::vector<Multiplication> &all = warpgroupOf(threads.getThread()).multiplications;
  const size_t number = issuer.issued++;
  if (number == all.size()) {
    all.push_back(asked);
    return all.back();
  }
  const Multiplication &had = all[number];
  if (had.line != asked.line || had.group != asked.group || had.holdsA != asked.holdsA || !isSame(had.a, asked.a) || !isSame(had.b, asked.b))
    reportApart(asked.line, had.line);
  return all[number];
}

void Warpgroups::wgmma(void *accumulators, int columns, const char *types, unsigned long long a, unsigned long long b, int transposesA,
                       int transposesB, int line) {
  const std::string_view names = types;
  const size_t dot = names.find('.');
  Multiplication asked;
  asked.line = line;
  asked.a = {MatrixDescriptor::decode(a), matrixTypeOf(names.substr(0, dot)), tileRows, transposesA != 0};
  asked.b = {MatrixDescriptor::decode(b), matrixTypeOf(names.substr(dot + 1)), unsigned(columns), transposesB != 0};
  multiplyBy(asked, accumulators, nullptr);
}

void Warpgroups::wgmmaRegisters(void *accumulators, int columns, const char *types, const void *a, unsigned long long b, int transposesB, int line) {
  const std::string_view names = types;
  const size_t dot = names.find('.');
  Multiplication asked;
  asked.line = line;
  asked.a = {{}, matrixTypeOf(names.substr(0, dot)), tileRows, false};
  asked.holdsA = true;
  asked.b = {MatrixDescriptor::decode(b), matrixTypeOf(names.substr(dot + 1)), unsigned(columns), transposesB != 0};
  multiplyBy(asked, accumulators, a);
}

void Warpgroups::multiplyBy(const Multiplication &asked, void *accumulators, const void *a) {
  checkWhole(asked.line);
  Issuer &issuer = issuers[threads.getThread()];
  Multiplication grouped = asked;
  grouped.group = issuer.groups;
  Multiplication &multiplication = join(issuer, grouped);
  takeRegisters(issuer, multiplication, static_cast<uint32_t *>(accumulators), multiplication.b.rows / 2);
  if (a)
    takeFactors(issuer, multiplication, a);
  // One lane speaks for its warp, which comes here together.
  if (threads.getThread() % warpLanes == 0 && multiplication.valid) {
    const bool first = threads.getThread() % size == 0;
    multiplication.valid = (a || checkPlace(multiplication.a, asked.line)) && checkPlace(multiplication.b, asked.line);
    if (multiplication.valid) {
      if (!a)
        readOperand(multiplication, multiplication.a, first);
      readOperand(multiplication, multiplication.b, first);
    }
  }
  ++multiplication.arrived;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Warpgroups::Registers &Warpgroups::findRegisters(Issuer &issuer, uint32_t *place, unsigned count, int line) {
  Registers *found = nullptr;
  for (Registers &registers : issuer.registers) {
    if (registers.place == place && registers.count == count) {
      found = &registers;
      continue;
    }
    if (registers.returned || place + count <= registers.place || registers.place + registers.count <= place)
      continue;
    witness.report(FindingKind::Warpgroup, line, "", [&] {
      return format("%s multiplies into registers that a multiplication of another shape at line %d has, with no wgmma_wait for it",
                    witness.who().c_str(), registers.line);
    });
    witness.abandon();
  }
  if (found)
    return *found;
  issuer.registers.push_back({place, count});
  return issuer.registers.back();
}

void Warpgroups::checkFence(const Issuer &issuer, const Registers &registers, int line) {
  const bool changed = registers.returned && !std::equal(registers.values.begin(), registers.values.end(), registers.place);
  if (issuer.fences != 0 && (!changed || issuer.fences != registers.fences))
    return;
  witness.report(FindingKind::MissingFence, line, "", [&] {
    return changed ? format("%s multiplies into registers that it wrote after the wait for line %d, with no wgmma_fence in between",
                            witness.who().c_str(), registers.line)
                   : format("%s multiplies into registers with no wgmma_fence before", witness.who().c_str());
  });
}

void Warpgroups::checkUntouched(const Registers &registers, int line) {
  if (std::all_of(registers.place, registers.place + registers.count, [](uint32_t word) { return word == poisonWord; }))
    return;
  witness.report(FindingKind::MissingWait, line, "", [&] {
    return format("%s has written accumulators of the multiplication at line %d, with no wgmma_wait for it", witness.who().c_str(),
                  registers.line);
  });
}

void Warpgroups::takeRegisters(Issuer &issuer, Multiplication &multiplication, uint32_t *place, unsigned count) {
  Registers &registers = findRegisters(issuer, place, count, multiplication.line);
  const bool starts = !registers.accumulators || registers.returned;
  if (multiplication.arrived == 0) {
    multiplication.starts = starts;
    multiplication.accumulators = registers.accumulators;
    if (starts) {
      multiplication.accumulators = std::make_shared<Accumulators>();
      multiplication.accumulators->columns = 2 * count;
      multiplication.accumulators->values.resize(tileRows * 2 * count);
    }
  } else if (starts != multiplication.starts || (!starts && multiplication.accumulators != registers.accumulators)) {
    reportApart(multiplication.line, multiplication.line);
  }
  if (starts) {
    checkFence(issuer, registers, multiplication.line);
    registers.accumulators = multiplication.accumulators;
    registers.returned = false;
    for (unsigned v = 0; v < count; ++v)
      registers.accumulators->values[placeOf(threads.getThread() % size, v, 2 * count)] = place[v];
  } else {
    checkUntouched(registers, multiplication.line);
  }
  registers.group = multiplication.group;
  registers.line = multiplication.line;
  poison(place, count * sizeof(uint32_t), sizeof(uint32_t));
}

void Warpgroups::checkFactors(const Factors &factors, int line) {
  if (std::memcmp(factors.place, factors.values.data(), factors.values.size()) == 0)
    return;
  witness.report(FindingKind::MissingWait, line, "", [&] {
    return format("%s has written factors of the multiplication at line %d, with no wgmma_wait for it", witness.who().c_str(), factors.line);
  });
}

void Warpgroups::takeFactors(Issuer &issuer, Multiplication &multiplication, const void *place) {
  const MatrixType type = multiplication.a.type;
  const unsigned width = bytesOf(type), depth = multiplication.a.depth(), count = depth * tileRows / size;
  const char *bytes = static_cast<const char *>(place);
  auto found = std::find_if(issuer.factors.begin(), issuer.factors.end(), [&](const Factors &factors) { return factors.place == place; });
  if (found == issuer.factors.end()) {
    found = issuer.factors.insert(found, Factors());
    found->place = place;
  } else if (!found->returned) {
    checkFactors(*found, multiplication.line);
  } else if (found->fences == issuer.fences && std::memcmp(place, found->values.data(), found->values.size()) != 0) {
    witness.report(FindingKind::MissingFence, multiplication.line, "", [&] {
      return format("%s multiplies by factors that it wrote after line %d read them, with no wgmma_fence in between", witness.who().c_str(), found->line);
    });
  }
  found->values.assign(bytes, bytes + count * width);
  found->group = multiplication.group;
  found->line = multiplication.line;
  found->fences = issuer.fences;
  found->returned = false;
  multiplication.left.resize(depth * tileRows);
  for (unsigned v = 0; v < count; ++v) {
    const unsigned at = placeOf(threads.getThread() % size, v, depth);
    multiplication.left[at % depth * tileRows + at / depth] = decodeElement(type, bytes + v * width);
  }
}

void Warpgroups::deliver(Issuer &issuer, unsigned groups, int line) {
  for (Factors &factors : issuer.factors) {
    if (factors.returned || factors.group >= groups)
      continue;
    checkFactors(factors, line);
    factors.returned = true;
  }
  for (Registers &registers : issuer.registers) {
    if (registers.returned || registers.group >= groups)
      continue;
    checkUntouched(registers, line);
    Accumulators &accumulators = *registers.accumulators;
    for (unsigned v = 0; v < registers.count; ++v)
      registers.place[v] = accumulators.values[placeOf(threads.getThread() % size, v, accumulators.columns)];
    registers.values.assign(registers.place, registers.place + registers.count);
    registers.fences = issuer.fences;
    registers.returned = true;
    if (++accumulators.delivered == size)
      accumulators.values = {};
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Warpgroups::checkPlace(const MatrixTile &tile, int line) {
  const MatrixDescriptor &descriptor = tile.descriptor;
  const uintptr_t origin = memory.shared.getOrigin();
  // Steps along 32 bytes of k stay within the first row; the base offset of a pattern that begins elsewhere is 0 here.
  if (descriptor.swizzle != 0 && descriptor.start % descriptor.period() >= descriptor.swizzle) {
    witness.report(FindingKind::Misaligned, line, "", [&] {
      return format("%s multiplies a matrix at %s, whose rows of %u bytes begin %u bytes past a multiple of %u", witness.who().c_str(),
                    sites.describe(origin + descriptor.start).c_str(), descriptor.swizzle,
                    unsigned(descriptor.start % descriptor.period()), unsigned(descriptor.period()));
    });
    return false;
  }
  bool inside = true;
  tile.forEachChunk([&](uint64_t offset) {
    if (inside && !memory.shared.findHolder(origin + offset, MatrixTile::chunkBytes)) {
      sites.reportOutOfBounds(origin + offset, MatrixTile::chunkBytes, AccessOp::ReadMatrix, line);
      inside = false;
    }
  });
  return inside;
}

void Warpgroups::readOperand(Multiplication &multiplication, const MatrixTile &tile, bool first) {
  const uintptr_t origin = memory.shared.getOrigin();
  const SharedArray *array = memory.shared.findHolder(origin + tile.descriptor.start, MatrixTile::chunkBytes);
  if (!array)
    return;
  if (first)
    sites.countMatrix(multiplication.line, *array, tile.bytes());
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  Warpgroup &warpgroup = warpgroupOf(threads.getThread());
  if (warpgroup.agent == 0)
    warpgroup.agent = clocks->addAgent(Clocks::Agent::Wgmma);
  tile.forEachChunk([&](uint64_t offset) {
    mbarriers.checkNone(origin + offset, MatrixTile::chunkBytes, "multiplies", witness, multiplication.line);
    const auto verdict = memory.history->noteBulkRead(offset, MatrixTile::chunkBytes, warpgroup.agent, multiplication.group + 1,
                                                      clocks->of(witness.self()));
    if (verdict.conflict != ClockedHistory::Conflict::None)
      shared.reportClocked(verdict, *array, multiplication.line, witness.who() + " multiplies");
  });
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Warpgroups::commitWgmma(int line) {
  checkWhole(line);
  Warpgroup &warpgroup = warpgroupOf(threads.getThread());
  const unsigned group = issuers[threads.getThread()].groups++;
  if (group >= warpgroup.commits.size())
    warpgroup.commits.resize(group + 1);
  if (++warpgroup.commits[group] != size)
    return;
  auto &waiters = warpgroup.waiters;
  for (const auto &[thread, groups] : waiters)
    if (groups == group + 1)
      threads.markReady(thread);
  waiters.erase(std::remove_if(waiters.begin(), waiters.end(), [&](const auto &waiter) { return waiter.second == group + 1; }),
                waiters.end());
}

void Warpgroups::waitWgmma(int pending, int line) {
  checkWhole(line);
  const unsigned thread = threads.getThread();
  Warpgroup &warpgroup = warpgroupOf(thread);
  Issuer &issuer = issuers[thread];
  if (issuer.groups <= unsigned(pending))
    return;
  const unsigned groups = issuer.groups - pending;
  if (warpgroup.commits[groups - 1] < size) {
    warpgroup.waiters.push_back({thread, groups});
    threads.wait(Threads::State::AtWarpgroup, line);
  }
  compute(warpgroup, groups);
  deliver(issuer, groups, line);
  if (Clocks *clocks = witness.getClocks(); clocks && warpgroup.agent != 0)
    clocks->learnReads(witness.self(), warpgroup.agent, groups);
}

void Warpgroups::compute(Warpgroup &warpgroup, unsigned groups) {
  std::vector<Multiplication> &all = warpgroup.multiplications;
  for (; warpgroup.computed < all.size() && all[warpgroup.computed].group < groups; ++warpgroup.computed) {
    Multiplication &multiplication = all[warpgroup.computed];
    std::vector<uint32_t> &values = multiplication.accumulators->values;
    const char *origin = reinterpret_cast<const char *>(memory.shared.getOrigin());
    if (multiplication.valid)
      multiply(multiplication.holdsA ? multiplication.left : multiplication.a.read(origin), multiplication.b, origin, values);
    else
      std::fill(values.begin(), values.end(), poisonWord);
    multiplication.accumulators.reset();
    multiplication.left = {};
  }
}

std::string Warpgroups::describeWait(unsigned thread) const {
  const Warpgroup &warpgroup = warpgroups[thread / size];
  for (const auto &[waiter, groups] : warpgroup.waiters)
    if (waiter == thread)
      return format("wgmma_wait (%u of %u threads have closed group %u)", warpgroup.commits[groups - 1], size, groups - 1);
  return "wgmma_wait";
}

void Warpgroups::reportUnfinished() {
  for (unsigned number = 0; number < warpgroups.size(); ++number) {
    for (const Multiplication &multiplication : warpgroups[number].multiplications) {
      threads.speakOf(number * size);
      if (multiplication.arrived != size)
        witness.report(FindingKind::Warpgroup, multiplication.line, "", [&] {
          return format("%u of %u threads of warpgroup %u of block %d multiply here", multiplication.arrived, size, number,
                        witness.getNumber());
        });
    }
    const unsigned first = number * size, end = std::min<unsigned>(first + size, threads.size());
    for (unsigned thread = first; thread < end; ++thread)
      for (const Registers &registers : issuers[thread].registers) {
        if (registers.returned)
          continue;
        threads.speakOf(thread);
        witness.report(FindingKind::MissingWait, registers.line, "", [&] {
          return format("%s ends with no wgmma_wait for this multiplication", witness.who().c_str());
        });
      }
  }
}

} // namespace tilec::emulator
