// What is said about a call that does not work: wrong arguments, a workspace that is none, checks
// that fail and functions that fail while a kernel runs, signatures that are put together by hand,
// and runs of the interpreter. Each is a few lines of a user, and the whole message is a golden
// file.
#include <algorithm>
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "messages/spoken.h"
#include "support/check.h"
#include "tenon/interp/interp.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

const Schedule::Place kPlace = place_of_cases();

Jit& jit() {
  static Jit one;
  return one;
}

// What the calls are given. The outputs of a refused call stay as they were.
struct Memory {
  alignas(64) float x[64], b[8], out[64], other[64];
  int64_t ids[8];
  alignas(64) std::byte scratch[1 << 16];
  void reset() {
    for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i), out[i] = other[i] = -1.0f;
    for (int i = 0; i < 8; ++i) b[i] = 1.0f, ids[i] = i;
  }
  bool untouched() const {
    const auto same = [](float f) { return f == -1.0f; };
    return std::all_of(out, out + 64, same) && std::all_of(other, other + 64, same);
  }
};
Memory& memory() {
  static Memory all;
  return all;
}

// y = factor * x + b, where an even number of columns is required.
struct Affine {
  Size m{"m"}, n{"n"};
  Program program;
  Affine() {
    const Tensor x = input("x", f32, {m, n}), b = input("b", f32, {4});
    const Expr factor = scalar("factor", i32);
    const Tensor y = compute(
        "y", {m, n}, [&](Expr i, Expr j) { return x(i, j) * cast(f32, factor) + b(j % 4); });
    program = tenon::program("affine", {x, factor, b}, {y}, {require(n % 2 == 0)});
  }
};
const Kernel& affine() {
  static const Kernel kernel = *jit().compile(Affine().program);
  return kernel;
}
const Kernel& affine_with(StrideClass strides) {
  static const auto with = [](StrideClass c) {
    return *jit().compile(Affine().program, {}, {.strides = {{"x", c}, {"y", c}}});
  };
  static const Kernel inner = with(StrideClass::kInnerUnit), general = with(StrideClass::kGeneral);
  return strides == StrideClass::kGeneral ? general : inner;
}
View X() { return View(memory().x, {2, 4}); }
View B() { return View(memory().b, {4}); }
View Y() { return View(memory().out, {2, 4}); }

// y = x, reversed through a copy of 16 KB and more.
struct Reverse {
  Size n{"n"};
  Program program;
  Reverse() {
    const Tensor x = input("x", f32, {n});
    const Tensor copy = compute("copy", {n}, [&](Expr i) { return x(i) + 1.0f; });
    const Tensor y = compute("y", {n}, [&](Expr i) { return copy(n - 1 - i); });
    program = tenon::program("reverse", {x}, {y});
  }
};
const Kernel& reverse() {
  static const Kernel kernel = *jit().compile(Reverse().program);
  return kernel;
}
// 8192 elements of x and of out, which need 32 KB of scratch.
struct Long {
  std::vector<float> x = std::vector<float>(8192), y = std::vector<float>(8192, -1.0f);
  std::string reversed(absl::Span<std::byte> workspace) {
    const std::string message =
        said(reverse()({View(x.data(), {8192})}, {View(y.data(), {8192})}, workspace));
    CHECK(std::all_of(y.begin(), y.end(), [](float f) { return f == -1.0f; }));
    return message;
  }
};

// y[i] = x[ids[i]] of 8 elements.
std::string gathered(int64_t wrong) {
  const Size n("n");
  const Tensor x = input("x", f32, {8}), ids = input("ids", i64, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(ids(i)); });
  memory().ids[3] = wrong;
  const Kernel kernel = *jit().compile(program("gather", {x, ids}, {y}));
  return said(kernel({View(memory().x, {8}), View(memory().ids, {8})}, {View(memory().out, {8})}));
}

int32_t failing(void*, const tenon_array*, int32_t) { return 7; }

