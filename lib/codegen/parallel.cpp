// A parallel loop: its body becomes a task, a function that the executor calls for one chunk of
// iterations after another. What the body uses travels in a record on the caller's stack:
//
//   void task(record, begin, end, worker) {
//     the fields of the record ...; slice = slices + worker * slice_bytes
//     for var in lo + begin..lo + end { body }
//   }
#include <cstddef>
#include <map>

#include "codegen/emitter.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/lower.h"

namespace tenon::codegen {

using llvm::Value;

// What the task needs of the function around the loop: a record with one field each.
struct Emitter::Captures {
  std::vector<std::pair<Var, Value*>> vars;
  std::vector<std::pair<Buffer, Place>> buffers;
  std::vector<Value*> values;  // everything, in the order of the record
  llvm::StructType* record = nullptr;

  // After the variables and the buffers.
  enum Extra {
    kWorkspace,
    kExecutor,
    kMath,
    kFault,
    kExterns,
    kSlices,
    kSliceBytes,
    kFirst,
    kExtras
  };
  unsigned extra(Extra e) const {
    return static_cast<unsigned>(vars.size() + buffers.size()) + static_cast<unsigned>(e);
  }
};

namespace {

// The rule of workspace_layout() in tenon/runtime/workspace.h, on values of the running kernel:
// whole pairs of cache lines, and an odd number of them for a slice.
constexpr uint64_t kUnit = 128;

Value* round_up(llvm::IRBuilder<>& b, Value* bytes) {
  return b.CreateAnd(b.CreateAdd(bytes, b.getInt64(kUnit - 1)), b.getInt64(~(kUnit - 1)));
}

Value* slice_bytes(llvm::IRBuilder<>& b, Value* bytes) {
  Value* rounded = round_up(b, bytes);
  Value* is_even = b.CreateICmpEQ(b.CreateAnd(rounded, b.getInt64(kUnit)), b.getInt64(0));
  Value* is_used = b.CreateICmpSGT(bytes, b.getInt64(0));
  Value* extra = b.CreateSelect(b.CreateAnd(is_even, is_used), b.getInt64(kUnit), b.getInt64(0));
  return b.CreateAdd(rounded, extra);
}

void use_vars(const Expr& e, std::map<Var, bool>& used) {
  for (const Var& var : free_vars(e)) used[var] = true;
}

}  // namespace

// Whatever of the scope the body names.
Emitter::Captures Emitter::captures_of(const For& loop) {
  std::map<Var, bool> vars;
  std::map<Buffer, bool> buffers;
  walk_exprs(loop.body, [&](const Expr& e) {
    if (const VarRef* ref = e.as<VarRef>()) vars[ref->var] = true;
    if (const Load* load = e.as<Load>()) buffers[load->buffer] = true;
  });
  walk(loop.body, [&](const Stmt& s) {
    if (const Store* store = s.as<Store>()) buffers[store->buffer] = true;
    if (const Accumulate* sum = s.as<Accumulate>()) buffers[sum->buffer()] = true;
    if (const Prefetch* ahead = s.as<Prefetch>()) buffers[ahead->buffer] = true;
    if (const Call* call = s.as<Call>()) {
      for (const CallRegion& part : regions_of(*call)) buffers[part.buffer] = true;
    }
    if (const Alloc* local = s.as<Alloc>()) {
      if (local->offset) use_vars(local->offset, vars);
    }
  });
  Captures captures;
  for (const auto& [var, used] : vars) {
    const auto found = scope_.vars.find(var.id());
    if (found == scope_.vars.end()) continue;  // declared in the body
    captures.vars.push_back(found->second);
    captures.values.push_back(found->second.second);
  }
  for (const auto& [buffer, used] : buffers) {
    const auto found = scope_.buffers.find(buffer.id());
    if (found == scope_.buffers.end()) continue;
    if (llvm::isa<llvm::GlobalVariable>(found->second.second.base)) continue;  // a table
    captures.buffers.push_back(found->second);
    captures.values.push_back(found->second.second.base);
  }
  return captures;
}

void Emitter::emit_parallel(const For& loop) {
  Value* lo = value(loop.lo);
  Value* hi = value(loop.hi);
  const WorkspaceNeed need = workspace_need(program_);
  Value* shared = value(need.shared_bytes);
  Value* per_worker = value(need.bytes_per_worker);
  if (!status_.ok()) return;
  Value* slices = b_.CreateGEP(b_.getInt8Ty(), scope_.workspace, round_up(b_, shared));

  Captures captures = captures_of(loop);
  Value* externs = scope_.externs ? scope_.externs : scope_.fault;  // whatever: nothing is called
  for (Value* extra : {scope_.workspace, scope_.executor, scope_.math, scope_.fault, externs,
                       slices, slice_bytes(b_, per_worker), lo}) {
    captures.values.push_back(extra);
  }
  std::vector<llvm::Type*> types;
  for (Value* v : captures.values) types.push_back(v->getType());
  captures.record = llvm::StructType::get(context_, types);

  const Scope caller = scope_;
  const llvm::IRBuilder<>::InsertPoint here = b_.saveIP();
  llvm::Function* task = emit_task(loop, captures);
  scope_ = caller;
  ops_.math_table = scope_.math;
  b_.restoreIP(here);
  if (!status_.ok()) return;

  finish_streams();
  emit_if(b_.CreateICmpSLT(lo, hi), [&] {
    Value* record = store_captures(captures);
    Value* self = load_field(scope_.executor, offsetof(tenon_executor, self), b_.getPtrTy());
    Value* run = load_field(scope_.executor, offsetof(tenon_executor, parallel_for), b_.getPtrTy());
    const std::vector<Value*> arguments = {self, b_.CreateSub(hi, lo), b_.getInt64(1), task,
                                           record};
    std::vector<llvm::Type*> parameters;
    for (Value* a : arguments) parameters.push_back(a->getType());
    b_.CreateCall(llvm::FunctionType::get(b_.getVoidTy(), parameters, false), run, arguments);
  });
}

Value* Emitter::store_captures(const Captures& captures) {
  llvm::BasicBlock& entry = scope_.function->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  Value* record = at_entry.CreateAlloca(captures.record, nullptr, kCapturesName);
  for (unsigned i = 0; i < captures.values.size(); ++i) {
    b_.CreateStore(captures.values[i], b_.CreateStructGEP(captures.record, record, i));
  }
  return record;
}

// void task(record, begin, end, worker)
llvm::Function* Emitter::emit_task(const For& loop, const Captures& captures) {
  const std::vector<llvm::Type*> types = {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(),
                                          b_.getInt32Ty()};
  llvm::Function* task =
      make_function(name_ + ".task" + std::to_string(tasks_++), types, /*external=*/false);
  begin_function(task);
  std::vector<Value*> fields;
  for (unsigned i = 0; i < captures.values.size(); ++i) {
    Value* field = b_.CreateStructGEP(captures.record, task->getArg(0), i);
    fields.push_back(b_.CreateLoad(captures.record->getElementType(i), field));
  }
  const auto extra = [&](Captures::Extra e) { return fields[captures.extra(e)]; };
  unsigned next = 0;
  for (const auto& [var, outer] : captures.vars) scope_.vars[var.id()] = {var, fields[next++]};
  for (const auto& [buffer, place] : captures.buffers) {
    Place here = place;
    here.base = fields[next++];
    scope_.buffers[buffer.id()] = {buffer, here};
  }
  scope_.workspace = extra(Captures::kWorkspace);
  scope_.executor = extra(Captures::kExecutor);
  scope_.math = ops_.math_table = extra(Captures::kMath);
  scope_.fault = extra(Captures::kFault);
  if (!externs_.empty()) scope_.externs = extra(Captures::kExterns);
  Value* worker = b_.CreateZExt(task->getArg(3), b_.getInt64Ty());
  scope_.slice = b_.CreateGEP(b_.getInt8Ty(), extra(Captures::kSlices),
                              b_.CreateMul(worker, extra(Captures::kSliceBytes)));
  Value* lo = extra(Captures::kFirst);
  emit_loop(loop.var, b_.CreateAdd(lo, task->getArg(1)), b_.CreateAdd(lo, task->getArg(2)),
            loop.body);
  if (!status_.ok()) return task;
  finish_streams();
  b_.CreateRetVoid();
  return task;
}

}  // namespace tenon::codegen
