// What is said about a Program that cannot be built: mistakes in tensors, expressions, reductions,
// updates, recurrences and calls of extern functions. Each is a few lines of a user, and the whole
// message is a golden file.
#include <catch2/catch.hpp>

#include "messages/spoken.h"
#include "tenon/ir/float8.h"
#include "tenon/ir/functions.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/integers.h"
#include "tenon/ir/reducer.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

const Size m("m"), n("n");

// What the definitions read.
struct Inputs {
  Tensor x = input("x", f32, {n}), grid = input("grid", f32, {m, n});
  Tensor half = input("half", f16, {n}), wide = input("wide", f64, {n});
  Tensor ids = input("ids", i32, {n}), bytes = input("bytes", u8, {n});
  Tensor longs = input("longs", i64, {n}), ulongs = input("ulongs", u64, {n});
  Tensor flags = input("flags", boolean, {n});
  std::vector<ProgramInput> all() const {
    return {x, grid, half, wide, ids, bytes, longs, ulongs, flags};
  }
};
const Inputs& in() {
  static const Inputs inputs;
  return inputs;
}

Tensor twice(const std::string& name = "twice") {
  return compute(name, {n}, [](Expr i) { return in().x(i) * 2.0f; });
}
Tensor state() { return inout("state", f32, {n}); }
Expr nothing() { return Expr(); }

std::string built(const std::vector<ProgramInput>& inputs, const std::vector<Tensor>& outputs,
                  const std::vector<Requirement>& requirements = {}) {
  return std::string(build_program("p", inputs, outputs, requirements).status().message());
}
std::string built(const Tensor& output) { return built(in().all(), {output}); }

// The definition of y[i].
std::string element(const std::function<Expr(Expr)>& definition) {
  return built(compute("y", {n}, definition));
}

Scatter counting(const std::function<Expr(Expr)>& index, const std::function<Expr(Expr)>& value) {
  return scatter(n, index, value, Reducer::kSum);
}
std::string updated(const Tensor& init, const Scatter& s) { return built(update("y", init, s)); }

// A recurrence over n steps; `result` makes an output of it.
std::string scanned(const std::vector<Carry>& states,
                    const std::function<Next(const Carried&)>& step,
                    const std::function<Tensor(const Scanned&)>& result) {
  return built(
      result(scan<1>({}, n, states, [&](Expr, const Carried& now) { return step(now); })[0]));
}
Tensor last_of(const Scanned& s) { return s.last("y"); }

int32_t no_routine(void*, const tenon_array*, int32_t) { return 0; }
const ExternFunction kRoutine{"routine", no_routine};

std::string called(const ExternResult& result, const std::vector<Tensor>& inputs,
                   const Domain& domain, const std::function<Parts(Expr)>& parts) {
  return built(in().all(), {extern_call(kRoutine, result, inputs, domain, parts)});
}

// A recurrence over n steps whose step gives `next`.
Tensor recurrence(const Expr& steps, const std::vector<Carry>& states, const Next& next) {
  return scan<1>({}, steps, states, [&](Expr, const Carried&) { return next; })[0].last("last");
}

const Reduction& most() {
  static const Reduction by = reducer(
      "most", {0.0f}, {f32},
      [](const Values& s, const Values& e) -> Values { return {max(s[0], e[0])}; },
      [](const Values& a, const Values& b) -> Values { return {max(a[0], b[0])}; });
  return by;
}

