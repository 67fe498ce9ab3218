// What an instruction has to be.
#include "tenon/ir/instruction.h"

#include <algorithm>

#include "ir/grammar.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// More than any register file moves at once.
constexpr int64_t kMaxElements = 1024;

std::string text_of(const Buffer& buffer, const std::vector<int64_t>& index) {
  std::string text = buffer.name() + "[";
  for (size_t d = 0; d < index.size(); ++d) text += (d ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

// The text form has no escapes.
bool is_plain(const std::string& text) { return text.find_first_of("\"\n\r") == text.npos; }

class Checker {
 public:
  explicit Checker(const InstructionData& data) : data_(data) {}

  absl::Status run() {
    if (!is_identifier(data_.name)) {
      return refuse(
          "an instruction needs a name of letters, digits and underscores, and this is \"" +
          data_.name + "\"");
    }
    if (!data_.meaning) return wrong("it has no meaning (a null Program)");
    if (absl::Status s = verify(data_.meaning); !s.ok()) {
      return wrong("its meaning is no valid Program: " + std::string(s.message()));
    }
    TENON_RETURN_IF_ERROR(check_params());
    check_stmt(data_.meaning->body);
    TENON_RETURN_IF_ERROR(status_);
    TENON_RETURN_IF_ERROR(check_coverage());
    TENON_RETURN_IF_ERROR(check_emission());
    return check_output();
  }

 private:
  absl::Status wrong(const std::string& what) const {
    return refuse("instruction " + data_.name + ": " + what);
  }
  void fail(const std::string& what) {
    if (status_.ok()) status_ = wrong(what);
  }

  absl::Status check_params() {
    const ProgramData& p = *data_.meaning;
    if (!p.sizes.empty() || !p.requirements.empty()) {
      return wrong("its meaning has sizes or requirements; the shape of a register is constant");
    }
    int outputs = 0;
    for (const Param& param : p.params) {
      if (!param.buffer || param.packing || !param.strides.empty()) {
        return wrong("parameter " + param.name() +
                     " of its meaning is no dense tensor; it stands for a register");
      }
      int64_t elements = 1;
      for (const Expr& extent : param.shape) {
        const std::optional<int64_t> n = as_int(extent);
        if (!n || *n < 1 || *n > kMaxElements) elements = 0;
        elements = elements > kMaxElements ? elements : elements * n.value_or(0);
      }
      if (elements < 1 || elements > kMaxElements || param.buffer.type().is_bool()) {
        return wrong("parameter " + param.name() + " of its meaning must have 1 to " +
                     std::to_string(kMaxElements) + " numbers");
      }
      outputs += param.role == Role::kOutput;
    }
    return outputs == 1 ? absl::OkStatus() : wrong("its meaning must have one output");
  }

  void check_stmt(const Stmt& s) {
    if (const For* loop = s.as<For>()) {
      const std::optional<int64_t> hi = as_int(loop->hi);
      if (loop->kind != ForKind::kSerial || as_int(loop->lo) != 0 || !hi || *hi < 2 ||
          *hi > kMaxElements) {
        return fail("loop " + loop->var.name() +
                    " of its meaning must be serial, and run from 0 to a constant of at least 2");
      }
      loops_.emplace_back(loop->var, *hi);
      check_stmt(loop->body);
      loops_.pop_back();
    } else if (const Store* x = s.as<Store>()) {
      stores_ = true;
      check_write(x->buffer, x->indices, x->value, x->mask);
    } else if (const Accumulate* y = s.as<Accumulate>(); y && !y->by.functions()) {
      ++accumulates_;
      check_write(y->buffer(), y->indices, y->value(), y->mask);
    } else if (const Seq* many = s.as<Seq>()) {
      for (const Stmt& part : many->stmts) check_stmt(part);
    } else {
      fail("its meaning has loops, stores and accumulations by operators, and nothing else");
    }
  }

  void check_write(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& value,
                   const Expr& mask) {
    if (mask) fail("its meaning has a mask");
    check_access(buffer, indices);
    check_value(value, true);
  }

  // Every element that is read, is read always: the register is loaded as a whole.
  void check_value(const Expr& e, bool always) {
    if (e.type().is_vector() || e.is<VarRef>() || e.is<Ramp>()) {
      return fail("its meaning computes with lanes or with the number of an iteration");
    }
    if (const Load* x = e.as<Load>()) {
      if (!always || x->mask) fail("its meaning reads " + print(e) + " only sometimes");
      reads_output_ = reads_output_ || x->buffer == output_of(data_).buffer;
      return check_access(x->buffer, x->indices);
    }
    const Binary* check = e.as<Binary>();
    if (check && check->op == BinaryOp::kCheck) fail("its meaning checks an index");
    if (const Select* x = e.as<Select>()) {
      check_value(x->condition, always);
      check_value(x->on_true, false), check_value(x->on_false, false);
      return;
    }
    for_each_child(e, [&](const Expr& child) { check_value(child, always); });
  }

  void check_access(const Buffer& buffer, const std::vector<Expr>& indices) {
    const Param& param = *find_param(data_.meaning, buffer);
    std::vector<std::vector<int64_t>> places = {{}};
    std::vector<Var> seen;
    for (size_t d = 0; d < indices.size(); ++d) {
      const int64_t extent = *as_int(param.shape[d]);
      std::vector<int64_t> values;
      if (const std::optional<int64_t> c = as_int(indices[d])) {
        if (*c >= 0 && *c < extent) values = {*c};
      } else if (const VarRef* ref = indices[d].as<VarRef>()) {
        const auto loop = std::find_if(loops_.begin(), loops_.end(),
                                       [&](const auto& l) { return l.first == ref->var; });
        const bool again = std::find(seen.begin(), seen.end(), ref->var) != seen.end();
        seen.push_back(ref->var);
        for (int64_t i = 0; loop != loops_.end() && !again && loop->second == extent && i < extent;
             ++i) {
          values.push_back(i);
        }
      }
      if (values.empty()) {
        return fail(
            "index " + print(indices[d]) + " of " + buffer.name() +
            " in its meaning must be a constant inside, or a loop over all of the dimension");
      }
      std::vector<std::vector<int64_t>> next;
      for (const std::vector<int64_t>& place : places) {
        for (const int64_t value : values) {
          next.push_back(place);
          next.back().push_back(value);
        }
      }
      places = std::move(next);
    }
    touched_[buffer.id()].insert(places.begin(), places.end());
  }

  absl::Status check_coverage() {
    for (const Param& param : data_.meaning->params) {
      std::vector<int64_t> index(param.shape.size(), 0);
      for (bool more = true; more;) {
        if (touched_[param.buffer.id()].count(index) == 0) {
          return wrong("its meaning does not touch " + text_of(param.buffer, index) +
                       "; every element of a register counts");
        }
        more = false;
        for (size_t d = index.size(); d-- > 0 && !more;) {
          more = ++index[d] < *as_int(param.shape[d]);
          if (!more) index[d] = 0;
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status check_emission() {
    if (data_.intrinsic.empty() == data_.assembly.empty()) {
      return wrong("it needs either the name of an intrinsic or assembly");
    }
    if (data_.assembly.empty() != data_.constraints.empty()) {
      return wrong("assembly has constraints, and an intrinsic has none");
    }
    for (const std::string& text : {data_.intrinsic, data_.assembly, data_.constraints}) {
      if (!is_plain(text)) return wrong("a quotation mark or the end of a line stands in " + text);
    }
    for (const std::string& feature : data_.needs) {
      if (feature.empty() || !is_plain(feature)) return wrong("a feature has no name");
    }
    for (const Param& param : data_.meaning->params) {
      const bool named =
          std::any_of(data_.operands.begin(), data_.operands.end(),
                      [&](const InstructionOperand& o) { return o.param == param.name(); });
      if (param.role != Role::kOutput && !named) {
        return wrong("no operand takes input " + param.name());
      }
    }
    for (const InstructionOperand& o : data_.operands) {
      if (o.param.empty()) continue;
      const Param* param = find_param(data_.meaning, o.param);
      if (!param) return wrong("operand " + o.param + " is no parameter of its meaning");
      const Type type = param->buffer.type();
      if (o.as &&
          (!type.is_int() || !o.as->is_int() || o.as->is_vector() || o.as->bits() <= type.bits())) {
        return wrong("operand " + to_string(o) + " is not a wider integer than " + to_string(type));
      }
    }
    return absl::OkStatus();
  }

  absl::Status check_output() {
    const Param& out = output_of(data_);
    const bool is_operand =
        std::any_of(data_.operands.begin(), data_.operands.end(),
                    [&](const InstructionOperand& o) { return o.param == out.name(); });
    if (is_operand) return absl::OkStatus();
    if (reads_output_ || (accumulates_ > 0 && !stores_ && accumulates_ != 1)) {
      return wrong("its meaning uses what " + out.name() + " holds; name it as an operand");
    }
    if (accumulates_ > 0 && !stores_ && out.buffer.type().is_float() && data_.exact) {
      return wrong("the sum of floats is added to " + out.name() +
                   " as a whole; that is not exact, so say exact = false");
    }
    return absl::OkStatus();
  }

  const InstructionData& data_;
  std::vector<std::pair<Var, int64_t>> loops_;
  std::map<uint64_t, std::set<std::vector<int64_t>>> touched_;
  bool stores_ = false, reads_output_ = false;
  int accumulates_ = 0;
  absl::Status status_;
};

}  // namespace

Instruction::Instruction(InstructionData data) {
  data.status = Checker(data).run();
  data_ = std::make_shared<const InstructionData>(std::move(data));
}

std::string to_string(const InstructionOperand& operand) {
  if (operand.param.empty()) return std::to_string(operand.constant);
  return operand.param + (operand.as ? " as " + to_string(*operand.as) : "");
}

const Param& output_of(const InstructionData& instruction) {
  const std::vector<Param>& params = instruction.meaning->params;
  return *std::find_if(params.begin(), params.end(),
                       [](const Param& p) { return p.role == Role::kOutput; });
}

bool combines_output(const InstructionData& instruction) {
  const std::string& out = output_of(instruction).name();
  for (const InstructionOperand& operand : instruction.operands) {
    if (operand.param == out) return false;
  }
  bool stores = false;
  walk(instruction.meaning->body, [&](const Stmt& s) { stores = stores || s.is<Store>(); });
  return !stores;
}

}  // namespace tenon
