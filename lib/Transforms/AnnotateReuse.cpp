//===- AnnotateReuse.cpp - tile-annotate-reuse ------------------*- C++ -*-===//
//
// Attributes and remarks for what the analyses find.
//
//===----------------------------------------------------------------------===//

#include "AnalyzeModule.h"

#include "tilec/Transforms/Passes.h"
#include "llvm/Support/Format.h"

namespace tilec {
#define GEN_PASS_DEF_ANNOTATEREUSEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

std::string stageText(StringRef from, tile::Level to) {
  return (from + " -> " + stringifyLevel(to)).str();
}

/// Two digits, or "-".
std::string number(std::optional<double> value) {
  std::string text = "-";
  if (value) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.2f", *value);
  }
  return text;
}

struct AnnotateReuse : tilec::impl::AnnotateReusePassBase<AnnotateReuse> {
  using Base::Base;

  void runOnOperation() override {
    LogicalResult result =
        analyzeModule(getOperation(), [&](const report::Analyses &analyses) {
          annotateTransfers(analyses);
          annotateStages(analyses);
        });
    if (failed(result))
      signalPassFailure();
  }

private:
  void annotateTransfers(const report::Analyses &analyses) {
    Builder builder(&getContext());
    llvm::MapVector<Operation *, SmallVector<Attribute>> entries;
    for (const Transfer &transfer : analyses.traffic.transfers) {
      NamedAttrList entry;
      entry.append("operand", builder.getStringAttr(transfer.name));
      entry.append("stage", builder.getStringAttr(stageText(transfer.getSource(), transfer.to)));
      entry.append("bytes", builder.getI64IntegerAttr(transfer.bytes()));
      entry.append("sent_bytes", builder.getI64IntegerAttr(transfer.sentBytes()));
      if (std::optional<double> reuse = transfer.localReuse())
        entry.append("local_reuse", builder.getF64FloatAttr(*reuse));
      if (std::optional<double> reuse = transfer.globalReuse())
        entry.append("global_reuse", builder.getF64FloatAttr(*reuse));
      entries[transfer.op].push_back(entry.getDictionary(&getContext()));
      if (remarks)
        transfer.op->emitRemark() << transfer.name << " " << stageText(transfer.getSource(), transfer.to)
                                  << ": " << transfer.bytes() << " bytes, reuse "
                                  << number(transfer.localReuse()) << " local, "
                                  << number(transfer.globalReuse()) << " global, multicast "
                                  << transfer.multicast;
    }
    for (auto &[op, list] : entries)
      op->setAttr("tile.traffic", builder.getArrayAttr(list));
  }

  void annotateStages(const report::Analyses &analyses) {
    Builder builder(&getContext());
    tile::KernelOp kernel = analyses.model.kernel;
    SmallVector<Attribute> stages;
    for (const StageMatch &stage : analyses.match.stages) {
      NamedAttrList entry;
      entry.append("stage", builder.getStringAttr(stageText(stringifyLevel(stage.from), stage.to)));
      if (stage.requiredReuse)
        entry.append("required_reuse", builder.getF64FloatAttr(*stage.requiredReuse));
      if (stage.guaranteedReuse)
        entry.append("guaranteed_reuse", builder.getF64FloatAttr(*stage.guaranteedReuse));
      entry.append("satisfied", builder.getBoolAttr(stage.satisfied));
      stages.push_back(entry.getDictionary(&getContext()));
      if (remarks)
        kernel.emitRemark() << stageText(stringifyLevel(stage.from), stage.to) << ": needs "
                            << number(stage.requiredReuse) << "x reuse, has "
                            << number(stage.guaranteedReuse) << "x guaranteed";
    }
    kernel->setAttr("tile.stages", builder.getArrayAttr(stages));
  }
};

} // namespace
