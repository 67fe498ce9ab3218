# Finds what Tenon is built on. Nothing is downloaded and no copies are kept: install_debian.sh
# beside this file installs the packages by name.

# Ends the configuration with one sentence that says what to install.
function(tenon_missing what package group)
  message(FATAL_ERROR "${what} was not found: install ${package} with "
    "\"${PROJECT_SOURCE_DIR}/third_party/install_debian.sh ${group}\".")
endfunction()

find_package(Threads REQUIRED)
find_package(absl CONFIG QUIET)
if(NOT absl_FOUND)
  tenon_missing("Abseil" "libabsl-dev" required)
endif()

# LLVM: the newest version that is known to work, or the one that was asked for. LLVM calls a
# version compatible only if major and minor agree, and numbers its releases X.1.
set(tenon_llvm_versions ${TENON_LLVM_VERSION})
if(NOT tenon_llvm_versions)
  set(tenon_llvm_versions 22 21 20 19)
endif()
foreach(version IN LISTS tenon_llvm_versions)
  if(NOT LLVM_FOUND)
    find_package(LLVM ${version}.1 CONFIG QUIET)
  endif()
endforeach()
if(NOT LLVM_FOUND)
  list(GET tenon_llvm_versions 0 version)
  list(JOIN tenon_llvm_versions ", " versions)
  tenon_missing("LLVM (${versions})" "llvm-${version}-dev" required)
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}")

# What lib/codegen links. Only that folder sees LLVM's headers.
add_library(tenon_llvm INTERFACE)
target_include_directories(tenon_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tenon_llvm INTERFACE ${llvm_definitions})
if(TENON_SHARED_LLVM)
  target_link_libraries(tenon_llvm INTERFACE LLVM)
else()
  llvm_map_components_to_libnames(llvm_libraries core orcjit passes X86)
  target_link_libraries(tenon_llvm INTERFACE ${llvm_libraries})
endif()

if(TENON_BUILD_TESTS)
  find_path(CATCH2_INCLUDE_DIR catch2/catch.hpp)
  mark_as_advanced(CATCH2_INCLUDE_DIR)
  if(NOT CATCH2_INCLUDE_DIR)
    tenon_missing("Catch2 (version 2)" "catch2" test)
  endif()
  # Decides affine questions, which the tests of the integer solver compare with.
  find_path(ISL_INCLUDE_DIR isl/set.h)
  find_library(ISL_LIBRARY isl)
  mark_as_advanced(ISL_INCLUDE_DIR ISL_LIBRARY)
  if(NOT ISL_INCLUDE_DIR OR NOT ISL_LIBRARY)
    tenon_missing("isl" "libisl-dev" test)
  endif()
endif()
if(TENON_BUILD_TESTS OR TENON_BUILD_BENCH OR TENON_BUILD_DOCS_EXAMPLES)
  find_package(Eigen3 CONFIG QUIET)
  if(NOT Eigen3_FOUND)
    tenon_missing("Eigen" "libeigen3-dev" demo)
  endif()
endif()
if(TENON_BUILD_BENCH)
  find_package(benchmark CONFIG QUIET)
  if(NOT benchmark_FOUND)
    tenon_missing("Google Benchmark" "libbenchmark-dev" bench)
  endif()
  # oneDNN is a peer to compare with; benchmarks do without it. Its CMake package asks for OpenCL,
  # which nobody here needs, so the library is looked up by name.
  find_path(DNNL_INCLUDE_DIR dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)
endif()
