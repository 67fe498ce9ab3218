#include "property/seeds.h"

TEST_CASE(
    "random schedules never change what a random program computes, at any level: even seeds") {
  tenon::test::check_seeds(2);
}
