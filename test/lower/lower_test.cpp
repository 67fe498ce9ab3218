#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "support/check.h"
#include "tenon/ir/visit.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("Lowering keeps the meaning of every kind of program at odd sizes") {
  for (const Sample& sample : corpus()) {
    for (int64_t lanes : {1, 4, 8, 16}) {
      for (int64_t n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 49}) {
        if (n > 3 * lanes + 1) continue;
        INFO(sample.name << ", n = " << n << ", " << lanes << " lanes");
        check_lowering(instance(sample.text, n, lanes));
      }
    }
  }
}

TEST_CASE("A vector that is longer than its data touches the data alone") {
  const Program p = parsed(R"(
    program p
      output y: i64[3]
    {
      vector for v in 0..8 { if v < 3 { y[v] = v * v } }
    })");
  const Program lowered = check_lowering(p);
  Array y(i64, {3});
  REQUIRE(interpret(lowered, {}, {&y}).ok());
  CHECK(y.values<int64_t>() == std::vector<int64_t>{0, 1, 4});
}

TEST_CASE("Minimum and maximum keep NaN in vectors and in the tail alike") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t lanes : {1, 4, 8, 16}) {
    for (const char* op : {"max", "min"}) {
      const std::string v = std::to_string(lanes);
      const std::string at = "io * " + v + " + v";
      const Program p = parsed(
          "program p\n  input a: f32[9]\n  input b: f32[9]\n  output y: f32[9]\n{\n"
          "for io in 0.." +
          std::to_string((9 + lanes - 1) / lanes) + " { vector for v in 0.." + v + " { if " + at +
          " < 9 { y[" + at + "] = " + op + "(a[" + at + "], b[" + at + "]) } } }\n}\n");
      const Program lowered = check_lowering(p);
      Array a = Array::of<float>({9}, {nan, 1, 0, 0, 0, 0, 0, 0, nan});
      Array b = Array::of<float>({9}, {1, nan, 0, 0, 0, 0, 0, 0, 2});
      Array y(f32, {9});
      REQUIRE(interpret(lowered, {}, {&a, &b, &y}).ok());
      for (int64_t i = 0; i < 9; ++i) {
        CHECK(std::isnan(y.at<float>(i)) == (i < 2 || i == 8));
      }
    }
  }
}

TEST_CASE("Lowering keeps the meaning when the size is not known") {
  for (const Sample& sample : corpus()) {
    for (int64_t lanes : {4, 16}) {
      for (int64_t n : {0, 1, 3, 4, 5, 16, 17, 33, 48}) {
        if (n > 3 * lanes + 1) continue;
        INFO(sample.name << ", n = " << n << ", " << lanes << " lanes");
        check_lowering(symbolic_instance(sample.text, lanes), {{"n", n}});
      }
    }
  }
}

TEST_CASE("Lowering keeps the meaning on narrower targets") {
  for (const char* level : {"x86-64-v2", "x86-64-v3"}) {
    const Target target = Target::parse(level).value();
    for (const Sample& sample : corpus()) {
      for (int64_t n : {7, 16, 33}) {
        INFO(sample.name << ", n = " << n << ", " << level);
        check_lowering(instance(sample.text, n, 16), {}, target);
      }
    }
  }
}

TEST_CASE("A matrix product keeps its meaning at ragged sizes, known and unknown") {
  for (const auto& [m, n] : {std::pair{13, 29}, {24, 64}, {25, 33}, {1, 1}, {12, 32}, {7, 100}}) {
    INFO(m << " x " << n);
    check_lowering(matmul(m, n, 5, 12, 32));
    check_lowering(matmul(m, n, 5, 3, 48));
    check_lowering(matmul_of_any_m(n, 5, 12, 32), {{"m", m}});
    check_lowering(matmul_of_any_size(12, 32), {{"m", m}, {"n", n}, {"k", 4}});
  }
}

