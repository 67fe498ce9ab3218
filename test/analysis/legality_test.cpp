#include "tenon/analysis/legality.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Program program_of(const std::string& text) { return test::parsed("program q " + text); }

Var loop_named(const Program& p, std::string_view name) {
  Var found;
  walk(p->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (loop && loop->var.name() == name) found = loop->var;
  });
  REQUIRE(found);
  return found;
}

LoopSite site_of(const Program& p, std::string_view name) {
  return *find_loop(p, loop_named(p, name));
}

// "yes", "yes, reassociating", or the refusal.
std::string text_of(const Verdict& v) {
  if (v.ok()) return v.reassociates ? "yes, reassociating" : "yes";
  const auto d = diagnostic_of(v.status);
  REQUIRE(d);
  std::string text = d->reason;
  for (const std::string& fact : d->missing) text += " | missing " + fact;
  for (const std::string& step : d->legal) text += " | legal " + step;
  return text;
}

template <class T>
std::string text_of(const absl::StatusOr<T>& result) {
  return text_of(Verdict{result.status()});
}

std::string interchange(const std::string& text, std::string_view outer, std::string_view inner) {
  const Program p = program_of(text);
  return text_of(may_interchange(site_of(p, outer), site_of(p, inner).loop));
}

std::string reorder(const std::string& text, const std::vector<std::string>& order) {
  const Program p = program_of(text);
  std::vector<Var> vars;
  std::optional<LoopSite> outermost;
  for (const std::string& name : order) {
    vars.push_back(loop_named(p, name));
    const LoopSite site = site_of(p, name);
    if (!outermost || site.outer.size() < outermost->outer.size()) outermost = site;
  }
  return text_of(may_reorder(*outermost, vars));
}

std::string any_order(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_run_in_any_order(site_of(p, loop)));
}
std::string distribute(const std::string& text, std::string_view loop, size_t first) {
  const Program p = program_of(text);
  return text_of(may_distribute(site_of(p, loop), first));
}
std::string fuse(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_fuse(site_of(p, loop)));
}
std::string vectorize(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_vectorize(site_of(p, loop)));
}
std::string parallelize(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_parallelize(site_of(p, loop)));
}
std::string compute_at(const std::string& text, std::string_view stage, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_compute_at(p, find_buffer(p, stage), loop_named(p, loop)));
}
std::string inlined(const std::string& text, std::string_view stage) {
  const Program p = program_of(text);
  return text_of(may_inline(p, find_buffer(p, stage)));
}

const char kMatmul[] = R"(
  size m, n, k input x: f32[m, k] input w: f32[k, n] output c: f32[m, n] {
    for i in 0..m {
      for j in 0..n {
        c[i, j] = 0.0
        for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
      }
    }
  })";

const char kUpdate[] = R"(
  size m, n, k input x: f32[m, k] input w: f32[k, n] output c: f32[m, n] {
    for i in 0..m {
      for j in 0..n {
        for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
      }
    }
  })";

const char kWave[] = R"(
  output c: f32[9, 9] {
    for i in 0..8 {
      for k in 0..8 { c[i + 1, k] = c[i, k + 1] }
    }
  })";

const char kShift[] = R"(
  size n output a: f32[n + 1] {
    for i in 0..n { a[i] = a[i + 1] }
  })";

// --- Exchanging loops.

TEST_CASE("The loops of a matrix product go in any order") {
  CHECK(interchange(kMatmul, "i", "j") == "yes");
  CHECK(reorder(kUpdate, {"r", "i", "j"}) == "yes");
  CHECK(reorder(kUpdate, {"j", "r", "i"}) == "yes");
  CHECK(reorder(kUpdate, {"i", "j", "r"}) == "yes");
}

TEST_CASE("Exchanging two reduction loops reassociates") {
  const char* text = R"(
    size n input x: f32[n, n] output s: f32[1] {
      for i in 0..n {
        for j in 0..n { s[0] += x[i, j] }
      }
    })";
  CHECK(interchange(text, "i", "j") == "yes, reassociating");
}

TEST_CASE("Exchanging two loops of an exact reduction is exact") {
  CHECK(interchange(R"(
    size n input x: i32[n, n] output s: i32[1] {
      for i in 0..n {
        for j in 0..n { s[0] += x[i, j] }
      }
    })",
                    "i", "j") == "yes");
  CHECK(interchange(R"(
    size n input x: f32[n, n] output s: f32[1] {
      for i in 0..n {
        for j in 0..n { s[0] max= x[i, j] }
      }
    })",
                    "i", "j") == "yes");
}

