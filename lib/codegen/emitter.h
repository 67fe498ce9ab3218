// The fold over a lowered Program: one Emitter makes one LLVM module.
//
// The module holds the kernel, which unpacks the tenon_call record and runs, and for every parallel
// loop the task that the executor calls for a chunk of it. Each function costs a run of LLVM's
// machine pipeline, so there are no others.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/ops.h"
#include "tenon/base/status.h"
#include "tenon/codegen/codegen.h"
#include "tenon/ir/program.h"
#include "tenon/lower/instruction_call.h"

namespace tenon::codegen {

// Where a buffer lives.
struct Place {
  llvm::Value* base = nullptr;
  // Elements of a stack allocation, -1 for other memory. Accesses to the stack that are provably
  // inside are never masked, or they would not become registers.
  int64_t stack_elements = -1;
  bool read_only = false;  // the kernel never writes it: two loads of an element are one
  bool streamed = false;   // stored past the caches
};

// What a loop counts in: its variable, or the variable times a factor.
struct Counter {
  Expr factor;  // null: 1
  llvm::Value *first, *step;
  llvm::PHINode* phi = nullptr;
};

// What the function that is being emitted knows. Names are identities, so nothing is ever removed.
struct Scope {
  llvm::Function* function = nullptr;
  std::unordered_map<uint64_t, std::pair<Var, llvm::Value*>> vars;  // by id
  std::unordered_map<uint64_t, std::pair<Buffer, Place>> buffers;
  Var loop;                          // the innermost around; null outside of loops
  std::vector<Counter> counters;     // of that loop
  llvm::Value* workspace = nullptr;  // the part that all workers share
  llvm::Value* slice = nullptr;      // of this worker; null outside of parallel loops
  llvm::Value* executor = nullptr;
  llvm::Value* math = nullptr;
  llvm::Value* fault = nullptr;
  llvm::Value* externs = nullptr;
  bool streams = false;  // a store went past the caches since the last fence
};

class Emitter {
 public:
  Emitter(llvm::Module& module, const Program& program, const Target& target,
          const CodegenOptions& options);

  // Fills the module. An error is a Program that is not lowered, or a mistake in here.
  absl::Status emit();

  struct Access;  // access.h

  const std::string& entry_name() const { return name_; }
  std::vector<std::string> take_checks() { return std::move(checks_); }

 private:
  // emitter.cpp
  llvm::Function* make_function(const std::string& name, std::vector<llvm::Type*> arguments,
                                bool external);
  void begin_function(llvm::Function* function);
  void emit_entry();
  llvm::Value* load_field(llvm::Value* record, size_t offset, llvm::Type* type);
  void make_table(const Table& table);
  llvm::Value* load_scalar(llvm::Value* scalars, size_t slot, Type type);
  llvm::Value* fail(const std::string& reason);  // gives null
  llvm::BasicBlock* new_block(const char* name);

  // emit_stmt.cpp
  void emit(const Stmt& s);
  void emit(const For& loop);
  void emit(const If& node);
  void emit(const Alloc& node);
  void emit(const Bind& node);
  void emit_if(llvm::Value* condition, const std::function<void()>& body);

  // emit_loop.cpp
  void emit_loop(const Var& var, llvm::Value* lo, llvm::Value* hi, const Stmt& body);
  llvm::Value* counted(const std::vector<Expr>& terms) const;
  llvm::Value* counted_variable(const Var& var);

  // emit_expr.cpp
  llvm::Value* value(const Expr& e);
  llvm::Value* value(const Expr& e, const Const& node);
  llvm::Value* value(const Expr& e, const VarRef& node);
  llvm::Value* value(const Expr& e, const Unary& node);
  llvm::Value* value(const Expr& e, const Binary& node);
  llvm::Value* value(const Expr& e, const Select& node);
  llvm::Value* value(const Expr& e, const Cast& node);
  llvm::Value* value(const Expr& e, const Load& node);
  llvm::Value* value(const Expr& e, const Ramp& node);
  llvm::Value* value(const Expr& e, const Broadcast& node);
  llvm::Value* value(const Expr& e, const Reduce& node);
  llvm::Value* value(const Expr& e, const Invalid& node);
  llvm::Value* branch(llvm::Value* condition, const std::function<llvm::Value*()>& on_true,
                      const std::function<llvm::Value*()>& on_false);
  llvm::Value* any(llvm::Value* mask);

