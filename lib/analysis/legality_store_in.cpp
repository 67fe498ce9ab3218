// May a stage live in the memory of an output?
#include <algorithm>

#include "analysis/injective.h"
#include "analysis/lane_stores.h"
#include "analysis/missing.h"
#include "analysis/overwrite.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/cover.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// What is asked: the stage's element [vars] is the output's element [map].
struct Asked {
  const Program& program;
  Buffer stage, output;
  std::vector<Expr> shape, output_shape;
  std::vector<Var> vars;
  std::vector<Expr> map;
  Facts facts;              // where the stage is declared
  std::vector<For> around;  // the loops around its declaration
  Stmt scope;               // the statements that can use the stage

  std::string name() const { return text_of(stage, program); }
  std::string output_name() const { return text_of(output, program); }

  // The access of the stage as one of the output.
  Access moved(Access a) const {
    a.indices = mapped(vars, map, a.indices);
    a.buffer = output;
    a.home.reset();
    return a;
  }
  std::vector<Access> moved(std::vector<Access> accesses) const {
    for (Access& a : accesses) a = moved(std::move(a));
    return accesses;
  }
};

// --- What there is.

absl::StatusOr<Asked> asked(const Program& program, const Buffer& stage, const Buffer& output,
                            const std::vector<Var>& vars, const std::vector<Expr>& map) {
  TENON_RETURN_IF_ERROR(is_local(stage, program));
  const Param* out = find_param(program, output);
  if (!out || out->role != Role::kOutput) {
    return refuse(text_of(output, program) +
                  (out && out->role == Role::kInOut
                       ? " is an inout, whose memory is not free before it is stored"
                       : " is not an output"));
  }
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == stage;
  });
  if (!place) return refuse("the program has no buffer " + stage.name());
  Asked q{program, stage, output, place->statement->as<Alloc>()->shape, out->shape, vars, map,
          {},      {},    {}};
  q.facts = place->facts(program);
  for (const Stmt* s : place->around) {
    if (const For* loop = s->as<For>()) q.around.push_back(*loop);
  }
  q.scope = seq(place->rest());
  return q;
}

// --- The map.

// Is it a map at all? Then it is simplified: what stands in it twice may cancel.
absl::Status is_map(Asked& q) {
  if (!(q.stage.type() == q.output.type())) {
    return refuse(q.name() + " is " + to_string(q.stage.type()) + " and " + q.output_name() +
                  " is " + to_string(q.output.type()));
  }
  if (q.vars.size() != q.shape.size() || q.map.size() != q.output_shape.size()) {
    return refuse("the map goes from " + std::to_string(q.vars.size()) + " indices to " +
                  std::to_string(q.map.size()) + ", and " + q.name() + " has " +
                  std::to_string(q.shape.size()) + " dimensions and " + q.output_name() + " " +
                  std::to_string(q.output_shape.size()));
  }
  for (Expr& e : q.map) {
    if (!e) return refuse("an index of the map is empty");
    if (const Invalid* wrong = e.as<Invalid>()) return refuse("the map: " + wrong->message);
    if (touches_memory(e) || !(e.type() == i64)) {
      return refuse("index " + text_of(e, q.program) +
                    " of the map is not an integer expression of the indices, loops and sizes");
    }
    e = simplify(e, q.facts);
    for (const Var& var : free_vars(e)) {
      const bool ours = std::find(q.vars.begin(), q.vars.end(), var) != q.vars.end();
      if (ours || q.facts.knows(var)) continue;
      return refuse("index " + text_of(e, q.program) + " of the map uses " + var.name() +
                    ", which is not known where " + q.name() + " is declared");
    }
  }
  return is_injective("the map", as_access(q.stage, q.shape, q.vars, q.map), q.facts, q.program);
}

absl::Status stays_inside(const std::vector<Access>& moved, const Asked& q) {
  for (const Access& a : moved) {
    const Facts facts = facts_at(a, q.facts);
    for (size_t k = 0; k < a.indices.size(); ++k) {
      for (const Expr& inside : {Expr(0) <= a.indices[k], a.indices[k] < q.output_shape[k]}) {
        if (proved(facts, inside)) continue;
        std::vector<std::string> missing = missing_fact(inside, facts, q.program);
        const std::string use = ": it would use " + element(q.output, a.indices, q.program);
        if (missing.empty()) {
          return refuse(q.name() + " does not stay inside of " + q.output_name() + use + ", and " +
                        text_of(inside, q.program) + " does not always hold");
        }
        return refuse("cannot tell that " + q.name() + " stays inside of " + q.output_name() + use,
                      std::move(missing));
      }
    }
  }
  return absl::OkStatus();
}

// --- The output.

