#include "tenon/schedule/replay.h"

#include <charconv>
#include <map>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using Place = Schedule::Place;

// What the names of the text stand for now.
class Scope {
 public:
  explicit Scope(const Schedule& schedule) : schedule_(schedule) {}

  void name_loop(const std::string& name, const Var& loop) { loops_[name] = loop; }
  void name_stage(const std::string& name, const std::string& stage) { stages_[name] = stage; }

  // Null when there is none.
  Var loop(const std::string& name) const {
    const std::map<std::string, Var> shown = loops_shown();
    const auto found = shown.find(name);
    if (found != shown.end()) return found->second;
    const auto made = loops_.find(name);
    if (made == loops_.end()) return Var();
    return primitives::has_loop(schedule_.program()->body, made->second) ? made->second : Var();
  }
  std::string stage(const std::string& name) const {
    const auto made = stages_.find(name);
    return made == stages_.end() ? name : made->second;
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
  std::map<std::string, Var> loops_;
  std::map<std::string, std::string> stages_;
};

// One line, and its arguments as what they mean. The first argument that means nothing is kept as
// the error, and the others do not matter any more.
class Call {
 public:
  Call(const TraceLine& line, const Scope& scope) : line_(line), scope_(scope) {}

  const absl::Status& status() const { return status_; }
  size_t count() const { return line_.arguments.size(); }
  const std::string& text(size_t k) const { return line_.arguments[k]; }
  bool takes(size_t least, size_t most) {
    if (count() >= least && count() <= most) return true;
    fail("it has " + std::to_string(count()) + (count() == 1 ? " argument" : " arguments"));
    return false;
  }

  Loop loop(size_t k) { return loop(text(k)); }
  std::string stage(size_t k) const { return scope_.stage(text(k)); }
  int64_t number(size_t k) { return number(text(k)); }
  int small(size_t k) { return small(text(k)); }
  std::vector<int> smalls(size_t k) {
    std::vector<int> all;
    for (const std::string& one : list(k, '{', '}')) all.push_back(small(one));
    return all;
  }
  std::vector<Loop> loops(size_t first) {
    std::vector<Loop> all;
    for (size_t k = first; k < count(); ++k) all.push_back(loop(k));
    return all;
  }
  std::vector<Loop> loop_list(size_t k) {
    std::vector<Loop> all;
    for (const std::string& name : list(k, '{', '}')) all.push_back(loop(name));
    return all;
  }
  std::vector<int64_t> numbers(size_t k) {
    std::vector<int64_t> all;
    for (const std::string& one : list(k, '{', '}')) {
      all.push_back(one == "inferred" ? kInferred : number(one));
    }
    return all;
  }
  bool is_list(size_t k) const { return k < count() && text(k).substr(0, 1) == "{"; }
  Expr expression(size_t k) { return expression(text(k), {}); }
  // [d0 // 32, d1, d0 % 32] as a function of d0, d1 ...
  IndexMap index_map(size_t k) {
    std::vector<Var> indices;
    for (int d = 0; d < 8; ++d) indices.emplace_back("d" + std::to_string(d));
    std::vector<Expr> images;
    for (const std::string& one : list(k, '[', ']')) images.push_back(expression(one, indices));
    return [indices, images](const Index& index) {
      VarMap values;
      for (int d = 0; d < std::min(index.size(), 8); ++d) {
        values[indices[static_cast<size_t>(d)]] = index[d];
      }
      std::vector<Expr> result;
      for (const Expr& e : images) result.push_back(substitute(e, values));
      return Index(std::move(result));
    };
  }

  void fail(const std::string& what) {
    if (status_.ok()) status_ = refuse(what);
  }

