#include "dsl/recipe_graph.h"

#include <algorithm>

#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {

absl::Status check_expr(const Expr& e, const std::string& where) {
  if (!e) return refuse(where + ": an expression is empty; a default-made Expr has no value");
  absl::Status status;
  walk(e, [&](const Expr& sub) {
    const Invalid* wrong = sub.as<Invalid>();
    if (wrong && status.ok()) status = refuse(where + ": " + wrong->message);
  });
  return status;
}

absl::Status check_shape(const std::vector<Expr>& shape, const std::string& name) {
  for (const Expr& extent : shape) {
    TENON_RETURN_IF_ERROR(check_expr(extent, "the shape of " + name));
    if (!extent.type().is_int()) {
      return refuse("the shape of " + name + " has an extent of type " + to_string(extent.type()) +
                    "; extents are integers");
    }
  }
  return absl::OkStatus();
}

// Depth first: what a tensor reads stands before it. The stack is explicit, since chains of
// thousands of tensors are legal.
absl::Status RecipeGraph::add(const std::vector<Buffer>& roots, const std::set<Buffer>& given,
                              const std::string& program) {
  given_ = given;
  program_ = program;
  std::vector<Pending> work;
  for (const Buffer& root : roots) {
    TENON_RETURN_IF_ERROR(meet(root, work));
    while (!work.empty()) {
      const Pending next = work.back();
      work.pop_back();
      if (done_.count(next.recipe)) continue;
      if (next.read_first) {
        done_.insert(next.recipe);
        order_.push_back(next.recipe);
        continue;
      }
      const std::string where = "in the definition of " + results_.at(next.recipe).front().name();
      work.push_back({next.recipe, true});
      std::vector<Buffer> read;
      absl::Status status;
      for_each_expr(*next.recipe, [&](const Expr& e) {
        if (status.ok()) status = check_expr(e, where);
        if (!status.ok()) return;
        walk(e, [&](const Expr& sub) {
          if (const Load* access = sub.as<Load>()) read.push_back(access->buffer);
        });
      });
      TENON_RETURN_IF_ERROR(status);
      for (size_t r = read.size(); r-- > 0;) TENON_RETURN_IF_ERROR(meet(read[r], work));
    }
  }
  return absl::OkStatus();
}

absl::Status RecipeGraph::meet(const Buffer& buffer, std::vector<Pending>& work) {
  const Definition* definition = buffer.definition().get();
  if (!definition) {
    if (given_.count(buffer)) return absl::OkStatus();
    return refuse("program " + program_ + " reads " + buffer.name() +
                  ", which is not among its inputs");
  }
  const Recipe* recipe = definition->recipe.get();
  std::vector<Buffer>& results = results_[recipe];
  if (std::find(results.begin(), results.end(), buffer) == results.end()) results.push_back(buffer);
  if (!done_.count(recipe)) work.push_back({recipe, false});
  return absl::OkStatus();
}

}  // namespace tenon::dsl
