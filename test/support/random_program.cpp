#include "support/random_program.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/extern_functions.h"
#include "tenon/dsl/dsl.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

const std::vector<Type> kAllKinds = {f32, f32, f32, f64, f16, bf16, i8,     i16,
                                     i32, i64, u8,  u16, u32, u64,  boolean};
// For programs whose float values stay exact integers.
const std::vector<Type> kExactKinds = {f64, f64, f64, i64, i32, boolean};

uint64_t random_float_bits(Rng& rng, Type type) {
  const double kSpecial[] = {std::nan(""), INFINITY, -INFINITY, 0.0,   -0.0, 1e-40,
                             -1e-45,       3e38,     -6e-8,     65504, 1.0,  -1.0};
  if (rng.chance(6)) return bits_of_float(type, kSpecial[rng.below(12)]);
  if (rng.chance(1)) {  // a NaN of any sign and payload, or an infinity
    return bits_of_float(type, INFINITY) | (rng.bits() >> (64 - 8 * type.bytes()));
  }
  return bits_of_float(type, (rng.below(4001) - 2000) / 256.0);
}

uint64_t random_bits(Rng& rng, Type type, bool exact) {
  if (exact && type.is_float()) return bits_of_float(type, rng.between(-9, 9));
  if (exact && type.is_int()) return bits_of_int(type, rng.between(-9, 9));
  if (type.is_float()) return random_float_bits(rng, type);
  if (type.is_bool()) return static_cast<uint64_t>(rng.below(2));
  if (rng.chance(10)) return bits_of_int(type, static_cast<int64_t>(rng.bits()));
  return bits_of_int(type, rng.between(-9, 30));
}

// An index in scope and the number of its values.
struct Axis {
  Expr index;
  Expr extent;
};

class Generator {
 public:
  explicit Generator(Rng& rng) : rng_(rng), rare_(Rng(rng).bits()), exact_(rng.chance(40)) {}

  RandomCase make() {
    make_extents();
    const int inputs = rng_.between(1, 3);
    for (int i = 0; i < inputs; ++i) make_input();
    if (rng_.chance(25)) make_scalar();
    if (!exact_ && rng_.chance(10)) make_quantized();
    if (rng_.chance(25)) make_table();
    const bool in_place = rng_.chance(25);
    if (in_place) tensors_.push_back(inout("state", rng_.pick(types()), random_shape(3)));
    const Tensor state = tensors_.back();
    const int stages = rng_.between(1, 4), written = in_place ? rng_.below(stages) : -1;
    for (int s = 0; s < stages; ++s) s == written ? make_in_place(state) : make_stage(s);
    // The last stage is an output, and sometimes earlier ones are as well.
    std::vector<Tensor> outputs = {tensors_.back()};
    for (const Tensor& t : tensors_) {
      if (t.is_computed() && !(t.buffer() == tensors_.back().buffer()) &&
          (t.role() == Role::kInOut || rng_.chance(15))) {
        outputs.push_back(t);
      }
    }
    RandomCase c;
    c.exact = exact_;
    c.forms = forms_;
    c.program = program("random", inputs_, outputs);
    std::vector<std::pair<Var, int64_t>> all, constants;
    for (const Var& size : c.program->sizes) {
      const int64_t value = value_of(size);
      all.emplace_back(size, value);
      // A call reads sizes off its arguments: one that none of them shows has to be specialised.
      if (rng_.chance(70) || !shows_size(*c.program, size)) constants.emplace_back(size, value);
    }
    c.sizes = Sizes(all);
    c.constants = Sizes(constants);
    return c;
  }

 private:
  const std::vector<Type>& types() const { return exact_ ? kExactKinds : kAllKinds; }

  // Extents are sizes or constants; tensors share them, so that they can be read together.
  void make_extents() {
    constexpr int kValues[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19};
    const char* names[] = {"m", "n", "k"};
    for (const char* name : names) {
      int value = rng_.chance(6) ? kValues[rng_.below(2)] : kValues[rng_.between(2, 13)];
      // Long enough for whole vectors and steady parts around a tail.
      if (extents_.empty() && rng_.chance(12)) value = rng_.pick(std::vector{31, 33, 40, 67});
      if (rng_.chance(60)) {
        const Size size(name);
        sizes_.emplace_back(size, value);
        extents_.push_back(Expr(size));
      } else {
        extents_.push_back(Expr(static_cast<int64_t>(std::max(1, value))));
      }
    }
  }

