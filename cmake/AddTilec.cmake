# Functions that declare the parts of tilec.

# tilec_library(NAME SOURCES... LINK libs... DEPENDS targets...): one static component library.
function(tilec_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${TILEC_WERROR}>:-Werror>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEC_LIBRARIES ${name})
endfunction()

# tilec_unittest(NAME SOURCES... LINK libs...): one GoogleTest program, run by lit (test/unit/lit.cfg.py).
function(tilec_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  tilec_link_options(${name})
  set_property(GLOBAL APPEND PROPERTY TILEC_UNITTESTS ${name})
endfunction()

# tilec_link_options(TARGET): link with lld, folding identical functions and dropping unused ones.
function(tilec_link_options name)
  target_link_options(${name} PRIVATE -fuse-ld=lld -Wl,--icf=all -Wl,--gc-sections -Wl,--as-needed)
endfunction()
