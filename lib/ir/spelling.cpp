#include <cstdlib>

#include "tenon/ir/expr.h"
#include "tenon/ir/stmt.h"

namespace tenon {

const char* name_of(Reducer op) { return name_of(operator_of(op)); }

const char* name_of(ForKind kind) {
  switch (kind) {
    case ForKind::kSerial: return "";
    case ForKind::kParallel: return "parallel";
    case ForKind::kVector: return "vector";
    case ForKind::kUnroll: return "unroll";
    case ForKind::kInstruction: return "instruction";
  }
  std::abort();
}

std::string with_article(ForKind kind) {
  const bool has_vowel = kind == ForKind::kUnroll || kind == ForKind::kInstruction;
  return (has_vowel ? "an " : "a ") + std::string(name_of(kind));
}

const char* name_of(Memory memory) {
  switch (memory) {
    case Memory::kAuto: return "";
    case Memory::kRegisters: return "registers";
    case Memory::kWorkspace: return "workspace";
    case Memory::kStack: return "stack";
    case Memory::kShared: return "shared";
    case Memory::kWorker: return "worker";
  }
  std::abort();
}

std::optional<Memory> memory_named(std::string_view name) {
  for (Memory memory :
       {Memory::kRegisters, Memory::kWorkspace, Memory::kStack, Memory::kShared, Memory::kWorker}) {
    if (name == name_of(memory)) return memory;
  }
  return std::nullopt;
}

}  // namespace tenon
