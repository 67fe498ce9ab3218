#include <string>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::program_of;
using test::text_of;

// e over t, where both are grids and `nest` computes e.
std::string stored(const std::string& nest) {
  const Program p = program_of(R"(
    size m, n input x: f32[m, n] output y: f32[m, n] {
      alloc t: f32[m, n]
      for a in 0..m { for b in 0..n { t[a, b] = x[a, b] } }
      alloc e: f32[m, n]
      )" + nest + R"(
      for c in 0..m { for d in 0..n { y[c, d] = e[c, d] } }
    })");
  return text_of(Verdict{may_store_over(p, find_buffer(p, "e"), find_buffer(p, "t"))});
}

TEST_CASE("Reads of elements that later iterations overwrite do no harm") {
  CHECK(stored("for i in 0..m { for j in 0..n { e[i, j] = t[i, j] } }") == "yes");
  CHECK(stored("for i in 0..m { for j in 0..n { if i + 1 < m { e[i, j] = t[i + 1, 0] } } }") ==
        "yes");
  CHECK(stored("for j in 0..n { for i in 0..m { if j + 1 < n { e[i, j] = t[0, j + 1] } } }") ==
        "yes");
  CHECK(stored("for i in 0..m { for j in 0..n { e[i, j] = x[i, j] } }") == "yes");
}

TEST_CASE("Reads of elements that earlier iterations have overwritten are refused") {
  CHECK(stored("for i in 0..m { for j in 0..n { if 0 < i { e[i, j] = t[i - 1, j] } } }") ==
        "e[1, 0] would be stored over t[1, 0] (i = 1, j = 0), which is still read after that (i = "
        "2, j = 0), with m = 3, n = 3");
  CHECK(stored("for i in 0..m { for j in 0..n { e[i, j] = t[i, n - 1 - j] } }") ==
        "e[0, 0] would be stored over t[0, 0] (i = 0, j = 0), which is still read after that (i = "
        "0, j = 1), with m = 2, n = 2");
  CHECK(stored("for i in 0..m { for j in 0..n { if 3 < n { e[i, j] = 0.0 }\n"
               "for r in 0..n { e[i, j] += t[i, r] } } }") ==
        "e[0, 0] would be stored over t[0, 0] (i = 0, j = 0), which is still read after that (i = "
        "0, j = 1, r = 0), with m = 4, n = 4");
}

TEST_CASE("Lanes of a vector and iterations of a parallel loop have no order") {
  const std::string read_ahead = " { for j in 0..n { if i + 1 < m { e[i, j] = t[i + 1, j] } } }";
  CHECK(stored("for i in 0..m" + read_ahead) == "yes");
  CHECK_THAT(stored("parallel for i in 0..m" + read_ahead),
             Catch::StartsWith("e[1, 0] would be stored over t[1, 0] (i = 1, j = 0), which is "
                               "still read after that (i = 0, j = 0)"));
  CHECK_THAT(stored("for i in 0..m { vector for j in 0..8 { if j + 1 < n { e[i, j] = t[i, j + 1] "
                    "} } }"),
             Catch::StartsWith("e[0, 1] would be stored over t[0, 1] (i = 0, j = 1), which is "
                               "still read after that (i = 0, j = 0)"));
}

}  // namespace
}  // namespace tenon
