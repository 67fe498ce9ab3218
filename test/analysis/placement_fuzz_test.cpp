// The predicates about places against the interpreter: where one says yes, the plain rewrite gives
// the same outputs, bit for bit. Layouts are compared with an enumeration of the shape.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>

#include "analysis/evaluate.h"
#include "analysis/outputs.h"
#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/interp/interp.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::find_var;
using test::Outputs;
using test::Random;
using test::same;

// --- Random programs of two stages: a nest that computes t, something in between, a reader.

std::string choose(Random& random, const std::vector<std::string>& texts) {
  return random.of(texts);
}

std::string producer(Random& random) {
  const std::string value = choose(random, {"x[j]", "x[j] * 2.0", "x[7 - j] + x[j]", "z[j]", "y[j]",
                                            "x[j] + 1.0", "t[(j + 7) % 8]"});
  return choose(random,
                {
                    "for j in 0..8 { t[j] = " + value + " }",
                    "for j in 0..8 { t[j] = " + value + " }",
                    "for j in 0..8 { t[j] = " + value + " }",
                    "for j in 0..7 { t[j] = " + value + " }",
                    "for j in 0..8 { if j < 6 { t[j] = " + value + " } }",
                    "for j in 0..8 { if j < 8 { t[j] = " + value + " } }",
                    "for j in 0..8 { t[7 - j] = " + value + " }",
                    "for jo in 0..2 { for j in 0..4 { t[jo * 4 + j] = " + value + " } }",
                    "for r in 0..3 { for j in 0..8 { t[j] = x[r] } }",
                    "for j in 0..8 { t[j] = 0.0\nfor r in 0..3 { t[j] += x[r] * x[j] } }",
                    "for j in 0..8 { t[j] = " + value + "\nz[j] = 3.0 }",
                    "for j in 0..8 { alloc s: f32[1]\ns[0] = " + value + "\nt[j] = s[0] }",
                    "alloc s: f32[1]\ns[0] = 0.0\nfor j in 0..8 { s[0] += x[j]\nt[j] = s[0] }",
                    "for j in 0..8 { let v = " + value + "\nt[j] = v * v }",
                    "for j in 0..8 { t[j] = " + value + " }\nt[3] = 5.0",
                    "for j in 0..8 { t[j] = 1.0 }\nfor k in 0..8 { t[k] += x[k] }",
                });
}

std::string between(Random& random) {
  return choose(random, {"", "", "", "", "for h in 0..8 { z[h] = x[h] }", "x[3] = 9.0",
                         "z[0] = t[1]", "let w = x[2]"});
}

std::string reader(Random& random) {
  const std::string index =
      choose(random, {"io * 2 + ii", "io", "7 - io * 2 - ii", "ii", "3", "io * 2",
                      "(io * 2 + ii) % 8", "ii * 4 + io", "max(io * 2 + ii - 1, 0)", "io * ii"});
  const std::string read = "t[" + index + "]";
  return choose(random, {
                            "y[io * 2 + ii] = " + read,
                            "y[io * 2 + ii] = " + read + " + t[io * 2]",
                            "y[io * 2 + ii] = " + read + " + x[ii]",
                            "x[io * 2 + ii] = " + read,
                            "x[7 - io] = " + read,
                            "z[io] += " + read,
                            "y[io * 2 + ii] = select(ii < 1, 2.0, " + read + ")",
                            "if io < 3 { y[io * 2 + ii] = " + read + " }",
                            "for q in 0..io + 1 { y[io * 2 + ii] += t[q] }",
                            "for q in 0..3 { y[io * 2 + ii] = t[io + q] }",
                            "y[ii] = " + read + "\nt[io] = 4.0",
                        });
}

std::string program(const std::string& body) {
  return "program q output x: f32[8] output y: f32[8] output z: f32[8] {\n" + body + "\n}";
}

std::string random_text(Random& random) {
  const std::string after = choose(random, {"", "", "", "x[0] = 7.0", "z[5] = t[2]"});
  const std::string body = producer(random) + "\n" + between(random) +
                           "\nfor io in 0..4 {\nfor ii in 0..2 {\n" + reader(random) + "\n}\n}\n" +
                           after;
  const std::string alloc = "alloc t: f32[8]\n";
  if (random.chance(15)) return program(alloc + "for b in 0..2 {\n" + body + "\n}");
  if (random.chance(15)) return program("for b in 0..2 {\n" + alloc + body + "\n}");
  return program(alloc + body);
}

// --- Running.

Outputs run(const Program& p) {
  Outputs out;
  for (int n = 0; n < 3; ++n) {
    std::vector<float> values;
    for (int i = 0; i < 8; ++i)
      values.push_back(static_cast<float>(n * 100 + i * i - 3 * i) * 0.25f);
    out.arrays.push_back(Array::of<float>({8}, values));
  }
  out.ok = interpret(p, {}, {&out.arrays[0], &out.arrays[1], &out.arrays[2]}).ok();
  return out;
}

// --- The rewrites, as plainly as they can be written. The stage keeps its full size.

Stmt dropped(const Stmt& s, const StmtNode* node) {
  return rewrite_stmts(s, [&](const Stmt& t) { return t.get() == node ? seq({}) : t; });
}

