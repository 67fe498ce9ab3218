// What is said about steps that only C++ can ask for: loops and buffers of other Programs,
// instructions of one's own, traces that do not read, and the hints of the lint. Each a few lines
// of a user, and the whole message as a golden file.
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "messages/spoken.h"
#include "support/check.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/region.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/operators.h"
#include "tenon/lower/lower.h"
#include "tenon/schedule/lint.h"
#include "tenon/schedule/primitives.h"
#include "tenon/schedule/replay.h"
#include "tenon/target/target.h"

namespace tenon::test {
namespace {

const Schedule::Place kPlace = place_of_cases();

// The body over f32 x[n], y[m, n], at: i64[n] and the outputs out[n] and grid[m, n].
Program program_with(const std::string& body) {
  return parsed(
      "program p\n  size m, n\n  input at: i64[n]\n  input x: f32[n]\n  input y: f32[m, n]\n"
      "  output out: f32[n]\n  output grid: f32[m, n]\n  require 1 <= m\n  require 8 <= n\n{\n" +
      body + "\n}\n");
}
Program copied() { return program_with("for i in 0..n { out[i] = x[i] }"); }
Program copied_twice() {
  return program_with("for i in 0..n { out[i] = x[i] }\n for j in 0..n { grid[0, j] = x[j] }");
}
Program staged() {
  return program_with(
      "alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n for j in 0..n { out[j] = t[j] }");
}

Schedule scheduled(const Program& program) { return Schedule(program, {}, kPlace); }
// What the last of these steps is refused with; those before it are right.
std::string refused(const Program& program, const std::function<void(Schedule&)>& steps) {
  Schedule s(program, {}, kPlace);
  steps(s);
  return said(s.status());
}

Expr first_of(const Program& program, std::string_view buffer) {
  return load(find_buffer(program, buffer), {Expr(0)});
}

// The outermost loop of a Program whose body is one nest.
LoopSite outermost(const Program& program) {
  return *find_loop(program, program->body.as<For>()->var);
}

std::string replayed(const std::string& trace, const FactorValues& values = {}) {
  Schedule s = scheduled(copied());
  return said(replay(s, trace, values, {}, kPlace));
}

Buffer stage_of(const Program& program) {
  return statements_of(program->body)[0].as<Alloc>()->buffer;
}

// An instruction on 8 elements in a nest whose loop k is its own.
std::string tensorized(const std::string& body,
                       const std::string& meaning =
                           "program it\n  input a: f32[8]\n  output b: "
                           "f32[8]\n{\n  for i in 0..8 { b[i] = a[i] }\n}") {
  InstructionData data;
  data.name = "it";
  data.meaning = parsed(meaning);
  data.operands = {"a"};
  data.assembly = "vmovups $1, $0", data.constraints = "=x,x";
  Schedule s = scheduled(program_with(body));
  Loop k = s.all_loops("grid").back();
  if (body.find("for l") != std::string::npos) k = s.all_loops("grid").end()[-2];
  s.tensorize(k, Instruction(std::move(data)), kPlace);
  return said(s);
}

std::string hinted(const std::string& body) {
  std::string text;
  for (const Hint& hint : lint(program_with(body), *Target::parse("x86-64-v3"))) {
    if (!text.empty()) text += "\n";
    text += hint.reason + "\n  " + hint.advice;
  }
  return text;
}

const std::vector<Spoken>& cases() {
  static const std::vector<Spoken> all = {
      // --- Handles.
      {"loop_handle_empty",
       [] {
         Schedule s = scheduled(copied());
         s.unroll(Loop(Var("none")), kPlace);
         return said(s);
       }},
      {"loop_handle_null", [] { return said(primitives::split(copied(), Var(), 2)); }},
      {"loop_no_longer_exists",
       [] {
         Schedule s = scheduled(copied());
         const Loop i = s.loops("out")[0];
         s.cut(i, Expr(4), kPlace);
         s.split(i, 2, kPlace);
         return said(s);
       }},
      {"loop_of_another_schedule",
       [] {
         Schedule s = scheduled(copied()), other = scheduled(copied());
         s.split(other.loops("out")[0], 2, kPlace);
         return said(s);
       }},
      {"place_of_a_cut_empty",
       [] {
         Schedule s = scheduled(copied());
         s.cut(s.loops("out")[0], Expr(), kPlace);
         return said(s);
       }},
      {"primitive_no_loop", [] { return said(primitives::split(copied(), Var("q"), 2)); }},
      {"compute_at_no_loop",
       [] {
         const Program p = staged();
         return said(primitives::compute_at(p, stage_of(p), Var("q")));
       }},
      {"hoist_alloc_no_loop",
       [] {
         const Program p = staged();
         return said(primitives::hoist_alloc(p, stage_of(p), Var("q")));
       }},
      {"reverse_compute_at_no_loop",
       [] {
         const Program p = staged();
         return said(primitives::reverse_compute_at(p, stage_of(p), Var("q")));
       }},
      {"rfactor_no_loop", [] { return said(primitives::rfactor(staged(), Var("q"))); }},
      {"slide_no_loop",
       [] {
         const Program p = staged();
         return said(primitives::slide(p, stage_of(p), Var("q")));
       }},
      {"pad_no_buffer", [] { return said(primitives::pad(staged(), Buffer("u", f32), 0, 8)); }},
      {"pad_table",
       [] {
         const Program p = parsed(
             "program p\n  output out: f32[2]\n  table levels: f32[2] = (0.0, 1.0)\n{\n"
             "  for i in 0..2 { out[i] = levels[i] }\n}\n");
         return said(primitives::pad(p, p->tables[0].buffer, 0, 8));
       }},
      {"set_scope_no_buffer",
       [] { return said(primitives::set_scope(staged(), Buffer("u", f32), Memory::kStack)); }},
      {"fold_storage_no_buffer",
       [] { return said(primitives::fold_storage(staged(), Buffer("u", f32), 0, 8)); }},
      {"inline_into_no_buffer",
       [] { return said(primitives::inline_into(staged(), Buffer("u", f32))); }},
      {"set_layout_no_buffer",
       [] { return said(primitives::set_layout(staged(), Buffer("u", f32), {}, {})); }},
      {"set_layout_indices",
       [] {
         const Program p = staged();
         return said(primitives::set_layout(p, stage_of(p), {}, {Expr(0)}));
       }},
      {"store_in_no_buffer",
       [] {
         const Program p = staged();
         return said(primitives::store_in(p, Buffer("u", f32), p->params[3].buffer, {}, {}));
       }},
      {"store_over_no_buffer",
       [] {
         const Program p = staged();
         return said(primitives::store_over(p, Buffer("u", f32), stage_of(p)));
       }},
      {"stage_nest_no_buffer",
       [] { return said(primitives::compute_root(staged(), Buffer("u", f32))); }},
      // --- Instructions.
      {"tensorize_inside_vector",
       [] {
         return tensorized(
             "for i in 0..m { vector for j in 0..8 { for k in 0..8 { grid[i, k] = x[k] } } }");
       }},
      {"tensorize_meaning_without_loop",
       [] {
         return tensorized(
             "for i in 0..m { for k in 0..8 { grid[i, k] = x[k] } }",
             "program it\n  input a: f32[1]\n  output b: f32[1]\n{\n  b[0] = a[0]\n}");
       }},
      {"tensorize_other_number_of_statements",
       [] {
         return tensorized("for i in 0..m { for k in 0..8 { grid[i, k] = x[k] } }",
                           "program it\n  input a: f32[8]\n  output b: f32[8]\n{\n"
                           "  for i in 0..8 { b[i] = 0.0\n b[i] += a[i] }\n}");
       }},
      {"tensorize_place_is_data",
       [] {
         return tensorized("for i in 0..m { for k in 0..8 { grid[i, k] = x[check(at[k], n)] } }");
       }},
      {"tensorize_repeats_along_one_dimension",
       [] {
         return tensorized(
             "for i in 0..m { for k in 0..4 { for l in 0..2 { grid[i, 2 * k + l] = x[k] } } }",
             "program it\n  input a: f32[4, 2]\n  output b: f32[4, 2]\n{\n"
             "  for i in 0..4 { for j in 0..2 { b[i, j] = a[i, j] } }\n}");
       }},
      {"tensorize_not_known_to_be_distinct",
       [] {
         return tensorized(
             "for i in 0..1 { for k in 0..2 { for l in 0..4 { out[k + l] = x[k + l] } } }\n"
             "for i in 0..1 { for k in 0..2 { for l in 0..4 { grid[0, k + l] = x[k + l] } } }",
             "program it\n  input a: f32[2, 4]\n  output b: f32[2, 4]\n{\n"
             "  for i in 0..2 { for j in 0..4 { b[i, j] = a[i, j] } }\n}");
       }},
      // --- What a step is given.
      // --- Loops that are gone.
      {"loop_was_split",
       [] {
         return refused(copied(), [](Schedule& s) {
           const Loop i = s.loops("out")[0];
           s.split(i, 8, kPlace);
           s.unroll(i, kPlace);
         });
       }},
      {"loop_was_fused",
       [] {
         return refused(program_with("for i in 0..m { for j in 0..n { grid[i, j] = x[j] } }"),
                        [](Schedule& s) {
                          const std::vector<Loop> loops = s.loops("grid");
                          s.fuse(loops[0], loops[1], kPlace);
                          s.vectorize(loops[1], kPlace);
                        });
       }},
      {"loop_was_divided",
       [] {
         return refused(program_with("for i in 0..n { out[i] = x[i]\n grid[0, i] = x[i] }"),
                        [](Schedule& s) {
                          const Loop i = s.loops("out")[0];
                          s.fission(i, 1, kPlace);
                          s.parallelize(i, kPlace);
                        });
       }},
      {"loop_was_merged",
       [] {
         return refused(copied_twice(), [](Schedule& s) {
           const Loop j = s.loops("grid")[0];
           s.merge(s.loops("out")[0], j, kPlace);
           s.reverse(j, kPlace);
         });
       }},
      {"loop_was_computed_elsewhere",
       [] {
         return refused(staged(), [](Schedule& s) {
           const Loop j = s.loops("out")[0];
           s.reverse_inline("out", kPlace);
           s.split(j, 8, kPlace);
         });
       }},
      // --- Conditions that only data decides.
      {"fact_about_data",
       [] {
         const Program p = copied();
         return refused(p, [&](Schedule& s) { s.assume(first_of(p, "x") < 1.0f, kPlace); });
       }},
      {"condition_about_data",
       [] {
         const Program p = copied();
         return refused(p, [&](Schedule& s) { s.specialize(first_of(p, "x") < 1.0f, kPlace); });
       }},
      // --- Nothing where something is needed.
      {"index_of_layout_empty",
       [] {
         return refused(staged(), [](Schedule& s) {
           s.set_layout(
               "t",
               [](Index d) {
                 return Index{d[0], Expr()};
               },
               kPlace);
         });
       }},
      {"index_of_map_empty",
       [] {
         return refused(staged(), [](Schedule& s) {
           s.store_in(
               "t", "out", [](Index) { return Index{Expr()}; }, kPlace);
         });
       }},
      {"instruction_null",
       [] {
         return refused(copied(),
                        [](Schedule& s) { s.tensorize(s.loops("out")[0], Instruction(), kPlace); });
       }},
      // --- Traces of several lines.
      {"trace_begins_inside_a_step",
       [] {
         Schedule s(copied(), {}, kPlace);
         return said(replay(s, "      split(i, 8) -> io, ii\n", {}, {}, kPlace));
       }},
      {"trace_factor_of_two_values",
       [] {
         return said(factors_of("1 split(i, rows=8) -> io, ii\n2 split(ii, rows=4) -> iio, iii\n")
                         .status());
       }},
      // --- Questions to the analysis, which steps ask only after others.
      {"may_reorder_around_an_if",
       [] {
         const LoopSite i = outermost(
             program_with("for i in 0..m { if i < 3 { for j in 0..n { grid[i, j] = x[j] } } }"));
         const For j = *i.loop.body.as<If>()->body.as<For>();
         return said(may_reorder(i, {j.var, i.loop.var}).status);
       }},
      {"may_reorder_several_statements",
       [] {
         const LoopSite i = outermost(program_with(
             "for i in 0..m { grid[i, 0] = 1.0\n for j in 0..n { grid[i, j] = x[j] } }"));
         const For j = *statements_of(i.loop.body)[1].as<For>();
         return said(may_reorder(i, {j.var, i.loop.var}).status);
       }},
      {"may_reorder_loop_further_in",
       [] {
         const LoopSite i = outermost(program_with(
             "for i in 0..m { for j in 0..n { for k in 0..2 { grid[i, j] = x[j] } } }"));
         const For k = *i.loop.body.as<For>()->body.as<For>();
         return said(may_reorder(i, {k.var, i.loop.var}).status);
       }},
      {"may_distribute_one_statement",
       [] { return said(may_distribute(outermost(copied()), 1).status); }},
      {"region_of_no_access",
       [] {
         const LoopSite i = outermost(copied());
         const Buffer grid = find_buffer(i.program, "grid");
         return said(region_of(i.statement, grid, Which::kReads, i.facts).status());
       }},
      // --- Traces.
      {"trace_results_without_names", [] { return replayed("1 split(i, 8) -> 8, $"); }},
      {"trace_number_too_large", [] { return replayed("1 pad(out, 5000000000, 8)"); }},
      {"trace_no_factor_of_that_name",
       [] {
         return replayed("1 split(i, 8) -> io, ii", {{"rows", 4}});
       }},
      {"rfactor_explicit_lanes",
       [] {
         const Program p =
             program_with("for i in 0..n { out[ramp(0, 1, 8)] += broadcast(x[i], 8) }");
         return said(primitives::rfactor(p, p->body.as<For>()->var));
       }},
      // --- Lowering.
      {"lower_registers_with_variable_index",
       [] {
         const Program p = program_with(
             "alloc t: f32[8] in registers\n for i in 0..8 { t[i] = x[i] }\n"
             "for j in 0..8 { out[j] = t[j] }");
         return said(lower(p, *Target::parse("x86-64-v3")));
       }},
      // --- Hints.
      {"hint_scalar_reduction", [] { return hinted("for i in 0..n { out[0] += x[i] }"); }},
      {"hint_scalar", [] { return hinted("for i in 0..n { out[i] = x[i] }"); }},
      {"hint_lanes_anywhere",
       [] { return hinted("vector for i in 0..8 { out[i] = x[check(at[i], n)] }"); }},
      {"hint_lanes_apart", [] { return hinted("vector for i in 0..2 { out[i] = x[3 * i] }"); }},
      {"hint_tile_too_large",
       [] {
         return hinted(
             "for r in 0..m { unroll for k in 0..32 { vector for j in 0..8 {\n"
             "grid[0, 0 * k + j] += y[r, j] } } }");
       }},
      {"hint_fold_in_loop",
       [] { return hinted("for i in 0..m { vector for j in 0..8 { out[0] += y[i, j] } }"); }},
      {"hint_reduction_in_memory",
       [] { return hinted("for i in 0..m { for j in 0..n { out[j] += y[i, j] } }"); }},
      {"hint_vector_too_wide",
       [] { return hinted("vector for i in 0..2 { grid[0, i] = y[0, i] }"); }},
  };
  return all;
}

TEST_CASE("Steps that only C++ can ask for are refused as their golden files say") {
  for (const Spoken& c : cases()) {
    INFO(c.name);
    check_spoken("steps", c);
  }
  CHECK(cases().size() >= 50);
}

}  // namespace
}  // namespace tenon::test
