#include "schedule/stages.h"

#include <algorithm>
#include <string>

#include "tenon/analysis/access.h"
#include "tenon/analysis/find.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

std::string listed(const std::vector<Buffer>& buffers) {
  std::string text;
  for (const Buffer& buffer : buffers) text += (text.empty() ? "" : ", ") + buffer.name();
  return text.empty() ? "none" : text;
}

// Intermediates in program order, then outputs.
std::vector<Buffer> stages_of(const Program& program) {
  std::vector<Buffer> stages;
  walk(program->body, [&](const Stmt& s) {
    if (const Alloc* x = s.as<Alloc>()) stages.push_back(x->buffer);
  });
  for (const Param& param : program->params) {
    if (is_written(param.role)) stages.push_back(param.buffer);
  }
  return stages;
}

std::vector<Access> writes_of(const Program& program, const Buffer& stage) {
  std::vector<Access> writes = accesses_of(program->body, stage);
  std::erase_if(writes, [](const Access& a) { return a.kind == Access::Kind::kRead; });
  return writes;
}

bool indexes(const Access& write, const Var& var) {
  return std::any_of(write.indices.begin(), write.indices.end(),
                     [&](const Expr& e) { return uses(e, var); });
}

bool stands_around(const Access& write, const Var& var) {
  return std::any_of(write.loops.begin(), write.loops.end(),
                     [&](const For& loop) { return loop.var == var; });
}

}  // namespace

absl::StatusOr<Buffer> find_stage(const Program& program, std::string_view name) {
  const std::vector<Buffer> stages = stages_of(program);
  for (const Buffer& stage : stages) {
    if (stage.name() == name) return stage;
  }
  const std::string what = std::string(name);
  if (find_param(program, name)) {
    return refuse(what + " is a parameter, not a stage; the stages are " + listed(stages));
  }
  if (find_table(program, name)) {
    return refuse(what + " is a table, not a stage; the stages are " + listed(stages));
  }
  return refuse("there is no stage " + what + "; the stages are " + listed(stages));
}

absl::StatusOr<Buffer> find_storage(const Program& program, std::string_view name) {
  if (const Buffer buffer = find_buffer(program, name)) return buffer;
  std::vector<Buffer> buffers = stages_of(program);
  for (const Param& param : program->params) {
    if (param.role == Role::kWeight) buffers.push_back(param.buffer);
  }
  return refuse("there is no buffer " + std::string(name) + "; the stages and weights are " +
                listed(buffers));
}

absl::StatusOr<Buffer> find_any_buffer(const Program& program, std::string_view name) {
  if (const Buffer buffer = find_buffer(program, name)) return buffer;
  std::vector<Buffer> buffers;
  for (const Param& param : program->params) {
    if (param.buffer && !is_written(param.role)) buffers.push_back(param.buffer);
  }
  for (const Table& table : program->tables) buffers.push_back(table.buffer);
  const std::vector<Buffer> stages = stages_of(program);
  buffers.insert(buffers.end(), stages.begin(), stages.end());
  return refuse("there is no buffer " + std::string(name) + "; the buffers are " + listed(buffers));
}

std::vector<Var> loops_of_stage(const Program& program, const Buffer& stage, bool reductions) {
  const std::vector<Access> writes = writes_of(program, stage);
  std::vector<Var> loops;
  if (writes.empty()) return loops;
  for (const For& loop : writes.back().loops) {
    if (!loop.body) continue;  // over the part of a call, and no loop of the program
    const bool around_all = std::all_of(writes.begin(), writes.end(), [&](const Access& write) {
      return stands_around(write, loop.var);
    });
    if (reductions || around_all || indexes(writes.back(), loop.var)) loops.push_back(loop.var);
  }
  return loops;
}

}  // namespace tenon
