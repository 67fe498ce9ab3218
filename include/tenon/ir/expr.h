// Expressions: immutable values over eleven kinds of node.
//
//   Var i("i");
//   Buffer x("x", f32);
//   Expr e = max(load(x, {Expr(i) + 1}), 0.0f);     // operators: see operators.h
//   e.type();                                       // f32
//   if (const Binary* b = e.as<Binary>()) ...       // look inside
//
// An Expr is a counted pointer to a node that never changes; copying is cheap and sharing is
// invisible. Nodes point to nodes, variables and buffers; variables and buffers point to nothing
// that leads back, so there are no cycles. What each operation means for each type is written in
// docs/semantics.md and executed by the interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/base/limits.h"
#include "tenon/base/type.h"

namespace tenon {

struct ExprNode;
struct Definition;  // how a computed tensor was defined; known to the DSL only

// A variable is an identity: two variables with the same name are different. What it is (a loop, a
// size, a scalar parameter, a bound name) is said by the place that declares it.
class Var {
 public:
  // What the DSL made it for: a scalar or an index that turns up where only sizes may stand is a
  // mistake that has a name.
  enum class Use : uint8_t { kAny, kScalar, kIndex };

  Var() = default;  // null: without a name, and with the id 0
  explicit Var(std::string name, Type type = i64, Use use = Use::kAny);

  explicit operator bool() const { return info_ != nullptr; }
  const std::string& name() const { return info().name; }
  Type type() const { return info().type; }
  Use use() const { return info().use; }
  // Grows with creation; gives variables an order that does not depend on addresses.
  uint64_t id() const { return info().id; }

  // Identity. There is no < of identities: `i < n` is the comparison of values (operators.h), also
  // between two variables. Maps and sets order variables by std::less, which is by id.
  friend bool operator==(const Var& a, const Var& b) { return a.info_ == b.info_; }

 private:
  struct Info {
    std::string name;
    Type type;
    uint64_t id = 0;
    Use use = Use::kAny;
  };
  static const Info kNothing;
  const Info& info() const { return info_ ? *info_ : kNothing; }
  std::shared_ptr<const Info> info_;
};

// A buffer is an identity with an element type. Its shape belongs to its declaration (a parameter
// or an Alloc), so that shrinking it or changing its layout keeps the identity. A stage of a
// program is the buffer that it writes.
class Buffer {
 public:
  Buffer() = default;  // null: without a name, and with the id 0
  Buffer(std::string name, Type type, std::shared_ptr<const Definition> definition = nullptr);

  explicit operator bool() const { return info_ != nullptr; }
  const std::string& name() const { return info().name; }
  Type type() const { return info().type; }
  uint64_t id() const { return info().id; }
  // The DSL keeps the definition of a computed tensor here, so that an expression alone keeps the
  // tensors that it reads alive. Null in every finished Program.
  const std::shared_ptr<const Definition>& definition() const { return info().definition; }

  friend bool operator==(const Buffer& a, const Buffer& b) { return a.info_ == b.info_; }
  friend bool operator<(const Buffer& a, const Buffer& b) { return a.id() < b.id(); }

 private:
  struct Info {
    std::string name;
    Type type;
    uint64_t id = 0;
    std::shared_ptr<const Definition> definition;
  };
  static const Info kNothing;
  const Info& info() const { return info_ ? *info_ : kNothing; }
  std::shared_ptr<const Info> info_;
};

class Expr {
 public:
  Expr() = default;  // null: "no mask", "not given"
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  Expr(const Var& var);  // NOLINT: a variable is an expression; a null one is a null expression
  // Literals adapt to the type of the other operand (operators.h). Alone, an integer is an i64 and
  // a floating-point number an f32.
  Expr(int value);        // NOLINT
  Expr(int64_t value);    // NOLINT
  Expr(long long value);  // NOLINT
  Expr(float value);      // NOLINT
  Expr(double value);     // NOLINT
  Expr(bool value);       // NOLINT

  // Is there a node? Of a named Expr only: `i < n ? a : b`, `if (i < n)` and `!(i < n)` would ask
  // this of a comparison just made, which always is one, and not what the comparison says.
  explicit operator bool() const& { return node_ != nullptr; }
  explicit operator bool() const&& = delete;  // conditions on values: select(c, a, b), c & d, ~c
  const ExprNode& node() const { return *node_; }
  const ExprNode* get() const { return node_.get(); }
  Type type() const;  // of a null expression: that of a default-made Type
  // The node's fields when it is of kind T, else null.
  template <class T>
  const T* as() const;
  template <class T>
  bool is() const {
    return as<T>() != nullptr;
  }

