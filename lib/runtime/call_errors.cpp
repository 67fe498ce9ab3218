// The words for what the check of a call finds.
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/call_problem.h"
#include "tenon/base/counted.h"

namespace tenon {
namespace {

using Kind = CallProblem::Kind;
using Role = ParamSignature::Role;

std::string text_of(const std::vector<SizeProgram>& shape) {
  std::string text = "[";
  for (const SizeProgram& size : shape) text += (text.size() > 1 ? ", " : "") + size.text;
  return text + "]";
}

// "f32[m, 768]"; "packed f32[768, 768]"; "f32 scalar".
std::string expectation(const ParamSignature& p) {
  const std::string type = to_string(p.type);
  if (p.role == Role::kScalar) return type + " scalar";
  return (p.layout != 0 ? "packed " : "") + type + text_of(p.shape);
}

std::string text_of_scalar(Type type, uint64_t bits) {
  uint64_t wide = 0;
  if (type.is_bool()) return bits != 0 ? "true" : "false";
  if (type.is_float()) {
    char text[32];
    convert_scalar(type, bits, f64, &wide);
    double value = 0;
    __builtin_memcpy(&value, &wide, sizeof(value));
    std::snprintf(text, sizeof(text), "%g", value);
    return text;
  }
  if (convert_scalar(type, bits, i64, &wide)) return std::to_string(static_cast<int64_t>(wide));
  return std::to_string(bits);  // a u64 above all i64
}

class Describer {
 public:
  Describer(const Signature& signature, const CallProblem& problem,
            absl::Span<const Argument> inputs, absl::Span<const View> outputs,
            const BoundCall& bound)
      : signature_(signature),
        problem_(problem),
        inputs_(inputs),
        outputs_(outputs),
        bound_(bound) {}

  std::string message() const { return "kernel " + signature_.kernel + ": " + text(); }

 private:
  std::string text() const {
    switch (problem_.kind) {
      case Kind::kNone: return "";
      case Kind::kNotReady: return "its signature has not been finalized";
      case Kind::kCount: return wrong_count();
      case Kind::kRequirement: return broken_requirement();
      default: return "argument " + name_of_param(problem_.param) + ": " + argument_text();
    }
  }

  std::string argument_text() const {
    const ParamSignature& p = param();
    switch (problem_.kind) {
      case Kind::kNotAView:
      case Kind::kNotAScalar: return "expected " + expectation(p) + ", got " + given();
      case Kind::kScalarValue:
        return "expected " + expectation(p) + ", got " + given() + ": the value does not fit";
      case Kind::kNotPacked: return "expected " + expectation(p) + ", got " + given() + pack_hint();
      case Kind::kOtherLayout:
        return "this weight was packed for another kernel or schedule" + pack_hint();
      case Kind::kUnexpectedPack:
        return "expected " + expectation(p) + ", got a packed weight: pass the plain view";
      case Kind::kType: return both_sides() + ": the type differs";
      case Kind::kInvalidView:
        return "expected " + expectation(p) + ", got a view of more than " +
               std::to_string(kMaxRank) + " dimensions or without one stride for each";
      case Kind::kRank: return both_sides() + ": the rank differs";
      case Kind::kSize: return both_sides() + ": " + size_text();
      case Kind::kNegativeSize: return both_sides() + ": " + negative_text();
      case Kind::kTooLarge: return given() + " is larger than the address space";
      case Kind::kStrides: return stride_text();
      case Kind::kNull: return "a null pointer for " + given();
      case Kind::kAlignment:
        return "the address must be a multiple of " + std::to_string(p.type.bytes()) +
               ", the size of " + to_string(p.type) + ", and is " +
               std::to_string(reinterpret_cast<uintptr_t>(view().data()) %
                              static_cast<uintptr_t>(p.type.bytes())) +
               " beyond one";
      case Kind::kOverlap: return "its memory overlaps argument " + name_of_param(problem_.other);
      case Kind::kOverlapsWorkspace: return "its memory overlaps the workspace of the call";
      case Kind::kOverlapsItself: return "elements of this output overlap each other: " + given();
      default: return "";
    }
  }

  const ParamSignature& param() const {
    return signature_.params[static_cast<size_t>(problem_.param)];
  }
  const CallPlan::Param& plan() const {
    return signature_.plan.params[static_cast<size_t>(problem_.param)];
  }

  // "x (input 0)".
  std::string name_of_param(int index) const {
    const CallPlan::Param& p = signature_.plan.params[static_cast<size_t>(index)];
    return signature_.params[static_cast<size_t>(index)].name +
           (is_written(p.role) ? " (output " : " (input ") + std::to_string(p.position) + ")";
  }

  const View& view() const {
    const size_t position = static_cast<size_t>(plan().position);
    return is_written(plan().role) ? outputs_[position] : inputs_[position].view();
  }

  std::string given() const {
    if (is_written(plan().role)) return view().to_string();
    const Argument& argument = inputs_[static_cast<size_t>(plan().position)];
    if (argument.kind() != Argument::Kind::kScalar) return view().to_string();
    return "the " + to_string(argument.scalar_type()) + " value " +
           text_of_scalar(argument.scalar_type(), argument.scalar_bits());
  }

