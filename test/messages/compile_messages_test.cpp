// What is said about a Program that cannot be compiled: sizes and options that are wrong, targets,
// vector loops and buffers that lowering refuses, instructions that the processor does not have,
// and weights that cannot be packed. Each is a few lines of a user, and the whole message is a
// golden file.
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "messages/spoken.h"
#include "support/check.h"
#include "tenon/ir/instruction.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

const Schedule::Place kPlace = place_of_cases();

Jit& jit() {
  static Jit one([] {
    JitOptions options;
    options.target = *Target::parse("x86-64-v2");  // which every machine of the tests runs
    return options;
  }());
  return one;
}

// A Program with this body, over x and out of n elements.
Program with_body(const std::string& body, const std::string& header = "") {
  return parsed(
      "program p\n  size n\n" + header +
      "  input x: f32[n]\n  input at: i64[n]\n  output out: f32[n]\n  require 8 <= n\n{\n" + body +
      "\n}\n");
}
std::string compiled(const std::string& body, const std::string& header = "") {
  return said(jit().compile(with_body(body, header), {}, {}, kPlace));
}

struct Twice {
  Size n{"n"};
  Program program;
  explicit Twice(const std::vector<Requirement>& requirements = {}) {
    const Tensor x = input("x", f32, {n});
    const Tensor y = compute("y", {n}, [&](Expr i) { return x(i) * 2.0f; });
    program = tenon::program("twice", {x}, {y}, requirements);
  }
  std::string with(const Sizes& sizes, const CompileOptions& options = {}) const {
    return said(jit().compile(program, sizes, options, kPlace));
  }
};

struct Product {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;
  Product() {
    const Tensor x = input("x", f32, {m, k}), w = weight("w", f32, {n, k});
    const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) {
      return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
    });
    program = tenon::program("product", {x, w}, {y});
  }
  // The weight in panels of four rows.
  Kernel panels() const {
    Schedule s(program, {{n, 8}, {k, 4}}, kPlace);
    s.set_layout("w", [](const Index& d) { return Index{d[0] / 4, d[1], d[0] % 4}; });
    return *jit().compile(s);
  }
};

// A nest of 4 elements as an instruction.
std::string instructed(const std::function<void(InstructionData&)>& change,
                       const std::string& value = "abs(a[i])") {
  InstructionData data;
  data.name = "absolute";
  data.meaning = parsed(
      "program absolute\n  input a: f32[4]\n  output b: f32[4]\n{\n  for i in 0..4 { b[i] = " +
      value + " }\n}\n");
  data.operands = {"a"};
  change(data);
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  Schedule s(
      parsed("program p\n  input x: f32[4]\n  output y: f32[4]\n{\n  for i in 0..4 { y[i] = " +
             std::string(value).replace(value.find("a[i]"), 4, "x[i]") + " }\n}\n"),
      {}, kPlace);
  s.tensorize(s.all_loops("y")[0], Instruction(std::move(data)), kPlace);
  return said(jit().compile(s));
}

// y = |x| over 3 elements, of which the inner loop of a split by 4 is an instruction.
std::string left_as_loops(std::vector<std::string> needs) {
  InstructionData data;
  data.name = "absolute";
  data.needs = std::move(needs);
  data.meaning = parsed(
      "program absolute\n  input a: f32[4]\n  output b: f32[4]\n{\n"
      "  for i in 0..4 { b[i] = abs(a[i]) }\n}\n");
  data.operands = {"a"};
  data.intrinsic = "llvm.fabs.v4f32";
  const Tensor x = input("x", f32, {3});
  const Tensor y = compute("y", {3}, [&](Expr i) { return abs(x(i)); });
  Schedule s(program("p", {x}, {y}), {}, kPlace);
  s.tensorize(s.split(s.loops<1>("y")[0], 4).second, Instruction(std::move(data)), kPlace);
  const absl::StatusOr<Kernel> kernel = jit().compile(s);
  if (!kernel.ok()) return said(kernel);
  const Explanation e = *kernel->explain();
  return e.left_as_loops.empty() ? "" : e.left_as_loops[0];
}

struct NoMemory final : Allocator {
  void* allocate(size_t, size_t) override { return nullptr; }
  void release(void*, size_t, size_t) override {}
};

