// vectorize_loops: the lanes of vector loops become explicit.
//
//   vector for v in 0..16 { if j + v < n { out[j + v] = x[j + v] * s[i] } }
//   ->
//   out[ramp(j, 1, 16)] = masked(x[ramp(j, 1, 16)], m) * broadcast(s[i], 16) where m
//       with m = ramp(0, 1, 16) < broadcast(n - j, 16)
//
// Needs: kVectorsCut, kNoUnroll. Gives: kExplicitVectors. Statements run in lock step, one after
// the other for all lanes; serial loops inside are the same for all lanes and stay around them.
// * Guards that are the same for all lanes stay Ifs. Others become masks on loads and stores of
//   parameters. Locals are never masked while all lanes lie inside of them, each at an element of
//   its own: a store there keeps the old value by a select, an accumulation adds the identity. (A
//   mask on a local keeps it out of registers. In a folded buffer a lane that is off may stand
//   where one that is on writes, and would put the old value back.)
// * Whatever is the same for all lanes stays scalar. Under a mask it is loaded only if that is in
//   bounds anyway or some lane is on.
// * An accumulation with one target for all lanes becomes a fold.
#include <functional>
#include <map>

#include "lower/functions.h"
#include "lower/index_math.h"
#include "lower/lanes.h"
#include "lower/passes.h"
#include "lower/vector_loops.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

class Vectorizer {
 public:
  // `workers` gives the parallel loops that stand between a buffer's declaration and this one.
  using Workers = std::function<std::vector<Var>(const Buffer&)>;

  Vectorizer(const For& loop, int32_t count, BoundsProver& prover, Workers workers)
      : loop_(loop), lanes_(loop, count, prover), workers_(std::move(workers)) {}

  absl::StatusOr<Stmt> run(const Facts& facts) {
    const Stmt body = statement(loop_.body, {{}, facts.inside(loop_)});
    if (!status_.ok()) return status_;
    return body;
  }

 private:
  Stmt fail(const std::string& reason) {
    if (status_.ok()) status_ = refuse("vector loop " + loop_.var.name() + ": " + reason);
    return seq({});
  }

  Stmt statement(const Stmt& s, const LanePlace& place) {
    if (const Store* x = s.as<Store>()) return store_lanes(*x, place);
    if (const Accumulate* x = s.as<Accumulate>()) return accumulate_lanes(*x, place);
    if (const For* x = s.as<For>()) return around(*x, place);
    if (const If* x = s.as<If>()) return guarded(x->condition, x->body, place);
    if (const Bind* x = s.as<Bind>()) return name(*x, place);
    if (s.is<Prefetch>()) return seq({});  // it means nothing
    if (s.is<Call>()) return fail("it calls " + s.as<Call>()->function.name);
    if (s.is<Alloc>()) return fail("it declares buffer " + s.as<Alloc>()->buffer.name());
    std::vector<Stmt> parts;
    LanePlace here = place;
    for (const Stmt& part : statements_of(s)) {
      parts.push_back(statement(part, here));
      if (const Bind* x = part.as<Bind>()) here.facts = here.facts.bound(*x);
    }
    return seq(std::move(parts));
  }

  Stmt around(const For& x, const LanePlace& place) {
    const Expr lo = lanes_.across(x.lo, place), hi = lanes_.across(x.hi, place);
    if (lo.type().is_vector() || hi.type().is_vector()) {
      return fail("the bounds of loop " + x.var.name() + " differ between lanes");
    }
    if (x.kind == ForKind::kVector || x.kind == ForKind::kParallel) {
      return fail(std::string("there is a ") + name_of(x.kind) + " loop inside");
    }
    const LanePlace inside{place.mask, place.facts.inside(x)};
    return make_for(x.var, lo, hi, x.kind, statement(x.body, inside));
  }

  // The parts of the condition are looked at one by one: those that all lanes share stay Ifs.
  Stmt guarded(const Expr& condition, const Stmt& body, LanePlace place) {
    std::vector<Stmt> names;
    std::vector<Expr> shared;
    for (const Expr& part : conjuncts_of(condition)) {
      const Expr on = lanes_.across(part, place);
      if (!on.type().is_vector()) {
        shared.push_back(on);
        place.facts = place.facts.given(on);
      } else {
        place.mask = place.mask.with(fixed(on, names), part);
      }
    }
    Stmt inner = statement(body, place);
    if (!shared.empty()) inner = make_if(conjunction_of(shared), inner);
    names.push_back(std::move(inner));
    return seq(std::move(names));
  }

  // A condition on data gets a name: the body may change what it read.
  static Expr fixed(const Expr& on, std::vector<Stmt>& names) {
    if (!touches_memory(on)) return on;
    const Var mask("mask", on.type());
    names.push_back(bind(mask, on));
    return mask;
  }

  Stmt name(const Bind& x, const LanePlace& place) {
    const Expr value = lanes_.across(x.value, place);
    if (!value.type().is_vector()) return bind(x.var, value);
    const Var vector(x.var.name(), value.type());
    lanes_.name(x.var, vector);
    return bind(vector, value);
  }

