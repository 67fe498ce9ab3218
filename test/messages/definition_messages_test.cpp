// What is said about definitions that make no Program, and about handles that hold nothing: each a
// few lines of a user, and the whole message as a golden file.
#include <catch2/catch.hpp>

#include "support/golden.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/reducer.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

const Size n("n"), m("m");

const Tensor& x() {
  static const Tensor tensor = input("x", f32, {n});
  return tensor;
}
const Tensor& grid() {
  static const Tensor tensor = input("grid", f32, {m, n});
  return tensor;
}
Tensor twice(const std::string& name = "twice") {
  return compute(name, {n}, [](Expr i) { return x()(i) * 2.0f; });
}
Expr nothing() { return Expr(); }

std::string built(const std::vector<ProgramInput>& inputs, const std::vector<Tensor>& outputs) {
  return std::string(build_program("p", inputs, outputs).status().message());
}
std::string built(const Tensor& output) { return built({x()}, {output}); }

int32_t no_routine(void*, const tenon_array*, int32_t) { return 0; }
const ExternFunction kRoutine{"routine", no_routine};

std::string called(const ExternResult& result, const std::vector<Tensor>& inputs,
                   const Domain& domain, const std::function<Parts(Expr)>& parts) {
  return built({x(), grid()}, {extern_call(kRoutine, result, inputs, domain, parts)});
}

// A recurrence over n steps whose step gives `next`.
Tensor recurrence(const Expr& steps, const std::vector<Carry>& states, const Next& next) {
  return scan<1>({}, steps, states, [&](Expr, const Carried&) { return next; })[0].last("last");
}

// As text, with one thing changed.
std::string reduced(const std::function<void(CustomReducer&)>& change) {
  const Var best("best", f32), other("other", f32), v("v", f32);
  CustomReducer most;
  most.name = "most";
  most.identity = {Expr(-1.0f)};
  most.state = {best}, most.element = {v}, most.other = {other};
  most.update = {max(Expr(best), Expr(v))}, most.combine = {max(Expr(best), Expr(other))};
  change(most);
  return std::string(custom_reducer(most).functions()->status.message());
}

std::string meant(std::string text, std::vector<std::string> needs = {}) {
  InstructionData data;
  data.name = "add";
  data.needs = std::move(needs);
  if (const auto meaning = parse(text); meaning.ok()) data.meaning = *meaning;
  data.operands = {"a"};
  data.intrinsic = "llvm.none";
  return std::string(Instruction(std::move(data))->status.message());
}

// A Program that is put together by hand.
std::string verified(const std::function<void(ProgramData&)>& change) {
  ProgramData data;
  data.name = "p";
  const Buffer a("a", f32), out("out", f32);
  data.params = {{Role::kInput, a, {}, {Expr(4)}}, {Role::kOutput, out, {}, {Expr(4)}}};
  data.body = store(out, {Expr(0)}, load(a, {Expr(0)}));
  change(data);
  return std::string(verify(Program(std::move(data))).message());
}

// What the interpreter says about a run without arguments that fit.
std::string interpreted(const std::string& body, const InterpOptions& options = {},
                        const std::string& output = "f32[4]") {
  const Program p = *parse("program p\n  size n\n  output y: " + output + "\n{\n" + body + "\n}\n");
  Array y(f32, {4});
  return std::string(interpret(p, {}, {&y}, options).message());
}

Stmt fill(const Buffer& buffer) { return store(buffer, {Expr(0)}, Expr(1.0f)); }

