// unroll_loops: one copy of the body per iteration.
//
//   unroll for u in 0..2 { acc[u] += x[i + u] }
//   ->
//   acc[0] += x[i]
//   acc[1] += x[i + 1]
//
// Needs: nothing. Gives: kNoUnroll. Each copy has loops, names and buffers of its own. A loop whose
// number of iterations is not a constant becomes a serial loop.
#include "lower/index_math.h"
#include "lower/passes.h"
#include "lower/vector_loops.h"

namespace tenon {
namespace {

bool declares(const Stmt& s) {
  return any_in(s, [](const Stmt& t) { return t.is<For>() || t.is<Bind>() || t.is<Alloc>(); });
}

Stmt unrolled(const For& loop, int64_t count) {
  const bool fresh = declares(loop.body);
  std::vector<Stmt> copies;
  copies.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const Stmt copy = fresh && i > 0 ? with_fresh_names(loop.body) : loop.body;
    const Expr value = index_add(loop.lo, constant_int(i64, i));
    copies.push_back(substitute_folded(copy, {{loop.var, value}}));
  }
  return seq(std::move(copies));
}

Stmt unroll(const Stmt& s) {
  const For* loop = s.as<For>();
  if (!loop || loop->kind != ForKind::kUnroll) return s;
  const std::optional<int64_t> count = constant_extent(*loop);
  if (!count) return make_for(loop->var, loop->lo, loop->hi, ForKind::kSerial, loop->body);
  return unrolled(*loop, *count);
}

}  // namespace

absl::StatusOr<Program> unroll_loops(const Program& program, const Target&) {
  return program.with_body(rewrite_stmts(program->body, unroll));
}

}  // namespace tenon
