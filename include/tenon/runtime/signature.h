// What a compiled kernel expects of its arguments, and the check of a call against it.
//
//   Signature s = ...;                                  // comes with the kernel
//   absl::Status ok = check_call(s, inputs, outputs, &bound);   // names kernel, argument, both sides
//
// The check is done once per call and is the only thing between the user and a plain C call; it
// allocates nothing when the call is right.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "tenon/base/status.h"
#include "tenon/runtime/view.h"

namespace tenon {

// Memory that kernel.pack produced: the stored form of a weight, and which kernel layout it has.
class Packed;

// One argument of a call: a view, a packed weight, or a scalar value.
class Argument {
 public:
  Argument(const View& view) : kind_(Kind::kView), view_(view) {}         // NOLINT
  Argument(const Packed& packed);                                         // NOLINT
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(T value) : kind_(Kind::kScalar), scalar_type_(type_of<T>()) {  // NOLINT
    __builtin_memcpy(&scalar_bits_, &value, sizeof(T));
  }

  enum class Kind : uint8_t { kView, kPacked, kScalar };
  Kind kind() const { return kind_; }
  const View& view() const { return view_; }           // of the packed memory for kPacked
  uint64_t layout() const { return layout_; }          // kPacked: which layout it has
  Type scalar_type() const { return scalar_type_; }
  uint64_t scalar_bits() const { return scalar_bits_; }

 private:
  Kind kind_;
  View view_;
  uint64_t layout_ = 0;
  Type scalar_type_ = f32;
  uint64_t scalar_bits_ = 0;
};

class Packed {
 public:
  Packed() = default;
  Packed(std::shared_ptr<void> memory, View view, uint64_t layout)
      : memory_(std::move(memory)), view_(view), layout_(layout) {}
  const View& view() const { return view_; }
  uint64_t layout() const { return layout_; }
  size_t bytes() const;

 private:
  std::shared_ptr<void> memory_;  // shared: a Packed may be used by many kernels and threads
  View view_;
  uint64_t layout_ = 0;  // hash of the packing; compared with the kernel's
};

// An integer expression over size variables in a form that needs no IR: evaluated at call time to
// check shapes such as [(h + 2*p - k) // s + 1]. Reverse Polish.
struct SizeProgram {
  enum class Op : uint8_t {
    kConst, kSize, kAdd, kSub, kMul, kFloorDiv, kFloorMod, kMin, kMax,
    kLt, kLe, kEq, kNe, kAnd, kOr, kNot, kSelect,
  };
  struct Instruction {
    Op op;
    int64_t value = 0;  // kConst: the constant; kSize: index into the sizes
  };
  std::vector<Instruction> code;
  std::string text;  // as the user wrote it, for messages
};
// Wrapping 64-bit arithmetic; floor semantics as in docs/semantics.md.
int64_t evaluate(const SizeProgram& program, absl::Span<const int64_t> sizes);

struct ParamSignature {
  enum class Role : uint8_t { kInput, kWeight, kOutput, kScalar };
  std::string name;
  Role role;
  Type type;
  std::vector<SizeProgram> shape;  // as the user declared it (the logical shape of a weight)
  StrideClass strides = StrideClass::kDense;
  uint64_t layout = 0;                  // weights with a packing: accepted only as Packed
  std::vector<int64_t> packed_shape;    // then: the stored shape
  // hidden_strides[d] >= 0: the slot in the sizes array that takes stride(d) of this argument.
  std::vector<int> hidden_strides;
};

struct Signature {
  std::string kernel;                // name, for messages
  std::vector<std::string> sizes;    // size variables that are run-time values
  int size_slots = 0;                // sizes, then hidden strides
  std::vector<ParamSignature> params;   // in call order, outputs included
  struct Requirement {
    SizeProgram condition;
    std::string text;
  };
  std::vector<Requirement> requirements;
  std::vector<std::string> checks;   // text of each check site: "index 0 of table"
};

// The arguments in the form of tenon_call; small vectors live on the caller's stack.
struct BoundCall {
  static constexpr int kInline = 32;
  void* buffers[kInline];
  int64_t sizes[kInline];
  uint64_t scalars[kInline];
};

// Matches inputs (inputs, weights and scalars in order) and outputs with the signature, infers the
// sizes from the shapes, checks type, rank, sizes, stride class, alignment to the element size,
// null pointers of non-empty buffers, requirements, and that no output overlaps another argument.
// Messages: "kernel linear_relu: argument x (input 0): expected f32[128, 768], got f32[127, 768]:
// dimension 0 differs". Inputs may overlap each other.
absl::Status check_call(const Signature& signature, absl::Span<const Argument> inputs,
                        absl::Span<const View> outputs, BoundCall* bound);

}  // namespace tenon
