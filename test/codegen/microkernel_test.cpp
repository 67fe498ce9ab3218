// What an expert matrix product becomes, instruction for instruction.
#include <catch2/catch.hpp>
#include <sstream>

#include "support/native.h"

using namespace tenon;

namespace {

// A tile of rows x 32 columns in registers; x is read by rows, w is packed in panels of 32.
Program microkernel(int rows, int depth) {
  std::ostringstream out;
  const auto lanes = [](int first) { return "ramp(" + std::to_string(first) + ", 1, 16)"; };
  out << "program micro\n  input x: f32[" << rows * depth << "]\n  weight w: f32[" << 32 * depth
      << "]\n  output c: f32[" << rows * 32 << "]\n{\n  alloc acc: f32[" << rows * 32
      << "] in stack\n";
  for (int v = 0; v < rows * 32; v += 16)
    out << "  acc[" << lanes(v) << "] = broadcast(-0.0, 16)\n";
  out << "  for k in 0.." << depth << " {\n";
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < 32; v += 16) {
      out << "    acc[" << lanes(r * 32 + v) << "] += broadcast(x[k + " << r * depth
          << "], 16) * w[ramp(k * 32 + " << v << ", 1, 16)]\n";
    }
  }
  out << "  }\n";
  for (int v = 0; v < rows * 32; v += 16) {
    out << "  c[" << lanes(v) << "] = acc[" << lanes(v) << "]\n";
  }
  out << "}\n";
  const absl::StatusOr<Program> program = parse(out.str());
  REQUIRE(program.ok());
  return *program;
}

size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// The instructions of the innermost loop: from its label to the branch back.
std::string loop_of(const std::string& assembly) {
  const size_t back = assembly.find("\tj", assembly.find("vfmadd"));
  const size_t label = assembly.rfind("\n.L", assembly.find("vfmadd"));
  return assembly.substr(label, back - label);
}

}  // namespace

TEST_CASE("the tile of a matrix product lives in registers") {
  const Target v4 = *Target::parse("x86-64-v4");
  const auto code = test::engine_for(v4).compile(microkernel(12, 768), {.keep_text = true});
  REQUIRE(code.ok());
  CHECK((*code)->surviving_allocas().empty());
  const std::string loop = loop_of((*code)->assembly());
  INFO(loop);
  CHECK(count(loop, "vfmadd") == 24);
  // Twelve broadcasts, in instructions of their own or inside of the multiplications.
  CHECK(count(loop, "vbroadcastss") + count(loop, "{1to16}") == 12);
  CHECK(count(loop, "vmovups") == 2);
  CHECK(count(loop, "\n\t") <= 24 + 12 + 2 + 4);
  CHECK((*code)->bytes() < 1000);
}

TEST_CASE("the tile gives the values of the interpreter without contraction") {
  const Program program = microkernel(5, 9);
  Array x(f32, {45}), w(f32, {288}), c(f32, {160});
  for (int64_t i = 0; i < 45; ++i)
    x.set_bits(i, constant_float(f32, 0.37 * static_cast<double>(i) - 3).as<Const>()->bits);
  for (int64_t i = 0; i < 288; ++i)
    w.set_bits(i, constant_float(f32, 0.11 * static_cast<double>(i) - 7).as<Const>()->bits);
  CHECK(test::native_difference(program, {}, {&x, &w, &c}) == "");
}
