//===- Dataflows.h - One nest with other operands kept -----------*- C++ -*-===//
//
// The same tiles, walked so that another operand stays on chip while the others
// pass: which dataflow suits a machine is a question of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_DATAFLOWS_H
#define TILEC_ANALYSIS_DATAFLOWS_H

#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

/// A nest that keeps `dataflow`'s operand.
struct DataflowVariant {
  tile::Dataflow dataflow = tile::Dataflow::OutputStationary;
  NestModel model;
};

/// `model` and what it becomes with its first input (input-stationary) or its second one
/// (weight-stationary) fetched once, and with the loop that reduces cut into as many parts, a power
/// of two of at least two, as give each of `sms` SMs a block (split reduction). Partial results are
/// combined in DRAM. What follows the reduction in the nest is left out of all. Empty, with the
/// reason in `why`, unless the nest is output-stationary: its inputs are staged in shared memory in
/// one loop over time inside of the loops on block, and its result is stored once.
std::vector<DataflowVariant> makeDataflows(const NestModel &model, int64_t sms, std::string &why);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_DATAFLOWS_H
