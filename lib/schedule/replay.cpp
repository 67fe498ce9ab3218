#include "tenon/schedule/replay.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <tuple>

#include "schedule/common.h"
#include "schedule/trace_text.h"
#include "tenon/base/counted.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"
#include "tenon/target/instructions.h"

namespace tenon {
namespace {

using Place = Schedule::Place;

// What the names of the text stand for now.
class Scope {
 public:
  Scope(const Schedule& schedule, const FactorValues& factors,
        const std::vector<Instruction>& instructions)
      : schedule_(schedule), factors_(factors), instructions_(instructions) {}

  void name_loop(const std::string& name, const Var& loop) { loops_[name] = loop; }
  void name_stage(const std::string& name, const std::string& stage) { stages_[name] = stage; }

  // Null when there is none.
  Var loop(const std::string& name) const {
    const std::map<std::string, Var> shown = loops_shown();
    const auto found = shown.find(name);
    if (found != shown.end()) return found->second;
    const auto made = loops_.find(name);
    if (made == loops_.end()) return Var();
    return has_loop(schedule_.program()->body, made->second) ? made->second : Var();
  }
  std::string stage(const std::string& name) const {
    const auto made = stages_.find(name);
    return made == stages_.end() ? name : made->second;
  }
  // Null when there is none.
  Instruction instruction(const std::string& name) const {
    for (const Instruction& given : instructions_) {
      if (given && given->name == name) return given;
    }
    return instructions::find(name);
  }
  // A named factor has the value that is given for it; without one, that of the text.
  Factor bound(const Factor& factor) const {
    const auto given = factors_.find(factor.name());
    return given == factors_.end() ? factor : factor.with_value(given->second);
  }
  std::string loops_text() const {
    std::string text;
    for (const auto& [name, loop] : loops_shown()) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
  }

  // For expressions: sizes, loops, and the indices d0 .. d7 of a layout.
  std::map<std::string, Var> variables(const std::vector<Var>& indices) const {
    std::map<std::string, Var> all;
    for (const Var& index : indices) all.emplace(index.name(), index);
    for (const Var& size : schedule_.program()->sizes) all.emplace(size.name(), size);
    for (const Param& param : schedule_.program()->params) {
      if (param.role == Role::kScalar) all.emplace(param.name(), param.scalar);
    }
    all.merge(loops_shown());
    all.insert(loops_.begin(), loops_.end());
    return all;
  }

 private:
  std::map<std::string, Var> loops_shown() const {
    std::map<std::string, Var> loops;
    Names names(schedule_.program());
    walk(schedule_.program()->body, [&](const Stmt& s) {
      if (const For* loop = s.as<For>()) loops.emplace(names.of(loop->var), loop->var);
    });
    return loops;
  }

  const Schedule& schedule_;
  const FactorValues& factors_;
  const std::vector<Instruction>& instructions_;
  std::map<std::string, Var> loops_;
  std::map<std::string, std::string> stages_;
};

// The arguments of one line as what they mean. The first one that means nothing is kept as the
// error, and the others do not matter any more.
class Arguments {
 public:
  Arguments(const TraceLine& line, const Scope& scope) : line_(line), scope_(scope) {}

  const absl::Status& status() const { return status_; }
  size_t count() const { return line_.arguments.size(); }
  bool is_list(size_t k) const { return line_.arguments[k].substr(0, 1) == "{"; }
  template <class T>
  T get(size_t k) {
    T value{};
    read(line_.arguments[k], value);
    return value;
  }

 private:
  void fail(const std::string& what) {
    if (status_.ok()) status_ = refuse(what);
  }