const std::vector<Spoken>& inputs_and_outputs() {
  static const std::vector<Spoken> all = {
      {"input_view", [] { return built({slice(in().x, 0, 0, n)}, {twice()}); }},
      {"input_inout",
       [] {
         const Tensor s = state();
         return built({s}, {compute(s, [&](Expr i) { return s(i) * 2.0f; })});
       }},
      {"input_table", [] { return built({table("t", {1.0f})}, {twice()}); }},
      {"input_computed", [] { return built({twice("t")}, {twice()}); }},
      {"input_expression",
       [] {
         return built({in().x, Expr(n) + 1}, {twice()});
       }},
      {"no_outputs", [] { return built(in().all(), {}); }},
      {"output_view", [] { return built(slice(twice(), 0, 0, n)); }},
      {"output_inout_as_it_was", [] { return built(state()); }},
      {"output_input", [] { return built(in().x); }},
      {"output_table", [] { return built(table("t", {1.0f})); }},
      {"output_written_in_place_twice",
       [] {
         const Tensor s = state();
         const auto by = [&](float f) { return compute(s, [&](Expr i) { return s(i) * f; }); };
         return built(in().all(), {by(2.0f), by(3.0f)});
       }},
      {"output_state_of_scan",
       [] {
         Tensor kept;
         (void)scan<1>({}, n, {carry("s", {}, 0.0f)}, [&](Expr t, const Carried& now) {
           kept = now[0];
           return Next{now[0]() + in().x(t)};
         });
         return built(kept);
       }},
      {"two_of_one_name", [] { return built(twice("x")); }},
      {"two_sizes_of_one_name",
       [] {
         const Size other("n");
         return built(compute("y", {other}, [&](Expr i) { return in().x(i); }));
       }},
      {"tensor_not_an_input", [] { return built({in().ids}, {twice()}); }},
      {"scalar_not_an_input",
       [] {
         const Expr scale = scalar("scale", f32);
         return element([&](Expr i) { return in().x(i) * scale; });
       }},
      {"index_outside",
       [] {
         Expr kept;
         (void)compute("a", {n}, [&](Expr i) { return kept = i, in().x(i); });
         return element([&](Expr) { return in().x(kept); });
       }},
      {"index_in_requirement",
       [] {
         Expr kept;
         (void)compute("a", {n}, [&](Expr i) { return kept = i, in().x(i); });
         return built(in().all(), {twice()}, {require(kept < 3)});
       }},
      {"state_outside",
       [] {
         Tensor kept;
         const Tensor last = scan<1>({}, n, {carry("s", {}, 0.0f)},
                                     [&](Expr t, const Carried& now) {
                                       kept = now[0];
                                       return Next{now[0]() + in().x(t)};
                                     })[0]
                                 .last("last");
         return built(in().all(), {last, compute("y", {n}, [&](Expr) { return kept(); })});
       }},
      {"in_place_cycle",
       [] {
         const Tensor s = state(), next = compute(s, [&](Expr i) { return s(i) * 2.0f; });
         const Tensor y = compute("y", {n}, [&](Expr i) { return s(i) + next(i); });
         return built(in().all(), {next, y});
       }},
      {"in_place_not_an_output",
       [] {
         const Tensor s = state(), next = compute(s, [&](Expr i) { return s(i) * 2.0f; });
         return built(compute("y", {n}, [&](Expr i) { return next(i); }));
       }},
      {"in_place_of_input",
       [] { return built(compute(in().x, [](Expr i) { return in().x(i); })); }},
      {"in_place_again",
       [] {
         const Tensor s = state(), next = compute(s, [&](Expr i) { return s(i) * 2.0f; });
         return built(compute(next, [&](Expr i) { return next(i); }));
       }},
      {"in_place_type", [] { return built(compute(state(), [](Expr i) { return in().ids(i); })); }},
      {"shape_empty",
       [] { return built(compute("y", {nothing()}, [](Expr i) { return in().x(i); })); }},
      {"shape_of_nine",
       [] {
         return built(
             compute("y", std::vector<Expr>(9, n), [](const Index&) { return Expr(1.0f); }));
       }},
  };
  return all;
}

