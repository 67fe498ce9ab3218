// What is said about a Program that cannot be built: mistakes in tensors, expressions, reductions,
// updates and recurrences, and in a Program that is put together by hand. Each is a few lines of a
// user, and the whole message is a golden file.
#include <catch2/catch.hpp>

#include "support/golden.h"
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

const Reduction& most() {
  static const Reduction by = reducer(
      "most", {0.0f}, {f32},
      [](const Values& s, const Values& e) -> Values { return {max(s[0], e[0])}; },
      [](const Values& a, const Values& b) -> Values { return {max(a[0], b[0])}; });
  return by;
}

// --- Programs that are put together by hand.

struct ByHand {
  Var size{"n"}, i{"i"}, eps{"eps", f32};
  Buffer a{"a", f32}, w{"w", f32}, out{"out", f32}, codes{"codes", u8};
  ProgramData data;
  ByHand() {
    data.name = "p";
    data.sizes = {size};
    data.params = {{Role::kInput, a, {}, {size}},
                   {Role::kWeight, w, {}, {Expr(4)}},
                   {Role::kScalar, {}, eps},
                   {Role::kOutput, out, {}, {size}}};
    data.tables = {{codes, {Expr(2)}, bits({1, 2})}};
    data.body = seq({});
  }
  static std::shared_ptr<const std::vector<uint64_t>> bits(std::vector<uint64_t> values) {
    return std::make_shared<const std::vector<uint64_t>>(std::move(values));
  }
};

std::string verified(const std::function<void(ByHand&)>& change) {
  ByHand parts;
  change(parts);
  return std::string(verify(Program(std::move(parts.data))).message());
}
std::string stated(const std::function<Stmt(const ByHand&)>& body) {
  return verified([&](ByHand& p) { p.data.body = body(p); });
}
// An expression, in the value of a let.
std::string valued(const std::function<Expr(const ByHand&)>& value) {
  return stated([&](const ByHand& p) {
    const Expr e = value(p);
    return bind(Var("v", e ? e.type() : f32), e);
  });
}
// An instruction "add" of this meaning: what is wrong with it.
const char* const kCopies = "for i in 0..4 { out[i] = a[i] }";
std::string meaning_of(const std::string& body, const std::string& header = "  input a: f32[4]\n") {
  return "program add\n" + header + "  output out: f32[4]\n{\n" + body + "\n}\n";
}
std::string instructed(const std::string& meaning,
                       const std::function<void(InstructionData&)>& change = {}) {
  InstructionData data;
  data.name = "add";
  if (!meaning.empty()) data.meaning = *parse(meaning);
  data.operands = {"a"};
  data.intrinsic = "llvm.none";
  if (change) change(data);
  return std::string(Instruction(std::move(data))->status.message());
}

struct Case {
  const char* name;
  std::function<std::string()> message;
};

