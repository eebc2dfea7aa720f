# What is installed: the tilec command, examples for it, and the driver library as one shared object with its headers.
# The library holds LLVM and MLIR, hidden, so that a program that uses it needs neither and may have its own.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(api TilecDriver TilecRuntime TilecMachine)
set_target_properties(${api} PROPERTIES CXX_VISIBILITY_PRESET default)

# All code comes from the component libraries, but CMake wants a source.
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/libtilec.cpp CONTENT "")
add_library(libtilec SHARED ${CMAKE_CURRENT_BINARY_DIR}/libtilec.cpp)
add_library(tilec::tilec ALIAS libtilec)
set(symbols ${CMAKE_CURRENT_SOURCE_DIR}/cmake/libtilec.map)
foreach(part ${api})
  list(APPEND files $<TARGET_FILE:${part}>)
endforeach()
target_link_libraries(libtilec PRIVATE -Wl,--whole-archive ${files} -Wl,--no-whole-archive ${api})
target_link_options(libtilec PRIVATE -Wl,--version-script=${symbols})
tilec_link_options(libtilec)
target_include_directories(libtilec INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(root lib codegen)
  target_include_directories(libtilec INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/${root}/include>)
endforeach()
target_compile_features(libtilec INTERFACE cxx_std_17)
set_target_properties(libtilec PROPERTIES
  OUTPUT_NAME tilec EXPORT_NAME tilec VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${symbols})
add_dependencies(libtilec ${api})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
install(TARGETS tilec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilec)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS libtilec EXPORT tilecTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES codegen/include/tilec/CUDA/NestPlace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec/CUDA)
install(DIRECTORY codegen/include/tilec/Driver lib/include/tilec/Runtime lib/include/tilec/Machine
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec FILES_MATCHING PATTERN "*.h")
install(EXPORT tilecTargets NAMESPACE tilec:: DESTINATION ${package})
configure_package_config_file(cmake/TilecConfig.cmake.in tilecConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(tilecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilecConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tilecConfigVersion.cmake
  DESTINATION ${package})
