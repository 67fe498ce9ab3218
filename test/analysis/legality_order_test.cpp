#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::kMatmul;
using test::kShift;
using test::loop_named;
using test::program_of;
using test::site_of;
using test::text_of;

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

TEST_CASE("Loops whose outer bounds the body writes are not fused") {
  CHECK(fuse(R"(
    output c: i64[1] {
      for i in c[0]..c[0] + 4 {
        for j in 0..2 { c[0] = 7 }
      }
    })",
             "i") == "the bounds of the loops read c, which their body writes");
}

}  // namespace
}  // namespace tenon
