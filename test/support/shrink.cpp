#include "support/shrink.h"

#include <algorithm>
#include <array>

#include "support/problem.h"
#include "tenon/ir/fold.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

Program with(const Program& program, const std::function<void(ProgramData&)>& change) {
  ProgramData data = *program;
  change(data);
  return Program(std::move(data));
}

Expr one(Type type) {
  return broadcast_lanes(
      type.is_float() ? constant_float(type.element(), 1) : constant_int(type.element(), 1),
      type.lanes);
}

bool is_constant_node(const Expr& e) { return e.is<Const>() || e.is<Invalid>(); }

// f on every expression of a Program: of its body, of shapes and of requirements.
Program rewrite_all(const Program& program, const ExprMap& f) {
  return with(program, [&](ProgramData& data) {
    const auto all = [&](std::vector<Expr>& list) {
      for (Expr& e : list) e = rewrite(e, f);
    };
    data.body = rewrite(data.body, f);
    all(data.requirements);
    for (Param& param : data.params) {
      all(param.shape);
      if (param.packing) all(param.packing->logical_shape), all(param.packing->map);
    }
  });
}

void walk_all(const Program& program, const std::function<void(const Expr&)>& f) {
  walk_exprs(program->body, f);
  for (const Expr& e : program->requirements) walk(e, f);
  for (const Param& param : program->params) {
    for (const Expr& e : param.shape) walk(e, f);
  }
}

// --- How large a pair is: what comes first matters more.

using Cost = std::array<int64_t, 3>;

Cost cost_of(const Pair& pair) {
  Cost cost = {static_cast<int64_t>(pair.steps.size()), 0, 0};
  cost[1] += static_cast<int64_t>(pair.c.program->params.size() + pair.c.program->sizes.size() +
                                  pair.c.program->requirements.size());
  walk(pair.c.program->body, [&](const Stmt&) { cost[1] += 4; });
  walk_all(pair.c.program, [&](const Expr& e) {
    cost[1] += is_constant_node(e) ? 1 : 2;
    if (const std::optional<int64_t> value = as_int(e)) cost[2] += std::abs(*value) % 1000;
  });
  for (const auto& [size, value] : pair.c.sizes.values()) {
    cost[2] += value + (pair.c.constants.find(size) ? 0 : 1);
  }
  return cost;
}

// --- Smaller Programs.

// Without one parameter or local: what writes it is gone, what reads it reads ones.
Program without(const Program& program, const Buffer& buffer) {
  const Program read = rewrite_all(program, [&](const Expr& e) {
    const Load* load = e.as<Load>();
    return load && load->buffer == buffer ? one(e.type()) : e;
  });
  const auto drop = [&](const Stmt& s) {
    const Alloc* declared = s.as<Alloc>();
    const Store* store = s.as<Store>();
    const Accumulate* sum = s.as<Accumulate>();
    const bool writes = (declared && declared->buffer == buffer) ||
                        (store && store->buffer == buffer) || (sum && sum->writes(buffer));
    return writes ? seq({}) : s;
  };
  return with(read, [&](ProgramData& data) {
    data.body = rewrite_stmts(data.body, drop);
    const auto is_it = [&](const Param& param) { return param.buffer == buffer; };
    data.params.erase(std::remove_if(data.params.begin(), data.params.end(), is_it),
                      data.params.end());
  });
}

void without_parts(const Program& program, std::vector<Program>& smaller) {
  const int64_t outputs = std::count_if(program->params.begin(), program->params.end(),
                                        [](const Param& param) { return is_written(param.role); });
  for (size_t p = 0; p < program->params.size(); ++p) {
    const Param& param = program->params[p];
    if (is_written(param.role) && outputs == 1) continue;
    if (param.buffer) {
      smaller.push_back(without(program, param.buffer));
      continue;
    }
    const Program read = rewrite_all(program, [&](const Expr& e) {
      const VarRef* ref = e.as<VarRef>();
      return ref && ref->var == param.scalar ? one(e.type()) : e;
    });
    smaller.push_back(with(read, [&](ProgramData& data) {
      data.params.erase(data.params.begin() + static_cast<std::ptrdiff_t>(p));
    }));
  }
  walk(program->body, [&](const Stmt& s) {
    if (const Alloc* local = s.as<Alloc>()) smaller.push_back(without(program, local->buffer));
  });
  for (size_t r = 0; r < program->requirements.size(); ++r) {
    smaller.push_back(with(program, [&](ProgramData& data) {
      data.requirements.erase(data.requirements.begin() + static_cast<std::ptrdiff_t>(r));
    }));
  }
}

