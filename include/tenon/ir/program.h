// A Program: parameters, sizes, requirements and a loop nest. The one data structure of Tenon;
// everything else is a function on it.
//
//   std::cout << program;                                    // readable loops
//   Program p = *parse(text);                                // the same, read back
//   Program q = *specialize(p, {{m, 128}, {n, 768}});        // sizes become constants
//   structurally_equal(p, q); structural_hash(p);
//
// A Program is a counted pointer to data that never changes. The schedule, the lowering and the
// code generator each take a Program and give a new one (or code); print, parse, verify and the
// interpreter work on every one of them.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/stmt.h"

namespace tenon {

enum class Role : uint8_t {
  kInput,
  kWeight,  // constant between calls: its layout is the schedule's to choose
  kOutput,
  kScalar,
  kInOut,  // changed in place: it has contents before the call, and what is not written stays
};
// Passed among the outputs of a call.
constexpr bool is_written(Role role) { return role == Role::kOutput || role == Role::kInOut; }

// How a weight's stored form follows from its logical one: packed[map(vars)] = logical[vars] for
// vars in [0, logical_shape); other elements of the packed form are zero.
struct Packing {
  std::vector<Expr> logical_shape;
  std::vector<Var> vars;
  std::vector<Expr> map;
};

struct Param {
  Role role = Role::kInput;
  Buffer buffer;            // null for a scalar
  Var scalar;               // null for a buffer
  std::vector<Expr> shape;  // as the body indexes it: the packed shape of a packed weight
  // One stride per dimension, in elements; empty means dense row-major. Lowering fills this in
  // from the stride classes of the call; the interpreter ignores it.
  std::vector<Expr> strides;
  std::optional<Packing> packing;  // weights only
  // Outputs and inouts only: whole vectors are stored past the caches (non-temporal stores).
  bool streamed = false;

  const std::string& name() const { return buffer ? buffer.name() : scalar.name(); }
};

// Values that are part of the Program: read like an input, and passed by nobody.
struct Table {
  Buffer buffer;
  std::vector<Expr> shape;  // constants
  // Row-major bit patterns, as those of Const. Shared: every step of a schedule has the same.
  std::shared_ptr<const std::vector<uint64_t>> bits;

  // The value at constant indices, or null: one of them is no constant, or outside of the table.
  Expr at(const std::vector<Expr>& indices) const;
};
// Of one table; more is a weight. A text of a table is read by people, and hashed for each compile.
inline constexpr int64_t kMaxTableElements = 1 << 16;

struct ProgramData {
  std::string name;
  std::vector<Var> sizes;          // not yet specialised; values come with the call, each >= 0
  std::vector<Param> params;       // in call order
  std::vector<Table> tables;       // whose values the body reads
  std::vector<Expr> requirements;  // bool expressions over sizes, checked per call
  Stmt body;
  // A step changed the order of floating-point accumulation: results may differ in rounding from
  // the unscheduled Program.
  bool reassociated = false;
  // Why the DSL could not build this Program; empty for every real one. verify() reports it, and so
  // does everything that takes a Program from a user.
  std::string error;
};

class Program {
 public:
  Program() = default;  // null: as if it had no parameters and did nothing; verify() refuses it
  explicit Program(ProgramData data)
      : data_(std::make_shared<const ProgramData>(std::move(data))) {}

  explicit operator bool() const { return data_ != nullptr; }
  const ProgramData& operator*() const { return data_ ? *data_ : nothing(); }
  const ProgramData* operator->() const { return &**this; }
  const std::string& name() const { return (**this).name; }

  // The same Program with another body.
  Program with_body(Stmt body) const;

 private:
  static const ProgramData& nothing();
  std::shared_ptr<const ProgramData> data_;
};

// --- Text. One form; parse(print(p)) is structurally equal to p.

std::string print(const Program& program);
std::string print(const Expr& e);
std::string print(const Stmt& s);
// With the names that print(within) shows, where several things share a name.
std::string print(const Expr& e, const Program& within);
std::string print(const Stmt& s, const Program& within);
std::ostream& operator<<(std::ostream& out, const Program& program);
std::ostream& operator<<(std::ostream& out, const Expr& e);

// Reads the printed form. Errors name line and column, what was found and what was expected. Safe
// on hostile text: bounded depth, no crash. An extern function of the text is the one of this name
// in `functions`, and bound to nothing where there is none.
absl::StatusOr<Program> parse(std::string_view text,
                              const std::vector<ExternFunction>& functions = {});

// --- Identity.

// Equal up to the identity (and names) of loops, bound names and local buffers; parameters and
// sizes match by position and by name.
bool structurally_equal(const Program& a, const Program& b);
uint64_t structural_hash(const Program& program);

// --- Checking.

// Every rule of a well-formed Program: variables and buffers declared before use and once, ranks
// and types agree, guards are bool, no Reduce, no Invalid, masks have the right lanes ... The error
// names the statement.
absl::Status verify(const Program& program);

// --- Sizes.

// Replaces sizes by values everywhere and folds constants; the sizes leave the Program. Refuses a
// negative value, a size that the Program does not have, and a requirement that becomes false
// (requirements that become true are dropped).
absl::StatusOr<Program> specialize(const Program& program,
                                   const std::vector<std::pair<Var, int64_t>>& values);

// Refuses different values for one size.
absl::Status check_single_values(const std::vector<std::pair<Var, int64_t>>& values);

// The parameter that declares this buffer; null when it is a local one.
const Param* find_param(const Program& program, const Buffer& buffer);
// By name; null when there is none.
const Param* find_param(const Program& program, std::string_view name);
// The table that declares this buffer, or has this name; null when there is none.
const Table* find_table(const Program& program, const Buffer& buffer);
const Table* find_table(const Program& program, std::string_view name);

}  // namespace tenon
