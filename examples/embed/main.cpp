//===- main.cpp - A program with tilec inside -------------------*- C++ -*-===//
//
// Compiles a nest from a string and prints the CUDA text.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compiler.h"

#include <iostream>

static const char *const nest = R"(
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>

tile.kernel @add(%A: !V[%N], %B: !V[%N], %C: !V[%N], %N: index) {
  tile.for (%n0) in (%N) by (256) at dram on block {
    tile.for (%n1) in (256) by (1) at dram on thread {
      %a = tile.stage %A[%n0 + %n1] : !V to !r
      %b = tile.stage %B[%n0 + %n1] : !V to !r
      %c = tile.hold init(0.0 : f32) : !r
      linalg.add ins(%a, %b : !r, !r) outs(%c : !r)
      tile.store %c to %C[%n0 + %n1] : !r to !V
    }
  }
}
)";

int main() {
  tilec::CompileOptions options;
  options.target = "sm80";
  options.cubin = false; // Needs no CUDA.
  options.onDiagnostic = [](const tilec::Diagnostic &d) {
    std::cerr << d.file << ":" << d.line << ":" << d.column << ": " << d.message << "\n";
  };
  tilec::CompileResult result = tilec::compile(nest, "add.mlir", options);
  for (const tilec::CompiledKernel &kernel : result.kernels)
    std::cout << kernel.cuda;
  return int(result.status);
}
