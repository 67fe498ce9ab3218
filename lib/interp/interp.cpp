#include "tenon/interp/interp.h"

#include <cmath>
#include <memory>
#include <unordered_map>

#include "tenon/base/macros.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The lanes that a statement runs for. Outside of vector loops there is one lane, number 0; the
// lanes of explicit vectors are handled by the statement itself.
using Lanes = std::vector<int>;

// A value of a variable: one for all lanes, or one per lane.
using Values = std::vector<uint64_t>;

class Machine {
 public:
  explicit Machine(const InterpOptions& options) : options_(options) {}

  void set(const Var& var, Values values) { values_[var.id()] = std::move(values); }
  void set(const Buffer& buffer, Array* array) { arrays_[buffer.id()] = array; }

  absl::Status run(const Stmt& s) {
    exec(s, {0});
    return status_;
  }

  int64_t eval_int(const Expr& e) { return int_of_bits(e.type(), eval(e, 0)); }
  const absl::Status& status() const { return status_; }

 private:
  bool failed() const { return !status_.ok(); }
  void fail(absl::StatusCode code, const std::string& reason) {
    if (failed()) return;
    std::string where = statement_ ? print(*statement_) : "";
    if (const size_t end = where.find('\n'); end != std::string::npos) where.resize(end);
    status_ = absl::Status(code, where.empty() ? reason : reason + ", in: " + where);
  }

  // --- Expressions: the value of one lane.

  uint64_t eval(const Expr& e, int lane) {
    if (failed()) return 0;
    return std::visit([&](const auto& node) { return eval(e, node, lane); }, e.node().kind);
  }

  uint64_t eval(const Expr&, const Const& node, int) { return node.bits; }

  uint64_t eval(const Expr&, const VarRef& node, int lane) {
    const auto found = values_.find(node.var.id());
    if (found == values_.end()) {
      fail(absl::StatusCode::kInternal, "variable " + node.var.name() + " has no value");
      return 0;
    }
    const Values& values = found->second;
    return values.size() == 1 ? values[0] : values[static_cast<size_t>(lane)];
  }

  uint64_t eval(const Expr& e, const Unary& node, int lane) {
    return apply_unary(node.op, e.type().element(), eval(node.a, lane));
  }

  uint64_t eval(const Expr&, const Binary& node, int lane) {
    const Type type = node.a.type().element();
    const uint64_t a = eval(node.a, lane);
    const uint64_t b = eval(node.b, lane);
    if (node.op == BinaryOp::kCheck && !failed()) {
      const int64_t index = int_of_bits(i64, a), bound = int_of_bits(i64, b);
      if (index < 0 || index >= bound) {
        fail(absl::StatusCode::kOutOfRange,
             "index " + std::to_string(index) + " is not in [0, " + std::to_string(bound) + ")");
      }
    }
    return apply_binary(node.op, type, a, b);
  }

  uint64_t eval(const Expr&, const Select& node, int lane) {
    return eval(node.condition, lane) ? eval(node.on_true, lane) : eval(node.on_false, lane);
  }

  uint64_t eval(const Expr& e, const Cast& node, int lane) {
    return apply_cast(node.mode, node.a.type().element(), e.type().element(), eval(node.a, lane));
  }

  uint64_t eval(const Expr&, const Load& node, int lane) {
    if (node.mask && !eval(node.mask, lane)) return 0;
    Array* array = array_of(node.buffer);
    const int64_t flat = array ? offset_of(*array, node.buffer, node.indices, lane) : -1;
    return flat < 0 ? 0 : array->bits(flat);
  }

  uint64_t eval(const Expr&, const Ramp& node, int lane) {
    const uint64_t base = eval(node.base, 0);
    const uint64_t step = eval(node.stride, 0);
    const Type type = node.base.type();
    const uint64_t offset = apply_binary(BinaryOp::kMul, type, step, bits_of_int(type, lane));
    return apply_binary(BinaryOp::kAdd, type, base, offset);
  }

  uint64_t eval(const Expr&, const Broadcast& node, int) { return eval(node.a, 0); }