namespace {

Program lowered(const Program& program) {
  LowerOptions options;
  options.verify = true;
  return checked(lower(program, wide_target(), options));
}

struct Census {
  int microkernels = 0;  // loops that accumulate
  int masked_loads = 0, masked_stores = 0, masked_accumulates = 0;
  int selects = 0;
  int guards = 0;        // Ifs
  int loose_locals = 0;  // accesses to locals with an index that is not a constant
};

bool is_constant_index(const Expr& e) {
  const Ramp* r = e.as<Ramp>();
  return r ? r->base.is<Const>() && r->stride.is<Const>() : e.is<Const>();
}

Census census_of(const Program& program) {
  Census c;
  std::set<Buffer> locals;
  walk(program->body, [&](const Stmt& s) {
    if (const Alloc* a = s.as<Alloc>()) {
      CHECK(a->memory == Memory::kStack);
      locals.insert(a->buffer);
    }
    if (const For* f = s.as<For>()) {
      const std::vector<Stmt> body = statements_of(f->body);
      c.microkernels += body.front().is<Accumulate>() || body.front().is<If>();
    }
    const auto target = [&](const Buffer& b, const Expr& index) {
      if (locals.count(b)) c.loose_locals += !is_constant_index(index);
    };
    if (const Store* x = s.as<Store>()) {
      c.masked_stores += bool(x->mask);
      target(x->buffer, x->indices[0]);
    }
    if (const Accumulate* x = s.as<Accumulate>()) {
      c.masked_accumulates += bool(x->mask);
      target(x->buffer(), x->indices[0]);
    }
    c.guards += s.is<If>();
  });
  walk_exprs(program->body, [&](const Expr& e) {
    if (const Load* l = e.as<Load>()) {
      c.masked_loads += bool(l->mask);
      if (locals.count(l->buffer)) c.loose_locals += !is_constant_index(l->indices[0]);
    }
    c.selects += e.is<Select>();
  });
  return c;
}

}  // namespace

TEST_CASE("Whole tiles give two microkernels without any mask, one for the last rows") {
  const Census c = census_of(lowered(matmul(128, 768, 768, 12, 32)));
  CHECK(c.microkernels == 2);
  CHECK(c.masked_loads == 0);
  CHECK(c.masked_stores == 0);
  CHECK(c.selects == 0);
  CHECK(c.guards == 0);
  CHECK(c.loose_locals == 0);
}

TEST_CASE("Ragged tiles give four microkernels with masks on the bias and the result alone") {
  for (const auto& [m, n, k] : {std::tuple{127, 767, 769}, {50, 500, 500}}) {
    const Census c = census_of(lowered(matmul(m, n, k, 12, 32)));
    CHECK(c.microkernels == 4);
    // The last 16 columns of each row.
    const int rows = 12 + m % 12;
    CHECK(c.masked_loads == rows);
    CHECK(c.masked_stores == rows);
    CHECK(c.masked_accumulates == 0);
    CHECK(c.selects == 0);
    CHECK(c.guards == 0);
    CHECK(c.loose_locals == 0);
  }
}

TEST_CASE("Fewer columns than a tile give no copy for whole tiles") {
  const Census c = census_of(lowered(matmul(13, 29, 17, 12, 32)));
  CHECK(c.microkernels == 2);
  CHECK(c.masked_loads == 13);
  CHECK(c.masked_stores == 13);
  CHECK(c.masked_accumulates == 0);
  CHECK(c.loose_locals == 0);
}

TEST_CASE("An unknown number of rows leaves a guard per row in the last tile") {
  const Census c = census_of(lowered(matmul_of_any_m(768, 768, 12, 32)));
  CHECK(c.microkernels == 2);
  CHECK(c.masked_loads == 0);
  CHECK(c.masked_accumulates == 0);
  CHECK(c.loose_locals == 0);
  CHECK(c.guards > 0);
}

TEST_CASE("With no size known, no accumulator is masked") {
  const Census c = census_of(lowered(matmul_of_any_size(12, 32)));
  CHECK(c.microkernels == 4);
  CHECK(c.masked_accumulates == 0);
  CHECK(c.selects == 0);
  CHECK(c.loose_locals == 0);
}

TEST_CASE("Every pass is in the table with the forms that it needs given before") {
  uint32_t forms = static_cast<uint32_t>(Form::kStridesBound);
  for (const Pass& pass : passes()) {
    INFO(pass.name);
    CHECK((pass.needs & ~forms) == 0);
    forms |= pass.gives;
  }
  CHECK(forms == 255);
}
