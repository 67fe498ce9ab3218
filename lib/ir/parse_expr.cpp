#include "ir/grammar.h"
#include "ir/parser.h"
#include "tenon/base/counted.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// What stands for an expression after an error; nobody looks at it.
Expr nothing() { return constant_int(i64, 0); }

}  // namespace

Expr ProgramParser::parse_expr(int at_least) {
  Expr left = parse_unary();
  for (;;) {
    const std::optional<BinaryOp> op =
        peek().kind == Token::kSymbol ? infix_op(peek().text) : std::nullopt;
    if (!op || *infix_precedence(*op) < at_least) return left;
    const Token at = next();
    const Expr right = parse_expr(*infix_precedence(*op) + 1);
    left = make_binary(at, *op, left, right);
  }
}

Expr ProgramParser::parse_unary() {
  if (!enter()) return nothing();
  const Token at = peek();
  Expr result;
  if (accept("-")) {
    result = parse_negative();
    if (!result) result = make_unary(at, UnaryOp::kNeg, parse_unary());
  } else if (accept("!")) {
    const Expr a = parse_unary();
    if (!a.type().is_bool()) fail(at, "operator ! on " + to_string(a.type()) + ": it takes bool");
    result = make_unary(at, UnaryOp::kNot, a);
  } else if (accept("~")) {
    result = make_unary(at, UnaryOp::kNot, parse_unary());
  } else {
    result = parse_primary();
  }
  leave();
  return result;
}

// A minus directly before a number or an infinity is part of it; a NaN is negated. Null when there
// is no number.
Expr ProgramParser::parse_negative() {
  if (peek().kind == Token::kNumber) return parse_number(true);
  const bool infinite = sees("inf") || (at_special() && peek(2).text == "inf");
  return infinite ? parse_special(true) : Expr();
}

Expr ProgramParser::parse_primary() {
  if (peek().kind == Token::kNumber) return parse_number(false);
  if (at_special()) return parse_special(false);
  if (accept("(")) {
    Expr e = parse_expr();
    expect(")");
    return e;
  }
  if (sees_name()) return parse_named();
  fail_expected("an expression");
  return nothing();
}

Expr ProgramParser::parse_named() {
  if (sees("true") || sees("false")) return constant_int(boolean, next().text == "true");
  if (sees("cast") || sees("saturate") || sees("bitcast")) return parse_cast();
  // On the next line it begins an accumulation.
  if (peek(1).text == "(" && !peek(1).first_on_line) return parse_call();
  const Token name = next();
  if (!sees("[")) {
    const Var var = find_var(name);
    return var ? Expr(var) : nothing();
  }
  const Buffer buffer = find_buffer(name);
  std::vector<Expr> indices = parse_list("[", "]");
  return buffer ? load(buffer, std::move(indices)) : nothing();
}

Expr ProgramParser::parse_number(bool negative) {
  const Token token = next();
  const NumberParts number = split_number(token.text);
  std::optional<Type> type = number.is_float ? f32 : i64;
  if (!number.suffix.empty()) type = parse_type(number.suffix);
  if (!type || type->is_bool() || type->is_vector() || (number.is_float && !type->is_float())) {
    fail(token,
         quoted(token.text) + " is not a number: " + quoted(number.suffix) + " is no type for it");
    return nothing();
  }
  const std::optional<uint64_t> bits = type->is_float()
                                           ? float_bits(number.digits, negative, *type)
                                           : integer_bits(number.digits, negative, *type);
  if (!bits) {
    fail(token, quoted((negative ? "-" : "") + std::string(token.text)) + " does not fit " +
                    to_string(*type));
    return nothing();
  }
  return constant_bits(*type, *bits);
}

// inf, nan, f64.inf, f16.nan, f32.bits(0x7fc00001)
bool ProgramParser::at_special() const {
  if (!sees_name()) return false;
  return sees("inf") || sees("nan") || (parse_type(peek().text) && peek(1).text == ".");
}

Expr ProgramParser::parse_special(bool negative) {
  Type type = f32;
  if (!sees("inf") && !sees("nan")) {
    type = parse_element_type();
    expect(".");
  }
  const Token word = next();
  if (!type.is_float()) fail(word, to_string(type) + " has no " + quoted(word.text));
  if (!error_.ok()) return nothing();
  if (word.text == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return constant_float(type, negative ? -infinity : infinity);
  }
  if (word.text == "nan") return constant_bits(type, plain_nan_bits(type));
  if (word.text != "bits") {
    fail(word, "found " + quoted(word.text) + ", expected inf, nan or bits");
    return nothing();
  }
  expect("(");
  const Token digits = next();
  expect(")");
  const Type pattern = type.bits() == 64 ? u64 : type.bits() == 32 ? u32 : u16;
  const std::optional<uint64_t> bits = integer_bits(digits.text, false, pattern);
  if (!bits) {
    fail(digits, quoted(digits.text) + " is not a bit pattern of " + to_string(type));
    return nothing();
  }
  return constant_bits(type, *bits);
}

