// A Program as a list of numbers that says everything but the identities (and names) of what the
// body declares: equal lists mean equal structure. Every node writes its kind, its own facts and
// how many children follow, so no two different programs share a list.
#include <map>

#include "tenon/base/hash.h"
#include "tenon/base/match.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

std::vector<uint64_t> encode(const Program& program);

class Encoder {
 public:
  std::vector<uint64_t> take() { return std::move(code_); }

  void add_program(const ProgramData& program);
  void add(const Reduction& by);
  void add(const Instruction& instruction);

 private:
  void add(uint64_t value) { code_.push_back(value); }
  void add(Type type) {
    add(static_cast<uint64_t>(type.scalar) << 32 | static_cast<uint32_t>(type.lanes));
  }
  void add(std::string_view text) {
    add(text.size());
    for (char c : text) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  void add(const std::string& text) { add(std::string_view(text)); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void add(Enum value) { add(static_cast<uint64_t>(value)); }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& item : list) add(item);
  }
  void add(const Expr& e);
  void add(const LoopKind& kind);
  void add(const Stmt& s);
  void add(const CallRegion& part);
  void add(const Param& param);
  void add(const Table& table);

  // From here on the identity is known by its number. A variable of several disjoint scopes gets a
  // number in each.
  void declare(uint64_t id, Type type) {
    numbers_[id] = ++declared_;
    add(type);
  }
  void declare(const Var& var) { declare(var.id(), var.type()); }
  void declare(const Buffer& buffer) { declare(buffer.id(), buffer.type()); }
  void refer(uint64_t id) {
    const auto known = numbers_.find(id);
    add(known != numbers_.end() ? known->second : 0);
    if (known == numbers_.end()) add(id);
  }

  std::vector<uint64_t> code_;
  std::map<uint64_t, uint64_t> numbers_;
  uint64_t declared_ = 0;
};

void Encoder::add(const Expr& e) {
  if (!e) return add(UINT64_MAX);
  add(e.node().kind.index());
  add(e.type());
  match(
      e.node().kind,  //
      [&](const Const& c) { add(c.bits); }, [&](const VarRef& v) { refer(v.var.id()); },
      [&](const Unary& u) { add(u.op), add(u.a); },
      [&](const Binary& b) { add(b.op), add(b.a), add(b.b); },
      [&](const Select& s) { add(s.condition), add(s.on_true), add(s.on_false); },
      [&](const Cast& c) { add(c.mode), add(c.a); },
      [&](const Load& l) { refer(l.buffer.id()), add(l.indices), add(l.mask); },
      [&](const Ramp& r) { add(r.base), add(r.stride); }, [&](const Broadcast& b) { add(b.a); },
      [&](const Reduce& r) {
        add(r.by);
        add(r.axes.size());
        for (const ReduceAxis& axis : r.axes) add(axis.extent), declare(axis.var);
        add(r.values);
        add(static_cast<uint64_t>(r.result));
      },
      [&](const Invalid& i) { add(std::string_view(i.message)); });
}

void Encoder::add(const LoopKind& kind) {
  add(static_cast<ForKind>(kind));
  if (kind.instruction()) add(kind.instruction());
  add(kind.prefetches().size());
  for (const Ahead& ahead : kind.prefetches()) {
    refer(ahead.buffer.id());
    add(static_cast<uint64_t>(ahead.iterations));
  }
}

void Encoder::add(const Instruction& instruction) {
  const InstructionData& data = *instruction;
  add(std::string_view(data.name)), add(data.needs);
  add(std::string_view(data.intrinsic)), add(std::string_view(data.assembly));
  add(std::string_view(data.constraints));
  add(data.operands.size());
  for (const InstructionOperand& operand : data.operands) {
    add(std::string_view(to_string(operand)));
  }
  add(static_cast<uint64_t>(data.exact));
  for (const uint64_t value : encode(data.meaning)) add(value);
}

