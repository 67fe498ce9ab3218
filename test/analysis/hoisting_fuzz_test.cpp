// Steps that compute a stage earlier, less often, or elsewhere, against the interpreter: where a
// predicate says yes, the rewrite gives the same outputs, bit for bit.
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "analysis/outputs.h"
#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/interp/interp.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::find_var;
using test::Outputs;
using test::Random;
using test::same;

Outputs run(const Program& p) {
  Outputs out;
  std::vector<InterpArgument> arguments;
  for (const Param& param : p->params) {
    const int64_t extent = *as_int(param.shape[0]);
    std::vector<float> values;
    const float seed = static_cast<float>(out.arrays.size() + 1);
    for (int64_t i = 0; i < extent; ++i) {
      values.push_back(seed * 10.0f + static_cast<float>(i * i - 3 * i) * 0.25f);
    }
    out.arrays.push_back(Array::of<float>({extent}, values));
  }
  for (Array& array : out.arrays) arguments.emplace_back(&array);
  out.ok = interpret(p, {}, arguments).ok();
  return out;
}

// --- A stage that iterations compute for themselves.

std::string inner_program(Random& random) {
  const std::string count = random.of(std::vector<std::string>{"1", "2", "3", "4"});
  const std::string base = random.of(
      std::vector<std::string>{"io * 2", "io", "8 - io", "io * 3", "6 - io * 2", "0", "io // 2"});
  const std::string at = base + " + j";
  const std::string value = random.of(std::vector<std::string>{
      "x[" + at + "]", "x[" + at + "] * 2.0", "x[" + at + "] + x[" + at + " + 1]", "x[j]",
      "x[" + at + "] + z[" + at + "]", "z[" + at + "]", "x[" + at + "] * cast<f32>(io)",
      "x[" + at + "] * cast<f32>(" + at + ")", "select(" + at + " < 5, 1.0, x[" + at + "])",
      "x[io]", "x[12 - (" + at + ")]", "1.5", "s[0] + x[" + at + "]"});
  const std::string store = random.of(std::vector<std::string>{
      "t[j] = " + value, "t[j] = " + value, "t[j] = " + value,
      "if " + at + " < 7 { t[j] = " + value + " } ",
      "t[j] = 0.0\nfor r in 0..2 { t[j] += x[" + at + " + r] }",
      "let v = " + value + "\nt[j] = v * v", "t[j] = " + value + "\nz[io] = 2.0"});
  const std::string read = random.of(std::vector<std::string>{
      "y[io] = t[0] + t[" + count + " - 1]", "y[io] = t[0]",
      "for q in 0.." + count + " { y[io] += t[q] }",
      "for q in 0.." + count + " { if " + base + " + q < 7 { y[io] += t[q] } }",
      "z[" + random.of(std::vector<std::string>{"io", "io + 4", "9 - io", "12"}) + "] = t[0]",
      "x[" + random.of(std::vector<std::string>{"io", "io + 4", "12"}) + "] = t[0]"});
  const bool hoisted = random.chance(50);
  const std::string body = std::string(hoisted ? "" : "alloc t: f32[" + count + "]\n") +
                           (random.chance(30) ? "alloc s: f32[1]\ns[0] = 4.0\n" : "") +
                           "for j in 0.." + count + " { " + store + " }\n" + read;
  std::string text = body;
  if (value.find("s[0]") != std::string::npos && body.find("alloc s") == std::string::npos) {
    text = "alloc s: f32[1]\ns[0] = 4.0\n" + body;
  }
  // Hoisted: the places follow the base, as hoist_alloc gives them.
  if (hoisted) {
    std::string moved;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text.compare(i, 2, "t[") == 0 && (i == 0 || !isalnum(text[i - 1]))) {
        moved += "t[" + base + " + ";
        ++i;
      } else {
        moved += text[i];
      }
    }
    text = "alloc t: f32[16]\nfor io in 0..4 {\n" + moved + "\n}";
  } else {
    text = "for io in 0..4 {\n" + text + "\n}";
  }
  return "program q output x: f32[16] output y: f32[16] output z: f32[16] {\n" + text + "\n}";
}

Stmt without(const Stmt& s, const StmtNode* node, const Stmt& instead = seq({})) {
  return rewrite_stmts(s, [&](const Stmt& t) { return t.get() == node ? instead : t; });
}

Stmt with_indices(const Stmt& s, const Buffer& stage, const std::vector<Expr>& offset) {
  const auto moved = [&](std::vector<Expr> indices) {
    for (size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] + offset[d];
    return indices;
  };
  const Stmt loads = rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    return l && l->buffer == stage ? load(stage, moved(l->indices)) : e;
  });
  return rewrite_stmts(loads, [&](const Stmt& t) {
    if (const Store* x = t.as<Store>(); x && x->buffer == stage) {
      return store(stage, moved(x->indices), x->value);
    }
    if (const Accumulate* x = t.as<Accumulate>(); x && x->writes(stage)) {
      return accumulate(x->buffers, moved(x->indices), x->by, x->values);
    }
    return t;
  });
}