// Without one statement, or with what is left of it inside of nothing.
void with_fewer_statements(const Program& program, std::vector<Program>& smaller) {
  int count = 0;
  walk(program->body, [&](const Stmt&) { ++count; });
  const auto edited = [&](int n, const StmtMap& edit) {
    const Stmt body =
        rewrite_stmts(program->body, [&](const Stmt& s) { return n-- == 0 ? edit(s) : s; });
    smaller.push_back(program.with_body(body));
  };
  for (int n = count - 1; n >= 0; --n) {
    edited(n, [](const Stmt&) { return seq({}); });
    edited(n, [](const Stmt& s) {
      if (const For* loop = s.as<For>()) return substitute(loop->body, {{loop->var, loop->lo}});
      const If* guard = s.as<If>();
      return guard ? guard->body : s;
    });
  }
  walk(program->body, [&](const Stmt& s) {
    const Bind* name = s.as<Bind>();
    if (!name) return;
    const Stmt gone = rewrite_stmts(program->body, [&](const Stmt& x) {
      const Bind* same = x.as<Bind>();
      return same && same->var == name->var ? seq({}) : x;
    });
    smaller.push_back(program.with_body(substitute(gone, {{name->var, name->value}})));
  });
}

// What of this type stands in e, without what stands in that: through conditions and casts too.
void add_operands(const Expr& e, Type type, std::vector<Expr>& operands) {
  for_each_child(e, [&](const Expr& child) {
    if (child.type() == type) {
      operands.push_back(child);
    } else {
      add_operands(child, type, operands);
    }
  });
}

// One expression becomes one of its operands, or a one.
void with_smaller_expressions(const Program& program, std::vector<Program>& smaller) {
  int count = 0;
  walk_exprs(program->body, [&](const Expr&) { ++count; });
  for (int n = count - 1; n >= 0; --n) {
    std::vector<Expr> instead;
    int at = n;
    (void)rewrite(program->body, [&](const Expr& e) {
      if (at-- != 0 || is_constant_node(e)) return e;
      instead.push_back(one(e.type()));
      if (e.type() == i64) instead.push_back(constant_int(i64, 0));
      add_operands(e, e.type(), instead);
      return e;
    });
    for (const Expr& other : instead) {
      at = n;
      smaller.push_back(program.with_body(
          rewrite(program->body, [&](const Expr& e) { return at-- == 0 ? other : e; })));
    }
  }
}

// One integer becomes smaller wherever it stands: extents, and what goes with them.
void with_smaller_numbers(const Program& program, std::vector<Program>& smaller) {
  std::vector<int64_t> numbers;
  walk_all(program, [&](const Expr& e) {
    const std::optional<int64_t> value = as_int(e);
    if (e.type() == i64 && value && *value >= 2) numbers.push_back(*value);
  });
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const int64_t number : numbers) {
    for (const int64_t less : {int64_t{1}, int64_t{2}, number / 2, number - 1}) {
      if (less >= number) continue;
      smaller.push_back(rewrite_all(program, [&](const Expr& e) {
        return e.type() == i64 && is_constant(e, number) ? constant_int(i64, less) : e;
      }));
    }
  }
}

std::vector<Program> smaller_programs(const Program& program) {
  std::vector<Program> smaller;
  without_parts(program, smaller);
  with_fewer_statements(program, smaller);
  with_smaller_expressions(program, smaller);
  with_smaller_numbers(program, smaller);
  return smaller;
}

// --- Whether a smaller pair is one at all.

// Sizes that nothing mentions leave; those that no argument shows any more are specialised.
Pair settled(Pair pair) {
  std::vector<std::pair<Var, int64_t>> all, constants;
  for (const Var& size : pair.c.program->sizes) {
    bool used = false;
    walk_all(pair.c.program, [&](const Expr& e) {
      const VarRef* ref = e.as<VarRef>();
      used = used || (ref && ref->var == size);
    });
    if (!used) continue;
    all.emplace_back(size, pair.c.sizes[size]);
    if (pair.c.constants.find(size) || !shows_size(*pair.c.program, size)) {
      constants.push_back(all.back());
    }
  }
  pair.c.sizes = Sizes(all);
  pair.c.constants = Sizes(constants);
  pair.c.program = with(pair.c.program, [&](ProgramData& data) {
    data.sizes.clear();
    for (const auto& [size, value] : all) data.sizes.push_back(size);
  });
  return pair;
}

// Every local starts with this in all elements.
Program with_filled_locals(const Program& program, int64_t value) {
  return program.with_body(rewrite_stmts(program->body, [&](const Stmt& s) {
    const Alloc* local = s.as<Alloc>();
    if (!local) return s;
    std::vector<Var> loops;
    std::vector<Expr> indices;
    for (size_t d = 0; d < local->shape.size(); ++d) {
      loops.emplace_back("z", i64);
      indices.emplace_back(loops.back());
    }
    const Type type = local->buffer.type();
    Stmt fill = store(local->buffer, indices,
                      type.is_float() ? constant_float(type, static_cast<double>(value))
                                      : constant_int(type, value));
    for (size_t d = loops.size(); d-- > 0;) {
      fill = make_for(loops[d], constant_int(i64, 0), local->shape[d], ForKind::kSerial, fill);
    }
    return seq({s, fill});
  }));
}

