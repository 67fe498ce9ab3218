#include "tenon/ir/packing.h"

#include <algorithm>
#include <set>

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

std::vector<Expr> as_indices(const std::vector<Var>& vars) {
  return std::vector<Expr>(vars.begin(), vars.end());
}

Stmt nest(const std::vector<Var>& vars, const std::vector<Expr>& shape, Stmt body) {
  for (size_t d = vars.size(); d-- > 0;) {
    body = make_for(vars[d], constant_int(i64, 0), shape[d], ForKind::kSerial, body);
  }
  return body;
}

// Sizes in the shapes and the map, oldest first.
std::vector<Var> sizes_of(const Param& param) {
  std::set<Var> sizes;
  for (const Expr& e : param.shape) sizes.merge(free_vars(e));
  for (const Expr& e : param.packing->logical_shape) sizes.merge(free_vars(e));
  for (const Expr& e : param.packing->map) sizes.merge(free_vars(e));
  for (const Var& var : param.packing->vars) sizes.erase(var);
  return std::vector<Var>(sizes.begin(), sizes.end());
}

}  // namespace

Program packing_program(const Param& param, const std::vector<Expr>& requirements) {
  const Packing& packing = *param.packing;
  const Type type = param.buffer.type();
  const Buffer logical(param.name(), type);
  const Buffer packed("packed", type);

  std::vector<Var> places;
  for (size_t d = 0; d < param.shape.size(); ++d) places.emplace_back("p" + std::to_string(d));
  const Stmt clear =
      nest(places, param.shape, store(packed, as_indices(places), constant_bits(type, 0)));
  std::vector<Var> vars;
  VarMap renamed;
  for (const Var& var : packing.vars) {
    vars.emplace_back(var.name());
    renamed[var] = vars.back();
  }
  std::vector<Expr> target;
  for (const Expr& index : packing.map) target.push_back(substitute(index, renamed));
  const Stmt move =
      nest(vars, packing.logical_shape, store(packed, target, load(logical, as_indices(vars))));

  ProgramData data;
  data.name = "pack_" + param.name();
  data.sizes = sizes_of(param);
  for (const Expr& fact : requirements) {
    const std::set<Var> used = free_vars(fact);
    const bool is_known = std::all_of(used.begin(), used.end(), [&](const Var& var) {
      return std::find(data.sizes.begin(), data.sizes.end(), var) != data.sizes.end();
    });
    if (is_known) data.requirements.push_back(fact);
  }
  data.params.push_back({Role::kInput, logical, {}, packing.logical_shape, {}, {}});
  data.params.push_back({Role::kOutput, packed, {}, param.shape, {}, {}});
  data.body = seq({clear, move});
  return Program(std::move(data));
}

uint64_t layout_hash(const Param& param) {
  // The packing program with fixed names is the layout, whatever the weight is called.
  Param anonymous = param;
  anonymous.buffer = Buffer("w", param.buffer.type());
  return structural_hash(packing_program(anonymous));
}

}  // namespace tenon