 private:
  Loop loop(const std::string& name) {
    const Var var = scope_.loop(name);
    if (!var) fail("there is no loop " + name + "; the loops are " + scope_.loops_text());
    return Loop(var ? var : Var(name));
  }
  int64_t number(const std::string& digits) {
    int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) fail("`" + digits + "` is not a number");
    return value;
  }
  int small(const std::string& digits) {
    const int64_t value = number(digits);
    if (value != static_cast<int>(value)) fail(digits + " is too large here");
    return static_cast<int>(value);
  }
  Expr expression(const std::string& e, const std::vector<Var>& indices) {
    absl::StatusOr<Expr> parsed = parse_expr(e, scope_.variables(indices));
    if (!parsed.ok()) fail("in `" + e + "`: " + std::string(parsed.status().message()));
    return parsed.ok() ? *parsed : Expr(0);
  }
  std::vector<std::string> list(size_t k, char open, char close) {
    const std::string& all = text(k);
    if (all.size() < 2 || all.front() != open || all.back() != close) {
      fail("`" + all + "` is not a list in " + open + close);
      return {};
    }
    const auto parsed = parse_trace("1 list(" + all.substr(1, all.size() - 2) + ")");
    return parsed.ok() ? parsed->front().arguments : std::vector<std::string>();
  }

  const TraceLine& line_;
  const Scope& scope_;
  absl::Status status_;
};

void split(Call& c, Schedule& s, Place place) {
  if (!c.takes(2, 3)) return;
  const Loop loop = c.loop(0);
  if (c.is_list(1)) {
    if (!c.takes(2, 2)) return;
    const std::vector<int64_t> factors = c.numbers(1);
    if (c.status().ok()) s.split(loop, factors, place);
    return;
  }
  const int64_t factor = c.number(1);
  const std::string tail = c.count() == 3 ? c.text(2) : "";
  if (!tail.empty() && tail != "cut" && tail != "perfect") c.fail("there is no tail " + tail);
  if (!c.status().ok()) return;
  if (tail.empty()) {
    s.split(loop, factor, place);
  } else {
    s.split(loop, factor, tail == "cut" ? Tail::kCut : Tail::kPerfect, place);
  }
}

using Run = void (*)(Call&, Schedule&, Place);
struct Entry {
  const char* name;
  size_t least, most;  // arguments
  Run run;
};

// Arguments first: a step is done when all of them mean something.
template <class F, class... Arguments>
void when_ok(Call& c, const F& step, Arguments... arguments) {
  if (c.status().ok()) step(std::move(arguments)...);
}

constexpr size_t kMany = 99;