TEST_CASE("A wave front keeps its order") {
  CHECK(interchange(kWave, "i", "k") ==
        "iteration (i = 0, k = 1) must run before (i = 1, k = 0): both touch c[1, 1]");
}

TEST_CASE("Convolutions and scatters accumulate in any order") {
  const char* conv = R"(
    size n input x: f32[n + 2] input w: f32[3] output y: f32[n] {
      for i in 0..n {
        for k in 0..3 { y[i] += x[i + k] * w[k] }
      }
    })";
  const char* scatter = R"(
    size n input x: f32[n] input w: f32[3] output y: f32[n + 2] {
      for i in 0..n {
        for k in 0..3 { y[i + k] += x[i] * w[k] }
      }
    })";
  CHECK(interchange(conv, "i", "k") == "yes");
  CHECK(interchange(scatter, "i", "k") == "yes, reassociating");
}

TEST_CASE("Loops whose bounds need each other stay nested") {
  CHECK(interchange(R"(
    size n output a: f32[n, n] {
      for i in 0..n {
        for j in 0..i + 1 { a[i, j] = 0.0 }
      }
    })",
                    "i", "j") == "the bounds of loop j use i, so it must stay inside that loop");
}

TEST_CASE("Only perfect nests are rearranged") {
  CHECK(reorder(kMatmul, {"r", "i", "j"}) ==
        "the body of loop j is not a single loop: fission it first");
  CHECK(reorder(R"(
    size n input x: f32[n] output a: f32[n, n] {
      for i in 0..n {
        if 0.0 < x[i] {
          for j in 0..n { a[i, j] = 0.0 }
        }
      }
    })",
                {"j", "i"}) == "an if stands between loop i and the loop inside it");
}

TEST_CASE("A rearrangement may be legal where an exchange on the way is not") {
  // (j, i, k) is not legal, (k, j, i) is: the only distances are (0, 1, -1), with k before j.
  const char* text = R"(
    size n output a: f32[n, n + 1, n + 1] {
      for i in 0..n {
        for j in 0..n {
          for k in 0..n { a[i, j + 1, k] = a[i, j, k + 1] }
        }
      }
    })";
  CHECK(reorder(text, {"j", "k", "i"}) == "yes");
  CHECK(reorder(text, {"j", "i", "k"}) == "yes");
  CHECK(reorder(text, {"i", "k", "j"}) ==
        "iteration (i = 0, j = 0, k = 1) must run before (i = 0, j = 1, k = 0): both touch "
        "a[0, 1, 1], with n = 2");
}

TEST_CASE("A parallel loop keeps its obligation with other loops around it") {
  const char* text = R"(
    output a: f32[9, 8] {
      for i in 0..8 {
        parallel for j in 0..8 { a[i + 1, j] = a[i, j] }
      }
    })";
  CHECK(reorder(text, {"j", "i"}) == "yes");
  CHECK(reorder(R"(
    output a: f32[9, 16] {
      for i in 0..8 {
        parallel for j in 0..8 { a[i + 1, j + 1] = a[i, j] }
      }
    })",
                {"j", "i"}) ==
        "iteration (i = 0, j = 0) must run before (i = 1, j = 1): both touch a[1, 1]");
}

TEST_CASE("Bounds that are data stay inside the loops around them") {
  const char* text = R"(
    size n, m input len: i64[m] output a: f32[n, n] {
      for i in 0..n {
        for j in 0..len[0] { a[i, j] = 0.0 }
      }
    })";
  CHECK(reorder(text, {"j", "i"}) ==
        "the bounds of loop j read len, so it must stay inside the loops around it");
  CHECK(fuse(text, "i") == "the bounds of loop j read len");
}

TEST_CASE("Bounds that the nest writes stay where they are") {
  CHECK(reorder(R"(
    size n output len: i64[n] output a: f32[n, n] {
      for i in 0..len[0] {
        for j in 0..n { len[i] = 5 }
      }
    })",
                {"j", "i"}) == "the bounds of the loops read len, which their body writes");
}

// --- Any order.