struct Case {
  const char* name;
  std::function<std::string()> message;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      // --- Tensors.
      {"input_never_defined", [] { return built({Tensor()}, {twice()}); }},
      {"output_never_defined", [] { return built({x()}, {Tensor()}); }},
      {"tensor_read_never_defined",
       [] { return built(compute("y", {n}, [](Expr i) { return Tensor()(i); })); }},
      {"size_of_no_dimension",
       [] { return built(compute("y", {x().size(1)}, [](Expr i) { return x()(i); })); }},
      {"extent_of_floats",
       [] { return built(compute("y", {Expr(2.5f)}, [](Expr i) { return x()(i); })); }},
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
      {"any_of_floats",
       [] {
         return built(compute("y", {}, [](const Index&) {
           return cast(f32, any(n, [](Expr r) { return x()(r); }));
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
                        n, [](Expr r) { return Index{r}; }, [](Expr r) { return x()(r); })));
       }},
      {"update_combine_no_expression",
       [] {
         return built(update("y", twice(),
                             scatter(
                                 n, [](Expr r) { return Index{r}; }, [](Expr r) { return x()(r); },
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
         return called({"y", f32, {m, n}}, {grid()}, m, [](Expr i) {
           return Parts{.writes = {{i}}, .reads = {{i, kWhole}}};
         });
       }},
      {"extern_input_part_dimensions",
       [] {
         return called({"y", f32, {m, n}}, {grid()}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{i}}};
         });
       }},
      {"extern_part_of_floats",
       [] {
         return called({"y", f32, {m, n}}, {grid()}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{cast(f32, i), kWhole}}};
         });
       }},
      {"extern_parts_missing",
       [] {
         return called({"y", f32, {m, n}}, {grid()}, m, [](Expr i) {
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
         return called({"y", f32, {m, n}}, {slice(grid(), 0, 0, m)}, m, [](Expr i) {
           return Parts{.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
         });
       }},
      {"extern_no_name",
       [] {
         return built({x()}, {extern_call(ExternFunction{}, {"y", f32, {n}}, {x()})});
       }},
      {"extern_domain_where",
       [] {
         return called({"y", f32, {m, n}}, {grid()}, Domain(m).where([](Expr i) { return i < 3; }),
                       [](Expr i) {
                         return Parts{.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
                       });
       }},
      {"extern_parts_do_not_cover",
       [] {
         return called({"y", f32, {m, n}}, {grid()}, m, [](Expr i) {
           return Parts{.writes = {{i, Part(0, n - 1)}}, .reads = {{i, kWhole}}};
         });
       }},
      // --- Reducers.
      {"reducer_no_name", [] { return reduced([](CustomReducer& r) { r.name = ""; }); }},
      {"reducer_second_state", [] { return reduced([](CustomReducer& r) { r.other = {}; }); }},
      {"reducer_variable_null",
       [] { return reduced([](CustomReducer& r) { r.element = {Var()}; }); }},
      {"reducer_states_differ",
       [] { return reduced([](CustomReducer& r) { r.other = {Var("other", f64)}; }); }},
      {"reducer_empty_expression",
       [] { return reduced([](CustomReducer& r) { r.update = {nothing()}; }); }},
      // --- Instructions.
      {"instruction_meaning_not_valid",
       [] {
         ProgramData data;
         data.name = "add";
         InstructionData add;
         add.name = "add", add.meaning = Program(std::move(data)), add.intrinsic = "llvm.none";
         return std::string(Instruction(std::move(add))->status.message());
       }},
      {"instruction_no_dense_tensor",
       [] {
         return meant(
             "program add\n  input a: f32[4] strides [2]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] }\n}\n");
       }},
      {"instruction_mask",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] where true }\n}\n");
       }},
      {"instruction_check",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] + cast<f32>(check(1, 2)) }\n}\n");
       }},
      {"instruction_feature_no_name",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] }\n}\n",
             {""});
       }},
      // --- Programs that are put together by hand.
      {"scalar_declared_twice",
       [] {
         return verified([](ProgramData& p) {
           const Var eps("eps", f32);
           p.params.push_back({Role::kScalar, {}, eps});
           p.params.push_back({Role::kScalar, {}, eps});
         });
       }},
      {"size_declared_twice",
       [] {
         return verified([](ProgramData& p) {
           const Var size("size");
           p.sizes = {size, size};
         });
       }},
      {"buffer_declared_twice",
       [] { return verified([](ProgramData& p) { p.params[1].buffer = p.params[0].buffer; }); }},
      {"buffer_with_definition",
       [] { return verified([](ProgramData& p) { p.params[0].buffer = twice().buffer(); }); }},
      {"table_declared_twice",
       [] {
         return verified([](ProgramData& p) {
           const Table table{
               Buffer("table", u8), {Expr(1)}, std::make_shared<std::vector<uint64_t>>(1, 7)};
           p.tables = {table, table};
         });
       }},
      {"table_with_definition",
       [] {
         return verified([](ProgramData& p) {
           p.tables = {
               Table{twice().buffer(), {Expr(1)}, std::make_shared<std::vector<uint64_t>>(1, 7)}};
         });
       }},
      {"buffer_missing",
       [] {
         return verified([](ProgramData& p) {
           p.body = store(p.params[1].buffer, {Expr(0)}, load(Buffer(), {Expr(0)}));
         });
       }},
      {"statement_missing",
       [] {
         return verified([](ProgramData& p) {
           p.body = Stmt(std::make_shared<const StmtNode>(StmtNode{Seq{{Stmt()}}}));
         });
       }},
      {"loop_without_variable",
       [] {
         return verified([](ProgramData& p) {
           p.body = make_for(Var(), 0, 4, ForKind::kSerial, fill(p.params[1].buffer));
         });
       }},
      {"instruction_missing",
       [] {
         return verified([](ProgramData& p) {
           p.body = make_for(Var("i"), 0, 4, ForKind::kInstruction, fill(p.params[1].buffer));
         });
       }},
      {"prefetched_buffer_missing",
       [] {
         return verified([](ProgramData& p) {
           p.body =
               make_for(Var("i"), 0, 4, LoopKind(std::vector<Ahead>(1)), fill(p.params[1].buffer));
         });
       }},
      {"sequence_in_sequence",
       [] {
         return verified([](ProgramData& p) {
           const auto list = [](std::vector<Stmt> stmts) {
             return Stmt(std::make_shared<const StmtNode>(StmtNode{Seq{std::move(stmts)}}));
           };
           p.body = list({list({p.body})});
         });
       }},
      {"alloc_without_buffer",
       [] { return verified([](ProgramData& p) { p.body = alloc(Buffer(), {Expr(4)}); }); }},
      {"alloc_with_definition",
       [] {
         return verified([](ProgramData& p) { p.body = alloc(twice().buffer(), {Expr(4)}); });
       }},
      {"let_without_variable",
       [] { return verified([](ProgramData& p) { p.body = bind(Var(), Expr(1)); }); }},
      {"extern_functions_of_one_name",
       [] {
         return verified([](ProgramData& p) {
           const auto part = [&](int64_t lo) {
             return std::vector<CallRegion>{{p.params[1].buffer, {{Expr(lo), Expr(4)}}, {}}};
           };
           p.body = seq({call(kRoutine, part(0), {}), call({"routine"}, part(1), {})});
         });
       }},
      {"part_strides",
       [] {
         return verified([](ProgramData& p) {
           const CallRegion part{p.params[1].buffer, {{Expr(0), Expr(4)}}, {Expr(1), Expr(1)}};
           p.body = call(kRoutine, {part}, {});
         });
       }},
      {"operator_with_two_buffers",
       [] {
         return verified([](ProgramData& p) {
           const Buffer& out = p.params[1].buffer;
           p.body = accumulate(std::vector<Buffer>{out, out}, {Expr(0)}, Reducer::kSum,
                               {Expr(1.0f), Expr(1.0f)});
         });
       }},
      {"reduction_without_values",
       [] {
         return verified([](ProgramData& p) {
           p.body = store(p.params[1].buffer, {Expr(0)}, make_reduce(Reducer::kSum, {}, {}, 0));
         });
       }},
      {"concat_shape_of_floats",
       [] {
         const Tensor odd = compute("odd", {Expr(2.5f)}, [](Expr i) { return x()(i); });
         return built(concat("y", 0, {twice(), odd}));
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
      // --- Handles that hold nothing.
      {"null_program", [] { return std::string(Schedule(Program()).status().message()); }},
      {"moved_jit",
       [] {
         Jit jit;
         const Jit other = std::move(jit);
         return std::string(jit.compile(Schedule(*build_program("p", {x()}, {twice()})))  // NOLINT
                                .status()
                                .message());
       }},
      {"empty_function", [] { return std::string(Jit().call(Function(), {}, {}).message()); }},
      {"empty_kernel", [] { return std::string(Kernel()({}, {}).message()); }},
      {"empty_kernel_packs",
       [] { return std::string(Kernel().pack("w", View()).status().message()); }},
  };
  return all;
}

TEST_CASE("Definitions are refused as their golden files say") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const std::string message = c.message();
    CHECK_FALSE(message.empty());
    check_golden(std::string("messages/definitions/") + c.name, message + "\n");
  }
  CHECK(cases().size() >= 60);
}

}  // namespace
}  // namespace tenon::test
