#include "tenon/dsl/tensor.h"

#include <algorithm>

#include "dsl/definition.h"
#include "tenon/base/counted.h"
#include "tenon/base/limits.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr const char* kIndexNames[] = {"i", "j", "k", "l", "p", "q", "u", "v"};

// An index as i64.
Expr to_index(const Expr& e, const Tensor& t, int dim) {
  if (!e) return invalid("index " + std::to_string(dim) + " of " + t.name() + " is empty");
  if (e.is<Invalid>()) return e;
  if (!e.type().is_int() || e.type().is_vector()) {
    return invalid("index " + std::to_string(dim) + " of " + t.name() + " has type " +
                   to_string(e.type()) + "; an index is an integer");
  }
  return cast(i64, e);
}

// Of a definition that has gone wrong, and so may have no shape: null where it has not.
Expr mistake_of(const Buffer& buffer) {
  const Definition* definition = buffer.definition().get();
  const Nest* nest = definition ? std::get_if<Nest>(&definition->recipe->how) : nullptr;
  if (!nest) return {};
  const auto wrong = std::find_if(nest->values.begin(), nest->values.end(),
                                  [](const Expr& value) { return value.is<Invalid>(); });
  return wrong == nest->values.end() ? Expr() : *wrong;
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
    if (const Expr mistake = mistake_of(buffer_); mistake.get()) return mistake;
    return invalid(name() + " has " + counted(shape_.size(), "dimension") + " and is read with " +
                   counted(index.exprs().size(), "index", "indices"));
  }
  std::vector<Expr> settled;
  for (int d = 0; d < rank(); ++d) {
    settled.push_back(to_index(index[d], *this, d));
    if (settled.back().is<Invalid>()) return settled.back();
    if (!read_) settled.back() = dsl::checked_index(settled.back(), size(d));
  }
  return read_ ? (*read_)(Index(std::move(settled))) : load(buffer_, std::move(settled));
}

Tensor Tensor::view(const Tensor& of, std::vector<Expr> shape, Read read) {
  Tensor t(of.buffer_, of.role_, std::move(shape));
  t.read_ = std::make_shared<const Read>(std::move(read));
  return t;
}

Tensor input(std::string name, Type type, std::vector<Expr> shape) {
  return parameter(std::move(name), type, Role::kInput, std::move(shape));
}

Tensor weight(std::string name, Type type, std::vector<Expr> shape) {
  return parameter(std::move(name), type, Role::kWeight, std::move(shape));
}

Tensor inout(std::string name, Type type, std::vector<Expr> shape) {
  return parameter(std::move(name), type, Role::kInOut, std::move(shape));
}

Expr scalar(std::string name, Type type) {
  return Expr(Var(std::move(name), type, Var::Use::kScalar));
}