absl::Status is_only_stored(const Asked& q) {
  for (const For& loop : q.around) {
    if (loop.kind != ForKind::kVector) continue;
    return refuse("loop " + text_of(loop.var, q.program) + " around " + q.name() +
                  " is a vector loop");
  }
  const std::vector<Access> all = accesses_of(q.program->body, q.output);
  for (const Access& a : all) {
    if (a.kind == Access::Kind::kWrite) continue;
    return refuse(q.output_name() + " is " +
                  (a.kind == Access::Kind::kRead ? "read" : "accumulated into") +
                  ", and its memory has to be free until it is stored");
  }
  if (accesses_of(q.scope, q.output).size() != all.size()) {
    return refuse(q.output_name() + " is also stored where " + q.name() + " is not declared");
  }
  return absl::OkStatus();
}

// Iterations of the loops around use different elements.
absl::Status is_disjoint(const Asked& q) {
  const std::vector<Access> stage = q.moved(accesses_of(q.program->body, q.stage));
  const std::vector<Access> stores = accesses_of(q.program->body, q.output);
  const Facts facts = facts_of(q.program);
  for (const Access& a : stage) {
    for (const std::vector<Access>* others : {&stage, &stores}) {
      for (const Access& b : *others) {
        if (reads_only(a, b)) continue;
        std::vector<Ordering> directions;
        for (const For& loop : q.around) {
          for (const Ordering d : {Ordering::kGreater, Ordering::kLess}) {
            directions.push_back(d);
            if (!never_meet(a, b, directions, facts)) {
              return refuse("iterations of loop " + text_of(loop.var, q.program) +
                            " would share elements of " + q.output_name() + ": " +
                            element(q.output, a.indices, q.program) + " and " +
                            element(q.output, b.indices, q.program));
            }
            directions.pop_back();
          }
          directions.push_back(Ordering::kEqual);
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status still_used(const Access& own, const Access& use, const Conflict& c, const Asked& q) {
  const Program& within = q.program;
  if (c.meeting.answer != Answer::kYes) {
    return refuse("cannot tell whether " + element(own.buffer, own.indices, within) +
                  " is stored before " + q.name() + " is used for the last time in " +
                  element(use.buffer, use.indices, within));
  }
  std::string reason = element(own.buffer, c.meeting.element, within) + " is stored" +
                       iteration_of(c.meeting.a_values, within) +
                       ", and its memory is still used by " + q.name() + " after that" +
                       iteration_of(c.meeting.b_values, within);
  if (!c.meeting.sizes.empty()) reason += ", with " + text_of(c.meeting.sizes, within);
  return refuse(std::move(reason));
}

// No element is touched through the stage once the output was stored there.
absl::Status is_stored_last(const std::vector<Access>& moved, const std::vector<Access>& stores,
                            const Asked& q) {
  for (const Access& own : stores) {
    for (const Access& use : moved) {
      const auto conflict = touches_after(own, use, q.facts);
      if (conflict) return still_used(own, use, *conflict, q);
    }
  }
  return absl::OkStatus();
}

// The last obligation: what the stage writes, the output's own stores overwrite. A store for the
// same element comes later than the write: the element is not touched through the stage after it.
absl::Status is_overwritten(const std::vector<Access>& moved, const std::vector<Access>& stores,
                            const Asked& q) {
  for (const Access& write : moved) {
    if (write.kind == Access::Kind::kRead) continue;
    const bool covered = std::any_of(stores.begin(), stores.end(), [&](const Access& store) {
      return covers(store, write, q.facts);
    });
    if (covered) continue;
    return refuse("cannot tell that what " + q.name() + " writes to " +
                  element(q.output, write.indices, q.program) +
                  " is always overwritten by the output's own value");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Expr>> may_store_in(const Program& program, const Buffer& stage,
                                               const Buffer& output, const std::vector<Var>& vars,
                                               const std::vector<Expr>& map) {
  TENON_ASSIGN_OR_RETURN(Asked q, asked(program, stage, output, vars, map));
  TENON_RETURN_IF_ERROR(has_own_indices(program, stage));
  TENON_RETURN_IF_ERROR(is_map(q));
  TENON_RETURN_IF_ERROR(is_only_stored(q));

  const std::vector<Access> accesses = accesses_of(q.scope, q.stage);
  const auto place = [&](const std::vector<Expr>& i) { return mapped(vars, q.map, i); };
  TENON_RETURN_IF_ERROR(lanes_stay_apart(accesses, output, place, q.facts, program));
  const std::vector<Access> moved = q.moved(accesses);
  const std::vector<Access> stores = accesses_of(q.scope, q.output);
  TENON_RETURN_IF_ERROR(stays_inside(moved, q));
  TENON_RETURN_IF_ERROR(is_disjoint(q));
  TENON_RETURN_IF_ERROR(is_stored_last(moved, stores, q));
  TENON_RETURN_IF_ERROR(is_overwritten(moved, stores, q));
  return q.map;
}

}  // namespace tenon