// x * w of a weight in panels of four rows.
struct Product {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;
  Product() {
    const Tensor x = input("x", f32, {m, k}), w = weight("w", f32, {n, k});
    const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) {
      return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
    });
    program = tenon::program("product", {x, w}, {y}, {require(n % 4 == 0)});
  }
  Kernel panels(int64_t rows) const {
    Schedule s(program, {}, kPlace);
    s.set_layout("w", [=](const Index& d) { return Index{d[0] / rows, d[1], d[0] % rows}; });
    return *jit().compile(s);
  }
};
View W() { return View(memory().other, {8, 2}); }
// A call with this as the weight.
std::string multiplied(const Kernel& kernel, const Argument& w, int64_t columns = 8) {
  return said(kernel({View(memory().x, {2, 2}), w}, {View(memory().out, {2, columns})}));
}

// --- A signature that is put together by hand.

using Op = SizeProgram::Op;

std::string finalized(const std::function<void(Signature&)>& change) {
  Signature s;
  s.kernel = "f";
  s.sizes = {"n"};
  s.size_slots = 1;
  ParamSignature x;
  x.name = "x", x.type = f32, x.shape = {SizeProgram::size(0, "n")};
  s.params = {x};
  change(s);
  return said(finalize(s));
}
std::string finalized(const SizeProgram& extent) {
  return finalized([&](Signature& s) { s.params[0].shape.push_back(extent); });
}

// --- Runs of the interpreter, over x and y of 4 elements.

std::string interpreted(const std::string& body, const std::string& header = "") {
  const Program p = parsed("program p\n" + header + "  input x: i64[4]\n  output y: f32[4]\n{\n" +
                           body + "\n}\n");
  Array x = Array::of<int64_t>({4}, {1, 2, 3, 9}), y(f32, {4});
  return said(interpret(p, {}, {&x, &y}));
}