 private:
  std::shared_ptr<const ExprNode> node_;
};

enum class UnaryOp : uint8_t {
  kNeg,
  kNot,  // bitwise; logical on bool
  kAbs,
  kFloor,
  kCeil,
  kRound,  // half to even
  kTrunc,
  kSqrt,
  kRsqrt,
  kExp,
  kExpm1,  // exp(x) - 1
  kLog,
  kLog1p,  // log(1 + x)
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kSigmoid,
};
inline constexpr int kUnaryOpCount = static_cast<int>(UnaryOp::kSigmoid) + 1;

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,       // floats
  kFloorDiv,  // integers; x // 0 is 0
  kFloorMod,  // integers; x % 0 is x
  kTruncDiv,  // integers; x / 0 is 0
  kTruncRem,  // the sign of x; integers: x rem 0 is x; floats: exact, the fmod of C
  kMin,       // NaN propagates, -0 < +0
  kMax,
  kPow,     // floats
  kBitAnd,  // integers and bool; never lazy
  kBitOr,
  kBitXor,
  kShl,
  kShr,  // arithmetic for signed, logical for unsigned
  kLt,
  kLe,
  kEq,
  kNe,
  // check(i, n): i, promised to be in [0, n). A broken promise ends the kernel and makes the call
  // return an error; nothing outside of a buffer is touched. Both sides are i64.
  kCheck,
};
inline constexpr int kBinaryOpCount = static_cast<int>(BinaryOp::kCheck) + 1;

// The associative operators that Accumulate and Reduce use.
enum class Reducer : uint8_t { kSum, kProd, kMax, kMin };

struct CustomReducer;

// What a reduction combines by: a built-in operator on one value, or functions of its own on one or
// several (reducer.h).
class Reduction {
 public:
  Reduction(Reducer op) : op_(op) {}  // NOLINT: an operator is a reduction
  explicit Reduction(std::shared_ptr<const CustomReducer> functions)
      : functions_(std::move(functions)) {}

  Reducer op() const { return op_; }                                   // of a built-in one
  const CustomReducer* functions() const { return functions_.get(); }  // null: built in
  // The number of values that are kept while reducing.
  size_t results() const;

  // The same operator, or functions that are the same but for names.
  friend bool operator==(const Reduction& a, const Reduction& b);

 private:
  Reducer op_ = Reducer::kSum;
  std::shared_ptr<const CustomReducer> functions_;
};

// A constant of the node's type (one lane). `bits` holds the value's bit pattern, zero-extended
// (integers: two's complement truncated to the type; bool: 0 or 1).
struct Const {
  uint64_t bits;
  // Written in C++ without a type; adapts to the other operand. Not part of equality or hash; the
  // functions that make nodes drop it from their operands.
  bool literal = false;
  double written = 0;  // a floating-point literal before it was rounded to f32
};

struct VarRef {
  Var var;
};

struct Unary {
  UnaryOp op;
  Expr a;
};

// Both operands have the same type, also for comparisons and shifts.
struct Binary {
  BinaryOp op;
  Expr a, b;
};

// Lazy: only the chosen arm is evaluated (per lane).
struct Select {
  Expr condition, on_true, on_false;
};

enum class CastMode : uint8_t {
  kValue,     // integers wrap; float to integer truncates, saturates, NaN gives 0
  kSaturate,  // integers saturate too
  kBits,      // same size, same bits
};

struct Cast {  // to the node's type
  CastMode mode;
  Expr a;
};

// One index per dimension of the buffer. Lanes: the widest index; scalar indices are shared by all
// lanes. `mask` (bool, same lanes) may be null; a lane that is off is not read and gives 0.
struct Load {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr mask;
};

// base, base + stride, ... : the node's lanes.
struct Ramp {
  Expr base, stride;
};

struct Broadcast {  // `a` (one lane) in each of the node's lanes
  Expr a;
};

