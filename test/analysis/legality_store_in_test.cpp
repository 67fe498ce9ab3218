#include <functional>
#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::loop_named;
using test::program_of;
using test::text_of;

using MapOf = std::function<std::vector<Expr>(const Program&, const std::vector<Var>&)>;

// t in y, under a map.
std::string stored(const std::string& text, const MapOf& map) {
  const Program p = program_of(text);
  std::vector<Var> vars;
  for (size_t d = 0; d < shape_of(p, find_buffer(p, "t"))->size(); ++d) {
    vars.emplace_back("d" + std::to_string(d));
  }
  const auto images = may_store_in(p, find_buffer(p, "t"), find_buffer(p, "y"), vars, map(p, vars));
  if (!images.ok()) return text_of(images);
  std::string result;
  for (const Expr& e : *images) result += (result.empty() ? "[" : ", ") + print(e);
  return result + "]";
}

const MapOf kSame = [](const Program&, const std::vector<Var>& v) {
  return std::vector<Expr>(v.begin(), v.end());
};

// A stage t of n elements, and what follows it.
std::string after_t(const std::string& nest) {
  return "size n input x: f32[n] input idx: i64[n] output y: f32[n] { alloc t: f32[n]\n"
         "for i in 0..n { t[i] = x[i] }\n" +
         nest + " }";
}

TEST_CASE("A store that covers the stage overwrites it, however its loops are cut into pieces") {
  CHECK(stored(after_t("for j in 0..n { y[j] = t[j] }"), kSame) == "[d0]");
  CHECK(stored(after_t("for jo in 0..(n + 7) // 8 { for ji in 0..8 { if jo*8 + ji < n { "
                       "y[jo*8 + ji] = t[jo*8 + ji] } } }"),
               kSame) == "[d0]");
  CHECK(stored(after_t("for ji in 0..8 { for jo in 0..(n + 7) // 8 { if jo*8 + ji < n { "
                       "y[jo*8 + ji] = t[jo*8 + ji] } } }"),
               kSame) == "[d0]");
}

TEST_CASE("A store that leaves elements out does not") {
  const std::string why =
      "cannot tell that what t writes to y[i] is always overwritten by the output's own value";
  CHECK(stored(after_t("for jo in 0..n // 8 { for ji in 0..8 { y[jo*8 + ji] = t[jo*8 + ji] } }"),
               kSame) == why);
  CHECK(stored(after_t("for jo in 0..(n + 7) // 8 { for ji in 0..7 { if jo*8 + ji < n { "
                       "y[jo*8 + ji] = t[jo*8 + ji] } } }"),
               kSame) == why);
  CHECK(stored(after_t("for j in 1..n { y[j] = t[j] }"), kSame) == why);
  CHECK(stored(after_t("for j in 0..n { if idx[j] < 4 { y[j] = t[j] } }"), kSame) == why);
}

TEST_CASE("An index that is data is not known to overwrite anything, or to come last") {
  CHECK(stored(after_t("for j in 0..n { y[check(idx[j], n)] = t[j] }"), kSame) ==
        "cannot tell whether y[check(idx[j], n)] is stored before t is used for the last time in "
        "y[j]");
  CHECK(stored(after_t("for j in 0..n { y[check(idx[j], n)] = x[j] }"), kSame) ==
        "cannot tell that what t writes to y[i] is always overwritten by the output's own value");
}

TEST_CASE("A stage of a block lives in the block of the output") {
  const char* blocks = R"(
    size n input x: f32[8*n] output y: f32[8*n] {
      for b in 0..n {
        alloc t: f32[8]
        for i in 0..8 { t[i] = x[b*8 + i] }
        for j in 0..8 { y[b*8 + j] = t[j] }
      }
    })";
  const auto at = [](int64_t stride, int64_t offset) -> MapOf {
    return [=](const Program& p, const std::vector<Var>& v) {
      return std::vector<Expr>{Expr(loop_named(p, "b")) * stride + v[0] + offset};
    };
  };
  CHECK(stored(blocks, at(8, 0)) == "[b * 8 + d0]");
  CHECK(stored(blocks, at(7, 0)) ==
        "iterations of loop b would share elements of y: y[b * 7 + i] and y[b * 7 + i]");
  CHECK(
      stored(blocks, at(8, -1)) ==
      "t does not stay inside of y: it would use y[b * 8 + i - 1], and 0 <= b * 8 + i - 1 does not "
      "always hold");
  CHECK(stored(blocks, at(0, 0)) ==
        "iterations of loop b would share elements of y: y[i] and y[i]");
}

TEST_CASE("A map that cancels inner loops uses none of them") {
  CHECK(stored(after_t("for j in 0..n { y[j] = t[j] }"),
               [](const Program& p, const std::vector<Var>& v) {
                 const Expr j = loop_named(p, "j");
                 return std::vector<Expr>{v[0] + (j - j)};
               }) == "[d0]");
  CHECK(stored(after_t("for j in 0..n { y[j] = t[j] }"),
               [](const Program& p, const std::vector<Var>& v) {
                 return std::vector<Expr>{v[0] + Expr(loop_named(p, "j"))};
               }) == "index j + d0 of the map uses j, which is not known where t is declared");
}

TEST_CASE("A vector loop around keeps the stage's memory apart") {
  CHECK(stored("size n output y: f32[8] { vector for b in 0..8 { alloc t: f32[]\n t[] = 1.0\n "
               "y[b] = t[] } }",
               [](const Program& p, const std::vector<Var>&) {
                 return std::vector<Expr>{loop_named(p, "b")};
               }) == "loop b around t is a vector loop");
}

}  // namespace
}  // namespace tenon
