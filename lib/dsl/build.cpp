#include "tenon/dsl/build.h"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/definition.h"
#include "tenon/base/macros.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Stmt nest(const std::vector<ReduceAxis>& axes, Stmt body) {
  for (size_t d = axes.size(); d-- > 0;) {
    body = make_for(axes[d].var, constant_int(i64, 0), axes[d].extent, ForKind::kSerial, body);
  }
  return body;
}

std::vector<Expr> as_indices(const std::vector<ReduceAxis>& axes) {
  std::vector<Expr> indices;
  for (const ReduceAxis& axis : axes) indices.emplace_back(axis.var);
  return indices;
}

Stmt guarded(const std::vector<Expr>& conditions, Stmt s) {
  for (size_t c = conditions.size(); c-- > 0;) s = make_if(conditions[c], s);
  return s;
}

// A finished loop nest over fresh variables: definitions may be shared between Programs, the loops
// of one Program are its own.
struct Stage {
  std::vector<Buffer> buffers;  // several: the results of one reduction
  std::vector<Expr> shape;      // of each
  Stmt nest;
};

// Turns one definition into stages: one per reduction inside a larger expression, then the tensor
// itself.
class StageBuilder {
 public:
  // Stages take names that are free, and put them among the `taken` ones.
  StageBuilder(const Buffer& buffer, const Definition& definition, std::set<std::string>& taken)
      : buffer_(buffer), definition_(definition), taken_(taken) {
    for (size_t d = 0; d < definition.shape.size(); ++d) {
      scope_.push_back({definition.vars[d], cast(i64, definition.shape[d])});
    }
  }

  std::vector<Stage> build() {
    const std::vector<ReduceAxis> axes = scope_;
    Stage own;
    own.buffers = {buffer_};
    for (const ReduceAxis& axis : axes) own.shape.push_back(axis.extent);
    if (const Reduce* reduce = definition_.value.as<Reduce>()) {
      if (reduce->by.functions()) own.buffers = result_buffers(*reduce);
      own.buffers[static_cast<size_t>(reduce->result)] = buffer_;
      own.nest = nest(axes, reduction(own.buffers, as_indices(axes), *reduce, {}));
    } else {
      own.nest = nest(axes, store(buffer_, as_indices(axes), hoist(definition_.value)));
    }
    stages_.push_back(std::move(own));
    return std::move(stages_);
  }

