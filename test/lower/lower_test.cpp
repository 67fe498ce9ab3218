#include <catch2/catch.hpp>
#include <chrono>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "support/check.h"
#include "tenon/ir/visit.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("Lowering keeps the meaning of every kind of program at odd sizes") {
  for (const Sample& sample : corpus()) {
    for (int64_t lanes : {1, 4, 8, 16}) {
      for (int64_t n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 49}) {
        if (n > 3 * lanes + 1) continue;
        INFO(sample.name << ", n = " << n << ", " << lanes << " lanes");
        check_lowering(instance(sample.text, n, lanes));
      }
    }
  }
}
