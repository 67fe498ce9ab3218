#include "tenon/dsl/tensor.h"

#include "dsl/definition.h"
#include "tenon/base/limits.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr const char* kIndexNames[] = {"i", "j", "k", "l", "p", "q", "u", "v"};

std::string dimensions(size_t n) {
  return std::to_string(n) + (n == 1 ? " dimension" : " dimensions");
}
std::string indices(size_t n) { return std::to_string(n) + (n == 1 ? " index" : " indices"); }

// An index as i64, with its run-time check when it is data.
Expr to_index(const Expr& e, const Tensor& t, int dim) {
  if (!e) return invalid("index " + std::to_string(dim) + " of " + t.name() + " is empty");
  if (e.is<Invalid>()) return e;
  if (!e.type().is_int() || e.type().is_vector()) {
    return invalid("index " + std::to_string(dim) + " of " + t.name() + " has type " +
                   to_string(e.type()) + "; an index is an integer");
  }
  const Expr index = cast(i64, e);
  return has_load(index) ? binary(BinaryOp::kCheck, index, cast(i64, t.size(dim))) : index;
}

Tensor parameter(std::string name, Type type, Role role, std::vector<Expr> shape) {
  return Tensor(Buffer(std::move(name), type), role, std::move(shape));
}

}  // namespace

const Expr& Tensor::size(int dim) const {
  static const Expr kNone = invalid("the size of a dimension that the tensor does not have");
  return dim >= 0 && dim < rank() ? shape_[static_cast<size_t>(dim)] : kNone;
}

Expr Tensor::operator()(const Index& index) const {
  if (!buffer_) return invalid("a tensor that was never defined is read");
  if (index.size() != rank()) {
    return invalid(name() + " has " + dimensions(shape_.size()) + " and is read with " +
                   indices(index.exprs().size()));
  }
  std::vector<Expr> checked;
  for (int d = 0; d < rank(); ++d) {
    checked.push_back(to_index(index[d], *this, d));
    if (checked.back().is<Invalid>()) return checked.back();
  }
  return load(buffer_, std::move(checked));
}

Tensor input(std::string name, Type type, std::vector<Expr> shape) {
  return parameter(std::move(name), type, Role::kInput, std::move(shape));
}

Tensor weight(std::string name, Type type, std::vector<Expr> shape) {
  return parameter(std::move(name), type, Role::kWeight, std::move(shape));
}

Expr scalar(std::string name, Type type) {
  return Expr(Var(std::move(name), type, Var::Use::kScalar));
}

Expr broadcast(const Tensor& t, const Index& i) {
  if (t.rank() > i.size()) {
    return invalid(t.name() + " has " + dimensions(static_cast<size_t>(t.rank())) +
                   " and is broadcast over " + std::to_string(i.size()));
  }
  Index read = i.last(t.rank());
  for (int d = 0; d < t.rank(); ++d) {
    const std::optional<int64_t> size = as_int(t.size(d));
    if (size == 1) read = read.with(d, Expr(0));
    if (!size) read = read.with(d, select(t.size(d) == 1, Expr(0), read[d]));
  }
  return t(read);
}

namespace dsl {

Index make_indices(const std::vector<Expr>& shape) {
  std::vector<Expr> vars;
  for (size_t d = 0; d < shape.size(); ++d) {
    vars.emplace_back(Var(kIndexNames[d % kMaxRank], i64, Var::Use::kIndex));
  }
  return Index(std::move(vars));
}

Tensor make_tensor(std::string name, std::vector<Expr> shape, const Index& index, Expr value) {
  if (!value) value = invalid("the definition of " + name + " returns no expression");
  if (shape.size() > kMaxRank) {
    value = invalid(name + " has " + std::to_string(shape.size()) + " dimensions; at most 8");
  }
  auto definition = std::make_shared<Definition>();
  definition->shape = shape;
  for (const Expr& i : index) definition->vars.push_back(i.as<VarRef>()->var);
  definition->value = value;
  // The type of a wrong expression is never seen: building the Program reports the message.
  const Type type = value.is<Invalid>() ? f32 : value.type();
  return Tensor(Buffer(std::move(name), type, definition), Role::kOutput, std::move(shape));
}

std::string arity_message(size_t n) {
  return "a function over " + dimensions(n) + " takes " + indices(n) + " or one tn::Index";
}

}  // namespace dsl

}  // namespace tenon