  int64_t value_of(const Var& size) const {
    for (const auto& [var, value] : sizes_) {
      if (var == size) return value;
    }
    return 0;
  }

  std::vector<Expr> random_shape(int max_rank) {
    std::vector<Expr> shape;
    const int rank = rng_.chance(4) ? rng_.between(4, 8) : rng_.between(0, max_rank);
    for (int d = 0; d < rank; ++d) {
      shape.push_back(rank > 3 ? Expr(rng_.between(1, 2)) : rng_.pick(extents_));
    }
    return shape;
  }

  // A dimension of an input that is read by windows, by steps, or by the sum of two indices.
  Expr stretched(const Expr& extent) {
    Stretched s{Expr(), extent, rng_.pick(extents_), rng_.below(3)};
    switch (s.kind) {
      case 0: s.extent = extent + 2; break;              // i, i + 1, i + 2
      case 1: s.extent = extent * 2; break;              // 2i, 2i + 1
      default: s.extent = max(extent + s.other - 1, 0);  // i + r
    }
    stretched_.push_back(s);
    return s.extent;
  }

  void make_input() {
    const std::string name = "x" + std::to_string(inputs_.size());
    const Type type = rng_.pick(types());
    std::vector<Expr> shape = random_shape(3);
    const bool is_weight = rng_.chance(30);
    for (Expr& extent : shape) {
      // To pack a weight, its sizes must be whole dimensions of it.
      if (!is_weight && shape.size() <= 3 && rng_.chance(15)) extent = stretched(extent);
    }
    const Tensor t = is_weight ? weight(name, type, shape) : input(name, type, shape);
    tensors_.push_back(t);
    inputs_.push_back(t);
  }

  void make_scalar() {
    scalars_.push_back(scalar("s", rng_.pick(types())));
    inputs_.push_back(scalars_.back());
  }

  // Weights in few bits: their codes, and their scales and zero points.
  void make_quantized() {
    constexpr int kBits[] = {1, 2, 4, 8};
    constexpr QuantizedFormat::Zero kZeros[] = {QuantizedFormat::Zero::kNone,
                                                QuantizedFormat::Zero::kCodes,
                                                QuantizedFormat::Zero::kValues};
    QuantizedFormat format;
    format.bits = kBits[rng_.below(4)];
    format.is_signed = rng_.chance(40);
    format.group = rng_.pick(std::vector<int64_t>{0, 2, 4, 8});
    format.zero = kZeros[rng_.below(3)];
    format.scale = rng_.chance(50) ? f32 : f16;
    quantized_ = quantized("q", {rng_.pick(extents_), rng_.pick(extents_)}, format);
    inputs_.push_back(quantized_->codes());
    inputs_.push_back(quantized_->scales());
    if (format.zero != QuantizedFormat::Zero::kNone) inputs_.push_back(quantized_->zeros());
  }

  void make_table() {
    std::vector<int64_t> shape(static_cast<size_t>(rng_.below(3)));
    int64_t elements = 1;
    for (int64_t& extent : shape) elements *= extent = rng_.between(1, 9);
    const Type type = rng_.pick(types());
    std::vector<uint64_t> bits(static_cast<size_t>(elements));
    for (uint64_t& value : bits) value = random_bits(rng_, type, exact_);
    forms_.insert("table");
    tensors_.push_back(dsl::make_table("lut", type, shape, std::move(bits)));
  }

  // From here on the state is read as it becomes; what was computed before may have read it as it
  // was.
  void make_in_place(const Tensor& state) {
    forms_.insert("inout");
    const auto value = [&](Index i) {
      const std::vector<Axis> axes = axes_of(i, state.shape());
      if (!state.type().is_bool() && rng_.chance(25)) return reduction(state.type(), axes);
      return binary_of(state.type(), state(i), expression(state.type(), axes, 2));
    };
    const Tensor next = has_plain_shape(state) && rng_.chance(40)
                            ? update(state, random_scatter(state))
                            : compute(state, value);
    std::erase_if(tensors_, [&](const Tensor& t) { return t.buffer() == state.buffer(); });
    tensors_.push_back(next);
  }

  static std::vector<Axis> axes_of(const Index& i, const std::vector<Expr>& shape) {
    std::vector<Axis> axes;
    for (int d = 0; d < i.size(); ++d) axes.push_back({i[d], shape[static_cast<size_t>(d)]});
    return axes;
  }

