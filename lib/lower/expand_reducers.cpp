// expand_reducers: accumulations by functions become loads, values and stores.
//
//   (best, at)[i] argmax= (x[i, r], r)
//   ->
//   let best_0 = best[i]
//   let at_0 = at[i]
//   let best_1 = select(best_0 < x[i, r], x[i, r], best_0)
//   let at_1 = ...
//   best[i] = best_1
//   at[i] = at_1
//
// and those that fold vectors into one target meet in a local, halves onto halves:
//
//   alloc best_lanes: f32[16]
//   best_lanes[ramp(0, 1, 16)] = update(identity, values)
//   best_lanes[ramp(0, 1, 8)] = combine(best_lanes[ramp(0, 1, 8)], best_lanes[ramp(8, 1, 8)])
//   ...
//   best[i] = combine(best[i], best_lanes[0])
//
// Needs: kExplicitVectors. Gives: kOperators, no reducers but operators. The local has a constant
// shape and constant indices: it lives in registers.
#include "lower/functions.h"
#include "lower/passes.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Gives every expression a name, that of a buffer or variable; appends the names.
template <class Named>
std::vector<Expr> named(const std::vector<Expr>& values, const std::vector<Named>& after,
                        std::vector<Stmt>& out) {
  std::vector<Expr> names;
  for (size_t i = 0; i < values.size(); ++i) {
    const Var name(after[i].name(), values[i].type());
    out.push_back(bind(name, values[i]));
    names.emplace_back(name);
  }
  return names;
}

// What is read from memory is read once, before anything is stored: the results may be read there.
Expr fixed(const Expr& e, const char* name, std::vector<Stmt>& out) {
  if (!e || !touches_memory(e)) return e;
  const Var var(name, e.type());
  out.push_back(bind(var, e));
  return var;
}
std::vector<Expr> fixed(std::vector<Expr> list, const char* name, std::vector<Stmt>& out) {
  for (Expr& e : list) e = fixed(e, name, out);
  return list;
}

// The functions for these values; with vectors among them, vectors come out.
std::vector<Expr> applied(const std::vector<Expr>& functions, const std::vector<Var>& first,
                          const std::vector<Expr>& first_values, const std::vector<Var>& second,
                          const std::vector<Expr>& second_values, int32_t lanes) {
  VarMap values;
  for (size_t i = 0; i < first.size(); ++i) values.emplace(first[i], first_values[i]);
  for (size_t i = 0; i < second.size(); ++i) values.emplace(second[i], second_values[i]);
  std::vector<Expr> results;
  for (const Expr& e : functions) results.push_back(broadcast_lanes(substitute(e, values), lanes));
  return results;
}

// The elements of the lanes, or with one lane the element alone.
std::vector<Expr> loads(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
                        const Expr& mask = {}) {
  std::vector<Expr> values;
  for (const Buffer& buffer : buffers) values.push_back(load(buffer, indices, mask));
  return values;
}

void store_all(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
               const std::vector<Expr>& values, const Expr& mask, std::vector<Stmt>& out) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    out.push_back(store(buffers[i], indices, values[i], mask));
  }
}

// Folds the lanes of x into its one target.
class Fold {
 public:
  explicit Fold(const Accumulate& x) : x_(x), functions_(*x.by.functions()) {
    lanes_ = lanes_of(x.values);
    if (x.mask) lanes_ = std::max(lanes_, x.mask.type().lanes);
    while (width_ < lanes_) width_ *= 2;
  }

  Stmt written_out() {
    declare();
    fill();
    for (int32_t half = width_ / 2; half > 0; half /= 2) fold(half);
    meet_target();
    return seq(std::move(out_));
  }

 private:
  // One local per result, and one that says whether any lane is on.
  void declare() {
    for (const Buffer& buffer : x_.buffers) {
      locals_.emplace_back(buffer.name() + "_lanes", buffer.type());
    }
    if (x_.mask) locals_.emplace_back("on_lanes", boolean);
    for (const Buffer& local : locals_) out_.push_back(alloc(local, {Expr(width_)}));
  }

