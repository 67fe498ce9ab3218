#include "ir/parser.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"

namespace tenon {

// The statements of a block, whose names end with it.
std::vector<Stmt> ProgramParser::parse_block() {
  std::vector<Stmt> stmts;
  if (!enter()) return stmts;
  const size_t mark = declared_.size();
  expect("{");
  while (error_.ok() && !accept("}")) {
    if (!stmts.empty() && !peek().first_on_line) {
      fail_expected("'}' or the end of the line");
    } else {
      stmts.push_back(parse_stmt());
    }
  }
  close_scope(mark);
  leave();
  return stmts;
}

Stmt ProgramParser::parse_stmt() {
  const bool before_name = peek(1).kind == Token::kName;
  const bool is_loop = sees("parallel") || sees("vector") || sees("unroll") || sees("instruction");
  if ((sees("for") && before_name) || (is_loop && before_name)) return parse_for();
  if (sees("if") && peek(1).text != "[") return parse_if();
  if (sees("alloc") && before_name) return parse_alloc();
  if (sees("let") && before_name) return parse_let();
  if (sees("call") && before_name) return parse_extern_call();
  if (sees("prefetch") && before_name) return parse_prefetch();
  if (sees("(")) return parse_accumulate();
  if (sees_name()) return parse_write();
  fail_expected("a statement or '}'");
  return seq({});
}

Stmt ProgramParser::parse_for() {
  LoopKind kind = ForKind::kSerial;
  for (ForKind other : {ForKind::kParallel, ForKind::kVector, ForKind::kUnroll}) {
    if (kind == ForKind::kSerial && accept(name_of(other))) kind = other;
  }
  if (kind == ForKind::kSerial && accept(name_of(ForKind::kInstruction))) {
    const Token which = expect_name("the name of an instruction");
    const auto known = instructions_.find(which.text);
    if (known == instructions_.end()) {
      fail(which, "there is no instruction " + quoted(which.text));
    } else {
      kind = LoopKind(known->second);
    }
  }
  expect("for");
  const Token name = expect_name("a name for the loop");
  expect("in");
  Expr lo = parse_expr();
  expect("..");
  Expr hi = parse_expr();
  if (sees("prefetching") && kind == ForKind::kSerial) kind = LoopKind(parse_prefetches());
  const size_t mark = declared_.size();
  const Var var = declare_var(name, i64);
  std::vector<Stmt> body = parse_block();
  close_scope(mark);
  return make_for(var, std::move(lo), std::move(hi), kind, seq(std::move(body)));
}

// prefetching w 4 ahead, x 1 ahead
std::vector<Ahead> ProgramParser::parse_prefetches() {
  std::vector<Ahead> prefetches;
  next();
  do {
    Ahead ahead;
    ahead.buffer = find_buffer(expect_name("a buffer"));
    if (peek().kind != Token::kNumber) fail_expected("a number of iterations");
    const Token number = peek();
    const std::optional<int64_t> iterations = as_int(parse_number(/*negative=*/false));
    if (!iterations) fail(number, "a number of iterations is an integer");
    ahead.iterations = iterations.value_or(1);
    expect("ahead");
    prefetches.push_back(std::move(ahead));
  } while (accept(","));
  return prefetches;
}

// prefetch w[k + 4, 0]
Stmt ProgramParser::parse_prefetch() {
  next();
  const Buffer buffer = find_buffer(next());
  if (!sees("[")) fail_expected("'['");
  return prefetch(buffer, parse_list("[", "]"));
}

Stmt ProgramParser::parse_if() {
  next();
  std::vector<Expr> conditions = {parse_expr()};
  while (accept_word("and")) conditions.push_back(parse_expr());
  const int levels = static_cast<int>(std::min<size_t>(conditions.size(), kMaxNesting + 1));
  if (!enter(levels)) return seq({});
  Stmt result = seq(parse_block());
  leave(levels);
  for (; !conditions.empty(); conditions.pop_back()) result = make_if(conditions.back(), result);
  return result;
}

Stmt ProgramParser::parse_alloc() {
  next();
  const Token name = expect_name("a name for the buffer");
  expect(":");
  const Type type = parse_element_type();
  std::vector<Expr> shape = parse_list("[", "]");
  const Memory memory = accept_word("in") ? parse_memory() : Memory::kAuto;
  Expr offset = accept_word("at") ? parse_expr() : Expr();
  const Buffer buffer = declare_buffer(name, type);
  return alloc(buffer, std::move(shape), memory, std::move(offset));
}

Memory ProgramParser::parse_memory() {
  const std::optional<Memory> memory = memory_named(peek().text);
  if (memory) {
    next();
  } else {
    fail_expected("registers, workspace, stack, shared or worker");
  }
  return memory.value_or(Memory::kAuto);
}

Stmt ProgramParser::parse_let() {
  next();
  const Token name = expect_name("a name for the value");
  expect("=");
  Expr value = parse_expr();
  const Var var = declare_var(name, value.type());
  return bind(var, std::move(value));
}

// buffer[indices] = value, or += and the like, with an optional mask.
Stmt ProgramParser::parse_write() {
  const Token name = next();
  if (!sees("[")) {
    fail_expected("'[': a statement is a loop, an if, an alloc, a let or a write to a buffer");
    return seq({});
  }
  const Buffer buffer = find_buffer(name);
  std::vector<Expr> indices = parse_list("[", "]");
  const std::optional<Reducer> update = accept_update();
  if (!update && !accept("=")) fail_expected("'=', '+=', '*=', 'max=' or 'min='");
  Expr value = parse_expr();
  Expr mask = accept_word("where") ? parse_expr() : Expr();
  if (!error_.ok()) return seq({});
  if (!update) return store(buffer, std::move(indices), std::move(value), std::move(mask));
  return accumulate(buffer, std::move(indices), *update, std::move(value), std::move(mask));
}

// (best, at)[i] argmax= (x[i, r], r), with an optional mask.
Stmt ProgramParser::parse_accumulate() {
  next();
  std::vector<Buffer> buffers;
  do {
    buffers.push_back(find_buffer(expect_name("a buffer")));
  } while (accept(","));
  expect(")");
  std::vector<Expr> indices = parse_list("[", "]");
  const Token name = expect_name("the name of a reducer");
  expect("=");
  std::vector<Expr> values = parse_list("(", ")");
  Expr mask = accept_word("where") ? parse_expr() : Expr();
  if (!error_.ok()) return seq({});
  const auto by = reducers_.find(name.text);
  if (by == reducers_.end()) {
    fail(name, "there is no reducer " + quoted(name.text));
    return seq({});
  }
  return accumulate(std::move(buffers), std::move(indices), by->second, std::move(values),
                    std::move(mask));
}

// call gemm(out y[i, 0..n], x[i, 0..k])
Stmt ProgramParser::parse_extern_call() {
  next();
  const Token name = expect_name("the name of an extern function");
  const auto known = externs_.find(name.text);
  if (known == externs_.end()) fail(name, "there is no extern function " + quoted(name.text));
  std::vector<CallRegion> writes, reads;
  expect("(");
  if (!accept(")")) {
    do {
      const bool is_written = sees("out") && peek(1).kind == Token::kName && accept("out");
      if (is_written && !reads.empty()) {
        fail(peek(), "the parts that a call writes stand before those that it reads");
      }
      (is_written ? writes : reads).push_back(parse_region());
    } while (accept(","));
    expect(")");
  }
  if (!error_.ok()) return seq({});
  return call(known->second, std::move(writes), std::move(reads));
}

CallRegion ProgramParser::parse_region() {
  CallRegion part;
  part.buffer = find_buffer(expect_name("a buffer"));
  expect("[");
  if (!accept("]")) {
    do {
      CallRegion::Range range{parse_expr(), {}};
      if (accept("..")) range.hi = parse_expr();
      part.ranges.push_back(std::move(range));
    } while (accept(","));
    expect("]");
  }
  if (accept_word("strides")) part.strides = parse_list("[", "]");
  return part;
}

// extern gemm
void ProgramParser::parse_extern() {
  const Token name = expect_name("the name of an extern function");
  ExternFunction function{std::string(name.text)};
  for (const ExternFunction& given : functions_) {
    if (given.name == function.name) function = given;
  }
  if (!externs_.emplace(name.text, std::move(function)).second) {
    fail(name, "there are two extern functions " + quoted(name.text));
  }
}

std::optional<Reducer> ProgramParser::accept_update() {
  if (accept("+=")) return Reducer::kSum;
  if (accept("*=")) return Reducer::kProd;
  for (Reducer op : {Reducer::kMax, Reducer::kMin}) {
    if (!sees(name_of(op)) || peek(1).text != "=") continue;
    next();
    next();
    return op;
  }
  return std::nullopt;
}

// --- The Program.

Packing ProgramParser::parse_packing() {
  Packing packing;
  packing.logical_shape = parse_list("[", "]");
  expect("by");
  expect("(");
  const size_t mark = declared_.size();
  if (!accept(")")) {
    do {
      packing.vars.push_back(declare_var(expect_name("a name"), i64));
    } while (accept(","));
    expect(")");
  }
  expect("->");
  packing.map = parse_list("(", ")");
  close_scope(mark);
  return packing;
}

// (best: f32, at: i64), or names alone for the given types.
std::vector<Var> ProgramParser::parse_vars(const std::vector<Type>& types) {
  std::vector<Var> vars;
  expect("(");
  if (accept(")")) return vars;
  do {
    const Token name = expect_name("a name");
    if (types.empty()) expect(":");
    const Type type = types.empty()                ? parse_element_type()
                      : vars.size() < types.size() ? types[vars.size()]
                                                   : types.back();
    vars.push_back(declare_var(name, type));
  } while (accept(","));
  expect(")");
  return vars;
}

// reducer argmax(best: f32, at: i64) = (...) update (v: f32, j: i64) -> (...) combine (...) ->
// (...)
void ProgramParser::parse_reducer() {
  CustomReducer reducer;
  const Token name = expect_name("a name for the reducer");
  reducer.name = name.text;
  const size_t mark = declared_.size();
  reducer.state = parse_vars({});
  std::vector<Type> types;
  for (const Var& var : reducer.state) types.push_back(var.type());
  expect("=");
  reducer.identity = parse_list("(", ")");
  expect("update");
  const size_t element = declared_.size();
  reducer.element = parse_vars({});
  expect("->");
  reducer.update = parse_list("(", ")");
  close_scope(element);
  expect("combine");
  if (types.empty()) types.push_back(f32);  // refused below
  reducer.other = parse_vars(types);
  expect("->");
  reducer.combine = parse_list("(", ")");
  close_scope(mark);
  if (!error_.ok()) return;
  const Reduction by = custom_reducer(std::move(reducer));
  if (!by.functions()->status.ok())
    return fail(name, std::string(by.functions()->status.message()));
  if (!reducers_.emplace(name.text, by).second) {
    fail(name, "there are two reducers " + quoted(name.text));
  }
}

std::string ProgramParser::expect_string(std::string_view what) {
  if (peek().kind != Token::kString) {
    fail_expected(what);
    return "";
  }
  const std::string_view text = next().text;
  return std::string(text.substr(1, text.size() - 2));
}

// a, a as i16, or 4
InstructionOperand ProgramParser::parse_operand() {
  if (peek().kind == Token::kNumber) {
    const std::optional<int64_t> value = as_int(parse_number(/*negative=*/false));
    return static_cast<int>(value.value_or(0));
  }
  const Token name = expect_name("a parameter of the meaning or a number");
  std::optional<Type> as;
  if (accept_word("as")) as = parse_element_type();
  return InstructionOperand(std::string(name.text), as);
}

// instruction dot2 needs "avx2"
//   intrinsic "llvm.x86.avx2.pmadd.wd" (a, b)
//   program dot2 ... { ... }
void ProgramParser::parse_instruction() {
  if (!enter()) return;
  InstructionData data;
  const Token name = expect_name("a name for the instruction");
  data.name = name.text;
  if (accept_word("needs")) {
    do {
      data.needs.push_back(expect_string("the name of a feature in quotation marks"));
    } while (accept(","));
  }
  data.exact = !accept_word("inexact");
  if (accept("assembly")) {
    data.assembly = expect_string("assembly in quotation marks");
    data.constraints = expect_string("constraints in quotation marks");
  } else {
    expect("intrinsic");
    data.intrinsic = expect_string("the name of an intrinsic in quotation marks");
  }
  expect("(");
  if (!accept(")")) {
    do {
      data.operands.push_back(parse_operand());
    } while (accept(","));
    expect(")");
  }
  // The meaning is a Program of its own, with names of its own.
  const auto names = std::exchange(names_, {});
  const auto declared = std::exchange(declared_, {});
  const auto reducers = std::exchange(reducers_, {});
  const auto instructions = std::exchange(instructions_, {});
  const auto externs = std::exchange(externs_, {});
  ProgramData meaning;
  parse_header(meaning);
  meaning.body = seq(parse_block());
  names_ = names, declared_ = declared, reducers_ = reducers, instructions_ = instructions;
  externs_ = externs;
  leave();
  if (!error_.ok()) return;
  data.meaning = Program(std::move(meaning));
  const Instruction instruction(std::move(data));
  if (!instruction->status.ok()) return fail(name, std::string(instruction->status.message()));
  if (!instructions_.emplace(name.text, instruction).second) {
    fail(name, "there are two instructions " + quoted(name.text));
  }
}

Param ProgramParser::parse_param(Role role) {
  Param param;
  param.role = role;
  const Token name = expect_name("a name for the parameter");
  expect(":");
  const Type type = parse_element_type();
  if (role == Role::kScalar) {
    param.scalar = declare_var(name, type);
    return param;
  }
  param.shape = parse_list("[", "]");
  if (accept_word("strides")) param.strides = parse_list("[", "]");
  if (accept_word("packs")) param.packing = parse_packing();
  param.streamed = accept_word("streamed");
  param.buffer = declare_buffer(name, type);
  return param;
}

// table levels: f32[4] = (-1.0, -0.5, 0.5, 1.0)
Table ProgramParser::parse_table() {
  Table table;
  const Token name = expect_name("a name for the table");
  expect(":");
  const Type type = parse_element_type();
  table.shape = parse_list("[", "]");
  expect("=");
  std::vector<uint64_t> bits;
  const Token values = peek();
  for (const Expr& value : parse_list("(", ")")) {
    const Const* constant = value.as<Const>();
    if (!constant || !(value.type() == type)) {
      fail(values,
           "a value of table " + quoted(name.text) + " is no constant of type " + to_string(type));
      break;
    }
    bits.push_back(constant->bits);
  }
  table.bits = std::make_shared<const std::vector<uint64_t>>(std::move(bits));
  table.buffer = declare_buffer(name, type);
  return table;
}

void ProgramParser::parse_header(ProgramData& program) {
  expect("program");
  program.name = expect_name("a name for the program").text;
  while (error_.ok() && !sees("{")) {
    if (accept("reassociated")) {
      program.reassociated = true;
    } else if (accept("size")) {
      do {
        program.sizes.push_back(declare_var(expect_name("a name for the size"), i64));
      } while (accept(","));
    } else if (accept("input")) {
      program.params.push_back(parse_param(Role::kInput));
    } else if (accept("weight")) {
      program.params.push_back(parse_param(Role::kWeight));
    } else if (accept("output")) {
      program.params.push_back(parse_param(Role::kOutput));
    } else if (accept("inout")) {
      program.params.push_back(parse_param(Role::kInOut));
    } else if (accept("table")) {
      program.tables.push_back(parse_table());
    } else if (accept("scalar")) {
      program.params.push_back(parse_param(Role::kScalar));
    } else if (accept("require")) {
      program.requirements.push_back(parse_expr());
    } else if (accept("extern")) {
      parse_extern();
    } else if (accept("reducer")) {
      parse_reducer();
    } else if (accept("instruction")) {
      parse_instruction();
    } else {
      fail_expected(
          "size, input, weight, output, inout, scalar, table, require, extern, reducer, "
          "instruction, reassociated or '{'");
    }
  }
}

absl::StatusOr<Program> ProgramParser::parse_program() {
  ProgramData data;
  parse_header(data);
  data.body = seq(parse_block());
  if (peek().kind != Token::kEnd) fail_expected("the end of the text");
  if (!error_.ok()) return error_;
  Program program(std::move(data));
  TENON_RETURN_IF_ERROR(verify(program));
  return program;
}

absl::StatusOr<Expr> ProgramParser::parse_alone(const std::map<std::string, Var>& variables) {
  for (const auto& [name, var] : variables) names_[name] = {var, {}, 0};
  Expr e = parse_expr();
  if (peek().kind != Token::kEnd) fail_expected("the end of the text");
  if (!error_.ok()) return error_;
  return e;
}

absl::StatusOr<Expr> parse_expr(std::string_view text,
                                const std::map<std::string, Var>& variables) {
  return ProgramParser(text).parse_alone(variables);
}

absl::StatusOr<Program> parse(std::string_view text, const std::vector<ExternFunction>& functions) {
  return ProgramParser(text, functions).parse_program();
}

}  // namespace tenon