  // One stage out of two, one behind the other.
  void make_concat(const std::string& name) {
    const Type type = rng_.pick(types());
    const Expr other = rng_.pick(extents_);
    const bool columns = rng_.chance(50);
    const int dim = columns ? rng_.below(2) : 0;
    std::vector<Tensor> pieces;
    for (const char* part : {"_head", "_rest"}) {
      std::vector<Expr> shape = {rng_.pick(extents_)};
      if (rng_.chance(20)) shape[0] = shape[0] + 1;
      if (columns) shape.insert(shape.begin() + (1 - dim), other);
      pieces.push_back(compute(name + part, shape,
                               [&](Index i) { return expression(type, axes_of(i, shape), 1); }));
    }
    forms_.insert("concat");
    tensors_.push_back(concat(name, dim, pieces));
  }

  // Two tensors of one nest.
  void make_several(const std::string& name) {
    const std::vector<Expr> shape = random_shape(2);
    const Type first = rng_.pick(types()), second = rng_.pick(types());
    forms_.insert("several");
    const auto [a, b] = compute<2>({name, name + "_other"}, shape, [&](Index i) -> Values {
      const std::vector<Axis> axes = axes_of(i, shape);
      return {expression(first, axes, 2), expression(second, axes, 1)};
    });
    tensors_.push_back(b);
    tensors_.push_back(a);
  }

  // A recurrence with one state, of rank 0 or 1, which a step may read at its other end.
  void make_scan(const std::string& name) {
    std::vector<Expr> outer = random_shape(2), around;
    if (outer.size() > 2) outer.resize(2);
    const Expr steps = rng_.pick(extents_);
    around = outer;
    around.push_back(steps);
    std::vector<Expr> own;
    if (rng_.chance(60)) own.push_back(rng_.pick(extents_));
    Type type = rng_.pick(types());
    if (type.is_bool()) type = i32;
    const auto with_own = [&](std::vector<Expr> shape) {
      shape.insert(shape.end(), own.begin(), own.end());
      return shape;
    };
    const auto init = [&](Index at) { return expression(type, axes_of(at, with_own(outer)), 1); };
    const auto step = [&](Index at, const Carried& now) -> Next {
      return {compute(name + "_next", own, [&](Index j) {
        const Expr e = expression(type, axes_of(at + j, with_own(around)), 1);
        Index place = j;
        if (!own.empty() && rng_.chance(40)) place = Index{own[0] - 1 - j[0]};
        const Expr old = now[0](place);
        if (!own.empty() && rng_.chance(25)) {
          return max(e, max_over(own, [&](Index r) { return now[0](r); }));
        }
        // In a product values would soon be inexact.
        return exact_ ? (rng_.chance(50) ? old + e : min(old, e)) : binary_of(type, old, e);
      })};
    };
    forms_.insert("scan");
    const Direction direction = rng_.chance(30) ? Direction::kBackward : Direction::kForward;
    const std::vector<Carry> carried = {carry(name + "_state", own, init)};
    // A bound on the axis, by data where there is any; or a condition on the state itself.
    const auto where = [&](Index at, const Carried& now) {
      const std::optional<Expr> data = an_i32(axes_of(at.first(at.size() - 1), outer));
      const Expr t = at[at.size() - 1];
      const Expr bound = data ? t < *data : t < Expr(rng_.between(0, 9));
      if (own.empty() && rng_.chance(40)) return bound | (now[0]() < cast(type, Expr(3)));
      return rng_.chance(70) ? bound : condition(axes_of(at, around), 1);
    };
    const bool is_part = rare_.chance(40);
    if (is_part) forms_.insert("scan of some steps");
    const auto [state] = is_part ? scan<1>(outer, steps, carried, step, where, direction)
                                 : scan<1>(outer, steps, carried, step, direction);
    switch (rng_.below(3)) {
      case 0: tensors_.push_back(state.after(name)); break;
      case 1: tensors_.push_back(state.before(name)); break;
      default: tensors_.push_back(state.last(name)); break;
    }
  }

  // Sizes and constants: a store is proved for these.
  static bool has_plain_shape(const Tensor& t) {
    return std::none_of(t.shape().begin(), t.shape().end(),
                        [](const Expr& extent) { return extent.is<Binary>(); });
  }

