#include <string>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::program_of;
using test::site_of;
using test::text_of;

std::string expanded(const std::string& loops, const std::string& shape, const char* at) {
  const Program p = program_of("size m, n input len: i64[n] output y: f32[n] { " + loops +
                               "alloc t: f32[" + shape + "]\n y[i] = 0.0 } } }");
  const auto extent = may_expand(site_of(p, at), find_buffer(p, "t"));
  return extent.ok() ? print(*extent) : text_of(extent);
}

TEST_CASE("The part of an iteration has bounds in front of the loop") {
  CHECK(expanded("for o in 0..m { for i in 0..n { ", "m + 1", "i") == "n");
  CHECK(expanded("for o in 0..m { for i in 3..n { ", "o, n", "i") == "n - 3");
  CHECK(expanded("for i in 0..n { for o in i..i + 4 { ", "i", "o") == "4");
  CHECK(expanded("for o in 0..m { for i in 5..2 { ", "n", "i") == "0");
}

TEST_CASE("A loop with bounds from memory, or a stage of another loop, is refused") {
  CHECK(expanded("for i in 0..n { for o in 0..len[i] { ", "n", "o") ==
        "the number of iterations of loop o is read from memory: len[i]");
  CHECK(expanded("for i in 0..n { for o in 0..m { ", "n", "i") ==
        "t is not declared directly in the body of loop i");
  CHECK(expanded("for i in 0..n { for o in 0..m { ", "len[i]", "o") ==
        "the shape of t is known only inside of loop o: len[i]");
}

}  // namespace
}  // namespace tenon