Expr broadcast(const Tensor& t, const Index& i) {
  if (t.rank() > i.size()) {
    return invalid(t.name() + " has " + counted(t.rank(), "dimension") + " and is broadcast over " +
                   std::to_string(i.size()));
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

Expr checked_index(const Expr& index, const Expr& extent) {
  return has_load(index) ? binary(BinaryOp::kCheck, index, cast(i64, extent)) : index;
}

Index make_indices(const std::vector<Expr>& shape) {
  std::vector<Expr> vars;
  for (size_t d = 0; d < shape.size(); ++d) {
    vars.emplace_back(Var(kIndexNames[d % kMaxRank], i64, Var::Use::kIndex));
  }
  return Index(std::move(vars));
}

std::vector<Tensor> make_tensors(std::vector<std::string> names, std::vector<Expr> shape,
                                 const Index& index, std::vector<Expr> values) {
  if (values.size() != names.size()) {
    const std::string wrong = "the definition of " + std::to_string(names.size()) +
                              " tensors returns " + std::to_string(values.size()) + " expressions";
    values.assign(names.size(), invalid(wrong));
  }
  for (size_t v = 0; v < values.size(); ++v) {
    if (!values[v]) values[v] = invalid("the definition of " + names[v] + " returns no expression");
    if (shape.size() > kMaxRank) {
      values[v] = invalid(names[v] + " has " + std::to_string(shape.size()) +
                          " dimensions; at most 8 are supported");
    }
  }
  Nest nest;
  nest.shape = shape;
  for (const Expr& i : index) nest.vars.push_back(i.as<VarRef>()->var);
  nest.values = values;
  const auto recipe = std::make_shared<const Recipe>(Recipe{std::move(nest)});
  std::vector<Tensor> tensors;
  for (size_t v = 0; v < values.size(); ++v) {
    auto definition = std::make_shared<const Definition>(Definition{recipe, v});
    // The type of a wrong expression is never seen: building the Program reports the message.
    const Type type = values[v].is<Invalid>() ? f32 : values[v].type();
    tensors.emplace_back(Buffer(std::move(names[v]), type, std::move(definition)), Role::kOutput,
                         shape);
  }
  return tensors;
}

Tensor make_tensor(std::string name, Type type, std::vector<Expr> shape, Recipe recipe) {
  auto definition = std::make_shared<const Definition>(
      Definition{std::make_shared<const Recipe>(std::move(recipe))});
  return Tensor(Buffer(std::move(name), type, std::move(definition)), Role::kOutput,
                std::move(shape));
}

std::vector<Tensor> make_results(Recipe recipe, const std::vector<std::string>& names,
                                 const std::vector<Type>& types) {
  const auto shared = std::make_shared<const Recipe>(std::move(recipe));
  std::vector<Tensor> tensors;
  for (size_t r = 0; r < names.size(); ++r) {
    auto definition = std::make_shared<const Definition>(Definition{shared, r});
    tensors.emplace_back(Buffer(names[r], types[r], std::move(definition)), Role::kOutput,
                         shape_of(*shared, r));
  }
  return tensors;
}

Tensor make_in_place(const Tensor& state, const Index& indices, const Expr& value) {
  Nest nest;
  nest.shape = state.shape();
  for (const Expr& i : indices) nest.vars.push_back(i.as<VarRef>()->var);
  const std::string what = "the new value of " + state.name();
  const Const* literal = value.as<Const>();
  Expr wrong = wrong_target(state);
  if (!wrong && !value) wrong = invalid(what + ": the definition returns no expression");
  if (!wrong && value.is<Invalid>()) wrong = value;
  if (!wrong && value.type() != state.type() && !(literal && literal->literal)) {
    wrong = invalid(what + " has type " + to_string(value.type()) + " and the tensor " +
                    to_string(state.type()) + "; cast it");
  }
  nest.values = {wrong ? wrong : cast(state.type(), value)};
  return written_in_place(state, Recipe{std::move(nest), wrong ? Buffer() : state.buffer()});
}

Expr wrong_target(const Tensor& state) {
  if (!state.buffer()) return invalid("a tensor that was never defined is written in place");
  if (!state.is_view() && state.role() == Role::kInOut && !state.is_computed()) return {};
  return invalid(state.name() + " is " +
                 (state.is_view()                 ? "a view"
                  : state.role() == Role::kInOut  ? "written in place already"
                  : state.is_computed()           ? "computed"
                  : state.buffer().definition()   ? "a table"
                  : state.role() == Role::kWeight ? "a weight"
                                                  : "an input") +
                 "; only what tn::inout declares is written in place, by one definition");
}

Tensor written_in_place(const Tensor& state, Recipe recipe) {
  auto definition = std::make_shared<const Definition>(
      Definition{std::make_shared<const Recipe>(std::move(recipe))});
  return Tensor(Buffer(state.name(), state.type(), std::move(definition)), Role::kInOut,
                state.shape());
}

Tensor make_table(std::string name, Type type, const std::vector<int64_t>& shape,
                  std::vector<uint64_t> bits) {
  Literal literal;
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    literal.shape.push_back(constant_int(i64, std::max<int64_t>(extent, 0)));
    if (extent < 0) literal.wrong = invalid("a table has an extent of " + std::to_string(extent));
    if (__builtin_mul_overflow(elements, std::max<int64_t>(extent, 0), &elements)) {
      elements = INT64_MAX;
    }
  }
  const auto values = static_cast<int64_t>(bits.size());
  if (elements != values || values > kMaxTableElements) {
    literal.wrong =
        invalid(elements != values ? "a table of " + std::to_string(elements) +
                                         " elements is given " + std::to_string(values) + " values"
                                   : "a table of " + std::to_string(values) +
                                         " elements; at most " + std::to_string(kMaxTableElements) +
                                         " are part of a program: pass it as a weight");
  }
  literal.bits = std::make_shared<const std::vector<uint64_t>>(std::move(bits));
  std::vector<Expr> extents = literal.shape;
  auto definition = std::make_shared<const Definition>(
      Definition{std::make_shared<const Recipe>(Recipe{std::move(literal)})});
  return Tensor(Buffer(std::move(name), type, std::move(definition)), Role::kInput,
                std::move(extents));
}

std::string arity_message(size_t n) {
  return "a function over " + counted(n, "dimension") + " takes " + counted(n, "index", "indices") +
         " or one tn::Index";
}

}  // namespace dsl

}  // namespace tenon