  uint64_t eval(const Expr&, const Reduce&, int) {
    fail(absl::StatusCode::kInternal, "a reduction inside an expression of a finished program");
    return 0;
  }

  uint64_t eval(const Expr&, const Invalid& node, int) {
    fail(absl::StatusCode::kInvalidArgument, node.message);
    return 0;
  }

  // --- Memory.

  Array* array_of(const Buffer& buffer) {
    const auto found = arrays_.find(buffer.id());
    if (found != arrays_.end()) return found->second;
    fail(absl::StatusCode::kInternal, "buffer " + buffer.name() + " is not declared here");
    return nullptr;
  }

  int64_t offset_of(const Array& array, const Buffer& buffer, const std::vector<Expr>& indices,
                    int lane) {
    int64_t flat = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
      const int64_t index = int_of_bits(i64, eval(indices[d], lane));
      if (failed()) return -1;
      const int64_t extent = array.shape()[d];
      if (index < 0 || index >= extent) {
        fail(absl::StatusCode::kOutOfRange, "index " + std::to_string(d) + " of " + buffer.name() +
                                                " is " + std::to_string(index) +
                                                ", outside of [0, " + std::to_string(extent) + ")");
        return -1;
      }
      flat = flat * extent + index;
    }
    return flat;
  }

  // --- Statements.

  void exec(const Stmt& s, const Lanes& lanes) {
    if (failed() || lanes.empty()) return;
    if (!count(lanes.size())) return;
    const Stmt* outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& node) { exec_node(node, lanes); }, s.node().kind);
    if (!failed()) statement_ = outer;
  }

  // A statement counts once per lane. Returns whether the run may go on.
  bool count(size_t lanes) {
    executed_ += static_cast<int64_t>(lanes);
    if (options_.max_statements > 0 && executed_ > options_.max_statements) {
      fail(absl::StatusCode::kDeadlineExceeded, "too many statements");
    }
    return !failed();
  }

  // A write touches the lanes of the vector loop around it, or its own explicit lanes.
  Lanes lanes_of_write(const std::vector<Expr>& indices, const std::vector<Expr>& values,
                       const Expr& mask, const Lanes& lanes) {
    const int explicit_lanes = std::max(lanes_of(values), lanes_of(indices));
    Lanes active;
    if (vector_loop_ && explicit_lanes > 1) {
      fail(absl::StatusCode::kInvalidArgument, "explicit vectors inside a vector loop");
      return active;
    }
    const auto keep = [&](int lane) {
      if (!mask || eval(mask, lane)) active.push_back(lane);
    };
    if (explicit_lanes == 1) {
      for (int lane : lanes) keep(lane);
    } else {
      if (!count(static_cast<size_t>(explicit_lanes - 1))) return active;
      for (int lane = 0; lane < explicit_lanes; ++lane) keep(lane);
    }
    return active;
  }

  // Lock step: every lane reads before any lane writes.
  void exec_node(const Store& node, const Lanes& lanes) {
    Array* array = array_of(node.buffer);
    if (!array) return;
    std::vector<std::pair<int64_t, uint64_t>> writes;
    for (int lane : lanes_of_write(node.indices, {node.value}, node.mask, lanes)) {
      const uint64_t value = eval(node.value, lane);
      writes.emplace_back(offset_of(*array, node.buffer, node.indices, lane), value);
    }
    if (failed()) return;
    for (const auto& [flat, value] : writes) array->set_bits(flat, value);
  }

  void exec_node(const Accumulate& node, const Lanes& lanes) {
    if (target_is_shared(node)) {
      fold(node, lanes);
      return;
    }
    std::vector<std::pair<std::vector<int64_t>, Values>> terms;
    for (int lane : lanes_of_write(node.indices, node.values, node.mask, lanes)) {
      Values element = element_of(node, lane);
      terms.emplace_back(targets_of(node, lane), std::move(element));
    }
    if (failed()) return;
    for (const auto& [flat, element] : terms) {
      write(node, flat, updated(node, read(node, flat), element));
    }
  }

  // --- Reductions: a state is one value per buffer, an element what is reduced.

  Values element_of(const Accumulate& node, int lane) {
    Values element;
    for (const Expr& value : node.values) element.push_back(eval(value, lane));
    return element;
  }

  // The place of the target in each buffer.
  std::vector<int64_t> targets_of(const Accumulate& node, int lane) {
    std::vector<int64_t> flat;
    for (const Buffer& buffer : node.buffers) {
      Array* array = array_of(buffer);
      flat.push_back(array ? offset_of(*array, buffer, node.indices, lane) : -1);
    }
    return flat;
  }

  Values read(const Accumulate& node, const std::vector<int64_t>& flat) {
    Values state;
    for (size_t i = 0; i < flat.size(); ++i) {
      state.push_back(array_of(node.buffers[i])->bits(flat[i]));
    }
    return state;
  }
  void write(const Accumulate& node, const std::vector<int64_t>& flat, const Values& state) {
    for (size_t i = 0; i < flat.size(); ++i) array_of(node.buffers[i])->set_bits(flat[i], state[i]);
  }

  static Values identity(const Accumulate& node) {
    if (!node.by.functions()) {
      return {identity_of(node.by.op(), node.buffer().type()).as<Const>()->bits};
    }
    Values state;
    for (const Expr& e : node.by.functions()->identity) state.push_back(e.as<Const>()->bits);
    return state;
  }

  Values updated(const Accumulate& node, const Values& state, const Values& element) {
    const CustomReducer* by = node.by.functions();
    if (!by)
      return {apply_binary(operator_of(node.by.op()), node.buffer().type(), state[0], element[0])};
    return applied(by->update, by->state, state, by->element, element);
  }
  Values combined(const Accumulate& node, const Values& a, const Values& b) {
    const CustomReducer* by = node.by.functions();
    return by ? applied(by->combine, by->state, a, by->other, b) : updated(node, a, b);
  }

  Values applied(const std::vector<Expr>& functions, const std::vector<Var>& first, const Values& a,
                 const std::vector<Var>& second, const Values& b) {
    for (size_t i = 0; i < first.size(); ++i) set(first[i], {a[i]});
    for (size_t i = 0; i < second.size(); ++i) set(second[i], {b[i]});
    Values result;
    for (const Expr& e : functions) result.push_back(eval(e, 0));
    return result;
  }

  // Several lanes, one target: no index names the vector loop or has lanes of its own.
  bool target_is_shared(const Accumulate& node) const {
    if (vector_loop_) {
      for (const Expr& index : node.indices) {
        if (depends_on_lane(index)) return false;
      }
      return true;
    }
    return lanes_of(node.values) > 1 && lanes_of(node.indices) == 1;
  }

  bool depends_on_lane(const Expr& e) const {
    bool found = false;
    walk(e, [&](const Expr& sub) {
      const VarRef* ref = sub.as<VarRef>();
      if (!ref) return;
      const auto value = values_.find(ref->var.id());
      if (value != values_.end() && (ref->var == vector_loop_ || value->second.size() > 1)) {
        found = true;
      }
    });
    return found;
  }

  // Folds the upper half onto the lower half until one value is left, and combines it once. Lanes
  // that are off, and those that fill up to a power of two, hold the identity.
  void fold(const Accumulate& node, const Lanes& lanes) {
    const int count = vector_loop_ ? vector_lanes_ : lanes_of(node.values);
    size_t width = 1;
    while (width < static_cast<size_t>(count)) width *= 2;
    std::vector<Values> states(width, identity(node));
    const Lanes on = lanes_of_write(node.indices, node.values, node.mask, lanes);
    if (on.empty()) return;
    for (int lane : on) {
      states[static_cast<size_t>(lane)] = updated(node, identity(node), element_of(node, lane));
    }
    for (width /= 2; width > 0; width /= 2) {
      for (size_t i = 0; i < width; ++i) states[i] = combined(node, states[i], states[i + width]);
    }
    const std::vector<int64_t> flat = targets_of(node, lanes.front());
    if (!failed()) write(node, flat, combined(node, read(node, flat), states[0]));
  }

  // The common value of all lanes; a loop inside a vector loop must be the same for all of them.
  int64_t uniform(const Expr& e, const Lanes& lanes) {
    const int64_t first = int_of_bits(i64, eval(e, lanes.front()));
    for (int lane : lanes) {
      if (int_of_bits(i64, eval(e, lane)) != first) {
        fail(absl::StatusCode::kInvalidArgument, "a loop bound differs between lanes");
      }
    }
    return first;
  }

  void exec_node(const For& node, const Lanes& lanes) {
    const int64_t lo = uniform(node.lo, lanes);
    const int64_t hi = uniform(node.hi, lanes);
    if (failed()) return;
    if (node.kind == ForKind::kVector) {
      exec_vector(node, lo, hi);
      return;
    }
    Values& value = values_[node.var.id()];  // its place stays while others are added
    value.resize(1);
    for (int64_t i = lo; i < hi && !failed(); ++i) {
      value[0] = bits_of_int(i64, i);
      exec(node.body, lanes);
    }
  }

  void exec_vector(const For& node, int64_t lo, int64_t hi) {
    if (vector_loop_) {
      fail(absl::StatusCode::kInvalidArgument, "a vector loop inside a vector loop");
      return;
    }
    if (hi <= lo) return;
    if (static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) > static_cast<uint64_t>(kMaxLanes)) {
      fail(absl::StatusCode::kInvalidArgument,
           "a vector loop of more than " + std::to_string(kMaxLanes) + " lanes");
      return;
    }
    Lanes lanes;
    Values values;
    for (int64_t i = lo; i < hi; ++i) {
      lanes.push_back(static_cast<int>(i - lo));
      values.push_back(bits_of_int(i64, i));
    }
    set(node.var, values);
    vector_loop_ = node.var;
    vector_lanes_ = static_cast<int>(lanes.size());
    exec(node.body, lanes);
    vector_loop_ = Var();
    vector_lanes_ = 0;
  }

  void exec_node(const If& node, const Lanes& lanes) {
    Lanes active;
    for (int lane : lanes) {
      if (eval(node.condition, lane)) active.push_back(lane);
    }
    exec(node.body, active);
  }

  void exec_node(const Seq& node, const Lanes& lanes) {
    std::vector<std::unique_ptr<Array>> locals;
    for (const Stmt& s : node.stmts) {
      if (const Alloc* declaration = s.as<Alloc>()) {
        declare(*declaration, locals);
      } else {
        exec(s, lanes);
      }
      if (failed()) return;
    }
  }

  // Alone, outside of a Seq, nothing can use it.
  void exec_node(const Alloc&, const Lanes&) {}

  void declare(const Alloc& node, std::vector<std::unique_ptr<Array>>& locals) {
    if (vector_loop_) {
      fail(absl::StatusCode::kInvalidArgument,
           "buffer " + node.buffer.name() + " is declared inside a vector loop");
      return;
    }
    std::vector<int64_t> shape;
    double elements = 1;
    for (const Expr& extent : node.shape) {
      shape.push_back(std::max<int64_t>(0, eval_int(extent)));
      elements *= static_cast<double>(shape.back());
    }
    if (failed()) return;
    if (elements > 1e9) {
      fail(absl::StatusCode::kResourceExhausted,
           "buffer " + node.buffer.name() + " has more than a billion elements");
      return;
    }
    locals.push_back(std::make_unique<Array>(node.buffer.type(), shape));
    Array& array = *locals.back();
    const Type type = array.type();
    const uint64_t poison = type.is_float() ? bits_of_float(type, std::nan(""))
                                            : bits_of_int(type, -0x5a5a5a5a5a5a5a5b);
    for (int64_t i = 0; i < array.elements(); ++i) array.set_bits(i, poison);
    set(node.buffer, &array);
  }

  void exec_node(const Bind& node, const Lanes& lanes) {
    const int explicit_lanes = node.value.type().lanes;
    if (explicit_lanes > 1 || vector_loop_) {
      Values values(static_cast<size_t>(std::max(explicit_lanes, vector_lanes_)));
      if (explicit_lanes > 1) {
        for (int lane = 0; lane < explicit_lanes; ++lane) {
          values[static_cast<size_t>(lane)] = eval(node.value, lane);
        }
      } else {
        for (int lane : lanes) values[static_cast<size_t>(lane)] = eval(node.value, lane);
      }
      set(node.var, std::move(values));
    } else {
      set(node.var, {eval(node.value, 0)});
    }
  }

  // --- Extern functions: they get the arrays of the run themselves.

  struct Part {
    std::byte* data = nullptr;
    std::vector<int64_t> shape, strides;
  };

  Part part_of(const CallRegion& region) {
    Part part;
    Array* array = array_of(region.buffer);
    if (!array) return part;
    int64_t first = 0, last = 0, dense = array->elements();
    bool is_empty = false;
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      const CallRegion::Range& range = region.ranges[d];
      const int64_t lo = eval_int(range.lo), hi = range.hi ? eval_int(range.hi) : lo + 1;
      // Of a flat buffer, strides say what the dimensions were; the rest is checked below.
      int64_t stride = 0;
      if (region.strides.empty()) {
        const int64_t extent = array->shape()[d];
        stride = dense = extent > 0 ? dense / extent : 0;
        if (lo < hi && (lo < 0 || hi > extent)) {
          fail(absl::StatusCode::kOutOfRange,
               "the part " + std::to_string(lo) + ".." + std::to_string(hi) + " of dimension " +
                   std::to_string(d) + " of " + region.buffer.name() + " is outside of [0, " +
                   std::to_string(extent) + ")");
        }
      } else {
        stride = eval_int(region.strides[d]);
      }
      if (failed()) return part;
      is_empty = is_empty || hi <= lo;
      first += lo * stride;
      last += (hi - 1) * stride;
      if (!range.hi) continue;
      part.shape.push_back(std::max<int64_t>(hi - lo, 0));
      part.strides.push_back(stride);
    }
    if (is_empty) {
      first = 0;
    } else if (first < 0 || last >= array->elements()) {
      fail(absl::StatusCode::kOutOfRange, "a part leaves " + region.buffer.name());
      return part;
    }
    part.data = array->data() + first * array->type().bytes();
    return part;
  }

  void exec_node(const Prefetch&, const Lanes&) {}

  void exec_node(const Call& node, const Lanes&) {
    if (vector_loop_) {
      fail(absl::StatusCode::kInvalidArgument,
           node.function.name + " is called inside a vector loop");
      return;
    }
    if (!node.function.function) {
      fail(absl::StatusCode::kInvalidArgument,
           "extern function " + node.function.name + " is bound to no function of this process");
      return;
    }
    const std::vector<CallRegion> regions = regions_of(node);
    std::vector<Part> parts;
    for (const CallRegion& region : regions) parts.push_back(part_of(region));
    if (failed()) return;
    std::vector<tenon_array> arrays;
    for (size_t p = 0; p < parts.size(); ++p) {
      arrays.push_back({parts[p].data, parts[p].shape.data(), parts[p].strides.data(),
                        static_cast<int32_t>(parts[p].shape.size()),
                        8 * regions[p].buffer.type().bytes()});
    }
    const int32_t status = node.function.function(node.function.user, arrays.data(),
                                                  static_cast<int32_t>(arrays.size()));
    if (status == 0) return;
    fail(absl::StatusCode::kAborted,
         "extern function " + node.function.name + " returned " + std::to_string(status));
  }

  const InterpOptions& options_;
  std::unordered_map<uint64_t, Values> values_;  // by Var::id
  std::unordered_map<uint64_t, Array*> arrays_;  // by Buffer::id
  Var vector_loop_;                              // null outside of vector loops
  int vector_lanes_ = 0;
  const Stmt* statement_ = nullptr;  // for messages
  int64_t executed_ = 0;
  absl::Status status_;
};

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

