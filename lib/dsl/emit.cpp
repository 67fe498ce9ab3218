#include "dsl/emit.h"

#include "tenon/base/match.h"

namespace tenon::dsl {

std::vector<Stmt> emit(const Recipe& recipe, const std::vector<Buffer>& results,
                       const Emission& emission) {
  return match(
      recipe.how,  //
      [&](const Nest& how) { return emit_nest(how, results, emission); },
      [&](const Concat& how) { return emit_concat(how, results, emission); });
}

}  // namespace tenon::dsl