TEST_CASE("Independent iterations run in any order") {
  CHECK(any_order(kMatmul, "i") == "yes");
  CHECK(any_order(kMatmul, "j") == "yes");
  CHECK(any_order(kMatmul, "r") == "yes, reassociating");
  CHECK(any_order("size n output a: f32[2 * n] { for i in 0..n { a[n + i] = a[i] } }", "i") ==
        "yes");
  CHECK(any_order("size n output a: f32[n] { for i in 0..n // 2 { a[i] = a[n - 1 - i] } }", "i") ==
        "yes");
  CHECK(any_order(kShift, "i") ==
        "iteration (i = 0) must run before (i = 1): both touch a[1], with n = 2");
}

TEST_CASE("What is allocated inside the body is private") {
  CHECK(any_order(R"(
    size n input x: f32[n] output y: f32[n] {
      for i in 0..n {
        alloc t: f32[1]
        t[0] = x[i]
        y[i] = t[0]
      }
    })",
                  "i") == "yes");
  CHECK(any_order(R"(
    size n input x: f32[n] output y: f32[n] {
      alloc t: f32[1]
      for i in 0..n {
        t[0] = x[i]
        y[i] = t[0]
      }
    })",
                  "i") == "iteration (i = 0) must run before (i = 1): both touch t[0], with n = 2");
}

TEST_CASE("Data decides whether indirect stores collide") {
  CHECK(any_order("size n input idx: i64[n] output a: f32[n] { for i in 0..n { a[idx[i]] = 0.0 } }",
                  "i") ==
        "cannot tell whether a[idx[i]] and a[idx[i + 1]] are different elements: idx is data | "
        "missing idx[i] != idx[i + 1]");
  CHECK(any_order("size n input idx: i64[n] output a: f32[n, n] { for i in 0..n {\n"
                  "for j in 0..n { a[idx[i], j] = 0.0 } } }",
                  "j") == "yes");
}

TEST_CASE("Loops with one name are told apart as in the text") {
  const Program p = program_of(R"(
    output a: f32[9] output b: f32[9] {
      for i in 0..8 { b[i] = 0.0 }
      for k in 0..8 { a[k] = a[k + 1] }
    })");
  const Var i = loop_named(p, "i"), k = loop_named(p, "k"), other("i");
  const Stmt body = replace_loop(p->body, k, [&](const For& loop) {
    return make_for(other, loop.lo, loop.hi, loop.kind, substitute(loop.body, VarMap{{k, other}}));
  });
  const Program q = p.with_body(body);
  CHECK(text_of(may_run_in_any_order(*find_loop(q, other))) ==
        "iteration (i_1 = 0) must run before (i_1 = 1): both touch a[1]");
}

// --- Splitting a body.

TEST_CASE("A body splits where nothing flows back") {
  CHECK(distribute(kMatmul, "j", 1) == "yes");
  CHECK(distribute(R"(
    size n input x: f32[n] output a: f32[n + 1] output b: f32[n] {
      for i in 0..n {
        a[i] = x[i]
        b[i] = a[i]
      }
    })",
                   "i", 1) == "yes");
  CHECK(distribute(R"(
    size n input x: f32[n] output a: f32[n + 1] output b: f32[n] {
      for i in 0..n {
        b[i] = a[i]
        a[i + 1] = x[i]
      }
    })",
                   "i",
                   1) == "iteration (i = 0) must run before (i = 1): both touch a[1], with n = 2");
}

TEST_CASE("What the first part declares stays with it") {
  CHECK(distribute(R"(
    size n input x: f32[n] output y: f32[n] {
      for i in 0..n {
        alloc t: f32[1]
        t[0] = x[i]
        y[i] = t[0]
      }
    })",
                   "i", 2) == "t is declared in the first part of the body and used in the second");
  CHECK(distribute(R"(
    size n input x: f32[n] output y: f32[n] {
      for i in 0..n {
        let v = x[i]
        y[i] = v
      }
    })",
                   "i", 1) == "v is declared in the first part of the body and used in the second");
}

TEST_CASE("Both parts of a body hold something") {
  CHECK(distribute(kMatmul, "i", 1) ==
        "the body of loop i has 1 statement: each part needs at least one");
  CHECK(distribute(kMatmul, "j", 0) ==
        "the body of loop j has 2 statements: each part needs at least one");
}

TEST_CASE("Accumulations of two parts may change places, reassociating") {
  CHECK(distribute(R"(
    size n input x: f32[n] output s: f32[1] {
      for i in 0..n {
        s[0] += x[i]
        s[0] += x[0]
      }
    })",
                   "i", 1) == "yes, reassociating");
}

