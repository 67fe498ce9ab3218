#include "lower/vector_loops.h"
#include "tenon/ir/operators.h"
#include "tenon/lower/instruction_call.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

// A check looks at one statement and returns what is wrong with it, or nothing.
using Check = std::string (*)(const Stmt&);

// Of the widest register that any target has.
constexpr int64_t kMaxVectorBytes = 64;

std::string vectors_cut(const Stmt& s) {
  const For* loop = s.as<For>();
  if (!loop || loop->kind != ForKind::kVector) return "";
  const std::optional<int64_t> extent = constant_extent(*loop);
  if (!extent) return "its number of iterations is not a constant";
  if (!is_power_of_two(*extent)) return "its number of lanes is not a power of two";
  if (*extent > kMaxVectorBytes && !has_fold(*loop)) return "it is wider than any register";
  return "";
}

std::string no_unroll(const Stmt& s) {
  const For* loop = s.as<For>();
  return loop && loop->kind == ForKind::kUnroll ? "it is still to be unrolled" : "";
}

std::string explicit_vectors(const Stmt& s) {
  const For* loop = s.as<For>();
  return loop && loop->kind == ForKind::kVector ? "it is still a vector loop" : "";
}

std::string operators(const Stmt& s) {
  const Accumulate* x = s.as<Accumulate>();
  return x && x->by.functions() ? "it reduces by functions" : "";
}

std::string allocs_placed(const Stmt& s) {
  const Alloc* a = s.as<Alloc>();
  if (!a) return "";
  switch (a->memory) {
    case Memory::kAuto:
    case Memory::kRegisters:
    case Memory::kWorkspace: return "it has no memory class";
    case Memory::kStack:
      for (const Expr& extent : a->shape) {
        if (!as_int(extent)) return "it is on the stack and its size is not a constant";
      }
      return "";
    case Memory::kShared:
    case Memory::kWorker: return a->offset ? "" : "it has no offset";
  }
  return "";
}

std::string flat(const Stmt& s) {
  if (const Alloc* a = s.as<Alloc>()) return a->shape.size() == 1 ? "" : "it is not flat";
  const Store* x = s.as<Store>();
  const Accumulate* y = s.as<Accumulate>();
  const Prefetch* z = s.as<Prefetch>();
  if ((x && x->indices.size() != 1) || (y && y->indices.size() != 1) ||
      (z && z->indices.size() != 1)) {
    return "its target is not flat";
  }
  if (const Call* call = s.as<Call>()) {
    for (const CallRegion& part : regions_of(*call)) {
      if (part.strides.empty()) return "a part that it gives to a function has no strides";
    }
  }
  std::string wrong;
  const auto look = [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (l && l->indices.size() != 1) wrong = "the access " + print(e) + " is not flat";
  };
  for_each_child(
      s, [&](const Expr& e) { walk(e, look); }, [](const Stmt&) {});
  return wrong;
}

// Offsets and workspace sizes must be known before the call.
std::string over_sizes(const Program& program, const Expr& e) {
  for (const Var& var : free_vars(e)) {
    bool is_size = false;
    for (const Var& size : program->sizes) is_size = is_size || size == var;
    if (!is_size) return var.name() + " is not a size";
  }
  return "";
}

absl::Status check_offsets(const Program& program) {
  std::string wrong;
  walk(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || !wrong.empty()) return;
    if (a->offset) wrong = over_sizes(program, a->offset);
    for (const Expr& extent : a->shape) {
      if (wrong.empty()) wrong = over_sizes(program, extent);
    }
    if (!wrong.empty()) wrong = "the place of " + a->buffer.name() + ": " + wrong;
  });
  return wrong.empty() ? absl::OkStatus() : refuse(wrong);
}

absl::Status check_params_flat(const Program& program) {
  for (const Param& p : program->params) {
    if (p.buffer && p.shape.size() != 1) return refuse("parameter " + p.name() + " is not flat");
  }
  for (const Table& t : program->tables) {
    if (t.shape.size() != 1) return refuse("table " + t.buffer.name() + " is not flat");
  }
  return absl::OkStatus();
}

absl::Status check_instructions(const Program& program) {
  absl::Status status;
  walk(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || loop->kind != ForKind::kInstruction || !status.ok()) return;
    const absl::StatusOr<InstructionCall> call = call_of(program, *loop);
    if (!call.ok()) {
      status = refuse("not in form whole instructions: loop " + loop->var.name() + ": " +
                      std::string(call.status().message()));
    }
  });
  return status;
}

absl::Status check_strides(const Program& program) {
  for (const Param& p : program->params) {
    for (const Expr& stride : p.strides) {
      if (is_constant(stride, 1) || (stride.is<VarRef>() && over_sizes(program, stride).empty())) {
        continue;
      }
      return refuse("the stride " + print(stride) + " of " + p.name() + " is not a size");
    }
  }
  return absl::OkStatus();
}

absl::Status check_statements(const Program& program, const char* form, Check check) {
  absl::Status status;
  walk(program->body, [&](const Stmt& s) {
    if (!status.ok()) return;
    const std::string wrong = check(s);
    if (wrong.empty()) return;
    const std::string text = print(s);
    status = refuse(std::string("not in form ") + form + ": " + wrong + ": " +
                    text.substr(0, text.find('\n')));
  });
  return status;
}

bool has(uint32_t forms, Form form) { return (forms & static_cast<uint32_t>(form)) != 0; }

}  // namespace

absl::Status verify_form(const Program& program, uint32_t forms) {
  const std::pair<Form, std::pair<const char*, Check>> checks[] = {
      {Form::kVectorsCut, {"vectors cut", vectors_cut}},
      {Form::kNoUnroll, {"no unroll", no_unroll}},
      {Form::kExplicitVectors, {"explicit vectors", explicit_vectors}},
      {Form::kOperators, {"operators", operators}},
      {Form::kAllocsPlaced, {"allocs placed", allocs_placed}},
      {Form::kFlat, {"flat", flat}},
  };
  for (const auto& [form, check] : checks) {
    if (!has(forms, form)) continue;
    if (absl::Status s = check_statements(program, check.first, check.second); !s.ok()) return s;
  }
  if (has(forms, Form::kAllocsPlaced)) {
    if (absl::Status s = check_offsets(program); !s.ok()) return s;
  }
  if (has(forms, Form::kFlat)) {
    if (absl::Status s = check_params_flat(program); !s.ok()) return s;
  }
  if (has(forms, Form::kWholeInstructions)) {
    if (absl::Status s = check_instructions(program); !s.ok()) return s;
  }
  if (has(forms, Form::kStridesBound)) return check_strides(program);
  return absl::OkStatus();
}

}  // namespace tenon
