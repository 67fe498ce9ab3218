// Statements: immutable values over nine kinds of node.
//
//   Stmt s = make_for(i, 0, n, ForKind::kSerial, store(out, {i}, load(x, {i}) * 2.0f));
//   if (const For* loop = s.as<For>()) ...
//
// A loop *is* its variable. Guards stand on the leaves: `split` puts `if` directly around the
// stores that it protects, so that nests stay perfect and no rewrite ever has to move an If.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenon/base/extern_function.h"
#include "tenon/ir/expr.h"

namespace tenon {

struct StmtNode;

class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}

  explicit operator bool() const { return node_ != nullptr; }
  const StmtNode& node() const { return *node_; }
  const StmtNode* get() const { return node_.get(); }
  template <class T>
  const T* as() const;
  template <class T>
  bool is() const {
    return as<T>() != nullptr;
  }

 private:
  std::shared_ptr<const StmtNode> node_;
};

// buffer[indices] = value. With a mask, lanes that are off are not written.
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Expr mask;  // bool, may be null
};

// buffer[indices] = op(buffer[indices], value). Its own statement, so that analysis sees that
// accumulations with the same operator commute. A reducer of several results (reducer.h) has
// several buffers under one index list, and takes one or several values. With vector lanes and
// scalar indices the lanes are folded first: the upper half onto the lower half, repeatedly, then
// once with the target; lanes that are off hold the identity.
struct Accumulate {
  std::vector<Buffer> buffers;  // distinct
  std::vector<Expr> indices;
  Reduction by;
  std::vector<Expr> values;
  Expr mask;  // bool, may be null

  // Of a built-in operator, which has one of each.
  const Buffer& buffer() const { return buffers.front(); }
  const Expr& value() const { return values.front(); }
  bool writes(const Buffer& b) const {
    return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
  }
};

enum class ForKind : uint8_t {
  kSerial,
  kParallel,  // iterations may run at the same time, in any order
  kVector,    // iterations are lanes in lock step
  kUnroll,
  kInstruction,  // serial; the nest is the meaning of one hardware instruction
};

struct InstructionData;

// A hardware instruction with its meaning (instruction.h): a counted pointer that never changes.
class Instruction {
 public:
  Instruction() = default;  // null
  explicit Instruction(InstructionData data);

  explicit operator bool() const { return data_ != nullptr; }
  const InstructionData& operator*() const { return *data_; }
  const InstructionData* operator->() const { return data_.get(); }

  // The same name, meaning and emission.
  friend bool operator==(const Instruction& a, const Instruction& b);

 private:
  std::shared_ptr<const InstructionData> data_;
};

// A parameter whose elements a serial loop asks for `iterations` before it uses them.
struct Ahead {
  Buffer buffer;
  int64_t iterations = 1;  // 1 to kMaxAhead

  friend bool operator==(const Ahead&, const Ahead&) = default;
};

inline constexpr int64_t kMaxAhead = 1 << 20;

// A ForKind; of kInstruction which one, and of kSerial what it prefetches. Rewrites that pass a
// loop's kind on keep all of it.
class LoopKind {
 public:
  LoopKind(ForKind kind = ForKind::kSerial) : kind_(kind) {}  // NOLINT: most kinds say all
  explicit LoopKind(Instruction instruction)
      : kind_(ForKind::kInstruction), instruction_(std::move(instruction)) {}
  explicit LoopKind(std::vector<Ahead> prefetches) : prefetches_(std::move(prefetches)) {}

  operator ForKind() const { return kind_; }                       // NOLINT
  const Instruction& instruction() const { return instruction_; }  // null for the other kinds
  const std::vector<Ahead>& prefetches() const { return prefetches_; }

  friend bool operator==(const LoopKind&, const LoopKind&) = default;
  friend bool operator==(const LoopKind& a, ForKind b) { return a.kind_ == b; }

 private:
  ForKind kind_ = ForKind::kSerial;
  Instruction instruction_;
  std::vector<Ahead> prefetches_;
};

// for var in lo..hi (half open; empty when hi <= lo).
struct For {
  Var var;
  Expr lo, hi;
  LoopKind kind;
  Stmt body;
};

struct If {
  Expr condition;  // bool, one lane
  Stmt body;
};

// Zero or more statements, run in order; never holds a Seq.
struct Seq {
  std::vector<Stmt> stmts;
};