TEST_CASE("The bounds of a loop that splits are not written by it") {
  CHECK(distribute(R"(
    output len: i64[1] output a: f32[8] {
      for i in 0..len[0] {
        len[0] = 3
        a[i] = 0.0
      }
    })",
                   "i", 1) == "the bounds of the loops read len, which their body writes");
}

// --- Fusing.

TEST_CASE("Rectangular perfect nests fuse") {
  CHECK(fuse(kUpdate, "i") == "yes");
  CHECK(fuse(kMatmul, "j") == "the body of loop j is not a single loop: fission it first");
  CHECK(fuse(R"(
    size n output a: f32[n, n] {
      for i in 0..n {
        for j in 0..i + 1 { a[i, j] = 0.0 }
      }
    })",
             "i") == "the bounds of loop j use i: the pairs of iterations do not form a rectangle");
  CHECK(fuse(R"(
    output a: f32[8, 8] {
      for i in 0..8 {
        vector for j in 0..8 { a[i, j] = 0.0 }
      }
    })",
             "i") == "loop j is already marked vector");
}

// --- Vectors.

TEST_CASE("Lanes that touch different elements") {
  CHECK(vectorize("input x: f32[8] output y: f32[8] { for i in 0..8 { y[i] = x[i] } }", "i") ==
        "yes");
  CHECK(vectorize("output a: f32[16, 8] { for i in 0..8 { for j in 0..16 { a[j, i] = 0.0 } } }",
                  "i") == "yes");
  CHECK(vectorize("output a: f32[9] { for i in 0..8 { a[i] = a[i + 1] } }", "i") ==
        "iteration (i = 0) must run before (i = 1): both touch a[1]");
}

TEST_CASE("The tail of a split is a mask") {
  CHECK(vectorize(R"(
    size n input x: f32[n] output y: f32[n] {
      for io in 0..(n + 7) // 8 {
        for ii in 0..8 {
          if io * 8 + ii < n { y[io * 8 + ii] = x[io * 8 + ii] }
        }
      }
    })",
                  "ii") == "yes");
}

TEST_CASE("Lanes fold into a target that they share") {
  const auto fold = [](const std::string& type, const std::string& update, int lanes) {
    const std::string n = std::to_string(lanes);
    return vectorize("input x: " + type + "[" + n + "] output s: " + type + "[1] {\nfor i in 0.." +
                         n + " { s[0] " + update + " x[i] } }",
                     "i");
  };
  CHECK(fold("f32", "+=", 8) == "yes, reassociating");
  CHECK(fold("f32", "*=", 8) == "yes, reassociating");
  CHECK(fold("f32", "max=", 8) == "yes");
  CHECK(fold("i32", "+=", 8) == "yes");
  CHECK(fold("i32", "+=", 12) ==
        "the lanes of loop i fold into s[0], so their number must be a power of two, and it is 12");
}

TEST_CASE("A target that some lanes share does not fold") {
  CHECK(
      vectorize("input x: f32[8] output s: f32[4] { for i in 0..8 { s[i // 2] += x[i] } }", "i") ==
      "iterations (i = 0) and (i = 1) both accumulate into s[0]: lanes of one statement fold only "
      "into a target that does not use i");
  CHECK(vectorize("input x: f32[8] input idx: i64[8] output s: f32[4] {\n"
                  "for i in 0..8 { s[idx[i]] += x[i] } }",
                  "i") ==
        "cannot tell whether s[idx[i]] and s[idx[i + 1]] are different elements: idx is data | "
        "missing idx[i] != idx[i + 1]");
}

TEST_CASE("Two statements may accumulate into each other's elements") {
  CHECK(vectorize(R"(
    input x: f32[8] output s: f32[9] {
      for i in 0..8 {
        s[i] += x[i]
        s[i + 1] += x[i]
      }
    })",
                  "i") == "yes, reassociating");
}

TEST_CASE("A reader of the folded target keeps the order") {
  CHECK(vectorize(R"(
    input x: f32[8] output s: f32[1] output y: f32[8] {
      for i in 0..8 {
        s[0] += x[i]
        y[i] = s[0]
      }
    })",
                  "i") == "iteration (i = 0) must run before (i = 1): both touch s[0]");
}

