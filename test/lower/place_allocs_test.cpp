#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"
#include "tenon/ir/visit.h"

using namespace tenon;
using namespace tenon::test;

namespace {

// The lines with allocations.
std::string placed(const Program& program) {
  const std::string body = body_of(run(place_allocs, program));
  std::string result;
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find('\n', at) + 1;
    const std::string line = body.substr(at, end - at);
    const size_t alloc = line.find("alloc ");
    if (alloc != std::string::npos) result += line.substr(alloc + 6);
    at = end;
  }
  return result;
}

std::string placed(const std::string& body) {
  return placed(parsed("program p\n  size n, m\n  input x: f32[9]\n  output y: f32[9]\n{\n" + body +
                       "\n}\n"));
}

int64_t shared_bytes(const Program& program, int64_t n) {
  const WorkspaceNeed need = workspace_need(run(place_allocs, program));
  return evaluate_int(need.shared_bytes, Sizes({{program->sizes[0], n}})).value();
}

}  // namespace

TEST_CASE("Small constant buffers live on the stack, larger ones in the workspace") {
  CHECK(placed("alloc t: f32[4096]\n y[0] = t[0]") == "t: f32[4096] in stack\n");
  CHECK(placed("alloc t: f32[4097]\n y[0] = t[0]") == "t: f32[4097] in shared at 0\n");
  CHECK(placed("alloc t: f64[n, 3]\n y[0] = cast<f32>(t[0, 0])") ==
        "t: f64[n, 3] in shared at 0\n");
  CHECK(placed("parallel for i in 0..9 {\n alloc t: f32[n]\n y[i] = t[0]\n }") ==
        "t: f32[n] in worker at 0\n");
}

TEST_CASE("What a schedule asks for is obeyed, or refused") {
  CHECK(placed("alloc t: f32[4] in workspace\n y[0] = t[0]") == "t: f32[4] in shared at 0\n");
  CHECK(placed("parallel for i in 0..9 {\n alloc t: f32[4] in workspace\n y[i] = t[0]\n }") ==
        "t: f32[4] in worker at 0\n");
  CHECK(placed("alloc t: f32[4] in registers\n y[0] = t[0]") == "t: f32[4] in stack\n");
  CHECK(placed("alloc t: f32[9] in stack\n for i in 0..9 { y[i] = t[i] }") ==
        "t: f32[9] in stack\n");
  const auto refused = [](const std::string& body) {
    const Program p = parsed("program p\n  size n\n  output y: f32[9]\n{\n" + body + "\n}\n");
    return std::string(diagnostic_of(place_allocs(p, Target()).status())->reason);
  };
  CHECK(refused("alloc t: f32[9] in registers\n for i in 0..9 { y[i] = t[i] }") ==
        "buffer t is to live in registers, and an index of it is no constant once loops are "
        "unrolled");
  const std::string no_place =
      "it has no constant size, or one above 16 KiB, or with the others of its task more than 32 "
      "KiB";
  CHECK(refused("alloc t: f32[n] in stack\n y[0] = t[0]") ==
        "buffer t is to live on the stack, and " + no_place);
  CHECK(refused("alloc t: f32[4097] in registers\n y[0] = t[0]") ==
        "buffer t is to live in registers, and " + no_place);
}

TEST_CASE("A buffer without elements whose shape is no constant is not on the stack") {
  CHECK(placed("alloc t: f32[n, 0]\n for i in 0..0 { y[0] = t[0, i] }") ==
        "t: f32[n, 0] in shared at 0\n");
}

TEST_CASE("An extent below 0 is none, whether a constant or not") {
  CHECK(placed("alloc t: f32[-1]\n for i in 0..-1 { y[i] = t[i] }") == "t: f32[0] in stack\n");
  CHECK(placed("alloc t: f32[n - 1]\n for i in 0..n - 1 { y[0] = t[i] }") ==
        "t: f32[max(n - 1, 0)] in shared at 0\n");
}

TEST_CASE("The stack of a task has a limit, and registers do not count") {
  // 12 KB each, accessed in a loop.
  std::string loops, constants;
  for (const char* name : {"a", "b", "c"}) {
    loops += "alloc t" + std::string(name) + ": f32[3072]\nfor i" + name + " in 0..9 { y[i" + name +
             "] = t" + name + "[i" + name + "] }\n";
    constants += "alloc t" + std::string(name) + ": f32[3072]\ny[0] = t" + name + "[5]\n";
  }
  CHECK(placed(loops) ==
        "ta: f32[3072] in stack\n"
        "tb: f32[3072] in stack\n"
        "tc: f32[3072] in shared at 0\n");
  CHECK(placed(constants) ==
        "ta: f32[3072] in stack\n"
        "tb: f32[3072] in stack\n"
        "tc: f32[3072] in stack\n");
}

TEST_CASE("Buffers that are not alive at the same time share bytes") {
  // a and b overlap, c starts after a has ended.
  CHECK(placed("alloc a: f32[5000]\n a[0] = x[0]\n alloc b: f32[6000]\n b[0] = a[0]\n"
               "alloc c: f32[5000]\n c[0] = b[0]\n y[0] = c[0]") ==
        "a: f32[5000] in shared at 0\n"
        "b: f32[6000] in shared at 20032\n"
        "c: f32[5000] in shared at 0\n");
}

