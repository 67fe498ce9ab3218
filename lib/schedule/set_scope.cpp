// set_scope(t, registers):
//
//   alloc t: f32[4, 16]      ->      alloc t: f32[4, 16] in registers
//
// Where the stage lives, instead of where lowering would put it. Lowering obeys, or refuses: what
// the steps behind this one make of the stage decides whether it can.
// Obligation: the stage is local. Registers and the stack hold constant sizes, and no more than
// kMaxStackBuffer bytes. Exact.
#include "schedule/common.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

absl::Status is_small(const Program& program, const Buffer& stage, const std::vector<Expr>& shape,
                      Memory memory) {
  int64_t bytes = stage.type().bytes();
  const std::string it_holds = memory == Memory::kStack ? "the stack holds" : "registers hold";
  for (const Expr& extent : shape) {
    const std::optional<int64_t> n = as_int(extent);
    if (!n) {
      return refuse(it_holds + " a constant number of elements, and an extent of " + stage.name() +
                        " is " + print(extent, program),
                    {}, {"split the loops that it runs over, and compute it at the outer one"});
    }
    if (__builtin_mul_overflow(bytes, *n, &bytes)) bytes = INT64_MAX;
  }
  if (bytes <= kMaxStackBuffer) return absl::OkStatus();
  return refuse(stage.name() + " takes " + std::to_string(bytes) + " bytes, and " + it_holds + " " +
                std::to_string(kMaxStackBuffer) + " of one stage");
}

}  // namespace

absl::StatusOr<Program> set_scope(const Program& program, const Buffer& stage, Memory memory) {
  // Find.
  const std::optional<std::vector<Expr>> shape = shape_of(program, stage);
  if (!shape) return refuse("the program has no buffer " + stage.name());
  if (find_param(program, stage)) {
    return refuse(stage.name() + " is a parameter: its memory belongs to the caller");
  }

  // Require.
  if (memory == Memory::kShared || memory == Memory::kWorker) {
    return refuse(std::string("lowering chooses the part of the workspace; ") + name_of(memory) +
                      " cannot be asked for",
                  {}, {"set_scope(" + stage.name() + ", workspace)"});
  }
  const bool is_bounded = memory == Memory::kStack || memory == Memory::kRegisters;
  if (is_bounded) {
    TENON_RETURN_IF_ERROR(is_small(program, stage, *shape, memory));
  }

  // Rewrite.
  return program.with_body(rewrite_stmts(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == stage ? alloc(stage, a->shape, memory) : s;
  }));
}

}  // namespace tenon::primitives