  // Lanes that are off, and those that fill up to a power of two, hold the identity.
  void fill() {
    std::vector<Expr> identity = functions_.identity;
    std::vector<Expr> state =
        applied(functions_.update, functions_.state, identity, functions_.element,
                named(x_.values, functions_.element, out_), lanes_);
    if (x_.mask) {
      const Expr mask = broadcast_lanes(x_.mask, lanes_);
      for (size_t i = 0; i < state.size(); ++i) {
        state[i] = make_select(mask, state[i], broadcast_lanes(identity[i], lanes_));
      }
      state.push_back(mask);
      identity.push_back(constant_int(boolean, 0));
    }
    if (width_ > lanes_) {
      for (Expr& e : identity) e = broadcast_lanes(e, width_);
      store_all(locals_, {ramp(Expr(0), Expr(1), width_)}, identity, {}, out_);
    }
    store_all(locals_, {part(0, lanes_)}, state, {}, out_);
  }

  void fold(int32_t half) {
    const std::vector<Expr> low = named(loads(locals_, {part(0, half)}), locals_, out_);
    const std::vector<Expr> high = named(loads(locals_, {part(half, half)}), locals_, out_);
    store_all(locals_, {part(0, half)}, combined(low, high, half), {}, out_);
  }

  std::vector<Expr> combined(const std::vector<Expr>& a, const std::vector<Expr>& b,
                             int32_t lanes) const {
    std::vector<Expr> result =
        applied(functions_.combine, functions_.state, a, functions_.other, b, lanes);
    if (x_.mask) result.push_back(a.back() | b.back());
    return result;
  }

  void meet_target() {
    std::vector<Stmt> last;
    const std::vector<Expr> folded = named(loads(locals_, {Expr(0)}), locals_, last);
    std::vector<Stmt> meet;
    const std::vector<Expr> indices = fixed(x_.indices, "at", meet);
    std::vector<Expr> target = named(loads(x_.buffers, indices), x_.buffers, meet);
    std::vector<Expr> both =
        applied(functions_.combine, functions_.state, target, functions_.other, folded, 1);
    both = named(both, x_.buffers, meet);
    store_all(x_.buffers, indices, both, {}, meet);
    if (x_.mask) meet = {make_if(folded.back(), seq(std::move(meet)))};
    out_.insert(out_.end(), last.begin(), last.end());
    out_.insert(out_.end(), meet.begin(), meet.end());
  }

  static Expr part(int32_t first, int32_t lanes) {
    return lanes == 1 ? Expr(first) : ramp(Expr(first), Expr(1), lanes);
  }

  const Accumulate& x_;
  const CustomReducer& functions_;
  int32_t lanes_ = 1, width_ = 1;
  std::vector<Buffer> locals_;
  std::vector<Stmt> out_;
};

}  // namespace

Stmt update_by_functions(const Accumulate& x, bool blend) {
  const CustomReducer& functions = *x.by.functions();
  const int32_t lanes = lanes_of(x.indices);
  std::vector<Stmt> out;
  const Expr on = fixed(x.mask, "on", out);
  const Expr mask = blend ? Expr() : on;
  const std::vector<Expr> indices = fixed(x.indices, "at", out);
  const std::vector<Expr> state = named(loads(x.buffers, indices, mask), x.buffers, out);
  const std::vector<Expr> element = named(x.values, functions.element, out);
  std::vector<Expr> next =
      applied(functions.update, functions.state, state, functions.element, element, lanes);
  if (blend) {
    for (size_t i = 0; i < next.size(); ++i) next[i] = make_select(on, next[i], state[i]);
  }
  // Every function reads the old state.
  next = named(next, x.buffers, out);
  store_all(x.buffers, indices, next, mask, out);
  return seq(std::move(out));
}

absl::StatusOr<Program> expand_reducers(const Program& program, const Target&) {
  return program.with_body(rewrite_stmts(program->body, [](const Stmt& s) {
    const Accumulate* x = s.as<Accumulate>();
    if (!x || !x->by.functions()) return s;
    const int32_t lanes = x->mask ? x->mask.type().lanes : 1;
    const bool folds = lanes_of(x->indices) == 1 && std::max(lanes, lanes_of(x->values)) > 1;
    if (folds) return Fold(*x).written_out();
    if (x->mask && !x->mask.type().is_vector()) {
      return make_if(x->mask,
                     update_by_functions({x->buffers, x->indices, x->by, x->values, {}}, false));
    }
    return update_by_functions(*x, false);
  }));
}

}  // namespace tenon