const std::vector<Spoken>& arguments() {
  static const std::vector<Spoken> all = {
      {"too_few",
       [] {
         return said(affine()({X(), 2}, {Y()}));
       }},
      {"view_expected",
       [] {
         return said(affine()({1.5f, 2, B()}, {Y()}));
       }},
      {"scalar_expected",
       [] {
         return said(affine()({X(), B(), B()}, {Y()}));
       }},
      {"scalar_no_integer",
       [] {
         return said(affine()({X(), 0.5, B()}, {Y()}));
       }},
      {"scalar_too_large",
       [] {
         return said(affine()({X(), int64_t{1} << 40, B()}, {Y()}));
       }},
      {"scalar_above_i64",
       [] {
         return said(affine()({X(), ~uint64_t{0}, B()}, {Y()}));
       }},
      {"type",
       [] {
         double wide[8] = {};
         return said(affine()({View(wide, {2, 4}), 2, B()}, {Y()}));
       }},
      {"rank",
       [] {
         return said(affine()({View(memory().x, {8}), 2, B()}, {Y()}));
       }},
      {"rank_of_nine",
       [] {
         const std::vector<int64_t> ones(9, 1);
         return said(affine()({View(memory().x, f32, ones), 2, B()}, {Y()}));
       }},
      {"rank_of_nine_and_type",
       [] {
         const std::vector<int64_t> ones(9, 1);
         return said(affine()({View(memory().x, f64, ones), 2, B()}, {Y()}));
       }},
      {"stride_missing",
       [] {
         return said(affine()({View(memory().x, {2, 4}, {4}), 2, B()}, {Y()}));
       }},
      {"size_constant",
       [] {
         return said(affine()({X(), 2, View(memory().b, {5})}, {Y()}));
       }},
      {"size_of_another",
       [] {
         return said(affine()({X(), 2, B()}, {View(memory().out, {2, 6})}));
       }},
      {"size_negative",
       [] {
         return said(affine()({View(memory().x, {-1, 4}), 2, B()}, {Y()}));
       }},
      {"size_would_be_negative",
       [] {
         const Size n("n");
         const Tensor x = input("x", f32, {n});
         const Tensor y = compute("y", {n - 4}, [&](Expr i) { return x(i + 4); });
         const Kernel kernel = *jit().compile(program("tail", {x}, {y}));
         return said(kernel({View(memory().x, {2})}, {View(memory().out, {0})}));
       }},
      {"requirement",
       [] {
         return said(affine()({View(memory().x, {2, 3}), 2, B()}, {View(memory().out, {2, 3})}));
       }},
      {"strides_dense",
       [] {
         return said(affine()({View(memory().x, {2, 4}, {8, 1}), 2, B()}, {Y()}));
       }},
      {"strides_inner_unit",
       [] {
         return said(affine_with(StrideClass::kInnerUnit)(
             {View(memory().x, {2, 4}, {1, 2}), 2, B()}, {Y()}));
       }},
      {"strides_negative",
       [] {
         return said(affine_with(StrideClass::kInnerUnit)(
             {View(memory().x + 32, {2, 4}, {-4, 1}), 2, B()}, {Y()}));
       }},
      {"null_pointer",
       [] {
         return said(affine()({View(static_cast<float*>(nullptr), {2, 4}), 2, B()}, {Y()}));
       }},
      {"alignment",
       [] {
         float* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(memory().x) + 2);
         return said(affine()({View(odd, {2, 4}), 2, B()}, {Y()}));
       }},
      {"address_space",
       [] {
         const int64_t many = int64_t{1} << 61;
         return said(
             affine()({View(memory().x, {many, 4}), 2, B()}, {View(memory().out, {many, 4})}));
       }},
      {"overlap",
       [] {
         return said(affine()({View(memory().out + 4, {2, 4}), 2, B()}, {Y()}));
       }},
      {"overlap_of_itself",
       [] {
         return said(affine_with(StrideClass::kGeneral)({X(), 2, B()},
                                                        {View(memory().out, {2, 4}, {2, 1})}));
       }},
      {"weight_not_packed", [] { return multiplied(Product().panels(4), W()); }},
      {"weight_of_another_layout",
       [] {
         const Packed two = *Product().panels(2).pack("w", W());
         return multiplied(Product().panels(4), two);
       }},
      {"weight_moved_away",
       [] {
         Packed packed = *Product().panels(4).pack("w", W());
         const Packed kept = std::move(packed);
         return multiplied(Product().panels(4), packed);  // NOLINT: that is the mistake
       }},
      {"weight_packed_for_plain",
       [] {
         const Packed packed = *Product().panels(4).pack("w", W());
         return multiplied(*jit().compile(Product().program), packed);
       }},
      {"weight_of_another_size",
       [] {
         const Packed packed = *Product().panels(4).pack("w", W());
         return multiplied(Product().panels(4), packed, 12);
       }},
      {"empty_kernel", [] { return said(Kernel()({X()}, {Y()})); }},
      {"empty_kernel_packs", [] { return said(Kernel().pack("w", View())); }},
      {"empty_function", [] { return said(Jit().call(Function(), {}, {})); }},
      {"moved_jit",
       [] {
         Jit gone;
         const Jit other = std::move(gone);
         return said(gone.compile(Reverse().program));  // NOLINT
       }},
      {"signature_not_finalized",
       [] {
         BoundCall bound;
         Signature s;
         s.kernel = "f";
         return said(check_call(s, {}, {}, &bound));
       }},
  };
  return all;
}

