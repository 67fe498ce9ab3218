// inline_into(t):
//
//   alloc t: f32[n]                    for i in 0..n
//   for i in 0..n                        out[i] = x[i] * 2.0 + 1.0
//     t[i] = x[i] * 2.0         ->
//   for i_1 in 0..n
//     out[i_1] = t[i_1] + 1.0
//
// Obligation (may_inline): one unguarded store, indexed by its own loops over the whole shape,
// defines the stage, and what it reads does not change before the readers. Exact; a value that is
// read several times is computed several times.
#include "schedule/common.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// The value of the stage at the indices of a read. A lane that is masked off reads as 0.
Expr definition_at(const Load& read, const Inline& definition) {
  VarMap values;
  for (size_t d = 0; d < read.indices.size(); ++d) values[definition.vars[d]] = read.indices[d];
  const Expr value = substitute(definition.value, values);
  return read.mask ? select(read.mask, value, constant_int(value.type(), 0)) : value;
}

Stmt without_reads(const Stmt& s, const Buffer& stage, const Inline& definition) {
  return rewrite(s, [&](const Expr& e) {
    const Load* read = e.as<Load>();
    return read && read->buffer == stage ? definition_at(*read, definition) : e;
  });
}

// Drops the store, the declaration, and the loops and guards that held nothing else.
Stmt without_stage(const Stmt& s, const Buffer& stage, const Inline& definition,
                   std::vector<Var>& removed) {
  if (s.get() == definition.store.get()) return seq({});
  if (const Alloc* x = s.as<Alloc>()) return x->buffer == stage ? seq({}) : s;
  const Stmt mapped =
      map_children(s, [&](const Stmt& t) { return without_stage(t, stage, definition, removed); });
  if (mapped.get() == s.get()) return s;
  if (const For* loop = mapped.as<For>(); loop && is_empty(loop->body)) {
    removed.push_back(loop->var);
    return seq({});
  }
  return mapped;
}

}  // namespace

absl::StatusOr<InlineResult> inline_into(const Program& program, const Buffer& stage) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const Inline definition, may_inline(program, stage));

  // Rewrite. The store goes first, while it is still the statement that was found.
  InlineResult result;
  const Stmt body = without_stage(program->body, stage, definition, result.removed);
  result.program = simplified(program, without_reads(body, stage, definition));
  return result;
}

}  // namespace tenon::primitives
