#include "codegen/emitter.h"

#include <cstddef>

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

// The arguments of the body: buffers, sizes and scalars in order, then what every function of the
// module is given.
std::vector<llvm::Type*> Emitter::body_types() {
  std::vector<llvm::Type*> types;
  for (const Param& p : program_->params) {
    types.push_back(p.buffer ? b_.getPtrTy() : ops_.value_type(p.scalar.type()));
  }
  types.insert(types.end(), program_->sizes.size(), b_.getInt64Ty());
  types.insert(types.end(), 4, b_.getPtrTy());  // workspace, executor, math, fault
  return types;
}

void Emitter::emit_entry(llvm::Function* body) {
  begin_function(make_function(name_, {b_.getPtrTy()}, /*external=*/true));
  Value* call = scope_.function->getArg(0);
  const auto field = [&](size_t offset) { return load_field(call, offset, b_.getPtrTy()); };
  Value* buffers = field(offsetof(tenon_call, buffers));
  Value* sizes = field(offsetof(tenon_call, sizes));
  Value* scalars = field(offsetof(tenon_call, scalars));
  std::vector<Value*> arguments;
  size_t buffer = 0, scalar = 0;
  for (const Param& p : program_->params) {
    arguments.push_back(p.buffer ? load_field(buffers, 8 * buffer++, b_.getPtrTy())
                                 : load_scalar(scalars, scalar++, p.scalar.type()));
  }
  for (size_t i = 0; i < program_->sizes.size(); ++i) {
    arguments.push_back(load_field(sizes, 8 * i, b_.getInt64Ty()));
  }
  arguments.push_back(field(offsetof(tenon_call, workspace)));
  arguments.push_back(field(offsetof(tenon_call, executor)));
  arguments.push_back(field(offsetof(tenon_call, math)));
  arguments.push_back(field(offsetof(tenon_call, fault)));
  b_.CreateCall(body, arguments);
  b_.CreateRetVoid();
}

void Emitter::emit_body(llvm::Function* body) {
  begin_function(body);
  unsigned next = 0;
  const auto argument = [&](const std::string& name) {
    llvm::Argument* a = body->getArg(next++);
    a->setName(sanitized(name));
    return a;
  };
  for (const Param& p : program_->params) {
    llvm::Argument* a = argument(p.name());
    if (!p.buffer) {
      scope_.vars[p.scalar.id()] = {p.scalar, a};
      continue;
    }
    mark_memory(p.buffer, Place{a}, a);
    scope_.buffers[p.buffer.id()] = {p.buffer, Place{a}};
  }
  for (const Var& size : program_->sizes) scope_.vars[size.id()] = {size, argument(size.name())};
  scope_.workspace = argument("workspace");
  scope_.executor = argument("executor");
  scope_.math = ops_.math_table = argument("math");
  scope_.fault = argument("fault");
  body->getArg(next - 4)->addAttr(llvm::Attribute::NoAlias);
  emit(program_->body);
  if (status_.ok()) b_.CreateRetVoid();
}

absl::Status Emitter::emit() {
  llvm::Function* body = make_function(name_ + ".body", body_types(), /*external=*/false);
  emit_entry(body);
  emit_body(body);
  return status_;
}

}  // namespace tenon::codegen
