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

std::string definition_of(const Buffer& buffer) {
  return "the definition of " + (buffer.name().empty() ? "a tensor without a name" : buffer.name());
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
        find_needs(*next.recipe);
        continue;
      }
      const std::string where = "in " + definition_of(results_.at(next.recipe).front());
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
  for (const Buffer& root : roots) TENON_RETURN_IF_ERROR(check_root(root));
  return order_in_place();
}

bool reads(const Recipe& recipe, const Buffer& buffer) {
  bool found = false;
  for_each_expr(recipe, [&](const Expr& e) { found = found || uses(e, buffer); });
  return found;
}

// Recipes keep their order, but for those that write in place and what depends on them: these wait.
absl::Status RecipeGraph::order_in_place() {
  std::map<const Recipe*, std::set<const Recipe*>> before;
  const Recipe* writer = nullptr;
  for (const Recipe* recipe : order_) {
    if (!recipe->into) continue;
    writer = recipe;
    for (const Recipe* reader : order_) {
      if (reader == recipe || !reads(*reader, recipe->into)) continue;
      const Recipe* whole = reader;  // with the scan that it belongs to
      while (const Recipe* around = owner_of(*whole)) whole = around;
      before[recipe].insert(whole);
    }
  }
  if (!writer) return absl::OkStatus();
  for (const Recipe* recipe : order_) {
    for_each_expr(*recipe, [&](const Expr& e) {
      walk(e, [&](const Expr& sub) {
        const Load* access = sub.as<Load>();
        const Definition* definition = access ? access->buffer.definition().get() : nullptr;
        if (definition) before[recipe].insert(definition->recipe.get());
      });
    });
  }
  std::vector<const Recipe*> ordered, waiting = order_;
  std::set<const Recipe*> placed;
  while (!waiting.empty()) {
    const size_t placed_before = placed.size();
    std::vector<const Recipe*> next;
    for (const Recipe* recipe : waiting) {
      const std::set<const Recipe*>& needed = before[recipe];
      const bool ready = std::includes(placed.begin(), placed.end(), needed.begin(), needed.end());
      if (ready) ordered.push_back(recipe), placed.insert(recipe);
      if (!ready) next.push_back(recipe);
    }
    if (placed.size() == placed_before) return refuse_cycle(waiting);
    waiting = std::move(next);
  }
  order_ = std::move(ordered);
  return absl::OkStatus();
}

// Something reads an inout as it was, and needs what was written to it.
absl::Status RecipeGraph::refuse_cycle(const std::vector<const Recipe*>& waiting) const {
  for (const Recipe* writer : waiting) {
    if (!writer->into) continue;
    for (const Recipe* reader : waiting) {
      if (reader == writer || !reads(*reader, writer->into)) continue;
      const std::string& name = results_.at(reader).front().name();
      return refuse("program " + program_ + ": " + name + " reads " + writer->into.name() +
                    " as it was before the call, and also what is written to it; let a tensor of "
                    "its own compute what " +
                    name + " needs of the old contents");
    }
  }
  return absl::InternalError("program " + program_ + ": no order of its tensors");
}

// In the order of the recipes: those of what it reads are known.
void RecipeGraph::find_needs(const Recipe& recipe) {
  std::set<uint64_t>& needs = needs_[&recipe];
  const auto add = [&](const Expr& e) {
    for (const Var& var : free_vars(e)) {
      if (var.use() != Var::Use::kIndex) continue;
      needs.insert(var.id());
      names_[var.id()] = "index " + var.name();
    }
    walk(e, [&](const Expr& sub) {
      const Load* access = sub.as<Load>();
      if (!access) return;
      if (const Definition* definition = access->buffer.definition().get()) {
        const std::set<uint64_t>& theirs = needs_[definition->recipe.get()];
        needs.insert(theirs.begin(), theirs.end());
      } else if (scan_of_.count(access->buffer.id())) {
        needs.insert(access->buffer.id());
        names_[access->buffer.id()] = "state " + access->buffer.name();
      }
    });
  };
  for_each_expr(recipe, add);
  for (const Buffer& result : results_.at(&recipe)) {
    for (const Expr& extent : shape_of(recipe, result.definition()->result)) {
      if (extent) add(extent);
    }
  }
  for (const uint64_t id : bound_in(recipe)) needs.erase(id);
}

std::vector<const Recipe*> RecipeGraph::inside(const Recipe* scan) const {
  std::vector<const Recipe*> recipes;
  for (const Recipe* recipe : order_) {
    if (owner_of(*recipe) == scan) recipes.push_back(recipe);
  }
  return recipes;
}

const Recipe* RecipeGraph::owner_of(const Recipe& recipe) const {
  const Recipe* owner = nullptr;
  for (const uint64_t id : needs_.at(&recipe)) {
    const auto scan = scan_of_.find(id);
    if (scan == scan_of_.end()) continue;
    if (!owner || depth_of(*owner) < depth_of(*scan->second)) owner = scan->second;
  }
  return owner;
}

int RecipeGraph::depth_of(const Recipe& scan) const {
  int depth = 0;
  for (const uint64_t id : needs_.at(&scan)) {
    const auto around = scan_of_.find(id);
    if (around != scan_of_.end()) depth = std::max(depth, 1 + depth_of(*around->second));
  }
  return depth;
}

absl::Status RecipeGraph::check_root(const Buffer& root) const {
  const std::set<uint64_t>& needs = needs_.at(root.definition()->recipe.get());
  if (needs.empty()) return absl::OkStatus();
  const std::string& what = names_.at(*needs.begin());
  return refuse("program " + program_ + " uses " + what + " outside of the " +
                (what.starts_with("state") ? "step" : "definition or reduction") +
                " that it belongs to");
}

absl::Status RecipeGraph::meet(const Buffer& buffer, std::vector<Pending>& work) {
  const Definition* definition = buffer.definition().get();
  if (!definition) {
    if (given_.count(buffer)) return absl::OkStatus();
    return refuse("program " + program_ + " reads " + buffer.name() +
                  ", which is not among its inputs");
  }
  const Recipe* recipe = definition->recipe.get();
  if (recipe->into && !given_.count(recipe->into)) {
    return refuse("program " + program_ + " reads " + buffer.name() +
                  " as it is written in place, which has to be among its outputs");
  }
  if (const Scan* scan = std::get_if<Scan>(&recipe->how)) {
    for (const Scan::State& state : scan->states) given_.insert(state.buffer);
    for (const uint64_t id : bound_in(*recipe)) scan_of_[id] = recipe;
  }
  std::vector<Buffer>& results = results_[recipe];
  if (std::find(results.begin(), results.end(), buffer) == results.end()) results.push_back(buffer);
  if (!done_.count(recipe)) work.push_back({recipe, false});
  return absl::OkStatus();
}

}  // namespace tenon::dsl
