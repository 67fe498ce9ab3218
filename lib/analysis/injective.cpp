#include "analysis/injective.h"

#include "analysis/text.h"
#include "tenon/analysis/dependence.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The element that the loops over the dimensions stand at.
std::string element(const Buffer& buffer, const std::vector<std::pair<Var, int64_t>>& values,
                    const Program& within) {
  std::vector<int64_t> indices;
  for (const auto& [var, value] : values) indices.push_back(value);
  return element(buffer, indices, within);
}

std::string list(const std::vector<Expr>& exprs, const Program& within) {
  std::string text;
  for (const Expr& e : exprs) text += (text.empty() ? "" : ", ") + text_of(e, within);
  return "[" + text + "]";
}

}  // namespace

Access as_access(const Buffer& buffer, const std::vector<Expr>& shape, const std::vector<Var>& vars,
                 const std::vector<Expr>& map) {
  Access a;
  a.kind = Access::Kind::kWrite;
  a.buffer = buffer;
  a.indices = map;
  for (size_t d = 0; d < vars.size(); ++d) {
    a.loops.push_back(For{vars[d], 0, shape[d], ForKind::kSerial, {}});
  }
  return a;
}

// The first different index of two elements is greater in one of them.
absl::Status is_injective(const char* map, const Access& a, const Facts& facts,
                          const Program& within) {
  std::vector<Ordering> directions;
  for (size_t d = 0; d < a.loops.size(); ++d) {
    directions.push_back(Ordering::kGreater);
    if (!never_meet(a, a, directions, facts)) {
      const Meeting m = meet(a, a, directions, facts);
      if (m.answer == Answer::kYes) {
        std::string reason = std::string(map) + " stores " + element(a.buffer, m.a_values, within) +
                             " and " + element(a.buffer, m.b_values, within) + " in the same place";
        if (!m.sizes.empty()) reason += ", with " + text_of(m.sizes, within);
        return refuse(std::move(reason));
      }
      return refuse("cannot tell whether " + std::string(map) + " " + list(a.indices, within) +
                    " gives each element of " + text_of(a.buffer, within) + " a place of its own");
    }
    directions.back() = Ordering::kEqual;
  }
  return absl::OkStatus();
}

std::vector<Expr> mapped(const std::vector<Var>& vars, const std::vector<Expr>& map,
                         const std::vector<Expr>& indices) {
  VarMap values;
  for (size_t d = 0; d < vars.size(); ++d) values[vars[d]] = indices[d];
  std::vector<Expr> result;
  for (const Expr& e : map) result.push_back(substitute(e, values));
  return result;
}

}  // namespace tenon
