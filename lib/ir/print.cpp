#include <algorithm>
#include <ostream>

#include "ir/printer.h"
#include "tenon/base/match.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {

void ProgramPrinter::put_mask(const Expr& mask) {
  if (!mask) return;
  put(" where ");
  put_expr(mask);
}

// x[i] += v, and (best, at)[i] argmax= (v, j).
void ProgramPrinter::put_accumulate(const Accumulate& x) {
  if (!x.by.functions() && x.buffers.size() == 1 && x.values.size() == 1) {
    put_access(x.buffer(), x.indices);
    put(" " + reducer_name(x.by) + "= ");
    put_expr(x.value());
  } else {
    put("(");
    const char* separator = "";
    for (const Buffer& buffer : x.buffers) {
      put(separator + names_.of(buffer));
      separator = ", ";
    }
    put(")[");
    put_list(x.indices);
    put("] " + reducer_name(x.by) + "= (");
    put_list(x.values);
    put(")");
  }
  put_mask(x.mask);
}

// Nested guards print as one line; returns what stands inside the innermost.
const Stmt& ProgramPrinter::put_conditions(const Stmt& s) {
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

void ProgramPrinter::put_alloc(const Alloc& x) {
  put("alloc " + names_.of(x.buffer) + ": ");
  put_shape(x.buffer.type(), x.shape);
  if (x.memory != Memory::kAuto) put(std::string(" in ") + name_of(x.memory));
  if (x.offset) {
    put(" at ");
    put_expr(x.offset);
  }
}

void ProgramPrinter::put_headline(const Stmt& s) {
  match(
      s.node().kind,
      [&](const Store& x) {
        put_access(x.buffer, x.indices);
        put(" = ");
        put_expr(x.value);
        put_mask(x.mask);
      },
      [&](const Accumulate& x) { put_accumulate(x); },
      [&](const For& x) {
        if (x.kind != ForKind::kSerial) put(std::string(name_of(x.kind)) + " ");
        if (const Instruction& instruction = x.kind.instruction()) {
          put(names_.of(instruction) + " ");
        }
        put("for " + names_.of(x.var) + " in ");
        put_expr(x.lo);
        put("..");
        put_expr(x.hi);
        put_prefetches(x.kind.prefetches());
      },
      [&](const If&) { put_conditions(s); },
      [&](const Seq& x) { put(x.stmts.empty() ? "{}" : "{ ... }"); },
      [&](const Alloc& x) { put_alloc(x); },
      [&](const Bind& x) {
        put("let " + names_.of(x.var) + " = ");
        put_expr(x.value);
      },
      [&](const Call& x) { put_call(x); },
      [&](const Prefetch& x) {
        put("prefetch ");
        put_access(x.buffer, x.indices);
      });
}

//   for k in 0..n prefetching w 4 ahead, x 1 ahead
void ProgramPrinter::put_prefetches(const std::vector<Ahead>& prefetches) {
  const char* separator = " prefetching ";
  for (const Ahead& ahead : prefetches) {
    put(std::exchange(separator, ", ") + names_.of(ahead.buffer) + " " +
        std::to_string(ahead.iterations) + " ahead");
  }
}

//   call gemm(out y[i, 0..n], x[i, 0..k], w[0..n, 0..k])
void ProgramPrinter::put_call(const Call& x) {
  put("call " + x.function.name + "(");
  const char* separator = "";
  for (const CallRegion& part : regions_of(x)) {
    put(std::exchange(separator, ", "));
    if (writes(x, part.buffer)) put("out ");
    put_region(part);
  }
  put(")");
}

void ProgramPrinter::put_region(const CallRegion& part) {
  put(names_.of(part.buffer) + "[");
  const char* separator = "";
  for (const CallRegion::Range& range : part.ranges) {
    put(std::exchange(separator, ", "));
    put_expr(range.lo);
    if (!range.hi) continue;
    put("..");
    put_expr(range.hi);
  }
  put("]");
  if (part.strides.empty()) return;
  put(" strides [");
  put_list(part.strides);
  put("]");
}

void ProgramPrinter::put_block(const Stmt& body, int indent) {
  put(" {\n");
  put_stmt(body, indent + 2);
  put(std::string(static_cast<size_t>(indent), ' ') + "}\n");
}

void ProgramPrinter::put_stmt(const Stmt& s, int indent) {
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

static std::string quoted_text(const std::string& text) { return '"' + text + '"'; }

static const char* role_name(Role role) {
  switch (role) {
    case Role::kInput: return "input";
    case Role::kWeight: return "weight";
    case Role::kOutput: return "output";
    case Role::kInOut: return "inout";
    case Role::kScalar: return "scalar";
  }
  return "";
}

void ProgramPrinter::put_names(const std::vector<Var>& vars, bool types) {
  const char* separator = "(";
  for (const Var& var : vars) {
    put(separator + names_.of(var) + (types ? ": " + to_string(var.type()) : ""));
    separator = ", ";
  }
  put(vars.empty() ? "()" : ")");
}

void ProgramPrinter::put_packing(const Packing& packing) {
  put(" packs [");
  put_list(packing.logical_shape);
  put("] by ");
  put_names(packing.vars, false);
  put(" -> (");
  put_list(packing.map);
  put(")");
}

void ProgramPrinter::put_param(const Param& param) {
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
  if (param.streamed) put(" streamed");
  put("\n");
}

//   table levels: f32[4] = (-1.0, -0.5, 0.5, 1.0)
void ProgramPrinter::put_table(const Table& table) {
  constexpr size_t kPerLine = 16;
  put("  table " + names_.of(table.buffer) + ": ");
  put_shape(table.buffer.type(), table.shape);
  put(" = (");
  for (size_t i = 0; i < table.bits->size(); ++i) {
    put(i == 0 ? "" : i % kPerLine == 0 ? ",\n    " : ", ");
    put_expr(constant_bits(table.buffer.type(), (*table.bits)[i]));
  }
  put(")\n");
}

//   reducer argmax(best: f32, at: i64) = (-f32.inf, -1)
//     update (v: f32, j: i64) -> (select(best < v, v, best), select(best < v, j, at))
//     combine (best_1, at_1) -> (...)
void ProgramPrinter::put_reducer(const Reduction& by) {
  const CustomReducer& functions = *by.functions();
  put("  reducer " + names_.of(by));
  put_names(functions.state, true);
  put(" = (");
  put_list(functions.identity);
  put(")\n    update ");
  put_names(functions.element, true);
  put(" -> (");
  put_list(functions.update);
  put(")\n    combine ");
  put_names(functions.other, false);
  put(" -> (");
  put_list(functions.combine);
  put(")\n");
}

//   instruction dot2 needs "avx2"
//     intrinsic "llvm.x86.avx2.pmadd.wd" (a as i16, b as i16)
//     program dot2
//       ...
void ProgramPrinter::put_instruction(const Instruction& instruction) {
  put("  instruction " + names_.of(instruction));
  const char* separator = " needs ";
  for (const std::string& feature : instruction->needs) {
    put(separator + quoted_text(feature));
    separator = ", ";
  }
  if (!instruction->exact) put(" inexact");
  if (instruction->intrinsic.empty()) {
    put("\n    assembly " + quoted_text(instruction->assembly) + " " +
        quoted_text(instruction->constraints) + " (");
  } else {
    put("\n    intrinsic " + quoted_text(instruction->intrinsic) + " (");
  }
  separator = "";
  for (const InstructionOperand& operand : instruction->operands) {
    put(separator + to_string(operand));
    separator = ", ";
  }
  put(")\n");
  std::string line;
  for (const char c : print(instruction->meaning)) {
    line += c;
    if (c == '\n') put("    " + std::exchange(line, std::string()));
  }
}

void ProgramPrinter::put_program(const ProgramData& program) {
  put("program " + program.name + "\n");
  if (program.reassociated) put("  reassociated\n");
  const char* separator = "  size ";
  for (const Var& size : program.sizes) {
    put(separator + names_.of(size));
    separator = ", ";
  }
  if (!program.sizes.empty()) put("\n");
  for (const Param& param : program.params) put_param(param);
  for (const Table& table : program.tables) put_table(table);
  for (const Expr& requirement : program.requirements) {
    put("  require ");
    put_expr(requirement);
    put("\n");
  }
  if (program.body) {
    for (const ExternFunction& one : externs_of(program.body)) put("  extern " + one.name + "\n");
    for (const Reduction& reducer : reducers_of(program.body)) put_reducer(reducer);
    for (const Instruction& one : instructions_of(program.body)) put_instruction(one);
  }
  put("{\n");
  if (!program.error.empty()) {
    std::string error = program.error;
    std::ranges::replace(error, '\n', ' ');  // a comment ends with its line
    put("  # not valid: " + error + "\n");
  }
  put_stmt(program.body, 2);
  put("}\n");
}

std::string expr_text(const Expr& e, Names& names) {
  ProgramPrinter printer(names);
  printer.put_expr(e);
  return printer.take();
}

std::string headline(const Stmt& s, Names& names) {
  ProgramPrinter printer(names);
  printer.put_headline(s);
  return printer.take();
}

std::string shape_text(Type type, const std::vector<Expr>& shape, Names& names) {
  ProgramPrinter printer(names);
  printer.put_shape(type, shape);
  return printer.take();
}

std::string print(const Program& program) {
  Names names(program);
  ProgramPrinter printer(names);
  printer.put_program(*program);
  return printer.take();
}

std::string print(const Expr& e) {
  Names names;
  return expr_text(e, names);
}

std::string print(const Stmt& s) {
  Names names;
  ProgramPrinter printer(names);
  printer.put_stmt(s, 0);
  return printer.take();
}

std::string print(const Expr& e, const Program& within) {
  Names names(within);
  return expr_text(e, names);
}

std::string print(const Stmt& s, const Program& within) {
  Names names(within);
  ProgramPrinter printer(names);
  printer.put_stmt(s, 0);
  return printer.take();
}

std::ostream& operator<<(std::ostream& out, const Program& program) {
  return out << print(program);
}

std::ostream& operator<<(std::ostream& out, const Expr& e) { return out << print(e); }

}  // namespace tenon
