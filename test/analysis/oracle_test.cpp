// Random affine questions, with and without a symbolic size, against isl, which decides every
// formula of Presburger arithmetic: no answer may be wrong, and few may be missing. (Enumeration,
// in dependence_fuzz_test.cpp, sees products of unknowns too, but only small sizes.)
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "analysis/random_pairs.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using test::Pair;
using test::PairGenerator;
using test::Random;

class Isl {
 public:
  Isl() : context_(isl_ctx_alloc()) { isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE); }
  ~Isl() { isl_ctx_free(context_); }
  Isl(const Isl&) = delete;
  Isl& operator=(const Isl&) = delete;

  // Is there an integer point, for any value of the parameters?
  bool has_point(const std::string& set) {
    isl_set* parsed = isl_set_read_from_str(context_, set.c_str());
    INFO(set);
    REQUIRE(parsed);
    const isl_bool empty = isl_set_is_empty(parsed);
    isl_set_free(parsed);
    REQUIRE(empty != isl_bool_error);
    return empty == isl_bool_false;
  }

 private:
  isl_ctx* context_;
};

using Names = std::map<Var, std::string>;

std::string infix(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEq: return "=";
    case BinaryOp::kBitAnd: return "and";
    case BinaryOp::kBitOr: return "or";
    default: return name_of(op);
  }
}

// Selects, which isl writes as variables with a condition that says what they are.
struct Selects {
  std::vector<std::string> variables, conditions;
};

// An expression of these variables in the language of isl.
std::string text(const Expr& e, const Names& names, Selects& selects) {
  return match(
      e.node().kind,
      [&](const Const& c) {
        const std::string number = std::to_string(int_of_bits(e.type(), c.bits));
        return number[0] == '-' ? "(" + number + ")" : number;
      },
      [&](const VarRef& ref) { return names.at(ref.var); },
      [&](const Unary& u) {
        REQUIRE((u.op == UnaryOp::kNot || u.op == UnaryOp::kNeg));
        return (u.op == UnaryOp::kNot ? "not (" : "-(") + text(u.a, names, selects) + ")";
      },
      [&](const Binary& b) -> std::string {
        const std::string x = text(b.a, names, selects), y = text(b.b, names, selects);
        const std::optional<int64_t> left = as_int(b.a), right = as_int(b.b);
        switch (b.op) {
          case BinaryOp::kMul:  // by a plain number in front
            REQUIRE((left || right));
            return "(" + std::to_string(left ? *left : *right) + "*(" + (left ? y : x) + "))";
          case BinaryOp::kFloorDiv: return "floor((" + x + ")/" + y + ")";
          case BinaryOp::kFloorMod: return "((" + x + ") mod " + y + ")";
          case BinaryOp::kMin:
          case BinaryOp::kMax: return std::string(name_of(b.op)) + "(" + x + ", " + y + ")";
          default: return "(" + x + " " + infix(b.op) + " " + y + ")";
        }
      },
      [&](const Select& s) {
        const std::string c = text(s.condition, names, selects),
                          x = text(s.on_true, names, selects), y = text(s.on_false, names, selects),
                          value = "s" + std::to_string(selects.variables.size());
        selects.variables.push_back(value);
        selects.conditions.push_back("((" + c + " and " + value + " = " + x + ") or (not (" + c +
                                     ") and " + value + " = " + y + "))");
        return value;
      },
      [&](const auto&) -> std::string {
        FAIL("no affine expression: " << print(e));
        return "";
      });
}

// The loops of an access under names of its own, and the conditions under which it happens.
Names own_names(const Access& a, const std::string& prefix, const Names& sizes) {
  Names names = sizes;
  for (const For& l : a.loops) {
    names[l.var] = prefix + std::to_string(names.size() - sizes.size());
  }
  return names;
}

void add_conditions(const Access& a, const Names& names, Selects& selects,
                    std::vector<std::string>& conditions) {
  for (const For& l : a.loops) {
    conditions.push_back(text(l.lo, names, selects) + " <= " + names.at(l.var));
    conditions.push_back(names.at(l.var) + " < " + text(l.hi, names, selects));
  }
  for (const Expr& guard : a.guards) conditions.push_back(text(guard, names, selects));
}

std::string set_of(std::vector<std::string> variables, std::vector<std::string> conditions,
                   const Selects& selects) {
  variables.insert(variables.end(), selects.variables.begin(), selects.variables.end());
  conditions.insert(conditions.end(), selects.conditions.begin(), selects.conditions.end());
  const auto joined = [](const std::vector<std::string>& parts, const char* between) {
    std::string result;
    for (const std::string& part : parts) result += (result.empty() ? "" : between) + part;
    return result;
  };
  return "[n] -> { [" + joined(variables, ", ") + "] : n >= 0 and " + joined(conditions, " and ") +
         " }";
}

