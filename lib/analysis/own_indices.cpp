#include "analysis/own_indices.h"

#include <algorithm>
#include <iterator>

#include "analysis/text.h"
#include "tenon/ir/visit.h"

namespace tenon {

absl::Status not_given_to_calls(const Stmt& s, const Buffer& buffer, const Program& within) {
  absl::Status status;
  walk(s, [&](const Stmt& t) {
    const Call* x = t.as<Call>();
    if (!x || !status.ok() || !uses(t, buffer)) return;
    status = refuse(text_of(buffer, within) + " is given to extern function " + x->function.name +
                    ", which takes its parts as they lie in " + text_of(buffer, within));
  });
  return status;
}

absl::Status has_own_indices(const Program& program, const Buffer& buffer) {
  absl::Status status = not_given_to_calls(program->body, buffer, program);
  walk(program->body, [&](const Stmt& s) {
    const Accumulate* x = s.as<Accumulate>();
    if (!status.ok() || !x || x->buffers.size() < 2 || !x->writes(buffer)) return;
    status = refuse(text_of(x->buffers[0], program) + " and " + text_of(x->buffers[1], program) +
                    " are results of one reduction and share its index list");
  });
  return status;
}

std::vector<Buffer> reduced_together(const Program& program, const Buffer& buffer) {
  std::vector<Buffer> all = {buffer};
  const auto is_in = [&](const Buffer& b) {
    return std::find(all.begin(), all.end(), b) != all.end();
  };
  for (size_t known = 0; known != all.size();) {
    known = all.size();
    walk(program->body, [&](const Stmt& s) {
      const Accumulate* x = s.as<Accumulate>();
      if (!x || std::none_of(x->buffers.begin(), x->buffers.end(), is_in)) return;
      std::copy_if(x->buffers.begin(), x->buffers.end(), std::back_inserter(all),
                   [&](const Buffer& b) { return !is_in(b); });
    });
  }
  return all;
}

}  // namespace tenon