TEST_CASE("A vector loop has a vector's form") {
  CHECK(
      vectorize("size n output y: f32[n] { for i in 0..n { y[i] = 0.0 } }", "i") ==
      "the lanes of a vector must be a constant number, and loop i runs over 0..n: split it first");
  CHECK(vectorize("output y: f32[300] { for i in 0..300 { y[i] = 0.0 } }", "i") ==
        "a vector has 1 to 256 lanes, and loop i has 300 iterations: split it first");
  CHECK(vectorize("output y: f32[300] { for i in 4..4 { y[i] = 0.0 } }", "i") ==
        "a vector has 1 to 256 lanes, and loop i has 0 iterations: split it first");
  CHECK(vectorize("output y: f32[8] { for i in 0..8 { alloc t: f32[1]\n t[0] = 1.0\n"
                  "y[i] = t[0] } }",
                  "i") == "t is allocated inside loop i: a vector loop cannot hold an allocation");
  CHECK(
      vectorize("output y: f32[8, 8] { for i in 0..8 { vector for j in 0..8 { y[i, j] = 0.0 } } }",
                "i") == "loop j stands inside the vector loop i, and is marked vector itself");
  CHECK(
      vectorize("output y: f32[8, 8] { vector for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } } }",
                "j") == "loop j stands inside the vector loop i");
  CHECK(vectorize("output y: f32[8, 8] { for i in 0..8 { for j in 0..i { y[i, j] = 0.0 } } }",
                  "i") == "the bounds of loop j differ between the lanes of i");
  CHECK(vectorize("output y: f32[8, 8] { for i in 0..8 { let e = i * 2\n"
                  "for j in 0..e { y[i, j] = 0.0 } } }",
                  "i") == "the bounds of loop j differ between the lanes of i");
}

// --- Parallel loops.

TEST_CASE("Parallel iterations share nothing that is written") {
  CHECK(parallelize(kMatmul, "i") == "yes");
  CHECK(parallelize(kShift, "i") ==
        "iteration (i = 0) must run before (i = 1): both touch a[1], with n = 2");
}

TEST_CASE("A race of accumulations is refused, exact or not") {
  CHECK(parallelize(kMatmul, "r") ==
        "iterations (r = 0) and (r = 1) both accumulate into c[0, 0], with k = 2: a race | legal "
        "parallelize(i) | legal parallelize(j)");
  CHECK(parallelize("input x: i32[8] output s: i32[1] { for i in 0..8 { s[0] += x[i] } }", "i") ==
        "iterations (i = 0) and (i = 1) both accumulate into s[0]: a race");
}

TEST_CASE("Parallel loops do not nest") {
  CHECK(
      parallelize("output y: f32[8, 8] { parallel for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } "
                  "} }",
                  "j") == "loop j stands inside the parallel loop i");
  CHECK(
      parallelize("output y: f32[8, 8] { for i in 0..8 { parallel for j in 0..8 { y[i, j] = 0.0 } "
                  "} }",
                  "i") == "loop j inside loop i is already parallel: fuse the two first");
  CHECK(
      parallelize("output y: f32[8, 8] { vector for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } } "
                  "}",
                  "j") == "loop j stands inside the vector loop i");
}

// --- Computing a stage elsewhere.

const char kBlur[] = R"(
  size n input x: f32[n + 2] output y: f32[n] {
    alloc t: f32[n + 2]
    for i in 0..n + 2 { t[i] = x[i] * 2.0 }
    for io in 0..n // 8 {
      for ii in 0..8 { y[io * 8 + ii] = t[io * 8 + ii] + t[io * 8 + ii + 2] }
    }
  })";

TEST_CASE("A stage is computed where it is read") {
  const Program p = program_of(kBlur);
  const auto plan = may_compute_at(p, find_buffer(p, "t"), loop_named(p, "io"));
  REQUIRE(text_of(plan) == "yes");
  CHECK(plan->at.loop.var.name() == "io");
  REQUIRE(plan->loops.size() == 1);
  CHECK(plan->loops[0].var.name() == "i");
  CHECK(plan->nest.as<For>()->var.name() == "i");
  CHECK(print(plan->region.lo[0]) == "io * 8");
  CHECK(print(plan->region.extent[0]) == "10");
}

