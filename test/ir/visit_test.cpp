#include "tenon/ir/visit.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

// One expression of every kind that has children, and one statement of every kind.
struct Sample {
  Var i{"i"}, v{"v", f32}, r{"r"};
  Buffer x{"x", f32}, y{"y", f32}, t{"t", f32};

  std::vector<Expr> exprs() const {
    const Expr lanes = ramp(i, 1, 4);
    return {Expr(3),
            Expr(i),
            -Expr(i),
            Expr(i) + 1,
            select(i < 3, Expr(i), 0),
            cast(f32, i),
            load(x, {i}),
            load(x, {lanes}, lanes < 3),
            lanes,
            broadcast_lanes(i, 4),
            make_reduce(Reducer::kSum, {{r, i}}, {load(x, {r})}),
            invalid("wrong")};
  }
  Stmt stmt() const {
    const Stmt write = store(y, {i}, load(x, {i}) + v);
    const Stmt sum = accumulate(t, {}, Reducer::kMax, load(x, {i}), load(x, {i}) < 3.0f);
    const Stmt given = call({"f"}, {{y, {{i, Expr(i) + 1}}, {}}}, {{x, {{i, {}}}, {Expr(i)}}});
    const Stmt loop = make_for(i, 0, Expr(4) * 2, ForKind::kSerial,
                               seq({bind(v, load(x, {i})), make_if(i < 3, write), sum, given}));
    return seq({alloc(t, {}, Memory::kShared, 64), store(t, {}, 0.0f), loop});
  }
};

TEST_CASE("a rewrite that changes nothing returns the same node") {
  const Sample s;
  for (const Expr& e : s.exprs()) {
    CHECK(map_children(e, [](const Expr& c) { return c; }).get() == e.get());
    CHECK(rewrite(e, [](const Expr& c) { return c; }).get() == e.get());
  }
  const Stmt body = s.stmt();
  CHECK(rewrite(body, [](const Expr& e) { return e; }).get() == body.get());
  CHECK(rewrite_stmts(body, [](const Stmt& t) { return t; }).get() == body.get());
  CHECK(substitute(body, VarMap{{Var("other"), Expr(1)}}).get() == body.get());
  CHECK(substitute(body, BufferMap{{Buffer("other", f32), s.y}}).get() == body.get());
}

TEST_CASE("map_children and for_each_child know the same children") {
  const Sample s;
  for (const Expr& e : s.exprs()) {
    std::vector<const ExprNode*> mapped, visited;
    map_children(e, [&](const Expr& c) { return mapped.push_back(c.get()), c; });
    for_each_child(e, [&](const Expr& c) { visited.push_back(c.get()); });
    CHECK(mapped == visited);
  }
  walk(s.stmt(), [](const Stmt& t) {
    std::vector<const void*> mapped, visited;
    map_children(
        t, [&](const Expr& c) { return mapped.push_back(c.get()), c; },
        [&](const Stmt& c) { return mapped.push_back(c.get()), c; });
    for_each_child(
        t, [&](const Expr& c) { visited.push_back(c.get()); },
        [&](const Stmt& c) { visited.push_back(c.get()); });
    CHECK(mapped == visited);
  });
}

TEST_CASE("a changed child changes every kind of node, and only that child") {
  const Sample s;
  const Var k("k");
  for (const Expr& e : s.exprs()) {
    const Expr changed = substitute(e, VarMap{{s.i, k}});
    CHECK(uses(changed, k) == uses(e, s.i));
    CHECK(!uses(changed, s.i));
    CHECK(equal(substitute(changed, VarMap{{k, s.i}}), e));
    CHECK(changed.type() == e.type());
  }
}

TEST_CASE("a rewrite goes bottom-up and sees its own results") {
  const Var i("i");
  const Expr e = (Expr(i) + 1) + 1;
  const Expr doubled = rewrite(e, [](const Expr& c) {
    const std::optional<int64_t> value = as_int(c);
    return value ? constant_int(i64, *value * 2) : c;
  });
  CHECK(print(doubled) == "i + 2 + 2");
  int seen = 0;
  rewrite(e, [&](const Expr& c) {
    seen += equal(c, Expr(i) + 7);
    return is_constant(c, 1) ? Expr(7) : c;
  });
  CHECK(seen == 1);
}

TEST_CASE("a walk is pre-order and reaches everything") {
  const Sample s;
  std::string order;
  walk(Expr(s.i) * 2 + 1, [&](const Expr& e) { order += print(e) + "; "; });
  CHECK(order == "i * 2 + 1; i * 2; i; 2; 1; ");
  int stmts = 0, loads = 0;
  walk(s.stmt(), [&](const Stmt&) { ++stmts; });
  CHECK(stmts == 10);
  walk_exprs(s.stmt(), [&](const Expr& e) { loads += e.is<Load>(); });
  CHECK(loads == 4);
}

