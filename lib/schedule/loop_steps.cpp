// The steps that rearrange and mark loops.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/run_step.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

// The iterations of each loop that a list of factors asks for, outermost first; those of the
// outermost one follow from the others.
absl::StatusOr<std::vector<int64_t>> iterations_of(const Program& program, const Var& loop,
                                                   std::vector<int64_t> factors) {
  for (const int64_t factor : factors) {
    if (factor >= 1 || factor == kInferred) continue;
    return refuse("the factors of a split must be at least 1, and one is " +
                  std::to_string(factor));
  }
  const auto inferred = std::find(factors.begin(), factors.end(), kInferred);
  if (inferred == factors.end()) {
    factors.insert(factors.begin(), kInferred);
    return factors;
  }
  if (std::find(inferred + 1, factors.end(), kInferred) != factors.end()) {
    return refuse("only one factor of a split can be inferred");
  }
  if (inferred == factors.begin()) return factors;
  const std::optional<LoopSite> site = find_loop(program, loop);
  const std::optional<int64_t> extent =
      site ? primitives::constant_extent(site->loop, site->facts) : std::nullopt;
  if (!extent) {
    return refuse("only the outermost factor can be inferred: the number of iterations of loop " +
                  primitives::name_in(program, loop) + " is not a constant");
  }
  int64_t rest = *extent;
  for (const int64_t factor : factors) {
    if (factor != kInferred) rest = rest / factor + (rest % factor != 0);
  }
  *inferred = std::max<int64_t>(rest, 1);
  return factors;
}

// The product of the factors behind position k; larger than any factor where it overflows.
int64_t product_behind(const std::vector<int64_t>& factors, size_t k) {
  int64_t product = 1;
  for (size_t i = k + 1; i < factors.size(); ++i) {
    if (__builtin_mul_overflow(product, factors[i], &product)) return INT64_MAX;
  }
  return product;
}

}  // namespace

std::pair<Loop, Loop> Schedule::split(Loop loop, const Factor& factor, Place place) {
  return divide("split(" + name_of(loop) + ", " + factor.text() + ")", loop, place, "split it into",
                [&] { return primitives::split(program_, loop.var(), factor.value()); });
}

std::pair<Loop, Loop> Schedule::split(Loop loop, const Factor& factor, Tail tail, Place place) {
  if (tail == Tail::kGuard) return split(loop, factor, place);
  const std::string start = "split(" + name_of(loop) + ", " + factor.text();
  if (tail == Tail::kPerfect) {
    return divide(start + ", perfect)", loop, place, "split it into",
                  [&] { return primitives::split_evenly(program_, loop.var(), factor.value()); });
  }
  Derived derived(*this, start + ", cut)", place);
  Loop tiled = loop;
  // What is wrong with the loop or the factor is said by the split.
  if (const auto site = find_loop(program_, loop.var()); site && factor.value() >= 1) {
    const Expr extent = primitives::extent_of(site->loop, site->facts);
    const Expr tiles = extent / Expr(factor.value());
    tiled =
        cut(loop, simplify(site->loop.lo + tiles * Expr(factor.value()), site->facts), place).first;
  }
  const std::pair<Loop, Loop> loops = split(tiled, factor, place);
  if (!derived.finish()) return {dummy_loop(), dummy_loop()};
  return loops;
}

std::vector<Loop> Schedule::split(Loop loop, const Factors& given, Place place) {
  const std::string action = "split(" + name_of(loop) + ", " + given.text() + ")";
  const std::vector<int64_t> factors = given.values();
  Derived derived(*this, action, place);
  absl::Status wrong = require_loops({loop});
  const auto counts = iterations_of(program_, loop.var(), factors);
  if (wrong.ok()) wrong = counts.status();
  if (status_.ok() && !wrong.ok()) refuse_step(wrong, action, place);
  std::vector<Loop> loops;
  for (size_t k = 0; status_.ok() && k + 1 < counts->size(); ++k) {
    const auto [outer, inner] = split(loop, product_behind(*counts, k), place);
    loops.push_back(outer);
    loop = inner;
  }
  loops.push_back(loop);
  if (derived.finish()) return loops;
  const bool inferred = std::find(factors.begin(), factors.end(), kInferred) != factors.end();
  return dummy_loops(factors.size() + (inferred ? 0 : 1));
}

Loop Schedule::fuse(Loop outer, Loop inner, Place place) {
  return unite("fuse(" + names_of({outer, inner}) + ")", outer, inner, place, "fused it into",
               [&] { return primitives::fuse(program_, outer.var(), inner.var()); });
}

void Schedule::reorder(const std::vector<Loop>& order, Place place) {
  change("reorder(" + names_of(order) + ")", order, place,
         [&] { return primitives::reorder(program_, vars_of(order)); });
}