  // checks.cpp
  llvm::Value* check(const Expr& e, const Binary& node);
  llvm::Function* report_function();
  void report(int64_t site, llvm::Value* index, llvm::Value* bound);

  // access.cpp
  Access access(const Buffer& buffer, const std::vector<Expr>& indices, int lanes);
  void fill_access(const Place& place, const Expr& index, Access* result);
  llvm::Value* address(Type type, llvm::Value* base, const Expr& index);
  llvm::Value* offset_of(const std::vector<Expr>& terms);
  llvm::Value* element_pointer(Type type, llvm::Value* base, llvm::Value* index);
  llvm::Value* lane_addresses(const Access& access);

  // memory_access.cpp
  llvm::Value* read(const Access& access, llvm::Value* mask);
  llvm::Value* read_memory(const Access& access, llvm::Value* mask);
  void write(const Access& access, llvm::Value* value, llvm::Value* mask);
  void write_memory(const Access& access, llvm::Value* value, llvm::Value* mask);
  void emit(const Store& node);
  void emit_store(const Store& node, llvm::Value* mask);

  // hints.cpp
  void emit(const Prefetch& node);
  bool may_stream(const Access& access, llvm::Value* mask) const;
  void stream(const Access& access, llvm::Value* value);
  void store_past(const Access& access, llvm::Value* value, uint64_t at, uint64_t bytes);
  void finish_streams();

  // accumulate.cpp
  void emit(const Accumulate& node);
  void emit_accumulate(const Accumulate& node, llvm::Value* mask);
  void accumulate_fold(const Accumulate& node, llvm::Value* mask);
  void accumulate_one_by_one(const Accumulate& node, const Access& target, llvm::Value* mask);
  llvm::Value* combine(const Accumulate& node, const Expr& term, Type type, llvm::Value* old);
  llvm::Value* fold(Reducer op, Type type, llvm::Value* lanes);

  // emit_call.cpp
  void emit(const Call& node);
  llvm::Value* call_slot(llvm::Type* type, uint64_t count);
  void put_array(const CallRegion& part, llvm::Value* record);

  // emit_instruction.cpp
  void emit_instruction(const For& loop);
  llvm::Type* register_type(Type type, int64_t lanes);
  llvm::Type* run_type(const InstructionCall::Register& r);
  llvm::Value* load_register(const InstructionCall::Register& r);
  void store_register(const InstructionCall::Register& r, llvm::Value* value);
  llvm::FunctionCallee intrinsic_of(const InstructionData& instruction, llvm::FunctionType* wanted);
  llvm::Value* call_instruction(const InstructionData& instruction,
                                const std::vector<llvm::Value*>& operands, llvm::Type* result);
  llvm::Value* wrong_instruction(const InstructionData& instruction, const std::string& reason);

  // parallel.cpp
  struct Captures;
  void emit_parallel(const For& loop);
  Captures captures_of(const For& loop);
  llvm::Function* emit_task(const For& loop, const Captures& captures);
  llvm::Value* store_captures(const Captures& captures);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const Program& program_;
  const Target& target_;
  llvm::IRBuilder<> b_;
  Ops ops_;
  Scope scope_;
  std::string name_;
  llvm::AttrBuilder attributes_;
  const Buffer* indexed_ = nullptr;               // the buffer whose index is being emitted
  std::vector<std::pair<Buffer, Place>> tables_;  // every function knows them
  std::vector<std::string> checks_;
  std::vector<ExternFunction> externs_;  // in the order of tenon_call::externs
  llvm::Function* report_ = nullptr;
  int tasks_ = 0;
  absl::Status status_;
};

// The name of the records of parallel loops, which are no allocations of the Program.
inline constexpr char kCapturesName[] = ".captures";

// A name that is a symbol in every assembler.
std::string sanitized(const std::string& name);

}  // namespace tenon::codegen
