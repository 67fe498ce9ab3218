#include "tenon/analysis/find.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/prove.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

const char kText[] = R"(
    program q size m, n
      input x: f32[m, n] scalar eps: f32 output y: f32[m, n]
      require m <= n
    {
      alloc t: f32[m]
      for i in 0..m {
        t[i] = 0.0
        for r in 0..n { t[i] += x[i, r] }
      }
      for i2 in 0..m {
        let row = 2 * i2
        if row < n {
          for j in 0..n { y[i2, j] = t[i2] }
        }
      }
    })";

Var loop_named(const Program& p, std::string_view name) {
  Var found;
  const std::function<void(const Stmt&)> look = [&](const Stmt& s) {
    if (const For* loop = s.as<For>()) {
      if (loop->var.name() == name) found = loop->var;
      look(loop->body);
    }
    if (const If* guard = s.as<If>()) look(guard->body);
    if (const Seq* list = s.as<Seq>()) {
      for (const Stmt& part : list->stmts) look(part);
    }
  };
  look(p->body);
  REQUIRE(found);
  return found;
}

TEST_CASE("A loop is found with what stands around it") {
  const Program p = test::parsed(kText);
  const auto site = find_loop(p, loop_named(p, "j"));
  REQUIRE(site);
  CHECK(site->loop.var.name() == "j");
  CHECK(site->statement.as<For>()->body.get() == site->loop.body.get());
  REQUIRE(site->outer.size() == 1);
  CHECK(site->outer[0].var.name() == "i2");
  REQUIRE(site->guards.size() == 1);
  CHECK(print(site->guards[0]) == "row < n");

  const Var i2 = site->outer[0].var, m = p->sizes[0], n = p->sizes[1];
  CHECK(proved(site->facts, Expr(i2) < Expr(m)));
  CHECK(proved(site->facts, Expr(m) <= Expr(n)));
  CHECK(proved(site->facts, Expr(i2) * 2 < Expr(n)));
  CHECK(!proved(site->facts, Expr(site->loop.var) < Expr(n)));  // where the loop stands, not inside
}

TEST_CASE("A loop of another program is not found") {
  CHECK(!find_loop(test::parsed(kText), Var("j")));
}

TEST_CASE("The loops around each writing statement") {
  const Program p = test::parsed(kText);
  const auto chains = writer_loops(p, find_buffer(p, "t"));
  REQUIRE(chains.size() == 2);
  REQUIRE(chains[0].size() == 1);
  REQUIRE(chains[1].size() == 2);
  CHECK(chains[1][1].var.name() == "r");
  CHECK(writer_loops(p, find_buffer(p, "x")).empty());
}

TEST_CASE("Buffers and their shapes are found by name") {
  const Program p = test::parsed(kText);
  const Buffer t = find_buffer(p, "t"), x = find_buffer(p, "x");
  REQUIRE(t);
  REQUIRE(x);
  CHECK(print((*shape_of(p, t))[0]) == "m");
  CHECK(shape_of(p, x)->size() == 2);
  CHECK(!find_buffer(p, "nothing"));
  CHECK(!find_buffer(p, "eps"));  // a scalar
  CHECK(!shape_of(p, Buffer("t", f32)));
}

TEST_CASE("A loop is replaced in place, and all else keeps its nodes") {
  const Program p = test::parsed(kText);
  const Var r = loop_named(p, "r");
  const Stmt body = replace_loop(p->body, r, [](const For& loop) {
    return make_for(loop.var, loop.lo, loop.hi, ForKind::kUnroll, loop.body);
  });
  const Program q = test::checked(p.with_body(body));
  CHECK(find_loop(q, r)->loop.kind == ForKind::kUnroll);
  CHECK(find_loop(q, loop_named(p, "i2"))->statement.get() ==
        find_loop(p, loop_named(p, "i2"))->statement.get());
  CHECK(replace_loop(p->body, Var("other"), [](const For&) { return Stmt(); }).get() ==
        p->body.get());
}

}  // namespace
}  // namespace tenon
