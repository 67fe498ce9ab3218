#include "tenon/dsl/scan.h"

#include "dsl/definition.h"
#include "dsl/same_shape.h"
#include "tenon/base/counted.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

std::vector<Var> vars_of(const Index& index) {
  std::vector<Var> vars;
  for (const Expr& i : index) vars.push_back(i.as<VarRef>()->var);
  return vars;
}

// What a step gives for a state, at the state's own indices.
Expr next_of(const Scan::State& state, Type type, const NextState& next) {
  const std::string what = "scan: the next " + state.name;
  Index at;
  for (const Var& var : state.vars) at = at + Expr(var);
  if (const Tensor* tensor = next.tensor()) {
    if (!tensor->buffer()) return invalid(what + " was never defined");
    if (tensor->type() != type || !dsl::same_shape(tensor->shape(), state.shape)) {
      return invalid(what + " is " + dsl::shape_text(tensor->type(), tensor->shape()) +
                     ", and the state is " + dsl::shape_text(type, state.shape));
    }
    return (*tensor)(at);
  }
  const Expr& value = next.value();
  if (!value) return invalid(what + " is an empty expression");
  if (value.is<Invalid>()) return value;
  const Const* literal = value.as<Const>();
  if (value.type() != type && !(literal && literal->literal)) {
    return invalid(what + " is " + to_string(value.type()) + ", and the state is " +
                   to_string(type) + "; cast it");
  }
  return cast(type, value);
}

Tensor result_of(std::string name, const std::shared_ptr<const Recipe>& recipe, size_t state,
                 Scan::When when) {
  if (!recipe) {
    return dsl::make_tensors({std::move(name)}, {}, Index(),
                             {invalid("scan: it has fewer states than are asked for")})[0];
  }
  const Scan& scan = std::get<Scan>(recipe->how);
  if (!scan.states[state].buffer && when != Scan::kAfter) {
    return dsl::make_tensors({std::move(name)}, {}, Index(),
                             {invalid("scan: " + scan.states[state].name +
                                      " is given by each step and is no state; after() is "
                                      "what it has")})[0];
  }
  const auto definition =
      std::make_shared<const Definition>(Definition{recipe, 3 * state + static_cast<size_t>(when)});
  std::vector<Expr> shape = shape_of(*recipe, definition->result);
  return Tensor(Buffer(std::move(name), scan.states[state].next.type(), definition), Role::kOutput,
                std::move(shape));
}

}  // namespace

Tensor Scanned::after(std::string name) const {
  return result_of(std::move(name), recipe_, state_, Scan::kAfter);
}
Tensor Scanned::before(std::string name) const {
  return result_of(std::move(name), recipe_, state_, Scan::kBefore);
}
Tensor Scanned::last(std::string name) const {
  return result_of(std::move(name), recipe_, state_, Scan::kLast);
}

namespace dsl {

ScanBuilder::ScanBuilder(std::vector<Expr> outer, Expr steps, std::vector<Carry> states,
                         Direction direction) {
  Scan scan;
  const Index around = make_indices(outer);
  const int outer_rank = around.size();
  scan.outer = std::move(outer);
  scan.outer_vars = vars_of(around);
  scan.step = Var("t", i64, Var::Use::kIndex);
  scan.backward = direction == Direction::kBackward;
  scan.steps = std::move(steps);
  if (!scan.steps) {
    scan.steps = invalid("scan: the number of steps is empty");
  } else if (!scan.steps.is<Invalid>()) {
    scan.steps = scan.steps.type().is_int()
                     ? cast(i64, scan.steps)
                     : invalid("scan: the number of steps has type " +
                               to_string(scan.steps.type()) + "; it must be an integer");
  }
  place_ = around + Expr(scan.step);
  for (Carry& carry : states) {
    std::vector<Expr> whole = scan.outer;
    whole.insert(whole.end(), carry.shape.begin(), carry.shape.end());
    const Index own = make_indices(whole).slice(outer_rank, static_cast<int>(whole.size()));
    Scan::State state;
    state.name = carry.name;
    state.shape = carry.shape;
    state.vars = vars_of(own);
    Type type = carry.type;
    if (carry.init) {
      state.init = carry.init(around + own);
      if (!state.init) state.init = invalid("scan: the init of " + carry.name + " is empty");
      type = state.init.is<Invalid>() ? f32 : state.init.type();
      state.buffer = Buffer(carry.name, type);
      now_.emplace_back(state.buffer, Role::kOutput, carry.shape);
    } else {
      const Expr none = invalid("scan: " + carry.name + " is given by each step and is no state");
      now_.push_back(Tensor::view(Tensor(Buffer(carry.name, type), Role::kOutput, carry.shape),
                                  carry.shape, [none](const Index&) { return none; }));
    }
    scan.states.push_back(std::move(state));
  }
  recipe_.reset(new Recipe{std::move(scan)});
}

ScanBuilder::~ScanBuilder() = default;

std::vector<Scanned> ScanBuilder::finish(const Next& next) {
  Scan& scan = std::get<Scan>(recipe_->how);
  for (size_t s = 0; s < scan.states.size(); ++s) {
    scan.states[s].next = next.size() == scan.states.size()
                              ? next_of(scan.states[s], now_[s].type(), next[s])
                              : invalid("scan: the step gives " + counted(next.size(), "value") +
                                        ", and it has " + counted(scan.states.size(), "state"));
  }
  const size_t states = scan.states.size();
  const std::shared_ptr<const Recipe> recipe = std::move(recipe_);
  std::vector<Scanned> scanned;
  for (size_t s = 0; s < states; ++s) scanned.emplace_back(recipe, s);
  return scanned;
}

void ScanBuilder::where(const Expr& condition) {
  Scan& scan = std::get<Scan>(recipe_->how);
  if (!condition) {
    scan.where = invalid("scan: where is an empty expression");
  } else if (condition.is<Invalid>() || condition.type() == boolean) {
    scan.where = condition;
  } else {
    scan.where = invalid("scan: where is " + to_string(condition.type()) + "; it must be bool");
  }
}

Expr ScanBuilder::wrong_arity(const std::string& what) const {
  return invalid("scan: " + what + " takes " + counted(place_.size(), "index", "indices") +
                 " (or one tn::Index) and the states");
}

}  // namespace dsl
}  // namespace tenon
