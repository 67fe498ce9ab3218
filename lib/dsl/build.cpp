#include "tenon/dsl/build.h"

#include <set>

#include "dsl/emit.h"
#include "dsl/recipe_graph.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

class ProgramBuilder {
 public:
  absl::StatusOr<Program> build(std::string name, const std::vector<ProgramInput>& inputs,
                                const std::vector<Tensor>& outputs,
                                const std::vector<Requirement>& requirements) {
    data_.name = std::move(name);
    for (const ProgramInput& input : inputs) TENON_RETURN_IF_ERROR(add_input(input));
    TENON_RETURN_IF_ERROR(add_outputs(outputs));
    TENON_RETURN_IF_ERROR(add_loops(outputs));
    for (const Requirement& requirement : requirements) {
      TENON_RETURN_IF_ERROR(dsl::check_expr(requirement.condition, "a requirement"));
      data_.requirements.push_back(requirement.condition);
    }
    TENON_RETURN_IF_ERROR(finish());
    return Program(std::move(data_));
  }

 private:
  absl::Status add_input(const ProgramInput& input) {
    if (const Expr* scalar = input.scalar()) return add_scalar(*scalar);
    const Tensor& tensor = *input.tensor();
    if (!tensor.buffer()) return refuse("program " + data_.name + ": an input was never defined");
    if (tensor.is_view()) {
      return refuse("program " + data_.name + ": an input is a view of " + tensor.name() +
                    "; the tensor itself is passed in");
    }
    if (tensor.role() == Role::kInOut) {
      return refuse(
          "program " + data_.name + ": " + tensor.name() +
          " is an inout; what is written to it stands among the outputs, and it is passed "
          "there");
    }
    if (!tensor.is_computed() && tensor.buffer().definition()) {
      return refuse("program " + data_.name + ": " + tensor.name() +
                    " is a table, which is part of the program and not passed in");
    }
    if (tensor.is_computed()) {
      return refuse("program " + data_.name + ": " + tensor.name() +
                    " is computed; only inputs, weights and scalars are passed in");
    }
    return add_param(tensor);
  }

  absl::Status add_scalar(const Expr& scalar) {
    const VarRef* ref = scalar.as<VarRef>();
    if (!ref) {
      return refuse("program " + data_.name +
                    ": an input that is neither a tensor nor made by tn::scalar");
    }
    TENON_RETURN_IF_ERROR(claim_name(ref->var.name()));
    Param param;
    param.role = Role::kScalar;
    param.scalar = ref->var;
    data_.params.push_back(std::move(param));
    scalars_.insert(ref->var);
    return absl::OkStatus();
  }

  absl::Status add_param(const Tensor& tensor) {
    TENON_RETURN_IF_ERROR(claim_name(tensor.name()));
    Param param;
    param.role = tensor.role();
    param.buffer = tensor.buffer();
    if (const Buffer into = written_in_place(tensor)) {
      in_place_[param.buffer] = into;
      declared_.insert(into);
    }
    TENON_RETURN_IF_ERROR(dsl::check_shape(tensor.shape(), tensor.name()));
    for (const Expr& extent : tensor.shape()) param.shape.push_back(cast(i64, extent));
    declared_.insert(tensor.buffer());
    data_.params.push_back(std::move(param));
    return absl::OkStatus();
  }

  absl::Status add_outputs(const std::vector<Tensor>& outputs) {
    if (outputs.empty()) return refuse("program " + data_.name + " has no outputs");
    for (const Tensor& output : outputs) {
      if (!output.buffer()) {
        return refuse("program " + data_.name + ": an output was never defined");
      }
      if (output.is_view()) {
        return refuse("program " + data_.name + ": an output is a view of " + output.name() +
                      "; an output is computed (a copy, if need be)");
      }
      if (output.role() == Role::kInOut && !output.is_computed()) {
        return refuse("program " + data_.name + ": output " + output.name() +
                      " is an inout that nothing is written to; give what compute or update makes "
                      "of it");
      }
      if (!output.is_computed()) {
        return refuse("program " + data_.name + ": output " + output.name() + " is " +
                      (output.buffer().definition() ? "a table" : "an input") +
                      "; an output is computed (a copy, if need be)");
      }
      TENON_RETURN_IF_ERROR(check_in_place(output));
      if (const Buffer into = written_in_place(output); into && declared_.count(into)) {
        return refuse("program " + data_.name + ": " + output.name() +
                      " is written in place by two definitions; one may hold several scatters");
      }
      if (!output.buffer().definition()) {
        return refuse("program " + data_.name + ": output " + output.name() +
                      " is the state of a scan; its results are after(), before() and last()");
      }
      TENON_RETURN_IF_ERROR(add_param(output));
    }
    return absl::OkStatus();
  }

  // The inout that a tensor is written to, or null.
  static Buffer written_in_place(const Tensor& tensor) {
    const Definition* definition = tensor.buffer().definition().get();
    return definition ? definition->recipe->into : Buffer();
  }

  // What cannot be written to is said before its name is found twice.
  static absl::Status check_in_place(const Tensor& tensor) {
    absl::Status status;
    if (tensor.role() != Role::kInOut) return status;
    for_each_expr(*tensor.buffer().definition()->recipe, [&](const Expr& e) {
      if (status.ok()) status = dsl::check_expr(e, "in " + dsl::definition_of(tensor.buffer()));
    });
    return status;
  }