  // Stores or accumulations at indices that are data, or a stride.
  Scatter random_scatter(const Tensor& init) {
    const Type type = init.type();
    const std::vector<Expr> extents = {rng_.pick(extents_)};
    const auto some = [&](Index) {
      Expr all = init.shape()[0] > 0;
      for (const Expr& extent : init.shape()) all = all & (extent > 0);
      return all;
    };
    const auto index = [&](Index r) {
      std::vector<Expr> at;
      for (const Expr& extent : init.shape()) {
        at.push_back(an_i32(axes_of(r, extents)).value_or(r[0] * rng_.between(1, 3)) % extent);
      }
      return at;
    };
    const auto value = [&](Index r) { return expression(type, axes_of(r, extents), 1); };
    constexpr Reducer kOps[] = {Reducer::kSum, Reducer::kMax, Reducer::kMin};
    const Domain domain = init.rank() == 0 ? Domain(extents) : Domain(extents).where(some);
    const bool accumulates = !type.is_bool() && rng_.chance(60);
    forms_.insert(accumulates ? "accumulating update" : "storing update");
    return accumulates ? scatter(domain, index, value, kOps[rng_.below(3)])
                       : scatter(domain, index, value);
  }

  // The greatest value that meets each place, and the element that it came with.
  void make_reducing_update(const std::string& name) {
    Type type = rng_.pick(types());
    if (type.is_bool()) type = i32;
    const Expr extent = rng_.pick(extents_), elements = rng_.pick(extents_);
    const auto greater = [&](const Values& s, const Values& v) -> Values {
      // A NaN is never greater, and never taken.
      const Expr takes = s[0] < v[0];
      return {select(takes, v[0], s[0]), select(takes, v[1], s[1])};
    };
    const auto join = [&](const Values& s, const Values& t) -> Values {
      const Expr takes = (s[0] < t[0]) | ((s[0] == t[0]) & (t[1] < s[1]));
      return {select(takes, t[0], s[0]), select(takes, t[1], s[1])};
    };
    const Expr lowest = identity_of(Reducer::kMax, type);
    const Reduction best = reducer("best", {lowest, Expr(std::numeric_limits<int64_t>::max())},
                                   {type, i64}, greater, join);
    const Tensor values = compute(name + "_lowest", {extent}, [&](Expr) { return lowest; });
    const Tensor places = compute(name + "_none", {extent}, [&](Expr) { return Expr(-1); });
    const Domain domain = Domain(elements).where([&](Expr) { return extent > 0; });
    const auto index = [&](Expr r) {
      return an_i32({{r, elements}}).value_or(r * rng_.between(1, 3)) % extent;
    };
    const auto element = [&](Expr r) -> Values {
      return {expression(type, {{r, elements}}, 1), r};
    };
    forms_.insert("reducing update");
    const auto [value, at] =
        update<2>({name, name + "_at"}, {values, places}, scatter(domain, index, element, best));
    if (rng_.chance(70)) tensors_.push_back(at);
    tensors_.push_back(value);
  }

  // What a C function makes of another tensor: of all of it, or of each row.
  void make_extern(const std::string& name) {
    const Tensor of = rng_.pick(tensors_);
    const ExternResult result{name, of.type(), of.shape()};
    forms_.insert("extern");
    if (of.rank() == 0 || rng_.chance(30)) {
      tensors_.push_back(extern_call(reversed(), result, {of}));
      return;
    }
    const auto row = [&](Expr i) -> Parts {
      std::vector<Part> from(static_cast<size_t>(of.rank()), kWhole), to = from;
      to[0] = i;
      from[0] = of.size(0) - 1 - i;
      return {.writes = {to}, .reads = {from}};
    };
    tensors_.push_back(extern_call(reversed(), result, {of}, of.size(0), row));
  }

  // The stage before, element by element: the two may share memory.
  void make_next_of(const Tensor& last, const std::string& name) {
    tensors_.push_back(compute(name, last.shape(), [&](Index i) {
      std::vector<Axis> axes;
      for (int d = 0; d < i.size(); ++d) {
        axes.push_back({i[d], last.shape()[static_cast<size_t>(d)]});
      }
      return binary_of(last.type(), last(i), expression(last.type(), axes, 1));
    }));
  }

