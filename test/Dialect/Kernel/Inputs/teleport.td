// A row that only TELEPORTS gives a body for the emulator.
include "tilec/Kernel/KernelDialect.td"

def Teleport : VocabularyEntry<"teleport"> {
  let prototype = "void teleport(int x)";
  let device = [{R"cuda(
__device__ __forceinline__ void teleport(int x) {}
)cuda"}];
#ifdef TELEPORTS
  let emulator = "table->reportArithmetic(\"is elsewhere\", site);";
#endif
}