Program computed_at(const Program& p, const ComputeAt& plan) {
  VarMap moved;
  for (size_t d = 0; d < plan.loops.size(); ++d) {
    moved[plan.loops[d].var] = plan.region.lo[d] + Expr(plan.loops[d].var);
  }
  Stmt nest = substitute(plan.nest, moved);
  nest = rewrite_stmts(nest, [&](const Stmt& s) {
    for (size_t d = 0; d < plan.loops.size(); ++d) {
      const For* loop = s.as<For>();
      if (!loop || !(loop->var == plan.loops[d].var)) continue;
      const Expr at = moved[loop->var];
      return make_for(loop->var, 0, plan.region.extent[d], loop->kind,
                      make_if((plan.loops[d].lo <= at) & (at < plan.loops[d].hi), loop->body));
    }
    return s;
  });
  // The old nest goes first: the new one has the same loops.
  const Stmt body = dropped(p->body, plan.nest.get());
  return p.with_body(replace_loop(body, plan.at.loop.var, [&](const For& loop) {
    return make_for(loop.var, loop.lo, loop.hi, loop.kind, seq({nest, loop.body}));
  }));
}

Program inlined(const Program& p, const Buffer& stage, const Inline& plan) {
  const Stmt body = dropped(p->body, plan.store.get());
  return p.with_body(rewrite(body, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || !(l->buffer == stage)) return e;
    VarMap values;
    for (size_t d = 0; d < plan.vars.size(); ++d) values[plan.vars[d]] = l->indices[d];
    return substitute(plan.value, values);
  }));
}

TEST_CASE("Stages move and disappear without a change of the outputs") {
  Random random(11);
  int moved = 0, inlined_count = 0, total = 0, refused_though_same = 0;
  for (int n = 0; n < 6000; ++n) {
    const Program p = *parse(random_text(random));
    const Outputs before = run(p);
    if (!before.ok) continue;
    ++total;
    const Buffer t = find_buffer(p, "t");
    const Var at = find_var(p, random.chance(50) ? "io" : "ii");
    if (const auto plan = may_compute_at(p, t, at); plan.ok()) {
      ++moved;
      const Program q = n < 300 ? test::checked(computed_at(p, *plan)) : computed_at(p, *plan);
      if (!same(before, run(q))) FAIL("compute_at changes\n" << p << "into\n" << q);
    }
    if (const auto plan = may_inline(p, t); plan.ok()) {
      ++inlined_count;
      const Program q = inlined(p, t, *plan);
      if (!same(before, run(q))) FAIL("inlining changes\n" << p << "into\n" << q);
    } else if (plan.status().message().find("may be written") != absl::string_view::npos) {
      ++refused_though_same;
    }
  }
  std::printf("placements: %d programs, computed elsewhere %d, inlined %d\n", total, moved,
              inlined_count);
  CHECK(moved > total / 10);
  CHECK(inlined_count > total / 10);
}

// --- Layouts.

TEST_CASE("Layouts are injective, not negative and inside their shape") {
  Random random(3);
  int legal = 0, allowed = 0, illegal = 0;
  for (int n = 0; n < 4000; ++n) {
    const std::vector<int64_t> shape = {random.in(1, 6), random.in(1, 6)};
    const Program p = *parse("program q weight w: f32[" + std::to_string(shape[0]) + ", " +
                             std::to_string(shape[1]) + "] output y: f32[1] { y[0] = w[0, 0] }");
    const std::vector<Var> vars = {Var("u"), Var("v")};
    std::vector<Expr> map;
    for (int64_t k = random.in(1, 3); k > 0; --k) {
      map.push_back(random.chance(40) ? Expr(random.of(vars)) : random.layout_index(vars));
    }
    std::set<std::vector<int64_t>> places;
    std::vector<int64_t> most(map.size());
    bool negative = false;
    for (int64_t u = 0; u < shape[0]; ++u) {
      for (int64_t v = 0; v < shape[1]; ++v) {
        std::vector<int64_t> place;
        for (const Expr& e : map) place.push_back(*evaluate(e, {{vars[0], u}, {vars[1], v}}));
        for (size_t k = 0; k < place.size(); ++k) {
          most[k] = std::max(most[k], place[k]);
          negative = negative || place[k] < 0;
        }
        places.insert(place);
      }
    }
    const bool truth = !negative && places.size() == static_cast<size_t>(shape[0] * shape[1]);
    const auto layout = may_set_layout(p, find_buffer(p, "w"), vars, map);
    INFO(print(p) << print(map[0]) << "\n" << layout.status().message());
    if (layout.ok() && !truth) FAIL("allowed a layout that loses elements");
    ++(truth ? legal : illegal);
    if (!layout.ok()) continue;
    ++allowed;
    for (size_t k = 0; k < map.size(); ++k) {
      const std::optional<int64_t> extent = evaluate(layout->shape[k], {});
      REQUIRE(extent);
      if (*extent <= most[k]) FAIL("the shape is too small");
    }
  }
  std::printf("layouts: legal %d, allowed %.1f %%; illegal %d, all refused\n", legal,
              100.0 * allowed / std::max(legal, 1), illegal);
  CHECK(allowed > legal * 8 / 10);
}

}  // namespace
}  // namespace tenon
