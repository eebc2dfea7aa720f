//===- KernelOps.td - The device vocabulary ----------------*- tablegen -*-===//

#ifndef TILEC_KERNEL_KERNELOPS_TD
#define TILEC_KERNEL_KERNELOPS_TD

include "tilec/Kernel/KernelDialect.td"
include "tilec/Kernel/ControlOps.td"
include "tilec/Kernel/AtomicOps.td"
include "tilec/Kernel/MemoryOps.td"
include "tilec/Kernel/ConstantOps.td"
include "tilec/Kernel/AsyncOps.td"
include "tilec/Kernel/BarrierOps.td"
include "tilec/Kernel/BulkCopyOps.td"
include "tilec/Kernel/BulkStoreOps.td"
include "tilec/Kernel/MatrixOps.td"
include "tilec/Kernel/PipelineOps.td"
include "tilec/Kernel/RegisterOps.td"
include "tilec/Kernel/WgmmaOps.td"
include "tilec/Kernel/ClusterOps.td"
include "tilec/Kernel/SyncOps.td"
include "tilec/Kernel/MathOps.td"

#endif
