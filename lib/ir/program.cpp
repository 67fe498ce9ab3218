#include "tenon/ir/program.h"

namespace tenon {
namespace {

template <class T>
const T* find(const std::vector<T>& list, const auto& matches) {
  for (const T& item : list) {
    if (matches(item)) return &item;
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
  return find(program->params,
              [&](const Param& param) { return param.buffer && param.buffer == buffer; });
}

const Param* find_param(const Program& program, std::string_view name) {
  return find(program->params, [&](const Param& param) { return param.name() == name; });
}

const Table* find_table(const Program& program, const Buffer& buffer) {
  return find(program->tables, [&](const Table& table) { return table.buffer == buffer; });
}

const Table* find_table(const Program& program, std::string_view name) {
  return find(program->tables, [&](const Table& table) { return table.buffer.name() == name; });
}

Expr Table::at(const std::vector<Expr>& indices) const {
  int64_t flat = 0;
  if (indices.size() != shape.size()) return {};
  for (size_t d = 0; d < indices.size(); ++d) {
    const std::optional<int64_t> index = as_int(indices[d]);
    const int64_t extent = as_int(shape[d]).value_or(0);
    if (!index || *index < 0 || *index >= extent) return {};
    flat = flat * extent + *index;
  }
  return constant_bits(buffer.type(), (*bits)[static_cast<size_t>(flat)]);
}

}  // namespace tenon