// An input of this shape, which nobody reads.
std::string shaped(const Expr& extent, const Sizes& sizes = {}) {
  const Tensor x = input("x", f32, {extent});
  const Tensor y = compute("y", {4}, [&](Expr i) { return cast(f32, i); });
  return said(jit().compile(program("shaped", {x}, {y}), sizes, {}, kPlace));
}

const std::vector<Spoken>& options_and_sizes() {
  static const std::vector<Spoken> all = {
      {"mistake_of_the_definition",
       [] { return said(jit().compile(program("p", {}, {}), {}, {}, kPlace)); }},
      {"step_refused",
       [] {
         Schedule s(Twice().program, {}, kPlace);
         s.split(s.loops<1>("y", kPlace)[0], 0, kPlace);
         return said(jit().compile(s));
       }},
      {"size_of_another_program",
       [] {
         return Twice().with({{Size("rows"), 3}});
       }},
      {"size_empty",
       [] {
         return Twice().with({{Var(), 3}});
       }},
      {"size_negative",
       [] {
         const Twice t;
         return t.with({{t.n, -1}});
       }},
      {"size_given_twice",
       [] {
         const Twice t;
         return t.with({{t.n, 8}, {t.n, 9}});
       }},
      {"extent_negative",
       [] {
         const Size n("n");
         return shaped(2 * n - 8, {{n, 3}});
       }},
      {"requirement_not_held",
       [] {
         const Size n("n");
         const Tensor x = input("x", f32, {n});
         const Tensor y = compute("y", {n}, [&](Expr i) { return x(i) * 2.0f; });
         const Program p = program("evens", {x}, {y}, {require(n % 2 == 0)});
         return said(jit().compile(p, {{n, 3}}, {}, kPlace));
       }},
      {"extent_of_another_operator",
       [] {
         const Size n("n");
         return shaped(n ^ 1);
       }},
      {"size_that_no_argument_tells",
       [] {
         const Size n("n");
         const Tensor y = compute("y", {2 * Expr(n)}, [](Expr i) { return cast(f32, i); });
         return said(jit().compile(program("numbers", {}, {y}), {}, {}, kPlace));
       }},
      {"strides_of_two_classes",
       [] {
         return Twice().with(
             {}, {.strides = {{"x", StrideClass::kGeneral}, {"x", StrideClass::kInnerUnit}}});
       }},
      {"strides_of_no_parameter",
       [] {
         return Twice().with({}, {.strides = {{"z", StrideClass::kGeneral}}});
       }},
      {"too_many_parameters",
       [] {
         std::vector<ProgramInput> inputs;
         for (int i = 0; i < 64; ++i) inputs.emplace_back(input("x" + std::to_string(i), f32, {4}));
         const Tensor y = compute("y", {4}, [](Expr i) { return cast(f32, i); });
         return said(jit().compile(program("many", inputs, {y}), {}, {}, kPlace));
       }},
      {"too_many_strides",
       [] {
         std::vector<ProgramInput> inputs;
         CompileOptions options;
         for (int i = 0; i < 9; ++i) {
           const std::string name = "x" + std::to_string(i);
           inputs.emplace_back(input(name, f32, std::vector<Expr>(8, 2)));
           options.strides.emplace_back(name, StrideClass::kGeneral);
         }
         const Tensor y = compute("y", {4}, [](Expr i) { return cast(f32, i); });
         return said(jit().compile(program("many", inputs, {y}), {}, options, kPlace));
       }},
      {"extern_function_not_bound",
       [] { return compiled("call routine(out out[0..n])", "  extern routine\n"); }},
      {"explained_empty_kernel", [] { return said(Kernel().explain()); }},
      {"target_without_processor", [] { return said(Target::parse("avx2")); }},
      {"target_of_unknown_level", [] { return said(Target::parse("x86-64-v5")); }},
      {"target_of_unknown_feature", [] { return said(Target::parse("x86-64-v3+avx3")); }},
      {"target_without_what_all_have", [] { return said(Target::parse("x86-64-v3-sse2")); }},
  };
  return all;
}

