# Functions that declare the parts of tilec.

# tilec_library(NAME SOURCES... [PRECOMPILED] LINK libs... DEPENDS targets...): one static component library; PRECOMPILED where most of its sources
# include MLIR.
function(tilec_library name)
  cmake_parse_arguments(ARG "PRECOMPILED" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${TILEC_WERROR}>:-Werror>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PRECOMPILED)
    tilec_precompile_headers(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEC_LIBRARIES ${name})
endfunction()

# tilec_unittest(NAME SOURCES... [PRECOMPILED] [APART] LINK libs...): one GoogleTest program, run by lit (test/unit/lit.cfg.py). Six sources are compiled as one, which takes a
# third of the time, since headers take most of it; but APART, where several have something of one name.
function(tilec_unittest name)
  cmake_parse_arguments(ARG "PRECOMPILED;APART" "" "LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  if(NOT ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  tilec_link_options(${name})
  if(ARG_PRECOMPILED)
    tilec_precompile_headers(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEC_UNITTESTS ${name})
endfunction()

# tilec_precompile_headers(TARGET): MLIR's headers take half of a source's time, so they are compiled once, for the first target that asks, and
# read by the others, which have its options (not the library that users link: its symbols are visible). Headers of tilec are none of them: a change to
# one compiles what includes it, and no more.
function(tilec_precompile_headers name)
  get_property(first GLOBAL PROPERTY TILEC_PRECOMPILED)
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
    return()
  endif()
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
  set_property(GLOBAL PROPERTY TILEC_PRECOMPILED ${name})
endfunction()

# tilec_link_options(TARGET): link with the lld of the LLVM in use, which need not be in PATH, folding identical functions and
# dropping unused ones.
function(tilec_link_options name)
  target_link_options(${name} PRIVATE -B${LLVM_TOOLS_BINARY_DIR} -fuse-ld=lld -Wl,--icf=all -Wl,--gc-sections -Wl,--as-needed)
endfunction()

# Debian's CMake package links libLLVM.so through the target LLVM. tilec is one self-contained binary, so that
# target is pointed at the static archives that the MLIR libraries need. The linker (lld) resolves them in any order.
macro(tilec_use_static_llvm)
  set(archives "")
  foreach(part Core IRReader BitReader Remarks BinaryFormat BitstreamReader TargetParser Demangle FrontendOpenMP
               AsmParser)
    list(APPEND archives ${LLVM_LIBRARY_DIR}/libLLVM${part}.a)
  endforeach()
  find_library(TILEC_ZLIB libz.a REQUIRED)
  find_library(TILEC_ZSTD libzstd.a REQUIRED)
  list(APPEND archives ${TILEC_ZLIB} ${TILEC_ZSTD} pthread dl m rt)
  set(support ${LLVM_LIBRARY_DIR}/libLLVMSupport.a)
  set_target_properties(LLVM PROPERTIES
    IMPORTED_LOCATION ${support} IMPORTED_LOCATION_RELWITHDEBINFO ${support} IMPORTED_NO_SONAME ON
    INTERFACE_LINK_LIBRARIES "${archives}")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
endmacro()
