//===- RuntimeFunctions.td - What a kernel in host code calls -*- tablegen -*-===//
//
// The functions of the run-time that bodies of the vocabulary (column `emulator`) call, by the names that they have in
// parts of Block. Lines count in the kernel's text, sizes are in bytes.
//
//===----------------------------------------------------------------------===//

include "llvm/TableGen/SearchableTable.td"

class RuntimeFunction<string resultType, string parameterList> {
  string name = NAME;
  /// The part of Block that has the function.
  string part = ?;
  string result = resultType;
  string parameters = parameterList;
}

def RuntimeFunctions : GenericTable {
  let FilterClass = "RuntimeFunction";
  let CppTypeName = "RuntimeFunction";
  let Fields = ["name", "part", "result", "parameters"];
}

let part = "witness" in {
def getNumber : RuntimeFunction<"int", "">;
def getRank : RuntimeFunction<"int", "">;
def getBlockCount : RuntimeFunction<"int", "">;
/// An index that an operand does not have.
def reportIndex : RuntimeFunction<"void", "long long index, int extent, int line">;
/// Something computed that has no meaning.
def reportArithmetic : RuntimeFunction<"void", "const char *what, int line">;
}

let part = "threads" in {
def getThread : RuntimeFunction<"int", "">;
}

let part = "globalAccesses" in {
/// Checks and counts a read, and tells where the bytes are to be taken from. Lanes of a warp that
/// do the same at one `position` in the loops around the line are served together.
def readGlobal : RuntimeFunction<"const void *", "const void *source, unsigned bytes, int line, Position position">;
/// Checks and counts a write, and tells where the bytes are to be put.
/// `uninitialised`: the value is the pattern of registers never written.
def writeGlobal : RuntimeFunction<"void *", "void *dest, unsigned bytes, bool uninitialised, int line, Position position">;
/// Runs add(dest, value) with no other atomic access in between.
def atomicGlobal : RuntimeFunction<"void", "void *dest, const void *value, unsigned bytes, bool uninitialised, void (*add)(void *dest, const void *value), int line, Position position">;
def atomicFetchAdd : RuntimeFunction<"int", "int *dest, int value, int line, Position position">;
}

let part = "constantAccesses" in {
/// Where the launch has the array of that name.
def constantArray : RuntimeFunction<"const void *", "const char *name">;
/// Checks and counts a read of constant memory, as readGlobal does.
def readConstant : RuntimeFunction<"const void *", "const void *source, unsigned bytes, int line, Position position">;
}

let part = "sharedAccesses" in {
/// Declares or finds an array of the block; `offset` -1: in static memory.
def sharedArray : RuntimeFunction<"void *", "const char *name, unsigned long elementBytes, unsigned long count, long offset, int line">;
def readShared : RuntimeFunction<"const void *", "const void *source, unsigned bytes, int line, Position position">;
def writeShared : RuntimeFunction<"void *", "void *dest, unsigned bytes, int line, Position position">;
/// Checks and counts an atomic operation, and tells where the element is. Threads of a block run in turns: nobody else comes between.
def atomicShared : RuntimeFunction<"void *", "void *dest, unsigned bytes, bool uninitialised, int line, Position position">;
}

let part = "globalOrder" in {
def fenceGpu : RuntimeFunction<"void", "">;
def waitGrid : RuntimeFunction<"void", "">;
}

let part = "asyncCopies" in {
def copyAsync : RuntimeFunction<"void", "void *dest, const void *source, unsigned bytes, bool valid, int line, Position position">;
}

let part = "threadCopies" in {
def commitCopies : RuntimeFunction<"void", "">;
def waitCopies : RuntimeFunction<"void", "int pending">;
}

let part = "meetings" in {
def syncBlock : RuntimeFunction<"void", "int line">;
def syncNamed : RuntimeFunction<"void", "int id, int count, int line">;
def syncWarp : RuntimeFunction<"void", "int line">;
def syncCluster : RuntimeFunction<"void", "int line">;
/// Hands in `value` (up to 8 bytes) and replaces it by that of another lane.
def shuffleXor : RuntimeFunction<"void", "void *value, unsigned bytes, int mask, int line">;
}

let part = "warpgroups" in {
/// The descriptor of a matrix; its fields are in MatrixTiles.h.
def describeMatrix : RuntimeFunction<"long long", "const void *from, int swizzle, int leading, int stride, int line">;
/// `types` are those of a and b, "bf16.bf16".
def wgmma : RuntimeFunction<"void", "void *accumulators, int columns, const char *types, unsigned long long a, unsigned long long b, int transposesA, int transposesB, int line">;
/// `a`: 16 bytes of the first matrix.
def wgmmaRegisters : RuntimeFunction<"void", "void *accumulators, int columns, const char *types, const void *a, unsigned long long b, int transposesB, int line">;
def fenceAccumulators : RuntimeFunction<"void", "">;
def commitWgmma : RuntimeFunction<"void", "int line">;
def waitWgmma : RuntimeFunction<"void", "int pending, int line">;
}

let part = "warpMatrices" in {
/// `count` matrices of 8 rows of 16 bytes; lanes have `bytes` of them.
def loadMatrices : RuntimeFunction<"void", "void *registers, unsigned bytes, const void *source, int count, int transposes, int line, Position position">;
def storeMatrices : RuntimeFunction<"void", "void *dest, const void *registers, unsigned bytes, int count, int transposes, int line, Position position">;
def multiplyInWarp : RuntimeFunction<"void", "void *accumulators, const void *a, const void *b, const char *type, int line">;
}

let part = "registers" in {
def setMaxRegisters : RuntimeFunction<"void", "int count, bool increase, int line">;
}

// Their state is kept outside of the kernel's shared memory.
let part = "mbarriers" in {
def startBarrier : RuntimeFunction<"void", "void *bar, int arrivals, int line">;
def arrive : RuntimeFunction<"void", "void *bar, int line">;
def arriveExpect : RuntimeFunction<"void", "void *bar, int bytes, int line">;
def arriveAfterCopies : RuntimeFunction<"void", "void *bar, int line">;
def waitBarrier : RuntimeFunction<"void", "void *bar, int parity, int line">;
def fenceBarrierStarts : RuntimeFunction<"void", "">;
def fenceProxy : RuntimeFunction<"void", "">;
}

let part = "clusterAccesses" in {
/// The same place in the shared memory of block `rank` of the cluster.
def readCluster : RuntimeFunction<"const void *", "const void *source, unsigned bytes, int rank, int line, Position position">;
def arriveRemote : RuntimeFunction<"void", "void *bar, int rank, int line">;
}

let part = "bulkCopies" in {
/// Copies a box of a tensor map with `rank` coordinates; `mask` has a bit for
/// each block of the cluster that gets it, 0 stands for the one that asks.
def copyBulk : RuntimeFunction<"void", "void *dest, const void *map, const int *coordinates, int rank, void *bar, int mask, int line">;
}

let part = "bulkStores" in {
/// Copies a box from shared memory into the tensor of a map.
def storeBulk : RuntimeFunction<"void", "const void *map, const int *coordinates, int rank, const void *source, int line">;
def commitBulk : RuntimeFunction<"void", "">;
def waitBulk : RuntimeFunction<"void", "int pending, bool reads">;
}
