#include "schedule/resize.h"

#include <string>

#include "schedule/common.h"
#include "tenon/base/counted.h"
#include "tenon/ir/visit.h"

namespace tenon::primitives {

absl::StatusOr<std::vector<Expr>> shape_of_local(const Program& program, const Buffer& stage,
                                                 int dim) {
  std::optional<std::vector<Expr>> shape = shape_of(program, stage);
  if (!shape) return refuse("the program has no buffer " + stage.name());
  if (find_param(program, stage)) {
    return refuse(stage.name() + " is a parameter: its shape belongs to the caller");
  }
  if (find_table(program, stage)) {
    return refuse(stage.name() + " is a table, whose shape is that of its values");
  }
  if (dim < 0 || static_cast<size_t>(dim) >= shape->size()) {
    return refuse(stage.name() + " has " + counted(shape->size(), "dimension") +
                  ", and dimension " + std::to_string(dim) + " was asked for");
  }
  return *std::move(shape);
}

Stmt with_extent(const Stmt& body, const Buffer& stage, size_t dim, const Expr& extent) {
  return rewrite_stmts(body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || !(a->buffer == stage)) return s;
    std::vector<Expr> shape = a->shape;
    shape[dim] = extent;
    return alloc(stage, std::move(shape), a->memory, a->offset);
  });
}

}  // namespace tenon::primitives