  void read(const std::string& name, Loop& loop) {
    const Var var = scope_.loop(name);
    if (!var) fail("there is no loop " + name + "; the loops are " + scope_.loops_text());
    loop = Loop(var ? var : Var(name));
  }
  void read(const std::string& name, std::string& stage) { stage = scope_.stage(name); }
  void read(const std::string& name, Instruction& instruction) {
    instruction = scope_.instruction(name);
    if (!instruction) fail("there is no instruction " + name);
  }
  void read(const std::string& digits, int64_t& value) {
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) fail("`" + digits + "` is not a number");
  }
  void read(const std::string& digits, int& value) {
    int64_t wide = 0;
    read(digits, wide);
    value = static_cast<int>(wide);
    if (value != wide) fail(digits + " is too large here");
  }
  void read(const std::string& text, Factor& factor) {
    const std::optional<Factor> parsed = parse_factor(text);
    if (!parsed) return fail("`" + text + "` is not a number");
    factor = scope_.bound(*parsed);
  }
  void read(const std::string& text, Factors& factors) {
    std::vector<Factor> list;
    read(text, list);
    factors = std::move(list);
  }
  void read(const std::string& word, Tail& tail) {
    if (word != "cut" && word != "perfect")
      fail("there is no tail " + word + "; it is cut or perfect");
    tail = word == "cut" ? Tail::kCut : Tail::kPerfect;
  }
  void read(const std::string& word, Memory& memory) {
    const std::optional<Memory> named = memory_named(word);
    memory = named.value_or(Memory::kAuto);
    if (!named && word != "auto") {
      fail("there is no memory " + word + "; it is registers, stack, workspace or auto");
    }
  }
  void read(const std::string& text, Expr& e) { e = expression(text, {}); }
  // [d0 // 32, d1, d0 % 32] as a function of d0, d1 ...
  void read(const std::string& text, IndexMap& map) {
    std::vector<Var> indices;
    for (int d = 0; d < kMaxRank; ++d) indices.emplace_back("d" + std::to_string(d));
    std::vector<Expr> images;
    for (const std::string& one : list(text, '[', ']')) images.push_back(expression(one, indices));
    map = [indices, images](const Index& index) {
      VarMap values;
      for (int d = 0; d < std::min(index.size(), kMaxRank); ++d) {
        values[indices[static_cast<size_t>(d)]] = index[d];
      }
      std::vector<Expr> result;
      for (const Expr& e : images) result.push_back(substitute(e, values));
      return Index(std::move(result));
    };
  }
  template <class T>
  void read(const std::string& text, std::vector<T>& values) {
    for (const std::string& one : list(text, '{', '}')) {
      T value{};
      read(one, value);
      values.push_back(std::move(value));
    }
  }

  Expr expression(const std::string& e, const std::vector<Var>& indices) {
    absl::StatusOr<Expr> parsed = parse_expr(e, scope_.variables(indices));
    if (!parsed.ok()) fail("in `" + e + "`: " + std::string(parsed.status().message()));
    return parsed.ok() ? *parsed : Expr(0);
  }
  std::vector<std::string> list(const std::string& all, char open, char close) {
    if (all.size() < 2 || all.front() != open || all.back() != close) {
      fail("`" + all + "` is not a list; write " + open + all + close);
      return {};
    }
    return parts_of(std::string_view(all).substr(1, all.size() - 2));
  }

  const TraceLine& line_;
  const Scope& scope_;
  absl::Status status_;
};

// --- The steps.

struct Entry {
  std::string_view name;
  std::vector<bool> lists;  // per argument: whether it is a list in {}
  std::function<void(Arguments&, Schedule&, Place)> run;
};

// What an argument is read as, and whether that is a list.
template <class T>
struct Read {
  using Type = std::decay_t<T>;
  static constexpr bool kList = false;
};
template <>
struct Read<std::string_view> {
  using Type = std::string;
  static constexpr bool kList = false;
};
template <>
struct Read<const Instruction&> {
  using Type = Instruction;
  static constexpr bool kList = false;
};
template <>
struct Read<const Factors&> {
  using Type = Factors;
  static constexpr bool kList = true;
};
template <class T>
struct Read<const std::vector<T>&> {
  using Type = std::vector<T>;
  static constexpr bool kList = true;
};

// A step that takes these arguments; done when all of them mean something.
template <class... A>
struct Takes {
  template <class R>
  static Entry step(std::string_view name, R (Schedule::*method)(A..., Place)) {
    return {name, {Read<A>::kList...}, [method](Arguments& given, Schedule& s, Place place) {
              run(given, s, place, method, std::index_sequence_for<A...>());
            }};
  }

