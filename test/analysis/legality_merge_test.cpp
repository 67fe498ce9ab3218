#include <string>
#include <vector>

#include "analysis/legality_text.h"
#include "tenon/ir/names.h"

namespace tenon {
namespace {

using test::program_of;
using test::site_of;

// What goes above and below, or the refusal.
std::string merge(const std::string& text, std::string_view first = "i",
                  std::string_view second = "j") {
  const Program p = program_of(text);
  const auto found = may_merge(site_of(p, first), site_of(p, second));
  if (!found.ok()) return test::text_of(found);
  std::string answer = found->reassociates ? "yes, reassociating" : "yes";
  Names names(p);
  for (const Stmt& s : found->above) answer += " | above " + headline(s, names);
  for (const Stmt& s : found->below) answer += " | below " + headline(s, names);
  return answer;
}

std::string over_t(const std::string& first, const std::string& between,
                   const std::string& second) {
  return "size n input x: f32[n] output t: f32[n] output u: f32[n] require 9 <= n {\nfor i in "
         "0..n { " +
         first + " }\n" + between + "\nfor j in 0..n { " + second + " } }";
}

TEST_CASE("An element that is used in its own iteration, or later, lets loops merge") {
  CHECK(merge(over_t("t[i] = x[i]", "", "u[j] = t[j]")) == "yes");
  CHECK(merge(over_t("t[i] = x[i]", "", "if 1 <= j { u[j] = t[j - 1] }")) == "yes");
  CHECK(merge(over_t("t[i] = x[i]", "", "t[n - 1 - j] = 0.0")) ==
        "iteration (i = 5) of the first loop must run before (i = 3) of the second: both touch "
        "t[5], with n = 9");
}

TEST_CASE("An element that is used before its iteration keeps the loops apart") {
  CHECK(merge(over_t("t[i] = x[i]", "", "if j < n - 1 { u[j] = t[j + 1] }")) ==
        "iteration (i = 1) of the first loop must run before (i = 0) of the second: both touch "
        "t[1], with n = 9");
  // Reads, and writes behind them.
  CHECK(merge(over_t("u[i] = t[i]", "", "if j < n - 1 { t[j + 1] = 0.0 }")) ==
        "iteration (i = 1) of the first loop must run before (i = 0) of the second: both touch "
        "t[1], with n = 9");
  CHECK(merge(over_t("u[i] = t[i]", "", "if 0 < j { t[j - 1] = 0.0 }")) == "yes");
}

TEST_CASE("Sums into one element merge by reassociation, other reductions exactly") {
  CHECK(merge(over_t("u[0] += x[i]", "", "u[0] += t[j]")) == "yes, reassociating");
  CHECK(merge(over_t("u[0] max= x[i]", "", "u[0] max= t[j]")) == "yes");
  CHECK(merge(over_t("u[0] max= x[i]", "", "u[0] += t[j]")) ==
        "iteration (i = 1) of the first loop must run before (i = 0) of the second: both touch "
        "u[0], with n = 9");
}

TEST_CASE("A statement between the loops goes above where nothing before it minds") {
  CHECK(merge(over_t("t[i] = x[i]", "u[0] = x[3]", "u[j] = t[j]")) == "yes | above u[0] = x[3]");
  CHECK(merge(over_t("t[i] = x[i]", "alloc v: f32[2]\nv[0] = x[3]", "u[j] = v[0]")) ==
        "yes | above alloc v: f32[2] | above v[0] = x[3]");
  CHECK(merge(over_t("t[i] = x[i]", "let a = x[0]", "u[j] = a")) == "yes | above let a = x[0]");
}

TEST_CASE("What needs the first loop goes below, and what needs that with it") {
  CHECK(merge(over_t("t[i] = x[i]", "alloc v: f32[2]\nv[0] = t[3]\nv[1] = x[0]\nv[0] += x[1]",
                     "u[j] = t[j]")) ==
        "yes | above alloc v: f32[2] | above v[1] = x[0] | below v[0] = t[3] | below v[0] += x[1]");
  CHECK(merge(over_t("t[i] = x[i]", "let a = t[0]\nlet b = a", "u[j] = t[j]")) ==
        "yes | below let a = t[0] | below let b = a");
}

TEST_CASE("A statement that needs the first loop and is needed by the second keeps them apart") {
  CHECK(merge(over_t("t[i] = x[i]", "u[0] = t[3]", "u[j] += t[j]")) ==
        "`u[0] = t[3]` stands between the loops: it comes after loop i (both touch t[3]) and "
        "before loop j (both touch u[0])");
  CHECK(merge(over_t("t[i] = x[i]", "let a = t[0]", "u[j] = a")) ==
        "`let a = t[0]` stands between the loops: it comes after loop i (both touch t[0]) and "
        "before loop j (which uses a)");
  CHECK(merge(over_t("t[i] = x[i]", "alloc v: f32[1]\nv[0] = t[0]\nv[0] = 2.0", "u[j] = v[0]")) ==
        "`v[0] = t[0]` stands between the loops: it comes after loop i (both touch t[0]) and "
        "before loop j (both touch v[0])");
}

TEST_CASE("Loops merge only when their bounds are proved to be equal") {
  const auto bounds = [](const std::string& first, const std::string& second) {
    return merge("size m, n input c: i64[1] output d: i64[1] require m == n + 1 {\nfor i in " +
                 first + " { d[0] max= 0 }\nfor j in " + second + " { d[0] max= 0 } }");
  };
  CHECK(bounds("0..m", "0..n + 1") == "yes");
  CHECK(bounds("0..4", "0..5") ==
        "loop i runs over 0..4 and loop j over 0..5: the bounds must be equal");
  CHECK(
      bounds("1..n", "0..n * 2") ==
      "loop i runs over 1..n and loop j over 0..n * 2: the bounds must be equal | missing n == 0");
  CHECK(bounds("0..n", "1..n + 1") ==
        "loop i runs over 0..n and loop j over 1..n + 1: the bounds must be equal | legal shift(j, "
        "-1), then merge");
  CHECK(bounds("0..c[0]", "0..c[0]") == "yes");
  CHECK(bounds("0..d[0]", "0..d[0]") == "the bounds of loop j read d, which the program writes");
}

TEST_CASE("Data in an index keeps loops apart") {
  CHECK(merge("size n input k: i64[n] input x: f32[n] output t: f32[n] output u: f32[n] {\nfor i "
              "in 0..n { t[i] = x[i] }\nfor j in 0..n { u[j] = t[min(max(k[j], 0), n - 1)] } }") ==
        "cannot tell whether t[i] and t[min(max(k[i - 1], 0), n - 1)] are different elements: k "
        "is data | missing i != min(max(k[i - 1], 0), n - 1)");
}

TEST_CASE("Outer loops are in the same iteration") {
  CHECK(merge("size n output t: f32[n, n] {\nfor o in 0..n {\nfor i in 0..n { t[o, i] = 0.0 }\n"
              "for j in 0..n { t[o, j] += 1.0 } } }") == "yes");
}

}  // namespace
}  // namespace tenon
