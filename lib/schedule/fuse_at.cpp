// fuse_at({a, b}, io), where b reads a:
//
//   compute_at(b, io)
//   compute_at(a, io)
//
// A chain of stages at one loop. A stage moves there when all that read it are there, so the last
// one in the program goes first.
#include <algorithm>
#include <numeric>

#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Where the stage is written last, in the order of the program.
int last_write(const Program& program, const Buffer& stage) {
  int now = 0, last = 0;
  walk(program->body, [&](const Stmt& s) {
    ++now;
    const Store* x = s.as<Store>();
    const Accumulate* a = s.as<Accumulate>();
    if ((x && x->buffer == stage) || (a && a->writes(stage))) last = now;
  });
  return last;
}

// The positions of the names in the order in which they move.
absl::StatusOr<std::vector<size_t>> readers_first(const Program& program,
                                                  const std::vector<std::string>& stages) {
  std::vector<int> written;
  for (const std::string& name : stages) {
    if (std::count(stages.begin(), stages.end(), name) > 1) {
      return refuse("stage " + name + " is named twice");
    }
    TENON_ASSIGN_OR_RETURN(const Buffer stage, find_stage(program, name));
    written.push_back(last_write(program, stage));
  }
  std::vector<size_t> order(stages.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return written[a] > written[b]; });
  return order;
}

}  // namespace

std::vector<std::vector<Loop>> Schedule::fuse_at(const std::vector<std::string>& stages, Loop loop,
                                                 Place place) {
  const std::vector<std::vector<Loop>> nothing(stages.size(), dummy_loops(kMaxRank));
  if (!status_.ok()) return nothing;
  const std::string action = "fuse_at({" + join(stages) + "}, " + name_of(loop) + ")";
  const absl::StatusOr<std::vector<size_t>> order = readers_first(program_, stages);
  if (!order.ok()) {
    refuse_step(order.status(), action, place);
    return nothing;
  }

  Derived derived(*this, action, place);
  std::vector<std::vector<Loop>> loops(stages.size());
  for (const size_t k : *order) loops[k] = compute_at(stages[k], loop, place);
  return derived.finish() ? loops : nothing;
}

}  // namespace tenon
