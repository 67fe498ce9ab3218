// specialize(n % 8 == 0):
//
//   for io in 0..(n + 7) // 8               if n % 8 == 0
//     for ii in 0..8                          for io in 0..n // 8
//       if io*8 + ii < n                        for ii in 0..8
//         out[io*8 + ii] = x[io*8 + ii]           out[io*8 + ii] = x[io*8 + ii]
//                                      ->   if n % 8 != 0
//                                             for io_1 in 0..(n + 7) // 8
//                                               for ii_1 in 0..8
//                                                 if io_1*8 + ii_1 < n
//                                                   out[io_1*8 + ii_1] = x[io_1*8 + ii_1]
//
// Two forms of the body in one kernel. The copy in front, the fast path, has loops, names and local
// buffers of its own, and is simplified with the condition as a fact; the body stays what it was.
// Obligation (may_specialize): a condition over sizes and scalar parameters that may hold and may
// fail. One of the two runs. Exact.
#include <algorithm>
#include <string>

#include "schedule/common.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/legality_facts.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

struct Declared {
  std::vector<Var> loops;
  std::vector<Buffer> buffers;
};

Declared declared_in(const Stmt& s) {
  Declared found;
  walk(s, [&](const Stmt& part) {
    if (const For* x = part.as<For>()) found.loops.push_back(x->var);
    if (const Alloc* x = part.as<Alloc>()) found.buffers.push_back(x->buffer);
  });
  return found;
}

// A stage is found by its name, so that each copy needs one of its own.
std::string free_name(const Program& program, const Buffer& stage,
                      const std::vector<std::pair<Buffer, Buffer>>& taken) {
  const auto is_taken = [&](const std::string& name) {
    return find_buffer(program, name) ||
           std::any_of(taken.begin(), taken.end(),
                       [&](const auto& pair) { return pair.second.name() == name; });
  };
  const std::string wanted = stage.name() + "_fast";
  std::string name = wanted;
  for (int n = 1; is_taken(name); ++n) name = wanted + "_" + std::to_string(n);
  return name;
}

}  // namespace

absl::StatusOr<SpecializeResult> specialize(const Program& program, const Expr& condition) {
  // Require.
  TENON_ASSIGN_OR_RETURN(const Expr holds, may_specialize(program, condition));

  // Rewrite.
  SpecializeResult result;
  Stmt fast = with_fresh_names(program->body);
  const Declared old = declared_in(program->body), fresh = declared_in(fast);
  for (size_t i = 0; i < old.loops.size(); ++i) {
    result.loops.emplace_back(old.loops[i], fresh.loops[i]);
  }
  BufferMap renamed;
  for (size_t i = 0; i < old.buffers.size(); ++i) {
    const Buffer named(free_name(program, old.buffers[i], result.stages), old.buffers[i].type());
    result.stages.emplace_back(old.buffers[i], named);
    renamed[fresh.buffers[i]] = named;
  }
  fast = substitute(fast, renamed);
  const Stmt both =
      seq({make_if(holds, fast), make_if(unary(UnaryOp::kNot, holds), program->body)});
  result.program = simplified(program, both);
  return result;
}

}  // namespace tenon::primitives