std::string set_of(const Pair& p, const Var& n) {
  const Names sizes = {{n, "n"}};
  const Names of_a = own_names(p.a, "a", sizes), of_b = own_names(p.b, "b", sizes);
  std::vector<std::string> variables, conditions;
  Selects selects;
  for (const For& l : p.a.loops) variables.push_back(of_a.at(l.var));
  for (const For& l : p.b.loops) variables.push_back(of_b.at(l.var));
  add_conditions(p.a, of_a, selects, conditions);
  add_conditions(p.b, of_b, selects, conditions);
  for (size_t d = 0; d < p.a.indices.size(); ++d) {
    conditions.push_back(text(p.a.indices[d], of_a, selects) + " = " +
                         text(p.b.indices[d], of_b, selects));
  }
  for (size_t l = 0; l < p.directions.size(); ++l) {
    const std::string a = of_a.at(p.a.loops[l].var), b = of_b.at(p.b.loops[l].var);
    switch (p.directions[l]) {
      case Direction::kLess: conditions.push_back(b + " < " + a); break;
      case Direction::kEqual: conditions.push_back(b + " = " + a); break;
      case Direction::kGreater: conditions.push_back(b + " > " + a); break;
      case Direction::kAny: break;
    }
  }
  return set_of(variables, conditions, selects);
}

struct Score {
  int count = 0, answered = 0;
  double missing() const { return count ? 100.0 * (count - answered) / count : 0; }
};

TEST_CASE("no answer about two accesses contradicts isl, and few are missing") {
  constexpr int kPairs = 3000;
  Isl isl;
  for (const bool has_size : {false, true}) {
    Random random(has_size ? 77 : 78);
    Score apart, together;
    for (int count = 0; count < kPairs; ++count) {
      const Var n("n");
      const Facts facts = has_size ? Facts().with_size(n) : Facts();
      const Pair p = PairGenerator(random, has_size ? n : Var(), true).pair();
      const bool truth = isl.has_point(set_of(p, n));
      const Meeting m = meet(p.a, p.b, p.directions, facts);
      INFO(text_of(p));
      if (m.answer == Answer::kNo && truth) FAIL("they meet");
      if (m.answer == Answer::kYes && !truth) FAIL("they never meet");
      Score& score = truth ? together : apart;
      ++score.count;
      score.answered += m.answer != Answer::kUnknown;
    }
    std::printf("isl%s: independent %d, unknown %.2f %%; dependent %d, no witness %.2f %%\n",
                has_size ? ", symbolic size" : "", apart.count, apart.missing(), together.count,
                together.missing());
    CHECK(apart.count > 800);
    CHECK(together.count > 500);
    CHECK(apart.missing() <= 3);
  }
}

TEST_CASE("no proof contradicts isl, and few are missing") {
  constexpr int kQuestions = 4000;
  Isl isl;
  Random random(79);
  Score always, sometimes;
  for (int count = 0; count < kQuestions; ++count) {
    const Var n("n");
    Facts facts = Facts().with_size(n);
    Access where;
    std::vector<Var> vars;
    for (const char* name : {"i", "j"}) {
      For l = random.loop(name, vars);
      if (random.chance(50)) {
        l.lo = 0;
        l.hi = random.of(std::vector<Expr>{n, n + 1, Expr(n) * 2, Expr(n) / 2, Expr(n) - 1});
      }
      where.loops.push_back(l);
      facts = facts.inside(l);
      vars.push_back(l.var);
    }
    vars.push_back(n);
    while (random.chance(40)) {
      where.guards.push_back(random.condition(vars));
      facts = facts.given(where.guards.back());
    }
    const Expr claim =
        random.chance(20) ? random.index(vars) < random.index(vars) : random.condition(vars);
    const Names names = own_names(where, "a", {{n, "n"}});
    std::vector<std::string> conditions;
    Selects selects;
    add_conditions(where, names, selects, conditions);
    const std::vector<std::string> variables = {names.at(vars[0]), names.at(vars[1])};
    if (!isl.has_point(set_of(variables, conditions, selects))) continue;  // nothing is asked there
    conditions.push_back(text(unary(UnaryOp::kNot, claim), names, selects));
    const bool can_fail = isl.has_point(set_of(variables, conditions, selects));
    const Answer answer = prove(facts, claim);
    INFO(print(claim) << " in " << test::text_of(where));
    if (answer == Answer::kYes && can_fail) FAIL("it can fail");
    if (answer == Answer::kNo && !can_fail) FAIL("it always holds");
    Score& score = can_fail ? sometimes : always;
    ++score.count;
    score.answered += answer != Answer::kUnknown;
  }
  std::printf("isl: %d claims that hold, unknown %.2f %%; %d that can fail, no witness %.2f %%\n",
              always.count, always.missing(), sometimes.count, sometimes.missing());
  CHECK(always.count > 300);
  CHECK(sometimes.count > 1000);
  CHECK(always.missing() <= 3);
}

}  // namespace
}  // namespace tenon