  // A stage that is a little wider, and one that reads windows of it.
  void make_window(const std::string& name) {
    const Type type = rng_.pick(types());
    const Expr extent = rng_.pick(extents_), other = rng_.pick(extents_);
    const int width = rng_.between(1, 3);
    const bool rows = rng_.chance(50);
    const auto shape = [&](const Expr& first) {
      return rows ? std::vector<Expr>{first, other} : std::vector<Expr>{first};
    };
    const Tensor wide = compute(name + "_wide", shape(extent + width), [&](Index i) {
      std::vector<Axis> axes = {{i[0], extent + width}};
      if (rows) axes.push_back({i[1], other});
      return binary_of(type, cast(type, i[0]), expression(type, axes, 2));
    });
    const int by = rng_.between(1, width);
    const bool is_slice = rng_.chance(40);
    forms_.insert(is_slice ? "slice" : "window");
    const Tensor part = is_slice ? slice(wide, 0, by, extent + by) : wide;
    tensors_.push_back(compute(name, shape(extent), [&](Index i) {
      return binary_of(type, wide(i), part(is_slice ? i : i.with(0, i[0] + by)));
    }));
  }

  void make_stage(int number) {
    const std::string name = "t" + std::to_string(number);
    if (number > 0 && rng_.chance(40)) return make_next_of(Tensor(tensors_.back()), name);
    if (rng_.chance(15)) return make_window(name);
    if (rng_.chance(8)) return make_scan(name);
    if (rng_.chance(5)) return make_concat(name);
    if (rng_.chance(5)) return make_several(name);
    if (rare_.chance(4)) return make_reducing_update(name);
    if (rare_.chance(4)) return make_extern(name);
    const Tensor other = rng_.pick(tensors_);
    if (rng_.chance(8) && has_plain_shape(other)) {
      tensors_.push_back(update(name, other, random_scatter(other)));
      return;
    }
    const std::vector<Expr> shape = random_shape(3);
    tensors_.push_back(compute(name, shape, [&](Index i) {
      const std::vector<Axis> axes = axes_of(i, shape);
      const Type type = rng_.pick(types());
      if (!type.is_bool() && rng_.chance(35)) return reduction(type, axes);
      return expression(type, axes, rng_.between(1, 3));
    }));
  }

  Expr reduction(Type type, const std::vector<Axis>& axes) {
    std::vector<Expr> extents = {rng_.pick(extents_)};
    if (rng_.chance(20)) extents.push_back(rng_.pick(extents_));
    // A triangle: as far as an index around, which is inside of that index's extent.
    std::vector<Expr> inside = extents;
    if (!axes.empty() && rng_.chance(15)) {
      const Axis& axis = rng_.pick(axes);
      forms_.insert("triangle");
      extents[0] = axis.index + 1;
      inside[0] = axis.extent;
    }
    if (rng_.chance(25)) {
      const std::optional<Expr> data = an_i32(axes);
      if (data) forms_.insert("at_most");
      if (data) extents[0] = at_most(*data % (inside[0] + 1), inside[0]);
    }
    const auto element = [&](Index r) {
      std::vector<Axis> inner = axes;
      for (int d = 0; d < r.size(); ++d) inner.push_back({r[d], inside[static_cast<size_t>(d)]});
      return expression(type, inner, 2);
    };
    Domain domain(extents);
    if (rng_.chance(20)) domain = domain.where([&](Index r) { return part_of(r, axes); });
    if (rng_.chance(20)) domain = domain.where([&](Index r) { return part_of(r, axes); });
    if (rng_.chance(20)) return extremum(type, domain, element);
    switch (exact_ ? rng_.between(1, 3) : rng_.below(4)) {
      case 0: return prod(domain, element);
      case 1: return max_over(domain, element);
      case 2: return min_over(domain, element);
      default: return sum(domain, element);
    }
  }

  // A triangle, a window that a border clips, a residue class, or a condition on data.
  Expr part_of(const Index& r, const std::vector<Axis>& axes) {
    forms_.insert("where");
    const Expr axis = r[rng_.below(r.size())];
    const Expr other = axes.empty() ? Expr(rng_.between(0, 5)) : rng_.pick(axes).index;
    const Expr c(rng_.between(-2, 2)), step(rng_.between(2, 3));
    switch (rng_.below(5)) {
      case 0: return axis <= other + c;
      case 1: return other + c < axis;
      case 2: return tenon::inside(other + axis + c, rng_.pick(extents_));
      case 3: return (other - axis) % step == Expr(rng_.below(2));
      default: return condition(axes, 1);
    }
  }

