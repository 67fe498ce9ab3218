#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// A stage t of this shape, all ones, and out[0] = t[0, ...].
Program with_stage(const std::string& shape, const std::string& at) {
  return program_of("alloc t: f32[" + shape + "]\n t[" + at + "] = 1.0\n out[0] = t[" + at + "]", 1,
                    1);
}

// The declaration of the stage after the step, or why it was refused.
std::string aligned(const std::string& shape, const std::string& at, int dim, int64_t multiple,
                    int64_t offset = 0) {
  const Program p = with_stage(shape, at);
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 7}}));
  s->align_storage("t", dim, multiple, offset);
  if (!s->status().ok()) return diagnostic_of(s->status())->reason;
  s.check();
  const std::string text = body_of(s->program());
  const size_t begin = text.find("f32");
  return text.substr(begin, text.find('\n') - begin);
}

TEST_CASE("Rows start at multiples of a number of elements, or next to them") {
  CHECK(aligned("5, 20", "0, 0", 0, 16) == "f32[5, 32]");
  CHECK(aligned("5, 32", "0, 0", 0, 16) == "f32[5, 32]");
  CHECK(aligned("5, 32", "0, 0", 0, 32, 8) == "f32[5, 40]");
  CHECK(aligned("5, 4", "0, 0", 0, 32, 8) == "f32[5, 8]");
  CHECK(aligned("5, n", "0, 0", 0, 16) == "f32[5, (n + 15) // 16 * 16]");
  CHECK(aligned("5, n", "0, 0", 0, 16, 4) == "f32[5, (n + 11) // 16 * 16 + 4]");
  CHECK(aligned("m, n", "0, 0", 0, 1) == "f32[m, n]");
}

TEST_CASE("The dimension behind grows by what the others need") {
  CHECK(aligned("5, 7, 6", "0, 0, 0", 0, 16) == "f32[5, 8, 6]");
  CHECK(aligned("5, 7, 6", "0, 0, 0", 1, 16) == "f32[5, 7, 16]");
  CHECK(aligned("5, 7, 6", "0, 0, 0", 0, 16, 6) == "f32[5, 9, 6]");
  CHECK(aligned("5, n, 4", "0, 0, 0", 0, 32, 8) == "f32[5, (n + 5) // 8 * 8 + 2, 4]");
}

TEST_CASE("A step that cannot be reached is refused with the reason") {
  CHECK(aligned("5, 7, 6", "0, 0, 0", 0, 16, 3) ==
        "the step of dimension 0 of t is a multiple of 6, which is never 3 modulo 16");
  CHECK(aligned("5, 7, n", "0, 0, 0", 0, 16) ==
        "the dimensions of t behind dimension 1 have no constant extents");
  CHECK(aligned("5, 7", "0, 0", 1, 16) ==
        "dimension 1 of t is the last one, whose elements lie next to each other");
  CHECK(aligned("5, 7", "0, 0", 2, 16) == "t has 2 dimensions, and dimension 2 was asked for");
  CHECK(aligned("5, 7", "0, 0", 0, 0) ==
        "the step of a dimension is offset modulo multiple, with 0 <= offset < multiple and "
        "multiple at most 65536; the multiple is 0 and the offset 0");
  CHECK(aligned("5, 7", "0, 0", 0, 16, 16) ==
        "the step of a dimension is offset modulo multiple, with 0 <= offset < multiple and "
        "multiple at most 65536; the multiple is 16 and the offset 16");
  Schedule s(with_stage("5, 7", "0, 0"));
  s.align_storage("grid", 0, 16);
  CHECK(refusal_of(s) ==
        "schedule step 1: align_storage(grid, 0, 16, 0) refused\n"
        "  grid is a parameter: its shape belongs to the caller");
}

}  // namespace
}  // namespace tenon::test