// Sizes that are not given come from the first parameter dimension that is exactly that size.
absl::Status bind_sizes(const Program& program, const Sizes& sizes,
                        const std::vector<InterpArgument>& arguments, Machine& machine) {
  TENON_RETURN_IF_ERROR(check_single_values(sizes.values()));
  for (const Var& size : program->sizes) {
    std::optional<int64_t> value = sizes.find(size);
    for (size_t p = 0; p < program->params.size() && !value; ++p) {
      const Param& param = program->params[p];
      Array* const* array = std::get_if<Array*>(&arguments[p]);
      if (!param.buffer || !array || !*array || (*array)->shape().size() != param.shape.size())
        continue;
      for (size_t d = 0; d < param.shape.size() && !value; ++d) {
        const VarRef* ref = param.shape[d].as<VarRef>();
        if (ref && ref->var == size) value = (*array)->shape()[d];
      }
    }
    if (!value) return refuse("size " + size.name() + " has no value and no argument shows it");
    if (*value < 0) return refuse("size " + size.name() + " is negative");
    machine.set(size, {bits_of_int(i64, *value)});
  }
  return absl::OkStatus();
}

absl::Status bind_param(const Param& param, const InterpArgument& argument, Machine& machine) {
  if (!param.buffer) {
    const Expr* value = std::get_if<Expr>(&argument);
    const Const* constant = value ? value->as<Const>() : nullptr;
    if (!constant || value->type() != param.scalar.type()) {
      return refuse("argument " + param.name() + " must be a constant of type " +
                    to_string(param.scalar.type()));
    }
    machine.set(param.scalar, {constant->bits});
    return absl::OkStatus();
  }
  Array* const* given = std::get_if<Array*>(&argument);
  if (!given || !*given) return refuse("argument " + param.name() + " must be an array");
  Array& array = **given;
  std::vector<int64_t> expected;
  for (const Expr& extent : param.shape) expected.push_back(machine.eval_int(extent));
  if (!machine.status().ok()) return machine.status();
  if (array.type() != param.buffer.type() || array.shape() != expected) {
    return refuse("argument " + param.name() + ": expected " + to_string(param.buffer.type()) +
                  shape_text(expected) + ", got " + to_string(array.type()) +
                  shape_text(array.shape()));
  }
  machine.set(param.buffer, &array);
  return absl::OkStatus();
}