const std::vector<Spoken>& functions_and_weights() {
  static const std::vector<Spoken> all = {
      {"function_of_null", [] { return said(jit().kernel(function(Program()), {})); }},
      {"function_of_a_mistake",
       [] { return said(jit().kernel(function(program("p", {}, {})), {})); }},
      {"function_of_too_many",
       [] {
         std::vector<ProgramInput> inputs;
         for (int i = 0; i < 128; ++i)
           inputs.emplace_back(input("x" + std::to_string(i), f32, {4}));
         const Tensor y = compute("y", {4}, [](Expr i) { return cast(f32, i); });
         return said(jit().kernel(function(program("many", inputs, {y})), {}));
       }},
      {"function_keeps_no_size_of_its_own",
       [] {
         Function f = function(Twice().program);
         f.keep_symbolic(Size("rows"));
         return said(jit().kernel(f, {}));
       }},
      {"function_keeps_null_size",
       [] {
         Function f = function(Twice().program);
         f.keep_symbolic(Var());
         return said(jit().kernel(f, {}));
       }},
      {"function_size_of_another",
       [] {
         return said(jit().kernel(function(Twice().program), {{Size("rows"), 3}}));
       }},
      {"function_size_given_twice",
       [] {
         const Twice t;
         return said(jit().kernel(function(t.program), {{t.n, 8}, {t.n, 9}}));
       }},
      {"function_size_without_value",
       [] { return said(jit().kernel(function(Twice().program), {})); }},
      {"function_schedule_of_another_program",
       [] {
         const Twice t;
         const Function f = function(t.program, [](Schedule& s, const Sizes&) {
           s = Schedule(Twice().program, {}, kPlace);
         });
         return said(jit().kernel(f, {{t.n, 8}}));
       }},
      {"function_step_refused",
       [] {
         const Twice t;
         const Function f = function(t.program, [](Schedule& s, const Sizes&) {
           s.split(s.loops<1>("y", kPlace)[0], 0, kPlace);
         });
         return said(jit().kernel(f, {{t.n, 8}}));
       }},
      {"warm_one_of_several",
       [] {
         const Twice t;
         return std::string(
             jit().warm(function(t.program), {{{t.n, 8}}, {{t.n, -8}}, {{t.n, 16}}}).message());
       }},
      {"pack_of_input",
       [] {
         float x[8] = {};
         return said(Product().panels().pack("x", View(x, {2, 4})));
       }},
      {"pack_of_no_parameter",
       [] {
         float w[8] = {};
         return said(Product().panels().pack("weights", View(w, {2, 4})));
       }},
      {"pack_without_weights",
       [] {
         float x[8] = {};
         return said(jit().compile(Twice().program)->pack("x", View(x, {8})));
       }},
      {"pack_of_another_shape",
       [] {
         float w[32] = {};
         return said(Product().panels().pack("w", View(w, {4, 8})));
       }},
      {"pack_of_another_type",
       [] {
         double w[32] = {};
         return said(Product().panels().pack("w", View(w, {8, 4})));
       }},
      {"pack_without_memory",
       [] {
         static NoMemory none;
         JitOptions options;
         options.allocator = &none;
         Jit own(options);
         const Product product;
         float w[32] = {};
         return said(own.compile(product.program)->pack("w", View(w, {8, 4})));
       }},
  };
  return all;
}

const std::vector<Spoken>& loops_and_buffers() {
  static const std::vector<Spoken> all = {
      {"vector_loop_of_n", [] { return compiled("vector for i in 0..n { out[i] = x[i] }"); }},
      {"vector_loop_too_long",
       [] { return compiled("vector for i in 0..1000 { out[i % 8] = x[i % 8] }"); }},
      {"vector_loop_declares",
       [] {
         return compiled(
             "vector for i in 0..8 {\n alloc t: f32[1]\n t[0] = x[i]\n out[i] = t[0]\n }");
       }},
      {"vector_loop_to_one_element",
       [] { return compiled("vector for i in 0..8 { out[3] = x[i] }"); }},
      {"vector_loop_bounds_differ",
       [] { return compiled("vector for i in 1..4 { for j in 0..i { out[i] = x[j] } }"); }},
      {"vector_loop_inside",
       [] { return compiled("vector for i in 0..4 { vector for j in 0..2 { out[i] = x[j] } }"); }},
      {"buffer_on_stack_of_n",
       [] {
         return compiled(
             "alloc t: f32[n] in stack\n for i in 0..n { t[i] = x[i] }\n out[0] = t[0]");
       }},
      {"buffer_in_registers_indexed",
       [] {
         return compiled(
             "alloc t: f32[8] in registers\n for i in 0..8 { t[i] = x[i] }\n out[0] = t[0]");
       }},
      {"buffer_too_large",
       [] {
         return compiled(
             "alloc t: f32[1099511627776, 1099511627776]\n t[0, 0] = x[0]\n out[0] = t[0, 0]");
       }},
      {"buffer_extent_is_data",
       [] { return compiled("alloc t: f32[at[0]]\n for i in 0..at[0] { t[i] = 1.0 }"); }},
  };
  return all;
}

