#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string body_of_loop(const std::string& body, const std::string& more_params = "") {
  return "program p\n  size n\n  input x: f32[n]\n  input s: f32[4]\n  output y: f32[n]\n" +
         more_params + "{\n  vector for v in 0..16 {\n" + body + "\n}\n}\n";
}

std::string vectorized(const std::string& body, const std::string& more_params = "") {
  return body_after(vectorize_loops, body_of_loop(body, more_params));
}

const char* const kMask = "ramp(0, 1, 16) < broadcast(n, 16)";

}  // namespace

TEST_CASE("Lanes become ramps, and what all lanes share stays scalar") {
  CHECK(vectorized("y[v + 3] = x[v] * s[1]") ==
        "y[ramp(3, 1, 16)] = x[ramp(0, 1, 16)] * broadcast(s[1], 16)\n");
  CHECK(vectorized("y[v * 2 + 1] = x[15 - v]") == "y[ramp(1, 2, 16)] = x[ramp(15, -1, 16)]\n");
  CHECK(vectorized("y[v] = s[0]") == "y[ramp(0, 1, 16)] = broadcast(s[0], 16)\n");
}

TEST_CASE("A guard on lanes becomes a mask on loads and stores of parameters") {
  CHECK(vectorized("if v < n { y[v] = x[v] + 1.0 }") ==
        "y[ramp(0, 1, 16)] = masked(x[ramp(0, 1, 16)], " + std::string(kMask) +
            ") + broadcast(1.0, 16) where " + kMask + "\n");
}

TEST_CASE("A guard that all lanes share stays a branch") {
  CHECK(vectorized("if 16 <= n { y[v] = x[v] }") ==
        "if 16 <= n {\n"
        "  y[ramp(0, 1, 16)] = x[ramp(0, 1, 16)]\n"
        "}\n");
}

TEST_CASE("A masked store to a local keeps the old value by a select") {
  CHECK(body_after(vectorize_loops, R"(
    program p
      size n
      input x: f32[16]
      output y: f32[16]
    {
      alloc t: f32[16]
      vector for v in 0..16 { if v < n { t[v] = x[v] } }
      vector for u in 0..16 { y[u] = t[u] }
    })") ==
        "alloc t: f32[16]\n"
        "t[ramp(0, 1, 16)] = select(ramp(0, 1, 16) < broadcast(n, 16), x[ramp(0, 1, 16)], "
        "t[ramp(0, 1, 16)])\n"
        "y[ramp(0, 1, 16)] = t[ramp(0, 1, 16)]\n");
}

TEST_CASE("A masked accumulation into a local adds the identity") {
  CHECK(
      body_after(vectorize_loops, R"(
    program p
      size n
      input x: f32[16]
      output y: f32[16]
    {
      alloc t: f32[16]
      vector for v in 0..16 { if v < n { t[v] max= x[v] } }
      vector for u in 0..16 { y[u] = t[u] }
    })")
          .find(
              "t[ramp(0, 1, 16)] max= select(ramp(0, 1, 16) < broadcast(n, 16), x[ramp(0, 1, 16)], "
              "broadcast(-inf, 16))\n") != std::string::npos);
}

TEST_CASE("A local that lanes would leave is masked after all") {
  CHECK(body_after(vectorize_loops, R"(
    program p
      size n
      output y: f32[5]
    {
      alloc t: f32[5]
      vector for v in 0..8 { if v < 5 { t[v] = 1.0 } }
      vector for u in 0..8 { if u < 5 { y[u] = t[u] } }
    })") ==
        "alloc t: f32[5]\n"
        "t[ramp(0, 1, 8)] = broadcast(1.0, 8) where ramp(0, 1, 8) < broadcast(5, 8)\n"
        "y[ramp(0, 1, 8)] = masked(t[ramp(0, 1, 8)], ramp(0, 1, 8) < broadcast(5, 8)) where "
        "ramp(0, 1, 8) < broadcast(5, 8)\n");
}