const std::vector<Spoken>& reads_and_pieces() {
  static const std::vector<Spoken> all = {
      {"index_of_floats", [] { return element([](Expr i) { return in().x(cast(f32, i)); }); }},
      {"index_empty", [] { return element([](Expr) { return in().x(nothing()); }); }},
      {"indices_too_few", [] { return element([](Expr i) { return in().grid(i); }); }},
      {"definition_takes_two",
       [] { return built(compute("y", {n}, [](Expr i, Expr j) { return in().grid(i, j); })); }},
      {"definition_returns_nothing", [] { return element([](Expr) { return nothing(); }); }},
      {"definition_of_two_returns_one",
       [] {
         return built(compute<2>({"y", "z"}, {n}, [](Expr i) -> Values { return {in().x(i)}; })[0]);
       }},
      {"broadcast_rank",
       [] { return element([](Expr i) { return broadcast(in().grid, Index{i}); }); }},
      {"table_negative",
       [] { return element([](Expr i) { return table("t", {-1}, std::vector<float>())(i); }); }},
      {"table_values", [] { return element([](Expr i) { return table("t", {3}, {1.0f})(i); }); }},
      {"table_too_large",
       [] {
         return element([](Expr i) { return table("t", std::vector<float>(70000, 1.0f))(i); });
       }},
      {"pad_value_empty",
       [] { return element([](Expr i) { return pad_constant(in().x, nothing())(i - 1); }); }},
      {"pad_value_type",
       [] { return element([](Expr i) { return pad_constant(in().x, in().ids(i))(i - 1); }); }},
      {"pad_dimension",
       [] { return element([](Expr i) { return pad_edge(in().x, {1})(i - 1); }); }},
      {"slice_dimension",
       [] { return element([](Expr i) { return slice(in().grid, 2, 0, n)(0, i); }); }},
      {"slice_step", [] { return element([](Expr i) { return slice(in().x, 0, 0, n, 0)(i); }); }},
      {"slice_bound_of_floats",
       [] { return element([](Expr i) { return slice(in().x, 0, 0, in().x(i))(i); }); }},
      {"concat_of_nothing", [] { return built(concat("y", 0, {})); }},
      {"concat_ranks",
       [] {
         return built(concat("y", 0, {in().x, in().grid}));
       }},
      {"concat_types",
       [] {
         return built(concat("y", 0, {in().x, in().half}));
       }},
      {"concat_extents",
       [] {
         return built(concat("y", 1, {in().grid, input("other", f32, {n, n})}));
       }},
      {"quantized_no_dimension",
       [] { return element([](Expr) { return quantized("w", {}, {})(Index{}); }); }},
      {"quantized_bits",
       [] { return element([](Expr i) { return quantized("w", {n}, {.bits = 3})(i); }); }},
      {"quantized_group",
       [] { return element([](Expr i) { return quantized("w", {n}, {.group = -1})(i); }); }},
      {"quantized_scale",
       [] { return element([](Expr i) { return quantized("w", {n}, {.scale = i8})(i); }); }},
      {"quantized_indices",
       [] { return element([](Expr i) { return quantized("w", {n}, {})(i, i); }); }},
  };
  return all;
}