TEST_CASE("A buffer that a loop uses is alive for the whole loop") {
  CHECK(placed(
            "alloc a: f32[5000]\n a[0] = x[0]\n"
            "for i in 0..9 {\n y[i] = a[i]\n alloc b: f32[5000]\n b[i] = x[i]\n y[i] = b[i]\n }") ==
        "a: f32[5000] in shared at 0\n"
        "b: f32[5000] in shared at 20032\n");
}

TEST_CASE("Offsets are multiples of 64 bytes, also when sizes are not known") {
  CHECK(placed("alloc a: f32[n]\n a[0] = x[0]\n alloc b: f32[m]\n b[0] = a[0]\n"
               "alloc c: i8[m]\n c[0] = 1i8\n y[0] = a[0] + b[0] + cast<f32>(c[0])") ==
        "a: f32[n] in shared at 0\n"
        "b: f32[m] in shared at (n + 15) // 16 * 64\n"
        "c: i8[m] in shared at (n + 15) // 16 * 64 + (m + 15) // 16 * 64\n");
}

TEST_CASE("A shape that varies with a loop becomes its hull") {
  CHECK(placed("for i in 0..n {\n alloc t: f32[i + 1, 2]\n y[0] = t[0, 0]\n }") ==
        "t: f32[n, 2] in shared at 0\n");
}

TEST_CASE("A shape that depends on data is refused") {
  const Program p = parsed(R"(
    program p
      input k: i64[1]
      output y: f32[1]
    {
      alloc t: f32[k[0]]
      y[0] = t[0]
    })");
  CHECK(place_allocs(p, wide_target()).status().message() ==
        "the extent k[0] of t has no bound over the sizes of the program");
}

TEST_CASE("A buffer that no memory holds is refused, one that nobody uses disappears") {
  const Program p = parsed(R"(
    program p
      output y: f32[1]
    {
      alloc t: f32[1099511627776, 1099511627776]
      y[0] = t[0, 0]
    })");
  CHECK(place_allocs(p, wide_target()).status().message() == "buffer t takes more than 2^47 bytes");
  CHECK(placed("alloc t: f32[n]\n y[0] = 1.0") == "");
}

TEST_CASE("The workspace holds what is alive at the same time, and not more") {
  const Program p = parsed(R"(
    program p
      size n
      output y: f32[n]
    {
      alloc a: f32[n]
      for i in 0..n { a[i] = 1.0 }
      for i in 0..n { y[i] = a[i] }
      alloc b: f32[n, n]
      for i in 0..n { b[i, i] = 1.0 }
      parallel for i in 0..n {
        alloc c: f64[n]
        c[i] = 1.0f64
        y[i] = b[i, i] + cast<f32>(c[i])
      }
    })");
  CHECK(shared_bytes(p, 10) == 448);
  CHECK(shared_bytes(p, 1) == 64);
  CHECK(shared_bytes(p, 0) == 0);
  const WorkspaceNeed need = workspace_need(run(place_allocs, p));
  CHECK(evaluate_int(need.bytes_per_worker, Sizes({{p->sizes[0], 10}})) == 128);
}

TEST_CASE("A declaration that stands alone in a loop disappears") {
  CHECK(placed("  for i in 0..9 {\n    alloc t: f32[n]\n  }\n  y[0] = x[0]") == "");
}

TEST_CASE("Placing keeps the meaning") {
  for (const Sample& sample : corpus()) {
    INFO(sample.name);
    check_pass(place_allocs, instance(sample.text, 5, 4));
    check_pass(place_allocs, symbolic_instance(sample.text, 4), {{"n", 7}});
  }
}

TEST_CASE("No two buffers that are alive at the same time overlap") {
  // Pseudo-random lifetimes: buffer k is used in statements k and k + reach.
  for (uint32_t seed = 1; seed < 40; ++seed) {
    uint32_t r = seed * 2654435761u;
    const auto next = [&](uint32_t below) {
      r = r * 1664525u + 1013904223u;
      return (r >> 16) % below;
    };
    std::string body;
    std::vector<int> last;
    const int count = 8;
    std::vector<std::string> uses(3 * count);
    for (int k = 0; k < count; ++k) {
      const auto end = static_cast<size_t>(k) + next(6);
      uses[end] += "y[0] = t" + std::to_string(k) + "[0]\n";
      last.push_back(static_cast<int>(end));
    }
    for (size_t k = 0; k < uses.size(); ++k) {
      const std::string t = "t" + std::to_string(k);
      if (k < count) {
        body +=
            "alloc " + t + ": f32[" + std::to_string(5000 + next(9000)) + "]\n" + t + "[0] = 1.0\n";
      }
      body += uses[k];
    }
    const Program p =
        run(place_allocs, parsed("program p\n  output y: f32[1]\n{\n" + body + "}\n"));
    std::vector<std::pair<int64_t, int64_t>> spans;
    walk(p->body, [&](const Stmt& s) {
      const Alloc* a = s.as<Alloc>();
      if (a) spans.emplace_back(*as_int(a->offset), *as_int(a->offset) + 4 * *as_int(a->shape[0]));
    });
    REQUIRE(spans.size() == count);
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count && b <= last[static_cast<size_t>(a)]; ++b) {
        const auto& [x, x_end] = spans[static_cast<size_t>(a)];
        const auto& [y, y_end] = spans[static_cast<size_t>(b)];
        INFO(print(p));
        CHECK((x_end <= y || y_end <= x));
      }
    }
  }
}