Stmt without_alloc(const Stmt& s, const Buffer& stage) {
  return rewrite_stmts(s, [&](const Stmt& t) {
    const Alloc* a = t.as<Alloc>();
    return a && a->buffer == stage ? seq({}) : t;
  });
}

Program at_root(const Program& p, const Buffer& stage, const ComputeRoot& plan) {
  std::vector<Expr> base, offset;
  for (size_t d = 0; d < plan.shift.size(); ++d) {
    base.push_back(Expr(0) - plan.region.lo[d]);
    offset.push_back(plan.shift[d] - plan.region.lo[d]);
  }
  Stmt nest = with_indices(plan.at_positions, stage, base);
  nest = rewrite_stmts(nest, [&](const Stmt& s) {
    for (size_t d = 0; d < plan.loops.size(); ++d) {
      const For* loop = s.as<For>();
      if (!loop || !(loop->var == plan.loops[d].var)) continue;
      return make_for(loop->var, plan.region.lo[d], plan.region.lo[d] + plan.region.extent[d],
                      loop->kind, loop->body);
    }
    return s;
  });
  const Stmt rest = with_indices(
      without_alloc(without(plan.outermost.statement, plan.nest.get()), stage), stage, offset);
  return p.with_body(replace_loop(p->body, plan.outermost.loop.var, [&](const For&) {
    return seq({alloc(stage, plan.region.extent), nest, rest});
  }));
}

Program hoisted(const Program& p, const Buffer& stage, const HoistAlloc& plan) {
  const Stmt body = with_indices(without_alloc(plan.loop.loop.body, stage), stage, plan.offset);
  return p.with_body(replace_loop(p->body, plan.loop.loop.var, [&](const For& l) {
    return seq({alloc(stage, plan.extent), make_for(l.var, l.lo, l.hi, l.kind, body)});
  }));
}

Program slid(const Program& p, const Slide& plan) {
  return p.with_body(replace_loop(p->body, plan.loop.loop.var, [&](const For& l) {
    const Stmt body = without(l.body, plan.nest.get(), plan.next);
    return seq({plan.first, make_for(l.var, l.lo, l.hi, l.kind, body)});
  }));
}

TEST_CASE("Stages are computed earlier, and once, without a change of the outputs") {
  Random random(17);
  int total = 0;
  std::map<std::string, int> done;
  for (int n = 0; n < 6000; ++n) {
    const std::string text = inner_program(random);
    const absl::StatusOr<Program> parsed = parse(text);
    if (!parsed.ok()) FAIL(text << "\n" << parsed.status().message());
    const Program& p = *parsed;
    const Outputs before = run(p);
    if (!before.ok) continue;
    ++total;
    const Buffer t = find_buffer(p, "t");
    const Var io = find_var(p, "io");
    const auto check = [&](const std::string& step, const Program& q) {
      ++done[step];
      if (done[step] < 100) test::checked(q);
      if (!same(before, run(q))) FAIL(step << " changes\n" << p << "into\n" << q);
    };
    if (const auto plan = may_compute_root(p, t); plan.ok()) {
      check("compute_root", at_root(p, t, *plan));
    }
    if (const auto plan = may_hoist_alloc(p, t, io); plan.ok()) {
      const Program q = hoisted(p, t, *plan);
      check("hoist_alloc", q);
      if (const auto next = may_slide(q, t, io); next.ok()) check("slide", slid(q, *next));
    }
    if (const auto plan = may_slide(p, t, io); plan.ok()) check("slide", slid(p, *plan));
  }
  std::printf("earlier: %d programs, at the root %d, hoisted %d, sliding %d\n", total,
              done["compute_root"], done["hoist_alloc"], done["slide"]);
  CHECK(done["compute_root"] > total / 40);
  CHECK(done["hoist_alloc"] > total / 20);
  CHECK(done["slide"] > total / 40);
}

// --- A stage that goes to where what it reads is computed.