std::unique_ptr<Array> array_of(const Table& table) {
  std::vector<int64_t> shape;
  for (const Expr& extent : table.shape) shape.push_back(as_int(extent).value_or(0));
  auto array = std::make_unique<Array>(table.buffer.type(), shape);
  for (size_t i = 0; i < table.bits->size(); ++i) {
    array->set_bits(static_cast<int64_t>(i), (*table.bits)[i]);
  }
  return array;
}

}  // namespace

absl::Status interpret(const Program& program, const Sizes& sizes,
                       const std::vector<InterpArgument>& arguments, const InterpOptions& options) {
  if (!program) return refuse("the Program is null");
  TENON_RETURN_IF_ERROR(verify(program));
  if (arguments.size() != program->params.size()) {
    return refuse("program " + program.name() + " takes " + std::to_string(program->params.size()) +
                  " arguments, got " + std::to_string(arguments.size()));
  }
  Machine machine(options);
  TENON_RETURN_IF_ERROR(bind_sizes(program, sizes, arguments, machine));
  for (size_t p = 0; p < arguments.size(); ++p) {
    TENON_RETURN_IF_ERROR(bind_param(program->params[p], arguments[p], machine));
  }
  std::vector<std::unique_ptr<Array>> tables;
  for (const Table& table : program->tables) {
    tables.push_back(array_of(table));
    machine.set(table.buffer, tables.back().get());
  }
  for (const Expr& requirement : program->requirements) {
    if (!machine.eval_int(requirement)) {
      return refuse("requirement " + print(requirement) + " does not hold");
    }
  }
  return machine.run(program->body);
}

std::optional<int64_t> evaluate_int(const Expr& e, const Sizes& values) {
  if (!e) return std::nullopt;
  const InterpOptions options;
  Machine machine(options);
  for (const auto& [var, value] : values.values()) machine.set(var, {bits_of_int(i64, value)});
  const int64_t value = machine.eval_int(e);
  if (!machine.status().ok()) return std::nullopt;
  return value;
}

}  // namespace tenon
