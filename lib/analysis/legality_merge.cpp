// The predicate about two loops that become one.
#include <algorithm>

#include "analysis/conflict.h"
#include "analysis/loop_bounds.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

bool is_loop(const Stmt& s, const Var& var) {
  const For* loop = s.as<For>();
  return loop && loop->var == var;
}

// The statements behind the loop in its sequence.
std::vector<Stmt> behind(const Program& program, const Var& loop) {
  const auto place = find_place(program->body, [&](const Stmt& s) { return is_loop(s, loop); });
  return place ? place->rest() : std::vector<Stmt>();
}

// The statements between the loops.
absl::StatusOr<std::vector<Stmt>> between(const Program& program, const Var& first,
                                          const Var& second) {
  std::vector<Stmt> stmts = behind(program, first);
  const auto end =
      std::find_if(stmts.begin(), stmts.end(), [&](const Stmt& s) { return is_loop(s, second); });
  if (end != stmts.end()) {
    stmts.erase(end, stmts.end());
    return stmts;
  }
  const std::string a = text_of(first, program), b = text_of(second, program);
  const std::vector<Stmt> after = behind(program, second);
  if (std::any_of(after.begin(), after.end(), [&](const Stmt& s) { return is_loop(s, first); })) {
    return refuse("loop " + b + " stands before loop " + a, {}, {"merge(" + b + ", " + a + ")"});
  }
  return refuse("loops " + a + " and " + b + " do not stand in one sequence");
}

absl::Status bounds_are_equal(const For& first, const For& second, const Facts& facts,
                              const Program& within) {
  std::vector<std::string> missing;
  bool equal = true;
  for (const auto& [a, b] : {std::pair(first.lo, second.lo), std::pair(first.hi, second.hi)}) {
    const Expr claim = simplify(a == b, facts);
    if (is_constant(claim, 1) || proved(facts, claim)) continue;
    equal = false;
    if (!is_constant(claim)) missing.push_back(text_of(claim, within));
  }
  if (equal) return absl::OkStatus();
  const auto range = [&](const For& loop) {
    return text_of(loop.lo, within) + ".." + text_of(loop.hi, within);
  };
  // The same number of iterations, further on.
  const Expr distance = simplify(first.lo - second.lo, facts);
  std::vector<std::string> legal;
  if (proved(facts, first.hi - second.hi == distance)) {
    legal.push_back("shift(" + text_of(second.var, within) + ", " + text_of(distance, within) +
                    "), then merge");
    missing.clear();
  }
  return refuse("loop " + text_of(first.var, within) + " runs over " + range(first) + " and loop " +
                    text_of(second.var, within) + " over " + range(second) +
                    ": the bounds must be equal",
                std::move(missing), std::move(legal));
}

// The second loop's bounds are read in front of everything that ran before them.
absl::Status bounds_stay_the_same(const For& loop, const Facts& facts, const Program& within) {
  for (const Expr& bound : {loop.lo, loop.hi}) {
    const Buffer data = read_by(bound);
    if (!data || facts.is_fixed(data)) continue;
    return refuse("the bounds of loop " + text_of(loop.var, within) + " read " +
                  text_of(data, within) + ", which the program writes");
  }
  return absl::OkStatus();
}

// Sends the statements between two loops above or below the one that they become.
class Sorter {
 public:
  Sorter(Merge& merge, const Facts& facts) : merge_(merge), facts_(facts) {}

  absl::Status sort(const std::vector<Stmt>& stmts) {
    for (const Stmt& s : stmts) {
      // Above it is in nobody's way.
      const std::string after = what_comes_before(s);
      if (after.empty()) {
        merge_.above.push_back(s);
        continue;
      }
      const std::string before = why_ordered(s, merge_.second.statement);
      if (!before.empty()) {
        return refuse("`" + head(s) + "` stands between the loops: it comes after " + after +
                      " and before loop " + text_of(merge_.second.loop.var, merge_.first.program) +
                      " (" + before + ")");
      }
      merge_.below.push_back(s);
    }
    return absl::OkStatus();
  }

 private:
  // "loop i (both touch t[1])"; empty when s can go above.
  std::string what_comes_before(const Stmt& s) {
    std::string why = why_ordered(merge_.first.statement, s);
    if (!why.empty()) {
      return "loop " + text_of(merge_.first.loop.var, merge_.first.program) + " (" + why + ")";
    }
    for (const Stmt& earlier : merge_.below) {
      why = why_ordered(earlier, s);
      if (!why.empty()) return "`" + head(earlier) + "` (" + why + ")";
    }
    return "";
  }

  // Why s must stay in front of t: "both touch t[1]"; empty when the two may change places.
  std::string why_ordered(const Stmt& s, const Stmt& t) {
    const Program& within = merge_.first.program;
    if (const Alloc* a = s.as<Alloc>(); a && uses(t, a->buffer)) {
      return "which uses " + text_of(a->buffer, within);
    }
    if (const Bind* b = s.as<Bind>(); b && uses(t, b->var)) {
      return "which uses " + text_of(b->var, within);
    }
    Dependences dependences(s, t, facts_);
    const auto conflict = dependences.find({}, same_accumulations);
    if (!conflict) {
      merge_.reassociates = merge_.reassociates || dependences.reassociates();
      return "";
    }
    return conflict->meeting.answer == Answer::kYes
               ? "both touch " + element(conflict->a->buffer, conflict->meeting.element, within)
               : "both may touch " + text_of(conflict->a->buffer, within);
  }

  std::string head(const Stmt& s) const {
    Names names(merge_.first.program);
    return headline(s, names);
  }

  Merge& merge_;
  const Facts& facts_;
};

}  // namespace

absl::StatusOr<Merge> may_merge(const LoopSite& first, const LoopSite& second) {
  const Program& within = first.program;
  const Facts& facts = second.facts;  // also what is named between the loops
  const auto stmts = between(within, first.loop.var, second.loop.var);
  if (!stmts.ok()) return stmts.status();
  for (const absl::Status& s : {bounds_are_equal(first.loop, second.loop, facts, within),
                                bounds_stay_the_same(second.loop, facts, within)}) {
    if (!s.ok()) return s;
  }
  Merge merge{first, second, {}, {}, false};
  if (absl::Status s = Sorter(merge, facts).sort(*stmts); !s.ok()) return s;

  const For& a = first.loop;
  const Stmt b = substitute(second.loop.body, VarMap{{second.loop.var, a.var}});
  Dependences dependences(first.statement, make_for(a.var, a.lo, a.hi, a.kind, b), facts);
  if (auto conflict = dependences.find({Ordering::kLess}, same_accumulations)) {
    return explain(*conflict, within, " of the first loop", " of the second");
  }
  merge.reassociates = merge.reassociates || dependences.reassociates();
  return merge;
}

}  // namespace tenon
