// stage(c, i):
//
//   for i in 0..m                        for i in 0..m
//     c[i] = -0.0                          alloc c_local: f32[1]
//     for r in 0..n                        c_local[0] = -0.0
//       c[i] += x[i, r]            ->      for r in 0..n
//                                            c_local[0] += x[i, r]
//                                          for i_1 in 0..1
//                                            c[i + i_1] = c_local[i_1]
//
// The body of the loop works on a copy of the part of a buffer that it touches: of an input, so
// that it lies close together and in the layout that the body wants; of an output, so that it is
// accumulated in registers. The copy is filled in front of the first statement that uses the buffer
// where the body needs values from before, and copied back behind the last one where the body
// writes. Copies are guarded where the region sticks out of the shape, and by what guards all
// accesses. Without a loop the place is the Program's own body: an output is copied back behind the
// last nest that writes it.
// Obligation (may_stage): the buffer is declared outside of the body, no vector loop stands around
// it, the part that it touches is a box whose bounds are known in front of it, and parallel loops
// around keep their obligation. The copy is filled unless it is proved that every read finds what
// the body stored before, and that every element that is copied back was stored. Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

enum class Way { kIn, kOut };

// One nest that fills the copies, or that writes them back, and its loops; no statement where
// nothing is to be copied.
struct CopyNest {
  Stmt nest;
  std::vector<Var> loops;
};

CopyNest copy_nest(const Staging& staging, const Moves& moves, Way way) {
  std::vector<Expr> there, here(staging.vars.begin(), staging.vars.end());
  for (size_t d = 0; d < here.size(); ++d) there.push_back(staging.region.lo[d] + here[d]);
  std::vector<Stmt> leaves;
  for (size_t b = 0; b < moves.size(); ++b) {
    const StagedCopy& copy = staging.copies[b];
    if (way == Way::kIn ? !copy.copy_in : !copy.copy_out) continue;
    const auto& [buffer, local] = moves[b];
    Stmt leaf = way == Way::kIn ? store(local, here, load(buffer, there))
                                : store(buffer, there, load(local, here));
    for (size_t g = copy.guards.size(); g-- > 0;) leaf = make_if(copy.guards[g], std::move(leaf));
    leaves.push_back(std::move(leaf));
  }
  if (leaves.empty()) return {};
  CopyNest result{seq(std::move(leaves)), {}};
  VarMap own;  // each nest has loops of its own
  for (const Var& var : staging.vars) {
    result.loops.emplace_back(var.name());
    own[var] = result.loops.back();
  }
  result.nest = substitute(result.nest, own);
  for (size_t d = here.size(); d-- > 0;) {
    result.nest = make_for(result.loops[d], 0, staging.region.extent[d], ForKind::kSerial,
                           std::move(result.nest));
  }
  return result;
}

// The copies, by the buffers that they stand for.
Moves named_copies(const Program& program, const Staging& staging) {
  Names names(program);
  Moves moves;
  for (const StagedCopy& copy : staging.copies) {
    const Type type = copy.buffer.type();
    const Buffer wanted(copy.buffer.name() + "_local", type);
    moves.emplace_back(copy.buffer, Buffer(names.of(wanted), type));
  }
  return moves;
}

}  // namespace

absl::StatusOr<StageResult> stage(const Program& program, const Buffer& buffer, const Var& loop) {
  // Find.
  std::optional<LoopSite> at;
  if (loop) {
    TENON_ASSIGN_OR_RETURN(at, site_of(program, loop));
  }

  // Require.
  TENON_ASSIGN_OR_RETURN(const Staging staging, may_stage(program, buffer, at));

  // Rewrite.
  const Moves moves = named_copies(program, staging);
  const CopyNest in = copy_nest(staging, moves, Way::kIn);
  const CopyNest out = copy_nest(staging, moves, Way::kOut);
  const auto place = [&](const std::vector<Expr>& indices) {
    std::vector<Expr> own;
    for (size_t d = 0; d < indices.size(); ++d) own.push_back(indices[d] - staging.region.lo[d]);
    return own;
  };
  std::vector<Stmt> parts = staging.before;
  for (const auto& move : moves) parts.push_back(alloc(move.second, staging.region.room));
  if (in.nest) parts.push_back(in.nest);
  parts.push_back(with_moved_accesses(seq(staging.used), moves, place));
  if (out.nest) parts.push_back(out.nest);
  parts.insert(parts.end(), staging.after.begin(), staging.after.end());

  Stmt body = seq(std::move(parts));
  if (at) {
    body = replace_loop(program->body, loop,
                        [&](const For& l) { return make_for(l.var, l.lo, l.hi, l.kind, body); });
  }
  const Program result = simplified(program, std::move(body));
  if (at) {
    std::vector<For> around = at->outer;
    around.push_back(at->loop);
    TENON_RETURN_IF_ERROR(require_parallel_loops(result, around));
  }
  return StageResult{result, moves.front().second, in.loops, out.loops};
}

}  // namespace tenon::primitives