const std::vector<Spoken>& running() {
  static const std::vector<Spoken> all = {
      {"workspace_too_small",
       [] { return Long().reversed(absl::MakeSpan(memory().scratch, 1024)); }},
      {"workspace_not_aligned",
       [] { return Long().reversed(absl::MakeSpan(memory().scratch + 8, 60'000)); }},
      {"workspace_null",
       [] { return Long().reversed(absl::MakeSpan(static_cast<std::byte*>(nullptr), 60'000)); }},
      {"workspace_overlaps",
       [] {
         Long data;
         float* const inside = reinterpret_cast<float*>(memory().scratch) + 1024;
         return said(reverse()({View(inside, {8192})}, {View(data.y.data(), {8192})},
                               absl::MakeSpan(memory().scratch)));
       }},
      {"no_memory",
       [] {
         struct None final : Allocator {
           void* allocate(size_t, size_t) override { return nullptr; }
           void release(void*, size_t, size_t) override {}
         };
         static None none;
         JitOptions options;
         options.allocator = &none;
         Jit own(options);
         Long data;
         return said((*own.compile(Reverse().program))({View(data.x.data(), {8192})},
                                                       {View(data.y.data(), {8192})}));
       }},
      {"no_workers",
       [] {
         struct Nobody final : Executor {
           int max_workers() const override { return 0; }
           void parallel_for(int64_t, int64_t, tenon_task, void*) override {}
         };
         static Nobody nobody;
         JitOptions options;
         options.executor = &nobody;
         Jit own(options);
         const Affine affine;
         Schedule s(affine.program, {}, kPlace);
         s.parallelize(s.loops<2>("y")[0]);
         return said((*own.compile(s))({X(), 2, B()}, {Y()}));
       }},
      {"function_count",
       [] {
         return said(jit().call(function(Affine().program), {X(), 2}, {Y()}));
       }},
      {"function_type",
       [] {
         double wide[8] = {};
         return said(jit().call(function(Affine().program), {View(wide, {2, 4}), 2, B()}, {Y()}));
       }},
      {"function_rank",
       [] {
         return said(
             jit().call(function(Affine().program), {View(memory().x, {8}), 2, B()}, {Y()}));
       }},
      {"function_requirement",
       [] {
         return said(jit().call(function(Affine().program), {View(memory().x, {2, 3}), 2, B()},
                                {View(memory().out, {2, 3})}));
       }},
      {"function_size_that_no_argument_tells",
       [] {
         const Size n("n");
         const Tensor y = compute("y", {2 * Expr(n)}, [](Expr i) { return cast(f32, i); });
         return said(
             jit().call(function(program("numbers", {}, {y})), {}, {View(memory().out, {4})}));
       }},
  };
  return all;
}

// What these have written when they fail is written.
const std::vector<Spoken>& failing_on_the_way() {
  static const std::vector<Spoken> all = {
      {"index_above", [] { return gathered(12); }},
      {"index_negative", [] { return gathered(-1); }},
      {"length_above",
       [] {
         const Size n("n");
         const Tensor x = input("x", f32, {8}), lengths = input("lengths", i64, {n});
         const Tensor y = compute("y", {n}, [&](Expr i) {
           return sum(at_most(lengths(i), 8), [&](Expr r) { return x(r); });
         });
         memory().ids[3] = 9;
         const Kernel kernel = *jit().compile(program("sums", {x, lengths}, {y}));
         return said(
             kernel({View(memory().x, {8}), View(memory().ids, {8})}, {View(memory().out, {8})}));
       }},
      {"extern_function_fails",
       [] {
         const Tensor x = input("x", f32, {8});
         const Tensor y = extern_call({"routine", &failing}, {"y", f32, {8}}, {x});
         const Kernel kernel = *jit().compile(program("outside", {x}, {y}));
         return said(kernel({View(memory().x, {8})}, {View(memory().out, {8})}));
       }},
      {"interpreted_index",
       [] { return interpreted("for i in 0..4 { y[i] = cast<f32>(x[check(x[i], 4)]) }"); }},
      {"interpreted_requirement",
       [] {
         const Program p = parsed(
             "program p\n  size n\n  output y: f32[n]\n  require n % 2 == 0\n{\n  y[0] = 1.0\n}\n");
         Array y(f32, {3});
         return said(interpret(p, {}, {&y}));
       }},
      {"interpreted_scalar",
       [] {
         const Program p = parsed("program p\n  output y: f32[4]\n{\n  y[0] = 1.0\n}\n");
         return said(interpret(p, {}, {Expr(1.0f)}));
       }},
      {"interpreted_null_program", [] { return said(interpret(Program(), {}, {})); }},
      {"interpreted_number_of_arguments",
       [] {
         return said(
             interpret(parsed("program p\n  output y: f32[4]\n{\n  y[0] = 1.0\n}\n"), {}, {}));
       }},
      {"interpreted_scalar_type",
       [] {
         const Program p =
             parsed("program p\n  scalar s: f32\n  output y: f32[4]\n{\n  y[0] = s\n}\n");
         Array y(f32, {4});
         return said(interpret(p, {}, {Expr(1), &y}));
       }},
      {"interpreted_size_negative",
       [] {
         const Program p =
             parsed("program p\n  size n\n  output y: f32[4]\n{\n  y[0] = cast<f32>(n)\n}\n");
         Array y(f32, {4});
         return said(interpret(p, {{p->sizes[0], -1}}, {&y}));
       }},
      {"interpreted_outside", [] { return interpreted("for i in 0..4 { y[x[i]] = 1.0 }"); }},
      {"interpreted_shape",
       [] {
         const Program p = parsed("program p\n  output y: f32[4]\n{\n  y[0] = 1.0\n}\n");
         Array y(f32, {5});
         return said(interpret(p, {}, {&y}));
       }},
      {"interpreted_vectors_in_vector_loop",
       [] { return interpreted("vector for i in 0..2 { y[ramp(i, 1, 2)] = broadcast(1.0, 2) }"); }},
      {"interpreted_bounds_differ",
       [] { return interpreted("vector for i in 1..3 { for j in 0..i { y[j] = 1.0 } }"); }},
      {"interpreted_vector_loop_inside",
       [] { return interpreted("vector for i in 0..2 { vector for j in 0..2 { y[j] = 1.0 } }"); }},
      {"interpreted_too_many_lanes",
       [] { return interpreted("vector for i in 0..100000 { y[0] = 1.0 }"); }},
      {"interpreted_function_not_bound",
       [] { return interpreted("call routine(out y[0..4])", "  extern routine\n"); }},
  };
  return all;
}

const std::vector<Spoken>& signatures() {
  static const std::vector<Spoken> all = {
      {"signature_parameters",
       [] { return finalized([](Signature& s) { s.params.resize(65, s.params[0]); }); }},
      {"signature_slots", [] { return finalized([](Signature& s) { s.size_slots = 65; }); }},
      {"signature_too_few_slots", [] { return finalized([](Signature& s) { s.size_slots = 0; }); }},
      {"signature_rank",
       [] {
         return finalized([](Signature& s) { s.params[0].shape.resize(9, s.params[0].shape[0]); });
       }},
      {"signature_vectors",
       [] { return finalized([](Signature& s) { s.params[0].type = f32.with_lanes(4); }); }},
      {"signature_scalar_shape",
       [] {
         return finalized([](Signature& s) { s.params[0].role = ParamSignature::Role::kScalar; });
       }},
      {"signature_packed_input",
       [] { return finalized([](Signature& s) { s.params[0].layout = 1; }); }},
      {"signature_stride_slots",
       [] { return finalized([](Signature& s) {
              s.params[0].hidden_strides = {1, 1};
            }); }},
      {"signature_stride_slot",
       [] { return finalized([](Signature& s) { s.params[0].hidden_strides = {0}; }); }},
      {"signature_size_not_told",
       [] { return finalized([](Signature& s) { s.sizes.push_back("m"), s.size_slots = 2; }); }},
      {"signature_size_number",
       [] {
         return finalized({{{Op::kSize, 5}}, "m"});
       }},
      {"signature_operand",
       [] {
         return finalized({{{Op::kSize, 0}, {Op::kAdd}}, "n +"});
       }},
      {"signature_two_values",
       [] {
         return finalized({{{Op::kSize, 0}, {Op::kConst, 2}}, "n 2"});
       }},
      {"signature_operator",
       [] {
         return finalized({{{static_cast<Op>(99)}}, "?"});
       }},
      {"signature_too_deep",
       [] {
         return finalized({std::vector<SizeProgram::Instruction>(40, {Op::kConst, 1}), "1 1 1"});
       }},
      {"signature_requirement",
       [] {
         return finalized([](Signature& s) { s.requirements.push_back({{{}, "n"}, "1 <= n"}); });
       }},
  };
  return all;
}

// The kernel that refused something still works.
void check_usable() {
  memory().reset();
  REQUIRE(affine()({X(), 2, B()}, {Y()}).ok());
  CHECK(memory().out[5] == 11.0f);
  CHECK(memory().out[8] == -1.0f);
}

TEST_CASE("Calls that do not work are refused as their golden files say") {
  size_t count = 0;
  for (const auto* cases : {&arguments(), &running(), &failing_on_the_way(), &signatures()}) {
    for (const Spoken& c : *cases) {
      INFO(c.name);
      memory().reset();
      check_spoken("calls", c);
      if (cases != &failing_on_the_way()) CHECK(memory().untouched());
      check_usable();
      ++count;
    }
  }
  CHECK(count >= 65);
}

}  // namespace
}  // namespace tenon::test
