// Recurrences: states that are carried along an axis.
//
//   // The running sum of every row.
//   auto [total] = scan<1>({m}, n, {carry("total", {}, 0.0f)},
//       [&](Expr i, Expr t, const Carried& now) -> Next { return {now[0]() + x(i, t)}; });
//   Tensor y = total.after("y");                      // y[m, n]
//
//   // A recurrent network: the step may build tensors, and reduce over the states.
//   auto [h] = scan<1>({m}, steps, {carry("h", {hidden}, [&](Expr i, Expr j) { return h0(i, j);
//   })},
//       [&](Expr i, Expr t, const Carried& now) -> Next {
//         return {compute("h_next", {hidden}, [&](Expr j) {
//           return tanh(x(i, t, j) + sum(hidden, [&](Expr r) { return u(j, r) * now[0](r); }));
//         })};
//       });
//   Tensor last = h.last("last");                     // last[m, hidden]
//
// For every index of the outer shape, each state starts as its `init`, and a step gives the next
// value of each, for the element t of the axis: a tensor of the state's shape, or an expression
// where the shape is {} (or all elements are the same). A step sees the states as they were before
// it, whatever the order of what it returns. Tensors that it computes live inside the loop, and
// belong to it: only the results of the scan may be read outside.
//
// Steps may be left out, by a condition after the step: a function of the same arguments, asked
// before each step and of that step alone. Where it does not hold, every state keeps its value, and
// nothing of the step is evaluated; so `after` repeats the state, `last` has that of the last step
// that was taken, or the init. A length per row is a condition on t, and the loop ends there if
// only `last` is used:
//
//   auto [h] = scan<1>({m}, steps, {carry("h", {hidden}, 0.0f)}, step,
//                      [&](Expr i, Expr t, const Carried&) { return t < lengths(i); });
//
// Direction::kBackward goes from the last element of the axis to the first. carry without an init
// is no state but something that a step gives besides: now[...] of it must not be read.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenon/dsl/tensor.h"

namespace tenon {

enum class Direction { kForward, kBackward };

// The states at the beginning of a step.
using Carried = std::vector<Tensor>;

// A state of a scan, before there is one.
struct Carry {
  std::string name;
  std::vector<Expr> shape;
  std::function<Expr(const Index&)> init;  // at the outer and its own indices
  Type type;                               // without an init
};

template <class F>
Carry carry(std::string name, std::vector<Expr> shape, F init) {
  Carry c{std::move(name), std::move(shape), {}, Type()};
  if constexpr (std::is_convertible_v<F, Expr>) {
    c.init = [value = Expr(init)](const Index&) { return value; };
  } else {
    c.init = [init](const Index& at) { return dsl::call<Expr>(init, at); };
  }
  return c;
}
inline Carry gives(std::string name, Type type, std::vector<Expr> shape) {
  return {std::move(name), std::move(shape), {}, type};
}

// What a step gives for one state.
class NextState {
 public:
  template <class T>
  requires std::convertible_to<T, Expr> NextState(const T& value)
      : value_(Expr(value)) {}                                                // NOLINT
  NextState(Tensor tensor) : tensor_(std::move(tensor)), is_tensor_(true) {}  // NOLINT
  const Tensor* tensor() const { return is_tensor_ ? &tensor_ : nullptr; }
  const Expr& value() const { return value_; }

 private:
  Tensor tensor_;
  Expr value_;
  bool is_tensor_ = false;
};
using Next = std::vector<NextState>;

// One state of a finished scan, as tensors. Each call makes another one; what nobody reads is not
// computed.
class Scanned {
 public:
  Scanned() = default;
  Scanned(std::shared_ptr<const Recipe> recipe, size_t state)
      : recipe_(std::move(recipe)), state_(state) {}
  Tensor after(std::string name) const;   // [outer, steps, state]: after each step (inclusive)
  Tensor before(std::string name) const;  // [outer, steps, state]: before each step (exclusive)
  Tensor last(std::string name) const;    // [outer, state]: after all steps

 private:
  std::shared_ptr<const Recipe> recipe_;
  size_t state_ = 0;
};

namespace dsl {

// A scan that is being defined.
class ScanBuilder {
 public:
  ScanBuilder(std::vector<Expr> outer, Expr steps, std::vector<Carry> states, Direction direction);
  ~ScanBuilder();
  const Carried& now() const { return now_; }
  const Index& place() const { return place_; }  // outer indices and the element of the axis
  void where(const Expr& condition);             // of the steps that are taken
  std::vector<Scanned> finish(const Next& next);
  // Of a function that takes something else than the indices of place() and the states.
  Expr wrong_arity(const std::string& what) const;

 private:
  Index place_;
  Carried now_;
  std::unique_ptr<Recipe> recipe_;
};

template <class F, class Sequence>
struct TakesStep;
template <class F, size_t... Is>
struct TakesStep<F, std::index_sequence<Is...>> {
  static constexpr bool value = std::is_invocable_v<const F&, ExprAt<Is>..., const Carried&>;
};
template <class R, class F, size_t... Is>
R call_step(const F& f, const Index& at, const Carried& now, std::index_sequence<Is...>) {
  return f(at[static_cast<int>(Is)]..., now);
}

// f at the place of the scan; nothing where it takes something else.
template <class R, class F, size_t N = 1>
std::optional<R> call_in(const ScanBuilder& scan, const F& f) {
  if constexpr (N <= 8) {
    using Indices = std::make_index_sequence<N>;
    if constexpr (TakesStep<F, Indices>::value) {
      if (scan.place().size() == static_cast<int>(N)) {
        return call_step<R>(f, scan.place(), scan.now(), Indices());
      }
    }
    return call_in<R, F, N + 1>(scan, f);
  } else if constexpr (std::is_invocable_v<const F&, Index, const Carried&>) {
    return R(f(scan.place(), scan.now()));
  } else {
    return std::nullopt;
  }
}

template <size_t N, class F>
std::array<Scanned, N> finish_scan(ScanBuilder& scan, const F& step) {
  const std::optional<Next> next = call_in<Next>(scan, step);
  const NextState wrong(next ? Expr() : scan.wrong_arity("the step"));
  std::vector<Scanned> scanned = scan.finish(next ? *next : Next(scan.now().size(), wrong));
  scanned.resize(N);
  std::array<Scanned, N> array;
  std::move(scanned.begin(), scanned.end(), array.begin());
  return array;
}

}  // namespace dsl

// The step takes an Expr for each outer index, one for the element of the axis, and the states; or
// all indices as one Index, and the states.
template <size_t N, class F>
std::array<Scanned, N> scan(std::vector<Expr> outer, const Expr& steps, std::vector<Carry> states,
                            const F& step, Direction direction = Direction::kForward) {
  dsl::ScanBuilder builder(std::move(outer), steps, std::move(states), direction);
  return dsl::finish_scan<N>(builder, step);
}

// The steps for which `where` holds, a bool.
template <size_t N, class F, class Where>
requires(!std::is_convertible_v<Where, Direction>) std::array<Scanned, N> scan(
    std::vector<Expr> outer, const Expr& steps, std::vector<Carry> states, const F& step,
    const Where& where, Direction direction = Direction::kForward) {
  dsl::ScanBuilder builder(std::move(outer), steps, std::move(states), direction);
  const std::optional<Expr> condition = dsl::call_in<Expr>(builder, where);
  builder.where(condition ? *condition : builder.wrong_arity("where"));
  return dsl::finish_scan<N>(builder, step);
}

}  // namespace tenon