  absl::Status claim_name(const std::string& name) {
    if (names_.insert(name).second) return absl::OkStatus();
    return refuse("program " + data_.name + ": two tensors or scalars are named " + name);
  }

  absl::Status add_loops(const std::vector<Tensor>& outputs) {
    std::vector<Buffer> roots;
    for (const Tensor& output : outputs) roots.push_back(output.buffer());
    TENON_RETURN_IF_ERROR(graph_.add(roots, declared_, data_.name));
    // The user's names come before those of the stages that reductions become.
    for (const Recipe* recipe : graph_.order()) {
      for (const Buffer& tensor : graph_.results_of(*recipe)) {
        if (!declared_.count(tensor)) TENON_RETURN_IF_ERROR(claim_name(tensor.name()));
        const std::vector<Expr> shape = shape_of(*recipe, tensor.definition()->result);
        TENON_RETURN_IF_ERROR(dsl::check_shape(shape, tensor.name()));
      }
    }
    const dsl::Emission emission{names_, declared_, graph_};
    for (const Recipe* recipe : graph_.inside(nullptr)) {
      if (const Literal* literal = std::get_if<Literal>(&recipe->how)) {
        const Buffer& buffer = graph_.results_of(*recipe).front();
        data_.tables.push_back({buffer, literal->shape, literal->bits});
      }
      for (Stmt& s : dsl::emit(*recipe, emission)) body_.push_back(std::move(s));
    }
    return absl::OkStatus();
  }

  // Free variables that are not scalars are sizes, in the order in which they are met.
  void collect_sizes(const Expr& e, const std::set<Var>& bound) {
    walk(e, [&](const Expr& sub) {
      const VarRef* ref = sub.as<VarRef>();
      if (!ref || bound.count(ref->var) || scalars_.count(ref->var)) return;
      if (known_sizes_.insert(ref->var).second) data_.sizes.push_back(ref->var);
    });
  }

  absl::Status finish() {
    // A buffer of a finished Program does not lead back to its definition.
    BufferMap plain;
    for (Param& param : data_.params) {
      if (!param.buffer || !param.buffer.definition()) continue;
      const auto into = in_place_.find(param.buffer);
      plain[param.buffer] =
          into != in_place_.end() ? into->second : Buffer(param.buffer.name(), param.buffer.type());
    }
    for (const Table& table : data_.tables) {
      plain[table.buffer] = Buffer(table.buffer.name(), table.buffer.type());
    }
    for (const Stmt& s : body_) {
      const Alloc* local = s.as<Alloc>();
      if (local && local->buffer.definition()) {
        plain[local->buffer] = Buffer(local->buffer.name(), local->buffer.type());
      }
    }
    data_.body = substitute(seq(std::move(body_)), plain);
    for (Param& param : data_.params) {
      if (param.buffer && plain.count(param.buffer)) param.buffer = plain[param.buffer];
    }
    for (Table& table : data_.tables) table.buffer = plain[table.buffer];

    for (const Param& param : data_.params) {
      for (const Expr& extent : param.shape) collect_sizes(extent, {});
    }
    for (const Expr& requirement : data_.requirements) collect_sizes(requirement, {});
    std::set<Var> loops;
    walk(data_.body, [&](const Stmt& s) {
      if (const For* loop = s.as<For>()) loops.insert(loop->var);
    });
    walk(data_.body, [&](const Stmt& s) {
      for_each_child(
          s, [&](const Expr& e) { collect_sizes(e, loops); }, [](const Stmt&) {});
    });
    for (const Var& size : data_.sizes) {
      if (size.use() == Var::Use::kIndex) {
        return refuse("program " + data_.name + " uses index " + size.name() +
                      " outside of the definition or reduction that it belongs to");
      }
      if (size.use() == Var::Use::kScalar || size.type() != i64) {
        return refuse("program " + data_.name + " uses the scalar " + size.name() +
                      ", which is not among its inputs");
      }
      if (!names_.insert(size.name()).second) {
        return refuse("program " + data_.name + ": a size and something else are named " +
                      size.name() + " (two Size objects are two sizes: use one of them)");
      }
    }
    return absl::OkStatus();
  }

  ProgramData data_;
  std::vector<Stmt> body_;
  std::set<std::string> names_;
  std::set<Buffer> declared_;  // parameters
  BufferMap in_place_;         // of what is written in place: the inout
  dsl::RecipeGraph graph_;
  std::set<Var> scalars_;
  std::set<Var> known_sizes_;
};

}  // namespace

absl::StatusOr<Program> build_program(std::string name, const std::vector<ProgramInput>& inputs,
                                      const std::vector<Tensor>& outputs,
                                      const std::vector<Requirement>& requirements) {
  TENON_ASSIGN_OR_RETURN(Program built,
                         ProgramBuilder().build(std::move(name), inputs, outputs, requirements));
  TENON_RETURN_IF_ERROR(verify(built));
  TENON_RETURN_IF_ERROR(dsl::calls_store_all(built));
  return built;
}

Program program(std::string name, const std::vector<ProgramInput>& inputs,
                const std::vector<Tensor>& outputs, const std::vector<Requirement>& requirements) {
  absl::StatusOr<Program> built = build_program(name, inputs, outputs, requirements);
  if (built.ok()) return *std::move(built);
  ProgramData data;
  data.name = std::move(name);
  data.error = std::string(built.status().message());
  data.body = seq({});
  return Program(std::move(data));
}

}  // namespace tenon