const std::vector<Spoken>& emissions() {
  static const std::vector<Spoken> all = {
      {"intrinsic_unknown",
       [] { return instructed([](InstructionData& d) { d.intrinsic = "llvm.x86.nothing"; }); }},
      {"intrinsic_of_another_processor",
       [] {
         return instructed([](InstructionData& d) { d.intrinsic = "llvm.aarch64.neon.abs.v4i32"; });
       }},
      {"intrinsic_number_of_operands",
       [] {
         return instructed([](InstructionData& d) { d.intrinsic = "llvm.x86.avx2.psad.bw"; });
       }},
      {"intrinsic_operand_size",
       [] {
         return instructed([](InstructionData& d) {
           d.intrinsic = "llvm.x86.avx2.psad.bw";
           d.operands = {"a", "a"};
         });
       }},
      {"intrinsic_result_size",
       [] {
         return instructed([](InstructionData& d) { d.intrinsic = "llvm.x86.sse.cvttss2si"; });
       }},
      {"intrinsic_of_other_registers",
       [] { return instructed([](InstructionData& d) { d.intrinsic = "llvm.fabs.v8f32"; }); }},
      {"intrinsic_of_integers",
       [] { return instructed([](InstructionData& d) { d.intrinsic = "llvm.ctpop.v4i32"; }); }},
      {"assembly_constraints",
       [] {
         const std::string message = instructed(
             [](InstructionData& d) { d.assembly = "vmovups $1, $0", d.constraints = "=&x"; });
         // What follows is LLVM's, and differs between its versions.
         return message.substr(0, message.rfind(": ") + 1);
       }},
      {"instruction_needs_more",
       [] {
         return left_as_loops({"avx2", "fma"});
       }},
      {"instruction_behind_a_guard", [] { return left_as_loops({}); }},
      {"instruction_not_well_formed", [] { return instructed([](InstructionData&) {}); }},
  };
  return all;
}

// The Jit that refused something compiles what is right, and that computes.
void check_usable() {
  const Twice t;
  const absl::StatusOr<Kernel> kernel = jit().compile(t.program);
  REQUIRE(kernel.ok());
  std::vector<float> x = {1, 2, 3}, y(3);
  CHECK((*kernel)({View(x.data(), {3})}, {View(y.data(), {3})}).ok());
  CHECK(y == std::vector<float>{2, 4, 6});
}

TEST_CASE("What cannot be compiled is refused as its golden files say") {
  size_t count = 0;
  for (const auto* cases :
       {&options_and_sizes(), &functions_and_weights(), &loops_and_buffers(), &emissions()}) {
    for (const Spoken& c : *cases) {
      INFO(c.name);
      check_spoken("compile", c);
      check_usable();
      ++count;
    }
  }
  CHECK(count >= 50);
}

// No machine has all of these; one that does has nothing to refuse.
TEST_CASE("A target that this machine does not run is refused, with what it is") {
  JitOptions options;
  options.target = *Target::parse("x86-64-v4+avxvnniint16+avx512vp2intersect+avx512fp16");
  if (runs_on_host(options.target)) return;
  Jit other(options);
  std::string message = said(other.compile(Twice().program));
  const std::string host = Target::host().to_string();
  const size_t at = message.find("; it is " + host);
  REQUIRE(at != std::string::npos);
  message.replace(at + 8, host.size(), "x86-64-v2");
  check_golden("messages/compile/target_of_another_machine", message + "\n");
  check_usable();
}

}  // namespace
}  // namespace tenon::test
