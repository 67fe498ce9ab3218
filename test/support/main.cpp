// Compiled once: the body of Catch2 takes as long as many tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#ifdef __SANITIZE_THREAD__
// The counting of an absl::Status happens inside of Abseil's library, which was not built with the
// sanitizer: that the last owner comes after the others is not seen.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:absl::*Status::Unref\n"; }
#endif