const std::vector<Spoken>& reductions_and_updates() {
  static const std::vector<Spoken> all = {
      {"sum_of_nothing",
       [] { return element([](Expr) { return sum(n, [](Expr) { return nothing(); }); }); }},
      {"sum_of_bools",
       [] { return element([](Expr) { return sum(n, [](Expr r) { return in().flags(r); }); }); }},
      {"sum_extent_empty",
       [] {
         return element([](Expr) { return sum(nothing(), [](Expr r) { return in().x(r); }); });
       }},
      {"sum_extent_of_floats",
       [] {
         return element([](Expr) { return sum(Expr(2.5f), [](Expr r) { return in().x(r); }); });
       }},
      {"sum_takes_two",
       [] {
         return element(
             [](Expr) { return sum(n, [](Expr r, Expr q) { return in().grid(r, q); }); });
       }},
      {"where_nothing",
       [] {
         const Domain part = Domain(n).where([](Expr) { return nothing(); });
         return element([&](Expr) { return sum(part, [](Expr r) { return in().x(r); }); });
       }},
      {"where_of_integers",
       [] {
         const Domain part = Domain(n).where([](Expr r) { return in().ids(r); });
         return element([&](Expr) { return sum(part, [](Expr r) { return in().x(r); }); });
       }},
      {"at_most_empty",
       [] {
         return element(
             [](Expr) { return sum(at_most(nothing(), n), [](Expr r) { return in().x(r); }); });
       }},
      {"at_most_of_floats",
       [] {
         return element(
             [](Expr i) { return sum(at_most(in().x(i), n), [](Expr r) { return in().x(r); }); });
       }},
      {"reducer_values",
       [] {
         return element([](Expr) {
           return reduce<1>(most(), n, [](Expr r) -> Values { return {in().x(r), r}; })[0];
         });
       }},
      {"reducer_value_type",
       [] {
         return element(
             [](Expr) { return reduce<1>(most(), n, [](Expr r) { return in().ids(r); })[0]; });
       }},
      {"reducer_results",
       [] {
         return element(
             [](Expr) { return reduce<2>(most(), n, [](Expr r) { return in().x(r); })[1]; });
       }},
      {"update_values",
       [] {
         return updated(twice(), scatter(
                                     n, [](Expr r) { return r; },
                                     [](Expr r) -> Values {
                                       return {in().x(r), in().x(r)};
                                     }));
       }},
      {"update_reducer_results",
       [] {
         return built(
             update<2>({"y", "z"}, {twice("a"), twice("b")},
                       counting([](Expr r) { return r; }, [](Expr r) { return in().x(r); }))[0]);
       }},
      {"update_of_input_in_place",
       [] {
         return built(
             update(in().x, counting([](Expr r) { return r; }, [](Expr r) { return in().x(r); })));
       }},
      {"update_in_place_value_type",
       [] {
         return built(update(
             state(), counting([](Expr r) { return r; }, [](Expr r) { return in().ids(r); })));
       }},
      {"reducer_variable_twice",
       [] {
         const Var s("s", f32), e("e", f32);
         CustomReducer r{"most", {Expr(0.0f)}, {s}, {e}, {max(Expr(s), Expr(e))}};
         r.other = {s}, r.combine = {Expr(s)};
         return std::string(custom_reducer(r).functions()->status.message());
       }},
      {"update_value_empty",
       [] {
         return updated(twice(),
                        counting([](Expr r) { return r; }, [](Expr) { return nothing(); }));
       }},
      {"update_value_type",
       [] {
         return updated(twice(),
                        counting([](Expr r) { return r; }, [](Expr r) { return in().ids(r); }));
       }},
      {"update_of_bools",
       [] {
         return updated(in().flags,
                        counting([](Expr r) { return r; }, [](Expr r) { return in().flags(r); }));
       }},
      {"update_two_by_function",
       [] {
         return built(update<2>({"y", "z"}, {twice("a"), twice("b")},
                                scatter(
                                    n, [](Expr r) { return r; },
                                    [](Expr r) -> Values {
                                      return {in().x(r), in().x(r)};
                                    },
                                    [](Expr old, Expr v) { return old + v; }))[0]);
       }},
      {"update_combine_reduces",
       [] {
         return updated(twice(), scatter(
                                     n, [](Expr r) { return r; }, [](Expr r) { return in().x(r); },
                                     [](Expr old, Expr v) {
                                       return v + sum(n, [&](Expr q) { return in().x(q) * old; });
                                     }));
       }},
      {"update_combine_type",
       [] {
         return updated(twice(), scatter(
                                     n, [](Expr r) { return r; }, [](Expr r) { return in().x(r); },
                                     [](Expr old, Expr v) { return cast(f64, old + v); }));
       }},
      {"update_indices",
       [] {
         return updated(in().grid,
                        counting([](Expr r) { return r; }, [](Expr r) { return in().x(r); }));
       }},
      {"update_index_empty",
       [] {
         return updated(twice(),
                        counting([](Expr) { return nothing(); }, [](Expr r) { return in().x(r); }));
       }},
      {"update_index_of_floats",
       [] {
         return updated(
             twice(), counting([](Expr r) { return in().x(r); }, [](Expr r) { return in().x(r); }));
       }},
      {"update_shapes",
       [] {
         return built(update<2>({"y", "z"}, {twice("a"), in().grid},
                                scatter(
                                    n, [](Expr r) { return r; },
                                    [](Expr r) -> Values {
                                      return {in().x(r), in().x(r)};
                                    }))[0]);
       }},
      {"update_reducer_type",
       [] {
         return updated(in().ids,
                        scatter(
                            n, [](Expr r) { return r; }, [](Expr r) { return in().x(r); }, most()));
       }},
      {"scan_next_tensor",
       [] {
         return scanned(
             {carry("s", {}, 0.0f)}, [](const Carried&) { return Next{twice()}; }, last_of);
       }},
      {"scan_next_type",
       [] {
         return scanned(
             {carry("s", {}, 0.0f)}, [](const Carried&) { return Next{in().ids(0)}; }, last_of);
       }},
      {"scan_next_empty",
       [] {
         return scanned(
             {carry("s", {}, 0.0f)}, [](const Carried&) { return Next{nothing()}; }, last_of);
       }},
      {"scan_last_of_what_is_given",
       [] {
         return scanned(
             {gives("g", f32, {})}, [](const Carried&) { return Next{in().x(0)}; }, last_of);
       }},
      {"scan_reads_what_is_given",
       [] {
         return scanned(
             {gives("g", f32, {})}, [](const Carried& now) { return Next{now[0]() + 1.0f}; },
             [](const Scanned& s) { return s.after("y"); });
       }},
      {"scan_step_takes_two",
       [] {
         return built(scan<1>({}, n, {carry("s", {}, 0.0f)},
                              [](Expr, Expr, const Carried& now) { return Next{now[0]}; })[0]
                          .last("y"));
       }},
  };
  return all;
}