  // One result of a reduction by functions, or both.
  template <class Element>
  Expr extremum(Type type, const Domain& domain, const Element& element) {
    forms_.insert("reduction by functions");
    const Tie tie = rng_.chance(50) ? Tie::kFirst : Tie::kLast;
    const Extremum best = rng_.chance(50) ? max_with_index(domain, element, tie)
                                          : min_with_index(domain, element, tie);
    switch (rng_.below(3)) {
      case 0: return best.value;
      case 1: return cast(type, best.index);
      default: return select(best.index < 2, best.value, cast(type, best.index));
    }
  }

  Expr expression(Type type, const std::vector<Axis>& axes, int depth) {
    if (depth == 0) return leaf(type, axes);
    const auto sub = [&](Type t) { return expression(t, axes, depth - 1); };
    switch (rng_.below(10)) {
      case 0: return select(condition(axes, depth - 1), sub(type), sub(type));
      case 1: return cast_of(type, sub(rng_.pick(types())));
      case 2: return unary_of(type, sub(type));
      case 3: return guarded_shift(type, axes);
      case 4: return leaf(type, axes);
      default: return binary_of(type, sub(type), sub(type));
    }
  }

  Expr cast_of(Type type, const Expr& e) {
    if (exact_) return cast(type, e);
    if (rng_.chance(20) && e.type().bytes() == type.bytes() && !type.is_bool() &&
        !e.type().is_bool()) {
      forms_.insert("bitcast");
      // Which NaN an operation gives is not specified.
      const Expr zero = cast(e.type(), Expr(0));
      return bitcast(type, e.type().is_float() ? select(e == e, e, zero) : e);
    }
    const bool saturates = rng_.chance(25);
    if (saturates) forms_.insert("saturating cast");
    return saturates ? saturating_cast(type, e) : cast(type, e);
  }

  Expr unary_of(Type type, const Expr& a) {
    if (type.is_bool()) return ~a;
    if (exact_) return unary(rng_.chance(50) ? UnaryOp::kNeg : UnaryOp::kAbs, a);
    if (type.is_int()) {
      constexpr UnaryOp kOps[] = {UnaryOp::kNeg, UnaryOp::kNot, UnaryOp::kAbs};
      return unary(kOps[rng_.below(3)], a);
    }
    for (;;) {
      const auto op = static_cast<UnaryOp>(rng_.below(kUnaryOpCount));
      if (accepts(op, type)) return unary(op, a);
    }
  }

  Expr binary_of(Type type, const Expr& a, const Expr& b) {
    static const std::vector<BinaryOp> kAll = {
        BinaryOp::kAdd,      BinaryOp::kSub,      BinaryOp::kMul,      BinaryOp::kAdd,
        BinaryOp::kMul,      BinaryOp::kDiv,      BinaryOp::kFloorDiv, BinaryOp::kFloorMod,
        BinaryOp::kTruncDiv, BinaryOp::kTruncRem, BinaryOp::kMin,      BinaryOp::kMax,
        BinaryOp::kPow,      BinaryOp::kBitAnd,   BinaryOp::kBitOr,    BinaryOp::kBitXor,
        BinaryOp::kShl,      BinaryOp::kShr};
    static const std::vector<BinaryOp> kExact = {BinaryOp::kAdd,    BinaryOp::kSub,
                                                 BinaryOp::kMin,    BinaryOp::kMax,
                                                 BinaryOp::kBitAnd, BinaryOp::kBitOr};
    if (exact_ && type.is_float() && rng_.chance(20)) return a * literal(type);
    for (;;) {
      const BinaryOp op = rng_.pick(exact_ ? kExact : kAll);
      if (accepts(op, type)) return binary(op, a, b);
    }
  }

  Expr condition(const std::vector<Axis>& axes, int depth) {
    if (!axes.empty() && rng_.chance(50)) {
      const Axis& axis = rng_.pick(axes);
      return rng_.chance(50) ? axis.index < Expr(rng_.between(0, 9))
                             : Expr(rng_.between(0, 9)) <= axis.index;
    }
    const Type type = rng_.pick(types());
    const Expr a = expression(type, axes, depth), b = expression(type, axes, depth);
    constexpr BinaryOp kOps[] = {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq, BinaryOp::kNe};
    return binary(kOps[rng_.below(4)], a, b);
  }

