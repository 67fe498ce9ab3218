#include "analysis/own_indices.h"

#include "analysis/text.h"
#include "tenon/ir/visit.h"

namespace tenon {

absl::Status has_own_indices(const Program& program, const Buffer& buffer) {
  absl::Status status;
  walk(program->body, [&](const Stmt& s) {
    const Accumulate* x = s.as<Accumulate>();
    if (!status.ok() || !x || x->buffers.size() < 2 || !x->writes(buffer)) return;
    status = refuse(text_of(x->buffers[0], program) + " and " + text_of(x->buffers[1], program) +
                    " are results of one reduction and share its index list");
  });
  return status;
}

}  // namespace tenon
