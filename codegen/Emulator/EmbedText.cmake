# Writes the device side as one C++ string: cmake -DOUTPUT=... -DTABLE=... -DDEVICE=... -P EmbedText.cmake
file(READ ${TABLE} table)
file(READ ${DEVICE} device)
string(REPLACE "#include \"RuntimeTable.h\"\n" "" device "${device}")
file(WRITE ${OUTPUT} "extern const char *const tilecEmulatorDeviceSide;\nconst char *const tilecEmulatorDeviceSide = R\"text(${table}${device})text\";\n")