  Expr literal(Type type) {
    if (type.is_bool()) return constant_int(type, rng_.below(2));
    if (type.is_int()) return constant_int(type, rng_.between(-3, 9));
    if (exact_) return constant_float(type, rng_.between(-2, 3));
    constexpr double kValues[] = {-0.0, 0.0, 1.0, -1.0, 0.5, 2.0, 3.25, -7.5, 1e-3, 1e30};
    return constant_float(type, kValues[rng_.below(10)]);
  }

  Expr leaf(Type type, const std::vector<Axis>& axes) {
    if (rng_.chance(8)) return literal(type);
    if (!scalars_.empty() && rng_.chance(10)) return cast(type, scalars_[0]);
    if (!axes.empty() && rng_.chance(8)) return cast(type, rng_.pick(axes).index);
    if (quantized_ && rng_.chance(25)) {
      const std::optional<Index> at = readable(quantized_->shape(), axes);
      if (at) forms_.insert("quantized");
      if (at) return cast(type, (*quantized_)(*at));
    }
    const Tensor& t = rng_.pick(tensors_);
    const std::optional<Index> index = readable(t.shape(), axes);
    return index ? cast(type, t(*index)) : literal(type);
  }

  // Indices that stay inside: an axis with the same extent (or reversed), or a constant.
  std::optional<Index> readable(const std::vector<Expr>& shape, const std::vector<Axis>& axes) {
    std::vector<Expr> indices;
    for (const Expr& extent : shape) {
      std::vector<Expr> choices;
      for (const Axis& axis : axes) {
        if (!equal(axis.extent, extent)) continue;
        choices.insert(choices.end(), 5, axis.index);
        choices.push_back(extent - 1 - axis.index);
      }
      add_stretched(extent, axes, choices);
      const std::optional<int64_t> constant = as_int(extent);
      if (constant && *constant > 0) {
        choices.push_back(Expr(rng_.between(0, static_cast<int>(*constant) - 1)));
        for (const Axis& axis : axes) {
          choices.push_back(axis.index % extent);
          choices.push_back(min(axis.index, extent - 1));
        }
        if (rng_.chance(10)) choices = {gather(*constant, axes)};
      }
      if (choices.empty()) return std::nullopt;
      indices.push_back(rng_.pick(choices));
    }
    return Index(indices);
  }

  void add_stretched(const Expr& extent, const std::vector<Axis>& axes,
                     std::vector<Expr>& choices) {
    for (const Stretched& s : stretched_) {
      if (!equal(s.extent, extent)) continue;
      for (const Axis& axis : axes) {
        if (!equal(axis.extent, s.base)) continue;
        if (s.kind == 0) choices.push_back(axis.index + rng_.between(0, 2));
        if (s.kind == 1) choices.push_back(axis.index * 2 + rng_.between(0, 1));
        if (s.kind != 2) continue;
        for (const Axis& second : axes) {
          if (equal(second.extent, s.other)) choices.push_back(axis.index + second.index);
        }
      }
    }
  }

  // An index that is data: an i32 expression brought into range.
  Expr gather(int64_t extent, const std::vector<Axis>& axes) {
    const std::optional<Expr> data = an_i32(axes);
    if (data) forms_.insert("gather");
    return data ? *data % Expr(static_cast<int>(extent)) : Expr(0);
  }

  // An element of an input of type i32.
  std::optional<Expr> an_i32(const std::vector<Axis>& axes) {
    for (const Tensor& t : tensors_) {
      if (t.type() != i32 || t.is_computed()) continue;
      std::vector<Expr> indices;
      for (const Expr& e : t.shape()) {
        for (const Axis& axis : axes) {
          if (equal(axis.extent, e)) {
            indices.push_back(axis.index);
            break;
          }
        }
      }
      if (indices.size() == t.shape().size()) return t(Index(indices));
    }
    return std::nullopt;
  }

