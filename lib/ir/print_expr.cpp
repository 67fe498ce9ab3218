#include "ir/grammar.h"
#include "ir/printer.h"
#include "tenon/base/match.h"

namespace tenon {

// How tightly the text of an expression holds together.
static int precedence_of(const Expr& e) {
  if (const Binary* b = e.as<Binary>()) return infix_precedence(b->op).value_or(kPrimaryPrecedence);
  if (const Unary* u = e.as<Unary>()) {
    return u->op == UnaryOp::kNeg || u->op == UnaryOp::kNot ? kUnaryPrecedence : kPrimaryPrecedence;
  }
  return kPrimaryPrecedence;
}

void ProgramPrinter::put_expr(const Expr& e, int at_least) {
  if (!e) return put("<null>");
  const bool parentheses = precedence_of(e) < at_least;
  if (parentheses) put("(");
  put_node(e);
  if (parentheses) put(")");
}

void ProgramPrinter::put_node(const Expr& e) {
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

void ProgramPrinter::put_unary(const Expr& e, const Unary& x) {
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

void ProgramPrinter::put_binary(const Binary& x) {
  const std::optional<Precedence> precedence = infix_precedence(x.op);
  if (!precedence) return put_call(name_of(x.op), {&x.a, &x.b});
  put_expr(x.a, *precedence);
  put(std::string(" ") + name_of(x.op) + " ");
  put_expr(x.b, *precedence + 1);  // operators of equal rank group to the left
}

void ProgramPrinter::put_cast(const Expr& e, const Cast& x) {
  switch (x.mode) {
    case CastMode::kValue: put("cast<"); break;
    case CastMode::kSaturate: put("saturate<"); break;
    case CastMode::kBits: put("bitcast<"); break;
  }
  put(to_string(e.type().element()) + ">");
  put_call("", {&x.a});
}

void ProgramPrinter::put_load(const Load& x) {
  if (!x.mask) return put_access(x.buffer, x.indices);
  put("masked(");
  put_access(x.buffer, x.indices);
  put(", ");
  put_expr(x.mask);
  put(")");
}

void ProgramPrinter::put_reduce(const Reduce& x) {
  put("reduce(" + reducer_name(x.by));
  for (const ReduceAxis& axis : x.axes) {
    put(", " + names_.of(axis.var) + " in 0..");
    put_expr(axis.extent);
  }
  put(", ");
  put_list(x.values);
  put(x.by.results() > 1 ? ")." + std::to_string(x.result) : ")");
}

std::string ProgramPrinter::reducer_name(const Reduction& by) {
  return by.functions() ? names_.of(by) : name_of(by.op());
}

void ProgramPrinter::put_call(const char* name, std::initializer_list<const Expr*> arguments) {
  put(name);
  const char* separator = "(";
  for (const Expr* argument : arguments) {
    put(separator);
    put_expr(*argument);
    separator = ", ";
  }
  put(")");
}

void ProgramPrinter::put_list(const std::vector<Expr>& list) {
  const char* separator = "";
  for (const Expr& e : list) {
    put(separator);
    put_expr(e);
    separator = ", ";
  }
}

void ProgramPrinter::put_access(const Buffer& buffer, const std::vector<Expr>& indices) {
  put(names_.of(buffer) + "[");
  put_list(indices);
  put("]");
}

void ProgramPrinter::put_shape(Type type, const std::vector<Expr>& shape) {
  put(to_string(type) + "[");
  put_list(shape);
  put("]");
}

}  // namespace tenon
