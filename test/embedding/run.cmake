# Configures, builds and tests test/embedding/<way> from nothing, as its user would.

set(source ${CMAKE_CURRENT_LIST_DIR}/${way})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
if(way STREQUAL consumer)
  run(${CMAKE_COMMAND} --install ${tenon_build} --prefix ${work}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${source} -B ${work}/build -G ${generator}
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_PREFIX_PATH=${work}/prefix -D TENON_SOURCE_DIR=${tenon_source})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure --no-tests=error)
