#include "tenon/analysis/region.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "support/check.h"
#include "tenon/analysis/find.h"

namespace tenon {
namespace {

Var loop_named(const Stmt& s, std::string_view name) {
  if (const For* loop = s.as<For>()) {
    return loop->var.name() == name ? loop->var : loop_named(loop->body, name);
  }
  if (const If* guard = s.as<If>()) return loop_named(guard->body, name);
  if (const Seq* list = s.as<Seq>()) {
    for (const Stmt& part : list->stmts) {
      if (const Var var = loop_named(part, name)) return var;
    }
  }
  return Var();
}

// What the body of loop `at` touches of t: "[lo +extent, ...]", with the room for it where the
// extent varies, or the reason of the refusal.
std::string region_in(const std::string& declarations, const std::string& body, std::string_view at,
                      Which which = Which::kReads) {
  const Program p =
      test::parsed("program q " + declarations + " output y: f32[1000] {\n" + body + "\n}");
  const auto site = find_loop(p, loop_named(p->body, at));
  REQUIRE(site);
  const auto region =
      region_of(site->loop.body, find_buffer(p, "t"), which, site->facts.inside(site->loop));
  if (!region.ok()) return diagnostic_of(region.status())->reason;
  std::string text;
  for (size_t d = 0; d < region->lo.size(); ++d) {
    text += (d == 0 ? "" : ", ") + print(region->lo[d]) + " +" + print(region->extent[d]);
    if (!equal(region->room[d], region->extent[d])) text += " of " + print(region->room[d]);
  }
  return "[" + text + "]";
}

TEST_CASE("The loops inside are replaced by their ends") {
  const char* t = "size m, n input t: f32[m, n]";
  CHECK(region_in(t, "for i in 0..m { for j in 0..n { y[0] = t[i, j] } }", "i") == "[i +1, 0 +n]");
  CHECK(region_in(t, "for i in 0..m { for j in 0..n { y[0] = t[i, j] } }", "j") == "[i +1, j +1]");
  CHECK(region_in(t, "for io in 0..m // 12 { for ii in 0..12 { y[0] = t[io * 12 + ii, 3] } }",
                  "io") == "[io * 12 +12, 3 +1]");
  CHECK(region_in(t, "for i in 0..m { for j in 0..n { y[0] = t[i, n - 1 - j] } }", "i") ==
        "[i +1, 0 +n]");
}

TEST_CASE("Windows widen by what they slide over") {
  const char* t = "size h, w input t: f32[h + 2, w * 2 + 2]";
  CHECK(region_in(t,
                  "for oh in 0..h { for ow in 0..w { for kh in 0..3 { for kw in 0..3 {\n"
                  "y[0] = t[oh + kh, ow * 2 + kw] } } } }",
                  "oh") == "[oh +3, 0 +w * 2 + 1]");
  CHECK(region_in(t,
                  "for oh in 0..h { for ow in 0..w { for kh in 0..3 { for kw in 0..3 {\n"
                  "y[0] = t[oh + kh, ow * 2 + kw] } } } }",
                  "ow") == "[oh +3, ow * 2 +3]");
}

TEST_CASE("Several accesses have one hull") {
  const char* t = "size n input t: f32[n + 4]";
  CHECK(region_in(t, "for i in 0..n { y[i] = t[i + 1] + t[i + 3] + t[i] }", "i") == "[i +4]");
  CHECK(
      region_in("size n input t: f32[n]", "for i in 0..n { y[i] = t[i] + t[n - 1 - i] }", "i") ==
      "the first index of reads of t starts at i or n - i - 1, and which is smaller is not known");
}

TEST_CASE("Reads, writes or both") {
  const std::string body =
      "for i in 0..n { alloc u: f32[4]\n t[i] = 0.0\n t[i + 1] += 1.0\n"
      "y[i] = t[i + 2] }";
  const char* t = "size n output t: f32[n + 4]";
  CHECK(region_in(t, body, "i", Which::kReads) == "[i + 2 +1]");
  CHECK(region_in(t, body, "i", Which::kWrites) == "[i +2]");
  CHECK(region_in(t, body, "i", Which::kAll) == "[i +3]");
}

TEST_CASE("An index in a constant range is bounded by it") {
  CHECK(region_in("size n input t: f32[n]", "for i in 0..n { for r in 0..8 { y[i] = t[r % 3] } }",
                  "i") == "[0 +3]");
}

TEST_CASE("An extent that varies needs the room of the largest") {
  const char* t = "size n input t: f32[n]";
  CHECK(region_in(t, "for i in 0..n { for j in 0..i { y[i] = t[j] } }", "i") == "[0 +i of n - 1]");
  CHECK(region_in(t,
                  "for io in 0..3 { for ii in 0..4 { for j in 0..min(n, io * 4 + ii + 1) {"
                  "y[io] = t[j] } } }",
                  "io") == "[0 +min(n, io * 4 + 4) of min(n, 12)]");
  CHECK(region_in(t, "for i in 0..8 { for k in i..8 { for j in i..k { y[i] = t[j] } } }", "k") ==
        "[i +k - i of 7]");
}

TEST_CASE("What cannot be a box is refused with the reason") {
  CHECK(region_in("size n input t: f32[n]", "for i in 0..n { for r in 0..n { y[i] = t[r * r] } }",
                  "i") == "the first index of reads of t varies non-monotonically with r: r * r");
  const char* data = "size n input t: f32[n] input last: i64[n]";
  CHECK(region_in(data, "for i in 0..n { for j in 0..min(n, last[i]) { y[i] = t[j] } }", "i") ==
        "the extent of the first index of reads of t varies with last: min(n, last[i])");
  CHECK(region_in("size n input t: f32[n]", "for i in 0..n { y[i] = 0.0 }", "i") ==
        "there are no reads of t");
}

}  // namespace
}  // namespace tenon