const std::vector<Case>& inputs_and_outputs() {
  static const std::vector<Case> all = {
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

const std::vector<Case>& reads_and_pieces() {
  static const std::vector<Case> all = {
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

const std::vector<Case>& reductions_and_updates() {
  static const std::vector<Case> all = {
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

const std::vector<Case>& expressions() {
  static const std::vector<Case> all = {
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

const std::vector<Case>& programs_by_hand() {
  static const std::vector<Case> all = {
      {"no_program", [] { return std::string(verify(Program()).message()); }},
      {"no_body", [] { return verified([](ByHand& p) { p.data.body = Stmt(); }); }},
      {"program_name", [] { return verified([](ByHand& p) { p.data.name = "linear relu"; }); }},
      {"size_name_of_text",
       [] { return verified([](ByHand& p) { p.data.sizes.emplace_back("inf"); }); }},
      {"size_named_as_parameter",
       [] { return verified([](ByHand& p) { p.data.sizes.emplace_back("a"); }); }},
      {"size_type",
       [] { return verified([](ByHand& p) { p.data.sizes.emplace_back("s", i32); }); }},
      {"size_missing",
       [] { return verified([](ByHand& p) { p.data.sizes.emplace_back(Var()); }); }},
      {"parameter_without_buffer",
       [] { return verified([](ByHand& p) { p.data.params[0].role = Role::kScalar; }); }},
      {"parameter_of_vectors",
       [] {
         return verified(
             [](ByHand& p) { p.data.params[0].buffer = Buffer("a", f32.with_lanes(4)); });
       }},
      {"parameter_of_nine_dimensions",
       [] { return verified([](ByHand& p) { p.data.params[0].shape.assign(9, Expr(2)); }); }},
      {"parameter_extent_type",
       [] { return verified([](ByHand& p) { p.data.params[0].shape = {constant_int(i32, 3)}; }); }},
      {"parameter_extent_negative",
       [] { return verified([](ByHand& p) { p.data.params[0].shape = {Expr(-3)}; }); }},
      {"parameter_extent_is_data",
       [] {
         return verified([](ByHand& p) { p.data.params[3].shape = {cast(i64, load(p.a, {0}))}; });
       }},
      {"parameter_strides",
       [] { return verified([](ByHand& p) {
              p.data.params[0].strides = {1, 1};
            }); }},
      {"scalar_shape",
       [] { return verified([](ByHand& p) { p.data.params[2].shape = {Expr(1)}; }); }},
      {"input_streamed",
       [] { return verified([](ByHand& p) { p.data.params[0].streamed = true; }); }},
      {"packing_of_input",
       [] {
         return verified([](ByHand& p) {
           p.data.params[0].packing = Packing{{p.size}, {p.i}, {p.i}};
         });
       }},
      {"packing_variables",
       [] {
         return verified([](ByHand& p) {
           p.data.params[1].packing = Packing{{2, 2}, {p.i}, {p.i}};
         });
       }},
      {"packing_map",
       [] {
         return verified([](ByHand& p) {
           p.data.params[1].packing = Packing{{4}, {p.i}, {p.i, 0}};
         });
       }},
      {"packing_variable_twice",
       [] {
         return verified([](ByHand& p) {
           p.data.params[1].packing = Packing{{2, 2}, {p.i, p.i}, {p.i}};
         });
       }},
      {"table_without_values",
       [] { return verified([](ByHand& p) { p.data.tables[0].bits = {}; }); }},
      {"table_of_vectors",
       [] {
         return verified(
             [](ByHand& p) { p.data.tables[0].buffer = Buffer("codes", u8.with_lanes(4)); });
       }},
      {"table_of_nine_dimensions",
       [] { return verified([](ByHand& p) { p.data.tables[0].shape.assign(9, Expr(1)); }); }},
      {"table_extent_is_size",
       [] { return verified([](ByHand& p) { p.data.tables[0].shape = {p.size}; }); }},
      {"table_of_too_many",
       [] { return verified([](ByHand& p) { p.data.tables[0].shape = {Expr(70000)}; }); }},
      {"table_number_of_values",
       [] { return verified([](ByHand& p) { p.data.tables[0].shape = {Expr(3)}; }); }},
      {"table_bits_outside",
       [] { return verified([](ByHand& p) {
              p.data.tables[0].bits = ByHand::bits({1, 256});
            }); }},
      {"requirement_of_integers",
       [] { return verified([](ByHand& p) { p.data.requirements = {p.size}; }); }},
      {"requirement_on_data",
       [] { return verified([](ByHand& p) { p.data.requirements = {load(p.a, {0}) < 1.0f}; }); }},
      {"variable_not_declared",
       [] { return stated([](const ByHand& p) { return store(p.out, {p.i}, 1.0f); }); }},
      {"variable_declared_twice",
       [] {
         return stated([](const ByHand& p) {
           const Stmt inner = make_for(p.i, 0, 4, ForKind::kSerial, store(p.out, {p.i}, 1.0f));
           return make_for(p.i, 0, 4, ForKind::kSerial, inner);
         });
       }},
      {"let_twice",
       [] { return stated([](const ByHand& p) {
              return seq({bind(p.i, 1), bind(p.i, 2)});
            }); }},
      {"let_type", [] { return stated([](const ByHand&) { return bind(Var("v", f32), 3); }); }},
      {"loop_variable_type",
       [] {
         return stated([](const ByHand&) {
           return make_for(Var("k", i32), 0, 4, ForKind::kSerial, seq({}));
         });
       }},
      {"loop_lower_bound_type",
       [] {
         return stated([](const ByHand& p) {
           return make_for(p.i, constant_int(i32, 0), 4, ForKind::kSerial, seq({}));
         });
       }},
      {"packing_extent_type",
       [] {
         return verified([](ByHand& p) {
           p.data.params[1].packing = Packing{{constant_int(i32, 4)}, {p.i}, {p.i}};
         });
       }},
      {"packing_index_type",
       [] {
         return verified([](ByHand& p) {
           p.data.params[1].packing = Packing{{4}, {p.i}, {cast(i32, Expr(p.i))}};
         });
       }},
      {"loop_bound_type",
       [] {
         return stated([](const ByHand& p) {
           return make_for(p.i, 0, constant_int(i32, 4), ForKind::kSerial, seq({}));
         });
       }},
      {"buffer_not_declared",
       [] { return stated([](const ByHand&) { return store(Buffer("t", f32), {0}, 1.0f); }); }},
      {"buffer_allocated_twice",
       [] {
         return stated([](const ByHand&) {
           const Buffer t("t", f32);
           return seq({alloc(t, {4}), alloc(t, {4})});
         });
       }},
      {"alloc_of_vectors",
       [] {
         return stated([](const ByHand&) { return alloc(Buffer("t", f32.with_lanes(4)), {4}); });
       }},
      {"alloc_of_nine_dimensions",
       [] {
         return stated(
             [](const ByHand&) { return alloc(Buffer("t", f32), std::vector<Expr>(9, 2)); });
       }},
      {"alloc_offset",
       [] {
         return stated(
             [](const ByHand&) { return alloc(Buffer("t", f32), {4}, Memory::kStack, 64); });
       }},
      {"access_rank",
       [] { return stated([](const ByHand& p) {
              return store(p.out, {0, 0}, 1.0f);
            }); }},
      {"access_index_type",
       [] {
         return stated([](const ByHand& p) { return store(p.out, {constant_int(i32, 0)}, 1.0f); });
       }},
      {"access_lanes",
       [] {
         return verified([](ByHand& p) {
           p.data.params[3].shape = {4, 8};
           p.data.body = store(p.out, {ramp(0, 1, 4), ramp(0, 1, 8)}, 1.0f);
         });
       }},
      {"store_to_weight",
       [] { return stated([](const ByHand& p) { return store(p.w, {0}, 1.0f); }); }},
      {"store_to_table",
       [] {
         return stated([](const ByHand& p) { return store(p.codes, {0}, cast(u8, Expr(1))); });
       }},
      {"store_type", [] { return stated([](const ByHand& p) { return store(p.out, {0}, 1); }); }},
      {"store_lanes",
       [] {
         return stated(
             [](const ByHand& p) { return store(p.out, {0}, load(p.a, {ramp(0, 1, 4)})); });
       }},
      {"store_mask",
       [] { return stated([](const ByHand& p) { return store(p.out, {0}, 1.0f, Expr(1)); }); }},
      {"load_mask",
       [] {
         return valued([](const ByHand& p) { return load(p.a, {ramp(0, 1, 4)}, ramp(0, 1, 4)); });
       }},
      {"accumulate_lanes",
       [] {
         return stated([](const ByHand& p) {
           return accumulate(p.out, {ramp(0, 1, 4)}, Reducer::kSum, load(p.a, {ramp(0, 1, 8)}));
         });
       }},
      {"accumulate_bool",
       [] {
         return verified([](ByHand& p) {
           const Buffer any("any", boolean);
           p.data.params.push_back({Role::kOutput, any, {}, {Expr(1)}});
           p.data.body = accumulate(any, {0}, Reducer::kMax, Expr(true));
         });
       }},
      {"accumulate_results",
       [] {
         return stated([](const ByHand& p) {
           return accumulate(std::vector<Buffer>{p.out, p.out}, {0}, most(), {load(p.a, {0})});
         });
       }},
      {"accumulate_value_type",
       [] {
         return stated([](const ByHand& p) {
           return accumulate(std::vector<Buffer>{p.out}, {0}, most(), {Expr(1)});
         });
       }},
      {"condition_type",
       [] { return stated([](const ByHand& p) { return make_if(p.size, seq({})); }); }},
      {"expression_missing",
       [] { return stated([](const ByHand&) { return make_if(Expr(), seq({})); }); }},
      {"prefetched_local",
       [] {
         return stated([](const ByHand&) {
           const Buffer t("t", f32);
           return seq({alloc(t, {4}), prefetch(t, {0})});
         });
       }},
      {"prefetched_far",
       [] {
         return stated([](const ByHand& p) {
           return make_for(p.i, 0, 4, LoopKind(std::vector<Ahead>{{p.a, 0}}), seq({}));
         });
       }},
      {"prefetched_lanes",
       [] { return stated([](const ByHand& p) { return prefetch(p.a, {ramp(0, 1, 4)}); }); }},
      {"call_in_vector_loop",
       [] {
         return stated([](const ByHand& p) {
           const Stmt one = call({"routine"}, {{p.out, {{p.i, {}}}, {}}}, {});
           return make_for(p.i, 0, 4, ForKind::kVector, one);
         });
       }},
      {"call_writes_nothing",
       [] { return stated([](const ByHand&) { return call({"routine"}, {}, {}); }); }},
      {"call_given_twice",
       [] {
         return stated([](const ByHand& p) {
           const CallRegion part{p.out, {{0, 4}}, {}};
           return call({"routine"}, {part}, {part});
         });
       }},
      {"operator_types",
       [] {
         return valued([](const ByHand& p) { return binary(BinaryOp::kAdd, p.size, p.eps); });
       }},
      {"operator_not_for_floats",
       [] {
         return valued([](const ByHand& p) { return binary(BinaryOp::kFloorMod, p.eps, p.eps); });
       }},
      {"function_not_for_integers",
       [] { return valued([](const ByHand& p) { return unary(UnaryOp::kExp, p.size); }); }},
      {"condition_of_select",
       [] { return valued([](const ByHand& p) { return make_select(p.size, 1.0f, 2.0f); }); }},
      {"values_of_select",
       [] { return valued([](const ByHand&) { return make_select(Expr(true), 1.0f, 2); }); }},
      {"cast_of_bits",
       [] {
         return valued([](const ByHand& p) { return make_cast(CastMode::kBits, i64, p.eps); });
       }},
      {"cast_to_lanes",
       [] {
         return valued([](const ByHand& p) {
           return make_cast(CastMode::kValue, f32.with_lanes(4), p.size);
         });
       }},
      {"ramp_of_floats", [] { return valued([](const ByHand&) { return ramp(0.5f, 1.0f, 4); }); }},
      {"broadcast_lanes",
       [] { return valued([](const ByHand&) { return broadcast_lanes(0, 100000); }); }},
      {"constant_bits",
       [] { return valued([](const ByHand&) { return constant_bits(u8, 256); }); }},
      {"reduction_inside",
       [] {
         return valued([](const ByHand& p) {
           return make_reduce(Reducer::kSum, {{p.i, 4}}, {load(p.a, {0})}, 0);
         });
       }},
  };
  return all;
}

const std::vector<Case>& instructions() {
  static const std::vector<Case> all = {
      {"instruction_name",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.name = "add.4"; });
       }},
      {"instruction_without_meaning", [] { return instructed(""); }},
      {"instruction_with_sizes",
       [] {
         return instructed(
             "program add\n  size n\n  input a: f32[n]\n  output out: f32[n]\n{\n"
             "  for i in 0..n { out[i] = a[i] }\n}\n");
       }},
      {"instruction_elements",
       [] { return instructed(meaning_of(kCopies, "  input a: f32[100000]\n")); }},
      {"instruction_two_outputs",
       [] { return instructed(meaning_of(kCopies, "  input a: f32[4]\n  output b: f32[4]\n")); }},
      {"instruction_loop",
       [] { return instructed(meaning_of("for i in 0..1 { out[i] = a[i] }")); }},
      {"instruction_statement",
       [] { return instructed(meaning_of("for i in 0..4 { if true { out[i] = a[i] } }")); }},
      {"instruction_number",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[i] * cast<f32>(i) }")); }},
      {"instruction_reads_sometimes",
       [] {
         return instructed(meaning_of("for i in 0..4 { out[i] = select(a[i] < 1.0, a[0], 2.0) }"));
       }},
      {"instruction_index",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[i + 1] }")); }},
      {"instruction_not_touched",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[0] }")); }},
      {"instruction_without_emission",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.intrinsic = ""; });
       }},
      {"instruction_constraints",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.constraints = "=x,x"; });
       }},
      {"instruction_quotes",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.intrinsic = "a\"b"; });
       }},
      {"instruction_input_not_taken",
       [] { return instructed(meaning_of(kCopies), [](InstructionData& d) { d.operands = {}; }); }},
      {"instruction_unknown_operand",
       [] {
         return instructed(meaning_of(kCopies),
                           [](InstructionData& d) { d.operands.push_back("b"); });
       }},
      {"instruction_operand_not_wider",
       [] {
         return instructed(
             meaning_of("for i in 0..4 { out[i] = cast<f32>(a[i]) }", "  input a: i16[4]\n"),
             [](InstructionData& d) {
               d.operands = {{"a", i8}};
             });
       }},
      {"instruction_uses_output",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = out[i] + a[i] }")); }},
      {"instruction_sum_of_floats",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] += a[i] }")); }},
  };
  return all;
}

// What was right before is still right, and the same.
Program right() { return *build_program("right", in().all(), {twice("y")}); }

TEST_CASE("What cannot be built is refused as its golden files say") {
  const Program before = right();
  size_t count = 0;
  for (const auto* cases : {&inputs_and_outputs(), &reads_and_pieces(), &reductions_and_updates(),
                            &expressions(), &programs_by_hand(), &instructions()}) {
    for (const Case& c : *cases) {
      INFO(c.name);
      const std::string message = c.message();
      CHECK_FALSE(message.empty());
      check_golden(std::string("messages/building/") + c.name, message + "\n");
      CHECK(structurally_equal(right(), before));
      ++count;
    }
  }
  CHECK(count >= 160);
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
