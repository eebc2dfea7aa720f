//===- WarpMatrices.cpp - Matrices in the registers of a warp -*- C++ -*-===//
//
// See WarpMatrices.h.
//
//===----------------------------------------------------------------------===//

#include "WarpMatrices.h"

#include "MatrixTiles.h"

#include <cstring>

namespace tilec::emulator {

namespace {

constexpr unsigned rowBytes = 16;
constexpr unsigned rowsOfMatrix = 8;

/// Where a lane has element (row, column) of a matrix of 8 x 8: the lane, and which half of its word (PTX ISA 9.7.14.5.15).
struct Holder {
  unsigned lane;
  unsigned half;
};

Holder holderOf(unsigned row, unsigned column, bool transposes) {
  return transposes ? Holder{4 * column + row / 2, row % 2} : Holder{4 * row + column / 2, column % 2};
}

} // namespace

void WarpMatrices::loadMatrices(void *registers, unsigned bytes, const void *source, int count, int transposes, int line,
                                Position position) {
  const unsigned lane = threads.getThread() % warpLanes;
  char own[rowBytes] = {};
  if (lane < rowsOfMatrix * count)
    std::memcpy(own, shared.readShared(source, rowBytes, line, position), rowBytes);
  const Meetings::Values &rows = meetings.gather(own, rowBytes, line);
  uint16_t elements[8];
  for (int matrix = 0; matrix < count; ++matrix)
    for (unsigned row = 0; row < rowsOfMatrix; ++row)
      for (unsigned column = 0; column < rowsOfMatrix; ++column)
        if (const Holder holder = holderOf(row, column, transposes); holder.lane == lane)
          std::memcpy(&elements[2 * matrix + holder.half], &rows[rowsOfMatrix * matrix + row][2 * column], 2);
  std::memcpy(registers, elements, bytes);
}

void WarpMatrices::storeMatrices(void *dest, const void *registers, unsigned bytes, int count, int transposes, int line,
                                 Position position) {
  const unsigned lane = threads.getThread() % warpLanes;
  const Meetings::Values &words = meetings.gather(registers, bytes, line);
  if (lane >= rowsOfMatrix * count)
    return;
  char row[rowBytes];
  for (unsigned column = 0; column < rowsOfMatrix; ++column) {
    const Holder holder = holderOf(lane % rowsOfMatrix, column, transposes);
    std::memcpy(&row[2 * column], &words[holder.lane][4 * (lane / rowsOfMatrix) + 2 * holder.half], 2);
  }
  std::memcpy(shared.writeShared(dest, rowBytes, line, position), row, rowBytes);
}

void WarpMatrices::multiplyInWarp(void *accumulators, const void *a, const void *b, const char *type, int line) {
  constexpr unsigned aWords = 4, bWords = 2, wordBytes = 4;
  const MatrixType element = matrixTypeOf(type);
  const unsigned width = bytesOf(element), perWord = wordBytes / width;
  // f32 has all numbers of the types of factors.
  float own[(aWords + bWords) * wordBytes];
  for (unsigned i = 0; i < (aWords + bWords) * perWord; ++i)
    own[i] = float(decodeElement(element, i < aWords * perWord ? static_cast<const char *>(a) + i * width : static_cast<const char *>(b) + (i - aWords * perWord) * width));
  const Meetings::Values &held = meetings.gather(own, (aWords + bWords) * perWord * sizeof(float), line);
  const auto heldBy = [&](unsigned holder, unsigned word) { return reinterpret_cast<const float *>(held[holder]) + word * perWord; };
  const unsigned lane = threads.getThread() % warpLanes;
  uint32_t words[4];
  std::memcpy(words, accumulators, sizeof(words));
  // PTX ISA 9.7.14.5: word 2 h + r of a is row lane / 4 + 8 r, word h of b is column lane / 4; both have the k of lane % 4 in half h.
  for (unsigned v = 0; v < 4; ++v) {
    double sum = decodeAccumulator(element, words[v]);
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned quarter = 0; quarter < 4; ++quarter) {
        const float *left = heldBy(lane / 4 * 4 + quarter, 2 * half + v / 2);
        const float *right = heldBy((2 * (lane % 4) + v % 2) * 4 + quarter, aWords + half);
        for (unsigned i = 0; i < perWord; ++i)
          sum += double(left[i]) * double(right[i]);
      }
    words[v] = encodeAccumulator(element, sum);
  }
  std::memcpy(accumulators, words, sizeof(words));
}

} // namespace tilec::emulator
