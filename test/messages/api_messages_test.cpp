// What is said about mistakes that no line of a trace can make: handles of loops that a step has
// replaced, conditions that read memory, indices and instructions that hold nothing, texts of
// several lines, and questions to the analysis. Each a few lines of a user, and the whole message
// as a golden file.
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "support/check.h"
#include "support/golden.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/region.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

const Schedule::Place kPlace = place_of_cases();

// The body over f32 x[n] and the outputs out[n] and grid[m, n].
Program program_with(const std::string& body) {
  return parsed(
      "program p\n  size m, n\n  input x: f32[n]\n  output out: f32[n]\n"
      "  output grid: f32[m, n]\n  require 1 <= m\n{\n" +
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

std::string said(const absl::Status& status) { return std::string(status.message()); }

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

struct Case {
  const char* name;
  std::function<std::string()> message;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
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
  };
  return all;
}

TEST_CASE("Mistakes that only C++ can make are refused as their golden files say") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const std::string message = c.message();
    CHECK_FALSE(message.empty());
    check_golden(std::string("messages/api/") + c.name, message + "\n");
  }
}

}  // namespace
}  // namespace tenon::test
