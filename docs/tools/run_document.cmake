# Runs the program of a document and compares what it prints:
#   cmake -D PROGRAM=... -D TOOL=... -D DOCUMENT=... -D OUTPUT=... [-D MODE=update] -P run_document.cmake
if(NOT MODE)
  set(MODE check)
endif()
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${OUTPUT} RESULT_VARIABLE failed)
if(failed)
  file(READ ${OUTPUT} printed)
  message(FATAL_ERROR "the code of ${DOCUMENT} ended with ${failed} after printing\n${printed}")
endif()
execute_process(COMMAND ${TOOL} ${MODE} ${DOCUMENT} ${OUTPUT} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${DOCUMENT} does not show what its code prints")
endif()