const std::vector<Spoken>& expressions() {
  static const std::vector<Spoken> all = {
      {"operand_empty", [] { return element([](Expr i) { return in().x(i) + nothing(); }); }},
      {"and_of_floats", [] { return element([](Expr i) { return in().x(i) & in().x(i); }); }},
      {"modulo_of_floats", [] { return element([](Expr i) { return in().x(i) % 2.0f; }); }},
      {"sum_of_two_bools",
       [] { return element([](Expr i) { return in().flags(i) + in().flags(i); }); }},
      {"sign_of_bool", [] { return element([](Expr i) { return -in().flags(i); }); }},
      {"ceildiv_of_floats",
       [] { return element([](Expr i) { return ceildiv(in().x(i), 4.0f); }); }},
      {"select_by_integer",
       [] { return element([](Expr i) { return select(in().ids(i), in().x(i), 0.0f); }); }},
      {"bitcast_size", [] { return element([](Expr i) { return bitcast(i64, in().x(i)); }); }},
      {"cast_lanes",
       [] { return element([](Expr) { return cast(f32.with_lanes(4), ramp(0, 1, 8)); }); }},
      {"no_type_holds_both",
       [] { return element([](Expr i) { return in().ulongs(i) + in().longs(i); }); }},
      {"vectors_of_two_lengths",
       [] { return element([](Expr) { return ramp(0, 1, 4) + ramp(0, 1, 8); }); }},
      {"literal_too_large_for_bytes",
       [] { return element([](Expr i) { return in().bytes(i) + 300; }); }},
      {"literal_too_large_for_halves",
       [] { return element([](Expr i) { return in().half(i) * 1e30; }); }},
      {"expression_too_large",
       [] {
         return element([](Expr i) {
           Expr e = in().x(i);
           for (int k = 0; k < 40; ++k) e = e * e;
           return e;
         });
       }},
      {"expression_too_deep",
       [] {
         return element([](Expr i) {
           Expr e = in().x(i);
           for (int k = 0; k < 2500; ++k) e = e + 1.0f;
           return e;
         });
       }},
      {"infinity_of_integers",
       [] { return element([](Expr i) { return select(i < 3, infinity(i32), in().ids(i)); }); }},
      {"isnan_of_bool", [] { return element([](Expr i) { return isnan(in().flags(i)); }); }},
      {"decode_of_floats", [] { return element([](Expr i) { return decode_e4m3(in().x(i)); }); }},
      {"encode_of_integers",
       [] { return element([](Expr i) { return encode_e5m2(in().ids(i)); }); }},
      {"widening_of_floats",
       [] { return element([](Expr i) { return widening_mul(in().x(i), in().x(i)); }); }},
      {"widening_of_64_bits",
       [] { return element([](Expr i) { return widening_add(in().longs(i), in().longs(i)); }); }},
      {"rounding_of_unsigned",
       [] {
         return element([](Expr i) { return rounding_mul_high(in().bytes(i), in().bytes(i)); });
       }},
      {"bit_field_count",
       [] { return element([](Expr i) { return bit_field(in().bytes(i), 0, 9); }); }},
      {"bit_field_place",
       [] { return element([](Expr i) { return bit_field(in().bytes(i), 6, 4); }); }},
  };
  return all;
}

