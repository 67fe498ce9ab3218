// Statements: loops, guards, local buffers and names.
#include "codegen/emitter.h"
#include "tenon/base/match.h"

namespace tenon::codegen {

using llvm::Value;

void Emitter::emit(const Stmt& s) {
  if (!status_.ok()) return;
  match(
      s.node().kind,  //
      [&](const Seq& many) {
        for (const Stmt& part : many.stmts) emit(part);
      },
      [&](const auto& node) { emit(node); });
}

void Emitter::emit(const For& loop) {
  // Inside of a task a parallel loop runs on the worker that meets it.
  if (loop.kind == ForKind::kParallel && !scope_.slice) return emit_parallel(loop);
  if (loop.kind == ForKind::kInstruction) return emit_instruction(loop);
  if (loop.kind == ForKind::kVector || loop.kind == ForKind::kUnroll) {
    fail("loop " + loop.var.name() + " is not lowered");
    return;
  }
  Value* lo = value(loop.lo);
  Value* hi = value(loop.hi);
  if (status_.ok()) emit_loop(loop.var, lo, hi, loop.body);
}

void Emitter::emit(const If& node) {
  Value* condition = value(node.condition);
  if (!condition) return;
  emit_if(condition, [&] { emit(node.body); });
}

void Emitter::emit_if(Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* then = new_block("then");
  llvm::BasicBlock* join = new_block("join");
  b_.CreateCondBr(condition, then, join);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

void Emitter::emit(const Bind& node) {
  if (Value* v = value(node.value)) scope_.vars[node.var.id()] = {node.var, v};
}

namespace {

// The number of elements of a buffer of constant shape; -1 when it is not constant.
int64_t constant_elements(const Alloc& node) {
  int64_t elements = 1;
  for (const Expr& extent : node.shape) {
    const std::optional<int64_t> n = as_int(extent);
    if (!n || *n < 0 || __builtin_mul_overflow(elements, *n, &elements)) return -1;
  }
  return elements;
}

}  // namespace

void Emitter::emit(const Alloc& node) {
  Place place;
  if (node.memory == Memory::kStack) {
    place.stack_elements = constant_elements(node);
    if (place.stack_elements < 0) {
      fail("buffer " + node.buffer.name() + " on the stack has no constant size");
      return;
    }
    // In the entry block it is made once per call of the function, and can become registers.
    llvm::BasicBlock& entry = scope_.function->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    auto* array = llvm::ArrayType::get(ops_.memory_type(node.buffer.type()),
                                       static_cast<uint64_t>(place.stack_elements));
    llvm::AllocaInst* local = at_entry.CreateAlloca(array, nullptr, sanitized(node.buffer.name()));
    local->setAlignment(llvm::Align(64));
    place.base = local;
  } else {
    const bool shared = node.memory == Memory::kShared;
    Value* memory = shared ? scope_.workspace : scope_.slice;
    if (node.memory == Memory::kAuto || !node.offset || !memory) {
      fail("buffer " + node.buffer.name() + " has no place");
      return;
    }
    place.base = b_.CreateGEP(b_.getInt8Ty(), memory, value(node.offset));
  }
  scope_.buffers[node.buffer.id()] = {node.buffer, place};
}

}  // namespace tenon::codegen