TEST_CASE("A reduction is computed where it is read") {
  const Program p = program_of(R"(
    size m, n, k input x: f32[m, k] input w: f32[k, n] output y: f32[m, n] {
      alloc c: f32[m, n]
      for i in 0..m {
        for j in 0..n {
          c[i, j] = 0.0
          for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
        }
      }
      for i2 in 0..m {
        for j2 in 0..n { y[i2, j2] = max(c[i2, j2], 0.0) }
      }
    })");
  const auto plan = may_compute_at(p, find_buffer(p, "c"), loop_named(p, "i2"));
  REQUIRE(text_of(plan) == "yes");
  CHECK(print(plan->region.lo[0]) == "i2");
  CHECK(print(plan->region.extent[0]) == "1");
  CHECK(print(plan->region.extent[1]) == "n");
}

// The parts of a program around the nest of a stage t of one dimension.
std::string around_t(const std::string& nest, const std::string& between = "",
                     const std::string& reader = "y[i] = t[i]") {
  return "size n output x: f32[n] output y: f32[n] output z: f32[n] {\nalloc t: f32[n]\n" + nest +
         "\n" + between + "\nfor i in 0..n {\nfor o in 0..1 { " + reader + " } } }";
}

TEST_CASE("What stands in the way of computing a stage elsewhere") {
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "t", "i") == "yes");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "x", "i") ==
        "x is a parameter of the program, not a local buffer");
  CHECK(compute_at(around_t("for jo in 0..n { for ji in 0..1 { t[jo + ji] = 0.0 } }"), "t", "i") ==
        "the nest of t accesses t[jo + ji], where index 1 is not a loop over the whole dimension: "
        "compute t at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("for j in 1..n { t[j] = 0.0 }"), "t", "i") ==
        "the nest of t accesses t[j], where index 1 is not a loop over the whole dimension: "
        "compute t "
        "at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = 0.0 }\nfor k in 0..n { t[k] += x[k] }"), "t",
                   "i") ==
        "t is written by several nests: compute it at a loop before its own nest is taken apart");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j]\n z[j] = 1.0 }"), "t", "i") ==
        "the nest of t also writes z");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "for k in 0..n { x[k] = 0.0 }"), "t",
                   "i") == "the nest of t reads x, which is written again before the new place");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "x[i] = t[i]"), "t", "i") ==
        "the nest of t reads x, which is written again before the new place");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "z[0] = t[0]"), "t", "i") ==
        "t is also used outside of loop i");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "t[i] += y[i]"), "t", "i") ==
        "t is also written inside loop i");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "y[i] = 0.0"), "t", "i") ==
        "nothing inside loop i reads t");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "for h in 0..n { z[h] = 0.0 }"), "t",
                   "h") == "nothing inside loop h reads t");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "t", "j") ==
        "no nest before loop j computes t");
  CHECK(compute_at("size n output y: f32[n] { alloc t: f32[n]\n for i in 0..n { y[i] = t[i] }\n"
                   "for j in 0..n { t[j] = 0.0 } }",
                   "t", "i") == "t is computed after the loop that it should move to");
  CHECK(
      compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "for j2 in 0..i { y[j2] = t[j2] }"),
                 "t", "i") == "the extent of the first index of reads of t varies with i: i");
  CHECK(compute_at("output y: f32[8] { alloc t: f32[8]\n for j in 0..8 { t[j] = 0.0 }\n"
                   "vector for i in 0..8 { y[i] = t[i] } }",
                   "t", "i") ==
        "loop i is vector code, which cannot hold an allocation: compute t at a loop around it");
  CHECK(compute_at("output y: f32[8] { alloc t: f32[8]\n parallel for j in 0..8 { t[j] = 0.0 }\n"
                   "parallel for i in 0..8 { y[i] = t[i] } }",
                   "t", "i") ==
        "loop j of the nest of t is parallel, and the new place stands inside a parallel loop");
}

TEST_CASE("A stage that outlives an iteration of a loop around its nest stays") {
  CHECK(compute_at(R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n]
      for b in 0..n {
        for j in 0..n { t[j] += x[b, j] }
        for i in 0..n { y[b, i] = t[i] }
      }
    })",
                   "t", "i") ==
        "t is declared outside of loop b, and its nest stands inside: it may keep values from one "
        "iteration to the next");
}

TEST_CASE("Data does not say which part of a stage is computed") {
  CHECK(compute_at(R"(
    size n input idx: i64[n] output y: f32[n] {
      alloc t: f32[n]
      for j in 0..n { t[j] = 1.0 }
      for i in 0..n { if i < 5 { y[i] = t[idx[i]] } }
    })",
                   "t", "i") == "which part of t is read depends on data: idx");
}