const std::vector<Spoken>& recurrences_and_functions() {
  static const std::vector<Spoken> all = {
      // --- Tensors.
      {"input_never_defined", [] { return built({Tensor()}, {twice()}); }},
      {"output_never_defined", [] { return built({in().x}, {Tensor()}); }},
      {"tensor_read_never_defined",
       [] { return built(compute("y", {n}, [](Expr i) { return Tensor()(i); })); }},
      {"size_of_no_dimension",
       [] { return built(compute("y", {in().x.size(1)}, [](Expr i) { return in().x(i); })); }},
      {"extent_of_floats",
       [] { return built(compute("y", {Expr(2.5f)}, [](Expr i) { return in().x(i); })); }},
      {"written_in_place_never_defined",
       [] { return built(compute(Tensor(), [](Expr) { return Expr(1.0f); })); }},
      {"written_in_place_no_expression",
       [] { return built(compute(inout("state", f32, {n}), [](Expr) { return nothing(); })); }},
      {"concat_piece_never_defined",
       [] {
         return built(concat("y", 0, {twice(), Tensor()}));
       }},
      {"slice_bound_empty",
       [] {
         const Tensor part = slice(twice(), 0, nothing(), n);
         return built(compute("y", {n}, [&](Expr i) { return part(i); }));
       }},
      {"concat_shape_of_floats",
       [] {
         const Tensor odd = compute("odd", {Expr(2.5f)}, [](Expr i) { return in().x(i); });
         return built(concat("y", 0, {twice(), odd}));
       }},
      {"any_of_floats",
       [] {
         return built(compute("y", {}, [](const Index&) {
           return cast(f32, any(n, [](Expr r) { return in().x(r); }));
         }));
       }},
      {"reducer_element_empty",
       [] {
         const Var best("best", f32), other("other", f32), v("v", f32);
         CustomReducer most{"most", {Expr(-1.0f)}, {best}, {v}, {max(Expr(best), Expr(v))}};
         most.other = {other}, most.combine = {max(Expr(best), Expr(other))};
         return built(compute("y", {}, [&](const Index&) {
           return reduce<1>(custom_reducer(most), n, [](Expr) { return nothing(); })[0];
         }));
       }},
      // --- Updates.
      {"update_init_never_defined",
       [] {
         return built(
             update("y", Tensor(),
                    scatter(
                        n, [](Expr r) { return Index{r}; }, [](Expr r) { return in().x(r); })));
       }},
      {"update_combine_no_expression",
       [] {
         return built(
             update("y", twice(),
                    scatter(
                        n, [](Expr r) { return Index{r}; }, [](Expr r) { return in().x(r); },
                        [](Expr, Expr) { return nothing(); })));
       }},
      // --- Recurrences.
      {"scan_next_never_defined",
       [] { return built(recurrence(n, {carry("s", {}, 0.0f)}, {Tensor()})); }},
      {"scan_steps_empty",
       [] { return built(recurrence(nothing(), {carry("s", {}, 0.0f)}, {Expr(1.0f)})); }},
      {"scan_steps_of_floats",
       [] { return built(recurrence(Expr(2.0f), {carry("s", {}, 0.0f)}, {Expr(1.0f)})); }},
      {"scan_init_empty",
       [] { return built(recurrence(n, {carry("s", {}, nothing())}, {Expr(1.0f)})); }},
      {"scan_step_gives_too_many",
       [] {
         return built(recurrence(n, {carry("s", {}, 0.0f)}, {Expr(1.0f), Expr(2.0f)}));
       }},
      {"scan_fewer_states",
       [] {
         const auto [s, t] = scan<2>({}, n, {carry("s", {}, 0.0f)},
                                     [](Expr, const Carried&) { return Next{Expr(1.0f)}; });
         return built(t.last("last"));
       }},
      {"scan_where_empty",
       [] {
         return built(scan<1>(
                          {}, n, {carry("s", {}, 0.0f)},
                          [](Expr, const Carried&) { return Next{Expr(1.0f)}; },
                          [](Expr, const Carried&) { return nothing(); })[0]
                          .last("last"));
       }},
      {"scan_where_no_bool",
       [] {
         return built(scan<1>(
                          {}, n, {carry("s", {}, 0.0f)},
                          [](Expr, const Carried&) { return Next{Expr(1.0f)}; },
                          [](Expr t, const Carried&) { return t; })[0]
                          .last("last"));
       }},
      // --- Functions of other libraries.
      {"extern_part_dimensions",
       [] {
         return called({"y", f32, {m, n}}, {in().grid}, m, [](Expr i) {
           return Parts{.writes = {{i}}, .reads = {{i, kWhole}}};
         });
       }},
      {"extern_input_part_dimensions",
       [] {
         return called({"y", f32, {m, n}}, {in().grid}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{i}}};
         });
       }},
      {"extern_part_of_floats",
       [] {
         return called({"y", f32, {m, n}}, {in().grid}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{cast(f32, i), kWhole}}};
         });
       }},
      {"extern_parts_missing",
       [] {
         return called({"y", f32, {m, n}}, {in().grid}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {}};
         });
       }},
      {"extern_input_never_defined",
       [] {
         return called({"y", f32, {m, n}}, {Tensor()}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
         });
       }},
      {"extern_input_view",
       [] {
         return called({"y", f32, {m, n}}, {slice(in().grid, 0, 0, m)}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
         });
       }},
      {"extern_no_name",
       [] {
         return built(in().all(), {extern_call(ExternFunction{}, {"y", f32, {n}}, {in().x})});
       }},
      {"extern_domain_where",
       [] {
         return called({"y", f32, {m, n}}, {in().grid},
                       Domain(m).where([](Expr i) { return i < 3; }), [](Expr i) {
                         return Parts{.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
                       });
       }},
      {"extern_parts_do_not_cover",
       [] {
         return called({"y", f32, {m, n}}, {in().grid}, m, [](Expr i) {
           return Parts{.writes = {{i, Part(0, n - 1)}}, .reads = {{i, kWhole}}};
         });
       }},
  };
  return all;
}

// What was right before is still right, and the same.
Program right() { return *build_program("right", in().all(), {twice("y")}); }

TEST_CASE("What cannot be built is refused as its golden files say") {
  const Program before = right();
  size_t count = 0;
  for (const auto* cases : {&inputs_and_outputs(), &reads_and_pieces(), &reductions_and_updates(),
                            &expressions(), &recurrences_and_functions()}) {
    for (const Spoken& c : *cases) {
      INFO(c.name);
      check_spoken("building", c);
      CHECK(structurally_equal(right(), before));
      ++count;
    }
  }
  CHECK(count >= 135);
}

// program() does not return a status: the mistake is in the Program, and whoever takes it says it.
TEST_CASE("A Program with a mistake is refused by whoever takes it, with the same words") {
  const Program wrong = program("p", in().all(), {});
  const std::string message = built(in().all(), {});
  CHECK(std::string(verify(wrong).message()) == message);
  CHECK(std::string(Schedule(wrong).status().message()).find(message) != std::string::npos);
  Jit jit;
  CHECK(std::string(jit.compile(wrong).status().message()).find(message) != std::string::npos);
  CHECK(jit.compile(right()).ok());
}

}  // namespace
}  // namespace tenon::test
