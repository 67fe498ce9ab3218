// Compiled once: the body of Catch2 takes as long as many tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
