#include <ostream>

#include "ir/grammar.h"
#include "ir/names.h"
#include "tenon/base/match.h"

namespace tenon {
namespace {

class Printer {
 public:
  explicit Printer(Names& names) : names_(names) {}

  std::string take() { return std::move(out_); }

  void put_expr(const Expr& e, int at_least = kAnyPrecedence);
  void put_list(const std::vector<Expr>& list);
  void put_shape(Type type, const std::vector<Expr>& shape);
  void put_stmt(const Stmt& s, int indent);
  void put_headline(const Stmt& s);
  void put_program(const ProgramData& program);

 private:
  void put(std::string_view text) { out_ += text; }
  void put_node(const Expr& e);
  void put_binary(const Binary& x);
  void put_unary(const Expr& e, const Unary& x);
  void put_cast(const Expr& e, const Cast& x);
  void put_load(const Load& x);
  void put_reduce(const Reduce& x);
  void put_call(const char* name, std::initializer_list<const Expr*> arguments);
  void put_access(const Buffer& buffer, const std::vector<Expr>& indices);
  void put_mask(const Expr& mask);
  const Stmt& put_conditions(const Stmt& s);
  void put_alloc(const Alloc& x);
  void put_param(const Param& param);
  void put_packing(const Packing& packing);
  void put_block(const Stmt& body, int indent);