TEST_CASE("a loop variable may become lanes") {
  const Var i("i"), j("j");
  const Buffer x("x", f32), y("y", f32);
  const Stmt s = store(y, {i}, select(i < 3, load(x, {Expr(i) + 1}) * 2.0f, 0.0f));
  const Stmt vector = substitute(s, VarMap{{i, ramp(j, 1, 8)}});
  CHECK(print(vector) ==
        "y[ramp(j, 1, 8)] = select(ramp(j, 1, 8) < broadcast(3, 8), "
        "x[ramp(j, 1, 8) + broadcast(1, 8)] * broadcast(2.0, 8), broadcast(0.0, 8))\n");
}

TEST_CASE("statements are rewritten without their expressions, and a null body becomes empty") {
  const Sample s;
  const Stmt without = rewrite_stmts(
      s.stmt(), [](const Stmt& t) { return t.is<If>() || t.is<Accumulate>() ? Stmt() : t; });
  int writes = 0;
  walk(without, [&](const Stmt& t) { writes += t.is<Store>() || t.is<Accumulate>(); });
  CHECK(writes == 1);
  const Stmt loop = make_for(s.i, 0, 4, ForKind::kSerial, store(s.y, {s.i}, 1.0f));
  const Stmt emptied =
      rewrite_stmts(loop, [](const Stmt& t) { return t.is<Store>() ? Stmt() : t; });
  REQUIRE(emptied.is<For>());
  CHECK(is_empty(emptied.as<For>()->body));
}

TEST_CASE("buffers are replaced where they are read, written and declared") {
  const Sample s;
  const Buffer fresh("t2", f32);
  const Stmt renamed = substitute(s.stmt(), BufferMap{{s.t, fresh}, {s.x, s.y}});
  CHECK(!uses(renamed, s.t));
  CHECK(!uses(renamed, s.x));
  CHECK(uses(renamed, fresh));
  CHECK(uses(renamed, s.y));
  CHECK(equal(substitute(load(s.x, {s.i}), BufferMap{{s.x, s.y}}), load(s.y, {s.i})));
}

TEST_CASE("uses finds reads, writes, declarations and bounds") {
  const Sample s;
  CHECK(uses(s.stmt(), s.i));
  CHECK(uses(s.stmt(), s.t));
  CHECK(uses(alloc(s.t, {4}), s.t));
  CHECK(uses(alloc(s.t, {s.i}), s.i));
  CHECK(uses(make_for(s.r, 0, s.i, ForKind::kSerial, Stmt()), s.i));
  CHECK(!uses(make_for(s.r, 0, 4, ForKind::kSerial, Stmt()), s.r));
  CHECK(!uses(store(s.y, {0}, 1.0f), s.x));
}

TEST_CASE("the axes of a reduction are not free in it") {
  const Sample s;
  const Expr sum = make_reduce(Reducer::kSum, {{s.r, s.i}}, {load(s.x, {Expr(s.r) + s.i})});
  CHECK(free_vars(sum) == std::set<Var>{s.i});
  CHECK(free_vars(Expr(3)).empty());
}

TEST_CASE("a copy with fresh names declares nothing that the original declares") {
  const Sample s;
  const Stmt copy = with_fresh_names(s.stmt());
  CHECK(print(copy) == print(s.stmt()));
  CHECK(!uses(copy, s.i));
  CHECK(!uses(copy, s.v));
  CHECK(!uses(copy, s.t));
  CHECK(uses(copy, s.x));
  CHECK(uses(copy, s.y));
  walk(copy, [&](const Stmt& t) {
    if (const For* loop = t.as<For>()) CHECK(!(loop->var == s.i));
    if (const Bind* let = t.as<Bind>()) CHECK(!(let->var == s.v));
    if (const Alloc* local = t.as<Alloc>()) CHECK(!(local->buffer == s.t));
  });
}

TEST_CASE("a body and its copy with fresh names live in one program") {
  const Program p = test::parsed(R"(
    program twice
      input x: f32[4]
      output y: f32[4]
    {
      alloc t: f32[4]
      for i in 0..4 {
        let v = x[i] * 2.0
        t[i] = v
        y[i] = t[i]
      }
    })");
  test::checked(p.with_body(seq({p->body, with_fresh_names(p->body)})));
}

}  // namespace
}  // namespace tenon