 private:
  // buffer[indices] = identity; for axes { buffer[indices] op= value }
  Stmt reduction(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
                 const Reduce& reduce, const std::vector<Expr>& conditions) {
    std::vector<ReduceAxis> axes = reduce.axes;
    for (ReduceAxis& axis : axes) axis.extent = hoist(axis.extent);
    scope_.insert(scope_.end(), axes.begin(), axes.end());
    std::vector<Expr> values;
    for (const Expr& value : reduce.values) values.push_back(hoist(value));
    scope_.resize(scope_.size() - axes.size());
    std::vector<Stmt> starts;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const Expr identity = identity_of(reduce.by, b, buffers[b].type());
      starts.push_back(guarded(conditions, store(buffers[b], indices, identity)));
    }
    const Stmt update = accumulate(buffers, indices, reduce.by, std::move(values));
    Stmt loops = nest(axes, guarded(conditions, update));
    const bool bounded_by_data = std::any_of(
        axes.begin(), axes.end(), [](const ReduceAxis& axis) { return has_load(axis.extent); });
    if (bounded_by_data) loops = guarded(conditions, loops);
    starts.push_back(loops);
    return seq(std::move(starts));
  }

  // Replaces the reductions in e by reads of stages that hold their results.
  Expr hoist(const Expr& e) {
    if (const Reduce* reduce = e.as<Reduce>()) return hoist_reduction(e, *reduce);
    if (const Select* choice = e.as<Select>()) return hoist_select(e, *choice);
    return map_children(e, [&](const Expr& child) { return hoist(child); });
  }

  // An arm runs only under its condition, and so do the reductions in it.
  Expr hoist_select(const Expr& e, const Select& choice) {
    const Expr condition = hoist(choice.condition);
    conditions_.push_back(condition);
    const Expr on_true = hoist(choice.on_true);
    conditions_.back() = unary(UnaryOp::kNot, condition);
    const Expr on_false = hoist(choice.on_false);
    conditions_.pop_back();
    if (condition.get() == choice.condition.get() && on_true.get() == choice.on_true.get() &&
        on_false.get() == choice.on_false.get()) {
      return e;
    }
    return make_select(condition, on_true, on_false);
  }

  Expr hoist_reduction(const Expr& e, const Reduce& reduce) {
    // The same reduction used twice in one place is one stage, and so are its results.
    for (const Done& done : done_) {
      if (same_reduction(*done.reduce.as<Reduce>(), reduce) && same(done.conditions, conditions_)) {
        return load(done.buffers[static_cast<size_t>(reduce.result)], done.indices);
      }
    }
    const std::vector<Expr> conditions = conditions_;
    const std::vector<ReduceAxis> axes = used_axes(e, conditions);
    // What the value reads is read under the same conditions, reductions in it included.
    Stage stage;
    stage.buffers = result_buffers(reduce);
    for (const ReduceAxis& axis : axes) stage.shape.push_back(axis.extent);
    const std::vector<ReduceAxis> scope = std::exchange(scope_, axes);
    stage.nest = nest(axes, reduction(stage.buffers, as_indices(axes), reduce, conditions));
    scope_ = scope;
    stages_.push_back(stage);
    done_.push_back({e, conditions, stage.buffers, as_indices(axes)});
    return load(stage.buffers[static_cast<size_t>(reduce.result)], as_indices(axes));
  }

  // Up to the result that is asked for.
  static bool same_reduction(const Reduce& a, const Reduce& b) {
    return a.by == b.by && same(a.values, b.values) &&
           std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                      [](const ReduceAxis& x, const ReduceAxis& y) { return x.var == y.var; });
  }

  // A buffer for each result: t_sum, or t_best and t_at.
  std::vector<Buffer> result_buffers(const Reduce& reduce) {
    if (!reduce.by.functions()) {
      return {Buffer(stage_name(name_of_stage(reduce.by.op())), reduce.values[0].type())};
    }
    std::vector<Buffer> buffers;
    for (const Var& result : reduce.by.functions()->state) {
      buffers.emplace_back(stage_name(result.name()), result.type());
    }
    return buffers;
  }

  // The enclosing indices that the reduction needs: those in its value, in its conditions, and in
  // the extents of those.
  std::vector<ReduceAxis> used_axes(const Expr& e, const std::vector<Expr>& conditions) const {
    std::set<Var> used = free_vars(e);
    for (const Expr& condition : conditions) used.merge(free_vars(condition));
    std::vector<ReduceAxis> axes;
    for (size_t d = scope_.size(); d-- > 0;) {
      if (!used.count(scope_[d].var)) continue;
      axes.push_back(scope_[d]);
      used.merge(free_vars(scope_[d].extent));
    }
    std::reverse(axes.begin(), axes.end());
    return axes;
  }

  static const char* name_of_stage(Reducer op) {
    constexpr const char* kNames[] = {"sum", "prod", "max", "min"};
    return kNames[static_cast<size_t>(op)];
  }

  std::string stage_name(const std::string& result) {
    const std::string wanted = buffer_.name() + "_" + result;
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number) {
      name = wanted + std::to_string(number);
    }
    return name;
  }

  static bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Expr& x, const Expr& y) { return equal(x, y); });
  }

  struct Done {
    Expr reduce;
    std::vector<Expr> conditions;
    std::vector<Buffer> buffers;
    std::vector<Expr> indices;
  };

  Buffer buffer_;
  const Definition& definition_;
  std::vector<ReduceAxis> scope_;  // enclosing indices, outermost first
  std::vector<Expr> conditions_;   // of the selects around, innermost last
  std::set<std::string>& taken_;
  std::vector<Done> done_;
  std::vector<Stage> stages_;
};