 private:
  template <class R, size_t... Is>
  static void run(Arguments& given, Schedule& s, Place place, R (Schedule::*method)(A..., Place),
                  std::index_sequence<Is...>) {
    const std::tuple<typename Read<A>::Type...> values{given.get<typename Read<A>::Type>(Is)...};
    if (given.status().ok()) (s.*method)(std::get<Is>(values)..., place);
  }
};

std::vector<Entry> all_steps() {
  using Name = std::string_view;
  using Loops = const std::vector<Loop>&;
  using F = const Factor&;
  using S = Schedule;
  return {
      Takes<Loop, F>::step("split", &S::split),
      Takes<Loop, F, Tail>::step("split", &S::split),
      Takes<Loop, const Factors&>::step("split", &S::split),
      Takes<Loop, Loop>::step("fuse", &S::fuse),
      Takes<Loop, Loop, F, F>::step("tile", &S::tile),
      Takes<Loop, Expr>::step("cut", &S::cut),
      Takes<Loop, Expr>::step("shift", &S::shift),
      Takes<Loop, Loop, F>::step("skew", &S::skew),
      Takes<Loop>::step("reverse", &S::reverse),
      Takes<Loop>::step("unroll", &S::unroll),
      Takes<Loop, F>::step("unroll", &S::unroll),
      Takes<Loop>::step("vectorize", &S::vectorize),
      Takes<Loop>::step("parallelize", &S::parallelize),
      Takes<Loop, F>::step("parallelize", &S::parallelize),
      Takes<Loop, const Instruction&>::step("tensorize", &S::tensorize),
      Takes<Loop, int>::step("fission", &S::fission),
      Takes<Loop, Loop>::step("merge", &S::merge),
      Takes<Loop>::step("relax", &S::relax),
      Takes<Loop, Loop>::step("relax", &S::relax),
      Takes<Loop>::step("add_unit_loop", &S::add_unit_loop),
      Takes<Loop>::step("squash", &S::squash),
      Takes<Name, Loop>::step<std::vector<Loop>>("compute_at", &S::compute_at),
      Takes<Name>::step("inline_into", &S::inline_into),
      Takes<Name>::step("compute_root", &S::compute_root),
      Takes<Name, Loop>::step("hoist_alloc", &S::hoist_alloc),
      Takes<Name, Loop>::step("slide", &S::slide),
      Takes<Name>::step("reverse_inline", &S::reverse_inline),
      Takes<Name, Loop>::step("reverse_compute_at", &S::reverse_compute_at),
      Takes<Name>::step("fuse_epilogue", &S::fuse_epilogue),
      Takes<Expr>::step("assume", &S::assume),
      Takes<Expr>::step("specialize", &S::specialize),
      Takes<Name, const IndexMap&>::step("set_layout", &S::set_layout),
      Takes<Name, const std::vector<int>&>::step("reorder_storage", &S::reorder_storage),
      Takes<Name, Loop>::step("stage", &S::stage),
      Takes<Name>::step("stage", &S::stage),
      Takes<Name, Loop>::step("expand", &S::expand),
      Takes<Name, int, F>::step("pad", &S::pad),
      Takes<Name, int, F, int64_t>::step("align_storage", &S::align_storage),
      Takes<Name, int, F>::step("fold_storage", &S::fold_storage),
      Takes<Name, Memory>::step("set_scope", &S::set_scope),
      Takes<Name, Loop, F>::step("prefetch", &S::prefetch),
      Takes<Name>::step("stream", &S::stream),
      Takes<Name, Name>::step("store_over", &S::store_over),
      Takes<Name, Name, const IndexMap&>::step("store_in", &S::store_in),
      Takes<Loop>::step("rfactor", &S::rfactor),
      Takes<Loop, F>::step("pad_reduction", &S::pad_reduction),
      Takes<Loop>::step("decompose_init", &S::decompose_init),
      Takes<Loop, F, int64_t>::step("lanes", &S::lanes),
      Takes<Loop, F>::step("parallel_chunks", &S::parallel_chunks),
      Takes<const std::vector<std::string>&, Loop>::step("fuse_at", &S::fuse_at),
      Takes<Loop, F>::step("split_rows", &S::split_rows),
      Takes<Name, Loops, const Factors&>::step("register_tile", &S::register_tile),
  };
}

// Takes as many loops as there are.
void reorder(Arguments& given, Schedule& s, Place place) {
  std::vector<Loop> order;
  for (size_t k = 0; k < given.count(); ++k) order.push_back(given.get<Loop>(k));
  if (given.status().ok()) s.reorder(order, place);
}

// The entry for so many arguments; among those, the one that has its lists where the line has them.
const Entry* find_step(const std::vector<Entry>& steps, const std::string& name,
                       const Arguments& given) {
  const Entry* found = nullptr;
  for (const Entry& step : steps) {
    if (step.name != name || step.lists.size() != given.count()) continue;
    bool fits = true;
    for (size_t k = 0; k < given.count(); ++k) fits = fits && step.lists[k] == given.is_list(k);
    if (!found || fits) found = &step;
  }
  return found;
}

absl::Status run(const std::vector<Entry>& steps, const TraceLine& line, const Scope& scope,
                 Schedule& schedule, Place place) {
  Arguments given(line, scope);
  const Entry* step = find_step(steps, line.name, given);
  if (line.name == "reorder" && given.count() > 0) {
    reorder(given, schedule, place);
  } else if (step) {
    step->run(given, schedule, place);
  } else if (line.name == "reorder" || std::any_of(steps.begin(), steps.end(), [&](const Entry& e) {
               return e.name == line.name;
             })) {
    return refuse("it has " + counted(given.count(), "argument"));
  } else {
    return refuse("there is no step " + line.name);
  }
  return given.status().ok() ? schedule.status() : given.status();
}

// What the lines made has, from here on, the names that they gave it.
void name_results(const std::vector<TraceLine>& lines, size_t first, size_t end,
                  const std::vector<Step>& steps, size_t first_step, Scope& scope) {
  if (end - first != steps.size() - first_step) return;  // a derived step that went another way
  for (size_t i = 0; i < end - first; ++i) {
    const std::vector<std::string>& names = lines[first + i].results;
    const Step& step = steps[first_step + i];
    if (step.made.size() == names.size()) {
      for (size_t r = 0; r < names.size(); ++r) scope.name_loop(names[r], step.made[r]);
      continue;
    }
    const auto made = parse_trace("1 " + step.text);
    if (!made.ok() || made->front().results.size() != names.size()) continue;
    for (size_t r = 0; r < names.size(); ++r) {
      scope.name_stage(names[r], made->front().results[r]);
    }
  }
}

absl::StatusOr<FactorValues> factors_in(const std::vector<TraceLine>& lines) {
  FactorValues factors;
  for (const TraceLine& line : lines) {
    if (line.derived) continue;
    for (const std::string& argument : line.arguments) {
      const bool is_list = argument.front() == '{' && argument.back() == '}';
      const std::string inside = is_list ? argument.substr(1, argument.size() - 2) : argument;
      for (const std::string& part : parts_of(inside)) {
        const std::optional<Factor> factor = parse_factor(part);
        if (!factor || factor->name().empty()) continue;
        const auto [known, is_new] = factors.emplace(factor->name(), factor->value());
        if (is_new || known->second == factor->value()) continue;
        return refuse("line " + std::to_string(line.number) + " of the trace, " + line.text() +
                      ": the factor " + known->first + " is " + std::to_string(known->second) +
                      " before that; one name is one number");
      }
    }
  }
  return factors;
}

absl::Status unknown_factor(const std::string& name, const FactorValues& named) {
  std::string known;
  for (const auto& [other, value] : named) known += (known.empty() ? "" : ", ") + other;
  return refuse("the trace has no factor named " + name + "; it has " +
                (known.empty() ? "none" : known));
}

absl::Status at_line(const absl::Status& refusal, const TraceLine& line) {
  Diagnostic d = diagnostic_of(refusal).value_or(Diagnostic{});
  if (d.reason.empty()) d.reason = std::string(refusal.message());
  d.reason =
      "line " + std::to_string(line.number) + " of the trace, " + line.text() + ": " + d.reason;
  return make_status(d, refusal.code());
}

}  // namespace

