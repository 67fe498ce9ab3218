// fuse_epilogue(out):
//
//   for i in 0..m                           for i in 0..m
//     c[i] = -0.0                             c[i] = -0.0
//     for r in 0..k                     ->    for r in 0..k
//       c[i] += x[i, r]                         c[i] += x[i, r]
//   for i_1 in 0..m                           out[i] = max(c[i], 0.0)
//     out[i_1] = max(c[i_1], 0.0)
//
// A reverse_compute_at into the innermost loop around all writes of the stage that `out` reads and
// that is computed last; where there is none (the start values are a nest of their own), into the
// innermost loop of the reduction that is around it, in whose last iteration the result is
// complete. Then the loops of one iteration that this makes are squashed.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/analysis/access.h"
#include "tenon/base/limits.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The writes of the local stage that `stage` reads and that is computed last, before it.
std::vector<Access> producer_writes(const Program& program, const Buffer& stage) {
  const std::vector<Access> all = accesses_of(program->body);
  const StmtNode* reader = nullptr;
  int before = 0;
  for (const Access& a : all) {
    if (!(a.buffer == stage) || a.kind == Access::Kind::kRead) continue;
    reader = a.statement;
    before = a.order;
    break;
  }
  Buffer producer;
  int last = -1;
  for (const Access& read : all) {
    if (read.statement != reader || read.kind != Access::Kind::kRead) continue;
    for (const Access& write : all) {
      const bool writes = write.buffer == read.buffer && write.kind != Access::Kind::kRead;
      if (!writes || write.order >= before || write.order <= last) continue;
      producer = read.buffer;
      last = write.order;
    }
  }
  std::vector<Access> writes;
  for (const Access& a : all) {
    if (producer && a.buffer == producer && a.kind != Access::Kind::kRead) writes.push_back(a);
  }
  return writes;
}

// The innermost loop around all of them; of the last one alone when there is none. Null when that
// stands in no loop either.
Var place_after(const std::vector<Access>& writes) {
  Var found;
  std::vector<For> last = writes.back().loops;
  std::erase_if(last, [](const For& l) { return !l.body; });  // of a call's part alone
  for (const For& loop : last) {
    const bool around_all = std::all_of(writes.begin(), writes.end(), [&](const Access& a) {
      return std::any_of(a.loops.begin(), a.loops.end(),
                         [&](const For& l) { return l.var == loop.var; });
    });
    if (around_all) found = loop.var;
  }
  return found || last.empty() ? found : last.back().var;
}

}  // namespace

std::vector<Loop> Schedule::fuse_epilogue(std::string_view stage, Place place) {
  const std::string action = "fuse_epilogue(" + std::string(stage) + ")";
  if (!status_.ok()) return dummy_loops(kMaxRank);
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  absl::Status ready = buffer.status();
  Var at;
  if (ready.ok()) {
    const std::vector<Access> writes = producer_writes(program_, *buffer);
    if (writes.empty()) {
      ready = refuse(std::string(stage) + " reads no stage");
    } else if (at = place_after(writes); !at) {
      ready = refuse(writes.back().buffer.name() + ", which " + std::string(stage) +
                     " reads, is computed outside of all loops");
    }
  }
  if (!ready.ok()) {
    refuse_step(ready, action, place);
    return dummy_loops(kMaxRank);
  }

  Derived derived(*this, action, place);
  std::vector<Loop> left;
  for (const Loop& loop : reverse_compute_at(stage, Loop(at), place)) {
    if (!status_.ok()) break;
    const std::optional<LoopSite> site = find_loop(program_, loop.var());
    const bool marked = site && site->loop.kind != ForKind::kSerial;
    if (site && !marked && primitives::constant_extent(site->loop, site->facts) == 1) {
      squash(loop, place);
    } else {
      left.push_back(loop);
    }
  }
  return derived.finish() ? left : dummy_loops(kMaxRank);
}

}  // namespace tenon
