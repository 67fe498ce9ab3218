#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

// A tile of a ragged row: the parts of the text in which the cases differ are marked.
std::string tile(const std::string& update, const std::string& read_guard,
                 const std::string& params = "input w: f32[2, 8, 16]") {
  return R"(
    program p
      )" +
         params + R"(
      output y: f32[29]
    {
      for c in 0..2 {
        alloc t: f32[16]
        vector for a in 0..16 { if c * 16 + a < 29 { t[a] = -0.0 } }
        for r in 0..8 {
          vector for j in 0..16 { if c * 16 + j < 29 { t[j] += )" +
         update + R"( } }
        }
        vector for b in 0..16 { if )" +
         read_guard + R"( { y[c * 16 + b] = t[b] } }
      }
    })";
}

int count_guards(const Program& program) {
  const std::string text = print(program);
  int count = 0;
  for (size_t at = text.find("if "); at != std::string::npos; at = text.find("if ", at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("A guard on lanes that nobody reads is dropped, and the one on the output stays") {
  CHECK(body_after(drop_dead_guards, tile("w[c, r, j]", "c * 16 + b < 29")) ==
        "for c in 0..2 {\n"
        "  alloc t: f32[16]\n"
        "  vector for a in 0..16 {\n"
        "    t[a] = -0.0\n"
        "  }\n"
        "  for r in 0..8 {\n"
        "    vector for j in 0..16 {\n"
        "      t[j] += w[c, r, j]\n"
        "    }\n"
        "  }\n"
        "  vector for b in 0..16 {\n"
        "    if c * 16 + b < 29 {\n"
        "      y[c * 16 + b] = t[b]\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A load that would leave its buffer keeps the guard for itself") {
  CHECK(body_after(drop_dead_guards,
                   tile("w[r, c * 16 + j] * 2.0", "c * 16 + b < 29", "input w: f32[8, 29]"))
            .find("      t[j] += select(c * 16 + j < 29, w[r, c * 16 + j], 0.0) * 2.0\n") !=
        std::string::npos);
}

TEST_CASE("A read with a weaker guard keeps the guards of the writes") {
  const Program p = parsed(tile("w[c, r, j]", "c * 16 + b < 30"));
  CHECK(count_guards(run(drop_dead_guards, p)) == 3);
}

TEST_CASE("A read in the next iteration counts, a buffer of an inner scope does not") {
  const char* text = R"(
    program p
      input x: f32[8]
      output y: f32[8]
    {
      alloc t: f32[8]
      vector for a in 0..8 { t[a] = 0.0 }
      for i in 0..8 {
        vector for b in 0..8 { if b < i { t[b] = x[b] } }
        vector for c in 0..8 { if c < i + 1 { y[c] = t[c] } }
      }
    })";
  // Element i is read in iteration i, where the guard skips its write.
  CHECK(count_guards(run(drop_dead_guards, parsed(text))) == 2);
  check_pass(drop_dead_guards, parsed(text));
}

TEST_CASE("A guard that skips a whole tile stays") {
  const Program p = parsed(R"(
    program p
      input x: f32[8]
      output y: f32[5]
    {
      for i in 0..8 {
        alloc t: f32[16]
        vector for a in 0..16 { if i < 5 { t[a] = x[i] } }
        if i < 5 { y[i] = t[3] }
      }
    })");
  CHECK(body_of(run(drop_dead_guards, p)) == body_of(p));
}

TEST_CASE("A write that would leave its local keeps the guard") {
  const Program p = parsed(R"(
    program p
      output y: f32[5]
    {
      alloc t: f32[5]
      vector for a in 0..8 { if a < 5 { t[a] = 1.0 } }
      vector for b in 0..8 { if b < 5 { y[b] = t[b] } }
    })");
  CHECK(body_of(run(drop_dead_guards, p)) == body_of(p));
}

TEST_CASE("A check stays under its guard") {
  const Program p = parsed(R"(
    program p
      input i: i64[5]
      input x: f32[9]
      output y: f32[5]
    {
      alloc t: f32[8]
      vector for a in 0..8 { if a < 5 { t[a] = x[check(i[0] + a, 9)] } }
      vector for b in 0..8 { if b < 5 { y[b] = t[b] } }
    })");
  CHECK(body_of(run(drop_dead_guards, p)) == body_of(p));
}

TEST_CASE("A guard stays in front of one that reads only where it holds") {
  const auto program = [](int64_t extent) {
    return parsed("program p\n  input x: f32[" + std::to_string(extent) +
                  "]\n  output y: f32[5]\n{\n  alloc t: f32[8]\n"
                  "  vector for a in 0..8 { if a < 5 and x[a] < 1.0 { t[a] = 2.0 } }\n"
                  "  vector for b in 0..8 { if b < 5 and x[b] < 1.0 { y[b] = t[b] } }\n}\n");
  };
  const Program short_one = program(5), long_one = program(8);
  CHECK(body_of(run(drop_dead_guards, short_one)) == body_of(short_one));
  CHECK(body_of(run(drop_dead_guards, long_one)).find("if x[a] < 1.0 {\n    t[a] = 2.0") !=
        std::string::npos);
  check_pass(drop_dead_guards, long_one);
}

TEST_CASE("A reduction with several results reads all of them") {
  const Program p = parsed(R"(
    program p
      input x: f32[3, 5]
      output y: i64[5]
      reducer most(best: f32, at: i64) = (-inf, 99)
        update (v: f32, j: i64) -> (select(best < v, v, best), select(best < v, j, at))
        combine (b, k) -> (select(best < b | best == b & k < at, b, best),
                           select(best < b | best == b & k < at, k, at))
    {
      alloc best: f32[8]
      for i in 0..5 { best[i] = -inf
        y[i] = 99
        for r in 0..3 { (best, y)[i] most= (x[r, i], r) } }
      vector for a in 0..8 { if a < 2 { best[a] = 1e30 } }
      for k in 0..5 { (best, y)[k] most= (1e10, 9) }
    })");
  CHECK(body_of(run(drop_dead_guards, p)) == body_of(p));
}

TEST_CASE("A chain of stages loses its guards from the first to the last") {
  const Program p = parsed(R"(
    program p
      input x: f32[16]
      output y: f32[13]
    {
      alloc t: f32[16]
      alloc u: f32[16]
      vector for a in 0..16 { if a < 13 { t[a] = x[a] } }
      vector for b in 0..16 { if b < 13 { t[b] = t[b] * 2.0 } }
      vector for c in 0..16 { if c < 13 { u[c] = t[c] + 1.0 } }
      vector for d in 0..16 { if d < 13 { y[d] = u[d] } }
    })");
  CHECK(count_guards(run(drop_dead_guards, p)) == 1);
  check_pass(drop_dead_guards, p);
}

TEST_CASE("Dropping guards keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 5, 8, 13}) {
      INFO(sample.name << ", n = " << n);
      check_pass(drop_dead_guards, instance(sample.text, n, 4));
      check_pass(drop_dead_guards, symbolic_instance(sample.text, 4), {{"n", n}});
    }
  }
  check_pass(drop_dead_guards, matmul(13, 29, 5, 12, 32));
}
