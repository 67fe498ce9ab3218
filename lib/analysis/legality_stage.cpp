// May a body work on a local copy of the part of a buffer that it touches?
#include <algorithm>

#include "analysis/extent.h"
#include "analysis/own_indices.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/cover.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The body, and names in messages.
struct Asked {
  const Program& program;
  std::vector<Buffer> buffers;        // the one to stage, and what is reduced together with it
  const std::optional<LoopSite>& at;  // empty: the Program's own body

  std::string name() const { return text_of(buffers.front(), program); }
  std::string loop() const { return text_of(at->loop.var, program); }
  const Stmt& body() const { return at ? at->loop.body : program->body; }
  Facts facts() const { return at ? at->facts.inside(at->loop) : facts_of(program); }
};

// --- The place.

absl::Status holds_no_vector(const Asked& q) {
  if (!q.at) return absl::OkStatus();
  std::vector<For> around = q.at->outer;
  around.push_back(q.at->loop);
  for (const For& loop : around) {
    if (loop.kind != ForKind::kVector) continue;
    return refuse("loop " + text_of(loop.var, q.program) +
                  " is a vector loop, which cannot hold an allocation: stage " + q.name() +
                  " at a loop around it");
  }
  return absl::OkStatus();
}

absl::Status is_declared_outside(const Asked& q) {
  absl::Status status;
  walk(q.body(), [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || std::find(q.buffers.begin(), q.buffers.end(), a->buffer) == q.buffers.end()) return;
    const std::string name = text_of(a->buffer, q.program);
    status = refuse(name + (q.at ? " is declared inside of loop " + q.loop() +
                                       ": it can be staged in a loop behind its declaration"
                                 : " is a local buffer, which can be staged in a loop; in the "
                                   "program's own body only parameters are"));
  });
  return status;
}

// Divides the statements of the body.
absl::Status divide(const Asked& q, Staging& staging) {
  const std::vector<Stmt> parts = statements_of(q.body());
  const auto used = [&](const Stmt& s) {
    return std::any_of(q.buffers.begin(), q.buffers.end(),
                       [&](const Buffer& b) { return uses(s, b); });
  };
  const auto written = [&](const Stmt& s) {
    return std::any_of(q.buffers.begin(), q.buffers.end(),
                       [&](const Buffer& b) { return writes(s, b); });
  };
  const auto first = std::find_if(parts.begin(), parts.end(), used);
  if (first == parts.end()) {
    return refuse("nothing in " + (q.at ? "loop " + q.loop() : "the program") + " uses " +
                  q.name());
  }
  // Nests behind the last one that writes an output are other stages: they read the output.
  auto last = q.at ? parts.rend() : std::find_if(parts.rbegin(), parts.rend(), written);
  if (last == parts.rend()) last = std::find_if(parts.rbegin(), parts.rend(), used);
  staging.before.assign(parts.begin(), first);
  staging.used.assign(first, last.base());
  staging.after.assign(last.base(), parts.end());
  return absl::OkStatus();
}

// The buffer, and what is reduced together with it in the statements: they share index lists.
std::vector<Buffer> reduced_in(const Stmt& s, const Buffer& buffer) {
  std::vector<Buffer> all = {buffer};
  for (size_t known = 0; known < all.size(); ++known) {
    walk(s, [&](const Stmt& part) {
      const Accumulate* x = part.as<Accumulate>();
      if (!x || !x->writes(all[known])) return;
      for (const Buffer& b : x->buffers) {
        if (std::find(all.begin(), all.end(), b) == all.end()) all.push_back(b);
      }
    });
  }
  return all;
}

// --- The region.

// One per dimension: named like the innermost loop that indexes it in the first access.
std::vector<Var> region_vars(const std::vector<Access>& accesses) {
  std::vector<Var> vars;
  const Access& a = accesses.front();
  for (size_t d = 0; d < a.indices.size(); ++d) {
    std::string name = "c" + std::to_string(d);
    for (const For& loop : a.loops) {
      if (uses(a.indices[d], loop.var)) name = loop.var.name();
    }
    vars.emplace_back(name);
  }
  return vars;
}

