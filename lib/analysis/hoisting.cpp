#include "analysis/hoisting.h"

#include <algorithm>
#include <set>

#include "analysis/overwrite.h"
#include "analysis/text.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// What stands in the nest.
std::set<const StmtNode*> nodes_of(const Stmt& nest) {
  std::set<const StmtNode*> nodes;
  walk(nest, [&](const Stmt& s) { nodes.insert(s.get()); });
  return nodes;
}

}  // namespace

absl::Status uses_nothing_declared_in(const LoopSite& loop, const Stmt& nest, const Stage& stage) {
  const std::set<const StmtNode*> own = nodes_of(nest);
  absl::Status status;
  const auto inside = [&] { return " inside of loop " + stage.name_of(loop.loop.var); };
  walk(loop.loop.body, [&](const Stmt& s) {
    if (!status.ok() || own.count(s.get()) != 0) return;
    if (const Bind* x = s.as<Bind>(); x && uses(nest, x->var)) {
      status = refuse("the nest of " + stage.name() + " uses " + stage.name_of(x->var) +
                      ", which is named" + inside());
    }
    const Alloc* x = s.as<Alloc>();
    if (x && !stage.holds(x->buffer) && uses(nest, x->buffer)) {
      status = refuse("the nest of " + stage.name() + " reads " + stage.name_of(x->buffer) +
                      ", which is declared" + inside() + ": move that first");
    }
  });
  return status;
}

absl::Status inputs_keep(const LoopSite& loop, const Stmt& nest, const Stage& stage, bool before) {
  const std::set<const StmtNode*> own = nodes_of(nest);
  const std::vector<Access> all = accesses_of(loop.statement);
  for (const Access& read : all) {
    if (read.kind != Access::Kind::kRead || own.count(read.statement) == 0) continue;
    for (const Access& write : all) {
      const bool other = write.kind != Access::Kind::kRead && own.count(write.statement) == 0;
      if (!other || !(write.buffer == read.buffer)) continue;
      const auto conflict =
          before ? touches_after(write, read, loop.facts) : touches_after(read, write, loop.facts);
      if (!conflict) continue;
      const Meeting& m = conflict->meeting;
      const std::string reads = "the nest of " + stage.name() + " reads ";
      const std::string when = before ? " before that" : " after that";
      if (m.answer != Answer::kYes) {
        return refuse(reads + element(read.buffer, read.indices, stage.program) +
                      ", which may be written" + when + " in loop " + stage.name_of(loop.loop.var));
      }
      const auto& at_read = before ? m.b_values : m.a_values;
      const auto& at_write = before ? m.a_values : m.b_values;
      return refuse(reads + element(read.buffer, m.element, stage.program) +
                    iteration_of(at_read, stage.program) + ", which is written" + when +
                    iteration_of(at_write, stage.program) +
                    (m.sizes.empty() ? "" : ", with " + text_of(m.sizes, stage.program)));
    }
  }
  return absl::OkStatus();
}

Expr as_extent(const Expr& extent, const Facts& facts) {
  const Expr simple = simplify(extent, facts);
  return proved(facts, Expr(0) <= simple) ? simple : simplify(max(simple, Expr(0)), facts);
}

}  // namespace tenon
