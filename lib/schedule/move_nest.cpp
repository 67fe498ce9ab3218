#include "schedule/move_nest.h"

#include <algorithm>

#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::primitives {
namespace {

bool holds(const std::vector<Buffer>& stages, const Buffer& buffer) {
  return std::find(stages.begin(), stages.end(), buffer) != stages.end();
}

class Mover {
 public:
  Mover(const std::vector<Buffer>& stages, const std::vector<For>& loops, const Region& region)
      : stages_(stages), loops_(loops), region_(region) {
    for (size_t d = 0; d < loops.size(); ++d) {
      values_[loops[d].var] = region.lo[d] + Expr(loops[d].var);
    }
  }

  Stmt moved(const Stmt& s) const {
    if (const Store* x = s.as<Store>(); x && holds(stages_, x->buffer)) {
      return store(x->buffer, x->indices, moved(x->value), moved(x->mask));
    }
    if (const Accumulate* x = s.as<Accumulate>(); x && holds(stages_, x->buffer())) {
      std::vector<Expr> values = x->values;
      for (Expr& value : values) value = moved(value);
      return accumulate(x->buffers, x->indices, x->by, std::move(values), moved(x->mask));
    }
    if (const For* loop = s.as<For>()) {
      for (size_t d = 0; d < loops_.size(); ++d) {
        if (!(loop->var == loops_[d].var)) continue;
        return make_for(loop->var, 0, region_.extent[d], loop->kind, moved(loop->body));
      }
    }
    return map_children(
        s, [this](const Expr& e) { return moved(e); }, [this](const Stmt& t) { return moved(t); });
  }

 private:
  Expr moved(const Expr& e) const {
    if (!e) return e;
    if (const VarRef* ref = e.as<VarRef>()) {
      const auto value = values_.find(ref->var);
      return value == values_.end() ? e : value->second;
    }
    const Load* l = e.as<Load>();
    if (l && holds(stages_, l->buffer)) return load(l->buffer, l->indices, moved(l->mask));
    return map_children(e, [this](const Expr& child) { return moved(child); });
  }

  const std::vector<Buffer>& stages_;
  const std::vector<For>& loops_;
  const Region& region_;
  VarMap values_;
};

}  // namespace

Stmt moved_nest(const Stmt& nest, const std::vector<Buffer>& stages, const std::vector<For>& loops,
                const Region& region) {
  return Mover(stages, loops, region).moved(nest);
}

Stmt with_offset_reads(const Stmt& s, const std::vector<Buffer>& stages,
                       const std::vector<Expr>& offset) {
  const Stmt loaded = rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || !holds(stages, l->buffer)) return e;
    std::vector<Expr> indices = l->indices;
    for (size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] + offset[d];
    return load(l->buffer, std::move(indices), l->mask);
  });
  return rewrite_stmts(loaded, [&](const Stmt& t) {
    const Call* x = t.as<Call>();
    if (!x) return t;
    std::vector<CallRegion> reads = x->reads;
    bool changed = false;
    for (CallRegion& part : reads) {
      if (!holds(stages, part.buffer)) continue;
      changed = true;
      for (size_t d = 0; d < part.ranges.size(); ++d) {
        CallRegion::Range& range = part.ranges[d];
        range.lo = range.lo + offset[d];
        if (range.hi) range.hi = range.hi + offset[d];
      }
    }
    return changed ? call(x->function, x->writes, std::move(reads)) : t;
  });
}

std::vector<Var> loops_by_depth(const Stmt& nest, const std::vector<For>& loops) {
  std::vector<Var> found;
  walk(nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    const bool ours = loop && std::any_of(loops.begin(), loops.end(),
                                          [&](const For& l) { return l.var == loop->var; });
    if (ours) found.push_back(loop->var);
  });
  return found;
}

}  // namespace tenon::primitives
