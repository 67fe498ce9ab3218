#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tenon/runtime/runtime.h"

namespace tenon {
namespace {

using Op = SizeProgram::Op;
using Role = ParamSignature::Role;
using Shape = std::vector<SizeProgram>;

SizeProgram c(int64_t value) { return SizeProgram::constant(value); }

ParamSignature param(std::string name, Role role, Type type, Shape shape,
                     StrideClass strides = StrideClass::kDense) {
  ParamSignature p;
  p.name = std::move(name);
  p.role = role;
  p.type = type;
  p.shape = std::move(shape);
  p.strides = strides;
  return p;
}

Signature ready(Signature s) {
  if (s.size_slots == 0) s.size_slots = static_cast<int>(s.sizes.size());
  const absl::Status status = finalize(s);
  INFO(status);
  REQUIRE(status.ok());
  return s;
}

// y = x + 1 on f32[4, 8]: one input, one output.
Signature copy(StrideClass strides = StrideClass::kDense, Type type = f32) {
  Signature s;
  s.kernel = "copy";
  s.params = {param("x", Role::kInput, type, {c(4), c(8)}, strides),
              param("y", Role::kOutput, type, {c(4), c(8)}, strides)};
  return ready(s);
}

// x[m, k], w[n, k], eps -> out[m, n], all sizes from the call.
Signature linear() {
  const SizeProgram m = SizeProgram::size(0, "m"), n = SizeProgram::size(1, "n"),
                    k = SizeProgram::size(2, "k");
  Signature s;
  s.kernel = "linear_relu";
  s.sizes = {"m", "n", "k"};
  s.params = {param("x", Role::kInput, f32, {m, k}), param("w", Role::kWeight, f32, {n, k}),
              param("eps", Role::kScalar, f32, {}), param("out", Role::kOutput, f32, {m, n})};
  s.requirements = {
      {{{{Op::kSize, 2}, {Op::kConst, 4}, {Op::kFloorMod}, {Op::kConst, 0}, {Op::kEq}},
        "k % 4 == 0"},
       "k % 4 == 0"}};
  return ready(s);
}

alignas(64) float memory[4096];
float* const kX = memory;
float* const kY = memory + 1024;
float* const kZ = memory + 2048;

std::string check(const Signature& s, std::vector<Argument> inputs, std::vector<View> outputs,
                  BoundCall* bound = nullptr) {
  BoundCall mine;
  const absl::Status status = check_call(s, inputs, outputs, bound == nullptr ? &mine : bound);
  if (!status.ok()) CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

const char* const kOk = "";

}  // namespace

TEST_CASE("a right call binds buffers, sizes and scalars") {
  BoundCall b;
  CHECK(check(linear(), {View(kX, {3, 8}), View(kY, {5, 8}), 0.5}, {View(kZ, {3, 5})}, &b) == kOk);
  CHECK(b.buffers[0] == kX);
  CHECK(b.buffers[1] == kY);
  CHECK(b.buffers[2] == kZ);
  CHECK(b.sizes[0] == 3);
  CHECK(b.sizes[1] == 5);
  CHECK(b.sizes[2] == 8);
  CHECK(b.scalars[0] == 0x3f000000);
}

TEST_CASE("outputs may stand between inputs in the order of parameters") {
  Signature s;
  s.kernel = "k";
  s.params = {param("y", Role::kOutput, f32, {c(4)}), param("a", Role::kScalar, i32, {}),
              param("x", Role::kInput, f32, {c(2)}), param("b", Role::kScalar, i8, {})};
  s = ready(s);
  BoundCall b;
  CHECK(check(s, {7, View(kX, {2}), -1}, {View(kY, {4})}, &b) == kOk);
  CHECK(b.buffers[0] == kY);
  CHECK(b.buffers[1] == kX);
  CHECK(b.scalars[0] == 7);
  CHECK(b.scalars[1] == 0xff);
}

TEST_CASE("a call of a signature that is not finalized is refused") {
  Signature s;
  s.kernel = "f";
  CHECK(check(s, {}, {}) == "kernel f: its signature has not been finalized");
}

TEST_CASE("too many or too few arguments are told with what is expected") {
  const Signature s = linear();
  const std::string expected =
      "kernel linear_relu: expected 3 inputs (x: f32[m, k], w: f32[n, k], eps: f32 scalar) and "
      "1 output (out: f32[m, n]), got ";
  const View x(kX, {3, 8}), w(kY, {5, 8}), out(kZ, {3, 5});
  CHECK(check(s, {x, w}, {out}) == expected + "2 inputs and 1 output");
  CHECK(check(s, {x, w, 1.0f, 2.0f}, {out}) == expected + "4 inputs and 1 output");
  CHECK(check(s, {x, w, 1.0f}, {}) == expected + "3 inputs and 0 outputs");
  CHECK(check(s, {x}, {out, out}) == expected + "1 input and 2 outputs");
  Signature none;
  none.kernel = "none";
  none = ready(none);
  CHECK(check(none, {}, {}) == kOk);
  CHECK(check(none, {x}, {}) ==
        "kernel none: expected 0 inputs and 0 outputs, got 1 input and 0 outputs");
}

TEST_CASE("type, rank and shape are compared, and the message shows both sides") {
  const Signature s = copy();
  const View y(kY, {4, 8});
  CHECK(check(s, {View(kX, {4, 8})}, {y}) == kOk);
  CHECK(
      check(s, {View(kX, {4, 7})}, {y}) ==
      "kernel copy: argument x (input 0): expected f32[4, 8], got f32[4, 7]: dimension 1 differs");
  CHECK(
      check(s, {View(kX, {3, 7})}, {y}) ==
      "kernel copy: argument x (input 0): expected f32[4, 8], got f32[3, 7]: dimension 0 differs");
  CHECK(check(s, {View(kX, {32})}, {y}) ==
        "kernel copy: argument x (input 0): expected f32[4, 8], got f32[32]: the rank differs");
  CHECK(check(s, {View(static_cast<void*>(kX), i32, {4, 8})}, {y}) ==
        "kernel copy: argument x (input 0): expected f32[4, 8], got i32[4, 8]: the type differs");
  CHECK(check(s, {View(kX, {4, 8})}, {View(kY, {8, 4})}) ==
        "kernel copy: argument y (output 0): expected f32[4, 8], got f32[8, 4]: "
        "dimension 0 differs");
  CHECK(check(s, {View(kX, {4, 8})}, {View(static_cast<void*>(kY), f64, {4, 8})}) ==
        "kernel copy: argument y (output 0): expected f32[4, 8], got f64[4, 8]: the type differs");
  CHECK(check(s, {View(kX, {-4, 8})}, {y}) ==
        "kernel copy: argument x (input 0): expected f32[4, 8], got f32[-4, 8]: "
        "dimension 0 differs");
}

TEST_CASE("a view that cannot be is refused") {
  const std::vector<int64_t> nine(9, 1);
  const std::string message =
      "kernel copy: argument x (input 0): expected f32[4, 8], got a view of more than 8 dimensions "
      "or without one stride for each";
  CHECK(check(copy(), {View(kX, f32, nine)}, {View(kY, {4, 8})}) == message);
  CHECK(check(copy(), {View(kX, {4, 8}, {1})}, {View(kY, {4, 8})}) == message);
}

TEST_CASE("sizes come from their first dimension and are compared with all others") {
  const Signature s = linear();
  CHECK(check(s, {View(kX, {3, 8}), View(kY, {5, 12}), 1.0f}, {View(kZ, {3, 5})}) ==
        "kernel linear_relu: argument w (input 1): expected f32[n, k] with n = 5 (dimension 0 of "
        "w), k = 8 (dimension 1 of x), got f32[5, 12]: dimension 1 must be 8");
  CHECK(check(s, {View(kX, {3, 8}), View(kY, {5, 8}), 1.0f}, {View(kZ, {3, 6})}) ==
        "kernel linear_relu: argument out (output 0): expected f32[m, n] with m = 3 (dimension 0 "
        "of x), n = 5 (dimension 0 of w), got f32[3, 6]: dimension 1 must be 5");
  CHECK(check(s, {View(kX, {-3, 8}), View(kY, {5, 8}), 1.0f}, {View(kZ, {-3, 5})}) ==
        "kernel linear_relu: argument x (input 0): expected f32[m, k] with m = -3 (dimension 0 of "
        "x), k = 8 (dimension 1 of x), got f32[-3, 8]: dimension 0 is negative");
}

namespace {

// x[h], y[(h - 3) // 2 + 1], z[h - 3 + n], n told by the last.
Signature window() {
  const SizeProgram out{{{Op::kSize, 0},
                         {Op::kConst, 3},
                         {Op::kSub},
                         {Op::kConst, 2},
                         {Op::kFloorDiv},
                         {Op::kConst, 1},
                         {Op::kAdd}},
                        "(h - 3) // 2 + 1"};
  Signature s;
  s.kernel = "window";
  s.sizes = {"h"};
  s.params = {param("y", Role::kOutput, f32, {out}),
              param("x", Role::kInput, f32, {SizeProgram::size(0, "h")})};
  return ready(s);
}

}  // namespace

TEST_CASE("shapes that are expressions are computed from the sizes") {
  CHECK(check(window(), {View(kX, {9})}, {View(kY, {4})}) == kOk);
  CHECK(check(window(), {View(kX, {9})}, {View(kY, {5})}) ==
        "kernel window: argument y (output 0): expected f32[(h - 3) // 2 + 1] with h = 9 "
        "(dimension 0 of x), got f32[5]: dimension 0 must be 4");
  CHECK(check(window(), {View(kX, {1})}, {View(kY, {0})}) == kOk);
  CHECK(check(window(), {View(kX, {0})}, {View(kY, {0})}) ==
        "kernel window: argument y (output 0): expected f32[(h - 3) // 2 + 1] with h = 0 "
        "(dimension 0 of x), got f32[0]: dimension 0 would have to be -1");
}

TEST_CASE("a requirement that does not hold is named with the sizes") {
  CHECK(check(linear(), {View(kX, {3, 6}), View(kY, {5, 6}), 1.0f}, {View(kZ, {3, 5})}) ==
        "kernel linear_relu: the requirement k % 4 == 0 does not hold with m = 3, n = 5, k = 6");
}

TEST_CASE("a kernel takes its stride class and the smaller ones") {
  const View dense_y(kY, {4, 8}), dense(kX, {4, 8}), rows(kX, {4, 8}, {16, 1}),
      transposed(kX, {4, 8}, {1, 4}), reversed(kX + 24, {4, 8}, {-8, 1});
  const Signature d = copy(), r = copy(StrideClass::kInnerUnit), g = copy(StrideClass::kGeneral);
  CHECK(check(d, {dense}, {dense_y}) == kOk);
  CHECK(check(r, {dense}, {dense_y}) == kOk);
  CHECK(check(r, {rows}, {dense_y}) == kOk);
  CHECK(check(g, {dense}, {dense_y}) == kOk);
  CHECK(check(g, {rows}, {dense_y}) == kOk);
  CHECK(check(g, {transposed}, {dense_y}) == kOk);
  CHECK(check(g, {reversed}, {dense_y}) == kOk);
  const std::string prefix = "kernel copy: argument x (input 0): this kernel takes ";
  CHECK(check(d, {rows}, {dense_y}) == prefix + "dense strides, got f32[4, 8] strides [16, 1]");
  CHECK(check(d, {transposed}, {dense_y}) ==
        prefix + "dense strides, got f32[4, 8] strides [1, 4]");
  CHECK(check(r, {transposed}, {dense_y}) ==
        prefix + "inner-unit strides, got f32[4, 8] strides [1, 4]");
  CHECK(check(r, {reversed}, {dense_y}) ==
        prefix +
            "inner-unit strides, and negative strides only as general ones, got f32[4, 8] "
            "strides [-8, 1]");
  CHECK(check(d, {dense}, {View(kY, {4, 8}, {16, 1})}) ==
        "kernel copy: argument y (output 0): this kernel takes dense strides, got f32[4, 8] "
        "strides [16, 1]");
}

TEST_CASE("strides of dimensions of size 1 and of empty arguments are ignored") {
  const SizeProgram n = SizeProgram::size(0, "n");
  Signature s;
  s.kernel = "row";
  s.sizes = {"n"};
  s.params = {param("x", Role::kInput, f32, {c(1), n}), param("y", Role::kOutput, f32, {c(1), n})};
  s = ready(s);
  for (int64_t stride :
       {int64_t{77}, int64_t{1}, int64_t{999}, int64_t{-3}, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()}) {
    CHECK(check(s, {View(kX, {1, 77}, {stride, 1})}, {View(kY, {1, 77}, {stride, 1})}) == kOk);
    CHECK(check(s, {View(kX, {1, 0}, {stride, stride})}, {View(kX, {1, 0}, {0, stride})}) == kOk);
    CHECK(check(s, {View(kX, {1, 1}, {stride, stride})}, {View(kY, {1, 1}, {stride, 0})}) == kOk);
  }
}

TEST_CASE("strides of wild size-1 dimensions do not disturb the strided checks") {
  for (int64_t stride :
       {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    Signature s;
    s.kernel = "s";
    s.params = {param("x", Role::kInput, f32, {c(1), c(4)}, StrideClass::kGeneral),
                param("y", Role::kOutput, f32, {c(1), c(4)}, StrideClass::kGeneral)};
    s = ready(s);
    CHECK(check(s, {View(kX, {1, 4}, {stride, 2})}, {View(kX + 1, {1, 4}, {stride, 2})}) == kOk);
  }
}

TEST_CASE("hidden strides are passed in their slots") {
  const SizeProgram m = SizeProgram::size(0, "m");
  Signature s;
  s.kernel = "strided";
  s.sizes = {"m"};
  s.size_slots = 4;
  s.params = {param("x", Role::kInput, f32, {m, c(8)}, StrideClass::kGeneral),
              param("y", Role::kOutput, f32, {m, c(8)}, StrideClass::kInnerUnit)};
  s.params[0].hidden_strides = {2, 1};
  s.params[1].hidden_strides = {3, -1};
  s = ready(s);
  BoundCall b;
  CHECK(check(s, {View(kX, {4, 8}, {2, 100})}, {View(kY, {4, 8}, {30, 1})}, &b) == kOk);
  CHECK(b.sizes[0] == 4);
  CHECK(b.sizes[1] == 100);
  CHECK(b.sizes[2] == 2);
  CHECK(b.sizes[3] == 30);
}

TEST_CASE("null is refused where there are elements") {
  float* null = nullptr;
  CHECK(check(copy(), {View(null, {4, 8})}, {View(kY, {4, 8})}) ==
        "kernel copy: argument x (input 0): a null pointer for f32[4, 8]");
  Signature s;
  s.kernel = "empty";
  s.params = {param("x", Role::kInput, f32, {c(0), c(8)}),
              param("y", Role::kOutput, f32, {c(8), c(0)})};
  CHECK(check(ready(s), {View(null, {0, 8})}, {View(null, {8, 0})}) == kOk);
  CHECK(check(copy(StrideClass::kGeneral), {View(null, {4, 8}, {1, 4})}, {View(kY, {4, 8})}) ==
        "kernel copy: argument x (input 0): a null pointer for f32[4, 8] strides [1, 4]");
}

TEST_CASE("memory must be aligned to the element size") {
  char* bytes = reinterpret_cast<char*>(kX);
  for (Type type : kAllTypes) {
    const Signature s = copy(StrideClass::kDense, type);
    for (int shift = 0; shift < 8; ++shift) {
      const View x(bytes + shift, type, {4, 8}), y(kY, type, {4, 8});
      const std::string expected =
          shift % type.bytes() == 0
              ? kOk
              : "kernel copy: argument x (input 0): the address must be a multiple of " +
                    std::to_string(type.bytes()) + ", the size of " + to_string(type) +
                    ", and is " + std::to_string(shift % type.bytes()) + " beyond one";
      CHECK(check(s, {x}, {y}) == expected);
    }
  }
}

TEST_CASE("a view larger than the address space is refused") {
  const int64_t huge = int64_t{1} << 40;
  const SizeProgram m = SizeProgram::size(0, "m"), n = SizeProgram::size(1, "n");
  for (StrideClass strides : {StrideClass::kDense, StrideClass::kGeneral}) {
    Signature s;
    s.kernel = "huge";
    s.sizes = {"m", "n"};
    s.params = {param("x", Role::kInput, f32, {m, n}, strides)};
    s = ready(s);
    CHECK(check(s, {View(kX, {huge, huge})}, {}) ==
          "kernel huge: argument x (input 0): f32[1099511627776, 1099511627776] is larger than "
          "the address space");
    CHECK(check(s, {View(kX, {int64_t{1} << 60, 8})}, {}).ends_with("address space"));
    CHECK(check(s, {View(kX, {int64_t{1} << 61, 1})}, {}).ends_with("address space"));
    CHECK(check(s, {View(kX, {huge, 0})}, {}) == kOk);
    CHECK(check(s, {View(kX, {int64_t{1} << 62, 8, 0})}, {}).ends_with("the rank differs"));
  }
  CHECK(check(copy(StrideClass::kGeneral), {View(kX, {4, 8}, {int64_t{1} << 62, 1})},
              {View(kY, {4, 8})})
            .ends_with("is larger than the address space"));
}

TEST_CASE("an output overlaps no other argument") {
  const Signature s = copy();
  const View x(kX, {4, 8});
  CHECK(check(s, {x}, {View(kX + 32, {4, 8})}) == kOk);
  CHECK(check(s, {View(kX + 32, {4, 8})}, {x}) == kOk);
  const std::string message =
      "kernel copy: argument y (output 0): its memory overlaps argument x (input 0)";
  CHECK(check(s, {x}, {x}) == message);
  CHECK(check(s, {x}, {View(kX + 31, {4, 8})}) == message);
  CHECK(check(s, {View(kX + 31, {4, 8})}, {x}) == message);

  Signature two;
  two.kernel = "two";
  two.params = {param("a", Role::kInput, f32, {c(8)}), param("b", Role::kInput, f32, {c(8)}),
                param("y", Role::kOutput, f32, {c(8)}), param("z", Role::kOutput, f32, {c(8)})};
  two = ready(two);
  const View a(kX, {8}), y(kY, {8}), z(kZ, {8});
  CHECK(check(two, {a, a}, {y, z}) == kOk);  // inputs may overlap each other
  CHECK(check(two, {a, a}, {y, y}) ==
        "kernel two: argument y (output 0): its memory overlaps argument z (output 1)");
  CHECK(check(two, {a, z}, {y, z}) ==
        "kernel two: argument z (output 1): its memory overlaps argument b (input 1)");
}

TEST_CASE("an inout counts among the outputs and is checked like one") {
  Signature s;
  s.kernel = "step";
  s.params = {param("w", Role::kInOut, f32, {c(8)}, StrideClass::kGeneral),
              param("g", Role::kInput, f32, {c(8)}), param("y", Role::kOutput, f32, {c(8)})};
  s = ready(s);
  CHECK(s.plan.inputs == 1);
  CHECK(s.plan.outputs == 2);
  const View w(kX, {8}), g(kY, {8}), y(kZ, {8});
  BoundCall bound;
  CHECK(check(s, {g}, {w, y}, &bound) == kOk);
  CHECK(bound.buffers[0] == kX);  // in the order of the parameters
  CHECK(bound.buffers[1] == kY);
  CHECK(bound.buffers[2] == kZ);
  CHECK(check(s, {View(kX + 7, {8})}, {w, y}) ==
        "kernel step: argument w (output 0): its memory overlaps argument g (input 0)");
  CHECK(check(s, {g}, {w, w}) ==
        "kernel step: argument w (output 0): its memory overlaps argument y (output 1)");
  CHECK(check(s, {g}, {View(kX, {8}, {0}), y}) ==
        "kernel step: argument w (output 0): elements of this output overlap each other: f32[8] "
        "strides [0]");
  CHECK(check(s, {w, g}, {y}) ==
        "kernel step: expected 1 input (g: f32[8]) and 2 outputs (w: f32[8], y: f32[8]), got 2 "
        "inputs and 1 output");
}

TEST_CASE("overlap is judged by byte ranges, in both directions of a stride") {
  const Signature g = copy(StrideClass::kGeneral);
  const View y(kY, {4, 8});
  // Reversed rows: from kY - 8 downwards, not touching kY.
  CHECK(check(g, {View(kY - 8, {4, 8}, {-8, 1})}, {y}) == kOk);
  CHECK(check(g, {View(kY, {4, 8}, {-8, 1})}, {y}) ==
        "kernel copy: argument y (output 0): its memory overlaps argument x (input 0)");
  // The same place in memory, though the first element lies behind the output.
  CHECK(check(g, {View(kY + 40, {4, 8}, {-8, -1})}, {y}) ==
        "kernel copy: argument y (output 0): its memory overlaps argument x (input 0)");
  CHECK(check(g, {View(kY + 63, {4, 8}, {-8, -1})}, {y}) == kOk);
}

TEST_CASE("slices of one matrix that share no byte do not overlap") {
  const Signature r = copy(StrideClass::kInnerUnit);
  // Two column slices of a matrix with 20 columns: they share two columns when shift < 8.
  for (int shift = -12; shift <= 12; ++shift) {
    const View x(kX + 100, {4, 8}, {20, 1}), y(kX + 100 + shift, {4, 8}, {20, 1});
    const bool apart = shift <= -8 || shift >= 8;
    INFO(shift);
    CHECK((check(r, {x}, {y}) == kOk) == apart);
  }
  // Even and odd elements.
  const Signature g = copy(StrideClass::kGeneral);
  CHECK(check(g, {View(kX, {4, 8}, {16, 2})}, {View(kX + 1, {4, 8}, {16, 2})}) == kOk);
  CHECK(check(g, {View(kX, {4, 8}, {16, 2})}, {View(kX + 2, {4, 8}, {16, 2})}) ==
        "kernel copy: argument y (output 0): its memory overlaps argument x (input 0)");
}

TEST_CASE("overlap is never missed") {
  // Against the truth, element by element, for many small strided pairs.
  const Signature g = copy(StrideClass::kGeneral);
  const int64_t strides[] = {-9, -1, 0, 1, 2, 3, 8, 9, 16, 33};
  int accepted = 0;
  for (int64_t xs : strides) {
    for (int64_t xt : strides) {
      for (int64_t ys : {8, 16, 1, 33, -16, 40}) {
        for (int64_t yt : {1, 2, 4, -1, 5}) {
          for (int shift : {0, 1, 3, 8, 17, 40, -9}) {
            float* const x = memory + 2000;
            float* const y = x + shift;
            bool share = false, same_twice = false;
            std::vector<int> owner(4096, 0);
            for (int i = 0; i < 4; ++i) {
              for (int j = 0; j < 8; ++j) {
                int& o = owner[static_cast<size_t>(y + i * ys + j * yt - memory)];
                same_twice |= o != 0;
                o = 1;
              }
            }
            for (int i = 0; i < 4; ++i) {
              for (int j = 0; j < 8; ++j) {
                share |= owner[static_cast<size_t>(x + i * xs + j * xt - memory)] != 0;
              }
            }
            const bool ok =
                check(g, {View(x, {4, 8}, {xs, xt})}, {View(y, {4, 8}, {ys, yt})}).empty();
            accepted += ok;
            if (ok && (share || same_twice)) {
              INFO(xs << " " << xt << " " << ys << " " << yt << " " << shift);
              REQUIRE_FALSE(ok);
            }
          }
        }
      }
    }
  }
  CHECK(accepted > 1000);
}

TEST_CASE("an output does not overlap itself") {
  const Signature g = copy(StrideClass::kGeneral);
  const View x(kX, {4, 8});
  CHECK(check(g, {x}, {View(kY, {4, 8}, {0, 1})}) ==
        "kernel copy: argument y (output 0): elements of this output overlap each other: "
        "f32[4, 8] strides [0, 1]");
  CHECK(check(g, {x}, {View(kY, {4, 8}, {7, 1})}).ends_with("strides [7, 1]"));
  CHECK(check(g, {x}, {View(kY, {4, 8}, {2, 8})}) == kOk);
  CHECK(check(g, {x}, {View(kY, {4, 8}, {1, 4})}) == kOk);
  CHECK(check(g, {x}, {View(kY, {4, 8}, {1, 3})}).ends_with("strides [1, 3]"));
  CHECK(check(g, {View(kX, {4, 8}, {0, 0})}, {View(kY, {4, 8})}) == kOk);  // an input may
}

TEST_CASE("memory and scalars are not mixed up") {
  const Signature s = linear();
  const View x(kX, {3, 8}), w(kY, {5, 8}), out(kZ, {3, 5});
  CHECK(check(s, {1.5, w, 1.0f}, {out}) ==
        "kernel linear_relu: argument x (input 0): expected f32[m, k], got the f64 value 1.5");
  CHECK(check(s, {x, w, w}, {out}) ==
        "kernel linear_relu: argument eps (input 2): expected f32 scalar, got f32[5, 8]");
}

TEST_CASE("a scalar value must fit its parameter") {
  auto message = [](Type type, Argument argument) {
    Signature s;
    s.kernel = "f";
    s.params = {param("a", Role::kScalar, type, {})};
    return check(ready(s), {argument}, {});
  };
  CHECK(message(f32, 0.5) == kOk);
  CHECK(message(f16, 0.1) == kOk);
  CHECK(message(f32, 3) == kOk);
  CHECK(message(u8, 255) == kOk);
  CHECK(message(boolean, true) == kOk);
  CHECK(message(f32, 1e300) ==
        "kernel f: argument a (input 0): expected f32 scalar, got the f64 value 1e+300: the value "
        "does not fit");
  CHECK(message(u8, 300) ==
        "kernel f: argument a (input 0): expected u8 scalar, got the i32 value 300: the value "
        "does not fit");
  CHECK(message(i32, 0.5f) ==
        "kernel f: argument a (input 0): expected i32 scalar, got the f32 value 0.5: the value "
        "does not fit");
  CHECK(message(u32, -1) ==
        "kernel f: argument a (input 0): expected u32 scalar, got the i32 value -1: the value "
        "does not fit");
  CHECK(message(i64, UINT64_MAX) ==
        "kernel f: argument a (input 0): expected i64 scalar, got the u64 value "
        "18446744073709551615: the value does not fit");
  CHECK(message(f32, true) ==
        "kernel f: argument a (input 0): expected f32 scalar, got the bool value true: the value "
        "does not fit");
}

namespace {

Signature packed_linear() {
  Signature s;
  s.kernel = "linear";
  s.params = {param("x", Role::kInput, f32, {c(4), c(8)}),
              param("w", Role::kWeight, f32, {c(6), c(8)}),
              param("y", Role::kOutput, f32, {c(4), c(6)})};
  s.params[1].layout = 77;
  s.params[1].packed_shape = {c(1), c(8), c(16)};
  return ready(s);
}

Packed make_packed(std::initializer_list<int64_t> shape, uint64_t layout) {
  return Packed(std::shared_ptr<void>(), View(kY, shape), layout);
}

}  // namespace

TEST_CASE("a packed weight has the layout of its kernel") {
  const Signature s = packed_linear();
  const View x(kX, {4, 8}), y(kZ, {4, 6});
  BoundCall b;
  const Packed right = make_packed({1, 8, 16}, 77);
  CHECK(check(s,
              {
                  x,
                  right,
              },
              {y}, &b) == kOk);
  CHECK(b.buffers[1] == kY);
  CHECK(right.bytes() == 512);
  CHECK(Packed().bytes() == 4);
  CHECK(check(s, {x, View(kY, {6, 8})}, {y}) ==
        "kernel linear: argument w (input 1): expected packed f32[6, 8], got f32[6, 8]: make one "
        "with kernel.pack(\"w\", view)");
  CHECK(check(s, {x, make_packed({1, 8, 16}, 78)}, {y}) ==
        "kernel linear: argument w (input 1): this weight was packed for another kernel or "
        "schedule: make one with kernel.pack(\"w\", view)");
  CHECK(check(s, {x, make_packed({1, 8, 15}, 77)}, {y}) ==
        "kernel linear: argument w (input 1): expected the stored form f32[1, 8, 16], got "
        "f32[1, 8, 15]: dimension 2 differs");
  CHECK(check(s, {x, 1.0f}, {y}) ==
        "kernel linear: argument w (input 1): expected packed f32[6, 8], got the f32 value 1");
  CHECK(check(s, {right, right}, {y}) ==
        "kernel linear: argument x (input 0): expected f32[4, 8], got a packed weight: pass the "
        "plain view");
  CHECK(check(s, {make_packed({4, 8}, 0), right}, {y}) ==
        kOk);  // stored as it was: as good as a view
  CHECK(check(s, {x, right}, {View(kY + 4, {4, 6})}) ==
        "kernel linear: argument y (output 0): its memory overlaps argument w (input 1)");
}

TEST_CASE("the stored form of a packed weight may depend on sizes") {
  // w[n, 8] stored as panels [(n + 15) // 16, 8, 16]
  const SizeProgram n = SizeProgram::size(0, "n");
  Signature s;
  s.kernel = "panels";
  s.sizes = {"n"};
  s.params = {param("w", Role::kWeight, f32, {n, c(8)}), param("y", Role::kOutput, f32, {n})};
  s.params[0].layout = 5;
  s.params[0].packed_shape = {
      {{{Op::kSize, 0}, {Op::kConst, 15}, {Op::kAdd}, {Op::kConst, 16}, {Op::kFloorDiv}},
       "(n + 15) // 16"},
      c(8),
      c(16)};
  s = ready(s);
  CHECK(check(s, {make_packed({2, 8, 16}, 5)}, {View(kX, {20})}) == kOk);
  CHECK(check(s, {make_packed({2, 8, 16}, 5)}, {View(kX, {40})}) ==
        "kernel panels: argument w (input 0): expected the stored form f32[(n + 15) // 16, 8, 16] "
        "with n = 40 (dimension 0 of y), got f32[2, 8, 16]: dimension 0 must be 3");
}

TEST_CASE("a call with 64 parameters and 64 size slots is checked") {
  Signature s;
  s.kernel = "wide";
  for (int i = 0; i < 63; ++i) {
    const std::string number = std::to_string(i);
    s.sizes.push_back("n" + number);
    s.params.push_back(
        param("x" + number, Role::kInput, f32, {SizeProgram::size(i, "n" + number)}));
  }
  s.params.push_back(param("y", Role::kOutput, f32, {c(1)}, StrideClass::kGeneral));
  s.params.back().hidden_strides = {63};
  s.size_slots = 64;
  s = ready(s);
  std::vector<Argument> inputs;
  for (int i = 0; i < 63; ++i) inputs.push_back(View(kX + i, {i}));
  BoundCall b;
  CHECK(check(s, inputs, {View(kY, {1}, {9})}, &b) == kOk);
  for (int i = 0; i < 63; ++i) {
    REQUIRE(b.sizes[i] == i);
    REQUIRE(b.buffers[i] == kX + i);
  }
  CHECK(b.sizes[63] == 9);
}

TEST_CASE("a fault is reported in words") {
  Signature s;
  s.kernel = "embed";
  s.checks = {"index ids[i] of table"};
  CHECK(fault_status(s, {-1, 0, 0}).ok());
  const absl::Status status = fault_status(s, {0, 12, 10});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(status.message() == "kernel embed: index ids[i] of table is 12, but must be in [0, 10)");
  CHECK(fault_status(s, {5, -1, 10}).message() ==
        "kernel embed: check 5 is -1, but must be in [0, 10)");
}

}  // namespace tenon
