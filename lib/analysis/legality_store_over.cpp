// May a stage take over the memory of another one?
#include <algorithm>

#include "analysis/overwrite.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A declaration, and the sequence that it stands in.
struct Declared {
  const Alloc* alloc;
  const Stmt* sequence;  // null: the Alloc stands alone
  Facts facts;
};

absl::StatusOr<Declared> declaration_of(const Program& program, const Buffer& buffer) {
  TENON_RETURN_IF_ERROR(is_local(buffer, program));
  TENON_RETURN_IF_ERROR(not_given_to_calls(program->body, buffer, program));
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == buffer;
  });
  if (!place) return refuse("the program has no buffer " + buffer.name());
  auto outer = place->around.rbegin();
  while (outer != place->around.rend() && (*outer)->is<Bind>()) ++outer;
  return Declared{place->statement->as<Alloc>(), outer == place->around.rend() ? nullptr : *outer,
                  place->facts(program)};
}

std::string declared_text(const Alloc& a, const Program& within) {
  std::string text = to_string(a.buffer.type()) + "[";
  for (size_t d = 0; d < a.shape.size(); ++d) {
    text += (d == 0 ? "" : ", ") + text_of(a.shape[d], within);
  }
  return text + "]";
}

absl::Status same_form(const Declared& stage, const Declared& old, const Program& within) {
  const Alloc& a = *stage.alloc;
  const Alloc& b = *old.alloc;
  bool same = a.buffer.type() == b.buffer.type() && a.shape.size() == b.shape.size();
  for (size_t d = 0; same && d < a.shape.size(); ++d) {
    same = equal(a.shape[d], b.shape[d]) || proved(old.facts, a.shape[d] == b.shape[d]);
  }
  if (same) return absl::OkStatus();
  return refuse(text_of(a.buffer, within) + " is " + declared_text(a, within) + " and " +
                text_of(b.buffer, within) + " is " + declared_text(b, within) +
                ": only a stage of the same type and shape takes its memory over");
}

// The old stage is declared and complete when the new one begins.
absl::Status is_complete(const std::vector<Stmt>& parts, const Buffer& stage, const Buffer& old,
                         const Program& within) {
  bool begun = false;
  for (const Stmt& s : parts) {
    if (const Alloc* a = s.as<Alloc>()) {
      if (a->buffer == old && begun) {
        return refuse(text_of(old, within) + " is declared after " + text_of(stage, within) +
                      " is computed");
      }
      if (!(a->buffer == stage)) continue;
    } else if (uses(s, stage)) {
      begun = true;
    }
    if (begun && writes(s, old)) {
      return refuse(text_of(old, within) + " is written in the statement that computes " +
                    text_of(stage, within) + ", or behind it");
    }
  }
  return absl::OkStatus();
}

absl::Status still_read(const Access& write, const Access& read, const Conflict& c,
                        const Program& within) {
  if (c.meeting.answer != Answer::kYes) {
    return refuse("cannot tell whether " + element(read.buffer, read.indices, within) +
                  " is read after " + element(write.buffer, write.indices, within) +
                  " is stored in its place");
  }
  std::string reason =
      element(write.buffer, c.meeting.element, within) + " would be stored over " +
      element(read.buffer, c.meeting.element, within) + iteration_of(c.meeting.a_values, within) +
      ", which is still read after that" + iteration_of(c.meeting.b_values, within);
  if (!c.meeting.sizes.empty()) reason += ", with " + text_of(c.meeting.sizes, within);
  return refuse(std::move(reason));
}

// No element of the old stage is read once the new stage was stored there.
absl::Status is_read_before(const Stmt& sequence, const Buffer& stage, const Buffer& old,
                            const Facts& facts, const Program& within) {
  const std::vector<Access> writes_to = accesses_of(sequence, stage);
  const std::vector<Access> reads_of = accesses_of(sequence, old);
  for (const Access& write : writes_to) {
    if (write.kind == Access::Kind::kRead) continue;
    for (const Access& read : reads_of) {
      if (read.kind != Access::Kind::kRead) continue;
      const auto conflict = touches_after(write, read, facts);
      if (conflict) return still_read(write, read, *conflict, within);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status may_store_over(const Program& program, const Buffer& stage, const Buffer& old) {
  if (stage == old) return refuse(text_of(stage, program) + " has this memory already");
  TENON_ASSIGN_OR_RETURN(const Declared of_stage, declaration_of(program, stage));
  TENON_ASSIGN_OR_RETURN(const Declared of_old, declaration_of(program, old));
  if (!of_stage.sequence || of_stage.sequence != of_old.sequence) {
    return refuse(text_of(stage, program) + " and " + text_of(old, program) +
                  " are not declared in the same sequence of statements");
  }
  TENON_RETURN_IF_ERROR(same_form(of_stage, of_old, program));
  const Stmt& sequence = *of_old.sequence;
  TENON_RETURN_IF_ERROR(is_complete(statements_of(sequence), stage, old, program));
  return is_read_before(sequence, stage, old, of_old.facts, program);
}

}  // namespace tenon
