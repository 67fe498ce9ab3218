// What a compiled kernel expects of its arguments, and the check of a call against it.
//
//   Signature s = ...;                                  // comes with the kernel
//   absl::Status ready = finalize(s);                   // once, when the kernel is made
//   absl::Status ok = check_call(s, inputs, outputs, &bound);   // once per call
//
// The check is done once per call and is the only thing between the user and a plain C call; it
// allocates nothing when the call is right.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tenon/base/status.h"
#include "tenon/runtime/abi.h"
#include "tenon/runtime/view.h"

namespace tenon {

// --- Arguments.

// Memory that kernel.pack produced: the stored form of a weight, and which kernel layout it has.
class Packed {
 public:
  Packed() = default;
  // `logical` is what was packed; only its type and shape are kept.
  Packed(std::shared_ptr<void> memory, const View& view, uint64_t layout, const View& logical = {})
      : memory_(std::move(memory)),
        view_(view),
        logical_(logical.without_data()),
        layout_(layout) {}
  Packed(const Packed&) = default;
  Packed& operator=(const Packed&) = default;
  // What was moved from is empty, and no kernel takes it.
  Packed(Packed&& other) noexcept { swap(other); }
  Packed& operator=(Packed&& other) noexcept {
    Packed taken(std::move(other));
    swap(taken);
    return *this;
  }
  const View& view() const { return view_; }
  const View& logical() const { return logical_; }  // no data; rank 0 when it is not known
  uint64_t layout() const { return layout_; }
  size_t bytes() const;  // of the stored form

 private:
  void swap(Packed& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(view_, other.view_);
    std::swap(logical_, other.logical_);
    std::swap(layout_, other.layout_);
  }

  std::shared_ptr<void> memory_;  // shared: a Packed may be used by many kernels and threads
  View view_, logical_;
  uint64_t layout_ = 0;  // hash of the packing; compared with the kernel's. 0: stored as it was
};

template <class T>
concept ScalarValue = (std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::same_as<T, Float16> ||
                      std::same_as<T, BFloat16>;

// One argument of a call: a view, a packed weight, or a scalar value. A scalar need not have the
// parameter's C++ type, only a value that the parameter can hold: see convert_scalar.
class Argument {
 public:
  Argument(const View& view) : kind_(Kind::kView), view_(view) {}  // NOLINT
  // Refers to `packed`, which must live until the call returns.
  Argument(const Packed& packed)  // NOLINT
      : kind_(Kind::kPacked),
        view_(packed.view()),
        layout_(packed.layout()),
        logical_(&packed.logical()) {}
  template <ScalarValue T>
  Argument(T value) : kind_(Kind::kScalar), scalar_type_(scalar_type_of<T>()) {  // NOLINT
    __builtin_memcpy(&scalar_bits_, &value, sizeof(T));
  }

  enum class Kind : uint8_t { kView, kPacked, kScalar };
  Kind kind() const { return kind_; }
  const View& view() const { return view_; }   // of the packed memory for kPacked
  uint64_t layout() const { return layout_; }  // kPacked: which layout it has
  // As the Program declares the argument: for kPacked what was packed, without data.
  const View& logical() const { return logical_ ? *logical_ : view_; }
  Type scalar_type() const { return scalar_type_; }
  uint64_t scalar_bits() const { return scalar_bits_; }  // the value in the low bytes

 private:
  // Integers by size and sign: `long long` and `char` are scalars too.
  template <class T>
  static constexpr Type scalar_type_of() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr Type kSigned[] = {i8, i16, i32, i64}, kUnsigned[] = {u8, u16, u32, u64};
      constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
      return std::is_signed_v<T> ? kSigned[log2] : kUnsigned[log2];
    } else {
      return type_of<T>();
    }
  }

  Kind kind_;
  View view_;
  uint64_t layout_ = 0;
  const View* logical_ = nullptr;  // kPacked
  Type scalar_type_ = f32;
  uint64_t scalar_bits_ = 0;
};

// The bits of a scalar as another type; false when that type cannot hold the value. Floats round to
// a narrower float (a literal in C++ is a double) but do not overflow; an integer becomes another
// integer or a float only exactly; a float never becomes an integer; bool stays bool.
bool convert_scalar(Type from, uint64_t bits, Type to, uint64_t* result);

// --- Signatures.

// An integer expression over size variables in a form that needs no IR: evaluated at call time to
// check shapes such as [(h + 2*p - k) // s + 1]. Reverse Polish: kConst and kSize push, the others
// take their operands off the stack (kSelect: condition, then, else) and push the result.
struct SizeProgram {
  enum class Op : uint8_t {
    kConst,
    kSize,
    kAdd,
    kSub,
    kMul,
    kFloorDiv,
    kFloorMod,
    kMin,
    kMax,
    kLt,
    kLe,
    kEq,
    kNe,
    kAnd,
    kOr,
    kNot,
    kSelect,
  };
  struct Instruction {
    Op op;
    int64_t value = 0;  // kConst: the constant; kSize: index into the sizes
  };
  std::vector<Instruction> code;
  std::string text;  // as the user wrote it, for messages

