#include "codegen/emitter.h"

#include <cstddef>

#include "tenon/ir/visit.h"

namespace tenon::codegen {

using llvm::Value;

std::string sanitized(const std::string& name) {
  std::string result;
  for (char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain ? c : '_';
  }
  return result.empty() ? "kernel" : result;
}

Emitter::Emitter(llvm::Module& module, const Program& program, const Target& target,
                 const CodegenOptions& options)
    : module_(module),
      context_(module.getContext()),
      program_(program),
      target_(target),
      b_(context_),
      ops_{b_, target.has("f16c"), target.has("fma"), options.contract},
      name_("tenon_" + sanitized(program.name())),
      attributes_(context_) {
  attributes_.addAttribute(llvm::Attribute::NoUnwind);
  // LLVM must not replace loops and stores by calls to memset and the like.
  attributes_.addAttribute("no-builtins");
  attributes_.addAttribute("target-cpu", "x86-64");
  attributes_.addAttribute("target-features", target.llvm_features());
  attributes_.addAttribute("tune-cpu", "x86-64-v" + std::to_string(target.level()));
}

Value* Emitter::fail(const std::string& reason) {
  if (status_.ok()) status_ = absl::InternalError("code generation: " + reason);
  return nullptr;
}

llvm::BasicBlock* Emitter::new_block(const char* name) {
  return llvm::BasicBlock::Create(context_, name, scope_.function);
}

llvm::Function* Emitter::make_function(const std::string& name, std::vector<llvm::Type*> arguments,
                                       bool external) {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
  const auto linkage = external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  llvm::Function* function = llvm::Function::Create(type, linkage, name, module_);
  function->addFnAttrs(attributes_);
  return function;
}

void Emitter::begin_function(llvm::Function* function) {
  scope_ = Scope();
  scope_.function = function;
  for (const auto& [buffer, place] : tables_) scope_.buffers[buffer.id()] = {buffer, place};
  b_.SetInsertPoint(new_block("entry"));
}

Value* Emitter::load_field(Value* record, size_t offset, llvm::Type* type) {
  Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), record, offset);
  return b_.CreateAlignedLoad(type, at, llvm::Align(8));
}

// One 8-byte slot per scalar; the value is in the low bytes, which come first.
Value* Emitter::load_scalar(Value* scalars, size_t slot, Type type) {
  return ops_.from_memory(type, load_field(scalars, 8 * slot, ops_.memory_type(type)));
}

// In the read-only data of the kernel.
void Emitter::make_table(const Table& table) {
  llvm::Type* element = b_.getIntNTy(8 * static_cast<unsigned>(table.buffer.type().bytes()));
  std::vector<llvm::Constant*> values;
  for (const uint64_t bits : *table.bits) values.push_back(llvm::ConstantInt::get(element, bits));
  auto* type = llvm::ArrayType::get(element, values.size());
  auto* global = new llvm::GlobalVariable(
      module_, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantArray::get(type, values), name_ + ".table." + sanitized(table.buffer.name()));
  global->setAlignment(llvm::Align(64));  // so that its first vectors do not cross cache lines
  tables_.emplace_back(table.buffer, Place{global, -1, /*read_only=*/true});
}

// Unpacks the tenon_call record.
void Emitter::emit_entry() {
  begin_function(make_function(name_, {b_.getPtrTy()}, /*external=*/true));
  Value* call = scope_.function->getArg(0);
  const auto field = [&](size_t offset) { return load_field(call, offset, b_.getPtrTy()); };
  Value* buffers = field(offsetof(tenon_call, buffers));
  Value* sizes = field(offsetof(tenon_call, sizes));
  Value* scalars = field(offsetof(tenon_call, scalars));
  size_t buffer = 0, scalar = 0;
  for (const Param& p : program_->params) {
    if (p.buffer) {
      Value* base = load_field(buffers, 8 * buffer++, b_.getPtrTy());
      scope_.buffers[p.buffer.id()] = {p.buffer, Place{base, -1, !is_written(p.role), p.streamed}};
    } else {
      scope_.vars[p.scalar.id()] = {p.scalar, load_scalar(scalars, scalar++, p.scalar.type())};
    }
  }
  for (size_t i = 0; i < program_->sizes.size(); ++i) {
    const Var& size = program_->sizes[i];
    scope_.vars[size.id()] = {size, load_field(sizes, 8 * i, b_.getInt64Ty())};
  }
  scope_.workspace = field(offsetof(tenon_call, workspace));
  scope_.executor = field(offsetof(tenon_call, executor));
  scope_.math = ops_.math_table = field(offsetof(tenon_call, math));
  scope_.fault = field(offsetof(tenon_call, fault));
  externs_ = externs_of(program_->body);
  if (!externs_.empty()) scope_.externs = field(offsetof(tenon_call, externs));
}

absl::Status Emitter::emit() {
  for (const Table& table : program_->tables) make_table(table);
  emit_entry();
  emit(program_->body);
  if (!status_.ok()) return status_;
  finish_streams();
  b_.CreateRetVoid();
  return status_;
}

}  // namespace tenon::codegen