std::string two_stages(Random& random) {
  const std::string value =
      random.of(std::vector<std::string>{"x[i]", "x[i] * 2.0", "z[i]", "y[i]"});
  const std::string producer = random.of(std::vector<std::string>{
      "for i in 0..8 { t[i] = " + value + " }", "for i in 0..8 { t[i] = " + value + " }",
      "for io in 0..4 { for i in 0..2 { t[io * 2 + i] = x[io * 2 + i] } }",
      "for io in 0..3 { for i in 0..3 { if io * 3 + i < 8 { t[io * 3 + i] = x[io + i] } } }",
      "for io in 0..2 { for iq in 0..2 { for i in 0..2 { t[io * 4 + iq * 2 + i] = x[iq] } } }",
      "for i in 0..8 { t[7 - i] = " + value + " }", "for i in 0..7 { t[i] = x[i] }\nt[7] = 1.0",
      "for i in 0..8 { if i < 6 { t[i] = x[i] } }",
      "for r in 0..3 { for i in 0..8 { t[i] = select(0 < r, t[i], 0.0) + x[i + r] } }",
      "for i in 0..8 { t[i] = 0.0\nfor r in 0..3 { t[i] += x[i + r] } }",
      "for i in 0..8 { t[i] = x[i]\nz[i] = 2.0 }"});
  const std::string between = random.of(std::vector<std::string>{
      "", "", "", "", "z[3] = 1.0", "x[2] = 5.0", "w[1] = 3.0", "z[0] = t[1]", "let v = x[1]"});
  const std::string consumer = random.of(std::vector<std::string>{
      "for c in 0..8 { w[c] = t[c] + 1.0 }", "for c in 0..8 { w[c] = t[c] * z[c] }",
      "for c in 0..8 { w[c] = t[c] * x[c] }", "for c in 0..8 { if c < 5 { w[c] = t[c] } }",
      "for c in 0..8 { w[c] = select(c < 6, t[c], 0.0) }", "for c in 0..7 { w[c] = t[c] }",
      "for c in 0..8 { w[7 - c] = t[c] }", "for c in 0..8 { w[c] = t[7 - c] }",
      "for c in 0..8 { w[c] = t[max(c - 1, 0)] }",
      "for c in 0..8 { w[c] = select(0 < c, t[c - 1], 0.0) + t[c] }",
      "for c in 0..8 { w[c] = 0.0\nfor q in 0..2 { w[c] += select(c + q < 8, t[c + q], 1.0) } }",
      "for c in 0..8 { w[c] = t[c] + t[0] }", "for c in 0..8 { w[c // 2] = t[c] }",
      "for c in 0..8 { w[c] = t[c]\nz[c] = 3.0 }", "for c in 0..8 { w[c] += t[c] }"});
  const std::string after =
      random.of(std::vector<std::string>{"", "", "", "z[5] = t[2]", "x[0] = w[3]"});
  std::string w = random.chance(50) ? "alloc w: f32[8]\n" : "";
  const std::string tail = w.empty() ? "" : "\nfor e in 0..8 { y[e] = w[e] }";
  const std::string params = w.empty() ? " output w: f32[8]" : "";
  const bool declared_between = between.find("w[") == std::string::npos && random.chance(50);
  return "program q output x: f32[16] output y: f32[16] output z: f32[16]" + params + " {\n" +
         (declared_between ? "" : w) + "alloc t: f32[8]\n" + producer + "\n" + between + "\n" +
         (declared_between ? w : "") + consumer + tail + "\n" + after + "\n}";
}

Stmt declaration_of(const Program& p, const Buffer& buffer) {
  Stmt found = seq({});
  walk(p->body, [&](const Stmt& s) {
    if (const Alloc* a = s.as<Alloc>(); a && a->buffer == buffer) found = s;
  });
  return found;
}

Program in_producer(const Program& p, const Buffer& stage, const ReverseInline& plan) {
  const Stmt body = without(without(p->body, plan.nest.get()), plan.write.get(), plan.replacement);
  return p.with_body(
      seq({declaration_of(p, stage), without_alloc(without_alloc(body, plan.producer), stage)}));
}

Program behind_producer(const Program& p, const Buffer& stage, const ReverseComputeAt& plan) {
  const Stmt body = without_alloc(without(p->body, plan.nest.get()), stage);
  return p.with_body(
      seq({declaration_of(p, stage), replace_loop(body, plan.at.loop.var, [&](const For& l) {
             return make_for(l.var, l.lo, l.hi, l.kind, seq({l.body, plan.moved}));
           })}));
}

TEST_CASE("Consumers go to their producers without a change of the outputs") {
  Random random(29);
  int total = 0;
  std::map<std::string, int> done;
  for (int n = 0; n < 8000; ++n) {
    const std::string text = two_stages(random);
    const absl::StatusOr<Program> parsed = parse(text);
    if (!parsed.ok()) FAIL(text << "\n" << parsed.status().message());
    const Program& p = *parsed;
    const Outputs before = run(p);
    if (!before.ok) continue;
    ++total;
    const Buffer w = find_buffer(p, "w");
    const auto check = [&](const std::string& step, const Program& q) {
      ++done[step];
      if (done[step] < 100) test::checked(q);
      if (!same(before, run(q))) FAIL(step << " changes\n" << p << "into\n" << q);
    };
    if (const auto plan = may_reverse_inline(p, w); plan.ok()) {
      check("reverse_inline", in_producer(p, w, *plan));
    }
    for (const char* loop : {"i", "io", "iq", "r"}) {
      const Var at = find_var(p, loop);
      if (!at) continue;
      if (const auto plan = may_reverse_compute_at(p, w, at); plan.ok()) {
        check("reverse_compute_at", behind_producer(p, w, *plan));
      }
    }
  }
  std::printf("consumers: %d programs, in the producer %d, behind it %d\n", total,
              done["reverse_inline"], done["reverse_compute_at"]);
  CHECK(done["reverse_inline"] > total / 40);
  CHECK(done["reverse_compute_at"] > total / 20);
}

}  // namespace
}  // namespace tenon
