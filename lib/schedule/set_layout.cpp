// set_layout(w, [d0, d1] -> [d0 // 32, d1, d0 % 32]):
//
//   weight w: f32[n, k]                weight w: f32[ceildiv(n, 32), k, 32] packs [n, k] by ...
//   ... w[j, r] ...             ->     ... w[j // 32, r, j % 32] ...
//
// Obligation (may_set_layout): the buffer is an intermediate or a weight; different elements go to
// different places. An intermediate is declared in its new shape; a weight remembers how its stored
// form follows from the logical one, and kernel.pack makes it. Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

class Relayout {
 public:
  Relayout(const Buffer& buffer, const std::vector<Var>& vars, const std::vector<Expr>& map,
           const std::vector<Expr>& shape)
      : buffer_(buffer), vars_(vars), map_(map), shape_(shape) {}

  Stmt body(const Stmt& s) const {
    const Stmt mapped = with_moved_accesses(
        s, buffer_, buffer_, [this](const auto& indices) { return place_of(indices); });
    return rewrite_stmts(mapped, [this](const Stmt& t) {
      const Alloc* x = t.as<Alloc>();
      return x && x->buffer == buffer_ ? alloc(buffer_, shape_, x->memory, x->offset) : t;
    });
  }

  // A weight that is packed already is packed once more from its logical form.
  Param weight(Param param) const {
    if (param.packing) {
      param.packing->map = place_of(param.packing->map);
    } else {
      param.packing = Packing{param.shape, vars_, map_};
    }
    param.shape = shape_;
    return param;
  }

 private:
  std::vector<Expr> place_of(const std::vector<Expr>& indices) const {
    VarMap values;
    for (size_t d = 0; d < vars_.size(); ++d) values[vars_[d]] = indices[d];
    std::vector<Expr> place;
    for (const Expr& e : map_) place.push_back(substitute(e, values));
    return place;
  }

  const Buffer& buffer_;
  const std::vector<Var>& vars_;
  const std::vector<Expr>& map_;
  const std::vector<Expr>& shape_;
};

}  // namespace

absl::StatusOr<Program> set_layout(const Program& program, const Buffer& buffer,
                                   const std::vector<Var>& vars, const std::vector<Expr>& map) {
  // Find and require.
  if (map.size() > kMaxRank) {
    return refuse("the layout gives " + buffer.name() + " " + std::to_string(map.size()) +
                  " dimensions, and " + std::to_string(kMaxRank) + " are the most");
  }
  TENON_ASSIGN_OR_RETURN(const Layout layout, may_set_layout(program, buffer, vars, map));

  // Rewrite.
  const Relayout relayout(buffer, vars, map, layout.shape);
  ProgramData data = *program;
  for (Param& param : data.params) {
    if (param.buffer == buffer) param = relayout.weight(std::move(param));
  }
  return simplified(Program(std::move(data)), relayout.body(program->body));
}

}  // namespace tenon::primitives