  std::string both_sides() const {
    const ParamSignature& p = param();
    const std::string expected =
        p.layout == 0 ? expectation(p)
                      : "the stored form " + to_string(p.type) + text_of(p.packed_shape);
    return "expected " + expected + known_sizes() + ", got " + given();
  }

  // " with m = 128 (dimension 0 of x)": the sizes that the parameter's shape uses, and where their
  // values come from. Only problems of sizes come late enough to know them.
  std::string known_sizes() const {
    if (problem_.kind != Kind::kSize && problem_.kind != Kind::kNegativeSize) return "";
    std::string text;
    for (size_t i = 0; i < signature_.sizes.size(); ++i) {
      if (!uses_size(static_cast<int64_t>(i))) continue;
      const CallPlan::Binding& b = signature_.plan.bindings[i];
      text += (text.empty() ? " with " : ", ") + signature_.sizes[i] + " = " +
              std::to_string(bound_.sizes[i]) + " (dimension " + std::to_string(b.dim) + " of " +
              signature_.params[static_cast<size_t>(b.param)].name + ")";
    }
    return text;
  }

  bool uses_size(int64_t index) const {
    for (const SizeProgram& size : param().stored_shape()) {
      for (const SizeProgram::Instruction& i : size.code) {
        if (i.op == SizeProgram::Op::kSize && i.value == index) return true;
      }
    }
    return false;
  }

  int64_t expected_size() const {
    return evaluate(param().stored_shape()[static_cast<size_t>(problem_.dim)],
                    absl::Span<const int64_t>(bound_.sizes, signature_.sizes.size()));
  }

  std::string dimension() const { return "dimension " + std::to_string(problem_.dim); }

  std::string size_text() const {
    const auto& dim = signature_.plan.dims[static_cast<size_t>(plan().first_dim + problem_.dim)];
    if (dim.kind == CallPlan::Dim::Kind::kConstant) return dimension() + " differs";
    return dimension() + " must be " + std::to_string(expected_size());
  }

  std::string negative_text() const {
    if (view().size(problem_.dim) < 0) return dimension() + " is negative";
    return dimension() + " would have to be " + std::to_string(expected_size());
  }

  std::string stride_text() const {
    bool negative = false;
    for (int d = 0; d < view().rank(); ++d) {
      negative |= view().size(d) > 1 && view().stride(d) < 0;
    }
    return std::string("this kernel takes ") + tenon::name_of(param().strides) + " strides" +
           (negative ? ", and negative strides only as general ones" : "") + ", got " + given();
  }

  std::string pack_hint() const {
    return ": make one with kernel.pack(\"" + param().name + "\", view)";
  }

  std::string broken_requirement() const {
    const Signature::Requirement& r = signature_.requirements[static_cast<size_t>(problem_.other)];
    std::string values;
    for (size_t i = 0; i < signature_.sizes.size(); ++i) {
      values += (i == 0 ? " with " : ", ") + signature_.sizes[i] + " = " +
                std::to_string(bound_.sizes[i]);
    }
    return "the requirement " + r.text + " does not hold" + values;
  }

  std::string wrong_count() const {
    return "expected " + counted(static_cast<size_t>(signature_.plan.inputs), "input") +
           list_params(false) + " and " +
           counted(static_cast<size_t>(signature_.plan.outputs), "output") + list_params(true) +
           ", got " + counted(inputs_.size(), "input") + " and " +
           counted(outputs_.size(), "output");
  }

  // " (x: f32[m, k], eps: f32 scalar)".
  std::string list_params(bool outputs) const {
    std::string text;
    for (const ParamSignature& p : signature_.params) {
      if (is_written(p.role) != outputs) continue;
      text += (text.empty() ? " (" : ", ") + p.name + ": " + expectation(p);
    }
    return text.empty() ? text : text + ")";
  }

  const Signature& signature_;
  const CallProblem& problem_;
  absl::Span<const Argument> inputs_;
  absl::Span<const View> outputs_;
  const BoundCall& bound_;
};

}  // namespace

[[gnu::cold]] absl::Status describe(const Signature& signature, const CallProblem& problem,
                                    absl::Span<const Argument> inputs,
                                    absl::Span<const View> outputs, const BoundCall& bound) {
  return refuse(Describer(signature, problem, inputs, outputs, bound).message());
}

absl::Status fault_status(const Signature& signature, const tenon_fault& fault) {
  if (fault.site < 0) return absl::OkStatus();
  const size_t site = static_cast<size_t>(fault.site);
  Diagnostic d;
  if (site < signature.checks.size() && signature.checks[site].starts_with(kExternSite)) {
    d.reason = "kernel " + signature.kernel + ": " + signature.checks[site] + " returned " +
               std::to_string(fault.index);
    return make_status(d, absl::StatusCode::kAborted);
  }
  d.reason =
      "kernel " + signature.kernel + ": " +
      (site < signature.checks.size() ? signature.checks[site] : "check " + std::to_string(site)) +
      " is " + std::to_string(fault.index) + ", but must be in [0, " + std::to_string(fault.bound) +
      ")";
  return make_status(d, absl::StatusCode::kOutOfRange);
}

}  // namespace tenon
