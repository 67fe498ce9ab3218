#include "jit/make_signature.h"

#include <algorithm>

#include "tenon/base/macros.h"
#include "tenon/ir/packing.h"

namespace tenon {
namespace {

using Op = SizeProgram::Op;

std::optional<Op> op_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return Op::kAdd;
    case BinaryOp::kSub: return Op::kSub;
    case BinaryOp::kMul: return Op::kMul;
    case BinaryOp::kFloorDiv: return Op::kFloorDiv;
    case BinaryOp::kFloorMod: return Op::kFloorMod;
    case BinaryOp::kMin: return Op::kMin;
    case BinaryOp::kMax: return Op::kMax;
    case BinaryOp::kLt: return Op::kLt;
    case BinaryOp::kLe: return Op::kLe;
    case BinaryOp::kEq: return Op::kEq;
    case BinaryOp::kNe: return Op::kNe;
    case BinaryOp::kBitAnd: return Op::kAnd;
    case BinaryOp::kBitOr: return Op::kOr;
    default: return std::nullopt;
  }
}

// Appends the code of e; false when e is not made of sizes and the operators above.
bool append(const Expr& e, const std::vector<Var>& sizes,
            std::vector<SizeProgram::Instruction>& code) {
  if (const std::optional<int64_t> value = as_int(e)) {
    code.push_back({Op::kConst, *value});
    return true;
  }
  if (const VarRef* ref = e.as<VarRef>()) {
    const auto found = std::find(sizes.begin(), sizes.end(), ref->var);
    if (found == sizes.end()) return false;
    code.push_back({Op::kSize, found - sizes.begin()});
    return true;
  }
  if (const Binary* b = e.as<Binary>()) {
    const std::optional<Op> op = op_of(b->op);
    if (!op || !append(b->a, sizes, code) || !append(b->b, sizes, code)) return false;
    code.push_back({*op});
    return true;
  }
  if (const Select* s = e.as<Select>()) {
    if (!append(s->condition, sizes, code) || !append(s->on_true, sizes, code) ||
        !append(s->on_false, sizes, code)) {
      return false;
    }
    code.push_back({Op::kSelect});
    return true;
  }
  const Unary* u = e.as<Unary>();
  if (!u || u->op != UnaryOp::kNot || !e.type().is_bool()) return false;
  if (!append(u->a, sizes, code)) return false;
  code.push_back({Op::kNot});
  return true;
}

ParamSignature::Role role_of(Role role) {
  switch (role) {
    case Role::kInput: return ParamSignature::Role::kInput;
    case Role::kWeight: return ParamSignature::Role::kWeight;
    case Role::kOutput: return ParamSignature::Role::kOutput;
    case Role::kInOut: return ParamSignature::Role::kInOut;
    case Role::kScalar: return ParamSignature::Role::kScalar;
  }
  return ParamSignature::Role::kInput;
}

absl::StatusOr<std::vector<SizeProgram>> make_shape(const std::vector<Expr>& shape,
                                                    const std::vector<Var>& sizes) {
  std::vector<SizeProgram> programs;
  for (const Expr& extent : shape) {
    TENON_ASSIGN_OR_RETURN(SizeProgram program, make_size_program(extent, sizes));
    programs.push_back(std::move(program));
  }
  return programs;
}

// The class that bind_strides was asked for shows in the strides that it made.
StrideClass class_of(const Param& bound) {
  if (bound.strides.empty()) return StrideClass::kDense;
  return is_constant(bound.strides.back(), 1) ? StrideClass::kInnerUnit : StrideClass::kGeneral;
}

absl::StatusOr<ParamSignature> make_param(const Param& param, const Param& bound,
                                          const std::vector<Var>& sizes) {
  ParamSignature signature;
  signature.name = param.name();
  signature.role = role_of(param.role);
  signature.type = param.buffer ? param.buffer.type() : param.scalar.type();
  const std::vector<Expr>& logical = param.packing ? param.packing->logical_shape : param.shape;
  TENON_ASSIGN_OR_RETURN(signature.shape, make_shape(logical, sizes));
  if (param.packing) {
    signature.layout = layout_hash(param);
    TENON_ASSIGN_OR_RETURN(signature.packed_shape, make_shape(param.shape, sizes));
  }
  signature.strides = class_of(bound);
  for (const Expr& stride : bound.strides) {
    const VarRef* ref = stride.as<VarRef>();
    const auto slot = ref ? std::find(sizes.begin(), sizes.end(), ref->var) : sizes.end();
    signature.hidden_strides.push_back(
        slot == sizes.end() ? -1 : static_cast<int>(slot - sizes.begin()));
  }
  return signature;
}

}  // namespace

absl::StatusOr<SizeProgram> make_size_program(const Expr& e, const std::vector<Var>& sizes) {
  SizeProgram program;
  program.text = print(e);
  if (!append(e, sizes, program.code)) {
    return refuse(program.text +
                  " cannot be computed when a kernel is called: it must be made of " +
                  "sizes and constants with + - * // % min max select and comparisons");
  }
  return program;
}

absl::StatusOr<Signature> make_signature(const Program& scheduled, const Program& bound,
                                         std::vector<std::string> checks) {
  Signature signature;
  signature.kernel = scheduled.name();
  for (const Var& size : scheduled->sizes) signature.sizes.push_back(size.name());
  signature.size_slots = static_cast<int>(bound->sizes.size());
  for (size_t p = 0; p < scheduled->params.size(); ++p) {
    TENON_ASSIGN_OR_RETURN(ParamSignature param,
                           make_param(scheduled->params[p], bound->params[p], bound->sizes));
    signature.params.push_back(std::move(param));
  }
  for (const Expr& requirement : scheduled->requirements) {
    TENON_ASSIGN_OR_RETURN(SizeProgram condition, make_size_program(requirement, bound->sizes));
    signature.requirements.push_back({std::move(condition), print(requirement)});
  }
  signature.checks = std::move(checks);
  return signature;
}

}  // namespace tenon
