// split_rows(i, 4):
//
//   for i in 0..m                        alloc t: f32[4]              (in each block io)
//     alloc t: f32[]                     for ii in 0..4
//     t[] = 0.0                            t[ii] = 0.0
//     for k in 0..n              ->      for k in 0..n
//       t[] += x[i, k]                     for ii in 0..4
//       y[i, k] = t[]                        t[ii] += x[io*4 + ii, k]
//                                          for ii in 0..4 ...
//
// A recurrence that was written for one row works on a block of rows, and each of its steps has a
// loop over the rows of its own. What the body declares gets a part for each row (expand), the rows
// are divided between the statements (fission), and a loop that holds several loops or declarations
// is taken outside of the rows (reorder), where its body is treated alike. All of it are
// primitives: what is not legal is refused by the primitive that needs it.
#include <algorithm>

#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/analysis/find.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A loop inside of the rows that holds several steps; null when it is a step itself.
const For* loop_of_steps(const Stmt& body) {
  const For* loop = body.as<For>();
  if (!loop || loop->kind != ForKind::kSerial) return nullptr;
  const std::vector<Stmt> parts = statements_of(loop->body);
  const auto count = std::count_if(parts.begin(), parts.end(),
                                   [](const Stmt& s) { return s.is<For>() || s.is<Alloc>(); });
  return count > 1 ? loop : nullptr;
}

// Gives each step in the loop over rows one of its own.
void divide_rows(Schedule& s, Loop row, std::vector<Loop>& rows, Schedule::Place place) {
  while (s.status().ok()) {
    const For loop = find_loop(s.program(), row.var())->loop;
    if (const For* steps = loop_of_steps(loop.body)) {
      s.reorder({Loop(steps->var), row}, place);
      continue;
    }
    const std::vector<Stmt> parts = statements_of(loop.body);
    for (const Stmt& part : parts) {
      if (const Alloc* local = part.as<Alloc>()) s.expand(local->buffer.name(), row, place);
    }
    if (!s.status().ok()) return;
    const size_t steps = statements_of(find_loop(s.program(), row.var())->loop.body).size();
    if (steps < 2) {
      if (steps < parts.size()) continue;  // what is left may be a loop of steps
      rows.push_back(row);
      return;
    }
    const auto [first, rest] = s.fission(row, 1, place);
    divide_rows(s, first, rows, place);
    row = rest;
  }
}

}  // namespace

SplitRows Schedule::split_rows(Loop loop, const Factor& rows, Place place) {
  const SplitRows nothing{dummy_loop(), {}};
  if (!status_.ok()) return nothing;
  const std::string action = "split_rows(" + name_of(loop) + ", " + rows.text() + ")";
  Derived derived(*this, action, place);
  const auto [outer, inner] = split(loop, rows, place);
  SplitRows made{outer, {}};
  divide_rows(*this, inner, made.rows, place);
  return derived.finish() ? made : nothing;
}

}  // namespace tenon
