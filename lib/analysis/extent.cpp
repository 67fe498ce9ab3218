#include "analysis/extent.h"

#include <algorithm>

#include "analysis/text.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {

namespace {

bool reads_memory(const Expr& e, const VarMap& names) {
  return any_in(e, [&](const Expr& x) {
    const VarRef* ref = x.as<VarRef>();
    const auto name = ref ? names.find(ref->var) : names.end();
    return name == names.end() ? touches_memory(x) : reads_memory(name->second, names);
  });
}

}  // namespace

bool is_data(const Expr& e, const Program& within) {
  VarMap names;
  walk(within->body, [&](const Stmt& s) {
    if (const Bind* x = s.as<Bind>()) names[x->var] = x->value;
  });
  return reads_memory(e, names);
}

bool is_known(const Expr& e, const Facts& facts) {
  const std::set<Var> vars = free_vars(e);
  return !touches_memory(e) &&
         std::all_of(vars.begin(), vars.end(), [&](const Var& var) { return facts.knows(var); });
}

absl::StatusOr<Expr> extent_in_front(const For& loop, const Facts& facts, const Program& within) {
  for (const Expr& bound : {loop.lo, loop.hi}) {
    if (!is_data(bound, within)) continue;
    return refuse("the number of iterations of loop " + text_of(loop.var, within) +
                  " is read from memory: " + text_of(bound, within));
  }
  const Expr extent = simplify(loop.hi - loop.lo, facts);
  const std::optional<int64_t> count = as_int(extent);
  return count ? Expr(std::max<int64_t>(*count, 0)) : extent;
}

absl::Status region_is_no_data(const Region& region, const std::string& stage, const char* used,
                               const Program& within) {
  absl::Status status;
  for (const Expr& lo : region.lo) {
    walk(lo, [&](const Expr& e) {
      const Binary* b = e.as<Binary>();
      if (b && b->op == BinaryOp::kCheck && status.ok()) {
        status = refuse("which part of " + stage + " is " + used +
                        " is checked at run time: " + text_of(e, within));
      }
      const Load* l = e.as<Load>();
      if (!l) return;
      status = refuse("which part of " + stage + " is " + used +
                      " depends on data: " + text_of(l->buffer, within));
    });
  }
  for (const Expr& extent : region.extent) {
    if (!status.ok() || !is_data(extent, within)) continue;
    status = refuse("how much of " + stage + " is " + used +
                    " depends on data: " + text_of(extent, within));
  }
  return status;
}

}  // namespace tenon