const Entry kSteps[] = {
    {"split", 2, 3, split},
    {"fuse", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop a, Loop b) { s.fuse(a, b, p); }, c.loop(0), c.loop(1));
     }},
    {"reorder", 1, kMany,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](const std::vector<Loop>& order) { s.reorder(order, p); }, c.loops(0));
     }},
    {"tile", 4, 4,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i, Loop j, int64_t a, int64_t b) { s.tile(i, j, a, b, p); }, c.loop(0),
           c.loop(1), c.number(2), c.number(3));
     }},
    {"cut", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i, const Expr& at) { s.cut(i, at, p); }, c.loop(0), c.expression(1));
     }},
    {"shift", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i, const Expr& by) { s.shift(i, by, p); }, c.loop(0), c.expression(1));
     }},
    {"skew", 3, 3,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop j, Loop i, int64_t f) { s.skew(j, i, f, p); }, c.loop(0), c.loop(1),
           c.number(2));
     }},
    {"reverse", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.reverse(i, p); }, c.loop(0));
     }},
    {"unroll", 1, 2,
     [](Call& c, Schedule& s, Place p) {
       const Loop i = c.loop(0);
       const int64_t factor = c.count() == 2 ? c.number(1) : 0;
       when_ok(c, [&] {
         if (c.count() == 2) {
           s.unroll(i, factor, p);
         } else {
           s.unroll(i, p);
         }
       });
     }},
    {"vectorize", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.vectorize(i, p); }, c.loop(0));
     }},
    {"parallelize", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.parallelize(i, p); }, c.loop(0));
     }},
    {"fission", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i, int n) { s.fission(i, n, p); }, c.loop(0), c.small(1));
     }},
    {"merge", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop a, Loop b) { s.merge(a, b, p); }, c.loop(0), c.loop(1));
     }},
    {"relax", 1, 2,
     [](Call& c, Schedule& s, Place p) {
       const std::vector<Loop> loops = c.loops(0);
       when_ok(c, [&] {
         if (loops.size() == 2) {
           s.relax(loops[0], loops[1], p);
         } else {
           s.relax(loops[0], p);
         }
       });
     }},
    {"add_unit_loop", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.add_unit_loop(i, p); }, c.loop(0));
     }},
    {"squash", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.squash(i, p); }, c.loop(0));
     }},
    {"compute_at", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop at) { s.compute_at(c.stage(0), at, p); }, c.loop(1));
     }},
    {"inline_into", 1, 1, [](Call& c, Schedule& s, Place p) { s.inline_into(c.stage(0), p); }},
    {"set_layout", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](const IndexMap& map) { s.set_layout(c.stage(0), map, p); }, c.index_map(1));
     }},
    {"reorder_storage", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       const std::vector<int> order = c.smalls(1);
       when_ok(c, [&] { s.reorder_storage(c.stage(0), order, p); });
     }},
    {"expand", 2, 2,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.expand(c.stage(0), i, p); }, c.loop(1));
     }},
    {"pad", 3, 3,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](int dim, int64_t n) { s.pad(c.stage(0), dim, n, p); }, c.small(1), c.number(2));
     }},
    {"store_over", 2, 2,
     [](Call& c, Schedule& s, Place p) { s.store_over(c.stage(0), c.stage(1), p); }},
    {"store_in", 3, 3,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](const IndexMap& map) { s.store_in(c.stage(0), c.stage(1), map, p); },
           c.index_map(2));
     }},
    {"rfactor", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.rfactor(i, p); }, c.loop(0));
     }},
    {"decompose_init", 1, 1,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c, [&](Loop i) { s.decompose_init(i, p); }, c.loop(0));
     }},
    {"register_tile", 3, 3,
     [](Call& c, Schedule& s, Place p) {
       when_ok(
           c,
           [&](const std::vector<Loop>& loops, const std::vector<int64_t>& factors) {
             s.register_tile(c.stage(0), loops, factors, p);
           },
           c.loop_list(1), c.numbers(2));
     }},
};

absl::Status run(const TraceLine& line, const Scope& scope, Schedule& schedule, Place place) {
  for (const Entry& step : kSteps) {
    if (line.name != step.name) continue;
    Call call(line, scope);
    if (call.takes(step.least, step.most)) step.run(call, schedule, place);
    return call.status().ok() ? schedule.status() : call.status();
  }
  return refuse("there is no step " + line.name);
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

absl::Status at_line(const absl::Status& refusal, const TraceLine& line) {
  Diagnostic d = diagnostic_of(refusal).value_or(Diagnostic{});
  if (d.reason.empty()) d.reason = std::string(refusal.message());
  d.reason =
      "line " + std::to_string(line.number) + " of the trace, " + line.text() + ": " + d.reason;
  return make_status(d, refusal.code());
}

}  // namespace

absl::Status replay(Schedule& schedule, std::string_view trace, Place place) {
  TENON_RETURN_IF_ERROR(schedule.status());
  TENON_ASSIGN_OR_RETURN(const std::vector<TraceLine> lines, parse_trace(trace));
  Scope scope(schedule);
  for (size_t first = 0; first < lines.size();) {
    size_t end = first + 1;
    while (end < lines.size() && lines[end].derived) ++end;
    const size_t steps = schedule.trace().steps().size();
    const absl::Status status = run(lines[first], scope, schedule, place);
    if (!status.ok()) return at_line(status, lines[first]);
    name_results(lines, first, end, schedule.trace().steps(), steps, scope);
    first = end;
  }
  return absl::OkStatus();
}

}  // namespace tenon