TEST_CASE("A scan is not computed in parts") {
  CHECK(compute_at(around_t("for j in 0..n { t[j] = select(j < 1, 0.0, t[j - 1]) }"), "t", "i") ==
        "the nest of t accesses t[j - 1], where index 1 is not a loop over the whole dimension: "
        "compute t at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("alloc s: f32[1]\nfor j in 0..n { s[0] = x[j]\n t[j] = s[0] }"), "t",
                   "i") == "the nest of t also writes s");
}

TEST_CASE("The producer's own buffers do not carry values between elements") {
  const char* row = R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n, n]
      for i in 0..n {
        alloc s: f32[n]
        for r in 0..n { s[r] = x[i, r] }
        for j in 0..n { t[i, j] = s[j] }
      }
      for i2 in 0..n {
        for j2 in 0..n { y[i2, j2] = t[i2, j2] }
      }
    })";
  CHECK(compute_at(row, "t", "j2") == "yes");
  const char* scan = R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n, n]
      for i in 0..n {
        alloc s: f32[1]
        s[0] = 0.0
        for j in 0..n {
          s[0] += x[i, j]
          t[i, j] = s[0]
        }
      }
      for i2 in 0..n {
        for j2 in 0..n { y[i2, j2] = t[i2, j2] }
      }
    })";
  CHECK(compute_at(scan, "t", "j2") ==
        "the nest of t passes values between iterations of loop j through s");
}

// --- Inlining.

TEST_CASE("A stage that one store defines is inlined") {
  const Program p = program_of(R"(
    size n scalar a: f32 input x: f32[n, n] output y: f32[n] {
      let b = a * 2.0
      alloc t: f32[n, n]
      for i in 0..n {
        for j in 0..n {
          let c = x[j, i] + b
          t[i, j] = c * c
        }
      }
      for k in 0..n { y[k] = t[k, 0] + t[0, k] }
    })");
  const auto plan = may_inline(p, find_buffer(p, "t"));
  REQUIRE(text_of(plan) == "yes");
  REQUIRE(plan->vars.size() == 2);
  CHECK(plan->vars[0].name() == "i");
  CHECK(plan->vars[1].name() == "j");
  CHECK(print(plan->value) == "(x[j, i] + b) * (x[j, i] + b)");
  CHECK(plan->store.as<Store>()->buffer.name() == "t");
}

TEST_CASE("A stage of a block is inlined in it") {
  CHECK(inlined(R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      for b in 0..n {
        alloc t: f32[n]
        for i in 0..n { t[i] = x[b, i] }
        for i2 in 0..n { y[b, i2] = t[i2] }
      }
    })",
                "t") == "yes");
}

TEST_CASE("What stands in the way of inlining") {
  const auto t = [](const std::string& nest, const std::string& between = "",
                    const std::string& reader = "y[i] = t[i]") {
    return inlined(around_t(nest, between, reader), "t");
  };
  CHECK(t("for j in 0..n { t[j] = x[j] }") == "yes");
  CHECK(
      t("for j in 0..n { t[j] = 0.0\n t[j] += x[j] }") ==
      "t is a reduction: only a stage that one store defines can be inlined | legal compute_at(t, "
      "...)");
  CHECK(t("for j in 0..n { t[j] = 0.0 }\nt[0] = 1.0") == "t is written by several statements");
  CHECK(t("for j in 0..n { if x[j] < 1.0 { t[j] = 0.0 } }") ==
        "the store to t happens only if x[j] < 1.0");
  CHECK(t("for j in 0..n { if j < n { t[j] = 0.0 } }") == "yes");
  CHECK(
      t("for j in 0..n { t[n - 1 - j] = 0.0 }") ==
      "the store to t[n - 1 - j] does not run over dimension 1 with one loop over the whole of it");
  CHECK(t("for j in 1..n { t[j] = 0.0 }") ==
        "the store to t[j] does not run over dimension 1 with one loop over the whole of it");
  CHECK(t("for r in 0..n { for j in 0..n { t[j] = x[r] } }") ==
        "the store to t[j] is repeated by loop r");
  CHECK(t("for j in 0..n { t[j] = x[j] }", "for k in 0..n { x[k] = 0.0 }") ==
        "the value of t reads x, which may be written between the store and a reader of t");
  CHECK(t("for j in 0..n { t[j] = x[j] }", "", "x[i] = t[i]") ==
        "the value of t reads x, which may be written between the store and a reader of t");
  CHECK(t("for j in 0..n { t[j] = select(j < 1, 0.0, t[j - 1]) }") ==
        "t is defined by its own elements");
  CHECK(t("for j in 0..n { alloc s: f32[1]\n s[0] = x[j]\n t[j] = s[0] }") ==
        "the value of t reads s, which is known only in the nest that stores it");
  CHECK(t("z[0] = t[0]\nfor j in 0..n { t[j] = x[j] }") == "t is read before it is stored");
  CHECK(inlined(around_t("for j in 0..n { t[j] = x[j] }"), "x") ==
        "x is a parameter of the program, not a local buffer");
}

