// What is said about Programs that are put together by hand, by verify and by the interpreter. Each
// is a few lines of a user, and the whole message is a golden file.
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "messages/spoken.h"
#include "tenon/ir/functions.h"
#include "tenon/ir/reducer.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

Tensor twice() {
  static const Tensor x = input("x", f32, {4});
  return compute("twice", {4}, [](Expr i) { return x(i) * 2.0f; });
}

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
// The store out[0] = a[0], with one thing changed.
std::string altered(const std::function<void(ProgramData&)>& change) {
  ProgramData data;
  data.name = "p";
  const Buffer a("a", f32), out("out", f32);
  data.params = {{Role::kInput, a, {}, {Expr(4)}}, {Role::kOutput, out, {}, {Expr(4)}}};
  data.body = store(out, {Expr(0)}, load(a, {Expr(0)}));
  change(data);
  return std::string(verify(Program(std::move(data))).message());
}

int32_t no_routine(void*, const tenon_array*, int32_t) { return 0; }
const ExternFunction kRoutine{"routine", no_routine};

// What the interpreter says about a run without arguments that fit.
std::string interpreted(const std::string& body, const InterpOptions& options = {},
                        const std::string& output = "f32[4]") {
  const Program p = *parse("program p\n  size n\n  output y: " + output + "\n{\n" + body + "\n}\n");
  Array y(f32, {4});
  return std::string(interpret(p, {}, {&y}, options).message());
}

Stmt fill(const Buffer& buffer) { return store(buffer, {Expr(0)}, Expr(1.0f)); }

const std::vector<Spoken>& programs_by_hand() {
  static const std::vector<Spoken> all = {
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

const std::vector<Spoken>& programs_with_one_mistake() {
  static const std::vector<Spoken> all = {
      // --- Programs that are put together by hand.
      {"scalar_declared_twice",
       [] {
         return altered([](ProgramData& p) {
           const Var eps("eps", f32);
           p.params.push_back({Role::kScalar, {}, eps});
           p.params.push_back({Role::kScalar, {}, eps});
         });
       }},
      {"size_declared_twice",
       [] {
         return altered([](ProgramData& p) {
           const Var size("size");
           p.sizes = {size, size};
         });
       }},
      {"buffer_declared_twice",
       [] { return altered([](ProgramData& p) { p.params[1].buffer = p.params[0].buffer; }); }},
      {"buffer_with_definition",
       [] { return altered([](ProgramData& p) { p.params[0].buffer = twice().buffer(); }); }},
      {"table_declared_twice",
       [] {
         return altered([](ProgramData& p) {
           const Table table{
               Buffer("table", u8), {Expr(1)}, std::make_shared<std::vector<uint64_t>>(1, 7)};
           p.tables = {table, table};
         });
       }},
      {"table_with_definition",
       [] {
         return altered([](ProgramData& p) {
           p.tables = {
               Table{twice().buffer(), {Expr(1)}, std::make_shared<std::vector<uint64_t>>(1, 7)}};
         });
       }},
      {"buffer_missing",
       [] {
         return altered([](ProgramData& p) {
           p.body = store(p.params[1].buffer, {Expr(0)}, load(Buffer(), {Expr(0)}));
         });
       }},
      {"statement_missing",
       [] {
         return altered([](ProgramData& p) {
           p.body = Stmt(std::make_shared<const StmtNode>(StmtNode{Seq{{Stmt()}}}));
         });
       }},
      {"loop_without_variable",
       [] {
         return altered([](ProgramData& p) {
           p.body = make_for(Var(), 0, 4, ForKind::kSerial, fill(p.params[1].buffer));
         });
       }},
      {"instruction_missing",
       [] {
         return altered([](ProgramData& p) {
           p.body = make_for(Var("i"), 0, 4, ForKind::kInstruction, fill(p.params[1].buffer));
         });
       }},
      {"prefetched_buffer_missing",
       [] {
         return altered([](ProgramData& p) {
           p.body =
               make_for(Var("i"), 0, 4, LoopKind(std::vector<Ahead>(1)), fill(p.params[1].buffer));
         });
       }},
      {"sequence_in_sequence",
       [] {
         return altered([](ProgramData& p) {
           const auto list = [](std::vector<Stmt> stmts) {
             return Stmt(std::make_shared<const StmtNode>(StmtNode{Seq{std::move(stmts)}}));
           };
           p.body = list({list({p.body})});
         });
       }},
      {"alloc_without_buffer",
       [] { return altered([](ProgramData& p) { p.body = alloc(Buffer(), {Expr(4)}); }); }},
      {"alloc_with_definition",
       [] { return altered([](ProgramData& p) { p.body = alloc(twice().buffer(), {Expr(4)}); }); }},
      {"let_without_variable",
       [] { return altered([](ProgramData& p) { p.body = bind(Var(), Expr(1)); }); }},
      {"extern_functions_of_one_name",
       [] {
         return altered([](ProgramData& p) {
           const auto part = [&](int64_t lo) {
             return std::vector<CallRegion>{{p.params[1].buffer, {{Expr(lo), Expr(4)}}, {}}};
           };
           p.body = seq({call(kRoutine, part(0), {}), call({"routine"}, part(1), {})});
         });
       }},
      {"part_strides",
       [] {
         return altered([](ProgramData& p) {
           const CallRegion part{p.params[1].buffer, {{Expr(0), Expr(4)}}, {Expr(1), Expr(1)}};
           p.body = call(kRoutine, {part}, {});
         });
       }},
      {"operator_with_two_buffers",
       [] {
         return altered([](ProgramData& p) {
           const Buffer& out = p.params[1].buffer;
           p.body = accumulate(std::vector<Buffer>{out, out}, {Expr(0)}, Reducer::kSum,
                               {Expr(1.0f), Expr(1.0f)});
         });
       }},
      {"reduction_without_values",
       [] {
         return altered([](ProgramData& p) {
           p.body = store(p.params[1].buffer, {Expr(0)}, make_reduce(Reducer::kSum, {}, {}, 0));
         });
       }},
      // --- Runs of the interpreter.
      {"interpret_size_without_value", [] { return interpreted("y[0] = 1.0"); }},
      {"interpret_too_many_statements",
       [] { return interpreted("for i in 0..n { y[i] = 1.0 }", {.max_statements = 2}, "f32[n]"); }},
      {"interpret_large_buffer",
       [] { return interpreted("alloc t: f32[n * 1000000000]\nt[0] = 1.0", {}, "f32[n]"); }},
      {"interpret_alloc_in_vector",
       [] {
         return interpreted("vector for i in 0..4 { alloc t: f32[4]\n t[i] = 1.0\n y[i] = t[i] }",
                            {}, "f32[n]");
       }},
      {"interpret_part_outside",
       [] {
         const Program p = *parse(
             "program p\n  output y: f32[4]\n  extern routine\n{\n  call routine(out y[0..5])\n}\n",
             {kRoutine});
         Array y(f32, {4});
         return std::string(interpret(p, {}, {&y}).message());
       }},
      {"null_program", [] { return said(Schedule(Program(), {}, place_of_cases())); }},
  };
  return all;
}

TEST_CASE("Programs that are put together by hand are refused as their golden files say") {
  size_t count = 0;
  for (const auto* cases : {&programs_by_hand(), &programs_with_one_mistake()}) {
    for (const Spoken& c : *cases) {
      INFO(c.name);
      check_spoken("programs", c);
      ++count;
    }
  }
  CHECK(count >= 95);
}

}  // namespace
}  // namespace tenon::test
