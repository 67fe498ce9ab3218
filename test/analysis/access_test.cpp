#include "tenon/analysis/access.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

const char* name_of(Access::Kind kind) {
  switch (kind) {
    case Access::Kind::kRead: return "read";
    case Access::Kind::kWrite: return "write";
    case Access::Kind::kAccumulate: return "accumulate";
  }
  return "";
}

// One line per access: "write a[i, j] in i, j if i < n; j < m".
std::string text_of(const Access& a) {
  std::string text = std::string(name_of(a.kind)) + " " + print(load(a.buffer, a.indices));
  for (size_t i = 0; i < a.loops.size(); ++i) {
    text += (i == 0 ? " in " : ", ") + a.loops[i].var.name();
  }
  for (size_t i = 0; i < a.guards.size(); ++i)
    text += (i == 0 ? " if " : "; ") + print(a.guards[i]);
  return text;
}

std::string text_of(const std::vector<Access>& accesses) {
  std::string text;
  int order = -1;
  for (const Access& a : accesses) {
    CHECK(a.order > order);
    order = a.order;
    text += text_of(a) + "\n";
  }
  return text;
}

TEST_CASE("Accesses come in program order, reads of a statement before its write") {
  const Program p = test::parsed(R"(
    program matmul size m, n, k
      input x: f32[m, k] input w: f32[k, n] output c: f32[m, n]
    {
      for i in 0..m {
        for j in 0..n {
          c[i, j] = 0.0
          for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
        }
      }
    })");
  const std::vector<Access> accesses = accesses_of(p->body);
  CHECK(text_of(accesses) ==
        "write c[i, j] in i, j\n"
        "read x[i, r] in i, j, r\n"
        "read w[r, j] in i, j, r\n"
        "accumulate c[i, j] in i, j, r\n");
  CHECK(accesses[3].accumulation().by == Reducer::kSum);
  CHECK(accesses[0].statement != accesses[3].statement);
  CHECK(accesses[2].statement == accesses[3].statement);
}

TEST_CASE("Guards, masks and the arms of a select stand with an access") {
  const Program p = test::parsed(R"(
    program q size n input x: f32[n] output y: f32[n]
    {
      for i in 0..n {
        if i + 1 < n and 0.0 < x[i] {
          y[i] = select(x[0] < 1.0, x[i + 1], masked(x[i], i < 5)) where i < 9
        }
      }
    })");
  CHECK(text_of(accesses_of(p->body)) ==
        "read x[i] in i if i + 1 < n\n"
        "read x[0] in i if i + 1 < n; 0.0 < x[i]\n"
        "read x[i + 1] in i if i + 1 < n; 0.0 < x[i]; x[0] < 1.0\n"
        "read x[i] in i if i + 1 < n; 0.0 < x[i]; !(x[0] < 1.0); i < 5\n"
        "write y[i] in i if i + 1 < n; 0.0 < x[i]; i < 9\n");
}

TEST_CASE("Bounds, indices and shapes are reads") {
  const Program p = test::parsed(R"(
    program q size n input ptr: i64[n + 1] input col: i64[n] output y: f32[n]
    {
      for i in 0..n {
        alloc t: f32[ptr[0]]
        for e in ptr[i]..ptr[i + 1] { y[col[e]] = 0.0 }
      }
    })");
  CHECK(text_of(accesses_of(p->body)) ==
        "read ptr[0] in i\n"
        "read ptr[i] in i\n"
        "read ptr[i + 1] in i\n"
        "read col[e] in i, e\n"
        "write y[col[e]] in i, e\n");
}

TEST_CASE("Names are replaced by their values, and read where they are bound") {
  const Program p = test::parsed(R"(
    program q size n input idx: i64[n] output y: f32[n]
    {
      for i in 0..n {
        let t = idx[i]
        let u = t + 1
        for j in 0..u { if u < n { y[t + j] = 0.0 } }
      }
    })");
  const std::vector<Access> accesses = accesses_of(p->body);
  CHECK(text_of(accesses) ==
        "read idx[i] in i\n"
        "write y[idx[i] + j] in i, j if idx[i] + 1 < n\n");
  CHECK(print(accesses[1].loops[1].hi) == "idx[i] + 1");
}

TEST_CASE("A buffer is at home in the loops around its declaration") {
  const Program p = test::parsed(R"(
    program q output y: f32[4]
    {
      for i in 0..4 {
        alloc t: f32[4]
        for j in 0..4 { t[j] = 0.0 }
        y[i] = t[0]
      }
    })");
  const std::vector<Access> accesses = accesses_of(p->body);
  REQUIRE(text_of(accesses) == "write t[j] in i, j\nread t[0] in i\nwrite y[i] in i\n");
  CHECK(accesses[0].home == 1u);
  CHECK(accesses[1].home == 1u);
  CHECK(!accesses[2].home);
}

TEST_CASE("Lanes of a vector index are one more loop") {
  const Program p = test::parsed(R"(
    program q input x: f32[64] output y: f32[64]
    {
      for i in 0..8 {
        y[ramp(i * 8, 1, 8)] = masked(x[ramp(i * 8, 2, 8)], ramp(i * 8, 2, 8) < broadcast(64, 8))
      }
    })");
  const std::vector<Access> accesses = accesses_of(p->body);
  CHECK(text_of(accesses) ==
        "read x[i * 8 + 2 * lane] in i, lane if i * 8 + 2 * lane < 64\n"
        "write y[i * 8 + 1 * lane] in i, lane\n");
  CHECK(accesses[0].loops[1].hi.as<Const>());
}

TEST_CASE("The accesses to one buffer keep their places in the order of all") {
  const Program p = test::parsed(R"(
    program q input x: f32[4] output y: f32[4]
    {
      for i in 0..4 {
        y[i] = x[i]
        y[i] += x[0]
      }
    })");
  const std::vector<Access> y = accesses_of(p->body, find_param(p, "y")->buffer);
  REQUIRE(y.size() == 2);
  CHECK(y[0].order == 1);
  CHECK(y[1].order == 3);
}

}  // namespace
}  // namespace tenon
