// Calls of a C function, in a loop over their domain.
//
//   alloc y: f32[m, n]
//   for i in 0..m { call gemm(out y[i, 0..n], x[i, 0..k], w[0..n, 0..k]) }
#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/cover.h"
#include "tenon/analysis/find.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {

std::vector<Stmt> emit_extern(const Extern& definition, const std::vector<Buffer>& read,
                              const Emission& emission) {
  // The function writes what nobody reads as well.
  std::vector<Buffer> results(definition.results.size());
  for (const Buffer& result : read) results[result.definition()->result] = result;
  for (size_t r = 0; r < results.size(); ++r) {
    if (results[r]) continue;
    results[r] =
        Buffer(free_name(definition.results[r].name, emission.names), definition.results[r].type);
  }
  Hoister hoister(read.front().name(), emission.names);
  std::vector<ReduceAxis> extents = definition.axes;
  for (ReduceAxis& axis : extents) axis.extent = hoister.hoist(axis.extent);
  const Axes axes = bounded(extents, {}, hoister.facts()).axes;
  hoister.enter(axes);
  const auto part_of = [&](const Buffer& buffer, const std::vector<CallRegion::Range>& ranges) {
    CallRegion part{buffer, {}, {}};
    for (const CallRegion::Range& range : ranges) {
      part.ranges.push_back({hoister.hoist(range.lo), range.hi ? hoister.hoist(range.hi) : Expr()});
    }
    return part;
  };
  std::vector<CallRegion> writes, reads;
  for (size_t r = 0; r < results.size(); ++r) {
    writes.push_back(part_of(results[r], definition.writes[r]));
  }
  for (size_t i = 0; i < definition.inputs.size(); ++i) {
    reads.push_back(part_of(definition.inputs[i].as<Load>()->buffer, definition.reads[i]));
  }
  hoister.leave(axes);
  std::vector<Stmt> stmts = hoister.take();
  for (size_t r = 0; r < results.size(); ++r) {
    if (emission.declared.count(results[r])) continue;
    std::vector<Expr> shape;
    for (const Expr& extent : definition.results[r].shape) shape.push_back(cast(i64, extent));
    stmts.push_back(alloc(results[r], std::move(shape)));
  }
  stmts.push_back(nest(axes, call(definition.function, std::move(writes), std::move(reads))));
  return stmts;
}

namespace {

// Do the calls together store every element of this buffer? Loops around its declaration are those
// of a scan: each of their iterations has a buffer of its own.
bool stores_all(const Access& part, const Program& program) {
  const size_t home = part.home.value_or(0);
  Facts facts = facts_of(program);
  for (size_t l = 0; l < home; ++l) facts = facts.inside(part.loops[l]);
  Access store = part, use = part;
  store.loops.erase(store.loops.begin(), store.loops.begin() + static_cast<ptrdiff_t>(home));
  store.guards.clear();  // of a step of a scan that is not taken; neither is what reads it
  use = store;
  use.loops.clear();
  const std::vector<Expr> shape = *tenon::shape_of(program, part.buffer);
  for (size_t d = 0; d < shape.size(); ++d) {
    const Var index("i");
    use.indices[d] = index;
    use.loops.push_back(For{index, constant_int(i64, 0), shape[d], ForKind::kSerial, seq({})});
  }
  return covers(store, use, facts);
}

}  // namespace

absl::Status calls_store_all(const Program& program) {
  if (externs_of(program->body).empty()) return absl::OkStatus();
  for (const Access& part : accesses_of(program->body)) {
    if (part.kind != Access::Kind::kWrite || !part.call() || stores_all(part, program)) continue;
    Names names(program);
    return refuse(
        "program " + program.name() + ": extern function " + part.call()->function.name +
            " cannot be shown to write every element of " + part.buffer.name() +
            ", by: " + headline(Stmt(std::make_shared<const StmtNode>(*part.statement)), names),
        {}, {"parts that cover it: whole, or an index of the domain"});
  }
  return absl::OkStatus();
}

}  // namespace tenon::dsl
