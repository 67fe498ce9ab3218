#include "jit/call_shape.h"

#include <algorithm>

namespace tenon {
namespace {

// Null for a scalar. A packed weight is dense in its own layout.
const View* view_of(size_t argument, absl::Span<const Argument> inputs,
                    absl::Span<const View> outputs) {
  if (argument >= inputs.size()) return &outputs[argument - inputs.size()];
  const Argument& input = inputs[argument];
  return input.kind() == Argument::Kind::kScalar ? nullptr : &input.view();
}

bool is_packed(const Argument& argument) { return argument.layout() != 0; }

}  // namespace

bool CallShape::read(absl::Span<const Argument> inputs, absl::Span<const View> outputs) {
  if (inputs.size() != function_.inputs ||
      inputs.size() + outputs.size() != function_.params.size() || !read_sizes(inputs, outputs)) {
    return false;
  }
  for (size_t a = 0; a < function_.params.size(); ++a) {
    const View* view = view_of(a, inputs, outputs);
    push(view ? static_cast<int64_t>(stride_class(*view)) : 0);
  }
  return true;
}

bool CallShape::read_sizes(absl::Span<const Argument> inputs, absl::Span<const View> outputs) {
  for (size_t s = 0; s < function_.sources.size(); ++s) {
    const FunctionImpl::Source& source = function_.sources[s];
    const View* view = view_of(source.argument, inputs, outputs);
    const bool packed = source.argument < inputs.size() && is_packed(inputs[source.argument]);
    if (!view || !view->valid() || packed || source.dim >= view->rank()) {
      std::fill(sizes_ + s, sizes_ + function_.sources.size(), 0);
      return false;
    }
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
  // A packed weight is taken for a plain one of the right shape: its layout is for the kernel to
  // judge. Strides of 0, since the logical form has no memory of its own.
  std::vector<Argument> plain(inputs.begin(), inputs.end());
  for (size_t a = 0; a < plain.size() && a < function_.inputs; ++a) {
    const ParamSignature& param = function_.signature.params[function_.params[a]];
    if (param.role != ParamSignature::Role::kWeight || !is_packed(plain[a])) continue;
    std::vector<int64_t> shape;
    for (const SizeProgram& extent : param.shape) {
      shape.push_back(
          evaluate(extent, absl::MakeConstSpan(sizes_, function_.program->sizes.size())));
    }
    const View& packed = plain[a].view();
    plain[a] = View(packed.data(), packed.type(), shape, std::vector<int64_t>(shape.size(), 0));
  }
  BoundCall bound;
  return check_call(function_.signature, plain, outputs, &bound);
}

absl::Status CallShape::explain(absl::Span<const Argument> inputs,
                                absl::Span<const View> outputs) const {
  const absl::Status status = check(inputs, outputs);
  if (!status.ok()) return status;
  return refuse("function " + function_.program.name() +
                ": a packed weight does not show the sizes that are read off it; call the kernel "
                "that Jit::kernel gives for the sizes");
}

}  // namespace tenon
