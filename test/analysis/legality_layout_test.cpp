#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::program_of;
using test::text_of;

std::string layout(const std::string& text, std::string_view buffer,
                   const std::function<std::vector<Expr>(const std::vector<Var>&)>& map) {
  const Program p = program_of(text);
  std::vector<Var> vars;
  for (size_t d = 0; d < shape_of(p, find_buffer(p, buffer))->size(); ++d) {
    vars.emplace_back("d" + std::to_string(d));
  }
  const auto result = may_set_layout(p, find_buffer(p, buffer), vars, map(vars));
  if (!result.ok()) return text_of(result);
  std::string shape;
  for (const Expr& e : result->shape) shape += (shape.empty() ? "" : ", ") + print(e);
  return "[" + shape + "]";
}

using Vars = std::vector<Var>;
using Exprs = std::vector<Expr>;

TEST_CASE("Layouts give each element a place of its own") {
  const char* w =
      "size n, k weight w: f32[n, k] output y: f32[n] { for i in 0..n { y[i] = w[i, 0] } }";
  const auto panels = [](const Vars& v) { return Exprs{Expr(v[0]) / 32, v[1], Expr(v[0]) % 32}; };
  CHECK(layout("weight w: f32[100, 7] output y: f32[1] { y[0] = w[0, 0] }", "w", panels) ==
        "[4, 7, 32]");
  CHECK(layout(w, "w", panels) == "[(n + 31) // 32, k, 32]");
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{v[1], v[0]}; }) == "[k, n]");
  CHECK(layout("weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }", "w",
               [](const Vars& v) { return Exprs{Expr(v[0]) * 8 + v[1]}; }) == "[48]");
  CHECK(layout("weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }", "w",
               [](const Vars& v) { return Exprs{Expr(v[0]) * 10 + v[1]}; }) == "[58]");
  CHECK(layout("size n output y: f32[n] { alloc t: f32[n]\n for i in 0..n { t[i] = 0.0 }\n"
               "for j in 0..n { y[j] = t[j] } }",
               "t", [](const Vars& v) {
                 return Exprs{Expr(v[0]) % 4, Expr(v[0]) / 4};
               }) == "[4, (n + 3) // 4]");
}

TEST_CASE("Layouts that lose elements are refused") {
  const char* w = "weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }";
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{Expr(v[0]) * 7 + v[1]}; }) ==
        "the layout stores w[0, 7] and w[1, 0] in the same place");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) / 2, v[1]};
        }) == "the layout stores w[0, 0] and w[1, 0] in the same place");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) - 2, v[1]};
        }) == "index 0 of the layout, d0 - 2, may be negative");
  CHECK(layout(w, "w", [](const Vars& v) { return Exprs{5 - Expr(v[0]), v[1]}; }) == "[6, 8]");
  CHECK(layout(w, "y", [](const Vars& v) { return Exprs{v[0]}; }) ==
        "y is an output: its layout belongs to the caller; only weights and local buffers have a "
        "layout to choose");
  CHECK(layout(w, "w", [](const Vars& v) {
          return Exprs{load(Buffer("idx", i64), {v[0]}), v[1]};
        }) == "index idx[d0] of the layout is not an integer expression of the indices");
  CHECK(layout("weight w: f32[6] output y: f32[1] { y[0] = w[0] }", "w", [](const Vars& v) {
          return Exprs{Expr(v[0]) * Expr(v[0]) - Expr(v[0])};
        }) == "the layout stores w[0] and w[1] in the same place");
}

TEST_CASE("A layout has no negative index, as many indices as dimensions, and reads no data") {
  const char* w = "weight w: f32[6, 8] output y: f32[1] { y[0] = w[0, 0] }";
  CHECK_THAT(layout(w, "w",
                    [](const Vars& v) {
                      return Exprs{Expr(v[0]) - 5, v[1]};
                    }),
             Catch::Contains("index 0 of the layout, d0 - 5, may be negative"));
  CHECK_THAT(layout(w, "w",
                    [](const Vars& v) {
                      return Exprs{v[0], cast(f32, v[1])};
                    }),
             Catch::Contains("index cast<f32>(d1) of the layout is not an integer expression of "
                             "the indices"));
}

}  // namespace
}  // namespace tenon
