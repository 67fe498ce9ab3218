#include "jit/call_shape.h"

#include <algorithm>

namespace tenon {
namespace {

// As the Program declares the argument; null for a scalar.
const View* logical_view(size_t argument, absl::Span<const Argument> inputs,
                         absl::Span<const View> outputs) {
  if (argument >= inputs.size()) return &outputs[argument - inputs.size()];
  const Argument& input = inputs[argument];
  return input.kind() == Argument::Kind::kScalar ? nullptr : &input.logical();
}

bool is_packed(size_t argument, absl::Span<const Argument> inputs) {
  return argument < inputs.size() && inputs[argument].layout() != 0;
}

}  // namespace

bool CallShape::read(absl::Span<const Argument> inputs, absl::Span<const View> outputs) {
  if (inputs.size() != function_.inputs ||
      inputs.size() + outputs.size() != function_.params.size() || !read_sizes(inputs, outputs)) {
    return false;
  }
  for (size_t a = 0; a < function_.params.size(); ++a) {
    const View* view = logical_view(a, inputs, outputs);
    const bool dense = !view || is_packed(a, inputs);  // packed: dense in its own layout
    push(static_cast<int64_t>(dense ? StrideClass::kDense : stride_class(*view)));
  }
  return true;
}

bool CallShape::read_sizes(absl::Span<const Argument> inputs, absl::Span<const View> outputs) {
  for (size_t s = 0; s < function_.sources.size(); ++s) {
    const FunctionImpl::Source& source = function_.sources[s];
    const View* view = logical_view(source.argument, inputs, outputs);
    if (!view || !view->valid() || source.dim >= view->rank()) return false;
    sizes_[s] = view->size(source.dim);
    if (!function_.is_symbolic(function_.program->sizes[s])) push(sizes_[s]);
  }
  return true;
}

absl::Status CallShape::take(const Sizes& sizes) {
  const std::string name = "function " + function_.program.name();
  const std::vector<Var>& known = function_.program->sizes;
  for (const auto& [size, value] : sizes.values()) {
    if (std::find(known.begin(), known.end(), size) != known.end()) continue;
    return refuse(name + ": " + (size ? size.name() : "a null size") + " is not one of its sizes");
  }
  if (absl::Status status = check_single_values(sizes.values()); !status.ok()) {
    return refuse(name + ": " + std::string(status.message()));
  }
  for (size_t s = 0; s < known.size(); ++s) {
    const std::optional<int64_t> value = sizes.find(known[s]);
    sizes_[s] = value.value_or(0);
    if (function_.is_symbolic(known[s])) continue;
    if (!value) return refuse(name + ": size " + known[s].name() + " has no value");
    push(*value);
  }
  for (size_t a = 0; a < function_.params.size(); ++a) {
    push(static_cast<int64_t>(StrideClass::kDense));
  }
  return absl::OkStatus();
}

Sizes CallShape::constants() const {
  std::vector<std::pair<Var, int64_t>> values;
  for (size_t s = 0; s < function_.program->sizes.size(); ++s) {
    const Var& size = function_.program->sizes[s];
    if (!function_.is_symbolic(size)) values.emplace_back(size, sizes_[s]);
  }
  return Sizes(std::move(values));
}

std::vector<StrideClass> CallShape::classes() const {
  const size_t arguments = function_.params.size();
  std::vector<StrideClass> classes(arguments);
  for (size_t a = 0; a < arguments; ++a) {
    classes[function_.params[a]] = static_cast<StrideClass>(values_[count_ - arguments + a]);
  }
  return classes;
}

absl::Status CallShape::check(absl::Span<const Argument> inputs,
                              absl::Span<const View> outputs) const {
  // In place of a packed weight stands what was packed: the layout is for the kernel to judge. With
  // strides of 0, since it has no memory of its own.
  std::vector<Argument> plain(inputs.begin(), inputs.end());
  for (size_t a = 0; a < plain.size() && a < function_.inputs; ++a) {
    const View& logical = inputs[a].logical();
    const Role role = function_.program->params[function_.params[a]].role;
    if (role != Role::kWeight || !is_packed(a, inputs) || !logical.valid()) continue;
    std::vector<int64_t> shape;
    for (int d = 0; d < logical.rank(); ++d) shape.push_back(logical.size(d));
    plain[a] =
        View(inputs[a].view().data(), logical.type(), shape, std::vector<int64_t>(shape.size(), 0));
  }
  BoundCall bound;
  return check_call(function_.signature, plain, outputs, &bound);
}

absl::Status CallShape::explain(absl::Span<const Argument> inputs,
                                absl::Span<const View> outputs) const {
  const absl::Status status = check(inputs, outputs);
  if (!status.ok()) return status;
  return refuse("function " + function_.program.name() +
                ": its sizes cannot be read off these arguments");
}

}  // namespace tenon