  Stmt store_lanes(const Store& x, const LanePlace& place) {
    std::vector<Expr> indices = lanes_.across(x.indices, place);
    const Expr mask = mask_of(x.mask, place);
    if (!any_vector(indices)) {
      // Under a guard that leaves one lane, an index may have been simplified to the one of it.
      if (!mask || indices.empty()) {
        return fail("all lanes store to the same element of " + x.buffer.name());
      }
      indices[0] = lanes_.spread(indices[0]);
    }
    const Expr value = lanes_.spread(lanes_.across(x.value, place));
    if (mask && unmasked({x.buffer}, x.indices, place)) {
      const Expr old = load(x.buffer, indices);
      return store(x.buffer, std::move(indices), make_select(mask, value, old));
    }
    return store(x.buffer, std::move(indices), value, mask);
  }

  Stmt accumulate_lanes(const Accumulate& x, const LanePlace& place) {
    std::vector<Expr> indices = lanes_.across(x.indices, place);
    std::vector<Expr> values = lanes_.across(x.values, place);
    for (Expr& value : values) value = lanes_.spread(value);
    const Expr mask = mask_of(x.mask, place);
    const Accumulate masked{x.buffers, indices, x.by, values, mask};
    const bool fold = !any_vector(indices);
    const bool blends = mask && (fold || unmasked(x.buffers, x.indices, place));
    if (x.by.functions() && blends && !fold) return update_by_functions(masked, true);
    if (x.by.functions() || !blends) {
      return accumulate(x.buffers, std::move(indices), x.by, std::move(values), mask);
    }
    const Expr blended = make_select(mask, values[0], identity_of(x.by.op(), values[0].type()));
    const Stmt whole = accumulate(x.buffer(), indices, x.by.op(), blended);
    if (!fold || lanes_.in_bounds(x.buffer(), x.indices, place.facts)) return whole;
    const Expr any = lanes_.any_on(place.mask);
    return any ? make_if(any, whole)
               : accumulate(x.buffer(), std::move(indices), x.by.op(), values[0], mask);
  }

  Expr mask_of(const Expr& own, const LanePlace& place) {
    if (!own) return place.mask.vector;
    return place.mask.with(lanes_.spread(lanes_.across(own, place)), own).vector;
  }

  bool unmasked(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
                const LanePlace& place) {
    const auto is_own = [&](const Buffer& buffer) {
      if (!lanes_.is_local(buffer) || !lanes_.in_bounds(buffer, indices, place.facts)) return false;
      const std::vector<Var> workers = workers_(buffer);
      return std::all_of(workers.begin(), workers.end(), [&](const Var& parallel) {
        return lanes_.workers_apart(parallel, indices, place.facts);
      });
    };
    return std::all_of(buffers.begin(), buffers.end(), is_own) &&
           lanes_.apart(indices, place.facts);
  }

  const For& loop_;
  Lanes lanes_;
  const Workers workers_;
  absl::Status status_;
};

class Walker {
 public:
  explicit Walker(const Program& program) : prover_(program) {}

  Stmt statement(const Stmt& s, const Facts& facts) {
    if (!status_.ok()) return s;
    if (const For* x = s.as<For>()) return loop(s, *x, facts);
    if (const If* x = s.as<If>()) return inside(s, facts.given(x->condition));
    if (!s.is<Seq>()) return s;
    for (const Stmt& part : statements_of(s)) {
      if (const Alloc* x = part.as<Alloc>()) homes_[x->buffer] = parallel_.size();
    }
    Facts here = facts;
    return map_children(s, [&](const Stmt& part) {
      if (const Bind* x = part.as<Bind>()) here = here.bound(*x);
      return statement(part, here);
    });
  }
  const absl::Status& status() const { return status_; }

 private:
  Stmt inside(const Stmt& s, const Facts& facts) {
    return map_children(s, [&](const Stmt& part) { return statement(part, facts); });
  }

  Stmt loop(const Stmt& s, const For& x, const Facts& facts) {
    if (x.kind == ForKind::kParallel) parallel_.push_back(x.var);
    const Stmt within = x.kind == ForKind::kVector ? s : inside(s, facts.inside(x));
    if (x.kind == ForKind::kParallel) parallel_.pop_back();
    if (x.kind != ForKind::kVector) return within;
    const std::optional<int64_t> count = constant_extent(x);
    if (!count) {
      status_ = refuse("vector loop " + x.var.name() + " needs a constant number of iterations");
      return s;
    }
    if (*count <= 0) return seq({});
    if (*count == 1) return substitute_folded(x.body, {{x.var, x.lo}});
    const auto workers = [&](const Buffer& buffer) {
      const auto home = homes_.find(buffer);
      const size_t around = home == homes_.end() ? 0 : home->second;
      return std::vector<Var>(parallel_.begin() + static_cast<std::ptrdiff_t>(around),
                              parallel_.end());
    };
    absl::StatusOr<Stmt> body =
        Vectorizer(x, static_cast<int32_t>(*count), prover_, workers).run(facts);
    if (!body.ok()) status_ = body.status();
    return body.ok() ? *body : s;
  }

  BoundsProver prover_;
  std::vector<Var> parallel_;       // loops around, outermost first
  std::map<Buffer, size_t> homes_;  // how many of them stand around a buffer's declaration
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Program> vectorize_loops(const Program& program, const Target&) {
  Walker walker(program);
  const Stmt body = walker.statement(program->body, facts_of(program));
  TENON_RETURN_IF_ERROR(walker.status());
  return program.with_body(body);
}

}  // namespace tenon