TEST_CASE("Inputs that are written before the store or after the readers are no obstacle") {
  CHECK(inlined("size n output x: f32[n] output y: f32[n] {\nalloc t: f32[n]\n"
                "for h in 0..n { x[h] = 1.0 }\nfor j in 0..n { t[j] = x[j] }\n"
                "for i in 0..n { y[i] = t[i] }\nfor k in 0..n { x[k] = 0.0 } }",
                "t") == "yes");
}

// --- Layouts.

std::string layout(const std::string& text, std::string_view buffer,
                   const std::function<std::vector<Expr>(const std::vector<Var>&)>& map) {
  const Program p = program_of(text);
  std::vector<Var> vars;
  for (size_t d = 0; d < shape_of(p, find_buffer(p, buffer))->size(); ++d) {
    vars.emplace_back("d" + std::to_string(d));
  }
  const auto result = may_set_layout(p, find_buffer(p, buffer), vars, map(vars));
  if (!result.ok()) return text_of(result);
  std::string shape;
  for (const Expr& e : result->shape) shape += (shape.empty() ? "" : ", ") + print(e);
  return "[" + shape + "]";
}

using Vars = std::vector<Var>;
using Exprs = std::vector<Expr>;

TEST_CASE("Layouts give each element a place of its own") {
  const char* w =
      "size n, k weight w: f32[n, k] output y: f32[n] { for i in 0..n { y[i] = w[i, 0] } }";
  const auto panels = [](const Vars& v) { return Exprs{Expr(v[0]) / 32, v[1], Expr(v[0]) % 32}; };
  CHECK(layout("weight w: f32[100, 7] output y: f32[1] { y[0] = w[0, 0] }", "w", panels) ==
        "[4, 7, 32]");
  CHECK(layout(w, "w", panels) == "[(n + 31) // 32, k, 32]");
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{v[1], v[0]}; }) == "[k, n]");
  CHECK(layout("weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }", "w",
               [](const Vars& v) { return Exprs{Expr(v[0]) * 8 + v[1]}; }) == "[48]");
  CHECK(layout("weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }", "w",
               [](const Vars& v) { return Exprs{Expr(v[0]) * 10 + v[1]}; }) == "[58]");
  CHECK(layout("size n output y: f32[n] { alloc t: f32[n]\n for i in 0..n { t[i] = 0.0 }\n"
               "for j in 0..n { y[j] = t[j] } }",
               "t", [](const Vars& v) {
                 return Exprs{Expr(v[0]) % 4, Expr(v[0]) / 4};
               }) == "[4, (n + 3) // 4]");
}

TEST_CASE("Layouts that lose elements are refused") {
  const char* w = "weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }";
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{Expr(v[0]) * 7 + v[1]}; }) ==
        "the layout stores w[0, 7] and w[1, 0] in the same place");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) / 2, v[1]};
        }) == "the layout stores w[0, 0] and w[1, 0] in the same place");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) - 2, v[1]};
        }) == "index 1 of the layout, d0 - 2, may be negative | missing 0 <= -2");
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{5 - Expr(v[0]), v[1]}; }) == "[6, 8]");
  CHECK(layout(w, "y", [](const Vars& v) { return Exprs{v[0]}; }) ==
        "y is an output: its layout belongs to the caller; only weights and local buffers have a "
        "layout to choose");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{load(Buffer("idx", i64), {v[0]}), v[1]};
        }) == "index idx[d0] of the layout is not an integer expression of the indices");
  CHECK(layout("weight w: f32[6] output y: f32[1] { y[0] = w[0] }", "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) * Expr(v[0]) - Expr(v[0])};
        }) == "the layout stores w[0] and w[1] in the same place");
}

}  // namespace
}  // namespace tenon