std::array<Loop, 4> Schedule::tile(Loop i, Loop j, const Factor& i_factor, const Factor& j_factor,
                                   Place place) {
  const std::string action =
      "tile(" + names_of({i, j}) + ", " + i_factor.text() + ", " + j_factor.text() + ")";
  Derived derived(*this, action, place);
  const auto [io, ii] = split(i, i_factor, place);
  const auto [jo, ji] = split(j, j_factor, place);
  reorder({io, jo, ii, ji}, place);
  if (!derived.finish()) return {dummy_loop(), dummy_loop(), dummy_loop(), dummy_loop()};
  return {io, jo, ii, ji};
}

std::pair<Loop, Loop> Schedule::cut(Loop loop, Expr at, Place place) {
  at = with_sizes(at);
  const std::string where = at ? print(at, program_) : "?";
  return divide("cut(" + name_of(loop) + ", " + where + ")", loop, place, "cut it into",
                [&] { return primitives::cut(program_, loop.var(), at); });
}

std::pair<Loop, Loop> Schedule::fission(Loop loop, int statements, Place place) {
  return divide("fission(" + name_of(loop) + ", " + std::to_string(statements) + ")", loop, place,
                "divided it into",
                [&] { return primitives::fission(program_, loop.var(), statements); });
}

Loop Schedule::merge(Loop first, Loop second, Place place) {
  return unite("merge(" + names_of({first, second}) + ")", first, second, place, "merged it into",
               [&] { return primitives::merge(program_, first.var(), second.var()); });
}

void Schedule::relax(Loop loop, Place place) {
  mark("relax", std::move(loop), place,
       [](const Program& p, const Var& var) { return primitives::relax(p, var); });
}

void Schedule::relax(Loop loop, Loop over, Place place) {
  change("relax(" + names_of({loop, over}) + ")", {loop, over}, place,
         [&] { return primitives::relax(program_, loop.var(), over.var()); });
}

Loop Schedule::add_unit_loop(Loop loop, Place place) {
  const std::string action = "add_unit_loop(" + name_of(loop) + ")";
  const auto done =
      run(action, {loop}, place, [&] { return primitives::add_unit_loop(program_, loop.var()); });
  if (!done) return dummy_loop();
  record(action, place, program_, {{done->loop}, {}, ""});
  return Loop(done->loop);
}

void Schedule::squash(Loop loop, Place place) {
  const std::string action = "squash(" + name_of(loop) + ")";
  const Program before = program_;
  const auto done =
      run(action, {loop}, place, [&] { return primitives::squash(program_, loop.var()); });
  if (done) record(action, place, before, {{}, {loop.var()}, "squashed it"});
}

void Schedule::shift(Loop loop, Expr by, Place place) {
  by = with_sizes(by);
  const std::string distance = by ? print(by, program_) : "?";
  change("shift(" + name_of(loop) + ", " + distance + ")", {loop}, place,
         [&] { return primitives::shift(program_, loop.var(), by); });
}

void Schedule::skew(Loop inner, Loop outer, const Factor& factor, Place place) {
  change("skew(" + names_of({inner, outer}) + ", " + factor.text() + ")", {inner, outer}, place,
         [&] { return primitives::skew(program_, inner.var(), outer.var(), factor.value()); });
}

template <class Mark>
std::pair<Loop, Loop> Schedule::split_and_mark(const std::string& name, Loop loop,
                                               const Factor& factor, Place place,
                                               const Mark& mark) {
  Derived derived(*this, name + "(" + name_of(loop) + ", " + factor.text() + ")", place);
  const std::pair<Loop, Loop> loops = split(loop, factor, place);
  mark(loops);
  if (!derived.finish()) return {dummy_loop(), dummy_loop()};
  return loops;
}

void Schedule::reverse(Loop loop, Place place) {
  mark("reverse", std::move(loop), place, primitives::reverse);
}

void Schedule::unroll(Loop loop, Place place) {
  mark("unroll", std::move(loop), place, primitives::unroll);
}

std::pair<Loop, Loop> Schedule::unroll(Loop loop, const Factor& factor, Place place) {
  return split_and_mark("unroll", loop, factor, place,
                        [&](const auto& loops) { unroll(loops.second, place); });
}

std::pair<Loop, Loop> Schedule::parallelize(Loop loop, const Factor& grain, Place place) {
  return split_and_mark("parallelize", loop, grain, place,
                        [&](const auto& loops) { parallelize(loops.first, place); });
}

void Schedule::vectorize(Loop loop, Place place) {
  mark("vectorize", std::move(loop), place, primitives::vectorize);
}

void Schedule::tensorize(Loop loop, const Instruction& instruction, Place place) {
  const std::string name = instruction ? instruction->name : "?";
  change("tensorize(" + name_of(loop) + ", " + name + ")", {loop}, place,
         [&] { return primitives::tensorize(program_, loop.var(), instruction); });
}

void Schedule::parallelize(Loop loop, Place place) {
  mark("parallelize", std::move(loop), place, primitives::parallelize);
}

}  // namespace tenon
