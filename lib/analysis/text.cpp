#include "analysis/text.h"

#include "tenon/ir/names.h"

namespace tenon {

std::string text_of(const Expr& e, const Program& within) { return print(e, within); }

std::string text_of(const Var& var, const Program& within) { return Names(within).of(var); }

std::string text_of(const Buffer& buffer, const Program& within) {
  return Names(within).of(buffer);
}

std::string text_of(const std::vector<std::pair<Var, int64_t>>& values, const Program& within) {
  Names names(within);
  std::string text;
  for (const auto& [var, value] : values) {
    text += (text.empty() ? "" : ", ") + names.of(var) + " = " + std::to_string(value);
  }
  return text;
}

std::string element(const Buffer& buffer, const std::vector<Expr>& indices, const Program& within) {
  return print(load(buffer, indices), within);
}

std::string element(const Buffer& buffer, const std::vector<int64_t>& indices,
                    const Program& within) {
  return element(buffer, std::vector<Expr>(indices.begin(), indices.end()), within);
}

}  // namespace tenon