  // select(in range, t(i + shift), padding): a window with a border.
  Expr guarded_shift(Type type, const std::vector<Axis>& axes) {
    if (axes.empty()) return literal(type);
    const Tensor& t = rng_.pick(tensors_);
    const std::optional<Index> index = readable(t.shape(), axes);
    if (!index || t.rank() == 0) return literal(type);
    const int d = rng_.below(t.rank());
    const Expr at = (*index)[d] + Expr(rng_.between(-2, 2));
    if (rng_.chance(40) && as_int(t.size(d)).value_or(0) > 0) {
      using Border = Tensor (*)(const Tensor&, const std::vector<int>&);
      const auto [name, pad] = rng_.pick(std::vector<std::pair<const char*, Border>>{
          {"pad_edge", pad_edge}, {"pad_reflect", pad_reflect}, {"pad_wrap", pad_wrap}});
      forms_.insert(name);
      return cast(type, pad(t, {d})(index->with(d, at)));
    }
    forms_.insert("pad_constant");
    if (rng_.chance(40)) {
      return cast(type, pad_constant(t, literal(t.type()), {d})(index->with(d, at)));
    }
    return select(tenon::inside(at, t.size(d)), cast(type, t(index->with(d, at))), literal(type));
  }

  struct Stretched {
    Expr extent, base, other;
    int kind;
  };

  Rng& rng_;
  Rng rare_;  // says where rare forms stand, so that programs without them stay what they were
  bool exact_;
  std::vector<Stretched> stretched_;
  std::vector<std::pair<Var, int64_t>> sizes_;
  std::vector<Expr> extents_;
  std::vector<Tensor> tensors_;
  std::vector<Expr> scalars_;
  std::optional<QuantizedTensor> quantized_;
  std::vector<ProgramInput> inputs_;
  std::set<std::string> forms_;
};

}  // namespace

// Gives a name to some index arithmetic of some statements, which only text can do.
Program with_some_names(Rng& rng, const Program& program) {
  const auto name_part = [&](const Stmt& s) {
    if (s.is<For>() || s.is<Seq>() || s.is<Alloc>() || !rng.chance(40)) return s;
    std::vector<Expr> parts;
    const auto collect = [&](const Expr& e) {
      walk(e, [&](const Expr& x) {
        if (x.type() == i64 && x.is<Binary>() && !touches_memory(x)) parts.push_back(x);
      });
    };
    for_each_child(s, collect, [](const Stmt&) {});
    if (parts.empty()) return s;
    const Expr part = rng.pick(parts);
    const Var name("v");
    const Stmt named = rewrite(s, [&](const Expr& x) { return equal(x, part) ? Expr(name) : x; });
    return seq({bind(name, part), named});
  };
  return program.with_body(rewrite_stmts(program->body, name_part));
}

bool shows_size(const ProgramData& program, const Var& size) {
  const auto hides = [&](const Expr& extent) { return !extent.is<VarRef>() && uses(extent, size); };
  for (const Param& param : program.params) {
    if (param.role != Role::kWeight) continue;
    // What packs a weight sees nothing else.
    if (std::any_of(param.shape.begin(), param.shape.end(), hides)) return false;
  }
  for (const Param& param : program.params) {
    if (param.role == Role::kWeight) continue;  // its stored form may not show it
    for (const Expr& extent : param.shape) {
      const VarRef* ref = extent.as<VarRef>();
      if (ref && ref->var == size) return true;
    }
  }
  return false;
}

RandomCase random_case(Rng& rng) {
  RandomCase c = Generator(rng).make();
  if (rng.chance(20)) {
    c.program = with_some_names(rng, c.program);
    c.forms.insert("named values");
  }
  return c;
}

std::vector<Array> random_data(Rng& rng, const RandomCase& c) {
  std::vector<Array> data;
  for (const Param& param : c.program->params) {
    std::vector<int64_t> shape;
    for (const Expr& extent : param.shape) {
      shape.push_back(std::max<int64_t>(0, evaluate_int(extent, c.sizes).value_or(0)));
    }
    const Type type = param.buffer ? param.buffer.type() : param.scalar.type();
    data.emplace_back(type, shape);
    for (int64_t e = 0; e < data.back().elements(); ++e) {
      data.back().set_bits(e, random_bits(rng, type, c.exact));
    }
  }
  return data;
}

std::vector<InterpArgument> arguments_of(const Program& program, std::vector<Array>& data) {
  std::vector<InterpArgument> arguments;
  for (size_t p = 0; p < data.size(); ++p) {
    if (program->params[p].buffer) {
      arguments.emplace_back(&data[p]);
    } else {
      arguments.emplace_back(constant_bits(data[p].type(), data[p].bits(0)));
    }
  }
  return arguments;
}

}  // namespace tenon::test