// Where an Alloc lives: what a schedule asks for (the first four, set_scope), and what lowering
// decides (the last three, place_allocs). Printed.
enum class Memory : uint8_t {
  kAuto,       // lowering's choice
  kRegisters,  // refused by lowering where an index is no constant after unrolling
  kWorkspace,  // kShared or kWorker, by where it stands
  kStack,      // constant size, small; registers when every index is constant after unrolling
  kShared,     // the workspace part that all workers share
  kWorker,     // the slice of the worker that runs the enclosing parallel loop
};

// Declares a buffer for the statements after it in the same Seq. Its elements start undefined (the
// interpreter fills them with NaN and 0xA5 bytes).
struct Alloc {
  Buffer buffer;
  std::vector<Expr> shape;  // empty: rank 0, one element
  Memory memory = Memory::kAuto;
  // Bytes from the start of the shared part or of the slice (i64, over sizes); null until
  // place_allocs sets it.
  Expr offset;
};

// Names a value for the statements after it in the same Seq.
struct Bind {
  Var var;
  Expr value;
};

// A C function that a Program calls. The text has the name only; a function that was read from a
// text and is not bound to one of the process runs nowhere.
struct ExternFunction {
  std::string name;
  tenon_extern function = nullptr;  // null: not bound
  void* user = nullptr;             // its first argument

  friend bool operator==(const ExternFunction&, const ExternFunction&) = default;
};

// The part of a buffer that a call is given.
struct CallRegion {
  // The indices [lo, hi) of a dimension, empty when hi <= lo. With a null hi the index lo alone,
  // which is no dimension of what the function gets.
  struct Range {
    Expr lo, hi;
  };
  Buffer buffer;
  std::vector<Range> ranges;  // one per dimension
  // In elements, once lowering has made the buffer flat; empty before.
  std::vector<Expr> strides;
};

// function(writes..., reads...): what the function does is known only by the parts. It reads all
// of the one and stores every element of the other; a buffer that it writes is given to it once.
struct Call {
  ExternFunction function;
  std::vector<CallRegion> writes, reads;
};

// Asks the memory for the cache line of an element that will be used soon. Means nothing: the
// indices may leave the buffer. What lowering makes of Ahead.
struct Prefetch {
  Buffer buffer;
  std::vector<Expr> indices;  // one lane each
};

struct StmtNode {
  std::variant<Store, Accumulate, For, If, Seq, Alloc, Bind, Call, Prefetch> kind;
};

template <class T>
const T* Stmt::as() const {
  return node_ ? std::get_if<T>(&node_->kind) : nullptr;
}

// Value and mask of a write get the lanes of its widest part; indices may stay one lane wide.
Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr mask = {});
Stmt accumulate(const Buffer& buffer, std::vector<Expr> indices, Reducer op, Expr value,
                Expr mask = {});
Stmt accumulate(std::vector<Buffer> buffers, std::vector<Expr> indices, Reduction by,
                std::vector<Expr> values, Expr mask = {});
Stmt make_for(const Var& var, Expr lo, Expr hi, LoopKind kind, Stmt body);
Stmt make_if(Expr condition, Stmt body);
Stmt seq(std::vector<Stmt> stmts);  // flattens; one statement stays itself
Stmt alloc(const Buffer& buffer, std::vector<Expr> shape, Memory memory = Memory::kAuto,
           Expr offset = {});
Stmt bind(const Var& var, Expr value);
Stmt call(ExternFunction function, std::vector<CallRegion> writes, std::vector<CallRegion> reads);
Stmt prefetch(const Buffer& buffer, std::vector<Expr> indices);

// The parts of a call, those that it writes first: as the function gets them.
std::vector<CallRegion> regions_of(const Call& call);
bool writes(const Call& call, const Buffer& buffer);

// The statements of a Seq, or the statement alone. For walking bodies uniformly.
std::vector<Stmt> statements_of(const Stmt& s);
bool is_empty(const Stmt& s);  // a Seq of nothing

// Same structure, same variables and buffers (by identity).
bool equal(const Stmt& a, const Stmt& b);

const char* name_of(ForKind kind);       // "", "parallel", "vector", "unroll", "instruction"
std::string with_article(ForKind kind);  // "a vector", "an unroll"
const char* name_of(Memory memory);      // "" for kAuto
std::optional<Memory> memory_named(std::string_view name);  // not kAuto

}  // namespace tenon
