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

}  // namespace tenon
