#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

std::string refused(const Program& p, const std::string& stage, int loop, int64_t multiple) {
  Schedule s(p);
  s.pad_reduction(s.all_loops(stage)[static_cast<size_t>(loop)], multiple);
  const std::string message = refusal_of(s);
  return message.substr(message.find("\n  ") + 3);
}

TEST_CASE("A reduction gets iterations that add nothing") {
  const Program p =
      program_of("for i in 0..n { out[i] = -0.0\n for r in 0..m { out[i] += y[r, i] } }");
  for (const int64_t m : {0, 1, 7, 8, 9, 31}) {
    Followed s(p, sizes_of(p, {{"m", m}, {"n", 3}}));
    const Loop r = s->all_loops("out")[1];
    s->pad_reduction(r, 8);
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 0..n {
    out[i] = -0.0
    for r in 0..(m + 7) // 8 * 8 {
      out[i] += select(r < m, y[r, i], -0.0)
    }
  }
)");
    s->split(r, 8, Tail::kPerfect);
    s.check();
  }
}

TEST_CASE("Every built-in operator has an identity, in every type") {
  for (const char* op : {"+", "*", "max", "min"}) {
    for (Type type : kAllTypes) {
      if (type.is_bool()) continue;
      const std::string t = to_string(type), update = "out[] " + std::string(op) + "= x[r]";
      const Program p = parsed("program one\n  input x: " + t + "[11]\n  inout out: " + t +
                               "[]\n{\n  for r in 0..11 {\n    " + update + "\n  }\n}\n");
      Followed s(p, {});
      const Loop r = s->all_loops("out")[0];
      s->pad_reduction(r, 4);
      s.check();
      const auto [ro, ri] = s->split(r, 4, Tail::kPerfect);
      s->unroll(ri);
      s.check();
    }
  }
}

TEST_CASE("Multiples that divide, and loops that start elsewhere") {
  const Program p =
      program_of("for i in 0..9 { out[i] = -0.0\n for r in i..12 { out[i] += x[r] } }", 1, 12);
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 12}}));
  const Loop r = s->all_loops("out")[1];
  s->pad_reduction(r, 1);
  s.check();
  CHECK(structurally_equal(s->program(), p));
  s->pad_reduction(r, 5);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..9 {
    out[i] = -0.0
    for r in i..(1 - i) // 5 * 5 + i + 15 {
      out[i] += select(r < 12, x[r], -0.0)
    }
  }
)");
}

TEST_CASE("What one iteration more would change is refused") {
  const Program own = program_of("for i in 0..n { out[i] += x[i] }");
  CHECK(refused(own, "out", 0, 4) ==
        "the iterations of loop i accumulate into elements of their own: there is no element for "
        "one more");
  const Program stored = program_of("for i in 0..m { for r in 0..n { grid[i, r] = x[r] } }");
  CHECK(refused(stored, "grid", 1, 4) ==
        "one iteration more of loop r would run `grid[i, r] = x[r]`, which is no accumulation");
  const Program two = program_of("for r in 0..n { out[0] += x[r]\n out[1] += x[r] }", 0, 2);
  CHECK(refused(two, "out", 0, 4) ==
        "loop r holds several statements, and one accumulation is padded: fission first");
  const Program ragged =
      program_of("for r in 0..n { for j in 0..min(r, 2) { out[0] += y[j, r] } }", 2, 1);
  CHECK(refused(ragged, "out", 0, 4) ==
        "the number of iterations of loop j under loop r uses it, and would be asked for "
        "iterations that the loop does not have");
  const Program guarded = program_of("for r in 0..n { if r % 3 == 0 { out[0] += x[r] } }", 0, 1);
  CHECK(refused(guarded, "out", 0, 4) ==
        "the guard r % 3 == 0 under loop r uses it, and would be asked for iterations that the "
        "loop does not have");
  const Program sum = program_of("for r in 0..n { out[0] += x[r] }", 0, 1);
  CHECK(refused(sum, "out", 0, 0) ==
        "a reduction is padded to a multiple of at least 1 and at most 2147483648, and it is 0");
  Schedule marked(sum);
  const Loop r = marked.all_loops("out")[0];
  const auto [ro, ri] = marked.split(r, 4);
  marked.unroll(ri);
  marked.pad_reduction(ri, 8);
  CHECK(refusal_of(marked) ==
        "schedule step 3: pad_reduction(ri, 8) refused\n"
        "  loop ri is an unroll loop already; pad_reduction takes a serial one");
}

}  // namespace
}  // namespace tenon::test