TEST_CASE("A local where two lanes may meet is masked: one that is off would undo the other") {
  const auto kept = [](const std::string& element) {
    return body_after(vectorize_loops, R"(
    program p
      size n
      input x: f32[16]
      output y: f32[8]
    {
      alloc t: f32[8, 8]
      vector for v in 0..8 { if v < n { t[)" +
                                           element + R"(] = x[v] } }
      vector for u in 0..8 { y[u] = t[0, u] }
    })")
               .find("where") == std::string::npos;
  };
  CHECK_FALSE(kept("0, v % 6"));
  CHECK_FALSE(kept("v // 4, v % 3"));
  CHECK_FALSE(kept("v // 2, 1"));
  CHECK(kept("7 - v, v % 2"));
  CHECK(kept("v // 2, v % 2"));
  CHECK(kept("v % 6, v // 6"));
}

TEST_CASE("A local of several workers is masked where lanes that are off reach another's part") {
  const auto kept = [](const std::string& extent, const std::string& element) {
    return body_after(vectorize_loops, R"(
    program p
      size n
      input x: f32[16]
      output y: f32[8]
    {
      alloc t: f32[)" + extent + R"(]
      parallel for i in 0..4 {
        for k in 0..2 { vector for v in 0..8 { if v < n { t[)" +
                                           element + R"(] = x[v] } } }
      }
    })")
               .find("where") == std::string::npos;
  };
  CHECK_FALSE(kept("20", "i * 4 + v"));  // lane 4 of iteration 0 is lane 0 of iteration 1
  CHECK_FALSE(kept("8", "v"));
  CHECK_FALSE(kept("48", "i * 8 + k * 16 + v"));
  CHECK(kept("32", "i * 8 + v"));
  CHECK(kept("64", "i * 16 + k * 8 + v"));
  CHECK(kept("4, 8", "i, v"));
}

TEST_CASE("Lanes that are off undo nothing in a folded buffer") {
  const Program p = test::parsed(R"(
    program p
      size n
      input x: i32[16]
      output y: i32[6]
    {
      alloc t: i32[8]
      for z in 0..8 { t[z] = 0i32 }
      vector for v in 0..8 { if v < n { t[v % 6] = x[v] } }
      vector for w in 0..8 { if w < n { t[w % 6] += 1i32 } }
      for u in 0..6 { y[u] = t[u] }
    })");
  for (int64_t n = 0; n <= 6; ++n) check_pass(vectorize_loops, p, {{"n", n}});
}

TEST_CASE("Where a guard leaves one lane, the element may be the same for all") {
  CHECK(vectorized("if v == 3 { y[2] = x[v] }") ==
        "y[broadcast(2, 16)] = masked(x[ramp(0, 1, 16)], ramp(0, 1, 16) == broadcast(3, 16)) where "
        "ramp(0, 1, 16) == broadcast(3, 16)\n");
  // Two elements of a row that a guard cuts to one: lowering knows the index in front of the loop.
  const Program p = test::parsed(R"(
    program p
      size n
      input x: i32[n]
      output y: i32[n]
    {
      alloc t: i32[1, 2]
      t[0, 0] = 5i32
      vector for v in 0..8 { if v < 1 { t[0, v // 5] = x[v] } }
      for u in 0..n { y[u] = t[0, u // 5] }
    })");
  for (const char* level : {"x86-64-v2", "x86-64-v4"}) {
    check_lowering(p, {{"n", 1}}, *Target::parse(level));
  }
}

TEST_CASE("One target for all lanes is a fold") {
  CHECK(vectorized("y[2] += x[v]") == "y[2] += x[ramp(0, 1, 16)]\n");
  CHECK(vectorized("y[2] += 1.0") == "y[2] += broadcast(1.0, 16)\n");
  CHECK(vectorized("if 3 <= n and v < n { y[2] += x[v] }") ==
        "if 3 <= n {\n"
        "  y[2] += select(" +
            std::string(kMask) + ", masked(x[ramp(0, 1, 16)], " + kMask +
            "), broadcast(-0.0, 16))\n"
            "}\n");
}

TEST_CASE("A fold whose target need not exist happens only if some lane is on") {
  CHECK(vectorized("if v < n { y[0] += s[2] }") ==
        "if 0 < n {\n"
        "  y[0] += select(" +
            std::string(kMask) +
            ", broadcast(s[2], 16), broadcast(-0.0, 16))\n"
            "}\n");
}

TEST_CASE("A value that all lanes share is loaded under a mask only if some lane is on") {
  CHECK(vectorized("if v < n { y[v] = x[n - 1] }") ==
        "y[ramp(0, 1, 16)] = broadcast(select(0 < n, x[n - 1], 0.0), 16) where " +
            std::string(kMask) + "\n");
  // In bounds whatever the mask.
  CHECK(vectorized("if v < n { y[v] = s[1] }") ==
        "y[ramp(0, 1, 16)] = broadcast(s[1], 16) where " + std::string(kMask) + "\n");
}

TEST_CASE("Padding becomes a masked load, since lanes that are off give 0") {
  CHECK(vectorized("if 16 <= n { y[v] = select(v < n - 1, x[v + 1], 0.0) }") ==
        "if 16 <= n {\n"
        "  y[ramp(0, 1, 16)] = masked(x[ramp(1, 1, 16)], ramp(0, 1, 16) < broadcast(n - 1, 16))\n"
        "}\n");
}

TEST_CASE("A select by lanes masks the loads of its arms") {
  CHECK(vectorized("if 16 <= n { y[v] = select(x[v] < 0.0, s[v], 2.0) }", "  output z: f32[n]\n") ==
        "if 16 <= n {\n"
        "  y[ramp(0, 1, 16)] = select(x[ramp(0, 1, 16)] < broadcast(0.0, 16), masked(s[ramp(0, 1, "
        "16)], x[ramp(0, 1, 16)] < broadcast(0.0, 16)), broadcast(2.0, 16))\n"
        "}\n");
}

TEST_CASE("A serial loop inside stays around its vector statements") {
  CHECK(vectorized("for r in 0..4 { y[v] += x[v] * s[r] }") ==
        "for r in 0..4 {\n"
        "  y[ramp(0, 1, 16)] += x[ramp(0, 1, 16)] * broadcast(s[r], 16)\n"
        "}\n");
}

TEST_CASE("A guard on data is evaluated once, before its body") {
  CHECK(vectorized("if x[v] < 1.0 { x2[v] = 3.0\n y[v] = x[v] }", "  output x2: f32[n]\n") ==
        "let mask = x[ramp(0, 1, 16)] < broadcast(1.0, 16)\n"
        "x2[ramp(0, 1, 16)] = broadcast(3.0, 16) where mask\n"
        "y[ramp(0, 1, 16)] = masked(x[ramp(0, 1, 16)], mask) where mask\n");
}

TEST_CASE("A name inside becomes the name of a vector") {
  CHECK(vectorized("let a = x[v] * 2.0\n y[v] = a * a") ==
        "let a = x[ramp(0, 1, 16)] * broadcast(2.0, 16)\n"
        "y[ramp(0, 1, 16)] = a * a\n");
}

TEST_CASE("A check in lanes that are off checks nothing") {
  CHECK(vectorized("if v < n { y[v] = x[check(v * v, n)] }") ==
        "y[ramp(0, 1, 16)] = masked(x[check(select(" + std::string(kMask) +
            ", ramp(0, 1, 16) * ramp(0, 1, 16), broadcast(0, 16)), select(" + kMask +
            ", broadcast(n, 16), broadcast(1, 16)))], " + kMask + ") where " + kMask + "\n");
}

TEST_CASE("A vector of one lane is a scalar") {
  CHECK(body_after(vectorize_loops, R"(
    program p
      input x: f32[9]
      output y: f32[9]
    {
      for i in 0..9 { vector for v in 0..1 { y[i + v] = x[i + v] } }
    })") ==
        "for i in 0..9 {\n"
        "  y[i] = x[i]\n"
        "}\n");
}

TEST_CASE("What cannot be a vector loop is refused") {
  const auto message = [](const std::string& body) {
    return std::string(
        vectorize_loops(parsed(body_of_loop(body)), wide_target()).status().message());
  };
  CHECK(message("for r in 0..v { y[v] += x[r] }") ==
        "vector loop v: the bounds of loop r differ between lanes");
  CHECK(message("y[3] = x[v]") == "vector loop v: all lanes store to the same element of y");
  CHECK(message("alloc t: f32[1]\n t[0] = x[v]\n y[v] = t[0]") ==
        "vector loop v: it declares buffer t");
}

TEST_CASE("Vectorising keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 5, 8, 13}) {
      for (int64_t lanes : {1, 2, 4, 16}) {
        INFO(sample.name << ", n = " << n << ", " << lanes << " lanes");
        const Program p = run(unroll_loops, instance(sample.text, n, lanes));
        check_pass(vectorize_loops, p);
        const Program q = run(unroll_loops, symbolic_instance(sample.text, lanes));
        check_pass(vectorize_loops, q, {{"n", n}});
      }
    }
  }
}
