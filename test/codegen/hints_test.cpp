// What a kernel says about caches: the same values, no fault, and the instructions that say it.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/native.h"
#include "tenon/lower/lower.h"

using namespace tenon;
using test::native_difference;

namespace {

Program lowered(const Program& program, const Target& target) {
  const absl::StatusOr<Program> low = lower(program, target, {.verify = true});
  INFO(low.status());
  REQUIRE(low.ok());
  return *low;
}

std::string assembly(const Program& program, const Target& target) {
  const auto code = test::engine_for(target).compile(lowered(program, target), {.keep_text = true});
  INFO(code.status());
  REQUIRE(code.ok());
  return (*code)->assembly();
}

int64_t count(const std::string& text, const std::string& word) {
  int64_t found = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++found;
  return found;
}

// out = x * 2 in vectors of a register, with a tail.
Program streaming(const std::string& kind, Type type, int64_t lanes, bool streamed) {
  const std::string t = to_string(type), l = std::to_string(lanes);
  return test::parsed("program twice\n  size n\n  input x: " + t + "[n]\n  output out: " + t +
                      "[n]" + (streamed ? " streamed" : "") + "\n{\n  " + kind +
                      "for io in 0..(n + " + l + " - 1) // " + l + " {\n    vector for ii in 0.." +
                      l + " {\n      if io * " + l + " + ii < n {\n        out[io * " + l +
                      " + ii] = x[io * " + l + " + ii] + x[io * " + l +
                      " + ii]\n      }\n    }\n  }\n}\n");
}

}  // namespace

TEST_CASE("streamed vectors pass the caches, and the kernel waits for them at its end") {
  for (const Target& target : test::native_targets()) {
    const int64_t lanes = target.lanes(f32);
    for (const std::string kind : {"", "parallel "}) {
      const std::string text = assembly(streaming(kind, f32, lanes, true), target);
      INFO(text);
      CHECK(count(text, "movntps") >= 1);
      CHECK(count(text, "sfence") == 1);
    }
    const std::string plain = assembly(streaming("", f32, lanes, false), target);
    CHECK(count(plain, "movnt") == 0);
    CHECK(count(plain, "sfence") == 0);
  }
}

TEST_CASE("a streamed output has the same values at every alignment and length") {
  for (const Target& target : test::native_targets()) {
    for (const Type type : {f32, f64, i8, f16}) {
      const int64_t lanes = target.lanes(type);
      for (const std::string kind : {"", "parallel "}) {
        const Program program = streaming(kind, type, lanes, true);
        for (const int64_t n :
             {int64_t{0}, int64_t{1}, lanes - 1, lanes, 5 * lanes, 5 * lanes + 3}) {
          Array x(type, {n}), out(type, {n});
          for (int64_t i = 0; i < n; ++i) {
            x.set_bits(i, static_cast<uint64_t>(i * 77) & 0x3f);
          }
          const Program low = lowered(program, target);
          INFO(print(low) << n);
          CHECK(native_difference(low, {{program->sizes[0], n}}, {&x, &out}) == "");
        }
      }
    }
  }
}

TEST_CASE("requests are instructions, also behind the end of memory") {
  // Rows end at the page that cannot be touched, and the requests go 1000 rows behind it.
  const Program program = test::parsed(
      "program rows\n  size m, n\n  input w: f32[m, n]\n  output out: f32[m]\n{\n"
      "  for i in 0..m prefetching w 1000 ahead, out 100000 ahead {\n    out[i] = 0.0\n"
      "    for j in 0..n {\n      out[i] += w[i, j]\n    }\n  }\n}\n");
  for (const Target& target : test::native_targets()) {
    const Program low = lowered(program, target);
    const std::string text = assembly(program, target);
    INFO(text);
    CHECK(count(text, "prefetcht0") + count(text, "prefetchw") >= 2);
    for (const int64_t m : {0, 1, 7}) {
      for (const int64_t n : {0, 1, 33}) {
        Array w(f32, {m * n}), out(f32, {m});
        for (int64_t i = 0; i < m * n; ++i) w.set_bits(i, static_cast<uint64_t>(0x3f800000 + i));
        const Sizes sizes = {{program->sizes[0], m}, {program->sizes[1], n}};
        CHECK(native_difference(low, sizes, {&w, &out}) == "");
      }
    }
  }
}

TEST_CASE("a task prefetches what only its requests name") {
  const Program program = test::parsed(
      "program rows\n  size m\n  input w: f32[m, 4]\n  input x: f32[m]\n  output out: f32[m]\n{\n"
      "  parallel for i in 0..m {\n    prefetch w[i, 0]\n    out[i] = x[i]\n  }\n}\n");
  for (const Target& target : test::native_targets()) {
    const Program low = lowered(program, target);
    CHECK(count(assembly(program, target), "prefetch") == 1);
    Array w(f32, {36}), x(f32, {9}), out(f32, {9});
    CHECK(native_difference(low, {{program->sizes[0], 9}}, {&w, &x, &out}) == "");
  }
}
