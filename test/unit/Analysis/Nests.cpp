//===- Nests.cpp - Kernels that the tests analyse ---------------*- C++ -*-===//
//
// Text in, verified kernels out.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

Context::Context() {
  loadDialect<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tile::TileDialect>();
}

Nest tilec::test::parse(MLIRContext &context, const std::string &text,
                        const std::vector<std::string> &names) {
  Nest nest;
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  nest.module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(nest.module) << errors << text;
  if (!nest.module)
    return nest;
  nest.kernel = *nest.module->getOps<tile::KernelOp>().begin();
  for (BlockArgument argument : nest.kernel.getBody().getArguments())
    if (argument.getArgNumber() < names.size())
      argument.setLoc(NameLoc::get(StringAttr::get(&context, names[argument.getArgNumber()]),
                                   argument.getLoc()));
  return nest;
}

std::string tilec::test::exampleText(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(TILEC_EXAMPLES) + "/" + name);
  EXPECT_TRUE(static_cast<bool>(buffer)) << name;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::string fill(std::string text,
                        const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[key, value] : values)
    for (size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += value.size())
      text.replace(at, key.size(), value);
  return text;
}

std::string tilec::test::gemmText(const GemmSizes &s) {
  bool clustered = s.clusterM * s.clusterN > 1;
  std::string blocks = clustered ? R"(
  tile.for (%mc, %nc) in (%M, %N) by ($CM, $CN) at dram on cluster {
  tile.for (%mb, %nb) in ($CM, $CN) by ($BM, $BN) at dram on block {)"
                                 : R"(
  tile.for (%m0, %n0) in (%M, %N) by ($BM, $BN) at dram on block {)";
  std::string text = R"(
!A = memref<?x?x$T, strided<[?, ?]>>
!C = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<$BMx$BKx$T, #tile.level<smem>>
!sB = memref<$BKx$BNx$T, #tile.level<smem>>
!c = memref<$BMx$BNxf32, #tile.level<rf>>
!rA = memref<$TMx1x$T, #tile.level<rf>>
!rB = memref<1x$TNx$T, #tile.level<rf>>
!r = memref<$TMx$TNxf32, #tile.level<rf>>
tile.kernel @gemm(%A: !A[%M, %K], %B: !A[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {)" +
                     blocks + R"(
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by ($BK) at dram $AHEAD{
      %sA = tile.stage %A[$m0, %k0] $COPY: !A to !sA
      %sB = tile.stage %B[%k0, $n0] $COPY: !A to !sB
      tile.for (%m1, %n1) in ($BM, $BN) by ($TM, $TN) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in ($BK) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul $BY ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }
      }
    }
    tile.store %c to %C[$m0, $n0] : !c to !C
  })" + (clustered ? "}" : "") +
                     "\n}\n";
  return fill(text, {{"$BY", s.instruction.empty() ? "" : "{tile.instruction = \"" + s.instruction + "\"}"},
                     {"$BM", std::to_string(s.bm)},
                     {"$BN", std::to_string(s.bn)},
                     {"$BK", std::to_string(s.bk)},
                     {"$TM", std::to_string(s.tm)},
                     {"$TN", std::to_string(s.tn)},
                     {"$CM", std::to_string(s.bm * s.clusterM)},
                     {"$CN", std::to_string(s.bn * s.clusterN)},
                     {"$T", s.type},
                     {"$AHEAD", clustered ? "pipeline(2) producers(1) " : ""},
                     {"$COPY", clustered ? "copy(tma) " : ""},
                     {"$m0", clustered ? "%mc + %mb" : "%m0"},
                     {"$n0", clustered ? "%nc + %nb" : "%n0"}});
}

MachineSpec tilec::test::machine(const std::string &name) {
  TargetResult result = resolveTarget(name);
  EXPECT_TRUE(static_cast<bool>(result)) << result.error;
  return result ? *result.spec : MachineSpec();
}

MachineSpec tilec::test::machineFromText(const std::string &text) {
  TargetResult result = parseTarget(text, "test.yaml");
  EXPECT_TRUE(static_cast<bool>(result)) << result.error;
  return result ? *result.spec : MachineSpec();
}

MachineSpec tilec::test::sm80WithClusters() {
  MachineSpec spec = machine("sm80");
  spec.name = "sm80-with-clusters";
  spec.features.clusters = spec.features.tma = spec.features.multicast = true;
  spec.limits.clusterSize = SourcedInt{8, "test"};
  return spec;
}
