#include "tenon/ir/program.h"

namespace tenon {
namespace {

const Param* find(const Program& program, const auto& matches) {
  for (const Param& param : program->params) {
    if (matches(param)) return &param;
  }
  return nullptr;
}

}  // namespace

const ProgramData& Program::nothing() {
  static const ProgramData kNothing = [] {
    ProgramData data;
    data.name = "null";
    data.error = "the Program is null";
    data.body = seq({});
    return data;
  }();
  return kNothing;
}

Program Program::with_body(Stmt body) const {
  ProgramData data = **this;
  data.body = std::move(body);
  return Program(std::move(data));
}

const Param* find_param(const Program& program, const Buffer& buffer) {
  return find(program, [&](const Param& param) { return param.buffer && param.buffer == buffer; });
}

const Param* find_param(const Program& program, std::string_view name) {
  return find(program, [&](const Param& param) { return param.name() == name; });
}

}  // namespace tenon