absl::StatusOr<FactorValues> factors_of(std::string_view trace) {
  TENON_ASSIGN_OR_RETURN(const std::vector<TraceLine> lines, parse_trace(trace));
  return factors_in(lines);
}

absl::Status replay(Schedule& schedule, std::string_view trace, const FactorValues& factors,
                    const std::vector<Instruction>& instructions, Place place) {
  TENON_RETURN_IF_ERROR(schedule.status());
  TENON_ASSIGN_OR_RETURN(const std::vector<TraceLine> lines, parse_trace(trace));
  TENON_ASSIGN_OR_RETURN(const FactorValues named, factors_in(lines));
  for (const auto& [name, value] : factors) {
    if (!named.count(name)) return unknown_factor(name, named);
  }
  const std::vector<Entry> steps = all_steps();
  Scope scope(schedule, factors, instructions);
  for (size_t first = 0; first < lines.size();) {
    size_t end = first + 1;
    while (end < lines.size() && lines[end].derived) ++end;
    const size_t done = schedule.trace().steps().size();
    const absl::Status status = run(steps, lines[first], scope, schedule, place);
    if (!status.ok()) return at_line(status, lines[first]);
    name_results(lines, first, end, schedule.trace().steps(), done, scope);
    first = end;
  }
  return absl::OkStatus();
}

}  // namespace tenon