void Encoder::add(const Stmt& s) {
  if (!s) return add(UINT64_MAX);
  add(s.node().kind.index());
  match(
      s.node().kind,
      [&](const Store& x) { refer(x.buffer.id()), add(x.indices), add(x.value), add(x.mask); },
      [&](const Accumulate& x) {
        add(x.buffers.size());
        for (const Buffer& buffer : x.buffers) refer(buffer.id());
        add(x.indices), add(x.by), add(x.values), add(x.mask);
      },
      [&](const For& x) { add(x.kind), add(x.lo), add(x.hi), declare(x.var), add(x.body); },
      [&](const If& x) { add(x.condition), add(x.body); }, [&](const Seq& x) { add(x.stmts); },
      [&](const Alloc& x) { add(x.memory), add(x.shape), add(x.offset), declare(x.buffer); },
      [&](const Bind& x) { add(x.value), declare(x.var); },
      [&](const Call& x) {
        add(std::string_view(x.function.name));
        add(reinterpret_cast<uint64_t>(x.function.function));
        add(reinterpret_cast<uint64_t>(x.function.user));
        add(x.writes), add(x.reads);
      },
      [&](const Prefetch& x) { refer(x.buffer.id()), add(x.indices); });
}

void Encoder::add(const CallRegion& part) {
  refer(part.buffer.id());
  add(part.ranges.size());
  for (const CallRegion::Range& range : part.ranges) add(range.lo), add(range.hi);
  add(part.strides);
}

void Encoder::add(const Reduction& by) {
  const CustomReducer* functions = by.functions();
  if (!functions) return add(by.op());
  add(UINT64_MAX);
  for (const auto* vars : {&functions->state, &functions->element, &functions->other}) {
    add(vars->size());
    for (const Var& var : *vars) declare(var);
  }
  add(functions->identity), add(functions->update), add(functions->combine);
}

void Encoder::add(const Param& param) {
  add(param.role);
  add(std::string_view(param.name()));
  if (param.buffer) {
    declare(param.buffer);
  } else {
    declare(param.scalar);
  }
  add(param.shape);
  add(param.strides);
  add(static_cast<uint64_t>(param.streamed));
  add(static_cast<uint64_t>(param.packing.has_value()));
  if (!param.packing) return;
  add(param.packing->logical_shape);
  add(param.packing->vars.size());
  for (const Var& var : param.packing->vars) declare(var);
  add(param.packing->map);
}

void Encoder::add(const Table& table) {
  add(UINT64_MAX);
  add(std::string_view(table.buffer.name()));
  declare(table.buffer);
  add(table.shape);
  add(*table.bits);
}

void Encoder::add_program(const ProgramData& program) {
  add(std::string_view(program.name));
  add(static_cast<uint64_t>(program.reassociated));
  add(program.sizes.size());
  for (const Var& size : program.sizes) {
    add(std::string_view(size.name()));
    declare(size);
  }
  // One list: what the body reads and writes. A table says so in the place of a role.
  add(program.params.size() + program.tables.size());
  for (const Param& param : program.params) add(param);
  for (const Table& table : program.tables) add(table);
  add(program.requirements);
  add(program.body);
}

std::vector<uint64_t> encode(const Program& program) {
  Encoder encoder;
  encoder.add_program(*program);
  return encoder.take();
}

}  // namespace

bool operator==(const Reduction& a, const Reduction& b) {
  if (a.functions_ == b.functions_) return a.op_ == b.op_;
  if (!a.functions_ || !b.functions_) return false;
  Encoder x, y;
  x.add(a), y.add(b);
  return x.take() == y.take();
}

bool operator==(const Instruction& a, const Instruction& b) {
  if (a.data_ == b.data_) return true;
  if (!a.data_ || !b.data_) return false;
  Encoder x, y;
  x.add(a), y.add(b);
  return x.take() == y.take();
}

bool structurally_equal(const Program& a, const Program& b) { return encode(a) == encode(b); }

uint64_t structural_hash(const Program& program) {
  uint64_t hash = 0;
  for (uint64_t value : encode(program)) hash = hash_combine(hash, value);
  return hash;
}

}  // namespace tenon
