// The forms of integers.h that the processor has an instruction for.
#include <catch2/catch.hpp>

#include "support/native.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using Function = Expr (*)(const Expr&, const Expr&);

// The code of z[i] = f(x[i], y[i]) in vectors.
std::string assembly_of(const Target& target, Type type, Function f) {
  const Size n("n");
  const Tensor x = input("x", type, {n}), y = input("y", type, {n});
  const Tensor z = compute("z", {n}, [&](Expr i) { return f(x(i), y(i)); });
  Schedule s(program("f", {x, y}, {z}), {{n, 1024}});
  s.vectorize(s.split(s.loops<1>("z")[0], target.lanes(type)).second);
  JitOptions options;
  options.target = target;
  Jit jit(options);
  const absl::StatusOr<Kernel> kernel = jit.compile(s, {.keep_text = true});
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  return kernel->assembly();
}

TEST_CASE("saturating sums, rounded means and high products are single instructions") {
  struct Row {
    Type type;
    Function function;
    const char* instruction;
    const char* without;  // what a detour through a wider type needs
  };
  const Row rows[] = {
      {i8, saturating_add, "paddsb", "pack"},      {i8, saturating_sub, "psubsb", "pack"},
      {u8, saturating_add, "paddusb", "pack"},     {u8, saturating_sub, "psubusb", "pack"},
      {i16, saturating_add, "paddsw", "pack"},     {u16, saturating_sub, "psubusw", "pack"},
      {u8, rounding_halving_add, "pavgb", "pack"}, {u16, rounding_halving_add, "pavgw", "pack"},
      {i16, mul_high, "pmulhw", "pack"},           {u16, mul_high, "pmulhuw", "pack"},
  };
  for (const Target& target : test::native_targets()) {
    for (const Row& row : rows) {
      const std::string text = assembly_of(target, row.type, row.function);
      INFO(target.to_string() << " " << to_string(row.type) << "\n" << text);
      CHECK(text.find(row.instruction) != std::string::npos);
      CHECK(text.find(row.without) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tenon