// The outputs of the Program, if it runs, with locals that start so.
std::optional<std::vector<Array>> outputs_of(const Pair& pair, int64_t locals) {
  const Program program = with_filled_locals(pair.c.program, locals);
  Rng rng(pair.data);
  std::vector<Array> data = random_data(rng, pair.c);
  const absl::Status status =
      interpret(program, pair.c.sizes, arguments_of(program, data), {.max_statements = 100'000});
  if (!status.ok()) return std::nullopt;
  return data;
}

bool is_defined(const Pair& pair) {
  const auto some = outputs_of(pair, 0), others = outputs_of(pair, 77);
  if (!some || !others) return false;
  return std::equal(some->begin(), some->end(), others->begin(), same_values);
}

// Without the steps that are refused now.
Pair with_possible_steps(Pair pair) {
  if (schedule_of(pair).ok()) return pair;
  Pair kept = pair;
  kept.steps.clear();
  for (const std::string& step : pair.steps) {
    kept.steps.push_back(step);
    if (!schedule_of(kept).ok()) kept.steps.pop_back();
  }
  return kept;
}

class Shrinker {
 public:
  Shrinker(Pair pair, const std::function<bool(const Pair&)>& fails, int max_candidates)
      : best_(std::move(pair)), cost_(cost_of(best_)), fails_(fails), left_(max_candidates) {}

  Pair run() {
    for (Cost before = {}; before != cost_ && left_ > 0;) {
      before = cost_;
      drop_steps();
      shrink_program();
      shrink_sizes();
    }
    return best_;
  }

 private:
  bool take(Pair candidate) {
    if (left_-- <= 0 || !problem_of(candidate.c.program).empty()) return false;
    candidate = settled(std::move(candidate));
    if (!Schedule(candidate.c.program, candidate.c.constants).status().ok()) return false;
    candidate = with_possible_steps(std::move(candidate));
    const Cost cost = cost_of(candidate);
    if (!(cost < cost_) || !is_defined(candidate) || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    cost_ = cost;
    return true;
  }

  // Halves, quarters ... and single ones, the last ones first.
  void drop_steps() {
    for (size_t length = std::max<size_t>(1, best_.steps.size() / 2); length > 0; length /= 2) {
      for (size_t end = best_.steps.size(); end > 0;) {
        const size_t begin = end > length ? end - length : 0;
        Pair candidate = best_;
        candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                              candidate.steps.begin() + static_cast<std::ptrdiff_t>(end));
        end = take(candidate) ? std::min(begin, best_.steps.size()) : begin;
      }
    }
  }

  void shrink_program() {
    std::vector<Program> smaller = smaller_programs(best_.c.program);
    for (size_t k = 0; k < smaller.size() && left_ > 0;) {
      Pair candidate = best_;
      candidate.c.program = smaller[k];
      if (take(candidate)) {
        smaller = smaller_programs(best_.c.program);
      } else {
        ++k;
      }
    }
  }

  void shrink_sizes() {
    for (size_t s = 0; s < best_.c.sizes.values().size(); ++s) {
      const auto values = best_.c.sizes.values();
      const auto& [size, value] = values[s];
      for (const int64_t less : {int64_t{0}, int64_t{1}, int64_t{2}, value / 2, value - 1}) {
        if (less < 0 || less >= value) continue;
        if (take(with_value(size, less, best_.c.constants.find(size).has_value()))) break;
      }
      if (!best_.c.constants.find(size)) take(with_value(size, best_.c.sizes[size], true));
    }
  }

  Pair with_value(const Var& size, int64_t value, bool is_constant) const {
    Pair pair = best_;
    std::vector<std::pair<Var, int64_t>> all, constants;
    for (auto [var, old] : best_.c.sizes.values()) {
      if (var == size) old = value;
      all.emplace_back(var, old);
      if (var == size ? is_constant : best_.c.constants.find(var).has_value()) {
        constants.emplace_back(var, old);
      }
    }
    pair.c.sizes = Sizes(all);
    pair.c.constants = Sizes(constants);
    return pair;
  }

  Pair best_;
  Cost cost_;
  const std::function<bool(const Pair&)>& fails_;
  int left_;
};

}  // namespace

Pair shrink(Pair pair, const std::function<bool(const Pair&)>& fails, int max_candidates) {
  return Shrinker(std::move(pair), fails, max_candidates).run();
}

}  // namespace tenon::test
