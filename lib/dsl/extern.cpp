#include "tenon/dsl/extern.h"

#include "dsl/definition.h"
#include "dsl/space.h"
#include "tenon/base/counted.h"
#include "tenon/base/limits.h"
#include "tenon/ir/operators.h"

namespace tenon::dsl {
namespace {

using Ranges = std::vector<CallRegion::Range>;

Expr settle_end(const std::string& what, const Expr& e, Expr& settled) {
  if (!e) return invalid(what + " is empty");
  if (e.is<Invalid>()) return e;
  if (!e.type().is_int() || e.type().is_vector()) {
    return invalid(what + " has type " + to_string(e.type()) + "; it must be an integer");
  }
  settled = cast(i64, e);
  return {};
}

// The ranges of one part. Null when all is well.
Expr settle_part(const std::string& what, const std::vector<Part>& part,
                 const std::vector<Expr>& shape, Ranges& ranges) {
  if (part.size() != shape.size()) {
    return invalid(what + " has " + counted(part.size(), "dimension") + ", and the tensor has " +
                   std::to_string(shape.size()));
  }
  for (size_t d = 0; d < part.size(); ++d) {
    const std::string where = what + ": dimension " + std::to_string(d);
    CallRegion::Range range;
    if (part[d].is_all()) {
      range.lo = constant_int(i64, 0);
      if (Expr wrong = settle_end(where, shape[d], range.hi); wrong.get()) return wrong;
    } else {
      if (Expr wrong = settle_end(where, part[d].lo(), range.lo); wrong.get()) return wrong;
      if (part[d].hi().get()) {
        if (Expr wrong = settle_end(where, part[d].hi(), range.hi); wrong.get()) return wrong;
      } else {
        range.lo = checked_index(range.lo, shape[d]);
      }
    }
    ranges.push_back(std::move(range));
  }
  return {};
}

// A tensor whose memory a function can be given.
Expr wrong_input(const std::string& what, const Tensor& input) {
  if (!input.buffer()) return invalid(what + ": an input was never defined");
  if (!input.is_view()) return {};
  return invalid(what + ": an input is a view of " + input.name() +
                 ", which has no memory of its own; give a copy, which compute makes");
}

Expr settle_parts(const std::string& what, const std::vector<ExternResult>& results,
                  const std::vector<Tensor>& inputs, const Parts& parts, Extern& whole) {
  if (parts.writes.size() != results.size() || parts.reads.size() != inputs.size()) {
    return invalid(what + ": parts are given of " + std::to_string(parts.writes.size()) +
                   " results and " + std::to_string(parts.reads.size()) + " inputs, and it has " +
                   std::to_string(results.size()) + " and " + std::to_string(inputs.size()) +
                   " (the function of the parts takes the indices of the domain)");
  }
  for (size_t r = 0; r < results.size(); ++r) {
    if (results[r].shape.size() > kMaxRank) {
      return invalid(results[r].name + " has " + std::to_string(results[r].shape.size()) +
                     " dimensions; at most 8 are supported");
    }
    Expr wrong = settle_part(what + ": the part of " + results[r].name, parts.writes[r],
                             results[r].shape, whole.writes.emplace_back());
    if (wrong.get()) return wrong;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (Expr wrong = wrong_input(what, inputs[i]); wrong.get()) return wrong;
    Ranges& ranges = whole.reads.emplace_back();
    Expr wrong = settle_part(what + ": the part of " + inputs[i].name(), parts.reads[i],
                             inputs[i].shape(), ranges);
    if (wrong.get()) return wrong;
    std::vector<Expr> first;
    for (const CallRegion::Range& range : ranges) first.push_back(range.lo);
    whole.inputs.push_back(load(inputs[i].buffer(), std::move(first)));
  }
  return {};
}

}  // namespace

Parts whole_parts(const std::vector<ExternResult>& results, const std::vector<Tensor>& inputs) {
  Parts parts;
  for (const ExternResult& result : results) {
    parts.writes.emplace_back(result.shape.size(), Part::all());
  }
  for (const Tensor& input : inputs) {
    parts.reads.emplace_back(input.shape().size(), Part::all());
  }
  return parts;
}

std::vector<Tensor> make_extern(const ExternFunction& function,
                                const std::vector<ExternResult>& results,
                                const std::vector<Tensor>& inputs, const Space& asked,
                                const Parts& parts) {
  const std::string what = "extern function " + function.name;
  Extern whole;
  whole.function = function;
  Space space = asked;
  Expr wrong = settle_space(what, space);
  if (!wrong && space.condition) {
    wrong = invalid(what + ": its domain has a where; every element of a domain is a call");
  }
  if (!wrong && function.name.empty()) wrong = invalid("an extern function has no name");
  if (!wrong && !function.function) wrong = invalid(what + " is null");
  whole.axes = std::move(space.axes);
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const ExternResult& result : results) {
    names.push_back(result.name);
    types.push_back(result.type);
    whole.results.push_back({result.name, result.type, result.shape});
  }
  if (!wrong) wrong = settle_parts(what, results, inputs, parts, whole);
  if (wrong) {
    whole.axes.clear(), whole.writes.clear(), whole.reads.clear();
    whole.inputs = {wrong};
  }
  return make_results(Recipe{std::move(whole)}, names, types);
}

}  // namespace tenon::dsl