class ProgramBuilder {
 public:
  absl::StatusOr<Program> build(std::string name, const std::vector<ProgramInput>& inputs,
                                const std::vector<Tensor>& outputs,
                                const std::vector<Requirement>& requirements) {
    data_.name = std::move(name);
    for (const ProgramInput& input : inputs) TENON_RETURN_IF_ERROR(add_input(input));
    TENON_RETURN_IF_ERROR(add_outputs(outputs));
    for (const Tensor& output : outputs) TENON_RETURN_IF_ERROR(visit(output.buffer()));
    for (const Buffer& tensor : order_) TENON_RETURN_IF_ERROR(claim(tensor));
    for (const Buffer& tensor : order_) TENON_RETURN_IF_ERROR(emit(tensor, *tensor.definition()));
    for (const Requirement& requirement : requirements) {
      TENON_RETURN_IF_ERROR(check(requirement.condition, "a requirement"));
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
    for (const Expr& extent : tensor.shape()) {
      TENON_RETURN_IF_ERROR(check(extent, "the shape of " + tensor.name()));
      if (!extent.type().is_int()) {
        return refuse("the shape of " + tensor.name() + " has an extent of type " +
                      to_string(extent.type()) + "; extents are integers");
      }
      param.shape.push_back(cast(i64, extent));
    }
    data_.params.push_back(std::move(param));
    return absl::OkStatus();
  }

  absl::Status add_outputs(const std::vector<Tensor>& outputs) {
    if (outputs.empty()) return refuse("program " + data_.name + " has no outputs");
    for (const Tensor& output : outputs) {
      if (!output.buffer()) {
        return refuse("program " + data_.name + ": an output was never defined");
      }
      if (!output.is_computed()) {
        return refuse("program " + data_.name + ": output " + output.name() +
                      " is an input; an output is computed (a copy, if need be)");
      }
      TENON_RETURN_IF_ERROR(add_param(output));
    }
    return absl::OkStatus();
  }

  absl::Status claim_name(const std::string& name) {
    if (names_.insert(name).second) return absl::OkStatus();
    return refuse("program " + data_.name + ": two tensors or scalars are named " + name);
  }

  absl::Status check(const Expr& e, const std::string& where) const {
    if (!e) return refuse(where + ": an expression is empty; a default-made Expr has no value");
    absl::Status status;
    walk(e, [&](const Expr& sub) {
      const Invalid* wrong = sub.as<Invalid>();
      if (wrong && status.ok()) status = refuse(where + ": " + wrong->message);
    });
    return status;
  }

  // Appends to the order, depth first: what a tensor reads stands before it. The stack is explicit,
  // since chains of thousands of tensors are legal.
  absl::Status visit(const Buffer& root) {
    std::vector<std::pair<Buffer, bool>> work = {{root, false}};
    while (!work.empty()) {
      const auto [buffer, expanded] = work.back();
      work.pop_back();
      if (done_.count(buffer)) continue;
      const Definition* definition = buffer.definition().get();
      if (!definition) {
        TENON_RETURN_IF_ERROR(require_param(buffer));
        continue;
      }
      if (expanded) {
        done_.insert(buffer);
        order_.push_back(buffer);
        continue;
      }
      TENON_RETURN_IF_ERROR(check(definition->value, "in the definition of " + buffer.name()));
      work.emplace_back(buffer, true);
      std::vector<Buffer> read;
      walk(definition->value, [&](const Expr& sub) {
        if (const Load* access = sub.as<Load>()) read.push_back(access->buffer);
      });
      for (size_t r = read.size(); r-- > 0;) work.emplace_back(read[r], false);
    }
    return absl::OkStatus();
  }

  absl::Status require_param(const Buffer& buffer) const {
    for (const Param& param : data_.params) {
      if (param.buffer == buffer) return absl::OkStatus();
    }
    return refuse("program " + data_.name + " reads " + buffer.name() +
                  ", which is not among its inputs");
  }

  bool is_param(const Buffer& buffer) const {
    return std::any_of(data_.params.begin(), data_.params.end(),
                       [&](const Param& param) { return param.buffer == buffer; });
  }

  // The user's names come before those of the stages that reductions become.
  absl::Status claim(const Buffer& tensor) {
    return is_param(tensor) ? absl::OkStatus() : claim_name(tensor.name());
  }

  absl::Status emit(const Buffer& buffer, const Definition& definition) {
    for (const Expr& extent : definition.shape) {
      TENON_RETURN_IF_ERROR(check(extent, "the shape of " + buffer.name()));
      if (!extent.type().is_int()) {
        return refuse("the shape of " + buffer.name() + " has an extent of type " +
                      to_string(extent.type()) + "; extents are integers");
      }
    }
    for (Stage& stage : StageBuilder(buffer, definition, names_).build()) {
      for (const Buffer& part : stage.buffers) {
        if (!is_param(part)) body_.push_back(alloc(part, stage.shape));
      }
      body_.push_back(with_fresh_names(stage.nest));
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
      plain[param.buffer] = Buffer(param.buffer.name(), param.buffer.type());
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
  std::set<Buffer> done_;
  std::vector<Buffer> order_;  // of computed tensors
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
