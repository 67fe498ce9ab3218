// May every iteration of a loop have its own part of one buffer?
#include <algorithm>
#include <set>

#include "analysis/extent.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

const Alloc* declared_in(const For& loop, const Buffer& buffer) {
  const Alloc* found = nullptr;
  const Seq* list = loop.body.as<Seq>();
  if (!list) return nullptr;
  for (const Stmt& s : list->stmts) {
    const Alloc* a = s.as<Alloc>();
    if (a && a->buffer == buffer) found = a;
  }
  return found;
}

// What the body of the loop declares is not there in front of it.
std::set<Var> variables_of(const For& loop) {
  std::set<Var> vars = {loop.var};
  walk(loop.body, [&](const Stmt& s) {
    if (const Bind* name = s.as<Bind>()) vars.insert(name->var);
  });
  return vars;
}

}  // namespace

absl::StatusOr<Expr> may_expand(const LoopSite& site, const Buffer& buffer) {
  const Program& within = site.program;
  const std::string loop = text_of(site.loop.var, within);
  TENON_RETURN_IF_ERROR(is_local(buffer, within));
  TENON_RETURN_IF_ERROR(has_own_indices(within, buffer));
  const Alloc* declaration = declared_in(site.loop, buffer);
  if (!declaration) {
    return refuse(text_of(buffer, within) + " is not declared directly in the body of loop " +
                  loop);
  }
  if (declaration->shape.size() + 1 > kMaxRank) {
    return refuse(text_of(buffer, within) + " has " + std::to_string(declaration->shape.size()) +
                  " dimensions already, and " + std::to_string(kMaxRank) + " are the most");
  }
  const std::set<Var> inside = variables_of(site.loop);
  for (const Expr& extent : declaration->shape) {
    const std::set<Var> used = free_vars(extent);
    const bool varies = std::any_of(used.begin(), used.end(),
                                    [&](const Var& var) { return inside.count(var) != 0; });
    if (varies || touches_memory(extent)) {
      return refuse("the shape of " + text_of(buffer, within) + " is known only inside of loop " +
                    loop + ": " + text_of(extent, within));
    }
  }
  return extent_in_front(site.loop, site.facts, within);
}

}  // namespace tenon
