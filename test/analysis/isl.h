// Questions about accesses in the language of isl, which decides every formula of Presburger
// arithmetic: an oracle for what the prover answers.
//
//   IslSet meeting(program->sizes);
//   meeting.add_meeting(a, b, directions);
//   if (meeting.is_affine()) CHECK(Isl().has_point(meeting.text()) == they_meet);
#pragma once

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "tenon/analysis/dependence.h"
#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon::test {

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

// A set of integer points: variables, over sizes that are at least 0, and what holds.
class IslSet {
 public:
  explicit IslSet(const std::vector<Var>& sizes) {
    for (const Var& size : sizes) {
      const std::string name = "n" + std::to_string(sizes_.size());
      sizes_.emplace(size, name);
      parameters_.push_back(name);
      conditions_.push_back(name + " >= 0");
    }
  }

  using Names = std::map<Var, std::string>;
  const Names& sizes() const { return sizes_; }

  void add(const Expr& condition, const Names& names) {
    conditions_.push_back(text(condition, names));
  }

  // The loops of an access under names of its own, and the conditions under which it happens.
  Names add(const Access& a) {
    Names names = sizes_;
    for (const For& l : a.loops) {
      const std::string name = "v" + std::to_string(variables_.size());
      names[l.var] = name;
      variables_.push_back(name);
    }
    for (const For& l : a.loops) {
      conditions_.push_back(text(l.lo, names) + " <= " + names.at(l.var));
      conditions_.push_back(names.at(l.var) + " < " + text(l.hi, names));
    }
    for (const Expr& guard : a.guards) add(guard, names);
    return names;
  }

  // Both are on one element, and the iterations of the common loops are in these directions.
  void add_meeting(const Access& a, const Access& b, const std::vector<Ordering>& directions) {
    const Names of_a = add(a), of_b = add(b);
    for (size_t d = 0; d < a.indices.size(); ++d) {
      conditions_.push_back(text(a.indices[d], of_a) + " = " + text(b.indices[d], of_b));
    }
    for (size_t l = 0; l < directions.size(); ++l) {
      const std::string x = of_a.at(a.loops[l].var), y = of_b.at(b.loops[l].var);
      switch (directions[l]) {
        case Ordering::kLess: conditions_.push_back(y + " < " + x); break;
        case Ordering::kEqual: conditions_.push_back(y + " = " + x); break;
        case Ordering::kGreater: conditions_.push_back(y + " > " + x); break;
        case Ordering::kAny: break;
      }
    }
  }

  // False where something was no affine expression of known variables: the text means nothing.
  bool is_affine() const { return is_affine_; }
  std::string text() const {
    return "[" + joined(parameters_, ", ") + "] -> { [" + joined(variables_, ", ") +
           "] : " + joined(conditions_, " and ") + " }";
  }

 private:
  static std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string result;
    for (const std::string& part : parts) result += (result.empty() ? "" : between) + part;
    return result;
  }

  static std::string infix(BinaryOp op) {
    switch (op) {
      case BinaryOp::kEq: return "=";
      case BinaryOp::kBitAnd: return "and";
      case BinaryOp::kBitOr: return "or";
      default: return name_of(op);
    }
  }

  std::string not_affine() {
    is_affine_ = false;
    return "0";
  }

  std::string text(const Expr& e, const Names& names) {
    return match(
        e.node().kind,
        [&](const Const& c) -> std::string {
          if (e.type().is_bool()) return c.bits ? "0 = 0" : "0 = 1";
          if (!e.type().is_int()) return not_affine();
          const std::string number = std::to_string(int_of_bits(e.type(), c.bits));
          return number[0] == '-' ? "(" + number + ")" : number;
        },
        [&](const VarRef& ref) {
          const auto known = names.find(ref.var);
          return known == names.end() ? not_affine() : known->second;
        },
        [&](const Unary& u) {
          if (u.op != UnaryOp::kNot && u.op != UnaryOp::kNeg) return not_affine();
          return (u.op == UnaryOp::kNot ? "not (" : "-(") + text(u.a, names) + ")";
        },
        [&](const Binary& b) { return text(b, names); },
        [&](const Select& s) { return text(s, names); }, [&](const auto&) { return not_affine(); });
  }

  std::string text(const Binary& b, const Names& names) {
    const std::optional<int64_t> left = as_int(b.a), right = as_int(b.b);
    const std::string x = text(b.a, names), y = text(b.b, names);
    switch (b.op) {
      case BinaryOp::kMul:  // by a plain number in front
        if (!left && !right) return not_affine();
        return "(" + std::to_string(left ? *left : *right) + "*(" + (left ? y : x) + "))";
      case BinaryOp::kFloorDiv: return right ? "floor((" + x + ")/" + y + ")" : not_affine();
      case BinaryOp::kFloorMod: return right ? "((" + x + ") mod " + y + ")" : not_affine();
      case BinaryOp::kMin:
      case BinaryOp::kMax: return std::string(name_of(b.op)) + "(" + x + ", " + y + ")";
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kBitAnd:
      case BinaryOp::kBitOr: return "(" + x + " " + infix(b.op) + " " + y + ")";
      default: return not_affine();
    }
  }

  // A variable with a condition that says what it is.
  std::string text(const Select& s, const Names& names) {
    const std::string c = text(s.condition, names), x = text(s.on_true, names),
                      y = text(s.on_false, names), value = "s" + std::to_string(variables_.size());
    variables_.push_back(value);
    conditions_.push_back("((" + c + " and " + value + " = " + x + ") or (not (" + c + ") and " +
                          value + " = " + y + "))");
    return value;
  }

  Names sizes_;
  std::vector<std::string> parameters_, variables_, conditions_;
  bool is_affine_ = true;
};

}  // namespace tenon::test
