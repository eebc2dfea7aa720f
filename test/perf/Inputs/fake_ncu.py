#!/usr/bin/env python3
"""Stands for ncu: knows some metrics, and prints a profile in which all are 7 but wavefronts of shared loads."""

import sys

KNOWN = ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_st", "l1tex__t_sectors_pipe_lsu_mem_global_op_red",
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"]
if "--query-metrics" in sys.argv:
    print("Device NVIDIA H100", *(f"{name}    Counter    # of things" for name in KNOWN), sep="\n")
    sys.exit(0)
asked = next(word for word in sys.argv if word.startswith("--metrics=")).partition("=")[2].split(",")
print("==PROF== Connected\nvecadd on NVIDIA H100 (sm_90a)")
print('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
for name in asked:
    print(f'"0","kernel","{name}","sector","{"1,234" if "shared" in name else 7}"')
