// decompose_init(i):
//
//   for i in 0..m                      for i in 0..m
//     for j in 0..n                      for j in 0..n
//       c[i, j] = -0.0           ->        c[i, j] = -0.0
//       for r in 0..k                  for i_1 in 0..m
//         c[i, j] += ...                 for j_1 in 0..n
//                                          for r in 0..k
//                                            c[i_1, j_1] += ...
//
// A fission of j and then of i: from the innermost loop that holds several statements out to the
// given one. The first part is what stands in front of the first loop among those statements.
#include <tuple>

#include "schedule/common.h"
#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/base/limits.h"

namespace tenon {
namespace {

// The loops from `outermost` in that stand directly inside each other, down to the one that holds
// the initialisation, and how many statements that is.
struct Initialised {
  std::vector<Loop> loops;
  int statements = 0;
};

absl::StatusOr<Initialised> initialised(const Program& program, const Var& outermost) {
  Initialised found;
  Stmt inside = find_loop(program, outermost)->statement;
  while (inside.is<For>()) {
    found.loops.emplace_back(inside.as<For>()->var);
    inside = Stmt(inside.as<For>()->body);
  }
  const std::vector<Stmt> parts = statements_of(inside);
  while (found.statements < static_cast<int>(parts.size()) &&
         !parts[static_cast<size_t>(found.statements)].is<For>()) {
    ++found.statements;
  }
  if (found.statements > 0 && found.statements < static_cast<int>(parts.size())) return found;
  return refuse("the nest of loop " + primitives::name_in(program, outermost) +
                " holds no initialisation in front of a loop");
}

}  // namespace

InitAndUpdate fission_nest(Schedule& schedule, const std::vector<Loop>& loops, int statements,
                           Schedule::Place place) {
  InitAndUpdate made{loops, loops};
  for (size_t d = loops.size(); d-- > 0; statements = 1) {
    std::tie(made.init[d], made.update[d]) = schedule.fission(loops[d], statements, place);
  }
  return made;
}

InitAndUpdate Schedule::decompose_init(Loop loop, Place place) {
  const std::string action = "decompose_init(" + name_of(loop) + ")";
  const InitAndUpdate nothing{dummy_loops(kMaxRank), dummy_loops(kMaxRank)};
  if (!status_.ok()) return nothing;
  absl::Status ready = require_loops({loop});
  absl::StatusOr<Initialised> found;
  if (ready.ok()) {
    found = initialised(program_, loop.var());
    ready = found.status();
  }
  if (!ready.ok()) {
    refuse_step(ready, action, place);
    return nothing;
  }

  Derived derived(*this, action, place);
  InitAndUpdate made = fission_nest(*this, found->loops, found->statements, place);
  return derived.finish() ? made : nothing;
}

}  // namespace tenon