// A reduction inside an expression. Only the DSL makes it; building a Program turns it into a loop
// with an Accumulate, and verify() refuses it elsewhere.
struct ReduceAxis {
  Var var;      // runs over [0, extent)
  Expr extent;  // i64
};
struct Reduce {
  Reduction by;
  std::vector<ReduceAxis> axes;
  // Of an element: one, or what the functions take; and then perhaps whether it counts.
  std::vector<Expr> values;
  int result = 0;  // which of the results it stands for
};

// An operator was used wrongly; the first message travels to the Program, where it is reported.
struct Invalid {
  std::string message;
};

struct ExprNode {
  Type type;
  std::variant<Const, VarRef, Unary, Binary, Select, Cast, Load, Ramp, Broadcast, Reduce, Invalid>
      kind;
  uint64_t hash;  // of the structure; equal expressions have equal hashes
  int32_t depth;  // 1 for a leaf
  int32_t size;   // nodes, a shared one counted wherever it is used; at most kMaxExprSize
};

// Functions on expressions recurse, in every layer and on the host's stack, so a deeper tree is not
// made: the node that would exceed this is an Invalid instead. A level takes up to about 1 KB in
// optimised code.
inline constexpr int32_t kMaxExprDepth = 2000;
// Sharing is invisible, so that x = x * x, forty times, is a tree of 2^40 nodes: not made either.
inline constexpr int32_t kMaxExprSize = 1 << 18;
inline constexpr int32_t kMaxLanes = 1 << 16;

inline Type Expr::type() const { return node_ ? node_->type : Type(); }

template <class T>
const T* Expr::as() const {
  return node_ ? std::get_if<T>(&node_->kind) : nullptr;
}

// --- Making nodes. These trust their arguments; verify() checks a whole Program, and operators.h
// --- has the checked, promoting forms for people. A one-lane operand next to a vector is
// broadcast.

// With a vector type: a Broadcast of the one-lane constant.
Expr constant_bits(Type type, uint64_t bits);
Expr constant_int(Type type, int64_t value);   // wraps into an integer type; rounds for floats
Expr constant_float(Type type, double value);  // float types: rounds to the type
Expr unary(UnaryOp op, Expr a);
Expr binary(BinaryOp op, Expr a, Expr b);  // comparisons have type bool
Expr make_select(Expr condition, Expr on_true, Expr on_false);
Expr make_cast(CastMode mode, Type type, Expr a);
Expr load(const Buffer& buffer, std::vector<Expr> indices, Expr mask = {});
Expr ramp(Expr base, Expr stride, int32_t lanes);
Expr broadcast_lanes(Expr a, int32_t lanes);  // `a` itself when lanes == 1
Expr make_reduce(Reduction by, std::vector<ReduceAxis> axes, std::vector<Expr> values,
                 int result = 0);
Expr invalid(std::string message);

// --- Questions.

// Same structure, same variables and buffers (by identity). Constants compare by bits.
bool equal(const Expr& a, const Expr& b);
// For tables keyed by expressions: the node's hash; null hashes to 0.
uint64_t hash_of(const Expr& e);

// A constant of any type, also through Broadcast.
bool is_constant(const Expr& e);
// An integer or bool constant of this value, also through Broadcast.
bool is_constant(const Expr& e, int64_t value);
// The value of a scalar integer or bool constant, sign- or zero-extended. Empty otherwise, and for
// a u64 that an int64_t cannot hold.
std::optional<int64_t> as_int(const Expr& e);
// The value of a scalar float constant, exactly.
std::optional<double> as_float(const Expr& e);

// Of the widest of these; 1 when there are none.
int32_t lanes_of(const std::vector<Expr>& list);

bool is_comparison(BinaryOp op);
// The reducer's operator, and the value that changes nothing: -0.0, 1, -inf or the lowest, +inf or
// the highest.
BinaryOp operator_of(Reducer op);
Expr identity_of(Reducer op, Type type);

// The spelling in program text: "exp", "+", "//", "max".
const char* name_of(UnaryOp op);
const char* name_of(BinaryOp op);
const char* name_of(Reducer op);  // "+", "*", "max", "min"

struct ExprHash {
  size_t operator()(const Expr& e) const { return hash_of(e); }
};
struct ExprEqual {
  bool operator()(const Expr& a, const Expr& b) const { return equal(a, b); }
};

}  // namespace tenon

template <>
struct std::less<tenon::Var> {
  bool operator()(const tenon::Var& a, const tenon::Var& b) const { return a.id() < b.id(); }
};