Expr ProgramParser::parse_cast() {
  const Token at = next();
  expect("<");
  const Type type = parse_element_type();
  expect(">");
  expect("(");
  const Expr a = parse_expr();
  expect(")");
  CastMode mode = CastMode::kValue;
  if (at.text == "saturate") mode = CastMode::kSaturate;
  if (at.text == "bitcast") mode = CastMode::kBits;
  return checked(at, make_cast(mode, type.with_lanes(a.type().lanes), a));
}

Expr ProgramParser::parse_call() {
  const Token function = peek();
  if (function.text == "masked") return parse_masked();
  if (function.text == "ramp" || function.text == "broadcast") {
    return parse_lanes(next());
  }
  const std::optional<UnaryOp> unary_op = unary_function(function.text);
  const std::optional<BinaryOp> binary_op = binary_function(function.text);
  const bool is_select = function.text == "select";
  if (!unary_op && !binary_op && !is_select) {
    fail(function, quoted(function.text) + " is not a function");
    return nothing();
  }
  next();
  const std::vector<Expr> arguments = parse_list("(", ")");
  const size_t wanted = unary_op ? 1 : binary_op ? 2 : 3;
  if (arguments.size() != wanted) {
    fail(function, quoted(function.text) + " takes " + counted(wanted, "argument") +
                       ", and the number given is " + std::to_string(arguments.size()));
    return nothing();
  }
  if (unary_op) return make_unary(function, *unary_op, arguments[0]);
  if (binary_op) return make_binary(function, *binary_op, arguments[0], arguments[1]);
  return checked(function, make_select(arguments[0], arguments[1], arguments[2]));
}

Expr ProgramParser::parse_masked() {
  next();
  expect("(");
  const Token name = expect_name("a buffer");
  const Buffer buffer = find_buffer(name);
  std::vector<Expr> indices = parse_list("[", "]");
  expect(",");
  Expr mask = parse_expr();
  expect(")");
  return buffer ? checked(name, load(buffer, std::move(indices), std::move(mask))) : nothing();
}

// ramp(base, stride, lanes) and broadcast(value, lanes)
Expr ProgramParser::parse_lanes(const Token& function) {
  expect("(");
  const Expr a = parse_expr();
  expect(",");
  Expr stride;
  if (function.text == "ramp") {
    stride = parse_expr();
    expect(",");
  }
  const Token count = next();
  expect(")");
  const std::optional<uint64_t> lanes = integer_bits(count.text, false, i32);
  if (!lanes || *lanes < 2 || *lanes > kMaxLanes) {
    fail(count, "found " + quoted(count.text) + ", expected a number of lanes from 2 to " +
                    std::to_string(kMaxLanes));
    return nothing();
  }
  if (a.type().is_vector() || (stride && stride.type().is_vector())) {
    fail(function, quoted(function.text) + " takes operands of one lane");
    return nothing();
  }
  const int32_t n = static_cast<int32_t>(*lanes);
  return checked(function, stride ? ramp(a, stride, n) : broadcast_lanes(a, n));
}

Expr ProgramParser::make_unary(const Token& at, UnaryOp op, const Expr& a) {
  if (!accepts(op, a.type())) {
    fail(at, "operator " + std::string(name_of(op)) + " on " + to_string(a.type()) + ": it takes " +
                 operands_of(op));
    return nothing();
  }
  return checked(at, unary(op, a));
}

Expr ProgramParser::make_binary(const Token& at, BinaryOp op, const Expr& a, const Expr& b) {
  const std::string types = "operator " + std::string(name_of(op)) + " on " + to_string(a.type()) +
                            " and " + to_string(b.type());
  if (a.type() != b.type()) {
    fail(at, types + ": both sides must have the same type");
    return nothing();
  }
  if (!accepts(op, a.type())) {
    fail(at, types + ": it takes " + operands_of(op));
    return nothing();
  }
  return checked(at, binary(op, a, b));
}

// A node that could not be made says why.
Expr ProgramParser::checked(const Token& at, Expr e) {
  if (const Invalid* wrong = e.as<Invalid>()) {
    fail(at, wrong->message);
    return nothing();
  }
  return e;
}

Type ProgramParser::parse_element_type() {
  const Token name = expect_name("a type");
  const std::optional<Type> type = parse_type(name.text);
  if (!type || type->is_vector()) {
    fail(name, "found " + quoted(name.text) + ", expected a type (f32, i64, bool ...)");
  }
  return type.value_or(f32);
}

std::vector<Expr> ProgramParser::parse_list(std::string_view open, std::string_view close) {
  expect(open);
  std::vector<Expr> list;
  if (accept(close)) return list;
  do {
    list.push_back(parse_expr());
  } while (accept(","));
  expect(close);
  return list;
}

}  // namespace tenon
