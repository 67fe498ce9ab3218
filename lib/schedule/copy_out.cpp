// copy_out(out):
//
//   for i in 0..n                      alloc out_local: f32[n]
//     out[i] = -0.0                    for i in 0..n
//     for r in 0..k             ->       out_local[i] = -0.0
//       out[i] += x[i, r]                for r in 0..k
//                                          out_local[i] += x[i, r]
//                                      for i in 0..n
//                                        out[i] = out_local[i]
//
// Gives an output that is accumulated in place a stage of its own, which can then be computed in a
// register tile. The loops of the output become those of the copy.
// Obligation: one statement N of the Program's outermost Seq writes the output, and only statements
// behind it read it. Every access in N has the indices (l1 .. lr), loops over the whole of each
// dimension; the first is an unguarded store under just these loops; a loop that is shared with the
// first access stands at the same dimension. Then N writes every element before it reads it. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// The loop of the access that is index d, when it runs over the whole dimension; null otherwise.
const For* loop_over(const Access& a, size_t d, const Expr& size, const Facts& facts) {
  const VarRef* index = a.indices[d].as<VarRef>();
  if (!index) return nullptr;
  for (const For& loop : a.loops) {
    if (!(loop.var == index->var)) continue;
    const bool whole = proved(facts, loop.lo == Expr(0)) && proved(facts, loop.hi == size);
    return whole ? &loop : nullptr;
  }
  return nullptr;
}

// The loops (l1 .. lr) of an access; empty when the access is not of that form.
std::optional<std::vector<Var>> loops_of(const Access& a, const std::vector<Expr>& shape,
                                         const Facts& facts) {
  std::vector<Var> loops;
  for (size_t d = 0; d < shape.size(); ++d) {
    const For* loop = loop_over(a, d, shape[d], facts);
    if (!loop || std::find(loops.begin(), loops.end(), loop->var) != loops.end()) return {};
    loops.push_back(loop->var);
  }
  return loops;
}

bool encloses(const Access& a, const Var& var) {
  return std::any_of(a.loops.begin(), a.loops.end(),
                     [&](const For& loop) { return loop.var == var; });
}

absl::Status not_whole(const Buffer& output) {
  return refuse("not every access to " + output.name() +
                " has loops over the whole of each dimension as its indices");
}

// The loops of the store that comes first.
absl::StatusOr<std::vector<Var>> require_whole_writes(const Buffer& output,
                                                      const std::vector<Access>& accesses,
                                                      const std::vector<Expr>& shape,
                                                      const Facts& facts) {
  const std::optional<std::vector<Var>> first = loops_of(accesses.front(), shape, facts);
  if (!first) return not_whole(output);
  const Access& init = accesses.front();
  if (init.kind != Access::Kind::kWrite || !init.guards.empty() ||
      init.loops.size() != shape.size()) {
    return refuse("the first access to " + output.name() + " does not write all of it");
  }
  for (const Access& a : accesses) {
    const std::optional<std::vector<Var>> loops = loops_of(a, shape, facts);
    if (!loops) return not_whole(output);
    for (size_t d = 0; d < shape.size(); ++d) {
      const Var& shared = (*first)[d];
      if (encloses(a, shared) && !((*loops)[d] == shared)) return not_whole(output);
    }
  }
  return *first;
}

bool writes(const Stmt& s, const Buffer& buffer) {
  const std::vector<Access> accesses = accesses_of(s, buffer);
  return std::any_of(accesses.begin(), accesses.end(),
                     [](const Access& a) { return a.kind != Access::Kind::kRead; });
}

// The one statement of the outermost Seq that writes the output; others may read it behind.
absl::StatusOr<size_t> only_writer(const std::vector<Stmt>& parts, const Buffer& output) {
  std::optional<size_t> writer;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!uses(parts[i], output)) continue;
    if (!writes(parts[i], output)) {
      if (!writer) return refuse(output.name() + " is read before it is written");
    } else if (writer) {
      return refuse("more than one statement writes " + output.name());
    } else {
      writer = i;
    }
  }
  if (!writer) return refuse("nothing writes " + output.name());
  return *writer;
}

}  // namespace

absl::StatusOr<CopyOutResult> copy_out(const Program& program, const Buffer& output) {
  // Find.
  const Param* param = find_param(program, output);
  std::vector<Stmt> parts = statements_of(program->body);

  // Require.
  if (!param || param->role != Role::kOutput) return refuse(output.name() + " is not an output");
  TENON_ASSIGN_OR_RETURN(const size_t writer, only_writer(parts, output));
  TENON_ASSIGN_OR_RETURN(const std::vector<Var> loops,
                         require_whole_writes(output, accesses_of(parts[writer], output),
                                              param->shape, facts_of(program)));

  // Rewrite. The user's loops become those of the copy, which is where the output is written now.
  Names names(program);
  const Buffer wanted(output.name() + "_local", output.type());
  const Buffer local(names.of(wanted), output.type());
  std::vector<Expr> indices(loops.begin(), loops.end());
  Stmt copy = store(output, indices, load(local, indices));
  for (size_t d = loops.size(); d-- > 0;) {
    copy = make_for(loops[d], 0, param->shape[d], ForKind::kSerial, std::move(copy));
  }
  const Stmt compute = substitute(with_fresh_names(parts[writer]), BufferMap{{output, local}});
  parts[writer] = seq({alloc(local, param->shape), compute, copy});
  return CopyOutResult{program.with_body(seq(std::move(parts))), local, loops};
}

}  // namespace tenon::primitives
