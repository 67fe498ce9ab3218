// A matrix product over bytes with packed weights, as instructions, on this machine.
#include <catch2/catch.hpp>

#include "support/native.h"
#include "support/rng.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

struct Product {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;

  Product() {
    const Tensor x = input("x", u8, {m, k}), w = weight("w", i8, {n, k});
    const Tensor c = compute("c", {m, n}, [&](Expr i, Expr j) {
      return sum(k, [&](Expr r) { return cast(i32, x(i, r)) * cast(i32, w(j, r)); });
    });
    program = tenon::program("product", {x, w}, {c});
  }
};

// Two columns of registers, four rows: eight sums that stay in registers.
void schedule(Schedule& s, const Instruction& instruction, int64_t lanes, int64_t ways) {
  const std::vector<Loop> loops = s.all_loops("c");
  const auto [io, ii] = s.split(loops[0], 4);
  const std::vector<Loop> j = s.split(loops[1], {kInferred, 2, lanes});
  s.reorder({io, j[0], ii, j[1], j[2]});
  s.set_layout("w", [=](const Index& d) {
    return Index{d[0] / lanes, d[1] / ways, d[0] % lanes, d[1] % ways};
  });
  const InitAndUpdate parts = s.decompose_init(ii);
  const Staged sums = s.stage("c", j[0]);
  const std::vector<Loop>& update = parts.update;
  const auto [ro, ri] = s.split(loops[2], ways);
  s.reorder({ro, update[0], update[1], update[2], ri});
  s.tensorize(update[2], instruction);
  for (const Loop& loop : {update[1], update[0], parts.init[1], parts.init[0]}) s.unroll(loop);
  s.vectorize(parts.init[2]);
  if (sums.copy_out.size() == 2) {
    const auto [outer, inner] = s.split(sums.copy_out[1], lanes);
    s.vectorize(inner);
    s.unroll(outer);
    s.unroll(sums.copy_out[0]);
  }
}

int64_t expected(const std::vector<uint8_t>& x, const std::vector<int8_t>& w, int64_t i, int64_t j,
                 int64_t k) {
  int64_t total = 0;
  for (int64_t r = 0; r < k; ++r) {
    total += int64_t{x[static_cast<size_t>(i * k + r)]} * w[static_cast<size_t>(j * k + r)];
  }
  return total;
}

void check(int64_t m, int64_t n, int64_t k) {
  const Product product;
  for (const Target& target : test::native_targets()) {
    INFO(target.to_string() << ", " << m << " x " << n << " x " << k);
    Schedule s(product.program, {{product.m, m}, {product.n, n}, {product.k, k}});
    schedule(s, instructions::find("vpmaddwd_u8i8_256"), 8, 2);
    INFO(s.status() << s.program());
    REQUIRE(s.status().ok());
    JitOptions options;
    options.target = target;
    Jit jit(options);
    const absl::StatusOr<Kernel> kernel = jit.compile(s, {.keep_text = true});
    INFO(kernel.status());
    REQUIRE(kernel.ok());
    const bool has = has_instruction(target, instructions::find("vpmaddwd_u8i8_256"));
    const bool whole = m >= 4 && n >= 16 && k >= 2;
    // With VNNI, LLVM makes one instruction of it and of the sum that it goes into.
    const std::string& assembly = kernel->assembly();
    const bool is_used = assembly.find("vpmaddwd") != std::string::npos ||
                         assembly.find("vpdpwssd") != std::string::npos;
    if (whole) CHECK(is_used == has);

    test::Rng rng(static_cast<uint64_t>(m * 100 + n));
    std::vector<uint8_t> x(static_cast<size_t>(m * k));
    std::vector<int8_t> w(static_cast<size_t>(n * k));
    for (uint8_t& e : x) e = static_cast<uint8_t>(rng.chance(20) ? 255 : rng.below(256));
    for (int8_t& e : w) e = static_cast<int8_t>(rng.chance(20) ? -128 : rng.between(-128, 127));
    std::vector<int32_t> c(static_cast<size_t>(m * n), 7);
    const absl::StatusOr<Packed> packed = kernel->pack("w", View(w.data(), {n, k}));
    REQUIRE(packed.ok());
    const absl::Status status =
        (*kernel)({View(x.data(), {m, k}), *packed}, {View(c.data(), {m, n})});
    INFO(status);
    REQUIRE(status.ok());
    int64_t wrong = 0;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        wrong += c[static_cast<size_t>(i * n + j)] != expected(x, w, i, j, k);
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("A matrix product over bytes with packed weights runs on vpmaddwd") {
  check(8, 32, 64);
  check(4, 16, 2);
}

TEST_CASE("Tiles that are not whole run as loops beside the instructions") {
  check(9, 37, 33);
  check(3, 20, 7);
  check(1, 1, 1);
}

}  // namespace tenon
