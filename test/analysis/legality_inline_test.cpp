#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::around_t;
using test::program_of;
using test::text_of;

std::string inlined(const std::string& text, std::string_view stage) {
  const Program p = program_of(text);
  return text_of(may_inline(p, find_buffer(p, stage)));
}

TEST_CASE("A stage that one store defines is inlined") {
  const Program p = program_of(R"(
    size n scalar a: f32 input x: f32[n, n] output y: f32[n] {
      let b = a * 2.0
      alloc t: f32[n, n]
      for i in 0..n {
        for j in 0..n {
          let c = x[j, i] + b
          t[i, j] = c * c
        }
      }
      for k in 0..n { y[k] = t[k, 0] + t[0, k] }
    })");
  const auto plan = may_inline(p, find_buffer(p, "t"));
  REQUIRE(text_of(plan) == "yes");
  REQUIRE(plan->vars.size() == 2);
  CHECK(plan->vars[0].name() == "i");
  CHECK(plan->vars[1].name() == "j");
  CHECK(print(plan->value) == "(x[j, i] + b) * (x[j, i] + b)");
  CHECK(plan->store.as<Store>()->buffer.name() == "t");
}

TEST_CASE("A stage of a block is inlined in it") {
  CHECK(inlined(R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      for b in 0..n {
        alloc t: f32[n]
        for i in 0..n { t[i] = x[b, i] }
        for i2 in 0..n { y[b, i2] = t[i2] }
      }
    })",
                "t") == "yes");
}

TEST_CASE("What stands in the way of inlining") {
  const auto t = [](const std::string& nest, const std::string& between = "",
                    const std::string& reader = "y[i] = t[i]") {
    return inlined(around_t(nest, between, reader), "t");
  };
  CHECK(t("for j in 0..n { t[j] = x[j] }") == "yes");
  CHECK(
      t("for j in 0..n { t[j] = 0.0\n t[j] += x[j] }") ==
      "t is a reduction: only a stage that one store defines can be inlined | legal compute_at(t, "
      "...)");
  CHECK(t("for j in 0..n { t[j] = 0.0 }\nt[0] = 1.0") == "t is written by several statements");
  CHECK(t("for j in 0..n { if x[j] < 1.0 { t[j] = 0.0 } }") ==
        "the store to t happens only if x[j] < 1.0");
  CHECK(t("for j in 0..n { if j < n { t[j] = 0.0 } }") == "yes");
  CHECK(
      t("for j in 0..n { t[n - 1 - j] = 0.0 }") ==
      "the store to t[n - 1 - j] does not run over dimension 0 with one loop over the whole of it");
  CHECK(t("for j in 1..n { t[j] = 0.0 }") ==
        "the store to t[j] does not run over dimension 0 with one loop over the whole of it");
  CHECK(t("for r in 0..n { for j in 0..n { t[j] = x[r] } }") ==
        "the store to t[j] is repeated by loop r");
  CHECK(t("for j in 0..n { t[j] = x[j] }", "for k in 0..n { x[k] = 0.0 }") ==
        "the value of t reads x, which may be written between the store and a reader of t");
  CHECK(t("for j in 0..n { t[j] = x[j] }", "", "x[i] = t[i]") ==
        "the value of t reads x, which may be written between the store and a reader of t");
  CHECK(t("for j in 0..n { t[j] = select(j < 1, 0.0, t[j - 1]) }") ==
        "t is defined by its own elements");
  CHECK(t("for j in 0..n { alloc s: f32[1]\n s[0] = x[j]\n t[j] = s[0] }") ==
        "the value of t reads s, which is known only in the nest that stores it");
  CHECK(t("z[0] = t[0]\nfor j in 0..n { t[j] = x[j] }") == "t is read before it is stored");
  CHECK(inlined(around_t("for j in 0..n { t[j] = x[j] }"), "x") ==
        "x is a parameter of the program, not a local buffer");
}

TEST_CASE("Inputs that are written before the store or after the readers are no obstacle") {
  CHECK(inlined("size n output x: f32[n] output y: f32[n] {\nalloc t: f32[n]\n"
                "for h in 0..n { x[h] = 1.0 }\nfor j in 0..n { t[j] = x[j] }\n"
                "for i in 0..n { y[i] = t[i] }\nfor k in 0..n { x[k] = 0.0 } }",
                "t") == "yes");
}

}  // namespace
}  // namespace tenon