  Names& names_;
  std::string out_;
};

// How tightly the text of an expression holds together.
int precedence_of(const Expr& e) {
  if (const Binary* b = e.as<Binary>()) return infix_precedence(b->op).value_or(kPrimaryPrecedence);
  if (const Unary* u = e.as<Unary>()) {
    return u->op == UnaryOp::kNeg || u->op == UnaryOp::kNot ? kUnaryPrecedence : kPrimaryPrecedence;
  }
  return kPrimaryPrecedence;
}

void Printer::put_expr(const Expr& e, int at_least) {
  if (!e) return put("<null>");
  const bool parentheses = precedence_of(e) < at_least;
  if (parentheses) put("(");
  put_node(e);
  if (parentheses) put(")");
}

void Printer::put_node(const Expr& e) {
  match(
      e.node().kind,  //
      [&](const Const& c) { put(literal_text(e.type(), c.bits)); },
      [&](const VarRef& v) { put(names_.of(v.var)); }, [&](const Unary& u) { put_unary(e, u); },
      [&](const Binary& b) { put_binary(b); },
      [&](const Select& s) {
        put_call("select", {&s.condition, &s.on_true, &s.on_false});
      },
      [&](const Cast& c) { put_cast(e, c); }, [&](const Load& l) { put_load(l); },
      [&](const Ramp& r) {
        put_call("ramp", {&r.base, &r.stride});
        out_.pop_back();
        put(", " + std::to_string(e.type().lanes) + ")");
      },
      [&](const Broadcast& b) {
        put_call("broadcast", {&b.a});
        out_.pop_back();
        put(", " + std::to_string(e.type().lanes) + ")");
      },
      [&](const Reduce& r) { put_reduce(r); },
      [&](const Invalid& i) { put("invalid(\"" + i.message + "\")"); });
}

void Printer::put_unary(const Expr& e, const Unary& x) {
  if (precedence_of(e) == kPrimaryPrecedence) return put_call(name_of(x.op), {&x.a});
  put(x.op == UnaryOp::kNot && e.type().is_bool() ? "!" : name_of(x.op));
  // A minus directly before a number, or before another minus, belongs to the number.
  if (x.op == UnaryOp::kNeg && (x.a.is<Const>() || precedence_of(x.a) == kUnaryPrecedence)) {
    put("(");
    put_expr(x.a);
    put(")");
  } else {
    put_expr(x.a, kUnaryPrecedence);
  }
}

void Printer::put_binary(const Binary& x) {
  const std::optional<Precedence> precedence = infix_precedence(x.op);
  if (!precedence) return put_call(name_of(x.op), {&x.a, &x.b});
  put_expr(x.a, *precedence);
  put(std::string(" ") + name_of(x.op) + " ");
  put_expr(x.b, *precedence + 1);  // operators of equal rank group to the left
}

void Printer::put_cast(const Expr& e, const Cast& x) {
  switch (x.mode) {
    case CastMode::kValue: put("cast<"); break;
    case CastMode::kSaturate: put("saturate<"); break;
    case CastMode::kBits: put("bitcast<"); break;
  }
  put(to_string(e.type().element()) + ">");
  put_call("", {&x.a});
}

void Printer::put_load(const Load& x) {
  if (!x.mask) return put_access(x.buffer, x.indices);
  put("masked(");
  put_access(x.buffer, x.indices);
  put(", ");
  put_expr(x.mask);
  put(")");
}

void Printer::put_reduce(const Reduce& x) {
  put(std::string("reduce(") + name_of(x.op));
  for (const ReduceAxis& axis : x.axes) {
    put(", " + names_.of(axis.var) + " in 0..");
    put_expr(axis.extent);
  }
  put(", ");
  put_expr(x.value);
  put(")");
}

void Printer::put_call(const char* name, std::initializer_list<const Expr*> arguments) {
  put(name);
  const char* separator = "(";
  for (const Expr* argument : arguments) {
    put(separator);
    put_expr(*argument);
    separator = ", ";
  }
  put(")");
}

void Printer::put_list(const std::vector<Expr>& list) {
  const char* separator = "";
  for (const Expr& e : list) {
    put(separator);
    put_expr(e);
    separator = ", ";
  }
}

void Printer::put_access(const Buffer& buffer, const std::vector<Expr>& indices) {
  put(names_.of(buffer) + "[");
  put_list(indices);
  put("]");
}

void Printer::put_shape(Type type, const std::vector<Expr>& shape) {
  put(to_string(type) + "[");
  put_list(shape);
  put("]");
}

void Printer::put_mask(const Expr& mask) {
  if (!mask) return;
  put(" where ");
  put_expr(mask);
}

// Nested guards print as one line; returns what stands inside the innermost.
const Stmt& Printer::put_conditions(const Stmt& s) {
  const Stmt* inner = &s;
  const char* word = "if ";
  while (const If* x = inner->as<If>()) {
    put(word);
    put_expr(x->condition);
    word = " and ";
    inner = &x->body;
  }
  return *inner;
}

void Printer::put_alloc(const Alloc& x) {
  put("alloc " + names_.of(x.buffer) + ": ");
  put_shape(x.buffer.type(), x.shape);
  if (x.memory != Memory::kAuto) put(std::string(" in ") + name_of(x.memory));
  if (x.offset) {
    put(" at ");
    put_expr(x.offset);
  }
}

void Printer::put_headline(const Stmt& s) {
  match(
      s.node().kind,
      [&](const Store& x) {
        put_access(x.buffer, x.indices);
        put(" = ");
        put_expr(x.value);
        put_mask(x.mask);
      },
      [&](const Accumulate& x) {
        put_access(x.buffer, x.indices);
        put(std::string(" ") + name_of(x.op) + "= ");
        put_expr(x.value);
        put_mask(x.mask);
      },
      [&](const For& x) {
        if (x.kind != ForKind::kSerial) put(std::string(name_of(x.kind)) + " ");
        put("for " + names_.of(x.var) + " in ");
        put_expr(x.lo);
        put("..");
        put_expr(x.hi);
      },
      [&](const If&) { put_conditions(s); },
      [&](const Seq& x) { put(x.stmts.empty() ? "{}" : "{ ... }"); },
      [&](const Alloc& x) { put_alloc(x); },
      [&](const Bind& x) {
        put("let " + names_.of(x.var) + " = ");
        put_expr(x.value);
      });
}

void Printer::put_block(const Stmt& body, int indent) {
  put(" {\n");
  put_stmt(body, indent + 2);
  put(std::string(static_cast<size_t>(indent), ' ') + "}\n");
}

void Printer::put_stmt(const Stmt& s, int indent) {
  if (const Seq* many = s.as<Seq>()) {
    for (const Stmt& part : many->stmts) put_stmt(part, indent);
    return;
  }
  put(std::string(static_cast<size_t>(indent), ' '));
  if (!s) return put("<null>\n");
  if (const For* x = s.as<For>()) {
    put_headline(s);
    put_block(x->body, indent);
  } else if (s.is<If>()) {
    put_block(put_conditions(s), indent);
  } else {
    put_headline(s);
    put("\n");
  }
}

const char* role_name(Role role) {
  switch (role) {
    case Role::kInput: return "input";
    case Role::kWeight: return "weight";
    case Role::kOutput: return "output";
    case Role::kScalar: return "scalar";
  }
  return "";
}

void Printer::put_packing(const Packing& packing) {
  put(" packs [");
  put_list(packing.logical_shape);
  put("] by (");
  const char* separator = "";
  for (const Var& var : packing.vars) {
    put(separator + names_.of(var));
    separator = ", ";
  }
  put(") -> (");
  put_list(packing.map);
  put(")");
}

void Printer::put_param(const Param& param) {
  put(std::string("  ") + role_name(param.role) + " ");
  if (param.role == Role::kScalar) {
    put(names_.of(param.scalar) + ": " + to_string(param.scalar.type()));
  } else {
    put(names_.of(param.buffer) + ": ");
    put_shape(param.buffer.type(), param.shape);
  }
  if (!param.strides.empty()) {
    put(" strides [");
    put_list(param.strides);
    put("]");
  }
  if (param.packing) put_packing(*param.packing);
  put("\n");
}

void Printer::put_program(const ProgramData& program) {
  put("program " + program.name + "\n");
  if (program.reassociated) put("  reassociated\n");
  const char* separator = "  size ";
  for (const Var& size : program.sizes) {
    put(separator + names_.of(size));
    separator = ", ";
  }
  if (!program.sizes.empty()) put("\n");
  for (const Param& param : program.params) put_param(param);
  for (const Expr& requirement : program.requirements) {
    put("  require ");
    put_expr(requirement);
    put("\n");
  }
  put("{\n");
  put_stmt(program.body, 2);
  put("}\n");
}

}  // namespace

std::string expr_text(const Expr& e, Names& names) {
  Printer printer(names);
  printer.put_expr(e);
  return printer.take();
}

std::string headline(const Stmt& s, Names& names) {
  Printer printer(names);
  printer.put_headline(s);
  return printer.take();
}

std::string shape_text(Type type, const std::vector<Expr>& shape, Names& names) {
  Printer printer(names);
  printer.put_shape(type, shape);
  return printer.take();
}

std::string print(const Program& program) {
  Names names(program);
  Printer printer(names);
  printer.put_program(*program);
  return printer.take();
}

std::string print(const Expr& e) {
  Names names;
  return expr_text(e, names);
}

std::string print(const Stmt& s) {
  Names names;
  Printer printer(names);
  printer.put_stmt(s, 0);
  return printer.take();
}

std::string print(const Expr& e, const Program& within) {
  Names names(within);
  return expr_text(e, names);
}

std::string print(const Stmt& s, const Program& within) {
  Names names(within);
  Printer printer(names);
  printer.put_stmt(s, 0);
  return printer.take();
}

std::ostream& operator<<(std::ostream& out, const Program& program) {
  return out << print(program);
}

std::ostream& operator<<(std::ostream& out, const Expr& e) { return out << print(e); }

}  // namespace tenon
