// How the lanes of one access lie in memory.
#pragma once

#include <optional>

#include "codegen/emitter.h"

namespace tenon::codegen {

struct Emitter::Access {
  enum Kind {
    kOne,       // not a vector
    kSame,      // all lanes on one element
    kForward,   // neighbours
    kBackward,  // neighbours, the last lane first
    kStrided,   // a constant distance, neither 0 nor 1 nor -1
    kAny,       // possibly several lanes on one element
  };
  Kind kind = kOne;
  Type type;                     // of what is read or written, lanes included
  llvm::Value* first = nullptr;  // address of the first lane; of the last one for kBackward
  llvm::Value* lanes = nullptr;  // addresses of all lanes: kStrided, kAny
  bool inside_stack = false;     // provably inside a stack allocation: never masked
  bool read_only = false;        // of memory that the kernel never writes
  bool streamed = false;         // stores go past the caches

  int64_t bytes() const { return type.bytes() * type.lanes; }
  llvm::Align alignment() const { return llvm::Align(static_cast<uint64_t>(type.bytes())); }
};

// base + lane * stride.
struct LinearIndex {
  Expr base, stride;
};
// Empty where the lanes of the index do not have one distance.
std::optional<LinearIndex> linear_index(const Expr& index);

}  // namespace tenon::codegen
