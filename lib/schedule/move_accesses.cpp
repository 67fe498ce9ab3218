#include "schedule/move_accesses.h"

#include <algorithm>

#include "tenon/ir/visit.h"

namespace tenon::primitives {

Stmt with_moved_accesses(const Stmt& s, const Buffer& from, const Buffer& to,
                         const Placement& place) {
  const Stmt loaded = rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    return l && l->buffer == from ? load(to, place(l->indices), l->mask) : e;
  });
  return rewrite_stmts(loaded, [&](const Stmt& t) {
    if (const Store* x = t.as<Store>(); x && x->buffer == from) {
      return store(to, place(x->indices), x->value, x->mask);
    }
    if (const Accumulate* x = t.as<Accumulate>(); x && x->writes(from)) {
      std::vector<Buffer> buffers = x->buffers;
      std::replace(buffers.begin(), buffers.end(), from, to);
      return accumulate(std::move(buffers), place(x->indices), x->by, x->values, x->mask);
    }
    return t;
  });
}

Stmt with_moved_accesses(const Stmt& s, const std::vector<Buffer>& buffers,
                         const Placement& place) {
  const auto is_moved = [&](const Buffer& b) {
    return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
  };
  const Stmt loaded = rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    return l && is_moved(l->buffer) ? load(l->buffer, place(l->indices), l->mask) : e;
  });
  return rewrite_stmts(loaded, [&](const Stmt& t) {
    if (const Store* x = t.as<Store>(); x && is_moved(x->buffer)) {
      return store(x->buffer, place(x->indices), x->value, x->mask);
    }
    if (const Accumulate* x = t.as<Accumulate>(); x && is_moved(x->buffer())) {
      return accumulate(x->buffers, place(x->indices), x->by, x->values, x->mask);
    }
    return t;
  });
}

Stmt without_alloc(const Stmt& s, const Buffer& buffer) {
  return rewrite_stmts(s, [&](const Stmt& t) {
    const Alloc* a = t.as<Alloc>();
    return a && a->buffer == buffer ? seq({}) : t;
  });
}

}  // namespace tenon::primitives