  static SizeProgram constant(int64_t value);
  static SizeProgram size(int index, std::string name);
};

// Refuses a program that takes what is not on the stack, leaves more or less than one value, needs
// more than 32 places, or reads a size that is not there.
absl::Status verify(const SizeProgram& program, int sizes);

// Runs a verified program. Wrapping 64-bit arithmetic; floor semantics as in docs/semantics.md:
// x // 0 is 0 and x % 0 is x. Conditions are 0 or 1; any other value than 0 counts as true.
// `wrapped`, if given, says whether a sum, difference or product left the range of 64 bits.
int64_t evaluate(const SizeProgram& program, absl::Span<const int64_t> sizes,
                 bool* wrapped = nullptr);

struct ParamSignature {
  enum class Role : uint8_t { kInput, kWeight, kOutput, kScalar, kInOut };
  std::string name;
  Role role = Role::kInput;
  Type type;
  std::vector<SizeProgram> shape;  // as the user declared it (the logical shape of a weight)
  StrideClass strides = StrideClass::kDense;
  uint64_t layout = 0;                    // weights with a packing: accepted only as Packed
  std::vector<SizeProgram> packed_shape;  // then: the shape of the stored form
  // hidden_strides[d] >= 0: the slot in the sizes array that takes stride(d) of this argument.
  // Empty: none.
  std::vector<int> hidden_strides;

  // Of the memory that a call passes.
  const std::vector<SizeProgram>& stored_shape() const {
    return layout != 0 ? packed_shape : shape;
  }
};

// Passed among the outputs of a call: an inout is an output with contents that matter.
constexpr bool is_written(ParamSignature::Role role) {
  return role == ParamSignature::Role::kOutput || role == ParamSignature::Role::kInOut;
}

// The signature in the form that a call reads: flat arrays without text. Made by finalize.
struct CallPlan {
  struct Dim {
    enum class Kind : uint8_t { kConstant, kSize, kProgram };
    Kind kind;
    int64_t value;  // kConstant: the size; kSize: index into the sizes
  };
  struct Param {
    ParamSignature::Role role;
    StrideClass strides;
    bool has_hidden_strides;
    Type type;
    int32_t element_bytes;
    int32_t rank;
    int32_t first_dim;  // index into dims
    int32_t position;   // among the inputs of a call, or among its outputs
    uint64_t layout;
  };
  // The dimension of a parameter that gives a size its value.
  struct Binding {
    int32_t param, dim;
  };
  bool ready = false;
  // No stride is read off the call, every dimension is a number or a size, and the parameters that
  // are written come last.
  bool may_be_plain = false;
  int32_t inputs = 0, outputs = 0;
  std::vector<Param> params;
  std::vector<Dim> dims;
  std::vector<Binding> bindings;  // one per size
};

// How the text of a check begins whose number is what an extern function returned.
inline constexpr char kExternSite[] = "extern function ";

struct Signature {
  std::string kernel;                  // name, for messages
  std::vector<std::string> sizes;      // size variables that are run-time values
  int size_slots = 0;                  // sizes, then hidden strides
  std::vector<ParamSignature> params;  // in call order, outputs included
  struct Requirement {
    SizeProgram condition;
    std::string text;
  };
  std::vector<Requirement> requirements;
  std::vector<std::string> checks;  // text of each check site: "index ids[i] of table"
  CallPlan plan;                    // finalize fills it
};

// Verifies the signature and makes its plan; needed once before the first call, and again after any
// change. Refuses more parameters or size slots than BoundCall holds, ranks above kMaxRank,
// malformed size programs, and a size that no argument tells: a size is known from the first
// dimension (in call order) that is that size and nothing else, of a packed weight's stored form
// too.
absl::Status finalize(Signature& signature);

// --- Calls.

// The arguments in the form of tenon_call; they live on the caller's stack. Nothing is set before
// check_call.
struct BoundCall {
  static constexpr int kInline = 64;
  void* buffers[kInline];     // one per parameter that is not a scalar
  int64_t sizes[kInline];     // Signature::size_slots values
  uint64_t scalars[kInline];  // one per scalar parameter
};

// Matches inputs (inputs, weights and scalars in order) and outputs with the signature, infers the
// sizes from the shapes, checks type, rank, sizes, stride class, alignment to the element size,
// null pointers of non-empty buffers, requirements, and that no output overlaps another argument
// or itself. Messages: "kernel linear_relu: argument x (input 0): expected f32[128, 768], got
// f32[127, 768]: dimension 0 differs". Inputs may overlap each other.
// Memory that the caller gives as workspace may not overlap any of them.
absl::Status check_call(const Signature& signature, absl::Span<const Argument> inputs,
                        absl::Span<const View> outputs, BoundCall* bound,
                        absl::Span<const std::byte> workspace = {});

// What the kernel reported through tenon_call::fault: ok while site is -1, else OutOfRange,
// "kernel embed: index ids[i] of table is 12, but must be in [0, 10)".
absl::Status fault_status(const Signature& signature, const tenon_fault& fault);

}  // namespace tenon
