// How expressions and conditions become rows of an integer system.
//
//   Encoder encoder(facts);
//   Environment a = encoder.environment(), b = encoder.environment();
//   const Row i = encoder.add_loop(range_of_i, a);          // i of iteration v
//   const int d = encoder.unknown(1, {});
//   b.set(i_var, i + row_of(d));                            // i of iteration v + d
//   encoder.add_range(range_of_i, b);
//   encoder.equate(index_a, a, index_b, b);
//   encoder.add_facts();                                    // what is known about the variables
//   used encoder.system().solve();
//
// Sums, differences and products with constants are rows. x // c is an unknown q with
// 0 <= x - c*q <= c-1, keyed by the row of x, and x % c is x - c*q, so that equal quotients are one
// unknown in every environment. min and max are unknowns with their two inequalities; which of the
// two they are, and which arm a select is, are choices (see systems()). A product of two unknowns,
// data and everything else is an open unknown with constant bounds: it can only weaken an answer
// "infeasible", and a witness must be checked by evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/inspect.h"
#include "analysis/span.h"
#include "tenon/analysis/facts.h"
#include "tenon/analysis/solver.h"

namespace tenon {

using Row = IntegerSystem::Row;

Row row_of(int unknown, int64_t coefficient = 1);
void add_multiple(Row& row, int64_t factor, const Row& other);
Row operator+(Row a, const Row& b);
Row operator-(Row a, const Row& b);
bool equal(const Row& a, const Row& b);  // terms are kept sorted, without zeros
int64_t value_of(const Row& row, const std::vector<int64_t>& witness);

// What the variables of one iteration stand for. A variable that it does not set is the same in all
// environments when the facts know it (loops around, sizes, scalar parameters) or outer() sets it,
// and private to this environment otherwise.
class Environment {
 public:
  void set(const Var& var, Row value);
  const Row* find(const Var& var) const;  // null when not set

 private:
  friend class Encoder;
  explicit Environment(int id) : id_(id) {}
  int id_;
  std::vector<std::pair<Var, Row>> values_;
};

class Encoder {
 public:
  // Keeps a reference to the facts.
  explicit Encoder(const Facts& facts) : facts_(facts), outer_(0) {}
  explicit Encoder(const Facts&&) = delete;

  Environment environment() { return Environment(++environments_); }
  // The variables that the facts know, for questions about one place.
  Environment& outer() { return outer_; }
  IntegerSystem& system() { return system_; }

  // A new unknown. An open side means a number that index arithmetic keeps far from overflow.
  int unknown(std::optional<int64_t> lo, std::optional<int64_t> hi);

  // The linear form of e, which is one lane of i64.
  Row row(const Expr& e, Environment& env);

  // A new unknown for the loop's variable, set in env, with its range. Bounds `i < min(a, b)` and
  // `i >= max(a, b)` give one row each.
  Row add_loop(const LoopRange& range, Environment& env);
  // lo <= var < hi for a variable that is set already.
  void add_range(const LoopRange& range, Environment& env);
  // The condition has this value. What cannot be said in one conjunction of rows is left out.
  void add_condition(const Expr& condition, bool value, Environment& env);
  void equate(const Expr& a, Environment& env_a, const Expr& b, Environment& env_b);

  // Adds the facts that share variables, directly or through others, with what is encoded so far.
  void add_facts();
  // All facts, for a witness that has to satisfy them.
  void add_all_facts();

  // False once something was left out (a disjunction, a comparison of data): a solution need not
  // satisfy it.
  bool complete() const { return complete_; }
  // That min(a, b) is a or b, and select(c, a, b) is a where c holds and b where it does not, takes
  // a system for each alternative, and is left to those who need it: there is a solution just when
  // one of these has one. Beyond a few choices the rest stays open, which only allows more.
  bool has_choices() const { return !choices_.empty(); }
  std::vector<IntegerSystem> systems() const;
  // The expressions that became open unknowns, each once.
  const std::vector<Expr>& open() const { return open_; }
  // The variables that have an unknown, or a row, in no particular environment: loops around,
  // sizes and scalars.
  const std::vector<std::pair<Var, Row>>& outer_values() const { return outer_.values_; }

 private:
  struct Quotient {  // of row by divisor
    Row row;
    int64_t divisor;
    int unknown;
  };
  struct Product {
    int a, b, unknown;
  };
  // v + d, of which more is known than of v and d apart.
  struct Sum {
    int a, b;
    Span span;
  };
  struct Extremum {  // max(a, b) or min(a, b)
    bool is_max;
    Row a, b;
    int unknown;
  };
  struct Claim {  // row == 0 or row >= 0
    Row row;
    bool equation;
  };
  // Conjunctions, one of which holds.
  using Choice = std::vector<std::vector<Claim>>;
  struct Opaque {
    Expr expr;
    int environment;  // 0: the same in all
    int unknown;
  };

  void accumulate(Row& row, int64_t factor, const Expr& e, Environment& env);
  Row atom(const Expr& e, Environment& env);
  Row variable(const Var& var, Environment& env);
  Row outer_variable(const Var& var);
  Row floor_div(const Expr& e, const Binary& b, Environment& env);
  Row floor_mod(const Expr& e, const Binary& b, Environment& env);
  Row quotient(const Row& x, int64_t divisor);
  Row product(const Row& a, const Row& b, const Expr& e);
  Row extremum(bool is_max, const Expr& e, const Binary& b, Environment& env);
  Row selection(const Expr& e, const Select& s, Environment& env);
  Row opaque(const Expr& e, const Span& span, Environment& env);
  // The unknown that stands for e; a second of the pair: it is new.
  std::pair<int, bool> stand_in(const Expr& e, const Span& span, Environment& env);
  bool known_outside(const Var& var) const;
  bool differs(const Expr& e, const Environment& env) const;
  bool is_positive(const Expr& e, const Row& row, const Environment& env) const;
  bool lasts(const Expr& e) const;
  void relate_product(const Product& p);
  int unknown(const Span& span);
  Span span_of(const Row& row) const;
  // Whether the value of an i64 expression with this row is the row's, without wrapping.
  bool exact(const Row& row) const;
  void add_at_least_zero(const Row& row);
  void claim(Row row, bool equation);
  void add_order(const Expr& less, const Expr& greater, int64_t gap, Environment& env);
  void collect_bounds(const Expr& bound, BinaryOp op, Environment& env, std::vector<Row>& rows);
  void leave_out();
  void add_open(const Expr& e);

  const Facts& facts_;
  IntegerSystem system_;
  Environment outer_;
  int environments_ = 0;
  bool complete_ = true;
  std::vector<Span> spans_;  // of the unknowns
  std::vector<Quotient> quotients_;
  std::vector<Product> products_;
  std::vector<Extremum> extrema_;
  std::vector<Choice> choices_;
  // Where claims go while the parts of a choice are encoded; null: into the system.
  std::vector<Claim>* claims_ = nullptr;
  std::vector<Sum> sums_;
  std::vector<Opaque> opaques_;
  std::vector<Expr> open_;
  VarSet used_;  // outer variables, so far
};

}  // namespace tenon