// The guards around all accesses that can be asked in front of the statements: where one fails, the
// statements do not use the buffer.
std::vector<Expr> shared_guards(const std::vector<Access>& accesses, const Facts& facts) {
  std::vector<Expr> shared;
  for (const Expr& guard : accesses.front().guards) {
    if (guard.type().is_vector() || !is_known(guard, facts)) continue;
    const auto has_it = [&](const Access& a) {
      return std::any_of(a.guards.begin(), a.guards.end(),
                         [&](const Expr& other) { return equal(other, guard); });
    };
    if (std::all_of(accesses.begin(), accesses.end(), has_it)) shared.push_back(guard);
  }
  return shared;
}

// --- What is copied.

std::vector<Access> accesses_of(const std::vector<Access>& all, const Buffer& buffer) {
  std::vector<Access> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own),
               [&](const Access& a) { return a.buffer == buffer; });
  return own;
}

std::vector<Expr> guards_of(const std::vector<Expr>& shape, const Staging& staging,
                            std::vector<Expr> guards, Facts facts) {
  for (const Expr& guard : guards) facts = facts.given(guard);
  for (size_t d = 0; d < shape.size(); ++d) {
    const Var& var = staging.vars[d];
    facts = facts.inside(LoopRange{var, 0, staging.region.extent[d]});
    const Expr index = staging.region.lo[d] + Expr(var);
    for (const Expr& inside : {Expr(0) <= index, index < shape[d]}) {
      if (!proved(facts, inside)) guards.push_back(inside);
    }
  }
  return guards;
}

// The access that copies everything back.
Access copy_of(const StagedCopy& copy, const Staging& staging) {
  Access a;
  a.kind = Access::Kind::kRead;
  a.buffer = copy.buffer;
  a.guards = copy.guards;
  for (size_t d = 0; d < staging.vars.size(); ++d) {
    const Var& var = staging.vars[d];
    a.indices.push_back(staging.region.lo[d] + Expr(var));
    a.loops.push_back(For{var, 0, staging.region.extent[d], ForKind::kSerial, {}});
  }
  return a;
}

void decide_copies(StagedCopy& copy, const std::vector<Access>& own, const Staging& staging,
                   const Facts& facts) {
  const auto stored = [&](const auto& covering) {
    return std::any_of(own.begin(), own.end(), [&](const Access& store) {
      return store.kind == Access::Kind::kWrite && covering(store);
    });
  };
  copy.copy_in = std::any_of(own.begin(), own.end(), [&](const Access& a) {
    return a.kind != Access::Kind::kWrite &&
           !stored([&](const Access& store) { return covers_before(store, a, facts); });
  });
  copy.copy_out = std::any_of(own.begin(), own.end(),
                              [](const Access& a) { return a.kind != Access::Kind::kRead; });
  if (!copy.copy_out || copy.copy_in) return;
  const Access back = copy_of(copy, staging);
  copy.copy_in = !stored([&](const Access& store) { return covers(store, back, facts); });
}

}  // namespace

absl::StatusOr<Staging> may_stage(const Program& program, const Buffer& buffer,
                                  const std::optional<LoopSite>& at) {
  const Stmt& body = at ? at->loop.body : program->body;
  const Asked q{program, reduced_in(body, buffer), at};
  TENON_RETURN_IF_ERROR(holds_no_vector(q));
  TENON_RETURN_IF_ERROR(is_declared_outside(q));
  Staging staging;
  TENON_RETURN_IF_ERROR(divide(q, staging));
  Facts facts = q.facts();
  for (const Stmt& s : staging.before) {
    if (const Bind* name = s.as<Bind>()) facts = facts.bound(*name);
  }

  const Stmt used = seq(staging.used);
  for (const Buffer& one : q.buffers) {
    TENON_RETURN_IF_ERROR(not_given_to_calls(used, one, program));
  }
  TENON_ASSIGN_OR_RETURN(staging.region, region_of(used, q.buffers, Which::kAll, facts));
  TENON_RETURN_IF_ERROR(region_is_no_data(staging.region, q.name(), "used", program));

  const std::vector<Access> all = accesses_of(used);
  staging.vars = region_vars(accesses_of(all, buffer));
  for (const Buffer& one : q.buffers) {
    const std::vector<Access> own = accesses_of(all, one);
    StagedCopy copy{one, {}, false, false};
    copy.guards = guards_of(*shape_of(program, one), staging, shared_guards(own, facts), facts);
    decide_copies(copy, own, staging, facts);
    staging.copies.push_back(std::move(copy));
  }
  return staging;
}

}  // namespace tenon
