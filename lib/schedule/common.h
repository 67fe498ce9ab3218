// What several primitives need.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/legality.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon::primitives {

// The loop's site, or a refusal that says that the program has no such loop.
absl::StatusOr<LoopSite> site_of(const Program& program, const Var& loop);

// Refuses a loop that is already parallel, vector or unrolled. `action` as in "split".
absl::Status require_serial(const Program& program, const For& loop, std::string_view action);

// Refuses a result in which one of the loops that are parallel may not be so any more.
absl::Status require_parallel_loops(const Program& result, const std::vector<For>& loops);

// Steps take factors and distances up to this, which keeps sums of them far from overflow.
constexpr int64_t kMaxFactor = int64_t{1} << 31;

// Refuses an expression that the bounds of the loop cannot use: `e` is an i64 over sizes and loops
// around this one. `what` as in "the place of the cut".
absl::Status require_known(const Program& program, const LoopSite& site, const Expr& e,
                           const std::string& what);

// hi - lo, simplified.
Expr extent_of(const For& loop, const Facts& facts);
// Its value when it is a constant, at least 0.
std::optional<int64_t> constant_extent(const For& loop, const Facts& facts);

// Puts `guard` on every leaf of s: directly around each store, accumulation and `if`, so that nests
// stay perfect. A leaf whose own guards imply it stays as it is. What is read outside of the leaves
// (loop bounds, bound names) is read only where the guard holds. `facts` are those of s.
Stmt sink_guard(const Stmt& s, const Expr& guard, const Facts& facts);

// The program with this body, marked as reassociated if the step made it so.
Program with_body(const Program& program, Stmt body, const Verdict& verdict);
// The same, simplified where it differs from the program; loops are kept.
Program simplified(const Program& program, Stmt body, const Verdict& verdict = {});

// The program with the loop marked as of this kind.
Program with_kind(const Program& program, const Var& loop, const LoopKind& kind,
                  const Verdict& verdict = {});

// A loop, and the first line of a statement, as the text of the Program shows them.
std::string name_in(const Program& program, const Var& var);
std::string headline_in(const Program& program, const Stmt& s);

// "split(i, 16), then vectorize(ii)": what a loop with too many iterations needs first.
std::string split_first(const Program& program, const Var& loop, int64_t factor,
                        std::string_view step);

// Copies of the most copied statement in s, once its unrolled loops are written out.
int64_t copies_in(const Stmt& s, const Facts& facts);

}  // namespace tenon::primitives
