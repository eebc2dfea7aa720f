"""Holds blocks_per_sm of a report for an A100 against its registers, threads and shared memory."""

import json
import sys

r = json.load(open(sys.argv[1]))["kernels"][0]["resources"]
warps = -(-r["threads_per_block"] // 32)
# 65536 registers in four schedulers, whole warps of 32 * registers in steps of 256.
per_warp = -(-r["registers"] * 32 // 256) * 256
by_registers = 16384 // per_warp * 4 // warps
# 164 KiB, of which each block takes 1 KiB more than it asks for, in steps of 128.
by_smem = 167936 // (-(-(r["smem_bytes"] + 1024) // 128) * 128)
expected = min(by_registers, by_smem, 2048 // (32 * warps), 32)
print("blocks fit" if r["blocks_per_sm"] == expected else f"{r['blocks_per_sm']} blocks, expected {expected}: {r}")
