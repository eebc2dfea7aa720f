//===- RemarkText.cpp - Optimization remarks as text ------------*- C++ -*-===//
//
// MLIR's own streamer writes to a file that it opens itself.
//
//===----------------------------------------------------------------------===//

#include "RemarkText.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Remarks/RemarkSerializer.h"
#include "llvm/Support/raw_ostream.h"

namespace {

class Streamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::string &text) : os(text) {
    llvm::Expected<std::unique_ptr<llvm::remarks::RemarkSerializer>> made =
        llvm::remarks::createRemarkSerializer(llvm::remarks::Format::YAML, os);
    if (made)
      serializer = std::move(*made);
    else
      llvm::consumeError(made.takeError());
  }

  bool works() const { return serializer != nullptr; }

  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override {
    serializer->emit(remark.generateRemark());
  }

  void finalize() override { os.flush(); }

private:
  llvm::raw_string_ostream os;
  std::unique_ptr<llvm::remarks::RemarkSerializer> serializer;
};

} // namespace

mlir::LogicalResult tilec::collectRemarks(mlir::MLIRContext &context, std::string &text) {
  auto streamer = std::make_unique<Streamer>(text);
  if (!streamer->works())
    return mlir::failure();
  mlir::remark::RemarkCategories all;
  all.passed = all.missed = all.analysis = all.failed = ".*";
  return mlir::remark::enableOptimizationRemarks(context, std::move(streamer),
                                                 std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), all);
}

void tilec::takeRemarks(mlir::MLIRContext &context) { context.setRemarkEngine(nullptr); }
